// Everything that pages are made of, read once: solvers with their headers, sheets, introductions,
// measurements and counters. Reading stops at the first thing that is not as it should be.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/catalog.hpp"
#include "common/harness/exercise.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/solver_header.hpp"
#include "common/harness/translation.hpp"
#include "docs/weave/results.hpp"
#include "docs/weave/words.hpp"

namespace ladder::weave {

struct Solver {
  CatalogEntry entry;
  std::string file;  // relative to the source tree
  std::vector<std::string> lines;
  SolverHeader header;      // its title in the language of the edition
  Translation translation;  // empty in English
  const std::string& page() const { return header.anchor; }
  std::string page_file() const { return header.anchor + ".html"; }
  // Its first parent, or "".
  std::string parent() const;
};

// The solution, which everything about an exercise is read from, with the sheet.
struct Exercise : Solver {
  Sheet sheet;
  std::string sheet_file;
  int statement_line = 0;       // where in the sheet
  std::vector<int> hint_lines;  // likewise
  std::string stub;
  std::string solution_page() const { return header.anchor + "_solution"; }
};

struct Introduction {
  std::string file;
  std::string title;       // "Vector addition: talk to the GPU"
  std::string anchor;      // "vector_add"
  std::string body;        // from the title's next line on, up to "## Possibilities for extensions"
  std::string extensions;  // from there on, without that heading
  int body_line = 0, extensions_line = 0;
  Translation translation;  // empty in English
};

struct Chapter {
  std::string name;    // "01_vector_add"
  std::string number;  // "01"
  Introduction introduction;
  std::vector<Solver> steps, programs, ceilings, mutants;
  std::vector<Exercise> exercises;
  std::vector<Measurements> measured;
  Counters counters;
  std::shared_ptr<const Words> words = std::make_shared<Words>();  // the edition's
  std::string page_file() const { return introduction.anchor + ".html"; }
  const Solver* find(const std::string& name) const;  // a step, program or ceiling; null if none
  // The parent whose times this one's compare with: null if it solves another problem.
  const Solver* rival_parent(const Solver& solver) const;
};

// A kind of what steps introduce, and the names (of @new) that are of it: docs/features.txt.
struct FeatureKind {
  std::string title;
  std::vector<std::string> names;
};

// One edition of it: everything in one language.
struct Course {
  std::vector<FeatureKind> feature_kinds;
  std::vector<Chapter> chapters;
  std::shared_ptr<const Words> words = std::make_shared<Words>();
};

// `counters` is the folder that holds NN_name.json for each chapter. Throws UsageError
// "file:line: ..." for headers, sheets and introductions that are incomplete.
Course read_course(const Tree& tree, const Catalog& catalog, const ProblemRegistry& problems,
                   const std::filesystem::path& counters,
                   std::shared_ptr<const Words> words = std::make_shared<Words>());

// "## Kind", and below it a name in each line. Throws UsageError "file:line: ..." for a name that
// stands twice or ahead of all kinds.
std::vector<FeatureKind> parse_feature_kinds(std::string_view text, const std::string& file);

// "# Title {#anchor}" and the rest. Throws UsageError "file:line: ...".
Introduction parse_introduction(std::string_view text, const std::string& file);

}  // namespace ladder::weave
