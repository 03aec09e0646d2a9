// Which memory instructions of a block have addresses that are the same but for an amount that all
// lanes share. If the addresses of one lie in a row (or are all the same), so do those of the
// others: the shape is tested by the first, kept in Worker::shapes and known to the rest. Typical:
// [p], [p + 4] and p + k * pitch in an unrolled loop, once address_folding.cpp has found that they
// have one root.
#include <map>
#include <tuple>

#include "common/emulator/exec/lowering.hpp"
#include "common/emulator/exec/row_uses.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

namespace {

// Root, scale (with the sign), bytes of a lane.
using Kinship = std::tuple<std::uint32_t, int, std::uint32_t>;

Kinship kinship(const Inst& inst) {
  const int scale = !inst.indexed ? -1 : inst.scale * 2 + (inst.index_unsigned ? 1 : 0);
  return {inst.s[0], scale, inst.bytes};
}

void share_in(DraftBlock& block) {
  std::map<Kinship, DraftInst*> leaders;
  std::size_t used = 0;
  for (DraftInst& inst : block.instructions) {
    if (inst.guard == no_row && inst.handler_set().first != nullptr) {
      DraftInst*& leader = leaders[kinship(inst)];
      if (leader == nullptr) {
        leader = &inst;
      } else if (used < Worker::most_shapes) {
        if (leader->all != leader->handler_set().first) {  // nobody has followed it yet
          leader->shape = static_cast<std::uint16_t>(used++ * sizeof(AddressShape));
          leader->all = leader->handler_set().first;
          leader->sharing = Sharing::leads;
        }
        inst.sharing = Sharing::follows;
        inst.shape = leader->shape;
        inst.all = inst.handler_set().again;
      }
    }
    for_writes(inst, [&](std::uint32_t row) {
      std::erase_if(leaders, [&](const auto& known) { return std::get<0>(known.first) == row; });
    });
  }
}

}  // namespace

void share_address_shapes(std::vector<DraftBlock>& blocks) {
  for (DraftBlock& block : blocks) share_in(block);
}

}  // namespace ladder::emulator
