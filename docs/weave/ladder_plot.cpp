#include <algorithm>
#include <cmath>

#include "docs/weave/figures.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/svg.hpp"

namespace ladder::weave {

namespace {

constexpr double left = 24, right = 470, top = 44, row_height = 46;
// One look for each size; a third and further sizes repeat them.
constexpr const char* marks[] = {"kl-series-1", "kl-series-2", "kl-series-3", "kl-series-4"};

// "2²⁸": pictures have no <sup>.
std::string power_of_two(int exponent) {
  constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "2";
  for (const char digit : std::to_string(exponent)) text += raised[digit - '0'];
  return text;
}

std::string plain_sizes(const Sizes& sizes, const Words& say) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    const int exponent = shown_as_power_of_two(value);
    text += (text.empty() ? "" : ", ") + name + " = " +
            (exponent > 0 ? power_of_two(exponent) : say.name(size_text(value)));
  }
  return text;
}

struct Plot {
  const Chapter& chapter;
  const Measurements& measured;
  std::vector<Sizes> sizes;
  double lowest = 1, highest = 1;

  double x(double ratio) const {
    const double low = std::floor(std::log10(lowest)), high = std::log10(highest) + 0.08;
    return left + (right - left) * (std::log10(ratio) - low) / (high - low);
  }
};

Plot survey(const Chapter& chapter, const Measurements& measured) {
  Plot plot{chapter, measured, {}, 1, 1};
  for (const Solver& step : chapter.steps) {
    const auto found = measured.timings.find(step.entry.id());
    if (found == measured.timings.end()) continue;
    for (const Timing& timing : found->second) {
      if (timing.ceilings.empty() || timing.ceilings.front().ratio <= 0) continue;
      plot.lowest = std::min(plot.lowest, timing.ceilings.front().ratio);
      plot.highest = std::max(plot.highest, timing.ceilings.front().ratio);
      if (std::find(plot.sizes.begin(), plot.sizes.end(), timing.at) == plot.sizes.end()) {
        plot.sizes.push_back(timing.at);
      }
    }
  }
  if (plot.lowest == 1) plot.lowest = 0.5;
  std::stable_sort(plot.sizes.begin(), plot.sizes.end(),
                   [](const Sizes& a, const Sizes& b) { return volume(a) < volume(b); });
  return plot;
}

void draw_mark(Svg& svg, std::size_t series, double x, double y) {
  const std::string css_class = marks[series % std::size(marks)];
  if (series % 2 == 0) {
    svg.circle(x, y, 4.5, css_class);
  } else {
    svg.rectangle(x - 4, y - 4, 8, 8, css_class);
  }
}

void draw_axis(Svg& svg, const Plot& plot, double bottom) {
  const int low = static_cast<int>(std::floor(std::log10(plot.lowest)));
  const auto mark = [&](double ratio, int decimals) {
    svg.line(plot.x(ratio), top, plot.x(ratio), bottom, ratio == 1 ? "kl-ceiling" : "kl-grid");
    svg.text(plot.x(ratio), bottom + 16, fixed(100 * ratio, decimals) + " %", "kl-small", "middle");
  };
  for (int power = low; power <= 0; ++power) {
    mark(std::pow(10.0, power), std::max(0, -power - 2));
  }
  if (low == -1) {  // one decade: there is room for more
    mark(0.2, 0);
    mark(0.5, 0);
  }
}

}  // namespace

std::string ladder_plot(const Chapter& chapter, const Measurements& measured) {
  const Plot plot = survey(chapter, measured);
  if (plot.sizes.empty()) return "";
  const Words& say = *chapter.words;
  std::string ceiling, description = say("Speed as a share of the ceiling, logarithmic.");
  const double bottom = top + row_height * static_cast<double>(chapter.steps.size());
  Svg svg(right + 10, bottom + 28, say("The ladder's speeds"), [&] {
    for (const Solver& step : chapter.steps) {
      for (const Sizes& at : plot.sizes) {
        const Timing* timing = measured.find(step.entry.id(), at);
        if (timing == nullptr || timing->ceilings.empty()) continue;
        ceiling = timing->ceilings.front().name;
        description += " " + step.header.title + ", " + plain_sizes(at, say) + ": " +
                       percent_text(timing->ceilings.front().ratio) + ".";
      }
    }
    return description;
  }());
  draw_axis(svg, plot, bottom);
  svg.text(plot.x(1), top - 8, say("ceiling: {}", {say.name(ceiling)}), "kl-small", "end");
  double legend = left;
  for (std::size_t s = 0; s < plot.sizes.size(); ++s) {
    draw_mark(svg, s, legend, 12);
    const std::string name = plain_sizes(plot.sizes[s], say);
    svg.text(legend + 10, 16, name, "kl-small");
    legend += 30 + text_width(name, 14);
  }
  double y = top;
  for (const Solver& step : chapter.steps) {
    svg.begin_link(step.page_file());
    svg.text(left, y + 17, step.header.title, "kl-link kl-small");
    svg.end_link();
    svg.line(left, y + 31, plot.x(1), y + 31, "kl-grid");
    std::string values;
    for (std::size_t s = 0; s < plot.sizes.size(); ++s) {
      const Timing* timing = measured.find(step.entry.id(), plot.sizes[s]);
      if (timing == nullptr || timing->ceilings.empty()) continue;
      const double ratio = timing->ceilings.front().ratio;
      // One above the other, so that none hides another.
      const double apart =
          static_cast<double>(s) - 0.5 * static_cast<double>(plot.sizes.size() - 1);
      draw_mark(svg, s, plot.x(ratio), y + 31 + 8 * apart);
      values += (values.empty() ? "" : ", ") +
                (ratio < 1 ? percent_text(ratio) : fixed(100 * ratio, 0) + "\u00a0%");
    }
    // Where steps are far above the ceiling there is no room ahead of its line, which then goes
    // behind the values.
    const double end = plot.x(1) > right - 60 ? plot.x(1) - 8 : right;
    svg.text(end, y + 17, values, "kl-small kl-halo", "end");
    y += row_height;
  }
  return svg.figure(
      say("Each step's speed against the ceiling. The scale is logarithmic; the heavy line is the "
          "ceiling, measured in the same run."));
}

}  // namespace ladder::weave
