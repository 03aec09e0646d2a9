#include "common/harness/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "common/harness/bench_run.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/gpu.hpp"
#include "common/harness/process.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/solver_target.hpp"
#include "common/harness/text.hpp"

namespace ladder {
namespace {

// The first line that a command prints, "" when it fails.
std::string first_line_of(const std::vector<std::string>& command) {
  ProcessOptions options;
  options.time_limit_s = 20;
  try {
    const ProcessResult result = run_process(command, options);
    const std::vector<std::string> lines = lines_of(trim(result.output));
    return result.exit_code != 0 || lines.empty() ? "" : lines.front();
  } catch (const MachineError&) {
    return "";  // there is no such command
  }
}

std::string ask_nvidia_smi(const Gpu& gpu, const std::string& fields) {
  const std::string answer = first_line_of(
      {"nvidia-smi", "--id=" + gpu.pci_bus_id, "--query-gpu=" + fields, "--format=csv,noheader"});
  return answer.empty() ? "unknown" : answer;
}

double median_us(WorkerProcess& worker, protocol::Measure what, std::uint64_t bytes,
                 double* flops = nullptr) {
  constexpr int warm_up = 3, samples = 21;
  std::vector<double> us;
  for (int i = 0; i < warm_up + samples; ++i) {
    const double one = measure_once(worker, what, bytes, flops);
    if (i >= warm_up) us.push_back(one);
  }
  return timing_of(us).median_us;
}

DeviceFacts facts_of(const Tree& tree, const Toolkit& toolkit, const BenchMachine& machine,
                     const JudgeOptions& options) {
  using protocol::Measure;
  const protocol::Device& device = machine.device();
  DeviceFacts facts;
  facts.name = device.name;
  facts.compute_capability = std::to_string(device.major) + "." + std::to_string(device.minor);
  facts.memory_bytes = device.memory_bytes;
  facts.toolkit = std::to_string(toolkit.major) + "." + std::to_string(toolkit.minor);
  const std::vector<Gpu> gpus = probe_gpus(&toolkit).gpus;
  const auto index = static_cast<std::size_t>(options.gpu);
  const Gpu gpu = index < gpus.size() ? gpus[index] : Gpu();
  facts.driver = ask_nvidia_smi(gpu, "driver_version");
  facts.date = date_now();
  facts.commit = commit_of(tree);
  const std::unique_ptr<WorkerProcess> worker = machine.start();
  const std::uint64_t bytes =
      std::min<std::uint64_t>(std::uint64_t{2} << 30, device.free_bytes / 4);
  const auto gigabytes_per_s = [&](double us) { return static_cast<double>(bytes) / us * 1e-3; };
  facts.copy_gb_s = gigabytes_per_s(std::min(median_us(*worker, Measure::memcpy, bytes),
                                             median_us(*worker, Measure::copy, bytes)));
  facts.read_gb_s = gigabytes_per_s(median_us(*worker, Measure::read, bytes));
  double flops = 0;
  const double ffma_us = median_us(*worker, Measure::ffma, 0, &flops);
  facts.ffma_tflops = flops / ffma_us * 1e-6;
  facts.launch_us = median_us(*worker, Measure::launch_queued, 0);
  facts.launch_idle_us = median_us(*worker, Measure::launch_idle, 0);
  // Asked right after work, while the clocks are those of the measurements.
  facts.clocks = ask_nvidia_smi(gpu, "clocks.sm,clocks.mem,clocks_event_reasons.active");
  if (facts.clocks == "unknown")  // its name in older drivers
    facts.clocks = ask_nvidia_smi(gpu, "clocks.sm,clocks.mem,clocks_throttle_reasons.active");
  return facts;
}

// What is timed together: the solvers of one problem, the asked ones and its library ceilings.
struct Group {
  const Problem* problem = nullptr;
  std::vector<BenchTarget> targets;
  std::vector<SolverHeader> headers;
};

const Problem& problem_of(const CatalogEntry& entry, const SolverHeader& header) {
  if (header.is_program()) throw UsageError(entry.id() + " is a whole program, which is not timed");
  if (!header.problem.empty()) {
    if (const Problem* found = problems().find(header.problem)) return *found;
    throw UsageError(entry.file.string() + ": there is no problem '" + header.problem +
                     "'; did you mean '" + problems().nearest(header.problem) + "'?");
  }
  for (const Problem& problem : problems().all()) {
    if (problem.chapter == entry.chapter) return problem;
  }
  throw UsageError(entry.file.string() + ": the chapter " + entry.chapter + " has no problem");
}

void add_to_groups(std::vector<Group>& groups, const BenchTarget& target, bool only_existing) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const Group& one) { return one.problem == target.problem; });
  if (group == groups.end()) {
    if (only_existing) return;
    group = groups.insert(groups.end(), Group{target.problem, {}, {}});
  }
  for (const BenchTarget& known : group->targets) {
    if (known.file == target.file) return;
  }
  group->targets.push_back(target);
  group->headers.push_back(read_solver_header(target.file));
}

std::vector<Group> groups_of(const Tree& tree, const std::vector<BenchTarget>& targets) {
  std::vector<Group> groups;
  for (const BenchTarget& target : targets) add_to_groups(groups, target, false);
  const Catalog catalog(tree);
  for (const CatalogEntry& entry : catalog.all()) {
    if (entry.kind == SolverKind::ceiling) add_to_groups(groups, bench_target(entry), true);
  }
  return groups;
}

TimedSubject build_subject(const Tree& tree, const Toolkit& toolkit, const Group& group,
                           std::size_t index, const BenchMachine& machine,
                           const JudgeOptions& options) {
  const SolverHeader& header = group.headers[index];
  const BenchTarget& target = group.targets[index];
  TimedSubject subject;
  subject.id = target.id;
  subject.bound = header.bound.value_or("");
  subject.message = unfit(header, limits_of(machine.device()));
  if (!subject.message.empty()) {
    subject.verdict = Verdict::skipped;
    return subject;
  }
  try {
    subject.object = build_solver(tree, toolkit,
                                  request_for(target.file, *group.problem, header, options,
                                              machine.architecture()))
                         .object;
  } catch (const Error& error) {
    // A library without its headers is the machine's lack, not the ceiling's.
    const bool no_header = target.ceiling && !header.links.empty() &&
                           std::string_view(error.what()).find("No such file") != std::string::npos;
    subject.verdict = no_header ? Verdict::skipped : error.verdict();
    subject.message = error.what();
  }
  return subject;
}

std::vector<Parameters> sizes_of(const Problem& problem, const JudgeOptions& options) {
  if (options.cases.empty()) return problem.sizes(Tier::bench);
  std::vector<Parameters> sizes;
  for (const CaseSelector& wanted : options.cases)
    sizes.push_back(legal_size(problem, wanted.parameters));
  return sizes;
}

// What the entries of a size are compared with: the library ceilings that ran, the
// fastest first, then the copy of the same bytes, or the multiply-adds alone where those take
// longer.
std::vector<Ceiling> ceilings_of(const Group& group, const TimedSize& timed, const Cost& cost,
                                 const DeviceFacts& facts) {
  std::vector<Ceiling> ceilings;
  for (std::size_t i = 0; i < timed.subjects.size(); ++i) {
    const TimedSubject& subject = timed.subjects[i];
    if (!group.targets[i].ceiling || subject.verdict != Verdict::solved ||
        subject.timing.median_us <= 0)
      continue;
    ceilings.push_back({.name = group.headers[i].idea, .timing = subject.timing});
  }
  std::sort(ceilings.begin(), ceilings.end(), [](const Ceiling& a, const Ceiling& b) {
    return a.timing.median_us < b.timing.median_us;
  });
  const double arithmetic_us = cost.flops / (facts.ffma_tflops * 1e6);
  if (arithmetic_us <= timed.copy.median_us) {
    ceilings.push_back({.name = "copy", .timing = timed.copy});
  } else {
    ceilings.push_back(
        {.name = "ffma", .timing = {arithmetic_us, arithmetic_us, arithmetic_us, 1}});
  }
  return ceilings;
}

BenchEntry entry_of(const TimedSubject& subject, const std::string& own_name, const Parameters& at,
                    const Cost& cost, const std::vector<Ceiling>& ceilings) {
  BenchEntry entry;
  entry.id = subject.id;
  entry.at = at;
  entry.verdict = subject.verdict;
  entry.message = subject.message;
  entry.timing = subject.timing;
  if (entry.verdict != Verdict::solved || entry.timing.median_us <= 0) return entry;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.name == own_name) continue;  // a ceiling, beside itself
    entry.ceilings.push_back(measured_by(subject.timing, ceiling.name, ceiling.timing));
  }
  entry.gigabytes_per_s = cost.bytes / subject.timing.median_us * 1e-3;
  entry.gigaflops = cost.flops / subject.timing.median_us * 1e-3;
  return entry;
}

}  // namespace

std::string commit_of(const Tree& tree) {
  const std::string described =
      first_line_of({"git", "-C", tree.source.string(), "describe", "--always", "--dirty",
                     "--abbrev=12", "--exclude=*"});
  const char* told = std::getenv("LADDER_COMMIT");
  return !described.empty() || told == nullptr ? described : told;
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

BenchTarget bench_target(const CatalogEntry& entry) {
  BenchTarget target{entry.id(), entry.file, nullptr, entry.kind == SolverKind::ceiling};
  target.problem = &problem_of(entry, read_solver_header(entry.file));
  return target;
}

BenchReport bench_solvers(const Tree& tree, const Toolkit& toolkit,
                          const std::vector<BenchTarget>& targets, const JudgeOptions& options) {
  const BenchMachine machine(tree, toolkit, options);
  BenchReport report;
  report.device = facts_of(tree, toolkit, machine, options);
  for (const Group& group : groups_of(tree, targets)) {
    std::vector<TimedSubject> subjects;
    for (std::size_t i = 0; i < group.targets.size(); ++i)
      subjects.push_back(build_subject(tree, toolkit, group, i, machine, options));
    for (const Parameters& wanted : sizes_of(*group.problem, options)) {
      const Parameters at = shrunk_to_fit(*group.problem, wanted, machine.device().free_bytes);
      if (at != wanted)
        report.notes.push_back(group.problem->name + ": " + wanted.text() + " shrunk to " +
                               at.text() + " to fit the GPU's memory");
      std::vector<TimedSubject> fitting = subjects;
      for (std::size_t i = 0; i < fitting.size(); ++i) {
        for (const Limit& limit : group.headers[i].limits) {
          if (fitting[i].verdict != Verdict::solved || limit.holds(at)) continue;
          fitting[i].verdict = Verdict::skipped;
          fitting[i].message = "outside its @limits: " + limit.text;
        }
      }
      if (options.progress) options.progress(0, 1, group.problem->name + ", " + at.text());
      const TimedSize timed = time_size(machine, *group.problem, fitting, at, options);
      const Cost cost = group.problem->cost(at);
      const auto ceilings = ceilings_of(group, timed, cost, report.device);
      for (std::size_t i = 0; i < timed.subjects.size(); ++i) {
        const std::string own_name = group.targets[i].ceiling ? group.headers[i].idea : "";
        report.entries.push_back(entry_of(timed.subjects[i], own_name, at, cost, ceilings));
      }
    }
  }
  return report;
}

}  // namespace ladder
