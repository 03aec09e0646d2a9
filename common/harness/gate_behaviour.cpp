// Solvers, stubs and mutants do on the emulator what their headers say, both halves of it.
#include <thread>

#include "common/harness/exercise.hpp"
#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/object_cache.hpp"
#include "common/harness/solver_target.hpp"
#include "common/harness/text.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

constexpr double hang_time_limit_s = 5;  // for what is declared to run out of time

// One thing to judge: a solver that must be right, or a file that must fail as declared.
struct Trial {
  enum class Kind { right, compiles, fails };
  Kind kind = Kind::right;
  std::string what;  // "01.02", "the stub of 01.ex1"
  fs::path file;     // what is compiled
  fs::path shown;    // where a finding points
  int line = 1;      // of the declaration
  SolverHeader header;
  const Problem* problem = nullptr;  // null: a whole program
  Failure failure;
};

int line_of_key(std::string_view text, std::string_view key) {
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.find(key) != std::string::npos) return number;
  }
  return 1;
}

// "wrong answer: expected ..." in one line that is not too long.
std::string in_short(const std::string& message) {
  std::vector<std::string> lines = lines_of(message);
  if (lines.size() > 4) lines.resize(4);
  for (std::string& line : lines) line = std::string(trim(line));
  return join(lines, "; ");
}

std::string_view name_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::none:
      return "none";
    case Failure::Kind::wrong:
      return "wrong";
    case Failure::Kind::trap:
      return "trap";
    case Failure::Kind::budget:
      return "budget";
    case Failure::Kind::goal:
      return "goal";
  }
  return "none";
}

Verdict verdict_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::trap:
      return Verdict::trapped;
    case Failure::Kind::budget:
      return Verdict::out_of_budget;
    default:
      return Verdict::wrong;
  }
}

class TrialRun {
 public:
  TrialRun(Gate& gate, const Trial& trial) : gate_(gate), trial_(trial) {}

  void run() {
    try {
      switch (trial_.kind) {
        case Trial::Kind::right:
          return run_right();
        case Trial::Kind::compiles:
          return run_compiles();
        case Trial::Kind::fails:
          return run_fails();
      }
    } catch (const Error& error) {
      if (error.verdict() == Verdict::skipped) return gate_.log.skip(error.what());
      expect(false, trial_.what + ": " + in_short(error.what()));
    } catch (const std::exception& error) {  // a thread must not end with one
      expect(false, trial_.what + ": " + error.what());
    }
  }

 private:
  SolverReport judge(const std::vector<CaseSelector>& cases, bool goals, bool claims) const {
    JudgeOptions options;
    options.own = true;
    options.goals = goals;
    options.claims = claims;
    options.cases = cases;
    if (trial_.failure.kind == Failure::Kind::budget) options.time_limit_s = hang_time_limit_s;
    if (trial_.problem == nullptr) {
      return judge_program(gate_.tree, gate_.toolkit, trial_.file, trial_.header, options);
    }
    return judge_solver(gate_.tree, gate_.toolkit, trial_.file, *trial_.problem, trial_.header,
                        options);
  }

  void expect(bool holds, const std::string& message) const {
    gate_.log.check(holds, trial_.shown, trial_.line, message);
  }

  void run_right() const {
    const SolverReport report = judge({}, true, true);
    if (report.verdict == Verdict::skipped) {
      return gate_.log.skip(trial_.what + ": " + in_short(report.message));
    }
    expect(report.verdict == Verdict::solved,
           trial_.what + " is not right: " + std::string(ladder::name_of(report.verdict)) + ", " +
               in_short(report.message));
    for (const GoalReport& goal : report.goals) {
      if (!goal.judged) continue;
      gate_.log.check(goal.met, trial_.shown, goal.relation.line,
                      "'" + goal.relation.text + "' does not hold: " + in_short(goal.message));
    }
  }

  // A ceiling calls a library, which the emulator does not run.
  void run_compiles() const {
    build_solver(gate_.tree, gate_.toolkit,
                 request_for(trial_.file, *trial_.problem, trial_.header, {}));
    gate_.log.count(1);
  }

  void run_fails() const {
    const Failure& failure = trial_.failure;
    if (failure.kind == Failure::Kind::goal) return run_misses_goal();
    if (failure.fails_at.empty()) expect_failure(judge({}, false, false), "");
    for (const CaseSelector& selector : failure.fails_at) {
      expect_failure(judge({selector}, false, false), " at " + selector.parameters.text());
    }
    for (const CaseSelector& selector : failure.passes_at) {
      expect_pass(judge({selector}, false, false), " at " + selector.parameters.text());
    }
  }

  void expect_failure(const SolverReport& report, const std::string& where) const {
    const Failure& failure = trial_.failure;
    const std::string declared =
        trial_.what + " is declared to fail (" + std::string(name_of(failure.kind)) + ")" + where;
    expect(report.verdict == verdict_of(failure.kind),
           declared + ", but: " + std::string(ladder::name_of(report.verdict)) +
               (report.message.empty() ? "" : std::string(", ") + in_short(report.message)));
    if (failure.observer.empty() || report.verdict != verdict_of(failure.kind)) return;
    expect(report.message.find(failure.observer) != std::string::npos,
           declared + ", reported by " + failure.observer + ", but: " + in_short(report.message));
  }

  void expect_pass(const SolverReport& report, const std::string& where) const {
    expect(report.verdict == Verdict::solved,
           trial_.what + " is declared to pass" + where + ", but: " +
               std::string(ladder::name_of(report.verdict)) + ", " + in_short(report.message));
  }

  void run_misses_goal() const {
    expect_pass(judge(trial_.failure.passes_at, false, false), "");
    const SolverReport report = judge({}, true, false);
    bool missed = false;
    for (const GoalReport& goal : report.goals) missed = missed || (goal.judged && !goal.met);
    expect(missed, trial_.what + " is declared to miss a goal, but: " +
                       std::string(ladder::name_of(report.verdict)) + " " +
                       in_short(report.message));
  }

  Gate& gate_;
  const Trial& trial_;
};

Trial trial_of(const Gate& gate, const GateSolver& solver) {
  Trial trial;
  trial.what = solver.entry.short_id();
  trial.file = trial.shown = solver.entry.file;
  trial.header = solver.header;
  if (!solver.header.is_program()) {
    trial.problem = problem_of(gate.problems, solver.entry.chapter, solver.header);
  }
  if (solver.entry.kind == SolverKind::ceiling) trial.kind = Trial::Kind::compiles;
  if (solver.entry.kind == SolverKind::mutant) {
    trial.kind = Trial::Kind::fails;
    trial.failure = solver.header.fails;
    trial.line = line_of_key(solver.text, "@fails");
  }
  if (solver.entry.kind == SolverKind::solution) trial.what = "the solution of " + trial.what;
  return trial;
}

// The stub as its solution gives it; what lies in exercises/ may be a learner's.
std::optional<Trial> stub_of(const Gate& gate, const GateSolver& solution) {
  Trial trial = trial_of(gate, solution);
  const fs::path folder = gate.tree.build / "stubs" / solution.entry.chapter;
  trial.file = folder / solution.entry.file.filename();
  try {
    fs::create_directories(folder);
    const std::string stub = generate_stub(solution.text, solution.entry.file.string());
    std::error_code error;
    const bool there = fs::exists(trial.file, error) && read_file(trial.file) == stub;
    if (!there) replace_file(trial.file, stub);
    trial.header = read_solver_header(trial.file);
  } catch (const UsageError&) {
    return std::nullopt;  // check_exercises has said so
  }
  trial.kind = Trial::Kind::fails;
  trial.failure = solution.header.stub_fails;
  trial.what = "the stub of " + solution.entry.short_id();
  trial.line = line_of_key(solution.text, "@stub-fails");
  return trial;
}

std::vector<Trial> trials_of(const Gate& gate) {
  std::vector<Trial> trials;
  for (const GateSolver& solver : gate.solvers) {
    if (solver.entry.kind == SolverKind::exercise) continue;
    const bool judgeable =
        solver.header.is_program() ||
        problem_of(gate.problems, solver.entry.chapter, solver.header) != nullptr;
    const bool declared =
        solver.entry.kind != SolverKind::mutant || solver.header.fails.kind != Failure::Kind::none;
    if (!judgeable || !declared) continue;  // check_headers has said so
    trials.push_back(trial_of(gate, solver));
    if (solver.entry.kind != SolverKind::solution) continue;
    if (auto stub = stub_of(gate, solver)) trials.push_back(std::move(*stub));
  }
  return trials;
}

}  // namespace

void check_behaviour(Gate& gate) {
  const fs::path emulator =
      gate.tree.build / "common/emulator" / ("libcudart.so." + std::to_string(gate.toolkit.major));
  if (!fs::exists(emulator)) {
    throw MachineError("no emulator at " + emulator.string() + ": build first, with ./ladder");
  }
  const std::vector<Trial> trials = trials_of(gate);
  const int total = static_cast<int>(trials.size());
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  int done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < trials.size(); i = next++) {
      TrialRun(gate, trials[i]).run();
      const std::lock_guard lock(reporting);
      if (gate.options.progress) gate.options.progress(++done, total, trials[i].what);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < gate.options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ladder
