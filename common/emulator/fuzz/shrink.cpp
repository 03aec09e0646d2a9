#include "common/emulator/fuzz/shrink.hpp"

namespace ladder::emulator::fuzz {
namespace {

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& still, int attempts)
      : program_(std::move(program)), still_(still), left_(attempts) {}

  Program run() {
    for (bool smaller = true; smaller && left_ > 0;) {
      smaller = list(program_.statements);
      for (auto& function : program_.functions) smaller = list(function) || smaller;
    }
    drop_functions();
    const auto set = [&](unsigned Program::*size, unsigned value) {
      const unsigned before = program_.*size;
      if (before <= value) return;
      program_.*size = value;
      if (!holds()) program_.*size = before;
    };
    set(&Program::blocks, 1);
    set(&Program::threads, 32);
    return program_;
  }

 private:
  bool holds() { return left_-- > 0 && still_(program_); }

  // Takes ever smaller runs of statements away, then looks inside those that are left.
  bool list(std::vector<Statement>& statements) {
    bool smaller = false;
    for (std::size_t size = statements.size(); size > 0; size /= 2) {
      for (std::size_t at = 0; at + size <= statements.size() && left_ > 0;) {
        std::vector<Statement> before = statements;
        const auto first = statements.begin() + static_cast<std::ptrdiff_t>(at);
        statements.erase(first, first + static_cast<std::ptrdiff_t>(size));
        if (holds()) {
          smaller = true;
        } else {
          statements.swap(before);
          at += size;
        }
      }
    }
    for (std::size_t i = 0; i < statements.size() && left_ > 0; ++i) {
      if (statements[i].body.empty() && statements[i].other.empty()) continue;
      smaller = unwrap(statements, i) || smaller;
      if (i >= statements.size()) break;
      smaller = list(statements[i].body) || smaller;
      smaller = list(statements[i].other) || smaller;
    }
    return smaller;
  }

  // What a branch or loop holds, without it.
  bool unwrap(std::vector<Statement>& statements, std::size_t i) {
    std::vector<Statement> before = statements;
    const Statement whole = statements[i];
    const auto at = statements.begin() + static_cast<std::ptrdiff_t>(i);
    const auto next = statements.erase(at);
    const auto behind = statements.insert(next, whole.body.begin(), whole.body.end());
    statements.insert(behind + static_cast<std::ptrdiff_t>(whole.body.size()), whole.other.begin(),
                      whole.other.end());
    if (holds()) return true;
    statements.swap(before);
    return false;
  }

  // Calls name functions by number: the last may go.
  void drop_functions() {
    while (!program_.functions.empty() && left_ > 0) {
      std::vector<Statement> last = std::move(program_.functions.back());
      program_.functions.pop_back();
      if (holds()) continue;
      program_.functions.push_back(std::move(last));
      return;
    }
  }

  Program program_;
  const std::function<bool(const Program&)>& still_;
  int left_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& still, int attempts) {
  return Shrinker(std::move(program), still, attempts).run();
}

}  // namespace ladder::emulator::fuzz
