#include "common/emulator/runtime/launch_report.hpp"

#include <doctest/doctest.h>

using ladder::emulator::json_number;
using ladder::emulator::json_quoted;

TEST_CASE("text of any bytes is quoted as JSON") {
  CHECK(json_quoted("a \"b\" \\ \n\t") == "\"a \\\"b\\\" \\\\ \\n\\u0009\"");
  const std::string euro = "\xe2\x82\xac", face = "\xf0\x9f\x98\x80", last = "\xf4\x8f\xbf\xbf";
  CHECK(json_quoted("\xc3\xa9" + euro + face + last) == "\"\xc3\xa9" + euro + face + last + "\"");
}

TEST_CASE("bytes that are no UTF-8 do not reach the report") {
  const std::string no = "\\ufffd";
  CHECK(json_quoted("caf\xe9.cu") == "\"caf" + no + ".cu\"");
  CHECK(json_quoted("\xe2\x82") == "\"" + no + no + "\"");           // cut short
  CHECK(json_quoted("\xc0\xaf") == "\"" + no + no + "\"");           // longer than it has to be
  CHECK(json_quoted("\xed\xa0\x80") == "\"" + no + no + no + "\"");  // half of a pair
  CHECK(json_quoted("\xf4\x90\x80\x80") == "\"" + no + no + no + no + "\"");  // beyond the last
}

TEST_CASE("numbers are written to the last digit") {
  CHECK(json_number(1000000) == "1000000");
  CHECK(json_number(0.1) == "0.10000000000000001");
}
