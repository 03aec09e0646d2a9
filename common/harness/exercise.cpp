#include "common/harness/exercise.hpp"

#include <map>
#include <optional>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& message) {
  throw UsageError(file + ":" + std::to_string(line) + ": " + message);
}

// The rest of a "// [NAME..." comment line behind "// [NAME", or nothing.
std::optional<std::string_view> marker(std::string_view line, std::string_view name) {
  line = trim(line);
  const std::string start = "// [" + std::string(name);
  if (line.rfind(start, 0) != 0) return std::nullopt;
  return line.substr(start.size());
}

// "load: ~3 lines] Stage one element per thread." -> "load"
std::string hole_name(std::string_view rest, const std::string& file, std::size_t line) {
  const std::size_t colon = rest.find(':');
  const std::size_t bracket = rest.find(']');
  const std::string name(trim(rest.substr(0, colon)));
  if (colon == std::string_view::npos || bracket == std::string_view::npos || bracket < colon ||
      name.empty()) {
    fail(file, line, "a hole begins '// [hole name: ~3 lines] what goes here'");
  }
  if (trim(rest.substr(bracket + 1)).empty()) {
    fail(file, line, "hole '" + name + "' does not say what goes into it");
  }
  return name;
}

class StubWriter {
 public:
  explicit StubWriter(const std::string& file) : file_(file) {}

  std::string write(std::string_view solution) {
    for (const std::string& line : lines_of(solution)) {
      ++number_;
      take(line);
    }
    if (!hole_.empty()) {
      fail(file_, holes_[hole_], "hole '" + hole_ + "' is not closed: '// [/hole]' is missing");
    }
    if (holes_.empty()) fail(file_, 1, "a solution without a hole leaves nothing to solve");
    return stub_;
  }

 private:
  void take(const std::string& line) {
    if (const auto rest = marker(line, "hole ")) {
      open(*rest);
      stub_ += line + "\n";
    } else if (marker(line, "/hole]")) {
      if (hole_.empty()) fail(file_, number_, "'[/hole]' closes nothing");
      hole_.clear();
      stub_ += line + "\n";
    } else if (const auto replacement = marker(line, "stub]")) {
      if (hole_.empty()) fail(file_, number_, "'[stub]' stands outside a hole");
      add_replacement(line, *replacement);
    } else if (hole_.empty()) {
      add_outside(line);
    }
  }

  void open(std::string_view rest) {
    const std::string name = hole_name(rest, file_, number_);
    if (!hole_.empty()) {
      fail(file_, number_,
           "hole '" + name + "' begins inside hole '" + hole_ + "' (line " +
               std::to_string(holes_[hole_]) + ")");
    }
    const auto [place, fresh] = holes_.emplace(name, number_);
    if (!fresh) {
      fail(file_, number_,
           "a second hole is named '" + name + "' (the first is on line " +
               std::to_string(place->second) + ")");
    }
    hole_ = name;
  }

  // "  // [stub] x = 0;" leaves "  x = 0;"; directives begin their lines, as clang-format has them.
  void add_replacement(const std::string& line, std::string_view text) {
    if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    const bool indented = !text.empty() && text[0] != '#';
    if (indented) stub_ += line.substr(0, line.find_first_not_of(" \t"));
    stub_ += std::string(text) + "\n";
  }

  void add_outside(const std::string& line) {
    const std::string_view text = trim(line);
    const bool prose = text.rfind("//!", 0) == 0;
    if (prose) {
      const std::vector<std::string> words = split_words(text.substr(3));
      behind_solution_ = behind_solution_ || (!words.empty() && words[0] == "@solution");
    }
    if (!prose || !behind_solution_) stub_ += line + "\n";
  }

  std::string file_;
  std::size_t number_ = 0;
  std::string hole_;                          // the open one
  std::map<std::string, std::size_t> holes_;  // name -> line
  bool behind_solution_ = false;
  std::string stub_;
};

// Without blank lines at its ends; the first line keeps its indentation, which in Markdown means
// code.
std::string without_blank_ends(const std::string& text) {
  const std::size_t said = text.find_first_not_of(" \t\n");
  if (said == std::string::npos) return "";
  const std::size_t newline = text.rfind('\n', said);
  const std::size_t first = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

// "## Hint 2" -> 2; 0 for any other line.
int hint_number(std::string_view line) {
  const std::vector<std::string> words = split_words(line);
  const bool hint = words.size() == 3 && words[0] == "##" && words[1] == "Hint" &&
                    words[2].size() == 1 && words[2][0] >= '1' && words[2][0] <= '9';
  return hint ? words[2][0] - '0' : 0;
}

}  // namespace

std::string generate_stub(std::string_view solution, const std::string& file) {
  return StubWriter(file).write(solution);
}

Sheet parse_sheet(std::string_view text, const std::string& file) {
  constexpr int hints = 3;
  Sheet sheet;
  std::string* part = &sheet.statement;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (sheet.title.empty()) {
      if (trim(line).empty()) continue;
      if (line.rfind("# ", 0) != 0) fail(file, number, "a sheet begins with '# Title'");
      sheet.title = std::string(trim(std::string_view(line).substr(2)));
    } else if (const int hint = hint_number(line); hint > 0) {
      const int expected = static_cast<int>(sheet.hints.size()) + 1;
      if (hint != expected || hint > hints) {
        fail(file, number,
             "'## Hint " + std::to_string(hint) + "' is out of order: a sheet has '## Hint 1', " +
                 "'## Hint 2', '## Hint 3'");
      }
      sheet.hints.emplace_back();
      part = &sheet.hints.back();
    } else {
      *part += line + "\n";
    }
  }
  sheet.statement = without_blank_ends(sheet.statement);
  if (sheet.title.empty()) fail(file, 1, "the sheet is empty");
  if (sheet.statement.empty()) fail(file, 1, "the sheet has no statement below its title");
  if (sheet.hints.size() != hints) {
    fail(file, number,
         "the sheet has " + std::to_string(sheet.hints.size()) + " hints instead of three: '## " +
             "Hint " + std::to_string(sheet.hints.size() + 1) + "' is missing");
  }
  for (std::size_t i = 0; i < sheet.hints.size(); ++i) {
    sheet.hints[i] = without_blank_ends(sheet.hints[i]);
    if (sheet.hints[i].empty()) {
      fail(file, number, "hint " + std::to_string(i + 1) + " says nothing");
    }
  }
  return sheet;
}

}  // namespace ladder
