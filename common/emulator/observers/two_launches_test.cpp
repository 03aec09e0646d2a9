// Two kernels that run at the same time, each watched for itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <future>
#include <string>
#include <thread>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

namespace {

// The waiting kernel executes `before`, waits for p1 to become 1 and executes `behind`; the setting
// one executes `setting` and sets p1. %rd1 is the thread's word of p0, %rd6 its word of p3.
std::string waiting_and_setting(const std::string& before, const std::string& behind,
                                const std::string& setting) {
  const std::string text = std::string(own_word) +
                           "ld.param.u64 %rd3, [p1];\nld.param.u64 %rd4, [p2];\n"
                           "ld.param.u64 %rd5, [p3];\nadd.s64 %rd6, %rd5, %rd2;\n"
                           "setp.ne.u64 %p1, %rd4, 0;\n@%p1 bra SETS;\n" +
                           before +
                           "WAIT:\n.loc 1 50 0\nld.acquire.sys.global.u32 %r5, [%rd3];\n"
                           "setp.ne.u32 %p2, %r5, 1;\n@%p2 bra WAIT;\n" +
                           behind + "bra END;\nSETS:\n" + setting +
                           ".loc 1 60 0\nmov.u32 %r6, 1;\nst.release.sys.global.u32 [%rd3], %r6;\n"
                           "END:\n";
  return kernel_text(4, text, ".shared .align 4 .b8 tile[512];\n");
}

// All threads of a block write their own word of `tile` and read their neighbour's.
std::string race_at(int line) {
  return ".loc 1 " + std::to_string(line) +
         " 0\nmov.u32 %r7, tile;\nshl.b32 %r8, %r4, 2;\nadd.u32 %r7, %r7, %r8;\n"
         "st.shared.u32 [%r7], %r4;\nxor.b32 %r7, %r7, 128;\nld.shared.u32 %r9, [%r7];\n"
         "st.global.u32 [%rd1], %r9;\nbar.sync 0;\n";
}

struct Pair {
  Pair(const std::string& text, Watch watch) : k(text, with(watch)) {
    flag = k.words({0}, "flag");
    first = k.words(std::vector<std::uint32_t>(128), "first");
    second = k.words(std::vector<std::uint32_t>(128), "second");
  }
  static Options with(Watch watch) {
    Options options;
    options.watch = watch | watch_memcheck;
    return options;
  }
  Launch launch_of(const std::vector<std::uint64_t>& arguments) const {
    Launch launch;
    launch.function = k.device.function(k.module, "k");
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.parameters = std::as_bytes(std::span(arguments));
    return launch;
  }
  // The second launch begins and ends while the first one waits for it.
  void run(DeviceAddress first_reads, DeviceAddress second_reads) {
    std::promise<void> stalls;
    std::thread waiting([&] {
      const std::vector<std::uint64_t> arguments = {first, flag, 0, first_reads};
      Launch launch = launch_of(arguments);
      launch.when_stalled = [&] { stalls.set_value(); };
      k.device.launch(launch);
    });
    stalls.get_future().wait();
    const std::vector<std::uint64_t> arguments = {second, flag, 1, second_reads};
    k.device.launch(launch_of(arguments));
    found = k.device.take_findings();
    waiting.join();
    const std::vector<Finding> later = k.device.take_findings();
    found.insert(found.end(), later.begin(), later.end());
  }
  std::ptrdiff_t found_at(int line) const {
    return std::count_if(found.begin(), found.end(), [&](const Finding& finding) {
      return finding.site.place == "test.cu:" + std::to_string(line);
    });
  }

  TestKernel k;
  DeviceAddress flag, first, second;
  std::vector<Finding> found;
};

}  // namespace

TEST_CASE("races of two kernels that run at once are found, each one once") {
  Pair pair(waiting_and_setting(race_at(11), race_at(12), race_at(21)), watch_racecheck);
  pair.run(pair.first, pair.second);
  CHECK(pair.found_at(11) == 1);
  CHECK(pair.found_at(12) == 1);
  CHECK(pair.found_at(21) == 1);
  CHECK(pair.found.size() == 3);
}

TEST_CASE("a kernel that waits for another and is in order has no race") {
  const std::string in_order = "st.global.u32 [%rd1], %r4;\nld.global.u32 %r9, [%rd1];\n";
  Pair pair(waiting_and_setting(in_order, in_order, in_order), watch_racecheck);
  pair.run(pair.first, pair.second);
  CHECK(pair.found.empty());
}

TEST_CASE("memory that is freed while kernels run is new to those behind them") {
  const std::string write = "st.global.u32 [%rd1], %r4;\n";
  Pair pair(waiting_and_setting(write, write, write), watch_racecheck);
  pair.run(pair.first, pair.second);
  pair.k.device.free(pair.second);
  pair.second = pair.k.words(std::vector<std::uint32_t>(128), "second");
  pair.k.device.set(pair.flag, 0, 4);
  pair.run(pair.first, pair.second);
  CHECK(pair.found.empty());
}

TEST_CASE("reads of unwritten memory are found in both of two kernels that run at once") {
  const auto read_at = [](int line) {
    return ".loc 1 " + std::to_string(line) +
           " 0\nld.global.u32 %r9, [%rd6];\nst.global.u32 [%rd1], %r9;\n";
  };
  Pair pair(waiting_and_setting("", read_at(12), read_at(21)), watch_initcheck);
  pair.run(pair.k.device.allocate(512), pair.k.device.allocate(512));
  CHECK(pair.found_at(12) == 1);
  CHECK(pair.found_at(21) == 1);
  CHECK(pair.found.size() == 2);
}

TEST_CASE("what another kernel writes while one waits counts as written") {
  // Every thread writes all words: whichever sets the flag first, nothing is missing by then.
  const std::string all_words =
      "mov.u32 %r7, 0;\nALL:\nmul.wide.u32 %rd7, %r7, 4;\nadd.s64 %rd7, %rd5, %rd7;\n"
      "st.global.u32 [%rd7], %r4;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 128;\n"
      "@%p3 bra ALL;\n";
  Pair pair(waiting_and_setting("", "ld.global.u32 %r9, [%rd6];\nst.global.u32 [%rd1], %r9;\n",
                                all_words),
            watch_initcheck);
  const DeviceAddress made = pair.k.device.allocate(512);
  pair.run(made, made);
  CHECK(pair.found.empty());
}

TEST_CASE("memory that is allocated while a kernel runs is looked at, whatever lies beside it") {
  // One load reads p0, then, once p1 is set, where the pointer behind it leads to.
  TestKernel k(
      kernel_text(2, std::string(own_word) + "ld.param.u64 %rd3, [p1];\nmov.u32 %r6, 0;\nREAD:\n"
                                             ".loc 1 11 0\nld.global.u32 %r9, [%rd0];\n"
                                             "add.u32 %r6, %r6, 1;\nst.global.u32 [%rd3+16], %r9;\n"
                                             "setp.eq.u32 %p1, %r6, 2;\n@%p1 bra END;\nWAIT:\n"
                                             "ld.acquire.sys.global.u32 %r5, [%rd3];\n"
                                             "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\n"
                                             "ld.global.u64 %rd0, [%rd3+8];\nbra READ;\nEND:\n"),
      Pair::with(watch_initcheck));
  const DeviceAddress words = k.words(std::vector<std::uint32_t>(1024));
  const DeviceAddress unwritten = k.device.allocate(4096);  // so that reads are watched at all
  const DeviceAddress flag = k.words(std::vector<std::uint32_t>(1024));
  std::promise<void> stalls;
  std::thread waiting([&] {
    const std::vector<std::uint64_t> arguments = {words, flag};
    Launch launch;
    launch.function = k.device.function(k.module, "k");
    launch.grid = launch.block = {1, 1, 1};
    launch.parameters = std::as_bytes(std::span(arguments));
    launch.when_stalled = [&] { stalls.set_value(); };
    k.device.launch(launch);
  });
  stalls.get_future().wait();
  const DeviceAddress later = k.device.allocate(4096);
  k.device.copy_in(flag + 8, &later, sizeof later);
  k.device.set(flag, 1, 4);
  waiting.join();
  const std::vector<Finding> found = k.device.take_findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].site.place == "test.cu:11");
  k.device.free(unwritten);
}

TEST_CASE("divergent barriers are found in both of two kernels that run at once") {
  // The first warp waits at one barrier, the second at another.
  const auto barriers_at = [](int line) {
    const std::string number = std::to_string(line);
    return ".loc 1 " + number + " 0\nsetp.lt.u32 %p3, %r4, 32;\n@%p3 bra FIRST" + number +
           ";\nbar.sync 0;\nbra BEHIND" + number + ";\nFIRST" + number + ":\n.loc 1 1" + number +
           " 0\nbar.sync 0;\nBEHIND" + number + ":\n";
  };
  Pair pair(waiting_and_setting(barriers_at(11), barriers_at(12), barriers_at(21)),
            watch_synccheck);
  pair.run(pair.first, pair.second);
  for (const int line : {11, 12, 21}) {
    CAPTURE(line);
    // At the barrier that a warp of the block came to first, which may differ between the blocks.
    CHECK(pair.found_at(line) + pair.found_at(100 + line) >= 1);
    CHECK(pair.found_at(line) <= 1);
    CHECK(pair.found_at(100 + line) <= 1);
  }
}

TEST_CASE("two kernels that run at once have a trace each") {
  Pair pair(waiting_and_setting("st.global.u32 [%rd6], %r4;\n", "st.global.u32 [%rd1], %r4;\n",
                                "st.global.u32 [%rd1], %r4;\n"),
            watch_trace);
  pair.k.device.options().trace.accesses = 1'000'000'000;
  pair.run(pair.first, pair.second);
  const Trace trace = pair.k.device.trace();
  CHECK_FALSE(trace.cut);
  REQUIRE(trace.launches.size() == 2);
  CHECK(trace.accesses == trace.launches[0].accesses.size() + trace.launches[1].accesses.size());
  // Once the flag is set, either may end first.
  const auto begins_in = [](const TracedLaunch& launch) {
    REQUIRE_FALSE(launch.accesses.empty());
    return launch.memories[launch.accesses[0].memory].name;
  };
  const bool in_order = begins_in(trace.launches[0]) == "second";
  const TracedLaunch& setting = trace.launches[in_order ? 0 : 1];
  CHECK(setting.accesses.size() == 4);  // two of each warp of block 0
  CHECK(begins_in(setting) == "second");
  const TracedLaunch& waiting = trace.launches[in_order ? 1 : 0];
  REQUIRE(waiting.accesses.size() > 4);
  CHECK(begins_in(waiting) == "first");
  for (std::size_t i = 0; i < waiting.accesses.size(); ++i) {
    REQUIRE(waiting.accesses[i].number == i);
    REQUIRE(waiting.accesses[i].memory < waiting.memories.size());
  }
}

TEST_CASE("two kernels that run at once are counted each for itself") {
  Pair pair(waiting_and_setting("", "st.global.u32 [%rd1], %r4;\n",
                                "st.global.u32 [%rd1], %r4;\nst.global.u32 [%rd6], %r4;\n"),
            watch_counters);
  pair.run(pair.first, pair.second);
  const std::vector<LaunchRecord>& records = pair.k.device.launch_records();
  REQUIRE(records.size() == 2);
  // Once the flag is set, either may end first.
  std::array<std::uint64_t, 2> stores = {records[0].counters.global_store_requests,
                                         records[1].counters.global_store_requests};
  std::sort(stores.begin(), stores.end());
  CHECK(stores == std::array<std::uint64_t, 2>{4, 4 * 3});
}

TEST_CASE("threads that launch at once under all observers find what one alone finds") {
  constexpr Watch all =
      watch_racecheck | watch_initcheck | watch_synccheck | watch_counters | watch_trace;
  Pair pair(waiting_and_setting("", "", race_at(21)), all);
  pair.k.device.options().trace.accesses = 1000;
  constexpr int rounds = 20;
  const auto launch = [&](DeviceAddress to) {
    const std::vector<std::uint64_t> arguments = {to, pair.flag, 1, to};
    for (int round = 0; round < rounds; ++round) pair.k.device.launch(pair.launch_of(arguments));
  };
  std::thread other([&] { launch(pair.first); });
  launch(pair.second);
  other.join();
  // The neighbour's word is read too early: it may be unwritten as well.
  pair.found = pair.k.device.take_findings();
  std::erase_if(pair.found, [](const Finding& one) { return one.kind != FaultKind::race; });
  CHECK(pair.found_at(21) == 1);
  CHECK(pair.k.device.launch_records().size() == 2 * rounds);
  const Trace trace = pair.k.device.trace();
  REQUIRE(trace.launches.size() == 2 * rounds);
  for (const TracedLaunch& one : trace.launches) REQUIRE(one.accesses.size() == 2 * 4);
}

}  // namespace ladder::emulator
