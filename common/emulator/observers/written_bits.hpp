// Which bytes of a memory have been written: one bit a byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "common/emulator/exec/memory.hpp"

namespace ladder::emulator {

// Bits [begin, begin + count) of an array that is readable for 8 bytes past its end.
bool all_set(const std::uint8_t* bits, std::uint64_t begin, std::uint64_t count);
// `together`: several host threads set bits of the array at the same time.
// How many were not set before, which is not certain `together`.
std::uint64_t set_all(std::uint8_t* bits, std::uint64_t begin, std::uint64_t count, bool together);

// A block's shared memory, or a thread's local memory: unwritten at first.
class WrittenBytes {
 public:
  explicit WrittenBytes(std::size_t bytes)
      : bytes_(bytes), missing_(bytes), bits_(bytes / 8 + 17) {}

  void clear();
  bool holds(std::uint64_t begin, std::uint64_t bytes) const {
    return begin <= bytes_ && bytes <= bytes_ - begin;
  }
  // Both leave out what lies outside: an access there is a fault, and will say so.
  bool written(std::uint64_t begin, std::uint64_t bytes) const {
    return !holds(begin, bytes) || all_set(bits_.data(), begin, bytes);
  }
  void write(std::uint64_t begin, std::uint64_t bytes) {
    if (holds(begin, bytes)) missing_ -= set_all(bits_.data(), begin, bytes, false);
  }
  bool complete() const { return missing_ == 0; }

 private:
  std::size_t bytes_, missing_;
  std::vector<std::uint8_t> bits_;
};

// The device's memory, page by page, so that memory that nobody touches costs nothing. What was
// never told to be allocated counts as written: variables of modules, memory of the host.
class WrittenPages {
 public:
  explicit WrittenPages(const DeviceMemory& memory);
  ~WrittenPages();
  WrittenPages(const WrittenPages&) = delete;

  void allocate(DeviceAddress begin, std::size_t bytes);
  void free(DeviceAddress begin, std::size_t bytes);  // counts as written again
  bool written(DeviceAddress begin, std::size_t bytes) const;
  // The first bytes of a range that are not, as far as they lie side by side; none: 0 bytes.
  struct Gap {
    DeviceAddress begin = 0;
    std::size_t bytes = 0;
  };
  Gap first_gap(DeviceAddress begin, std::size_t bytes) const;
  void write(DeviceAddress begin, std::size_t bytes, bool together);
  // Looks which pages have become whole: for the host's writes; a kernel's are small and many.
  void settle(DeviceAddress begin, std::size_t bytes);
  // Pages around an address that are all whole, or all not known to be. Not all there may be.
  struct Stretch {
    std::uint64_t begin, bytes;
    bool complete;
  };
  Stretch stretch_around(DeviceAddress address);
  // Nothing is unwritten.
  bool complete() const { return open_pages_.load(std::memory_order_relaxed) == 0; }
  // `to` is written where `from` is.
  void copy(DeviceAddress to, DeviceAddress from, std::size_t bytes);

 private:
  static constexpr std::uint64_t page = 4096;
  enum State : std::uint8_t {
    all,
    none,
    some
  };  // of a page's bytes are written; `some`: see bits_

  bool holds(DeviceAddress begin, std::size_t bytes) const;
  std::uint8_t state_of(std::uint64_t number) const {
    return std::atomic_ref(states_[number]).load(std::memory_order_acquire);
  }
  std::uint8_t* bits_of(std::uint64_t number) { return bits_ + number * (page / 8); }
  void open(std::uint64_t number, bool written);  // its bits count from now on
  void change(std::uint64_t number, State state);
  bool is_complete(std::uint64_t number);  // looks
  bool eight_alike(std::uint64_t number, bool complete) const;
  template <class Visit>
  static bool for_pages(std::uint64_t offset, std::size_t bytes, const Visit& visit);

  std::uint64_t begin_, bytes_;
  std::uint8_t* states_ = nullptr;  // of each page
  std::uint8_t* bits_ = nullptr;
  std::atomic<std::int64_t> open_pages_ = 0;  // whose state is not `all`
  std::mutex mutex_;
};

}  // namespace ladder::emulator
