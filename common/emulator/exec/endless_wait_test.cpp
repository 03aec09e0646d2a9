// Threads that wait in loops: those who wait for ever are told of, all others are let alone.
#include "common/emulator/exec/endless_wait.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

namespace {

// A kernel whose launch nobody outside can influence, or only `helper`, which runs beside it.
struct Waiting {
  explicit Waiting(const std::string& body, int threads = 2)
      : k(kernel_text(2, std::string(own_word) + "ld.param.u64 %rd5, [p1];\n" + body,
                      ".shared .align 4 .b8 lock[4];\n"),
          with(threads)) {
    words = k.words(std::vector<std::uint32_t>(64), "words");
    flag = k.words({0, 0}, "flag");
  }
  static Options with(int threads) {
    Options options;
    options.threads = threads;
    return options;
  }
  std::string fault(Dim3 grid, Dim3 block, const std::function<bool()>& nobody_else = nullptr) {
    const std::vector<std::uint64_t> arguments = {words, flag};
    Launch launch;
    launch.function = k.device.function(k.module, "k");
    launch.grid = grid;
    launch.block = block;
    launch.parameters = std::as_bytes(std::span(arguments));
    launch.nobody_else = [&](int) { return !nobody_else || nobody_else(); };
    try {
      k.device.launch(launch);
    } catch (const Fault& fault) {
      CHECK(fault.kind() == FaultKind::deadlock);
      return fault.what();
    }
    return "";
  }
  TestKernel k;
  DeviceAddress words, flag;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string take_lock =
    "TAKE:\n.loc 1 11 0\natom.global.cas.b32 %r5, [%rd5], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n"
    "@%p1 bra TAKE;\n";
const std::string give_back = "atom.global.exch.b32 %r6, [%rd5], 0;\n";
const std::string wait_for_flag =
    "WAIT:\n.loc 1 21 0\nld.volatile.global.u32 %r5, [%rd5];\nsetp.eq.u32 %p1, %r5, 0;\n"
    "@%p1 bra WAIT;\n";

// The flag is set when it has been asked for the third time whether the wait can end.
std::string fault_until_asked(Waiting& waiting, Dim3 block) {
  int asked = 0;
  return waiting.fault({1, 1, 1}, block, [&] {
    if (++asked == 3) waiting.k.device.set(waiting.flag, 1, 1);
    return true;
  });
}

}  // namespace

TEST_CASE("a lock whose holder waits for the lanes that want it is told with who is where") {
  Waiting waiting(take_lock + ".loc 1 12 0\nbar.warp.sync -1;\n" + give_back);
  const std::string text = waiting.fault({1, 1, 1}, {32, 1, 1});
  CAPTURE(text);
  CHECK(says(text, "deadlock: threads wait in a loop"));
  CHECK(says(text, "at test.cu:11: atom.global.cas.b32"));
  CHECK(says(text, "spinning: 31 threads of warp 0 from thread (1,0,0) at test.cu:11"));
  CHECK(says(text, "0 bytes into the 8-byte allocation 'flag'"));
  CHECK(says(text, "waiting: 1 thread of warp 0 from thread (0,0,0) at test.cu:12"));
}

TEST_CASE("a lock that is given back passes, within a warp and between blocks") {
  const std::string add =
      "ld.volatile.global.u32 %r7, [%rd0];\nadd.u32 %r7, %r7, 1;\n"
      "st.volatile.global.u32 [%rd0], %r7;\nmembar.gl;\n";
  Waiting waiting("mov.u32 %r8, 0;\nAGAIN:\n" + take_lock + add + give_back +
                  "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p2, %r8, 200;\n@%p2 bra AGAIN;\n");
  CHECK(waiting.fault({4, 1, 1}, {32, 1, 1}) == "");
  CHECK(waiting.k.read(waiting.words, 1)[0] == 4 * 32 * 200);
}

TEST_CASE("a lock in shared memory that nobody gives back is told, with its name") {
  Waiting waiting(
      "mov.u32 %r9, lock;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra START;\n"
      "mov.u32 %r6, 0;\nst.shared.u32 [%r9], %r6;\nSTART:\nbar.sync 0;\nTAKE:\n"
      ".loc 1 11 0\natom.shared.cas.b32 %r5, [%r9], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n"
      "@%p1 bra TAKE;\nst.global.u32 [%rd1], %r4;\n");
  const std::string text = waiting.fault({1, 1, 1}, {64, 1, 1});
  CAPTURE(text);
  CHECK(says(text, "at test.cu:11: atom.shared.cas.b32"));
  CHECK(says(text, "'lock'"));
}

TEST_CASE("a flag that nobody is left to set is told, however many blocks wait for it") {
  for (const int threads : {1, 2}) {
    Waiting waiting(wait_for_flag, threads);
    const std::string text = waiting.fault({8, 1, 1}, {64, 1, 1});
    CAPTURE(text);
    CHECK(says(text, "at test.cu:21: ld.volatile.global.u32"));
    CHECK(says(text, "spinning: 64 threads of 2 warps"));
  }
}

TEST_CASE("a wait with longer and longer pauses comes round as well") {
  Waiting waiting(
      "mov.u32 %r9, 8;\nWAIT:\nld.acquire.gpu.global.u32 %r5, [%rd5];\nnanosleep.u32 %r9;\n"
      "shl.b32 %r9, %r9, 1;\nmin.u32 %r9, %r9, 256;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\n");
  CHECK(says(waiting.fault({1, 1, 1}, {32, 1, 1}), "deadlock"));
}

TEST_CASE("a wait that counts its rounds is no fault: it may have a last one") {
  Waiting waiting(
      "mov.u32 %r9, 0;\nWAIT:\nld.volatile.global.u32 %r5, [%rd5];\nadd.u32 %r9, %r9, 1;\n"
      "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nst.global.u32 [%rd1], %r9;\n");
  CHECK(fault_until_asked(waiting, {32, 1, 1}) == "");
  CHECK(waiting.k.read(waiting.words, 1)[0] > 64);
}

TEST_CASE("a wait that looks at a clock is no fault: it may be for a time") {
  for (const std::string clock : {"%globaltimer", "%clock64"}) {
    CAPTURE(clock);
    // Its register is cleared each round: what it was is forgotten.
    Waiting waiting("WAIT:\nld.volatile.global.u32 %r5, [%rd5];\nmov.u64 %rd7, " + clock +
                    ";\nsetp.eq.u64 %p2, %rd7, 0;\nmov.u64 %rd7, 0;\n@%p2 bra END;\n"
                    "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nEND:\n");
    CHECK(fault_until_asked(waiting, {32, 1, 1}) == "");
  }
}

TEST_CASE("a wait for a block that computes for long is no fault") {
  for (const int threads : {1, 2}) {
    // Block 0 waits; block 1 counts first.
    Waiting waiting("setp.ne.u32 %p2, %r2, 0;\n@%p2 bra COUNT;\n" + wait_for_flag +
                        "st.global.u32 [%rd1], %r5;\nbra END;\nCOUNT:\nmov.u32 %r9, 0;\nMORE:\n"
                        "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, 30000000;\n@%p3 bra MORE;\n"
                        "st.volatile.global.u32 [%rd5], %r9;\nEND:\n",
                    threads);
    CHECK(waiting.fault({2, 1, 1}, {1, 1, 1}) == "");
    CHECK(waiting.k.read(waiting.words, 1)[0] == 30000000);
  }
}

TEST_CASE("a block that meets at a barrier after each look at a flag waits like any other") {
  // Thread 0 looks; all go on when it has seen the flag.
  Waiting waiting(
      "mov.u32 %r9, lock;\nLOOK:\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra MEET;\n"
      "ld.volatile.global.u32 %r5, [%rd5];\nst.shared.u32 [%r9], %r5;\nMEET:\nbar.sync 0;\n"
      "ld.shared.u32 %r6, [%r9];\nbar.sync 0;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra LOOK;\n"
      "st.global.u32 [%rd1], %r6;\n");
  const std::vector<std::uint64_t> arguments = {waiting.words, waiting.flag};
  Launch launch;
  launch.function = waiting.k.device.function(waiting.k.module, "k");
  launch.block = {64, 1, 1};
  launch.parameters = std::as_bytes(std::span(arguments));
  bool stalled = false;
  launch.when_stalled = [&] {
    stalled = true;
    waiting.k.device.set(waiting.flag, 1, 1);
  };
  waiting.k.device.launch(launch);
  CHECK(stalled);
  CHECK(waiting.k.read(waiting.words, 64)[63] == 1);
}

TEST_CASE("a wait is no fault while there is somebody who could end it") {
  Waiting waiting(wait_for_flag);
  std::atomic<bool> there = true;
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    waiting.k.device.set(waiting.flag, 1, 4);
    there = false;
  });
  CHECK(waiting.fault({2, 1, 1}, {32, 1, 1}, [&] { return !there; }) == "");
  helper.join();
}

TEST_CASE("a wait for the host's memory is no fault") {
  alignas(64) std::uint32_t host[16] = {};
  Waiting waiting(wait_for_flag);
  waiting.k.device.map_host(host, sizeof host, "mapped");
  waiting.flag = reinterpret_cast<DeviceAddress>(host);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    __atomic_store_n(host, 1, __ATOMIC_RELEASE);
  });
  CHECK(waiting.fault({2, 1, 1}, {32, 1, 1}) == "");
  helper.join();
  waiting.k.device.unmap_host(host);
}

}  // namespace ladder::emulator
