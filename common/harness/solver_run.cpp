#include "common/harness/solver_run.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "common/harness/text.hpp"

namespace ladder {
namespace {

// cudaError_t values that are not a solver's misuse.
constexpr int cuda_out_of_memory = 2, cuda_no_device = 100, cuda_insufficient_driver = 35,
              cuda_launch_timeout = 702, cuda_not_supported = 801;

constexpr std::size_t most_printed_lines = 12;

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

const char* advice(During during) {
  return during == During::load ? "while it was loaded: a static constructor?" : "inside solve";
}

Outcome crash(const protocol::Reply& reply, During during, const Problem& problem) {
  const bool bad_address = reply.code == SIGSEGV || reply.code == SIGBUS;
  if (bad_address && reply.argument >= 0 &&
      reply.argument < static_cast<int>(problem.arguments.size())) {
    const Argument& argument = problem.arguments[static_cast<std::size_t>(reply.argument)];
    return {Verdict::trapped,
            "host code touched " + argument.name + "[" +
                std::to_string(reply.offset / size_of(argument.type)) + "], but " + argument.name +
                " points to device memory\n"
                "only kernels can read and write it: move the loop into a kernel, or copy with "
                "cudaMemcpy",
            false,
            {}};
  }
  char where[64] = "";
  if (bad_address)
    std::snprintf(where, sizeof where, " at address 0x%llx",
                  static_cast<unsigned long long>(reply.address));
  std::string message =
      "host code crashed: " + signal_name(reply.code) + where + ", " + advice(during);
  if (std::strcmp(reply.text, protocol::stack_overflow) == 0)
    message +=
        "\nthe stack is full: does a recursion never end? Large arrays belong in a std::vector";
  else if (bad_address && reply.address < 4096)
    message += "\na null pointer was dereferenced";
  else if (bad_address)
    message += "\nis a device pointer used by host code, or an array overrun?";
  return {Verdict::trapped, message, false, {}};
}

Outcome fault(const protocol::Reply& reply) {
  Verdict verdict = Verdict::trapped;
  if (reply.code == cuda_launch_timeout || reply.code == cuda_out_of_memory)
    verdict = Verdict::out_of_budget;
  // What the emulator cannot do is not the solver's mistake.
  if (reply.code == cuda_not_supported) verdict = Verdict::machine_fault;
  return {verdict, reply.text, false, {}};
}

Outcome cuda_error(const protocol::Reply& reply, During during, const WorkerOptions& options) {
  Outcome outcome{reply.code == cuda_launch_timeout ? Verdict::out_of_budget : Verdict::trapped,
                  std::string(reply.text) + (during == During::load ? "\nwhile it was loaded" : ""),
                  false,
                  {}};
  if (!options.emulated)
    outcome.message += "\nthe emulator may tell the line: ./ladder check ... --on emulator";
  else
    outcome.message +=
        "\ncheck the arguments of that call: the sizes are in bytes, and a copy needs the "
        "direction "
        "that its pointers have";
  return outcome;
}

Outcome no_runtime(const protocol::Reply& reply, const WorkerOptions& options) {
  const std::string text = reply.text;
  if (options.emulated)
    return {Verdict::machine_fault, "the emulator cannot start: " + text, false, {}};
  if (reply.code == cuda_insufficient_driver)
    return {Verdict::skipped,
            reply.device.driver == 0 ? "no usable GPU: no NVIDIA driver here"
                                     : "no usable GPU: the driver is older than the toolkit (it "
                                       "serves CUDA " +
                                           std::to_string(reply.device.driver / 1000) + "." +
                                           std::to_string(reply.device.driver % 1000 / 10) + ")",
            false,
            {}};
  return {Verdict::skipped, "no usable GPU: " + text, false, {}};
}

Outcome replied(const protocol::Reply& reply, During during, const Problem& problem,
                const WorkerOptions& options) {
  const std::string text = reply.text;
  switch (reply.outcome) {
    case protocol::Outcome::done:
      return {};
    case protocol::Outcome::refused:
      return {Verdict::wrong, "it refuses: " + text, true, text};
    case protocol::Outcome::failed:
      return {reply.code == cuda_out_of_memory ? Verdict::out_of_budget : Verdict::trapped,
              text,
              false,
              {}};
    case protocol::Outcome::fault:
      return fault(reply);
    case protocol::Outcome::cuda_error:
      return cuda_error(reply, during, options);
    case protocol::Outcome::exception:
      return {Verdict::trapped, "a C++ exception left solve: " + text, false, {}};
    case protocol::Outcome::crashed:
      return crash(reply, during, problem);
    case protocol::Outcome::no_solve:
      return {
          Verdict::not_compiled, text + "\ndefine extern \"C\" " + problem.prototype(), false, {}};
    case protocol::Outcome::not_loadable:
      return {Verdict::not_compiled, "it cannot be loaded: " + text, false, {}};
    case protocol::Outcome::static_runtime:
      return {Verdict::not_compiled, text + "\nbuild it with nvcc -cudart shared", false, {}};
    case protocol::Outcome::no_runtime:
      return no_runtime(reply, options);
    case protocol::Outcome::out_of_memory:
      return {Verdict::out_of_budget, "out of memory: " + text, false, {}};
    case protocol::Outcome::protocol_failure:
      break;
  }
  return {Verdict::machine_fault, "the worker failed, not the solver: " + text, false, {}};
}

Outcome unanswered(const Answer& answer, During during, const WorkerOptions& options) {
  const std::string status = std::to_string(answer.status);
  if (answer.end == Answer::End::timed_out)
    return {Verdict::out_of_budget,
            "no answer after " + seconds_text(options.time_limit_s) + ", " + advice(during) +
                "\ndoes a loop never end, or does each thread do the work of all?",
            false,
            {}};
  if (answer.end == Answer::End::exited)
    return {Verdict::trapped,
            "the solver ended its process (exit code " + status + ") " + advice(during) +
                "\nsolve must return to its caller",
            false,
            {}};
  if (answer.status == SIGXCPU || answer.status == SIGKILL)
    return {Verdict::out_of_budget,
            "the process was killed (" + signal_name(answer.status) + ") " + advice(during) +
                ": out of time or memory",
            false,
            {}};
  return {Verdict::trapped,
          "host code crashed: " + signal_name(answer.status) + ", " + advice(during),
          false,
          {}};
}

}  // namespace

WorkerOptions worker_options(const Tree& tree, const Toolkit& toolkit, Backend backend,
                             const JudgeOptions& options) {
  WorkerOptions worker;
  worker.executable = tree.build / "common/harness/ladder-worker";
  worker.emulated = backend == Backend::emulator;
  if (!options.cudart.empty())
    worker.cudart = options.cudart;
  else if (worker.emulated)
    worker.cudart =
        tree.build / "common/emulator" / ("libcudart.so." + std::to_string(toolkit.major));
  else
    worker.cudart = toolkit.cudart;
  worker.device = worker.emulated ? 0 : options.gpu;
  worker.time_limit_s = options.time_limit_s;
  worker.memory_limit_bytes = options.memory_limit_bytes;
  worker.exact_arrays = options.exact_arrays;
  return worker;
}

Outcome outcome_of(const Answer& answer, During during, const Problem& problem,
                   const WorkerOptions& options) {
  Outcome outcome = answer.end == Answer::End::replied
                        ? replied(*answer.reply, during, problem, options)
                        : unanswered(answer, during, options);
  outcome.message = indented(outcome.message);
  return outcome;
}

std::vector<Buffer> results_of(const Problem& problem, const Exchange& exchange) {
  std::vector<Buffer> results;
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const bool array = problem.arguments[i].role != Role::scalar && exchange.returned(i);
    results.push_back(array ? exchange.result(i) : Buffer());
  }
  return results;
}

std::optional<std::string> damage_text(const Problem& problem, const Exchange& exchange) {
  const std::vector<Exchange::Damage> damaged = exchange.damaged_guards();
  if (damaged.empty()) return std::nullopt;
  const Argument& argument = problem.arguments[damaged.front().argument];
  const std::int64_t offset = damaged.front().offset;
  const auto bytes = static_cast<std::int64_t>(size_of(argument.type));
  if (offset < 0)
    return "memory before " + argument.name + " was overwritten: element " +
           std::to_string((offset + 1) / bytes - 1) + " does not exist";
  return "memory after the end of " + argument.name + " was overwritten, " +
         std::to_string(offset / bytes + 1) +
         " element(s) beyond the last\ndoes every thread compare its index with the size?";
}

SolverRun::SolverRun(const Problem& problem, std::filesystem::path object,
                     const WorkerOptions& options)
    : problem_(problem), object_(std::move(object)), options_(options) {}

const Outcome& SolverRun::start() {
  if (worker_ != nullptr && worker_->alive()) return started_;
  keep_printed();
  worker_ = std::make_unique<WorkerProcess>(options_);
  started_ = outcome_of(worker_->opened(), During::load, problem_, options_);
  if (started_.verdict != Verdict::solved) return started_;
  device_ = worker_->opened().reply->device;
  started_ = outcome_of(worker_->load(object_), During::load, problem_, options_);
  return started_;
}

CallResult SolverRun::call(const Exchange& exchange, const Watching& watching) {
  CallResult result;
  result.outcome = start();
  if (result.outcome.verdict != Verdict::solved) return result;
  result.answer = worker_->call(0, exchange, watching);
  result.outcome = outcome_of(result.answer, During::call, problem_, options_);
  if (result.outcome.verdict != Verdict::solved) {
    // Whatever state the process is in, the next call gets a fresh one.
    keep_printed();
    worker_.reset();
    return result;
  }
  result.results = results_of(problem_, exchange);
  if (const auto damage = damage_text(problem_, exchange))
    result.outcome = {Verdict::trapped, indented(*damage), false, {}};
  return result;
}

void SolverRun::keep_printed() {
  if (worker_ == nullptr) return;
  printed_ += worker_->printed().substr(taken_);
  taken_ = 0;
}

std::string SolverRun::take_printed() {
  std::string text = std::move(printed_);
  printed_.clear();
  if (worker_ != nullptr) {
    text += worker_->printed().substr(taken_);
    taken_ = worker_->printed().size();
  }
  if (text.empty()) return {};
  std::vector<std::string> lines = lines_of(text);
  const bool more = lines.size() > most_printed_lines;
  if (more) lines.resize(most_printed_lines);
  std::string result = "the solver printed:";
  for (const std::string& line : lines) result += "\n  " + line.substr(0, 200);
  if (more) result += "\n  ...";
  return result;
}

std::string headline(Verdict verdict, const Problem& problem, const Case& tried) {
  return std::string(name_of(verdict)) + ": " + problem.name + ", " + tried.text();
}

std::string indented(const std::string& text) {
  if (text.empty()) return text;
  std::string result = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "  ";
  }
  while (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

}  // namespace ladder
