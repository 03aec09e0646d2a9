// What all parts of the parser share while one text is read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "common/emulator/ptx/module.hpp"
#include "common/emulator/ptx/symbols.hpp"
#include "common/emulator/ptx/token_stream.hpp"

namespace ladder::ptx {

struct Context {
  explicit Context(std::string_view text)
      : tokens(text), initial_bytes_left((std::uint64_t{64} << 20) + 8 * text.size()) {}

  TokenStream tokens;
  Module module;
  SymbolTable symbols;
  // Sparse initialisers may ask for much more memory than they have text.
  std::uint64_t initial_bytes_left;
  // Strings of .debug_str by label: names of inlined functions. The sections come last, so sites
  // hold the label until then.
  std::unordered_map<std::string_view, std::string> debug_strings;
};

}  // namespace ladder::ptx
