// An exercise's page, which has no way to the solution's; and the solution's.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/listing.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

namespace {

Neighbour neighbour_of(const Chapter& chapter, const Exercise& exercise, int offset) {
  for (std::size_t i = 0; i < chapter.exercises.size(); ++i) {
    if (&chapter.exercises[i] != &exercise) continue;
    const int at = static_cast<int>(i) + offset;
    if (at < 0 || at >= static_cast<int>(chapter.exercises.size())) return {};
    const Exercise& other = chapter.exercises[static_cast<std::size_t>(at)];
    return {other.page_file(), other.header.title};
  }
  return {};
}

std::string way_of(const Chapter& chapter, const Exercise& exercise) {
  return way_html(neighbour_of(chapter, exercise, -1),
                  {chapter.page_file(), "Chapter " + chapter.number},
                  neighbour_of(chapter, exercise, 1));
}

std::string goals_html(const Exercise& exercise) {
  if (exercise.header.goals.empty()) return "right answers at every size";
  std::string html = "right answers at every size, and<ul>";
  for (const Relation& goal : exercise.header.goals) {
    html += "<li><code>" + escape(goal.text) + "</code></li>";
  }
  return html + "</ul>";
}

std::string stub_fails_text(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::trap:
      return "stops with an error" +
             (failure.observer.empty() ? std::string() : " that " + failure.observer + " names");
    case Failure::Kind::goal:
      return "has right answers, but misses a goal";
    case Failure::Kind::budget:
      return "runs out of time or memory";
    default:
      return "gives a wrong answer";
  }
}

std::string facts_of(const Chapter& chapter, const Exercise& exercise, const Problem* problem) {
  const Solver* parent = chapter.find(exercise.parent());
  std::string facts;
  if (parent != nullptr) {
    facts += fact_html("Builds on", link(parent->page_file(), parent->header.title));
  }
  facts += fact_html("New", features_html(exercise.header.introduces));
  if (problem != nullptr) {
    facts += fact_html("Problem", escape(problem->title) + "<br/><code>" +
                                      escape(problem->prototype()) + "</code>");
  }
  facts += fact_html("Goals", goals_html(exercise));
  facts += fact_html("The stub", stub_fails_text(exercise.header.stub_fails));
  const std::string id = escape(exercise.entry.short_id());
  facts += fact_html("Edit", "<code>chapters/" + escape(chapter.name) + "/exercises/" +
                                 escape(exercise.entry.name) + ".cu</code>");
  facts += fact_html("Check it", "<code>./ladder check " + id +
                                     "</code> · a hint: <code>./ladder hint " + id + "</code>");
  return "<dl class=\"kl-facts\">\n" + facts + "</dl>\n";
}

}  // namespace

Page exercise_page(const Chapter& chapter, const Exercise& exercise, const Problem* problem) {
  const Sheet& sheet = exercise.sheet;
  Page page(exercise.page(), exercise.header.title, {exercise.sheet_file, 1});
  page.html(way_of(chapter, exercise));
  page.markdown(sheet.statement, {exercise.sheet_file, exercise.statement_line});
  page.html(facts_of(chapter, exercise, problem));
  page.find("", exercise.header.title, join(exercise.header.introduces, ", "), sheet.statement);
  page.heading("The stub", exercise.page() + "_stub");
  std::vector<std::string> stub = lines_of(exercise.stub);
  std::erase_if(stub, [](const std::string& line) { return trim(line).rfind("//!", 0) == 0; });
  page.html(plain_listing(stub));
  page.heading("Hints", exercise.page() + "_hints");
  page.html("<p>One at a time, from gentle to nearly the answer.</p>");
  for (std::size_t i = 0; i < sheet.hints.size(); ++i) {
    page.html("<details class=\"kl-hint\"><summary>Hint " + std::to_string(i + 1) +
              "</summary>\n<div>");
    page.markdown(sheet.hints[i], {exercise.sheet_file, exercise.hint_lines[i]});
    page.html("</div></details>");
  }
  page.html(way_of(chapter, exercise));
  return page;
}

Page solution_page(const Chapter& chapter, const Exercise& exercise) {
  const std::vector<Segment> segments = segments_of(exercise.lines, exercise.header, true);
  Page page(exercise.solution_page(), exercise.header.title + " (solution)", {exercise.file, 1});
  page.html(way_html({exercise.page_file(), "The exercise"},
                     {chapter.page_file(), "Chapter " + chapter.number}, {}));
  for (const Segment& segment : segments) {
    if (!segment.prose) break;
    page.markdown(join(segment.lines, "\n"), {exercise.file, segment.first_line});
  }
  page.heading("The program", exercise.solution_page() + "_program");
  add_program(page, segments, exercise.file);
  page.heading("What changed", exercise.solution_page() + "_changes");
  std::vector<std::string> stub = lines_of(exercise.stub);
  std::erase_if(stub, [](const std::string& line) { return trim(line).rfind("//!", 0) == 0; });
  page.html(difference_html(stub, code_of(segments), "the stub", exercise.page_file()));
  return page;
}

}  // namespace ladder::weave
