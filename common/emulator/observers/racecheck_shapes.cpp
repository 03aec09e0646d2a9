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
bool BlockRaces::read_eight(Cells& cells, std::size_t first, Stamps mine, const Touch& touch) {
  const StampWindow& window = touch.window;
  if (!all_set((Stamps)window.fine(load_stamps(cells.write + first), mine))) return false;
  const Stamps readers = load_stamps(cells.read + first);
  const Stamps fine = (Stamps)window.fine(readers, mine);
  if (all_set(fine)) {
    store_stamps(cells.read + first, mine);
  } else if (touch.plain_order && all_set(fine | (Stamps)window.of_block(readers))) {
    store_stamps(cells.read + first, fine ? mine : window.both_readers(readers, mine));
  } else {
    return read_by_many(cells, first, touch);
  }
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

bool BlockRaces::write_eight(Cells& cells, std::size_t first, Stamps mine, const Touch& touch) {
  const StampWindow& window = touch.window;
  const auto fine = window.fine(load_stamps(cells.write + first), mine) &
                    window.fine(load_stamps(cells.read + first), mine);
  if (!all_set((Stamps)fine)) return false;
  store_stamps(cells.write + first, mine);
  store_stamps(cells.write_site + first, Stamps{} + touch.site);
  return true;
}

// Eight lanes from touch.lane on, side by side.
void BlockRaces::touch_neighbours(Touch touch, bool writes) {
  const std::uint32_t bytes = 8 * touch.bytes;
  Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
  const std::uint64_t offset =
      touch.shared ? touch.address : touch.address % LaunchRaces::page_bytes;
  if (cells == nullptr || offset + bytes > cells->bytes()) return touch_lanes(touch, 0xffu, writes);
  cells->fit(offset, touch.bytes);
  const auto cells_of_lane = std::countr_zero(touch.bytes >> cells->shift());
  const std::size_t begin = offset >> cells->shift(), count = bytes >> cells->shift();
  const Stamp stamp = touch.stamp;
  for (std::size_t cell = 0; cell < count; cell += stamps_at_once) {
    const Stamps mine = stamp + ((first_eight + static_cast<Stamp>(cell)) >> cells_of_lane);
    if (writes ? write_eight(*cells, begin + cell, mine, touch)
               : read_eight(*cells, begin + cell, mine, touch))
      continue;
    const int lane = touch.lane;
    for (std::size_t i = cell; i < cell + stamps_at_once; ++i) {
      Touch one = touch;
      one.lane = lane + static_cast<int>(i >> cells_of_lane);
      one.stamp = stamp + static_cast<Stamp>(i >> cells_of_lane);
      one.address = touch.address + (i >> cells_of_lane) * touch.bytes;
      writes ? write_cell(*cells, begin + i, one) : read_cell(*cells, begin + i, one);
    }
  }
}

// Eight lanes from touch.lane on read one place.
void BlockRaces::read_together(const Touch& touch) {
  Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
  if (cells == nullptr) return;
  Touch all = touch;
  all.stamp |= several_lanes;
  for_cells(*cells, touch.shared, touch.address, touch.bytes, [&](std::size_t cell) {
    if (!touch.window.fine(cells->write[cell], all.stamp)) {
      Touch one = touch;
      for (; one.lane < touch.lane + 8; ++one.lane, ++one.stamp)
        check_against_write(*cells, cell, one, Hazard::read_after_write);
    }
    remember_read(*cells, cell, all);
  });
}

}  // namespace ladder::emulator
