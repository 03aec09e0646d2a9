// What happens in which order: blocks that look back, a maximum that grows, copies that overlap.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "docs/weave/html.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

Picture look_back(PictureRequest& request) {
  static constexpr int aggregates[] = {5, 3, 8, 2, 6, 4, 7, 1};
  const int tiles = request.number("tiles", 6, 3, 8);
  const int known = request.number("known", 1, 0, tiles - 2), looking = tiles - 1;
  constexpr double left = 4, gap = 8, top = 62, height = 50;
  const double side = 396.0 / tiles - gap;
  const auto x = [side](int tile) { return left + (side + gap) * tile; };
  Svg svg(x(tiles) + 4, top + height + 52, "A tile looks back",
          "Tile " + std::to_string(looking) + " adds the sums of the tiles before it, backwards, " +
              "up to tile " + std::to_string(known) + ", whose prefix is known.");
  int prefix = 0, sum = 0;
  std::string terms;
  for (int tile = 0; tile < tiles; ++tile) {
    prefix += aggregates[tile];
    const bool has_prefix = tile <= known, is_looking = tile == looking;
    svg.rectangle(x(tile), top, side, height,
                  is_looking   ? "kl-lane-3"
                  : has_prefix ? "kl-lane-1"
                               : "kl-lane-2",
                  3);
    svg.text(x(tile) + side / 2, top + 19,
             is_looking   ? "tile"
             : has_prefix ? "prefix"
                          : "sum",
             "kl-small", "middle");
    svg.text(x(tile) + side / 2, top + 39,
             std::to_string(is_looking   ? tile
                            : has_prefix ? prefix
                                         : aggregates[tile]),
             "kl-ink", "middle");
    if (tile < known || is_looking) continue;
    sum += has_prefix ? prefix : aggregates[tile];
    terms = std::to_string(has_prefix ? prefix : aggregates[tile]) +
            (terms.empty() ? "" : " + " + terms);
    // A bow from the looking tile back to this one; the furthest is the highest.
    const double from = x(looking) + side / 2 - 3 * (looking - tile), to = x(tile) + side / 2;
    const double rise = top - 10 - 9 * (looking - tile);
    svg.path("M" + fixed(from, 1) + " " + fixed(top - 2, 1) + "C" + fixed(from, 1) + " " +
                 fixed(rise, 1) + " " + fixed(to, 1) + " " + fixed(rise, 1) + " " + fixed(to, 1) +
                 " " + fixed(top - 8, 1),
             "kl-arrow");
    svg.arrow(to, top - 9, to, top - 1);
  }
  svg.text(left, top + height + 22,
           "tile " + std::to_string(looking) + " begins at " + terms + " = " + std::to_string(sum),
           "kl-small kl-strong");
  svg.text(left, top + height + 42,
           "and publishes its own prefix " + std::to_string(sum + aggregates[looking]) +
               " for those behind it",
           "kl-small");
  return {svg,
          "Each tile publishes first its sum, then its prefix. A tile that looks back adds sums "
          "until it meets a prefix."};
}

Picture online_softmax(PictureRequest&) {
  static constexpr int values[] = {1, 3, 2, 5, 4, 5};
  constexpr double left = 92, column = 58, base = 96, unit = 15;
  const double right = left + column * std::size(values);
  Svg svg(right + 4, base + 106, "The online softmax",
          "A maximum m and a sum d are kept while values are read. Whenever m grows, d is first "
          "multiplied by e to the power of the old maximum minus the new.");
  static constexpr const char* names[] = {"value x", "maximum m", "d ×", "+ e^(x − m)", "= sum d"};
  for (std::size_t row = 0; row < std::size(names); ++row) {
    svg.text(0, base + 20 + 19 * static_cast<double>(row), names[row], "kl-small");
  }
  double sum = 0;
  int largest = values[0];
  std::string steps;
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const int x = values[i], before = i == 0 ? x : largest;
    largest = std::max(before, x);
    const double factor = std::exp(before - largest), term = std::exp(x - largest);
    sum = sum * factor + term;
    const double at = left + column * static_cast<double>(i), middle = at + column / 2;
    svg.rectangle(middle - 13, base - unit * x, 26, unit * x, "kl-lane-1");
    svg.line(at, base - unit * largest, at + column, base - unit * largest, "kl-maximum");
    if (largest != before) {
      svg.line(at, base - unit * before, at, base - unit * largest, "kl-maximum");
    }
    const std::string shown[] = {std::to_string(x), std::to_string(largest),
                                 i == 0 ? "–" : fixed(factor, 3), fixed(term, 3), fixed(sum, 3)};
    for (std::size_t row = 0; row < std::size(shown); ++row) {
      const bool rescaled = row == 2 && factor < 1;
      svg.text(middle, base + 20 + 19 * static_cast<double>(row), shown[row],
               rescaled || row == 4 ? "kl-small kl-strong" : "kl-small", "middle");
    }
  }
  svg.line(left, base, right, base, "kl-axis");
  return {svg,
          "The line is the largest value so far. Where it rises, the old sum is multiplied by "
          "e^(m<sub>old</sub> − m<sub>new</sub>) before the new term is added."};
}

namespace {

struct Span {
  int begin, end;
};

// When each tile is copied and computed: a copy waits for the copy before it and for a free buffer,
// a computation for its tile and for the computation before it.
struct Schedule {
  std::vector<Span> copy, compute;
  int total() const { return compute.back().end; }
};

Schedule schedule_of(int tiles, int buffers, int copy_time, int compute_time) {
  Schedule schedule;
  for (int tile = 0; tile < tiles; ++tile) {
    const int copied = schedule.copy.empty() ? 0 : schedule.copy.back().end;
    const int computed = schedule.compute.empty() ? 0 : schedule.compute.back().end;
    const int free =
        tile < buffers ? 0 : schedule.compute[static_cast<std::size_t>(tile - buffers)].end;
    const int begin = std::max(copied, free);
    schedule.copy.push_back({begin, begin + copy_time});
    const int ready = std::max(begin + copy_time, computed);
    schedule.compute.push_back({ready, ready + compute_time});
  }
  return schedule;
}

void draw_schedule(Svg& svg, const Schedule& schedule, int buffers, double y, double unit) {
  constexpr double left = 66, height = 24;
  svg.text(0, y + 17, "copy", "kl-small");
  svg.text(0, y + height + 21, "compute", "kl-small");
  for (std::size_t tile = 0; tile < schedule.copy.size(); ++tile) {
    const std::string css_class =
        "kl-lane-" + std::to_string(1 + tile % static_cast<std::size_t>(buffers));
    double row = y;
    for (const Span& span : {schedule.copy[tile], schedule.compute[tile]}) {
      const double x = left + unit * span.begin, wide = unit * (span.end - span.begin);
      svg.rectangle(x, row, wide, height, css_class, 2);
      svg.text(x + wide / 2, row + 17, std::to_string(tile), "kl-small", "middle");
      row += height + 4;
    }
  }
}

}  // namespace

Picture double_buffer(PictureRequest& request) {
  const int tiles = request.number("tiles", 4, 2, 8), buffers = request.number("buffers", 2, 2, 4);
  const int copy = request.number("copy", 2, 1, 6), compute = request.number("compute", 3, 1, 6);
  const Schedule one = schedule_of(tiles, 1, copy, compute);
  const Schedule several = schedule_of(tiles, buffers, copy, compute);
  const double unit = 370.0 / one.total();
  const std::string counted = "one buffer " + std::to_string(one.total()) + " units of time, " +
                              std::to_string(buffers) + " buffers " +
                              std::to_string(several.total());
  Svg svg(66 + 370 + 4, 192, "Copies that overlap with computing",
          "With " + std::to_string(buffers) +
              " buffers the next tile is copied while this one is in use: " + counted + ".");
  svg.text(0, 14, "one buffer", "kl-small kl-strong");
  draw_schedule(svg, one, 1, 24, unit);
  svg.text(0, 106, std::to_string(buffers) + " buffers", "kl-small kl-strong");
  draw_schedule(svg, several, buffers, 116, unit);
  svg.text(66, 188, "time →", "kl-small kl-quiet");
  return {svg, "Tiles by number, buffers by colour. If a copy takes " + std::to_string(copy) +
                   " units and the arithmetic of a tile " + std::to_string(compute) + ": " +
                   counted + "."};
}

}  // namespace ladder::weave
