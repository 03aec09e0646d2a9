// Short ways to write PTX in tests.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "common/emulator/ptx/module.hpp"

namespace ladder::ptx {

inline std::string with_head(const std::string& text) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n" + text;
}

// A kernel k with a few registers; its body starts on line 12.
inline std::string kernel_text(const std::string& body) {
  return with_head(
      ".global .align 4 .b32 table[4];\n"
      ".visible .entry k(\n"
      "  .param .u64 k_param_0,\n"
      "  .param .u32 k_param_1)\n"
      "{\n"
      ".reg .pred %p<10>; .reg .b32 %r<100>; .reg .b64 %rd<100>;\n"
      ".reg .f32 %f<100>; .reg .f64 %fd<10>; .reg .b16 %rs<10>;\n"
      "\n" +
      body + "\n}\n");
}

inline Function kernel(const std::string& body) {
  Module module = parse(kernel_text(body));
  for (Function& function : module.functions)
    if (function.name == "k") return std::move(function);
  return {};
}

inline Instruction instruction(const std::string& text) {
  const Function function = kernel(text);
  REQUIRE(!function.body.empty());
  return function.body.back();
}

inline std::string error_of(const std::string& text) {
  try {
    parse(text);
    return "no error";
  } catch (const ParseError& error) {
    return error.what();
  }
}

inline bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

inline std::string name_of(const Function& function, const Operand& operand) {
  return function.registers.at(static_cast<std::size_t>(operand.index)).name;
}

}  // namespace ladder::ptx
