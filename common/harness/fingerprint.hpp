// A 128-bit content hash (FNV-1a) that names cached objects. Not for security.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder {

class Fingerprint {
 public:
  // Each part counts with its length, so "ab","c" differs from "a","bc".
  Fingerprint& add(std::string_view part);
  std::string hex() const;  // 32 digits

 private:
  __extension__ using Wide = unsigned __int128;
  void add_bytes(const void* bytes, std::size_t count);
  Wide state_ = (Wide{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

}  // namespace ladder
