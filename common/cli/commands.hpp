// The commands of `ladder`: what each was asked (filled by arguments.cpp) and the function that
// does it (one file each). Every command returns its exit code or throws Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/emulator/watch.hpp"

namespace ladder::cli {

// Options of every command that runs a solver.
struct Running {
  std::string on = "auto";  // auto, gpu, emulator
  int gpu = 0;
  std::string cudart;              // "": the toolkit's or the emulator's
  std::vector<std::string> cases;  // "N=257"
  std::optional<int> architecture;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> order_seed;
  std::string observers;  // "memcheck,racecheck"; "": ours
  double time_limit_s = 20;
  bool json = false;
};

struct RunRequest : Running {
  std::vector<std::string> ids;
  bool exercises = false;
};
int run(const RunRequest& request);

struct ListRequest {
  std::vector<std::string> ids;
  bool problems = false, mutants = false, json = false;
};
int list(const ListRequest& request);

struct CheckRequest : Running {
  std::vector<std::string> targets;  // ids, or files when a problem is given
  std::string problem;
  bool exercises = false, keep_going = false, exact_arrays = false;
};
int check(const CheckRequest& request);

struct BenchRequest : Running {
  std::vector<std::string> targets;  // ids, or files when a problem is given
  std::string problem;
  bool emulator = false;  // measure the emulator itself
};
int bench(const BenchRequest& request);

struct ProfileRequest : Running {
  std::vector<std::string> targets;  // ids, or files
  std::string problem;
  std::string at;      // "N=4096"; "": the size at which goals are counted
  bool lines = false;  // of source files all, not only the hottest
  std::string trace;   // a file for who touched which address; "": none
  std::string trace_blocks = "0";
  std::uint64_t trace_limit = emulator::TraceLimits().accesses;
};
int profile(const ProfileRequest& request);

struct EmulateRequest {
  std::string program;  // an executable, or a .cu with a main
  std::vector<std::string> arguments;
  std::string cudart;
  std::optional<int> architecture;
  int threads = 0;          // host cores; 0: all
  double time_limit_s = 0;  // of one kernel; 0: none
  std::string device;       // "t4", "a100"; "": an H200
  std::string observers;    // "memcheck,racecheck"; "": memcheck
  std::uint64_t order_seed = 0;
};
int emulate(const EmulateRequest& request);

int hint(const std::string& id);
int reset(const std::string& id);
int diff(const std::string& id);
int next(const Running& request);
int doctor();

struct DocsRequest {
  bool open = false, serve = false, no_solutions = false;
  int port = 8000;
};
int docs(const DocsRequest& request);

struct DevCheckRequest {
  std::vector<std::string> chapters;  // empty: all
  bool quick = false;                 // nothing is compiled or run
};
int dev_check(const DevCheckRequest& request);
int dev_stubs();
struct TranslationsRequest {
  bool missing = false;  // print what is missing, ready to be translated
};
int dev_translations(const TranslationsRequest& request);
int dev_editor();
int dev_parity(const Running& request);

struct FuzzRequest {
  int programs = 1000, jobs = 2;
  std::uint64_t seed = 1;
  std::string on = "emulator";  // or gpu
  std::string record, against;  // files with a GPU's outputs
  std::string save;             // folder for what is found
  bool parser = false;
  double minutes = 1;
  std::string seeds;  // folder with PTX to damage
};
int dev_fuzz(const FuzzRequest& request);
int dev_golden();

struct TestRequest {
  std::vector<std::string> names;  // Meson test names; empty: all
};
int test(const TestRequest& request);

}  // namespace ladder::cli
