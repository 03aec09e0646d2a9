#include "common/emulator/exec/text.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace ladder::emulator {

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1 << 20) return std::to_string(bytes) + " bytes";
  char text[32];
  const double mega = static_cast<double>(bytes) / (1 << 20);
  std::snprintf(text, sizeof text, mega < 1024 ? "%.1f MB" : "%.1f GB",
                mega < 1024 ? mega : mega / 1024);
  return text;
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

}  // namespace ladder::emulator
