#include "common/emulator/runtime/host_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace ladder::emulator {
namespace {

const char* name_of(HostKind kind) {
  switch (kind) {
    case HostKind::pinned:
      return "cudaMallocHost";
    case HostKind::registered:
      return "cudaHostRegister";
    case HostKind::managed:
      return "cudaMallocManaged";
  }
  return "host memory";
}

}  // namespace

void* HostMemory::allocate(Device& device, std::size_t bytes, HostKind kind, unsigned flags) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  device.map_host(address, bytes, name_of(kind));
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {kind, bytes, flags};
  return address;
}

void HostMemory::add_registered(Device& device, void* address, std::size_t bytes, unsigned flags) {
  device.map_host(address, bytes, name_of(HostKind::registered));
  blocks_[reinterpret_cast<std::uintptr_t>(address)] = {HostKind::registered, bytes, flags};
}

bool HostMemory::release(Device& device, void* address, HostKind kind) {
  const auto block = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (block == blocks_.end() || block->second.kind != kind) return false;
  device.unmap_host(address);
  if (kind != HostKind::registered) munmap(address, block->second.bytes);
  blocks_.erase(block);
  return true;
}

const HostBlock* HostMemory::find(const void* address) const {
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  auto block = blocks_.upper_bound(key);
  if (block == blocks_.begin()) return nullptr;
  --block;
  return key - block->first < block->second.bytes ? &block->second : nullptr;
}

bool HostMemory::overlaps(const void* address, std::size_t bytes) const {
  if (find(address) != nullptr) return true;
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  const auto next = blocks_.lower_bound(key);
  return next != blocks_.end() && next->first - key < bytes;
}

std::vector<Device::Allocation> HostMemory::blocks() const {
  std::vector<Device::Allocation> result;
  for (const auto& [address, block] : blocks_)
    if (block.kind != HostKind::registered)
      result.push_back({address, block.bytes, name_of(block.kind)});
  return result;
}

void HostMemory::release_all(Device& device) {
  while (!blocks_.empty())
    release(device, reinterpret_cast<void*>(blocks_.begin()->first), blocks_.begin()->second.kind);
}

}  // namespace ladder::emulator
