// The top level of a module: directives, variables, initial values, heads of functions.
#include "common/emulator/ptx/module.hpp"

#include <cstring>

#include "common/emulator/ptx/test_text.hpp"

using namespace ladder::ptx;

namespace {

Variable variable(const std::string& declaration) {
  const Module module = parse(with_head(declaration));
  REQUIRE(!module.variables.empty());
  return module.variables.back();
}

template <class T>
T initial(const Variable& variable, std::size_t index) {
  REQUIRE((index + 1) * sizeof(T) <= variable.initial.size());
  T value;
  std::memcpy(&value, variable.initial.data() + index * sizeof(T), sizeof value);
  return value;
}

}  // namespace

TEST_CASE("version and target are read") {
  const Module module = parse(".version 8.10\n.target sm_90a, debug\n.address_size 64\n");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 10);
  CHECK(module.target == "sm_90a");
  CHECK(module.architecture == 90);
}

TEST_CASE("what is not PTX is refused at its first line") {
  CHECK(contains(error_of(""), "expected PTX, which starts with '.version', found the end"));
  CHECK(contains(error_of("int main() {}"), "line 1: expected PTX"));
  CHECK(contains(error_of(".version 8.0"), "no '.target'"));
  CHECK(contains(error_of(".version 8\n.target sm_75"), "expected a version"));
  CHECK(contains(error_of(".version 8.0\n.target sm_75\n.address_size 32"), "line 3: only 64-bit"));
}

TEST_CASE("module variables know their space, size and alignment") {
  const Variable array = variable(".global .align 8 .b8 bytes[4000];");
  CHECK(array.space == Space::global);
  CHECK(array.bytes == 4000);
  CHECK(array.alignment == 8);
  CHECK(variable(".const .f64 x;").bytes == 8);
  CHECK(variable(".const .f64 x;").alignment == 8);
  CHECK(variable(".shared .u16 tile[3][2 + 2];").bytes == 24);
  CHECK(variable(".global .v4 .f32 v[2];").bytes == 32);
  CHECK(variable(".global .v4 .f32 v[2];").alignment == 16);
  CHECK(variable(".visible .global .u32 a, b[2];").name == "b");
  CHECK(variable(".visible .global .u32 a;").visible);
  CHECK(variable(".weak .global .u32 a;").weak);
  CHECK(variable(".common .global .u32 a;").weak);
}

TEST_CASE("dynamic shared memory is an external variable without a size") {
  const Variable dynamic = variable(".extern .shared .align 16 .b8 dyn[];");
  CHECK(dynamic.external);
  CHECK(dynamic.space == Space::shared);
  CHECK(dynamic.bytes == 0);
  CHECK(dynamic.alignment == 16);
}

TEST_CASE("managed variables are marked") {
  CHECK(variable(".global .attribute(.managed) .align 4 .u32 m = 4;").managed);
  CHECK(variable(".global .align 4 .attribute(.unified(1, 2), .managed) .u32 m;").managed);
  CHECK(!variable(".global .u32 m;").managed);
}

TEST_CASE("initial values may be shorter than the array") {
  const Variable text = variable(".global .align 1 .b8 $str[6] = {104, 0x69, 0b11};");
  CHECK(text.bytes == 6);
  CHECK(text.initial == std::vector<std::uint8_t>{104, 0x69, 3});
}

TEST_CASE("initial values take the variable's type") {
  CHECK(initial<std::uint32_t>(variable(".global .s32 x = -1;"), 0) == 0xFFFFFFFF);
  CHECK(initial<float>(variable(".global .f32 x = 1.5;"), 0) == 1.5f);
  CHECK(initial<float>(variable(".global .f32 x = 2;"), 0) == 2.0f);
  CHECK(initial<float>(variable(".global .b32 x[2] = {0f3F800000, 0f40000000};"), 1) == 2.0f);
  CHECK(initial<double>(variable(".global .f64 x = 0f3F800000;"), 0) == 1.0);
  CHECK(initial<double>(variable(".const .f64 x[1] = {0d4000000000000000};"), 0) == 2.0);
  CHECK(initial<std::uint64_t>(variable(".const .u64 x = 4613937818241073152;"), 0) ==
        4613937818241073152u);
  CHECK(contains(error_of(with_head(".global .u32 x = 1.5;")), "does not fit its type .u32"));
}

TEST_CASE("nested braces start rows, rows may be short") {
  const Variable rows = variable(".global .s32 m[2][3] = {{1, 2}, {3}};");
  CHECK(initial<int>(rows, 0) == 1);
  CHECK(initial<int>(rows, 1) == 2);
  CHECK(initial<int>(rows, 2) == 0);
  CHECK(initial<int>(rows, 3) == 3);
  CHECK(initial<int>(variable(".global .s32 m[2][3] = {1, 2, 3, 4};"), 3) == 4);
  CHECK(initial<float>(variable(".global .v2 .f32 v[2] = {{1.0, 2.0}, {3.0, 4.0}};"), 3) == 4.0f);
}

TEST_CASE("an open array is as long as its initial values") {
  CHECK(variable(".global .u16 a[] = {1, 2, 3};").bytes == 6);
  CHECK(variable(".global .u16 a[][2] = {{1, 2}, {3}};").bytes == 8);
}

TEST_CASE("too many initial values are refused") {
  CHECK(contains(error_of(with_head(".global .u8 a[2] = {1, 2, 3};")), "more initial values"));
  CHECK(contains(error_of(with_head(".global .u8 a[2][2] = {{1}, {2}, {3}};")),
                 "more initial values"));
  CHECK(contains(error_of(with_head(".global .u8 a[2] = {{1}};")), "nested deeper"));
  CHECK(contains(error_of(with_head(".global .u8 a[2] = 1;")), "need braces"));
}

TEST_CASE("initial values may be addresses of variables and functions") {
  const Module module =
      parse(with_head(".func f;\n.global .u32 x;\n"
                      ".global .u64 t[5] = {f, x, x + 4, generic(x) + 8, generic(x - 4)};"));
  const std::vector<Variable::Relocation>& found = module.variables.back().relocations;
  REQUIRE(found.size() == 5);
  CHECK(found[0].symbol == "f");
  CHECK(!found[0].generic);
  CHECK(found[2].offset == 16);
  CHECK(found[2].addend == 4);
  CHECK(found[3].generic);
  CHECK(found[3].addend == 8);
  CHECK(found[4].addend == -4);
  CHECK(found[4].bytes == 8);
  CHECK(contains(error_of(with_head(".global .u64 t = y;")), "unknown name 'y'"));
}

TEST_CASE("a byte of an address is a masked address") {
  const Variable bytes = variable(".global .u32 x;\n.global .b8 t[2] = {0xFF(x), 0xFF00(x + 1)};");
  REQUIRE(bytes.relocations.size() == 2);
  CHECK(bytes.relocations[1].shift == 8);
  CHECK(bytes.relocations[1].addend == 1);
  CHECK(bytes.relocations[1].bytes == 1);
}

TEST_CASE("a definition replaces an external declaration") {
  const Module module =
      parse(with_head(".extern .global .u32 x;\n.global .u32 x = 3;\n.extern .global .u32 x;"));
  REQUIRE(module.variables.size() == 1);
  CHECK(!module.variables[0].external);
  CHECK(module.variables[0].initial.size() == 4);
  CHECK(contains(error_of(with_head(".global .u32 x;\n.global .u32 x;")), "line 5"));
}

TEST_CASE("sizes that overflow are refused") {
  CHECK(contains(error_of(with_head(".global .b8 a[1 << 40][1 << 40];")), "too large"));
  CHECK(contains(error_of(with_head(".global .b8 a[][1 << 40][1 << 40] = {1};")), "too large"));
  CHECK(contains(error_of(with_head(".global .b8 a[-1];")), "too large"));
  CHECK(contains(error_of(with_head(".global .b8 a[2][1 << 40] = {{1}, {1}};")), "memory"));
  CHECK(contains(error_of(with_head(".global .align 3 .b8 a;")), "power of two"));
}

TEST_CASE("file names are found by number") {
  const Module module =
      parse(with_head(".file 1 \"/a/b.cu\"\n.file 3 \"c.h\", 1700000000, 4711\n"));
  REQUIRE(module.files.size() == 4);
  CHECK(module.files[1] == "/a/b.cu");
  CHECK(module.files[3] == "c.h");
  CHECK(contains(error_of(with_head(".file 99999999 \"x\"")), "more than"));
}

TEST_CASE("debug sections are skipped") {
  const Module module = parse(
      with_head(".section .debug_abbrev\n{\n.b8 1\n.b64 $L__func_begin0\n.b32 .debug_str+4\n}\n"
                ".section\t.debug_loc\t{\t}\n.global .u32 x;"));
  CHECK(module.variables.size() == 1);
  CHECK(contains(error_of(with_head(".section .debug_abbrev {")), "never ends"));
}

TEST_CASE("a kernel's head holds parameters and launch bounds") {
  const Module module = parse(
      with_head(".visible .entry k(\n.param .align 4 .b8 k_param_0[80],\n"
                ".param .u64 .ptr .global .align 16 k_param_1,\n.param .u64 .ptr .align 1 p2\n)\n"
                ".maxntid 128, 2, 1\n.reqntid 64\n.minnctapersm 2\n.maxnreg 32\n"
                ".explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n"
                ".pragma \"nounroll\";\n{ ret; }"));
  const Function& k = module.functions.at(0);
  CHECK(k.entry);
  CHECK(k.defined);
  CHECK(k.visible);
  REQUIRE(k.parameters.size() == 3);
  CHECK(k.parameters[0].bytes == 80);
  CHECK(k.parameters[0].alignment == 4);
  CHECK(k.parameters[1].bytes == 8);
  CHECK(k.parameters[1].alignment == 8);
  CHECK(k.max_threads[0] == 128);
  CHECK(k.max_threads[1] == 2);
  CHECK(k.required_threads[0] == 64);
  CHECK(k.required_threads[1] == 1);
  CHECK(k.min_blocks_per_sm == 2);
  CHECK(k.max_registers == 32);
  CHECK(k.cluster[0] == 2);
  CHECK(k.max_cluster_blocks == 8);
}

TEST_CASE("prototypes and definitions of a function are one function") {
  const Module module =
      parse(with_head(".func (.param .b32 r) f\n(\n.param .b32 a\n)\n;\n"
                      ".extern .func free\n(\n.param .b64 free_param_0\n)\n;\n"
                      ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                      ".func g .noreturn () { trap; }"));
  REQUIRE(module.functions.size() == 3);
  CHECK(module.functions[0].name == "f");
  CHECK(module.functions[0].defined);
  CHECK(module.functions[0].returns.size() == 1);
  CHECK(module.functions[1].external);
  CHECK(!module.functions[1].defined);
  CHECK(module.functions[2].no_return);
  CHECK(contains(error_of(with_head(".func f { ret; }\n.func f { ret; }")), "defined twice"));
}

TEST_CASE("parameters in registers are registers too") {
  const Module module =
      parse(with_head(".func (.reg .u32 r) f (.reg .u32 a) { add.u32 r, a, 1; ret; }"));
  const Function& f = module.functions.at(0);
  CHECK(f.parameters.at(0).space == Space::reg);
  CHECK(f.body.at(0).operands.at(0).kind == Operand::Kind::reg);
  CHECK(f.registers.at(static_cast<std::size_t>(f.body[0].operands[1].index)).name == "a");
}

TEST_CASE("an alias is a second name of a function") {
  const Module module = parse(with_head(".func g;\n.func f { trap; ret; }\n.alias g, f;\n"));
  CHECK(module.functions.at(0).name == "g");
  CHECK(module.functions.at(0).body.size() == 2);
  CHECK(contains(error_of(with_head(".func g;\n.alias g, f;")), "unknown function 'f'"));
}

TEST_CASE("unknown directives are named with their line") {
  CHECK(error_of(with_head("\n.frobnicate x;")) == "line 5: unknown directive '.frobnicate'");
  CHECK(contains(error_of(with_head(".entry k() .frobnicate { ret; }")), "'.frobnicate'"));
  CHECK(contains(error_of(with_head(".entry k() { ret; ")), "never ends"));
}

TEST_CASE("carriage returns and lines of a megabyte parse") {
  std::string values = ".global .b8 big[400000] = {1";
  for (int i = 1; i < 400000; ++i) values += ", 7";
  const Module module = parse(".version 8.0\r\n.target sm_75\r\n" + values + "};\r\n");
  CHECK(module.variables.at(0).initial.size() == 400000);
}
