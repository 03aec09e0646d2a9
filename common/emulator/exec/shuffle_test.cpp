// Shuffles with known distances take a map made when lowering; it must say what the others compute.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

using namespace ladder::emulator;

namespace {

using Words = std::vector<std::uint32_t>;

// Sixteen shuffles a launch with distances from `first` on; b and c written into the text or
// loaded.
Words shuffled(const std::string& mode, std::uint32_t first, std::uint32_t c, bool constants,
               unsigned threads) {
  std::string body = std::string(own_word) +
                     "ld.param.u64 %rd3, [p1];\nld.param.u64 %rd4, [p2];\ncvt.u32.u64 %r6, %rd4;\n"
                     "mul.lo.u32 %r8, %r4, 7;\nadd.u32 %r8, %r8, 3;\n";
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::string b = constants ? std::to_string(first + i) : "%r5";
    if (!constants) {
      body += "cvt.u32.u64 %r5, %rd3;\nadd.u32 %r5, %r5, " + std::to_string(i) + ";\n";
    }
    body += "mov.u32 %r9, 1000;\nshfl.sync." + mode + ".b32 %r9|%p1, %r8, " + b + ", " +
            (constants ? std::to_string(c) : std::string("%r6")) +
            ", -1;\n@%p1 add.u32 %r9, %r9, 100000;\nst.global.u32 [%rd1+" +
            std::to_string(i * 128) + "], %r9;\n";
  }
  TestKernel k(kernel_text(3, body));
  const auto at = k.words(Words(16 * 32));
  k.launch({1, 1, 1}, {threads, 1, 1}, {at, first, c});
  return k.read(at, 16 * 32);
}

}  // namespace

TEST_CASE("a shuffle by known lanes reads what one by computed lanes reads") {
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    const std::uint32_t whole = std::string(mode) == "up" ? 0 : 31;
    for (const std::uint32_t segment : {0u, 16u, 24u, 28u}) {
      for (const std::uint32_t first : {0u, 16u}) {
        for (const unsigned threads : {32u, 21u}) {
          if (threads < 32 && whole != 0) continue;  // would read lanes that are not there
          CAPTURE(mode);
          CAPTURE(segment);
          CAPTURE(first);
          CAPTURE(threads);
          const std::uint32_t c = whole | segment << 8;
          CHECK(shuffled(mode, first, c, true, threads) ==
                shuffled(mode, first, c, false, threads));
        }
      }
    }
  }
}

TEST_CASE("a shuffle reads the lane that the manual names") {
  const auto lane_value = [](std::uint32_t lane) { return lane * 7 + 3; };
  const Words down = shuffled("down", 0, 31, true, 32), up = shuffled("up", 0, 0, true, 32);
  const Words halves = shuffled("bfly", 0, 31 | 16u << 8, true, 32);
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const bool inside_down = lane + i < 32, inside_up = lane >= i;
      CHECK(down[i * 32 + lane] ==
            (inside_down ? 100000 + lane_value(lane + i) : lane_value(lane)));
      CHECK(up[i * 32 + lane] == (inside_up ? 100000 + lane_value(lane - i) : lane_value(lane)));
      CHECK(halves[i * 32 + lane] == 100000 + lane_value(lane ^ i));
    }
  }
}
