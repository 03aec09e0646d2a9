#include "common/cli/listing_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/problem.hpp"
#include "common/harness/solver_header.hpp"

namespace ladder::cli {

const char* name_of(SolverKind kind) {
  switch (kind) {
    case SolverKind::step:
      return "step";
    case SolverKind::ceiling:
      return "ceiling";
    case SolverKind::exercise:
      return "exercise";
    case SolverKind::solution:
      return "solution";
    case SolverKind::mutant:
      return "mutant";
    case SolverKind::program:
      return "program";
  }
  return "solver";
}

std::string listing_json(const Catalog& catalog, const std::vector<std::string>& chapters) {
  nlohmann::ordered_json json;
  json["schema"] = "kernel-ladder/list/1";
  json["solvers"] = nlohmann::ordered_json::array();
  for (const CatalogEntry& entry : catalog.all()) {
    if (std::find(chapters.begin(), chapters.end(), entry.chapter) == chapters.end()) continue;
    // An exercise's header stands in its solution: a learner's file may be anything, or gone.
    const bool exercise = entry.kind == SolverKind::exercise;
    const SolverHeader header =
        read_solver_header(exercise ? catalog.solution_of(entry).file : entry.file);
    json["solvers"].push_back({{"id", entry.id()},
                               {"short_id", entry.short_id()},
                               {"kind", name_of(entry.kind)},
                               {"idea", header.idea},
                               {"problem", header.problem},
                               {"file", entry.file.string()}});
  }
  json["problems"] = nlohmann::ordered_json::array();
  for (const Problem& problem : problems().all())
    json["problems"].push_back({{"name", problem.name},
                                {"chapter", problem.chapter},
                                {"title", problem.title},
                                {"prototype", problem.prototype()},
                                {"bound", problem.bound_text}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ladder::cli
