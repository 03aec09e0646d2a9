#include "common/emulator/ptx/reserved_shared.hpp"
#include "common/emulator/ptx/test_text.hpp"

using namespace ladder::ptx;
using Kind = Operand::Kind;

TEST_CASE("immediates are integers or exact floats") {
  CHECK(instruction("mov.u32 %r1, -1;").operands[1].bits == ~std::uint64_t{0});
  CHECK(instruction("mov.u32 %r1, WARP_SZ;").operands[1].bits == 32);
  CHECK(instruction("mov.u32 %r1, (1 << 4) | 3;").operands[1].bits == 19);
  const Operand single = instruction("mov.f32 %f1, 0fBF800000;").operands[1];
  CHECK(single.kind == Kind::immediate_f32);
  CHECK(single.bits == 0xBF800000);
  CHECK(instruction("mov.f64 %fd1, 0d3FF0000000000000;").operands[1].kind == Kind::immediate_f64);
  CHECK(instruction("mov.f32 %f1, 1.0;").operands[1].kind == Kind::immediate_f64);
}

TEST_CASE("special registers keep their component") {
  CHECK(instruction("mov.u32 %r1, %tid.x;").operands[1].name == "%tid.x");
  CHECK(instruction("mov.u32 %r1, %laneid;").operands[1].kind == Kind::special);
  CHECK(instruction("mov.u32 %r1, %envreg2;").operands[1].name == "%envreg2");
  CHECK(instruction("mov.u64 %rd1, %clock64;").operands[1].name == "%clock64");
  CHECK(instruction("mov.u32 %r1, %lanemask_lt;").operands[1].name == "%lanemask_lt");
  CHECK(contains(error_of(kernel_text("mov.u32 %r1, %tidy;")), "unknown register '%tidy'"));
}

TEST_CASE("the shared memory that the system keeps for groups is one variable") {
  const Module module =
      parse(kernel_text("mov.u32 %r1, %reserved_smem_offset_1;\nmov.u32 %r2, "
                        "%reserved_smem_offset_1;"));
  REQUIRE(module.variables.size() == parse(kernel_text("ret;")).variables.size() + 1);
  CHECK(module.variables.back().space == Space::shared);
  CHECK(module.variables.back().bytes == reserved_shared_bytes);
  CHECK(module.functions[0].body[1].operands[1].kind == Kind::variable);
  CHECK(instruction("mov.u32 %r1, %reserved_smem_offset_begin;").operands[1].kind == Kind::special);
}

TEST_CASE("addresses have a base and an offset") {
  const Instruction registers = instruction("ld.global.u32 %r1, [%rd4+-4];");
  const Operand& address = registers.operands[1];
  CHECK(address.kind == Kind::address);
  CHECK(address.elements.at(0).kind == Kind::reg);
  CHECK(address.offset == -4);
  CHECK(instruction("ld.global.u32 %r1, [%rd4-4];").operands[1].offset == -4);
  CHECK(instruction("ld.global.u32 %r1, [%rd4];").operands[1].offset == 0);
  const Operand parameter = instruction("ld.param.u64 %rd1, [k_param_0+0];").operands[1];
  CHECK(parameter.elements.at(0).kind == Kind::variable);
  CHECK(parameter.elements.at(0).name == "k_param_0");
  CHECK(instruction("ld.global.u32 %r1, [table+2*4];").operands[1].offset == 8);
  CHECK(instruction("ld.global.u32 %r1, [table[3]];").operands[1].offset == 12);
  CHECK(instruction("ld.u32 %r1, [64];").operands[1].elements.at(0).bits == 64);
  CHECK(contains(error_of(kernel_text("ld.u32 %r1, [%tid.x];")), "an address starts with"));
  CHECK(contains(error_of(kernel_text("ld.u32 %r1, [%rd1;")), "expected ']'"));
}

TEST_CASE("addresses of variables may be moved, with an offset or an index") {
  const Operand address = instruction("mov.u64 %rd1, table+8;").operands[1];
  CHECK(address.kind == Kind::variable);
  CHECK(address.name == "table");
  CHECK(address.offset == 8);
  CHECK(instruction("mov.u64 %rd1, table[2];").operands[1].offset == 8);
}

TEST_CASE("vectors list registers, constants and sinks") {
  const Operand loaded = instruction("ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1];").operands[0];
  CHECK(loaded.kind == Kind::vector);
  REQUIRE(loaded.elements.size() == 4);
  CHECK(loaded.elements[2].kind == Kind::sink);
  CHECK(instruction("st.global.v2.u32 [%rd1], {%r1, 0};").operands[1].elements[1].bits == 0);
  CHECK(instruction("mov.b64 {%r1, %r2}, %rd1;").operands[0].elements.size() == 2);
}

TEST_CASE("pairs and sinks take two results or drop one") {
  const Operand both = instruction("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;").operands[0];
  CHECK(both.kind == Kind::pair);
  REQUIRE(both.elements.size() == 2);
  CHECK(both.elements[1].kind == Kind::reg);
  const Operand dropped = instruction("elect.sync _|%p1, 0xffffffff;").operands[0];
  CHECK(dropped.kind == Kind::pair);
  CHECK(dropped.elements[0].kind == Kind::sink);
  CHECK(instruction("atom.global.add.u32 _, [%rd1], 1;").operands[0].kind == Kind::sink);
}

TEST_CASE("predicate operands may be negated") {
  const Operand negated = instruction("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;").operands[3];
  CHECK(negated.kind == Kind::reg);
  CHECK(negated.negated);
}

TEST_CASE("tensor addresses carry coordinates, barriers stand apart") {
  const Instruction copy = instruction(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r1], [%rd1, {%r2, %r3}], [%r4];");
  REQUIRE(copy.operands.size() == 3);
  REQUIRE(copy.operands[1].elements.size() == 2);
  CHECK(copy.operands[1].elements[1].kind == Kind::vector);
  CHECK(copy.operands[1].elements[1].elements.size() == 2);
  CHECK(copy.operands[2].kind == Kind::address);
}

TEST_CASE("matrix instructions take several vectors") {
  const Instruction product = instruction(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
      "{%r5,%r6}, {%f1,%f2,%f3,%f4};");
  CHECK(product.operands.size() == 4);
  CHECK(product.operands[2].elements.size() == 2);
}

TEST_CASE("a vector register is its elements") {
  const Function k = kernel(
      ".reg .v4 .f32 %v; ld.global.v4.f32 %v, [%rd1]; mov.f32 %f1, %v.y; mov.f32 %f2, %v.a;");
  const Operand& whole = k.body[0].operands[0];
  CHECK(whole.kind == Kind::vector);
  REQUIRE(whole.elements.size() == 4);
  CHECK(k.body[1].operands[1].index == whole.elements[1].index);
  CHECK(k.body[2].operands[1].index == whole.elements[3].index);
  CHECK(name_of(k, whole.elements[3]) == "%v.w");
  CHECK(contains(error_of(kernel_text(".reg .v2 .f32 %v; mov.f32 %f1, %v.z;")), "no element 'z'"));
}

TEST_CASE("mistakes in operands are named with their line") {
  CHECK(error_of(kernel_text("ret;\nadd.s32 %r1, %r2 %r3;")) ==
        "line 13: expected ';' after an instruction, found '%r3'");
  CHECK(error_of(kernel_text("add.s32 %r1, , %r3;")) == "line 12: expected an operand, found ','");
  CHECK(contains(error_of(kernel_text("mov.u32 %r1, nothing;")), "unknown name 'nothing'"));
  CHECK(contains(error_of(kernel_text("mov.u32 %r1, " + std::string(100000, '{'))),
                 "nested too deeply"));
}
