// Which solvers the course has, by id, from the names that Meson's lists hold.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

enum class SolverKind { step, ceiling, exercise, solution, mutant, program };

struct CatalogEntry {
  std::string chapter;  // "01_vector_add"
  std::string name;     // "step_02_one_block", "ex_01_guard_the_tail", "whole_program"
  SolverKind kind = SolverKind::step;
  std::string id() const { return chapter + "." + name; }  // a solution shares its exercise's id
  std::string short_id() const;                            // "01.02", "01.ex1"
  std::filesystem::path file;                              // absolute
};

// The source tree and the build tree of this installation: $LADDER_ROOT or the nearest parent
// of the executable (then of the current folder) with chapters/ and meson.build in it.
struct Tree {
  std::filesystem::path source;
  std::filesystem::path build;
  static Tree find();
};

class Catalog {
 public:
  // Reads build/solvers.txt ("KIND CHAPTER NAME" a line), which Meson writes.
  explicit Catalog(const Tree& tree);
  const std::vector<CatalogEntry>& all() const { return entries_; }
  std::vector<std::string> chapters() const;
  // "01", "01.02", "01.ex1", "01_vector_add.step_02_one_block", "01.mutant_lost_tail".
  // A chapter gives its steps (all: its exercises, if asked). Throws UsageError with the nearest id.
  std::vector<CatalogEntry> resolve(std::string_view id, bool exercises = false) const;
  const CatalogEntry& solution_of(const CatalogEntry& exercise) const;

 private:
  std::vector<CatalogEntry> entries_;
};

}  // namespace ladder
