// The index by CUDA feature: every name that some @new gives, by its kind.
#include <algorithm>
#include <cctype>
#include <map>

#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

namespace {

// "float4", "blockIdx", "__syncthreads", "cp.async": written as code wherever it stands.
bool is_code_word(std::string_view word) {
  const auto is = [](int (*kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  if (word.find('_') != word.npos) return true;
  if (word.find_first_of("-'") != word.npos) return false;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool lower_before = is(std::islower, word[i - 1]);
    if (lower_before && (is(std::isupper, word[i]) || is(std::isdigit, word[i]))) return true;
    if (lower_before && word[i] == '.' && i + 1 < word.size()) return true;
  }
  return false;
}

// Who introduces a name, in the course's order.
struct Use {
  const Chapter* chapter;
  const Solver* solver;
};

std::map<std::string, std::vector<Use>> uses_in(const Course& course) {
  std::map<std::string, std::vector<Use>> uses;
  const auto add = [&](const Chapter& chapter, const Solver& solver) {
    for (const std::string& name : solver.header.introduces) {
      uses[name].push_back({&chapter, &solver});
    }
  };
  for (const Chapter& chapter : course.chapters) {
    for (const auto* list : {&chapter.steps, &chapter.programs, &chapter.ceilings}) {
      for (const Solver& solver : *list) add(chapter, solver);
    }
    for (const Exercise& exercise : chapter.exercises) add(chapter, exercise);
  }
  return uses;
}

std::string links_to(const std::vector<Use>& uses) {
  std::string html;
  for (const Use& use : uses) {
    html += (html.empty() ? "" : "<br>") + use.chapter->number + " · " +
            link(use.solver->page_file(), use.solver->header.title);
  }
  return html;
}

std::string feature_anchor(const std::string& name) {
  std::string anchor = "feature_";
  for (const char c : name) {
    anchor += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return anchor;
}

std::string feature_html(const std::string& name, const Words& say) {
  std::string html;
  for (const std::string& word : split_words(say.name(name))) {
    html += (html.empty() ? "" : " ") +
            (is_code_word(word) ? "<code>" + escape(word) + "</code>" : escape(word));
  }
  return html;
}

}  // namespace

std::string features_html(const std::vector<std::string>& names, const Words& say) {
  std::string html;
  for (const std::string& name : names) {
    html += (html.empty() ? "" : ", ") + std::string("<a href=\"features.html#") +
            feature_anchor(name) + "\">" + feature_html(name, say) + "</a>";
  }
  return html;
}

Page feature_page(const Course& course) {
  const Words& say = *course.words;
  Page page("features", say("CUDA features, and where they are first used"), {});
  page.html("<p>" + say("Every name here is taken from the <code>@new</code> of a step.") + "</p>");
  const std::map<std::string, std::vector<Use>> uses = uses_in(course);
  for (const FeatureKind& kind : course.feature_kinds) {
    HtmlTable table({say("feature or idea"), say("first met in")}, "kl-table kl-features");
    for (const std::string& name : kind.names) {
      const auto used = uses.find(name);
      if (used == uses.end()) continue;
      table.add({"<span id=\"" + feature_anchor(name) + "\">" + feature_html(name, say) + "</span>",
                 links_to(used->second)});
    }
    if (table.empty()) continue;
    page.heading(say(kind.title), "features_" + slug(kind.title));
    page.html(table.text());
  }
  page.find("", page.title(), "", say("index of features"));
  return page;
}

}  // namespace ladder::weave
