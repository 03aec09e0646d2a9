#include "docs/weave/materials.hpp"

#include "common/harness/files.hpp"
#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/listing.hpp"
#include "docs/weave/prose.hpp"
#include "docs/weave/trace.hpp"

namespace ladder::weave {

namespace {

// Of "## Title": 2; of other lines 0.
std::size_t level_of(const std::string& line) {
  const std::optional<Heading> heading = heading_of(line);
  return heading ? heading->level : 0;
}

class Expansion {
 public:
  explicit Expansion(const Materials& materials) : materials_(materials) {}

  // Whether the line asked for something, which is then in `into`.
  bool take(const std::string& line, const Origin& origin, Page& into) {
    try {
      if (const std::optional<Include> wanted = include_of(line)) {
        include(*wanted, into);
      } else if (line.rfind("@code ", 0) == 0) {
        const std::string file(trim(std::string_view(line).substr(6)));
        into.html(plain_listing(lines_of(read(file))));
      } else if (const std::string command = terminal_command(line); !command.empty()) {
        into.html(terminal_html(command, answer_to(command), *materials_.words));
      } else if (is_trace_line(line)) {
        into.html(trace_html(line, answer_to(line), *materials_.words));
      } else {
        return false;
      }
    } catch (const Error& bad) {
      throw UsageError(origin.file + ":" + std::to_string(origin.line) + ": " + bad.what());
    }
    return true;
  }

 private:
  std::string read(const std::string& file) const {
    const bool made = file.rfind("build/", 0) == 0;
    return read_file(made ? materials_.build / file.substr(6) : materials_.source / file);
  }

  const Answer& answer_to(const std::string& command) const {
    const auto found = materials_.answers.find(command);
    if (found == materials_.answers.end()) {
      throw UsageError("nobody has run `" + command + "` for the site; `./ladder docs` does");
    }
    return found->second;
  }

  void include(const Include& wanted, Page& into) const {
    const Section section = section_of(read(wanted.file), wanted.heading);
    if (section.lines.empty()) {
      throw UsageError(wanted.file + " has no section '" + wanted.heading + "'");
    }
    Page said("", "", {});  // in the language of the edition
    add_prose(said, into.translation(), *materials_.words, join(section.lines, "\n"),
              {wanted.file, section.first_line});
    bool fenced = false;
    int number = 0;
    std::string title = into.title(), anchor, text;
    for (std::string line : lines_of(said.text())) {
      const Origin origin = said.author(++number);
      if (number <= 2) continue;  // the heading that every page has
      if (origin.line > 0 && turns_fence(line)) fenced = !fenced;
      const bool prose = origin.line > 0 && !fenced;
      const std::optional<Heading> heading = prose ? heading_of(line) : std::nullopt;
      if (heading) {
        into.find(anchor, title, "", text);
        title = into.title() + ": " + heading->title;
        anchor = into.name() + "_" + slug(heading->title);
        text.clear();
        line += " {#" + anchor + "}";
      } else if (origin.line > 0) {
        text += line + "\n";
        if (prose) line = with_site_links(line, materials_.page_of_file);
      }
      into.line(line, origin, true);
    }
    into.find(anchor, title, "", text);
    into.line("", {});
  }

  const Materials& materials_;
};

// Links to the sections of a page that has many; they stand ahead of the first.
std::string sections_html(Page& page, const Words& say) {
  constexpr int many = 4;
  std::string links;
  int count = 0;
  page.rewrite([&](const std::string& line, const Origin&, Page&) {
    const std::optional<Heading> heading = heading_of(line);
    if (!heading || heading->level != 2 || heading->anchor.empty()) return false;
    ++count;
    links +=
        "<li><a href=\"#" + heading->anchor + "\">" + inline_code(heading->title) + "</a></li>";
    return false;
  });
  if (count < many) return "";
  return "<nav class=\"kl-sections\" aria-label=\"" + say("Sections") + "\"><ul>" + links +
         "</ul></nav>\n";
}

}  // namespace

std::string with_site_links(const std::string& line,
                            const std::map<std::string, std::string>& page_of_file) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t middle; (middle = line.find("](", at)) != std::string::npos;) {
    const std::size_t begin = line.rfind('[', middle), end = line.find(')', middle);
    if (begin == std::string::npos || begin < at || end == std::string::npos) break;
    const std::string target = line.substr(middle + 2, end - middle - 2);
    const auto page = page_of_file.find(target);
    text += line.substr(at, begin - at);
    if (target.find("://") != std::string::npos || target.rfind('#', 0) == 0) {
      text += line.substr(begin, end + 1 - begin);
    } else if (page != page_of_file.end()) {
      text += line.substr(begin, middle + 2 - begin) + page->second + ")";
    } else {
      text += line.substr(begin + 1, middle - begin - 1);
    }
    at = end + 1;
  }
  return text + line.substr(at);
}

void add_materials(Page& page, const Materials& materials) {
  Expansion expansion(materials);
  page.rewrite([&](const std::string& line, const Origin& origin, Page& into) {
    return expansion.take(line, origin, into);
  });
  const std::string sections = sections_html(page, *materials.words);
  bool begun = false;
  page.rewrite([&](const std::string& line, const Origin&, Page& into) {
    if (!begun && !sections.empty() && level_of(line) == 2) {
      into.html(sections);
      begun = true;
    }
    return false;
  });
}

}  // namespace ladder::weave
