// Bodies: statements, scopes, labels, locations, calls.
#include "common/emulator/ptx/test_text.hpp"

using namespace ladder::ptx;

TEST_CASE("several statements stand on a line, and one on several") {
  const Function k = kernel("mov.u32 %r1, 1; mov.u32 %r2,\n 2; ret;;");
  REQUIRE(k.body.size() == 3);
  CHECK(k.body[0].line == 12);
  CHECK(k.body[2].line == 13);
}

TEST_CASE("opcodes keep their parts: colons, digits, parts that stand apart") {
  CHECK(instruction("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [table, {%f5, %f6}];").opcode ==
        "tex.2d.v4.f32.f32");
  CHECK(instruction("cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 16;").opcode ==
        "cp.async.ca.shared.global.L2::128B");
  CHECK(instruction("mbarrier.arrive.shared::cta.b64 _, [%r1];").opcode ==
        "mbarrier.arrive.shared::cta.b64");
  CHECK(instruction("add .s32 %r1, %r2, %r3;").opcode == "add.s32");
}

TEST_CASE("guards are predicates, negated or not") {
  const Function k = kernel("@%p1 mov.u32 %r1, 1;\n@!%p2 ret;");
  CHECK(k.registers.at(static_cast<std::size_t>(k.body[0].guard)).name == "%p1");
  CHECK(!k.body[0].guard_negated);
  CHECK(k.body[1].guard_negated);
  CHECK(contains(error_of(kernel_text("@%r1 ret;")), "no predicate"));
  CHECK(contains(error_of(kernel_text("@%p10 ret;")), "unknown predicate '%p10'"));
}

TEST_CASE("only registers that are used take room") {
  const Function k = kernel(".reg .b32 %big<1000000000>; mov.u32 %big999999999, %big7;");
  CHECK(k.registers.size() == 2);
  CHECK(contains(error_of(kernel_text("mov.u32 %r100, 1;")), "unknown register '%r100'"));
  CHECK(contains(error_of(kernel_text("mov.u32 %r01, 1;")), "unknown register '%r01'"));
}

TEST_CASE("names without a percent sign are registers if declared so") {
  const Function k = kernel(".reg .pred p; .reg .b32 t, temp_param_reg; @p mov.u32 t, 1;");
  CHECK(k.body[0].operands[0].kind == Operand::Kind::reg);
  CHECK(name_of(k, k.body[0].operands[0]) == "t");
}

TEST_CASE("inner braces redeclare registers") {
  const Function k = kernel(
      "mov.u32 %r1, 0;\n"
      "{ .reg .b64 %r<4>; mov.u64 %r1, 1; mov.u32 %r7, 2; }\n"
      "{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; }\n"
      "mov.u32 %r1, 3;");
  REQUIRE(k.body.size() == 5);
  const auto register_of = [&](int i) {
    return k.body[static_cast<std::size_t>(i)].operands[0].index;
  };
  CHECK(register_of(0) == register_of(4));
  CHECK(register_of(1) != register_of(0));
  CHECK(register_of(3) != register_of(0));
  const auto type_of_register = [&](int i) {
    return k.registers.at(static_cast<std::size_t>(register_of(i))).type;
  };
  CHECK(type_of_register(1) == Type::b64);
  CHECK(type_of_register(2) == Type::b32);
  CHECK(type_of_register(3) == Type::f32);
}

TEST_CASE("a register first used in inner braces is the same outside") {
  const Function k = kernel("{ mov.u32 %r5, 1; } mov.u32 %r5, 2;");
  CHECK(k.body[0].operands[0].index == k.body[1].operands[0].index);
}

TEST_CASE("names of ended scopes are unknown") {
  CHECK(contains(error_of(kernel_text("{ .reg .b32 t; } mov.u32 t, 1;")), "unknown name 't'"));
}

TEST_CASE("labels are instruction indices, forwards and backwards") {
  const Function k = kernel("A: bra B;\n@%p1 bra.uni A;\nB: ret;\nbra END;\nEND:");
  REQUIRE(k.body.size() == 4);
  CHECK(k.body[0].operands[0].kind == Operand::Kind::label);
  CHECK(k.body[0].operands[0].index == 2);
  CHECK(k.body[1].operands[0].index == 0);
  CHECK(k.body[3].operands[0].index == 4);
  CHECK(k.labels.size() == 3);
  CHECK(error_of(kernel_text("ret;\nbra NOWHERE;")) == "line 13: unknown label 'NOWHERE'");
  CHECK(contains(error_of(kernel_text("A: A: ret;")), "declared twice"));
}

TEST_CASE("labels of inner braces hide outer ones, inner code may leave") {
  const Function k = kernel(
      "L: ret;\n"
      "{ L: bra L; bra OUT; }\n"
      "{ bra L; L: ret; }\n"
      "OUT: bra L;");
  REQUIRE(k.body.size() == 6);
  CHECK(k.body[1].operands[0].index == 1);
  CHECK(k.body[2].operands[0].index == 5);
  CHECK(k.body[3].operands[0].index == 4);
  CHECK(k.body[5].operands[0].index == 0);
  CHECK(contains(error_of(kernel_text("{ IN: ret; } bra IN;")), "unknown label 'IN'"));
}

TEST_CASE("branch tables list instruction indices") {
  const Function k = kernel(
      "T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: trap;\nbrx.idx.uni %r1, U;\n"
      "U: .branchtargets\n  B;");
  CHECK(k.body[0].operands[1].kind == Operand::Kind::branch_targets);
  REQUIRE(k.branch_targets.size() == 2);
  CHECK(k.branch_targets[0].targets == std::vector<int>{1, 2, 1});
  CHECK(k.body[3].operands[1].index == 1);
  CHECK(contains(error_of(kernel_text("T: .branchtargets X; ret;")), "unknown label 'X'"));
}

TEST_CASE("pragmas stand anywhere") {
  CHECK(kernel(".pragma \"nounroll\";\nL: .pragma \"used_bytes_mask 0xff\"; ret;").body.size() ==
        1);
}

TEST_CASE("locations end at the line and belong to the instructions after") {
  const Function k = kernel(".loc 0 40 3\nmov.u32 %r1, 1;\n.loc\t0 41 7\nmov.u32 %r2, 2; ret;");
  CHECK(k.body[0].source.line == 40);
  CHECK(k.body[0].source.column == 3);
  CHECK(k.body[1].source.line == 41);
  CHECK(k.body[2].source.line == 41);
  CHECK(k.source.line == 40);
}

TEST_CASE("locations know where they were inlined, outwards") {
  const Module module =
      parse(kernel_text(".loc 1 24 3\nmov.u32 %r1, 1;\n"
                        ".loc 2 261 5, function_name $L__info_string0, inlined_at 1 24 3\n"
                        ".loc 3 92 9, function_name $L__info_string1, inlined_at 2 261 5\n"
                        "mov.u32 %r1, 2;\n"
                        ".loc 1 25 3\nret;") +
            ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.file 3 \"c.h\"\n.section .debug_str\n{\n"
            "$L__info_string0:\n.b8 95,90\n.b8 49\n.b8 0\n$L__info_string1:\n.b8 103\n.b8 0\n}\n");
  const Function& k = module.functions.at(0);
  const SourceLocation inner = k.body[1].source;
  CHECK(inner.file == 3);
  CHECK(inner.line == 92);
  REQUIRE(inner.inlined_at >= 0);
  const InlineSite& first = k.inline_sites[static_cast<std::size_t>(inner.inlined_at)];
  CHECK(first.function == "g");
  CHECK(first.call.line == 261);
  REQUIRE(first.call.inlined_at >= 0);
  const InlineSite& second = k.inline_sites[static_cast<std::size_t>(first.call.inlined_at)];
  CHECK(second.function == "_Z1");
  CHECK(second.call.line == 24);
  CHECK(second.call.inlined_at == -1);
  CHECK(k.body[2].source.inlined_at == -1);
}

TEST_CASE("call sequences redeclare their parameters, the module's names stay unique") {
  const Module module = parse(with_head(
      ".extern .func (.param .b32 retval0) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;\n"
      ".visible .entry k() {\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      "{ // callseq 0, 0\n.reg .b32 temp_param_reg;\n.param .b64 param0;\n"
      "st.param.b64 [param0+0], %rd1;\n.param .b64 param1;\nst.param.b64 [param1+0], %rd2;\n"
      ".param .b32 retval0;\ncall.uni (retval0),\nvprintf,\n(\nparam0,\nparam1\n);\n"
      "ld.param.b32 %r1, [retval0+0];\n}\n"
      "{ .param .align 4 .b8 param0[80]; st.param.b32 [param0+4], %r1; }\n}"));
  const Function& k = module.functions.at(1);
  REQUIRE(k.variables.size() == 4);
  CHECK(k.variables[3].bytes == 80);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(k.variables[i].name != k.variables[j].name);
  const Instruction& call = k.body.at(2);
  REQUIRE(call.operands.size() == 3);
  CHECK(call.operands[0].elements.at(0).name == k.variables[2].name);
  CHECK(call.operands[1].kind == Operand::Kind::function);
  CHECK(call.operands[1].name == "vprintf");
  CHECK(call.operands[2].elements.size() == 2);
  CHECK(k.body[4].operands[0].elements[0].name == k.variables[3].name);
  CHECK(k.body[4].operands[0].offset == 4);
}

TEST_CASE("calls have one form, whatever is left out") {
  const std::string head = ".func f;\n.func (.reg .b32 r) g(.reg .b32 a);\n";
  const auto call = [&](const std::string& text) {
    std::string whole = kernel_text(text);
    whole.insert(whole.find(".global"), head);
    const Module module = parse(whole);
    return module.functions.back().body.back();
  };
  for (const char* text : {"call f;", "call.uni f, ();", "call (), f, ();"}) {
    const Instruction made = call(text);
    REQUIRE(made.operands.size() == 3);
    CHECK(made.operands[0].elements.empty());
    CHECK(made.operands[1].name == "f");
    CHECK(made.operands[2].elements.empty());
  }
  const Instruction made = call("call (%r1), g, (5);");
  CHECK(made.operands[0].elements.at(0).kind == Operand::Kind::reg);
  CHECK(made.operands[2].elements.at(0).bits == 5);
  CHECK(contains(error_of(kernel_text("call h;")), "call of unknown function 'h'"));
}

TEST_CASE("indirect calls carry their prototype") {
  const Function k = kernel(
      "{ .param .b32 param0; .param .b32 retval0;\n"
      "prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[8]);\n"
      "call (retval0),\n%rd27,\n(\nparam0\n)\n, prototype_1;\n}\n"
      "call %rd1, none;\nnone: .callprototype _ () .noreturn;");
  const Instruction& call = k.body.at(0);
  REQUIRE(call.operands.size() == 4);
  CHECK(call.operands[1].kind == Operand::Kind::reg);
  CHECK(call.operands[3].kind == Operand::Kind::prototype);
  const Function::CallPrototype& prototype =
      k.call_prototypes.at(static_cast<std::size_t>(call.operands[3].index));
  CHECK(prototype.returns.size() == 1);
  CHECK(prototype.parameters.at(1).bytes == 8);
  CHECK(k.call_prototypes.at(static_cast<std::size_t>(k.body[1].operands[3].index)).name == "none");
}

TEST_CASE("a list of possible targets gives an indirect call its prototype") {
  std::string text = kernel_text("T: .calltargets f, g;\ncall (%r1), %rd1, (%r2), T;");
  text.insert(text.find(".global"),
              ".func (.reg .b32 r) f(.reg .b32 a);\n.func (.reg .b32 r) g(.reg .b32 a);\n");
  const Module module = parse(text);
  CHECK(module.functions.back().call_prototypes.at(0).parameters.size() == 1);
}

TEST_CASE("a function may call itself") {
  const Module module = parse(with_head(".func f() { call f, (); ret; }"));
  REQUIRE(module.functions.size() == 1);
  CHECK(module.functions[0].body[0].operands[1].name == "f");
}

TEST_CASE("local and shared variables of a body are its own, globals become the module's") {
  const Module module =
      parse(kernel_text(".local .align 8 .b8 __local_depot0[16]; .shared .align 4 .b8 tile[128];\n"
                        ".global .u32 table = 7;\nmov.u64 %rd1, table; mov.u32 %r1, tile;"));
  const Function& k = module.functions.at(0);
  REQUIRE(k.variables.size() == 2);
  CHECK(k.variables[0].space == Space::local);
  CHECK(k.variables[1].bytes == 128);
  REQUIRE(module.variables.size() == 2);
  CHECK(k.body[0].operands[1].name == module.variables[1].name);
  CHECK(module.variables[1].name != "table");
}

TEST_CASE("a local variable that hides a module's gets another name") {
  const Function k = kernel("{ .shared .b32 table; mov.u64 %rd1, table; }\nmov.u64 %rd2, table;");
  CHECK(k.body[0].operands[1].name == k.variables.at(0).name);
  CHECK(k.body[0].operands[1].name != "table");
  CHECK(k.body[1].operands[1].name == "table");
}

TEST_CASE("deep braces are refused, not a stack overflow") {
  CHECK(contains(error_of(kernel_text(std::string(100000, '{'))), "nested too deeply"));
}
