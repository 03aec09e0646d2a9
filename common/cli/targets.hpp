// What `check` and `profile` are given: ids, files of the course, or with --problem anybody's.
#pragma once

#include <string>
#include <vector>

#include "common/cli/course.hpp"

namespace ladder::cli {

// What an id means does not depend on the folder: only what is none may be a file there by its bare
// name.
bool names_file(const Catalog& catalog, const std::string& target);
// Throws UsageError: no such file, a directory, empty.
void require_source(const std::string& file);
// A file that is one of the course's own is judged by its id, so that its goals count. nullptr: not.
const CatalogEntry* entry_of(const Catalog& catalog, const std::string& file);
// Of ids and of the course's files. `command` is named in what a stranger's file is told.
std::vector<CatalogEntry> entries_of(const Course& course, const std::vector<std::string>& targets,
                                     bool exercises, const std::string& command);

}  // namespace ladder::cli
