#include "common/emulator/runtime/journal.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/emulator/runtime/device_table.hpp"

using ladder::emulator::Counters;
using ladder::emulator::Device;
using ladder::emulator::device_named;
using ladder::emulator::Journal;
using ladder::emulator::Trace;
using ladder::emulator::TracedAccess;
using ladder::emulator::TracedLaunch;

namespace {

// An environment variable for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("only the chosen call of the chosen function fails") {
  const Variable quiet("LADDER_EMULATOR_QUIET", "1");
  const Variable fail("LADDER_EMULATOR_FAIL", "cudaMalloc:2");
  Journal journal;
  CHECK_FALSE(journal.count_call("cudaMalloc"));
  CHECK_FALSE(journal.count_call("cudaFree"));
  CHECK_FALSE(journal.count_call("cudaFree"));
  CHECK(journal.count_call("cudaMalloc"));
  CHECK_FALSE(journal.count_call("cudaMalloc"));
}

TEST_CASE("a failure without a number is the first call, and a bad number is none") {
  const Variable quiet("LADDER_EMULATOR_QUIET", "1");
  {
    const Variable fail("LADDER_EMULATOR_FAIL", "cudaFree");
    CHECK(Journal().count_call("cudaFree"));
  }
  const Variable fail("LADDER_EMULATOR_FAIL", "cudaFree:first");
  Journal journal;
  for (int i = 0; i < 3; ++i) CHECK_FALSE(journal.count_call("cudaFree"));
}

TEST_CASE("the report is JSON whatever a fault's text holds") {
  const std::string file =
      std::filesystem::temp_directory_path() / ("ladder_report_" + std::to_string(getpid()));
  const Variable quiet("LADDER_EMULATOR_QUIET", "1");
  const Variable report("LADDER_EMULATOR_REPORT", file);
  Journal journal;
  journal.count_call("cudaMalloc");
  journal.record_fault("line \"1\"\nC:\\x\t!");
  Counters counters;
  counters.launches = 3;
  counters.shared_load_wavefronts = 5;
  counters.shared_store_wavefronts = 7;
  journal.write_report(counters, {{0x1000, 64, "cudaMalloc"}}, {});
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  const auto has = [&](const char* part) { return text.str().find(part) != std::string::npos; };
  CHECK(has(R"("calls": {"cudaMalloc": 1})"));
  CHECK(has(R"("faults": ["line \"1\"\nC:\\x\u0009!"])"));
  CHECK(has(R"("leaks": [{"what": "cudaMalloc", "bytes": 64, "address": 4096}])"));
  CHECK(has(R"("launches": 3,)"));
  CHECK(has(R"("shared.wavefronts": 12)"));
}

TEST_CASE("a trace is written as JSON, with null for lanes that took no part") {
  const std::string file =
      std::filesystem::temp_directory_path() / ("ladder_trace_" + std::to_string(getpid()));
  const Variable variable("LADDER_EMULATOR_TRACE", file);
  Trace trace;
  trace.cut = true;
  TracedLaunch launch;
  launch.kernel = "k(float*)";
  launch.memories = {{"shared", "tile", 64, 128}};
  launch.instructions = {{"/home/k.cu", 7, "ld.shared.f32 %f1, [%r1]"}};
  TracedAccess access;
  access.number = 3;
  access.warp = 2;
  access.bytes = 4;
  access.mask = 0b101;
  access.offset[0] = 8;
  access.offset[2] = -4;
  launch.accesses = {access};
  trace.launches = {launch};
  Journal().write_trace(trace);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  const auto has = [&](const char* part) { return text.str().find(part) != std::string::npos; };
  CHECK(
      has(R"({"schema": "kernel-ladder-trace/1", "first_block": 0, "blocks": 1, "limit": 4096, )"));
  CHECK(has(R"("cut": true)"));
  CHECK(has(R"([{"space": "shared", "name": "tile", "begin": 64, "bytes": 128}])"));
  CHECK(has(R"([{"file": "/home/k.cu", "line": 7, "text": "ld.shared.f32 %f1, [%r1]"}])"));
  CHECK(
      has(R"({"number": 3, "instruction": 0, "memory": 0, "kind": "read", "block": [1, 1, 1], )"));
  CHECK(has(R"("warp": 2, "bytes": 4, "offsets": [8, null, -4, null,)"));
}

TEST_CASE("devices are found by name in any case, and unknown ones list what there is") {
  CHECK(device_named("T4").major == 7);
  CHECK(device_named("h200").multiprocessors == 132);
  CHECK_THROWS_WITH_AS(device_named("gtx"), doctest::Contains("h200, h100, a100, b200"),
                       std::invalid_argument);
}
