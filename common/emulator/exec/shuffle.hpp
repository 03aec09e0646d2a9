// shfl: each lane reads a register of another lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

enum class Shuffle : std::uint8_t { up, down, butterfly, index };

// d|p = a of another lane; b: distance or lane; c: clamp and segment mask.
Handler shuffle_handler(Shuffle kind);

Shuffle shuffle_kind(std::string_view opcode);
// The lane that `lane` reads from; nothing outside of its segment, where it keeps its own value.
std::optional<int> shuffle_source(Shuffle kind, int lane, std::uint32_t b, std::uint32_t c);

// Where every lane reads, for b and c that are known when lowering, as they mostly are: a reduction
// by shuffles becomes 10 % faster.
struct ShuffleMap {
  // Eight lanes read from two chunks of eight; an index of 8 and more means the second.
  struct Chunk {
    std::uint32_t first = 0, second = 0;
    alignas(32) std::uint32_t index[8] = {};
  };
  Chunk chunks[lanes / 8];
  std::uint32_t valid = 0;  // lanes that read inside their segment
  bool known = true;        // false: eight lanes read from more than two chunks
};
ShuffleMap shuffle_map(Shuffle kind, std::uint32_t b, std::uint32_t c);
// By the map at the address Inst::immediate.
void mapped_shuffle(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

}  // namespace ladder::emulator
