// `ladder bench --emulator`: the emulator's own speed on plain kernels of every chapter.
#include "common/cli/bench_emulator.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "common/cli/course.hpp"
#include "common/cli/progress_line.hpp"
#include "common/harness/plain_kernels.hpp"
#include "common/harness/report.hpp"
#include "common/harness/table.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string text_of(const std::vector<EmulatorSpeed>& speeds, const ladder::Style& style) {
  std::vector<Table::Column> columns = {{"kernel", Table::Align::left, true, 9},
                                        {"at", Table::Align::left, false, 2},
                                        {"warp instr.", Table::Align::right, false, 3},
                                        {"M/s", Table::Align::right, false, 9},
                                        {"bar", Table::Align::right, false, 7},
                                        {"cycles each", Table::Align::right, false, 4}};
  for (std::size_t mode = 1; mode < std::size(emulator_modes); ++mode) {
    columns.push_back({emulator_modes[mode].name, Table::Align::right, false, 8});
  }
  columns.push_back({std::to_string(emulator_cores) + " cores", Table::Align::right, false, 8});
  Table table(columns);
  std::vector<double> ratios[std::size(emulator_modes)], speedups;
  for (const EmulatorSpeed& speed : speeds) {
    std::vector<std::string> cells = {
        speed.id,
        speed.at.text(),
        short_number(speed.warp_instructions),
        fixed(speed.millions_per_s(), 0),
        speed.least_rate > 0 ? fixed(speed.least_rate, 0) : "",
        speed.cycles_per_second > 0 ? fixed(speed.cycles_each(), 1) : ""};
    for (std::size_t mode = 1; mode < std::size(emulator_modes); ++mode) {
      cells.push_back(fixed(speed.ratio(mode), 2));
      ratios[mode].push_back(speed.ratio(mode));
    }
    cells.push_back(fixed(speed.speedup(), 2));
    speedups.push_back(speed.speedup());
    table.add(cells);
  }
  std::vector<std::string> means = {"geometric mean", "", "", "", "", ""},
                           bars = {"bar", "", "", "", "", ""};
  for (std::size_t mode = 1; mode < std::size(emulator_modes); ++mode) {
    means.push_back(fixed(geometric_mean(ratios[mode]), 2));
    bars.push_back("<= " + fixed(emulator_modes[mode].most_ratio, 2));
  }
  means.push_back(fixed(geometric_mean(speedups), 2));
  bars.push_back(">= " + fixed(least_speedup, 2));
  table.add(means);
  table.add(bars);
  return table.text(style);
}

}  // namespace

int bench_emulator(const BenchRequest& request) {
  const Course course = open_course();
  std::vector<EmulatorWork> work = emulator_work(course.tree);
  if (!request.targets.empty()) {
    std::vector<std::string> names;
    for (const EmulatorWork& one : work) names.push_back(one.id);
    std::vector<EmulatorWork> chosen;
    for (const std::string& id : request.targets) {
      const auto found = std::find(names.begin(), names.end(), id);
      if (found == names.end())
        throw UsageError("no kernel '" + id + "' to measure the emulator with" +
                         did_you_mean(id, names));
      chosen.push_back(work[static_cast<std::size_t>(found - names.begin())]);
    }
    work = chosen;
  }
  Running running = request;
  running.on = "emulator";
  const Choice choice = choose_backends(running, course.toolkit);
  const JudgeOptions options = judge_options(running, choice);
  std::vector<EmulatorSpeed> speeds;
  {
    ProgressLine line(static_cast<int>(work.size()));
    for (std::size_t i = 0; i < work.size(); ++i) {
      line.show(static_cast<int>(i), "measuring " + work[i].id);
      speeds.push_back(measure_emulator(course.tree, course.toolkit, work[i], options));
      line.finished(static_cast<int>(i), "measured " + work[i].id);
    }
  }
  if (request.json) {
    std::fputs(to_json(speeds, facts_of(course, choice)).c_str(), stdout);
    return 0;
  }
  std::printf(
      "executed PTX instructions of whole warps; M/s on one core, observers off; then the time "
      "with\n"
      "observers on as a multiple of that, and the speed on %d cores\n\n",
      emulator_cores);
  std::fputs(text_of(speeds, ladder::Style::of_stdout()).c_str(), stdout);
  return 0;
}

}  // namespace ladder::cli
