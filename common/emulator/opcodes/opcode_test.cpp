// Every row of ops.def, and cvt, run on the emulated device with special and random values.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <random>
#include <set>
#include <span>

#include "common/emulator/device.hpp"
#include "common/emulator/opcodes/opcode_kernel.hpp"
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
    got = executed(device, opcode_kernel(reference, constant), in, count);
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
