// Damage to texts and to bytes.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ladder::emulator::fuzz {

// One to four changes: words, lines and characters that go, double, move, come from `others` or
// from a list of what parsers stumble over.
std::string damaged_text(const std::string& text, const std::vector<std::string>& others,
                         std::mt19937_64& random);

// Bytes changed, numbers made large, ends cut off.
std::string damaged_bytes(const std::string& bytes, std::mt19937_64& random);

}  // namespace ladder::emulator::fuzz
