// What a problem is tried on: sizes, distributions and the numbers in the inputs.
//
// A case is a pure function of (problem, parameters, distribution, seed): every input element is
// drawn from a counter, never from a sequence, so a kernel can make the same inputs on a device
// (counter_random.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// The numbers of one input: one stream of the counter-based generator.
class Generator {
 public:
  // `stream` is the argument's index in the signature.
  Generator(std::uint64_t seed, unsigned stream);

  std::uint64_t bits(std::int64_t element) const;
  float uniform(std::int64_t element) const;  // in [-1, 1), a multiple of 2^-23
  // An integer in [-magnitude, magnitude], never 0, so that no lost element goes unseen.
  int integer(std::int64_t element, int magnitude) const;
  // An element of a distribution. Rows of `row_length` elements matter to minus_infinity only,
  // which leaves the last element of each row finite.
  //   exact           integers of 1 .. exact_magnitude, either sign
  //   random          uniform
  //   constant        +-1/8 .. +-1 in eighths, one value for the whole array
  //   outlier         uniform / 64; one in sixteen is 16 .. 32, either sign
  //   alternating     +-(1000 + uniform), signs + - + - in even streams, + + - - in odd ones,
  //                   so that the products of two arrays cancel as well
  //   large_offset    10000 + uniform or -10000 + uniform, one sign for the whole case
  //   minus_infinity  uniform; the first third of a row and one in eight of the rest are -inf
  float draw(Distribution distribution, std::int64_t element, std::int64_t row_length) const;

 private:
  std::uint64_t seed_;
  unsigned stream_;
  std::uint64_t key_;
};

// Products of two such integers sum exactly in fp32, in any order, for 2^18 terms; beyond that in
// any order that does not depend on the values (a random walk of 2^28 such terms stays below 2^22).
constexpr int exact_magnitude = 8;

// Fills `buffer` from the case's distribution: what happens when a problem has no `fill`.
void fill_from_distribution(const Case& tried, const Argument& argument, Generator& generator,
                            Buffer& buffer);
// Fills with integers of 1 .. magnitude for Distribution::exact, else from the distribution.
Fill exact_up_to(int magnitude);

// A case's inputs and the initial values of its inout operands. Throws Error(out_of_budget) for a
// size whose arrays are larger than this machine's memory.
Inputs make_inputs(const Problem& problem, const Case& tried);

// Every size with exact inputs (where the problem has them) and the real distributions spread over
// the sizes so that each meets small and large, friendly and ragged ones. Cases have seeds of their
// own, derived from `seed`.
std::vector<Case> cases_of(const Problem& problem, Tier tier, std::uint64_t seed);
// A size named by hand; scalars left out take the problem's defaults. Throws UsageError if it is
// outside the contract.
Parameters legal_size(const Problem& problem, const Parameters& wanted);
// Cases at such a size: every distribution of the problem, or the one that is asked for.
std::vector<Case> cases_at(const Problem& problem, const CaseSelector& wanted, std::uint64_t seed);

// Lists of sizes. Each returns `small`; `full` adds to it; `bench` is what the chapter names.
struct Sizes1D {
  std::int64_t largest_small = 70'001;  // about 69 blocks of 1024
  std::vector<std::int64_t> bench = {25'000'000};
};
// {"N"}: 1 .. 7, around 32 .. 1024, primes; full: around 2^16, 2^20, 1e6, 1e7.
std::vector<Parameters> sizes_1d(Tier tier, const Sizes1D& sizes = {});

// {rows, cols}: ragged rectangles, lines and columns; full: up to about 4000 x 4000. Rows of the
// largest small one, where counters are taken, are whole sectors, but no whole number of tiles.
struct Rectangle {
  std::int64_t rows, cols;
};
std::vector<Parameters> sizes_2d(Tier tier, const std::string& rows, const std::string& cols,
                                 const std::vector<Rectangle>& bench);

// {M, N, K}: each the ragged one in turn; full: up to about 1000.
struct Box {
  std::int64_t m, n, k;
};
std::vector<Parameters> sizes_3d(Tier tier, const std::vector<Box>& bench);

}  // namespace ladder
