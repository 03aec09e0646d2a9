// Weak definitions of what other parts have not delivered; a real one replaces each.
#include "common/cli/commands.hpp"
#include "common/harness/verdict.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace ladder {
namespace {
[[noreturn]] void missing(const char* what) {
  throw MachineError(std::string(what) + " is not in this build");
}
}  // namespace

namespace cli {
[[gnu::weak]] int dev_parity(const Running&) {
  missing("parity");
}
}  // namespace cli
}  // namespace ladder
