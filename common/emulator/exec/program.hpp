// A function ready to run: basic blocks of decoded instructions over a frame of rows.
//
// A row holds one register of a warp: 32 x u32 (also for 8- and 16-bit types, upper bits
// undefined), 32 x u64, or for a predicate one bit a lane. A frame is the rows of one function:
// first its registers (slots are shared by registers that are never alive together), then read-only
// rows (constants, parameters, special registers), filled once and not by every instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/device.hpp"
#include "common/emulator/ptx/module.hpp"

namespace ladder::emulator {

inline constexpr int lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffffu;
inline constexpr std::uint32_t no_row = 0xffffffffu;
// A frame begins with zeros.
inline constexpr std::uint32_t zero_row = 0;
inline constexpr std::uint32_t zero_line_bytes = 64;

// Generic addresses of shared and local memory lie in windows that nothing else uses.
inline constexpr std::uint64_t shared_window = std::uint64_t{0x01} << 56;
inline constexpr std::uint64_t local_window = std::uint64_t{0x02} << 56;
inline constexpr std::uint64_t window_mask = ~std::uint64_t{0xffffffff};
// The "address" of a function, for indirect calls: code_window + index of a function.
inline constexpr std::uint64_t code_window = std::uint64_t{0x03} << 56;

class Warp;
struct Inst;

// Executes one instruction for the lanes of `mask`.
using Handler = void (*)(std::byte* rows, const Inst& inst, Warp& warp, std::uint32_t mask);

// One load or store in three roles: alone; as the first of its block that tests a shape of
// addresses and keeps it; as one behind that finds it there. Only the first takes any mask.
// nullptr: none such.
struct HandlerSet {
  Handler own = nullptr, first = nullptr, again = nullptr;
};
struct MemoryHandlers {
  HandlerSet plain, indexed;  // by Inst::indexed
};

// What a memory instruction counts as.
enum class Traffic : std::uint8_t { load, store, atomic, float_atomic, async_copy };
// How a memory instruction is ordered with others; volatile accesses are relaxed ones.
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acquire_release };
// Whether it tests the shape of its addresses for others behind it, or relies on one before it.
enum class Sharing : std::uint8_t { none, leads, follows };
// What memory its traffic is counted for; nothing: parameters of functions, which a GPU has in
// registers.
enum class Counted : std::uint8_t { nothing, global, shared, local, constant, generic };

// What most handlers read lies in the first of its two cache lines.
struct alignas(64) Inst {
  Handler some = nullptr;  // any mask
  Handler all = nullptr;   // all 32 lanes
  // Byte offsets of rows in the frame.
  std::uint32_t d = no_row;                               // result
  std::uint32_t s[4] = {no_row, no_row, no_row, no_row};  // sources; of memory: s[0] address
  std::uint32_t shift = no_row;  // memory: row of a value that is added for all lanes alike
  std::int64_t immediate = 0;    // memory: address offset; else what the operation needs
  std::uint32_t cache = 0;       // memory: index of the last allocation hit
  std::uint16_t shape = 0;       // byte offset in Worker::shapes (see address_sharing.cpp)
  std::uint8_t scale = 0;        // memory: of an index, log2
  bool index_unsigned = false;   // how it is extended
  // Shared memory: where the variable lies that the address was computed from, as far as is known.
  std::uint32_t shared_begin = 0, shared_end = ~0u;

  std::uint32_t e = no_row;             // second result (d|p)
  std::uint32_t guard = no_row;         // predicate of @p
  const std::uint32_t* list = nullptr;  // rows of a vector operand
  std::uint32_t list_number = 0;        // of `list` in Function::lists
  std::uint8_t list_size = 0;
  std::uint8_t list_written = 0;  // the first so many of the list are results, the others sources
  bool guard_negated = false;
  std::uint8_t space = 0;           // ptx::Space of a memory instruction
  Traffic traffic = Traffic::load;  // these three are set in watched instructions
  Order order = Order::weak;
  Counted counted = Counted::nothing;
  std::uint8_t bytes = 0;  // memory: of one element
  // Memory: what a lane's address is made of (see address_folding.cpp), unless it is s[0] alone.
  bool foldable = false;  // the handler knows these
  bool indexed = false;   // s[0] holds an index of 32 bits, times 1 << scale
  Sharing sharing = Sharing::none;
  // Memory: all lanes have one address, always; watched: and it is updated once for all of them.
  bool one_address = false;
  // Behind a guard: what is run with the lanes that remain. Behind a blend or an observer:
  // operation.
  Handler inner_some = nullptr, inner_all = nullptr;
  Handler operation = nullptr;
  const ptx::Instruction* source = nullptr;
};
static_assert(sizeof(Inst) == 128);

enum class Builtin { none, print, assertion, allocate, free };

struct CallSite {
  const Function* callee = nullptr;  // nullptr: indirect, by the row `target`
  std::uint32_t target = no_row;
  Builtin builtin = Builtin::none;
  // .param variables of the caller (offsets in its local memory), in order.
  struct Slot {
    std::uint32_t offset, bytes;
  };
  std::vector<Slot> arguments, results;
  const ptx::Instruction* source = nullptr;
};

enum class End : std::uint8_t { fall, branch, branch_indexed, exit, ret, call, barrier };

// Instructions that are executed together. Lanes meet again only where a block begins. What every
// round of a loop reads lies in the first of its two cache lines.
struct alignas(64) Block {
  const Inst* first = nullptr;
  const Inst* last = nullptr;  // one past
  std::uint32_t count = 0;     // PTX instructions, those that lowering dissolved included
  End end = End::fall;
  bool plain_barrier = false;  // __syncthreads(): barrier 0, for all threads, nothing else
  bool needs_members = false;  // begins with an operation that waits for a member mask
  bool warp_barrier = false;   // bar.warp.sync: members may wait at different places
  // The lanes that the end is for: those of the predicate, each bit turned around by `flip`.
  // Without a guard, all.
  std::uint32_t guard_row = zero_row, guard_flip = all_lanes;
  const Block* taken = nullptr;    // branch
  std::uint32_t target = 0;        // branch: number of `taken`
  std::uint32_t body = 0;          // the first instruction, in ptx::Function::body
  std::uint32_t guard = no_row;    // of the end; no_row: unconditional
  std::uint32_t members = no_row;  // row of the member mask
  std::uint32_t index = no_row;    // branch_indexed: row
  std::uint32_t call = 0;          // index into Function::calls
  std::vector<std::uint32_t> targets;
  // barrier: rows of id and thread count, kind of reduction, predicate, result.
  std::uint32_t barrier_id = no_row, barrier_count = no_row;
  std::uint32_t barrier_source = no_row, barrier_result = no_row;
  bool end_negated = false;  // the guard
  char barrier_kind = 's';  // s sync, a arrive, p popc, & and, | or; of a cluster: A arrive, W wait
  const ptx::Instruction* end_source = nullptr;
};
static_assert(sizeof(Block) == 128);

// A read-only row and how it is filled.
struct Prefill {
  enum class Kind : std::uint8_t {
    constant,
    parameter,
    parameter_address,
    local,
    dynamic_shared,
    special,
    computed  // by Function::prologue
  };
  Kind kind = Kind::constant;
  std::uint8_t row_bytes = 4;    // of one lane: 4, 8, or 0 for a predicate
  std::uint8_t value_bytes = 4;  // parameter: of the value in memory
  bool is_signed = false;        // parameter: how it extends
  // constant: bits; parameter, local, dynamic_shared: offset; special: Special; computed: a number
  std::uint64_t value = 0;
  std::uint32_t offset = 0;  // in the frame

  bool of_block() const;  // differs between the blocks of a launch
};

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  laneid,
  warpid,
  nwarpid,  // of a warp
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,  // of a launch
  gridid,
  nsmid,
  dynamic_smem_size,
  total_smem_size,
  envreg1,
  envreg2,
  zero,
  one,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  smid,  // of a block
};
inline constexpr Special first_uniform_special = Special::ntid_x;  // before: a value a lane
inline constexpr Special first_of_block = Special::ctaid_x;

// What one instruction counts for, each time a warp or each active lane executes it.
struct Effect {
  std::uint32_t instruction = 0;  // in ptx::Function::body
  std::uint64_t Counters::*field = nullptr;
  std::uint32_t amount = 1;
  bool by_lane = false;
  std::uint32_t site = no_row;  // where executions are counted, if it stands behind a guard
};

// Through which of its parameters a kernel can write to global memory, as far as its text tells.
struct WrittenParameters {
  bool anything = true;                // perhaps not through parameters alone
  std::vector<std::uint64_t> offsets;  // of pointers in the parameters' bytes
};

inline bool Prefill::of_block() const {
  return kind == Kind::special && static_cast<Special>(value) >= first_of_block;
}

class Function {
 public:
  const Module* module = nullptr;
  const ptx::Function* source = nullptr;
  std::string display_name;  // demangled
  FunctionAttributes attributes;

  std::vector<Inst> instructions;
  std::vector<Inst> observed;          // the same, with doors for observers (observer.hpp)
  std::vector<Block> blocks;           // over `instructions`
  std::vector<Block> observed_blocks;  // over `observed`
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<std::shared_ptr<const void>> tables;  // that instructions point to
  std::vector<CallSite> calls;
  std::vector<Prefill> prefills;
  std::size_t first_block_prefill = 0;  // prefills from here on change with every block
  // Computes rows that are the same in all lanes (see uniform_rows.cpp); from first_block_prologue
  // on for every block anew.
  std::vector<Inst> prologue;
  std::size_t first_block_prologue = 0;
  std::uint32_t frame_bytes = 0;
  std::uint32_t caches = 0;  // memory instructions

  struct SharedVariable {
    std::uint32_t begin = 0, bytes = 0;
    std::uint32_t end() const { return begin + bytes; }
  };
  std::map<std::string, SharedVariable, std::less<>> shared;  // where static variables lie
  std::uint32_t static_shared = 0;                            // bytes, with those of callees
  std::uint32_t local_bytes = 0;  // of one thread: .local variables and .param space
  std::vector<CallSite::Slot> parameters, results;  // of a device function, in its local memory
  // Of a kernel: where its threads meet, by barrier or operation with a member mask, and for each
  // block the places that were left out for good by those who come to it (sync_sites.hpp).
  std::map<const ptx::Instruction*, std::uint32_t> sync_sites;
  std::vector<std::vector<std::uint32_t>> passed_by;
  // For counters: what instructions count for beside themselves, in the order of the body, and the
  // distinct source lines of the body (without -lineinfo one, without a file).
  std::vector<Effect> effects;
  std::vector<std::pair<std::string, int>> lines;
  std::vector<std::uint32_t> line_of;  // by instruction of the body

  bool calls_functions = false;
  bool allocates_stack = false;  // alloca
  bool calls_indirectly = false;
  bool needs_parameter_memory = false;  // parameters are addressed, not only loaded
  int index = 0;                        // in the device's table of functions
  std::optional<Fault> unsupported;     // why it cannot run: its own body's or a callee's
  WrittenParameters written;            // of a kernel
};

// Dynamic shared memory lies behind the static.
inline std::uint32_t dynamic_shared_start(const Function& kernel) {
  return (kernel.static_shared + 15u) / 16 * 16;
}

// What a launch of a module needs to find by name.
class Module {
 public:
  std::string name;
  ptx::Module source;
  std::vector<std::unique_ptr<Function>> functions;
  std::map<std::string, Symbol, std::less<>> symbols;  // .global and .const
  std::vector<Symbol> constants;                       // those of them in .const
  std::size_t constant_bytes = 0;
  std::vector<std::unique_ptr<std::byte[]>> managed;

  const Function* find(std::string_view function_name) const;
};

}  // namespace ladder::emulator
