// 128-bit registers, and atomics on vectors.
#include <doctest/doctest.h>

#include <bit>

#include "common/emulator/device.hpp"
#include "common/emulator/opcodes/small_kernel.hpp"

using namespace ladder::emulator::opcodes;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

const std::string registers = ".reg .b128 %q<6>;\n";
// Each thread's own 16 bytes, of zeros.
const std::string head = ".global .align 16 .b8 k_wide[1024];\n";
const std::string own_place =
    registers + "mov.u64 %d9, k_wide; mul.wide.u32 %d8, %t, 16; add.u64 %d9, %d9, %d8;\n";

u64 both(u32 t) {
  return u64(input(t + 1)) << 32 | input(t);
}

void check(const std::string& body, u64 (*expected)(u32 t)) {
  INFO(body);
  const std::vector<u64> got = run_small_kernel(body, head);
  for (u32 t = 0; t < block_threads; ++t) CHECK(got[t] == expected(t));
}

}  // namespace

TEST_CASE("a 128-bit register joins and splits") {
  check(registers +
            "mov.b64 %d1, {%x, %y}; mov.b64 %d2, {%y, %x}; mov.b128 %q1, {%d1, %d2};\n"
            "mov.b128 %q2, %q1; mov.b128 {%d3, %d4}, %q2; sub.u64 %d0, %d3, %d4;",
        [](u32 t) { return both(t) - std::rotl(both(t), 32); });
}

TEST_CASE("128 bits are stored and loaded at once") {
  for (const std::string place : {".global", ""}) {
    check(own_place + "mov.b64 %d1, {%x, %y}; mov.u64 %d2, 5; mov.b128 %q1, {%d1, %d2};\nst" +
              place + ".b128 [%d9], %q1; ld" + place +
              ".b128 %q2, [%d9]; ld.global.u64 %d5, [%d9];\n"
              "mov.b128 {%d3, %d4}, %q2; add.u64 %d0, %d3, %d4; sub.u64 %d5, %d5, %d1; "
              "add.u64 %d0, %d0, %d5;",
          [](u32 t) { return both(t) + 5; });
  }
  check(registers +
            "mul.lo.u32 %r1, %t, 8; and.b32 %r1, %r1, 496; add.u32 %r1, %r1, %tile;\n"
            "mov.u64 %d1, 3; mov.u64 %d2, 4; mov.b128 %q1, {%d1, %d2};\n"
            "st.shared.b128 [%r1], %q1; ld.shared.b128 %q2, [%r1];\n"
            "mov.b128 {%d3, %d4}, %q2; mul.lo.u64 %d0, %d3, %d4;",
        [](u32) { return u64(12); });
}

TEST_CASE("128 bits must lie at a multiple of 16") {
  CHECK_THROWS_AS(run_small_kernel(own_place + "ld.global.b128 %q1, [%d9+8];", head),
                  ladder::emulator::Fault);
}

TEST_CASE("128 bits are exchanged, and compared before they are") {
  const std::string set_up = own_place +
                             "mov.b64 %d1, {%x, %y}; mov.u64 %d2, 7; mov.b128 %q1, {%d1, %d2};\n"
                             "atom.global.exch.b128 %q2, [%d9], %q1;\n";
  // The old value was zero; the new one is found by a comparison that fails, then by one that
  // holds.
  check(set_up +
            "atom.global.cas.b128 %q3, [%d9], %q2, %q2; mov.b128 {%d3, %d4}, %q3;\n"
            "add.u64 %d0, %d3, %d4;",
        [](u32 t) { return both(t) + 7; });
  check(set_up +
            "atom.cas.b128 %q3, [%d9], %q1, %q2; atom.exch.b128 %q4, [%d9], %q1;\n"
            "mov.b128 {%d3, %d4}, %q4; or.b64 %d0, %d3, %d4;",
        [](u32) { return u64(0); });
}

TEST_CASE("atomics on vectors update each element and return the old ones") {
  check(own_place +
            "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000;\n"
            "red.global.add.v2.f32 [%d9], {%f1, %f2};\n"
            "atom.global.add.v4.f32 {%f2, %f1, %f3, %f4}, [%d9], {%f1, %f2, %f1, %f1};\n"
            "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d9];\n"
            "mov.b32 %r5, %f2; mov.b32 %r6, %f1;\n"
            "mov.b64 %d1, {%r5, %r6}; mov.b64 %d2, {%r1, %r2}; xor.b64 %d0, %d1, %d2; "
            "mov.b64 %d3, {%r3, %r4}; add.u64 %d0, %d0, %d3;",
        // 1, 2 and then 2, 4 and 1, 1
        [](u32) {
          const auto bits = [](float value) { return u64(std::bit_cast<u32>(value)); };
          const u64 old = bits(2) << 32 | bits(1), sums = bits(4) << 32 | bits(2);
          return (old ^ sums) + (bits(1) << 32 | bits(1));
        });
  check(own_place +
            "mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3c004000;\n"
            "red.global.add.noftz.v2.f16x2 [%d9], {%r1, %r2};\n"
            "red.global.max.noftz.v2.f16x2 [%d9], {%r2, %r1}; ld.global.u64 %d0, [%d9];",
        [](u32) { return u64(0x4000400040004000); });
  check(own_place +
            "mov.b16 %h1, 0x3f80; mov.b16 %h2, 0x4000;\n"
            "red.global.add.noftz.v4.bf16 [%d9], {%h1, %h2, %h1, %h2};\n"
            "red.global.min.noftz.v4.bf16 [%d9], {%h1, %h1, %h2, %h2}; "
            "ld.global.u64 %d0, [%d9];",
        [](u32) { return u64(0x40003f803f803f80); });
}

TEST_CASE("lop3 tells whether a bit is set, together with a predicate") {
  check(
      "and.b32 %r1, %t, 1; setp.eq.u32 %p2, %r1, 0; and.b32 %r2, %t, 6;\n"
      "lop3.or.b32 %r3|%p1, %r2, %r2, %r2, 0x80, %p2; selp.b32 %r4, 1, 0, %p1;\n"
      "lop3.and.b32 _|%p3, %r2, %r2, %r2, 0x80, %p2; selp.b32 %r5, 2, 0, %p3;\n"
      "or.b32 %r4, %r4, %r5; mov.b64 %d0, {%r4, %r3};",
      [](u32 t) {
        const bool even = t % 2 == 0, some = (t & 6) != 0;
        return u64(t & 6) << 32 | (even || some ? 1 : 0) | (even && some ? 2 : 0);
      });
}

TEST_CASE("what only steers caches changes nothing") {
  check(
      "createpolicy.fractional.L2::evict_last.b64 %d1, 0.5;\n"
      "ld.global.L2::cache_hint.u32 %r1, [%in], %d1; applypriority.global.L2::evict_normal [%in], "
      "128; prefetch.global.L2 [%in]; cvt.u64.u32 %d0, %r1;",
      [](u32) { return u64(input(0)); });
}
