// The obvious loop for every problem, for tests: in fp32 it is what a careful
// but unhurried solver computes, in long double it is a second opinion on the
// reference, and with a named bug it is a wrong solver that must be found out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// One call: inputs as the judge makes them, outputs (and inout operands) in
// signature order, as numbers that are yet to be rounded to the output's type.
struct PlainCall {
  const Parameters& at;
  const Inputs& in;
  std::vector<std::vector<double>>& out;
  std::string_view bug = "";

  bool has(std::string_view name) const { return bug == name; }
};

struct PlainSolver {
  std::string problem;
  void (*in_fp32)(const PlainCall&);
  void (*in_long_double)(const PlainCall&);
  std::vector<std::string> bugs;  // each a name that in_fp32 knows
};

const std::vector<PlainSolver>& plain_solvers();

}  // namespace ladder
