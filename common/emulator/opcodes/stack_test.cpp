// alloca, stacksave and stackrestore: memory of a thread's own whose size is known only when it runs.
#include <doctest/doctest.h>

#include <string>

#include "common/emulator/opcodes/small_kernel.hpp"

using namespace ladder::emulator::opcodes;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

void check(const std::string& body, u64 (*expected)(u32), const std::string& head = "") {
  const std::vector<u64> got = run_small_kernel(body, head);
  for (u32 t = 0; t < block_threads; ++t) {
    CAPTURE(t);
    REQUIRE(got[t] == expected(t));
  }
}

std::string failure(const std::string& body) {
  try {
    run_small_kernel(body);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("alloca gives each thread as much as it asks for, in local memory") {
  // Each takes 8 * (1 + t % 4) bytes, and writes and reads the last 8 of them.
  const std::string take =
      "and.b32 %r1, %t, 3; add.u32 %r1, %r1, 1; shl.b32 %r1, %r1, 3; cvt.u64.u32 %d1, %r1;"
      "alloca.u64 %d2, %d1; add.u64 %d3, %d2, %d1;";
  check(take + "cvt.u64.u32 %d4, %x; st.local.u64 [%d3+-8], %d4; ld.local.u64 %d0, [%d3+-8];",
        [](u32 t) { return u64(input(t)); });
  check(take +
            "cvta.local.u64 %d5, %d3; cvt.u64.u32 %d4, %x; st.u64 [%d5+-8], %d4;"
            "ld.local.u64 %d0, [%d3+-8];",
        [](u32 t) { return u64(input(t)); });
  check(
      "mov.u32 %r1, 16; alloca.u32 %r2, %r1; st.local.u32 [%r2+12], %x;"
      "ld.local.u32 %r3, [%r2+12]; cvt.u64.u32 %d0, %r3;",
      [](u32 t) { return u64(input(t)); });
}

TEST_CASE("two allocations do not overlap, and are aligned as asked") {
  check(
      "mov.u64 %d1, 20; alloca.u64 %d2, %d1; alloca.u64 %d3, %d1, 64; sub.u64 %d4, %d2, %d3;"
      "setp.ge.u64 %p1, %d4, 20; and.b64 %d5, %d3, 63; setp.eq.u64 %p2, %d5, 0;"
      "and.b64 %d6, %d2, 7; setp.eq.u64 %p3, %d6, 0; and.pred %p1, %p1, %p2;"
      "and.pred %p1, %p1, %p3; selp.u64 %d0, 1, 0, %p1;",
      [](u32) { return u64{1}; });
  CHECK(failure("mov.u64 %d1, 8; alloca.u64 %d2, %d1, 24;").find("power of two") !=
        std::string::npos);
}

TEST_CASE("stackrestore gives back what was taken since stacksave") {
  check(
      "mov.u64 %d1, 32; stacksave.u64 %d2; alloca.u64 %d3, %d1; stackrestore.u64 %d2;"
      "alloca.u64 %d4, %d1; sub.u64 %d0, %d3, %d4;",
      [](u32) { return u64{0}; });
  check(
      "mov.u32 %r1, 32; stacksave.u32 %r2; alloca.u32 %r3, %r1; stackrestore.u32 %r2;"
      "stacksave.u32 %r4; sub.u32 %r5, %r2, %r4; cvt.u64.u32 %d0, %r5;",
      [](u32) { return u64{0}; });
  // In a loop nothing piles up.
  check(
      "mov.u64 %d1, 4096; mov.u32 %r1, 0; AGAIN: stacksave.u64 %d2; alloca.u64 %d3, %d1;"
      "stackrestore.u64 %d2; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra AGAIN;"
      "cvt.u64.u32 %d0, %r1;",
      [](u32) { return u64{1000}; });
  CHECK(failure("mov.u64 %d1, 4; stackrestore.u64 %d1; alloca.u64 %d2, %d1;")
            .find("no stacksave gave") != std::string::npos);
}

TEST_CASE("a function gives its allocations back when it returns") {
  const std::string head =
      ".func (.param .b64 result) used(.param .b64 bytes) { .reg .b64 %a<3>;"
      "ld.param.b64 %a0, [bytes]; alloca.u64 %a1, %a0; st.local.u64 [%a1], %a0;"
      "ld.local.u64 %a2, [%a1]; st.param.b64 [result], %a2; ret; }";
  const std::string call =
      "{ .param .b64 p; .param .b64 q; st.param.b64 [p], %d1; call (q), used, (p);"
      "ld.param.b64 %d2, [q]; }";
  check(
      "mov.u64 %d1, 4096; mov.u32 %r1, 0; mov.u64 %d0, 0; AGAIN:" + call +
          "add.u64 %d0, %d0, %d2; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50;"
          "@%p1 bra AGAIN;",
      [](u32) { return u64{50 * 4096}; }, head);
}

TEST_CASE("an allocation that is too large is a stack overflow") {
  const std::string text = failure("mov.u64 %d1, 1000000; alloca.u64 %d2, %d1;");
  CAPTURE(text);
  CHECK(text.find("stack overflow: alloca of 1000000 bytes") != std::string::npos);
}
