// Headers are complete, parents exist, a step adds one idea's worth of lines.
#include <algorithm>
#include <set>

#include "common/harness/gate_checks.hpp"
#include "common/harness/text.hpp"

namespace ladder {

namespace {

constexpr int most_changed_lines = 60;
constexpr int most_lines = 200;

std::vector<std::string> code_lines(std::string_view text) {
  std::vector<std::string> code;
  for (const std::string& line : lines_of(text)) {
    const std::string_view trimmed = trim(line);
    if (!trimmed.empty() && trimmed.rfind("//!", 0) != 0) code.emplace_back(trimmed);
  }
  return code;
}

bool has_number_of(const std::string& title, const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos) return true;
  return title.find(name.substr(digits, 2)) != std::string::npos;
}

class HeaderCheck {
 public:
  HeaderCheck(Gate& gate, const GateSolver& solver) : gate_(gate), solver_(solver) {}

  void run() {
    const SolverHeader& header = solver_.header;
    expect(!header.title.empty(),
           "the header has no title: begin with '//! # Step 01: idea {#id}'");
    switch (solver_.entry.kind) {
      case SolverKind::step:
        run_step();
        break;
      case SolverKind::solution:
        run_solution();
        break;
      case SolverKind::mutant:
        expect(header.fails.kind != Failure::Kind::none,
               "a mutant says how it fails: '@fails wrong at N=257 passes N=256'");
        expect(!header.builds_on.empty(), "a mutant says what it is a mutant of: '@builds-on ...'");
        break;
      case SolverKind::ceiling:
        expect(header.title.rfind("Ceiling: ", 0) == 0 && !header.idea.empty(),
               "a ceiling's title says what is timed: '# Ceiling: cublasSgeam {#id}'");
        expect(!header.anchor.empty(), "the title lacks its anchor '{#...}'");
        break;
      case SolverKind::program:
        expect(header.is_program(), "a whole program says '@problem whole_program'");
        break;
      default:
        break;
    }
    if (solver_.entry.kind != SolverKind::mutant) {
      expect(header.fails.kind == Failure::Kind::none, "only a mutant has '@fails'");
    }
    check_problem();
    check_parents();
    check_lines();
  }

 private:
  void expect(bool holds, const std::string& message, int line = 1) {
    gate_.log.check(holds, solver_.entry.file, line, message);
  }

  void run_step() {
    const SolverHeader& header = solver_.header;
    expect(header.title.find(':') != std::string::npos && !header.idea.empty(),
           "a step's title names its idea: '# Step 02: one atomic per block'");
    expect(has_number_of(header.title, solver_.entry.name),
           "the title '" + header.title + "' has another number than " + solver_.entry.name);
    expect(!header.anchor.empty(), "the title lacks its anchor '{#...}'");
    expect(!header.prose.empty(), "a step explains itself: '//! **Idea.** ...'");
    expect(!header.introduces.empty(), "a step says what is new: '@new ...'");
    const bool is_first = solver_.entry.name.rfind("step_01", 0) == 0;
    expect(is_first || !header.builds_on.empty() || !header.rewrites.empty(),
           "a step names its parent: '@builds-on ...' (or '@rewrites ...')");
  }

  void run_solution() {
    const SolverHeader& header = solver_.header;
    expect(
        has_number_of(header.title, solver_.entry.name) ||
            header.title.find(std::to_string(number_of(solver_.entry.name))) != std::string::npos,
        "the title '" + header.title + "' has another number than " + solver_.entry.name);
    expect(!header.anchor.empty(), "the title lacks its anchor '{#...}'");
    expect(!header.solution_prose.empty(), "the solution explains itself below '@solution'");
    expect(header.stub_fails.kind != Failure::Kind::goal || !header.goals.empty(),
           "'@stub-fails goal' without a '@goal'");
  }

  static int number_of(const std::string& name) {
    const std::size_t digits = name.find_first_of("0123456789");
    return digits == std::string::npos ? 0 : std::atoi(name.c_str() + digits);
  }

  void check_problem() {
    if (solver_.header.is_program()) return;
    const bool known = problem_of(gate_.problems, solver_.entry.chapter, solver_.header) != nullptr;
    expect(known, solver_.header.problem.empty()
                      ? "chapter " + solver_.entry.chapter + " has no problem"
                      : "no problem is named '" + solver_.header.problem + "'; did you mean '" +
                            gate_.problems.nearest(solver_.header.problem) + "'?");
  }

  void check_parents() {
    const SolverHeader& header = solver_.header;
    for (const auto* parents : {&header.builds_on, &header.rewrites}) {
      for (const std::string& name : *parents) {
        const GateSolver* parent = gate_.find(solver_.entry.chapter, name);
        std::vector<std::string> names;
        for (const GateSolver& other : gate_.solvers) {
          if (other.entry.chapter == solver_.entry.chapter) names.push_back(other.entry.name);
        }
        expect(parent != nullptr && parent != &solver_,
               "the parent '" + name + "' does not exist" + did_you_mean(name, names));
        if (parent != nullptr && parents == &header.builds_on) check_budget(*parent);
      }
    }
  }

  // An exercise may build on a step of another problem, so only steps and mutants have a budget.
  void check_budget(const GateSolver& parent) {
    const SolverKind kind = solver_.entry.kind;
    if (kind != SolverKind::step && kind != SolverKind::mutant) return;
    const int changed = changed_lines(parent.text, solver_.text);
    expect(changed <= most_changed_lines,
           std::to_string(changed) + " lines differ from " + parent.entry.name + ", more than " +
               std::to_string(most_changed_lines) + ": split the idea, or say '@rewrites'");
  }

  void check_lines() {
    const auto lines = static_cast<int>(lines_of(solver_.text).size());
    expect(lines <= most_lines, std::to_string(lines) + " lines, more than " +
                                    std::to_string(most_lines) + " for one idea");
  }

  Gate& gate_;
  const GateSolver& solver_;
};

void check_anchors(Gate& gate) {
  std::map<std::string, const GateSolver*> owners;
  for (const GateSolver& solver : gate.solvers) {
    // A stub repeats its solution's anchor: they are one page.
    const bool owns = solver.entry.kind != SolverKind::exercise && !solver.header.anchor.empty();
    if (!owns) continue;
    const auto [place, fresh] = owners.emplace(solver.header.anchor, &solver);
    gate.log.check(
        fresh, solver.entry.file, 1,
        "the anchor '" + solver.header.anchor + "' is taken by " + place->second->entry.name);
  }
}

}  // namespace

int changed_lines(std::string_view parent, std::string_view child) {
  const std::vector<std::string> before = code_lines(parent), after = code_lines(child);
  // Length of the longest common subsequence, a row at a time.
  std::vector<int> row(after.size() + 1, 0);
  for (const std::string& line : before) {
    int diagonal = 0;
    for (std::size_t j = 1; j <= after.size(); ++j) {
      const int above = row[j];
      row[j] = line == after[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]);
      diagonal = above;
    }
  }
  return static_cast<int>(std::max(before.size(), after.size())) - row.back();
}

void check_headers(Gate& gate) {
  for (const GateSolver& solver : gate.solvers) {
    if (solver.entry.kind != SolverKind::exercise) HeaderCheck(gate, solver).run();
  }
  check_anchors(gate);
}

}  // namespace ladder
