#include "common/emulator/observers/racecheck_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

bool inside_block(const Inst& inst) {
  return inst.source->opcode.find(".cta") != std::string::npos;
}

}  // namespace

BlockRaces::BlockRaces(LaunchRaces& launch, ThreadBlock& block)
    : launch_(launch),
      block_(block),
      shared_(block.launch.shared_bytes),
      reads_(block.launch.shared_bytes),
      order_(launch, block.launch.warps, shared_, reads_) {}

// A read names its instruction; which function it was executed in must then be plain.
ReadLog* BlockRaces::read_log() {
  return block_.launch.function->calls_functions ? nullptr : &reads_;
}

void BlockRaces::start() {
  if (reads_.any_copies()) {  // of the block before, that nobody waited for
    shared_.forget_copies();
    reads_.forget_copies();
  }
  order_.start(block_.number);
  reads_.begin_phase(order_.last_barrier());
}

BlockRaces::Touch BlockRaces::touch_of(Warp& warp, const Inst& inst, bool shared) const {
  return {.warp = warp,
          .inst = inst,
          .access = nullptr,
          .site = launch_.site(*warp.frame->function, *inst.source),
          .lane = 0,
          .stamp = order_.now(warp.index) << stamp_bits | warp.thread_of(0),
          .shared = shared,
          .address = 0,
          .bytes = inst.bytes,
          .window = order_.window(warp.index, shared),
          .plain_order = order_.is_plain(warp.index)};
}

void BlockRaces::access(const WarpAccess& access) {
  if (access.space == Space::local) return;
  order_.run();
  const bool shared = access.space == Space::shared;
  const bool writes = access.traffic != Traffic::load && access.traffic != Traffic::async_copy;
  if (writes && !shared) goes_astray(access.low, access.extent);
  if (access.order != Order::weak) {
    look_at_reads();
  } else if (shared) {
    reads_.tell_of(access.low, access.low + access.extent,
                   [&](const auto& entry, const auto& shape) { look_at_read(entry, shape); });
  }
  if (shared && writes) {
    reads_.written(access.low, access.low + access.extent, order_.now(access.warp.index));
  }
  if (access.order == Order::release || access.order == Order::acquire_release)
    order_.begin_release(access.warp, access.mask);
  Touch touch = touch_of(access.warp, access.inst, shared);
  touch.access = &access;
  touch.bytes = access.bytes;
  if (access.order == Order::weak) return touch_all(access, touch, writes);
  touch.site |= strong_site;
  touch_lanes(touch, access.mask, writes);
  if (order_.may_synchronize(access.warp.index, shared)) synchronize(access);
}

// A write where the kernel's text has no pointer to: whoever reads there is watched from now on.
void BlockRaces::goes_astray(std::uint64_t address, std::uint64_t bytes) {
  if (launch_.may_write(address, bytes)) return;
  launch_.writes_anything();
  block_.worker.tally.forget_interests();
}

// What nobody writes during the launch can be read in any order.
Interest BlockRaces::interest(const Inst& inst, std::uint64_t address) {
  if (inst.counted == Counted::constant) return {0, ~std::uint64_t{0}, 0};
  Range range;
  if (!block_.launch.memory->find_range(address, range)) return {address, 1, 1};  // it will fault
  const bool reads = inst.traffic == Traffic::load || inst.traffic == Traffic::async_copy;
  const bool matters = !reads || inst.order != Order::weak || launch_.may_write(address, 1);
  return {range.begin, range.bytes, matters ? 1u : 0u};
}

void BlockRaces::look_at_reads() {
  if (reads_.empty()) return;
  reads_.tell([&](const auto& entry, const auto& shape) { look_at_read(entry, shape); });
}

void BlockRaces::look_at_read(const ReadLog::Entry& entry, const ReadLog::Shape& shape) {
  WarpAccess access{.warp = *entry.warp,
                    .inst = *entry.inst,
                    .rows = nullptr,
                    .space = Space::shared,
                    .traffic = Traffic::load,
                    .order = Order::weak,
                    .mask = shape.mask,
                    .bytes = shape.bytes,
                    .stride = shape.stride,
                    .low = 0,
                    .extent = 0,
                    .address = {}};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    access.address[lane] = entry.base + shape.distance[lane];
  }
  Touch touch = touch_of(access.warp, access.inst, true);
  touch.access = &access;
  touch.bytes = access.bytes;
  touch_all(access, touch, false);
}

void BlockRaces::touch_all(const WarpAccess& access, Touch& touch, bool writes) {
  const bool together = access.stride == 0 && !writes;
  const bool powers = std::has_single_bit(access.bytes);
  if (!together && !(access.stride == access.bytes && powers)) {
    return touch_lanes(touch, access.mask, writes);
  }
  const auto& at = access.address;
  const std::uint64_t step = 8 * access.stride;
  if (at[8] == at[0] + step && at[16] == at[8] + step && at[24] == at[16] + step) {
    touch.address = at[0];
    return together ? read_together(touch, lanes) : touch_neighbours(touch, lanes, writes);
  }
  const Stamp first = touch.stamp;
  for (std::uint32_t lane = 0, count = 8; lane < lanes; lane += count) {
    touch.lane = static_cast<int>(lane);
    touch.address = at[lane];
    touch.stamp = first + lane;
    for (count = 8; together && lane + count < lanes && at[lane + count] == at[lane];) count += 8;
    together ? read_together(touch, static_cast<int>(count))
             : touch_neighbours(touch, count, writes);
  }
}

void BlockRaces::touch_lanes(Touch touch, std::uint32_t which, bool writes) {
  const Stamp first = touch.stamp;
  const int from = touch.lane;
  for (std::uint32_t left = which; left != 0; left &= left - 1) {
    const int offset = std::countr_zero(left);
    touch.lane = from + offset;
    touch.stamp = first + static_cast<Stamp>(offset);
    touch.address = touch.access->address[static_cast<std::size_t>(touch.lane)];
    Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
    if (cells == nullptr) continue;
    for_cells(*cells, touch.shared, touch.address, touch.bytes, [&](std::size_t cell) {
      writes ? write_cell(cells->cells, cell, touch) : read_cell(cells->cells, cell, touch);
    });
  }
}

void BlockRaces::synchronize(const WarpAccess& access) {
  const bool acquires = access.order == Order::acquire || access.order == Order::acquire_release;
  BlockOrder::Word word{.address = 0,
                        .bytes = access.bytes,
                        .shared = access.space == Space::shared,
                        .inside_block = inside_block(access.inst)};
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    word.address = access.address[static_cast<std::size_t>(lane)];
    if (access.traffic != Traffic::store) order_.strong_read(access.warp.index, word, acquires);
    if (access.traffic != Traffic::load)
      order_.strong_write(access.warp, lane, word, access.traffic != Traffic::store);
  }
}

void BlockRaces::read_cell(const Shadows& cells, std::size_t cell, const Touch& touch) {
  check_against_write(cells, cell, touch, Hazard::read_after_write);
  remember_read(cells, cell, touch);
}

void BlockRaces::write_cell(const Shadows& cells, std::size_t cell, const Touch& touch) {
  check_against_write(cells, cell, touch, Hazard::write_after_write);
  if (cells.write[cell] >= in_flight) return;  // until the copy ends
  // An ordinary write before says more than a strong one.
  const bool weaker =
      cells.write[cell] == touch.stamp && (cells.write_site[cell] & strong_site) == 0;
  check_against_reads(cells, cell, touch);
  cells.read[cell] = 0;
  if (weaker && touch.strong()) return;
  cells.write[cell] = touch.stamp;
  cells.write_site[cell] = touch.site;
}

void BlockRaces::check_against_write(const Shadows& cells, std::size_t cell, const Touch& touch,
                                     Hazard hazard) {
  const Stamp earlier = cells.write[cell];
  if (touch.window.fine(earlier, touch.stamp)) return;
  const SiteNumber site = cells.write_site[cell];
  if (earlier >= in_flight) return report(touch, Hazard::copy_in_flight, earlier, site);
  if (touch.strong() && (site & strong_site) != 0) return;
  if (knows(touch, earlier) != Knowledge::none) return;
  if (hazard == Hazard::read_after_write && (site & strong_site) != 0 &&
      launch_.swap_follows(launch_.place_of(touch.site)))
    return;
  if (hazard == Hazard::write_after_write && touch.access != nullptr &&
      changes_nothing(*touch.access, touch.lane, earlier))
    return;
  report(touch, hazard, earlier, site);
}

void BlockRaces::check_against_reads(const Shadows& cells, std::size_t cell, const Touch& touch) {
  const Stamp earlier = cells.read[cell];
  if (touch.window.fine(earlier, touch.stamp)) return;
  const auto races = [&](Stamp stamp, SiteNumber site) {
    if (touch.strong() && (site & strong_site) != 0) return false;
    if (knows(touch, stamp) != Knowledge::none) return false;
    if (touch.strong() && launch_.swap_follows(launch_.place_of(site))) return false;
    report(touch, Hazard::write_after_read, stamp, site);
    return true;
  };
  if (earlier != many_blocks) {
    races(earlier, cells.read_site[cell]);
    return;
  }
  for (std::uint32_t set = cells.read_site[cell]; set != 0; set = launch_.sets.last(set).rest) {
    const ReadSets::Member& member = launch_.sets.last(set);
    if (member.epoch < launch_.began()) return;
    // Of the own block, which thread it was is not known.
    if (launch_.owner(member.epoch) == order_.number()) continue;
    if (races(member.epoch << stamp_bits | several_warps, member.site)) return;
  }
}

void BlockRaces::remember_read(const Shadows& cells, std::size_t cell, const Touch& touch) {
  Stamp& reader = cells.read[cell];
  SiteNumber& site = cells.read_site[cell];
  if (!touch.window.fine(reader, touch.stamp)) {
    const bool many = reader == many_blocks;
    if (many && launch_.sets.last(site).epoch >= launch_.began()) {
      site = add_reader(site, touch);
      return;
    }
    if (!many && knows(touch, reader) != Knowledge::full) {
      // Unordered with another's read. A weak one says more than a strong one.
      if (touch.strong() && (site & strong_site) == 0) return;
      if (launch_.owner(epoch_of(reader)) != order_.number()) {
        site = add_reader(launch_.sets.add(0, epoch_of(reader), site), touch);
        reader = many_blocks;
      } else {
        reader = touch.window.both_readers(reader, touch.stamp);
        site = touch.site;
      }
      return;
    }
  }
  reader = touch.stamp;
  site = touch.site;
}

std::uint32_t BlockRaces::add_reader(std::uint32_t set, const Touch& touch) {
  const Epoch now = epoch_of(touch.stamp);
  const ReadSets::Member& newest = launch_.sets.last(set);
  if (launch_.owner(newest.epoch) == order_.number()) {
    if (newest.epoch >= now) return set;
    set = newest.rest;
  }
  return launch_.sets.add(set, now, touch.site);
}

Knowledge BlockRaces::knows(const Touch& touch, Stamp earlier) const {
  if (earlier < touch.window.floor) return Knowledge::full;
  return order_.knows(touch.warp.index, touch.lane, earlier);
}

void BlockRaces::copy_started(Warp& warp, const Inst& inst, std::uint32_t mask,
                              const std::uint32_t* to) {
  order_.run();
  look_at_reads();
  Touch touch = touch_of(warp, inst, true);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    touch.lane = std::countr_zero(left);
    touch.address = to[touch.lane];
    touch.stamp = order_.now(warp.index) << stamp_bits | warp.thread_of(touch.lane);
    reads_.written(touch.address, touch.address + touch.bytes, order_.now(warp.index));
    for_cells(shared_, true, touch.address, touch.bytes, [&](std::size_t cell) {
      write_cell(shared_.cells, cell, touch);
      Stamp& writer = shared_.cells.write[cell];
      if (writer < in_flight) reads_.copy_begins(cell << shared_.shift(), 1u << shared_.shift());
      writer = in_flight | thread_of(touch.stamp);
    });
  }
}

void BlockRaces::copy_done(Warp& warp, int lane, std::uint32_t to, std::uint32_t bytes) {
  order_.run();
  look_at_reads();
  const Stamp stamp = order_.now(warp.index) << stamp_bits | warp.thread_of(lane);
  reads_.written(to, to + bytes, epoch_of(stamp));
  for_cells(shared_, true, to, bytes, [&](std::size_t cell) {
    Stamp& writer = shared_.cells.write[cell];
    if (writer >= in_flight) reads_.copy_ends(cell << shared_.shift(), 1u << shared_.shift());
    writer = stamp;
  });
}

void BlockRaces::fence(Warp& warp, const Inst& inst, std::uint32_t mask) {
  look_at_reads();
  order_.fence(warp.index, mask, inside_block(inst));
}

void BlockRaces::warp_met(Warp& warp, std::uint32_t met, std::uint32_t going_on) {
  look_at_reads();
  order_.warp_met(warp, met, going_on);
}

void BlockRaces::barrier_reached(Warp& warp, const Block& at, std::uint32_t mask) {
  if (at.barrier_kind != 'a') return;
  look_at_reads();
  std::uint32_t id = 0;
  if (at.barrier_id != no_row) {
    const auto* ids = reinterpret_cast<const std::uint32_t*>(warp.frame->rows + at.barrier_id);
    id = ids[std::countr_zero(mask)];
  }
  order_.arrived(warp, id, mask);
}

void BlockRaces::barrier_released(const BarrierMeeting& meeting) {
  const bool orders_all = order_.orders_all(meeting);
  if (!orders_all) look_at_reads();
  live_.clear();
  for (const auto& warp : block_.warps()) live_.push_back(warp->live());
  order_.released(meeting, live_);
  if (orders_all) reads_.begin_phase(order_.last_barrier());
}

void BlockRaces::mbarrier_arrived(Warp& warp, std::uint32_t mask, std::uint32_t address) {
  const BlockOrder::Word word{.address = address, .bytes = 8, .shared = true, .inside_block = true};
  look_at_reads();
  order_.arrived_at_object(warp, mask, word);
}

void BlockRaces::mbarrier_passed(Warp& warp, std::uint32_t, std::uint32_t address) {
  order_.run();
  look_at_reads();
  order_.strong_read(warp.index,
                     {.address = address, .bytes = 8, .shared = true, .inside_block = true}, true);
}

namespace {

// What a store writes for a lane: its elements, one behind another.
std::array<std::byte, 32> stored_bytes(const WarpAccess& access, int lane) {
  const Inst& inst = access.inst;
  std::array<std::byte, 32> bytes{};
  const std::size_t row_bytes = inst.bytes > 4 ? 8 : 4;
  const std::size_t count = std::max<std::size_t>(inst.list_size, 1);
  for (std::size_t e = 0; e < count && (e + 1) * inst.bytes <= bytes.size(); ++e) {
    const std::uint32_t row = inst.list_size != 0 ? inst.list[e] : inst.s[1];
    std::memcpy(bytes.data() + e * inst.bytes,
                access.rows + row + static_cast<std::size_t>(lane) * row_bytes, inst.bytes);
  }
  return bytes;
}

}  // namespace

bool changes_nothing(const WarpAccess& access, int lane, Stamp earlier) {
  if (access.traffic != Traffic::store || !access.inst.source->opcode.starts_with("st.") ||
      access.bytes > 32)
    return false;
  const auto own = stored_bytes(access, lane);
  const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
  const unsigned other = thread_of(earlier) % lanes;
  const bool same_warp = thread_of(earlier) / lanes == access.warp.index;
  if (same_warp && ((access.mask >> other) & 1) != 0 && access.address[other] == address &&
      static_cast<int>(other) < lane) {
    return std::memcmp(own.data(), stored_bytes(access, static_cast<int>(other)).data(),
                       access.bytes) == 0;
  }
  const std::byte* there = nullptr;
  Range range;
  if (access.space == Space::shared) {
    there = access.warp.shared + address;
  } else if (access.warp.launch.memory->find_range(address, range) &&
             range.holds(address, access.bytes)) {
    there = range.host(address);
  }
  return there != nullptr && std::memcmp(own.data(), there, access.bytes) == 0;
}

}  // namespace ladder::emulator
