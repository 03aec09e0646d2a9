#include "docs/weave/listing.hpp"

#include <algorithm>
#include <map>

#include "common/harness/text.hpp"
#include "docs/weave/difference.hpp"
#include "docs/weave/highlight.hpp"
#include "docs/weave/html.hpp"

namespace ladder::weave {

namespace {

bool is_blank(const std::string& line) {
  return trim(line).empty();
}

// Blank lines at both ends go; the number of the first line moves with them.
void trim_lines(Segment& segment) {
  while (!segment.lines.empty() && is_blank(segment.lines.back())) segment.lines.pop_back();
  while (!segment.lines.empty() && is_blank(segment.lines.front())) {
    segment.lines.erase(segment.lines.begin());
    ++segment.first_line;
  }
}

}  // namespace

std::vector<Segment> segments_of(const std::vector<std::string>& lines, const SolverHeader& header,
                                 bool with_solution) {
  std::map<int, const ProseLine*> prose;
  for (const ProseLine& line : header.prose_lines) prose[line.line] = &line;
  std::vector<Segment> segments;
  const auto add = [&](bool is_prose, int number, const std::string& text) {
    if (segments.empty() || segments.back().prose != is_prose) {
      segments.push_back({is_prose, number, {}});
    }
    Segment& segment = segments.back();
    // Keys between two lines of prose leave their lines blank, so that numbers stay right.
    const auto missing = static_cast<std::size_t>(number - segment.first_line);
    if (segment.lines.size() < missing) segment.lines.resize(missing);
    segment.lines.push_back(text);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const auto found = prose.find(number);
    if (found != prose.end()) {
      if (with_solution || !found->second->of_solution) add(true, number, found->second->text);
    } else if (trim(lines[i]).rfind("//!", 0) != 0) {
      add(false, number, lines[i]);
    }
  }
  for (Segment& segment : segments) trim_lines(segment);
  std::erase_if(segments, [](const Segment& segment) { return segment.lines.empty(); });
  return segments;
}

std::vector<std::string> code_of(const std::vector<Segment>& segments) {
  std::vector<std::string> code;
  for (const Segment& segment : segments) {
    if (segment.prose) continue;
    if (!code.empty()) code.emplace_back();
    code.insert(code.end(), segment.lines.begin(), segment.lines.end());
  }
  return code;
}

std::string numbered_listing(const std::vector<std::string>& lines, int first_line,
                             const Words& say) {
  const std::vector<std::string> coloured = highlight(lines);
  std::string html = "<div class=\"kl-code\" tabindex=\"0\"><pre>";
  int number = first_line;
  for (const std::string& line : coloured) {
    const std::string n = std::to_string(number++);
    html += "<span class=\"kl-line\" id=\"L" + n + "\"><a class=\"kl-number\" href=\"#L" + n +
            "\" tabindex=\"-1\" aria-label=\"" + say("line {}", {n}) + "\">" + n + "</a>" + line +
            "\n</span>";
  }
  return html + "</pre></div>\n";
}

std::string plain_listing(const std::vector<std::string>& code) {
  return "<div class=\"kl-code kl-copyable\" tabindex=\"0\"><pre>" + join(highlight(code), "\n") +
         "\n</pre></div>\n";
}

void add_program(Page& page, const std::vector<Segment>& segments, const std::string& file,
                 const Translation& translation, const Words& say) {
  bool begun = false;
  for (const Segment& segment : segments) {
    begun = begun || !segment.prose;
    if (!begun) continue;
    if (segment.prose) {
      add_prose(page, translation, say, join(segment.lines, "\n"), {file, segment.first_line});
    } else {
      page.html(numbered_listing(segment.lines, segment.first_line, say));
    }
  }
}

namespace {

constexpr int context = 4;  // unchanged lines kept round a change

std::string side(const std::vector<std::string>& lines, int first, int count,
                 const std::string& tag, const std::string& sign) {
  std::string html;
  for (int i = first; i < first + count; ++i) {
    html += "<" + tag + "><span class=\"kl-sign\">" + sign + "</span>" +
            lines[static_cast<std::size_t>(i)] + "\n</" + tag + ">";
  }
  return html;
}

std::string row(const std::string& kind, const std::string& before, const std::string& after) {
  return "<div class=\"kl-hunk " + kind + "\"><pre class=\"kl-before\">" + before +
         "</pre><pre class=\"kl-after\">" + after + "</pre></div>";
}

}  // namespace

std::string difference_html(const std::vector<std::string>& before,
                            const std::vector<std::string>& after, const std::string& parent_title,
                            const std::string& parent_file, const Words& say) {
  const Difference difference = compare(before, after);
  const std::vector<std::string> old_lines = highlight(before), new_lines = highlight(after);
  std::string rows;
  for (std::size_t h = 0; h < difference.hunks.size(); ++h) {
    const Hunk& hunk = difference.hunks[h];
    if (!hunk.same) {
      rows += row("kl-changed", side(old_lines, hunk.before_first, hunk.before_count, "del", "−"),
                  side(new_lines, hunk.after_first, hunk.after_count, "ins", "+"));
      continue;
    }
    const int head = h == 0 ? 0 : std::min(context, hunk.after_count);
    const int tail =
        h + 1 == difference.hunks.size() ? 0 : std::min(context, hunk.after_count - head);
    const int hidden = hunk.after_count - head - tail;
    const auto same = [&](int offset, int count) {
      if (count == 0) return std::string();
      return row("kl-same", side(old_lines, hunk.before_first + offset, count, "span", " "),
                 side(new_lines, hunk.after_first + offset, count, "span", " "));
    };
    rows += same(0, head);
    if (hidden > 0) {
      rows +=
          "<div class=\"kl-skipped\">" +
          say(hidden == 1 ? "{} line as before" : "{} lines as before", {std::to_string(hidden)}) +
          "</div>";
    }
    rows += same(head + hidden, tail);
  }
  return "<details class=\"kl-difference\"><summary>" +
         say("Compared with {}:", {inline_code(parent_title)}) + " <span class=\"kl-added\">+" +
         std::to_string(difference.added) + "</span> <span class=\"kl-removed\">−" +
         std::to_string(difference.removed) + "</span></summary>\n<p>" +
         say("{} is on the left where there is room for both, and otherwise first.",
             {link(parent_file, parent_title)}) +
         "</p>\n" + "<div class=\"kl-code kl-hunks\" tabindex=\"0\">" + rows + "</div></details>\n";
}

}  // namespace ladder::weave
