#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

// Larger is worse; the order is that of worst()'s description.
int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::skipped:
      return 0;
    case Verdict::solved:
      return 1;
    case Verdict::usage:
      return 2;
    case Verdict::wrong:
      return 3;
    case Verdict::not_compiled:
      return 4;
    case Verdict::out_of_budget:
      return 5;
    case Verdict::trapped:
      return 6;
    case Verdict::machine_fault:
      return 7;
  }
  return 7;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::solved:
      return "solved";
    case Verdict::wrong:
      return "wrong answer";
    case Verdict::usage:
      return "usage";
    case Verdict::not_compiled:
      return "does not compile";
    case Verdict::trapped:
      return "trapped";
    case Verdict::out_of_budget:
      return "out of time or memory";
    case Verdict::machine_fault:
      return "machine fault";
    case Verdict::skipped:
      return "skipped";
  }
  return "unknown";
}

Verdict worst(Verdict a, Verdict b) {
  return severity(a) >= severity(b) ? a : b;
}

}  // namespace ladder
