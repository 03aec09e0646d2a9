// weave: annotated code becomes the course's site.
//
//   weave count CHAPTER LADDER OUTPUT   the emulator's counters of a chapter's steps, as JSON
//   weave capture LADDER OUTPUT         what the commands that pages show answer
//   weave comments HEADER               a header as Doxygen is to read it
//   weave site OUTPUT [--no-solutions] [--no-search] [--counters FOLDER]
#include <cstdio>
#include <exception>

#include "common/harness/files.hpp"
#include "common/harness/gate_checks.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/api.hpp"
#include "docs/weave/comments.hpp"
#include "docs/weave/glossary.hpp"
#include "docs/weave/hand_written.hpp"
#include "docs/weave/materials.hpp"
#include "docs/weave/pages.hpp"
#include "docs/weave/site.hpp"

namespace ladder::weave {

namespace {

constexpr const char* usage =
    "weave count CHAPTER LADDER OUTPUT\n"
    "weave capture LADDER OUTPUT\n"
    "weave comments HEADER\n"
    "weave site OUTPUT [--no-solutions] [--no-search] [--counters FOLDER]";

// A step that is wrong has no counters, and its page says so; a machine's fault stops.
int count(const std::string& chapter, const std::string& ladder, const std::string& output) {
  ProcessOptions options;
  options.output_limit_bytes = std::size_t{64} << 20;
  const ProcessResult checked = run_process(
      {ladder, "check", chapter, "--on", "emulator", "--keep-going", "--json"}, options);
  if (checked.exit_code < 0 || checked.exit_code == static_cast<int>(Verdict::machine_fault) ||
      checked.exit_code == static_cast<int>(Verdict::usage)) {
    throw MachineError("`ladder check " + chapter + "` failed:\n" + checked.output +
                       checked.errors);
  }
  write_file(output, checked.output);
  return 0;
}

std::vector<Page> pages_of(const Course& course, const ProblemRegistry& problems, const Tree& tree,
                           const std::vector<ApiHeader>& headers, bool solutions) {
  std::vector<Page> pages = hand_written_pages(tree, *course.words);
  pages.push_back(feature_page(course));
  pages.push_back(api_page(headers, *course.words));
  for (const Chapter& chapter : course.chapters) {
    pages.push_back(chapter_page(course, chapter));
    for (const auto* list : {&chapter.steps, &chapter.ceilings, &chapter.programs}) {
      for (const Solver& solver : *list) pages.push_back(step_page(chapter, solver));
    }
    for (const Exercise& exercise : chapter.exercises) {
      const Problem* problem = problem_of(problems, chapter.name, exercise.header);
      pages.push_back(exercise_page(chapter, exercise, problem));
      if (solutions) pages.push_back(solution_page(chapter, exercise));
    }
  }
  return pages;
}

// The terms, and what they are called in another language: docs/zh/terms.txt.
Glossary read_glossary(const Tree& tree, const std::string& language) {
  const std::filesystem::path pages = tree.source / "docs" / "pages";
  if (!std::filesystem::exists(pages / "glossary.md")) return Glossary();
  const std::string file = "docs/" + language + "/terms.txt";
  const bool translated = std::filesystem::exists(tree.source / file);
  return Glossary(read_file(pages / "glossary.md"),
                  translated ? parse_terms(read_file(tree.source / file), file)
                             : std::vector<Glossary::Term>{});
}

// What pages by hand ask for is added, and terms lead to the glossary.
void finish_pages(std::vector<Page>& pages, const Course& course, const Tree& tree,
                  const std::filesystem::path& folder) {
  Materials materials{tree.source, tree.build, {}, {}, course.words};
  materials.page_of_file = {{"README.md", "index.html"},
                            {"CONTRIBUTING.md", "contributing.html"},
                            {"docs/architecture.md", "architecture.html"}};
  for (const Chapter& chapter : course.chapters) {
    materials.page_of_file[chapter.introduction.file] = chapter.page_file();
  }
  const std::filesystem::path answers = folder / "terminal.txt";
  if (std::filesystem::exists(answers)) materials.answers = read_answers(read_file(answers));
  const Glossary glossary = read_glossary(tree, course.words->language());
  for (Page& page : pages) {
    add_materials(page, materials);
    const bool explains = page.name() == "glossary" || page.name() == "emulator_reference";
    if (!explains) page.replace_text(glossary.linked(page.text()));
  }
}

int capture(const std::string& ladder, const std::string& output) {
  write_file(output, write_answers(run_commands(Tree::find().source, ladder)));
  return 0;
}

std::string words_file(const Edition& edition) {
  return "docs/" + edition.language + "/words.txt";
}

Words read_words(const Tree& tree, const Edition& edition) {
  if (edition.folder.empty()) return Words();
  return Words(edition.language, read_file(tree.source / words_file(edition)), words_file(edition));
}

int site(const std::vector<std::string>& arguments) {
  const Tree tree = Tree::find();
  SiteOptions options;
  options.source = tree.source;
  options.weave = std::filesystem::read_symlink("/proc/self/exe").string();
  options.output = arguments[0];
  std::filesystem::path counters = options.output;
  bool solutions = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--no-solutions") {
      solutions = false;
    } else if (arguments[i] == "--no-search") {
      options.search = false;
    } else if (arguments[i] == "--counters" && i + 1 < arguments.size()) {
      counters = arguments[++i];
    } else {
      throw UsageError("unknown option " + arguments[i] + "\n" + usage);
    }
  }
  const std::vector<ApiHeader> headers = api_headers(tree.source);
  SiteFolders folders = {{"api/", {}}};
  for (const Edition& edition : editions()) {
    const auto words = std::make_shared<const Words>(read_words(tree, edition));
    const Course course = read_course(tree, Catalog(tree), problems(), counters, words);
    std::vector<Page> pages = pages_of(course, problems(), tree, headers, solutions);
    finish_pages(pages, course, tree, counters);
    make_site(course, pages, edition, options);
    if (edition.folder.empty()) make_api(course, pages, headers, options);
    finish_edition(edition, options);
    for (const std::string& text : words->missing()) {
      std::fprintf(stderr, "weave: %s lacks '%s'\n", words_file(edition).c_str(), text.c_str());
    }
    folders[edition.folder] = std::move(pages);
  }
  follow_links(folders, options);
  std::printf("%s\n", (options.html() / "index.html").c_str());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 4 && arguments[0] == "count") {
    return count(arguments[1], arguments[2], arguments[3]);
  }
  if (arguments.size() == 3 && arguments[0] == "capture") {
    return capture(arguments[1], arguments[2]);
  }
  if (arguments.size() >= 2 && arguments[0] == "site") {
    return site({arguments.begin() + 1, arguments.end()});
  }
  if (arguments.size() == 2 && arguments[0] == "comments") {
    std::fputs(doxygen_comments(read_file(arguments[1])).c_str(), stdout);
    return 0;
  }
  throw UsageError(usage);
}

}  // namespace

}  // namespace ladder::weave

int main(int argc, char** argv) {
  try {
    return ladder::weave::run({argv + 1, argv + argc});
  } catch (const ladder::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.verdict());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weave: %s\n", error.what());
    return static_cast<int>(ladder::Verdict::machine_fault);
  }
}
