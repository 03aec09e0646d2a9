// Times and counters of a solver as tables.
#include <algorithm>

#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

std::string provenance_html(const Measurements& measured, const Words& say) {
  const std::string device = escape(measured.device), driver = escape(measured.driver),
                    toolkit = escape(measured.toolkit), date = escape(measured.date.substr(0, 10)),
                    commit = escape(measured.commit.substr(0, 7)),
                    file = "<code>" + breakable(measured.file) + "</code>";
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

std::string gain_text(const Measurements& measured, const Solver& parent, const Timing& timing,
                      const Words& say) {
  const Timing* before = measured.find(parent.entry.id(), timing.at);
  if (before == nullptr) return "–";
  const double gain = before->median_us / timing.median_us;
  return say("{} × as fast", {fixed(gain, gain < 10 ? 2 : 0)});
}

const double* value_in(const Counted* of, const std::string& name) {
  if (of == nullptr) return nullptr;
  const auto value = of->counters.find(name);
  return value == of->counters.end() ? nullptr : &value->second;
}

bool is_ideal(const std::string& name) {
  return name.ends_with(".ideal");
}

// Memory's counters first: they are what most steps are about.
std::vector<std::string> counters_in_order(const Counted& counted, const Counted* before) {
  std::vector<std::string> names;
  for (const auto& [name, value] : counted.counters) {
    const double* old = value_in(before, name);
    const bool says_nothing = value == 0 && (old == nullptr || *old == 0);
    if (!is_ideal(name) && !says_nothing) names.push_back(name);
  }
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("global.") || name.starts_with("shared.");
  });
  return names;
}

}  // namespace

std::string timings_html(const Chapter& chapter, const Solver& solver, const Solver* parent) {
  const Words& say = *chapter.words;
  std::string html;
  for (const Measurements& measured : chapter.measured) {
    const auto found = measured.timings.find(solver.entry.id());
    if (found == measured.timings.end() || found->second.empty()) continue;
    // A problem that only moves data has no arithmetic to time.
    const bool computes = std::any_of(found->second.begin(), found->second.end(),
                                      [](const Timing& timing) { return timing.gigaflops > 0; });
    std::vector<std::string> head = {say("size"), say("time"), "GB/s"};
    if (computes) head.emplace_back("GFLOP/s");
    head.push_back(say("speed, as a share of"));
    head.push_back(say("95 % interval"));
    if (parent != nullptr) head.push_back(say("against its parent"));
    HtmlTable table(head, "kl-table kl-stack");
    for (const Timing& timing : found->second) {
      std::vector<std::string> cells = {sizes_text(timing.at, say), time_text(timing.median_us),
                                        rate_text(timing.gigabytes_per_s)};
      if (computes) cells.push_back(rate_text(timing.gigaflops));
      cells.push_back(shares_text(timing, say, "<br>"));
      cells.push_back(intervals_html(timing, say));
      if (parent != nullptr) cells.push_back(gain_text(measured, *parent, timing, say));
      table.add(cells);
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
  const Words& say = *chapter.words;
  std::vector<std::string> head = {say("counter"), say("this step"), say("ideal")};
  if (before != nullptr) head.push_back(say("its parent"));
  HtmlTable changed(head, "kl-table kl-counters"), same(head, "kl-table kl-counters");
  int as_before = 0;
  for (const std::string& name : counters_in_order(counted, before)) {
    const double value = counted.counters.at(name);
    const double* old = value_in(before, name);
    const double* ideal = value_in(&counted, name + ".ideal");
    std::vector<std::string> cells = {"<code>" + breakable(name) + "</code>", counter_text(value),
                                      ideal == nullptr ? "–" : counter_text(*ideal)};
    if (before != nullptr) cells.push_back(old == nullptr ? "–" : counter_text(*old));
    const bool is_same = old != nullptr && *old == value;
    as_before += is_same ? 1 : 0;
    (is_same ? same : changed).add(cells);
  }
  if (changed.empty() && same.empty()) return "";
  std::string html = changed.empty() ? "" : changed.text();
  if (!same.empty()) {
    html += "<details class=\"kl-more\"><summary>" +
            say("{} counters as in its parent", {std::to_string(as_before)}) + "</summary>\n" +
            same.text() + "</details>\n";
  }
  return html + counted_html(counted.at, say);
}

}  // namespace ladder::weave
