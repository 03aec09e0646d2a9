// Times solvers on a GPU: cold L2, fresh random inputs, library ceilings interleaved in the same
// process, medians with a 95 % interval; checked before and after. Emulated seconds are never
// performance: without a GPU the counters and the roofline bound computed from them are given.
#pragma once

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "common/harness/judge.hpp"

namespace ladder {

struct Timing {
  double median_us = 0;
  double low_us = 0, high_us = 0;  // 95 % interval of the median
  int samples = 0;
};

// What a solver's time is compared with: a library, a copy of as many bytes, or the arithmetic.
struct Ceiling {
  std::string name;  // "cublasSgeam", "copy", "ffma"
  Timing timing;     // at the same size, interleaved
  double ratio = 0;  // its time / the solver's: above 1 the solver is faster
  double ratio_low = 0, ratio_high = 0;
};

struct BenchEntry {
  std::string id;
  Parameters at;
  Verdict verdict = Verdict::solved;
  std::string message;
  Timing timing;
  // The first is what the solver is measured by: the fastest library there is, else the machine.
  std::vector<Ceiling> ceilings;
  double gigabytes_per_s = 0, gigaflops = 0;
};

struct DeviceFacts {
  std::string name, driver, toolkit, compute_capability, commit, date;
  std::size_t memory_bytes = 0;
  double copy_gb_s = 0, read_gb_s = 0, ffma_tflops = 0, launch_us = 0, launch_idle_us = 0;
  std::string clocks;  // SM/memory clocks and throttle reasons, as nvidia-smi tells
};

// The commit of the source tree ("-dirty" behind it when files differ); $LADDER_COMMIT for a copy
// without its history; "" when neither is known. And this second, as ISO 8601 in UTC.
std::string commit_of(const Tree& tree);
std::string date_now();

struct BenchReport {
  DeviceFacts device;
  std::vector<BenchEntry> entries;
  std::vector<std::string> notes;  // "sizes shrunk to fit 4 GB"
};

// What to time: one of the course's solvers, or anybody's file.
struct BenchTarget {
  std::string id;  // the file as it was named, if it is not the course's
  std::filesystem::path file;
  const Problem* problem = nullptr;
  bool ceiling = false;
};
// Throws UsageError for a problem that does not exist, and for a whole program.
BenchTarget bench_target(const CatalogEntry& entry);

// The library ceilings of the targets' problems are timed with them.
BenchReport bench_solvers(const Tree& tree, const Toolkit& toolkit,
                          const std::vector<BenchTarget>& targets, const JudgeOptions& options);

// What the emulator's speed is measured with: from nothing on top of executing to all observers.
struct EmulatorMode {
  const char* name;
  emulator::Watch watch;
  double most_ratio;  // of the time without any; 0: no bar
};
inline constexpr EmulatorMode emulator_modes[] = {
    {"off", 0, 0},
    {"memcheck", emulator::watch_memcheck, 1.15},
    {"counters", emulator::watch_memcheck | emulator::watch_counters, 1.5},
    {"all",
     emulator::watch_memcheck | emulator::watch_counters | emulator::watch_racecheck |
         emulator::watch_initcheck | emulator::watch_synccheck,
     2.5},
};
// Host cores beyond one that are tried, with observers off, and what they shall gain.
inline constexpr int emulator_cores = 2;
inline constexpr double least_speedup = 1.8;

// How fast the emulator executes a solver's kernels.
struct EmulatorSpeed {
  std::string id;
  Parameters at;
  double warp_instructions = 0;  // PTX, as executed, of one call
  double least_rate = 0;         // M/s, on one core with observers off: the bar; 0: none
  double cycles_per_second = 0;  // of the time stamp counter; 0 where there is none
  // Host seconds spent in kernels, the least of several calls: in each mode on one core, and with
  // observers off on `emulator_cores`.
  double seconds[std::size(emulator_modes)] = {};
  double seconds_on_cores = 0;

  double ratio(std::size_t mode) const { return seconds[mode] / seconds[0]; }
  double speedup() const { return seconds[0] / seconds_on_cores; }
  double millions_per_s() const { return warp_instructions / seconds[0] * 1e-6; }
  double cycles_each() const { return cycles_per_second * seconds[0] / warp_instructions; }
};
struct EmulatorWork {
  std::string id;
  std::filesystem::path file;
  std::string problem;
  Parameters at;
  double least_rate = 0;  // M/s; 0: no bar
};
// Throws UsageError for an unknown problem, MachineError when the solver fails there.
EmulatorSpeed measure_emulator(const Tree& tree, const Toolkit& toolkit, const EmulatorWork& work,
                               const JudgeOptions& options);

// The same solver on the same inputs on the emulator and on a GPU, bit by bit.
struct Parity {
  struct Output {
    std::string argument;
    std::int64_t elements = 0, differing = 0;  // in at least one bit
    double largest_ulp = 0;                    // distance in units of the last place; NaN is far
    std::int64_t first = -1;                   // differing element
    double emulator = 0, gpu = 0;              // its values
  };
  Verdict verdict = Verdict::solved;  // skipped: no GPU; wrong: bits differ; or how a run failed
  std::string message;
  std::vector<Output> outputs;
};
Parity compare_backends(const Tree& tree, const Toolkit& toolkit, const std::filesystem::path& file,
                        const Problem& problem, const Parameters& at, std::uint64_t seed,
                        const JudgeOptions& options);

}  // namespace ladder
