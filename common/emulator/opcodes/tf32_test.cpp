// Conversions to tf32 of what is no number, where only hardware can tell: each line was measured on
// an H200.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "common/emulator/exec/text.hpp"
#include "common/emulator/opcodes/small_kernel.hpp"

namespace ladder::emulator::opcodes {

TEST_CASE("rounding away from zero cuts a NaN short, and .satfinite counts it down") {
  const struct {
    std::uint32_t from, away, finite;
  } measured[] = {
      {0x7f7fefff, 0x7f7fe000, 0x7f7fe000}, {0x7f7ff000, 0x7f800000, 0x7f7fe000},
      {0x7f800000, 0x7f800000, 0x7f7fe000}, {0xff800000, 0xff800000, 0xff7fe000},
      {0x7f800fff, 0x7f800000, 0x7f7fe000}, {0x7f801000, 0x7f800000, 0x7f7fe000},
      {0x7f802000, 0x7f802000, 0x7f800000}, {0x7fbfffff, 0x7fbfe000, 0x7fbfc000},
      {0x7fffdfff, 0x7fffc000, 0x7fffa000}, {0x7fffffff, 0x7fffe000, 0x7fffc000},
      {0xffc01fff, 0xffc00000, 0xffbfe000}, {0xffffffff, 0xffffe000, 0xffffc000},
  };
  for (const auto& [from, away, finite] : measured) {
    const auto converted = [bits = from](const std::string& opcode) {
      return run_small_kernel("mov.b32 %f1, " + hex(bits) + ";\n" + opcode +
                              " %r1, %f1;\ncvt.u64.u32 %d0, %r1;")[0];
    };
    CAPTURE(hex(from));
    CHECK(hex(converted("cvt.rna.tf32.f32")) == hex(away));
    CHECK(hex(converted("cvt.rna.satfinite.tf32.f32")) == hex(finite));
  }
}

}  // namespace ladder::emulator::opcodes
