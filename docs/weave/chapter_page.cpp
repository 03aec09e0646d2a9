// A chapter's page: introduction, table of steps, graph, plot, what the measurements say.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/figures.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

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
  return way_html(neighbour(-1), {"index.html", "All chapters"}, next);
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
  std::vector<std::string> head = {"step", "new"};
  const Measurements* measured = chapter.measured.empty() ? nullptr : &chapter.measured.front();
  const std::vector<Sizes> sizes = measured == nullptr ? std::vector<Sizes>{} : measured->sizes();
  for (const Sizes& at : sizes) head.push_back("speed at " + sizes_text(at));
  for (const std::string& name : counters) head.push_back("<code>" + escape(name) + "</code>");
  HtmlTable table(head, "kl-table kl-steps");
  Sizes counted_at;
  for (const Solver& step : chapter.steps) {
    std::vector<std::string> cells = {link(step.page_file(), step.header.title),
                                      features_html(step.header.introduces)};
    for (const Sizes& at : sizes) {
      const Timing* timing = measured->find(step.entry.id(), at);
      cells.push_back(timing == nullptr ? "–" : shares_text(*timing, "<br>"));
    }
    const auto found = chapter.counters.find(step.entry.id());
    for (const std::string& name : counters) {
      const bool known = found != chapter.counters.end() && found->second.counters.count(name) > 0;
      if (known) counted_at = found->second.at;
      cells.push_back(known ? count_text(found->second.counters.at(name)) : "–");
    }
    table.add(cells);
  }
  std::string html = table.text();
  if (measured != nullptr) html += provenance_html(*measured);
  if (!counted_at.empty()) {
    html += "<p class=\"kl-provenance\">Counted by the emulator at " + sizes_text(counted_at) +
            ", when this page was made.</p>\n";
  }
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
    html += "<li>" + link(exercise.page_file(), exercise.header.title);
    const Solver* parent = chapter.find(exercise.parent());
    if (parent != nullptr) html += ", after " + link(parent->page_file(), parent->header.title);
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

// One sentence for a step at a size, against its parent and the ceiling.
std::string sentence(const Chapter& chapter, const Measurements& measured, const Solver& step,
                     const Sizes& at) {
  const Timing* timing = measured.find(step.entry.id(), at);
  if (timing == nullptr) return "";
  const Solver* parent = chapter.find(step.parent());
  const Timing* before = parent == nullptr ? nullptr : measured.find(parent->entry.id(), at);
  std::string text =
      "<li>" + link(step.page_file(), step.header.title) + " takes " + time_text(timing->median_us);
  if (before != nullptr) {
    const bool apart = timing->high_us < before->low_us || timing->low_us > before->high_us;
    const double gain = before->median_us / timing->median_us;
    if (!apart) {
      text += ", which cannot be told from its parent's time";
    } else if (gain > 1) {
      text += ", " + fixed(gain, gain < 10 ? 2 : 0) + " times as fast as its parent";
    } else {
      text += ", <strong>slower than its parent</strong> by " + percent_text(1 / gain - 1);
    }
  }
  if (!timing->ceilings.empty()) {
    text += ": " + shares_text(*timing);
    if (timing->ceilings.front().ratio_low >= 1)
      text += ", at or above " + escape(timing->ceilings.front().name);
  }
  return text + ".</li>\n";
}

void add_measurements(Page& page, const Chapter& chapter) {
  if (chapter.measured.empty()) return;
  page.heading("What the measurements say", page.name() + "_measurements");
  std::string html;
  for (const Measurements& measured : chapter.measured) {
    html += ladder_plot(chapter, measured) + roofline(chapter, measured);
    for (const Sizes& at : measured.sizes()) {
      html += "<p>At " + sizes_text(at) + ":</p>\n<ul>\n";
      for (const Solver& step : chapter.steps) html += sentence(chapter, measured, step, at);
      html += "</ul>\n";
    }
    html += provenance_html(measured);
  }
  page.html(html);
  page.find(page.name() + "_measurements",
            chapter.introduction.title + ": what the measurements say", "", "measured ceiling");
}

}  // namespace

Page chapter_page(const Course& course, const Chapter& chapter) {
  const Introduction& introduction = chapter.introduction;
  Page page(introduction.anchor, introduction.title, {introduction.file, 1});
  page.html(way_of(course, chapter));
  page.markdown(introduction.body, {introduction.file, introduction.body_line});
  page.find("", introduction.title, "", introduction.body);
  page.heading("The steps", page.name() + "_steps");
  page.html(step_graph(chapter) + step_table(chapter));
  if (!chapter.programs.empty() || !chapter.ceilings.empty()) {
    page.html("<p>Besides the steps:</p><ul>" + list_of(chapter.ceilings) +
              list_of(chapter.programs) + "</ul>");
  }
  if (!chapter.exercises.empty()) {
    page.heading("Exercises", page.name() + "_exercises");
    page.html(exercise_list(chapter));
  }
  add_measurements(page, chapter);
  if (const std::string claims = claims_html(chapter); !claims.empty()) {
    page.heading("What is claimed, and what asserts it", page.name() + "_claims");
    page.html(claims + wrong_solvers_html(chapter));
  }
  page.heading("Possibilities for extensions", page.name() + "_extensions");
  page.markdown(introduction.extensions, {introduction.file, introduction.extensions_line});
  page.find(page.name() + "_extensions", introduction.title + ": extensions", "",
            introduction.extensions);
  page.html(way_of(course, chapter));
  return page;
}

Page feature_page(const Course& course) {
  Page page("features", "CUDA features, and where they are first used", {});
  std::vector<std::pair<std::string, const Solver*>> uses;
  for (const Chapter& chapter : course.chapters) {
    for (const auto* list : {&chapter.steps, &chapter.programs, &chapter.ceilings}) {
      for (const Solver& solver : *list) {
        for (const std::string& name : solver.header.introduces) uses.emplace_back(name, &solver);
      }
    }
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  HtmlTable table({"feature or idea", "first met in"}, "kl-table kl-steps");
  for (std::size_t i = 0; i < uses.size();) {
    const std::string& name = uses[i].first;
    std::string links;
    for (; i < uses.size() && uses[i].first == name; ++i) {
      links += (links.empty() ? "" : ", ") +
               link(uses[i].second->page_file(), uses[i].second->header.title);
    }
    table.add({"<span id=\"" + feature_anchor(name) + "\"><code>" + escape(name) + "</code></span>",
               links});
  }
  page.html("<p>Every name here is taken from the <code>@new</code> of a step.</p>" + table.text());
  page.find("", page.title(), "", "index of features");
  return page;
}

}  // namespace ladder::weave
