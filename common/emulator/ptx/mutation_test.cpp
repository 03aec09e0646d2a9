// Damaged texts: a parse ends in a module or a ParseError, soon, whatever the bytes.
#include <ctime>
#include <random>

#include "common/emulator/ptx/test_text.hpp"

using namespace ladder::ptx;

namespace {

// A bit of everything, so that damage reaches all of the grammar.
const std::string& sample() {
  static const std::string text = with_head(R"(
.func (.param .b32 r) f(.param .b32 a);
.extern .func (.param .b32 retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.global .align 8 .u64 functions[2] = {f, generic(f)};
.global .align 1 .b8 $str[6] = {104, 0x65, 0154, 0b1101100, 111};
.global .f32 matrix[2][3] = {{1.5, 0f40000000}, {-2}};
.global .attribute(.managed) .u32 managed = 3 * (4 + 5);
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 .ptr .align 1 k_param_0, .param .align 4 .b8 k_param_1[12])
.maxntid 128, 1, 1
.minnctapersm 2
{
	.reg .pred %p<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .v4 .f32 %v;
	.local .align 8 .b8 __local_depot0[16];
	.shared .align 4 .b8 tile[64];
	.loc	1 24 3
	ld.param.u64 	%rd1, [k_param_0+0];
	.loc	2 61 5, function_name $L__info_string0, inlined_at 1 24 3
	mov.u32 	%r1, %tid.x;
$L__BB0_1:
	.pragma "nounroll";
	setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;
	@!%p1 bra 	$L__BB0_1;
	{.reg .pred p; LAB: @p bra LAB; shfl.sync.idx.b32 %r2|p, %r1, 0, 31, -1;}
	T: .branchtargets $L__BB0_1, END;
	brx.idx %r1, T;
	ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];
	mov.f32 %f3, %v.x;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
	{
	.param .b32 param0;
	st.param.b32 [param0+0], %r1;
	.param .b32 retval0;
	prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %rd2, (param0), prototype_1;
	call.uni (retval0), vprintf, (param0, param0);
	}
END:	ret;
}
.func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }
.file	1 "/a/b.cu"
.file	2 "c.h", 17, 18
.section	.debug_str
{
$L__info_string0:
.b8 95,90,78
.b8 0
}
)");
  return text;
}

// True: it parsed.
bool survives(std::string_view text) {
  try {
    parse(text);
    return true;
  } catch (const ParseError&) {
    return false;
  }
}

// Pieces that make damage syntactically likely.
constexpr std::string_view pieces[] = {
    "{",          "}",
    "[",          "]",
    "(",          ")",
    "<",          ">",
    ",",          ";",
    ":",          "@",
    "!",          "|",
    "_",          "%r1",
    "%v",         ".b32",
    ".reg",       ".param",
    ".global",    ".entry",
    "=",          "0x",
    "0f",         "999999999999",
    "-",          "\"",
    "/*",         "\n",
    ".loc 1 1 1", ".align",
    "generic(",   "bra",
    "call",       "%r<9999999999>",
    "::",         ".",
    "1 << 62",
};

std::string damaged(std::mt19937& random) {
  std::string text = sample();
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes; ++i) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      case 3:
        text.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 4:
        text[at] = text[random() % text.size()];
        break;
      default:
        text.replace(at, std::min<std::size_t>(length, 4), pieces[random() % std::size(pieces)]);
        break;
    }
  }
  return text;
}

// Of this process alone: what else the machine does is not the parser's fault.
double seconds_to_parse(const std::string& text) {
  const std::clock_t start = std::clock();
  survives(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("the undamaged sample parses") {
  CHECK(survives(sample()));
}

TEST_CASE("damaged texts parse or are refused") {
  std::mt19937 random(2024);
  int parsed = 0;
  constexpr int rounds = 5000;
  for (int round = 0; round < rounds; ++round) parsed += survives(damaged(random)) ? 1 : 0;
  // Damage must neither be always harmless nor always fatal, or it tests little.
  CHECK(parsed > rounds / 50);
  CHECK(parsed < rounds / 2);
}

TEST_CASE("every prefix of a text parses or is refused") {
  for (std::size_t size = 0; size < sample().size(); ++size)
    survives(std::string_view(sample()).substr(0, size));
  CHECK(!survives(std::string_view(sample()).substr(0, sample().size() / 2)));
}

TEST_CASE("random bytes are refused") {
  std::mt19937 random(7);
  int parsed = 0;
  for (int round = 0; round < 500; ++round) {
    std::string text = ".version 8.0\n.target sm_75\n";
    for (int i = 0; i < 200; ++i) text += static_cast<char>(random());
    parsed += survives(text) ? 1 : 0;
  }
  CHECK(parsed < 20);  // some start with a comment
}

TEST_CASE("long texts take time in proportion to their length") {
  // Each pattern invites quadratic work; a megabyte must take well under a second.
  const std::string registers = "{ .reg .b32 %q<5>; mov.u32 %q1, %q2; }\n";
  const std::string calls = "{ .param .b32 param0; st.param.b32 [param0], %r1; }\n";
  const std::string labels = "{ L: bra L; bra OUT; }\n";
  const std::string locations =
      ".loc 1 1 1, function_name a, inlined_at 1 2 3\n.loc 1 2 3, function_name b, inlined_at 1 1 "
      "1\n";
  for (const std::string& line : {registers, calls, labels, locations}) {
    const int times = static_cast<int>(1000000 / line.size());
    CHECK(seconds_to_parse(kernel_text(repeated(line, times) + "OUT:")) < 2.0);
  }
  CHECK(seconds_to_parse(kernel_text(std::string(1000000, '{'))) < 2.0);
  CHECK(seconds_to_parse(with_head(".global .u64 x = " + repeated("1+", 500000) + "1;")) < 2.0);
  CHECK(seconds_to_parse(with_head("." + std::string(1000000, 'a'))) < 2.0);
  CHECK(seconds_to_parse(kernel_text("mov.u32 %" + std::string(1000000, '1') + ", 1;")) < 2.0);
}
