// Operations with a member mask wait for their members and for nobody else, whatever the order in
// which lanes come.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

using Words = std::vector<std::uint32_t>;

namespace {

// Lanes below `count` take a way that lies far behind: the others are at `join` long before. %r5 is
// 100 + the lane, set on the way.
std::string late_lanes(int count, const std::string& body) {
  return std::string(own_word) + "mov.u32 %r5, 0;\nsetp.lt.u32 %p5, %r4, " + std::to_string(count) +
         ";\n@%p5 bra far;\nadd.u32 %r5, %r4, 100;\njoin:\n" + body +
         "\nst.global.u32 [%rd1], %r6;\nret;\nfar:\nadd.u32 %r5, %r4, 100;\nbra join;";
}

Words run(const std::string& body, std::uint32_t threads, std::size_t more = 0,
          const std::string& before = "") {
  TestKernel k(kernel_text(1, body, before));
  const auto at = k.words(Words(threads + more));
  k.launch({1, 1, 1}, {threads, 1, 1}, {at});
  return k.read(at, threads + more);
}

}  // namespace

TEST_CASE("a guarded shuffle waits for the lanes of its mask, and only those take part") {
  const Words result = run(late_lanes(8, R"(
    mov.u32 %r6, 7;
    setp.lt.u32 %p1, %r4, 16;
    xor.b32 %r7, %r4, 15;
    @%p1 shfl.sync.idx.b32 %r6, %r5, %r7, 0x1f, 0xffff;)"),
                           32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == (t < 16 ? 100 + (t ^ 15) : 7));
}

TEST_CASE("a guarded vote, match and reduction wait for their lanes") {
  const Words result = run(late_lanes(8, R"(
    setp.ge.u32 %p1, %r4, 24;
    setp.gt.u32 %p2, %r5, 102;
    mov.u32 %r6, 0;
    mov.u32 %r7, 0;
    mov.u32 %r8, 0;
    shr.u32 %r9, %r5, 1;
    @!%p1 vote.sync.ballot.b32 %r6, %p2, 0xffffff;
    @!%p1 redux.sync.max.u32 %r7, %r5, 0xffffff;
    @!%p1 match.any.sync.b32 %r8, %r9, 0xffffff;
    xor.b32 %r6, %r6, %r7;
    xor.b32 %r6, %r6, %r8;)"),
                           32);
  for (std::uint32_t t = 0; t < 24; ++t) {
    CHECK(result[t] == (0xfffff8u ^ 123u ^ (3u << (t & ~1u))));
  }
  for (std::uint32_t t = 24; t < 32; ++t) CHECK(result[t] == 0);
}

TEST_CASE("a guarded bar.warp.sync waits for its lanes") {
  // Late lanes write to shared memory; lanes 8 to 15 read it behind the barrier.
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, tile;
    mad.lo.u32 %r11, %r4, 4, %r10;
    setp.lt.u32 %p5, %r4, 8;
    @%p5 bra far;
    join:
    setp.lt.u32 %p1, %r4, 16;
    @%p1 bar.warp.sync 0xffff;
    and.b32 %r12, %r4, 7;
    mad.lo.u32 %r11, %r12, 4, %r10;
    mov.u32 %r6, 5;
    @%p1 ld.shared.u32 %r6, [%r11];
    st.global.u32 [%rd1], %r6;
    ret;
    far:
    add.u32 %r12, %r4, 40;
    st.shared.u32 [%r11], %r12;
    bra join;)",
                           32, 0, ".shared .align 4 .b8 tile[128];\n");
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == (t < 16 ? 40 + (t & 7) : 5));
}

TEST_CASE("lanes of one mask do not wait for those of another at the same place") {
  // Lanes 0 to 3 shuffle among themselves, 4 to 7 too; lanes 2 and 3 come only when lane 4 is
  // through.
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, flag;
    setp.eq.u32 %p6, %r4, 7;
    @%p6 st.shared.u32 [%r10], 0;
    shr.u32 %r11, %r4, 2;
    mov.u32 %r12, 0xf;
    shl.b32 %r13, %r11, 2;
    shl.b32 %r12, %r12, %r13;
    sub.u32 %r14, %r4, 2;
    setp.lt.u32 %p5, %r14, 2;
    @%p5 bra far;
    join:
    shfl.sync.bfly.b32 %r6, %r4, 1, 0x1f, %r12;
    st.global.u32 [%rd1], %r6;
    setp.eq.u32 %p7, %r4, 4;
    @%p7 st.volatile.shared.u32 [%r10], 1;
    ret;
    far:
    ld.volatile.shared.u32 %r15, [%r10];
    setp.ne.u32 %p8, %r15, 1;
    @%p8 bra far;
    bra join;)",
                           8, 0, ".shared .align 4 .b32 flag;\n");
  for (std::uint32_t t = 0; t < 8; ++t) CHECK(result[t] == (t ^ 1));
}

TEST_CASE("lanes meet in bar.warp.sync at different places, again and again") {
  // Each half writes, syncs in its own branch, and reads what the other half wrote.
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, tile;
    mad.lo.u32 %r11, %r4, 4, %r10;
    xor.b32 %r12, %r4, 16;
    mad.lo.u32 %r12, %r12, 4, %r10;
    mov.u32 %r7, 0;
    mov.u32 %r6, 0;
    setp.lt.u32 %p1, %r4, 16;
    loop:
    add.u32 %r8, %r4, %r7;
    st.shared.u32 [%r11], %r8;
    @%p1 bra low;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r9, [%r12];
    add.u32 %r6, %r6, %r9;
    bar.warp.sync 0xffffffff;
    bra next;
    low:
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r9, [%r12];
    mad.lo.u32 %r6, %r9, 2, %r6;
    bar.warp.sync 0xffffffff;
    next:
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p2, %r7, 3;
    @%p2 bra loop;
    st.global.u32 [%rd1], %r6;)",
                           32, 0, ".shared .align 4 .b8 tile[128];\n");
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t sum = 3 * (t ^ 16) + 3;
    CHECK(result[t] == (t < 16 ? 2 * sum : sum));
  }
}

TEST_CASE(
    "a named barrier counts a part of a warp as a whole one, in however many pieces it comes") {
  // 52 threads; the second warp has 20, of which 8 come late. 64 are expected.
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, tile;
    mad.lo.u32 %r11, %r4, 4, %r10;
    sub.u32 %r12, %r4, 40;
    setp.lt.u32 %p5, %r12, 8;
    @%p5 bra far;
    add.u32 %r12, %r4, 9;
    st.shared.u32 [%r11], %r12;
    join:
    barrier.sync 3, 64;
    sub.u32 %r13, 51, %r4;
    mad.lo.u32 %r11, %r13, 4, %r10;
    ld.shared.u32 %r6, [%r11];
    st.global.u32 [%rd1], %r6;
    ret;
    far:
    add.u32 %r12, %r4, 9;
    st.shared.u32 [%r11], %r12;
    bra join;)",
                           52, 0, ".shared .align 4 .b8 tile[256];\n");
  for (std::uint32_t t = 0; t < 52; ++t) CHECK(result[t] == 60 - t);
}

TEST_CASE(
    "a named barrier of some warps leaves the others alone, and lanes that left are not missed") {
  // Warps 0 and 1 use barrier 1, warps 2 and 3 barrier 2; lanes 3 of warps 1 and 2 have gone.
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, tile;
    sub.u32 %r12, %r4, 35;
    setp.eq.u32 %p1, %r12, 0;
    setp.eq.u32 %p2, %r12, 32;
    @%p1 bra out;
    @%p2 exit;
    shr.u32 %r13, %r4, 6;
    add.u32 %r14, %r13, 1;
    mad.lo.u32 %r11, %r4, 4, %r10;
    st.shared.u32 [%r11], %r4;
    barrier.sync.aligned %r14, 64;
    xor.b32 %r15, %r4, 32;
    mad.lo.u32 %r11, %r15, 4, %r10;
    ld.shared.u32 %r6, [%r11];
    st.global.u32 [%rd1], %r6;
    out:)",
                           128, 0, ".shared .align 4 .b8 tile[512];\n");
  for (std::uint32_t t = 0; t < 128; ++t) {
    const bool gone = t == 35 || t == 67, unknown = (t ^ 32) == 35 || (t ^ 32) == 67;
    CHECK(result[t] == (gone ? 0 : unknown ? 0xffffffffu : t ^ 32));
  }
}

TEST_CASE("an address tells its space: constants and a kernel's parameters too") {
  // Bits of thread t's word: whether address t is in the spaces below.
  const std::string spaces[] = {"global", "shared", "local", "const", "param", "param::entry"};
  std::string body = std::string(own_word) +
                     "mov.u32 %r7, tile;\ncvt.u64.u32 %rd3, %r7;\ncvta.shared.u64 %rd3, %rd3;\n"
                     "mov.u64 %rd4, table;\ncvta.const.u64 %rd4, %rd4;\n"
                     "mov.u64 %rd5, p1;\ncvta.param.u64 %rd5, %rd5;\n"
                     "setp.eq.u32 %p1, %r4, 1;\nselp.b64 %rd6, %rd3, %rd0, %p1;\n"
                     "setp.eq.u32 %p1, %r4, 2;\nselp.b64 %rd6, %rd4, %rd6, %p1;\n"
                     "setp.eq.u32 %p1, %r4, 3;\nselp.b64 %rd6, %rd5, %rd6, %p1;\n"
                     "mov.u32 %r8, 0;\n";
  int bit = 1;
  for (const std::string& space : spaces) {
    body +=
        "isspacep." + space + " %p2, %rd6;\n@%p2 add.u32 %r8, %r8, " + std::to_string(bit) + ";\n";
    bit *= 2;
  }
  TestKernel k(kernel_text(2, body + "st.global.u32 [%rd1], %r8;\n",
                           ".const .align 4 .u32 other[3];\n.const .align 4 .u32 table[8];\n"
                           ".shared .align 4 .b8 tile[64];\n"));
  const auto out = k.words({0, 0, 0, 0});
  k.launch({1, 1, 1}, {4, 1, 1}, {out, 0});
  CHECK(k.read(out, 4) == std::vector<std::uint32_t>{1, 2, 8, 1 + 16 + 32});
}

TEST_CASE("a block is a cluster of its own: who arrived goes on until it waits") {
  const Words result = run(std::string(own_word) + R"(
    mov.u32 %r10, tile;
    mov.u32 %r7, 0;
    mov.u32 %r6, 0;
    setp.eq.u32 %p9, %r4, 95;
    loop:
    mad.lo.u32 %r11, %r4, 4, %r10;
    add.u32 %r8, %r4, %r7;
    st.shared.u32 [%r11], %r8;
    barrier.cluster.arrive.release.aligned;
    @%p9 exit;
    barrier.cluster.wait.acquire.aligned;
    sub.u32 %r12, 95, %r4;
    mad.lo.u32 %r11, %r12, 4, %r10;
    ld.shared.u32 %r9, [%r11];
    add.u32 %r6, %r6, %r9;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p2, %r7, 4;
    @%p2 bra loop;
    st.global.u32 [%rd1], %r6;)",
                           96, 0, ".shared .align 4 .b8 tile[512];\n");
  // Thread 95 leaves after its first arrival; its word stays as it was.
  CHECK(result[0] == 4 * 95);
  CHECK(result[95] == 0);
  for (std::uint32_t t = 1; t < 95; ++t) CHECK(result[t] == 4 * (95 - t) + 6);
}

}  // namespace ladder::emulator
