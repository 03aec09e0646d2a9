// Races in shared memory: between warps, hidden by lock-step, with copies; and what is no race.
#include <doctest/doctest.h>

#include "common/emulator/observers/racecheck_test.hpp"

namespace ladder::emulator {

namespace {

const char* const tile = ".shared .align 16 .b8 tile[4096];\n";

// Thread t's own word of `tile` is at %r11, its right neighbour's at %r12, thread t ^ 32's at %r13.
std::string on_tile(const std::string& body) {
  return kernel_text(2,
                     std::string(own_word) +
                         "ld.param.u64 %rd5, [p1];\nmov.u32 %r10, tile;\n"
                         "mad.lo.u32 %r11, %r4, 4, %r10;\n"
                         "add.u32 %r14, %r4, 1;\nrem.u32 %r14, %r14, %r3;\n"
                         "mad.lo.u32 %r12, %r14, 4, %r10;\n"
                         "xor.b32 %r15, %r4, 32;\nmad.lo.u32 %r13, %r15, 4, %r10;\n"
                         "and.b32 %r16, %r4, 31;\nsetp.lt.u32 %p10, %r4, 32;\n"
                         "setp.eq.u32 %p11, %r4, 0;\nsetp.eq.u32 %p12, %r16, 0;\n" +
                         body,
                     tile);
}

Races races(const std::string& body, unsigned threads = 64) {
  return races_of(on_tile(body), {1, 1, 1}, {threads, 1, 1});
}

}  // namespace

TEST_CASE("a read of another warp's word without a barrier is a race, with the lines of both") {
  const Races found = races(
      ".loc 1 12 0\nst.shared.u32 [%r11], %r4;\n@%p10 bra out;\n"
      ".loc 1 13 0\nld.shared.u32 %r20, [%r13];\nst.global.u32 [%rd1], %r20;\nout:");
  REQUIRE(found.list.size() == 1);
  const Finding& race = found.list[0];
  CHECK(race.kind == FaultKind::race);
  CHECK(race.what.find("shared memory") != std::string::npos);
  CHECK(race.where.find("'tile'") != std::string::npos);
  CHECK(race.site.place == "test.cu:13");
  CHECK(race.site.instruction.find("ld.shared.u32") != std::string::npos);
  REQUIRE(race.others.size() == 1);
  CHECK(race.others[0].place == "test.cu:12");
  CHECK(race.others[0].role == "written before by");
  // Warp 0 runs first: warp 1's reads come after its writes.
  CHECK(race.site.thread.x == 32);
  CHECK(race.others[0].thread.x == 0);
  CHECK(race.help.find("thread (0,0,0) wrote it at test.cu:12") != std::string::npos);
  CHECK(race.help.find("__syncthreads()") != std::string::npos);
}

TEST_CASE("two threads that write one word at the same line are asked about the index first") {
  for (const bool of_one_warp : {true, false}) {
    CAPTURE(of_one_warp);
    const std::string who = of_one_warp ? "" : "@%p12 ";  // lane 0 of each warp
    const Races found = races(".loc 1 12 0\n" + who + "st.shared.u32 [%r10], %r4;");
    REQUIRE(found.list.size() == 1);
    const std::string& help = found.list[0].help;
    CHECK(help.find("wrote it at test.cu:12 too: is the index right") != std::string::npos);
    CHECK(help.find(of_one_warp ? "__syncwarp()" : "__syncthreads()") != std::string::npos);
  }
}

TEST_CASE("a barrier between them is enough") {
  CHECK(races("st.shared.u32 [%r11], %r4;\nbar.sync 0;\nld.shared.u32 %r20, [%r13];\n"
              "st.global.u32 [%rd1], %r20;")
            .none());
}

TEST_CASE("a race that a warp's lock-step hides is found, and needs __syncwarp") {
  const std::string write = ".loc 1 21 0\nst.shared.u32 [%r11], %r4;\n";
  const std::string read = ".loc 1 22 0\nld.shared.u32 %r20, [%r12];\nst.global.u32 [%rd1], %r20;";
  const Races found = races(write + read, 32);
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].help.find("__syncwarp()") != std::string::npos);
  CHECK(found.list[0].site.place == "test.cu:22");
  CHECK(found.list[0].others[0].place == "test.cu:21");
  CHECK(races(write + "bar.warp.sync -1;\n" + read, 32).none());
  // Shuffles and votes order no memory.
  CHECK(races(write +
                  "shfl.sync.idx.b32 %r21, %r4, 0, 31, -1;\n"
                  "vote.sync.any.pred %p1, %p10, -1;\n" +
                  read,
              32)
            .at("test.cu:22"));
}

TEST_CASE("a thread that changes what its whole warp read is not named as the one it races with") {
  int named_beside_others = 0;
  for (const unsigned writer : {0U, 31U}) {
    CAPTURE(writer);
    const Races found = races(
        "mov.u32 %r11, tile;\n@%p11 st.shared.u32 [%r11], %r4;\n"
        "bar.sync 0;\n.loc 1 23 0\nld.shared.u32 %r20, [%r11];\n"
        "st.global.u32 [%rd1], %r20;\nsetp.eq.u32 %p13, %r4, " +
            std::to_string(writer) + ";\n.loc 1 24 0\n@%p13 atom.shared.add.u32 %r21, [%r11], 1;",
        32);
    REQUIRE(found.list.size() == 1);
    const Finding& race = found.list[0];
    CHECK(race.site.thread.x == writer);
    REQUIRE(race.others.size() == 1);
    if (race.others[0].thread.x != writer) continue;
    ++named_beside_others;
    CHECK(race.others[0].role == "read before by other threads and by");
    CHECK(race.help.find("other threads than thread (" + std::to_string(writer) +
                         ",0,0) read it at test.cu:23") == 0);
  }
  CHECK(named_beside_others > 0);
}

TEST_CASE("the next round of a loop may not write over what others still read") {
  const auto loop = [](const std::string& behind) {
    return "mov.u32 %r20, 0;\nloop:\n.loc 1 31 0\nst.shared.u32 [%r11], %r20;\nbar.sync 0;\n"
           ".loc 1 33 0\nld.shared.u32 %r21, [%r13];\n" +
           behind +
           "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 3;\n@%p1 bra loop;\n"
           "st.global.u32 [%rd1], %r21;";
  };
  const Races found = races(loop(""));
  REQUIRE(found.list.size() == 1);
  // Warp 1 comes last to the barrier, goes on and writes again before warp 0 has read.
  CHECK(found.list[0].site.place == "test.cu:33");
  CHECK(found.list[0].site.thread.x == 0);
  CHECK(found.list[0].others[0].place == "test.cu:31");
  CHECK(races(loop("bar.sync 0;\n")).none());
}

TEST_CASE("a word that all threads read is not written before they are past a barrier") {
  const auto broadcast = [](const std::string& between) {
    return "@%p11 st.shared.u32 [tile], 7;\nbar.sync 0;\nld.shared.u32 %r20, [tile];\n" + between +
           ".loc 1 40 0\n@%p11 st.shared.u32 [tile], 8;\nst.global.u32 [%rd1], %r20;";
  };
  CHECK(races(broadcast("")).at("test.cu:40"));
  CHECK(races(broadcast(""), 32).at("test.cu:40"));
  CHECK(races(broadcast("bar.sync 0;\n")).none());
  CHECK(races(broadcast("bar.warp.sync -1;\n"), 32).none());
  CHECK(races(broadcast("bar.warp.sync -1;\n"), 64).at("test.cu:40"));
}

TEST_CASE("a tree reduction: right with its barriers, found without one of them") {
  const auto tree = [](const std::string& barrier) {
    return "st.shared.u32 [%r11], %r4;\nbar.sync 0;\nmov.u32 %r20, 64;\nloop:\n"
           "setp.ge.u32 %p1, %r4, %r20;\n@%p1 bra skip;\n"
           "mad.lo.u32 %r21, %r20, 4, %r11;\nld.shared.u32 %r22, [%r21];\n"
           "ld.shared.u32 %r23, [%r11];\nadd.u32 %r22, %r22, %r23;\nst.shared.u32 [%r11], %r22;\n"
           "skip:\n" +
           barrier +
           "shr.u32 %r20, %r20, 1;\nsetp.gt.u32 %p1, %r20, 0;\n@%p1 bra loop;\n"
           "ld.shared.u32 %r22, [tile];\nst.global.u32 [%rd1], %r22;";
  };
  CHECK(races(tree("bar.sync 0;\n"), 128).none());
  CHECK_FALSE(races(tree(""), 128).none());
}

TEST_CASE("threads that write the same value do not race with each other") {
  CHECK(races("st.shared.u32 [tile], 5;").none());
  CHECK(races("st.shared.u32 [tile], 5;\nst.shared.u32 [tile], 5;", 128).none());
  CHECK_FALSE(races(".loc 1 50 0\nst.shared.u32 [tile], %r4;", 32).none());
  CHECK_FALSE(races("shr.u32 %r20, %r4, 5;\nst.shared.u32 [tile], %r20;").none());
  // Who reads it races all the same.
  CHECK_FALSE(races("st.shared.u32 [tile], 5;\nld.shared.u32 %r20, [tile];").none());
}

TEST_CASE("bytes and halves side by side are no race; at one place they are") {
  const std::string own_byte = "add.u32 %r20, %r10, %r4;\nst.shared.u8 [%r20], %r4;\n";
  const std::string own_half =
      "mad.lo.u32 %r21, %r4, 2, %r10;\nst.shared.u16 [%r21+1024], %h1;\n"
      "ld.shared.u16 %h2, [%r21+1024];\n";
  CHECK(races("mov.u16 %h1, 3;\n" + own_byte + own_half).none());
  CHECK(races(own_byte + "bar.sync 0;\nld.shared.u32 %r22, [%r11];\nst.global.u32 [%rd1], %r22;")
            .none());
  CHECK_FALSE(races(own_byte + "ld.shared.u32 %r22, [%r11];\nst.global.u32 [%rd1], %r22;").none());
  CHECK_FALSE(races(own_byte + "xor.b32 %r23, %r20, 1;\nld.shared.u8 %r22, [%r23];\n"
                               "st.global.u32 [%rd1], %r22;")
                  .none());
}

TEST_CASE("a vector access touches all its words") {
  const std::string wide =
      "mad.lo.u32 %r20, %r4, 16, %r10;\n"
      "st.shared.v4.u32 [%r20], {%r4, %r4, %r4, %r4};\n";
  CHECK(races(wide + "ld.shared.u32 %r21, [%r20+12];").none());
  CHECK_FALSE(races(wide + "xor.b32 %r22, %r4, 1;\nmad.lo.u32 %r23, %r22, 16, %r10;\n"
                           "ld.shared.u32 %r21, [%r23+12];")
                  .none());
}

TEST_CASE("atomics and volatile accesses do not race among themselves, but with ordinary ones") {
  const std::string add = "atom.shared.add.u32 %r20, [tile], 1;\n";
  const std::string add_silent = "red.shared.add.u32 [tile], 1;\n";
  CHECK(races(add + add_silent + "ld.volatile.shared.u32 %r21, [tile];").none());
  const Races mixed = races(add + ".loc 1 60 0\nld.shared.u32 %r21, [tile];");
  CHECK(mixed.at("test.cu:60"));
  CHECK(mixed.list[0].help.find("ordinary access") != std::string::npos);
  CHECK(races(add + "bar.sync 0;\nld.shared.u32 %r21, [tile];").none());
  CHECK_FALSE(races("@%p11 st.shared.u32 [tile], 1;\n" + add).none());
  // The volatile reduction of old, without __syncwarp.
  CHECK(races("st.volatile.shared.u32 [%r11], %r4;\nld.volatile.shared.u32 %r20, [%r12];", 32)
            .none());
}

TEST_CASE("parts of a warp meet in a __syncwarp of their own") {
  // Thread t reads what t ^ 1 wrote: the halves of 16 meet, then pairs only.
  const auto exchange = [](const std::string& mask, const std::string& other) {
    return "and.b32 %r20, %r4, 16;\nmov.u32 %r21, " + mask +
           ";\nst.shared.u32 [%r11], %r4;\nbar.warp.sync %r21;\nxor.b32 %r22, %r4, " + other +
           ";\nmad.lo.u32 %r23, %r22, 4, %r10;\nld.shared.u32 %r24, [%r23];\n"
           "bar.warp.sync %r21;\nst.shared.u32 [%r11], 1;";
  };
  const std::string halves = "65535;\nshl.b32 %r21, %r21, %r20";
  CHECK(races(exchange(halves, "1"), 32).none());
  CHECK(races(exchange(halves, "15"), 32).none());
  CHECK_FALSE(races(exchange(halves, "16"), 32).none());
}

TEST_CASE("named barriers order those who meet there") {
  // Warps 0 and 1 of four exchange through barrier 1; warps 2 and 3 through barrier 2.
  const auto exchange = [](const std::string& distance) {
    return "shr.u32 %r20, %r4, 6;\nadd.u32 %r20, %r20, 1;\nst.shared.u32 [%r11], %r4;\n"
           "bar.sync %r20, 64;\nxor.b32 %r21, %r4, " +
           distance + ";\nmad.lo.u32 %r22, %r21, 4, %r10;\nld.shared.u32 %r23, [%r22];";
  };
  CHECK(races(exchange("32"), 128).none());
  CHECK_FALSE(races(exchange("64"), 128).none());
}

TEST_CASE("who arrives without waiting is known to those who wait, not the other way round") {
  // Warp 0 produces and arrives; warp 1 waits and reads.
  const auto pass = [](const std::string& before, const std::string& after) {
    return "@!%p10 bra consumer;\n" + before + "bar.arrive 1, 64;\n" + after +
           "bra out;\nconsumer:\nbar.sync 1, 64;\n.loc 1 70 0\nld.shared.u32 %r20, [%r13];\n"
           "st.shared.u32 [%r11], 4;\nout:";
  };
  const std::string write = "st.shared.u32 [%r11], %r4;\n";
  CHECK(races(pass(write, "")).none());
  CHECK(races(pass("", write)).at("test.cu:70"));
  CHECK_FALSE(races(pass(write, "ld.shared.u32 %r21, [%r13];\n")).none());
}

TEST_CASE("an mbarrier orders what stands before arrivals and behind waits") {
  const auto pass = [](const std::string& wait) {
    return "mov.u32 %r30, tile+4000;\n@%p11 mbarrier.init.shared.b64 [%r30], 64;\nbar.sync 0;\n"
           "st.shared.u32 [%r11], %r4;\nmbarrier.arrive.shared.b64 %rd10, [%r30];\n" +
           wait + "ld.shared.u32 %r20, [%r13];";
  };
  CHECK(races(pass("wait:\nmbarrier.try_wait.shared.b64 %p1, [%r30], %rd10;\n@!%p1 bra wait;\n"))
            .none());
  CHECK_FALSE(races(pass("")).none());
}

TEST_CASE("a copy that nobody waited for is named, whoever touches its bytes") {
  const auto copy = [](const std::string& wait) {
    return "mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd5, %rd5, %rd6;\n.loc 1 80 0\n"
           "cp.async.ca.shared.global [%r11], [%rd5], 4;\n" +
           wait + ".loc 1 81 0\nld.shared.u32 %r20, [%r11];\nst.global.u32 [%rd1], %r20;";
  };
  const Races found = races(copy("cp.async.commit_group;\n"));
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].site.place == "test.cu:81");
  CHECK(found.list[0].others[0].place == "test.cu:80");
  CHECK(found.list[0].what.find("asynchronous copy") != std::string::npos);
  CHECK(found.list[0].help.find("wait_group") != std::string::npos);
  CHECK(races(copy("cp.async.commit_group;\ncp.async.wait_group 0;\n")).none());
  CHECK(races(copy("cp.async.commit_group;\ncp.async.wait_group 1;\n")).at("test.cu:81"));
  CHECK(races(copy("cp.async.wait_all;\n")).none());
}

TEST_CASE("a copied word is another thread's only behind a barrier") {
  const auto copy = [](const std::string& between) {
    return "mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd5, %rd5, %rd6;\n"
           "cp.async.ca.shared.global [%r11], [%rd5], 4;\ncp.async.wait_all;\n" +
           between + "ld.shared.u32 %r20, [%r13];\nst.global.u32 [%rd1], %r20;";
  };
  CHECK_FALSE(races(copy("")).none());
  CHECK(races(copy("bar.sync 0;\n")).none());
  // Nor may it go where others still read.
  CHECK_FALSE(races("ld.shared.u32 %r20, [%r13];\nmul.wide.u32 %rd6, %r4, 4;\n"
                    "add.s64 %rd5, %rd5, %rd6;\ncp.async.ca.shared.global [%r11], [%rd5], 4;\n"
                    "cp.async.wait_all;")
                  .none());
}

TEST_CASE("blocks that follow each other have shared memory of their own") {
  const std::string body = "st.shared.u32 [%r11], %r1;\nld.shared.u32 %r20, [%r11];";
  CHECK(races_of(on_tile(body), {8, 1, 1}, {64, 1, 1}).none());
  // A copy that the block before did not wait for.
  CHECK(races_of(on_tile("mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd5, %rd5, %rd6;\n"
                         "cp.async.ca.shared.global [%r11], [%rd5], 4;"),
                 {3, 1, 1}, {64, 1, 1})
            .none());
}

TEST_CASE("each pair of instructions is told once") {
  const Races found = races(
      "mov.u32 %r20, 0;\nloop:\nst.shared.u32 [%r11], %r20;\n"
      "ld.shared.u32 %r21, [%r13];\nadd.u32 %r20, %r20, 1;\n"
      "setp.lt.u32 %p1, %r20, 9;\n@%p1 bra loop;");
  CHECK(found.list.size() == 1);
}

TEST_CASE("many reads before a write are all remembered, with who read and where") {
  // Warp 1 is the last at the barrier and goes on first: it has read when thread 5 writes.
  const auto read_then_write = [](const std::string& rounds, const std::string& between) {
    return "st.shared.u32 [%r11], %r4;\nbar.sync 0;\nmov.u32 %r20, 0;\nloop:\n"
           ".loc 1 100 0\nld.shared.u32 %r21, [%r11];\nld.shared.u32 %r22, [%r13+512];\n"
           "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, " +
           rounds + ";\n@%p1 bra loop;\n" + between +
           "setp.eq.u32 %p2, %r4, 5;\n.loc 1 101 0\n@%p2 st.shared.u32 [tile+148], 9;";
  };
  for (const char* rounds : {"1", "3", "3000"}) {
    const Races found = races(read_then_write(rounds, ""));
    REQUIRE(found.list.size() == 1);
    CHECK(found.list[0].site.place == "test.cu:101");
    CHECK(found.list[0].site.thread.x == 5);
    CHECK(found.list[0].others[0].place == "test.cu:100");
    CHECK(found.list[0].others[0].thread.x == 37);
    CHECK(found.list[0].others[0].role == "read before by");
  }
  CHECK(races(read_then_write("3", "bar.sync 0;\n")).none());
  CHECK(races(read_then_write("3", "bar.warp.sync -1;\n")).at("test.cu:101"));
}

TEST_CASE("what one warp reads is compared with a write behind a barrier of others") {
  // Warps 1 and 2 pass a barrier alone; then thread 64 writes.
  const auto pass = [](const std::string& word) {
    return races(
        "st.shared.u32 [%r11], %r4;\nbar.sync 0;\nld.shared.u32 %r20, [%r11];\n"
        "@%p10 bra out;\nbar.sync 1, 64;\nsetp.eq.u32 %p2, %r4, 64;\n.loc 1 110 0\n"
        "@%p2 st.shared.u32 [tile+" +
            word + "], 1;\nout:\nbar.sync 0;",
        96);
  };
  CHECK(pass("128").none());
  CHECK(pass("0").at("test.cu:110"));
}

TEST_CASE("reads of other widths are compared with a write that overlaps them") {
  // Of thread 3, behind warp 1's reads.
  const auto read_then_write = [](const std::string& read, const std::string& write) {
    return races("st.shared.u32 [%r11], %r4;\nbar.sync 0;\n" + read +
                 "setp.eq.u32 %p2, %r4, 3;\n.loc 1 120 0\n@%p2 " + write);
  };
  const std::string bytes = "add.u32 %r20, %r10, %r4;\nld.shared.u8 %r21, [%r20];\n";
  const std::string pairs =
      "shl.b32 %r20, %r4, 3;\nadd.u32 %r20, %r20, %r10;\nld.shared.v2.u32 {%r21, %r22}, [%r20];\n";
  CHECK(read_then_write(bytes, "st.shared.u8 [tile+35], 1;").at("test.cu:120"));
  CHECK(read_then_write(bytes, "st.shared.u8 [tile+3], 1;").none());
  CHECK(read_then_write(bytes, "st.shared.u32 [tile+64], 1;").none());
  CHECK(read_then_write(pairs, "st.shared.u16 [tile+302], 1;").at("test.cu:120"));
  CHECK(read_then_write(pairs, "st.shared.u32 [tile+28], 1;").none());
}

TEST_CASE("writes elsewhere leave a read as it was: the write that meets it still races") {
  // Warp 0 reads two places; warp 1 writes where nobody reads, and then where warp 0 did.
  const auto written = [](const std::string& offset) {
    return races(
        "ld.shared.u32 %r20, [%r11];\nld.shared.u32 %r21, [%r11+1024];\n@%p10 bra out;\n"
        "st.shared.u32 [%r11+2048], %r20;\nst.shared.u32 [%r11+128], %r20;\n"
        ".loc 1 140 0\nst.shared.u32 [%r13" +
        offset + "], %r21;\nout:");
  };
  CHECK(written("").at("test.cu:140"));
  CHECK(written("+1024").at("test.cu:140"));
  CHECK(written("+512").none());
}

TEST_CASE("a read of what is being copied is found although a barrier came between") {
  const auto copy = [](const std::string& wait) {
    return races(
        "mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd5, %rd5, %rd6;\n"
        "st.shared.u32 [%r11+512], %r4;\n"
        "cp.async.ca.shared.global [%r11], [%rd5], 4;\ncp.async.commit_group;\n" +
        wait +
        "bar.sync 0;\nld.shared.u32 %r20, [%r11+512];\n.loc 1 130 0\n"
        "ld.shared.u32 %r21, [%r13];");
  };
  CHECK(copy("").at("test.cu:130"));
  CHECK(copy("cp.async.wait_group 0;\n").none());
}

}  // namespace ladder::emulator
