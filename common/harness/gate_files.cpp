// The files of the course: lists, stubs, sheets, leftovers, links, results, formatting.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/harness/exercise.hpp"
#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Every regular file below chapters/, common/ and docs/, and in the root.
std::vector<fs::path> tree_files(const Tree& tree) {
  std::vector<fs::path> files = files_in(tree.source);
  for (const char* name : {"chapters", "common", "docs"}) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(tree.source / name, error)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool has_extension(const fs::path& file, std::initializer_list<std::string_view> extensions) {
  return std::find(extensions.begin(), extensions.end(), file.extension().string()) !=
         extensions.end();
}

int line_of(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string_view::npos) return 0;
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// What a chapter's folder may hold beside its solvers.
bool is_chapter_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "meson.build" || name == "intro.md" || has_extension(file, {".cpp", ".hpp"});
}

void check_chapter_files(Gate& gate, const fs::path& chapter, const std::set<fs::path>& expected) {
  for (const char* part : {"", "exercises", "solutions", "mutants"}) {
    const fs::path folder = *part == '\0' ? chapter : chapter / part;
    for (const fs::path& file : files_in(folder)) {
      // `ladder reset` leaves backups beside a learner's stub.
      if (file.filename().string().find(".cu.bak-") != std::string::npos) continue;
      const bool known = expected.count(file) > 0 || (*part == '\0' && is_chapter_file(file));
      gate.log.check(
          known, file, 0,
          "a stray file: list it in " + chapter.filename().string() + "/meson.build or remove it");
    }
  }
}

// First line of difference of two texts, from 1.
int first_difference(std::string_view a, std::string_view b) {
  const std::vector<std::string> left = lines_of(a), right = lines_of(b);
  const std::size_t common = std::min(left.size(), right.size());
  const auto at =
      std::mismatch(left.begin(), left.begin() + static_cast<long>(common), right.begin());
  return 1 + static_cast<int>(at.first - left.begin());
}

void check_stub(Gate& gate, const CatalogEntry& exercise) {
  const fs::path solution = gate.catalog.solution_of(exercise).file;
  std::error_code error;
  if (!fs::exists(solution, error) || !fs::exists(exercise.file, error)) return;
  try {
    const std::string stub = generate_stub(read_file(solution), solution.string());
    const std::string committed = read_file(exercise.file);
    gate.log.check(stub == committed, exercise.file, first_difference(stub, committed),
                   "differs from the stub that its solution gives: run `./ladder dev stubs`");
  } catch (const UsageError& bad) {
    gate.log.found_error(solution, bad.what());
  }
}

void check_sheet(Gate& gate, const CatalogEntry& exercise) {
  const fs::path sheet = fs::path(exercise.file).replace_extension(".md");
  std::error_code error;
  if (!fs::exists(sheet, error)) return;
  try {
    parse_sheet(read_file(sheet), sheet.string());
    gate.log.count(1);
  } catch (const UsageError& bad) {
    gate.log.found_error(sheet, bad.what());
  }
}

// Assembled, so that this file does not contain them.
std::vector<std::string> leftovers() {
  const std::string angle_brackets = "<<<<<<";
  return {std::string("TO") + "DO", std::string("FIX") + "ME",
          std::string("XX") + "X:", std::string("not imple") + "mented",
          angle_brackets + "< ",    ">>>>>>" + std::string("> ")};
}

void check_links_of(Gate& gate, const fs::path& file) {
  const std::string text = read_file(file);
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const std::size_t end = text.find(')', at);
    if (end == std::string::npos) return;
    std::string target = text.substr(at + 2, end - at - 2);
    target = target.substr(0, target.find_first_of("# "));
    // Pages of the site are made at build, where every link between them is followed.
    const bool elsewhere = target.empty() || target.find("://") != std::string::npos ||
                           target.rfind("mailto:", 0) == 0 || target.front() == '@' ||
                           fs::path(target).extension() == ".html";
    if (elsewhere) continue;
    std::error_code error;
    gate.log.check(
        fs::exists(file.parent_path() / target, error), file,
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')),
        "the link to '" + target + "' leads nowhere");
  }
}

constexpr int clang_format_major = 14;  // other versions format otherwise

bool clang_format_is_usable(Gate& gate) {
  try {
    const ProcessResult version = run_process({"clang-format", "--version"});
    const std::size_t at = version.output.find("version ");
    const bool right =
        at != std::string::npos && std::atoi(version.output.c_str() + at + 8) == clang_format_major;
    if (right) return true;
  } catch (const MachineError&) {
    // Not installed.
  }
  gate.log.skip("formatting: clang-format " + std::to_string(clang_format_major) +
                " is not installed");
  return false;
}

}  // namespace

void check_lists(Gate& gate) {
  std::map<std::string, std::set<fs::path>> expected;
  for (const CatalogEntry& entry : gate.catalog.all()) {
    if (!gate.covers(entry.chapter)) continue;
    const fs::path chapter = gate.tree.source / "chapters" / entry.chapter;
    std::vector<fs::path> files = {entry.file};
    if (entry.kind == SolverKind::exercise) {
      files.push_back(fs::path(entry.file).replace_extension(".md"));
    }
    std::error_code error;
    const fs::path list = chapter / "meson.build";
    for (const fs::path& file : files) {
      expected[entry.chapter].insert(file);
      const std::string text = fs::exists(list, error) ? read_file(list) : "";
      gate.log.check(fs::exists(file, error), list, line_of(text, "'" + entry.name + "'"),
                     "lists " + entry.name + ", but " +
                         file.lexically_relative(gate.tree.source).string() + " does not exist");
    }
  }
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(gate.tree.source / "chapters", error)) {
    const std::string chapter = folder.path().filename().string();
    if (!folder.is_directory() || !gate.covers(chapter)) continue;
    check_chapter_files(gate, folder.path(), expected[chapter]);
    if (!expected[chapter].empty()) {
      gate.log.check(fs::exists(folder.path() / "intro.md", error), folder.path() / "intro.md", 0,
                     "a chapter has an introduction");
    }
  }
}

void check_exercises(Gate& gate) {
  for (const CatalogEntry& entry : gate.catalog.all()) {
    if (entry.kind != SolverKind::exercise || !gate.covers(entry.chapter)) continue;
    check_stub(gate, entry);
    check_sheet(gate, entry);
  }
}

void check_leftovers(Gate& gate) {
  const std::vector<std::string> words = leftovers();
  for (const fs::path& file : tree_files(gate.tree)) {
    const bool is_text =
        has_extension(file, {".cu", ".cuh", ".cpp", ".hpp", ".h", ".md", ".build", ".sh"});
    if (!is_text) continue;
    gate.log.count(1);
    const std::string text = read_file(file);
    for (const std::string& word : words) {
      if (const int line = line_of(text, word); line > 0) {
        gate.log.found(file, line, "'" + word + "' was left behind");
      }
    }
  }
  for (const GateSolver& solver : gate.solvers) {
    const SolverKind kind = solver.entry.kind;
    if (kind == SolverKind::exercise || kind == SolverKind::solution) continue;
    const int line = line_of(solver.text, "// [hole ");
    gate.log.check(line == 0, solver.entry.file, line, "a hole belongs into a solution");
  }
}

void check_links(Gate& gate) {
  for (const fs::path& file : tree_files(gate.tree)) {
    if (file.extension() == ".md") check_links_of(gate, file);
  }
}

void check_results(Gate& gate) {
  for (const fs::path& file : tree_files(gate.tree)) {
    const bool is_result =
        file.extension() == ".json" && file.parent_path().filename() == "results";
    if (!is_result) continue;
    gate.log.check(nlohmann::json::accept(read_file(file)), file, 0, "this is not JSON");
  }
}

void check_formatting(Gate& gate) {
  if (!clang_format_is_usable(gate)) return;
  std::vector<std::string> command = {"clang-format", "--dry-run", "--ferror-limit=1"};
  int files = 0;
  for (const fs::path& file : tree_files(gate.tree)) {
    if (!has_extension(file, {".cu", ".cuh", ".cpp", ".hpp"})) continue;
    command.push_back(file.string());
    ++files;
  }
  if (files == 0) return;
  gate.log.count(files);
  const ProcessResult result = run_process(command);
  std::set<std::string> named;
  for (const std::string& line : lines_of(result.errors)) {
    const std::size_t at = line.find(": warning: code should be clang-formatted");
    if (at == std::string::npos) continue;
    const std::vector<std::string> place = split_list(line.substr(0, at), ':');
    if (place.size() != 3 || !named.insert(place[0]).second) continue;
    gate.log.found(place[0], std::atoi(place[1].c_str()),
                   "is not formatted: run clang-format -i on it");
  }
}

}  // namespace ladder
