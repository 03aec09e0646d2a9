// atom and red: one lane after another, atomic against other host threads.
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "common/emulator/exec/lane_functions.hpp"
#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using namespace lane;

struct exchange {
  template <class T>
  static T run(T, T b) {
    return b;
  }
};
struct increment {
  static u32 run(u32 a, u32 b) { return a >= b ? 0 : a + 1; }
};
struct decrement {
  static u32 run(u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; }
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

// Replaces what is at `at` by next(old); returns old.
template <class B, class Next>
B update(std::byte* at, bool several_threads, const Next& next) {
  auto* place = reinterpret_cast<B*>(at);
  if (!several_threads) {
    const B old = *place;
    *place = next(old);
    return old;
  }
  B old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, next(old), true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
  }
  return old;
}

template <class T, class Next>
void for_lanes(std::byte* rows, const Inst& inst, Warp& warp, u32 mask, const Next& next) {
  using B = Bits<T>;
  const auto space = static_cast<ptx::Space>(inst.space);
  const bool several =
      warp.launch.several_threads.load(std::memory_order_relaxed) && space != ptx::Space::shared;
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* at = resolve(warp, inst, space, lane_address(rows, inst, lane), sizeof(B), lane);
    B written{};
    const B old = update<B>(at, several, [&](B before) { return written = next(before, lane); });
    // Nothing changed: perhaps a wait for somebody who will.
    if (old == written) ++warp.polls;
    if (inst.d != no_row) reinterpret_cast<Stored<B>*>(rows + inst.d)[lane] = old;
  }
}

template <class F, class T>
void atomic(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const Source<T> operand(rows, inst.s[1]);
  for_lanes<T>(rows, inst, warp, mask, [&](Bits<T> old, int lane) {
    return std::bit_cast<Bits<T>>(F::run(std::bit_cast<T>(old), operand[lane]));
  });
}

// Additions of floating point in global memory are done by the memory: f32 flushes subnormals, and
// a NaN of f64 stays as it is, the operand's before the one in memory. In shared memory they are
// ordinary additions in a loop.
struct add_in_memory {
  static f32 run(f32 a, f32 b) { return ftz<fadd>::run(a, b); }
  static f64 run(f64 a, f64 b) { return b != b ? b : a != a ? a : a + b; }
};
template <class T>
void atomic_add(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const Source<T> operand(rows, inst.s[1]);
  const auto space = static_cast<ptx::Space>(inst.space);
  for_lanes<T>(rows, inst, warp, mask, [&](Bits<T> bits, int lane) {
    const T old = std::bit_cast<T>(bits);
    const bool shared = space == ptx::Space::shared ||
                        (space == ptx::Space::generic &&
                         (lane_address(rows, inst, lane) & window_mask) == shared_window);
    return std::bit_cast<Bits<T>>(shared ? fadd::run(old, operand[lane])
                                         : add_in_memory::run(old, operand[lane]));
  });
}

template <class T>
void compare_and_swap(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const Source<T> expected(rows, inst.s[1]), value(rows, inst.s[2]);
  for_lanes<T>(rows, inst, warp, mask,
               [&](T old, int lane) { return old == expected[lane] ? value[lane] : old; });
}

// 16 bytes: the operands are in the list, two rows each; the result in d and e. Not every host has
// such an operation: they exclude each other.
template <bool Compare>
void wide_exchange(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto row = [&](u32 offset, int lane) -> u64& {
    return reinterpret_cast<u64*>(rows + offset)[lane];
  };
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* const at = resolve(warp, inst, static_cast<ptx::Space>(inst.space),
                                  lane_address(rows, inst, lane), 16, lane);
    u64 old[2];
    std::memcpy(old, at, sizeof old);
    const bool writes =
        !Compare || (old[0] == row(inst.list[0], lane) && old[1] == row(inst.list[1], lane));
    const u32* const value = inst.list + (Compare ? 2 : 0);
    const u64 written[2] = {row(value[0], lane), row(value[1], lane)};
    if (writes) std::memcpy(at, written, sizeof written);
    if (!writes) ++warp.polls;
    if (inst.d == no_row) continue;
    row(inst.d, lane) = old[0];
    row(inst.e, lane) = old[1];
  }
}

}  // namespace

Handler atomic_handler(std::string_view operation, std::string_view type) {
  static const std::map<std::string, Handler, std::less<>> table = {
      {"add.u32", &atomic<iadd, u32>},
      {"add.s32", &atomic<iadd, u32>},
      {"add.u64", &atomic<iadd, u64>},
      {"add.s64", &atomic<iadd, u64>},
      {"add.f32", &atomic_add<f32>},
      {"add.f64", &atomic_add<f64>},
      {"add.f16", &atomic<in_f32<fadd>, f16>},
      {"add.bf16", &atomic<in_f32<fadd>, bf16>},
      {"add.f16x2", &atomic<pairwise<in_f32<fadd>>, f16x2>},
      {"add.bf16x2", &atomic<pairwise<in_f32<fadd>>, bf16x2>},
      {"min.f16", &atomic<in_f32<fmin_>, f16>},
      {"max.f16", &atomic<in_f32<fmax_>, f16>},
      {"min.bf16", &atomic<in_f32<fmin_>, bf16>},
      {"max.bf16", &atomic<in_f32<fmax_>, bf16>},
      {"min.f16x2", &atomic<pairwise<in_f32<fmin_>>, f16x2>},
      {"max.f16x2", &atomic<pairwise<in_f32<fmax_>>, f16x2>},
      {"min.bf16x2", &atomic<pairwise<in_f32<fmin_>>, bf16x2>},
      {"max.bf16x2", &atomic<pairwise<in_f32<fmax_>>, bf16x2>},
      {"min.u32", &atomic<imin, u32>},
      {"min.s32", &atomic<imin, s32>},
      {"min.u64", &atomic<imin, u64>},
      {"min.s64", &atomic<imin, s64>},
      {"max.u32", &atomic<imax, u32>},
      {"max.s32", &atomic<imax, s32>},
      {"max.u64", &atomic<imax, u64>},
      {"max.s64", &atomic<imax, s64>},
      {"and.b32", &atomic<bit_and, u32>},
      {"and.b64", &atomic<bit_and, u64>},
      {"or.b32", &atomic<bit_or, u32>},
      {"or.b64", &atomic<bit_or, u64>},
      {"xor.b32", &atomic<bit_xor, u32>},
      {"xor.b64", &atomic<bit_xor, u64>},
      {"exch.b32", &atomic<exchange, u32>},
      {"exch.b64", &atomic<exchange, u64>},
      {"inc.u32", &atomic<increment, u32>},
      {"dec.u32", &atomic<decrement, u32>},
      {"cas.b16", &compare_and_swap<u16>},
      {"cas.b32", &compare_and_swap<u32>},
      {"cas.b64", &compare_and_swap<u64>},
      {"exch.b128", &wide_exchange<false>},
      {"cas.b128", &wide_exchange<true>},
  };
  const auto found = table.find(std::string(operation) + "." + std::string(type));
  return found == table.end() ? nullptr : found->second;
}

}  // namespace ladder::emulator
