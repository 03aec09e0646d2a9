#include "common/emulator/exec/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "common/emulator/exec/text.hpp"

namespace ladder::emulator {

namespace {

constexpr std::uint64_t page = 4096;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page - 1) / page * page;
}

constexpr std::uint64_t narrow_red_zone = 256;

// Addresses behind an allocation that belong to nobody, so that an index that is too large lands
// there and not in the next allocation: as many as it has, since an error of one row or one block
// is larger the larger the array is.
std::uint64_t red_zone(std::uint64_t bytes) {
  return whole_pages(std::clamp<std::uint64_t>(bytes, 64 << 10, 16 << 20));
}

std::uint64_t reserve(std::uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    throw Fault(FaultKind::out_of_memory,
                "cannot reserve " + bytes_text(bytes) +
                    " of address space for device memory: is it limited (ulimit -v)?");
  }
  return reinterpret_cast<std::uint64_t>(at);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {
  base_ = reserve(reserved_bytes);
  const std::uint64_t alias = reserve(reserved_bytes);
  to_host_ = static_cast<std::int64_t>(alias - base_);
  next_ = base_ + page;
}

DeviceMemory::~DeviceMemory() {
  munmap(reinterpret_cast<void*>(base_), reserved_bytes);
  munmap(reinterpret_cast<void*>(base_ + static_cast<std::uint64_t>(to_host_)), reserved_bytes);
}

// Fresh addresses first, so that a stale pointer is caught; then the first hole that is wide
// enough.
std::uint64_t DeviceMemory::place(std::uint64_t reserved) {
  if (reserved <= base_ + reserved_bytes - next_) {
    const std::uint64_t at = next_;
    next_ += reserved;
    return at;
  }
  for (auto first = freed_.begin(); first != freed_.end(); ++first) {
    std::uint64_t end = first->first;
    for (auto last = first; last != freed_.end() && last->first == end; ++last) {
      end += last->second.reserved;
      if (end - first->first < reserved) continue;
      const std::uint64_t at = first->first;
      Block rest = last->second;
      freed_.erase(first, std::next(last));
      if (end > at + reserved) {
        rest.reserved = end - (at + reserved);
        rest.allocation.address = at + reserved;
        rest.allocation.bytes = rest.reserved;
        freed_.emplace(at + reserved, rest);
      }
      return at;
    }
  }
  return 0;
}

DeviceAddress DeviceMemory::allocate(std::size_t bytes, const std::string& what, Owner owner) {
  std::unique_lock lock(mutex_);
  // The system counts pieces of address space, and each wide red zone parts two. What kernels
  // allocate, and programs by the ten thousand, lies side by side, and so does what comes late.
  constexpr std::size_t many = 10000;
  const bool wide = owner != Owner::device_heap && live_.size() < many &&
                    next_ - base_ + bytes <= reserved_bytes / 2;
  const std::uint64_t used = whole_pages(wide ? bytes : bytes + narrow_red_zone);
  const std::uint64_t reserved = used + (wide ? red_zone(bytes) : 0);
  const bool on_heap = owner == Owner::device_heap;
  const bool fits = bytes <= limit_bytes_ && in_use_ <= limit_bytes_ - bytes &&
                    (!on_heap || (bytes <= heap_limit_ && heap_in_use_ <= heap_limit_ - bytes));
  const std::uint64_t at = fits ? place(reserved) : 0;
  void* host = reinterpret_cast<void*>(at + static_cast<std::uint64_t>(to_host_));
  if (at == 0 || mprotect(host, used, PROT_READ | PROT_WRITE) != 0) {
    if (at != 0) {
      freed_.emplace(at, Block{{at, static_cast<std::size_t>(reserved), what}, owner, reserved, 0});
    }
    throw Fault(FaultKind::out_of_memory, "out of device memory: " + bytes_text(bytes) +
                                              " asked for '" + what + "', " + bytes_text(in_use_) +
                                              " of " + bytes_text(limit_bytes_) + " in use");
  }
  live_.emplace(at, Block{{at, bytes, what}, owner, reserved, used});
  in_use_ += bytes;
  if (on_heap) heap_in_use_ += bytes;
  return at;
}

void DeviceMemory::free(DeviceAddress address, Owner owner) {
  std::unique_lock lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.owner != owner) {
    std::string why = "free of " + hex(address) + ", ";
    if (const auto old = freed_.find(address); old != freed_.end()) {
      why += "which was freed before: the " + bytes_text(old->second.allocation.bytes) +
             " allocation '" + old->second.allocation.what + "'";
    } else if (const auto inside = holder(address); inside != live_.end()) {
      why += "which is not the start of an allocation but " +
             std::to_string(address - inside->first) + " bytes inside '" +
             inside->second.allocation.what + "'";
    } else {
      why += reserved(address) ? "which is no allocation" : "which is no device address";
    }
    throw Fault(FaultKind::invalid_address, why);
  }
  Block block = found->second;
  live_.erase(found);
  in_use_ -= block.allocation.bytes;
  if (owner == Owner::device_heap) heap_in_use_ -= block.allocation.bytes;
  void* host = reinterpret_cast<void*>(address + static_cast<std::uint64_t>(to_host_));
  madvise(host, block.used, MADV_DONTNEED);
  // What a kernel frees another block may just be reading, on another of the host's threads.
  if (owner != Owner::device_heap) mprotect(host, block.used, PROT_NONE);
  freed_.emplace(address, std::move(block));
}

void DeviceMemory::map_host(void* address, std::size_t bytes, const std::string& what) {
  std::unique_lock lock(mutex_);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  host_ranges_ += live_.insert_or_assign(at, Block{{at, bytes, what}, Owner::host, 0, 0}).second;
}

bool DeviceMemory::maps_host() const {
  std::shared_lock lock(mutex_);
  return host_ranges_ > 0;
}

void DeviceMemory::unmap_host(void* address) {
  std::unique_lock lock(mutex_);
  const auto found = live_.find(reinterpret_cast<std::uint64_t>(address));
  if (found == live_.end() || found->second.owner != Owner::host) {
    throw Fault(FaultKind::invalid_address, hex(reinterpret_cast<std::uint64_t>(address)) +
                                                " is not host memory that the device knows");
  }
  --host_ranges_;
  live_.erase(found);
}

std::map<DeviceAddress, DeviceMemory::Block>::const_iterator DeviceMemory::holder(
    DeviceAddress address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return live_.end();
  --after;
  return address - after->first < after->second.allocation.bytes ? after : live_.end();
}

bool DeviceMemory::find_range(DeviceAddress address, Range& range, bool* may_go) const {
  std::shared_lock lock(mutex_);
  const auto found = holder(address);
  if (found == live_.end()) return false;
  range = {found->first, found->second.allocation.bytes,
           found->second.owner == Owner::host ? 0 : to_host_};
  if (may_go != nullptr) *may_go = found->second.owner == Owner::device_heap;
  return true;
}

const Device::Allocation* DeviceMemory::find(DeviceAddress address) const {
  std::shared_lock lock(mutex_);
  const auto found = holder(address);
  return found == live_.end() ? nullptr : &found->second.allocation;
}

void DeviceMemory::rename(DeviceAddress address, const std::string& what) {
  std::unique_lock lock(mutex_);
  const auto found = live_.find(address);
  if (found != live_.end() && found->second.owner == Owner::user)
    found->second.allocation.what = what;
}

std::vector<Device::Allocation> DeviceMemory::allocations() const {
  std::shared_lock lock(mutex_);
  std::vector<Device::Allocation> list;
  for (const auto& [at, block] : live_) {
    if (block.owner == Owner::user) list.push_back(block.allocation);
  }
  return list;
}

bool DeviceMemory::is_shared_by_blocks(DeviceAddress address) const {
  std::shared_lock lock(mutex_);
  const auto found = holder(address);
  return found != live_.end() && found->second.owner != Owner::device_heap;
}

bool DeviceMemory::freed(DeviceAddress address) const {
  std::shared_lock lock(mutex_);
  auto after = freed_.upper_bound(address);
  return after != freed_.begin() &&
         address - std::prev(after)->first < std::prev(after)->second.allocation.bytes;
}

std::string DeviceMemory::describe(DeviceAddress address, std::uint64_t bytes) const {
  if (address < page) {
    return hex(address) + ": a null pointer" + (address == 0 ? "" : " plus an offset");
  }
  std::shared_lock lock(mutex_);
  const auto name = [](const Block& block) {
    return "the " + std::to_string(block.allocation.bytes) + "-byte allocation '" +
           block.allocation.what + "' (at " + hex(block.allocation.address) + ")";
  };
  auto after = freed_.upper_bound(address);
  if (after != freed_.begin()) {
    const Block& block = std::prev(after)->second;
    if (address - block.allocation.address < block.allocation.bytes) {
      return hex(address) + ": " + std::to_string(address - block.allocation.address) +
             " bytes into " + name(block) + ", which was freed";
    }
  }
  const auto next = live_.upper_bound(address);
  const auto before = next == live_.begin() ? live_.end() : std::prev(next);
  const std::uint64_t past_end = before == live_.end()
                                     ? ~std::uint64_t{0}
                                     : address - (before->first + before->second.allocation.bytes);
  const std::uint64_t ahead = next == live_.end() ? ~std::uint64_t{0} : next->first - address;
  if (before != live_.end() && address - before->first < before->second.allocation.bytes) {
    const std::uint64_t room = before->second.allocation.bytes - (address - before->first);
    const std::string over =
        bytes > room ? ", its last " + std::to_string(bytes - room) + " bytes past the end" : "";
    return hex(address) + ": " + std::to_string(address - before->first) + " bytes into " +
           name(before->second) + over;
  }
  if (!reserved(address)) {
    return hex(address) + ": not device memory (a host pointer?)";
  }
  if (past_end == ~std::uint64_t{0} && ahead == ~std::uint64_t{0}) {
    return hex(address) + ": no allocation is near";
  }
  if (past_end <= ahead) {
    return hex(address) + ": " + (past_end == 0 ? "right" : std::to_string(past_end) + " bytes") +
           " after " + name(before->second);
  }
  return hex(address) + ": " + std::to_string(ahead) + " bytes before " + name(next->second);
}

std::byte* DeviceMemory::host(DeviceAddress address, std::size_t bytes,
                              const std::string& purpose) const {
  Range range;
  if (!find_range(address, range) || !range.holds(address, bytes)) {
    throw Fault(FaultKind::invalid_address, purpose + " of " + std::to_string(bytes) +
                                                " bytes, at " + describe(address, bytes));
  }
  return range.host(address);
}

}  // namespace ladder::emulator
