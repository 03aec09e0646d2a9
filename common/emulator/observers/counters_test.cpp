#include "common/emulator/counters.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "common/emulator/exec/effects.hpp"
#include "common/emulator/exec/footprint.hpp"
#include "common/emulator/exec/tally.hpp"
#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

namespace {

// The same as Stretches and Strided, slowly.
struct Reference {
  std::set<std::uint64_t> sectors, words, bytes;
  void add(std::uint64_t begin, std::uint64_t count) {
    for (std::uint64_t b = begin; b < begin + count; ++b) {
      sectors.insert(b / 32);
      words.insert(b / 4);
      bytes.insert(b);
    }
  }
  std::uint32_t wavefronts() const {
    std::map<std::uint64_t, std::uint32_t> banks;
    for (const std::uint64_t word : words) ++banks[word % 32];
    std::uint32_t most = 0;
    for (const auto& [bank, count] : banks) most = std::max(most, count);
    return most;
  }
};

Options counting() {
  Options options;
  options.watch |= watch_counters;
  return options;
}

// What `body` counts for in one block of `threads`, which may use the words at %rd1.
Counters counters_of(const std::string& body, unsigned threads = 32,
                     const std::string& before = "") {
  TestKernel k(kernel_text(1, std::string(own_word) + body, before), counting());
  const auto data = k.words(std::vector<std::uint32_t>(2048));
  k.launch({1, 1, 1}, {threads, 1, 1}, {data});
  return k.device.counters();
}

}  // namespace

TEST_CASE("a footprint has the sectors, bytes and wavefronts that its bytes have") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Reference reference;
    Addresses at{};
    const std::uint32_t bytes = 1u << random() % 5, mask = random() | 1u;
    const unsigned range = 4u << random() % 10, run = 1 + random() % 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
      at[lane] = lane % run == 0 ? random() % range * bytes : at[lane - 1] + bytes;
      if ((mask >> lane & 1) != 0) reference.add(at[lane], bytes);
    }
    const Stretches stretches(at, bytes, mask);
    REQUIRE(sectors_of(stretches) == reference.sectors.size());
    REQUIRE(stretches.bytes() == reference.bytes.size());
    if (bytes <= 4) REQUIRE(load_wavefronts(at, bytes, mask) == reference.wavefronts());
    if (bytes <= 4) REQUIRE(store_wavefronts(at, bytes, mask) == reference.wavefronts());
  }
}

TEST_CASE("wide accesses of shared memory go by halves and quarters of a warp") {
  const auto addresses = [](std::uint64_t bytes, auto element) {
    Addresses at{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) at[lane] = element(lane) * bytes;
    return at;
  };
  const auto linear = [](auto l) { return l; };
  const auto pairs = [](auto l) { return l / 2; };
  const auto in_turn = [](auto l) { return l % 2; };
  const auto swapped = [](auto l) { return l % 2 * 16 + l / 2; };
  CHECK(load_wavefronts(addresses(8, linear), 8, all_lanes) == 2);
  CHECK(load_wavefronts(addresses(8, pairs), 8, all_lanes) == 1);    // lane l ^ 1 has the same
  CHECK(load_wavefronts(addresses(8, in_turn), 8, all_lanes) == 1);  // lane l ^ 2 has
  CHECK(load_wavefronts(addresses(8, swapped), 8, all_lanes) == 4);
  CHECK(load_wavefronts(addresses(8, linear), 8, 0x49249249) == 1);  // lane l ^ 1 is not active
  CHECK(store_wavefronts(addresses(8, pairs), 8, all_lanes) == 2);   // stores never go together
  CHECK(load_wavefronts(addresses(16, linear), 16, all_lanes) == 4);
  CHECK(load_wavefronts(addresses(16, pairs), 16, all_lanes) == 2);
  CHECK(store_wavefronts(addresses(16, pairs), 16, all_lanes) == 4);
  CHECK(store_wavefronts(addresses(16, linear), 16, 0xffff) == 2);
}

TEST_CASE("atomic operations at one address go one after another") {
  Addresses at{};
  CHECK(atomic_sectors(at, 4, all_lanes) == 32);
  CHECK(atomic_wavefronts(at, 4, all_lanes) == 32);
  for (std::uint64_t lane = 0; lane < 32; ++lane) at[lane] = lane / 2 * 4;
  CHECK(atomic_sectors(at, 4, all_lanes) == 4);
  CHECK(atomic_wavefronts(at, 4, all_lanes) == 2);
}

TEST_CASE("addresses that lie as they did, from another base, cost the same") {
  // A row of tiles, each warp at its own place; the last load has another phase in its sector.
  const Counters c = counters_of(R"(
    mov.u32 %r5, 0;
  again:
    ld.global.u32 %r6, [%rd1];
    ld.global.u32 %r7, [%rd1+4];
    ld.global.u32 %r8, [%rd1+128];
    add.u64 %rd1, %rd1, 256;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 3;
    @%p1 bra again;
    sub.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r6, [%rd1];
    add.u64 %rd1, %rd1, %rd2;
    add.u64 %rd1, %rd1, 16;
    ld.global.u32 %r6, [%rd1];)",
                                 64);
  CHECK(c.global_load_requests == 2 * (3 * 3 + 2));
  CHECK(c.global_load_sectors == 2 * (3 * (4 + 5 + 4) + 1 + 5));
}

TEST_CASE("sectors that are scattered are marked for each base, and once for each sector") {
  // Lane l reads word 16 * l, then the words behind it; then all again from 4 bytes before.
  const Counters c = counters_of(R"(
    mul.wide.u32 %rd2, %r1, 60;
    add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r5, 0;
  again:
    ld.global.u32 %r6, [%rd1];
    ld.global.u32 %r7, [%rd1+4];
    add.u64 %rd1, %rd1, 8;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 6;
    @%p1 bra again;
    sub.u64 %rd1, %rd1, 4;
    ld.global.u32 %r6, [%rd1];)");
  CHECK(c.unique_read_bytes == 32 * 32 * 2);
  CHECK(c.global_load_sectors == 32 * 13);
}

TEST_CASE("scattered bytes are marked in the sectors where each base puts them") {
  // From base 4 all bytes lie in the first sectors, from base 7 all but one in the second.
  const Counters c = counters_of(R"(
    mul.wide.u32 %rd2, %r4, 128;
    add.u64 %rd1, %rd0, %rd2;
    setp.ne.u32 %p1, %r4, 0;
    selp.u32 %r5, 25, 0, %p1;
    cvt.u64.u32 %rd2, %r5;
    add.u64 %rd1, %rd1, %rd2;
    add.u64 %rd1, %rd1, 4;
    mov.u32 %r5, 0;
  again:
    ld.global.u8 %r6, [%rd1];
    add.u64 %rd1, %rd1, 3;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 2;
    @%p1 bra again;)");
  CHECK(c.unique_read_bytes == 32 * (32 + 31));
}

TEST_CASE("constant memory counts the different words that a warp asks for") {
  const Counters c = counters_of(R"(
    mov.u64 %rd3, table;
    ld.const.u32 %r6, [%rd3];
    mul.wide.u32 %rd4, %r4, 4;
    add.u64 %rd4, %rd4, %rd3;
    ld.const.u32 %r6, [%rd4];
    and.b32 %r7, %r4, 3;
    mul.wide.u32 %rd4, %r7, 4;
    add.u64 %rd4, %rd4, %rd3;
    ld.const.u32 %r6, [%rd4];)",
                                 64, ".const .align 4 .b8 table[4096];\n");
  CHECK(c.constant_requests == 2 * 3);
  CHECK(c.constant_words == 2 * (1 + 32 + 4));
}

TEST_CASE("a page of sectors is marked once, whoever marks it") {
  SectorSet a, b;
  SiteTally one, two, other;
  a.mark(10, 20, one);
  a.mark(15, 30, two);
  a.mark((1 << 15) - 3, (1 << 15) + 2, one);  // over the end of a page
  b.mark(30, 200, other);
  a.merge(b);
  CHECK(a.count() == 191 + 6);
  // Bits for single ones, over the ends of a word and of a page.
  a.mark_bits(1000, 1 | std::uint64_t{1} << 40, two);
  a.mark_bits((1 << 16) - 2, 0b1111, two);
  CHECK(a.count() == 191 + 6 + 2 + 4);
}

TEST_CASE("opcodes count for what they do") {
  const auto check = [](const char* opcode, std::uint64_t Counters::*field, std::uint32_t amount) {
    CAPTURE(opcode);
    const auto effects = effects_of(opcode);
    REQUIRE(effects.size() == 1);
    CHECK(effects[0].field == field);
    CHECK(effects[0].amount == amount);
  };
  check("add.rn.f32", &Counters::flops_f32, 1);
  check("fma.rn.ftz.f32", &Counters::flops_f32, 2);
  check("mul.f64", &Counters::flops_f64, 1);
  check("fma.rn.f16x2", &Counters::flops_f16, 4);
  check("add.bf16", &Counters::flops_f16, 1);
  check("div.rn.f32", &Counters::special_functions, 1);
  check("div.u32", &Counters::integer_operations, 1);
  check("mad.lo.s32", &Counters::integer_operations, 1);
  check("shfl.sync.bfly.b32", &Counters::shuffles, 1);
  check("vote.sync.ballot.b32", &Counters::votes, 1);
  check("membar.gl", &Counters::fences, 1);
  for (const char* none : {"mov.u32", "ld.global.f32", "setp.lt.f32", "cvt.rn.f32.s32", "neg.f32",
                           "and.pred", "bar.sync", "cvta.to.global.u64"}) {
    CAPTURE(none);
    CHECK(effects_of(none).empty());
  }
  const auto mma = effects_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  REQUIRE(mma.size() == 2);
  CHECK(mma[1].amount == 4096);
}

TEST_CASE("lanes behind a guard that is false do no operations") {
  const Counters c = counters_of(R"(
    mov.f32 %f1, 0f3F800000;
    setp.lt.u32 %p1, %r4, 5;
    @%p1 fma.rn.f32 %f2, %f1, %f1, %f1;
    add.f32 %f3, %f1, %f1;
    setp.gt.u32 %p2, %r4, 1000;
    @%p2 membar.gl;
    @!%p1 mul.f32 %f3, %f1, %f1;)");
  CHECK(c.flops_f32 == 5 * 2 + 32 + 27);
  CHECK(c.fences == 0);
}

TEST_CASE("a branch at which lanes part is divergent") {
  const Counters c = counters_of(R"(
    mov.u32 %r5, 0;
  again:
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 4;
    @%p1 bra again;
    setp.lt.u32 %p2, %r4, 10;
    @%p2 bra past;
    add.u32 %r6, %r5, 1;
  past:
    bar.sync 0;
    bar.warp.sync 0xffffffff;)",
                                 64);
  CHECK(c.branches == 2 * 4 + 2);
  CHECK(c.divergent_branches == 1);
  CHECK(c.barriers == 2);
  CHECK(c.warp_barriers == 2);
}

TEST_CASE("an atomic whose result is read is another than one whose result is not") {
  const Counters c = counters_of(R"(
    atom.global.add.u32 %r5, [%rd1], 1;
    atom.global.add.u32 %r6, [%rd1], 1;
    red.global.add.u32 [%rd1], 1;
    ld.param.u64 %rd5, [p0];
    red.global.add.f32 [%rd5], 0f3F800000;
    st.global.u32 [%rd1], %r6;)");
  CHECK(c.global_red_requests == 3);
  CHECK(c.global_red_sectors == 4 + 4 + 32);
  CHECK(c.global_red_sectors_ideal == 4 + 4 + 1);
  CHECK(c.global_atom_requests == 1);
  CHECK(c.global_atom_sectors == 4);
}

TEST_CASE("integers are combined first where a compiler sees that all lanes have one address") {
  const Counters c = counters_of(R"(
    ld.param.u64 %rd5, [p0];
    red.global.add.u32 [%rd5], %r4;
    atom.global.add.u32 %r6, [%rd5], %r4;
    atom.global.max.u32 %r7, [%rd5], %r4;
    and.b32 %r8, %r4, 0;
    cvt.u64.u32 %rd6, %r8;
    add.u64 %rd6, %rd5, %rd6;
    red.global.add.u32 [%rd6], 1;
    st.global.u32 [%rd1], %r6;
    st.global.u32 [%rd1], %r7;)");
  CHECK(c.global_red_sectors == 1 + 32);  // of the second nobody sees it
  CHECK(c.global_atom_sectors == 1 + 32);
}

TEST_CASE("constant, local and parameter memory are not global") {
  const Counters c = counters_of(R"(
    .local .align 4 .b8 own[64];
    mov.u32 %r5, own;
    and.b32 %r6, %r4, 7;
    shl.b32 %r6, %r6, 2;
    st.local.u32 [%r5], %r4;
    add.u32 %r5, %r5, %r6;
    ld.local.u32 %r7, [%r5];
    mov.u64 %rd5, table;
    cvt.u64.u32 %rd6, %r6;
    add.u64 %rd5, %rd5, %rd6;
    ld.const.u32 %r8, [%rd5];)",
                                 32, ".const .align 4 .b8 table[64];\n");
  CHECK(c.local_store_sectors == 4);
  CHECK(c.local_load_sectors == 32);  // eight different words in each eight lanes
  CHECK(c.constant_requests == 1);
  CHECK(c.constant_words == 8);
  CHECK(c.global_load_requests == 0);
}

TEST_CASE("memory that is read twice is read once as far as unique bytes go") {
  const Counters c = counters_of(R"(
    ld.global.u32 %r5, [%rd1];
    ld.global.u32 %r6, [%rd1+4];
    st.global.u32 [%rd1+4096], %r5;)",
                                 64);
  CHECK(c.global_load_sectors == 2 * 4 + 2 * 5);
  CHECK(c.unique_read_bytes == 9 * 32);
  CHECK(c.unique_written_bytes == 8 * 32);
}

TEST_CASE("generic accesses are counted where they go") {
  const Counters c = counters_of(R"(
    mov.u32 %r5, tile;
    cvt.u64.u32 %rd5, %r5;
    cvta.shared.u64 %rd5, %rd5;
    add.u64 %rd5, %rd5, %rd2;
    setp.lt.u32 %p1, %r4, 16;
    selp.b64 %rd6, %rd5, %rd1, %p1;
    st.u32 [%rd6], %r4;)",
                                 32, ".shared .align 4 .b8 tile[128];\n");
  CHECK(c.shared_store_requests == 1);
  CHECK(c.global_store_requests == 1);
  CHECK(c.global_store_sectors == 2);
}

TEST_CASE("what the lines of a launch did sums to what the launch did") {
  Options options = counting();
  options.threads = 2;
  TestKernel k(kernel_text(1, std::string(".loc 1 10 0\n") + own_word + R"(
    .param .b32 a;
    .param .b32 r;
    .loc 1 11 0
    mov.f32 %f1, 0f3F800000;
    setp.lt.u32 %p1, %r4, 5;
    .loc 1 12 0
    @%p1 fma.rn.f32 %f2, %f1, %f1, %f1;
    @%p1 bra past;
    .loc 1 13 0
    ld.global.u32 %r5, [%rd1];
    red.global.add.f32 [%rd1], %f1;
  past:
    .loc 1 14 0
    bar.sync 0;
    st.param.b32 [a], %r4;
    call (r), twice, (a);
    ld.param.b32 %r6, [r];
    .loc 1 11 0
    st.global.u32 [%rd1], %r6;)",
                           R"(.shared .align 4 .b8 tile[512];
    .func (.param .b32 out) twice(.param .b32 in) {
    .reg .b32 %r<9>;
    .loc 1 3 0
    ld.param.b32 %r1, [in];
    and.b32 %r2, %r1, 31;
    shl.b32 %r2, %r2, 4;
    mov.u32 %r3, tile;
    add.u32 %r3, %r3, %r2;
    .loc 1 4 0
    st.shared.u32 [%r3], %r1;
    atom.shared.add.u32 %r4, [%r3], 1;
    add.u32 %r1, %r1, %r1;
    st.param.b32 [out], %r1;
    ret;
    }
)"),
               options);
  const auto data = k.words(std::vector<std::uint32_t>(4096));
  k.launch({40, 1, 1}, {96, 1, 1}, {data});
  REQUIRE(k.device.launch_records().size() == 1);
  const LaunchRecord& record = k.device.launch_records()[0];
  std::vector<int> lines;
  Counters sum;
  for (const LaunchRecord::Line& line : record.lines) {
    CHECK(line.file == "test.cu");
    lines.push_back(line.line);
    sum += line.counters;
  }
  CHECK(lines == std::vector<int>{3, 4, 10, 11, 12, 13, 14});
  for (const CounterInfo& info : counter_infos()) {
    CAPTURE(info.name);
    if (info.of_launch) {
      CHECK(sum.*info.field == 0);
    } else {
      CHECK(sum.*info.field == record.counters.*info.field);
    }
    CHECK(record.counters.*info.field == k.device.counters().*info.field);
  }
  CHECK(record.lines[1].counters.shared_store_wavefronts == 40 * 3 * 4);
  CHECK(record.lines[1].counters.shared_atomic_requests == 40 * 3);
  CHECK(record.lines[4].counters.flops_f32 == 40 * 5 * 2);
  CHECK(record.lines[4].counters.divergent_branches == 40);

  k.device.reset_counters();
  k.device.options().watch = watch_memcheck;
  k.launch({40, 1, 1}, {96, 1, 1}, {data});
  CHECK(k.device.counters().warp_instructions == record.counters.warp_instructions);
  CHECK(k.device.counters().thread_instructions == record.counters.thread_instructions);
  CHECK(k.device.counters().barriers == record.counters.barriers);
}

TEST_CASE("derived counters are computed from counters that exist, with their ideals") {
  Counters c;
  c.shared_load_wavefronts = 12;
  c.shared_load_wavefronts_ideal = 4;
  c.shared_load_requests = 4;
  c.shared_store_wavefronts = 1;
  c.shared_store_wavefronts_ideal = 1;
  std::map<std::string, double> named;
  for (const auto& [name, value] : named_counters(c)) named[name] = value;
  for (const DerivedInfo& info : derived_infos()) {
    CAPTURE(info.name);
    CHECK(named.contains(info.name));
  }
  CHECK(named["shared.wavefronts"] == 13);
  CHECK(named["shared.wavefronts.ideal"] == 5);
  CHECK(named["shared.load.wavefronts_per_request"] == 3);
  CHECK(named["shared.load.wavefronts_per_request.ideal"] == 1);
  CHECK(named["shared.load.conflicts"] == 8);
  CHECK(named["global.load.sectors_per_request"] == 0);
}

}  // namespace ladder::emulator
