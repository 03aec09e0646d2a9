// Races in global memory: within a block, between blocks; and what orders them.
#include <doctest/doctest.h>

#include "common/emulator/observers/racecheck_test.hpp"

namespace ladder::emulator {

namespace {

// %rd1: the address of p0[thread of the grid], %rd3 of p0[0], %rd5 of p1[0]; %p10: thread 0 of its
// block; %p11: block 0; %p12: warp 0 of its block.
std::string on_words(const std::string& body) {
  return kernel_text(
      2,
      std::string(own_word) +
          "mov.b64 %rd3, %rd0;\nld.param.u64 %rd5, [p1];\n"
          "setp.eq.u32 %p10, %r4, 0;\nsetp.eq.u32 %p11, %r2, 0;\n"
          "setp.lt.u32 %p12, %r4, 32;\nmov.u32 %r10, tile;\nmov.u32 %r30, %nctaid.x;\n" +
          body,
      ".shared .align 16 .b8 tile[1024];\n");
}

Races races(const std::string& body, unsigned blocks, unsigned threads) {
  return races_of(on_words(body), {blocks, 1, 1}, {threads, 1, 1});
}

// Each block's threads write p0; the last block to come reads all of it.
std::string last_block(const std::string& write, const std::string& fence,
                       const std::string& behind = "") {
  return ".loc 1 10 0\n" + write + fence + "bar.sync 0;\n@!%p10 bra wait;\n" + behind +
         "atom.global.add.u32 %r20, [%rd5], 1;\nst.shared.u32 [tile], %r20;\nwait:\nbar.sync 0;\n"
         "ld.shared.u32 %r20, [tile];\nadd.u32 %r20, %r20, 1;\nsetp.ne.u32 %p1, %r20, %r30;\n"
         "@%p1 bra out;\nmul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd6, %rd3, %rd6;\n"
         "mov.u32 %r21, 0;\nloop:\n.loc 1 20 0\nld.global.u32 %r22, [%rd6];\n"
         "mul.wide.u32 %rd7, %r3, 4;\nadd.s64 %rd6, %rd6, %rd7;\nadd.u32 %r21, %r21, 1;\n"
         "setp.lt.u32 %p1, %r21, %r30;\n@%p1 bra loop;\nout:";
}

// The word behind p0's first is how many kilobytes p1 lies behind p0: the kernel's text has no pointer
// to p1 that it writes to, but comes by one. Two blocks of so many threads.
Races with_distance_in_memory(const std::string& body, unsigned threads) {
  Options options;
  options.watch = watch_memcheck | watch_racecheck;
  TestKernel k(on_words(body), options);
  std::vector<std::uint32_t> words(4096);
  const auto p0 = k.words(words, "p0"), p1 = k.words(words, "p1");
  REQUIRE((p1 - p0) % 1024 == 0);
  words[1] = static_cast<std::uint32_t>((p1 - p0) / 1024);
  k.device.copy_in(p0, words.data(), words.size() * 4);
  k.launch({2, 1, 1}, {threads, 1, 1}, {p0, p1});
  return {k.device.take_findings()};
}

}  // namespace

TEST_CASE("two blocks that write one word race; the line, both blocks and a remedy are told") {
  const Races found = races(".loc 1 5 0\nst.global.u32 [%rd3], %r1;", 2, 32);
  REQUIRE_FALSE(found.none());
  // Within the first block already; between blocks with one thread each.
  const Races apart = races(".loc 1 5 0\nst.global.u32 [%rd3], %r1;", 2, 1);
  REQUIRE(apart.list.size() == 1);
  const Finding& race = apart.list[0];
  CHECK(race.what.find("global memory") != std::string::npos);
  CHECK(race.site.place == "test.cu:5");
  CHECK(race.site.block.x == 1);
  CHECK(race.others[0].block.x == 0);
  CHECK(race.others[0].place == "test.cu:5");
  CHECK(race.where.find("'p0'") != std::string::npos);
  CHECK(race.help.find("thread (0,0,0) of block (0,0,0) wrote it at test.cu:5") !=
        std::string::npos);
  CHECK(race.help.find("__threadfence()") != std::string::npos);
}

TEST_CASE(
    "a planted race: a sum without atomics, and a neighbour's element read before a launch ends") {
  CHECK_FALSE(races("ld.global.u32 %r20, [%rd5];\nadd.u32 %r20, %r20, 1;\nst.global.u32 [%rd5], "
                    "%r20;",
                    4, 1)
                  .none());
  const std::string stencil =
      "ld.global.u32 %r20, [%rd1];\n.loc 1 7 0\nld.global.u32 %r21, [%rd1+4];\n"
      "add.u32 %r20, %r20, %r21;\n.loc 1 9 0\nst.global.u32 [%rd1], %r20;";
  CHECK_FALSE(races(stencil, 4, 1).none());
  CHECK_FALSE(races(stencil, 4, 64).none());
  // Into another array it is right.
  CHECK(
      races(
          "ld.global.u32 %r20, [%rd1];\nld.global.u32 %r21, [%rd1+4];\nadd.s64 %rd6, %rd5, %rd2;\n"
          "st.global.u32 [%rd6], %r20;",
          4, 64)
          .none());
}

TEST_CASE("in place is no race, and atomics are none") {
  CHECK(races("ld.global.u32 %r20, [%rd1];\nld.global.u32 %r21, [%rd1];\nst.global.u32 [%rd1], "
              "%r20;\nld.global.u32 %r20, [%rd1];",
              4, 64)
            .none());
  CHECK(races("red.global.add.u32 [%rd3], 1;\natom.global.add.u32 %r20, [%rd3], 1;", 4, 64).none());
  CHECK(races("and.b32 %r20, %r4, 7;\nmul.wide.u32 %rd6, %r20, 4;\nadd.s64 %rd6, %rd3, %rd6;\n"
              "red.global.add.u32 [%rd6], 1;",
              4, 64)
            .none());
  CHECK_FALSE(races("red.global.add.u32 [%rd3], 1;\nld.global.u32 %r20, [%rd3];", 2, 1).none());
}

TEST_CASE("the ordinary load before a compare-and-swap loop is checked by the swap") {
  const auto largest = [](const std::string& place) {
    return "ld.global.u32 %r20, [" + place +
           "];\nloop:\nmax.u32 %r21, %r20, %r1;\nmov.u32 %r22, %r20;\n"
           "atom.global.cas.b32 %r20, [%rd3], %r22, %r21;\nsetp.ne.u32 %p1, %r20, %r22;\n"
           "@%p1 bra loop;";
  };
  CHECK(races(largest("%rd3"), 4, 64).none());
  CHECK_FALSE(races("mov.b64 %rd6, %rd3;\n" + largest("%rd6"), 4, 64).none());
}

TEST_CASE("threads of a block are ordered in global memory by its barriers") {
  const auto exchange = [](const std::string& between) {
    return "st.global.u32 [%rd1], %r4;\n" + between +
           "xor.b32 %r20, %r1, 32;\nmul.wide.u32 %rd6, %r20, 4;\nadd.s64 %rd6, %rd3, %rd6;\n"
           ".loc 1 8 0\nld.global.u32 %r21, [%rd6];";
  };
  const Races found = races(exchange(""), 2, 64);
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].help.find("__syncthreads()") != std::string::npos);
  CHECK(races(exchange("bar.sync 0;\n"), 2, 64).none());
  CHECK_FALSE(races(exchange("bar.warp.sync -1;\n"), 2, 64).none());
}

TEST_CASE("the last block may read what all wrote, if they fenced before they counted") {
  const std::string write = "st.global.u32 [%rd1], %r1;\n";
  CHECK(races(last_block(write, "membar.gl;\n"), 4, 64).none());
  CHECK(races(last_block(write, "", "membar.gl;\n"), 4, 64).none());
  CHECK(races(last_block(write, "", "fence.acq_rel.gpu;\n"), 4, 64).none());
  const Races found = races(last_block(write, ""), 4, 64);
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].site.place == "test.cu:20");
  CHECK(found.list[0].others[0].place == "test.cu:10");
  CHECK(found.list[0].others[0].block.x == 0);
  CHECK(found.list[0].site.block.x == 3);
  // A fence for the block alone is not enough.
  CHECK_FALSE(races(last_block(write, "membar.cta;\n"), 4, 64).none());
}

TEST_CASE("a write between the fence and the count is not released") {
  const std::string late = "membar.gl;\nst.global.u32 [%rd1], %r1;\n";
  CHECK_FALSE(
      races("@!%p10 bra out;\n" + late +
                "atom.global.add.u32 %r20, [%rd5], 1;\nmembar.gl;\n"
                "setp.eq.u32 %p1, %r20, 0;\n@%p1 bra out;\nld.global.u32 %r21, [%rd3];\nout:",
            2, 32)
          .none());
}

TEST_CASE("a flag passes data on with fences on both sides, or with release and acquire") {
  // Block 0 writes p0 and raises a flag; the others wait for it and read.
  const auto pass = [](const std::string& raise, const std::string& look, const std::string& then) {
    return "@!%p11 bra look;\n.loc 1 3 0\nst.global.u32 [%rd3], 7;\n" + raise +
           "bra out;\nlook:\n" + look +
           " %r20, [%rd5];\nsetp.eq.u32 %p1, %r20, 0;\n@%p1 bra look;\n" + then +
           ".loc 1 9 0\nld.global.u32 %r21, [%rd3];\nout:";
  };
  const std::string fence = "membar.gl;\n";
  const std::string volatile_flag = "st.volatile.global.u32 [%rd5], 1;\n";
  CHECK(races(pass(fence + volatile_flag, "ld.volatile.global.u32", fence), 3, 1).none());
  CHECK(races(pass("st.release.gpu.global.u32 [%rd5], 1;\n", "ld.acquire.gpu.global.u32", ""), 3, 1)
            .none());
  CHECK(
      races(pass(fence + "st.relaxed.gpu.global.u32 [%rd5], 1;\n", "ld.acquire.gpu.global.u32", ""),
            3, 1)
          .none());
  CHECK(races(pass("fence.acq_rel.gpu;\natom.global.exch.b32 %r22, [%rd5], 1;\n",
                   "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;\n"),
              3, 1)
            .none());
  // One of the two is missing.
  CHECK(races(pass(volatile_flag, "ld.volatile.global.u32", fence), 3, 1).at("test.cu:9"));
  CHECK(races(pass(fence + volatile_flag, "ld.volatile.global.u32", ""), 3, 1).at("test.cu:9"));
  CHECK(races(pass("st.release.cta.global.u32 [%rd5], 1;\n", "ld.acquire.gpu.global.u32", ""), 3, 1)
            .at("test.cu:9"));
}

TEST_CASE("a flag of ordinary loads and stores is a race itself") {
  // The reader gives up: an ordinary load may be hoisted out of its loop anyway.
  const Races found = races(
      "@!%p11 bra look;\nst.global.u32 [%rd3], 7;\nmembar.gl;\n.loc 1 4 0\nst.global.u32 [%rd5], "
      "1;\n"
      "bra out;\nlook:\n.loc 1 6 0\nld.global.u32 %r20, [%rd5];\nout:",
      2, 1);
  CHECK(found.at("test.cu:6"));
}

TEST_CASE("a look-back from block to block hands on all that came before") {
  // Block b waits for flag b, adds up p0[0..b], and raises flag b + 1.
  const auto look_back = [](const std::string& fence) {
    return "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd7, %rd5, %rd6;\nadd.s64 %rd8, %rd3, %rd6;\n"
           "@!%p10 bra join;\n@%p11 bra go;\nlook:\nld.volatile.global.u32 %r20, [%rd7];\n"
           "setp.eq.u32 %p1, %r20, 0;\n@%p1 bra look;\n" +
           fence +
           "go:\njoin:\nbar.sync 0;\n@!%p10 bra rest;\nst.global.u32 [%rd8], 1;\n"
           "mov.u32 %r21, 0;\nmov.b64 %rd9, %rd3;\nloop:\nld.global.u32 %r22, [%rd9];\n"
           "add.s64 %rd9, %rd9, 4;\nadd.u32 %r21, %r21, 1;\nsetp.le.u32 %p1, %r21, %r2;\n"
           "@%p1 bra loop;\n" +
           fence + "st.volatile.global.u32 [%rd7+4], 1;\nrest:";
  };
  CHECK(races(look_back("membar.gl;\n"), 6, 64).none());
  CHECK_FALSE(races(look_back(""), 6, 64).none());
}

TEST_CASE("a lock orders those who hold it one after another") {
  const auto locked = [](const std::string& fence) {
    return "lock:\natom.global.cas.b32 %r20, [%rd5], 0, 1;\nsetp.ne.u32 %p1, %r20, 0;\n"
           "@%p1 bra lock;\n" +
           fence +
           "ld.global.u32 %r21, [%rd3];\nadd.u32 %r21, %r21, 1;\nst.global.u32 [%rd3], %r21;\n" +
           fence + "atom.global.exch.b32 %r20, [%rd5], 0;";
  };
  CHECK(races(locked("membar.gl;\n"), 4, 1).none());
  CHECK_FALSE(races(locked(""), 4, 1).none());
}

TEST_CASE("a grid-wide barrier orders all blocks, round after round") {
  // Thread 0 of each block counts itself and waits for all; round r reads what the next block
  // wrote.
  const auto rounds = [](const std::string& fence) {
    return "mov.u32 %r20, 0;\nround:\nadd.u32 %r21, %r2, 1;\nrem.u32 %r21, %r21, %r30;\n"
           "mad.lo.u32 %r21, %r21, %r3, %r4;\nmul.wide.u32 %rd6, %r21, 4;\nadd.s64 %rd6, %rd3, "
           "%rd6;\n"
           "st.global.u32 [%rd1], %r20;\n" +
           fence + "ld.global.u32 %r22, [%rd6];\n" + fence +
           "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p2, %r20, 3;\n@%p2 bra round;";
  };
  const auto barrier = [](const std::string& number) {
    return "bar.sync 0;\n@!%p10 bra joined" + number +
           ";\nmembar.gl;\nadd.u32 %r25, %r25, %r30;\natom.global.add.u32 %r23, [%rd5], 1;\nspin" +
           number +
           ":\nld.acquire.gpu.global.u32 %r24, [%rd5];\nsetp.lt.u32 %p3, %r24, %r25;\n@%p3 bra "
           "spin" +
           number + ";\njoined" + number + ":\nbar.sync 0;\n";
  };
  std::string right = rounds("BARRIER");
  for (const char* number : {"1", "2"}) right.replace(right.find("BARRIER"), 7, barrier(number));
  CHECK(races("mov.u32 %r25, 0;\n" + right, 4, 64).none());
  CHECK_FALSE(races("mov.u32 %r25, 0;\n" + rounds("bar.sync 0;\n"), 4, 64).none());
}

TEST_CASE("a word that several blocks read may be written behind a grid-wide barrier only") {
  const auto then_write = [](const std::string& wait) {
    return "ld.global.u32 %r20, [%rd3];\nbar.sync 0;\n@!%p10 bra out;\nmembar.gl;\n"
           "atom.global.add.u32 %r23, [%rd5], 1;\n@!%p11 bra out;\n" +
           wait + ".loc 1 30 0\nst.global.u32 [%rd3], 9;\nout:";
  };
  CHECK(races(then_write("spin:\nld.acquire.gpu.global.u32 %r24, [%rd5];\n"
                         "setp.lt.u32 %p3, %r24, %r30;\n@%p3 bra spin;\n"),
              4, 64)
            .none());
  // Of four blocks it waits for three.
  CHECK_FALSE(
      races(then_write("sub.u32 %r31, %r30, 1;\nspin:\nld.acquire.gpu.global.u32 %r24, [%rd5];\n"
                       "setp.lt.u32 %p3, %r24, %r31;\n@%p3 bra spin;\n"),
            4, 64)
          .none());
  CHECK_FALSE(races(then_write(""), 4, 64).none());
}

TEST_CASE("launches follow each other") {
  Options options;
  options.watch = watch_memcheck | watch_racecheck;
  TestKernel k(on_words("ld.global.u32 %r20, [%rd3];\nsetp.eq.u32 %p1, %r20, 0;\n@!%p1 bra out;\n"
                        "@!%p11 bra out;\n@%p10 st.global.u32 [%rd3], 1;\nout:"),
               options);
  const std::vector<std::uint64_t> arguments = {k.words({1}), k.words({0})};
  for (int i = 0; i < 2; ++i) k.launch({2, 1, 1}, {64, 1, 1}, arguments);
  CHECK(k.device.take_findings().empty());
}

TEST_CASE("what a kernel can write to is found whichever way it comes by the pointer") {
  // Every thread reads the next block's word of p0 and writes its own through the pointer in %rd10.
  const auto write_through = [](const std::string& pointer) {
    return races(
        "add.u32 %r20, %r1, %r3;\nmul.wide.u32 %rd6, %r20, 4;\nadd.s64 %rd6, %rd3, %rd6;\n"
        "ld.global.u32 %r21, [%rd6];\n" +
            pointer + ".loc 1 90 0\nst.global.u32 [%rd10], %r21;",
        2, 32);
  };
  CHECK(write_through("mov.b64 %rd10, %rd1;\n").at("test.cu:90"));
  CHECK(write_through("add.s64 %rd10, %rd5, %rd2;\n").none());
  CHECK(write_through("selp.b64 %rd10, %rd1, %rd5, %p11;\nadd.s64 %rd10, %rd10, 0;\n"
                      "selp.b64 %rd10, %rd10, %rd1, %p11;\n")
            .at("test.cu:90"));
  // Out of memory, and out of two halves.
  CHECK(write_through("st.shared.u64 [%r10], %rd3;\nbar.sync 0;\nld.shared.u64 %rd11, [%r10];\n"
                      "add.s64 %rd10, %rd11, %rd2;\n")
            .at("test.cu:90"));
  CHECK(write_through("mov.b64 {%r22, %r23}, %rd1;\nmov.b64 %rd10, {%r22, %r23};\n")
            .at("test.cu:90"));
}

TEST_CASE("a pointer that stands beside its array, and a kernel's own variable, count as written") {
  // Block 0 reads what block 1 writes, by a pointer to the word before the array.
  Options options;
  options.watch = watch_memcheck | watch_racecheck;
  TestKernel k(on_words("add.u32 %r20, %r1, %r3;\nmul.wide.u32 %rd6, %r20, 4;\n"
                        "add.s64 %rd6, %rd5, %rd6;\nld.global.u32 %r21, [%rd6];\n"
                        "add.s64 %rd7, %rd1, 4;\n.loc 1 98 0\nst.global.u32 [%rd7], %r21;"),
               options);
  const auto words = k.words(std::vector<std::uint32_t>(4096));
  k.launch({2, 1, 1}, {32, 1, 1}, {words - 4, words});
  CHECK(Races{k.device.take_findings()}.at("test.cu:98"));

  CHECK(races(".global .align 4 .u32 own;\n.loc 1 99 0\nld.global.u32 %r20, [own];\n"
              "st.global.u32 [own], %r4;",
              2, 1)
            .at("test.cu:99"));
}

TEST_CASE("a store of which one lane goes astray is told to who reads there from then on") {
  CHECK(with_distance_in_memory("ld.global.u32 %r20, [%rd5];\nld.global.u32 %r21, [%rd3+4];\n"
                                "mul.lo.u32 %r23, %r21, %r4;\nmul.wide.u32 %rd8, %r23, 1024;\n"
                                "add.s64 %rd8, %rd3, %rd8;\n"
                                ".loc 1 96 0\n@%p11 st.global.u32 [%rd8], 2;\n"
                                ".loc 1 97 0\nld.global.u32 %r22, [%rd5];",
                                2)
            .at("test.cu:97"));
}

TEST_CASE("a store that goes astray into another array is told to who reads it from then on") {
  CHECK(with_distance_in_memory(
            "ld.global.u32 %r20, [%rd5];\n"  // its readers are not told at first
            "cvt.u64.u32 %rd7, %r20;\n"
            ".loc 1 95 0\n@%p11 st.global.u32 [%rd3], 1;\nld.global.u32 %r21, [%rd3+4];\n"
            "mul.wide.u32 %rd8, %r21, 1024;\nadd.s64 %rd8, %rd3, %rd8;\n"
            ".loc 1 96 0\n@%p11 st.global.u32 [%rd8], 2;\n"
            ".loc 1 97 0\nld.global.u32 %r22, [%rd5];",
            1)
            .at("test.cu:97"));
}

}  // namespace ladder::emulator
