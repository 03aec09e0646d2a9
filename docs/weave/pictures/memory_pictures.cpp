// A warp's lanes on the sectors of global memory, and on the banks of shared memory. What is shown
// is counted by the emulator's own rules, so that a picture and a counter cannot disagree.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "common/emulator/exec/footprint.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

namespace {

using emulator::Addresses;
using emulator::all_lanes;
using emulator::lanes;

constexpr int words_in_sector = 8, words_in_row = 32;  // words of 4 bytes
constexpr double left = 58, cell = 12, width = left + words_in_row * cell + 2;

double word_x(int word) {
  return left + cell * (word % words_in_row);
}

// One colour for every eight lanes.
std::string lane_class(int lane) {
  return "kl-lane-" + std::to_string(1 + lane / 8);
}

bool is_active(std::uint32_t mask, int lane) {
  return ((mask >> lane) & 1) != 0;
}

void draw_lanes(Svg& svg, std::uint32_t mask, double y) {
  svg.text(left - 8, y + 13, "lane", "kl-small", "end");
  for (int lane = 0; lane < lanes; ++lane) {
    svg.rectangle(word_x(lane), y, cell, 16, is_active(mask, lane) ? lane_class(lane) : "kl-faint");
    if (lane % 8 != 0) continue;
    svg.text(word_x(lane) + 4 * cell, y - 5,
             std::to_string(lane) + " to " + std::to_string(lane + 7), "kl-small", "middle");
  }
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

struct GlobalAccess {
  std::map<std::uint64_t, int> lane_of_word;  // the first that asks for it
  std::uint32_t sectors = 0, asked = 0;       // asked: bytes, each counted once
};

GlobalAccess access_of(const LaneAddresses& lane) {
  GlobalAccess access;
  for (int l = 0; l < lanes; ++l) {
    if (!is_active(lane.mask, l)) continue;
    const std::uint64_t first = lane.at[static_cast<std::size_t>(l)];
    for (std::uint64_t at = first; at < first + lane.bytes; ++at) {
      access.lane_of_word.emplace(at / 4, l);
    }
  }
  const emulator::Stretches stretches(lane.at, lane.bytes, lane.mask);
  access.sectors = emulator::sectors_of(stretches);
  access.asked = stretches.bytes();
  return access;
}

// 128 bytes of memory: four sectors, of which those that are touched are outlined.
void draw_memory_row(Svg& svg, const GlobalAccess& access, std::uint64_t row, double y) {
  svg.text(left - 8, y + 13, std::to_string(row * words_in_row * 4), "kl-small", "end");
  const std::uint64_t first = row * words_in_row;
  std::set<int> touched;
  for (int word = 0; word < words_in_row; ++word) {
    const auto asked = access.lane_of_word.find(first + static_cast<std::uint64_t>(word));
    const bool is_asked = asked != access.lane_of_word.end();
    if (is_asked) touched.insert(word / words_in_sector);
    svg.rectangle(word_x(word), y, cell, 16, is_asked ? lane_class(asked->second) : "kl-faint");
  }
  for (const int sector : touched) {
    svg.rectangle(word_x(sector * words_in_sector), y, cell * words_in_sector, 16, "kl-moved");
  }
}

}  // namespace

Picture lanes_on_sectors(PictureRequest& request) {
  const bool scattered = request.choice("access", {"contiguous", "scattered"}) == "scattered";
  const int stride = request.number("stride", 1, 0, 1024);
  const int offset = request.number("offset", 0, 0, 1024);
  LaneAddresses lane;
  lane.mask = all_lanes;
  lane.bytes = static_cast<std::uint32_t>(request.number("bytes", 4, 4, 16)) / 4 * 4;
  int scatter = 1;
  for (int l = 0; l < lanes; ++l) {
    const int element = scattered ? scatter : l * stride;
    // Places without a pattern: the powers of 6 modulo the prime 251 are all different.
    scatter = scatter * 6 % 251;
    lane.at[static_cast<std::size_t>(l)] =
        static_cast<std::uint64_t>(element) * lane.bytes + 4 * static_cast<std::uint64_t>(offset);
  }
  return sectors_of_lanes(lane);
}

Picture sectors_of_lanes(const LaneAddresses& lane) {
  const GlobalAccess access = access_of(lane);
  std::set<std::uint64_t> rows;
  for (const auto& [word, lane] : access.lane_of_word) rows.insert(word / words_in_row);
  constexpr std::size_t most_rows = 8;
  const std::size_t shown = std::min(rows.size(), most_rows);
  constexpr double memory = 78, pitch = 22;
  double bottom = memory + pitch * static_cast<double>(shown);
  const std::uint32_t moved = 32 * access.sectors;
  const std::string counted =
      plural(access.sectors, "sector") + ", " + std::to_string(moved) + " bytes moved for the " +
      std::to_string(access.asked) + " that were asked for (" +
      fixed(100.0 * access.asked / moved, access.asked == moved ? 0 : 1) + " %)";
  Svg svg(width, bottom + (rows.size() > shown ? 64 : 44),
          "A warp's request on the sectors of memory",
          "Each active lane asks for " + std::to_string(lane.bytes) + " bytes. They touch " +
              counted + ".");
  draw_lanes(svg, lane.mask, 18);
  svg.text(left - 8, memory - 8, "byte", "kl-small", "end");
  svg.text(left, memory - 8, "global memory, 128 bytes a line: four sectors of 32 bytes",
           "kl-small");
  std::size_t drawn = 0;
  for (const std::uint64_t row : rows) {
    if (drawn == shown) break;
    draw_memory_row(svg, access, row, memory + pitch * static_cast<double>(drawn++));
  }
  if (rows.size() > shown) {
    svg.text(left, bottom + 14, "… and " + plural(rows.size() - shown, "line") + " more",
             "kl-small");
    bottom += 20;
  }
  svg.text(left, bottom + 14,
           plural(access.sectors, "sector") + " moved: " + std::to_string(moved) +
               " bytes, of which " + std::to_string(access.asked) + " were asked for",
           "kl-small kl-strong");
  svg.rectangle(left, bottom + 24, 20, 14, "kl-faint");
  svg.rectangle(left, bottom + 24, 20, 14, "kl-moved");
  svg.text(left + 27, bottom + 35, "a sector that moves; nobody asked for what is empty in it",
           "kl-small");
  return {svg,
          "What the lanes of a warp ask for in one request, and what the memory moves for it."};
}

namespace {

// Words of shared memory: those that lanes ask for, and those of a tile's padding.
struct SharedAccess {
  std::set<std::uint64_t> asked, padding;
  std::uint64_t first_row = 0, last_row = 0;  // what is shown, in rows of 32 words
  std::uint32_t wavefronts = 0;
};

SharedAccess shared_access(const LaneAddresses& lane) {
  SharedAccess access;
  for (int l = 0; l < lanes; ++l) {
    if (!is_active(lane.mask, l)) continue;
    const std::uint64_t first = lane.at[static_cast<std::size_t>(l)];
    for (std::uint64_t at = first; at < first + lane.bytes; ++at) access.asked.insert(at / 4);
  }
  if (!access.asked.empty()) {
    access.first_row = *access.asked.begin() / words_in_row;
    access.last_row = *access.asked.rbegin() / words_in_row;
  }
  access.wavefronts = emulator::load_wavefronts(lane.at, lane.bytes, lane.mask);
  return access;
}

int swizzled(int row, int column, bool exclusive_or, int tile) {
  return exclusive_or ? column ^ (row % tile) : column;
}

// Words of the lanes in each bank, as bars below the banks.
class BankCounts {
 public:
  explicit BankCounts(const SharedAccess& access) {
    for (const std::uint64_t word : access.asked) ++in_bank_[word % words_in_row];
    most_ = std::max(1, *std::max_element(in_bank_.begin(), in_bank_.end()));
    word_height_ = std::clamp(32.0 / most_, 1.0, 8.0);
  }

  double height() const { return std::max(12.0, word_height_ * most_); }

  void draw(Svg& svg, double y) const {
    const double gap = word_height_ > 4 ? 1 : 0;
    for (int bank = 0; bank < words_in_row; ++bank) {
      for (int word = 0; word < in_bank_[static_cast<std::size_t>(bank)]; ++word) {
        svg.rectangle(word_x(bank) + 1, y + word_height_ * word, cell - 2, word_height_ - gap,
                      "kl-series-1");
      }
    }
    svg.text(left - 8, y + 9, "words", "kl-small", "end");
  }

 private:
  std::array<int, words_in_row> in_bank_{};
  int most_ = 1;
  double word_height_ = 1;
};

Picture draw_banks(const SharedAccess& access) {
  const auto rows = static_cast<int>(access.last_row - access.first_row + 1);
  constexpr double top = 26;
  const double height = std::min(8.0, 400.0 / rows), bottom = top + height * rows;
  const std::string counted = plural(access.wavefronts, "wavefront");
  const BankCounts counts(access);
  const double bars = bottom + 10, below = bars + counts.height() + 18;
  Svg svg(width, below + 8, "A warp's request on the banks of shared memory",
          "The words of 32 lanes in the 32 banks of shared memory: " + counted + ".");
  svg.text(left - 8, 14, "bank", "kl-small", "end");
  for (int bank = 0; bank < words_in_row; bank += 4) {
    svg.text(word_x(bank) + cell / 2, 14, std::to_string(bank), "kl-small", "middle");
  }
  svg.text(word_x(31) + cell / 2, 14, "31", "kl-small", "middle");
  svg.text(left - 8, top + 9, "word " + std::to_string(access.first_row * words_in_row), "kl-small",
           "end");
  if (height * rows > 24) {
    svg.text(left - 8, bottom - 1, std::to_string(access.last_row * words_in_row), "kl-small",
             "end");
  }
  const auto draw_words = [&](const std::set<std::uint64_t>& words, const char* css_class) {
    for (const std::uint64_t word : words) {
      const auto row = static_cast<double>(word / words_in_row - access.first_row);
      svg.rectangle(word_x(static_cast<int>(word % words_in_row)), top + height * row, cell, height,
                    css_class);
    }
  };
  draw_words(access.padding, "kl-pad");
  for (int column = 0; column <= words_in_row; ++column) {
    const double x = left + cell * column;
    svg.line(x, top, x, bottom, "kl-grid");
  }
  for (int row = 0; row <= rows; ++row) {
    svg.line(left, top + height * row, left + cell * words_in_row, top + height * row, "kl-grid");
  }
  draw_words(access.asked, "kl-series-1");
  counts.draw(svg, bars);
  svg.text(left, below, "the fullest bank decides: " + counted, "kl-small kl-strong");
  return {svg, std::string("The words that the 32 lanes of a warp ask for, each in its bank") +
                   (access.padding.empty() ? "." : "; the padding is in orange.")};
}

}  // namespace

Picture banks_of_lanes(const LaneAddresses& lane) {
  return draw_banks(shared_access(lane));
}

Picture banks(PictureRequest& request) {
  const std::string kind = request.choice("access", {"column", "row", "stride"});
  const int stride = request.number("stride", 2, 1, 32);
  const int tile = request.number("tile", 32, 8, 32);
  const int row_words = tile + request.number("pad", 0, 0, 8);
  const bool exclusive_or = request.choice("swizzle", {"none", "xor"}) == "xor";
  const int first = request.number("column", 5, 0, 31);
  LaneAddresses lane;
  lane.mask = all_lanes;
  for (int l = 0; l < lanes; ++l) {
    const int along = l % tile, across = (first + l / tile) % tile;
    const int row = kind == "column" ? along : across, column = kind == "column" ? across : along;
    const int word =
        kind == "stride" ? l * stride : row * row_words + swizzled(row, column, exclusive_or, tile);
    lane.at[static_cast<std::size_t>(l)] = static_cast<std::uint64_t>(4 * word);
  }
  SharedAccess access = shared_access(lane);
  access.first_row = 0;
  if (kind != "stride") {  // the whole tile is shown
    access.last_row = static_cast<std::uint64_t>(tile * row_words - 1) / words_in_row;
    for (int word = tile; word < tile * row_words; ++word) {
      if (word % row_words >= tile) access.padding.insert(static_cast<std::uint64_t>(word));
    }
  }
  return draw_banks(access);
}

}  // namespace ladder::weave
