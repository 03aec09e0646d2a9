#include "common/emulator/exec/collective.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <unordered_map>

#include "common/emulator/exec/shuffle.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

namespace {

u32* words(std::byte* rows, u32 offset) {
  return reinterpret_cast<u32*>(rows + offset);
}

u32 read_predicate(const std::byte* rows, u32 offset) {
  u32 bits;
  std::memcpy(&bits, rows + offset, 4);
  return bits;
}

void write_predicate(std::byte* rows, u32 offset, u32 bits, u32 mask) {
  if (offset == no_row) return;
  const u32 before = read_predicate(rows, offset);
  bits = (bits & mask) | (before & ~mask);
  std::memcpy(rows + offset, &bits, 4);
}

void write_word(std::byte* rows, u32 offset, u32 value, u32 mask) {
  if (offset == no_row) return;
  for (u32 left = mask; left != 0; left &= left - 1) {
    words(rows, offset)[std::countr_zero(left)] = value;
  }
}

enum class Vote { all, any, uniform };

template <Vote Kind>
void vote(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const u32 bits = read_predicate(rows, inst.s[0]) & mask;
  const bool all = bits == mask, none = bits == 0;
  const bool result = Kind == Vote::all ? all : Kind == Vote::any ? !none : all || none;
  write_predicate(rows, inst.d, result ? all_lanes : 0, mask);
}

void ballot(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  write_word(rows, inst.d, read_predicate(rows, inst.s[0]) & mask, mask);
}

void active_mask(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  write_word(rows, inst.d, mask, mask);
}

template <class T>
void match_any(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto* values = reinterpret_cast<const T*>(rows + inst.s[0]);
  u32 result[lanes];
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    u32 same = 0;
    for (int i = 0; i < lanes; ++i) same |= static_cast<u32>(values[i] == values[lane]) << i;
    result[lane] = same & mask;
  }
  for (u32 left = mask; left != 0; left &= left - 1) {
    words(rows, inst.d)[std::countr_zero(left)] = result[std::countr_zero(left)];
  }
}

template <class T>
void match_all(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto* values = reinterpret_cast<const T*>(rows + inst.s[0]);
  const T first = values[std::countr_zero(mask)];
  bool same = true;
  for (u32 left = mask; left != 0; left &= left - 1) {
    same = same && values[std::countr_zero(left)] == first;
  }
  write_word(rows, inst.d, same ? mask : 0, mask);
  write_predicate(rows, inst.e, same ? all_lanes : 0, mask);
}

struct sum {
  static u32 run(u32 a, u32 b) { return a + b; }
};
struct conjunction {
  static u32 run(u32 a, u32 b) { return a & b; }
};
struct disjunction {
  static u32 run(u32 a, u32 b) { return a | b; }
};
struct exclusive {
  static u32 run(u32 a, u32 b) { return a ^ b; }
};
template <class T>
struct least {
  static u32 run(u32 a, u32 b) { return static_cast<T>(b) < static_cast<T>(a) ? b : a; }
};
template <class T>
struct greatest {
  static u32 run(u32 a, u32 b) { return static_cast<T>(b) > static_cast<T>(a) ? b : a; }
};

template <class F>
void reduce(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const u32* values = words(rows, inst.s[0]);
  u32 left = mask;
  u32 result = values[std::countr_zero(left)];
  for (left &= left - 1; left != 0; left &= left - 1) {
    result = F::run(result, values[std::countr_zero(left)]);
  }
  write_word(rows, inst.d, result, mask);
}

// Lanes with different member masks may stand side by side: each set is one operation.
template <Handler Operation, int Members = 1>
void by_members(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  u32 members[lanes];
  std::memcpy(members, words(rows, inst.s[Members]), sizeof members);
  for (u32 left = mask; left != 0;) {
    const u32 own = members[std::countr_zero(left)];
    u32 same = left & own;
    if (same != left) {
      same = 0;
      for (u32 other = left; other != 0; other &= other - 1) {
        if (members[std::countr_zero(other)] == own) same |= other & (~other + 1);
      }
    }
    Operation(rows, inst, warp, same);
    left &= ~same;
  }
}

void elect(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto leader = static_cast<u32>(std::countr_zero(mask));
  write_word(rows, inst.d, leader, mask);
  write_predicate(rows, inst.e, 1u << leader, mask);
}

void nothing(std::byte*, const Inst&, Warp&, u32) {}

void fence(std::byte*, const Inst&, Warp&, u32) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void poll(std::byte*, const Inst&, Warp& warp, u32) {
  ++warp.polls;
}

void sleep(std::byte*, const Inst&, Warp& warp, u32) {
  warp.polls += 16;
}

void trap(std::byte*, const Inst& inst, Warp&, u32 mask) {
  throw KernelFault{FaultKind::trap,
                    "the kernel stopped itself with __trap()",
                    "",
                    "the code found something it does not accept: read the condition before the "
                    "trap",
                    std::countr_zero(mask),
                    inst.source};
}

u64 nanoseconds() {
  return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch() /
                          std::chrono::nanoseconds(1));
}

// Clocks count executed instructions: monotonic, and the same in every run.
void clock32(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  write_word(rows, inst.d, static_cast<u32>(warp.worker.counters.warp_instructions), mask);
}
void clock_high(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  write_word(rows, inst.d, static_cast<u32>(warp.worker.counters.warp_instructions >> 32), mask);
}
void write_wide(std::byte* rows, const Inst& inst, u64 value, u32 mask) {
  for (u32 left = mask; left != 0; left &= left - 1) {
    reinterpret_cast<u64*>(rows + inst.d)[std::countr_zero(left)] = value;
  }
}
void clock64(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  write_wide(rows, inst, warp.worker.counters.warp_instructions, mask);
}
void timer(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  ++warp.polls;
  write_wide(rows, inst, nanoseconds(), mask);
}
void timer_low(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  ++warp.polls;
  write_word(rows, inst.d, static_cast<u32>(nanoseconds()), mask);
}
void timer_high(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  write_word(rows, inst.d, static_cast<u32>(nanoseconds() >> 32), mask);
}

// isspacep: for each lane whether its address is inside.
template <class Inside>
void write_inside(std::byte* rows, const Inst& inst, u32 mask, Inside inside) {
  const auto* at = reinterpret_cast<const u64*>(rows + inst.s[0]);
  u32 bits = 0;
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    bits |= static_cast<u32>(inside(at[lane])) << lane;
  }
  write_predicate(rows, inst.d, bits, mask);
}

template <u64 Window>
void is_space(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  write_inside(rows, inst, mask, [](u64 address) { return (address & window_mask) == Window; });
}

bool holds_constant(const Module& module, u64 address) {
  return std::any_of(module.constants.begin(), module.constants.end(), [&](const Symbol& variable) {
    return address - variable.address < variable.bytes;
  });
}

void is_constant(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const Module& module = *warp.frame->function->module;
  write_inside(rows, inst, mask, [&](u64 address) { return holds_constant(module, address); });
}

// What is nothing else; a kernel's parameters too.
void is_global(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const Module& module = *warp.frame->function->module;
  write_inside(rows, inst, mask, [&](u64 address) {
    const u64 window = address & window_mask;
    return window != shared_window && window != local_window && !holds_constant(module, address);
  });
}

// A kernel's own parameter, whose address is taken.
void is_parameter(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const u64 begin = warp.launch.parameters;
  const u64 bytes = begin == 0 ? 0 : warp.launch.function->attributes.parameter_total;
  write_inside(rows, inst, mask, [&](u64 address) { return address - begin < bytes; });
}

// alloca, stacksave, stackrestore: what a thread takes lies at the end of its local memory, towards
// its frames, and is given back when the function returns.
u32 frames_end(const Warp& warp) {
  return warp.frame->local_base + static_cast<u32>(warp.frame->function->local_bytes);
}

[[noreturn]] void stack_fault(const Inst& inst, int lane, const std::string& what,
                              const std::string& help) {
  throw KernelFault{FaultKind::illegal_address, what, "", help, lane, inst.source};
}

template <class T>
void take_stack(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  const u64 alignment = static_cast<u64>(inst.immediate);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const u64 bytes = reinterpret_cast<const T*>(rows + inst.s[0])[lane];
    u32& stack = warp.stack[lane];
    const u64 lowest = frames_end(warp);
    const u64 at = bytes > stack ? 0 : (stack - bytes) / alignment * alignment;
    if (at < lowest) {
      stack_fault(inst, lane, "stack overflow: alloca of " + std::to_string(bytes) + " bytes",
                  std::to_string(stack > lowest ? stack - lowest : 0) +
                      " bytes are left: is the size right, or does a recursion not end?");
    }
    stack = static_cast<u32>(at);
    reinterpret_cast<T*>(rows + inst.d)[lane] = static_cast<T>(at);
  }
}

template <class T>
void save_stack(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    reinterpret_cast<T*>(rows + inst.d)[lane] = warp.stack[lane];
  }
}

template <class T>
void restore_stack(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const T saved = reinterpret_cast<const T*>(rows + inst.s[0])[lane];
    if (saved < warp.stack[lane] || saved > warp.local_stride)
      stack_fault(inst, lane, "stackrestore of what no stacksave gave",
                  "it takes what stacksave gave in the same function");
    warp.stack[lane] = static_cast<u32>(saved);
  }
}

constexpr RowKind P = RowKind::predicate, W = RowKind::word, L = RowKind::wide;

// clang-format off
//  text                            handler                                d  has    d|p    sources      members
const Collective entries[] = {
  {"shfl.sync.up.b32"            , shuffle_handler(Shuffle::up)          , W, true , true , 4, {W,W,W,W}, 3},
  {"shfl.sync.down.b32"          , shuffle_handler(Shuffle::down)        , W, true , true , 4, {W,W,W,W}, 3},
  {"shfl.sync.bfly.b32"          , shuffle_handler(Shuffle::butterfly)   , W, true , true , 4, {W,W,W,W}, 3},
  {"shfl.sync.idx.b32"           , shuffle_handler(Shuffle::index)       , W, true , true , 4, {W,W,W,W}, 3},
  {"shfl.up.b32"                 , shuffle_handler(Shuffle::up)          , W, true , true , 3, {W,W,W,W}, -1},
  {"shfl.down.b32"               , shuffle_handler(Shuffle::down)        , W, true , true , 3, {W,W,W,W}, -1},
  {"shfl.bfly.b32"               , shuffle_handler(Shuffle::butterfly)   , W, true , true , 3, {W,W,W,W}, -1},
  {"shfl.idx.b32"                , shuffle_handler(Shuffle::index)       , W, true , true , 3, {W,W,W,W}, -1},
  {"vote.sync.all.pred"          , by_members<vote<Vote::all>>          , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.sync.any.pred"          , by_members<vote<Vote::any>>          , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.sync.uni.pred"          , by_members<vote<Vote::uniform>>      , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.sync.ballot.b32"        , by_members<ballot>                   , W, true , false, 2, {P,W,W,W}, 1},
  // The same with .sync last, as hand-written PTX has it and ptxas accepts it.
  {"vote.all.sync.pred"          , by_members<vote<Vote::all>>          , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.any.sync.pred"          , by_members<vote<Vote::any>>          , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.uni.sync.pred"          , by_members<vote<Vote::uniform>>      , P, true , false, 2, {P,W,W,W}, 1},
  {"vote.ballot.sync.b32"        , by_members<ballot>                   , W, true , false, 2, {P,W,W,W}, 1},
  {"vote.all.pred"               , vote<Vote::all>                      , P, true , false, 1, {P,W,W,W}, -1},
  {"vote.any.pred"               , vote<Vote::any>                      , P, true , false, 1, {P,W,W,W}, -1},
  {"vote.ballot.b32"             , ballot                               , W, true , false, 1, {P,W,W,W}, -1},
  {"match.any.sync.b32"          , by_members<match_any<u32>>           , W, true , false, 2, {W,W,W,W}, 1},
  {"match.any.sync.b64"          , by_members<match_any<u64>>           , W, true , false, 2, {L,W,W,W}, 1},
  {"match.all.sync.b32"          , by_members<match_all<u32>>           , W, true , true , 2, {W,W,W,W}, 1},
  {"match.all.sync.b64"          , by_members<match_all<u64>>           , W, true , true , 2, {L,W,W,W}, 1},
  {"redux.sync.add.u32"          , by_members<reduce<sum>>              , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.add.s32"          , by_members<reduce<sum>>              , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.min.u32"          , by_members<reduce<least<u32>>>       , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.min.s32"          , by_members<reduce<least<s32>>>       , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.max.u32"          , by_members<reduce<greatest<u32>>>    , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.max.s32"          , by_members<reduce<greatest<s32>>>    , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.and.b32"          , by_members<reduce<conjunction>>      , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.or.b32"           , by_members<reduce<disjunction>>      , W, true , false, 2, {W,W,W,W}, 1},
  {"redux.sync.xor.b32"          , by_members<reduce<exclusive>>        , W, true , false, 2, {W,W,W,W}, 1},
  {"elect.sync"                  , by_members<elect, 0>                 , W, true , true , 1, {W,W,W,W}, 0},
  {"activemask.b32"              , active_mask                          , W, true , false, 0, {W,W,W,W}, -1},
  {"bar.warp.sync"               , nothing                              , W, false, false, 1, {W,W,W,W}, 0},
  {"isspacep.shared"             , is_space<shared_window>              , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.shared::cta"        , is_space<shared_window>              , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.shared::cluster"    , is_space<shared_window>              , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.local"              , is_space<local_window>               , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.global"             , is_global                            , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.const"              , is_constant                          , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.param"              , is_parameter                         , P, true , false, 1, {L,W,W,W}, -1},
  {"isspacep.param::entry"       , is_parameter                         , P, true , false, 1, {L,W,W,W}, -1},
  {"alloca.u32"                  , take_stack<u32>                      , W, true , false, 1, {W,W,W,W}, -1},
  {"alloca.u64"                  , take_stack<u64>                      , L, true , false, 1, {L,W,W,W}, -1},
  {"stacksave.u32"               , save_stack<u32>                      , W, true , false, 0, {W,W,W,W}, -1},
  {"stacksave.u64"               , save_stack<u64>                      , L, true , false, 0, {W,W,W,W}, -1},
  {"stackrestore.u32"            , restore_stack<u32>                   , W, false, false, 1, {W,W,W,W}, -1},
  {"stackrestore.u64"            , restore_stack<u64>                   , W, false, false, 1, {L,W,W,W}, -1},
  {"nanosleep.u32"               , sleep                                , W, false, false, 1, {W,W,W,W}, -1},
  {"trap"                        , trap                                 , W, false, false, 0, {W,W,W,W}, -1},
  {"brkpt"                       , trap                                 , W, false, false, 0, {W,W,W,W}, -1},
  {"fence"                       , fence                                , W, false, false, 0, {W,W,W,W}, -1},
  {"_poll"                       , poll                                 , W, false, false, 0, {W,W,W,W}, -1},
  {"_nothing"                    , nothing                              , W, false, false, 0, {W,W,W,W}, -1},
  {"_special.%clock"             , clock32                              , W, true , false, 0, {W,W,W,W}, -1},
  {"_special.%clock_hi"          , clock_high                           , W, true , false, 0, {W,W,W,W}, -1},
  {"_special.%clock64"           , clock64                              , L, true , false, 0, {W,W,W,W}, -1},
  {"_special.%globaltimer"       , timer                                , L, true , false, 0, {W,W,W,W}, -1},
  {"_special.%globaltimer_lo"    , timer_low                            , W, true , false, 0, {W,W,W,W}, -1},
  {"_special.%globaltimer_hi"    , timer_high                           , W, true , false, 0, {W,W,W,W}, -1},
};
// clang-format on

}  // namespace

bool meets_members(std::string_view opcode) {
  const Collective* const found = find_collective(opcode);
  return found != nullptr && found->members >= 0;
}

std::span<const Collective> all_collectives() {
  return entries;
}

const Collective* find_collective(std::string_view opcode) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Collective*> map;
    for (const Collective& entry : entries) map.emplace(entry.text, &entry);
    return map;
  }();
  const auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace ladder::emulator
