// The `ladder` command: parses, runs, and turns what went wrong into a message and an exit code.
#include <algorithm>
#include <cstdio>
#include <exception>
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

}  // namespace

int main(int argc, char** argv) {
  try {
    return ladder::cli::parse_and_run(argc, argv);
  } catch (const ladder::Error& error) {
    if (wants_json(argc, argv))
      std::fputs(ladder::to_json(error.verdict(), error.what()).c_str(), stdout);
    std::fflush(stdout);
    std::fprintf(stderr, "ladder: %s\n", error.what());
    return static_cast<int>(error.verdict());
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "ladder: this is our fault, not yours: %s\n", error.what());
    return static_cast<int>(ladder::Verdict::machine_fault);
  }
}
