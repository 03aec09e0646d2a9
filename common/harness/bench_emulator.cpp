// How fast the emulator is, and whether it computes the bits that a GPU computes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "common/harness/bench.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"

namespace ladder {
namespace {

constexpr int calls = 5;

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

std::string built_object(const Tree& tree, const Toolkit& toolkit,
                         const std::filesystem::path& file, const Problem& problem,
                         const SolverHeader& header, std::optional<int> sass) {
  BuildRequest request;
  request.source = file;
  request.problem = &problem;
  request.virtual_architecture = header.needs.architecture;
  request.links = header.links;
  request.sass = sass;
  return build_solver(tree, toolkit, request).object;
}

double counter(const protocol::Reply& reply, std::string_view name) {
  for (std::uint32_t i = 0;
       i < std::min<std::uint32_t>(reply.counter_count, protocol::max_counters); ++i) {
    if (name == reply.counters[i].name) return reply.counters[i].value;
  }
  return 0;
}

// The place of a float among all floats, so that a difference counts units of the last place.
double ordinal(const Buffer& buffer, std::int64_t element) {
  const std::size_t size = size_of(buffer.type());
  std::int64_t bits = 0;
  std::memcpy(&bits, buffer.bytes().data() + static_cast<std::size_t>(element) * size, size);
  const std::int64_t sign = std::int64_t{1} << (8 * size - 1);
  if (buffer.type() == ElementType::i32) return buffer.value(element);
  return static_cast<double>((bits & sign) != 0 ? sign - bits : bits);
}

Parity::Output compare_bits(const std::string& name, const Buffer& emulator, const Buffer& gpu) {
  Parity::Output output;
  output.argument = name;
  output.elements = emulator.size();
  const std::size_t size = size_of(emulator.type());
  for (std::int64_t i = 0; i < emulator.size(); ++i) {
    const auto offset = static_cast<std::size_t>(i) * size;
    if (std::memcmp(emulator.bytes().data() + offset, gpu.bytes().data() + offset, size) == 0)
      continue;
    ++output.differing;
    output.largest_ulp =
        std::max(output.largest_ulp, std::abs(ordinal(emulator, i) - ordinal(gpu, i)));
    if (output.first >= 0) continue;
    output.first = i;
    output.emulator = emulator.value(i);
    output.gpu = gpu.value(i);
  }
  return output;
}

}  // namespace

EmulatorSpeed measure_emulator(const Tree& tree, const Toolkit& toolkit, const EmulatorWork& work,
                               const JudgeOptions& options) {
  const Problem* problem = problems().find(work.problem);
  if (problem == nullptr)
    throw UsageError("there is no problem '" + work.problem + "'; did you mean '" +
                     problems().nearest(work.problem) + "'?");
  const std::string object =
      built_object(tree, toolkit, work.file, *problem, read_solver_header(work.file), std::nullopt);
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

Parity compare_backends(const Tree& tree, const Toolkit& toolkit, const std::filesystem::path& file,
                        const Problem& problem, const Parameters& at, std::uint64_t seed,
                        const JudgeOptions& options) {
  Parity parity;
  const WorkerOptions gpu_options = worker_options(tree, toolkit, Backend::gpu, options);
  const WorkerProcess gpu(gpu_options);
  const Outcome opened = outcome_of(gpu.opened(), During::load, problem, gpu_options);
  if (opened.verdict != Verdict::solved) {
    parity.verdict = opened.verdict;
    parity.message = opened.message;
    return parity;
  }
  const protocol::Device& device = gpu.opened().reply->device;
  const std::string object = built_object(tree, toolkit, file, problem, read_solver_header(file),
                                          device.major * 10 + device.minor);
  Case tried;
  tried.parameters = at;
  tried.seed = seed;
  const Inputs inputs = make_inputs(problem, tried);
  std::vector<std::vector<Buffer>> results;
  for (const Backend backend : {Backend::emulator, Backend::gpu}) {
    SolverRun run(problem, object, worker_options(tree, toolkit, backend, options));
    Outcome outcome = run.start();
    if (outcome.verdict == Verdict::solved) {
      CallResult result = run.call(Exchange(problem, at, inputs, run.guard_bytes()));
      outcome = result.outcome;
      results.push_back(std::move(result.results));
    }
    if (outcome.verdict == Verdict::solved) continue;
    parity.verdict = outcome.verdict;
    parity.message = std::string(name_of(backend)) + ":\n" + outcome.message;
    return parity;
  }
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const Argument& argument = problem.arguments[i];
    if (argument.role != Role::out && argument.role != Role::inout) continue;
    parity.outputs.push_back(compare_bits(argument.name, results[0][i], results[1][i]));
    if (parity.outputs.back().differing > 0) parity.verdict = Verdict::wrong;
  }
  return parity;
}

}  // namespace ladder
