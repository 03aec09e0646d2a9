// The shapes that nearly all accesses have: a whole warp at neighbouring places, or eight lanes at
// one. Eight cells at a time; cells with something to look into go one by one, as elsewhere.
#include <array>
#include <bit>

#include "common/emulator/observers/racecheck_block.hpp"

namespace ladder::emulator {

namespace {

constexpr Stamps first_eight = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr FourStamps first_sectors = {0, 8, 16, 24};

// What is known of any thread: of no matter to anybody any more.
template <class Some>
bool all_over(const StampWindow& window, Some stamps, bool shared) {
  return all_hold<Some>(shared ? window.in_order(stamps) : stamps < window.floor);
}

}  // namespace

// True: neighbouring places were read; mine: the readers' stamps.
template <class Some>
inline bool BlockRaces::read_places(const Shadows& at, std::size_t first, Some mine,
                                    const Touch& touch) const {
  const StampWindow& window = touch.window;
  const auto writers = load_stamps<Some>(at.write + first);
  const auto readers = load_stamps<Some>(at.read + first);
  Some result = mine;
  if (!all_hold<Some>(window.in_order(writers) & window.in_order(readers))) {
    if (!all_hold<Some>(window.in_order(writers)) && !all_hold<Some>(window.fine(writers, mine)))
      return false;
    if (at.read[first] == many_blocks) return read_by_many<Some>(at, first, touch);
    const Some fine = (Some)window.fine(readers, mine);
    if (!all_set(touch.plain_order ? fine | (Some)window.of_block(readers) : fine)) return false;
    result = fine ? mine : window.both_readers(readers, mine);
  }
  store_stamps(at.read + first, result);
  store_stamps(at.read_site + first, Some{} + touch.site);
  return true;
}

// Places that the same blocks have read, this one among them.
template <class Some>
bool BlockRaces::read_by_many(const Shadows& at, std::size_t first, const Touch& touch) const {
  const SiteNumber set = at.read_site[first];
  const auto sets = load_stamps<Some>(at.read_site + first);
  const auto readers = load_stamps<Some>(at.read + first);
  if (!all_hold<Some>((readers == many_blocks) & (sets == set))) return false;
  const Epoch newest = launch_.sets.last(set).epoch;
  return newest >= epoch_of(touch.stamp) && launch_.owner(newest) == order_.number();
}

template <class Some>
inline bool BlockRaces::write_places(const Shadows& at, std::size_t first, Some mine,
                                     const Touch& touch) const {
  const StampWindow& window = touch.window;
  const auto writers = load_stamps<Some>(at.write + first);
  const auto readers = load_stamps<Some>(at.read + first);
  if (!all_hold<Some>(window.in_order(writers) & window.in_order(readers)) &&
      !all_hold<Some>(window.fine(writers, mine) & window.fine(readers, mine)))
    return false;
  store_stamps(at.write + first, mine);
  store_stamps(at.write_site + first, Some{} + touch.site);
  return true;
}

template <class Some>
inline bool BlockRaces::touch_places(const Shadows& at, std::size_t first, Some mine,
                                     const Touch& touch, bool writes) const {
  return writes ? write_places(at, first, mine, touch) : read_places(at, first, mine, touch);
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
  if (touch.bytes != 4 || offset % Cells::sector_bytes != 0) {
    return touch_cells(*cells, offset, touch, count, writes);
  }
  const std::size_t sector = offset / Cells::sector_bytes;
  if (count == lanes &&
      touch_places(cells->sectors, sector, touch.stamp + first_sectors, touch, writes)) {
    return;
  }
  Touch part = touch;
  for (std::uint32_t lane = 0; lane < count; lane += Cells::words_of_sector) {
    part.lane = touch.lane + static_cast<int>(lane);
    part.stamp = touch.stamp + lane;
    part.address = touch.address + lane * touch.bytes;
    touch_sector(*cells, sector + lane / Cells::words_of_sector, part, writes);
  }
}

// Eight lanes, a word each.
void BlockRaces::touch_sector(Cells& cells, std::size_t sector, const Touch& touch, bool writes) {
  if (touch_places(cells.sectors, sector, OneStamp{touch.stamp}, touch, writes)) return;
  touch_cells(cells, sector * Cells::sector_bytes, touch, Cells::words_of_sector, writes);
  if (cells.shift() != 2 || cells.sectors.write[sector] != Cells::opened) return;
  // One place again, if nothing is to be known but this access.
  const std::size_t first = sector * Cells::words_of_sector;
  const Stamps mine = touch.stamp + first_eight;
  const auto writers = load_stamps<Stamps>(cells.cells.write + first);
  const auto readers = load_stamps<Stamps>(cells.cells.read + first);
  const bool alone = all_over(touch.window, writes ? readers : writers, touch.shared) &&
                     all_hold<Stamps>((writes ? writers : readers) == mine);
  if (!alone) return;
  if (writes) {
    cells.close(sector, touch.stamp, cells.cells.write_site[first], 0, 0);
  } else {
    cells.close(sector, 0, 0, touch.stamp, cells.cells.read_site[first]);
  }
}

// The same by cells.
void BlockRaces::touch_cells(Cells& cells, std::uint64_t offset, const Touch& touch,
                             std::uint32_t count, bool writes) {
  const std::uint32_t bytes = count * touch.bytes;
  cells.fit(offset, touch.bytes);
  cells.fit(offset, bytes);
  const auto cells_of_lane = std::countr_zero(touch.bytes >> cells.shift());
  const std::size_t begin = offset >> cells.shift(), end = bytes >> cells.shift();
  for (std::size_t cell = 0; cell < end; cell += stamps_at_once) {
    const Stamps mine = touch.stamp + ((first_eight + static_cast<Stamp>(cell)) >> cells_of_lane);
    if (touch_places(cells.cells, begin + cell, mine, touch, writes)) continue;
    Touch one = touch;
    for (std::size_t i = cell; i < cell + stamps_at_once; ++i) {
      const std::size_t lane = i >> cells_of_lane;
      one.lane = touch.lane + static_cast<int>(lane);
      one.stamp = touch.stamp + static_cast<Stamp>(lane);
      one.address = touch.address + lane * touch.bytes;
      writes ? write_cell(cells.cells, begin + i, one) : read_cell(cells.cells, begin + i, one);
    }
  }
}

// `count` lanes from touch.lane on read one place.
void BlockRaces::read_together(Touch& touch, int count) {
  Cells* const cells = touch.shared ? &shared_ : launch_.page_at(touch.address);
  if (cells == nullptr) return;
  for_cells(*cells, touch.shared, touch.address, touch.bytes, [&](std::size_t cell) {
    const Shadows& at = cells->cells;
    if (touch.window.in_order(at.write[cell]) && touch.window.in_order(at.read[cell])) {
      at.read[cell] = touch.stamp | several_lanes;
      at.read_site[cell] = touch.site;
      return;
    }
    const Stamp first = touch.stamp;
    if (!touch.window.fine(at.write[cell], first | several_lanes)) {
      Touch one = touch;
      for (; one.lane < touch.lane + count; ++one.lane, ++one.stamp)
        check_against_write(at, cell, one, Hazard::read_after_write);
    }
    touch.stamp = first | several_lanes;
    remember_read(at, cell, touch);
    touch.stamp = first;
  });
}

}  // namespace ladder::emulator
