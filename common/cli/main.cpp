// The `ladder` command: parses, runs, and turns what went wrong into a message and an exit code.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "common/cli/arguments.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace {

// Who asked for JSON gets JSON; but what stands behind `emulate` may be the program's.
bool wants_json(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) != "emulate" &&
         std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--json"; });
}

// What kept a command from its end: a message, and the exit code.
int failed(ladder::Verdict verdict, const std::string& message, bool json) {
  if (json) std::fputs(ladder::to_json(verdict, message).c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "ladder: %s\n", message.c_str());
  return static_cast<int>(verdict);
}

int run(int argc, char** argv) {
  try {
    return ladder::cli::parse_and_run(argc, argv);
  } catch (const ladder::Error& error) {
    return failed(error.verdict(), error.what(), wants_json(argc, argv));
  } catch (const std::exception& error) {
    return failed(ladder::Verdict::machine_fault,
                  std::string("this is our fault, not yours: ") + error.what(),
                  wants_json(argc, argv));
  }
}

// A pipe's other end is closed: asked of the pipe, as the write that failed may be long ago.
bool reader_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

// Whoever keeps the answer in a file must hear that it is not whole; a reader who has left does not
// want the rest.
bool output_is_lost() {
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  return lost && !reader_left();
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run(argc, argv);
  if (!output_is_lost()) return code;
  std::fprintf(stderr, "ladder: its answer could not be written; is the disk full?\n");
  return static_cast<int>(ladder::Verdict::machine_fault);
}
