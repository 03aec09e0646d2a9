#include "common/cli/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace ladder::cli {
namespace {

// Becomes the program; returns when it cannot be started.
void start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
}

[[noreturn]] void execute(const std::vector<std::string>& command) {
  start(command);
  _exit(127);
}

int reap(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Finished run_and_watch(const std::vector<std::string>& command,
                       const std::function<void(const std::string&)>& line) {
  Finished finished;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return finished;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execute(command);
  }
  close(ends[1]);
  if (child > 0) {
    std::size_t seen = 0;
    char bytes[4096];
    ssize_t got = 0;
    while ((got = read(ends[0], bytes, sizeof bytes)) > 0) {
      finished.output.append(bytes, static_cast<std::size_t>(got));
      std::size_t end = 0;
      while (line && (end = finished.output.find('\n', seen)) != std::string::npos) {
        line(finished.output.substr(seen, end - seen));
        seen = end + 1;
      }
    }
    finished.code = reap(child);
  }
  close(ends[0]);
  return finished;
}

int run_here(const std::vector<std::string>& command) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return 127;
  if (child == 0) execute(command);
  return reap(child);
}

bool start_detached(const std::vector<std::string>& command) {
  // The end that is written to closes when the program starts; before that, a byte says it did not.
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const pid_t program = fork();
    if (program > 0) _exit(0);  // the program's parent is gone, so nobody has to wait for it
    if (program == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      for (const int end : {0, 1, 2}) dup2(nothing, end);
      if (nothing > 2) close(nothing);
      start(command);
    }
    const ssize_t said = write(ends[1], "x", 1);
    _exit(said == 1 ? 0 : 1);
  }
  close(ends[1]);
  char byte = 0;
  const bool started = child > 0 && read(ends[0], &byte, 1) == 0;
  if (child > 0) reap(child);
  close(ends[0]);
  return started;
}

}  // namespace ladder::cli
