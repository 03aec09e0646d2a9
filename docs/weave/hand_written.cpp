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

Page hand_written_page(std::string_view text, const std::string& file) {
  const std::vector<std::string> lines = lines_of(text);
  const auto title = lines.empty() ? std::nullopt : heading(lines[0], "# ");
  if (!title) throw UsageError(file + ":1: a page begins with '# Title {#name}'");
  Page page(title->anchor, title->title, {file, 1});
  std::string body, section_text;
  Heading section{title->title, ""};
  const auto close = [&] {
    const std::string name =
        section.anchor.empty() ? section.title : title->title + ": " + section.title;
    page.find(section.anchor, name, "", section_text);
    section_text.clear();
  };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (const auto next = heading(lines[i], "## ")) {
      close();
      section = *next;
    } else {
      section_text += lines[i] + "\n";
    }
    body += lines[i] + "\n";
  }
  close();
  page.markdown(body, {file, 2});
  return page;
}

std::vector<Page> hand_written_pages(const std::filesystem::path& source) {
  const std::filesystem::path folder = source / "docs" / "pages";
  std::vector<Page> pages;
  for (const std::string& line : lines_of(read_file(folder / "contents.txt"))) {
    const std::string name(trim(line));
    if (name.empty()) continue;
    pages.push_back(
        hand_written_page(read_file(folder / (name + ".md")), "docs/pages/" + name + ".md"));
  }
  return pages;
}

}  // namespace ladder::weave
