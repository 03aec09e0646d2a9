// A step's page: where it stands, its idea, the program, what changed, what it costs.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/listing.hpp"
#include "docs/weave/pages.hpp"
#include "docs/weave/prose.hpp"

namespace ladder::weave {

std::string way_html(const Neighbour& previous, const Neighbour& up, const Neighbour& next,
                     const Words& say) {
  const auto side = [](const Neighbour& to, const char* css_class, const std::string& before,
                       const std::string& after) {
    if (to.file.empty()) return std::string();
    return "<a class=\"" + std::string(css_class) + "\" href=\"" + to.file + "\">" + before +
           inline_code(to.title) + after + "</a>";
  };
  return "<nav class=\"kl-way\" aria-label=\"" + say("Steps") + "\">" +
         side(previous, "kl-previous", "‹ ", "") + side(up, "kl-up", "", "") +
         side(next, "kl-next", "", " ›") + "</nav>\n";
}

std::string found_as(const Chapter& chapter, const Solver& solver) {
  return chapter.number + " · " + solver.header.title;
}

std::string fact_html(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "<dt>" + name + "</dt><dd>" + value + "</dd>\n";
}

namespace {

// Everything of a chapter that is read one after the other.
std::vector<const Solver*> reading_order(const Chapter& chapter) {
  std::vector<const Solver*> order;
  for (const auto* list : {&chapter.steps, &chapter.ceilings, &chapter.programs}) {
    for (const Solver& solver : *list) order.push_back(&solver);
  }
  return order;
}

Neighbour neighbour(const Solver* solver) {
  return solver == nullptr ? Neighbour{} : Neighbour{solver->page_file(), solver->header.title};
}

std::string way_of(const Chapter& chapter, const Solver& solver) {
  const std::vector<const Solver*> order = reading_order(chapter);
  const auto place = std::find(order.begin(), order.end(), &solver);
  const Neighbour up{chapter.page_file(), (*chapter.words)("Chapter {}", {chapter.number})};
  const Neighbour previous = place == order.begin() ? Neighbour{} : neighbour(*(place - 1));
  const Neighbour next =
      place == order.end() || place + 1 == order.end() ? Neighbour{} : neighbour(*(place + 1));
  return way_html(previous, up, next, *chapter.words);
}

std::string needs_text(const Needs& needs, const Words& say) {
  std::string text;
  if (needs.architecture > 75) text = "sm_" + std::to_string(needs.architecture);
  if (needs.shared_bytes > 0) {
    text += (text.empty() ? "" : ", ") +
            say("{} bytes of shared memory", {count_text(static_cast<double>(needs.shared_bytes))});
  }
  return text;
}

std::string limits_text(const std::vector<Limit>& limits) {
  std::vector<std::string> texts;
  for (const Limit& limit : limits) texts.push_back("<code>" + escape(limit.text) + "</code>");
  return join(texts, ", ");
}

std::string solver_links(const Chapter& chapter, const std::vector<std::string>& names) {
  std::string html;
  for (const std::string& name : names) {
    const Solver* solver = chapter.find(name);
    if (solver == nullptr) continue;
    html += (html.empty() ? "" : ", ") + link(solver->page_file(), solver->header.title);
  }
  return html;
}

std::string exercise_links(const Chapter& chapter, const Solver& solver) {
  std::string html;
  for (const Exercise& exercise : chapter.exercises) {
    if (exercise.parent() != solver.entry.name) continue;
    html += (html.empty() ? "" : ", ") + link(exercise.page_file(), exercise.header.title);
  }
  return html;
}

std::string facts_of(const Chapter& chapter, const Solver& solver) {
  const SolverHeader& header = solver.header;
  const Words& say = *chapter.words;
  std::string facts = fact_html(say("Builds on"), solver_links(chapter, header.builds_on)) +
                      fact_html(say("Rewrites"), solver_links(chapter, header.rewrites)) +
                      fact_html(say("New"), features_html(header.introduces, say)) +
                      fact_html(say("Needs"), needs_text(header.needs, say)) +
                      fact_html(say("Limits"), limits_text(header.limits));
  if (header.nondeterministic) {
    facts += fact_html(say("Result varies"), escape(say.name(*header.nondeterministic)));
  }
  facts += fact_html(say("Exercises"), exercise_links(chapter, solver));
  facts += fact_html(say("Run it"), "<code>./ladder check " + escape(solver.entry.short_id()) +
                                        "</code> · <code>" + breakable(solver.file) + "</code>");
  return "<dl class=\"kl-facts\">\n" + facts + "</dl>\n";
}

void add_claims(Page& page, const Solver& solver, const Words& say) {
  if (solver.header.claims.empty()) return;
  std::string html =
      "<p>" + say("The emulator counts these on every run of the course's checks:") + "</p>\n<ul>";
  for (const Relation& claim : solver.header.claims) {
    html += "<li><code>" + escape(claim.text) + "</code></li>\n";
  }
  page.heading(say("What is checked"), solver.page() + "_claims");
  page.html(html + "</ul>\n");
}

void add_results(Page& page, const Chapter& chapter, const Solver& solver, const Solver* parent) {
  const std::string timings = timings_html(chapter, solver, chapter.rival_parent(solver));
  const std::string counters = counters_html(chapter, solver, parent);
  if (timings.empty() && counters.empty()) return;
  page.heading((*chapter.words)("Results"), solver.page() + "_results");
  if (!timings.empty()) page.html(timings);
  if (!counters.empty()) page.html(counters);
}

}  // namespace

Page step_page(const Chapter& chapter, const Solver& solver) {
  const std::vector<Segment> segments = segments_of(solver.lines, solver.header);
  const std::vector<std::string> code = code_of(segments);
  const Solver* parent = chapter.find(solver.parent());
  const Words& say = *chapter.words;
  Page page(solver.page(), solver.header.title, {solver.file, 1});
  page.html(way_of(chapter, solver) + facts_of(chapter, solver));
  add_language_note(page, solver.translation, say);
  std::string prose;
  for (const Segment& segment : segments) {
    if (!segment.prose) break;
    prose += add_prose(page, solver.translation, say, join(segment.lines, "\n"),
                       {solver.file, segment.first_line});
  }
  page.find("", found_as(chapter, solver), join(solver.header.introduces, ", "), prose);
  const std::string program = solver.page() + "_program";
  page.heading(say("The program"), program);
  add_program(page, segments, solver.file, solver.translation, say);
  page.find(program, say("{} (program)", {found_as(chapter, solver)}), "", join(code, "\n"));
  if (parent != nullptr) {
    page.heading(say("What changed"), solver.page() + "_changes");
    page.html(difference_html(code_of(segments_of(parent->lines, parent->header)), code,
                              parent->header.title, parent->page_file(), say));
  }
  add_results(page, chapter, solver, parent);
  add_claims(page, solver, say);
  page.heading(say("The plain program"), solver.page() + "_plain");
  page.html("<details class=\"kl-plain\"><summary>" +
            say("{}, without its prose", {breakable(solver.file)}) + "</summary>\n" +
            plain_listing(code) + "</details>\n" + way_of(chapter, solver));
  return page;
}

}  // namespace ladder::weave
