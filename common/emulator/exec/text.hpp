// Small pieces of the texts that a learner reads.
#pragma once

#include <cstdint>
#include <string>

namespace ladder::emulator {

std::string hex(std::uint64_t value);             // 0x7f12
std::string bytes_text(std::uint64_t bytes);      // "1028 bytes", "4.0 GB"
std::string lanes_text(std::uint32_t mask);       // "lanes 0 to 3 and 7"
std::string demangle(const std::string& symbol);  // unchanged if it is no C++ name

}  // namespace ladder::emulator
