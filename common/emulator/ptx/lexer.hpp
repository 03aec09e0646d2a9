// Splits PTX text into tokens, one at a time. Knows lines and comments, no grammar.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/emulator/ptx/module.hpp"

namespace ladder::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,  // add, %r1, $L__BB0_1, _
    directive,   // .reg, .b32: text includes the dot
    integer,     // `bits`
    float32,     // 0f3F800000: `bits`
    float64,     // 0d..., 1.5: `bits`
    string,      // text between the quotes, escapes untouched
    punctuation,
  };
  Kind kind = Kind::end;
  // An integer literal that ends in U, or that needs the 64th bit.
  bool is_unsigned = false;
  int line = 1;
  // One or two characters: symbol('+'), symbol('<', '<').
  std::uint16_t punctuation = 0;
  std::uint64_t bits = 0;
  std::string_view text;
};

constexpr std::uint16_t symbol(char first, char second = '\0') {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) |
                                    static_cast<unsigned char>(second) << 8);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  // The next token; at the end of the text Kind::end, again and again. Throws ParseError.
  Token next();

  // An opcode's dots and colons belong to it (ld.global.v4, shared::cta): if `token`, the last one
  // returned, is followed at once by such a part, it grows to include it.
  void extend_opcode(Token& token);

  // ".x" right after the last token: %tid.x, %v.y. Empty when there is none.
  std::string_view take_suffix();

  void skip_line();

 private:
  void skip_blanks();
  Token identifier_at(const char* start, Token::Kind kind);
  Token number();
  Token decimal_float(const char* start);
  Token hexadecimal_float(Token::Kind kind, int digits);
  Token string();
  Token punctuation();
  Token finish(Token::Kind kind, const char* start) const;
  [[noreturn]] void fail(const char* message) const;

  const char* at_;
  const char* end_;
  int line_ = 1;
};

}  // namespace ladder::ptx
