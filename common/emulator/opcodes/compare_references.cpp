// setp in every comparison and type.
#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

namespace ladder::emulator::opcodes {
namespace {

template <class T>
void equality(ReferenceTable& table, const std::string& type) {
  table.row("setp.eq." + type, [](T a, T b) { return a == b; });
  table.row("setp.ne." + type, [](T a, T b) { return a != b; });
}
template <class T>
void order(ReferenceTable& table, const std::string& type) {
  equality<T>(table, type);
  table.row("setp.lt." + type, [](T a, T b) { return a < b; });
  table.row("setp.le." + type, [](T a, T b) { return a <= b; });
  table.row("setp.gt." + type, [](T a, T b) { return a > b; });
  table.row("setp.ge." + type, [](T a, T b) { return a >= b; });
}
template <class T>
void unsigned_order(ReferenceTable& table, const std::string& type) {
  order<T>(table, type);
  table.row("setp.lo." + type, [](T a, T b) { return a < b; });
  table.row("setp.ls." + type, [](T a, T b) { return a <= b; });
  table.row("setp.hi." + type, [](T a, T b) { return a > b; });
  table.row("setp.hs." + type, [](T a, T b) { return a >= b; });
}

struct Comparison {
  const char* name;
  bool less, equal, greater, with_nan;
};
constexpr Comparison comparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

template <class T>
void floats(ReferenceTable& table, const std::string& type, Format format, bool flush = false) {
  for (const Comparison& comparison : comparisons) {
    table.row(std::string("setp.") + comparison.name + "." + type, [=](T a, T b) {
      const u64 left = flush ? flushed(format, a.bits) : a.bits;
      const u64 right = flush ? flushed(format, b.bits) : b.bits;
      if (is_nan(format, left) || is_nan(format, right)) return comparison.with_nan;
      const int sign = compared(format, left, right);
      return sign < 0 ? comparison.less : sign > 0 ? comparison.greater : comparison.equal;
    });
  }
}

}  // namespace

void add_compare_references(ReferenceTable& table) {
  equality<u16>(table, "b16");
  equality<u32>(table, "b32");
  equality<u64>(table, "b64");
  unsigned_order<u16>(table, "u16");
  unsigned_order<u32>(table, "u32");
  unsigned_order<u64>(table, "u64");
  order<s16>(table, "s16");
  order<s32>(table, "s32");
  order<s64>(table, "s64");
  floats<F32>(table, "f32", single_format);
  floats<F32>(table, "ftz.f32", single_format, true);
  floats<F64>(table, "f64", double_format);
  floats<F16>(table, "f16", half_format);
  floats<F16>(table, "ftz.f16", half_format, true);
  floats<BF16>(table, "bf16", bfloat_format);
}

}  // namespace ladder::emulator::opcodes
