// A problem: the contract that a solver fulfils. Signature, inputs, float64
// reference, error bound and cost, as data; no solver and no device is known here.
//
// Chapters describe their problems in chapters/NN_name/chapter.cpp and hand them
// over in one function (see chapters/registry.cpp). The checker generates inputs
// from a problem, the worker gets only roles, byte counts and scalar bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

enum class ElementType { f32, f16, bf16, i32 };
std::size_t size_of(ElementType type);  // bytes

// Values of a case's scalar arguments and sizes by name: {"N": 257}, {"alpha": 1.5}.
// Every scalar of the signature has an entry; integers are held exactly.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<const std::string, double>> values);
  std::int64_t operator[](std::string_view name) const;  // an integer; throws Error if absent
  double real(std::string_view name) const;
  void set(std::string name, double value);
  bool contains(std::string_view name) const;
  const std::vector<std::pair<std::string, double>>& entries() const { return entries_; }
  std::string text() const;  // "M=16 N=32 K=8"
  friend bool operator==(const Parameters&, const Parameters&) = default;

 private:
  std::vector<std::pair<std::string, double>> entries_;  // in the order of the signature
};

// How the values of a case's inputs are drawn.
enum class Distribution {
  exact,           // small integers: every partial sum fits 24 bits, equality is demanded
  random,          // uniform in [-1, 1)
  constant,        // one value everywhere
  outlier,         // mostly small, a few large: one-hot like
  alternating,     // alternating signs, large magnitudes that cancel
  large_offset,    // random + 1e4 or - 1e4
  minus_infinity,  // some -inf among finite values (softmax, max)
};
std::string_view name_of(Distribution distribution);

struct Case {
  Parameters parameters;
  Distribution distribution = Distribution::random;
  std::uint64_t seed = 0;
  std::string bound;         // "" or one of Problem::bounds, as the solver's @bound asks
  std::string text() const;  // "N = 257, random"
};

// Cases asked for by hand (--case) or by a header (@fails ... at): a size, and perhaps only one
// distribution. Scalars left out take Problem::defaults.
struct CaseSelector {
  Parameters parameters;
  std::optional<Distribution> distribution;
};

enum class Role { in, out, inout, scalar };

// One argument of solve(), in the order of the signature.
struct Argument {
  std::string name;
  Role role = Role::in;
  ElementType type = ElementType::f32;  // scalar: i32 (int) or f32 (float)
  // Elements of an array; unused for scalars, whose value is parameters[name].
  std::function<std::int64_t(const Parameters&)> extent = {};
  // Elements of one row of a two-dimensional array, so that messages can say [row][column] and
  // large outputs can be sampled by rows. Empty: a vector.
  std::function<std::int64_t(const Parameters&)> row_length = {};
};

// A typed host array.
class Buffer {
 public:
  Buffer() = default;
  Buffer(ElementType type, std::int64_t elements);
  ElementType type() const { return type_; }
  std::int64_t size() const;  // elements
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // f32 only / i32 only; throws std::logic_error for another type.
  std::span<float> f32();
  std::span<const float> f32() const;
  std::span<std::int32_t> i32();
  std::span<const std::int32_t> i32() const;
  double value(std::int64_t element) const;      // any type, widened exactly
  void set(std::int64_t element, double value);  // rounded to the type, nearest even

 private:
  ElementType type_ = ElementType::f32;
  std::vector<std::byte> bytes_;
};

// A case's arrays by argument name, inputs only (an inout operand's initial value included).
using Inputs = std::map<std::string, Buffer, std::less<>>;

// What an output element must be: |got - value| <= bound. A bound of 0 demands equality
// with `value` rounded to the output's type, nearest even (-0 equals 0, an infinity itself; NaN
// never matches). `any` marks elements the contract leaves open (compact's rest).
struct Expected {
  double value = 0;
  double bound = 0;
  bool any = false;
};

// The reference of one output array: asked for elements in ascending order, possibly with
// gaps (sampling), never twice. It may keep state (a scan's running sum, a row's statistics).
using Reference = std::function<Expected(std::int64_t element)>;

// Fills one input array; the default draws from the case's distribution.
class Generator;  // cases.hpp: counter-based, the same numbers on CPU and GPU
using Fill = std::function<void(const Case&, const Argument&, Generator&, Buffer&)>;

// How large: `small` for the emulator, `full` adds sizes for a GPU, `bench` is timed.
enum class Tier { small, full, bench };

struct Cost {
  double bytes = 0;  // compulsory traffic: each input read once, each output written once
  double flops = 0;
};

struct Problem {
  std::string name;     // "vector_add"
  std::string chapter;  // "01_vector_add"
  std::string title;    // one line for `ladder list`
  std::vector<Argument> arguments;

  // Distributions tried besides `exact` (which is tried only when has_exact).
  std::vector<Distribution> distributions = {Distribution::random};
  bool has_exact = true;

  // Legal sizes around tiles, warps, blocks, primes, ragged rectangles (helpers: cases.hpp).
  std::function<std::vector<Parameters>(Tier)> sizes;
  // Sizes at which the contract says nothing is to be written (N = 0): own solvers only.
  std::vector<Parameters> empty_sizes;
  // Why these parameters are outside the contract, or nothing. Called for --case too.
  std::function<std::optional<std::string>(const Parameters&)> illegal;

  Fill fill = {};  // empty: the distribution fills every input
  // One Reference per output argument, in signature order. The inputs must outlive them.
  std::function<std::vector<Reference>(const Case&, const Inputs&)> reference;
  // Names of other bounds that the reference knows (Case::bound): a tighter one for a solver that
  // claims accuracy, a 16-bit accumulation's.
  std::vector<std::string> bounds;
  Parameters defaults;  // of the scalars that a --case may leave out: {"alpha": 1}
  // "2^-16 * sum|x|", as shown to a learner whose answer is off.
  std::string bound_text;
  std::function<Cost(const Parameters&)> cost;

  std::string prototype() const;  // "void solve(const float* A, ..., int N)"
  const Argument& argument(std::string_view name) const;
};

class ProblemRegistry {
 public:
  void add(Problem problem);  // throws std::logic_error on a second of the same name
  const Problem* find(std::string_view name) const;
  const std::vector<Problem>& all() const { return problems_; }
  std::string nearest(std::string_view name) const;  // for "did you mean"

 private:
  std::vector<Problem> problems_;
};

// All chapters' problems (chapters/registry.cpp).
const ProblemRegistry& problems();

}  // namespace ladder
