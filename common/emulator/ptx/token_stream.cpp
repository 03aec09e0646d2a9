#include "common/emulator/ptx/token_stream.hpp"

namespace ladder::ptx {

std::string quoted(std::string_view name) {
  constexpr std::size_t longest = 80;
  const bool cut = name.size() > longest;
  return "'" + std::string(name.substr(0, longest)) + (cut ? "…'" : "'");
}

std::string quoted(const Token& token) {
  return token.kind == Token::Kind::end ? "the end of the text" : quoted(token.text);
}

bool TokenStream::take(char punctuation) {
  if (!at(punctuation)) return false;
  advance();
  return true;
}

bool TokenStream::take_directive(std::string_view text) {
  if (!at_directive(text)) return false;
  advance();
  return true;
}

void TokenStream::fail_expected(const std::string& what) const {
  fail("expected " + what + ", found " + quoted(current_));
}

void TokenStream::expect(char punctuation, const char* where) {
  if (!take(punctuation)) fail_expected(std::string("'") + punctuation + "' " + where);
}

std::string_view TokenStream::expect_identifier(const char* what) {
  if (!at_identifier()) fail_expected(what);
  const std::string_view text = current_.text;
  advance();
  return text;
}

std::uint64_t TokenStream::expect_integer(const char* what) {
  if (current_.kind != Token::Kind::integer) fail_expected(what);
  const std::uint64_t value = current_.bits;
  advance();
  return value;
}

int TokenStream::expect_small(const char* what, int limit) {
  if (current_.kind == Token::Kind::integer && current_.bits > static_cast<std::uint64_t>(limit))
    fail(std::string(what) + " is " + quoted(current_) + ", more than " + std::to_string(limit));
  return static_cast<int>(expect_integer(what));
}

void TokenStream::skip_line() {
  lexer_.skip_line();
  advance();
}

}  // namespace ladder::ptx
