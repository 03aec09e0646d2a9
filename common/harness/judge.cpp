#include "common/harness/judge.hpp"

#include <algorithm>

#include "common/harness/bench_run.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/judge_backend.hpp"
#include "common/harness/judge_goals.hpp"
#include "common/harness/solver_target.hpp"

namespace ladder {
namespace {

struct Target {
  const Tree& tree;
  const Toolkit& toolkit;
  const std::filesystem::path& file;
  const Problem& problem;
  const SolverHeader& header;
  const JudgeOptions& options;
};

// The file as a reader of the course knows it.
std::string shown(const Target& target) {
  const auto relative = target.file.lexically_relative(target.tree.source);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.string() : target.file.string();
}

// Opens the backend's runtime alone: what device is there, or why there is none.
struct Probe {
  Outcome outcome;
  protocol::Device device{};
};
Probe probe(const Target& target, Backend backend) {
  const WorkerOptions options =
      worker_options(target.tree, target.toolkit, backend, target.options);
  WorkerProcess worker(options);
  Probe result;
  result.outcome = outcome_of(worker.opened(), During::load, target.problem, options);
  if (result.outcome.verdict == Verdict::solved) result.device = worker.opened().reply->device;
  return result;
}

// A solver that a goal compares with: "step_05" of the same chapter.
struct Rival {
  CatalogEntry entry;
  SolverHeader header;
};
Rival find_rival(const Target& target, const Relation& relation) {
  const Catalog catalog(target.tree);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.chapter != target.problem.chapter || entry.kind == SolverKind::exercise) continue;
    if (entry.name == relation.reference || entry.name.starts_with(relation.reference + "_"))
      return {entry, read_solver_header(entry.file)};
    names.push_back(entry.name);
  }
  throw UsageError(shown(target) + ":" + std::to_string(relation.line) + ": no solver '" +
                   relation.reference + "' in " + target.problem.chapter + " to compare with");
}

// Counters of another solver at the same sizes.
Counters count_rival(const Target& target, const Relation& relation, const Parameters& at) {
  const Rival rival = find_rival(target, relation);
  const BuildResult built =
      build_solver(target.tree, target.toolkit,
                   request_for(rival.entry.file, target.problem, rival.header, target.options));
  SolverRun run(target.problem, built.object,
                worker_options(target.tree, target.toolkit, Backend::emulator, target.options));
  SolverReport unused;
  BackendJudge judge(target.problem, rival.header, target.options, Backend::emulator, run, unused);
  Counters counters;
  const Outcome outcome = judge.count(at, counters);
  if (outcome.verdict != Verdict::solved)
    throw MachineError(rival.entry.id() + ", which a goal compares with, fails at " + at.text() +
                       "\n" + outcome.message);
  return counters;
}

// The solver itself failed at the goal's size.
GoalReport failed_goal(const Relation& relation, Verdict verdict, const std::string& message) {
  if (verdict == Verdict::skipped) return {relation, false, false, "not judged: " + message};
  return {relation, true, false, message, verdict};
}

GoalReport judge_counter_goal(const Target& target, const Relation& relation, BackendJudge& judge) {
  const std::string file = shown(target);
  const bool of_repeats = relation.metric == "differing_repeats";
  if (of_repeats && !judge.differing_repeats())
    return {relation, false, false, "not judged: the calls were not repeated"};
  const auto at = relation.at ? relation.at : counting_size(target.problem, target.header);
  if (!at) throw UsageError(file + ": no size at which a goal can be judged");
  Counters counters;
  const Outcome outcome = judge.count(*at, counters);
  if (outcome.verdict != Verdict::solved)
    return failed_goal(relation, outcome.verdict,
                       std::string(name_of(outcome.verdict)) + ": " + target.problem.name + ", " +
                           at->text() + "\n" + outcome.message);
  if (of_repeats) counters["differing_repeats"] = *judge.differing_repeats();
  const double value = metric_value(counters, relation, file);
  double wanted = relation.factor.value_or(1);
  if (relation.reference == "ideal")
    wanted *= ideal_value(counters, relation, file);
  else if (!relation.reference.empty())
    wanted *= metric_value(count_rival(target, relation, *at), relation, file);
  return judge_relation(relation, value, wanted, "", *at);
}

// Times this solver against another, interleaved, on the GPU.
GoalReport judge_time_goal(const Target& target, const Relation& relation) {
  const auto sizes = target.problem.sizes(Tier::bench);
  const auto at = relation.at ? relation.at : std::optional(sizes.at(0));
  std::vector<BenchSubject> subjects = {{"this", target.file, target.header}};
  if (!relation.reference.empty()) {
    const Rival rival = find_rival(target, relation);
    subjects.push_back({rival.entry.id(), rival.entry.file, rival.header});
  }
  const std::vector<TimedSubject> timed =
      time_subjects(target.tree, target.toolkit, target.problem, subjects, *at, target.options);
  if (timed[0].verdict != Verdict::solved)
    return failed_goal(relation, timed[0].verdict, timed[0].message);
  double wanted = relation.factor.value_or(1);
  if (timed.size() > 1) {
    if (timed[1].verdict != Verdict::solved)
      throw MachineError(timed[1].id + ", which a goal compares with, cannot be timed\n" +
                         timed[1].message);
    wanted *= timed[1].timing.median_us;
  }
  return judge_relation(relation, timed[0].timing.median_us, wanted, " us", *at);
}

Verdict judge_goals(const Target& target, const std::vector<Relation>& relations, Backend backend,
                    BackendJudge& judge, SolverReport& report) {
  Verdict verdict = Verdict::solved;
  for (const Relation& relation : relations) {
    const bool time = relation.metric == "time";
    GoalReport goal;
    if (time && backend == Backend::gpu)
      goal = judge_time_goal(target, relation);
    else if (!time && backend == Backend::emulator)
      goal = judge_counter_goal(target, relation, judge);
    else if (time && !asks_for(target.options, Backend::gpu))
      goal = {relation, false, false, "not judged: time needs a GPU"};
    else if (!time && !asks_for(target.options, Backend::emulator))
      goal = {relation, false, false, "not judged: counters need the emulator"};
    else
      continue;  // the other backend's
    if (goal.judged && !goal.met) {
      const bool failed = goal.verdict != Verdict::solved;
      const std::string place = shown(target) + ":" + std::to_string(relation.line);
      verdict = worst(verdict, failed ? goal.verdict : Verdict::wrong);
      if (report.message.empty())
        report.message =
            failed ? goal.message + "\n  at the size of the goal at " + place
                   : "goal missed: " + target.problem.name + "\n  " + goal.message + "\n  " + place;
    }
    report.goals.push_back(std::move(goal));
  }
  return verdict;
}

Verdict judge_on(const Target& target, Backend backend, const BuildResult& built,
                 SolverReport& report) {
  SolverRun run(target.problem, built.object,
                worker_options(target.tree, target.toolkit, backend, target.options));
  BackendJudge judge(target.problem, target.header, target.options, backend, run, report);
  Verdict verdict = judge.judge_cases();
  const bool by_hand = !target.options.cases.empty();
  if (verdict == Verdict::solved && !by_hand) verdict = judge.judge_repeats();
  if (verdict != Verdict::solved) return verdict;
  if (backend == Backend::emulator && !by_hand) {
    if (const auto at = counting_size(target.problem, target.header)) {
      const Outcome outcome = judge.count(*at, report.counters);
      if (outcome.verdict == Verdict::solved) report.counted_at = *at;
    }
  }
  if (target.options.goals)
    verdict = worst(verdict, judge_goals(target, target.header.goals, backend, judge, report));
  if (target.options.claims)
    verdict = worst(verdict, judge_goals(target, target.header.claims, backend, judge, report));
  const std::string printed = run.take_printed();
  if (!printed.empty()) report.notes.push_back(printed);
  return verdict;
}

}  // namespace

std::string_view name_of(Backend backend) {
  return backend == Backend::emulator ? "emulator" : "gpu";
}

bool asks_for(const JudgeOptions& options, Backend backend) {
  return std::find(options.backends.begin(), options.backends.end(), backend) !=
         options.backends.end();
}

SolverReport judge_solver(const Tree& tree, const Toolkit& toolkit,
                          const std::filesystem::path& file, const Problem& problem,
                          const SolverHeader& header, const JudgeOptions& options) {
  const Target target{tree, toolkit, file, problem, header, options};
  SolverReport report;
  report.id = file.string();
  report.file = file.string();
  report.problem = problem.name;
  report.idea = header.idea;
  report.verdict = Verdict::skipped;
  for (const CaseSelector& wanted : options.cases)  // refuses them before anything is built
    cases_at(problem, wanted, options.seed);

  // A GPU's architecture is compiled for in the same pass as the emulator's PTX.
  std::optional<Probe> gpu;
  std::optional<int> sass;
  if (asks_for(options, Backend::gpu)) {
    gpu = probe(target, Backend::gpu);
    if (gpu->outcome.verdict == Verdict::solved) sass = gpu->device.major * 10 + gpu->device.minor;
  }

  std::optional<BuildResult> built;
  for (const Backend backend : options.backends) {
    if (backend == Backend::gpu && !sass) {
      report.notes.push_back(std::string(name_of(backend)) + ": skipped\n" + gpu->outcome.message);
      continue;
    }
    const std::string reason =
        unfit(header, backend == Backend::gpu ? limits_of(gpu->device) : DeviceLimits());
    if (!reason.empty()) {
      report.notes.push_back(std::string(name_of(backend)) + ": skipped, " + reason);
      continue;
    }
    if (!built) {
      try {
        built = build_solver(tree, toolkit, request_for(file, problem, header, options, sass));
      } catch (const CompileError& error) {
        report.verdict = Verdict::not_compiled;
        report.message = error.what();
        return report;
      }
    }
    report.verdict = worst(report.verdict, judge_on(target, backend, *built, report));
  }
  if (report.verdict == Verdict::skipped && report.message.empty() && !report.notes.empty())
    report.message = report.notes.front();
  return report;
}

}  // namespace ladder
