// Compares what a call left in its arrays with the problem's reference, and says what is wrong in
// words that help: where, expected, got, how far off, how many, and what the pattern suggests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// What is known from other calls; it only feeds hints.
struct History {
  std::vector<Parameters> right, wrong;  // sizes that were tried
  // The arrays after the call before this one, which had the same sizes and other contents; empty
  // if there was none.
  std::vector<Buffer> previous;
};

struct Comparison {
  bool right = true;
  std::string message;  // lines, each indented by two blanks; empty when right
};

// `results` holds one Buffer an argument, in signature order (scalars: empty). Inputs must still
// be what they were (an empty Buffer: it was not brought back); outputs are asked of the reference
// element by element. When the reference would cost more than about 10 GFLOP, or an output has more
// than `most_elements`, a sample of rows that depends on the case's seed is compared.
Comparison compare_call(const Problem& problem, const Case& tried, const Inputs& inputs,
                        const std::vector<Buffer>& results, const History& history = {},
                        std::int64_t most_elements = std::int64_t{1} << 40);

// A call for which the contract says that nothing is to be written (N = 0).
Comparison compare_untouched(const Problem& problem, const std::vector<Buffer>& results);

// Whether the element still holds what outputs are filled with before a call.
bool is_poison(const Buffer& buffer, std::int64_t element);

// Whether `got` is what the contract demands of an element of this type.
bool matches(const Expected& expected, double got, ElementType type);

// "C[3]", or "C[2][5]" where the argument has rows; "C" when it has one element at every size.
std::string element_text(const Argument& argument, const Parameters& sizes, std::int64_t element);

// Two numbers with as many digits as tell them apart.
struct NumberTexts {
  std::string first, second;
};
NumberTexts number_texts(double first, double second);

// ---- Hints from the pattern of wrong elements (compare_hints.cpp) ----

struct Evidence {
  const Problem& problem;
  const Case& tried;
  const Argument& argument;
  const Buffer& got;
  const std::vector<Expected>& expected;  // of the first elements; at least one
  std::vector<bool> right;                // as many
  const Buffer* previous = nullptr;       // the same array after the call before, or null
  const History& history;
};

// The most telling first; two at most, each one line without indentation.
std::vector<std::string> hints(const Evidence& evidence);

}  // namespace ladder
