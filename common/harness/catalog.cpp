#include "common/harness/catalog.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

bool is_source_tree(const fs::path& folder) {
  return fs::is_directory(folder / "chapters") && fs::exists(folder / "meson.build");
}

bool is_build_tree(const fs::path& folder) {
  return fs::exists(folder / "solvers.txt") || fs::is_directory(folder / "meson-private");
}

// `folder` or its nearest parent for which `test` holds.
std::optional<fs::path> nearest_parent(fs::path folder, bool (*test)(const fs::path&)) {
  while (true) {
    if (test(folder)) return folder;
    if (folder == folder.parent_path()) return std::nullopt;
    folder = folder.parent_path();
  }
}

fs::path folder_of_executable() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : executable.parent_path();
}

std::optional<SolverKind> kind_named(std::string_view name) {
  if (name == "step") return SolverKind::step;
  if (name == "ceiling") return SolverKind::ceiling;
  if (name == "exercise") return SolverKind::exercise;
  if (name == "solution") return SolverKind::solution;
  if (name == "mutant") return SolverKind::mutant;
  if (name == "program") return SolverKind::program;
  return std::nullopt;
}

fs::path file_of(const fs::path& chapter, SolverKind kind, const std::string& name) {
  switch (kind) {
    case SolverKind::exercise:
      return chapter / "exercises" / (name + ".cu");
    case SolverKind::solution:
      return chapter / "solutions" / (name + ".cu");
    case SolverKind::mutant:
      return chapter / "mutants" / (name + ".cu");
    default:
      return chapter / (name + ".cu");
  }
}

// "step_02_one_block" -> "02"; "" if the name does not begin with `prefix` and a number.
std::string number_after(std::string_view prefix, std::string_view name) {
  if (name.rfind(prefix, 0) != 0) return "";
  const std::string_view rest = name.substr(prefix.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::string without_zeros(const std::string& number) {
  const std::size_t first = number.find_first_not_of('0');
  return first == std::string::npos ? "0" : number.substr(first);
}

// Whether "1", "01" or "01_vector_add" (or "vector_add") names the chapter.
bool names_chapter(std::string_view text, const std::string& chapter) {
  if (text == chapter) return true;
  const std::string number = number_after("", chapter);
  const bool is_number =
      !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number) return without_zeros(std::string(text)) == without_zeros(number);
  return text == std::string_view(chapter).substr(std::min(number.size() + 1, chapter.size()));
}

// Whether "02", "2", "ex1", "ex01", "step_02" or the whole name means the solver.
bool names_solver(const std::string& text, const CatalogEntry& entry) {
  if (text == entry.name) return true;
  if (entry.kind == SolverKind::step) {
    const std::string number = number_after("step_", entry.name);
    if (number.empty()) return false;
    if (text == "step_" + number) return true;
    return text.find_first_not_of("0123456789") == std::string::npos && !text.empty() &&
           without_zeros(text) == without_zeros(number);
  }
  if (entry.kind == SolverKind::exercise) {
    const std::string number = number_after("ex_", entry.name);
    if (number.empty()) return false;
    if (text == "ex_" + number) return true;
    const std::string asked = number_after("ex", text);
    return !asked.empty() && text.size() == asked.size() + 2 &&
           without_zeros(asked) == without_zeros(number);
  }
  return false;
}

std::string_view chapter_part(std::string_view id) {
  return id.substr(0, id.find('.'));
}

// Whether the id means the entry or, without a dot, its chapter. A solution goes by its exercise.
bool names(std::string_view id, const CatalogEntry& entry) {
  if (entry.kind == SolverKind::solution) return false;
  const std::string_view chapter = chapter_part(id);
  if (!names_chapter(chapter, entry.chapter)) return false;
  return chapter.size() == id.size() ||
         names_solver(std::string(id.substr(chapter.size() + 1)), entry);
}

// "; did you mean '01.02'?", or "". Whoever names a chapter means something in it.
std::string nearest_id(std::string_view id, const Catalog& catalog) {
  std::vector<std::string> here, all = catalog.chapters();
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.kind == SolverKind::solution) continue;
    const bool same = names_chapter(chapter_part(id), entry.chapter);
    for (const std::string& known :
         {entry.short_id(), entry.id(), number_after("", entry.chapter) + "." + entry.name}) {
      all.push_back(known);
      if (same) here.push_back(known);
    }
  }
  const std::string nearest = did_you_mean(id, here);
  return nearest.empty() ? did_you_mean(id, all) : nearest;
}

// The chapter that is meant, if it has a folder and no solvers yet; else "".
std::string planned_chapter(std::string_view id, const std::vector<CatalogEntry>& entries) {
  if (entries.empty()) return "";
  const CatalogEntry& any = entries.front();
  fs::path folder = any.file;
  while (folder.filename() != any.chapter) folder = folder.parent_path();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), ignored)) {
    const std::string chapter = entry.path().filename();
    if (number_after("", chapter).empty() || !names_chapter(chapter_part(id), chapter)) continue;
    const bool has_solvers = std::any_of(entries.begin(), entries.end(),
                                         [&](const auto& one) { return one.chapter == chapter; });
    if (!has_solvers) return chapter;
  }
  return "";
}

}  // namespace

std::string CatalogEntry::short_id() const {
  const std::string number = number_after("", chapter);
  const std::string step = number_after("step_", name);
  if (!step.empty()) return number + "." + step;
  const std::string exercise = number_after("ex_", name);
  if (!exercise.empty()) return number + ".ex" + without_zeros(exercise);
  return number + "." + name;
}

Tree Tree::find() {
  const fs::path here = folder_of_executable();
  Tree tree;
  if (const char* root = std::getenv("LADDER_ROOT"); root != nullptr && *root != '\0') {
    if (!is_source_tree(root)) {
      throw UsageError("LADDER_ROOT is " + std::string(root) +
                       ", which has no chapters/ and meson.build");
    }
    tree.source = fs::canonical(root);
  } else if (const auto above = nearest_parent(here, is_source_tree)) {
    tree.source = *above;
  } else if (const auto around = nearest_parent(fs::current_path(), is_source_tree)) {
    tree.source = *around;
  } else {
    throw UsageError(
        "the course's folder is not here: run this inside it, or set LADDER_ROOT to it");
  }
  tree.build = nearest_parent(here, is_build_tree).value_or(tree.source / "build");
  return tree;
}

Catalog::Catalog(const Tree& tree) {
  const fs::path list = tree.build / "solvers.txt";
  std::ifstream stream(list);
  if (!stream) {
    throw UsageError("no list of solvers at " + list.string() + ": build first, with ./ladder");
  }
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::vector<std::string> words = split_words(line);
    if (words.empty()) continue;
    const auto kind = words.size() == 3 ? kind_named(words[0]) : std::nullopt;
    if (!kind) {
      throw MachineError(list.string() + ":" + std::to_string(number) + ": '" + line +
                         "' is not 'KIND CHAPTER NAME'");
    }
    CatalogEntry entry{words[1], words[2], *kind, {}};
    entry.file = file_of(tree.source / "chapters" / entry.chapter, *kind, entry.name);
    entries_.push_back(std::move(entry));
  }
}

std::vector<std::string> Catalog::chapters() const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries_) {
    if (names.empty() || std::find(names.begin(), names.end(), entry.chapter) == names.end()) {
      names.push_back(entry.chapter);
    }
  }
  return names;
}

std::vector<CatalogEntry> Catalog::resolve(std::string_view id, bool exercises) const {
  const bool chapter = id.find('.') == std::string_view::npos;
  const SolverKind wanted = exercises ? SolverKind::exercise : SolverKind::step;
  std::vector<CatalogEntry> found;
  bool known = false;
  for (const CatalogEntry& entry : entries_) {
    if (!names(id, entry)) continue;
    known = true;
    if (!chapter || entry.kind == wanted) found.push_back(entry);
  }
  if (!found.empty()) return found;
  if (known) {
    throw UsageError("chapter " + std::string(id) + " has no " +
                     (exercises ? "exercises" : "steps"));
  }
  if (const std::string planned = planned_chapter(id, entries_); !planned.empty()) {
    throw UsageError("chapter " + planned +
                     " is planned: its problems are here, its steps and exercises are not\n"
                     "  its problems: ./ladder list --problems");
  }
  throw UsageError("no solver or chapter has the id '" + std::string(id) + "'" +
                   nearest_id(id, *this) + "\n  `ladder list` shows them all");
}

const CatalogEntry& Catalog::solution_of(const CatalogEntry& exercise) const {
  for (const CatalogEntry& entry : entries_) {
    if (entry.kind == SolverKind::solution && entry.id() == exercise.id()) return entry;
  }
  throw UsageError(exercise.id() + " has no solution");
}

}  // namespace ladder
