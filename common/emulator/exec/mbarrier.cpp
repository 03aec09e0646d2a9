#include "common/emulator/exec/mbarrier.hpp"

#include <bit>
#include <cstring>
#include <map>
#include <string>

#include "common/emulator/exec/async_copy.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 largest_count = (1u << 20) - 1;

// The object's 64 bits, whose layout is nobody's business but ours. The bit `no_barrier` is set in
// fresh shared memory and by inval, and never in an object.
struct Barrier {
  u32 expected = 0;        // arrivals of a phase
  u32 pending = 0;         // of this phase, still missing
  std::int32_t bytes = 0;  // transfers of this phase, still missing
  u32 phase = 0;           // its parity
};

constexpr u64 no_barrier = u64{1} << 62;

u64 packed(const Barrier& barrier) {
  return u64{barrier.expected} | u64{barrier.pending} << 20 |
         (static_cast<u64>(barrier.bytes) & 0x1fffff) << 40 | u64{barrier.phase} << 63;
}

Barrier unpacked(u64 bits) {
  Barrier barrier;
  barrier.expected = static_cast<u32>(bits) & largest_count;
  barrier.pending = static_cast<u32>(bits >> 20) & largest_count;
  barrier.bytes = static_cast<std::int32_t>(static_cast<u32>(bits >> 40) << 11) >> 11;
  barrier.phase = static_cast<u32>(bits >> 63);
  return barrier;
}

u64 read_bits(const std::byte* object) {
  u64 bits;
  std::memcpy(&bits, object, sizeof bits);
  return bits;
}

// Begins the next phase if nothing is missing in this one.
void write(std::byte* object, Barrier barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) {
    barrier.phase ^= 1;
    barrier.pending = barrier.expected;
  }
  const u64 bits = packed(barrier);
  std::memcpy(object, &bits, sizeof bits);
}

// What one lane's instruction works on.
struct Access {
  std::byte* rows;
  const Inst& inst;
  Warp& warp;
  int lane;

  u64 address() const { return lane_address(rows, inst, lane); }
  std::byte* object() const {
    return resolve(warp, inst, static_cast<ptx::Space>(inst.space), address(), 8, lane);
  }
  u32 count() const {
    return inst.s[1] == no_row ? 1 : reinterpret_cast<const u32*>(rows + inst.s[1])[lane];
  }
  [[noreturn]] void fail(const std::string& what, const std::string& help) const {
    throw KernelFault{FaultKind::trap,
                      what,
                      "the mbarrier at shared address " + hex(address() & ~window_mask),
                      help,
                      lane,
                      inst.source};
  }
  Barrier barrier() const {
    const u64 bits = read_bits(object());
    if ((bits & no_barrier) != 0) {
      fail("this mbarrier was not initialised",
           "one thread calls init() (mbarrier.init) and all synchronise before the first use");
    }
    return unpacked(bits);
  }
  u32 lane_bit() const { return 1u << lane; }
  // Tells observers with `event`: BlockObserver::mbarrier_arrived or mbarrier_passed.
  template <class Event>
  void tell(Event event) const {
    for (const auto& observer : warp.block.observers) {
      (*observer.*event)(warp, lane_bit(), static_cast<u32>(object() - warp.shared));
    }
  }
  void give(u64 state) const {
    if (inst.d != no_row) reinterpret_cast<u64*>(rows + inst.d)[lane] = state;
  }
};

template <class Body>
void for_lanes(std::byte* rows, const Inst& inst, Warp& warp, u32 mask, const Body& body) {
  for (u32 left = mask; left != 0; left &= left - 1) {
    body(Access{rows, inst, warp, std::countr_zero(left)});
  }
}

void initialise(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  for_lanes(rows, inst, warp, mask, [](const Access& access) {
    const u32 count = access.count();
    if (count == 0 || count > largest_count) {
      access.fail("an mbarrier cannot expect " + std::to_string(count) + " arrivals",
                  "between 1 and 1048575 are possible");
    }
    const u64 bits = packed({.expected = count, .pending = count});
    std::memcpy(access.object(), &bits, sizeof bits);
  });
}

void invalidate(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  for_lanes(rows, inst, warp, mask, [](const Access& access) {
    access.barrier();  // there must be one
    std::memset(access.object(), 0xff, 8);
  });
}

// Tells observers of lanes that have arrived at objects, or passed them; lanes at one object
// together.
void tell(void (BlockObserver::*what)(Warp&, u32, u32), const std::byte* rows, const Inst& inst,
          Warp& warp, u32 mask) {
  if (warp.block.observers.empty()) return;
  const auto object_of = [&](int lane) {
    return static_cast<u32>(lane_address(rows, inst, lane) & ~window_mask);
  };
  for (u32 left = mask; left != 0;) {
    const u32 object = object_of(std::countr_zero(left));
    u32 together = 0;
    for (u32 others = left; others != 0; others &= others - 1) {
      const int lane = std::countr_zero(others);
      if (object_of(lane) == object) together |= 1u << lane;
    }
    for (const auto& observer : warp.block.observers) {
      (observer.get()->*what)(warp, together, object);
    }
    left &= ~together;
  }
}

enum class Arrive { plain, no_complete, expect };

template <Arrive Kind, bool Drop>
void arrive(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  tell(&BlockObserver::mbarrier_arrived, rows, inst, warp, mask);
  for_lanes(rows, inst, warp, mask, [](const Access& access) {
    Barrier barrier = access.barrier();
    const u64 state = packed(barrier);
    const u32 arrivals = Kind == Arrive::expect ? 1 : access.count();
    const bool too_many =
        Kind == Arrive::no_complete ? arrivals >= barrier.pending : arrivals > barrier.pending;
    if (too_many) {
      access.fail(std::to_string(arrivals) + " more arrivals, but this phase expects only " +
                      std::to_string(barrier.pending) + " of " + std::to_string(barrier.expected) +
                      (Kind == Arrive::no_complete ? ", and noComplete must not complete it" : ""),
                  "init() gives the number of arrivals of a phase: each thread that takes part "
                  "arrives once a phase, and waits for it before it arrives again");
    }
    if (Kind == Arrive::expect) barrier.bytes += static_cast<std::int32_t>(access.count());
    if (Drop) barrier.expected -= arrivals;
    barrier.pending -= arrivals;
    access.tell(&BlockObserver::mbarrier_arrived);
    write(access.object(), barrier);
    access.give(state);
  });
}

// expect_tx adds to what is missing, complete_tx takes away.
template <int Sign>
void change_bytes(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  for_lanes(rows, inst, warp, mask, [](const Access& access) {
    Barrier barrier = access.barrier();
    barrier.bytes += Sign * static_cast<std::int32_t>(access.count());
    write(access.object(), barrier);
  });
}

enum class Phase { state, parity };

template <Phase By>
void test_wait(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  u32 bits;
  std::memcpy(&bits, rows + inst.d, 4);
  bool all_wait = true;
  for_lanes(rows, inst, warp, mask, [&](const Access& access) {
    const u64 wanted = By == Phase::parity
                           ? access.count() & 1
                           : reinterpret_cast<const u64*>(rows + inst.s[1])[access.lane] >> 63;
    bool done = access.barrier().phase != wanted;
    if (!done) {
      finish_copies_for(warp, access.object());
      done = access.barrier().phase != wanted;
    }
    bits = done ? bits | access.lane_bit() : bits & ~access.lane_bit();
    if (done) access.tell(&BlockObserver::mbarrier_passed);
    all_wait = all_wait && !done;
  });
  std::memcpy(rows + inst.d, &bits, 4);
  tell(&BlockObserver::mbarrier_passed, rows, inst, warp, bits & mask);
  if (all_wait) warp.polls += polls_before_yielding;  // nothing to do until others arrive
}

}  // namespace

Handler mbarrier_handler(std::string_view shape) {
  static const std::map<std::string_view, Handler> table = {
      {"init", &initialise},
      {"inval", &invalidate},
      {"arrive", &arrive<Arrive::plain, false>},
      {"arrive.noComplete", &arrive<Arrive::no_complete, false>},
      {"arrive.expect_tx", &arrive<Arrive::expect, false>},
      {"arrive_drop", &arrive<Arrive::plain, true>},
      {"arrive_drop.noComplete", &arrive<Arrive::no_complete, true>},
      {"arrive_drop.expect_tx", &arrive<Arrive::expect, true>},
      {"expect_tx", &change_bytes<1>},
      {"complete_tx", &change_bytes<-1>},
      {"test_wait", &test_wait<Phase::state>},
      {"test_wait.parity", &test_wait<Phase::parity>},
      {"try_wait", &test_wait<Phase::state>},
      {"try_wait.parity", &test_wait<Phase::parity>},
  };
  const auto found = table.find(shape);
  return found == table.end() ? nullptr : found->second;
}

void pending_count(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  const auto* states = reinterpret_cast<const u64*>(rows + inst.s[0]);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    reinterpret_cast<u32*>(rows + inst.d)[lane] = unpacked(states[lane]).pending;
  }
}

std::byte* mbarrier_object(std::byte* rows, const Inst& inst, Warp& warp, int lane) {
  const Access access{rows, inst, warp, lane};
  access.barrier();
  return access.object();
}

void expect_one_more(std::byte* object) {
  Barrier barrier = unpacked(read_bits(object));
  ++barrier.pending;
  write(object, barrier);
}

void arrive_for_copy(std::byte* object) {
  Barrier barrier = unpacked(read_bits(object));
  if (barrier.pending > 0) --barrier.pending;
  write(object, barrier);
}

void complete_transfer(std::byte* object, u32 bytes) {
  Barrier barrier = unpacked(read_bits(object));
  barrier.bytes -= static_cast<std::int32_t>(bytes);
  write(object, barrier);
}

}  // namespace ladder::emulator
