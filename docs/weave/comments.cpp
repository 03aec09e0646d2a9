#include "docs/weave/comments.hpp"

#include <algorithm>
#include <vector>

#include "common/harness/text.hpp"

namespace ladder::weave {

namespace {

// Text of a "//" comment with Doxygen's own characters escaped, except in `code` and in "quotes",
// which it takes as they are.
std::string escaped(std::string_view text) {
  std::string safe;
  bool code = false, quoted = false, quotes_end = true;
  for (const char c : text) {
    code ^= c == '`';
    quotes_end ^= c == '"' && !code;
  }
  code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    code ^= c == '`';
    quoted ^= c == '"' && !code && quotes_end;
    if (code || quoted) {
      safe += c;
    } else if (c == '<' && text.substr(i, 2) != "</") {
      safe += "&lt;";
    } else if (text.substr(i, 6) == "file:l") {
      safe += "%file:";  // "file:line" is no address
      i += 4;
    } else if (c == '@' || c == '\\' || c == '#' || c == '*') {
      safe += std::string("\\") + c;
    } else {
      safe += c;
    }
  }
  return safe;
}

// "// text" -> " text"; an indented example -> Markdown's code, as it is; a list stays one.
std::string body_of(std::string_view comment) {
  std::string_view text = comment.substr(2);
  if (text.rfind("   ", 0) == 0 && text.rfind("   - ", 0) != 0)
    return "     " + std::string(text.substr(3));
  return escaped(text);
}

// Where the comment of a line of code begins, or npos. Strings are few in headers, but "//" may
// stand in one.
std::size_t comment_begin(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && line[i] == '/' && line[i + 1] == '/') return i;
  }
  return line.npos;
}

// Follows the braces of a header's code: are declarations made here, or is it a function's body?
class Scopes {
 public:
  bool declares() const { return bodies_ == 0; }

  void read(std::string_view code) {
    for (const char c : code) {
      if (c == '{') {
        const bool body = bodies_ > 0 || !is_scope(statement_);
        open_.push_back(body);
        bodies_ += body ? 1 : 0;
      } else if (c == '}' && !open_.empty()) {
        bodies_ -= open_.back() ? 1 : 0;
        open_.pop_back();
      }
      if (c == '{' || c == '}' || c == ';') {
        statement_.clear();
      } else {
        statement_ += c;
      }
    }
    statement_ += ' ';
  }

 private:
  static bool is_scope(const std::string& statement) {
    for (const std::string& word : split_words(statement)) {
      if (word == "namespace" || word == "class" || word == "struct" || word == "union" ||
          word == "enum" || word == "extern") {
        return statement.find('(') == statement.npos;
      }
    }
    return false;
  }

  std::string statement_;  // since the last ; { or }
  std::vector<bool> open_;
  int bodies_ = 0;
};

bool says_nothing(std::string_view code) {
  code = trim(code);
  return code.ends_with("= delete;") || code.ends_with("() = default;");
}

bool is_comment(std::string_view line) {
  return trim(line).rfind("//", 0) == 0;
}

}  // namespace

std::string doxygen_comments(std::string_view header) {
  const std::vector<std::string> lines = lines_of(header);
  Scopes scopes;
  std::string text;
  bool first_comment = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (is_comment(line)) {
      // A remark that a blank line sets apart belongs to no declaration.
      std::size_t end = i;
      while (end < lines.size() && is_comment(lines[end])) ++end;
      const bool belongs = end < lines.size() && !trim(lines[end]).empty();
      for (std::size_t at = i; at < end; ++at) {
        const bool documents = first_comment || (belongs && scopes.declares());
        const std::string body = body_of(trim(lines[at]));
        text += documents
                    ? (first_comment && at == i ? "/// \\file" + std::string("\n///") : "///") +
                          body + "\n"
                    : lines[at] + "\n";
      }
      first_comment = false;
      i = end - 1;
      continue;
    }
    // Makes up for the line that "\file" took.
    if (trim(line) == "#pragma once") continue;
    const std::size_t comment = comment_begin(line);
    const std::string code = line.substr(0, comment);
    const bool declared = scopes.declares();
    scopes.read(code);
    if (says_nothing(code)) {
      text += "\n";
    } else if (comment != line.npos && declared && trim(code) != "}") {
      text += code + "///<" + body_of(std::string_view(line).substr(comment)) + "\n";
    } else {
      text += line + "\n";
    }
  }
  return text;
}

std::string purpose_of(std::string_view header) {
  std::string text;
  for (const std::string& line : lines_of(header)) {
    if (!is_comment(line)) break;
    text += line.substr(line.size() > 2 && line[2] == ' ' ? 3 : 2) + "\n";
  }
  return text;
}

}  // namespace ladder::weave
