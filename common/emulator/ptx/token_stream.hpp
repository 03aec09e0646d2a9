// The lexer with one token of lookahead, and the errors of a parser.
#pragma once

#include <string>

#include "common/emulator/ptx/lexer.hpp"

namespace ladder::ptx {

class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : lexer_(text) { advance(); }

  const Token& current() const { return current_; }
  int line() const { return current_.line; }
  void advance() { current_ = lexer_.next(); }

  bool at_end() const { return current_.kind == Token::Kind::end; }
  bool at(std::uint16_t punctuation) const {
    return current_.kind == Token::Kind::punctuation && current_.punctuation == punctuation;
  }
  bool at(char punctuation) const { return at(symbol(punctuation)); }
  bool at_identifier() const { return current_.kind == Token::Kind::identifier; }
  bool at_identifier(std::string_view text) const {
    return at_identifier() && current_.text == text;
  }
  bool at_directive() const { return current_.kind == Token::Kind::directive; }
  bool at_directive(std::string_view text) const { return at_directive() && current_.text == text; }

  // Takes the token if it is there.
  bool take(char punctuation);
  bool take_directive(std::string_view text);

  // Takes the token or throws "expected ';' after …, found 'x'".
  void expect(char punctuation, const char* where);
  std::string_view expect_identifier(const char* what);
  std::uint64_t expect_integer(const char* what);
  // 0 … limit.
  int expect_small(const char* what, int limit);

  // current() is an identifier that starts an instruction: its dotted parts join it.
  void extend_opcode() { lexer_.extend_opcode(current_); }
  // After current(), an identifier; does not advance.
  std::string_view take_suffix() { return lexer_.take_suffix(); }
  // Drops the rest of the line that current() is on.
  void skip_line();

  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(current_.line, message);
  }
  [[noreturn]] void fail_expected(const std::string& what) const;

 private:
  Lexer lexer_;
  Token current_;
};

// For messages: quoted, shortened, "the end of the text".
std::string quoted(const Token& token);
std::string quoted(std::string_view name);

}  // namespace ladder::ptx
