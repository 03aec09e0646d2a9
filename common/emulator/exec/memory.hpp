// The emulated device's memory. A device address points into a reserved range that the host cannot
// dereference; the bytes live in an alias of the same size, a fixed distance away.
//
// Knows allocations, freed ones (to name a use after free) and host ranges that kernels may touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// Addresses [begin, begin + bytes) and where the host finds them: address + to_host.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::int64_t to_host = 0;

  bool holds(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t offset = address - begin;
    return offset < bytes && size <= bytes - offset;
  }
  std::byte* host(std::uint64_t address) const {
    return reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(to_host));
  }
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t limit_bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  // What an allocation is for. Only `user` ones are listed and can be freed by a program.
  enum class Owner : std::uint8_t { user, module, device_heap, host };

  // 0 bytes: an address that nothing may touch. Throws Fault(out_of_memory).
  DeviceAddress allocate(std::size_t bytes, const std::string& what, Owner owner);
  // Throws Fault(invalid_address) unless `address` is what allocate() of this owner returned.
  void free(DeviceAddress address, Owner owner);
  void limit_heap(std::size_t bytes) { heap_limit_ = bytes; }  // of Owner::device_heap

  // What the live user allocation that begins at `address` is called in reports; nothing if none.
  void rename(DeviceAddress address, const std::string& what);

  void map_host(void* address, std::size_t bytes, const std::string& what);
  void unmap_host(void* address);
  bool maps_host() const;  // any

  // The live range that holds `address`; false if none does. Safe from several threads. `may_go`:
  // whether another block may free it during the launch, so that nobody keeps it in mind.
  bool find_range(DeviceAddress address, Range& range, bool* may_go = nullptr) const;
  // The whole reserved range, for running unchecked.
  Range everything() const { return {base_, reserved_bytes, to_host_}; }

  const Device::Allocation* find(DeviceAddress address) const;
  std::vector<Device::Allocation> allocations() const;
  std::size_t bytes_in_use() const { return in_use_; }
  bool reserved(DeviceAddress address) const { return address - base_ < reserved_bytes; }

  // Where [address, address + bytes) lies, in words: "4 bytes after the 1028-byte allocation ...".
  std::string describe(DeviceAddress address, std::uint64_t bytes) const;
  // Whether it is memory that stays what it is during a launch: not of a kernel's malloc.
  bool is_shared_by_blocks(DeviceAddress address) const;
  // True if `address` lies in memory that was freed and not given out again.
  bool freed(DeviceAddress address) const;

  // Host pointer for a checked copy; `purpose` begins the fault's text ("copy to the device").
  std::byte* host(DeviceAddress address, std::size_t bytes, const std::string& purpose) const;

 private:
  static constexpr std::uint64_t reserved_bytes = std::uint64_t{128} << 30;

  struct Block {
    Device::Allocation allocation;
    Owner owner = Owner::user;
    std::uint64_t reserved = 0;  // whole pages, with its red zone
    std::uint64_t used = 0;      // of them, what the host may touch
  };
  std::uint64_t place(std::uint64_t reserved);
  std::map<DeviceAddress, Block>::const_iterator holder(DeviceAddress address) const;

  std::size_t limit_bytes_;
  std::size_t heap_limit_ = 0, heap_in_use_ = 0;
  std::uint64_t base_ = 0;
  std::int64_t to_host_ = 0;
  std::uint64_t next_ = 0;  // first address never given out
  std::size_t in_use_ = 0, host_ranges_ = 0;
  std::map<DeviceAddress, Block> live_;
  std::map<DeviceAddress, Block> freed_;  // holes, kept to name them
  mutable std::shared_mutex mutex_;
};

}  // namespace ladder::emulator
