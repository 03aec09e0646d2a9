// The roofline of a chapter: memory's slope, arithmetic's roof, and each step below them.
#include <algorithm>
#include <cmath>

#include "docs/weave/figures.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/svg.hpp"

namespace ladder::weave {

namespace {

constexpr double left = 62, right = 470, top = 32, bottom = 320;

struct Roof {
  std::string name;
  double gigabytes_per_s = 0;  // a slope, or
  double gigaflops = 0;        // flat
};

struct Point {
  const Solver* step;
  double intensity, gigaflops;  // operations a byte; 10^9 operations a second
};

// "copy_gb_s" and "ffma_tflops" of the results file.
std::vector<Roof> roofs_of(const Measurements& measured) {
  std::vector<Roof> roofs;
  for (const auto& [name, value] : measured.ceilings) {
    if (name.ends_with("_gb_s")) roofs.push_back({name.substr(0, name.size() - 5), value, 0});
    if (name.ends_with("_tflops")) {
      roofs.push_back({name.substr(0, name.size() - 7), 0, 1000 * value});
    }
  }
  return roofs;
}

// At the largest size for which not too many steps are missing: a first step may be too slow for
// it, but at small sizes launches decide, and this roof knows nothing of them.
std::vector<Point> points_of(const Chapter& chapter, const Measurements& measured, Sizes& at) {
  std::vector<Point> best;
  std::size_t most = 0;
  for (const Sizes& sizes : measured.sizes()) {
    std::vector<Point> points;
    for (const Solver& step : chapter.steps) {
      const Timing* timing = measured.find(step.entry.id(), sizes);
      if (timing == nullptr || timing->gigaflops <= 0 || timing->gigabytes_per_s <= 0) continue;
      points.push_back({&step, timing->gigaflops / timing->gigabytes_per_s, timing->gigaflops});
    }
    most = std::max(most, points.size());
    if (points.empty() || 2 * points.size() < most) continue;
    best = points;  // sizes() is in order
    at = sizes;
  }
  return best;
}

// Two logarithmic axes over whole decades.
struct Axes {
  double x_low, x_high, y_low, y_high;  // powers of ten

  double x(double intensity) const {
    return left + (right - left) * (std::log10(intensity) - x_low) / (x_high - x_low);
  }
  double y(double gigaflops) const {
    return bottom - (bottom - top) * (std::log10(gigaflops) - y_low) / (y_high - y_low);
  }
};

Axes axes_for(const std::vector<Point>& points, double bandwidth, double arithmetic) {
  const double ridge = arithmetic / bandwidth;
  double x_low = ridge, x_high = ridge, y_low = arithmetic;
  for (const Point& point : points) {
    x_low = std::min(x_low, point.intensity);
    x_high = std::max(x_high, point.intensity);
    y_low = std::min(y_low, point.gigaflops);
  }
  return {std::floor(std::log10(x_low / 2)), std::ceil(std::log10(x_high * 2)),
          std::floor(std::log10(y_low)), std::ceil(std::log10(arithmetic))};
}

std::string power_text(int power) {
  const double value = std::pow(10, power);
  return power < 0 ? fixed(value, -power) : count_text(value);
}

void draw_axes(Svg& svg, const Axes& axes, const Words& say) {
  for (int p = static_cast<int>(axes.x_low); p <= static_cast<int>(axes.x_high); ++p) {
    const double x = axes.x(std::pow(10, p));
    svg.line(x, top, x, bottom, "kl-grid");
    svg.text(x, bottom + 16, power_text(p), "kl-small", "middle");
  }
  for (int p = static_cast<int>(axes.y_low); p <= static_cast<int>(axes.y_high); ++p) {
    const double y = axes.y(std::pow(10, p));
    svg.line(left, y, right, y, "kl-grid");
    svg.text(left - 6, y + 4, power_text(p), "kl-small", "end");
  }
  svg.text((left + right) / 2, bottom + 36, say("operations for each byte that must move"),
           "kl-small", "middle");
  svg.text(0, top - 18, "GFLOP/s", "kl-small");
}

// A slope ends at the highest flat roof; a flat roof begins at the steepest slope.
void draw_roofs(Svg& svg, const Axes& axes, const std::vector<Roof>& roofs, double bandwidth,
                double arithmetic) {
  for (const Roof& roof : roofs) {
    if (roof.gigaflops > 0) {
      const double y = axes.y(roof.gigaflops), x = axes.x(roof.gigaflops / bandwidth);
      svg.line(x, y, right, y, "kl-ceiling");
      continue;
    }
    const double ridge = arithmetic / roof.gigabytes_per_s;
    const double lowest =
        std::max(std::pow(10, axes.x_low), std::pow(10, axes.y_low) / roof.gigabytes_per_s);
    const bool steepest = roof.gigabytes_per_s == bandwidth;
    svg.line(axes.x(lowest), axes.y(lowest * roof.gigabytes_per_s), axes.x(ridge),
             axes.y(arithmetic), steepest ? "kl-ceiling" : "kl-ceiling kl-thin");
  }
}

// Labels stand beside their points, from the fastest down, none on another.
void draw_points(Svg& svg, const Axes& axes, std::vector<Point> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.gigaflops > b.gigaflops; });
  double free = top;
  for (const Point& point : points) {
    const double x = axes.x(point.intensity), y = axes.y(point.gigaflops);
    const double label = std::max(free, y + 4);
    const bool on_left = x > (left + right) / 2;
    const double label_x = on_left ? x - 22 : x + 22;
    free = label + 15;
    svg.line(x, y, on_left ? label_x + 3 : label_x - 3, label - 4, "kl-axis");
    svg.circle(x, y, 4.5, "kl-series-1");
    svg.begin_link(point.step->page_file());
    svg.text(label_x, label, point.step->header.title, "kl-small kl-link",
             on_left ? "end" : "start");
    svg.end_link();
  }
}

}  // namespace

std::string roofline(const Chapter& chapter, const Measurements& measured) {
  Sizes at;
  const std::vector<Point> points = points_of(chapter, measured, at);
  const std::vector<Roof> roofs = roofs_of(measured);
  const Words& say = *chapter.words;
  double bandwidth = 0, arithmetic = 0;
  std::string description = say("Arithmetic speed over arithmetic intensity."), limits;
  for (const Roof& roof : roofs) {
    limits += (limits.empty() ? "" : ", ") + escape(say.name(roof.name)) + " " +
              (roof.gigaflops > 0 ? fixed(roof.gigaflops / 1000, 1) + "\u00a0TFLOP/s"
                                  : count_text(roof.gigabytes_per_s) + "\u00a0GB/s");
    bandwidth = std::max(bandwidth, roof.gigabytes_per_s);
    arithmetic = std::max(arithmetic, roof.gigaflops);
  }
  if (points.empty() || bandwidth == 0 || arithmetic == 0) return "";
  for (const Point& point : points) {
    description +=
        " " + say("{}: {} GFLOP/s at {} operations a byte.",
                  {point.step->header.title, fixed(point.gigaflops, 2), fixed(point.intensity, 3)});
  }
  const Axes axes = axes_for(points, bandwidth, arithmetic);
  Svg svg(right + 10, bottom + 44, say("The roofline"), description);
  draw_axes(svg, axes, say);
  draw_roofs(svg, axes, roofs, bandwidth, arithmetic);
  draw_points(svg, axes, points);
  return svg.figure(
      say("The roofline at {}. The slope is memory's limit and the flat part arithmetic's, as they "
          "were reached in the same run ({}). A step's place from left to right is given by its "
          "problem (each input read once, each output written once); what it can do is to rise.",
          {sizes_text(at, say), limits}));
}

}  // namespace ladder::weave
