// One solver on one backend: keeps a worker for it, replaces the worker after a trap, and turns
// what came back into a verdict and words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/judge.hpp"
#include "common/harness/worker_process.hpp"

namespace ladder {

// The worker and the runtime of a backend in this installation, with the options' limits.
WorkerOptions worker_options(const Tree& tree, const Toolkit& toolkit, Backend backend,
                             const JudgeOptions& options);

// What an answer means. `verdict` solved: the call came back, its outputs are to be compared.
struct Outcome {
  Verdict verdict = Verdict::solved;
  std::string message;  // lines, each indented by two blanks
  bool refused = false;
  std::string refusal;
};
enum class During { load, call };
Outcome outcome_of(const Answer& answer, During during, const Problem& problem,
                   const WorkerOptions& options);

// What a call brought back, one Buffer an argument (empty: a scalar, or not brought back).
std::vector<Buffer> results_of(const Problem& problem, const Exchange& exchange);
// Which memory outside the arrays was overwritten, if any.
std::optional<std::string> damage_text(const Problem& problem, const Exchange& exchange);

struct CallResult {
  Outcome outcome;
  std::vector<Buffer> results;  // one an argument (scalars: empty), when the outcome is solved
  Answer answer;
};

class SolverRun {
 public:
  SolverRun(const Problem& problem, std::filesystem::path object, const WorkerOptions& options);

  // Starts a worker if there is none. Not solved: the runtime cannot be opened (skipped: no GPU)
  // or the solver cannot be loaded.
  const Outcome& start();
  const protocol::Device& device() const { return device_; }
  std::uint64_t guard_bytes() const { return worker_->guard_bytes(); }

  // One call with these contents; an earlier call with the same sizes leaves its arrays' addresses.
  CallResult call(const Exchange& exchange, const Watching& watching = {});

  // "the solver printed:" and its first lines since the last call of this; or "".
  std::string take_printed();

 private:
  void keep_printed();

  const Problem& problem_;
  std::filesystem::path object_;
  WorkerOptions options_;
  std::unique_ptr<WorkerProcess> worker_;
  protocol::Device device_{};
  Outcome started_;
  std::string printed_;
  std::size_t taken_ = 0;  // of the present worker's output
};

// "trapped: vector_add, N = 257, random"
std::string headline(Verdict verdict, const Problem& problem, const Case& tried);
// Every line of `text` with two blanks before it.
std::string indented(const std::string& text);

}  // namespace ladder
