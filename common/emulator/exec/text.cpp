#include "common/emulator/exec/text.hpp"

#include <cxxabi.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

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

std::string lanes_text(std::uint32_t mask) {
  std::vector<std::string> ranges;
  for (std::uint32_t left = mask; left != 0;) {
    const int from = std::countr_zero(left);
    const int count = std::countr_one(left >> from);
    left = count + from == 32 ? 0 : left >> (from + count) << (from + count);
    ranges.push_back(std::to_string(from));
    if (count > 1) ranges.back().append(" to ").append(std::to_string(from + count - 1));
  }
  std::string text = std::popcount(mask) == 1 ? "lane " : "lanes ";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ") + ranges[i];
  }
  return text;
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

}  // namespace ladder::emulator
