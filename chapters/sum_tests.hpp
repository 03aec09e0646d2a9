// Sums as the chapters' solvers make them, on the emulator and on a GPU: for tests of what a chapter's
// text says of its sums beyond "within the bound".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// A case over `elements` elements of a problem, its contents drawn from `seed`.
Case sum_case(std::int64_t elements, std::uint64_t seed,
              Distribution distribution = Distribution::random);

// The only output of one problem, by any solver of its chapter, on one backend.
class SumMachine {
 public:
  virtual ~SumMachine() = default;

  // The results of `count` calls of `solver` ("step_02_x", "ceiling_cub") with
  // the same contents, on the emulator with the warps in another order each
  // time.
  virtual std::vector<double> sums(const std::string& solver, const Case& tried,
                                   const Inputs& inputs, int count) = 0;
  const Problem& problem() const { return problem_; }

 protected:
  explicit SumMachine(const Problem& problem);
  // The only output's place in the signature.
  std::size_t output() const { return output_; }

 private:
  const Problem& problem_;
  std::size_t output_ = 0;
};

std::unique_ptr<SumMachine> sums_on_emulator(const Problem& problem);
// Null, with a message, where there is no GPU.
std::unique_ptr<SumMachine> sums_on_gpu(const Problem& problem);

// Checks that each of `solvers` gives equal bits on a hundred calls with the
// same zero-mean contents.
void check_equal_bits(SumMachine& machine,
                      const std::vector<std::string>& solvers,
                      std::int64_t elements);

// Checks that over four zero-mean inputs the errors of `ours` are within the
// problem's bound, and the sum of their squares no larger than that of
// `theirs`: which of two roundings is the luckier differs from input to input.
void check_at_least_as_accurate(SumMachine& machine, const std::string& ours,
                                const std::string& theirs,
                                std::int64_t elements);

}  // namespace ladder
