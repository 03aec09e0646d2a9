#include "common/emulator/occupancy.hpp"

#include "common/emulator/device.hpp"

namespace ladder::emulator {

Occupancy occupancy_of(const DeviceProperties& properties, int threads, std::size_t shared_bytes) {
  Occupancy occupancy;
  const int warps = (threads + 31) / 32;
  occupancy.of_warps = properties.max_threads_per_multiprocessor / 32;
  if (warps <= 0 || threads > properties.max_threads_per_block) return occupancy;
  occupancy.blocks = properties.max_blocks_per_multiprocessor;
  occupancy.limited_by = "blocks";
  const auto limit = [&](int most, const char* by) {
    if (most >= occupancy.blocks) return;
    occupancy.blocks = most;
    occupancy.limited_by = by;
  };
  limit(occupancy.of_warps / warps, "threads");
  // From sm_80 on the driver keeps 1 KiB of each block for itself; allocation is by 128 bytes
  // (256 before).
  const std::size_t reserved = properties.major >= 8 ? 1024 : 0;
  const std::size_t unit = properties.major >= 8 ? 128 : 256;
  const std::size_t bytes = (shared_bytes + reserved + unit - 1) / unit * unit;
  if (bytes > 0) {
    limit(static_cast<int>(properties.shared_per_multiprocessor / bytes), "shared memory");
  }
  occupancy.warps = occupancy.blocks * warps;
  return occupancy;
}

}  // namespace ladder::emulator
