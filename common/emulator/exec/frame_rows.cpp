#include "common/emulator/exec/frame_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/emulator/exec/lanewise.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

// One lane's value of a prefilled row; a predicate's is 0 or 1.
u64 prefill_value(const Prefill& row, const Warp& warp, const Frame& frame, int lane) {
  const LaunchState& launch = warp.launch;
  switch (row.kind) {
    case Prefill::Kind::constant:
      return row.value;
    case Prefill::Kind::local:
      return row.value + frame.local_base;
    case Prefill::Kind::dynamic_shared:
      return row.value + dynamic_shared_start(*launch.function);
    case Prefill::Kind::parameter_address:
      return launch.parameters + row.value;
    case Prefill::Kind::parameter: {
      u64 bits = 0;
      std::memcpy(&bits, launch.parameter_bytes + row.value, row.value_bytes);
      const int unused = 64 - 8 * row.value_bytes;
      return row.is_signed ? static_cast<u64>(static_cast<s64>(bits << unused) >> unused) : bits;
    }
    case Prefill::Kind::computed:
      return 0;
    case Prefill::Kind::special:
      break;
  }
  const unsigned thread = warp.thread_of(lane);
  const u32 bit = 1u << lane;
  switch (static_cast<Special>(row.value)) {
    case Special::tid_x:
      return thread % launch.block.x;
    case Special::tid_y:
      return thread / launch.block.x % launch.block.y;
    case Special::tid_z:
      return thread / launch.block.x / launch.block.y;
    case Special::laneid:
      return static_cast<u64>(lane);
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return 64;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_ge:
      return static_cast<u32>(~(bit - 1));
    case Special::lanemask_gt:
      return static_cast<u32>(~(bit | (bit - 1)));
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::ctaid_x:
      return warp.block.index.x;
    case Special::ctaid_y:
      return warp.block.index.y;
    case Special::ctaid_z:
      return warp.block.index.z;
    case Special::smid:
      return warp.block.number % static_cast<u64>(launch.multiprocessors);
    case Special::gridid:
      return launch.grid_id;
    case Special::nsmid:
      return static_cast<u64>(launch.multiprocessors);
    case Special::dynamic_smem_size:
      return launch.dynamic_shared;
    case Special::total_smem_size:
      return launch.shared_bytes;
    case Special::envreg1:
      return launch.grid_workspace >> 32;
    case Special::envreg2:
      return launch.grid_workspace & 0xffffffffu;
    case Special::zero:
      return 0;
    case Special::one:
      return 1;
  }
  return 0;
}

}  // namespace

void allocate_rows(Frame& frame) {
  const std::size_t bytes = frame.function->frame_bytes;
  frame.storage.reset(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)));
  frame.rows = frame.storage.get();
  std::memset(frame.rows + zero_row, 0, zero_line_bytes);
}

void fill_rows(Frame& frame, const Warp& warp, std::size_t first) {
  const auto& prefills = frame.function->prefills;
  for (std::size_t p = first; p < prefills.size(); ++p) {
    const Prefill& row = prefills[p];
    std::byte* to = frame.rows + row.offset;
    if (row.row_bytes == 0) {
      const u32 bits = row.value != 0 ? all_lanes : 0;
      std::memcpy(to, &bits, 4);
      continue;
    }
    const bool varies = row.kind == Prefill::Kind::special &&
                        static_cast<Special>(row.value) < first_uniform_special;
    const u64 value = prefill_value(row, warp, frame, 0);
    if (row.row_bytes == 8) {
      std::fill_n(reinterpret_cast<u64*>(to), lanes, value);
    } else {
      std::fill_n(reinterpret_cast<u32*>(to), lanes, static_cast<u32>(value));
    }
    for (int lane = 1; varies && lane < lanes; ++lane) {
      const u64 own = prefill_value(row, warp, frame, lane);
      if (row.row_bytes == 8) {
        reinterpret_cast<u64*>(to)[lane] = own;
      } else {
        reinterpret_cast<u32*>(to)[lane] = static_cast<u32>(own);
      }
    }
  }
}

void compute_rows(Frame& frame, Warp& warp, std::size_t first, std::size_t last) {
  const auto& prologue = frame.function->prologue;
  for (std::size_t i = first; i < last; ++i) {
    prologue[i].all(frame.rows, prologue[i], warp, all_lanes);
  }
}

}  // namespace ladder::emulator
