#include "common/emulator/ptx/lexer.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>

namespace ladder::ptx {
namespace {

constexpr std::array<bool, 256> make_identifier_table() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  table['_'] = table['$'] = true;
  return table;
}
constexpr std::array<bool, 256> identifier_table = make_identifier_table();

bool follows_identifier(char c) {
  return identifier_table[static_cast<unsigned char>(c)];
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

const char* skip_identifier(const char* at, const char* end) {
  while (at != end && follows_identifier(*at)) ++at;
  return at;
}

std::string describe(char c) {
  if (c >= ' ' && c <= '~') return std::string("'") + c + "'";
  constexpr const char* digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

// A loaded module's text ends with a NUL, and fat binaries pad it with more.
std::string_view without_trailing_nuls(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

Lexer::Lexer(std::string_view text) {
  text = without_trailing_nuls(text);
  at_ = text.data();
  end_ = at_ + text.size();
}

void Lexer::fail(const char* message) const {
  throw ParseError(line_, message);
}

Token Lexer::finish(Token::Kind kind, const char* start) const {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.text = std::string_view(start, static_cast<std::size_t>(at_ - start));
  return token;
}

void Lexer::skip_line() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  const void* newline = left == 0 ? nullptr : std::memchr(at_, '\n', left);
  at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
}

void Lexer::skip_blanks() {
  while (at_ != end_) {
    const char c = *at_;
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (c == '#') {  // left by a preprocessor
      skip_line();
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '/') {
      skip_line();
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '*') {
      at_ += 2;
      while (end_ - at_ > 1 && !(at_[0] == '*' && at_[1] == '/')) {
        if (*at_ == '\n') ++line_;
        ++at_;
      }
      if (end_ - at_ < 2) fail("a comment that starts with /* never ends");
      at_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  if (at_ == end_) return finish(Token::Kind::end, at_);
  const char c = *at_;
  const bool more = end_ - at_ > 1;
  if (is_digit(c) || (c == '.' && more && is_digit(at_[1]))) return number();
  if (follows_identifier(c)) return identifier_at(at_, Token::Kind::identifier);
  if (c == '%' && more && follows_identifier(at_[1]))
    return identifier_at(at_, Token::Kind::identifier);
  if (c == '.' && more && follows_identifier(at_[1]))
    return identifier_at(at_, Token::Kind::directive);
  if (c == '"') return string();
  return punctuation();
}

Token Lexer::identifier_at(const char* start, Token::Kind kind) {
  at_ = skip_identifier(start + 1, end_);
  return finish(kind, start);
}

void Lexer::extend_opcode(Token& token) {
  const char* start = token.text.data();
  while (end_ - at_ > 1) {
    if (at_[0] == '.' && follows_identifier(at_[1])) {
      at_ = skip_identifier(at_ + 1, end_);
    } else if (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && follows_identifier(at_[2])) {
      at_ = skip_identifier(at_ + 2, end_);
    } else {
      break;
    }
  }
  token.text = std::string_view(start, static_cast<std::size_t>(at_ - start));
}

std::string_view Lexer::take_suffix() {
  if (end_ - at_ < 2 || at_[0] != '.' || !follows_identifier(at_[1])) return {};
  const char* start = at_ + 1;
  at_ = skip_identifier(start, end_);
  return std::string_view(start, static_cast<std::size_t>(at_ - start));
}

Token Lexer::number() {
  const char* start = at_;
  int base = 10;
  if (*at_ == '0' && end_ - at_ > 1) {
    const char second = at_[1];
    if (second == 'f' || second == 'F') return hexadecimal_float(Token::Kind::float32, 8);
    if (second == 'd' || second == 'D') return hexadecimal_float(Token::Kind::float64, 16);
    if (second == 'x' || second == 'X') base = 16;
    if (second == 'b' || second == 'B') base = 2;
    if (is_digit(second)) base = 8;
  }
  const char* first = start + (base == 16 || base == 2 ? 2 : 0);
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(first, end_, value, base);
  // A decimal point or exponent makes it a float, also after digits that look octal.
  const char* after = start;
  while (base != 16 && base != 2 && after != end_ && is_digit(*after)) ++after;
  if (base != 16 && base != 2 && after != end_ &&
      (*after == '.' || *after == 'e' || *after == 'E')) {
    return decimal_float(start);
  }
  if (error == std::errc::result_out_of_range) fail("an integer does not fit in 64 bits");
  at_ = stop;
  Token token = finish(Token::Kind::integer, start);
  token.bits = value;
  token.is_unsigned = value >> 63 != 0;
  if (at_ != end_ && *at_ == 'U') {
    token.is_unsigned = true;
    ++at_;
  }
  if (error != std::errc() || (at_ != end_ && follows_identifier(*at_))) {
    const std::string_view text(start,
                                static_cast<std::size_t>(skip_identifier(start + 1, end_) - start));
    throw ParseError(line_, "bad number '" + std::string(text.substr(0, 40)) + "'");
  }
  return token;
}

Token Lexer::decimal_float(const char* start) {
  double value = 0;
  const auto [stop, error] = std::from_chars(start, end_, value);
  if (error == std::errc::invalid_argument || (stop != end_ && follows_identifier(*stop)))
    fail("bad floating-point number");
  if (error == std::errc::result_out_of_range) fail("a floating-point number is out of range");
  at_ = stop;
  Token token = finish(Token::Kind::float64, start);
  token.bits = std::bit_cast<std::uint64_t>(value);
  return token;
}

Token Lexer::hexadecimal_float(Token::Kind kind, int digits) {
  const char* start = at_;
  const char* first = at_ + 2;
  const char* stop = first;
  while (stop != end_ && stop - first < digits && is_hexadecimal(*stop)) ++stop;
  if (stop - first != digits || (stop != end_ && follows_identifier(*stop))) {
    fail(digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
  }
  at_ = stop;
  Token token = finish(kind, start);
  std::from_chars(first, stop, token.bits, 16);
  return token;
}

Token Lexer::string() {
  const char* start = ++at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') {
    if (*at_ == '\\' && end_ - at_ > 1 && at_[1] != '\n') ++at_;
    ++at_;
  }
  if (at_ == end_ || *at_ != '"') fail("a string never ends");
  Token token = finish(Token::Kind::string, start);
  ++at_;
  return token;
}

Token Lexer::punctuation() {
  const char c = *at_;
  if (std::string_view("{}[]()<>,;:=+-*/%!~&|^?@").find(c) == std::string_view::npos)
    throw ParseError(line_, "unexpected " + describe(c));
  const char* start = at_++;
  char second = '\0';
  if (at_ != end_) {
    const char next = *at_;
    const bool doubled = next == c && (c == '<' || c == '>' || c == '=' || c == '&' || c == '|');
    const bool compared = next == '=' && (c == '<' || c == '>' || c == '!');
    if (doubled || compared) {
      second = next;
      ++at_;
    }
  }
  Token token = finish(Token::Kind::punctuation, start);
  token.punctuation = symbol(c, second);
  return token;
}

}  // namespace ladder::ptx
