#include "docs/weave/hand_written.hpp"

#include <optional>

#include "common/harness/files.hpp"
#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace {

// A page's own title, or that of a section; the others are text.
std::optional<Heading> anchored(std::string_view line, std::size_t level) {
  std::optional<Heading> heading = heading_of(line);
  if (heading && (heading->level != level || heading->anchor.empty())) heading.reset();
  return heading;
}

}  // namespace

Page hand_written_page(std::string_view text, const std::string& file,
                       const Translation& translation, const Words& say) {
  const std::vector<std::string> lines = lines_of(text);
  const auto title = lines.empty() ? std::nullopt : anchored(lines[0], 1);
  if (!title) throw UsageError(file + ":1: a page begins with '# Title {#name}'");
  Page page(title->anchor, translation.title(title->title, title->anchor), {file, 1});
  page.set_translation(translation);
  add_language_note(page, translation, say);
  Heading section{1, page.title(), ""};
  std::string section_text;
  int first_line = 2;
  const auto close = [&] {
    const std::string name =
        section.anchor.empty() ? section.title : page.title() + ": " + section.title;
    std::vector<std::string> shown =
        lines_of(add_prose(page, translation, say, section_text, {file, first_line}));
    std::erase_if(shown, [](const std::string& line) { return line.rfind("## ", 0) == 0; });
    page.find(section.anchor, name, "", join(shown, "\n"));
    section_text.clear();
  };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (const auto next = anchored(lines[i], 2)) {
      close();
      first_line = static_cast<int>(i) + 1;
      const Translation::Entry* said = translation.find(lines[i]);
      section = said == nullptr ? *next : anchored(said->text, 2).value_or(*next);
    }
    section_text += lines[i] + "\n";
  }
  close();
  return page;
}

std::vector<Page> hand_written_pages(const Tree& tree, const Words& say) {
  const std::filesystem::path folder = tree.source / "docs" / "pages";
  std::vector<Page> pages;
  for (const std::string& line : lines_of(read_file(folder / "contents.txt"))) {
    const std::string name(trim(line));
    if (name.empty()) continue;
    const std::filesystem::path file = folder / (name + ".md");
    const std::string text = read_file(file), shown = "docs/pages/" + name + ".md";
    const Translation translation =
        say.english() ? Translation()
                      : read_translation(tree, file, say.language(), page_paragraphs(tree, file));
    pages.push_back(hand_written_page(text, shown, translation, say));
  }
  return pages;
}

}  // namespace ladder::weave
