// `ladder bench --emulator`: the emulator's own speed on plain kernels of every chapter.
#include "common/cli/bench_emulator.hpp"

#include <algorithm>
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/cli/progress_line.hpp"
#include "common/harness/plain_kernels.hpp"
#include "common/harness/report.hpp"
#include "common/harness/table.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

std::string text_of(const std::vector<EmulatorSpeed>& speeds, const ladder::Style& style) {
  Table table({{"kernel", Table::Align::left, true, 9},
               {"at", Table::Align::left, false, 2},
               {"warp instr.", Table::Align::right, false, 4},
               {"seconds", Table::Align::right, false, 3},
               {"M/s", Table::Align::right, false, 9},
               {"cycles each", Table::Align::right, false, 5}});
  for (const EmulatorSpeed& speed : speeds) {
    char seconds[32], rate[32], cycles[32] = "";
    std::snprintf(seconds, sizeof seconds, "%.4f", speed.seconds);
    std::snprintf(rate, sizeof rate, "%.0f", speed.millions_per_s);
    if (speed.cycles_each > 0) std::snprintf(cycles, sizeof cycles, "%.1f", speed.cycles_each);
    table.add(
        {speed.id, speed.at.text(), short_number(speed.warp_instructions), seconds, rate, cycles});
  }
  return table.text(style);
}

}  // namespace

int bench_emulator(const BenchRequest& request) {
  const Course course = open_course();
  std::vector<EmulatorWork> work = emulator_work(course.tree);
  if (!request.ids.empty()) {
    std::vector<std::string> names;
    for (const EmulatorWork& one : work) names.push_back(one.id);
    std::vector<EmulatorWork> chosen;
    for (const std::string& id : request.ids) {
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
  std::printf("one core, memory checked; executed PTX instructions of whole warps\n\n");
  std::fputs(text_of(speeds, ladder::Style::of_stdout()).c_str(), stdout);
  return 0;
}

}  // namespace ladder::cli
