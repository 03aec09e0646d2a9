#include "common/harness/bench_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/harness/cases.hpp"
#include "common/harness/compare.hpp"
#include "common/harness/solver_run.hpp"
#include "common/harness/solver_target.hpp"

namespace ladder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up_rounds = 2;
constexpr double wanted_uncertainty = 0.0015;  // an interval of 0.3 %: bars are at 1.00
constexpr double slow_call_s = 0.5;            // such a solver gets few samples
constexpr int samples_of_slow = 3;
// The judge has compared every element at smaller sizes; a timed answer is sampled.
constexpr std::int64_t most_compared = std::int64_t{1} << 22;

constexpr int without_answer = -1;

// Loads the subjects that are still to be timed into a worker.
class Session {
 public:
  Session(const BenchMachine& machine, const Problem& problem, std::vector<TimedSubject>& subjects,
          const Parameters& at, const JudgeOptions& options)
      : problem_(problem), subjects_(subjects), worker_(machine.start()) {
    tried_.parameters = at;
    tried_.seed = options.seed;
    indices_.assign(subjects.size(), without_answer);
    call_us_.assign(subjects.size(), 0);
    inputs_ = make_inputs(problem, tried_);
    exchange_ = std::make_unique<Exchange>(problem, at, inputs_, worker_->guard_bytes(),
                                           Exchange::Purpose::timed);
  }

  // False: the worker is gone; the subject to blame has its verdict, start again without it.
  bool load_and_check() {
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (subjects_[i].verdict != Verdict::solved) continue;
      const Answer answer = worker_->load(subjects_[i].object);
      if (!accept(i, answer, During::load)) {
        if (!worker_->alive()) return false;
        continue;
      }
      indices_[i] = static_cast<int>(answer.reply->number);
      if (!call_and_compare(i)) return false;
    }
    return true;
  }

  // One sample of one subject, 0 if it failed.
  double sample(std::size_t i, std::uint64_t seed) {
    const Answer answer =
        worker_->timed_call(static_cast<std::uint32_t>(indices_[i]), *exchange_, seed, false);
    return accept(i, answer, During::call) ? answer.reply->device_us : 0;
  }

  // A last timed call on inputs of their own, whose outputs are compared.
  bool check_timed() {
    tried_.seed = next_contents(tried_.seed);
    if (!problem_.fill) inputs_ = make_inputs(problem_, tried_);
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (timed(i) && !call_and_compare(i)) return false;
    }
    return true;
  }

  bool timed(std::size_t i) const {
    return indices_[i] != without_answer && subjects_[i].verdict == Verdict::solved;
  }
  bool slow(std::size_t i) const { return call_us_[i] > 1e6 * slow_call_s; }
  WorkerProcess& worker() { return *worker_; }

 private:
  static std::uint64_t next_contents(std::uint64_t seed) { return seed + 0x10001; }

  bool accept(std::size_t i, const Answer& answer, During during) {
    const Outcome outcome = outcome_of(answer, during, problem_, worker_->options());
    if (outcome.verdict == Verdict::solved) return true;
    // A refusal that @limits announce is no failure, but there is nothing to time either.
    subjects_[i].verdict = outcome.refused ? Verdict::skipped : outcome.verdict;
    subjects_[i].message =
        headline(subjects_[i].verdict, problem_, tried_) + "\n" + outcome.message;
    return false;
  }

  // False: the worker must be replaced.
  bool call_and_compare(std::size_t i) {
    const Answer answer =
        worker_->timed_call(static_cast<std::uint32_t>(indices_[i]), *exchange_, tried_.seed, true);
    if (!accept(i, answer, During::call)) return false;
    Outcome outcome;
    tried_.bound = subjects_[i].bound;
    const Comparison comparison = compare_call(problem_, tried_, inputs_,
                                               results_of(problem_, *exchange_), {}, most_compared);
    if (!comparison.right) outcome = {Verdict::wrong, comparison.message, false, {}};
    if (const auto damage = damage_text(problem_, *exchange_))
      outcome = {Verdict::trapped, indented(*damage), false, {}};
    call_us_[i] = answer.reply->device_us;
    if (outcome.verdict == Verdict::solved) return true;
    subjects_[i].verdict = outcome.verdict;
    subjects_[i].message = headline(outcome.verdict, problem_, tried_) + "\n" + outcome.message;
    return true;
  }

  const Problem& problem_;
  std::vector<TimedSubject>& subjects_;
  std::unique_ptr<WorkerProcess> worker_;
  Case tried_;
  Inputs inputs_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<int> indices_;     // in the worker
  std::vector<double> call_us_;  // of a compared call: tells slow ones, and is no sample
};

bool settled(const std::vector<std::vector<double>>& samples) {
  return std::all_of(samples.begin(), samples.end(), [](const std::vector<double>& one) {
    return one.empty() || uncertainty(timing_of(one)) < wanted_uncertainty;
  });
}

// Rounds of one sample of everything. False: a subject failed and the worker is gone.
bool sample_rounds(Session& session, std::vector<TimedSubject>& subjects, Timing& copy,
                   std::uint64_t copy_bytes, std::uint64_t seed, const BenchLimits& limits) {
  std::vector<std::vector<double>> samples(subjects.size() + 2);  // the last two: the copies
  const auto start = Clock::now();
  for (int round = -warm_up_rounds; round < limits.most_rounds; ++round) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (round >= samples_of_slow && seconds > limits.most_seconds) break;
    if (round >= limits.fewest_rounds && round % 5 == 0 && settled(samples)) break;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (!session.timed(i) || (session.slow(i) && (round < 0 || round >= samples_of_slow)))
        continue;
      const double us =
          session.sample(i, seed + static_cast<std::uint64_t>(round + warm_up_rounds));
      if (!session.timed(i)) return false;
      if (round >= 0) samples[i].push_back(us);
    }
    const double by_memcpy = measure_once(session.worker(), protocol::Measure::memcpy, copy_bytes);
    const double by_kernel = measure_once(session.worker(), protocol::Measure::copy, copy_bytes);
    if (round < 0) continue;
    samples[subjects.size()].push_back(by_memcpy);
    samples[subjects.size() + 1].push_back(by_kernel);
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) subjects[i].timing = timing_of(samples[i]);
  const Timing by_memcpy = timing_of(samples[subjects.size()]);
  const Timing by_kernel = timing_of(samples[subjects.size() + 1]);
  copy = by_memcpy.median_us < by_kernel.median_us ? by_memcpy : by_kernel;
  return true;
}

}  // namespace

Timing timing_of(std::vector<double> samples_us) {
  if (samples_us.empty()) return {};
  std::sort(samples_us.begin(), samples_us.end());
  const auto n = static_cast<double>(samples_us.size());
  const std::size_t last = samples_us.size() - 1;
  // Ranks (n - 1) / 2 -+ 0.98 sqrt(n) enclose the median with 95 % (binomial).
  const double reach = 0.98 * std::sqrt(n), middle = (n - 1) / 2;
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(middle - reach)));
  const auto high = std::min(last, static_cast<std::size_t>(std::ceil(middle + reach)));
  return {(samples_us[last / 2] + samples_us[samples_us.size() / 2]) / 2, samples_us[low],
          samples_us[high], static_cast<int>(samples_us.size())};
}

double uncertainty(const Timing& timing) {
  if (timing.median_us <= 0) return 1;
  return (timing.high_us - timing.low_us) / 2 / timing.median_us;
}

Ceiling measured_by(const Timing& solver, const std::string& ceiling_name, const Timing& ceiling) {
  return {ceiling_name, ceiling, ceiling.median_us / solver.median_us,
          ceiling.low_us / solver.high_us, ceiling.high_us / solver.low_us};
}

BenchMachine::BenchMachine(const Tree& tree, const Toolkit& toolkit, const JudgeOptions& options)
    : options_(worker_options(tree, toolkit, Backend::gpu, options)) {
  const WorkerProcess worker(options_);
  const Outcome outcome = outcome_of(worker.opened(), During::load, Problem(), options_);
  if (outcome.verdict != Verdict::solved)
    throw Error(outcome.verdict, "cannot time anything here\n" + outcome.message);
  device_ = worker.opened().reply->device;
  BuildRequest request;
  request.source = tree.source / "common/harness/ceilings.cu";
  request.sass = architecture();
  ceilings_ = build_solver(tree, toolkit, request).object;
}

std::unique_ptr<WorkerProcess> BenchMachine::start() const {
  auto worker = std::make_unique<WorkerProcess>(options_);
  protocol::Command command{};
  command.request = protocol::Request::load_ceilings;
  ceilings_.string().copy(command.path, sizeof command.path - 1);
  const Answer answer = worker->request(command);
  if (answer.end != Answer::End::replied || answer.reply->outcome != protocol::Outcome::done)
    throw MachineError(std::string("the kernels that measure the GPU cannot be used: ") +
                       answer.reply->text);
  return worker;
}

double measure_once(WorkerProcess& worker, protocol::Measure what, std::uint64_t bytes,
                    double* flops) {
  protocol::Command command{};
  command.request = protocol::Request::measure;
  command.number = static_cast<std::uint64_t>(what);
  command.bytes = bytes;
  const Answer answer = worker.request(command);
  if (answer.end != Answer::End::replied || answer.reply->outcome != protocol::Outcome::done)
    throw MachineError(std::string("the GPU cannot be measured: ") + answer.reply->text);
  if (flops != nullptr) *flops = static_cast<double>(answer.reply->number);
  return answer.reply->device_us;
}

TimedSize time_size(const BenchMachine& machine, const Problem& problem,
                    std::vector<TimedSubject> subjects, const Parameters& at,
                    const JudgeOptions& options, const BenchLimits& limits) {
  TimedSize result;
  const Cost cost = problem.cost ? problem.cost(at) : Cost{};
  const auto copy_bytes = std::max<std::uint64_t>(32, static_cast<std::uint64_t>(cost.bytes));
  // A solver that ends the worker is out; the others start again in a fresh one.
  for (std::size_t attempt = 0; attempt <= subjects.size(); ++attempt) {
    Session session(machine, problem, subjects, at, options);
    if (session.load_and_check() &&
        sample_rounds(session, subjects, result.copy, copy_bytes, options.seed + 1, limits) &&
        session.check_timed())
      break;
  }
  for (TimedSubject& subject : subjects) {
    if (subject.verdict != Verdict::solved) subject.timing = {};  // of an answer that was not right
  }
  result.subjects = std::move(subjects);
  return result;
}

std::vector<TimedSubject> time_subjects(const Tree& tree, const Toolkit& toolkit,
                                        const Problem& problem,
                                        const std::vector<BenchSubject>& subjects,
                                        const Parameters& at, const JudgeOptions& options) {
  const BenchMachine machine(tree, toolkit, options);
  std::vector<TimedSubject> timed;
  for (const BenchSubject& subject : subjects) {
    TimedSubject one;
    one.id = subject.id;
    one.bound = subject.header.bound.value_or("");
    one.object = build_solver(tree, toolkit,
                              request_for(subject.file, problem, subject.header, options,
                                          machine.architecture()))
                     .object;
    timed.push_back(one);
  }
  BenchLimits limits;
  limits.most_seconds = std::min(limits.most_seconds, options.time_limit_s);
  return time_size(machine, problem, std::move(timed), at, options, limits).subjects;
}

Parameters shrunk_to_fit(const Problem& problem, Parameters at, std::uint64_t free_bytes) {
  const auto needed = [&] {
    double bytes = problem.cost ? problem.cost(at).bytes : 0;
    for (const Argument& argument : problem.arguments) {
      if (argument.role != Role::scalar)
        bytes +=
            static_cast<double>(argument.extent(at)) * static_cast<double>(size_of(argument.type));
    }
    return bytes;
  };
  while (needed() > 0.8 * static_cast<double>(free_bytes)) {
    const Argument* largest = nullptr;
    for (const Argument& argument : problem.arguments) {
      if (argument.role != Role::scalar || argument.type != ElementType::i32) continue;
      if (largest == nullptr || at[argument.name] > at[largest->name]) largest = &argument;
    }
    if (largest == nullptr || at[largest->name] <= 1) break;
    at.set(largest->name, static_cast<double>(at[largest->name] / 2));
  }
  return at;
}

}  // namespace ladder
