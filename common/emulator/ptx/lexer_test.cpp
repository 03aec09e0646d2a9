#include "common/emulator/ptx/lexer.hpp"

#include <bit>

#include "common/emulator/ptx/constant.hpp"
#include "common/emulator/ptx/test_text.hpp"

using namespace ladder::ptx;

namespace {

Constant constant(std::string_view text) {
  TokenStream tokens(text);
  const Constant value = parse_constant(tokens);
  CHECK(tokens.at_end());
  return value;
}

std::int64_t integer(std::string_view text) {
  const Constant value = constant(text);
  CHECK(value.kind == Constant::Kind::integer);
  return static_cast<std::int64_t>(value.bits);
}

std::string refusal(std::string_view text) {
  try {
    TokenStream tokens(text);
    parse_constant(tokens);
    while (!tokens.at_end()) tokens.advance();
    return "no error";
  } catch (const ParseError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("integers are decimal, hexadecimal, octal or binary") {
  CHECK(integer("42") == 42);
  CHECK(integer("0x2A") == 42);
  CHECK(integer("0X2aU") == 42);
  CHECK(integer("052") == 42);
  CHECK(integer("0b101010") == 42);
  CHECK(integer("0") == 0);
  CHECK(integer("18446744073709551615") == -1);
  CHECK(contains(refusal("18446744073709551616"), "64 bits"));
  CHECK(contains(refusal("09"), "bad number '09'"));
  CHECK(contains(refusal("0x"), "bad number"));
  CHECK(contains(refusal("12ab"), "bad number '12ab'"));
}

TEST_CASE("floating-point numbers are exact bits or decimal") {
  CHECK(constant("0f3F800000").bits == 0x3F800000);
  CHECK(constant("0f3F800000").kind == Constant::Kind::float32);
  CHECK(constant("0dBFF0000000000000").as_double() == -1.0);
  CHECK(constant("1.5").as_double() == 1.5);
  CHECK(constant("1.").as_double() == 1.0);
  CHECK(constant("25e-1").as_double() == 2.5);
  CHECK(constant("08.5").as_double() == 8.5);
  CHECK(constant("-0.0").bits == std::uint64_t{1} << 63);
  CHECK(constant("-0f00000000").bits == 0x80000000);
  CHECK(contains(refusal("0f3F80000"), "8 hexadecimal digits"));
  CHECK(contains(refusal("0d3F800000"), "16 hexadecimal digits"));
}

TEST_CASE("constant expressions follow C's precedence") {
  CHECK(integer("1 + 2 * 3") == 7);
  CHECK(integer("(1 + 2) * 3") == 9);
  CHECK(integer("10 - 4 - 3") == 3);
  CHECK(integer("1 << 2 + 1") == 8);
  CHECK(integer("6 & 3 | 8 ^ 1") == 11);
  CHECK(integer("1 < 2 == 1") == 1);
  CHECK(integer("0 && 1 || 1") == 1);
  CHECK(integer("1 ? 2 : 0 ? 3 : 4") == 2);
  CHECK(integer("0 ? 2 : 0 ? 3 : 4") == 4);
  CHECK(integer("~0") == -1);
  CHECK(integer("!5") == 0);
  CHECK(integer("-7 / 2") == -3);
  CHECK(integer("-7 % 2") == -1);
  CHECK(integer("-8 >> 1") == -4);
  CHECK(integer("(.u64) -8 >> 60") == 15);
  CHECK(integer("1 << 64") == 0);
  CHECK(integer("WARP_SZ") == 32);
  CHECK(integer("1.5 < 2") == 1);
  CHECK(constant("1.5 * 2").as_double() == 3.0);
}

TEST_CASE("constant expressions never trap the host") {
  CHECK(contains(refusal("1 / 0"), "division by zero"));
  CHECK(contains(refusal("1 % 0"), "division by zero"));
  CHECK(integer("(-9223372036854775807 - 1) / -1") == INT64_MIN);
  CHECK(integer("(-9223372036854775807 - 1) % -1") == 0);
  CHECK(contains(refusal(std::string(100000, '-') + "1"), "nested too deeply"));
  CHECK(contains(refusal(std::string(100000, '(')), "nested too deeply"));
}

TEST_CASE("comments, carriage returns and preprocessor lines are blanks") {
  CHECK(integer("/* one\n two */ 4 // five\r\n#line 6\r\n") == 4);
  CHECK(contains(refusal("1 /* no end"), "never ends"));
}

TEST_CASE("errors name the line") {
  CHECK(refusal("\n\n\"no end") == "line 3: a string never ends");
  CHECK(refusal("1\n`") == "line 2: unexpected '`'");
  CHECK(refusal(std::string_view("1 +\n\0 2", 7)) == "line 2: unexpected byte 0x00");
  CHECK(refusal("/*\n*/\n\xff") == "line 3: unexpected byte 0xff");
}

TEST_CASE("NULs at the end of a text are padding") {
  CHECK(integer(std::string_view("7\0\0\0", 4)) == 7);
}
