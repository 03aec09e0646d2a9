#include "common/emulator/observers/written_bits.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace ladder::emulator {

bool all_set(const std::uint8_t* bits, std::uint64_t begin, std::uint64_t count) {
  constexpr std::uint64_t step = 56;  // so that a word holds them, wherever in its byte it begins
  const std::uint8_t* at = bits + begin / 8;
  const std::uint64_t shift = begin % 8;
  for (;; at += step / 8, count -= step) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word = ~(word >> shift);
    const std::uint64_t wanted = std::min(count, step);
    if ((word & ((std::uint64_t{1} << wanted) - 1)) != 0) return false;
    if (count <= step) return true;
  }
}

std::uint64_t set_all(std::uint8_t* bits, std::uint64_t begin, std::uint64_t count, bool together) {
  int fresh = 0;
  const auto part = [&](std::uint8_t* at, std::uint8_t more) {
    if ((*at & more) == more) return;
    fresh += std::popcount(static_cast<unsigned>(more & ~*at));
    if (together) {
      std::atomic_ref<std::uint8_t>(*at).fetch_or(more, std::memory_order_relaxed);
    } else {
      *at = static_cast<std::uint8_t>(*at | more);
    }
  };
  std::uint8_t* at = bits + begin / 8;
  if (const std::uint64_t shift = begin % 8; shift != 0) {
    const std::uint64_t here = std::min(count, 8 - shift);
    part(at++, static_cast<std::uint8_t>(((1u << here) - 1) << shift));
    count -= here;
  }
  std::uint8_t* const end = at + count / 8;
  for (; at + 8 <= end; at += 8) {  // whole bytes of bits belong to this access alone
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    fresh += std::popcount(~word);
    std::memset(at, 0xff, sizeof word);
  }
  for (; at < end; ++at) {
    fresh += std::popcount(static_cast<unsigned>(static_cast<std::uint8_t>(~*at)));
    *at = 0xff;
  }
  if (count % 8 != 0) part(at, static_cast<std::uint8_t>((1u << (count % 8)) - 1));
  return static_cast<std::uint64_t>(fresh);
}

void WrittenBytes::clear() {
  std::fill(bits_.begin(), bits_.end(), std::uint8_t{0});
  missing_ = bytes_;
}

namespace {

std::uint8_t* reserve(std::size_t bytes, int protection) {
  void* at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    throw Fault(FaultKind::out_of_memory,
                "initcheck cannot reserve address space: is it limited (ulimit -v)?");
  }
  return static_cast<std::uint8_t*>(at);
}

}  // namespace

WrittenPages::WrittenPages(const DeviceMemory& memory)
    : begin_(memory.everything().begin), bytes_(memory.everything().bytes) {
  states_ = reserve(bytes_ / page, PROT_READ | PROT_WRITE);
  bits_ = reserve(bytes_ / 8 + page, PROT_NONE);
}

WrittenPages::~WrittenPages() {
  munmap(states_, bytes_ / page);
  munmap(bits_, bytes_ / 8 + page);
}

bool WrittenPages::holds(DeviceAddress begin, std::size_t bytes) const {
  return begin - begin_ < bytes_ && bytes <= bytes_ - (begin - begin_);
}

// visit(page, first byte in it, bytes) until one says false.
template <class Visit>
bool WrittenPages::for_pages(std::uint64_t offset, std::size_t bytes, const Visit& visit) {
  while (bytes > 0) {
    const std::size_t here = std::min<std::size_t>(bytes, page - offset % page);
    if (!visit(offset / page, offset % page, here)) return false;
    offset += here;
    bytes -= here;
  }
  return true;
}

void WrittenPages::allocate(DeviceAddress begin, std::size_t bytes) {
  if (bytes == 0 || !holds(begin, bytes)) return;
  const std::uint64_t offset = begin - begin_;
  const std::uint64_t end_page = (offset + bytes - 1) / page + 1;
  for (std::uint64_t number = offset / page; number < end_page; ++number) change(number, none);
  const std::uint64_t first = offset / 8 / page * page;
  const std::uint64_t last = (end_page * (page / 8) + 8 + page - 1) / page * page;  // see all_set
  if (mprotect(bits_ + first, last - first, PROT_READ | PROT_WRITE) != 0) {
    throw Fault(FaultKind::out_of_memory, "out of memory for initcheck");
  }
  // What lies behind it in its last page shall not be missed.
  write(begin + bytes, end_page * page - (offset + bytes), false);
}

void WrittenPages::free(DeviceAddress begin, std::size_t bytes) {
  if (bytes == 0 || !holds(begin, bytes)) return;
  const std::uint64_t first = (begin - begin_) / page, last = (begin - begin_ + bytes - 1) / page;
  for (std::uint64_t number = first; number <= last; ++number) change(number, all);
  // Whole pages of bits go back to the system.
  const std::uint64_t from = (first * (page / 8) + page - 1) / page * page;
  const std::uint64_t to = (last + 1) * (page / 8) / page * page;
  if (to > from) madvise(bits_ + from, to - from, MADV_DONTNEED);
}

bool WrittenPages::written(DeviceAddress begin, std::size_t bytes) const {
  if (!holds(begin, bytes)) return true;
  return for_pages(begin - begin_, bytes,
                   [&](std::uint64_t number, std::uint64_t first, std::size_t here) {
                     const std::uint8_t state = state_of(number);
                     if (state != some) return state == all;
                     return all_set(bits_ + number * (page / 8), first, here);
                   });
}

WrittenPages::Gap WrittenPages::first_gap(DeviceAddress begin, std::size_t bytes) const {
  if (written(begin, bytes)) return {};
  const std::uint64_t end = begin - begin_ + bytes;
  // The first byte from `at` on that is written, or is not.
  const auto find = [&](std::uint64_t at, bool wanted) {
    while (at < end) {
      const std::uint64_t number = at / page, page_end = std::min(end, (number + 1) * page);
      const std::uint8_t state = state_of(number);
      if (state != some && (state == all) == wanted) return at;
      for (; state == some && at < page_end; ++at) {
        if (all_set(bits_, at, 1) == wanted) return at;
      }
      at = page_end;
    }
    return end;
  };
  const std::uint64_t first = find(begin - begin_, false);
  return {begin_ + first, find(first, true) - first};
}

void WrittenPages::change(std::uint64_t number, State state) {
  const std::uint8_t before =
      std::atomic_ref(states_[number]).exchange(state, std::memory_order_acq_rel);
  open_pages_ += (state != all) - (before != all);
}

void WrittenPages::open(std::uint64_t number, bool written) {
  const std::lock_guard lock(mutex_);
  const std::atomic_ref state(states_[number]);
  if (state.load(std::memory_order_relaxed) == some) return;
  std::memset(bits_of(number), written ? 0xff : 0, page / 8);
  change(number, some);
}

void WrittenPages::write(DeviceAddress begin, std::size_t bytes, bool together) {
  if (!holds(begin, bytes)) return;
  for_pages(begin - begin_, bytes,
            [&](std::uint64_t number, std::uint64_t first, std::size_t here) {
              const std::uint8_t now = state_of(number);
              if (now == all) return true;
              if (here == page) {
                change(number, all);
                return true;
              }
              if (now == none) open(number, false);
              set_all(bits_of(number), first, here, together);
              return true;
            });
}

void WrittenPages::settle(DeviceAddress begin, std::size_t bytes) {
  if (!holds(begin, bytes)) return;
  for_pages(begin - begin_, bytes, [&](std::uint64_t number, std::uint64_t, std::size_t) {
    is_complete(number);
    return true;
  });
}

bool WrittenPages::is_complete(std::uint64_t number) {
  const std::uint8_t state = state_of(number);
  const bool whole = state == all || (state == some && all_set(bits_of(number), 0, page));
  if (whole && state != all) change(number, all);
  return whole;
}

WrittenPages::Stretch WrittenPages::stretch_around(DeviceAddress address) {
  if (!holds(address, 1)) return {address / page * page, page, true};
  constexpr std::uint64_t farthest = 4096;  // pages
  const std::uint64_t here = (address - begin_) / page, pages = bytes_ / page;
  const std::uint64_t lowest = here - std::min(here, farthest);
  const std::uint64_t highest = std::min(here + farthest, pages - 1);
  const bool complete = is_complete(here);
  const auto alike = [&](std::uint64_t number) {
    return complete ? is_complete(number) : state_of(number) != all;
  };
  std::uint64_t first = here, last = here;
  while (first > lowest && alike(first - 1)) {
    --first;
    while (first % 8 == 0 && first >= lowest + 8 && eight_alike(first - 8, complete)) first -= 8;
  }
  while (last < highest && alike(last + 1)) {
    ++last;
    while (last % 8 == 7 && last + 8 <= highest && eight_alike(last + 1, complete)) last += 8;
  }
  return {begin_ + first * page, (last - first + 1) * page, complete};
}

// Whether the states of eight pages, the first of them a multiple of eight, all are `all`, or none is.
bool WrittenPages::eight_alike(std::uint64_t number, bool complete) const {
  static_assert(all == 0);
  const std::uint64_t states = std::atomic_ref(reinterpret_cast<std::uint64_t&>(states_[number]))
                                   .load(std::memory_order_acquire);
  constexpr std::uint64_t ones = ~std::uint64_t{0} / 0xff;
  return complete ? states == 0 : ((states - ones) & ~states & (ones << 7)) == 0;
}

void WrittenPages::copy(DeviceAddress to, DeviceAddress from, std::size_t bytes) {
  if (!holds(to, bytes)) return;
  if (written(from, bytes)) return write(to, bytes, true);
  // Bit by bit, into a copy first: the ranges may overlap.
  std::vector<bool> bits(bytes);
  for (std::size_t i = 0; i < bytes; ++i) bits[i] = written(from + i, 1);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint64_t offset = to + i - begin_;
    if (bits[i]) {
      write(to + i, 1, true);
    } else if (states_[offset / page] != none) {
      open(offset / page, true);
      std::atomic_ref(bits_of(offset / page)[offset % page / 8])
          .fetch_and(static_cast<std::uint8_t>(~(1u << (offset % 8))), std::memory_order_relaxed);
    }
  }
}

}  // namespace ladder::emulator
