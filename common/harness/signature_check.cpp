#include "common/harness/signature_check.hpp"

#include <algorithm>
#include <cctype>

#include "common/harness/text.hpp"

namespace ladder {

namespace {

// Stands before the solver, whose macros must not reach it.
constexpr const char* machinery = R"(namespace ladder_signature {
template <class T> struct plain { using type = T; };
template <class T> struct plain<const T> { using type = typename plain<T>::type; };
template <class T> struct plain<T*> { using type = typename plain<T>::type*; };
template <class T> struct plain<T* const> { using type = typename plain<T>::type*; };
template <class T> struct plain<T* __restrict__> { using type = typename plain<T>::type*; };
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
template <int I, class... A> struct nth { using type = void; };
template <class A, class... Rest> struct nth<0, A, Rest...> {
  using type = typename plain<A>::type;
};
template <int I, class A, class... Rest> struct nth<I, A, Rest...> {
  using type = typename nth<I - 1, Rest...>::type;
};
template <class F> struct function {
  static constexpr bool is = false;
  static constexpr int arguments = -1;
  using result = void;
  template <int I> using argument = void;
};
template <class R, class... A> struct function<R (*)(A...)> {
  static constexpr bool is = true;
  static constexpr int arguments = sizeof...(A);
  using result = R;
  template <int I> using argument = typename nth<I, A...>::type;
};
template <class R, class... A>
struct function<R (*)(A...) noexcept> : function<R (*)(A...)> {};
// What the checks behind the solver use: names that no macro has.
template <class F> constexpr bool ladder_is_function = function<F>::is;
template <class F, int count> constexpr bool ladder_takes = function<F>::arguments == count;
template <class F, int I, class T>
constexpr bool ladder_argument_is = same<typename function<F>::template argument<I>, T>::value;
template <class F, class T>
constexpr bool ladder_returns = same<typename function<F>::result, T>::value;
}
namespace ladder_absent {
struct ladder_nothing {};
ladder_nothing solve();
}
)";

std::string plain_type(const Argument& argument) {
  static const auto element = [](ElementType type) {
    switch (type) {
      case ElementType::f32:
        return "float";
      case ElementType::f16:
        return "__half";
      case ElementType::bf16:
        return "__nv_bfloat16";
      case ElementType::i32:
        return "int";
    }
    return "float";
  };
  return std::string(element(argument.type)) + (argument.role == Role::scalar ? "" : "*");
}

std::string written(const Argument& argument) {
  const std::string constness = argument.role == Role::in ? "const " : "";
  return constness + plain_type(argument) + " " + argument.name;
}

bool uses(const Problem& problem, ElementType type) {
  return std::any_of(problem.arguments.begin(), problem.arguments.end(),
                     [&](const Argument& argument) { return argument.type == type; });
}

// A check whose diagnostics name it as their file.
std::string check(const std::string& name, const std::string& code) {
  return "#line 1 \"" + std::string(signature_file_prefix) + name + "\"\n" + code + "\n";
}

constexpr std::string_view nested_linkage_error = "linkage specification is not allowed";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The text with comments and string literals blanked out, newlines kept.
std::string code_only(std::string_view text) {
  std::string code(text);
  enum class In { code, line_comment, comment, string, character } in = In::code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool was_code = in == In::code;
    if (in == In::code) {
      if (c == '/' && next == '/') in = In::line_comment;
      if (c == '/' && next == '*') in = In::comment;
      if (c == '"') in = In::string;
      if (c == '\'' && (i == 0 || !is_word(text[i - 1]))) in = In::character;
    } else if (in == In::line_comment) {
      if (c == '\n') in = In::code;
    } else if (in == In::comment) {
      if (c == '/' && text[i - 1] == '*') in = In::code;
    } else if (c == '\\') {
      code[i++] = ' ';
    } else if (c == (in == In::string ? '"' : '\'') || c == '\n') {
      in = In::code;
    }
    const bool blanked = !was_code || in != In::code;
    if (blanked && i < code.size() && code[i] != '\n') code[i] = ' ';
  }
  return code;
}

// Calls visit(position after the name) for each use of `name` as a word.
template <class Visit>
void each_word(std::string_view code, std::string_view name, Visit visit) {
  for (std::size_t at = code.find(name); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at > 0 && is_word(code[at - 1])) continue;
    if (end < code.size() && is_word(code[end])) continue;
    visit(end);
  }
}

std::size_t skip_blanks(std::string_view code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at]))) ++at;
  return at;
}

std::string squeezed(std::string_view text) {
  return join(split_words(text), " ");
}

// Whether the check's failure is in the output, with `words` in the compiler's reason.
bool has_check(std::string_view output, const std::string& name, std::string_view words = "") {
  const std::size_t at = output.find(std::string(signature_file_prefix) + name + "(");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = output.substr(at);
  return rest.substr(0, rest.find('\n')).find(words) != std::string_view::npos;
}

// The first checked argument that differs, or -1.
int wrong_argument(std::string_view output, const Problem& problem) {
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    if (has_check(output, "argument-" + std::to_string(i))) return static_cast<int>(i);
  }
  return -1;
}

std::string wrong_argument_text(int index, const Problem& problem,
                                const std::optional<SolveDefinition>& found) {
  const auto i = static_cast<std::size_t>(index);
  std::string text = "argument " + std::to_string(index + 1) + " of `solve` ";
  if (found && i < found->parameters.size()) text += "is `" + found->parameters[i] + "`, but it ";
  return text + "must be `" + written(problem.arguments[i]) + "`";
}

std::string wrong_count_text(const Problem& problem, const std::optional<SolveDefinition>& found) {
  std::string text = "`solve` takes ";
  text += found ? std::to_string(found->parameters.size()) + " arguments" : "other arguments";
  return text + ", but " + problem.name + " passes " + std::to_string(problem.arguments.size());
}

}  // namespace

std::string signature_wrapper(const Problem& problem, const std::filesystem::path& source) {
  std::string text = machinery;
  text += "#include \"" + source.string() + "\"\n";
  if (uses(problem, ElementType::f16)) text += "#include <cuda_fp16.h>\n";
  if (uses(problem, ElementType::bf16)) text += "#include <cuda_bf16.h>\n";
  text += "#ifndef __CUDA_ARCH__\n";
  // A global `solve` hides this one; without it, the lookup falls through to ladder_absent.
  text += "using namespace ladder_absent;\n";
  text += check("type", "using ladder_solve = decltype(&::solve);");
  const auto assert_that = [&](const std::string& name, const std::string& condition) {
    text += check(name, "static_assert(" + condition + ", \"\");");
  };
  const std::string signature = "ladder_signature::ladder_";
  assert_that("absent", "!" + signature + "returns<ladder_solve, ladder_absent::ladder_nothing>");
  assert_that("function", signature + "is_function<ladder_solve>");
  assert_that("count",
              signature + "takes<ladder_solve, " + std::to_string(problem.arguments.size()) + ">");
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const std::string index = std::to_string(i);
    assert_that("argument-" + index, signature + "argument_is<ladder_solve, " + index + ", " +
                                         plain_type(problem.arguments[i]) + ">");
  }
  assert_that("result", signature + "returns<ladder_solve, void>");
  text += check("linkage", "extern \"C\" decltype(::solve) solve;");
  return text + "#endif\n";
}

std::optional<SolveDefinition> find_solve(std::string_view text) {
  const std::string code = code_only(text);
  std::optional<SolveDefinition> best;
  each_word(code, "solve", [&](std::size_t end) {
    const std::size_t open = skip_blanks(code, end);
    if (best || open >= code.size() || code[open] != '(') return;
    int depth = 0;
    std::size_t close = open;
    for (; close < code.size(); ++close) {
      depth += code[close] == '(' ? 1 : code[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    const std::size_t after = skip_blanks(code, close + 1);
    if (after >= code.size() || (code[after] != '{' && code.compare(after, 8, "noexcept") != 0)) {
      return;
    }
    SolveDefinition definition;
    definition.line =
        1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<long>(end), '\n'));
    const std::string inside = code.substr(open + 1, close - open - 1);
    if (!trim(inside).empty() && trim(inside) != "void") {
      for (const std::string& part : split_list(inside, ',')) {
        definition.parameters.push_back(squeezed(part));
      }
    }
    best = definition;
  });
  return best;
}

bool defines_main(std::string_view text) {
  const std::string code = code_only(text);
  bool found = false;
  each_word(code, "main", [&](std::size_t end) {
    const std::size_t open = skip_blanks(code, end);
    found = found || (open < code.size() && code[open] == '(');
  });
  return found;
}

std::string signature_message(std::string_view output, const Problem& problem,
                              std::string_view source_text, const std::string& shown_path) {
  const auto found = find_solve(source_text);
  const std::string place =
      shown_path + (found ? std::string(":") + std::to_string(found->line) : std::string()) + ": ";
  const std::string contract =
      "\n  " + problem.name + " calls: extern \"C\" " + problem.prototype();
  if (has_check(output, "absent")) {
    std::string message =
        shown_path + ": no `solve`: export it as\n  extern \"C\" " + problem.prototype();
    if (defines_main(source_text)) {
      message +=
          "\n  it has a main of its own: `./ladder emulate " + shown_path + "` runs it as it is";
    }
    return message;
  }
  // After a brace that is never closed `solve` is declared again, inside; the compiler's own words
  // lead to the brace.
  if (has_check(output, "type") && output.find(nested_linkage_error) == output.npos) {
    return place + "`solve` is overloaded or a template: export one function" + contract;
  }
  if (has_check(output, "function")) return place + "`solve` is not a function" + contract;
  if (has_check(output, "count")) return place + wrong_count_text(problem, found) + contract;
  if (const int index = wrong_argument(output, problem); index >= 0) {
    return place + wrong_argument_text(index, problem, found) + contract;
  }
  if (has_check(output, "result")) return place + "`solve` must return void" + contract;
  if (has_check(output, "linkage", "incompatible")) {
    return place + "`solve` has C++ linkage, so nobody can call it by name: write extern \"C\" " +
           "before it" + contract;
  }
  return "";
}

}  // namespace ladder
