#include "common/cli/targets.hpp"

#include "common/cli/judging.hpp"

namespace ladder::cli {

namespace fs = std::filesystem;

namespace {

bool is_id(const Catalog& catalog, const std::string& target) {
  try {
    return !catalog.resolve(target).empty();
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

bool names_file(const Catalog& catalog, const std::string& target) {
  if (target.find('/') != std::string::npos || fs::path(target).extension() == ".cu") return true;
  std::error_code error;
  return !is_id(catalog, target) && fs::is_regular_file(target, error);
}

void require_source(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    throw UsageError(file + " is a directory; name a .cu file in it");
  if (!fs::exists(file, error)) throw UsageError("no such file: " + file);
  if (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0)
    throw UsageError(file + " is empty; it should define solve()");
}

const CatalogEntry* entry_of(const Catalog& catalog, const std::string& file) {
  std::error_code error;
  for (const CatalogEntry& entry : catalog.all())
    if (fs::equivalent(entry.file, file, error)) return &entry;
  return nullptr;
}

std::vector<CatalogEntry> entries_of(const Course& course, const std::vector<std::string>& targets,
                                     bool exercises, const std::string& command) {
  std::vector<CatalogEntry> entries;
  for (const std::string& target : targets) {
    if (!names_file(course.catalog, target)) {
      for (CatalogEntry& entry : resolve_all(course.catalog, {target}, exercises))
        entries.push_back(std::move(entry));
      continue;
    }
    require_source(target);
    const CatalogEntry* entry = entry_of(course.catalog, target);
    if (!entry)
      throw UsageError(target +
                       " is not one of the course's files; say which problem it solves:\n"
                       "  ./ladder " +
                       command + " --problem NAME " + target +
                       "   (names: ./ladder list --problems)");
    entries.push_back(*entry);
  }
  return entries;
}

}  // namespace ladder::cli
