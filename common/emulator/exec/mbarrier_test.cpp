// mbarrier objects: phases, states and parities, dropped arrivals, transfers, and copies that
// arrive.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

using Words = std::vector<std::uint32_t>;

namespace {

const char* const shared_barrier =
    ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 tile[1024];\n";

// A barrier for `count` arrivals, ready for all threads; then the body.
std::string with_barrier(const std::string& count, const std::string& body) {
  return kernel_text(2, shared_barrier + std::string(own_word) +
                            "mov.u32 %r30, bar;\nsetp.ne.u32 %p10, %r4, 0;\n@%p10 bra ready;\n"
                            "mbarrier.init.shared.b64 [%r30], " +
                            count + ";\nready:\nbar.sync 0;\n" + body);
}

const char* const wait_for_state =
    "wait:\nmbarrier.try_wait.shared.b64 %p1, [%r30], %rd10;\n@!%p1 bra wait;\n";

}  // namespace

TEST_CASE("all threads wait at an mbarrier until the last has arrived") {
  // Each thread writes its word, arrives, waits, and reads its neighbour's from the other end.
  TestKernel k(with_barrier("128", std::string(R"(
    mov.u32 %r10, tile;
    mad.lo.u32 %r11, %r4, 4, %r10;
    mul.lo.u32 %r12, %r4, 3;
    st.shared.u32 [%r11], %r12;
    mbarrier.arrive.shared.b64 %rd10, [%r30];)") +
                                       "\n" + wait_for_state + R"(
    sub.u32 %r13, 127, %r4;
    mad.lo.u32 %r11, %r13, 4, %r10;
    ld.shared.u32 %r14, [%r11];
    st.global.u32 [%rd1], %r14;)"));
  const auto at = k.words(Words(128));
  k.launch({1, 1, 1}, {128, 1, 1}, {at, 0});
  const Words result = k.read(at, 128);
  for (std::uint32_t t = 0; t < 128; ++t) CHECK(result[t] == 3 * (127 - t));
}

TEST_CASE("an mbarrier's phases follow each other, told by parity") {
  // Warp 1 adds to a word in phases 0, 2, ...; warp 0 doubles it in the others.
  TestKernel k(with_barrier("64", R"(
    mov.u32 %r10, tile;
    @!%p10 st.shared.u32 [%r10], 1;
    bar.sync 0;
    mov.u32 %r5, 0;
    shr.u32 %r6, %r4, 5;
    and.b32 %r15, %r4, 31;
    setp.eq.u32 %p5, %r15, 0;
    loop:
    and.b32 %r7, %r5, 1;
    setp.ne.and.u32 %p2, %r6, %r7, %p5;
    @!%p2 bra arrives;
    ld.shared.u32 %r8, [%r10];
    shl.b32 %r9, %r8, %r7;
    sub.u32 %r11, 1, %r7;
    add.u32 %r9, %r9, %r11;
    st.shared.u32 [%r10], %r9;
    arrives:
    mbarrier.arrive.release.cta.shared::cta.b64 _, [%r30];
    wait:
    mbarrier.test_wait.parity.shared.b64 %p1, [%r30], %r7;
    @!%p1 bra wait;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, 10;
    @%p3 bra loop;
    ld.shared.u32 %r8, [%r10];
    st.global.u32 [%rd1], %r8;)"));
  const auto at = k.words(Words(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {at, 0});
  std::uint32_t expected = 1;
  for (int i = 0; i < 10; ++i) expected = i % 2 == 0 ? expected + 1 : expected * 2;
  for (const std::uint32_t word : k.read(at, 64)) CHECK(word == expected);
}

TEST_CASE("the parity before the first phase counts as complete, the first phase's does not") {
  TestKernel k(with_barrier("1", R"(
    mbarrier.test_wait.parity.shared.b64 %p1, [%r30], 1;
    selp.u32 %r5, 1, 0, %p1;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r30], 0;
    selp.u32 %r6, 2, 0, %p1;
    mbarrier.arrive.shared.b64 %rd10, [%r30];
    mbarrier.test_wait.shared.b64 %p1, [%r30], %rd10;
    selp.u32 %r7, 4, 0, %p1;
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r30], 0, 1000;
    selp.u32 %r8, 8, 0, %p1;
    or.b32 %r5, %r5, %r6;
    or.b32 %r7, %r7, %r8;
    or.b32 %r5, %r5, %r7;
    st.global.u32 [%rd1], %r5;)"));
  const auto at = k.words({0});
  k.launch({1, 1, 1}, {1, 1, 1}, {at, 0});
  CHECK(k.read(at, 1)[0] == 13);
}

TEST_CASE("a state knows how many arrivals were pending; noComplete takes several at once") {
  TestKernel k(with_barrier("10", R"(
    mbarrier.arrive.noComplete.shared.b64 %rd10, [%r30], 3;
    mbarrier.pending_count.b64 %r5, %rd10;
    mbarrier.arrive.shared.b64 %rd10, [%r30];
    mbarrier.pending_count.b64 %r6, %rd10;
    mbarrier.arrive.release.cta.shared::cta.b64 %rd10, [%r30], 6;
    mbarrier.pending_count.b64 %r7, %rd10;
    mbarrier.arrive.shared.b64 %rd11, [%r30];
    mbarrier.pending_count.b64 %r8, %rd11;
    st.global.u32 [%rd0], %r5;
    st.global.u32 [%rd0+4], %r6;
    st.global.u32 [%rd0+8], %r7;
    st.global.u32 [%rd0+12], %r8;
    mbarrier.inval.shared.b64 [%r30];)"));
  const auto at = k.words(Words(4));
  k.launch({1, 1, 1}, {1, 1, 1}, {at, 0});
  CHECK(k.read(at, 4) == Words{10, 7, 6, 10});
}

TEST_CASE("who drops out of an mbarrier is not expected any more") {
  // Warp 1 drops out of the first phase; the second completes with warp 0 alone.
  TestKernel k(with_barrier("64", std::string(R"(
    setp.ge.u32 %p2, %r4, 32;
    @%p2 bra drop;
    mbarrier.arrive.shared.b64 %rd10, [%r30];)") +
                                      "\n" + wait_for_state + R"(
    mbarrier.arrive.shared.b64 %rd10, [%r30];
    mbarrier.pending_count.b64 %r5, %rd10;
    again:
    mbarrier.try_wait.shared.b64 %p1, [%r30], %rd10;
    @!%p1 bra again;
    st.global.u32 [%rd1], %r5;
    bra out;
    drop:
    mbarrier.arrive_drop.shared.b64 _, [%r30];
    out:)"));
  const auto at = k.words(Words(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {at, 0});
  const Words result = k.read(at, 64);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == 32 - t);
}

TEST_CASE("a phase with transfers ends when arrivals and bytes are there") {
  TestKernel k(with_barrier("1", R"(
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd10, [%r30], 64;
    mbarrier.test_wait.shared.b64 %p1, [%r30], %rd10;
    selp.u32 %r5, 1, 0, %p1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r30], 48;
    mbarrier.test_wait.shared.b64 %p1, [%r30], %rd10;
    selp.u32 %r6, 2, 0, %p1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r30], 16;
    mbarrier.test_wait.shared.b64 %p1, [%r30], %rd10;
    selp.u32 %r7, 4, 0, %p1;
    or.b32 %r5, %r5, %r6;
    or.b32 %r5, %r5, %r7;
    st.global.u32 [%rd1], %r5;)"));
  const auto at = k.words({9});
  k.launch({1, 1, 1}, {1, 1, 1}, {at, 0});
  CHECK(k.read(at, 1)[0] == 4);
}

TEST_CASE("copies of other warps arrive at an mbarrier when they are waited for") {
  // Warp 1 copies p1's words; warp 0 waits for them and uses them. Thread 32's own count: noinc.
  TestKernel k(with_barrier("32", R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r10, tile;
    and.b32 %r11, %r4, 31;
    mul.wide.u32 %rd6, %r11, 4;
    add.s64 %rd5, %rd5, %rd6;
    mad.lo.u32 %r12, %r11, 4, %r10;
    setp.ge.u32 %p2, %r4, 32;
    @!%p2 bra wait;
    cp.async.ca.shared.global [%r12], [%rd5], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r30];
    bra out;
    wait:
    mbarrier.try_wait.parity.shared.b64 %p1, [%r30], 0;
    @!%p1 bra wait;
    ld.shared.u32 %r13, [%r12];
    st.global.u32 [%rd1], %r13;
    out:)"));
  Words in(32);
  for (std::uint32_t i = 0; i < 32; ++i) in[i] = 1000 + i;
  const auto at = k.words(Words(64));
  k.launch({1, 1, 1}, {64, 1, 1}, {at, k.words(in)});
  const Words result = k.read(at, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == 1000 + t);
}

TEST_CASE("a copy's arrival without noinc adds what it takes away; the thread arrives besides") {
  TestKernel k(with_barrier("32", std::string(R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r10, tile;
    mul.wide.u32 %rd6, %r4, 16;
    add.s64 %rd5, %rd5, %rd6;
    mad.lo.u32 %r12, %r4, 16, %r10;
    cp.async.cg.shared.global [%r12], [%rd5], 16;
    cp.async.mbarrier.arrive.shared.b64 [%r30];
    mbarrier.arrive.shared.b64 %rd10, [%r30];)") +
                                      "\n" + wait_for_state + R"(
    xor.b32 %r13, %r4, 1;
    mad.lo.u32 %r13, %r13, 16, %r10;
    ld.shared.u32 %r14, [%r13+8];
    st.global.u32 [%rd1], %r14;)"));
  Words in(128);
  for (std::uint32_t i = 0; i < 128; ++i) in[i] = 7 * i;
  const auto at = k.words(Words(32));
  k.launch({1, 1, 1}, {32, 1, 1}, {at, k.words(in)});
  const Words result = k.read(at, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(result[t] == 7 * (4 * (t ^ 1) + 2));
}

TEST_CASE("a copy that nobody waited for has not happened, whatever it will arrive at") {
  TestKernel k(with_barrier("1", R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r10, tile;
    st.shared.u32 [%r10], 5;
    cp.async.ca.shared.global [%r10], [%rd5], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r30];
    ld.shared.u32 %r11, [%r10];
    mbarrier.test_wait.parity.shared.b64 %p1, [%r30], 0;
    ld.shared.u32 %r12, [%r10];
    st.global.u32 [%rd0], %r11;
    st.global.u32 [%rd0+4], %r12;)"));
  const auto at = k.words(Words(2));
  k.launch({1, 1, 1}, {1, 1, 1}, {at, k.words({77})});
  CHECK(k.read(at, 2) == Words{5, 77});
}

TEST_CASE("a bulk copy tells its mbarrier how many bytes have come, when it is waited for") {
  const std::string copy = with_barrier("1", R"(
    ld.param.u64 %rd5, [p1];
    mov.u32 %r10, tile;
    mov.u32 %r9, 64;
    @%p10 bra wait;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r30], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10+16], [%rd5+32], %r9, [%r30];
    wait:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r30], 0;
    @!%p1 bra wait;
    mad.lo.u32 %r11, %r4, 4, %r10;
    ld.shared.u32 %r12, [%r11+16];
    st.global.u32 [%rd1], %r12;)");
  Words in(24);
  for (std::uint32_t i = 0; i < 24; ++i) in[i] = 50 + i;
  TestKernel k(copy);
  const auto at = k.words(Words(16));
  k.launch({1, 1, 1}, {16, 1, 1}, {at, k.words(in)});
  const Words result = k.read(at, 16);
  for (std::uint32_t t = 0; t < 16; ++t) CHECK(result[t] == 58 + t);
  // One word too few to read.
  in.resize(23);
  TestKernel beyond(copy);
  CHECK(beyond.fault({1, 1, 1}, {16, 1, 1}, {beyond.words(Words(16)), beyond.words(in)})
            .find("out of bounds") != std::string::npos);
}

TEST_CASE("misuse of an mbarrier is named") {
  const auto fault = [](const std::string& body) {
    TestKernel k(with_barrier("2", body));
    return k.fault({1, 1, 1}, {1, 1, 1}, {k.words({0}), 0});
  };
  const std::string unknown = fault("mov.u32 %r10, tile;\nmbarrier.arrive.shared.b64 _, [%r10];");
  CHECK(unknown.find("this mbarrier was not initialised") != std::string::npos);
  CHECK(unknown.find("mbarrier.arrive.shared.b64") != std::string::npos);
  const std::string gone = fault(
      "mbarrier.inval.shared.b64 [%r30];\nmbarrier.test_wait.parity.shared.b64 %p1, [%r30], 0;");
  CHECK(gone.find("not initialised") != std::string::npos);
  const std::string many = fault("mbarrier.arrive.release.cta.shared::cta.b64 _, [%r30], 3;");
  CHECK(many.find("expects only 2 of 2") != std::string::npos);
  const std::string completes = fault("mbarrier.arrive.noComplete.shared.b64 %rd10, [%r30], 2;");
  CHECK(completes.find("noComplete must not complete it") != std::string::npos);
  const std::string none = fault("mbarrier.init.shared.b64 [%r30], 0;");
  CHECK(none.find("cannot expect 0 arrivals") != std::string::npos);
  const std::string crooked = fault("mbarrier.init.shared.b64 [%r30+4], 1;");
  CHECK(crooked.find("misaligned") != std::string::npos);
  const std::string copies =
      fault("mov.u32 %r10, tile;\ncp.async.mbarrier.arrive.shared.b64 [%r10];");
  CHECK(copies.find("not initialised") != std::string::npos);
}

}  // namespace ladder::emulator
