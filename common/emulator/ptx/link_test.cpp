#include "common/emulator/ptx/link.hpp"

#include <doctest/doctest.h>

namespace ladder::ptx {

namespace {

const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

Module linked(const std::vector<std::string>& texts) {
  std::vector<Module> parts;
  for (const std::string& text : texts) parts.push_back(parse(head + text));
  return link(std::move(parts));
}

const Variable& variable(const Module& module, const std::string& name) {
  for (const Variable& each : module.variables) {
    if (each.name == name) return each;
  }
  FAIL("no variable " << name);
  return module.variables.front();
}

}  // namespace

TEST_CASE("declarations of one module find the definitions of another, in either order") {
  const std::string uses =
      ".extern .func helper;\n.extern .global .align 4 .u32 counter;\n"
      ".visible .entry k() { call helper; st.global.u32 [counter], 1; ret; }\n";
  const std::string defines =
      ".visible .global .align 4 .u32 counter = 7;\n.visible .func helper { ret; }\n";
  for (const auto& texts : {std::vector{uses, defines}, std::vector{defines, uses}}) {
    const Module module = linked(texts);
    CHECK(module.variables.size() == 1);
    CHECK(module.variables[0].initial == std::vector<std::uint8_t>{7, 0, 0, 0});
    CHECK(module.functions.size() == 2);
    for (const Function& function : module.functions) CHECK(function.defined);
  }
}

TEST_CASE("names that belong to one module stay apart, and so do their uses") {
  const auto text = [](const std::string& kernel, const std::string& value) {
    return ".global .align 4 .u32 own = " + value +
           ";\n.global .align 8 .u64 pointer = generic(own);\n.func local { ret; }\n"
           ".visible .entry " +
           kernel + "() { .reg .b32 %r<2>; ld.global.u32 %r1, [own]; call local; ret; }\n";
  };
  const Module module = linked({text("a", "1"), text("b", "2")});
  REQUIRE(module.functions.size() == 4);
  REQUIRE(module.variables.size() == 4);
  const auto& second = module.functions[3];
  CHECK(second.name == "b");
  const std::string own = second.body[0].operands[1].elements[0].name;
  CHECK(own != "own");
  CHECK(variable(module, own).initial[0] == 2);
  CHECK(module.variables[3].relocations[0].symbol == own);
  CHECK(second.body[1].operands[1].name == module.functions[2].name);
  CHECK(module.functions[2].name != module.functions[0].name);
}

TEST_CASE("of weak definitions one stays; two strong ones are an error") {
  const std::string weak = ".weak .func helper { ret; }\n";
  CHECK(linked({weak, weak}).functions.size() == 1);
  const std::string strong = ".visible .func helper { trap; ret; }\n";
  CHECK(linked({weak, strong}).functions[0].body.size() == 2);
  CHECK(linked({strong, weak}).functions[0].body.size() == 2);
  CHECK_THROWS_WITH_AS(linked({strong, strong}), doctest::Contains("'helper' is defined in two"),
                       ParseError);
}

TEST_CASE("source lines keep their files, and the highest target counts") {
  const auto text = [](const std::string& file, const std::string& kernel) {
    return ".file 1 \"" + file + "\"\n.visible .entry " + kernel + "() {\n.loc 1 5 3\nret;\n}\n";
  };
  std::vector<Module> parts;
  parts.push_back(parse(head + text("a.cu", "a")));
  parts.push_back(parse(".version 8.0\n.target sm_80\n.address_size 64\n" + text("b.cu", "b")));
  const Module module = link(std::move(parts));
  CHECK(module.architecture == 80);
  for (const Function& function : module.functions) {
    const int file = function.body[0].source.file;
    CHECK(module.files.at(static_cast<std::size_t>(file)) == function.name + ".cu");
  }
}

}  // namespace ladder::ptx
