// Control flow, cooperation of lanes, warps and blocks.
#include <doctest/doctest.h>

#include <algorithm>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

using Words = std::vector<std::uint32_t>;

TEST_CASE("a thread outside the guard writes nothing") {
  TestKernel k(kernel_text(2, std::string(own_word) + R"(
    ld.param.u32 %r5, [p1];
    setp.ge.u32 %p1, %r1, %r5;
    @%p1 bra done;
    st.global.u32 [%rd1], %r1;
    done:)"));
  const auto at = k.words(Words(64, 7));
  k.launch({2, 1, 1}, {32, 1, 1}, {at, 37});
  const Words result = k.read(at, 64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[i] == (i < 37 ? i : 7));
}

TEST_CASE("lanes that leave a loop at different times meet again behind it") {
  // The ballot behind the loop sees all lanes.
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
    loop:
    setp.ge.u32 %p1, %r5, %r4;
    @%p1 bra done;
    add.u32 %r6, %r6, %r5;
    add.u32 %r5, %r5, 1;
    bra loop;
    done:
    activemask.b32 %r7;
    add.u32 %r6, %r6, %r7;
    st.global.u32 [%rd1], %r6;)"));
  const auto at = k.words(Words(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {at});
  const Words result = k.read(at, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == t * (t - 1) / 2 + 0xffffffffu);
}

// Loads of one block whose addresses move together test their shape once; these must not be taken
// for such.
TEST_CASE("addresses that move by another amount in each lane are not taken for neighbours") {
  // out[t] = in[t] + in[t + 1] + in[2 t] + in[t] & 0xffff + in[t + K]; the last three follow a load
  // of neighbours: a gather, another size, and a uniform distance (K, a parameter).
  TestKernel k(kernel_text(3, std::string(own_word) + R"(
    ld.param.u64 %rd2, [p1];
    ld.param.u32 %r9, [p2];
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    mul.wide.u32 %rd5, %r9, 4;
    ld.global.u32 %r5, [%rd4];
    ld.global.u32 %r6, [%rd4+4];
    add.s64 %rd6, %rd4, %rd3;
    ld.global.u32 %r7, [%rd6];
    ld.global.u16 %r8, [%rd4];
    add.s64 %rd7, %rd4, %rd5;
    ld.global.u32 %r9, [%rd7];
    add.u32 %r5, %r5, %r6;
    add.u32 %r5, %r5, %r7;
    add.u32 %r5, %r5, %r8;
    add.u32 %r5, %r5, %r9;
    st.global.u32 [%rd1], %r5;
    mul.wide.u32 %rd4, %r1, 8;
    add.s64 %rd4, %rd2, %rd4;
    ld.global.u32 %r6, [%rd4];
    add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd1], %r5;)"));
  // Many warps: an instruction's first access looks its allocation up, the next ones are quick.
  constexpr std::uint32_t n = 512;
  Words in(2 * n);
  for (std::uint32_t i = 0; i < 2 * n; ++i) in[i] = i * i * 3571 + 70000;
  const auto out = k.words(Words(n));
  k.launch({n / 64, 1, 1}, {64, 1, 1}, {out, k.words(in), 21});
  const Words result = k.read(out, n);
  for (std::uint32_t t = 0; t < n; ++t)
    CHECK(result[t] == in[t] + in[t + 1] + in[2 * t] + (in[t] & 0xffff) + in[t + 21] + in[2 * t]);
}

TEST_CASE("a value that is the same in all lanes is added and subtracted, in place too") {
  TestKernel k(kernel_text(2, std::string(own_word) + R"(
    ld.param.u32 %r5, [p1];
    add.u32 %r6, %r1, %r5;
    add.u32 %r6, %r5, %r6;
    sub.u32 %r6, %r6, 1000;
    sub.u32 %r6, %r5, %r6;
    cvt.u64.u32 %rd3, %r1;
    cvt.u64.u32 %rd4, %r5;
    sub.u64 %rd3, %rd3, %rd4;
    shl.b64 %rd5, %rd4, 32;
    add.u64 %rd3, %rd5, %rd3;
    shr.u64 %rd3, %rd3, 32;
    cvt.u32.u64 %r7, %rd3;
    add.u32 %r6, %r6, %r7;
    st.global.u32 [%rd1], %r6;)"));
  const auto out = k.words(Words(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {out, 40});
  const Words result = k.read(out, 64);
  for (std::uint32_t t = 0; t < 64; ++t)
    CHECK(result[t] == 40 - (t + 80 - 1000) + (t < 40 ? 39 : 40));
}

TEST_CASE("an index that wraps around within a warp takes its lane out of bounds") {
  TestKernel k(kernel_text(2, R"(
    ld.param.u64 %rd0, [p0];
    ld.param.u32 %r5, [p1];
    mov.u32 %r4, %tid.x;
    add.u32 %r6, %r5, %r4;
    mul.wide.u32 %rd2, %r6, 4;
    add.s64 %rd1, %rd0, %rd2;
    ld.global.u32 %r7, [%rd1];
    st.global.u32 [%rd1], %r7;)"));
  const auto at = k.words(Words(64));
  for (const std::uint32_t turn : {44u, 48u}) {  // the thread whose index is 0
    const std::uint32_t first = 0u - turn;
    const std::string text = k.fault({1, 1, 1}, {64, 1, 1}, {at - 4 * std::uint64_t{first}, first});
    CHECK(k.kind == FaultKind::illegal_address);
    CHECK(text.find("thread (" + std::to_string(turn) + ",0,0)") != text.npos);
  }
}

TEST_CASE(
    "what a thread's number alone decides holds in every round of a loop, and in every block") {
  // p1 and %r5 are the same in all rounds; %r7 in all rounds of a block.
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    mov.u32 %r8, 0;
    mov.u32 %r9, 0;
    loop:
    setp.lt.u32 %p1, %r4, 7;
    shl.b32 %r5, %r4, 4;
    mad.lo.s32 %r7, %r2, 1000, %r4;
    add.u32 %r8, %r8, %r7;
    @%p1 add.u32 %r8, %r8, %r5;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p2, %r9, 5;
    @%p2 bra loop;
    st.global.u32 [%rd1], %r8;)"));
  const auto at = k.words(Words(3 * 64));
  k.launch({3, 1, 1}, {64, 1, 1}, {at});
  const Words result = k.read(at, 3 * 64);
  for (std::uint32_t i = 0; i < 3 * 64; ++i) {
    const std::uint32_t thread = i % 64, block = i / 64;
    CHECK(result[i] == 5 * (1000 * block + thread + (thread < 7 ? 16 * thread : 0)));
  }
}

TEST_CASE("a spin lock inside a warp is passed on") {
  TestKernel k(kernel_text(1, R"(
    ld.param.u64 %rd0, [p0];
    spin:
    atom.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra spin;
    ld.volatile.global.u32 %r2, [%rd0+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd0+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd0], 0;)"));
  const auto at = k.words({0, 0});
  k.launch({4, 1, 1}, {64, 1, 1}, {at});
  CHECK(k.read(at, 2)[1] == 256);
}

// Block b adds b + 1 to what the block before or behind it published.
std::string chain(const char* neighbour, const char* is_first) {
  return kernel_text(1, std::string(R"(
    ld.param.u64 %rd0, [p0];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd1, %r1, 8;
    add.s64 %rd2, %rd0, %rd1;
    mov.u32 %r5, 0;
    mov.u32 %r7, %nctaid.x;
    sub.u32 %r7, %r7, 1;
    )") + is_first + R"(
    @%p1 bra publish;
    wait:
    ld.acquire.gpu.global.u32 %r4, [%rd2+)" +
                            neighbour + R"(];
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra wait;
    ld.global.u32 %r5, [%rd2+)" +
                            neighbour + R"(+4];
    publish:
    add.u32 %r5, %r5, %r1;
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd2+4], %r5;
    fence.acq_rel.gpu;
    st.release.gpu.global.u32 [%rd2], 1;)");
}

TEST_CASE("blocks may wait for the block before them") {
  std::string text = chain("-8", "setp.eq.u32 %p1, %r1, 0;");
  text.replace(text.find("-8+4"), 4, "-4");
  TestKernel k(text);
  const auto at = k.words(Words(400));
  k.launch({200, 1, 1}, {32, 1, 1}, {at});
  CHECK(k.read(at, 400)[399] == 200 * 201 / 2);
}

TEST_CASE("blocks may wait for a block that starts after them") {
  std::string text = chain("8", "setp.eq.u32 %p1, %r1, %r7;");
  text.replace(text.find("8+4"), 3, "12");
  TestKernel k(text);
  const auto at = k.words(Words(200));
  k.launch({100, 1, 1}, {32, 1, 1}, {at});
  CHECK(k.read(at, 200)[1] == 100 * 101 / 2);
}

TEST_CASE("shared memory is exchanged over a barrier between warps") {
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    mov.u32 %r5, tile;
    mad.lo.u32 %r6, %r4, 4, %r5;
    st.shared.u32 [%r6], %r4;
    bar.sync 0;
    xor.b32 %r7, %r4, 255;
    mad.lo.u32 %r6, %r7, 4, %r5;
    ld.shared.u32 %r8, [%r6];
    st.global.u32 [%rd1], %r8;)",
                           ".shared .align 4 .b8 tile[1024];\n"));
  const auto at = k.words(Words(256));
  for (const std::uint64_t seed : {0, 1, 2}) {
    k.device.options().order_seed = seed;
    k.launch({1, 1, 1}, {256, 1, 1}, {at});
    const Words result = k.read(at, 256);
    for (std::uint32_t t = 0; t < 256; ++t) CHECK(result[t] == 255 - t);
  }
}

TEST_CASE("threads meet at a barrier in whatever way they come to it") {
  const auto words_after = [](const std::string& meet) {
    TestKernel k(kernel_text(1, std::string(own_word) +
                                    "setp.lt.u32 %p1, %r4, 16;\nsetp.lt.u32 %p2, %r4, 32;\n" +
                                    meet + "st.global.u32 [%rd1], 1;\nout:"));
    const auto at = k.words(Words(64));
    CHECK(k.fault({1, 1, 1}, {64, 1, 1}, {at}) == "");
    const Words result = k.read(at, 64);
    return std::count(result.begin(), result.end(), 1u);
  };
  // Half a warp is gone; the halves of a warp come by two ways; a warp goes while the other waits;
  // only the second warp says how many are to meet.
  CHECK(words_after("@%p1 bra out;\nbar.sync 0;\n") == 48);
  CHECK(words_after("@%p1 bra low;\nbar.sync 0;\nbra met;\nlow:\nbar.sync 0;\nmet:\n") == 64);
  CHECK(words_after("@%p2 bra wait;\nmov.u32 %r5, 0;\nagain:\nadd.u32 %r5, %r5, 1;\n"
                    "setp.lt.u32 %p3, %r5, 9999;\n@%p3 bra again;\nbra out;\nwait:\n"
                    "bar.sync 0;\n") == 32);
  CHECK(words_after("@%p2 bra plain;\nbar.sync 0, 64;\nbra met;\nplain:\nbar.sync 0;\nmet:\n") ==
        64);
}

TEST_CASE("a function calls itself, each lane to its own depth") {
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    { .param .b32 a; .param .b32 r;
    st.param.b32 [a+0], %r4;
    call.uni (r), sum, (a);
    ld.param.b32 %r5, [r+0]; }
    st.global.u32 [%rd1], %r5;)",
                           R"(.func (.param .b32 result) sum(.param .b32 n)
    { .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra zero;
    sub.u32 %r2, %r1, 1;
    { .param .b32 a; .param .b32 r;
    st.param.b32 [a+0], %r2;
    call.uni (r), sum, (a);
    ld.param.b32 %r3, [r+0]; }
    add.u32 %r3, %r3, %r1;
    st.param.b32 [result+0], %r3;
    ret;
    zero:
    st.param.b32 [result+0], 0;
    ret; }
    )"));
  const auto at = k.words(Words(40));
  k.launch({1, 1, 1}, {40, 1, 1}, {at});
  const Words result = k.read(at, 40);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(result[t] == t * (t + 1) / 2);
}

TEST_CASE("a shuffle waits for the lanes of its mask") {
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    and.b32 %r5, %r4, 1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra even;
    mul.lo.u32 %r6, %r4, 10;
    bra both;
    even:
    mul.lo.u32 %r6, %r4, 100;
    both:
    shfl.sync.bfly.b32 %r7|%p2, %r6, 1, 31, -1;
    st.global.u32 [%rd1], %r7;)"));
  const auto at = k.words(Words(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {at});
  const Words result = k.read(at, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == (t ^ 1) * ((t & 1) != 0 ? 100 : 10));
}

TEST_CASE("cp.async is seen only after it was waited for") {
  TestKernel k(kernel_text(2, std::string(own_word) + R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r5, tile;
    mad.lo.u32 %r5, %r4, 4, %r5;
    add.s64 %rd6, %rd5, %rd2;
    st.shared.u32 [%r5], 5;
    cp.async.ca.shared.global [%r5], [%rd6], 4;
    cp.async.commit_group;
    ld.shared.u32 %r6, [%r5];
    cp.async.wait_group 0;
    ld.shared.u32 %r7, [%r5];
    mad.lo.u32 %r8, %r7, 100, %r6;
    st.global.u32 [%rd1], %r8;)",
                           ".shared .align 4 .b8 tile[128];\n"));
  Words values(32);
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i + 20;
  const auto from = k.words(values), to = k.words(Words(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {to, from});
  const Words result = k.read(to, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == (t + 20) * 100 + 5);
}

TEST_CASE("executed instructions are counted, dissolved ones too") {
  TestKernel k(kernel_text(1, std::string(own_word) + "st.global.u32 [%rd1], %r1;"));
  const auto at = k.words(Words(64));
  k.launch({1, 1, 1}, {48, 1, 1}, {at});
  CHECK(k.device.counters().warp_instructions == 2 * 9);
  CHECK(k.device.counters().thread_instructions == 48 * 9);
}

TEST_CASE("shared variables of a function lie beside those of the kernel that calls it") {
  // The function reverses through its own array while the kernel's keeps the thread numbers.
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    .shared .align 4 .b8 kept[256];
    .param .b32 in;
    .param .b32 out;
    shl.b32 %r5, %r4, 2;
    mov.u32 %r6, kept;
    add.u32 %r6, %r6, %r5;
    st.shared.u32 [%r6], %r4;
    st.param.b32 [in], %r4;
    call (out), reversed, (in);
    ld.param.b32 %r7, [out];
    ld.shared.u32 %r8, [%r6];
    mad.lo.s32 %r9, %r8, 100, %r7;
    st.global.u32 [%rd1], %r9;)",
                           R"(.func (.param .b32 out) reversed(.param .b32 in) {
    .shared .align 4 .b8 own[256];
    .reg .b32 %r<9>;
    mov.u32 %r1, %tid.x;
    ld.param.b32 %r2, [in];
    shl.b32 %r3, %r1, 2;
    mov.u32 %r4, own;
    add.u32 %r5, %r4, %r3;
    st.shared.u32 [%r5], %r2;
    bar.sync 0;
    sub.u32 %r5, %r4, %r3;
    ld.shared.u32 %r6, [%r5+252];
    st.param.b32 [out], %r6;
    ret;
    }
)"));
  const auto out = k.words(std::vector<std::uint32_t>(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {out});
  for (std::uint32_t i = 0; const std::uint32_t value : k.read(out, 64)) {
    CHECK(value == i * 100 + 63 - i);
    ++i;
  }
  CHECK(k.device.attributes(k.device.function(k.module, "k")).static_shared_bytes == 512);
}

TEST_CASE("dynamic shared memory is the same in a kernel and in a function that it calls") {
  TestKernel k(kernel_text(1, std::string(own_word) + R"(
    .shared .align 4 .b8 own[20];
    mov.u32 %r6, own;
    st.shared.u32 [%r6], %r4;
    mov.u32 %r5, 7;
    st.shared.u32 [dynamic+4], %r5;
    call change;
    ld.shared.u32 %r8, [dynamic+4];
    st.global.u32 [%rd1], %r8;)",
                           R"(.extern .shared .align 16 .b8 dynamic[];
    .func change() {
    .reg .b32 %r<9>;
    mov.u32 %r1, dynamic;
    ld.shared.u32 %r2, [%r1+4];
    add.u32 %r2, %r2, 1;
    st.shared.u32 [dynamic+4], %r2;
    ret;
    }
)"));
  const auto out = k.words({0});
  k.launch({1, 1, 1}, {1, 1, 1}, {out}, 16);
  CHECK(k.read(out, 1)[0] == 8);
}

TEST_CASE("the clock goes on between two readings in straight code") {
  TestKernel k(kernel_text(1, std::string(own_word) +
                                  "mov.u64 %rd5, %clock64;\nadd.u32 %r5, %r4, 1;\n"
                                  "mov.u64 %rd6, %clock64;\nsub.u64 %rd7, %rd6, %rd5;\n"
                                  "cvt.u32.u64 %r6, %rd7;\nst.global.u32 [%rd1], %r6;"));
  const auto out = k.words({0});
  k.launch({1, 1, 1}, {1, 1, 1}, {out});
  CHECK(k.read(out, 1)[0] > 0);
}

TEST_CASE("lanes with different member masks vote, match and reduce apart") {
  TestKernel k(kernel_text(4, std::string(own_word) + R"(
    ld.param.u64 %rd10, [p1];
    ld.param.u64 %rd11, [p2];
    ld.param.u64 %rd12, [p3];
    add.u64 %rd10, %rd10, %rd2;
    add.u64 %rd11, %rd11, %rd2;
    add.u64 %rd12, %rd12, %rd2;
    setp.lt.u32 %p1, %r4, 16;
    selp.b32 %r5, 0xffff, 0xffff0000, %p1;
    redux.sync.add.u32 %r6, %r4, %r5;
    st.global.u32 [%rd1], %r6;
    setp.gt.u32 %p2, %r4, 3;
    vote.sync.ballot.b32 %r7, %p2, %r5;
    st.global.u32 [%rd10], %r7;
    and.b32 %r8, %r4, 3;
    match.any.sync.b32 %r9, %r8, %r5;
    st.global.u32 [%rd11], %r9;
    vote.sync.all.pred %p3, %p2, %r5;
    selp.b32 %r10, 1, 0, %p3;
    st.global.u32 [%rd12], %r10;)"));
  std::vector<std::uint64_t> out;
  for (int i = 0; i < 4; ++i) out.push_back(k.words(std::vector<std::uint32_t>(32)));
  k.launch({1, 1, 1}, {32, 1, 1}, out);
  for (const std::size_t lane : {0u, 15u, 16u, 31u}) {
    const bool low = lane < 16;
    CHECK(k.read(out[0], 32)[lane] == (low ? 120 : 376));
    CHECK(k.read(out[1], 32)[lane] == (low ? 0xfff0u : 0xffff0000u));
    CHECK(k.read(out[2], 32)[lane] == (0x1111u << lane % 4) << (low ? 0 : 16));
    CHECK(k.read(out[3], 32)[lane] == (low ? 0 : 1));
  }
}

TEST_CASE("malloc in a kernel gives null beyond the heap's limit") {
  Options options;
  options.heap_bytes = 1000;
  TestKernel k(kernel_text(2, R"(
    .param .b64 bytes;
    .param .b64 got;
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    st.param.b64 [bytes], %rd1;
    call (got), malloc, (bytes);
    ld.param.b64 %rd2, [got];
    st.global.u64 [%rd0], %rd2;)",
                           ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"),
               options);
  const auto out = k.words({7, 7});
  k.launch({1, 1, 1}, {1, 1, 1}, {out, 600});
  CHECK(k.read(out, 2) != std::vector<std::uint32_t>{0, 0});
  k.launch({1, 1, 1}, {1, 1, 1}, {out, 600});  // the first 600 are still taken
  CHECK(k.read(out, 2) == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("a kernel holds no shared variable of a module that it does not name") {
  TestKernel k(
      kernel_text(0, "st.shared.u32 [small], 1;",
                  ".shared .align 4 .b8 big[200000];\n.shared .align 4 .b8 large[200000];\n"
                  ".shared .align 4 .b8 small[16];\n.entry other() {\n.reg .b32 %r<2>;\n"
                  "mov.u32 %r1, big;\nst.shared.u32 [%r1], 1;\nret;\n}\n"));
  k.launch({1, 1, 1}, {32, 1, 1}, {});
  CHECK(k.device.attributes(k.device.function(k.module, "k")).static_shared_bytes == 16);
  CHECK(k.device.attributes(k.device.function(k.module, "other")).static_shared_bytes == 200000);
}

TEST_CASE("the shared memory that the system keeps is zero at first, and not the block's own") {
  for (const std::string in_function : {"", "call.uni touch;\n"}) {
    TestKernel k(kernel_text(1,
                             std::string(own_word) + in_function +
                                 "mov.u32 %r5, %reserved_smem_offset_1;\n"
                                 "ld.shared.u32 %r6, [%r5+284];\nst.global.u32 [%rd1], %r6;",
                             ".func touch()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, "
                             "%reserved_smem_offset_1;\nld.shared.u32 %r2, [%r1];\n"
                             "st.shared.u32 [%r1+284], %r2;\nret;\n}\n"));
    const auto out = k.words(std::vector<std::uint32_t>(32, 7));
    k.launch({1, 1, 1}, {32, 1, 1}, {out});
    CHECK(k.read(out, 32) == std::vector<std::uint32_t>(32, 0));
    CHECK(k.device.attributes(k.device.function(k.module, "k")).static_shared_bytes == 0);
  }
}

TEST_CASE("a bound on threads that passes any number is the device's own") {
  Device device;
  const Module* module = device.load(
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".entry huge() .maxntid 65536, 65536 { ret; }\n.entry small() .maxntid 16, 2, 2 { ret; }\n",
      "test");
  CHECK(device.attributes(device.function(module, "huge")).max_threads_per_block == 1024);
  CHECK(device.attributes(device.function(module, "small")).max_threads_per_block == 64);
}

TEST_CASE("sectors and wavefronts are counted when asked for") {
  Options options;
  options.watch |= watch_counters;
  TestKernel k(kernel_text(2, std::string(own_word) + R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r5, tile;
    shl.b32 %r6, %r4, 5;
    add.u32 %r5, %r5, %r6;
    mul.wide.u32 %rd6, %r4, 32;
    add.s64 %rd6, %rd5, %rd6;
    ld.global.u32 %r7, [%rd6];
    st.shared.u32 [%r5], %r7;
    st.global.u32 [%rd1], %r7;)",
                           ".shared .align 4 .b8 tile[1024];\n"),
               options);
  const auto from = k.words(Words(256)), to = k.words(Words(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {to, from});
  const Counters& c = k.device.counters();
  CHECK(c.global_load_requests == 1);
  CHECK(c.global_load_sectors == 32);
  CHECK(c.global_load_sectors_ideal == 4);
  CHECK(c.global_store_sectors == 4);
  CHECK(c.shared_store_wavefronts == 8);
  CHECK(c.shared_store_wavefronts_ideal == 1);
}

TEST_CASE("a watched kernel does what it does unwatched, with part of a warp too") {
  // Two loads whose addresses move alike, by a full warp and by one of 16 threads that goes
  // backwards.
  const std::string body =
      "ld.param.u64 %rd3, [p1];\nsub.u32 %r5, 47, %r4;\nsetp.lt.u32 %p1, %r4, 32;\n"
      "selp.b32 %r5, %r4, %r5, %p1;\nmul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd3, %rd4;\n"
      "ld.global.u32 %r6, [%rd5];\nld.global.u32 %r7, [%rd5+64];\nadd.u32 %r6, %r6, %r7;\n"
      "st.global.u32 [%rd1], %r6;";
  std::vector<std::uint32_t> in(64), results[2];
  for (std::uint32_t i = 0; i < 64; ++i) in[i] = i * i;
  for (const Watch watch : {watch_memcheck, watch_memcheck | watch_racecheck}) {
    Options options;
    options.watch = watch;
    TestKernel k(kernel_text(2, own_word + body), options);
    const auto out = k.words(std::vector<std::uint32_t>(48));
    k.launch({1, 1, 1}, {48, 1, 1}, {out, k.words(in)});
    results[watch == watch_memcheck ? 0 : 1] = k.read(out, 48);
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0][32] == 15 * 15 + 31 * 31);
}

}  // namespace ladder::emulator
