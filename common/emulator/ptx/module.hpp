// A parsed PTX module: names resolved, nothing lowered. Made by ptx/parser, consumed by exec/.
// Source: PTX ISA 9.0. An instruction keeps its opcode as text; exec/ looks it up in ops.def.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::ptx {

// Anything wrong with the text. what(): "line 12: unknown opcode 'foo.u32'".
struct ParseError : std::runtime_error {
  ParseError(int line, const std::string& message);
  int line;
};

enum class Space : std::uint8_t { generic, reg, special, constant, global, local, param, shared };

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  texref,  // opaque handles, 8 bytes
  samplerref,
  surfref,
};
int bytes_of(Type type);  // pred and none: 0
std::string_view name_of(Type type);

// A place in CUDA source, from .loc; line 0: unknown.
struct SourceLocation {
  int file = 0;  // index into Module::files
  int line = 0;
  int column = 0;
  int inlined_at = -1;  // index into Function::inline_sites; -1: not inlined
};

// Where a function was inlined. `call.inlined_at` leads outwards, to the function that was
// launched.
struct InlineSite {
  std::string function;  // mangled name of the inlined function; may be empty
  SourceLocation call;   // of the call
};

struct Register {
  std::string name;  // "%r1"; a redeclaration in an inner scope is another Register
  Type type = Type::none;
};

// A variable in memory: .global, .const, .shared, .local, .param; of a module or a function.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint64_t bytes = 0;  // whole object; 0 with `external`: dynamic shared memory
  std::uint32_t alignment = 1;
  bool external = false;
  bool visible = false;
  bool weak = false;     // .weak and .common: one of several equal definitions is taken
  bool managed = false;  // .attribute(.managed)
  std::vector<std::uint8_t> initial;  // may be shorter than bytes: zeros follow
  // Addresses in the initialiser: at byte `offset`, `bytes` bytes of the address of `symbol` (a
  // variable or a function) + addend; generic: wrapped in generic().
  struct Relocation {
    std::uint64_t offset;
    std::string symbol;
    std::int64_t addend;
    bool generic;
    int bytes;
    int shift = 0;  // bits: the address is shifted right first, as in 0xFF00(symbol)
  };
  std::vector<Relocation> relocations;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,        // `index`: a register of the function
    immediate,  // `bits`: integer, two's complement 64 bits
    immediate_f32,
    immediate_f64,  // 0f..., 0d... and decimal: `bits`; the opcode may want the other width
    special,        // `name`: "%tid.x"
    variable,  // `name` + `offset`: the address of a variable (local to the function or module's)
    function,  // `name`
    label,     // `index`: instruction index in the function (body.size(): its end)
    branch_targets,  // of brx.idx; `index` into Function::branch_targets
    prototype,       // of an indirect call; `index` into Function::call_prototypes
    address,         // [base + offset]: base in elements[0] (reg, variable, immediate), `offset`
    vector,          // {a, b, c, d}: `elements`
    list,            // ( ... ) of a call: `elements`
    pair,            // d|p: elements[0], elements[1]
    sink,            // _
  };
  Kind kind = Kind::sink;
  int index = -1;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  bool negated = false;  // !%p (predicate operand), -%r never occurs
  // Looked up among the function's variables, parameters and returns, then the module's variables.
  // Special registers keep their suffix: "%tid.x".
  std::string name;
  std::vector<Operand> elements;  // address: base, then e.g. {c0,c1} of a tensor map
};

// What the text allows in several ways is brought to one form:
// - `call`: operands are always {list of returns, function or reg, list of arguments}, and for an
//   indirect call a fourth: the prototype (or a label of possible targets, left out).
// - a vector register (.reg .v4 .f32 %v) is four Registers "%v.x" …; %v is a vector operand.
// - WARP_SZ is the immediate 32.
struct Instruction {
  std::string opcode;  // as written: "ld.global.v4.f32", "add.s32"
  int guard = -1;      // register index of @p, -1 none
  bool guard_negated = false;
  std::vector<Operand> operands;
  SourceLocation source;
  int line = 0;  // of the PTX text
};

struct Label {
  std::string name;
  int instruction = 0;
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;  // has a body
  bool visible = false, external = false, weak = false;
  bool no_return = false;
  std::vector<Variable> parameters;  // .param; space reg: the Register of that name
  std::vector<Variable> returns;
  std::vector<Register> registers;
  std::vector<Variable>
      variables;  // .local, .shared, and .param blocks of call scopes; names unique
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<InlineSite> inline_sites;
  // `.branchtargets` and `.callprototype` by label name.
  struct BranchTargets {
    std::string name;
    std::vector<int> targets;
  };
  std::vector<BranchTargets> branch_targets;
  struct CallPrototype {
    std::string name;
    std::vector<Variable> parameters, returns;
  };
  std::vector<CallPrototype> call_prototypes;
  // Performance and shape directives; 0 unset.
  int max_threads[3] = {0, 0, 0};
  int required_threads[3] = {0, 0, 0};
  int min_blocks_per_sm = 0, max_registers = 0;
  int cluster[3] = {0, 0, 0};
  int max_cluster_blocks = 0;
  SourceLocation source;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;              // "sm_75"
  int architecture = 0;            // 75
  std::vector<std::string> files;  // by .file index
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

// Never crashes, never hangs, on any bytes. Throws ParseError with the first error.
Module parse(std::string_view text);

}  // namespace ladder::ptx
