#include "common/harness/verdict.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/site.hpp"

namespace ladder::weave {

namespace {

// "../" for an edition in a folder of its own.
std::string way_home(const Edition& edition) {
  return edition.folder.empty() ? "" : "../";
}

// The same page in the other languages.
std::string language_links(const Edition& edition, const std::string& home) {
  std::string html;
  for (const Edition& other : editions()) {
    if (other.language == edition.language) continue;
    html += "<a class=\"kl-language\" lang=\"" + other.tag + "\" hreflang=\"" + other.tag +
            "\" href=\"" + way_home(edition) + home + other.folder +
            (home.empty() ? page_placeholder : "api.html") + "\">" + other.name + "</a>\n";
  }
  return html;
}

// What ladder.js says, for it to read.
std::string script_words(const Words& say) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"copy", say("Copy")},
      {"copied", say("Copied")},
      {"nothing", say("Nothing has these words.")},
      {"no-search", say("This copy of the site was made without its search (npm was missing).")},
  };
  std::string attributes;
  for (const auto& [name, text] : words) {
    attributes += " data-" + name + "=\"" + escape(text) + "\"";
  }
  return attributes;
}

std::string items(const Chapter& chapter, const std::string& home) {
  std::string html;
  const auto item = [&](const std::string& file, const std::string& title) {
    html += "<li>" + link(home + file, title) + "</li>";
  };
  item(chapter.page_file(), (*chapter.words)("Introduction"));
  for (const auto* list : {&chapter.steps, &chapter.ceilings, &chapter.programs}) {
    for (const Solver& solver : *list) item(solver.page_file(), solver.header.title);
  }
  for (const Exercise& exercise : chapter.exercises) {
    item(exercise.page_file(), exercise.header.title);
  }
  return html;
}

void replace_first(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) {
    throw MachineError("Doxygen's page template has no '" + what +
                       "'; its version is unknown to us");
  }
  text.replace(at, what.size(), with);
}

// From `begin` to `end`, both included, if they are there.
void remove_between(std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  const std::size_t to = from == std::string::npos ? from : text.find(end, from);
  if (to != std::string::npos) text.erase(from, to + end.size() - from);
}

}  // namespace

std::string navigation_html(const Course& course, const std::vector<Page>& hand_written,
                            const Edition& edition, const std::string& home) {
  const Words& say = *course.words;
  std::string html =
      "<a class=\"kl-skip\" href=\"#kl-content\">" + say("Skip to the text") +
      "</a>\n"
      "<div class=\"kl-bar\" role=\"banner\"" +
      script_words(say) + "><a class=\"kl-brand\" href=\"" + home +
      "index.html\">"
      "Kernel Ladder</a>\n"
      "<div class=\"kl-find\" role=\"search\"><input id=\"kl-search\" type=\"search\" "
      "placeholder=\"" +
      say("Search") + "\" aria-label=\"" + say("Search the course") +
      "\" autocomplete=\"off\"/>"
      "<div id=\"kl-found\" aria-live=\"polite\"></div></div>\n" +
      language_links(edition, home) + "<button id=\"kl-theme\" type=\"button\" aria-label=\"" +
      say("Light or dark") +
      "\">◐</button>\n"
      "<button id=\"kl-menu\" type=\"button\" aria-expanded=\"false\" "
      "aria-controls=\"kl-contents\">" +
      say("Contents") + "</button></div>\n<nav id=\"kl-contents\" aria-label=\"" + say("Contents") +
      "\">\n<ul>";
  for (const Page& page : hand_written) {
    html += "<li>" + link(home + page.name() + ".html", page.title()) + "</li>";
  }
  html += "<li>" + link(home + "features.html", say("Index of CUDA features")) + "</li><li>" +
          link(home + "api.html", say("Reference")) + "</li></ul>\n";
  for (const Chapter& chapter : course.chapters) {
    html += "<details><summary>" + escape(chapter.number + " " + chapter.introduction.title) +
            "</summary><ul>" + items(chapter, home) + "</ul></details>\n";
  }
  return html + "</nav>\n<div id=\"kl-content\" tabindex=\"-1\"></div>\n";
}

std::string with_theme(std::string header_template, const std::string& navigation,
                       const Edition& edition, const std::string& home) {
  std::string& html = header_template;
  remove_between(html, "<!--BEGIN TITLEAREA-->", "<!--END TITLEAREA-->");
  // Loaded by ladder.js, and only by pages that have formulas.
  remove_between(html, "$mathjax", "$mathjax");
  const std::size_t tag = html.find("<html");
  const std::size_t tag_end = html.find('>', tag == std::string::npos ? 0 : tag);
  if (tag == std::string::npos || tag_end == std::string::npos) {
    throw MachineError("Doxygen's page template has no <html>");
  }
  html.replace(tag, tag_end + 1 - tag, "<html lang=\"" + edition.tag + "\">");
  replace_first(html, "</head>",
                "<script type=\"text/javascript\" src=\"$relpath^ladder.js\" data-shared=\"" +
                    way_home(edition) + home + "\" data-home=\"" + home + "\"></script>\n</head>");
  const std::size_t body = html.find("<body");
  const std::size_t body_end = html.find('>', body == std::string::npos ? 0 : body);
  if (body == std::string::npos || body_end == std::string::npos) {
    throw MachineError("Doxygen's page template has no <body>");
  }
  html.insert(body_end + 1, "\n" + navigation);
  return html;
}

}  // namespace ladder::weave
