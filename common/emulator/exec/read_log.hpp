// Reads of a block's shared memory that an observer looks at later, or never: between two barriers
// a block mostly only reads what it wrote before the first, so that all there is to know of a read
// is that it happened, and only until the next barrier. Who writes elsewhere need not look at it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/emulator/exec/access_pattern.hpp"

namespace ladder::emulator {

class Warp;

class ReadLog {
 public:
  struct Shape {  // of addresses, as in AccessPattern
    std::uint32_t mask, stride, bytes;
    std::uint64_t low, extent;
    std::array<std::uint64_t, lanes> distance;
  };
  struct Entry {
    Warp* warp;
    const Inst* inst;
    std::uint32_t shape;  // index into shapes()
    std::uint32_t base;   // shared address of the first lane
  };

  explicit ReadLog(std::uint32_t shared_bytes)
      : end_((shared_bytes / line_bytes + 2) * line_bytes),
        lines_(end_ / line_bytes),
        round_of_read_(lines_.size()) {}

  // Keeps a read for later if it may be: nothing has been written there since `barrier`, and
  // nothing is about to be.
  bool keep(Warp& warp, const Inst& inst, const AccessPattern& pattern, std::uint64_t base,
            std::uint32_t bytes) {
    const std::uint64_t low = base + pattern.low;
    if (!is_clean(low, low + pattern.extent)) return false;
    if (size_ == entries_.size() && !make_room()) [[unlikely]]
      return false;
    Known& known = known_[pattern.number % known_.size()];
    if (known.number != pattern.number) [[unlikely]] {
      known = {pattern.number, static_cast<std::uint32_t>(shapes_.size())};
      shapes_.push_back(
          {pattern.mask, pattern.stride, bytes, pattern.low, pattern.extent, pattern.distance});
    }
    mark_read(low, low + pattern.extent);
    entries_[size_++] = {&warp, &inst, known.shape, static_cast<std::uint32_t>(base)};
    return true;
  }

  // Everything kept is told in order, and forgotten.
  template <class Visit>
  void tell(const Visit& visit) {
    const std::size_t count = size_;
    for (std::size_t i = 0; i < count; ++i) visit(entries_[i], shapes_[entries_[i].shape]);
    clear();
  }
  // The same for what was read in [low, high).
  template <class Visit>
  void tell_of(std::uint64_t low, std::uint64_t high, const Visit& visit) {
    if (!was_read(low, high)) return;
    std::size_t left = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const Entry entry = entries_[i];
      const Shape& shape = shapes_[entry.shape];
      const std::uint64_t begin = entry.base + shape.low;
      if (begin < high && low < begin + shape.extent) {
        visit(entry, shape);
      } else {
        entries_[left++] = entry;
      }
    }
    size_ = left;
  }
  bool empty() const { return size_ == 0; }
  void clear() {
    size_ = 0;
    ++round_;
    if (shapes_.size() < most_shapes) return;
    shapes_.clear();
    known_.fill({});
  }

  // All before is over: a barrier that all threads passed. Epochs before `epoch` are.
  void begin_phase(std::uint32_t epoch) {
    clear();
    phase_ = epoch;
    if (in_flight_ != 0) return;
    low_ = ~std::uint64_t{0};
    high_ = 0;
  }
  // Epochs are counted anew, from `epoch` on.
  void begin_anew(std::uint32_t epoch) {
    for (Line& line : lines_) line.written = 0;
    begin_phase(epoch);
  }
  // [low, high) is written at a time (epochs) from the last begin_phase on.
  void written(std::uint64_t low, std::uint64_t high, std::uint32_t epoch) {
    high = std::min(high, end_);
    if (low >= high) return;  // it will fault
    low_ = std::min(low_, low);
    high_ = std::max(high_, high);
    for (std::uint64_t line = low / line_bytes; line <= (high - 1) / line_bytes; ++line) {
      lines_[line].written = epoch;
    }
  }
  // So many bytes from `low` on, within a line, are being copied to from now on, by one copy or
  // several; or no longer.
  void copy_begins(std::uint64_t low, std::uint32_t bytes) { count_copied(low, bytes); }
  void copy_ends(std::uint64_t low, std::uint32_t bytes) { count_copied(low, 0 - bytes); }
  bool any_copies() const { return in_flight_ != 0; }
  void forget_copies() {
    for (Line& line : lines_) line.in_flight = 0;
    in_flight_ = 0;
  }

 private:
  static constexpr std::uint64_t line_bytes = 128, most_lines = 8;
  static constexpr std::size_t most_shapes = 1024;
  struct Line {
    std::uint32_t written = 0;    // when: epoch
    std::uint32_t in_flight = 0;  // bytes
  };
  struct Known {
    std::uint64_t number = 0;  // AccessPattern::number
    std::uint32_t shape = 0;
  };

  [[gnu::noinline]] void get_to_know(Known& known, const AccessPattern& pattern,
                                     std::uint32_t bytes) {
    known = {pattern.number, static_cast<std::uint32_t>(shapes_.size())};
    shapes_.push_back(
        {pattern.mask, pattern.stride, bytes, pattern.low, pattern.extent, pattern.distance});
  }
  [[gnu::noinline]] bool make_room() {
    constexpr std::size_t fewest = 256, most = 4096;
    if (entries_.size() == most) return false;
    entries_.resize(std::max(fewest, entries_.size() * 2));
    return true;
  }
  bool is_clean(std::uint64_t low, std::uint64_t high) const {
    if (low >= high_ || high <= low_) return true;  // outside the block's memory: it will fault
    const std::uint64_t first = low / line_bytes, last = (high - 1) / line_bytes;
    if (high > end_ || last - first >= most_lines) return false;
    bool clean = true;
    for (std::uint64_t line = first; line <= last; ++line) {
      clean = clean && lines_[line].written < phase_ && lines_[line].in_flight == 0;
    }
    return clean;
  }
  void mark_read(std::uint64_t low, std::uint64_t high) {
    high = std::min(high, end_);
    for (std::uint64_t line = low / line_bytes; line * line_bytes < high; ++line) {
      round_of_read_[line] = round_;
    }
  }
  // Perhaps: what is kept.
  bool was_read(std::uint64_t low, std::uint64_t high) const {
    if (size_ == 0) return false;
    high = std::min(high, end_);
    for (std::uint64_t line = low / line_bytes; line * line_bytes < high; ++line) {
      if (round_of_read_[line] == round_) return true;
    }
    return false;
  }
  void count_copied(std::uint64_t low, std::uint32_t more) {
    lines_[low / line_bytes].in_flight += more;
    in_flight_ += more;
  }

  std::uint64_t end_;  // of the block's memory, and a little more
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  std::vector<Shape> shapes_;
  std::array<Known, 64> known_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> round_of_read_;  // by line, as round_
  std::uint32_t phase_ = 0;
  std::uint32_t round_ = 1;      // since everything was forgotten
  std::uint32_t in_flight_ = 0;  // summed over lines
  // What was written in this phase, or is in flight, lies in here.
  std::uint64_t low_ = ~std::uint64_t{0}, high_ = 0;
};

}  // namespace ladder::emulator
