#include "common/emulator/opcodes/opcode_kernel.hpp"

#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

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

}  // namespace

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

u64 random_value(Operand operand, std::mt19937_64& random) {
  const u64 bits = random();
  if (operand == Operand::f16x2 || operand == Operand::bf16x2) {
    const Operand half = operand == Operand::f16x2 ? Operand::f16 : Operand::bf16;
    const u64 low = random_value(half, random) & 0xffff;
    return low | (random_value(half, random) & 0xffff) << 16;
  }
  const auto format = format_of(operand);
  if (!format || random() % 4 == 0) return bits;
  const u64 one = (u64{1} << (format->exponent_bits - 1)) - 1;
  const u64 exponent = one - 8 + random() % 16;
  const u64 mask = ((u64{1} << format->exponent_bits) - 1) << format->fraction_bits;
  return (bits & ~mask) | exponent << format->fraction_bits;
}

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

std::string opcode_kernel(const Reference& reference, const u64* constant) {
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

}  // namespace ladder::emulator::opcodes
