// Runs this folder's CUDA programs under the emulator and looks at what comes out.
#include "common/emulator/programs/program_runs.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "common/emulator/control.hpp"

namespace ladder::emulator {

namespace fs = std::filesystem;

TEST_CASE("an ordinary program prints what it prints on a GPU") {
  check_succeeds("saxpy", "saxpy: n = 100003, largest error 0\n");
}

TEST_CASE("a program runs however its PTX is compressed") {
  if (fs::exists(program("saxpy_lz4"))) {  // of toolkit 13
    check_succeeds("saxpy_lz4", "saxpy: n = 100003, largest error 0\n");
  }
}

TEST_CASE("streams, events and graphs behave in order") {
  check_succeeds("streams", "streams: all as expected\n");
}

TEST_CASE("a program built for per-thread default streams runs") {
  check_succeeds("per_thread_stream", "streams: all as expected\n");
}

TEST_CASE("constants and device variables are copied, and names belong to their file") {
  check_succeeds("symbols", "symbols: all as expected\n");
}

TEST_CASE("device code that was compiled in pieces is linked") {
  check_succeeds("linked", "here: 5\nthere: 7\nlinked: all as expected\n");
}

TEST_CASE("pitched copies and fills keep to their rows") {
  check_succeeds("copies", "copies: all as expected\n");
}

TEST_CASE("managed, pinned and registered memory is shared with kernels") {
  check_succeeds("host_memory", "host memory: all as expected\n");
}

TEST_CASE("errors of calls are reported once and forgotten") {
  check_succeeds("errors", "errors: all as expected\n");
}

TEST_CASE("device printf is shown at the next synchronisation") {
  const Outcome outcome = run("kernels");
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.substr(0, 9) == "launched\n");
  CHECK(has(outcome.out, "block 1 thread 0\n"));
  CHECK(has(outcome.out, "kernels: all as expected\n"));
}

TEST_CASE("kernels print as the host prints, with every conversion") {
  for (const char* device : {"t4", "rtx5090"}) {
    ProgramOptions options;
    options.device = device;
    const Outcome outcome = run("printing", "", options);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    const std::string& out = outcome.out;
    const std::size_t rule = out.find("----\n");
    REQUIRE(rule != std::string::npos);
    // The host's lines, the same from the device, then a line with infinities.
    const std::string lines = out.substr(0, rule);
    const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
    CHECK(lines.substr(last) == "[inf] [-inf] [NAN]\n");
    CHECK(last > 1000);
    CHECK(lines.substr(0, last / 2) == lines.substr(last / 2, last / 2));
    CHECK(has(out, "----\ntext|\n1 2 3\n(null)\n0x1234\nunfinished %\n1.500000 -3 65000 1\n"));
    for (const char* line : {"thread 3 of block 0\n", "thread 27 of block 1\n"})
      CHECK(has(out, line));
    CHECK_FALSE(has(out, "thread 4 of"));
    CHECK(has(out, "printing: all as expected\n"));
  }
}

TEST_CASE("graphs of every kind of node are built, changed, updated and launched") {
  check_succeeds("graphs", "graphs: all as expected\n");
}

TEST_CASE("kernels tell their attributes and are launched in every way; pools allocate") {
  check_succeeds("launches", "launches: all as expected\n");
}

TEST_CASE("a library of kernels is loaded, unloaded and loaded again") {
  const Outcome outcome = run("plugin_host", "'" + program("plugin.so").string() + "'");
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "plugin: all as expected\n");
  CHECK(has(outcome.report, "\"leaks\": []"));
}

TEST_CASE("several host threads launch at the same time, each with its own last error") {
  check_succeeds("threads", "threads: all as expected\n");
}

TEST_CASE("kernels wait for the host and for each other while they run") {
  check_succeeds("waiting", "waiting: all as expected\n");
}

TEST_CASE(
    "kernels wait for the host and for each other also under each observer, and are in order") {
  for (const char* observers :
       {"memcheck,racecheck", "memcheck,initcheck", "memcheck,synccheck", "memcheck,counters",
        "memcheck,trace", "memcheck,racecheck,initcheck,synccheck,counters,trace"}) {
    ProgramOptions options;
    options.observers = observers;
    const Outcome outcome = run("waiting", "", options);
    CAPTURE(observers);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == "waiting: all as expected\n");
    CHECK(outcome.err == "");
  }
}

TEST_CASE("the device has an H200's properties, or those of the device asked for") {
  check_succeeds("device_query", "NVIDIA H200 (emulated): sm_90, 132 multiprocessors\n");
  ProgramOptions options;
  options.device = "T4";
  CHECK(run("device_query", "", options).out == "Tesla T4 (emulated): sm_75, 40 multiprocessors\n");
  options.device = "voodoo";
  const Outcome outcome = run("saxpy", "", options);
  CHECK(outcome.exit_code == 1);
  CHECK(has(outcome.err, "no device 'voodoo'"));
}

TEST_CASE("a kernel's fault arrives at the next synchronisation and stays") {
  const struct {
    const char* which;
    const char* error;
  } faults[] = {{"illegal", "cudaErrorIllegalAddress\n"},
                {"misaligned", "cudaErrorMisalignedAddress\n"},
                {"assert", "cudaErrorAssert\n"},
                {"trap", "cudaErrorLaunchFailure\n"}};
  for (const auto& fault : faults) {
    const Outcome outcome = run("faults", fault.which);
    CAPTURE(fault.which);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(has(outcome.out, fault.error));
    CHECK(has(outcome.err, "ladder emulator: "));
    CHECK(has(outcome.err, "faults.cu:"));
    CHECK(has(outcome.report, "\"leaks\": []"));
    CHECK_FALSE(has(outcome.report, "\"faults\": []"));
  }
}

TEST_CASE("a kernel that never ends is stopped at the time limit") {
  ProgramOptions options;
  options.time_limit_s = 0.2;
  const Outcome outcome = run("faults", "forever", options);
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "cudaErrorLaunchTimeout\n");
  CHECK(has(outcome.err, "faults.cu:"));
}

TEST_CASE("a quiet run keeps faults for the report") {
  ProgramOptions options;
  options.quiet = true;
  const Outcome outcome = run("faults", "illegal", options);
  CHECK(outcome.err == "");
  CHECK(has(outcome.report, "faults.cu:"));
}

TEST_CASE("a program that ignores its kernel's fault does not end well, if so wanted") {
  ProgramOptions options;
  options.fault_exit = 4;
  const Outcome illegal = run("faults", "illegal", options);
  CHECK(illegal.exit_code == 4);
  CHECK(has(illegal.out, "cudaErrorIllegalAddress\n"));         // nothing printed is lost
  CHECK(run("faults", "double_free", options).exit_code == 0);  // the caller saw the error
  CHECK(run("saxpy", "", options).exit_code == 0);
}

TEST_CASE("bad addresses in calls are explained") {
  for (const char* which : {"double_free", "copy"}) {
    const Outcome outcome = run("faults", which);
    CAPTURE(which);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(has(outcome.err, "ladder emulator: "));
  }
}

TEST_CASE("host code that uses a device pointer is named and dies of SIGSEGV") {
  const Outcome read = run("faults", "host_read"), write = run("faults", "host_write");
  CHECK(read.signal == SIGSEGV);
  CHECK(has(read.err, "host code reads from a device pointer"));
  CHECK(has(read.err, "it is byte 12 of the 400 bytes"));
  CHECK(has(read.err, "use cudaMemcpy"));
  CHECK(write.signal == SIGSEGV);
  CHECK(has(write.err, "host code writes to a device pointer"));
}

TEST_CASE("a copy from host memory that does not exist is named") {
  const Outcome outcome = run("faults", "bad_host");
  CHECK(outcome.signal == SIGSEGV);
  CHECK(has(outcome.err, "byte 0 of the 400 bytes at 0x10"));
}

TEST_CASE("a chosen call fails, and the report tells calls and leaks") {
  const Outcome whole = run("saxpy");
  CHECK(has(whole.report, "\"cudaMalloc\": 2"));
  CHECK(has(whole.report, "\"cudaLaunchKernel\": 1"));
  CHECK(has(whole.report, "\"launches\": 1"));
  // 100003 floats are 12501 sectors of 32 bytes.
  CHECK(has(whole.report, "\"global.store.sectors\": 12501,"));
  CHECK(has(whole.report, "\"global.load.sectors\": 25002,"));
  CHECK(has(whole.report, "\"leaks\": []"));
  CHECK(has(run("faults", "leak").report, "\"leaks\": [{\"what\": \"cudaMalloc\", \"bytes\": 400"));

  for (const char* call : {"cudaMalloc:2", "cudaMemcpy:3", "cudaLaunchKernel:1", "cudaFree:1"}) {
    ProgramOptions options;
    options.fail = call;
    const Outcome outcome = run("saxpy", "", options);
    CAPTURE(call);
    CHECK(outcome.exit_code == 1);
    CHECK(has(outcome.err, "fails, as asked"));
  }
}

TEST_CASE("a process that uses no CUDA writes no report over that of one that does") {
  CHECK(run("/bin/true").report == "");
}

TEST_CASE("a program without PTX is named as such") {
  const Outcome outcome = run("saxpy_machine_code");
  CHECK(outcome.exit_code == 1);
  CHECK(has(outcome.err, "machine code (sm_75) but no PTX"));
  CHECK(has(outcome.out, "cudaErrorNoKernelImageForDevice"));
}

TEST_CASE("the library in a process of ours: control, allocations, functions it does not have") {
  setenv("LADDER_EMULATOR_QUIET", "1", 1);
  void* library = dlopen(variable("LADDER_CUDART").c_str(), RTLD_NOW | RTLD_LOCAL);
  unsetenv("LADDER_EMULATOR_QUIET");
  REQUIRE(library != nullptr);
  const auto function = [&](const char* name) {
    void* found = dlsym(library, name);
    REQUIRE_MESSAGE(found != nullptr, name);
    return found;
  };
  const auto entry = reinterpret_cast<LadderEmulatorEntry>(function("ladderEmulator"));
  const auto allocate = reinterpret_cast<int (*)(void**, std::size_t)>(function("cudaMalloc"));
  const auto release = reinterpret_cast<int (*)(void*)>(function("cudaFree"));
  const auto texture = reinterpret_cast<int (*)()>(function("cudaCreateTextureObject"));
  const auto last_error = reinterpret_cast<int (*)()>(function("cudaGetLastError"));
  const LadderEmulator* emulator = entry();
  REQUIRE(emulator->version == LADDER_EMULATOR_VERSION);

  void* memory = nullptr;
  REQUIRE(allocate(&memory, 100) == 0);
  std::uint64_t bytes = 0;
  emulator->allocations([](std::uint64_t, std::uint64_t size,
                           void* sum) { *static_cast<std::uint64_t*>(sum) += size; },
                        &bytes);
  CHECK(bytes == 100);
  CHECK(emulator->fault() == nullptr);
  CHECK(release(memory) == 0);
  CHECK(release(memory) == 1);  // cudaErrorInvalidValue
  CHECK(has(emulator->fault(), "freed before"));
  emulator->reset();
  CHECK(emulator->fault() == nullptr);
  CHECK(last_error() == 0);

  CHECK(texture() == 801);  // cudaErrorNotSupported
  CHECK(last_error() == 801);
  std::vector<std::string> names;
  emulator->counters(
      [](const char* name, double, void* list) {
        static_cast<std::vector<std::string>*>(list)->push_back(name);
      },
      &names);
  for (const char* name :
       {"launches", "instructions.warp", "global.load.sectors.ideal", "shared.wavefronts"})
    CHECK(std::count(names.begin(), names.end(), name) == 1);
}

TEST_CASE("what cannot run under the emulator is said before it is run") {
  CHECK(inspect_program(program("saxpy")).kind == ProgramKind::cuda_shared);
  CHECK(inspect_program(program("saxpy")).cudart.substr(0, 13) == "libcudart.so.");
  CHECK(inspect_program(program("saxpy_static")).kind == ProgramKind::cuda_static);
  CHECK(has(inspect_program(program("saxpy_static")).message, "-cudart shared"));
  CHECK(inspect_program(variable("LADDER_CUDART")).kind == ProgramKind::shared_library);
  CHECK(inspect_program("/bin/sh").kind == ProgramKind::not_cuda);
  CHECK(inspect_program(variable("LADDER_PROGRAMS")).kind == ProgramKind::directory);
  CHECK(inspect_program(program("no_such_program")).kind == ProgramKind::missing);
  CHECK(inspect_program("/dev/null").kind == ProgramKind::not_executable);
}

TEST_CASE("damaged executables are told apart, never believed") {
  const std::string whole = contents(program("saxpy"));
  const fs::path path = program("damaged");
  for (std::size_t bytes = 0; bytes < 4096; bytes += 61) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, bytes);
    CHECK_FALSE(inspect_program(path).runs());
  }
  std::string garbled = whole;
  for (std::size_t i = 16; i < garbled.size(); i += 7) garbled[i] = static_cast<char>(i * 37);
  std::ofstream(path, std::ios::binary) << garbled;
  CHECK_FALSE(inspect_program(path).runs());
  fs::remove(path);
}

}  // namespace ladder::emulator
