// The shapes that nearly all accesses have: a whole warp at neighbouring places, or eight lanes at one.
// Eight cells at a time; cells with something to look into go one by one, as elsewhere.
#include <array>
#include <bit>

#include "common/emulator/observers/racecheck_block.hpp"

namespace ladder::emulator {

namespace {

constexpr Stamps first_eight = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

// True: eight neighbouring cells were read; mine: the readers' stamps.
inline bool BlockRaces::read_eight(Cells& cells, std::size_t first, Stamps mine,
                                   const Touch& touch) const {
  const StampWindow& window = touch.window;
  const Stamps writers = load_stamps(cells.write + first);
  const Stamps readers = load_stamps(cells.read + first);
  Stamps result = mine;
  if (!all_set((Stamps)(window.in_order(writers) & window.in_order(readers)))) {
    if (!all_set((Stamps)window.in_order(writers)) && !all_set((Stamps)window.fine(writers, mine)))
      return false;
    if (cells.read[first] == many_blocks) return read_by_many(cells, first, touch);
    const Stamps fine = (Stamps)window.fine(readers, mine);
    if (!all_set(touch.plain_order ? fine | (Stamps)window.of_block(readers) : fine)) return false;
    result = fine ? mine : window.both_readers(readers, mine);
  }
  store_stamps(cells.read + first, result);
  store_stamps(cells.read_site + first, Stamps{} + touch.site);
  return true;
}

// Eight cells that the same blocks have read, this one among them.
bool BlockRaces::read_by_many(const Cells& cells, std::size_t first, const Touch& touch) const {
  const SiteNumber set = cells.read_site[first];
  const Stamps sets = load_stamps(cells.read_site + first);
  const Stamps readers = load_stamps(cells.read + first);
  if (!all_set((Stamps)(readers == many_blocks) & (Stamps)(sets == set))) return false;
  const Epoch newest = launch_.sets.last(set).epoch;
  return newest >= epoch_of(touch.stamp) && launch_.owner(newest) == order_.number();
}

inline bool BlockRaces::write_eight(Cells& cells, std::size_t first, Stamps mine,
                                    const Touch& touch) const {
  const StampWindow& window = touch.window;
  const Stamps writers = load_stamps(cells.write + first);
  const Stamps readers = load_stamps(cells.read + first);
  if (!all_set((Stamps)(window.in_order(writers) & window.in_order(readers))) &&
      !all_set((Stamps)(window.fine(writers, mine) & window.fine(readers, mine))))
    return false;
  store_stamps(cells.write + first, mine);
  store_stamps(cells.write_site + first, Stamps{} + touch.site);
  return true;
}

// `count` lanes from touch.lane on, side by side: 8 or 32.
void BlockRaces::touch_neighbours(const Touch& touch, std::uint32_t count, bool writes) {
  const std::uint32_t bytes = count * touch.bytes;
  Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
  const std::uint64_t offset =
      touch.shared ? touch.address : touch.address % LaunchRaces::page_bytes;
  if (cells == nullptr || offset + bytes > cells->bytes()) {
    const std::uint32_t which = count == lanes ? all_lanes : (1u << count) - 1;
    return touch_lanes(touch, which, writes);
  }
  cells->fit(offset, touch.bytes);
  const auto cells_of_lane = std::countr_zero(touch.bytes >> cells->shift());
  const std::size_t begin = offset >> cells->shift(), end = bytes >> cells->shift();
  for (std::size_t cell = 0; cell < end; cell += stamps_at_once) {
    const Stamps mine = touch.stamp + ((first_eight + static_cast<Stamp>(cell)) >> cells_of_lane);
    const bool done = writes ? write_eight(*cells, begin + cell, mine, touch)
                             : read_eight(*cells, begin + cell, mine, touch);
    if (done) continue;
    Touch one = touch;
    for (std::size_t i = cell; i < cell + stamps_at_once; ++i) {
      const std::size_t lane = i >> cells_of_lane;
      one.lane = touch.lane + static_cast<int>(lane);
      one.stamp = touch.stamp + static_cast<Stamp>(lane);
      one.address = touch.address + lane * touch.bytes;
      writes ? write_cell(*cells, begin + i, one) : read_cell(*cells, begin + i, one);
    }
  }
}

// `count` lanes from touch.lane on read one place.
void BlockRaces::read_together(Touch& touch, int count) {
  Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
  if (cells == nullptr) return;
  for_cells(*cells, touch.shared, touch.address, touch.bytes, [&](std::size_t cell) {
    if (touch.window.in_order(cells->write[cell]) && touch.window.in_order(cells->read[cell])) {
      cells->read[cell] = touch.stamp | several_lanes;
      cells->read_site[cell] = touch.site;
      return;
    }
    const Stamp first = touch.stamp;
    if (!touch.window.fine(cells->write[cell], first | several_lanes)) {
      Touch one = touch;
      for (; one.lane < touch.lane + count; ++one.lane, ++one.stamp)
        check_against_write(*cells, cell, one, Hazard::read_after_write);
    }
    touch.stamp = first | several_lanes;
    remember_read(*cells, cell, touch);
    touch.stamp = first;
  });
}

}  // namespace ladder::emulator
