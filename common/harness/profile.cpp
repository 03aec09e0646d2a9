#include "common/harness/profile.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "common/harness/cases.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/solver_target.hpp"

namespace ladder {
namespace {

std::string contents_of(int descriptor) {
  std::string text;
  char piece[1 << 16];
  lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(descriptor, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

Profile profile_solver(const Tree& tree, const Toolkit& toolkit, const std::filesystem::path& file,
                       const Problem& problem, const SolverHeader& header, const CaseSelector& at,
                       const JudgeOptions& options,
                       const std::optional<emulator::TraceLimits>& trace) {
  Profile profile;
  profile.id = profile.file = file.string();
  profile.problem = problem.name;
  Case tried = cases_at(problem, at, options.seed).at(0);
  tried.bound = header.bound.value_or("");
  profile.at = tried.parameters;
  profile.message = unfit(header, DeviceLimits());
  if (!profile.message.empty()) {
    profile.verdict = Verdict::skipped;
    return profile;
  }
  std::filesystem::path object;
  try {
    object = build_solver(tree, toolkit, request_for(file, problem, header, options)).object;
  } catch (const CompileError& error) {
    profile.verdict = Verdict::not_compiled;
    profile.message = error.what();
    return profile;
  }
  const WorkerOptions worker_limits = worker_options(tree, toolkit, Backend::emulator, options);
  WorkerProcess worker(worker_limits);
  const auto succeeded = [&](const Answer& answer, During during) {
    const Outcome outcome = outcome_of(answer, during, problem, worker_limits);
    profile.verdict = outcome.verdict;
    profile.message = outcome.message;
    return outcome.verdict == Verdict::solved && !outcome.refused;
  };
  if (!succeeded(worker.opened(), During::load)) return profile;
  const Answer loaded = worker.load(object);
  if (!succeeded(loaded, During::load)) return profile;
  const Exchange exchange(problem, tried.parameters, make_inputs(problem, tried),
                          worker.guard_bytes());
  Watching watching{.what = emulator::watch_memcheck | emulator::watch_counters,
                    .order_seed = options.order_seed.value_or(0)};
  if (trace) {
    watching.what |= emulator::watch_trace;
    watching.trace = *trace;
  }
  const Answer called =
      worker.call(static_cast<std::uint32_t>(loaded.reply->number), exchange, watching);
  if (!succeeded(called, During::call)) return profile;
  const auto report = [&](protocol::Request request) -> std::optional<std::string> {
    const Descriptor file(memfd_create("report", MFD_CLOEXEC));
    if (file.get() < 0) throw MachineError("no memory file for a profile");
    protocol::Command command{};
    command.request = request;
    if (!succeeded(worker.request(command, file.get(), file.get()), During::call)) return {};
    return contents_of(file.get());
  };
  const std::optional<std::string> launches = report(protocol::Request::launches);
  if (launches) profile.launches = parse_launches(*launches);
  if (launches && trace) profile.trace = report(protocol::Request::trace).value_or("");
  return profile;
}

}  // namespace ladder
