#include "common/harness/judge_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/harness/cases.hpp"

namespace ladder {
namespace {

constexpr int repeats = 40;
// Each refusal ends a worker, so only a few sizes outside @limits are tried.
constexpr int most_outside_limits = 3;
// After a wrong answer other sizes are tried, only to say which are right.
constexpr int most_probes = 24;

// Work of a case in the units of the budgets below: flops plus elements moved.
double work_of(const Problem& problem, const Parameters& parameters) {
  const Cost cost = problem.cost ? problem.cost(parameters) : Cost{};
  return cost.flops + cost.bytes / 4;
}

// How much work all cases of a backend may be; the first distribution of a size is always tried.
// On a GPU it is the reference and the copies that cost time.
double budget_of(Backend backend) {
  return backend == Backend::emulator ? 3e7 : 4e8;
}
// Up to here a case is watched by the default observers: they take time and memory.
constexpr double most_observed_work = 3e7;
constexpr emulator::Watch default_observers =
    emulator::watch_memcheck | emulator::watch_racecheck | emulator::watch_synccheck;

// Of one of the forty calls on equal contents.
double repeat_budget_of(Backend backend) {
  return backend == Backend::emulator ? 4e5 : 2e7;
}

}  // namespace

std::uint64_t next_seed(std::uint64_t seed) {
  return seed * 6364136223846793005u + 1442695040888963407u;
}

bool within_limits(const SolverHeader& header, const Parameters& parameters) {
  return std::all_of(header.limits.begin(), header.limits.end(),
                     [&](const Limit& limit) { return limit.holds(parameters); });
}

std::optional<Parameters> counting_size(const Problem& problem, const SolverHeader& header) {
  std::optional<Parameters> largest;
  for (const Parameters& sizes : problem.sizes(Tier::small)) {
    if (!within_limits(header, sizes)) continue;
    if (!largest || work_of(problem, sizes) > work_of(problem, *largest)) largest = sizes;
  }
  return largest;
}

BackendJudge::BackendJudge(const Problem& problem, const SolverHeader& header,
                           const JudgeOptions& options, Backend backend, SolverRun& run,
                           SolverReport& report)
    : problem_(problem),
      header_(header),
      options_(options),
      backend_(backend),
      run_(run),
      report_(report) {}

std::vector<Case> BackendJudge::cases() const {
  std::vector<Case> all;
  if (options_.cases.empty()) {
    all =
        cases_of(problem_, backend_ == Backend::emulator ? Tier::small : Tier::full, options_.seed);
  } else {
    for (const CaseSelector& wanted : options_.cases) {
      for (Case& one : cases_at(problem_, wanted, options_.seed)) all.push_back(std::move(one));
    }
  }
  std::vector<Case> chosen;
  std::vector<Parameters> outside, seen;
  double work = 0;
  for (Case& one : all) {
    one.bound = header_.bound.value_or("");
    const bool first = std::find(seen.begin(), seen.end(), one.parameters) == seen.end();
    if (options_.cases.empty()) {
      work += 2 * work_of(problem_, one.parameters);
      if (!first && work > budget_of(backend_)) continue;
      if (!within_limits(header_, one.parameters)) {
        if (!first || outside.size() == most_outside_limits) continue;
        outside.push_back(one.parameters);
      }
    }
    if (first) seen.push_back(one.parameters);
    chosen.push_back(one);
  }
  return chosen;
}

Watching BackendJudge::watching(const Case& tried, std::uint64_t order_seed) const {
  const bool small = work_of(problem_, tried.parameters) <= most_observed_work;
  return {options_.observers.value_or(small ? default_observers : emulator::watch_memcheck),
          options_.order_seed.value_or(order_seed)};
}

BackendJudge::Tried BackendJudge::try_contents(const Case& tried, const Inputs& inputs,
                                               const Watching& watching) {
  const Exchange exchange(problem_, tried.parameters, inputs, run_.guard_bytes());
  const CallResult result = run_.call(exchange, watching);
  Tried outcome{result.outcome.verdict, result.outcome.message, result.answer.seconds};
  if (result.outcome.refused) {
    if (!within_limits(header_, tried.parameters)) return {Verdict::solved, {}, outcome.seconds};
    outcome.message += header_.limits.empty()
                           ? "\n  a solver without @limits must accept every legal size"
                           : "\n  but this size is within its @limits";
    return outcome;
  }
  if (outcome.verdict != Verdict::solved) return outcome;
  const Comparison comparison = compare_call(problem_, tried, inputs, result.results, history_);
  if (!comparison.right) {
    outcome.verdict = Verdict::wrong;
    outcome.message = comparison.message;
  }
  history_.previous = result.results;
  return outcome;
}

// How to meet the same inputs and order again.
std::string BackendJudge::again_text(const Case& contents, const Watching& how) const {
  std::string text;
  if (contents.seed != options_.seed)
    text = "\n  with the inputs of --seed " + std::to_string(contents.seed);
  if (backend_ != Backend::gpu && how.order_seed != 0)
    text += "\n  with the warps in another order: --order-seed " + std::to_string(how.order_seed);
  return text;
}

BackendJudge::Tried BackendJudge::try_case(const Case& tried) {
  history_.previous.clear();
  Tried total;
  Case contents = tried;
  for (int i = 0; i < 2; ++i) {
    if (run_.start().verdict != Verdict::solved)
      return {run_.start().verdict, run_.start().message, total.seconds};
    // First in order, then with the warps shuffled: a result that depends on luck shows itself.
    const Watching how = watching(tried, i == 0 ? 0 : contents.seed);
    const Tried one = try_contents(contents, make_inputs(problem_, contents), how);
    total.seconds += one.seconds;
    if (one.verdict != Verdict::solved) {
      return {one.verdict, one.message + again_text(contents, how), total.seconds};
    }
    contents.seed = next_seed(contents.seed);
  }
  return total;
}

// The failing case again, after other sizes were tried: which ones are right says much.
BackendJudge::Tried BackendJudge::explain(const Case& tried, const Tried& first) {
  if (first.verdict != Verdict::wrong || problem_.sizes == nullptr) return first;
  int probes = 0;
  double work = 0;
  for (const Parameters& sizes : problem_.sizes(Tier::small)) {
    work += 2 * work_of(problem_, sizes);
    if (++probes > most_probes || work > budget_of(Backend::emulator)) break;
    const auto known = [&](const std::vector<Parameters>& list) {
      return std::find(list.begin(), list.end(), sizes) != list.end();
    };
    if (known(history_.right) || known(history_.wrong) || sizes == tried.parameters ||
        !within_limits(header_, sizes))
      continue;
    Case probe = tried;
    probe.parameters = sizes;
    (try_case(probe).verdict == Verdict::solved ? history_.right : history_.wrong).push_back(sizes);
  }
  Tried again = try_case(tried);
  again.seconds = first.seconds;
  // A result that depends on luck may be right this time.
  return again.verdict == Verdict::wrong ? again : first;
}

BackendJudge::Tried BackendJudge::try_empty(const Parameters& sizes) {
  Case tried;
  tried.parameters = sizes;
  tried.seed = options_.seed;
  if (run_.start().verdict != Verdict::solved)
    return {run_.start().verdict, run_.start().message, 0};
  const Inputs inputs = make_inputs(problem_, tried);
  const Exchange exchange(problem_, sizes, inputs, run_.guard_bytes());
  const CallResult result = run_.call(exchange);
  if (result.outcome.verdict != Verdict::solved)
    return {result.outcome.verdict, result.outcome.message, result.answer.seconds};
  const Comparison comparison = compare_untouched(problem_, result.results);
  return {comparison.right ? Verdict::solved : Verdict::wrong, comparison.message,
          result.answer.seconds};
}

std::string BackendJudge::with_printed(std::string message) {
  const std::string printed = run_.take_printed();
  if (!printed.empty()) message += "\n" + indented(printed);
  return message;
}

void BackendJudge::record(const Case& tried, const Tried& result) {
  CaseReport entry{tried, backend_, result.verdict, {}, result.seconds};
  if (result.verdict != Verdict::solved) {
    entry.message =
        with_printed(headline(result.verdict, problem_, tried) +
                     (backend_ == Backend::gpu ? ", on the GPU\n" : "\n") + result.message);
    if (report_.message.empty()) report_.message = entry.message;
  }
  report_.cases.push_back(std::move(entry));
}

Verdict BackendJudge::judge_cases() {
  const std::vector<Case> all = cases();
  Verdict verdict = Verdict::solved;
  int done = 0;
  for (const Case& tried : all) {
    if (options_.progress)
      options_.progress(done, static_cast<int>(all.size()), problem_.name + ", " + tried.text());
    ++done;
    Tried result = try_case(tried);
    const bool failed = result.verdict != Verdict::solved;
    (failed ? history_.wrong : history_.right).push_back(tried.parameters);
    if (failed && report_.message.empty()) result = explain(tried, result);
    record(tried, result);
    verdict = worst(verdict, result.verdict);
    if (failed && !options_.keep_going) return verdict;
  }
  if (!options_.own || !options_.cases.empty()) return verdict;
  for (const Parameters& sizes : problem_.empty_sizes) {
    if (!within_limits(header_, sizes)) continue;
    Case tried;
    tried.parameters = sizes;
    const Tried result = try_empty(sizes);
    record(tried, result);
    verdict = worst(verdict, result.verdict);
    if (result.verdict != Verdict::solved && !options_.keep_going) return verdict;
  }
  return verdict;
}

Verdict BackendJudge::judge_repeats() {
  // The largest size whose forty calls stay quick, with inputs for which order of sums matters.
  const double most_work = repeat_budget_of(backend_);
  const std::vector<Distribution>& known = problem_.distributions;
  const bool random_for_all =
      options_.cases.empty() &&
      std::find(known.begin(), known.end(), Distribution::random) != known.end();
  std::optional<Case> chosen;
  for (Case tried : cases()) {
    if (random_for_all) tried.distribution = Distribution::random;
    const double work = work_of(problem_, tried.parameters);
    if (tried.distribution != Distribution::random || work > most_work ||
        !within_limits(header_, tried.parameters))
      continue;
    if (!chosen || work > work_of(problem_, chosen->parameters)) chosen = tried;
  }
  if (!chosen) return Verdict::solved;
  const Inputs inputs = make_inputs(problem_, *chosen);
  if (run_.start().verdict != Verdict::solved) return run_.start().verdict;
  int differing = 0;
  const Exchange exchange(problem_, chosen->parameters, inputs, run_.guard_bytes());
  std::vector<Buffer> first;
  std::uint64_t allocated_once = 0;  // behind the second call: one workspace may stay
  Tried total;
  for (int i = 0; i < repeats; ++i) {
    const CallResult result = run_.call(
        exchange, {.what = emulator::watch_memcheck, .order_seed = static_cast<std::uint64_t>(i)});
    total.seconds += result.answer.seconds;
    total.verdict = result.outcome.verdict;
    total.message = result.outcome.message;
    if (total.verdict != Verdict::solved) break;
    if (i == 0) first = result.results;
    if (i == 1) allocated_once = result.answer.reply->allocated;
    if (i == repeats - 1) note_leak(allocated_once, result.answer.reply->allocated);
    const bool same = std::equal(
        first.begin(), first.end(), result.results.begin(), [](const Buffer& a, const Buffer& b) {
          return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
        });
    if (i > 0 && same) continue;
    differing += !same;
    const Comparison comparison = compare_call(problem_, *chosen, inputs, result.results);
    if (comparison.right) continue;
    total.verdict = Verdict::wrong;
    total.message = comparison.message + "\n  in call " + std::to_string(i + 1) + " of " +
                    std::to_string(repeats) + " with equal inputs" +
                    (i > 0 ? ": those before it were right, so look for a race" : "");
    break;
  }
  differing_repeats_ = differing;
  if (total.verdict != Verdict::solved)
    record(*chosen, total);
  else if (differing > 0 && !header_.nondeterministic)
    report_.notes.push_back("nondeterministic: " + std::to_string(differing) + " of " +
                            std::to_string(repeats) + " repeats differ (" + chosen->text() + ")");
  return total.verdict;
}

// What each of the calls behind the second one has left allocated.
void BackendJudge::note_leak(std::uint64_t before, std::uint64_t after) {
  if (after <= before) return;
  report_.notes.push_back("leak: each call of solve leaves about " +
                          std::to_string((after - before) / (repeats - 2)) +
                          " bytes of device memory allocated: every cudaMalloc needs its cudaFree");
}

Outcome BackendJudge::count(const Parameters& at, std::map<std::string, double>& counters) {
  Case tried;
  tried.parameters = at;
  tried.distribution =
      problem_.distributions.empty() ? Distribution::exact : problem_.distributions.front();
  tried.seed = options_.seed;
  tried.bound = header_.bound.value_or("");
  const Outcome& started = run_.start();
  if (started.verdict != Verdict::solved) return started;
  const Exchange exchange(problem_, at, make_inputs(problem_, tried), run_.guard_bytes());
  const CallResult result =
      run_.call(exchange, {.what = emulator::watch_memcheck | emulator::watch_counters});
  if (result.outcome.verdict != Verdict::solved) return result.outcome;
  const protocol::Reply& reply = *result.answer.reply;
  const std::size_t known = std::min<std::size_t>(reply.counter_count, protocol::max_counters);
  for (std::size_t i = 0; i < known; ++i) {
    const protocol::Counter& counter = reply.counters[i];
    counters[std::string(counter.name, strnlen(counter.name, sizeof counter.name))] = counter.value;
  }
  return result.outcome;
}

}  // namespace ladder
