// Which memory instructions of a block have addresses that differ by the same amount in every lane.
// If the addresses of one lie in a row (or are all the same), so do those of the others: the shape is
// tested by the first and known to the rest. Typical: [p], [p + 4], and p + k * pitch in an unrolled
// loop.
//
// A row is uniform if its value is the same in every lane, always: it is written once, without a
// guard, by a lanewise operation of uniform rows. Then adding it moves all addresses alike.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "common/emulator/exec/lowering.hpp"
#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

namespace {

bool is_uniform(const Prefill& row) {
  if (row.kind == Prefill::Kind::constant || row.kind == Prefill::Kind::parameter) return true;
  return row.kind == Prefill::Kind::special && static_cast<Special>(row.value) >= Special::ntid_x;
}

template <class Visit>
void for_written(const Inst& inst, const Visit& visit) {
  for (const std::uint32_t row : {inst.d, inst.e})
    if (row != no_row) visit(row);
  for (int i = 0; i < inst.list_written; ++i)
    if (inst.list[i] != no_row) visit(inst.list[i]);
}

class UniformRows {
 public:
  UniformRows(const RowTable& table, const std::vector<DraftBlock>& blocks)
      : table_(table), writers_(table.kinds.size()), uniform_(table.kinds.size()) {
    std::vector<const Inst*> only(table.kinds.size(), nullptr);
    for (const DraftBlock& block : blocks) {
      if (block.block.barrier_result != no_row) ++writers_[block.block.barrier_result];
      for (const Inst& inst : block.instructions)
        for_written(inst, [&](std::uint32_t row) {
          ++writers_[row];
          only[row] = &inst;
        });
    }
    // Sources are mostly written before: two rounds see nearly all, the rest stays unknown.
    for (int round = 0; round < 2; ++round)
      for (std::size_t row = 0; row < uniform_.size(); ++row)
        uniform_[row] = writers_[row] == 1 && only[row] != nullptr && stays_uniform(*only[row]);
  }

  bool operator()(std::uint32_t row) const {
    if (row == no_row) return false;
    return row >= read_only ? is_uniform(table_.prefills[row & ~read_only]) : uniform_[row];
  }

 private:
  bool stays_uniform(const Inst& inst) const {
    if (inst.operation == nullptr || inst.guard != no_row || inst.e != no_row) return false;
    return std::all_of(std::begin(inst.s), std::end(inst.s),
                       [&](std::uint32_t row) { return row == no_row || (*this)(row); });
  }

  const RowTable& table_;
  std::vector<int> writers_;
  std::vector<bool> uniform_;
};

// d = a + u or a - u for a uniform u: half the reads.
template <class T, bool Subtract>
void move_alike(std::byte* rows, const Inst& inst, Warp&, std::uint32_t) {
  auto* d = reinterpret_cast<T*>(rows + inst.d);
  const auto* a = reinterpret_cast<const T*>(rows + inst.s[0]);
  T u;
  std::memcpy(&u, rows + inst.s[1], sizeof u);
  if (Subtract) u = T{0} - u;
#pragma GCC ivdep
  for (int i = 0; i < lanes; ++i) d[i] = a[i] + u;
}

// Handlers by which a row moves all addresses of another alike.
struct Movers {
  std::array<Handler, 4> adds, subtracts;
  Movers() {
    const char* const types[] = {"u32", "s32", "u64", "s64"};
    for (std::size_t i = 0; i < 4; ++i) {
      adds[i] = find_operation(std::string("add.") + types[i])->all;
      subtracts[i] = find_operation(std::string("sub.") + types[i])->all;
    }
  }
  // The row whose addresses `inst` moves, if it does no more than that; it then does so quickly.
  std::optional<std::uint32_t> moved(Inst& inst, RowKind kind, const UniformRows& uniform) const {
    if (inst.guard != no_row) return std::nullopt;
    const auto is_one_of = [&](const auto& list) {
      return std::find(list.begin(), list.end(), inst.operation) != list.end();
    };
    const bool adds_up = is_one_of(adds);
    if (!adds_up && !is_one_of(subtracts)) return std::nullopt;
    if (adds_up && uniform(inst.s[0])) std::swap(inst.s[0], inst.s[1]);
    if (!uniform(inst.s[1])) return std::nullopt;
    if (kind == RowKind::wide)
      inst.all = adds_up ? &move_alike<std::uint64_t, false> : &move_alike<std::uint64_t, true>;
    else
      inst.all = adds_up ? &move_alike<std::uint32_t, false> : &move_alike<std::uint32_t, true>;
    return inst.s[0];
  }
};

// The classes of addresses in one block; those of a class differ by the same amount in every lane.
class Classes {
 public:
  int of(std::uint32_t row) {
    return classes_.try_emplace(row, static_cast<int>(leaders_.size())).second
               ? (leaders_.push_back(nullptr), static_cast<int>(leaders_.size()) - 1)
               : classes_[row];
  }
  void put(std::uint32_t row, int number) { classes_[row] = number; }
  void forget(std::uint32_t row) { classes_.erase(row); }
  Inst*& leader(int number) { return leaders_[static_cast<std::size_t>(number)]; }

 private:
  std::map<std::uint32_t, int> classes_;
  std::vector<Inst*> leaders_;
};

void share_in(DraftBlock& block, const RowTable& table, const UniformRows& uniform,
              const Movers& movers) {
  Classes classes;
  std::uint8_t used = 0;
  for (Inst& inst : block.instructions) {
    const SharedShape shape = inst.guard == no_row ? shared_shape_of(inst.all) : SharedShape{};
    if (shape.first != nullptr) {
      Inst*& leader = classes.leader(classes.of(inst.s[0]));
      if (leader == nullptr) {
        leader = &inst;
      } else if (used < Warp::most_strides) {
        const SharedShape of_leader = shared_shape_of(leader->all);
        if (of_leader.first != nullptr) {  // nobody has followed it yet
          leader->stride = used++;
          leader->all = of_leader.first;
        }
        inst.stride = leader->stride;
        inst.all = shape.again;
      }
    }
    const std::optional<std::uint32_t> from =
        inst.operation == nullptr ? std::nullopt : movers.moved(inst, table.kind(inst.d), uniform);
    const int moved = from ? classes.of(*from) : -1;
    for_written(inst, [&](std::uint32_t row) { classes.forget(row); });
    if (from) classes.put(inst.d, moved);
  }
}

}  // namespace

void share_address_shapes(const RowTable& table, std::vector<DraftBlock>& blocks) {
  static const Movers movers;
  const UniformRows uniform(table, blocks);
  for (DraftBlock& block : blocks) share_in(block, table, uniform, movers);
}

}  // namespace ladder::emulator
