#include "common/harness/fingerprint.hpp"

namespace ladder {

void Fingerprint::add_bytes(const void* bytes, std::size_t count) {
  constexpr Wide prime = (Wide{1} << 88) + 0x13b;
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) state_ = (state_ ^ byte[i]) * prime;
}

Fingerprint& Fingerprint::add(std::string_view part) {
  const std::uint64_t length = part.size();
  add_bytes(&length, sizeof length);
  add_bytes(part.data(), part.size());
  return *this;
}

std::string Fingerprint::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 124; shift >= 0; shift -= 4) {
    text += digits[static_cast<unsigned>(state_ >> shift) & 15];
  }
  return text;
}

}  // namespace ladder
