// Host memory that kernels may touch: pinned, registered and managed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

enum class HostKind { pinned, registered, managed };

struct HostBlock {
  HostKind kind = HostKind::pinned;
  std::size_t bytes = 0;
  unsigned flags = 0;
};

class HostMemory {
 public:
  // Pages of zeros, mapped into the device. Throws std::bad_alloc.
  void* allocate(Device& device, std::size_t bytes, HostKind kind, unsigned flags);
  void add_registered(Device& device, void* address, std::size_t bytes, unsigned flags);
  // False: no block of that kind starts there.
  bool release(Device& device, void* address, HostKind kind);

  // The block that holds `address`, or nullptr.
  const HostBlock* find(const void* address) const;
  bool overlaps(const void* address, std::size_t bytes) const;
  std::vector<Device::Allocation> blocks() const;  // ours, not the registered ones
  void release_all(Device& device);

 private:
  std::map<std::uintptr_t, HostBlock> blocks_;
};

}  // namespace ladder::emulator
