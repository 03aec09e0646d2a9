// Verdicts and the exit codes that stand for them; errors that end a command.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ladder {

// The numbers are the exit codes of `ladder`.
enum class Verdict {
  solved = 0,
  wrong = 1,          // wrong answer, or a goal missed
  usage = 2,          // no such file, id, problem or option
  not_compiled = 3,   // does not compile, or no solve
  trapped = 4,        // bad address, race, deadlock, misuse, exit, crash, damaged guard
  out_of_budget = 5,  // time or memory
  machine_fault = 6,  // ours or the machine's, never the learner's
  skipped = 77,       // needs hardware that is not here
};
std::string_view name_of(Verdict verdict);  // "solved", "wrong answer", "trapped", ...

// The worst of two: machine_fault > trapped > out_of_budget > not_compiled > wrong > usage >
// solved; skipped yields to every other one, so 77 remains only if all were skipped.
Verdict worst(Verdict a, Verdict b);

// The one exception hierarchy of the harness and the command line. what() is one message for
// the reader: lower case; what, where, who, values, what next.
class Error : public std::runtime_error {
 public:
  Error(Verdict verdict, const std::string& message)
      : std::runtime_error(message), verdict_(verdict) {}
  Verdict verdict() const { return verdict_; }

 private:
  Verdict verdict_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& m) : Error(Verdict::usage, m) {}
};
struct CompileError : Error {
  explicit CompileError(const std::string& m) : Error(Verdict::not_compiled, m) {}
};
struct MachineError : Error {
  explicit MachineError(const std::string& m) : Error(Verdict::machine_fault, m) {}
};

}  // namespace ladder
