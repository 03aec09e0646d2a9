// The text of reports: what a terminal shows.
#include "common/harness/report.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "common/harness/table.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {
namespace {

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::solved:
      return Colour::green;
    case Verdict::skipped:
      return Colour::yellow;
    default:
      return Colour::red;
  }
}

double counter(const SolverReport& report, const char* name) {
  const auto found = report.counters.find(name);
  return found == report.counters.end() ? 0 : found->second;
}

double memory_requests(const SolverReport& report) {
  return counter(report, "global.load.requests") + counter(report, "global.store.requests") +
         counter(report, "global.atomic.requests");
}

double memory_sectors(const SolverReport& report) {
  return counter(report, "global.load.sectors") + counter(report, "global.store.sectors") +
         counter(report, "global.atomic.sectors");
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Three digits where there are fewer before the point: 4393, 80.1, 0.27.
std::string short_figure(double value) {
  return number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

// "02" of "01_vector_add.step_02_one_block", "ex1", or the name itself.
std::string rung_of(const std::string& id) {
  const std::size_t dot = id.rfind('.');
  const std::string name = dot == std::string::npos ? id : id.substr(dot + 1);
  if (name.rfind("step_", 0) == 0 && name.size() >= 7) return name.substr(5, 2);
  if (name.rfind("ex_", 0) == 0 && name.size() >= 5)
    return "ex" + std::to_string(std::atoi(name.c_str() + 3));
  return name;
}

// The timings of one solver: a solver may be timed at several sizes.
std::vector<const BenchEntry*> timings_of(const BenchReport* bench, const std::string& id) {
  std::vector<const BenchEntry*> found;
  if (bench)
    for (const BenchEntry& entry : bench->entries)
      if (entry.id == id) found.push_back(&entry);
  return found;
}

// Each line of `text`, indented.
std::string indented(const std::string& text, int columns) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += std::string(static_cast<std::size_t>(columns), ' ') + line + "\n";
  return result;
}

bool missed(const GoalReport& goal) {
  return goal.judged && !goal.met;
}

constexpr auto answered_right = [](const auto& one) { return one.verdict == Verdict::solved; };

// Every answer is right, but it was not reached as the exercise asks.
bool only_goals_missed(const SolverReport& report) {
  return report.verdict == Verdict::wrong && report.message.rfind("goal missed", 0) == 0 &&
         std::any_of(report.goals.begin(), report.goals.end(), missed) &&
         std::all_of(report.goals.begin(), report.goals.end(), answered_right) &&
         std::all_of(report.cases.begin(), report.cases.end(), answered_right);
}

// A missed goal's message repeats what was wanted; what follows its first line is told before.
std::string goal_lines(const SolverReport& report, const Style& style) {
  std::string text;
  for (const GoalReport& goal : report.goals) {
    const char* word = !goal.judged ? "not judged" : goal.met ? "met" : "missed";
    const Colour colour = !goal.judged ? Colour::yellow : goal.met ? Colour::green : Colour::red;
    text += "  goal " + coloured(word, colour, style) + ": " +
            (missed(goal) && !goal.message.empty() ? goal.message.substr(0, goal.message.find('\n'))
                                                   : goal.relation.text) +
            "\n";
    if (!goal.judged && !goal.message.empty()) text += indented(goal.message, 4);
  }
  return text;
}

}  // namespace

std::string headline(const SolverReport& report) {
  return only_goals_missed(report) ? "goal missed" : std::string(name_of(report.verdict));
}

Style Style::of_stdout() {
  Style style;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  style.colour = terminal && !(no_colour && *no_colour) && term && std::strcmp(term, "dumb") != 0;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    style.unicode = std::strstr(value, "UTF-8") || std::strstr(value, "utf8");
    break;
  }
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
  else if (!terminal)
    style.width = 120;
  return style;
}

std::string to_text(const SolverReport& report, const Style& style) {
  const std::string verdict = headline(report);
  std::string text = coloured(report.id, Colour::bold, style) + ": " +
                     coloured(verdict, colour_of(report.verdict), style);
  const auto cases = std::count_if(report.cases.begin(), report.cases.end(), answered_right);
  if (report.verdict == Verdict::solved && cases > 0)
    text += " (" + std::to_string(cases) + (cases == 1 ? " case)" : " cases)");
  const bool only_goals = only_goals_missed(report);
  if (only_goals) text += ", though every answer is right";
  text += "\n";
  if (!report.message.empty() && !only_goals) text += indented(report.message, 2);
  text += goal_lines(report, style);
  for (const std::string& note : report.notes) text += "  note: " + note + "\n";
  return text;
}

std::string to_text(const BenchReport& report, const Style& style) {
  Table table({{"solver", Table::Align::left, true, 9},
               {"at", Table::Align::left, false, 6},
               {"verdict", Table::Align::left, false, 9},
               {"median us", Table::Align::right, false, 7},
               {"95 %", Table::Align::right, false, 2},
               {"GB/s", Table::Align::right, false, 5},
               {"GFLOP/s", Table::Align::right, false, 1},
               {"ceiling", Table::Align::left, false, 3},
               {"x ceiling", Table::Align::right, false, 8}});
  std::string messages;
  for (const BenchEntry& entry : report.entries) {
    const Timing& time = entry.timing;
    const bool timed = time.samples > 0;
    const std::string interval =
        timed ? number(time.low_us, 1) + ".." + number(time.high_us, 1) : "";
    std::string ceilings, ratios;
    for (const Ceiling& ceiling : entry.ceilings) {
      const std::string comma = ceilings.empty() ? "" : ", ";
      ceilings += comma + ceiling.name;
      ratios += comma + number(ceiling.ratio, 3);
    }
    table.add({entry.id, entry.at.text(), std::string(name_of(entry.verdict)),
               timed ? number(time.median_us, 1) : "", interval,
               entry.gigabytes_per_s > 0 ? number(entry.gigabytes_per_s, 0) : "",
               entry.gigaflops > 0 ? number(entry.gigaflops, 0) : "", ceilings, ratios},
              {Colour::none, Colour::none, colour_of(entry.verdict)});
    if (!entry.message.empty()) messages += entry.id + "\n" + indented(entry.message, 2);
  }
  std::string text = report.device.name + "\n\n" + table.text(style);
  if (!messages.empty()) text += "\n" + messages;
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

std::string computed_table(const std::vector<SolverReport>& reports, const std::vector<Cost>& costs,
                           const Roofline& roofline, const Style& style) {
  constexpr double sector_bytes = 32;
  Table table({{"step", Table::Align::left, false, 9},
               {"idea", Table::Align::left, true, 2},
               {"verdict", Table::Align::left, false, 8},
               {"bytes moved", Table::Align::right, false, 6},
               {"x compulsory", Table::Align::right, false, 7},
               {"at least us", Table::Align::right, false, 5},
               {"bound by", Table::Align::left, false, 4},
               {"at", Table::Align::left, false, 3}});
  std::string messages;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const SolverReport& report = reports[i];
    const double moved = sector_bytes * memory_sectors(report);
    const double memory_us = moved / roofline.gigabytes_per_s * 1e-3;
    const double arithmetic_us = costs[i].flops / roofline.tflops * 1e-6;
    const bool counted = !report.counters.empty();
    table.add(
        {rung_of(report.id), report.idea, headline(report), counted ? short_number(moved) : "",
         counted && costs[i].bytes > 0 ? number(moved / costs[i].bytes, 2) : "",
         counted ? number(std::max(memory_us, arithmetic_us), 2) : "",
         counted ? (memory_us >= arithmetic_us ? "memory" : "arithmetic") : "",
         counted ? report.counted_at.text() : ""},
        {Colour::bold, Colour::none, colour_of(report.verdict)});
    if (report.verdict != Verdict::solved && !report.message.empty())
      messages += "\n" + report.id + "\n" + indented(report.message, 2);
  }
  return table.text(style) + "\ncomputed, not measured: from sectors counted on the emulator, at " +
         number(roofline.gigabytes_per_s, 0) + " GB/s and " + number(roofline.tflops, 0) +
         " TFLOP/s (data sheet of an " + roofline.device +
         ").\nA GPU's caches may serve some of these bytes. To time the steps, run this where " +
         "there is a GPU.\n" + messages;
}

std::string ladder_table(const std::vector<SolverReport>& reports, const BenchReport* bench,
                         const Style& style) {
  Table table({{"step", Table::Align::left, false, 9},
               {"idea", Table::Align::left, true, 8},
               {"verdict", Table::Align::left, false, 9},
               {"warp instr.", Table::Align::right, false, 4},
               {"requests", Table::Align::right, false, 5},
               {"sectors each", Table::Align::right, false, 3},
               {"counted at", Table::Align::left, false, 2},
               {"GB/s", Table::Align::right, false, 7},
               {"% of ceiling", Table::Align::right, false, 6},
               {"timed at", Table::Align::left, false, 1}});
  std::string messages;
  for (const SolverReport& report : reports) {
    const bool counted = !report.counters.empty();
    const double requests = memory_requests(report);
    std::string speed, share, timed_at;
    for (const BenchEntry* entry : timings_of(bench, report.id)) {
      if (entry->gigabytes_per_s <= 0) continue;
      speed = short_figure(entry->gigabytes_per_s);
      if (!entry->ceilings.empty())
        share = short_figure(100 * entry->ceilings.front().ratio) + " %";
      timed_at = entry->at.text();
    }
    const double instructions = counter(report, "instructions.warp");
    table.add({rung_of(report.id), report.idea, headline(report),
               instructions > 0 ? short_number(instructions) : "",
               requests > 0 ? short_number(requests) : "",
               requests > 0 ? number(memory_sectors(report) / requests, 1) : "",
               counted ? report.counted_at.text() : "", speed, share, timed_at},
              {Colour::bold, Colour::none, colour_of(report.verdict)});
    if (report.verdict != Verdict::solved && !report.message.empty())
      messages += "\n" + report.id + "\n" + indented(report.message, 2);
    for (const std::string& note : report.notes)
      messages += "\n" + report.id + "\n  note: " + note + "\n";
  }
  return table.text(style) + messages;
}

void add_findings(std::vector<SolverReport>& reports, const BenchReport& timed) {
  for (SolverReport& report : reports) {
    for (const BenchEntry* entry : timings_of(&timed, report.id)) {
      if (entry->verdict == Verdict::solved) continue;
      if (entry->verdict == Verdict::skipped) {
        report.notes.push_back("not timed at " + entry->at.text() + ": " + entry->message);
        continue;
      }
      report.verdict = worst(report.verdict, entry->verdict);
      if (report.message.empty()) report.message = "while it was timed\n" + entry->message;
    }
  }
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace ladder
