// Instructions that are no lane function: memory, atomics, exchange between lanes, control flow.
#include "common/emulator/opcodes/small_kernel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>

using namespace ladder::emulator::opcodes;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

namespace {

struct Case {
  const char* says;
  const char* body;
  std::function<u64(u32 t)> expected;
};

u32 lane(u32 t) {
  return t % 32;
}
u32 warp_start(u32 t) {
  return t / 32 * 32;
}
u32 from_lane(u32 t, u32 other) {
  return input(warp_start(t) + other);
}

// Over the inputs of t's warp.
template <class F>
u32 folded(u32 t, u32 start, F combine) {
  for (u32 i = 0; i < 32; ++i) start = combine(start, from_lane(t, i));
  return start;
}
u32 ballot(u32 t, const std::function<bool(u32)>& predicate) {
  u32 mask = 0;
  for (u32 i = 0; i < 32; ++i) mask |= predicate(warp_start(t) + i) ? 1u << i : 0;
  return mask;
}
u64 single(float value) {
  return std::bit_cast<u32>(value);
}

void check(const std::vector<Case>& cases, const std::string& head = "") {
  for (const Case& one : cases) {
    INFO(std::string(one.says));
    std::string found;
    try {
      const std::vector<u64> got = run_small_kernel(one.body, head);
      for (u32 t = 0; t < block_threads && found.empty(); ++t) {
        const u64 expected = one.expected(t);
        if (got[t] == expected) continue;
        char text[120];
        std::snprintf(text, sizeof text, "thread %u: 0x%llx, expected 0x%llx", t,
                      static_cast<unsigned long long>(got[t]),
                      static_cast<unsigned long long>(expected));
        found = text;
      }
    } catch (const std::exception& error) {
      found = error.what();
    }
    CHECK(found == "");
  }
}

}  // namespace

TEST_CASE("moves split and join registers") {
  check({
      {"two words join", "mov.b64 %d0, {%x, %y};",
       [](u32 t) { return u64(input(t + 1)) << 32 | input(t); }},
      {"a double word splits",
       "mov.b64 %d1, {%x, %y}; mov.b64 {%r1, %r2}, %d1; mov.b64 %d0, {%r2, %r1};",
       [](u32 t) { return u64(input(t)) << 32 | input(t + 1); }},
      {"a half may be dropped",
       "mov.b64 %d1, {%x, %y}; mov.b64 {_, %r2}, %d1; cvt.u64.u32 %d0, %r2;",
       [](u32 t) { return input(t + 1); }},
      {"a word splits into halves and joins swapped",
       "mov.b32 {%h1, %h2}, %x; mov.b32 %r0, {%h2, %h1}; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return std::rotl(input(t), 16); }},
      {"a double word splits into four",
       "mov.b64 %d1, {%x, %y}; mov.b64 {%h1, %h2, %h3, %h4}, %d1; mov.b64 %d0, {%h4, %h3, %h2, "
       "%h1};",
       [](u32 t) {
         const u32 a = std::rotl(input(t), 16), b = std::rotl(input(t + 1), 16);
         return u64(a) << 32 | b;
       }},
      {"floats are moved as bits", "mov.b32 %f1, %x; mov.b32 %r0, %f1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return input(t); }},
  });
}

TEST_CASE("special registers describe the thread") {
  check({
      {"lane", "mov.u32 %r0, %laneid; cvt.u64.u32 %d0, %r0;", lane},
      {"warp", "mov.u32 %r0, %warpid; cvt.u64.u32 %d0, %r0;", [](u32 t) { return t / 32; }},
      {"block size", "mov.u32 %r0, %ntid.x; cvt.u64.u32 %d0, %r0;", [](u32) { return 64; }},
      {"other dimensions",
       "mov.u32 %r1, %ntid.y; mov.u32 %r2, %tid.z; add.u32 %r0, %r1, %r2; cvt.u64.u32 %d0, %r0;",
       [](u32) { return 1; }},
      {"grid",
       "mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.x; sub.u32 %r0, %r1, %r2; cvt.u64.u32 %d0, "
       "%r0;",
       [](u32) { return 1; }},
      {"lanes below", "mov.u32 %r0, %lanemask_lt; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return (u64(1) << lane(t)) - 1; }},
      {"lanes not above", "mov.u32 %r0, %lanemask_le; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return (u64(2) << lane(t)) - 1; }},
      {"this lane", "mov.u32 %r0, %lanemask_eq; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return u64(1) << lane(t); }},
      {"lanes above", "mov.u32 %r0, %lanemask_gt; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return 0xffffffff & ~((u64(2) << lane(t)) - 1); }},
      {"lanes not below", "mov.u32 %r0, %lanemask_ge; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return 0xffffffff & ~((u64(1) << lane(t)) - 1); }},
      {"warp size", "mov.u32 %r0, WARP_SZ; cvt.u64.u32 %d0, %r0;", [](u32) { return 32; }},
      {"the clock advances",
       "mov.u64 %d1, %clock64; mov.u64 %d2, %clock64; setp.ge.u64 %p1, %d2, %d1; selp.b64 %d0, 1, "
       "0, %p1;",
       [](u32) { return 1; }},
  });
}

TEST_CASE("shuffles move values between lanes") {
  check({
      {"up keeps the first lanes",
       "shfl.sync.up.b32 %r0|%p1, %x, 3, 0, -1; selp.b32 %r1, 1, 0, %p1; mov.b64 %d0, {%r0, %r1};",
       [](u32 t) {
         const bool valid = lane(t) >= 3;
         return u64(valid) << 32 | (valid ? input(t - 3) : input(t));
       }},
      {"down keeps the last lanes",
       "shfl.sync.down.b32 %r0|%p1, %x, 5, 31, 0xffffffff; selp.b32 %r1, 1, 0, %p1; mov.b64 %d0, "
       "{%r0, %r1};",
       [](u32 t) {
         const bool valid = lane(t) + 5 < 32;
         return u64(valid) << 32 | (valid ? input(t + 5) : input(t));
       }},
      {"bfly exchanges", "shfl.sync.bfly.b32 %r0, %x, 17, 31, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return from_lane(t, lane(t) ^ 17); }},
      {"idx broadcasts", "shfl.sync.idx.b32 %r0, %x, 7, 31, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return from_lane(t, 7); }},
      {"idx takes a lane from each thread and wraps",
       "mul.lo.u32 %r1, %t, 5; shfl.sync.idx.b32 %r0, %x, %r1, 31, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return from_lane(t, t * 5 % 32); }},
      {"segments of 8 stay apart: idx",
       "shfl.sync.idx.b32 %r0, %x, 2, 0x181f, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return from_lane(t, lane(t) / 8 * 8 + 2); }},
      {"segments of 8 stay apart: down",
       "shfl.sync.down.b32 %r0, %x, 3, 0x181f, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return lane(t) % 8 + 3 < 8 ? input(t + 3) : input(t); }},
      {"segments of 8 stay apart: up",
       "shfl.sync.up.b32 %r0, %x, 3, 0x1800, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return lane(t) % 8 >= 3 ? input(t - 3) : input(t); }},
      {"half a warp shuffles in a branch",
       "mov.u32 %r0, 0; setp.lt.u32 %p1, %t, 16; @!%p1 bra DONE;\n"
       "shfl.sync.bfly.b32 %r0, %x, 1, 31, 0xffff;\nDONE: cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return t < 16 ? input(t ^ 1) : 0; }},
  });
}

TEST_CASE("votes, matches and reductions see the whole warp") {
  const auto odd = [](u32 t) { return (input(t) & 1) != 0; };
  check({
      {"ballot",
       "and.b32 %r1, %x, 1; setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r0, %p1, -1; "
       "cvt.u64.u32 %d0, %r0;",
       [=](u32 t) { return ballot(t, odd); }},
      {"ballot, .sync written last",
       "and.b32 %r1, %x, 1; setp.ne.u32 %p1, %r1, 0; vote.ballot.sync.b32 %r0, %p1, -1; "
       "cvt.u64.u32 %d0, %r0;",
       [=](u32 t) { return ballot(t, odd); }},
      {"any, .sync written last",
       "setp.eq.u32 %p1, %t, 40; vote.any.sync.pred %p2, %p1, -1; selp.b64 %d0, 1, 0, %p2;",
       [](u32 t) { return t >= 32; }},
      {"ballot of a negated predicate",
       "and.b32 %r1, %x, 1; setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r0, !%p1, -1; "
       "cvt.u64.u32 %d0, %r0;",
       [=](u32 t) { return ~ballot(t, odd); }},
      {"any", "setp.eq.u32 %p1, %t, 40; vote.sync.any.pred %p2, %p1, -1; selp.b64 %d0, 1, 0, %p2;",
       [](u32 t) { return t >= 32; }},
      {"all", "setp.ne.u32 %p1, %t, 40; vote.sync.all.pred %p2, %p1, -1; selp.b64 %d0, 1, 0, %p2;",
       [](u32 t) { return t < 32; }},
      {"uni", "setp.lt.u32 %p1, %t, 40; vote.sync.uni.pred %p2, %p1, -1; selp.b64 %d0, 1, 0, %p2;",
       [](u32 t) { return t < 32; }},
      {"active lanes of a branch",
       "and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; mov.u32 %r0, 0; @!%p1 bra DONE;\n"
       "activemask.b32 %r0;\nDONE: cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return t % 4 == 0 ? 0x11111111 : 0; }},
      {"match any", "and.b32 %r1, %x, 3; match.any.sync.b32 %r0, %r1, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return ballot(t, [&](u32 o) { return (input(o) & 3) == (input(t) & 3); }); }},
      {"match any of 64 bits",
       "and.b32 %r1, %x, 3; mov.b64 %d1, {%t, %r1}; shr.u64 %d1, %d1, 32; match.any.sync.b64 %r0, "
       "%d1, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return ballot(t, [&](u32 o) { return (input(o) & 3) == (input(t) & 3); }); }},
      {"match all",
       "shr.u32 %r1, %t, 5; match.all.sync.b32 %r0|%p1, %r1, -1; selp.b32 %r2, 1, 0, %p1; mov.b64 "
       "%d0, {%r0, %r2};",
       [](u32) { return 0x1ffffffff; }},
      {"match all fails",
       "match.all.sync.b32 %r0|%p1, %x, -1; selp.b32 %r2, 1, 0, %p1; mov.b64 %d0, {%r0, %r2};",
       [](u32) { return 0; }},
      {"sum", "redux.sync.add.u32 %r0, %x, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return folded(t, 0, [](u32 a, u32 b) { return a + b; }); }},
      {"unsigned least", "redux.sync.min.u32 %r0, %x, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return folded(t, ~0u, [](u32 a, u32 b) { return std::min(a, b); }); }},
      {"signed greatest", "redux.sync.max.s32 %r0, %x, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) {
         return folded(t, 1u << 31, [](u32 a, u32 b) { return u32(std::max(s32(a), s32(b))); });
       }},
      {"exclusive or", "redux.sync.xor.b32 %r0, %x, -1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return folded(t, 0, [](u32 a, u32 b) { return a ^ b; }); }},
      {"one lane is elected", "elect.sync %r0|%p1, -1; selp.b64 %d0, 1, 0, %p1;",
       [](u32 t) { return lane(t) == 0; }},
  });
}

TEST_CASE("loads extend and stores narrow") {
  check({
      {"signed bytes",
       "st.local.u32 [%depot], %x; ld.local.s8 %r0, [%depot+1]; cvt.s64.s32 %d0, %r0;",
       [](u32 t) { return u64(s64(std::int8_t(input(t) >> 8))); }},
      {"unsigned bytes",
       "st.local.u32 [%depot], %x; ld.local.u8 %r0, [%depot+3]; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return input(t) >> 24; }},
      {"signed halves into 64 bits", "st.local.u32 [%depot], %x; ld.local.s16 %d0, [%depot+2];",
       [](u32 t) { return u64(s64(std::int16_t(input(t) >> 16))); }},
      {"signed words into 64 bits", "st.local.u32 [%depot], %x; ld.local.s32 %d0, [%depot];",
       [](u32 t) { return u64(s64(s32(input(t)))); }},
      {"a stored byte leaves its neighbours",
       "st.local.u32 [%depot], %x; st.local.u8 [%depot+1], %y; ld.local.u32 %r0, [%depot]; "
       "cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return (input(t) & 0xffff00ff) | (input(t + 1) & 0xff) << 8; }},
      {"vectors of four",
       "st.local.v4.u32 [%depot], {%t, %x, %y, 9}; ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [%depot]; "
       "add.u32 %r0, %r4, %r1; mov.b64 %d0, {%r2, %r0};",
       [](u32 t) { return u64(t + 9) << 32 | input(t); }},
      {"vectors of bytes",
       "st.local.u32 [%depot], %x; ld.local.v4.u8 {%h1, %h2, %h3, %h4}, [%depot]; cvt.u64.u16 %d0, "
       "%h3;",
       [](u32 t) { return input(t) >> 16 & 0xff; }},
      {"doubles in pairs",
       "cvt.rn.f64.u32 %e1, %x; st.local.v2.f64 [%depot+16], {%e1, %e1}; ld.local.v2.f64 {%e2, "
       "%e3}, [%depot+16]; add.f64 %e4, %e2, %e3; mov.b64 %d0, %e4;",
       [](u32 t) { return std::bit_cast<u64>(2.0 * input(t)); }},
      {"global inputs, cached and read-only",
       "ld.global.nc.u32 %r1, [%own]; ld.volatile.global.u32 %r2, [%own]; ld.global.cg.u32 %r3, "
       "[%own]; add.u32 %r0, %r1, %r2; add.u32 %r0, %r0, %r3; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return 3 * input(t); }},
      {"generic addresses of every space",
       "cvta.local.u64 %d1, %depot; st.u32 [%d1+4], %x; ld.local.u32 %r1, [%depot+4];\n"
       "cvt.u64.u32 %d2, %tile; cvta.shared.u64 %d2, %d2; mul.wide.u32 %d3, %t, 8; add.u64 %d2, "
       "%d2, %d3; st.u64 [%d2], %d3; ld.u64 %d4, [%d2];\n"
       "ld.u32 %r2, [%own]; add.u32 %r0, %r1, %r2; cvt.u64.u32 %d0, %r0; add.u64 %d0, %d0, %d4;",
       [](u32 t) { return u64(2 * input(t)) + 8 * t; }},
      {"addresses know their space",
       "cvta.local.u64 %d1, %depot; isspacep.local %p1, %d1; isspacep.shared %p2, %d1; "
       "isspacep.global %p3, %own;\n"
       "selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2; selp.b32 %r3, 4, 0, %p3; or.b32 %r0, "
       "%r1, %r2; or.b32 %r0, %r0, %r3; cvt.u64.u32 %d0, %r0;",
       [](u32) { return 5; }},
  });
}

TEST_CASE("module variables hold their initial values") {
  const std::string head =
      ".global .align 4 .u32 numbers[4] = {5, 6, 7};\n.const .align 8 .f64 third = "
      "0d3FD5555555555555;\n"
      ".global .u64 pointers[2] = {numbers, generic(numbers) + 8};\n"
      ".global .align 1 .b8 packed[9] = {1, 0xFF(generic(numbers)), 0xFF00(generic(numbers)), "
      "0xFF0000(generic(numbers)), 0xFF000000(generic(numbers)), 0xFF00000000(generic(numbers)), "
      "0xFF0000000000(generic(numbers)), 0xFF000000000000(generic(numbers)), "
      "0xFF00000000000000(generic(numbers))};\n";
  check(
      {
          {"arrays, the rest zero",
           "mov.u64 %d1, numbers; ld.global.u32 %r1, [%d1+8]; ld.global.u32 %r2, [numbers+12]; "
           "mov.b64 %d0, {%r1, %r2};",
           [](u32) { return 7; }},
          {"constants", "ld.const.u64 %d0, [third];", [](u32) { return 0x3fd5555555555555; }},
          {"addresses",
           "ld.global.u64 %d1, [pointers]; ld.global.u32 %r1, [%d1]; ld.global.u64 %d2, "
           "[pointers+8]; ld.u32 %r2, [%d2]; mov.b64 %d0, {%r1, %r2};",
           [](u32) { return u64(7) << 32 | 5; }},
          {"addresses byte by byte",
           "ld.global.u8 %d1, [packed+8]; shl.b64 %d1, %d1, 8; ld.global.u8 %d2, [packed+7]; "
           "or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8;\n"
           "ld.global.u8 %d2, [packed+6]; or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8; ld.global.u8 "
           "%d2, [packed+5]; or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8;\n"
           "ld.global.u8 %d2, [packed+4]; or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8; ld.global.u8 "
           "%d2, [packed+3]; or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8;\n"
           "ld.global.u8 %d2, [packed+2]; or.b64 %d1, %d1, %d2; shl.b64 %d1, %d1, 8; ld.global.u8 "
           "%d2, [packed+1]; or.b64 %d1, %d1, %d2;\n"
           "mov.u64 %d3, numbers; cvta.global.u64 %d3, %d3; sub.u64 %d0, %d1, %d3;",
           [](u32) { return 0; }},
      },
      head);
}

TEST_CASE("shared memory and barriers exchange values") {
  const std::string slot = "shl.b32 %r9, %t, 3; add.u32 %r9, %tile, %r9; ";
  const std::string mirrored =
      slot +
      "st.shared.u32 [%r9], %x; bar.sync 0; sub.u32 %r8, 63, %t; shl.b32 %r8, %r8, 3; add.u32 "
      "%r8, %tile, %r8; ld.shared.u32 %r0, [%r8]; cvt.u64.u32 %d0, %r0;";
  const std::string aligned = [&] {
    std::string text = mirrored;
    return text.replace(text.find("bar.sync 0"), 10, "barrier.sync.aligned 1, 64");
  }();
  check({
      {"mirrored", mirrored.c_str(), [](u32 t) { return input(63 - t); }},
      {"mirrored with a numbered barrier", aligned.c_str(), [](u32 t) { return input(63 - t); }},
      {"threads counted",
       "setp.gt.u32 %p1, %t, 20; bar.red.popc.u32 %r0, 0, %p1; cvt.u64.u32 %d0, %r0;",
       [](u32) { return 43; }},
      {"all", "setp.ne.u32 %p1, %t, 20; bar.red.and.pred %p2, 0, %p1; selp.b64 %d0, 1, 0, %p2;",
       [](u32) { return 0; }},
      {"any", "setp.eq.u32 %p1, %t, 20; bar.red.or.pred %p2, 0, %p1; selp.b64 %d0, 1, 0, %p2;",
       [](u32) { return 1; }},
      {"one warp's barrier",
       "setp.lt.u32 %p1, %t, 32; @!%p1 bra DONE;\nbar.sync 3, 32; mov.u64 %d0, 1;\nDONE:",
       [](u32 t) { return t < 32; }},
  });
}

TEST_CASE("atomics return the old value and leave the new one") {
  // Each thread has a word of its own in shared memory: d0 = {old, new}.
  const auto own = [](const std::string& operation) {
    return "shl.b32 %r9, %t, 3; add.u32 %r9, %tile, %r9; st.shared.u32 [%r9], %x;\n" + operation +
           "\nld.shared.u32 %r1, [%r9]; mov.b64 %d0, {%r0, %r1};";
  };
  const auto own_wide = [](const std::string& operation) {
    return "shl.b32 %r9, %t, 3; add.u32 %r9, %tile, %r9; mov.b64 %d9, {%x, %y}; st.shared.u64 "
           "[%r9], %d9;\n"
           "mov.b64 %d8, {%y, %t};\n" +
           operation + "\nld.shared.u64 %d2, [%r9]; mad.lo.u64 %d0, %d1, 3, %d2;";
  };
  struct Word {
    const char* operation;
    u32 (*updated)(u32 x, u32 y);
  };
  const Word words[] = {
      {"atom.shared.add.u32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x + y; }},
      {"atom.shared.add.s32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x + y; }},
      {"atom.shared.min.u32 %r0, [%r9], %y;", [](u32 x, u32 y) { return std::min(x, y); }},
      {"atom.shared.max.u32 %r0, [%r9], %y;", [](u32 x, u32 y) { return std::max(x, y); }},
      {"atom.shared.min.s32 %r0, [%r9], %y;",
       [](u32 x, u32 y) { return u32(std::min(s32(x), s32(y))); }},
      {"atom.shared.max.s32 %r0, [%r9], %y;",
       [](u32 x, u32 y) { return u32(std::max(s32(x), s32(y))); }},
      {"atom.shared.and.b32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x & y; }},
      {"atom.shared.or.b32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x | y; }},
      {"atom.shared.xor.b32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x ^ y; }},
      {"atom.shared.exch.b32 %r0, [%r9], %y;", [](u32, u32 y) { return y; }},
      {"atom.shared.inc.u32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x >= y ? 0 : x + 1; }},
      {"atom.shared.dec.u32 %r0, [%r9], %y;",
       [](u32 x, u32 y) { return x == 0 || x > y ? y : x - 1; }},
      {"atom.shared.cas.b32 %r0, [%r9], %x, %y;", [](u32, u32 y) { return y; }},
      {"atom.shared.cas.b32 %r0, [%r9], %y, 7;", [](u32 x, u32) { return x; }},
      {"atom.acq_rel.cta.shared.add.u32 %r0, [%r9], %y;", [](u32 x, u32 y) { return x + y; }},
      {"mov.b32 %r2, 0f3FC00000; st.shared.u32 [%r9], %r2; mov.b32 %f1, 0f40000000; "
       "atom.shared.add.f32 %f2, [%r9], %f1; mov.u32 %r0, %x;",
       [](u32, u32) { return std::bit_cast<u32>(3.5f); }},
      {"red.shared.add.u32 [%r9], %y; mov.u32 %r0, %x;", [](u32 x, u32 y) { return x + y; }},
      {"red.shared.max.s32 [%r9], %y; mov.u32 %r0, %x;",
       [](u32 x, u32 y) { return u32(std::max(s32(x), s32(y))); }},
  };
  for (const Word& word : words) {
    const std::string body = own(word.operation);
    check({{word.operation, body.c_str(),
            [&](u32 t) { return u64(word.updated(input(t), input(t + 1))) << 32 | input(t); }}});
  }
  struct WideWord {
    const char* operation;
    u64 (*updated)(u64 x, u64 y);
  };
  const WideWord wides[] = {
      {"atom.shared.add.u64 %d1, [%r9], %d8;", [](u64 x, u64 y) { return x + y; }},
      {"atom.shared.min.u64 %d1, [%r9], %d8;", [](u64 x, u64 y) { return std::min(x, y); }},
      {"atom.shared.max.s64 %d1, [%r9], %d8;",
       [](u64 x, u64 y) { return u64(std::max(s64(x), s64(y))); }},
      {"atom.shared.xor.b64 %d1, [%r9], %d8;", [](u64 x, u64 y) { return x ^ y; }},
      {"atom.shared.exch.b64 %d1, [%r9], %d8;", [](u64, u64 y) { return y; }},
      {"atom.shared.cas.b64 %d1, [%r9], %d9, %d8;", [](u64, u64 y) { return y; }},
  };
  for (const WideWord& wide : wides) {
    const std::string body = own_wide(wide.operation);
    check({{wide.operation, body.c_str(), [&](u32 t) {
              const u64 old = u64(input(t + 1)) << 32 | input(t),
                        other = u64(t) << 32 | input(t + 1);
              return old * 3 + wide.updated(old, other);
            }}});
  }
}

TEST_CASE("atomics of many threads on one address add up") {
  const std::string head = ".global .align 8 .u64 total;\n.global .align 4 .u32 tickets;\n";
  check(
      {
          {"every ticket is given once",
           "atom.global.add.u32 %r1, [tickets], 1; shl.b32 %r2, %r1, 3; add.u32 %r2, %tile, %r2; "
           "mov.u64 %d1, 1; st.shared.u64 [%r2], %d1;\n"
           "bar.sync 0; shl.b32 %r3, %t, 3; add.u32 %r3, %tile, %r3; ld.shared.u64 %d0, [%r3];",
           [](u32) { return 1; }},
          {"a sum",
           "cvt.u64.u32 %d1, %t; red.global.add.u64 [total], %d1; bar.sync 0; ld.global.u64 %d0, "
           "[total];",
           [](u32) { return 2016; }},
          {"a loop of compare and swap",
           "L: ld.volatile.global.u32 %r1, [tickets]; add.u32 %r2, %r1, %t; atom.global.cas.b32 "
           "%r3, [tickets], %r1, %r2;\n"
           "setp.ne.u32 %p1, %r3, %r1; @%p1 bra L; bar.sync 0; ld.global.u32 %r0, [tickets]; "
           "cvt.u64.u32 %d0, %r0;",
           [](u32) { return 2016; }},
      },
      head);
}

TEST_CASE("floating point is added in memory as the memory does it") {
  const std::string head = ".global .align 8 .b64 cells[64];\n";
  const std::string cell =
      "mov.u64 %d9, cells; mul.wide.u32 %d8, %t, 8; add.u64 %d9, %d9, %d8; shl.b32 %r9, %t, 3; "
      "add.u32 %r9, %tile, %r9;\n";
  const std::string flushed = cell +
                              "mov.b32 %f1, 0x00400000; st.global.f32 [%d9], %f1; "
                              "red.global.add.f32 [%d9], %f1; ld.global.u32 %d0, [%d9];";
  const std::string kept = cell +
                           "mov.b32 %f1, 0x00400000; st.shared.f32 [%r9], %f1; "
                           "red.shared.add.f32 [%r9], %f1; ld.shared.u32 %d0, [%r9];";
  const std::string generic = cell +
                              "cvt.u64.u32 %d7, %r9; cvta.shared.u64 %d7, %d7; mov.b32 %f1, "
                              "0x00400000; st.f32 [%d7], %f1; st.f32 [%d9], %f1;\n"
                              "red.add.f32 [%d7], %f1; red.add.f32 [%d9], %f1; ld.u32 %r1, [%d7]; "
                              "ld.u32 %r2, [%d9]; mov.b64 %d0, {%r1, %r2};";
  const std::string nan = cell +
                          "mov.u64 %d1, 0x7ff0000000000001; st.global.u64 [%d9], %d1; mov.f64 %e1, "
                          "0d3FF0000000000000; red.global.add.f64 [%d9], %e1; ld.global.u64 %d0, "
                          "[%d9];";
  const std::string two_nans =
      cell +
      "mov.u64 %d1, 0xfff8000000000000; st.global.u64 [%d9], %d1; mov.b64 %e1, "
      "0x7ff8000000000007; red.global.add.f64 [%d9], %e1; ld.global.u64 %d0, [%d9];";
  check(
      {
          {"subnormals are flushed in global memory", flushed.c_str(), [](u32) { return 0; }},
          {"and kept in shared memory", kept.c_str(), [](u32) { return 0x00800000; }},
          {"whatever the address is called", generic.c_str(), [](u32) { return 0x00800000; }},
          {"a NaN of f64 stays as it is", nan.c_str(), [](u32) { return 0x7ff0000000000001; }},
          {"the operand's before the one in memory", two_nans.c_str(),
           [](u32) { return 0x7ff8000000000007; }},
      },
      head);
}

TEST_CASE("a result that only rounding made normal is flushed") {
  const std::string factors = "mov.b32 %f1, 0x00800000; mov.b32 %f2, 0x3f7fffff;\n";
  const std::string up = factors +
                         "mul.rp.ftz.f32 %f0, %f1, %f2; mov.b32 %r0, %f0; cvt.u64.u32 "
                         "%d0, %r0;";
  const std::string nearest = factors +
                              "mov.f32 %f3, 0f00000000; fma.rn.ftz.f32 %f0, %f1, %f2, "
                              "%f3; mov.b32 %r0, %f0; cvt.u64.u32 %d0, %r0;";
  const std::string not_flushed = factors +
                                  "mul.rn.f32 %f0, %f1, %f2; mov.b32 %r0, %f0; "
                                  "cvt.u64.u32 %d0, %r0;";
  check({
      {"up", up.c_str(), [](u32) { return 0; }},
      {"to nearest", nearest.c_str(), [](u32) { return 0; }},
      {"without .ftz it stays", not_flushed.c_str(), [](u32) { return 0x00800000; }},
  });
}

TEST_CASE("comparisons combine with predicates") {
  check({
      {"and, with the complement",
       "setp.lt.u32 %p3, %t, 40; setp.gt.and.u32 %p1|%p2, %t, 9, %p3; selp.b32 %r1, 1, 0, %p1; "
       "selp.b32 %r2, 1, 0, %p2; mov.b64 %d0, {%r1, %r2};",
       [](u32 t) { return u64(t <= 9 && t < 40) << 32 | u64(t > 9 && t < 40); }},
      {"or of a negated predicate",
       "setp.lt.u32 %p3, %t, 40; setp.lt.or.s32 %p1, %x, 0, !%p3; selp.b64 %d0, 1, 0, %p1;",
       [](u32 t) { return s32(input(t)) < 0 || t >= 40; }},
      {"exclusive or",
       "setp.lt.u32 %p3, %t, 40; setp.lt.xor.s32 %p1, %x, 0, %p3; selp.b64 %d0, 1, 0, %p1;",
       [](u32 t) { return (s32(input(t)) < 0) != (t < 40); }},
      {"set makes a mask", "set.lt.u32.s32 %r0, %x, 0; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return s32(input(t)) < 0 ? 0xffffffff : 0; }},
      {"set of two halves at once",
       "mov.b32 %r2, 0; set.gt.f16x2.f16x2 %r0, %x, %r2; set.gt.u32.f16x2 %r1, %x, %r2; "
       "mov.b64 %d0, {%r0, %r1};",
       [](u32 t) {
         u64 both = 0;
         for (const int at : {0, 16}) {
           const bool above_zero = std::uint16_t((input(t) >> at & 0xffff) - 1) < 0x7c00;
           if (above_zero) both |= u64(0x3c00) << at | u64(0xffff) << (at + 32);
         }
         return both;
       }},
      {"setp of two bf16 at once, with a predicate",
       "mov.b32 %r2, 0; setp.lt.u32 %p3, %t, 20; setp.gt.or.bf16x2 %p1|%p2, %x, %r2, %p3; "
       "selp.b32 %r0, 1, 0, %p1; selp.b32 %r1, 1, 0, %p2; mov.b64 %d0, {%r0, %r1};",
       [](u32 t) {
         const auto above_zero = [&](int at) {
           return std::uint16_t((input(t) >> at & 0xffff) - 1) < 0x7f80;
         };
         return u64(t < 20 || above_zero(0)) | u64(t < 20 || above_zero(16)) << 32;
       }},
      {"relu may stand behind the type", "min.s16x2.relu %r0, %x, %t; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return std::clamp<s32>(std::int16_t(input(t)), 0, s32(t)); }},
      {"set makes a float", "set.ge.f32.u32 %f1, %t, 32; mov.b32 %r0, %f1; cvt.u64.u32 %d0, %r0;",
       [](u32 t) { return single(t >= 32 ? 1.0f : 0.0f); }},
  });
}

TEST_CASE("carries run through wide sums") {
  check({
      {"a difference without a borrow carries",
       "sub.cc.u32 %r0, %x, %y; addc.u32 %r1, 0, 0; cvt.u64.u32 %d0, %r1;",
       [](u32 t) { return input(t) >= input(t + 1); }},
      {"a sum that carries is no borrow",
       "add.cc.u32 %r0, %x, %y; subc.u32 %r1, 9, 0; cvt.u64.u32 %d0, %r1;",
       [](u32 t) { return u64(input(t)) + input(t + 1) > 0xffffffff ? 9 : 8; }},
      {"add", "add.cc.u32 %r1, %x, %y; addc.u32 %r2, 0, 0; mov.b64 %d0, {%r1, %r2};",
       [](u32 t) { return u64(input(t)) + input(t + 1); }},
      {"sub", "sub.cc.u32 %r1, %x, %y; subc.u32 %r2, 0, 0; mov.b64 %d0, {%r1, %r2};",
       [](u32 t) { return u64(input(t)) - input(t + 1); }},
      {"mad", "mad.lo.cc.u32 %r1, %x, %y, %t; madc.hi.u32 %r2, %x, %y, 0; mov.b64 %d0, {%r1, %r2};",
       [](u32 t) { return u64(input(t)) * input(t + 1) + t; }},
  });
}

TEST_CASE("control flow diverges and comes together") {
  const std::string head =
      ".func (.param .b64 r) factorial(.param .b64 n);\n"
      ".func (.param .b64 r) factorial(.param .b64 n) {\n.reg .pred %q; .reg .b64 %a<9>;\n"
      "ld.param.u64 %a1, [n]; mov.u64 %a2, 1; setp.lt.u64 %q, %a1, 2; @%q bra BASE;\n"
      "sub.u64 %a3, %a1, 1; { .param .b64 p; .param .b64 q; st.param.b64 [p], %a3; call (q), "
      "factorial, (p); ld.param.b64 %a4, [q]; }\n"
      "mul.lo.u64 %a2, %a1, %a4;\nBASE: st.param.b64 [r], %a2; ret; }\n"
      ".func (.param .b32 r) doubled(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; add.u32 "
      "%a, %a, %a; st.param.b32 [r], %a; ret; }\n"
      ".func (.param .b32 r) negated(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; neg.s32 "
      "%a, %a; st.param.b32 [r], %a; ret; }\n"
      ".global .u64 functions[2] = {doubled, negated};\n";
  check(
      {
          {"two sides of a branch",
           "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN;\nmov.u64 %d0, 7; bra "
           "DONE;\nEVEN: mov.u64 %d0, 9;\nDONE: add.u64 %d0, %d0, 1;",
           [](u32 t) { return t % 2 ? 8 : 10; }},
          {"loops of different length",
           "mov.u32 %r1, 0;\nL: setp.ge.u32 %p1, %r1, %t; @%p1 bra DONE;\nadd.u32 %r1, %r1, 1; "
           "add.u64 %d0, %d0, %d0; add.u64 %d0, %d0, 1; bra L;\nDONE:",
           [](u32 t) { return t == 64 ? ~u64(0) : (u64(1) << t) - 1; }},
          {"a guard keeps the others' values",
           "setp.lt.s32 %p1, %x, 0; mov.u32 %r0, 1; @%p1 mov.u32 %r0, 2; @!%p1 add.u32 %r0, %r0, "
           "4; cvt.u64.u32 %d0, %r0;",
           [](u32 t) { return s32(input(t)) < 0 ? 2 : 5; }},
          {"a table of branches",
           "and.b32 %r1, %t, 3; T: .branchtargets A, B, C, A; brx.idx %r1, T;\nA: mov.u64 %d0, 10; "
           "bra DONE;\nB: mov.u64 %d0, 20; bra DONE;\nC: mov.u64 %d0, 30;\nDONE:",
           [](u32 t) { return t % 4 == 1   ? 20
                              : t % 4 == 2 ? 30
                                           : 10; }},
          {"recursion of different depth",
           "rem.u32 %r1, %t, 20; cvt.u64.u32 %d1, %r1; { .param .b64 p; .param .b64 q; "
           "st.param.b64 [p], %d1; call (q), factorial, (p); ld.param.b64 %d0, [q]; }",
           [](u32 t) {
             u64 product = 1;
             for (u64 i = 2; i <= t % 20; ++i) product *= i;
             return product;
           }},
          {"calls through a table",
           "and.b32 %r1, %t, 1; mul.wide.u32 %d1, %r1, 8; mov.u64 %d2, functions; add.u64 %d2, "
           "%d2, %d1; ld.global.u64 %d3, [%d2];\n"
           "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %x; proto: .callprototype (.param "
           ".b32 _) _ (.param .b32 _);\n"
           "call (q), %d3, (p), proto; ld.param.b32 %r0, [q]; }\ncvt.u64.u32 %d0, %r0;",
           [](u32 t) { return t % 2 ? 0 - input(t) : 2 * input(t); }},
          {"a spin between lanes ends",
           "mov.u32 %r9, %tile; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%r9], 0; bar.sync 0; "
           "setp.ne.u32 %p2, %t, 40; @%p2 bra WAIT;\n"
           "st.volatile.shared.u32 [%r9], 1;\nWAIT: ld.volatile.shared.u32 %r1, [%r9]; setp.eq.u32 "
           "%p3, %r1, 0; @%p3 bra WAIT;\nmov.u64 %d0, 5;",
           [](u32) { return 5; }},
      },
      head);
}

TEST_CASE("asynchronous copies arrive at the wait") {
  check({{"16 bytes a thread",
          "shl.b32 %r1, %t, 2; setp.lt.u32 %p1, %t, 16; shl.b32 %r2, %t, 4; add.u32 %r2, %tile, "
          "%r2; mul.wide.u32 %d1, %t, 16; add.u64 %d1, %in, %d1;\n"
          "@%p1 cp.async.cg.shared.global [%r2], [%d1], 16; cp.async.commit_group; "
          "cp.async.wait_group 0; bar.sync 0;\n"
          "add.u32 %r3, %tile, %r1; ld.shared.u32 %r0, [%r3]; cvt.u64.u32 %d0, %r0;",
          input},
         {"a short source is filled with zeros",
          "shl.b32 %r1, %t, 3; add.u32 %r1, %tile, %r1; mov.u64 %d5, -1; st.shared.u64 [%r1], %d5; "
          "cp.async.ca.shared.global [%r1], [%own], 4, 0; cp.async.ca.shared.global [%r1+4], "
          "[%own], 4;\n"
          "cp.async.wait_all; ld.shared.u64 %d0, [%r1];",
          [](u32 t) { return u64(input(t)) << 32; }}});
}
