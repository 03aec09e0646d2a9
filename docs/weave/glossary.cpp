#include "docs/weave/glossary.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Of UTF-8's characters beyond ASCII.
bool begins_character(char c) {
  return static_cast<unsigned char>(c) >= 0xc0;
}

// How long `form` is at `at`, where it stands as whole words, alone or with an s; else 0.
std::size_t length_at(std::string_view line, std::size_t at, std::string_view form) {
  if (line.size() - at < form.size()) return 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (lower(line[at + i]) != form[i]) return 0;
  }
  std::size_t end = at + form.size();
  if (end < line.size() && line[end] == 's') ++end;
  const bool ends = end == line.size() || (!is_letter(line[end]) && line[end] != '-');
  return ends ? end - at : 0;
}

}  // namespace

Glossary::Glossary(std::string_view text, const std::vector<Term>& others) {
  const auto add = [&](std::string words, const std::string& anchor) {
    std::transform(words.begin(), words.end(), words.begin(), lower);
    forms_.push_back({std::move(words), anchor});
  };
  std::map<std::string, std::string> anchors;  // of a term's first form
  for (const std::string& line : lines_of(text)) {
    const std::optional<Heading> term = heading_of(line);
    if (!term || term->anchor.empty()) continue;
    const std::vector<std::string> forms = split_list(term->title, ',');
    anchors[forms.front()] = term->anchor;
    if (term->level != 3) continue;
    for (const std::string& form : forms) add(form, term->anchor);
  }
  for (const Term& other : others) {
    const auto known = anchors.find(other.english);
    if (known == anchors.end())
      throw UsageError("the glossary does not explain '" + other.english + "'");
    add(other.words, known->second);
  }
  std::stable_sort(forms_.begin(), forms_.end(),
                   [](const Form& a, const Form& b) { return a.words.size() > b.words.size(); });
}

Glossary::Found Glossary::longest_at(std::string_view line, std::size_t at) const {
  for (const Form& form : forms_) {
    if (const std::size_t length = length_at(line, at, form.words)) return {&form.anchor, length};
  }
  return {};
}

// Goes through a page's lines and remembers which terms it has met, and what is open.
class TermLinker {
 public:
  explicit TermLinker(const Glossary& glossary) : glossary_(glossary) {}

  std::string take(const std::string& line) {
    if (is_passed_over(line)) return line;
    text_.clear();
    for (std::size_t at = 0; at < line.size();) {
      if (const std::size_t end = closed_at(line, at); end > at) {
        text_ += line.substr(at, end - at);
        at = end;
      } else {
        at = take_word(line, at);
      }
    }
    return text_;
  }

 private:
  bool is_passed_over(const std::string& line) {
    const std::string_view said = trim(line);
    if (said.rfind("\\htmlonly", 0) == 0) html_ = true;
    if (said.rfind("\\endhtmlonly", 0) == 0) html_ = false;
    const bool fence = turns_fence(said);
    if (fence) fenced_ = !fenced_;
    const bool indented = line.rfind("    ", 0) == 0 && (blank_before_ || indented_);
    blank_before_ = said.empty();
    if (said.empty()) {
      code_ = 0;  // a paragraph's end ends all that is open
      bracket_ = 0;
      stars_ = 0;
      quoted_ = false;
      return true;
    }
    indented_ = indented;
    return html_ || fence || fenced_ || indented || said[0] == '#' || said[0] == '|' ||
           said[0] == '@' || said[0] == '\\';
  }

  // The end of what must not be changed and begins, or goes on, at `at`; `at` itself if nothing.
  std::size_t closed_at(const std::string& line, std::size_t at) {
    const auto behind = [&](std::string_view end, std::size_t from) {
      const std::size_t found = line.find(end, from);
      return found == std::string::npos ? line.size() : found + end.size();
    };
    if (line[at] == '`') {
      const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
      if (code_ == 0) {
        code_ = end - at;
      } else if (code_ == end - at) {
        code_ = 0;
      }
      return end;
    }
    if (code_ > 0) return at + 1;
    if (line[at] == '*') return behind_stars(line, at);
    if (stars_ > 0) return at + 1;            // a tag inside would end Doxygen's emphasis
    if (line[at] == '"') quoted_ = !quoted_;  // Doxygen shows what is in quotes as it is
    if (line[at] == '"' || quoted_) return at + 1;
    if (line[at] == '[') ++bracket_;
    if (line[at] == ']' && bracket_ > 0) {
      --bracket_;
      const bool target = bracket_ == 0 && at + 1 < line.size() && line[at + 1] == '(';
      return target ? behind(")", at + 1) : at + 1;
    }
    if (bracket_ > 0) return at + 1;
    if (line[at] == '<') return behind(">", at);
    if (line.compare(at, 3, "\\f$") == 0) return behind("\\f$", at + 3);
    return at;
  }

  // Stars open before a word and close behind one; "2 * t" and a list's "* " do neither.
  std::size_t behind_stars(const std::string& line, std::size_t at) {
    const std::size_t end = std::min(line.find_first_not_of('*', at), line.size());
    const bool before_word = end < line.size() && line[end] != ' ';
    const bool behind_word = at > 0 && line[at - 1] != ' ';
    if (stars_ == end - at && behind_word) {
      stars_ = 0;
    } else if (stars_ == 0 && before_word) {
      stars_ = end - at;
    }
    return end;
  }

  std::size_t take_word(const std::string& line, std::size_t at) {
    if (!is_letter(line[at]) && !begins_character(line[at])) {
      text_ += line[at];
      return at + 1;
    }
    const auto stops = [&](std::size_t place, const char* marks) {
      return place < line.size() && std::string_view(marks).find(line[place]) != std::string::npos;
    };
    // Parts of a longer name are no words of their own.
    const bool inside = at > 0 && stops(at - 1, "-./");
    const Glossary::Found found = inside ? Glossary::Found{} : glossary_.longest_at(line, at);
    const bool is_term = found.length > 0;
    std::size_t end = at;
    while (end < line.size() && is_letter(line[end])) ++end;
    if (end == at) ++end;  // the first byte of a character; the others follow by themselves
    if (is_term) end = at + found.length;
    const std::string word = line.substr(at, end - at);
    if (is_term && met_.insert(*found.anchor).second) {
      text_ += "<a class=\"kl-term\" href=\"glossary.html#" + *found.anchor + "\">" + word + "</a>";
    } else {
      text_ += word;
    }
    return end;
  }

  const Glossary& glossary_;
  std::set<std::string> met_;
  std::string text_;
  bool html_ = false, fenced_ = false, indented_ = false, quoted_ = false, blank_before_ = true;
  std::size_t code_ = 0;   // backticks that the open code began with
  std::size_t stars_ = 0;  // likewise of emphasis
  int bracket_ = 0;
};

std::string Glossary::linked(std::string_view markdown) const {
  TermLinker linker(*this);
  std::string text;
  for (const std::string& line : lines_of(markdown)) text += linker.take(line) + "\n";
  return text;
}

std::vector<Glossary::Term> parse_terms(std::string_view text, const std::string& file) {
  std::vector<Glossary::Term> terms;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (trim(line).empty() || line[0] == '#') continue;
    const std::size_t middle = line.find(" = ");
    if (middle == line.npos) {
      throw UsageError(file + ":" + std::to_string(number) + ": expected 'warp = its names'");
    }
    for (const std::string& words : split_list(line.substr(middle + 3), ',')) {
      terms.push_back({std::string(trim(line.substr(0, middle))), words});
    }
  }
  return terms;
}

}  // namespace ladder::weave
