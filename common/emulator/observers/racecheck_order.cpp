#include "common/emulator/observers/racecheck_order.hpp"

#include <algorithm>
#include <bit>

namespace ladder::emulator {

BlockOrder::BlockOrder(LaunchRaces& launch, unsigned warps, Cells& shared, ReadLog& reads)
    : launch_(launch), shared_(shared), reads_(reads), warps_(warps) {
  launch_.add(*this);
}

BlockOrder::~BlockOrder() {
  launch_.remove(*this);
}

void BlockOrder::start(std::uint64_t number) {
  launch_.make_room();
  number_ = number;
  barrier_ = own_from_ = began_ = launch_.next_epoch(number);
  launch_.running = this;
  for (WarpOrder& warp : warps_) {
    warp = {};
    warp.now = warp.together = barrier_;
  }
  named_.fill({});
  objects_.clear();
}

void BlockOrder::forget() {
  shared_.forget();
  objects_.clear();
  barrier_ = own_from_ = began_ = launch_.next_epoch(number_);
  reads_.begin_anew(barrier_);
  for (WarpOrder& warp : warps_) {
    warp.now = warp.together = barrier_;
    warp.apart.reset();
    warp.known = warp.seen = nullptr;
    warp.published = {};
    for (Epoch& fenced : warp.fenced) {
      if (fenced != 0) fenced = barrier_;
    }
  }
  for (Named& named : named_) named.clock = nullptr;
}

// Other blocks have run: epochs from here on are this block's own.
void BlockOrder::resume() {
  launch_.running = this;
  own_from_ = launch_.upcoming_epoch();
}

void BlockOrder::meet(WarpOrder& warp, std::uint32_t mask, std::uint32_t live) {
  if ((live & ~mask) == 0) {
    warp.together = warp.now;
    warp.apart.reset();
    return;
  }
  if (warp.apart == nullptr) {
    warp.apart = std::make_unique<LaneOrder>();
    for (auto& row : warp.apart->before) std::fill(std::begin(row), std::end(row), warp.together);
  }
  Epoch common[lanes] = {};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const Epoch* row = warp.apart->before[std::countr_zero(left)];
    for (int of = 0; of < lanes; ++of) common[of] = std::max(common[of], row[of]);
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    common[std::countr_zero(left)] = warp.now;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    std::copy(std::begin(common), std::end(common), warp.apart->before[std::countr_zero(left)]);
  }
}

void BlockOrder::learn_seen(WarpOrder& warp) {
  if (warp.seen == nullptr) return;
  warp.known = joined(warp.known, warp.seen);
  warp.seen = nullptr;
}

void BlockOrder::warp_met(const Warp& warp, std::uint32_t met, std::uint32_t going_on) {
  WarpOrder& order = warps_[warp.index];
  const bool known = (going_on & ~order.still_there) == 0;
  order.still_there = known ? order.still_there & ~going_on : met & ~going_on;
  if (known) return;
  launch_.make_room();
  run();
  advance(order);
  meet(order, met, warp.live());
}

ClockPointer BlockOrder::knowledge_of_lanes(unsigned warp, std::uint32_t mask, std::uint32_t live,
                                            Epoch before) const {
  const WarpOrder& order = warps_[warp];
  Clock own{{who_block(number_), barrier_}};
  if ((live & ~mask) == 0) {
    own.push_back({who_warp(number_, warp), before});
    return with(order.known, std::move(own));
  }
  own.push_back({who_warp(number_, warp), order.together});
  Epoch of_lane[lanes] = {};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    of_lane[lane] = before;
    if (order.apart == nullptr) continue;
    for (int of = 0; of < lanes; ++of) {
      of_lane[of] = std::max(of_lane[of], order.apart->before[lane][of]);
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (of_lane[lane] > order.together) {
      own.push_back({who_thread(number_, warp * lanes + lane), of_lane[lane]});
    }
  }
  return with(order.known, std::move(own));
}

void BlockOrder::arrived(const Warp& warp, unsigned barrier, std::uint32_t mask) {
  launch_.make_room();
  run();
  Named& named = named_[barrier];
  named.lanes_of_warp.resize(warps_.size());
  named.lanes_of_warp[warp.index] |= mask;
  const Epoch before = advance(warps_[warp.index]);
  named.clock = joined(named.clock, knowledge_of_lanes(warp.index, mask, warp.live(), before));
}

void BlockOrder::released_to_all() {
  barrier_ = launch_.next_epoch(number_);
  const bool any_clock = std::any_of(warps_.begin(), warps_.end(), [](const WarpOrder& warp) {
    return warp.known != nullptr || warp.seen != nullptr;
  });
  if (any_clock) share_knowledge();
  for (WarpOrder& warp : warps_) {
    warp.now = warp.together = barrier_;
    warp.apart.reset();
  }
}

void BlockOrder::share_knowledge() {
  ClockPointer all;
  for (WarpOrder& warp : warps_) {
    learn_seen(warp);
    all = joined(all, warp.known);
  }
  all = without(all, number_);  // the barrier says more
  for (WarpOrder& warp : warps_) warp.known = all;
}

void BlockOrder::released(const BarrierMeeting& meeting, std::span<const std::uint32_t> live) {
  launch_.make_room();
  run();
  if (orders_all(meeting)) return released_to_all();
  Named& named = named_[meeting.id];
  named.lanes_of_warp.resize(warps_.size());
  const auto waiting = [&](std::size_t w) {
    return meeting.lanes_of_warp[w] & ~named.lanes_of_warp[w] & live[w];
  };
  ClockPointer all = named.clock;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (waiting(w) == 0) continue;
    learn_seen(warps_[w]);
    advance(warps_[w]);
    all = joined(all, knowledge_of_lanes(w, waiting(w), live[w], warps_[w].now));
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (waiting(w) == 0) continue;
    warps_[w].known = joined(warps_[w].known, all);
    meet(warps_[w], waiting(w), live[w]);
  }
  named = {};
}

void BlockOrder::fence(unsigned warp, std::uint32_t mask, bool inside_block) {
  launch_.make_room();
  run();
  WarpOrder& order = warps_[warp];
  learn_seen(order);
  advance(order);
  order.has_fence = true;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    order.fenced[static_cast<std::size_t>(std::countr_zero(left))] = order.now;
  }
  order.fenced_inside = inside_block ? order.fenced_inside | mask : order.fenced_inside & ~mask;
}

void BlockOrder::begin_release(const Warp& warp, std::uint32_t mask) {
  launch_.make_room();
  run();
  WarpOrder& order = warps_[warp.index];
  advance(order);
  order.has_fence = true;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    order.fenced[static_cast<std::size_t>(std::countr_zero(left))] = order.now;
  }
  order.fenced_inside &= ~mask;
}

const ClockPointer& BlockOrder::published(unsigned warp, int lane, Epoch before) {
  WarpOrder& order = warps_[warp];
  auto& last = order.published;
  if (last.lane != lane || last.before != before || last.together != order.together ||
      last.barrier != barrier_ || last.known != order.known) {
    last = {lane,     before,      order.together,
            barrier_, order.known, knowledge_of_lanes(warp, 1u << lane, all_lanes, before)};
  }
  return last.clock;
}

void BlockOrder::strong_write(const Warp& warp, int lane, const Word& word, bool atomic) {
  const WarpOrder& order = warps_[warp.index];
  const Epoch before = order.fenced[static_cast<std::size_t>(lane)];
  SyncObjects& objects = word.shared ? objects_ : launch_.objects;
  const bool inside = word.inside_block || ((order.fenced_inside >> lane) & 1) != 0;
  for (std::uint64_t at = word.address & ~std::uint64_t{3}; at < word.address + word.bytes;
       at += 4) {
    if (!atomic) objects.erase(at);
    if (before == 0) continue;
    SyncObject& object = objects[at];
    if (inside && !word.shared) {
      if (object.block != number_) object.inside = nullptr;
      object.block = number_;
      object.inside = joined(object.inside, published(warp.index, lane, before));
    } else {
      object.clock = joined(object.clock, published(warp.index, lane, before));
    }
  }
}

void BlockOrder::strong_read(unsigned warp, const Word& word, bool acquires) {
  const SyncObjects& objects = word.shared ? objects_ : launch_.objects;
  WarpOrder& order = warps_[warp];
  for (std::uint64_t at = word.address & ~std::uint64_t{3}; at < word.address + word.bytes;
       at += 4) {
    const auto found = objects.find(at);
    if (found == objects.end()) continue;
    ClockPointer& learns = acquires ? order.known : order.seen;
    learns = joined(learns, found->second.clock);
    if (found->second.block == number_) learns = joined(learns, found->second.inside);
  }
}

void BlockOrder::arrived_at_object(const Warp& warp, std::uint32_t mask, const Word& word) {
  launch_.make_room();
  run();
  const Epoch before = advance(warps_[warp.index]);
  ClockPointer& clock = objects_[word.address].clock;
  clock = joined(clock, knowledge_of_lanes(warp.index, mask, warp.live(), before));
}

Knowledge BlockOrder::knows(unsigned warp, int lane, Stamp stamp) const {
  const Epoch epoch = epoch_of(stamp);
  if (epoch == 0) return Knowledge::full;
  const WarpOrder& me = warps_[warp];
  const std::uint64_t owner = launch_.owner(epoch);
  if (owner == number_) {
    if (epoch < barrier_) return Knowledge::full;
    const unsigned thread = thread_of(stamp);
    if ((stamp & several_warps) == 0 && thread / lanes == warp) {
      if (epoch < me.together) return Knowledge::full;
      if ((stamp & several_lanes) == 0) {
        const unsigned other = thread % lanes;
        if (other == static_cast<unsigned>(lane)) return Knowledge::full;
        if (me.apart != nullptr && epoch < me.apart->before[lane][other]) return Knowledge::full;
      } else if (me.apart != nullptr) {
        const Epoch* row = me.apart->before[lane];
        if (std::any_of(row, row + lanes, [&](Epoch before) { return before > epoch; }))
          return Knowledge::partial;
      }
    }
  }
  return me.known == nullptr ? Knowledge::none : knowledge_of(*me.known, owner, stamp);
}

}  // namespace ladder::emulator
