#include "docs/weave/highlight.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>

#include "docs/weave/html.hpp"

namespace ladder::weave {

namespace {

const char* class_of_word(std::string_view word) {
  static const std::unordered_map<std::string_view, const char*> classes = [] {
    std::unordered_map<std::string_view, const char*> table;
    for (const char* flow : {"if", "else", "for", "while", "do", "switch", "case", "default",
                             "break", "continue", "return", "goto", "try", "catch", "throw"}) {
      table[flow] = "keywordflow";
    }
    for (const char* type :
         {"void",        "bool",         "char",          "short",         "int",      "long",
          "float",       "double",       "unsigned",      "signed",        "size_t",   "auto",
          "half",        "half2",        "float2",        "float4",        "int2",     "int4",
          "uint4",       "dim3",         "int64_t",       "uint32_t",      "uint64_t", "int32_t",
          "cudaError_t", "cudaStream_t", "__nv_bfloat16", "__nv_bfloat162"}) {
      table[type] = "keywordtype";
    }
    for (const char* keyword : {"const",
                                "constexpr",
                                "static",
                                "extern",
                                "inline",
                                "template",
                                "typename",
                                "struct",
                                "class",
                                "enum",
                                "namespace",
                                "using",
                                "public",
                                "private",
                                "operator",
                                "sizeof",
                                "static_cast",
                                "reinterpret_cast",
                                "const_cast",
                                "true",
                                "false",
                                "nullptr",
                                "volatile",
                                "alignas",
                                "new",
                                "delete",
                                "this",
                                "asm",
                                "__global__",
                                "__device__",
                                "__host__",
                                "__shared__",
                                "__constant__",
                                "__managed__",
                                "__restrict__",
                                "__launch_bounds__",
                                "__forceinline__",
                                "__noinline__"}) {
      table[keyword] = "keyword";
    }
    return table;
  }();
  const auto found = classes.find(word);
  return found == classes.end() ? nullptr : found->second;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Highlighter {
 public:
  std::string line(std::string_view text) {
    html_.clear();
    text_ = text;
    at_ = 0;
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    if (!in_comment_ && first < text.size() && text[first] == '#') directive();
    while (at_ < text_.size()) next();
    return html_;
  }

 private:
  void emit(const char* css_class, std::size_t end) {
    const std::string part = escape(text_.substr(at_, end - at_));
    html_ += css_class == nullptr
                 ? part
                 : "<span class=\"" + std::string(css_class) + "\">" + part + "</span>";
    at_ = end;
  }

  // "#include <x>": all but a comment behind it.
  void directive() {
    const std::size_t end = std::min(text_.find("//"), text_.size());
    emit("preprocessor", end);
  }

  void next() {
    if (in_comment_) return block_comment(at_);
    const std::string_view rest = text_.substr(at_);
    if (rest.rfind("//", 0) == 0) return emit("comment", text_.size());
    if (rest.rfind("/*", 0) == 0) return block_comment(at_ + 2);
    const char c = rest[0];
    if (c == '"' || c == '\'') return quoted(c);
    if (std::isdigit(static_cast<unsigned char>(c))) return number();
    if (is_word(c)) return word();
    emit(nullptr, at_ + 1);
  }

  void block_comment(std::size_t from) {
    const std::size_t end = text_.find("*/", from);
    in_comment_ = end == std::string_view::npos;
    emit("comment", in_comment_ ? text_.size() : end + 2);
  }

  void quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    emit(quote == '"' ? "stringliteral" : "charliteral", std::min(end + 1, text_.size()));
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.' || text_[end] == '\'')) {
      ++end;
    }
    emit(nullptr, end);
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    emit(class_of_word(text_.substr(at_, end - at_)), end);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_comment_ = false;
  std::string html_;
};

}  // namespace

std::vector<std::string> highlight(const std::vector<std::string>& lines) {
  Highlighter highlighter;
  std::vector<std::string> coloured;
  coloured.reserve(lines.size());
  for (const std::string& line : lines) coloured.push_back(highlighter.line(line));
  return coloured;
}

}  // namespace ladder::weave
