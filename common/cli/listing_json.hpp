// The list of solvers and problems as JSON.
#pragma once

#include <string>
#include <vector>

#include "common/harness/catalog.hpp"

namespace ladder::cli {

const char* name_of(SolverKind kind);  // "step", "exercise"; with an s for many
std::string listing_json(const Catalog& catalog, const std::vector<std::string>& chapters);

}  // namespace ladder::cli
