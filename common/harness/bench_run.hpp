// Timing of several solvers of one problem at one size, interleaved in one worker on the GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/worker_process.hpp"

namespace ladder {

struct BenchSubject {
  std::string id;
  std::filesystem::path file;
  SolverHeader header;
};

// The median of samples (us) with its 95 % interval from order statistics: no assumption about
// their distribution. Zeroes for no samples.
Timing timing_of(std::vector<double> samples_us);
// Half the interval's width, relative to the median.
double uncertainty(const Timing& timing);

// A solver's time over a ceiling's; the interval is the widest that theirs allow.
Ceiling measured_by(const Timing& solver, const std::string& ceiling_name, const Timing& ceiling);

// A worker on the GPU with the kernels of ceilings.cu loaded.
class BenchMachine {
 public:
  // Builds ceilings.cu for the GPU. Throws MachineError when there is no usable GPU.
  BenchMachine(const Tree& tree, const Toolkit& toolkit, const JudgeOptions& options);

  const protocol::Device& device() const { return device_; }
  int architecture() const { return device_.major * 10 + device_.minor; }
  std::unique_ptr<WorkerProcess> start() const;

 private:
  WorkerOptions options_;
  std::filesystem::path ceilings_;
  protocol::Device device_{};
};

// One timed measurement of the GPU itself, in us; `flops` of Measure::ffma.
double measure_once(WorkerProcess& worker, protocol::Measure what, std::uint64_t bytes,
                    double* flops = nullptr);

struct TimedSubject {
  std::string id;
  std::filesystem::path object;
  Verdict verdict = Verdict::solved;
  std::string message;  // when it could not be timed, or its answers were wrong
  Timing timing;
  std::string bound;  // that of its header, as in Case::bound
};
struct TimedSize {
  std::vector<TimedSubject> subjects;
  Timing copy;  // of Cost::bytes: the better of cudaMemcpy and our kernel
};
struct BenchLimits {
  int fewest_rounds = 15, most_rounds = 300;
  double most_seconds = 15;  // of the rounds of one size
};
// Check, time, check again; rounds of one sample each until the 95 % interval of every median is
// under 0.3 % or a limit is reached.
TimedSize time_size(const BenchMachine& machine, const Problem& problem,
                    std::vector<TimedSubject> subjects, const Parameters& at,
                    const JudgeOptions& options, const BenchLimits& limits = {});

// Builds and times; a subject that fails has its verdict and no timing.
std::vector<TimedSubject> time_subjects(const Tree& tree, const Toolkit& toolkit,
                                        const Problem& problem,
                                        const std::vector<BenchSubject>& subjects,
                                        const Parameters& at, const JudgeOptions& options);

// Sizes whose arrays and copies fit the memory; a size that does not is halved until it does.
Parameters shrunk_to_fit(const Problem& problem, Parameters at, std::uint64_t free_bytes);

}  // namespace ladder
