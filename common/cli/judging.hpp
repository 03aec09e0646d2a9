// Judging several of the course's solvers in a row, with progress, and summing up.
#pragma once

#include <string>
#include <vector>

#include "common/cli/course.hpp"

namespace ladder::cli {

// Every id in turn, each solver once. Throws UsageError for an id that names nothing.
std::vector<CatalogEntry> resolve_all(const Catalog& catalog, const std::vector<std::string>& ids,
                                      bool exercises);

std::vector<SolverReport> judge_all(const Course& course, const std::vector<CatalogEntry>& entries,
                                    const JudgeOptions& options);

// The worst verdict; skipped only if all were.
Verdict worst_of(const std::vector<SolverReport>& reports);

std::string title_of(const std::vector<CatalogEntry>& entries);  // "01_vector_add", "3 chapters"
std::string noun_of(const std::vector<CatalogEntry>& entries);   // "steps", "exercises"
// "6 of 6 steps pass on the emulator"
std::string summary_line(const std::vector<SolverReport>& reports, const std::string& noun,
                         const Choice& choice);

}  // namespace ladder::cli
