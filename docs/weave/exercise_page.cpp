// An exercise's page, which has no way to the solution's; and the solution's.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/listing.hpp"
#include "docs/weave/pages.hpp"
#include "docs/weave/prose.hpp"

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
                  {chapter.page_file(), (*chapter.words)("Chapter {}", {chapter.number})},
                  neighbour_of(chapter, exercise, 1), *chapter.words);
}

std::string goals_html(const Exercise& exercise, const Words& say) {
  if (exercise.header.goals.empty()) return say("right answers at every size");
  std::string html = say("right answers at every size, and") + "<ul>";
  for (const Relation& goal : exercise.header.goals) {
    html += "<li><code>" + escape(goal.text) + "</code></li>";
  }
  return html + "</ul>";
}

std::string facts_of(const Chapter& chapter, const Exercise& exercise, const Problem* problem) {
  const Solver* parent = chapter.find(exercise.parent());
  const Words& say = *chapter.words;
  std::string facts;
  if (parent != nullptr) {
    facts += fact_html(say("Builds on"), link(parent->page_file(), parent->header.title));
  }
  facts += fact_html(say("New"), features_html(exercise.header.introduces, say));
  if (problem != nullptr) {
    facts += fact_html(say("Problem"), escape(say.name(problem->title)) + "<br/><code>" +
                                           escape(problem->prototype()) + "</code>");
  }
  facts += fact_html(say("Goals"), goals_html(exercise, say));
  facts += fact_html(say("The stub"), failure_text(exercise.header.stub_fails, say));
  const std::string id = escape(exercise.entry.short_id());
  facts += fact_html(say("Edit"), "<code>" +
                                      breakable("chapters/" + chapter.name + "/exercises/" +
                                                exercise.entry.name + ".cu") +
                                      "</code>");
  facts +=
      fact_html(say("Check it"), say("{} · a hint: {}", {"<code>./ladder check " + id + "</code>",
                                                         "<code>./ladder hint " + id + "</code>"}));
  return "<dl class=\"kl-facts\">\n" + facts + "</dl>\n";
}

// The stub without its header, whose prose stands on the page already.
std::vector<std::string> stub_code(const Exercise& exercise) {
  std::vector<std::string> lines = lines_of(exercise.stub);
  std::erase_if(lines, [](const std::string& line) { return trim(line).rfind("//!", 0) == 0; });
  return lines;
}

}  // namespace

Page exercise_page(const Chapter& chapter, const Exercise& exercise, const Problem* problem) {
  const Sheet& sheet = exercise.sheet;
  const Words& say = *chapter.words;
  Page page(exercise.page(), exercise.header.title, {exercise.sheet_file, 1});
  page.html(way_of(chapter, exercise));
  add_language_note(page, exercise.translation, say);
  const std::string statement = add_prose(page, exercise.translation, say, sheet.statement,
                                          {exercise.sheet_file, exercise.statement_line});
  page.html(facts_of(chapter, exercise, problem));
  page.find("", found_as(chapter, exercise), join(exercise.header.introduces, ", "), statement);
  page.heading(say("The stub"), exercise.page() + "_stub");
  page.html(plain_listing(stub_code(exercise)));
  page.heading(say("Hints"), exercise.page() + "_hints");
  page.html("<p>" + say("One at a time, from gentle to nearly the answer.") + "</p>");
  for (std::size_t i = 0; i < sheet.hints.size(); ++i) {
    page.html("<details class=\"kl-hint\"><summary>" + say("Hint {}", {std::to_string(i + 1)}) +
              "</summary>\n<div>");
    add_prose(page, exercise.translation, say, sheet.hints[i],
              {exercise.sheet_file, exercise.hint_lines[i]});
    page.html("</div></details>");
  }
  page.html(way_of(chapter, exercise));
  return page;
}

Page solution_page(const Chapter& chapter, const Exercise& exercise) {
  const std::vector<Segment> segments = segments_of(exercise.lines, exercise.header, true);
  const Words& say = *chapter.words;
  Page page(exercise.solution_page(), say("{} (solution)", {exercise.header.title}),
            {exercise.file, 1});
  const std::string way =
      way_html({exercise.page_file(), say("The exercise")},
               {chapter.page_file(), say("Chapter {}", {chapter.number})}, {}, say);
  page.html(way);
  add_language_note(page, exercise.translation, say);
  for (const Segment& segment : segments) {
    if (!segment.prose) break;
    add_prose(page, exercise.translation, say, join(segment.lines, "\n"),
              {exercise.file, segment.first_line});
  }
  page.heading(say("The program"), exercise.solution_page() + "_program");
  add_program(page, segments, exercise.file, exercise.translation, say);
  page.heading(say("What changed"), exercise.solution_page() + "_changes");
  page.html(difference_html(stub_code(exercise), code_of(segments), say("the stub"),
                            exercise.page_file(), say));
  page.html(way);
  return page;
}

}  // namespace ladder::weave
