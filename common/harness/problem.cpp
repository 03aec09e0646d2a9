#include "common/harness/problem.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace {

// An IEEE binary format of 16 bits: sign, exponent, mantissa.
struct Format16 {
  int mantissa_bits;
  int smallest_exponent;  // of a normal number
  std::uint16_t infinity;
};
constexpr Format16 half_format{10, -14, 0x7C00};
constexpr Format16 bfloat16_format{7, -126, 0x7F80};

// Rounds to nearest, ties to even, in one step from f64: subnormals and overflow included.
std::uint16_t encode(double value, const Format16& format) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7FFF;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | format.infinity;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), format.smallest_exponent);
  // In units of the last place; adding it to the exponent field lets a rounding carry over.
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const std::int64_t fields =
      (std::int64_t{exponent - format.smallest_exponent} << format.mantissa_bits) +
      static_cast<std::int64_t>(units);
  return sign | static_cast<std::uint16_t>(std::min<std::int64_t>(fields, format.infinity));
}

double decode(std::uint16_t bits, const Format16& format) {
  const int fields = bits & 0x7FFF;
  const int mantissa_range = 1 << format.mantissa_bits;
  const int exponent_field = fields >> format.mantissa_bits;
  const int mantissa = fields & (mantissa_range - 1);
  double magnitude;
  if (fields >= format.infinity) {
    magnitude = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent_field == 0) {
    magnitude = std::ldexp(mantissa, format.smallest_exponent - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa_range + mantissa,
                           format.smallest_exponent - format.mantissa_bits + exponent_field - 1);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

const std::vector<float>& decoded_half() {
  static const std::vector<float> values = [] {
    std::vector<float> all(65536);
    for (int bits = 0; bits < 65536; ++bits) {
      all[bits] = static_cast<float>(decode(static_cast<std::uint16_t>(bits), half_format));
    }
    return all;
  }();
  return values;
}

template <typename T>
T* elements_of(std::vector<std::byte>& bytes, ElementType type, ElementType wanted) {
  if (type != wanted) throw std::logic_error("a buffer is read as a type that it does not have");
  return reinterpret_cast<T*>(bytes.data());
}

std::string number_text(double value) {
  char text[32];
  if (value == std::trunc(value) && std::fabs(value) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%g", value);
  }
  return text;
}

std::string_view c_name_of(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "float";
    case ElementType::f16:
      return "half";
    case ElementType::bf16:
      return "__nv_bfloat16";
    case ElementType::i32:
      return "int";
  }
  throw std::logic_error("an element type without a C name");
}

}  // namespace

std::size_t size_of(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 ? 2 : 4;
}

std::string_view name_of(Distribution distribution) {
  constexpr std::array<std::string_view, 7> names = {
      "exact", "random", "constant", "outlier", "alternating", "large_offset", "minus_infinity"};
  return names.at(static_cast<std::size_t>(distribution));
}

Parameters::Parameters(std::initializer_list<std::pair<const std::string, double>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

double Parameters::real(std::string_view name) const {
  for (const auto& [known, value] : entries_) {
    if (known == name) return value;
  }
  throw UsageError("no value for parameter '" + std::string(name) + "' in " +
                   (entries_.empty() ? "an empty case" : text()) + ": give one, as in " +
                   std::string(name) + "=64");
}

std::int64_t Parameters::operator[](std::string_view name) const {
  const double value = real(name);
  if (value != std::trunc(value) || std::fabs(value) > 0x1p53) {
    throw UsageError("parameter '" + std::string(name) + "' is " + number_text(value) +
                     ", which is " + (std::fabs(value) > 0x1p53 ? "too large" : "not an integer"));
  }
  return static_cast<std::int64_t>(value);
}

void Parameters::set(std::string name, double value) {
  for (auto& [known, old] : entries_) {
    if (known == name) {
      old = value;
      return;
    }
  }
  entries_.emplace_back(std::move(name), value);
}

bool Parameters::contains(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

std::string Parameters::text() const {
  std::string text;
  for (const auto& [name, value] : entries_) {
    if (!text.empty()) text += ' ';
    text += name + "=" + number_text(value);
  }
  return text;
}

std::string Case::text() const {
  std::string sizes = parameters.text();
  if (parameters.entries().size() == 1) {
    const auto& [name, value] = parameters.entries().front();
    sizes = name + " = " + number_text(value);
  }
  return (sizes.empty() ? "" : sizes + ", ") + std::string(name_of(distribution));
}

Buffer::Buffer(ElementType type, std::int64_t elements) : type_(type) {
  if (elements < 0) throw std::logic_error("a buffer of a negative number of elements");
  bytes_.resize(static_cast<std::size_t>(elements) * size_of(type));
}

std::int64_t Buffer::size() const {
  return static_cast<std::int64_t>(bytes_.size() / size_of(type_));
}

std::span<float> Buffer::f32() {
  return {elements_of<float>(bytes_, type_, ElementType::f32), static_cast<std::size_t>(size())};
}
std::span<const float> Buffer::f32() const {
  return const_cast<Buffer*>(this)->f32();
}

std::span<std::int32_t> Buffer::i32() {
  return {elements_of<std::int32_t>(bytes_, type_, ElementType::i32),
          static_cast<std::size_t>(size())};
}
std::span<const std::int32_t> Buffer::i32() const {
  return const_cast<Buffer*>(this)->i32();
}

double Buffer::value(std::int64_t element) const {
  const std::byte* const at = bytes_.data() + element * size_of(type_);
  const auto bits16 = [&] { return *reinterpret_cast<const std::uint16_t*>(at); };
  switch (type_) {
    case ElementType::f32:
      return *reinterpret_cast<const float*>(at);
    case ElementType::i32:
      return *reinterpret_cast<const std::int32_t*>(at);
    case ElementType::f16:
      return decoded_half()[bits16()];
    case ElementType::bf16:
      return std::bit_cast<float>(std::uint32_t{bits16()} << 16);
  }
  throw std::logic_error("an element type that cannot be read");
}

void Buffer::set(std::int64_t element, double value) {
  std::byte* const at = bytes_.data() + element * size_of(type_);
  switch (type_) {
    case ElementType::f32:
      *reinterpret_cast<float*>(at) = static_cast<float>(value);
      return;
    case ElementType::i32:
      *reinterpret_cast<std::int32_t*>(at) = static_cast<std::int32_t>(value);
      return;
    case ElementType::f16:
      *reinterpret_cast<std::uint16_t*>(at) = encode(value, half_format);
      return;
    case ElementType::bf16:
      *reinterpret_cast<std::uint16_t*>(at) = encode(value, bfloat16_format);
      return;
  }
}

std::string Problem::prototype() const {
  std::string text = "void solve(";
  for (const Argument& argument : arguments) {
    if (text.back() != '(') text += ", ";
    if (argument.role == Role::in) text += "const ";
    text += c_name_of(argument.type);
    text += argument.role == Role::scalar ? " " : "* ";
    text += argument.name;
  }
  return text + ")";
}

const Argument& Problem::argument(std::string_view wanted) const {
  for (const Argument& argument : arguments) {
    if (argument.name == wanted) return argument;
  }
  throw std::logic_error("problem " + name + " has no argument " + std::string(wanted));
}

void ProblemRegistry::add(Problem problem) {
  if (find(problem.name) != nullptr) {
    throw std::logic_error("two problems are named " + problem.name);
  }
  problems_.push_back(std::move(problem));
}

const Problem* ProblemRegistry::find(std::string_view name) const {
  const auto at = std::find_if(problems_.begin(), problems_.end(),
                               [&](const Problem& problem) { return problem.name == name; });
  return at == problems_.end() ? nullptr : &*at;
}

std::string ProblemRegistry::nearest(std::string_view name) const {
  const auto distance = [&](const Problem& problem) { return edit_distance(name, problem.name); };
  const auto at = std::min_element(
      problems_.begin(), problems_.end(),
      [&](const Problem& a, const Problem& b) { return distance(a) < distance(b); });
  return at == problems_.end() ? "" : at->name;
}

}  // namespace ladder
