#include "common/harness/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw MachineError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close_end(ends_[0]); }
  void close_write() { close_end(ends_[1]); }

 private:
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
};

// The actions and attributes of one posix_spawn.
class SpawnSettings {
 public:
  SpawnSettings(int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  pid_t spawn(const std::vector<std::string>& command, std::vector<std::string> environment) {
    std::vector<std::string> arguments = command;
    std::vector<char*> argv = pointers(arguments);
    std::vector<char*> envp = pointers(environment);
    pid_t child = -1;
    const int error =
        posix_spawnp(&child, argv[0], &actions_, &attributes_, argv.data(), envp.data());
    if (error != 0) {
      throw MachineError("cannot start " + command[0] + ": " + std::strerror(error));
    }
    return child;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& string : strings) result.push_back(string.data());
    result.push_back(nullptr);
    return result;
  }
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(added.begin(), added.end(),
                                      [&](const auto& pair) { return pair.first == name; });
    if (!replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : added) environment.push_back(name + "=" + value);
  return environment;
}

// Reads both streams until they end. Returns false when the deadline came first.
bool drain(Pipe& output, Pipe& errors, ProcessResult& result, const ProcessOptions& options,
           Clock::time_point start) {
  std::array<pollfd, 2> streams = {
      {{output.read_end(), POLLIN, 0}, {errors.read_end(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts = {&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    int wait_ms = -1;
    if (options.time_limit_s > 0) {
      const std::chrono::duration<double> spent = Clock::now() - start;
      const double left = options.time_limit_s - spent.count();
      if (left <= 0) return false;
      wait_ms = static_cast<int>(std::min(left * 1e3 + 1, 1e9));
    }
    if (poll(streams.data(), streams.size(), wait_ms) < 0 && errno != EINTR) return true;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      std::array<char, 65536> chunk;
      const ssize_t count = read(streams[i].fd, chunk.data(), chunk.size());
      if (count <= 0) {
        streams[i].fd = -1;
        continue;
      }
      const std::size_t room = options.output_limit_bytes - texts[i]->size();
      texts[i]->append(chunk.data(), std::min(static_cast<std::size_t>(count), room));
    }
  }
  return true;
}

}  // namespace

bool ends_within(pid_t child, double seconds) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == child) return true;
    if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void kill_with_group(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
}

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  const Clock::time_point start = Clock::now();
  Pipe output, errors;
  SpawnSettings settings(output.write_end(), errors.write_end());
  const pid_t child = settings.spawn(command, environment_with(options.environment));
  output.close_write();
  errors.close_write();

  ProcessResult result;
  const bool ended = drain(output, errors, result, options, start);
  const std::chrono::duration<double> spent = Clock::now() - start;
  if (!ended ||
      (options.time_limit_s > 0 && !ends_within(child, options.time_limit_s - spent.count()))) {
    result.timed_out = true;
    kill_with_group(child);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace ladder
