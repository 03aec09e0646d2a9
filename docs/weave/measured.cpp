// Times and counters of a solver as tables.
#include <set>

#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

std::string provenance_html(const Measurements& measured, const Words& say) {
  const std::string device = escape(measured.device), driver = escape(measured.driver),
                    toolkit = escape(measured.toolkit), date = escape(measured.date.substr(0, 10)),
                    commit = escape(measured.commit.substr(0, 7)),
                    file = "<code>" + escape(measured.file) + "</code>";
  return "<p class=\"kl-provenance\">" +
         (commit.empty() ? say("Measured on {}, driver {}, CUDA {}, {}: {}.",
                               {device, driver, toolkit, date, file})
                         : say("Measured on {}, driver {}, CUDA {}, {}, commit {}: {}.",
                               {device, driver, toolkit, date, commit, file})) +
         "</p>\n";
}

std::string counted_html(const Sizes& at, const Words& say) {
  return "<p class=\"kl-provenance\">" +
         say("Counted by the emulator at {}, when this page was made.", {sizes_text(at, say)}) +
         "</p>\n";
}

std::string shares_text(const Timing& timing, const Words& say, const std::string& between) {
  std::string text;
  for (const Ceiling& ceiling : timing.ceilings) {
    text += (text.empty() ? "" : between) +
            say("{} of {}", {percent_text(ceiling.ratio), escape(say.name(ceiling.name))});
  }
  return text.empty() ? "–" : text;
}

namespace {

std::string intervals_html(const Timing& timing, const Words& say) {
  std::string text;
  for (const Ceiling& ceiling : timing.ceilings) {
    text += (text.empty() ? "" : "<br>") +
            say("{} to {}", {percent_text(ceiling.ratio_low), percent_text(ceiling.ratio_high)});
  }
  return text.empty() ? "–" : text;
}

}  // namespace

std::string timings_html(const Chapter& chapter, const Solver& solver, const Solver* parent) {
  const Words& say = *chapter.words;
  std::string html;
  for (const Measurements& measured : chapter.measured) {
    const auto found = measured.timings.find(solver.entry.id());
    if (found == measured.timings.end() || found->second.empty()) continue;
    HtmlTable table({say("size"), say("time"), "GB/s", "GFLOP/s", say("speed, as a share of"),
                     say("95 % interval"), say("against its parent")});
    for (const Timing& timing : found->second) {
      const Timing* before =
          parent == nullptr ? nullptr : measured.find(parent->entry.id(), timing.at);
      const double gain = before == nullptr ? 0 : before->median_us / timing.median_us;
      table.add({sizes_text(timing.at, say), time_text(timing.median_us),
                 fixed(timing.gigabytes_per_s, timing.gigabytes_per_s < 100 ? 2 : 0),
                 fixed(timing.gigaflops, timing.gigaflops < 100 ? 2 : 0),
                 shares_text(timing, say, "<br>"), intervals_html(timing, say),
                 before == nullptr ? "–" : say("{} × as fast", {fixed(gain, gain < 10 ? 2 : 0)})});
    }
    html += table.text() + provenance_html(measured, say);
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
  const Words& say = *chapter.words;
  std::vector<std::string> head = {say("counter"), say("this step"), say("ideal")};
  if (before != nullptr) head.push_back(say("its parent"));
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
  return table.text() + counted_html(counted.at, say);
}

}  // namespace ladder::weave
