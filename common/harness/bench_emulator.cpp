// How fast the emulator is.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "common/harness/bench.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/solver_target.hpp"

namespace ladder {
namespace {

constexpr int rounds = 7;  // modes take turns in each

// Ticks of the time stamp counter in a second, against the steady clock; 0 where there is none.
double counter_frequency() {
#if defined(__x86_64__)
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto first = __rdtsc();
  double seconds = 0;
  while (seconds < 0.02) seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(__rdtsc() - first) / seconds;
#else
  return 0;
#endif
}

double counter(const protocol::Reply& reply, std::string_view name) {
  for (std::uint32_t i = 0;
       i < std::min<std::uint32_t>(reply.counter_count, protocol::max_counters); ++i) {
    if (name == reply.counters[i].name) return reply.counters[i].value;
  }
  return 0;
}

// A worker that calls the solver again and again with the same inputs.
class EmulatorCalls {
 public:
  EmulatorCalls(const Problem& problem, const EmulatorWork& work, const Inputs& inputs,
                const std::filesystem::path& object, const WorkerOptions& options)
      : work_(work), run_(problem, object, options) {
    const Outcome& started = run_.start();
    if (started.verdict != Verdict::solved)
      throw MachineError(work.id + " cannot be measured\n" + started.message);
    exchange_.emplace(problem, work.at, inputs, run_.guard_bytes());
  }
  // Keeps the least seconds so far; true to what was executed.
  double call(emulator::Watch watch, double& seconds) {
    const CallResult result = run_.call(*exchange_, {.what = watch});
    if (result.outcome.verdict != Verdict::solved)
      throw MachineError(work_.id + " fails at " + work_.at.text() + "\n" + result.outcome.message);
    const protocol::Reply& reply = *result.answer.reply;
    if (seconds == 0 || reply.kernel_seconds < seconds) seconds = reply.kernel_seconds;
    return counter(reply, "instructions.warp");
  }

 private:
  const EmulatorWork& work_;
  SolverRun run_;
  std::optional<Exchange> exchange_;
};

}  // namespace

EmulatorSpeed measure_emulator(const Tree& tree, const Toolkit& toolkit, const EmulatorWork& work,
                               const JudgeOptions& options) {
  const Problem* problem = problems().find(work.problem);
  if (problem == nullptr)
    throw UsageError("there is no problem '" + work.problem + "'; did you mean '" +
                     problems().nearest(work.problem) + "'?");
  const SolverHeader header = read_solver_header(work.file);
  const std::filesystem::path object =
      build_solver(tree, toolkit, request_for(work.file, *problem, header, options)).object;
  Case tried;
  tried.parameters = work.at;
  tried.seed = options.seed;
  const Inputs inputs = make_inputs(*problem, tried);
  WorkerOptions worker = worker_options(tree, toolkit, Backend::emulator, options);
  worker.emulator_threads = 1;
  EmulatorCalls one_core(*problem, work, inputs, object, worker);
  worker.emulator_threads = emulator_cores;
  EmulatorCalls cores(*problem, work, inputs, object, worker);
  EmulatorSpeed speed;
  speed.id = work.id;
  speed.at = work.at;
  speed.least_rate = work.least_rate;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t mode = 0; mode < std::size(emulator_modes); ++mode) {
      speed.warp_instructions = one_core.call(emulator_modes[mode].watch, speed.seconds[mode]);
    }
    cores.call(0, speed.seconds_on_cores);
  }
  speed.cycles_per_second = counter_frequency();
  return speed;
}

}  // namespace ladder
