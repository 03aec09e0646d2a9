#include "common/emulator/exec/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

enum class Kind { load, store, atomic };

std::string_view head_of(const ptx::Instruction& instruction) {
  const std::string_view text = instruction.opcode;
  return text.substr(0, text.find('.'));
}

Kind kind_of(const Inst& inst) {
  const auto head = head_of(*inst.source);
  return head == "st" ? Kind::store : head == "atom" || head == "red" ? Kind::atomic : Kind::load;
}

std::uint32_t lane_bytes(const Inst& inst) {
  return inst.bytes * std::max<std::uint32_t>(inst.list_size, 1);
}

struct Addresses {
  std::array<std::uint64_t, lanes> at{};
  int size = 0;
};

// Distinct units of `unit` bytes that the accesses touch.
int distinct(const Addresses& addresses, std::uint32_t bytes, std::uint32_t unit) {
  std::array<std::uint64_t, lanes * 9> touched;
  int n = 0;
  for (int i = 0; i < addresses.size; ++i) {
    const std::uint64_t at = addresses.at[static_cast<std::size_t>(i)];
    for (std::uint64_t u = at / unit; u <= (at + bytes - 1) / unit; ++u) {
      touched[static_cast<std::size_t>(n++)] = u;
    }
  }
  std::sort(touched.begin(), touched.begin() + n);
  return static_cast<int>(std::unique(touched.begin(), touched.begin() + n) - touched.begin());
}

int distinct_bytes(const Addresses& addresses, std::uint32_t bytes) {
  std::array<std::uint64_t, lanes> sorted = addresses.at;
  std::sort(sorted.begin(), sorted.begin() + addresses.size);
  const auto end = std::unique(sorted.begin(), sorted.begin() + addresses.size);
  return static_cast<int>(end - sorted.begin()) * static_cast<int>(bytes);
}

// Passes of the shared memory's 32 banks of 4 bytes: the most distinct words in one bank, for
// accesses of any width (measured on an H200).
int wavefronts(const Addresses& addresses, std::uint32_t bytes) {
  std::array<std::array<std::uint64_t, lanes * 9>, 32> words;
  std::array<int, 32> used{};
  for (int i = 0; i < addresses.size; ++i) {
    const std::uint64_t at = addresses.at[static_cast<std::size_t>(i)];
    for (std::uint64_t w = at / 4; w <= (at + bytes - 1) / 4; ++w) {
      auto& bank = words[w % 32];
      auto& n = used[w % 32];
      const auto end = bank.begin() + n;
      if (std::find(bank.begin(), end, w) == end) bank[static_cast<std::size_t>(n++)] = w;
    }
  }
  return *std::max_element(used.begin(), used.end());
}

// The hardware adds floats of one address one after another, each with a sector of its own; integers
// of one address are added together first.
int atomic_sectors(const Addresses& addresses, std::uint32_t bytes, bool is_float) {
  if (!is_float) return distinct(addresses, bytes, 32);
  Addresses rest = addresses;
  int sectors = 0;
  while (rest.size > 0) {
    Addresses once, again;
    for (int i = 0; i < rest.size; ++i) {
      const std::uint64_t at = rest.at[static_cast<std::size_t>(i)];
      const auto end = once.at.begin() + once.size;
      Addresses& to = std::find(once.at.begin(), end, at) == end ? once : again;
      to.at[static_cast<std::size_t>(to.size++)] = at;
    }
    sectors += distinct(once, bytes, 32);
    rest = again;
  }
  return sectors;
}

void count_global(Counters& counters, const Inst& inst, const Addresses& addresses) {
  const Kind kind = kind_of(inst);
  const std::uint32_t bytes = lane_bytes(inst);
  if (kind == Kind::atomic) {
    const std::string_view text = inst.source->opcode;
    const bool is_float = text.substr(text.rfind('.') + 1).find('f') != std::string_view::npos;
    ++counters.global_atomic_requests;
    counters.global_atomic_sectors +=
        static_cast<std::uint64_t>(atomic_sectors(addresses, bytes, is_float));
    return;
  }
  const auto sectors = static_cast<std::uint64_t>(distinct(addresses, bytes, 32));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(addresses, bytes) + 31) / 32);
  if (kind == Kind::load) {
    ++counters.global_load_requests;
    counters.global_load_sectors += sectors;
    counters.global_load_sectors_ideal += ideal;
  } else {
    ++counters.global_store_requests;
    counters.global_store_sectors += sectors;
    counters.global_store_sectors_ideal += ideal;
  }
}

// Atomics on shared memory have counters of their own on the hardware.
void count_shared(Counters& counters, const Inst& inst, const Addresses& addresses) {
  const Kind kind = kind_of(inst);
  if (kind == Kind::atomic) return;
  const std::uint32_t bytes = lane_bytes(inst);
  const auto passes = static_cast<std::uint64_t>(wavefronts(addresses, bytes));
  const auto ideal = static_cast<std::uint64_t>((distinct_bytes(addresses, bytes) + 127) / 128);
  if (kind == Kind::load) {
    ++counters.shared_load_requests;
    counters.shared_load_wavefronts += passes;
    counters.shared_load_wavefronts_ideal += ideal;
  } else {
    ++counters.shared_store_requests;
    counters.shared_store_wavefronts += passes;
    counters.shared_store_wavefronts_ideal += ideal;
  }
}

void counted(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask) {
  const auto space = static_cast<Space>(inst.space);
  Addresses global, shared;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t at = lane_address(rows, inst, std::countr_zero(left));
    const bool in_shared =
        space == Space::shared || (space == Space::generic && (at & window_mask) == shared_window);
    const bool in_local = space == Space::generic && (at & window_mask) == local_window;
    if (in_local) continue;
    Addresses& to = in_shared ? shared : global;
    to.at[static_cast<std::size_t>(to.size++)] = in_shared ? at & ~window_mask : at;
  }
  if (global.size > 0) count_global(warp.worker.counters, inst, global);
  if (shared.size > 0) count_shared(warp.worker.counters, inst, shared);
  inst.operation(rows, inst, warp, mask);
}

}  // namespace

void add(Counters& sum, const Counters& more) {
  sum.warp_instructions += more.warp_instructions;
  sum.thread_instructions += more.thread_instructions;
  sum.global_load_requests += more.global_load_requests;
  sum.global_load_sectors += more.global_load_sectors;
  sum.global_store_requests += more.global_store_requests;
  sum.global_store_sectors += more.global_store_sectors;
  sum.global_atomic_requests += more.global_atomic_requests;
  sum.global_atomic_sectors += more.global_atomic_sectors;
  sum.shared_load_wavefronts += more.shared_load_wavefronts;
  sum.shared_store_wavefronts += more.shared_store_wavefronts;
  sum.shared_load_requests += more.shared_load_requests;
  sum.shared_store_requests += more.shared_store_requests;
  sum.barriers += more.barriers;
  sum.global_load_sectors_ideal += more.global_load_sectors_ideal;
  sum.global_store_sectors_ideal += more.global_store_sectors_ideal;
  sum.shared_load_wavefronts_ideal += more.shared_load_wavefronts_ideal;
  sum.shared_store_wavefronts_ideal += more.shared_store_wavefronts_ideal;
}

void add_counting(Inst& inst) {
  if (inst.bytes == 0 || static_cast<Space>(inst.space) == Space::local) return;
  inst.operation = inst.all;
  inst.some = inst.all = &counted;
}

}  // namespace ladder::emulator
