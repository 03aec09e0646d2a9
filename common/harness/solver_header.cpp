#include "common/harness/solver_header.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "common/harness/files.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

using Operator = Relation::Operator;

// A value's problem, without its place; the parser adds file and line.
struct BadValue {
  std::string message;
};

// Infinities and what is no number are none of the numbers that a header or a size can have.
std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return finite(value);
}

// "257", "1e8", "1.5", "2^26"
std::optional<double> parse_number(std::string_view text) {
  const std::size_t caret = text.find('^');
  if (caret == std::string_view::npos) return parse_plain_number(text);
  const auto base = parse_plain_number(text.substr(0, caret));
  const auto exponent = parse_plain_number(text.substr(caret + 1));
  if (!base || !exponent) return std::nullopt;
  return finite(std::pow(*base, *exponent));
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

std::optional<Operator> parse_operator(std::string_view text) {
  if (text == "==") return Operator::equal;
  if (text == "<=") return Operator::less_equal;
  if (text == ">=") return Operator::greater_equal;
  if (text == "<") return Operator::less;
  if (text == ">") return Operator::greater;
  return std::nullopt;
}

// "N=257 M=7" or "N=257,M=7" -> its words
std::vector<std::string> parameter_list(std::string_view text) {
  std::string blanks(text);
  for (char& c : blanks) {
    if (c == ',') c = ' ';
  }
  return split_words(blanks);
}

Distribution parse_distribution(const std::string& name) {
  std::vector<std::string> names;
  for (int d = 0; d <= static_cast<int>(Distribution::minus_infinity); ++d) {
    names.emplace_back(name_of(static_cast<Distribution>(d)));
    if (names.back() == name) return static_cast<Distribution>(d);
  }
  throw UsageError("no distribution is named '" + name + "': " + join(names, ", "));
}

// "rows=512, cols=384" is one set of parameters: a word that ends in a comma goes on.
std::vector<std::string> parameter_words(const std::vector<std::string>& words, std::size_t first) {
  std::vector<std::string> sets;
  bool goes_on = false;
  for (std::size_t i = first; i < words.size(); ++i) {
    if (goes_on) {
      sets.back() += words[i];
    } else {
      sets.push_back(words[i]);
    }
    goes_on = words[i].back() == ',';
  }
  return sets;
}

// "global.load.sectors == 1.05 x step_05 at N=4096"
Relation parse_relation(const std::string& text, int line) {
  static constexpr const char* grammar =
      "a relation reads 'METRIC ==|<=|>=|<|> VALUE [at N=...]', where VALUE is a number, "
      "'ideal', a solver, or 'NUMBER x SOLVER'";
  std::vector<std::string> words = split_words(text);
  Relation relation;
  relation.text = text;
  relation.line = line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "at") continue;
    const std::vector<std::string> sets = parameter_words(words, i + 1);
    if (sets.empty()) throw BadValue{"'at' is followed by nothing"};
    relation.at = parse_parameters(join(sets, " "));
    words.resize(i);
  }
  if (words.size() < 3) throw BadValue{grammar};
  relation.metric = words[0];
  const auto op = parse_operator(words[1]);
  if (!op) throw BadValue{"'" + words[1] + "' is no comparison; " + grammar};
  relation.op = *op;
  relation.factor = parse_number(words[2]);
  if (words.size() == 3) {
    if (!relation.factor) relation.reference = words[2];
  } else if (words.size() == 5 && relation.factor && words[3] == "x") {
    relation.reference = words[4];
  } else {
    throw BadValue{grammar};
  }
  return relation;
}

// "N <= 1024"
Limit parse_limit(const std::string& text) {
  const std::vector<std::string> words = split_words(text);
  Limit limit;
  limit.text = text;
  const auto op = words.size() == 3 ? parse_operator(words[1]) : std::nullopt;
  const auto value = words.size() == 3 ? parse_number(words[2]) : std::nullopt;
  if (!op || !value || !is_name(words[0])) {
    throw BadValue{"'" + text + "': a limit reads 'N <= 1024', several separated by commas"};
  }
  if (*value != std::trunc(*value) || std::abs(*value) > 0x1p53) {
    throw BadValue{"'" + text + "': a limit is an integer, of at most 2^53"};
  }
  limit.parameter = words[0];
  limit.op = *op;
  limit.value = static_cast<std::int64_t>(*value);
  return limit;
}

// "wrong at N=257 passes N=256", "trap racecheck"
Failure parse_failure(const std::string& text) {
  static const std::set<std::string> observers = {"memcheck", "racecheck", "initcheck",
                                                  "synccheck"};
  const std::vector<std::string> words = split_words(text);
  Failure failure;
  if (words.empty()) throw BadValue{"how does it fail? wrong, trap, budget or goal"};
  if (words[0] == "wrong") {
    failure.kind = Failure::Kind::wrong;
  } else if (words[0] == "trap") {
    failure.kind = Failure::Kind::trap;
  } else if (words[0] == "budget") {
    failure.kind = Failure::Kind::budget;
  } else if (words[0] == "goal") {
    failure.kind = Failure::Kind::goal;
  } else {
    throw BadValue{"'" + words[0] + "' is no way to fail: wrong, trap, budget or goal"};
  }
  std::vector<CaseSelector>* sets = nullptr;
  std::string pending;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "at") {
      sets = &failure.fails_at;
    } else if (word == "passes") {
      sets = &failure.passes_at;
    } else if (sets != nullptr) {
      pending += word;
      if (pending.back() == ',') continue;
      sets->push_back(parse_case(pending));
      pending.clear();
    } else if (failure.observer.empty() && observers.count(word) > 0) {
      failure.observer = word;
    } else {
      throw BadValue{"'" + word + "' is neither an observer (memcheck, racecheck, initcheck, " +
                     "synccheck) nor 'at N=...' nor 'passes N=...'"};
    }
  }
  if (!pending.empty()) throw BadValue{"'" + pending + "' ends in a comma"};
  return failure;
}

// "sm_80 shared=100K"
Needs parse_needs(const std::string& text) {
  Needs needs;
  for (const std::string& word : split_words(text)) {
    if (word.rfind("sm_", 0) == 0) {
      const auto architecture = parse_plain_number(std::string_view(word).substr(3));
      if (!architecture || *architecture < 50 || *architecture > 999) {
        throw BadValue{"'" + word + "' is no architecture, such as sm_80"};
      }
      needs.architecture = static_cast<int>(*architecture);
    } else if (word.rfind("shared=", 0) == 0) {
      std::string_view amount = std::string_view(word).substr(7);
      const bool kilo = !amount.empty() && amount.back() == 'K';
      if (kilo) amount.remove_suffix(1);
      const auto value = parse_plain_number(amount);
      if (!value || *value < 0 || *value > 0x1p31)
        throw BadValue{"'" + word + "' is no amount, such as shared=100K"};
      needs.shared_bytes = static_cast<std::size_t>(*value) * (kilo ? 1024 : 1);
    } else {
      throw BadValue{"'" + word + "' is no need: 'sm_80' or 'shared=100K'"};
    }
  }
  return needs;
}

std::vector<std::string> parse_names(const std::string& text) {
  std::vector<std::string> names = split_list(text, ',');
  for (const std::string& name : names) {
    if (name.empty()) throw BadValue{"an empty name in '" + text + "'"};
  }
  return names;
}

std::vector<std::string> parse_solver_names(const std::string& text) {
  std::vector<std::string> names = parse_names(text);
  for (const std::string& name : names) {
    if (!is_name(name)) throw BadValue{"'" + name + "' is no solver's name"};
  }
  return names;
}

// "Step 02: one atomic per block {#reduction_step_02}"
void parse_title(std::string_view text, SolverHeader& header) {
  const std::size_t brace = text.find("{#");
  const std::size_t end = text.find('}', brace == std::string_view::npos ? 0 : brace);
  if (brace != std::string_view::npos) {
    if (end == std::string_view::npos) throw BadValue{"the title's anchor lacks its '}'"};
    header.anchor = std::string(text.substr(brace + 2, end - brace - 2));
    if (!is_name(header.anchor)) {
      throw BadValue{"'" + header.anchor + "' is no anchor: letters, digits and _"};
    }
    text = text.substr(0, brace);
  }
  header.title = std::string(trim(text));
  const std::size_t colon = header.title.find(':');
  header.idea = colon == std::string::npos
                    ? header.title
                    : std::string(trim(std::string_view(header.title).substr(colon + 1)));
}

struct Key {
  std::string_view name;
  bool needs_value;
  bool repeats;
  std::function<void(SolverHeader&, const std::string& value, int line)> set;
};

const std::vector<Key>& keys() {
  using H = SolverHeader;
  using S = const std::string;
  static const std::vector<Key> table = {
      {"builds-on", true, false, [](H& h, S& v, int) { h.builds_on = parse_solver_names(v); }},
      {"rewrites", true, false, [](H& h, S& v, int) { h.rewrites = parse_solver_names(v); }},
      {"needs", true, false, [](H& h, S& v, int) { h.needs = parse_needs(v); }},
      {"new", true, false, [](H& h, S& v, int) { h.introduces = parse_names(v); }},
      {"problem", true, false,
       [](H& h, S& v, int) {
         if (!is_name(v)) throw BadValue{"'" + v + "' is no problem's name"};
         h.problem = v;
       }},
      {"limits", true, false,
       [](H& h, S& v, int) {
         for (S& limit : parse_names(v)) h.limits.push_back(parse_limit(limit));
       }},
      {"nondeterministic", true, false, [](H& h, S& v, int) { h.nondeterministic = v; }},
      {"bound", true, false, [](H& h, S& v, int) { h.bound = v; }},
      {"links", true, false, [](H& h, S& v, int) { h.links = parse_solver_names(v); }},
      {"goal", true, true, [](H& h, S& v, int l) { h.goals.push_back(parse_relation(v, l)); }},
      {"claim", true, true, [](H& h, S& v, int l) { h.claims.push_back(parse_relation(v, l)); }},
      {"stub-fails", true, false, [](H& h, S& v, int) { h.stub_fails = parse_failure(v); }},
      {"fails", true, false, [](H& h, S& v, int) { h.fails = parse_failure(v); }},
      {"solution", false, false, [](H&, S&, int) {}},
  };
  return table;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const Key& key : keys()) names.emplace_back(key.name);
  return names;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

struct HeaderLine {
  int number;
  std::string text;  // without "//!" and one blank
};

std::vector<HeaderLine> header_lines(std::string_view text) {
  std::vector<HeaderLine> lines;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::string_view trimmed = trim(line);
    if (trimmed.rfind("//!", 0) != 0) continue;
    std::string_view rest = trimmed.substr(3);
    if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
    lines.push_back({number, std::string(rest)});
  }
  return lines;
}

// "@goal x == 1" -> {"goal", "x == 1"}; nothing for prose, such as "@picture halo".
std::optional<std::pair<std::string, std::string>> split_key(std::string_view line) {
  line = trim(line);
  if (line.size() < 2 || line[0] != '@' || !std::isalpha(static_cast<unsigned char>(line[1]))) {
    return std::nullopt;
  }
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name(line.substr(1, end - 1));
  if (name == "picture" || name == "trace") return std::nullopt;
  return std::pair{name, std::string(trim(line.substr(end)))};
}

bool is_title(std::string_view line) {
  return line.rfind("# ", 0) == 0;
}

bool is_ours(const std::vector<HeaderLine>& lines) {
  for (const HeaderLine& line : lines) {
    if (is_title(line.text)) return true;
    const auto key = split_key(line.text);
    if (key && find_key(key->first) != nullptr) return true;
  }
  return false;
}

class HeaderParser {
 public:
  explicit HeaderParser(const std::string& file) : file_(file) {}

  SolverHeader parse(std::string_view text) {
    const std::vector<HeaderLine> lines = header_lines(text);
    if (!is_ours(lines)) return header_;
    for (const HeaderLine& line : lines) {
      try {
        take(line);
      } catch (const BadValue& bad) {
        fail(line.number, bad.message);
      } catch (const UsageError& bad) {
        fail(line.number, bad.what());
      }
    }
    header_.prose = std::string(trim(header_.prose));
    header_.solution_prose = std::string(trim(header_.solution_prose));
    return header_;
  }

 private:
  void take(const HeaderLine& line) {
    const auto key = split_key(line.text);
    if (key) {
      take_key(line, key->first, key->second);
    } else if (is_title(line.text) && header_.title.empty()) {
      parse_title(std::string_view(line.text).substr(2), header_);
    } else {
      const bool of_solution = seen_.count("solution") > 0;
      (of_solution ? header_.solution_prose : header_.prose) += line.text + "\n";
      header_.prose_lines.push_back({line.number, line.text, of_solution});
    }
  }

  void take_key(const HeaderLine& line, const std::string& name, const std::string& value) {
    const Key* key = find_key(name);
    if (key == nullptr) throw BadValue{"unknown key @" + name + did_you_mean(name, key_names())};
    const auto [place, first] = seen_.emplace(name, line.number);
    if (!first && !key->repeats) {
      throw BadValue{"@" + name + " is given twice (first on line " +
                     std::to_string(place->second) + ")"};
    }
    if (key->needs_value && value.empty()) throw BadValue{"@" + name + " lacks its value"};
    try {
      key->set(header_, value, line.number);
    } catch (const BadValue& bad) {
      throw BadValue{"@" + name + ": " + bad.message};
    } catch (const UsageError& bad) {
      throw BadValue{"@" + name + ": " + bad.what()};
    }
  }

  [[noreturn]] void fail(int line, const std::string& message) const {
    throw UsageError(file_ + ":" + std::to_string(line) + ": " + message);
  }

  std::string file_;
  SolverHeader header_;
  std::map<std::string, int> seen_;  // key -> line
};

}  // namespace

bool Limit::holds(const Parameters& parameters) const {
  if (!parameters.contains(parameter)) return true;
  const std::int64_t size = parameters[parameter];
  switch (op) {
    case Operator::equal:
      return size == value;
    case Operator::less_equal:
      return size <= value;
    case Operator::greater_equal:
      return size >= value;
    case Operator::less:
      return size < value;
    case Operator::greater:
      return size > value;
  }
  return true;
}

CaseSelector parse_case(std::string_view text) {
  static constexpr std::string_view reserved = "distribution=";
  CaseSelector selector;
  std::vector<std::string> sizes;
  for (const std::string& word : parameter_list(text)) {
    if (word.rfind(reserved, 0) != 0) {
      sizes.push_back(word);
    } else if (selector.distribution) {
      throw UsageError("the distribution is given twice in '" + std::string(text) + "'");
    } else {
      selector.distribution = parse_distribution(word.substr(reserved.size()));
    }
  }
  selector.parameters = parse_parameters(join(sizes, " "));
  return selector;
}

Parameters parse_parameters(std::string_view text) {
  Parameters parameters;
  for (const std::string& word : parameter_list(text)) {
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    const std::string name = word.substr(0, equals);
    const double value =
        parse_number(std::string_view(word).substr(equals + 1)).value_or(std::nan(""));
    if (!is_name(name) || !std::isfinite(value)) {
      throw UsageError("'" + word + "' is no parameter; write N=257, N=2^26 or N=1e8");
    }
    if (parameters.contains(name)) throw UsageError("parameter " + name + " is given twice");
    parameters.set(name, value);
  }
  if (parameters.entries().empty()) throw UsageError("no parameters; write N=257 or M=7,N=5");
  return parameters;
}

SolverHeader parse_solver_header(std::string_view text, const std::string& file) {
  return HeaderParser(file).parse(text);
}

SolverHeader read_solver_header(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw UsageError(file.string() + " is a directory, not a .cu file");
  }
  if (!std::filesystem::exists(file, error)) throw UsageError("no such file: " + file.string());
  return parse_solver_header(read_file(file), file.string());
}

}  // namespace ladder
