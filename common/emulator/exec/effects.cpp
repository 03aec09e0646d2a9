#include "common/emulator/exec/effects.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "common/emulator/exec/function_lowering.hpp"

namespace ladder::emulator {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

constexpr std::array<std::string_view, 5> one_flop = {"add", "sub", "mul", "addc", "subc"};
constexpr std::array<std::string_view, 2> two_flops = {"fma", "mad"};
constexpr std::array<std::string_view, 9> special = {"div", "rcp", "sqrt", "rsqrt", "sin",
                                                     "cos", "lg2", "ex2",  "tanh"};
constexpr std::array<std::string_view, 37> integer = {
    "add",  "sub",  "mul",  "mad",  "addc", "subc", "madc", "mul24", "mad24", "sad",
    "div",  "rem",  "min",  "max",  "abs",  "neg",  "and",  "or",    "xor",   "not",
    "cnot", "shl",  "shr",  "shf",  "bfe",  "bfi",  "popc", "clz",   "bfind", "fns",
    "brev", "lop3", "prmt", "dp4a", "dp2a", "bmsk", "szext"};

std::uint64_t Counters::*flops_of(std::string_view type) {
  if (type.starts_with("f16") || type.starts_with("bf16")) return &Counters::flops_f16;
  if (type.starts_with("f32")) return &Counters::flops_f32;
  return type == "f64" ? &Counters::flops_f64 : nullptr;
}

// 2·m·n·k of "m16n8k16".
std::optional<std::uint32_t> flops_of_shape(const Opcode& opcode) {
  for (const std::string_view part : opcode.parts) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(std::string(part).c_str(), "m%un%uk%u", &m, &n, &k) == 3) return 2 * m * n * k;
  }
  return std::nullopt;
}

Effect by_warp(std::uint64_t Counters::*field, std::uint32_t amount = 1) {
  return {.field = field, .amount = amount};
}

bool reads(const ptx::Operand& operand, int reg) {
  if (operand.kind == ptx::Operand::Kind::reg && operand.index == reg) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const ptx::Operand& element) { return reads(element, reg); });
}

}  // namespace

std::vector<Effect> effects_of(std::string_view text) {
  const Opcode opcode(text);
  const std::string_view head = opcode.head(), type = opcode.last();
  if (head == "shfl") return {by_warp(&Counters::shuffles)};
  if (head == "vote" || head == "match" || head == "redux") return {by_warp(&Counters::votes)};
  if (head == "bar" && opcode.has("warp")) return {by_warp(&Counters::warp_barriers)};
  if (head == "membar" || head == "fence") return {by_warp(&Counters::fences)};
  if (head == "mma" || (head == "wmma" && opcode.has("mma"))) {
    return {by_warp(&Counters::mma_instructions),
            by_warp(&Counters::mma_flops, flops_of_shape(opcode).value_or(0))};
  }
  const std::uint32_t elements = type.ends_with("x2") ? 2 : type.ends_with("x4") ? 4 : 1;
  const auto by_lane = [&](std::uint64_t Counters::*field, std::uint32_t amount) {
    return std::vector<Effect>{{.field = field, .amount = amount * elements, .by_lane = true}};
  };
  if (const auto flops = flops_of(type)) {
    if (is_one_of(head, one_flop)) return by_lane(flops, 1);
    if (is_one_of(head, two_flops)) return by_lane(flops, 2);
    if (is_one_of(head, special)) return by_lane(&Counters::special_functions, 1);
  } else if (!type.empty() && std::string_view("usb").find(type[0]) != std::string_view::npos &&
             is_one_of(head, integer)) {
    return by_lane(&Counters::integer_operations, 1);
  }
  return {};
}

bool result_is_read(const ptx::Function& function, const ptx::Instruction& atomic) {
  if (!atomic.opcode.starts_with("atom") || atomic.operands.empty()) return false;
  const ptx::Operand& result = atomic.operands[0];
  if (result.kind != ptx::Operand::Kind::reg) return result.kind != ptx::Operand::Kind::sink;
  for (const ptx::Instruction& other : function.body) {
    if (other.guard == result.index) return true;
    for (std::size_t i = &other == &atomic ? 1 : 0; i < other.operands.size(); ++i) {
      if (reads(other.operands[i], result.index)) return true;
    }
  }
  return false;
}

bool combines_lanes(const ptx::Function& function, const ptx::Instruction& atomic) {
  const Opcode opcode(atomic.opcode);
  const std::string_view type = opcode.last();
  if (type != "u32" && type != "s32" && type != "b32") return false;
  if (result_is_read(function, atomic)) return opcode.has("add");
  const auto has = [&](std::string_view operation) { return opcode.has(operation); };
  return has("add") || has("min") || has("max") || has("and") || has("or") || has("xor");
}

}  // namespace ladder::emulator
