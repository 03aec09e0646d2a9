// What most commands start from: the tree, its catalog, the toolkit; a solver's problem; where to
// run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/cli/commands.hpp"
#include "common/harness/bench.hpp"
#include "common/harness/builder.hpp"
#include "common/harness/catalog.hpp"
#include "common/harness/gpu.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/solver_header.hpp"

namespace ladder::cli {

struct Course {
  Tree tree;
  Catalog catalog;
  Toolkit toolkit;
};
// Throws MachineError with how to get a toolkit when there is none.
Course open_course();

// The problem that a catalog entry solves: its header's, else its chapter's first.
const Problem& problem_of(const CatalogEntry& entry, const SolverHeader& header);
// By name; throws UsageError with the nearest name.
const Problem& problem_named(std::string_view name);

// The one exercise that an id names; throws UsageError for a chapter or another kind.
CatalogEntry exercise_named(const Catalog& catalog, const std::string& id);

// The backends for --on, and what to tell the learner about the choice.
struct Choice {
  std::vector<Backend> backends;
  std::optional<Gpu> gpu;
  std::string text;  // "on the emulator (no NVIDIA driver here)"
};
// Throws Error(skipped) for --on gpu without a usable one, UsageError for a --gpu that is absent.
Choice choose_backends(const Running& running, const Toolkit& toolkit);

// "memcheck,racecheck". Throws UsageError for an unknown name.
emulator::Watch parse_observers(const std::string& names);
JudgeOptions judge_options(const Running& running, const Choice& choice);

// Judges one of the course's solvers.
SolverReport judge_entry(const Course& course, const CatalogEntry& entry, JudgeOptions options);

// The emulator's drop-in runtime, whether built or not: build/common/emulator/libcudart.so.N.
std::filesystem::path emulator_cudart(const Tree& tree, const Toolkit& toolkit);

// The executable that a command was given, built first if it is a .cu file. `architecture`: --arch,
// which an executable cannot be given: UsageError.
std::filesystem::path built_program(const Course& course, const std::string& program,
                                    std::optional<int> architecture);

// Facts for JSON: device, toolkit, commit, date.
DeviceFacts facts_of(const Course& course, const Choice& choice);

// `path` as the user would type it from the current folder, if that is shorter.
std::string shown(const std::filesystem::path& path);

}  // namespace ladder::cli
