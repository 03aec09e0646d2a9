// Finds PTX in the fat binary that nvcc puts into every program. Sizes in it are checked: garbage
// gives one error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

enum class Compression : std::uint8_t { none, lz4, zstd };

// One PTX text; `stored` points into the program.
struct PtxImage {
  int architecture = 0;  // 75: for sm_75 and later
  Compression compression = Compression::none;
  std::span<const std::byte> stored;
  std::size_t text_bytes = 0;  // after decompression
};

struct FatBinaryContents {
  std::vector<PtxImage> ptx;
  std::vector<int> machine_code;  // architectures with SASS, which cannot be emulated

  bool empty() const { return ptx.empty() && machine_code.empty(); }
};

// `bytes`: one container or several in a row. Throws Fault(invalid_ptx).
FatBinaryContents read_fat_binary(std::span<const std::byte> bytes);

// `wrapper`: what __cudaRegisterFatBinary is given, in the program's own memory.
// A program that was compiled in pieces (-rdc=true) has one for each piece, else there is one.
std::vector<FatBinaryContents> read_registered_fat_binary(const void* wrapper);

// The text without the NULs that pad it. Throws Fault(invalid_ptx): damaged.
std::string text_of(const PtxImage& image);

// The PTX for the highest architecture that `device` runs, as the driver would choose it.
// Throws Fault(unsupported) that names what there is instead (only SASS, only later PTX).
std::string choose_ptx(const FatBinaryContents& contents, const DeviceProperties& device);

// All of the above for a registered wrapper: the texts of its pieces.
std::vector<std::string> ptx_of(const void* wrapper, const DeviceProperties& device);

}  // namespace ladder::emulator
