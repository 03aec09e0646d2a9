// A learner's exercise: the file they edit, its pristine stub, its sheet.
#pragma once

#include <string>

#include "common/cli/course.hpp"
#include "common/cli/progress_file.hpp"
#include "common/harness/exercise.hpp"

namespace ladder::cli {

// Generated from the solution, so that it is right even where exercises/ was changed.
std::string pristine_stub(const Catalog& catalog, const CatalogEntry& exercise);
std::filesystem::path sheet_of(const CatalogEntry& exercise);  // .../exercises/ex_NN_idea.md
Sheet read_sheet(const CatalogEntry& exercise);
// What was done so far; says so where that could not be read.
ProgressFile open_progress(const Tree& tree);

}  // namespace ladder::cli
