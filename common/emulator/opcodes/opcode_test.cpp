// Every row of ops.def, and cvt, run on the emulated device with special and random values.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <random>
#include <set>
#include <span>

#include "common/emulator/device.hpp"
#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

using namespace ladder::emulator;
using namespace ladder::emulator::opcodes;

namespace {

const char* const table_opcodes[] = {
#define INTEGER(text, ...) text,
#define FLOAT(text, ...) text,
#define COMPARE(text, ...) text,
#define HALF(text, ...) text,
#include "common/emulator/ptx/ops.def"
};

const ReferenceTable& references() {
  static const ReferenceTable table = [] {
    ReferenceTable made;
    add_integer_references(made);
    add_bit_references(made);
    add_float_references(made);
    add_approximate_references(made);
    add_half_references(made);
    add_compare_references(made);
    add_conversion_references(made);
    return made;
  }();
  return table;
}

// ---- values ---------------------------------------------------------------------------------

std::vector<u64> integers(int width) {
  std::vector<u64> values = {0,  1,  2,  3,  4,  7,  8,   15,  16,  17,
                             31, 32, 33, 63, 64, 65, 127, 128, 255, 256};
  const u64 top = u64{1} << (width - 1);
  for (const u64 value : {top, top - 1, top + 1, top >> 1, ~u64{0}, ~u64{1}, ~u64{7}, ~u64{31},
                          u64{0x5555555555555555}, u64{0xaaaaaaaaaaaaaaaa}, u64{0x00ff00ff00ff00ff},
                          u64{0x0123456789abcdef}, u64{0xfedcba9876543210}})
    values.push_back(value);
  return values;
}

std::vector<u64> floats(Format format) {
  const int fraction = format.fraction_bits;
  const u64 infinity = ((u64{1} << format.exponent_bits) - 1) << fraction;
  const u64 one = ((u64{1} << (format.exponent_bits - 1)) - 1) << fraction;
  const u64 step = u64{1} << fraction;
  std::vector<u64> values = {0,
                             1,
                             2,
                             step - 1,
                             step,
                             step + 1,
                             step * 2,  // around the subnormals
                             one,
                             one - 1,
                             one + 1,
                             one + step,
                             one - step,
                             one + step / 2,
                             one + step + step / 2,
                             one + 2 * step + 1,
                             one - 3 * step,
                             infinity - 1,
                             infinity - step,
                             infinity,
                             infinity | 1,
                             infinity | (step / 2)};
  // Where integers end: halves, 2^15, 2^31, 2^63.
  for (const int power : {4, 15, 16, 30, 31, 32, 62, 63, 64})
    for (const s64 off : {s64{-1}, s64{0}, s64{1}}) {
      const u64 bits = one + u64(power) * step + u64(off);
      if (bits < infinity) values.push_back(bits);
    }
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(negated(format, values[i]));
  return values;
}

std::vector<u64> pairs(const std::vector<u64>& halves) {
  std::vector<u64> values;
  for (std::size_t i = 0; i < halves.size(); ++i)
    values.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << 16);
  return values;
}

const std::vector<u64>& special_values(Operand operand) {
  static const std::vector<u64> predicates = {0, 1}, words = integers(32), wides = integers(64),
                                shorts = integers(16), singles = floats(single_format),
                                doubles = floats(double_format), halves = floats(half_format),
                                bfloats = floats(bfloat_format), half_pairs = pairs(halves),
                                bfloat_pairs = pairs(bfloats);
  switch (operand) {
    case Operand::predicate:
      return predicates;
    case Operand::b16:
      return shorts;
    case Operand::b32:
      return words;
    case Operand::b64:
      return wides;
    case Operand::f16:
      return halves;
    case Operand::bf16:
      return bfloats;
    case Operand::f16x2:
      return half_pairs;
    case Operand::bf16x2:
      return bfloat_pairs;
    case Operand::f32:
      return singles;
    default:
      return doubles;
  }
}

// All combinations of special values when there are few, else a sample; then random bits.
std::vector<u64> inputs(const Reference& reference) {
  constexpr std::size_t most = 3000, random_rows = 1000;
  std::mt19937_64 random(std::hash<std::string>{}(reference.opcode));
  std::size_t combinations = 1;
  for (const Operand source : reference.sources) combinations *= special_values(source).size();
  std::vector<u64> values;
  for (std::size_t row = 0; row < std::min(combinations, most); ++row) {
    std::size_t which = combinations <= most ? row : random() % combinations;
    for (const Operand source : reference.sources) {
      const std::vector<u64>& special = special_values(source);
      values.push_back(special[which % special.size()]);
      which /= special.size();
    }
  }
  for (std::size_t row = 0; row < random_rows; ++row)
    for (std::size_t source = 0; source < reference.sources.size(); ++source)
      values.push_back(random());
  return values;
}

// ---- kernels --------------------------------------------------------------------------------

struct OperandText {
  const char* type;      // of the register
  const char* prefix;    // of its name
  const char* transfer;  // of loads and stores
};
OperandText text_of(Operand operand) {
  switch (operand) {
    case Operand::predicate:
      return {".pred", "%p", "b32"};
    case Operand::b16:
    case Operand::f16:
    case Operand::bf16:
      return {".b16", "%h", "b16"};
    case Operand::b64:
      return {".b64", "%d", "b64"};
    case Operand::f32:
      return {".f32", "%f", "f32"};
    case Operand::f64:
      return {".f64", "%e", "f64"};
    default:
      return {".b32", "%r", "b32"};
  }
}

// out[i] = opcode(in[i][0], in[i][1], ...); every value has 8 bytes.
std::string kernel(const Reference& reference, const u64* constant) {
  const std::size_t sources = reference.sources.size();
  std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
      ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
      ".reg .f32 %f<9>; .reg .f64 %e<9>;\n"
      ".reg .pred %over; .reg .b32 %i, %j, %k, %word; .reg .b64 %in, %out, %offset;\n"
      "mov.u32 %i, %ctaid.x; mov.u32 %j, %ntid.x; mov.u32 %k, %tid.x; mad.lo.s32 %i, %i, %j, %k;\n"
      "ld.param.u32 %j, [n]; setp.ge.u32 %over, %i, %j; @%over ret;\n"
      "ld.param.u64 %out, [out]; mul.wide.u32 %offset, %i, 8; add.u64 %out, %out, %offset;\n"
      "ld.param.u64 %in, [in]; mul.wide.u32 %offset, %i, " +
      std::to_string(8 * sources) + "; add.u64 %in, %in, %offset;\n";
  std::string operands;
  for (std::size_t i = 0; i < sources; ++i) {
    const OperandText operand = text_of(reference.sources[i]);
    if (constant != nullptr && i + 1 == sources) {
      operands += ", " + std::to_string(*constant);
      continue;
    }
    const std::string name = operand.prefix + std::to_string(i + 1);
    const std::string from = "[%in+" + std::to_string(8 * i) + "];\n";
    if (reference.sources[i] == Operand::predicate) {
      text += "ld.global.b32 %word, " + from + "and.b32 %word, %word, 1; setp.ne.u32 " + name +
              ", %word, 0;\n";
    } else {
      text += std::string("ld.global.") + operand.transfer + " " + name + ", " + from;
    }
    operands += ", " + name;
  }
  const OperandText result = text_of(reference.result);
  std::string name = std::string(result.prefix) + "0";
  text += reference.opcode + " " + name + operands + ";\n";
  if (reference.result == Operand::predicate) {
    text += "selp.b32 %word, 1, 0, " + name + ";\n";
    name = "%word";
  }
  return text + "st.global." + result.transfer + " [%out], " + name + ";\nret;\n}\n";
}

class DeviceArray {
 public:
  DeviceArray(Device& device, std::size_t bytes)
      : device_(device), address_(device.allocate(bytes)) {}
  ~DeviceArray() { device_.free(address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceAddress address() const { return address_; }

 private:
  Device& device_;
  DeviceAddress address_;
};

std::vector<u64> executed(Device& device, const std::string& ptx, const std::vector<u64>& in,
                          std::size_t count) {
  Module* module = device.load(ptx, "opcode");
  const DeviceArray from(device, in.size() * 8), to(device, count * 8);
  device.copy_in(from.address(), in.data(), in.size() * 8);
  device.set(to.address(), 0, count * 8);
  struct {
    u64 out, in;
    u32 n;
  } parameters{to.address(), from.address(), u32(count)};
  Launch launch;
  launch.function = device.function(module, "k");
  launch.grid.x = unsigned((count + 127) / 128);
  launch.block.x = 128;
  launch.parameters = std::as_bytes(std::span(&parameters, 1));
  device.launch(launch);
  std::vector<u64> out(count);
  device.copy_out(out.data(), to.address(), count * 8);
  device.unload(module);
  return out;
}

std::optional<Format> format_of(Operand operand) {
  switch (operand) {
    case Operand::f16:
      return half_format;
    case Operand::bf16:
      return bfloat_format;
    case Operand::f32:
      return single_format;
    case Operand::f64:
      return double_format;
    default:
      return std::nullopt;
  }
}

bool agrees(const Reference& reference, const u64* sources, u64 expected, u64 got) {
  if (expected == got) return true;
  if (reference.close_enough) return reference.close_enough(sources, expected, got);
  const std::optional<Format> format = format_of(reference.result);
  if (!format.has_value() || !is_nan(*format, expected) || !is_nan(*format, got)) return false;
  // Payloads are defined for the results of arithmetic on f32 and narrower only.
  return reference.result == Operand::f64 || expected != canonical_nan(*format);
}

std::string hexadecimal(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Empty: all right. Otherwise the first difference and their number.
std::string difference(Device& device, const Reference& reference, const u64* constant) {
  std::vector<u64> in = inputs(reference);
  const std::size_t sources = reference.sources.size(), count = in.size() / sources;
  if (constant != nullptr)
    for (std::size_t row = 0; row < count; ++row) in[row * sources + sources - 1] = *constant;
  std::vector<u64> got;
  try {
    got = executed(device, kernel(reference, constant), in, count);
  } catch (const Fault& fault) {
    return reference.opcode + ": " + fault.what();
  }
  std::string first;
  int differences = 0, compared = 0;
  for (std::size_t row = 0; row < count; ++row) {
    const u64* values = in.data() + row * sources;
    const std::optional<u64> expected = reference.compute(values);
    if (!expected.has_value()) continue;
    ++compared;
    if (agrees(reference, values, *expected, got[row])) continue;
    if (++differences > 1) continue;
    for (std::size_t i = 0; i < sources; ++i)
      first += (i == 0 ? "(" : ", ") + hexadecimal(values[i]);
    first += ") gives " + hexadecimal(got[row]) + ", expected " + hexadecimal(*expected);
  }
  if (compared < 100 && count > 1000) return reference.opcode + ": too few defined results";
  if (differences == 0) return {};
  return reference.opcode + first + " (" + std::to_string(differences) + " of " +
         std::to_string(compared) + " differ)";
}

Device& device() {
  static Device one({}, [] {
    Options options;
    options.threads = 1;
    return options;
  }());
  return one;
}

void check_all(void (*add)(ReferenceTable&)) {
  ReferenceTable table;
  add(table);
  for (const Reference& reference : table.rows()) {
    if (reference.constants.empty()) {
      const std::string found = difference(device(), reference, nullptr);
      CHECK(found == "");
    }
    for (const u64 constant : reference.constants) {
      const std::string found = difference(device(), reference, &constant);
      CHECK(found == "");
    }
  }
}

}  // namespace

TEST_CASE("every row of ops.def has a reference") {
  std::set<std::string> known;
  for (const Reference& reference : references().rows()) known.insert(reference.opcode);
  std::string missing;
  for (const std::string opcode : table_opcodes)
    if (opcode[0] != '_' && known.count(opcode) == 0) missing += opcode + "\n";
  CHECK(missing == "");
}

TEST_CASE("no opcode has two references") {
  std::set<std::string> known;
  for (const Reference& reference : references().rows()) {
    INFO(reference.opcode);
    CHECK(known.insert(reference.opcode).second);
  }
}

TEST_CASE("integer arithmetic is exact") {
  check_all(add_integer_references);
}
TEST_CASE("bits are moved and counted exactly") {
  check_all(add_bit_references);
}
TEST_CASE("f32 and f64 arithmetic is rounded as IEEE 754 says") {
  check_all(add_float_references);
}
TEST_CASE("approximations stay within their bounds") {
  check_all(add_approximate_references);
}
TEST_CASE("f16 and bf16 arithmetic is rounded once") {
  check_all(add_half_references);
}
TEST_CASE("comparisons know NaN, zero and sign") {
  check_all(add_compare_references);
}
TEST_CASE("conversions round, clamp and extend") {
  check_all(add_conversion_references);
}
