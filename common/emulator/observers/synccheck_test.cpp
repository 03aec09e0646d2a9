// Threads that miss each other are found, at their lines, also where the kernel ends well.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

namespace {

// What synccheck finds in one launch of a kernel without parameters.
std::vector<Finding> findings(const std::string& body, Dim3 block, Dim3 grid = {1, 1, 1}) {
  Options options;
  options.watch = watch_memcheck | watch_synccheck;
  TestKernel k(kernel_text(0, body, ".shared .align 4 .b8 tile[4096];\n"), options);
  CHECK(k.fault(grid, block, {}) == "");
  std::vector<Finding> found = k.device.take_findings();
  for (const Finding& finding : found) CHECK(finding.kind == FaultKind::divergent_sync);
  return found;
}

void check_silent(const std::string& body, Dim3 block, Dim3 grid = {1, 1, 1}) {
  for (const Finding& finding : findings(body, block, grid)) FAIL_CHECK(finding.text());
}

// The only one.
std::string text(const std::string& body, Dim3 block, Dim3 grid = {1, 1, 1}) {
  const std::vector<Finding> found = findings(body, block, grid);
  REQUIRE(found.size() == 1);
  return found[0].text();
}

bool says(const std::string& whole, const std::string& part) {
  const bool found = whole.find(part) != std::string::npos;
  if (!found) MESSAGE("not in the text: " << part << "\n" << whole);
  return found;
}

// %p1: the thread's number is below `limit`; %r1: it; %r2: the address of its word in `tile`.
std::string below(int limit) {
  return "mov.u32 %r1, %tid.x;\nshl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\nadd.u32 %r2, %r3, %r4;\n"
         "setp.lt.u32 %p1, %r1, " +
         std::to_string(limit) + ";\n";
}

const std::string store = "st.shared.u32 [%r2], %r1;\n";

}  // namespace

TEST_CASE("a barrier in a branch is found although the others have returned") {
  const std::string found = text(below(32) +
                                     "@!%p1 bra join;\n.loc 1 12 0\nbar.sync 0;\njoin:\n"
                                     ".loc 1 14 0\n" +
                                     store,
                                 {64, 1, 1});
  CHECK(says(found, "divergent barrier"));
  CHECK(says(found, "test.cu:12: bar.sync 0"));
  CHECK(says(found, "block (0,0,0), thread (0,0,0)"));
  CHECK(says(found, "went on without it: block (0,0,0), thread (32,0,0)"));
}

TEST_CASE("a barrier that a part of a warp leaves out is found") {
  CHECK(says(
      text(below(7) + "@!%p1 bra join;\n.loc 1 12 0\nbar.sync 0;\njoin:\n" + store, {32, 1, 1}),
      "test.cu:12"));
}

TEST_CASE("two barriers that stand for each other are found") {
  const std::string body = below(32) +
                           "@!%p1 bra other;\n.loc 1 12 0\nbar.sync 0;\nbra join;\n"
                           "other:\n.loc 1 14 0\nbar.sync 0;\njoin:\n" +
                           store;
  const std::string blocks = text(body, {96, 1, 1});
  CHECK(says(blocks, "threads of the block wait at different __syncthreads()"));
  CHECK(says(blocks, "test.cu:12"));
  CHECK(says(blocks, "at the same time waiting: block (0,0,0), thread (32,0,0), at test.cu:14"));
}

TEST_CASE("lanes of one warp at different barriers are called so") {
  CHECK(says(text(below(16) +
                      "@!%p1 bra other;\n.loc 1 12 0\nbar.sync 0;\nbra join;\n"
                      "other:\n.loc 1 14 0\nbar.sync 0;\njoin:\n" +
                      store,
                  {32, 1, 1}),
             "lanes of one warp wait at different"));
}

TEST_CASE("a loop with a barrier that some threads leave earlier is found") {
  // Thread t goes round 1 + t / 32 times.
  CHECK(says(text(below(0) +
                      "shr.u32 %r5, %r1, 5;\nagain:\n.loc 1 12 0\nbar.sync 0;\n"
                      "setp.eq.u32 %p2, %r5, 0;\nsub.u32 %r5, %r5, 1;\n@!%p2 bra again;\n" +
                      store,
                  {64, 1, 1}),
             "test.cu:12"));
}

TEST_CASE("threads that return before a barrier are allowed, as on hardware") {
  check_silent(below(40) + "@!%p1 bra end;\n" + store + "bar.sync 0;\n" + store + "end:",
               {64, 1, 1});
}

TEST_CASE("a loop in step, a barrier with a count and roles of warps are silent") {
  check_silent(below(0) +
                   "mov.u32 %r5, 3;\nagain:\nbar.sync 0;\nsub.u32 %r5, %r5, 1;\n"
                   "setp.ne.u32 %p2, %r5, 0;\n@%p2 bra again;\n" +
                   store,
               {64, 1, 1});
  // The first warp arrives, the second waits, at lines of their own.
  check_silent(below(32) + "@!%p1 bra other;\n.loc 1 12 0\n" + store +
                   "bar.arrive 1, 64;\nbra join;\nother:\n.loc 1 14 0\nbar.sync 1, 64;\njoin:\n"
                   "bar.sync 0;\n" +
                   store,
               {64, 1, 1});
}

TEST_CASE("a barrier that the compiler copied is one place") {
  check_silent(below(32) +
                   "@!%p1 bra other;\n.loc 1 12 0\nbar.sync 0;\nbra join;\n"
                   "other:\n.loc 1 12 0\nbar.sync 0;\njoin:\n" +
                   store,
               {96, 1, 1});
}

TEST_CASE("a shuffle in a branch whose mask names the whole warp is found") {
  const std::string found = text(
      below(16) + "@!%p1 bra join;\n.loc 1 12 0\nshfl.sync.down.b32 %r1, %r1, 8, 31, -1;\njoin:\n" +
          store,
      {32, 1, 1});
  CHECK(says(found, "test.cu:12"));
  CHECK(says(found, "lanes 16 to 31 of warp 0 went past it"));
}

TEST_CASE("a shuffle that reads a lane that has returned, or never was, is found") {
  const std::string shuffle = "shfl.sync.down.b32 %r1, %r1, 16, 31, -1;\n" + store + "end:";
  const std::string returned =
      text(below(20) + "@!%p1 bra end;\n.loc 1 12 0\n" + shuffle, {32, 1, 1});
  CHECK(says(returned, "lane 4 reads from lane 20, which has returned from the kernel"));
  CHECK(says(text(below(20) + ".loc 1 12 0\n" + shuffle, {52, 1, 1}),
             "does not exist in a block of 52 threads"));
}

TEST_CASE("a shuffle within its mask is silent, and so are last steps whose values nobody uses") {
  check_silent(
      below(16) + "@!%p1 bra join;\nshfl.sync.down.b32 %r5, %r1, 8, 31, 65535;\njoin:\n" + store,
      {32, 1, 1});
}

TEST_CASE("a shuffle by which every lane reads outside of the mask is found") {
  CHECK(
      says(text(below(16) +
                    "@!%p1 bra join;\nshfl.sync.down.b32 %r5, %r1, 16, 31, 65535;\njoin:\n" + store,
                {32, 1, 1}),
           "lane 0 reads from lane 16, which mask 0x0000ffff does not name"));
}

TEST_CASE("a lane outside of its own mask, and masks that differ, are found") {
  CHECK(says(text(below(16) + "vote.sync.ballot.b32 %r5, %p1, 65535;\n" + store, {32, 1, 1}),
             "mask 0x0000ffff of lane 16"));
  CHECK(
      says(text(below(16) + "selp.b32 %r5, -1, -65536, %p1;\nvote.sync.ballot.b32 %r6, %p1, %r5;\n",
                {32, 1, 1}),
           "lanes with different masks"));
}

TEST_CASE("halves of a warp that vote side by side are silent") {
  check_silent(
      below(16) + "selp.b32 %r5, 65535, -65536, %p1;\nvote.sync.ballot.b32 %r6, %p1, %r5;\n",
      {32, 1, 1});
}

TEST_CASE("a vote that counts lanes which have returned is silent: their votes are no") {
  check_silent(below(20) + "@!%p1 bra end;\nvote.sync.ballot.b32 %r5, %p1, -1;\n" + store + "end:",
               {32, 1, 1});
}

TEST_CASE("each block starts anew, and a mistake is told once") {
  CHECK(
      findings(below(32) + "@!%p1 bra join;\nbar.sync 0;\njoin:\n" + store, {64, 1, 1}, {50, 1, 1})
          .size() == 1);
}

}  // namespace ladder::emulator
