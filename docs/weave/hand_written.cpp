#include "docs/weave/hand_written.hpp"

#include <optional>

#include "common/harness/files.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace {

struct Heading {
  std::string title, anchor;
};

// "## Title {#anchor}" with `marks` = "## "
std::optional<Heading> heading(std::string_view line, std::string_view marks) {
  const std::size_t brace = line.find(" {#");
  if (line.rfind(marks, 0) != 0 || brace == std::string_view::npos || line.back() != '}') {
    return std::nullopt;
  }
  return Heading{std::string(line.substr(marks.size(), brace - marks.size())),
                 std::string(line.substr(brace + 3, line.size() - brace - 4))};
}

}  // namespace

Page hand_written_page(std::string_view text, const std::string& file,
                       const Translation& translation, const Words& say) {
  const std::vector<std::string> lines = lines_of(text);
  const auto title = lines.empty() ? std::nullopt : heading(lines[0], "# ");
  if (!title) throw UsageError(file + ":1: a page begins with '# Title {#name}'");
  Page page(title->anchor, translation.title(title->title, title->anchor), {file, 1});
  add_language_note(page, translation, say);
  Heading section{page.title(), ""};
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
    if (const auto next = heading(lines[i], "## ")) {
      close();
      first_line = static_cast<int>(i) + 1;
      const Translation::Entry* said = translation.find(lines[i]);
      section = said == nullptr ? *next : heading(said->text, "## ").value_or(*next);
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
                      : read_translation(tree, file, say.language(), paragraphs_of(text, shown));
    pages.push_back(hand_written_page(text, shown, translation, say));
  }
  return pages;
}

}  // namespace ladder::weave
