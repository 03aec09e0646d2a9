// Hints: what the pattern of right and wrong elements suggests. Each finder looks for one mistake
// that learners make and says nothing when in doubt.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "common/harness/compare.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder {
namespace {

using Hint = std::optional<std::string>;

constexpr std::int64_t likely_blocks[] = {1024, 512, 256, 128, 64, 32};
// Fewer elements than this fit many patterns by chance.
constexpr std::int64_t fewest_for_pattern = 8;

std::int64_t size(const Evidence& e) {
  return static_cast<std::int64_t>(e.right.size());
}
bool right(const Evidence& e, std::int64_t i) {
  return e.right[static_cast<std::size_t>(i)];
}
const Expected& expected(const Evidence& e, std::int64_t i) {
  return e.expected[static_cast<std::size_t>(i)];
}
std::string text(std::int64_t value) {
  return std::to_string(value);
}
bool name_has(const Evidence& e, std::string_view part) {
  return e.problem.name.find(part) != std::string::npos;
}

// The share of elements for which `agrees(i)` holds is at least 95 %, and fewer were right as
// they stand: a pattern that explains the answer better than chance.
template <class Agrees>
bool explains(const Evidence& e, std::int64_t from, std::int64_t to, Agrees agrees) {
  if (to - from < fewest_for_pattern) return false;
  std::int64_t agreeing = 0, already_right = 0;
  for (std::int64_t i = from; i < to; ++i) {
    agreeing += agrees(i);
    already_right += right(e, i);
  }
  return agreeing * 20 >= (to - from) * 19 && already_right * 2 < to - from;
}

bool got_matches(const Evidence& e, std::int64_t element, std::int64_t of) {
  return matches(expected(e, of), e.got.value(element), e.got.type());
}

std::optional<std::int64_t> first_wrong(const Evidence& e) {
  for (std::int64_t i = 0; i < size(e); ++i) {
    if (!right(e, i)) return i;
  }
  return std::nullopt;
}

// Every wrong element satisfies the condition.
template <class Condition>
bool all_wrong(const Evidence& e, Condition condition) {
  for (std::int64_t i = 0; i < size(e); ++i) {
    if (!right(e, i) && !condition(i)) return false;
  }
  return true;
}

// ---- Finders ---------------------------------------------------------------------------------

Hint never_written(const Evidence& e) {
  if (!all_wrong(e, [&](std::int64_t i) { return is_poison(e.got, i); })) return {};
  const bool any_right = std::find(e.right.begin(), e.right.end(), true) != e.right.end();
  if (any_right || e.got.size() == 1) return {};
  return "no element of " + e.argument.name +
         " was written: is the kernel launched, and with a grid that is not empty?";
}

Hint prefix_written(const Evidence& e) {
  const auto first = first_wrong(e);
  if (!first || *first == 0 || size(e) != e.got.size()) return {};
  for (std::int64_t i = *first; i < size(e); ++i) {
    if (right(e, i) || !is_poison(e.got, i)) return {};
  }
  std::string hint =
      "only the first " + text(*first) + " of " + text(size(e)) + " elements were written";
  for (const std::int64_t block : likely_blocks) {
    if (*first % block == 0 && size(e) - *first < block)
      return hint + ", a multiple of " + text(block) +
             ": look at the last block's tail (round the grid up)";
  }
  if (*first == size(e) / 4 && size(e) >= 16)  // of 7 elements the first is no quarter
    return hint + ", a quarter: is the grid sized for N / 4 threads, or a copy for N bytes?";
  if (size(e) - *first < 4 && *first % 4 == 0)
    return hint + ", a multiple of 4: the elements after the last float4 need code of their own";
  return hint + ": is the grid large enough?";
}

// "every size that is a multiple of 256 is right", from other cases.
Hint right_at_multiples(const Evidence& e) {
  const History& history = e.history;
  std::vector<Parameters> wrong = history.wrong;
  if (std::find(wrong.begin(), wrong.end(), e.tried.parameters) == wrong.end())
    wrong.push_back(e.tried.parameters);
  for (const auto& [name, unused] : e.tried.parameters.entries()) {
    const Argument& argument = e.problem.argument(name);
    if (argument.type != ElementType::i32) continue;
    const auto multiple = [&](std::int64_t of) {
      return [&, of](const Parameters& sizes) { return sizes[name] % of == 0; };
    };
    for (const std::int64_t of : {1024, 512, 256, 128, 64, 32, 16, 8, 4, 2}) {
      if (history.right.size() < 2 ||
          !std::all_of(history.right.begin(), history.right.end(), multiple(of)) ||
          std::any_of(wrong.begin(), wrong.end(), multiple(of)))
        continue;
      const std::string which =
          e.problem.arguments.back().name == name && e.tried.parameters.entries().size() == 1
              ? "size"
              : name;
      return "every " + which + " that is a multiple of " + text(of) +
             " is right: look at the last " + (of >= 32 ? "block" : "vector") + "'s tail";
    }
  }
  return {};
}

Hint answer_of_the_call_before(const Evidence& e) {
  if (e.previous == nullptr) return {};
  const auto now = e.got.bytes(), before = e.previous->bytes();
  if (is_poison(e.got, 0) || !std::equal(now.begin(), now.end(), before.begin())) return {};
  return "this is the answer to the call before, whose inputs had other values: nothing may be "
         "kept from call to call but scratch memory";
}

Hint added_to_the_call_before(const Evidence& e) {
  if (e.previous == nullptr || is_poison(e.got, 0)) return {};
  bool told_apart = false;
  for (std::int64_t i = 0; i < size(e); ++i) {
    const double sum = expected(e, i).value + e.previous->value(i);
    const double slack = expected(e, i).bound * 2 + 1e-6 * std::abs(sum);
    if (!(std::abs(e.got.value(i) - sum) <= slack)) return {};
    told_apart = told_apart || std::abs(e.previous->value(i)) > 4 * slack;
  }
  if (!told_apart) return {};
  return "this is the right answer plus that of the call before: set what you add to inside "
         "every call";
}

// Problems whose solvers take an exponential.
bool takes_exp(const Evidence& e) {
  for (const char* name : {"softmax", "attention", "mha", "silu", "gelu"}) {
    if (name_has(e, name)) return true;
  }
  return false;
}

// The end of an element's bytes is still the poison: something was copied by too few bytes.
Hint written_in_part(const Evidence& e) {
  const auto first = first_wrong(e);
  if (!first || is_poison(e.got, *first) || e.got.type() != ElementType::f32) return {};
  const auto bytes = e.got.bytes().subspan(static_cast<std::size_t>(*first) * 4, 4);
  const auto poison = std::byte{protocol::float_poison};
  if (bytes[3] != poison || bytes[2] != poison) return {};
  return "only the first bytes of it were written: are sizes given in bytes, N * sizeof(float)?";
}

Hint not_a_number(const Evidence& e) {
  bool nan = false, infinite = false;
  for (std::int64_t i = 0; i < size(e); ++i) {
    if (right(e, i) || is_poison(e.got, i)) continue;
    nan = nan || std::isnan(e.got.value(i));
    infinite = infinite || std::isinf(e.got.value(i));
  }
  if (!nan && !infinite) return {};
  const Distribution drawn = e.tried.distribution;
  const bool large = drawn == Distribution::large_offset || drawn == Distribution::outlier ||
                     drawn == Distribution::alternating;
  if (takes_exp(e) && large) {
    const bool normalised = !name_has(e, "silu") && !name_has(e, "gelu");
    return std::string("exp of a large number overflows") +
           (normalised ? ": subtract the maximum before it"
                       : ": write the formula so that an infinite exp still gives the limit");
  }
  if (takes_exp(e) && drawn == Distribution::minus_infinity)
    return "-inf minus -inf is NaN: a maximum that is still -inf must not be subtracted";
  if (!nan || e.argument.role != Role::out || written_in_part(e)) return {};
  return e.argument.name +
         " holds NaN before every call: is something added to it (atomicAdd, +=) before it is "
         "set, or is it read?";
}

Hint integer_added_to(const Evidence& e) {
  if (e.got.type() != ElementType::i32 || e.argument.role != Role::out) return {};
  Buffer poison(ElementType::i32, 1);
  std::memset(poison.bytes().data(), 0xA5, poison.bytes().size());
  const auto old = static_cast<std::int64_t>(poison.value(0));
  for (std::int64_t i = 0; i < size(e); ++i) {
    const auto sum = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::int64_t>(expected(e, i).value) + old));
    if (e.got.value(i) != sum) return {};
  }
  return e.argument.name + " was added to without being set first: it holds " + text(old) +
         " before every call";
}

Hint transposed(const Evidence& e) {
  const std::int64_t columns =
      e.argument.row_length ? e.argument.row_length(e.tried.parameters) : 0;
  if (columns < 2 || size(e) != e.got.size()) return {};
  const std::int64_t rows = size(e) / columns;
  if (rows < 2) return {};
  if (!explains(e, 0, size(e),
                [&](std::int64_t i) { return got_matches(e, i, i % rows * columns + i / rows); }))
    return {};
  return "this is the right matrix transposed: rows and columns are swapped";
}

Hint shifted(const Evidence& e) {
  const std::int64_t n = size(e);
  const auto one_early = [&](std::int64_t i) { return got_matches(e, i, i - 1); };
  const auto one_late = [&](std::int64_t i) { return got_matches(e, i, i + 1); };
  const bool scan = name_has(e, "scan");
  if (explains(e, 1, n, one_early)) {
    if (scan && e.got.value(0) == 0)
      return "this is the exclusive scan: element i must include input i";
    return "every element holds what belongs one place before it: an index is off by one";
  }
  if (explains(e, 0, n - 1, one_late)) {
    if (scan && name_has(e, "exclusive"))
      return "this is the inclusive scan: element i must not include input i";
    return "every element holds what belongs one place after it: an index is off by one";
  }
  return {};
}

Hint scaled(const Evidence& e) {
  // One integer, an index perhaps, is a multiple of another by chance.
  if (e.got.type() == ElementType::i32 && size(e) == 1) return {};
  for (const double factor : {2.0, 0.5, -1.0, 4.0, 0.25, 32.0}) {
    bool all = true, told = false;
    for (std::int64_t i = 0; i < size(e) && all; ++i) {
      const double wanted = factor * expected(e, i).value;
      const double slack = std::abs(factor) * expected(e, i).bound + 1e-6 * std::abs(wanted);
      const double off = std::abs(e.got.value(i) - wanted);
      all = expected(e, i).any || off <= slack;
      // A bound so wide that -61 passes for 32 times -2 tells nothing.
      told = told ||
             (std::abs(wanted - expected(e, i).value) > 4 * slack && 32 * off < std::abs(wanted));
    }
    if (!all || !told) continue;
    if (factor == -1.0) return "every value has the wrong sign";
    char number[32];
    std::snprintf(number, sizeof number, "%g", factor);
    return std::string("every value is ") + number + " times what it should be" +
           (factor > 1 ? ": is each element counted more than once?" : ": are elements left out?");
  }
  return {};
}

Hint wrong_suffix(const Evidence& e) {
  if (prefix_written(e)) return {};  // which says the same
  const auto first = first_wrong(e);
  if (!first || *first == 0 || size(e) != e.got.size()) return {};
  for (std::int64_t i = *first; i < size(e); ++i) {
    if (right(e, i)) return {};
  }
  std::string hint = "all is right up to element " + text(*first - 1) + ", nothing after it";
  for (const std::int64_t block : likely_blocks) {
    if (*first % block != 0) continue;
    return hint + ": " + text(*first) + " is a multiple of " + text(block) +
           (size(e) - *first < block ? "; look at the last block's tail"
                                     : "; does each block know what comes before it?");
  }
  return hint;
}

// Right (or wrong) are exactly the elements with index % period == remainder.
Hint periodic(const Evidence& e) {
  for (const std::int64_t period : {2, 4, 8, 16, 32, 64, 128, 256}) {
    if (size(e) < 3 * period) break;
    for (const bool which : {true, false}) {
      std::optional<std::int64_t> remainder;
      bool fits = true;
      for (std::int64_t i = 0; i < size(e) && fits; ++i) {
        if (right(e, i) == which && !remainder) remainder = i % period;
        fits = !remainder ? i < period : (right(e, i) == which) == (i % period == *remainder);
      }
      if (!fits || !remainder) continue;
      const bool second = period % 10 == 2;  // 2nd, 32nd; the others are 4th, 8th, ...
      const std::string every = "every " + text(period) + (second ? "nd" : "th") + " element (" +
                                text(*remainder) + ", " + text(*remainder + period) + ", ...)";
      return which ? "only " + every + " is right" : every + " is wrong, the others are right";
    }
  }
  return {};
}

Hint ragged_edge(const Evidence& e) {
  const std::int64_t columns =
      e.argument.row_length ? e.argument.row_length(e.tried.parameters) : 0;
  if (columns < 2 || size(e) != e.got.size()) return {};
  const std::int64_t rows = size(e) / columns;
  std::int64_t column = columns, row = rows;  // the first ones with a wrong element
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < size(e); ++i) {
    if (right(e, i)) continue;
    ++wrong;
    column = std::min(column, i % columns);
    row = std::min(row, i / columns);
  }
  const auto edge = [](const char* what, std::int64_t from, std::int64_t of) {
    return std::string("all wrong elements are in the last ") + what + " (from " + text(from) +
           " of " + text(of) + " on): look at the tiles on the ragged edge";
  };
  if (column > 0 && wrong == (columns - column) * rows) return edge("columns", column, columns);
  if (row > 0 && wrong == (rows - row) * columns) return edge("rows", row, rows);
  return {};
}

}  // namespace

std::vector<std::string> hints(const Evidence& evidence) {
  constexpr std::array<Hint (*)(const Evidence&), 14> finders = {answer_of_the_call_before,
                                                                 added_to_the_call_before,
                                                                 integer_added_to,
                                                                 never_written,
                                                                 written_in_part,
                                                                 right_at_multiples,
                                                                 prefix_written,
                                                                 not_a_number,
                                                                 transposed,
                                                                 shifted,
                                                                 scaled,
                                                                 ragged_edge,
                                                                 periodic,
                                                                 wrong_suffix};
  std::vector<std::string> found;
  for (const auto& find : finders) {
    if (const Hint hint = find(evidence)) found.push_back(*hint);
    if (found.size() == 2) break;
  }
  return found;
}

}  // namespace ladder
