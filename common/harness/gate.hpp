// The gate: everything that must hold before a change to the course is taken. `ladder dev check`
// prints what this finds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/harness/builder.hpp"
#include "common/harness/catalog.hpp"
#include "common/harness/problem.hpp"

namespace ladder {

struct GateFinding {
  std::string file;  // relative to the source tree
  int line = 0;      // 0: the whole file
  std::string message;
  std::string text() const;  // "chapters/01_x/step_02.cu:3: ..."
};

struct GateOptions {
  std::vector<std::string> chapters;  // empty: all
  std::vector<std::string> ids;       // only these solvers; empty: all
  bool files = true;                  // headers, lists, stubs, sheets, links, formatting
  bool behaviour = true;              // compile and run solvers, stubs and mutants
  int jobs = 2;                       // solvers judged at a time
  // Called from several threads, never at once.
  std::function<void(int done, int total, const std::string& what)> progress;
};

struct GateReport {
  std::vector<GateFinding> findings;  // by file and line
  int checks = 0;                     // how many things were looked at; findings are of these
  std::vector<std::string> skipped;   // "clang-format 14 is not installed"
};

// Headers, parents, budgets, sheets, stubs, stray and left-over files, formatting, links, results;
// then, on the emulator, that steps and solutions are right with their claims and goals, and that
// stubs and mutants fail as they declare. Throws MachineError only for what the machine lacks.
GateReport run_gate(const Tree& tree, const Catalog& catalog, const Toolkit& toolkit,
                    const ProblemRegistry& problems, const GateOptions& options);

}  // namespace ladder
