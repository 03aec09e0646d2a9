// How fast the emulator is.
#include <algorithm>
#include <chrono>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "common/harness/bench.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"

namespace ladder {
namespace {

constexpr int calls = 9;

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

}  // namespace

EmulatorSpeed measure_emulator(const Tree& tree, const Toolkit& toolkit, const EmulatorWork& work,
                               const JudgeOptions& options) {
  const Problem* problem = problems().find(work.problem);
  if (problem == nullptr)
    throw UsageError("there is no problem '" + work.problem + "'; did you mean '" +
                     problems().nearest(work.problem) + "'?");
  const SolverHeader header = read_solver_header(work.file);
  BuildRequest request;
  request.source = work.file;
  request.problem = problem;
  request.virtual_architecture = header.needs.architecture;
  request.links = header.links;
  const std::filesystem::path object = build_solver(tree, toolkit, request).object;
  WorkerOptions worker = worker_options(tree, toolkit, Backend::emulator, options);
  worker.emulator_threads = 1;
  SolverRun run(*problem, object, worker);
  const Outcome& started = run.start();
  if (started.verdict != Verdict::solved)
    throw MachineError(work.id + " cannot be measured\n" + started.message);
  Case tried;
  tried.parameters = work.at;
  tried.seed = options.seed;
  const Exchange exchange(*problem, work.at, make_inputs(*problem, tried), run.guard_bytes());
  EmulatorSpeed speed;
  speed.id = work.id;
  speed.at = work.at;
  for (int i = 0; i < calls; ++i) {
    const CallResult result = run.call(exchange);
    if (result.outcome.verdict != Verdict::solved)
      throw MachineError(work.id + " fails at " + work.at.text() + "\n" + result.outcome.message);
    const protocol::Reply& reply = *result.answer.reply;
    speed.warp_instructions = counter(reply, "instructions.warp");
    if (i == 0 || reply.kernel_seconds < speed.seconds) speed.seconds = reply.kernel_seconds;
  }
  if (speed.seconds <= 0 || speed.warp_instructions <= 0) return speed;
  speed.millions_per_s = speed.warp_instructions / speed.seconds * 1e-6;
  speed.cycles_per_second = counter_frequency();
  speed.cycles_each = speed.cycles_per_second * speed.seconds / speed.warp_instructions;
  return speed;
}

}  // namespace ladder
