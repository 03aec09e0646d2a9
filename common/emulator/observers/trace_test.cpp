// What a trace says of the lanes, and where it ends.
#include "common/emulator/trace.hpp"

#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

namespace {

using Kind = TracedAccess::Kind;

Options tracing(const TraceLimits& limits = {}) {
  Options options;
  options.watch |= watch_trace;
  options.trace = limits;
  return options;
}

// Each thread reads its word of `words`, from there to its word of `tile` and back, in another
// order, and adds to the first word.
const char* const shared_tile = ".shared .align 4 .b8 pad[64];\n.shared .align 4 .b8 tile[256];\n";
std::string through_shared() {
  return std::string(own_word) +
         ".loc 1 11 0\nld.global.u32 %r5, [%rd1];\nshl.b32 %r6, %r4, 2;\nmov.u32 %r7, tile;\n"
         "add.u32 %r8, %r7, %r6;\n.loc 1 12 0\nst.shared.u32 [%r8], %r5;\n"
         "sub.u32 %r9, %r7, %r6;\nld.shared.u32 %r10, [%r9+124];\n"
         "red.global.add.u32 [%rd0], %r10;\n";
}

// What a warp does whose lanes have a word each, of 'words' at %rd1, and the block's `tile`.
Trace traced_warp(const std::string& body) {
  TestKernel k(kernel_text(1, std::string(own_word) + body, shared_tile), tracing());
  const auto words = k.words(std::vector<std::uint32_t>(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {words});
  Trace trace = k.device.trace();
  REQUIRE(trace.launches.size() == 1);
  return trace;
}

}  // namespace

TEST_CASE("a trace has every lane's address from the start of what holds it, by its name") {
  TestKernel k(kernel_text(1, through_shared(), shared_tile), tracing({1, 1, 100}));
  const auto words = k.words(std::vector<std::uint32_t>(96), "input");
  k.launch({3, 1, 1}, {32, 1, 1}, {words});
  const Trace trace = k.device.trace();
  CHECK_FALSE(trace.cut);
  REQUIRE(trace.launches.size() == 1);
  const TracedLaunch& launch = trace.launches[0];
  CHECK(launch.grid.x == 3);
  REQUIRE(launch.accesses.size() == 4);
  const auto memory = [&](std::size_t i) { return launch.memories[launch.accesses[i].memory]; };
  const auto line = [&](std::size_t i) {
    return launch.instructions[launch.accesses[i].instruction].line;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(launch.accesses[i].number == i);
    CHECK(launch.accesses[i].block.x == 1);
    CHECK(launch.accesses[i].mask == ~0u);
    CHECK(launch.accesses[i].bytes == 4);
  }
  CHECK(memory(0).space == "global");
  CHECK(memory(0).name == "input");
  CHECK(memory(0).bytes == 384);
  CHECK(launch.accesses[0].kind == Kind::read);
  CHECK(launch.accesses[0].offset[0] == 128);
  CHECK(launch.accesses[0].offset[31] == 252);
  CHECK(line(0) == 11);
  CHECK(memory(1).space == "shared");
  CHECK(memory(1).name == "tile");
  CHECK(memory(1).bytes == 256);
  CHECK(launch.accesses[1].kind == Kind::write);
  CHECK(launch.accesses[1].offset[31] == 124);
  CHECK(line(1) == 12);
  CHECK(launch.instructions[launch.accesses[1].instruction].text == "st.shared.u32 [%r8], %r5");
  CHECK(launch.accesses[2].kind == Kind::read);
  CHECK(launch.accesses[2].offset[0] == 124);
  CHECK(launch.accesses[2].offset[31] == 0);
  CHECK(launch.accesses[3].kind == Kind::atomic);
  CHECK(memory(3).name == "input");
  CHECK(launch.accesses[3].offset[17] == 0);
}

TEST_CASE("a trace ends at its limit and says so") {
  TestKernel k(kernel_text(1, through_shared(), shared_tile), tracing({0, 2, 5}));
  const auto words = k.words(std::vector<std::uint32_t>(96));
  k.launch({3, 1, 1}, {32, 1, 1}, {words});
  CHECK(k.device.trace().cut);
  REQUIRE(k.device.trace().launches.size() == 1);
  CHECK(k.device.trace().launches[0].accesses.size() == 5);
  CHECK(k.device.trace().launches[0].accesses[4].block.x == 1);
  k.device.clear_trace();
  k.device.options().trace = {2, 1, 4};
  k.launch({3, 1, 1}, {32, 1, 1}, {words});
  CHECK_FALSE(k.device.trace().cut);
  REQUIRE(k.device.trace().launches.size() == 1);
  CHECK(k.device.trace().launches[0].accesses[3].block.x == 2);
}

TEST_CASE("lanes that take no part are left out, and each warp is told of for itself") {
  TestKernel k(kernel_text(1, std::string(own_word) +
                                  "setp.lt.u32 %p1, %r4, 40;\n@%p1 ld.global.u32 %r5, [%rd1];\n"
                                  "st.global.u32 [%rd1], %r5;\n"),
               tracing());
  const auto words = k.words(std::vector<std::uint32_t>(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {words});
  std::uint32_t read[2] = {};
  const Trace trace = k.device.trace();
  REQUIRE(trace.launches.size() == 1);
  for (const TracedAccess& access : trace.launches[0].accesses) {
    REQUIRE(access.warp < 2);
    if (access.kind == Kind::read) read[access.warp] |= access.mask;
  }
  CHECK(read[0] == ~0u);
  CHECK(read[1] == 0xff);
}

TEST_CASE("an access whose lanes point into several memories has a part for each") {
  // Lanes below 16: their word of p0; the others: of tile, by generic addresses.
  const Trace trace = traced_warp(
      "mov.u32 %r7, tile;\ncvt.u64.u32 %rd3, %r7;\n"
      "cvta.shared.u64 %rd3, %rd3;\nadd.u64 %rd3, %rd3, %rd2;\n"
      "setp.lt.u32 %p1, %r4, 16;\nselp.b64 %rd4, %rd1, %rd3, %p1;\n"
      "st.u32 [%rd4], %r4;\n");
  const TracedLaunch& launch = trace.launches[0];
  REQUIRE(launch.accesses.size() == 2);
  CHECK(launch.accesses[0].number == launch.accesses[1].number);
  CHECK(launch.memories[launch.accesses[0].memory].name == "tile");
  CHECK(launch.accesses[0].mask == 0xffff0000u);
  CHECK(launch.accesses[0].offset[20] == 80);
  CHECK(launch.memories[launch.accesses[1].memory].name == "words");
  CHECK(launch.accesses[1].mask == 0xffffu);
}

TEST_CASE("an instruction that is executed twice is traced twice, whichever lanes and memories") {
  // In the first round lanes below 16 store to tile, in the second the others to p0.
  const Trace trace = traced_warp(
      "mov.u32 %r7, tile;\ncvt.u64.u32 %rd3, %r7;\n"
      "cvta.shared.u64 %rd3, %rd3;\nadd.u64 %rd3, %rd3, %rd2;\n"
      "setp.lt.u32 %p1, %r4, 16;\nselp.b64 %rd4, %rd3, %rd1, %p1;\n"
      "mov.u32 %r5, 0;\nROUND:\nsetp.ne.u32 %p2, %r5, 0;\n"
      "xor.pred %p3, %p1, %p2;\n@%p3 st.u32 [%rd4], %r4;\n"
      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p4, %r5, 2;\n@%p4 bra ROUND;\n");
  const TracedLaunch& launch = trace.launches[0];
  CHECK(trace.accesses == 2);
  REQUIRE(launch.accesses.size() == 2);
  CHECK(launch.accesses[0].mask == 0xffffu);
  CHECK(launch.accesses[1].mask == 0xffff0000u);
  CHECK(launch.accesses[0].number == 0);
  CHECK(launch.accesses[1].number == 1);
}

TEST_CASE("an asynchronous copy is a read of global and a write of shared memory") {
  const Trace trace = traced_warp(
      "mov.u32 %r7, tile;\nshl.b32 %r6, %r4, 2;\nadd.u32 %r8, %r7, %r6;\n"
      "cp.async.ca.shared.global [%r8], [%rd1], 4;\ncp.async.wait_all;\n");
  const TracedLaunch& launch = trace.launches[0];
  REQUIRE(launch.accesses.size() == 2);
  CHECK(launch.accesses[0].kind == Kind::read);
  CHECK(launch.memories[launch.accesses[0].memory].space == "global");
  CHECK(launch.accesses[1].kind == Kind::write);
  CHECK(launch.memories[launch.accesses[1].memory].space == "shared");
  CHECK(launch.accesses[1].offset[31] == 124);
  CHECK(launch.accesses[0].number == launch.accesses[1].number);
}

TEST_CASE("which blocks to trace is a number or a range of numbers") {
  TraceLimits limits;
  CHECK(set_traced_blocks(limits, "7"));
  CHECK(limits.first_block == 7);
  CHECK(limits.blocks == 1);
  CHECK(set_traced_blocks(limits, "2-5"));
  CHECK(limits.first_block == 2);
  CHECK(limits.blocks == 4);
  for (const char* wrong : {"", "-", "5-2", "1-", "-3", "1,2", "x", "1-2-3"}) {
    CAPTURE(wrong);
    CHECK_FALSE(set_traced_blocks(limits, wrong));
  }
  CHECK(limits.blocks == 4);
}

}  // namespace ladder::emulator
