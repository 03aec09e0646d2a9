// Damaged kernels: each loads or is refused, runs or ends in a fault; the host never crashes.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/emulator/device.hpp"

using namespace ladder::emulator;

namespace {

constexpr std::string_view sample = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 table[4] = {1, 2, 3};
.global .align 8 .u64 pointers[2] = {table, 0};
.func (.param .b32 r) twice(.param .b32 a)
{
	.reg .b32 %x;
	ld.param.b32 %x, [a];
	shl.b32 %x, %x, 1;
	st.param.b32 [r], %x;
	ret;
}
.visible .entry k(.param .u64 out, .param .u64 in)
{
	.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 %e<9>;
	.shared .align 16 .b8 tile[512];
	.local .align 8 .b8 depot[32];
	ld.param.u64 %d1, [out];
	ld.param.u64 %d2, [in];
	cvta.to.global.u64 %d1, %d1;
	cvta.to.global.u64 %d2, %d2;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d3, %r1, 16;
	add.s64 %d4, %d2, %d3;
	ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d4];
	fma.rn.f32 %f5, %f1, %f2, %f3;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, tile;
	add.s32 %r3, %r3, %r2;
	st.shared.f32 [%r3], %f5;
	bar.sync 0;
	ld.shared.u32 %r4, [%r3];
	shfl.sync.bfly.b32 %r5|%p1, %r4, 1, 31, -1;
	setp.lt.and.u32 %p2, %r1, 7, %p1;
	@%p2 bra $L1;
	mov.u64 %d5, depot;
	st.local.v2.u32 [%d5+8], {%r1, %r5};
	ld.local.u8 %h1, [%d5+9];
	cvt.u32.u16 %r6, %h1;
	bra.uni $L2;
$L1:
	{
	.param .b32 param0;
	st.param.b32 [param0+0], %r1;
	.param .b32 retval0;
	call.uni (retval0), twice, (param0);
	ld.param.b32 %r6, [retval0+0];
	}
$L2:
	and.b32 %r7, %r1, 3;
	T: .branchtargets $L3, $L4, $L3, $L4;
	brx.idx %r7, T;
$L3:
	atom.global.add.u32 %r8, [table+4], %r6;
$L4:
	cvt.f64.f32 %e1, %f4;
	div.rn.f64 %e2, %e1, 0d4008000000000000;
	selp.b64 %d6, %d3, 5, %p2;
	add.s64 %d7, %d1, %d3;
	st.global.f64 [%d7], %e2;
	st.global.u64 [%d7+8], %d6;
	ret;
}
)";

constexpr std::string_view pieces[] = {
    "{",         "}",          "[",     "%r1",   "%d1",    "%p1",   "%h1",         "%f1",
    "%e1",       "0f3F800000", "-1",    "0",     "%tid.x", "_",     "99999999999", ".v4",
    "{%r1,%r2}", "ret",        "bra",   ", %r2", "[%d1]",  "[%r1]", "4096",        "%laneid",
    "bar.sync",  "1",          "table", "tile",  "twice",  "$L1"};

// The next word of the text from a random place: position and length.
std::pair<std::size_t, std::size_t> word(const std::string& text, std::mt19937& random) {
  constexpr std::string_view ends = " \t\n,;";
  std::size_t start = text.find_first_not_of(ends, random() % text.size());
  if (start == std::string::npos) start = 0;
  return {start, std::min(text.find_first_of(ends, start), text.size()) - start};
}

std::string damaged(std::mt19937& random) {
  std::string text(sample);
  for (unsigned change = 0; change <= random() % 2; ++change) {
    const auto [at, length] = word(text, random);
    switch (random() % 4) {
      case 0: {
        const auto [other, other_length] = word(text, random);
        text.replace(at, length, std::string(text, other, other_length));
        break;
      }
      case 1:
        text.replace(at, length, pieces[random() % std::size(pieces)]);
        break;
      case 2:
        text.erase(at, length);
        break;
      default: {  // another type: .u32 to .s32, .f32, .b32
        const std::size_t dot = text.find('.', at);
        if (dot != std::string::npos && dot + 1 < text.size()) text[dot + 1] = "busf"[random() % 4];
      }
    }
  }
  return text;
}

struct Tally {
  int refused = 0, faulted = 0, finished = 0;
};

void run(Device& device, DeviceAddress out, DeviceAddress in, const std::string& text,
         Tally& tally) {
  Module* module = nullptr;
  try {
    module = device.load(text, "damaged");
  } catch (const Fault&) {
    ++tally.refused;
    return;
  }
  try {
    Launch launch;
    launch.function = device.function(module, "k");
    if (launch.function != nullptr) {
      std::vector<std::byte> bytes(device.attributes(launch.function).parameter_total);
      const DeviceAddress values[] = {out, in};
      const auto given = std::as_bytes(std::span(values));
      std::copy_n(given.begin(), std::min(given.size(), bytes.size()), bytes.begin());
      launch.block.x = 64;
      launch.parameters = bytes;
      device.launch(launch);
    }
    ++tally.finished;
  } catch (const Fault&) {
    ++tally.faulted;
  }
  device.unload(module);
}

}  // namespace

TEST_CASE("damaged kernels are refused, fault or run, and never harm the host") {
  Options options;
  options.threads = 1;
  options.time_limit_s = 0.05;
  Device device({}, options);
  const DeviceAddress out = device.allocate(1024), in = device.allocate(1024);
  device.set(in, 63, 1024);
  Tally whole;
  run(device, out, in, std::string(sample), whole);
  CHECK(whole.finished == 1);
  std::mt19937 random(99);
  Tally tally;
  for (int round = 0; round < 3000; ++round) run(device, out, in, damaged(random), tally);
  // Each way out is taken, or the damage tests little.
  CHECK(tally.refused > 100);
  CHECK(tally.faulted > 20);
  CHECK(tally.finished > 100);
}

TEST_CASE("a kernel whose parameters no launch could carry is refused") {
  const auto text = [](const std::string& bytes) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 out, .param .align 8 .b8 blob[" +
           bytes + "])\n{\nret;\n}\n";
  };
  Device device;
  device.unload(device.load(text("32756"), "most"));
  for (const char* bytes : {"32757", "999999999964", "18446744073709551608"}) {
    CAPTURE(bytes);
    CHECK_THROWS_AS(device.load(text(bytes), "more"), Fault);
  }
}
