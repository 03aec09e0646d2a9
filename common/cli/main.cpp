// The `ladder` command: parses, runs, and turns what went wrong into a message and an exit code.
#include <cstdio>
#include <exception>

#include "common/cli/arguments.hpp"
#include "common/harness/verdict.hpp"

int main(int argc, char** argv) {
  try {
    return ladder::cli::parse_and_run(argc, argv);
  } catch (const ladder::Error& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "ladder: %s\n", error.what());
    return static_cast<int>(error.verdict());
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "ladder: this is our fault, not yours: %s\n", error.what());
    return static_cast<int>(ladder::Verdict::machine_fault);
  }
}
