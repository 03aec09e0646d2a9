#include "docs/weave/course.hpp"

#include <algorithm>
#include <set>

#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"
#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

constexpr const char* feature_file = "docs/features.txt";
constexpr std::string_view extensions_heading = "## Possibilities for extensions";

// The gate's own checks of headers: a parent that is missing or does not exist, no title, …
void require_good_headers(const Tree& tree, const Catalog& catalog,
                          const ProblemRegistry& problems) {
  const Toolkit no_toolkit;
  const GateOptions options;
  GateLog log(tree.source);
  Gate gate{tree, catalog, no_toolkit, problems, options, log, {}};
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.kind == SolverKind::exercise || entry.kind == SolverKind::mutant) continue;
    const std::string text = read_file(entry.file);
    gate.solvers.push_back(
        {entry, text, parse_solver_header(text, fs::relative(entry.file, tree.source).string())});
  }
  check_headers(gate);
  std::vector<std::string> found;
  for (const GateFinding& finding : log.report().findings) found.push_back(finding.text());
  if (!found.empty()) throw UsageError(join(found, "\n"));
}

// The title is the edition's from here on.
void translate(const Tree& tree, const fs::path& file, const std::vector<Paragraph>& english,
               const Words& words, Solver& solver) {
  if (words.english()) return;
  solver.translation = read_translation(tree, file, words.language(), english);
  solver.header.title = solver.translation.title(solver.header.title, solver.header.anchor);
}

void read_solver(const Tree& tree, const CatalogEntry& entry, Solver& solver) {
  solver.entry = entry;
  solver.file = fs::relative(entry.file, tree.source).string();
  const std::string text = read_file(entry.file);
  solver.lines = lines_of(text);
  solver.header = parse_solver_header(text, solver.file);
}

// Lines on which the statement and each hint begin.
void find_places(const std::string& text, Exercise& exercise) {
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const bool said = !trim(line).empty();
    if (line.rfind("## Hint ", 0) == 0) {
      exercise.hint_lines.push_back(0);
    } else if (said && !exercise.hint_lines.empty()) {
      int& place = exercise.hint_lines.back();
      if (place == 0) place = number;
    } else if (said && exercise.statement_line == 0 && line.rfind("# ", 0) != 0) {
      exercise.statement_line = number;
    }
  }
}

Exercise read_exercise(const Tree& tree, const Catalog& catalog, const CatalogEntry& entry,
                       const Words& words) {
  Exercise exercise;
  read_solver(tree, catalog.solution_of(entry), exercise);
  const fs::path sheet =
      tree.source / "chapters" / entry.chapter / "exercises" / (entry.name + ".md");
  exercise.sheet_file = fs::relative(sheet, tree.source).string();
  const std::string text = read_file(sheet);
  exercise.sheet = parse_sheet(text, exercise.sheet_file);
  find_places(text, exercise);
  exercise.stub = generate_stub(join(exercise.lines, "\n") + "\n", exercise.file);
  exercise.entry = entry;
  std::vector<Paragraph> english = paragraphs_of(exercise.header, exercise.file);
  for (Paragraph& paragraph : sheet_paragraphs(text, exercise.sheet_file)) {
    english.push_back(std::move(paragraph));
  }
  translate(tree, sheet, english, words, exercise);
  return exercise;
}

std::vector<Measurements> read_results(const Tree& tree, const std::string& chapter) {
  std::vector<fs::path> files;
  const fs::path folder = tree.source / "chapters" / chapter / "results";
  if (fs::is_directory(folder)) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() == ".json") files.push_back(file.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Measurements> measured;
  for (const fs::path& file : files) {
    measured.push_back(read_measurements(file, fs::relative(file, tree.source).string()));
  }
  return measured;
}

Introduction read_introduction(const Tree& tree, const fs::path& file, const Words& words) {
  const std::string text = read_file(file), shown = fs::relative(file, tree.source).string();
  Introduction introduction = parse_introduction(text, shown);
  if (!words.english()) {
    introduction.translation =
        read_translation(tree, file, words.language(), paragraphs_of(text, shown));
    introduction.title = introduction.translation.title(introduction.title, introduction.anchor);
  }
  return introduction;
}

Chapter read_chapter(const Tree& tree, const Catalog& catalog, const std::string& name,
                     const fs::path& counters, const std::shared_ptr<const Words>& words) {
  Chapter chapter;
  chapter.words = words;
  chapter.name = name;
  chapter.number = name.substr(0, name.find('_'));
  chapter.introduction =
      read_introduction(tree, tree.source / "chapters" / name / "intro.md", *words);
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.chapter != name) continue;
    if (entry.kind == SolverKind::exercise) {
      chapter.exercises.push_back(read_exercise(tree, catalog, entry, *words));
      continue;
    }
    std::vector<Solver>* list = entry.kind == SolverKind::step      ? &chapter.steps
                                : entry.kind == SolverKind::program ? &chapter.programs
                                : entry.kind == SolverKind::ceiling ? &chapter.ceilings
                                : entry.kind == SolverKind::mutant  ? &chapter.mutants
                                                                    : nullptr;
    if (list == nullptr) continue;
    Solver& solver = list->emplace_back();
    read_solver(tree, entry, solver);
    translate(tree, entry.file, paragraphs_of(solver.header, solver.file), *words, solver);
  }
  chapter.measured = read_results(tree, name);
  const fs::path counted = counters / (name + ".json");
  if (fs::exists(counted)) chapter.counters = read_counters(counted);
  return chapter;
}

// Each "file:line: ..." of an @new whose name is of no kind.
void require_kinds(const Course& course) {
  std::set<std::string> known;
  for (const FeatureKind& kind : course.feature_kinds) {
    known.insert(kind.names.begin(), kind.names.end());
  }
  std::vector<std::string> errors;
  const auto check = [&](const Solver& solver) {
    for (const std::string& name : solver.header.introduces) {
      if (known.count(name) > 0) continue;
      const auto line = std::find_if(
          solver.lines.begin(), solver.lines.end(),
          [](const std::string& text) { return text.find("@new ") != std::string::npos; });
      errors.push_back(solver.file + ":" + std::to_string(line - solver.lines.begin() + 1) + ": '" +
                       name + "' is of no kind: add it to " + feature_file);
    }
  };
  for (const Chapter& chapter : course.chapters) {
    for (const auto* list : {&chapter.steps, &chapter.programs, &chapter.ceilings}) {
      std::for_each(list->begin(), list->end(), check);
    }
    std::for_each(chapter.exercises.begin(), chapter.exercises.end(), check);
  }
  if (!errors.empty()) throw UsageError(join(errors, "\n"));
}

}  // namespace

std::vector<FeatureKind> parse_feature_kinds(std::string_view text, const std::string& file) {
  std::vector<FeatureKind> kinds;
  std::set<std::string> names;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    const std::string place = file + ":" + std::to_string(++number) + ": ";
    const std::string name(trim(line));
    if (const auto heading = heading_of(line); heading && heading->level == 2) {
      kinds.push_back({heading->title, {}});
    } else if (!name.empty() && name[0] != '#') {
      if (kinds.empty()) throw UsageError(place + "a kind, '## Global memory', comes first");
      if (!names.insert(name).second) throw UsageError(place + "'" + name + "' stands here twice");
      kinds.back().names.push_back(name);
    }
  }
  return kinds;
}

std::string Solver::parent() const {
  if (!header.builds_on.empty()) return header.builds_on.front();
  return header.rewrites.empty() ? "" : header.rewrites.front();
}

const Solver* Chapter::find(const std::string& solver) const {
  for (const auto* list : {&steps, &programs, &ceilings}) {
    for (const Solver& candidate : *list) {
      if (candidate.entry.name == solver) return &candidate;
    }
  }
  return nullptr;
}

const Solver* Chapter::rival_parent(const Solver& solver) const {
  const Solver* parent = find(solver.parent());
  const bool comparable = parent != nullptr && parent->header.problem == solver.header.problem;
  return comparable ? parent : nullptr;
}

Introduction parse_introduction(std::string_view text, const std::string& file) {
  Introduction introduction;
  introduction.file = file;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (number == 1) {
      const std::optional<Heading> title = heading_of(line);
      if (!title || title->level != 1 || title->anchor.empty()) {
        throw UsageError(file + ":1: an introduction begins with '# Title {#anchor}'");
      }
      introduction.title = title->title;
      introduction.anchor = title->anchor;
      introduction.body_line = 2;
    } else if (line == extensions_heading) {
      introduction.extensions_line = number + 1;
    } else if (introduction.extensions_line > 0) {
      introduction.extensions += line + "\n";
    } else {
      introduction.body += line + "\n";
    }
  }
  if (introduction.extensions_line == 0) {
    throw UsageError(file + ":" + std::to_string(number) + ": the introduction lacks '" +
                     std::string(extensions_heading) + "'");
  }
  return introduction;
}

Course read_course(const Tree& tree, const Catalog& catalog, const ProblemRegistry& problems,
                   const fs::path& counters, std::shared_ptr<const Words> words) {
  require_good_headers(tree, catalog, problems);
  Course course;
  course.words = std::move(words);
  for (const std::string& name : catalog.chapters()) {
    course.chapters.push_back(read_chapter(tree, catalog, name, counters, course.words));
  }
  course.feature_kinds = parse_feature_kinds(read_file(tree.source / feature_file), feature_file);
  require_kinds(course);
  return course;
}

}  // namespace ladder::weave
