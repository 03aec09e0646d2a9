// Each bug of planted_bugs.cu is found, by the observer for it and at its line.
#include <doctest/doctest.h>

#include <csignal>
#include <sstream>

#include "common/emulator/programs/program_runs.hpp"

namespace ladder::emulator {

namespace {

struct Planted {
  const char* bug;
  bool at_line;           // the kernel's line is named; the host's calls have none
  const char* observers;  // those that are on
  std::vector<const char*> words;
};

const Planted planted[] = {
    {"neighbour",
     true,
     "memcheck",
     {"out of bounds: write of 4 bytes", "right after the 2048-byte"}},
    {"far_neighbour", true, "memcheck", {"out of bounds: read of 4 bytes", "1024 bytes after the"}},
    {"shared_end",
     true,
     "memcheck",
     {"out of bounds: read of 4 bytes in shared memory",
      "right after the 512-byte __shared__ variable 'tile' (index 128", "'weights'",
      "thread (127,0,0)"}},
    {"unwritten_shared",
     true,
     "initcheck",
     {"uninitialized: read of 4 bytes in shared memory", "508 bytes into", "'tile'"}},
    {"unwritten_global", true, "initcheck", {"uninitialized", "the 512-byte allocation"}},
    {"uncleared_counter", true, "initcheck", {"uninitialized", "cudaMalloc does not clear"}},
    {"lost_tail",
     false,
     "initcheck",
     {"uninitialized: cudaMemcpy copies 12 bytes to the host", "bytes 500 to 511 of the 512"}},
    {"missing_wait",
     true,
     "initcheck",
     {"an asynchronous copy has not reached yet", "'tile'", "wait for the copy"}},
    {"missing_wait", true, "racecheck", {"an asynchronous copy is still filling", "'tile'"}},
    {"missing_barrier", true, "racecheck", {"race: ", "'tile'", "__syncthreads()"}},
    {"lock_step", true, "racecheck", {"race: ", "'tile'", "__syncwarp()"}},
    {"shared_result", true, "racecheck", {"race: ", "global memory", "blocks run in any order"}},
    {"branch_shuffle", true, "synccheck", {"absent lanes", "lanes 16 to 31 of warp 0 went past"}},
    {"absent_lane",
     true,
     "synccheck",
     {"a shuffle reads from a lane that is not there", "has returned from the kernel"}},
    {"wrong_mask", true, "synccheck", {"its own mask does not name", "0x0000ffff of lane 16"}},
    {"branch_barrier",
     true,
     "synccheck",
     {"divergent barrier", "thread (0,0,0)", "went on without it: block (0,0,0), thread (64,0,0)"}},
    {"uneven_loop", true, "synccheck", {"divergent barrier"}},
    {"endless_wait",
     true,
     "memcheck",
     {"deadlock", "32 threads of warp 0", "for a number of threads that do not come",
      "96 threads of 3 warps", "for all threads of the block"}},
    {"spin_lock",
     true,
     "memcheck",
     {"deadlock: threads wait in a loop", "1 thread of warp 0", "for lanes 1 to 31",
      "spinning: 31 threads of warp 0", "into the 512-byte allocation"}},
    {"lost_lock",
     true,
     "memcheck",
     {"deadlock: threads wait in a loop", "spinning: 128 threads of 4 warps",
      "__shared__ variable 'lock'"}},
    {"host_pointer", true, "memcheck", {"host pointer in a kernel"}},
    {"after_free", true, "memcheck", {"use after free", "which was freed"}},
    {"host_reads", false, "memcheck", {"host code reads from a device pointer"}},
    {"double_free", false, "memcheck", {"freed before"}},
    {"interior_free", false, "memcheck", {"16 bytes inside"}},
    {"too_many_threads", false, "memcheck", {"bounded", "2048 threads", "at most 1024"}},
    {"launch_bounds", false, "memcheck", {"bounded", "128 threads", "at most 64"}},
    {"large_shared", false, "memcheck", {"large_shared", "65536 bytes", "49152"}},
    {"wrong_arch", false, "memcheck", {"compute_80", "sm_75"}},
    {"leak", false, "memcheck", {"leak", "2048 bytes in 1 allocation"}},
};

// "planted_bugs.cu:17", where the comment "planted: NAME" stands.
std::string line_of(const std::string& bug) {
  std::istringstream source(contents(variable("LADDER_PLANTED_BUGS")));
  const std::string mark = "// planted: " + bug;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with(mark)) return "planted_bugs.cu:" + std::to_string(number);
  }
  FAIL("no line has the comment " << mark);
  return "";
}

}  // namespace

TEST_CASE("every planted bug is found at its line") {
  for (const Planted& bug : planted) {
    ProgramOptions options;
    options.observers = bug.observers;
    if (std::string(bug.bug) == "wrong_arch") options.device = "t4";
    const Outcome outcome = run("planted_bugs", bug.bug, options);
    CAPTURE(bug.bug);
    CAPTURE(outcome.err);
    CHECK((outcome.exit_code == 0 || outcome.signal == SIGSEGV));
    if (bug.at_line) CHECK(has(outcome.err, line_of(bug.bug)));
    for (const char* words : bug.words) {
      CAPTURE(words);
      CHECK(has(outcome.err, words));
    }
  }
}

TEST_CASE("a program without mistakes is silent under the observers") {
  for (const char* name : {"saxpy", "streams", "symbols", "copies", "kernels", "algorithms",
                           "groups", "pipelines", "matrices", "histogram", "n_body"}) {
    ProgramOptions options;
    options.observers = "memcheck,racecheck,initcheck,synccheck";
    const Outcome outcome = run(name, "", options);
    CAPTURE(name);
    CHECK(outcome.exit_code == 0);
    CAPTURE(outcome.err);
    CHECK_FALSE(has(outcome.err, "found by"));
  }
}

}  // namespace ladder::emulator
