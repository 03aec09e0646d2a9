#include "common/harness/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "common/harness/worker_protocol.hpp"

namespace ladder {
namespace {

constexpr double most_reference_flops = 1e10;
constexpr std::int64_t most_hinted = 1 << 20;  // elements whose expected values are kept for hints

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::int64_t row_length(const Argument& argument, const Parameters& sizes) {
  return argument.row_length ? argument.row_length(sizes) : 0;
}

// A small generator for choosing rows; quality matters little, sameness everywhere does.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// Ranges of elements to compare, ascending: all, or whole rows chosen by the case's seed, the
// first and the last among them.
struct Range {
  std::int64_t begin, end;
};
std::vector<Range> ranges_to_compare(const Problem& problem, const Case& tried,
                                     const Argument& argument, std::int64_t elements,
                                     std::int64_t most_elements) {
  const double flops = problem.cost ? problem.cost(tried.parameters).flops : 0;
  const double share = std::min(flops > most_reference_flops ? most_reference_flops / flops : 1.0,
                                static_cast<double>(most_elements) /
                                    static_cast<double>(std::max<std::int64_t>(elements, 1)));
  if (share >= 1) return {{0, elements}};
  std::int64_t row = row_length(argument, tried.parameters);
  if (row <= 0) row = std::min<std::int64_t>(elements, 1024);
  const std::int64_t rows = (elements + row - 1) / row;
  const auto wanted =
      std::max<std::int64_t>(16, static_cast<std::int64_t>(share * static_cast<double>(rows)));
  if (wanted >= rows) return {{0, elements}};
  std::vector<std::int64_t> chosen = {0, rows - 1};
  for (std::int64_t i = 2; i < wanted; ++i) {
    chosen.push_back(static_cast<std::int64_t>(mixed(tried.seed + static_cast<std::uint64_t>(i)) %
                                               static_cast<std::uint64_t>(rows)));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Range> ranges;
  for (const std::int64_t index : chosen)
    ranges.push_back({index * row, std::min(elements, (index + 1) * row)});
  return ranges;
}

struct Count {
  std::int64_t compared = 0, wrong = 0, poisoned = 0;
  std::int64_t first = -1;  // wrong element
  Expected expected;        // of it
};

Count count_wrong(const Reference& reference, const Buffer& got, const std::vector<Range>& ranges) {
  Count count;
  for (const Range& range : ranges) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const Expected expected = reference(i);
      ++count.compared;
      if (expected.any || matches(expected, got.value(i), got.type())) continue;
      ++count.wrong;
      count.poisoned += is_poison(got, i);
      if (count.first < 0) {
        count.first = i;
        count.expected = expected;
      }
    }
  }
  return count;
}

std::string number(double value) {
  return format("%.7g", value);
}

// "expected 1.5, got 2 (off by 0.5, bound 0.001)"
std::string mismatch_text(const Expected& expected, const Buffer& got, std::int64_t element) {
  const double value = got.value(element);
  if (is_poison(got, element)) {
    const std::string text = "expected " + number(expected.value) + ", but it was never written";
    if (got.size() > 1 || got.type() == ElementType::i32) return text;
    return text + ", or added to before it was set (it holds NaN before every call)";
  }
  const NumberTexts texts = number_texts(expected.value, value);
  std::string text = "expected " + texts.first + ", got " + texts.second;
  if (std::isfinite(value) && std::isfinite(expected.value)) {
    text += " (off by " + format("%.2g", std::abs(value - expected.value));
    text += expected.bound == 0 ? "; here it must be exact)"
                                : ", bound " + format("%.2g", expected.bound) + ")";
  }
  return text;
}

std::string how_many(const Count& count, std::int64_t elements) {
  std::string text = std::to_string(count.wrong) + " of " + std::to_string(count.compared) +
                     (count.compared < elements ? " sampled elements " : " elements ");
  if (count.poisoned == count.wrong)
    return text + (count.wrong == 1 ? "was never written" : "were never written");
  text += count.wrong == 1 ? "is wrong" : "are wrong";
  if (count.poisoned > 0) text += ", " + std::to_string(count.poisoned) + " of them never written";
  return text;
}

Comparison compare_output(const Problem& problem, const Case& tried, const Inputs& inputs,
                          std::size_t index, std::size_t output, const Buffer& got,
                          const History& history, std::int64_t most_elements) {
  const Argument& argument = problem.arguments[index];
  const std::vector<Range> ranges =
      ranges_to_compare(problem, tried, argument, got.size(), most_elements);
  const Count count = count_wrong(problem.reference(tried, inputs)[output], got, ranges);
  if (count.wrong == 0) return {};

  Comparison comparison{false, {}};
  const std::string where = element_text(argument, tried.parameters, count.first);
  comparison.message = "  " + where + ": " + mismatch_text(count.expected, got, count.first);
  // Of an output that nothing was written to, a hint says so.
  const bool untouched = count.poisoned == got.size();
  if (got.size() > 1 && !untouched) comparison.message += "\n  " + how_many(count, got.size());
  if (ranges.size() > 1) return comparison;

  // A second reference: the first one has been asked already and may keep state.
  const Reference reference = problem.reference(tried, inputs)[output];
  std::vector<Expected> expected;
  Evidence evidence{problem, tried, argument, got, expected, {}, nullptr, history};
  for (std::int64_t i = 0; i < std::min(got.size(), most_hinted); ++i) {
    expected.push_back(reference(i));
    evidence.right.push_back(expected.back().any ||
                             matches(expected.back(), got.value(i), got.type()));
  }
  if (index < history.previous.size() && history.previous[index].size() == got.size())
    evidence.previous = &history.previous[index];
  for (const std::string& hint : hints(evidence)) comparison.message += "\n  " + hint;
  return comparison;
}

Comparison compare_input(const Case& tried, const Argument& argument, const Buffer& original,
                         const Buffer& after) {
  const auto before_bytes = original.bytes();
  const auto after_bytes = after.bytes();
  if (before_bytes.empty() ||
      std::memcmp(before_bytes.data(), after_bytes.data(), before_bytes.size()) == 0)
    return {};
  const auto difference =
      std::mismatch(before_bytes.begin(), before_bytes.end(), after_bytes.begin());
  const auto element = static_cast<std::int64_t>(
      static_cast<std::size_t>(difference.first - before_bytes.begin()) / size_of(argument.type));
  const NumberTexts texts = number_texts(original.value(element), after.value(element));
  return {false, "  the input was changed: " + element_text(argument, tried.parameters, element) +
                     " was " + texts.first + " and is now " + texts.second +
                     "\n  inputs are read only, even where a cast makes them writable"};
}

}  // namespace

bool is_poison(const Buffer& buffer, std::int64_t element) {
  const std::size_t size = size_of(buffer.type());
  const auto byte = std::byte{buffer.type() == ElementType::i32 ? protocol::integer_poison
                                                                : protocol::float_poison};
  const auto bytes = buffer.bytes().subspan(static_cast<std::size_t>(element) * size, size);
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == byte; });
}

bool matches(const Expected& expected, double got, ElementType type) {
  if (got == expected.value) return true;
  if (expected.bound != 0)
    return std::isfinite(got) && std::abs(got - expected.value) <= expected.bound;
  if (type == ElementType::f32)
    return got == static_cast<double>(static_cast<float>(expected.value));
  if (type == ElementType::i32) return false;
  Buffer rounded(type, 1);
  rounded.set(0, expected.value);
  return got == rounded.value(0);
}

std::string element_text(const Argument& argument, const Parameters& sizes, std::int64_t element) {
  const std::int64_t row = row_length(argument, sizes);
  if (row > 0)
    return argument.name + "[" + std::to_string(element / row) + "][" +
           std::to_string(element % row) + "]";
  // One element whatever the sizes are: a sum, a count.
  Parameters larger;
  for (const auto& [name, value] : sizes.entries()) larger.set(name, value + 1);
  if (argument.extent(sizes) == 1 && argument.extent(larger) == 1) return argument.name;
  return argument.name + "[" + std::to_string(element) + "]";
}

NumberTexts number_texts(double first, double second) {
  // A NaN's sign says nothing.
  if (std::isnan(first)) first = std::abs(first);
  if (std::isnan(second)) second = std::abs(second);
  for (const char* pattern : {"%.7g", "%.9g", "%.17g"}) {
    NumberTexts texts{format(pattern, first), format(pattern, second)};
    if (texts.first != texts.second || first == second) return texts;
  }
  return {format("%.17g", first), format("%.17g", second)};
}

Comparison compare_call(const Problem& problem, const Case& tried, const Inputs& inputs,
                        const std::vector<Buffer>& results, const History& history,
                        std::int64_t most_elements) {
  std::size_t output = 0;
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const Argument& argument = problem.arguments[i];
    Comparison comparison;
    if (argument.role == Role::in && results[i].size() == 0) continue;
    if (argument.role == Role::in)
      comparison = compare_input(tried, argument, inputs.find(argument.name)->second, results[i]);
    else if (argument.role != Role::scalar)
      comparison =
          compare_output(problem, tried, inputs, i, output++, results[i], history, most_elements);
    if (!comparison.right) return comparison;
  }
  return {};
}

Comparison compare_untouched(const Problem& problem, const std::vector<Buffer>& results) {
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    if (problem.arguments[i].role != Role::out) continue;
    for (std::int64_t element = 0; element < results[i].size(); ++element) {
      if (is_poison(results[i], element)) continue;
      return {false, "  there is nothing to do, but " + problem.arguments[i].name + "[" +
                         std::to_string(element) + "] was written (" +
                         number(results[i].value(element)) +
                         ")\n  return before the first launch when a size is 0"};
    }
  }
  return {};
}

}  // namespace ladder
