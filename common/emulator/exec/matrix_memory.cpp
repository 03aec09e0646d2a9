// ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store.
//
// A row of a matrix (for wmma: a line as it lies in memory) is moved in pieces of 16 bytes, which
// must lie at multiples of 16.
#include "common/emulator/exec/matrix_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/memory_operations.hpp"

namespace ladder::emulator {

namespace {

constexpr u32 row_bytes = 16;                      // of an 8 x 8 matrix
constexpr std::size_t tile_bytes = 8 * row_bytes;  // one register of all lanes

void transpose(u16* tile) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) std::swap(tile[8 * i + j], tile[8 * j + i]);
  }
}

// Row `row` of the matrix of register `matrix`.
std::byte* matrix_row(const std::byte* rows, const Inst& inst, Warp& warp, int matrix, int row) {
  const int lane = 8 * matrix + row;
  return resolve(warp, inst, static_cast<ptx::Space>(inst.space), lane_address(rows, inst, lane),
                 row_bytes, lane);
}

template <bool Transposed>
void load_matrix(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  need_whole_warp(inst, mask);
  u16 tiles[4][64];  // all are read before any is written: a result may hold the addresses
  for (int matrix = 0; matrix < inst.list_size; ++matrix) {
    for (int row = 0; row < 8; ++row) {
      std::memcpy(tiles[matrix] + 8 * row, matrix_row(rows, inst, warp, matrix, row), row_bytes);
    }
    if (Transposed) transpose(tiles[matrix]);
  }
  for (int matrix = 0; matrix < inst.list_size; ++matrix) {
    if (inst.list[matrix] != no_row)
      std::memcpy(rows + inst.list[matrix], tiles[matrix], tile_bytes);
  }
}

template <bool Transposed>
void store_matrix(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  need_whole_warp(inst, mask);
  for (int matrix = 0; matrix < inst.list_size; ++matrix) {
    u16 tile[64];
    std::memcpy(tile, rows + inst.list[matrix], tile_bytes);
    if (Transposed) transpose(tile);
    for (int row = 0; row < 8; ++row) {
      std::memcpy(matrix_row(rows, inst, warp, matrix, row), tile + 8 * row, row_bytes);
    }
  }
}

void transpose_registers(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  need_whole_warp(inst, mask);
  u16 tile[64];
  std::memcpy(tile, rows + inst.s[0], tile_bytes);
  transpose(tile);
  std::memcpy(rows + inst.d, tile, tile_bytes);
}

// ---- wmma -----------------------------------------------------------------------------------

constexpr std::size_t most_bytes = 2048;  // of a fragment: 32 x 8 of 64 bits, 16 x 16 of 32

MatrixInMemory matrix_of(const std::byte* rows, const Inst& inst) {
  u64 bits;
  std::memcpy(&bits, rows + inst.s[2], sizeof bits);
  return std::bit_cast<MatrixInMemory>(bits);
}

// Elements from the beginning of a line in memory to that of the next.
u32 pitch_of(const std::byte* rows, const Inst& inst, const MatrixInMemory& matrix) {
  u32 pitch = static_cast<u32>(matrix.length());
  if (inst.s[1] != no_row) std::memcpy(&pitch, rows + inst.s[1], sizeof pitch);
  return pitch;
}

// Moves the lines of a matrix, as they lie in memory: move(place in memory, offset in a dense copy,
// bytes).
template <class Move>
void for_pieces(const std::byte* rows, const Inst& inst, Warp& warp, const MatrixInMemory& matrix,
                const Move& move) {
  const auto bits = static_cast<u64>(bits_of(matrix.element));
  const u32 bytes = static_cast<u32>(static_cast<u64>(matrix.length()) * bits / 8);
  const u32 pitch = pitch_of(rows, inst, matrix);
  const u32 piece = std::min(bytes, row_bytes);
  const u64 first = lane_address(rows, inst, 0);
  for (int line = 0; line < matrix.memory_lines(); ++line) {
    const u64 begin = first + static_cast<u64>(line) * pitch * bits / 8;
    for (u32 at = 0; at < bytes; at += piece) {
      std::byte* host =
          resolve(warp, inst, static_cast<ptx::Space>(inst.space), begin + at, piece, 0);
      move(host, static_cast<std::size_t>(line) * bytes + at, piece);
    }
  }
}

// Fragments of A and B: lines along k, cut into tiles.
void load_factor(std::byte* rows, const Inst& inst, const MatrixInMemory& matrix,
                 const std::byte* dense) {
  const std::size_t bytes = static_cast<std::size_t>(bits_of(matrix.element)) / 8;
  std::byte turned[most_bytes];
  const int lines = matrix.lines(), k = matrix.k;
  if (!matrix.along_k()) {
    for (int i = 0; i < k; ++i) {
      for (int line = 0; line < lines; ++line) {
        std::memcpy(turned + static_cast<std::size_t>(line * k + i) * bytes,
                    dense + static_cast<std::size_t>(i * lines + line) * bytes, bytes);
      }
    }
    dense = turned;
  }
  const int length = tile_length(matrix.element);
  const auto bits = static_cast<std::size_t>(bits_of(matrix.element));
  const std::size_t piece = static_cast<std::size_t>(length) * bits / 8;
  const int needed = lines * k / (8 * length);
  for_tiles(lines, k, length, matrix.which == 'a', [&](int at, int first_line, int first) {
    // f16 fragments have 8 registers in every shape: the rest repeats the first.
    for (int repeat = at; repeat < inst.list_size; repeat += needed) {
      if (inst.list[repeat] == no_row) continue;
      for (int line = 0; line < tile_lines; ++line) {
        const auto from = static_cast<std::size_t>((first_line + line) * k + first) * bits / 8;
        std::memcpy(rows + inst.list[repeat] + static_cast<std::size_t>(line) * piece, dense + from,
                    piece);
      }
    }
  });
}

// Where an accumulator's element lies in a row of registers and in a dense copy of memory.
template <class Visit>
void for_accumulator_bytes(const Inst& inst, const MatrixInMemory& matrix, const Visit& visit) {
  const std::size_t bytes = static_cast<std::size_t>(bits_of(matrix.element)) / 8;
  for_accumulator(
      inst.list, matrix.element, matrix.m, matrix.n,
      [&](u32 row, int lane, int half, const Place& at) {
        const int index =
            matrix.by_columns ? at.column * matrix.m + at.row : at.row * matrix.n + at.column;
        const std::size_t of_lane = bytes == 2 ? 4 : bytes;
        visit(row + static_cast<std::size_t>(lane) * of_lane + static_cast<std::size_t>(half) * 2,
              static_cast<std::size_t>(index) * bytes, bytes);
      });
}

void load_fragment(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixInMemory matrix = matrix_of(rows, inst);
  std::byte dense[most_bytes];
  for_pieces(rows, inst, warp, matrix, [&](const std::byte* host, std::size_t at, u32 bytes) {
    std::memcpy(dense + at, host, bytes);
  });
  if (matrix.which != 'c') return load_factor(rows, inst, matrix, dense);
  for_accumulator_bytes(inst, matrix, [&](std::size_t row, std::size_t at, std::size_t bytes) {
    std::memcpy(rows + row, dense + at, bytes);
  });
}

void store_fragment(std::byte* rows, const Inst& inst, Warp& warp, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixInMemory matrix = matrix_of(rows, inst);
  std::byte dense[most_bytes];
  for_accumulator_bytes(inst, matrix, [&](std::size_t row, std::size_t at, std::size_t bytes) {
    std::memcpy(dense + at, rows + row, bytes);
  });
  for_pieces(rows, inst, warp, matrix, [&](std::byte* host, std::size_t at, u32 bytes) {
    std::memcpy(host, dense + at, bytes);
  });
}

// ---- as observers see it ---------------------------------------------------------------------

using Visit = std::function<void(const MatrixPart&)>;

void parts_of_rows(const std::byte* rows, const Inst& inst, const Visit& visit) {
  for (int matrix = 0; matrix < inst.list_size; ++matrix) {
    MatrixPart part;
    part.mask = 0xffu << (8 * matrix);
    part.bytes = row_bytes;
    part.continues = matrix > 0;
    for (int lane = 8 * matrix; lane < 8 * matrix + 8; ++lane) {
      part.address[static_cast<std::size_t>(lane)] = lane_address(rows, inst, lane);
    }
    visit(part);
  }
}

// A tile of A or B: as many lines of memory as it crosses.
void parts_of_factor(const std::byte* rows, const Inst& inst, const MatrixInMemory& matrix,
                     const Visit& visit) {
  const auto bits = static_cast<u64>(bits_of(matrix.element));
  const u64 begin = lane_address(rows, inst, 0), pitch = pitch_of(rows, inst, matrix);
  const int length = tile_length(matrix.element);
  for_tiles(matrix.lines(), matrix.k, length, matrix.which == 'a',
            [&](int, int first_line, int first) {
              const int crossed = matrix.along_k() ? tile_lines : length;
              const int along = matrix.along_k() ? length : tile_lines;
              const int from = matrix.along_k() ? first_line : first;
              const int at = matrix.along_k() ? first : first_line;
              MatrixPart part;
              part.mask = (1u << crossed) - 1;
              part.bytes = static_cast<u32>(static_cast<u64>(along) * bits / 8);
              for (int i = 0; i < crossed; ++i) {
                part.address[static_cast<std::size_t>(i)] =
                    begin + (static_cast<u64>(from + i) * pitch + static_cast<u64>(at)) * bits / 8;
              }
              visit(part);
            });
}

// An accumulator: two neighbours a lane where they lie together.
void parts_of_accumulator(const std::byte* rows, const Inst& inst, const MatrixInMemory& matrix,
                          const Visit& visit) {
  const auto bytes = static_cast<u64>(bits_of(matrix.element)) / 8;
  const u64 begin = lane_address(rows, inst, 0), pitch = pitch_of(rows, inst, matrix);
  const int together = matrix.by_columns ? 1 : 2;
  for (int i = 0; i < accumulator_elements(matrix.m, matrix.n); i += together) {
    const Place first = accumulator_place(i, matrix.m, matrix.n);
    MatrixPart part;
    part.mask = all_lanes;
    part.bytes = static_cast<u32>(bytes) * static_cast<u32>(together);
    for (int lane = 0; lane < lanes; ++lane) {
      const auto row = static_cast<u64>(first.row + lane / 4);
      const auto column = static_cast<u64>(first.column + lane % 4 * 2);
      part.address[static_cast<std::size_t>(lane)] =
          begin + (matrix.by_columns ? column * pitch + row : row * pitch + column) * bytes;
    }
    visit(part);
  }
}

}  // namespace

bool is_matrix_access(const Inst& inst) {
  static const Handler all[] = {&load_matrix<false>, &load_matrix<true>, &store_matrix<false>,
                                &store_matrix<true>, &load_fragment,     &store_fragment};
  return std::find(std::begin(all), std::end(all), inst.all) != std::end(all);
}

void for_matrix_parts(const std::byte* rows, const Inst& inst, const Visit& visit) {
  if (inst.operation != &load_fragment && inst.operation != &store_fragment) {
    return parts_of_rows(rows, inst, visit);
  }
  const MatrixInMemory matrix = matrix_of(rows, inst);
  return matrix.which == 'c' ? parts_of_accumulator(rows, inst, matrix, visit)
                             : parts_of_factor(rows, inst, matrix, visit);
}

Handler load_matrix_handler(bool transposed) {
  return transposed ? &load_matrix<true> : &load_matrix<false>;
}

Handler store_matrix_handler(bool transposed) {
  return transposed ? &store_matrix<true> : &store_matrix<false>;
}

Handler transpose_handler() {
  return &transpose_registers;
}

Handler load_fragment_handler() {
  return &load_fragment;
}

Handler store_fragment_handler() {
  return &store_fragment;
}

}  // namespace ladder::emulator
