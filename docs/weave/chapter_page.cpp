// A chapter's page: introduction, table of steps, graph, plot, what the measurements say.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/figures.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"
#include "docs/weave/prose.hpp"

namespace ladder::weave {

namespace {

constexpr const char* key_counters[] = {"global.load.requests", "global.load.sectors",
                                        "shared.wavefronts", "instructions.warp"};

std::string way_of(const Course& course, const Chapter& chapter) {
  const auto neighbour = [&](std::ptrdiff_t offset) {
    const std::ptrdiff_t at = &chapter - course.chapters.data() + offset;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(course.chapters.size())) return Neighbour{};
    const Chapter& other = course.chapters[static_cast<std::size_t>(at)];
    return Neighbour{other.page_file(), other.introduction.title};
  };
  Neighbour next = neighbour(1);
  if (!chapter.steps.empty()) {
    next = {chapter.steps.front().page_file(), chapter.steps.front().header.title};
  }
  return way_html(neighbour(-1), {"index.html", (*course.words)("All chapters")}, next,
                  *course.words);
}

// The counters of the list that any step of the chapter has.
std::vector<std::string> counters_shown(const Chapter& chapter) {
  std::vector<std::string> shown;
  for (const char* name : key_counters) {
    for (const auto& [id, counted] : chapter.counters) {
      const auto value = counted.counters.find(name);
      if (value == counted.counters.end() || value->second == 0) continue;
      shown.emplace_back(name);
      break;
    }
  }
  return shown;
}

std::string step_table(const Chapter& chapter) {
  const std::vector<std::string> counters = counters_shown(chapter);
  const Words& say = *chapter.words;
  std::vector<std::string> head = {say("step"), say("new")};
  const Measurements* measured = chapter.measured.empty() ? nullptr : &chapter.measured.front();
  const std::vector<Sizes> sizes = measured == nullptr ? std::vector<Sizes>{} : measured->sizes();
  for (const Sizes& at : sizes) head.push_back(say("speed at {}", {sizes_text(at, say)}));
  for (const std::string& name : counters) head.push_back("<code>" + breakable(name) + "</code>");
  HtmlTable table(head, "kl-table kl-steps kl-stack");
  Sizes counted_at;
  for (const Solver& step : chapter.steps) {
    std::vector<std::string> cells = {link(step.page_file(), step.header.title),
                                      features_html(step.header.introduces, say)};
    for (const Sizes& at : sizes) {
      const Timing* timing = measured->find(step.entry.id(), at);
      cells.push_back(timing == nullptr ? "–" : shares_text(*timing, say, "<br>"));
    }
    const auto found = chapter.counters.find(step.entry.id());
    for (const std::string& name : counters) {
      const bool known = found != chapter.counters.end() && found->second.counters.count(name) > 0;
      if (known) counted_at = found->second.at;
      cells.push_back(known ? counter_text(found->second.counters.at(name)) : "–");
    }
    table.add(cells);
  }
  std::string html = table.text();
  if (measured != nullptr) html += provenance_html(*measured, say);
  if (!counted_at.empty()) html += counted_html(counted_at, say);
  return html;
}

std::string list_of(const std::vector<Solver>& solvers) {
  std::string html;
  for (const Solver& solver : solvers) {
    html += "<li>" + link(solver.page_file(), solver.header.title) + "</li>\n";
  }
  return html;
}

std::string exercise_list(const Chapter& chapter) {
  std::string html = "<ul>\n";
  for (const Exercise& exercise : chapter.exercises) {
    std::string item = link(exercise.page_file(), exercise.header.title);
    const Solver* parent = chapter.find(exercise.parent());
    if (parent != nullptr) {
      item =
          (*chapter.words)("{}, after {}", {item, link(parent->page_file(), parent->header.title)});
    }
    html += "<li>" + item + "</li>\n";
  }
  return html + "</ul>\n";
}

// One sentence for a step at a size, against its parent and the ceiling.
std::string sentence(const Chapter& chapter, const Measurements& measured, const Solver& step,
                     const Sizes& at) {
  const Timing* timing = measured.find(step.entry.id(), at);
  if (timing == nullptr) return "";
  const Solver* parent = chapter.rival_parent(step);
  const Timing* before = parent == nullptr ? nullptr : measured.find(parent->entry.id(), at);
  const Words& say = *chapter.words;
  std::string text =
      say("{} takes {}", {link(step.page_file(), step.header.title), time_text(timing->median_us)});
  if (before != nullptr) {
    const bool apart = timing->high_us < before->low_us || timing->low_us > before->high_us;
    const double gain = before->median_us / timing->median_us;
    if (!apart) {
      text += say(", which cannot be told from its parent's time");
    } else if (gain >= 1.1) {
      text += say(", {} times as fast as its parent", {fixed(gain, gain < 10 ? 2 : 0)});
    } else if (gain > 1) {
      text += say(", {} less than its parent", {percent_text(1 - 1 / gain)});
    } else {
      text += say(", <strong>slower than its parent</strong> by {}", {percent_text(1 / gain - 1)});
    }
  }
  if (!timing->ceilings.empty()) {
    text += say(": {}", {shares_text(*timing, say)});
    const Ceiling& ceiling = timing->ceilings.front();
    if (ceiling.ratio_low >= 1) {
      text += say(", at or above {}", {escape(say.name(ceiling.name))});
    }
  }
  return "<li>" + text + say(".") + "</li>\n";
}

void add_measurements(Page& page, const Chapter& chapter) {
  if (chapter.measured.empty()) return;
  const Words& say = *chapter.words;
  page.heading(say("What the measurements say"), page.name() + "_measurements");
  std::string html;
  for (const Measurements& measured : chapter.measured) {
    html += "<div class=\"kl-figures\">" + ladder_plot(chapter, measured) +
            roofline(chapter, measured) + "</div>\n";
    for (const Sizes& at : measured.sizes()) {
      html += "<p>" + say("At {}:", {sizes_text(at, say)}) + "</p>\n<ul>\n";
      for (const Solver& step : chapter.steps) html += sentence(chapter, measured, step, at);
      html += "</ul>\n";
    }
    html += provenance_html(measured, say);
  }
  page.html(html);
  page.find(page.name() + "_measurements",
            say("{}: what the measurements say", {chapter.introduction.title}), "",
            say("measured ceiling"));
}

}  // namespace

Page chapter_page(const Course& course, const Chapter& chapter) {
  const Introduction& introduction = chapter.introduction;
  const Words& say = *chapter.words;
  Page page(introduction.anchor, introduction.title, {introduction.file, 1});
  page.html(way_of(course, chapter));
  add_language_note(page, introduction.translation, say);
  const std::string body = add_prose(page, introduction.translation, say, introduction.body,
                                     {introduction.file, introduction.body_line});
  page.find("", introduction.title, "", body);
  page.heading(say("The steps"), page.name() + "_steps");
  page.html(step_graph(chapter) + step_table(chapter));
  if (!chapter.programs.empty() || !chapter.ceilings.empty()) {
    page.html("<p>" + say("Besides the steps:") + "</p><ul>" + list_of(chapter.ceilings) +
              list_of(chapter.programs) + "</ul>");
  }
  if (!chapter.exercises.empty()) {
    page.heading(say("Exercises"), page.name() + "_exercises");
    page.html(exercise_list(chapter));
  }
  add_measurements(page, chapter);
  if (const std::string claims = claims_html(chapter) + wrong_solvers_html(chapter);
      !claims.empty()) {
    page.heading(say("What is claimed, and what asserts it"), page.name() + "_claims");
    page.html(claims);
  }
  page.heading(say("Possibilities for extensions"), page.name() + "_extensions");
  const std::string extensions =
      add_prose(page, introduction.translation, say, introduction.extensions,
                {introduction.file, introduction.extensions_line});
  page.find(page.name() + "_extensions", say("{}: extensions", {introduction.title}), "",
            extensions);
  page.html(way_of(course, chapter));
  return page;
}

}  // namespace ladder::weave
