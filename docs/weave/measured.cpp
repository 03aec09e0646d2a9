// Times and counters of a solver as tables.
#include <set>

#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

std::string provenance_html(const Measurements& measured) {
  std::string html = "<p class=\"kl-provenance\">Measured on " + escape(measured.device) +
                     ", driver " + escape(measured.driver) + ", CUDA " + escape(measured.toolkit) +
                     ", " + escape(measured.date.substr(0, 10));
  if (!measured.commit.empty()) html += ", commit " + escape(measured.commit.substr(0, 7));
  return html + ": <code>" + escape(measured.file) + "</code>.</p>\n";
}

std::string shares_text(const Timing& timing, const std::string& between) {
  std::string text;
  for (const Ceiling& ceiling : timing.ceilings) {
    text +=
        (text.empty() ? "" : between) + percent_text(ceiling.ratio) + " of " + escape(ceiling.name);
  }
  return text.empty() ? "–" : text;
}

namespace {

std::string intervals_html(const Timing& timing) {
  std::string text;
  for (const Ceiling& ceiling : timing.ceilings) {
    text += (text.empty() ? "" : "<br>") + percent_text(ceiling.ratio_low) + " to " +
            percent_text(ceiling.ratio_high);
  }
  return text.empty() ? "–" : text;
}

}  // namespace

std::string timings_html(const Chapter& chapter, const Solver& solver, const Solver* parent) {
  std::string html;
  for (const Measurements& measured : chapter.measured) {
    const auto found = measured.timings.find(solver.entry.id());
    if (found == measured.timings.end() || found->second.empty()) continue;
    HtmlTable table({"size", "time", "GB/s", "GFLOP/s", "speed, as a share of", "95 % interval",
                     "against its parent"});
    for (const Timing& timing : found->second) {
      const Timing* before =
          parent == nullptr ? nullptr : measured.find(parent->entry.id(), timing.at);
      table.add({sizes_text(timing.at), time_text(timing.median_us),
                 fixed(timing.gigabytes_per_s, timing.gigabytes_per_s < 100 ? 2 : 0),
                 fixed(timing.gigaflops, timing.gigaflops < 100 ? 2 : 0),
                 shares_text(timing, "<br>"), intervals_html(timing),
                 before == nullptr ? "–"
                                   : fixed(before->median_us / timing.median_us,
                                           before->median_us / timing.median_us < 10 ? 2 : 0) +
                                         " × as fast"});
    }
    html += table.text() + provenance_html(measured);
  }
  return html;
}

std::string counters_html(const Chapter& chapter, const Solver& solver, const Solver* parent) {
  const auto found = chapter.counters.find(solver.entry.id());
  if (found == chapter.counters.end() || found->second.counters.empty()) return "";
  const Counted& counted = found->second;
  const auto before_found =
      parent == nullptr ? chapter.counters.end() : chapter.counters.find(parent->entry.id());
  const Counted* before = before_found == chapter.counters.end() ? nullptr : &before_found->second;
  const auto value_in = [](const Counted* of, const std::string& name) -> const double* {
    if (of == nullptr) return nullptr;
    const auto value = of->counters.find(name);
    return value == of->counters.end() ? nullptr : &value->second;
  };
  std::vector<std::string> head = {"counter", "this step", "ideal"};
  if (before != nullptr) head.emplace_back("its parent");
  HtmlTable table(head);
  for (const auto& [name, value] : counted.counters) {
    const double* old = value_in(before, name);
    const bool is_ideal = name.size() > 6 && name.rfind(".ideal") == name.size() - 6;
    if (is_ideal || (value == 0 && (old == nullptr || *old == 0))) continue;
    const double* ideal = value_in(&counted, name + ".ideal");
    std::vector<std::string> cells = {"<code>" + escape(name) + "</code>", count_text(value),
                                      ideal == nullptr ? "–" : count_text(*ideal)};
    if (before != nullptr) cells.push_back(old == nullptr ? "–" : count_text(*old));
    table.add(cells);
  }
  if (table.empty()) return "";
  return table.text() + "<p class=\"kl-provenance\">Counted by the emulator at " +
         sizes_text(counted.at) + ", when this page was made.</p>\n";
}

}  // namespace ladder::weave
