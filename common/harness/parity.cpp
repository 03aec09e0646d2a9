// Whether the emulator computes the bits that a GPU computes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/harness/bench.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/solver_target.hpp"

namespace ladder {
namespace {

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
  const SolverHeader header = read_solver_header(file);
  for (const DeviceLimits& limits : {DeviceLimits(), limits_of(device)}) {
    parity.message = unfit(header, limits);
    if (parity.message.empty()) continue;
    parity.verdict = Verdict::skipped;
    return parity;
  }
  const std::filesystem::path object =
      build_solver(tree, toolkit,
                   request_for(file, problem, header, options, device.major * 10 + device.minor))
          .object;
  Case tried;
  tried.parameters = at;
  tried.seed = seed;
  // Where the order of additions is up to the moment, only exact sums have the same bits.
  if (header.nondeterministic && problem.has_exact) tried.distribution = Distribution::exact;
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
