#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "common/emulator/kernel_runs/kernel_run.hpp"

namespace ladder::emulator {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kFinished = 0, kFailed = 1, kSpoilt = 2;  // exit codes of a child
constexpr unsigned kSecondsToPrepare = 60;

// What a child has done so far, in a file without a name.
class Results {
 public:
  Results() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("no room for temporary files");
  }
  ~Results() { std::fclose(file_); }
  Results(const Results&) = delete;

  void append(const std::string& text) {
    const std::uint64_t size = text.size();
    if (std::fwrite(&size, sizeof size, 1, file_) != 1 ||
        std::fwrite(text.data(), 1, size, file_) != size || std::fflush(file_) != 0)
      throw std::runtime_error(std::string("cannot keep a result: ") + std::strerror(errno));
  }
  std::vector<std::string> read() {
    std::vector<std::string> all;
    std::rewind(file_);
    for (std::uint64_t size = 0; std::fread(&size, sizeof size, 1, file_) == 1;) {
      std::string text(size, '\0');
      if (std::fread(text.data(), 1, size, file_) != size) break;
      all.push_back(std::move(text));
    }
    return all;
  }

 private:
  std::FILE* file_;
};

struct Child {
  std::size_t next = 0;  // the piece that it does first; then every jobs-th
  pid_t process = 0;
  std::unique_ptr<Results> results;
};

std::string how_it_died(int status, unsigned seconds) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "no end after " + std::to_string(seconds) + " s";
  return "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

std::vector<std::string> in_processes(std::size_t count, const Limits& limits,
                                      const std::function<Work()>& prepare,
                                      std::vector<Death>& deaths) {
  std::vector<std::string> results(count);
  const std::size_t step = static_cast<std::size_t>(std::max(limits.jobs, 1));
  const auto end = Clock::now() + std::chrono::seconds(limits.deadline_s);
  const auto too_late = [&] { return limits.deadline_s != 0 && Clock::now() > end; };
  std::vector<Child> children;
  const auto start = [&](Child& child) {
    child.results = std::make_unique<Results>();
    std::fflush(nullptr);
    child.process = fork();
    if (child.process < 0) throw std::runtime_error("fork failed");
    if (child.process > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing is left behind where the parent is killed
    int code = kFinished;
    try {
      alarm(kSecondsToPrepare);
      const Work work = prepare();
      for (std::size_t i = child.next; i < count && code == kFinished; i += step) {
        if (too_late()) break;
        alarm(limits.seconds);
        const Piece piece = work(i);
        child.results->append(piece.result);
        if (piece.process_is_spoilt) code = kSpoilt;
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      code = kFailed;
    }
    std::fflush(nullptr);
    _exit(code);
  };
  for (std::size_t first = 0; first < std::min(step, count); ++first) {
    children.emplace_back();
    children.back().next = first;
    start(children.back());
  }
  for (Child& child : children) {
    while (child.next < count) {
      int status = 0;
      waitpid(child.process, &status, 0);
      for (std::string& text : child.results->read()) {
        results[child.next] = std::move(text);
        child.next += step;
      }
      if (WIFEXITED(status) && WEXITSTATUS(status) == kFinished) break;
      if (child.next < count && !(WIFEXITED(status) && WEXITSTATUS(status) == kSpoilt)) {
        deaths.push_back({child.next, how_it_died(status, limits.seconds)});
        child.next += step;
      }
      if (child.next < count) start(child);
    }
  }
  return results;
}

Outcome Machine::run(const KernelRun& run) {
  const std::string error = load(run.ptx);
  if (error.empty()) return launch(run);
  Outcome outcome;
  outcome.error = error;
  return outcome;
}

std::vector<Outcome> run_all(const std::vector<KernelRun>& runs,
                             const std::function<std::unique_ptr<Machine>()>& make,
                             const Limits& limits) {
  std::vector<Death> deaths;
  const auto prepare = [&]() -> Work {
    const std::shared_ptr<Machine> machine = make();
    return [&runs, machine](std::size_t i) {
      const Outcome outcome = machine->run(runs[i]);
      if (!outcome.ok()) return Piece{"e" + outcome.error, outcome.machine_is_lost};
      const auto* bytes = reinterpret_cast<const char*>(outcome.out.data());
      return Piece{"o" + std::string(bytes, outcome.out.size())};
    };
  };
  const std::vector<std::string> texts = in_processes(runs.size(), limits, prepare, deaths);
  std::vector<Outcome> outcomes(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& text = texts[i];
    if (text.empty()) {
      outcomes[i].error = "not run: the time was over";
    } else if (text[0] == 'e') {
      outcomes[i].error = text.substr(1);
    } else {
      outcomes[i].out.resize(text.size() - 1);
      std::memcpy(outcomes[i].out.data(), text.data() + 1, text.size() - 1);
    }
  }
  for (const Death& death : deaths) outcomes[death.index].error = "died: " + death.how;
  return outcomes;
}

std::string machine_name(const std::function<std::unique_ptr<Machine>()>& make) {
  std::vector<Death> deaths;
  const auto prepare = [&]() -> Work {
    const std::string name = make()->name();
    return [name](std::size_t) { return Piece{name}; };
  };
  return in_processes(1, {1, kSecondsToPrepare, 0}, prepare, deaths)[0];
}

}  // namespace ladder::emulator
