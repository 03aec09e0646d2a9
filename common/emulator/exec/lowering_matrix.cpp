// ldmatrix, stmatrix, movmatrix, mma, wmma: all of a warp's threads at once.
#include <algorithm>
#include <bit>

#include "common/emulator/exec/matrix_forms.hpp"
#include "common/emulator/exec/matrix_memory.hpp"
#include "common/emulator/exec/mma.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;

// {a, b}, or one register without braces.
std::vector<Operand> registers_of(const Operand& operand) {
  return operand.kind == Operand::Kind::vector ? operand.elements : std::vector<Operand>{operand};
}

RowKind kind_of(Element element) {
  return element == Element::f64 ? RowKind::wide : RowKind::word;
}

// Whether all parts but the shape and the element types are among `known`.
bool all_known(const Opcode& opcode, std::initializer_list<std::string_view> known) {
  return std::all_of(opcode.parts.begin() + 1, opcode.parts.end(), [&](std::string_view part) {
    const bool shape = part.size() > 5 && part[0] == 'm' && part.find('k') != part.npos;
    return shape || element_of(part) || std::find(known.begin(), known.end(), part) != known.end();
  });
}

}  // namespace

bool is_matrix_instruction(const Opcode& opcode) {
  const auto head = opcode.head();
  return head == "mma" || head == "wmma" || head == "ldmatrix" || head == "stmatrix" ||
         head == "movmatrix";
}

bool FunctionLowering::lower_matrix(const Instruction& instruction, const Opcode& opcode) {
  if (!is_matrix_instruction(opcode)) return false;
  // It waits for the whole warp; a guarded one cannot, since only its own lanes know of it.
  Block& block = blocks_.back().block;
  if (guard_ == no_row && !block.needs_members && blocks_.back().instructions.empty()) {
    block.needs_members = true;
    block.members = constant(RowKind::word, all_lanes);
  }
  if (opcode.head() == "mma") return lower_product(instruction, opcode);
  if (opcode.head() == "wmma") {
    return opcode.has("mma") ? lower_product(instruction, opcode)
                             : lower_fragment(instruction, opcode);
  }
  return lower_tiles(instruction, opcode);
}

// ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 {d...}, [a]; stmatrix [a], {s...};
// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
bool FunctionLowering::lower_tiles(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  if (!opcode.has("m8n8") || opcode.last() != "b16" || operands.size() != 2) return false;
  Inst inst;
  if (opcode.head() == "movmatrix") {
    inst.all = inst.some = transpose_handler();
    inst.s[0] = source(operands[1], RowKind::word);
    inst.d = destination(operands[0], RowKind::word);
    append(inst);
    finish_destination(operands[0], inst.d, "u32");
    return true;
  }
  const bool loads = opcode.head() == "ldmatrix";
  const std::size_t count = opcode.has("x4") ? 4 : opcode.has("x2") ? 2 : opcode.has("x1") ? 1 : 0;
  const std::vector<Operand> registers = registers_of(operands[loads ? 0 : 1]);
  if (count == 0) return false;
  if (registers.size() != count) invalid("the number of registers is not that of the matrices");
  const bool transposed = opcode.has("trans");
  inst.all = inst.some = loads ? load_matrix_handler(transposed) : store_matrix_handler(transposed);
  set_address(inst, operands[loads ? 1 : 0], space_of(instruction, opcode));
  append_with_lists(inst, loads ? registers : std::vector<Operand>{}, RowKind::word,
                    {loads ? std::vector<Operand>{} : registers}, RowKind::word);
  return true;
}

// Appends an instruction whose list is `results`, then `sources`.
void FunctionLowering::append_with_lists(Inst inst, const std::vector<Operand>& results,
                                         RowKind result_kind,
                                         const std::vector<std::vector<Operand>>& sources,
                                         RowKind source_kind) {
  std::vector<std::uint32_t> list;
  for (const Operand& to : results) {
    list.push_back(to.kind == Operand::Kind::sink ? no_row : destination(to, result_kind));
  }
  for (const auto& registers : sources) {
    for (const Operand& from : registers) list.push_back(source(from, source_kind));
  }
  set_list(inst, list, results.size());
  append(inst);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (list[i] != no_row) finish_destination(results[i], list[i], "u32");
  }
}

// mma.sync.aligned.SHAPE.row.col.D.A.B.C d, a, b, c and wmma.mma, which leaves A and B out for f16.
bool FunctionLowering::lower_product(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  if (operands.size() != 4 || !opcode.has("sync") ||
      !all_known(opcode, {"mma", "sync", "aligned", "row", "col", "satfinite", "xor", "and", "popc",
                          "rn", "rz", "rm", "rp"})) {
    return false;
  }
  const std::vector<Element> elements = elements_of(opcode);
  const bool implied = elements.size() == 2;
  if (!implied && elements.size() != 4) return false;
  MatrixProduct product;
  product.result = elements.front();
  product.accumulator = elements.back();
  product.a = implied ? Element::f16 : elements[1];
  product.b = implied ? Element::f16 : elements[2];
  const MatrixForm* form = find_matrix_form(opcode, product.a);
  if (!form || (form->factors & bit(product.b)) == 0 ||
      (form->accumulators & bit(product.result)) == 0 ||
      (form->accumulators & bit(product.accumulator)) == 0) {
    return false;
  }
  product.m = static_cast<u8>(form->m);
  product.n = static_cast<u8>(form->n);
  product.quarter_k = static_cast<u8>(form->k / 4);
  product.saturate = opcode.has("satfinite") && product.result == Element::s32;
  product.exclusive_or = opcode.has("xor");
  product.rounding = opcode.has("rz") ? 1 : opcode.has("rm") ? 2 : opcode.has("rp") ? 3 : 0;
  std::vector<bool> by_columns;
  for (const std::string_view part : opcode.parts) {
    if (part == "row" || part == "col") by_columns.push_back(part == "col");
  }
  if (by_columns.size() != 2) return false;
  product.a_by_columns = by_columns[0];
  product.b_by_columns = by_columns[1];
  const bool is_mma = opcode.head() == "mma";
  const bool quads = is_mma && product.a == Element::f16 && form->k == 4;
  if (is_mma && !quads && (by_columns[0] || !by_columns[1])) return false;

  const std::vector<Operand> d = registers_of(operands[0]), a = registers_of(operands[1]),
                             b = registers_of(operands[2]), c = registers_of(operands[3]);
  const bool fixed = !is_mma && product.a == Element::f16;
  const int of_a = quads ? 2 : fixed ? 8 : product.registers_of_a();
  const int of_b = quads ? 2 : fixed ? 8 : product.registers_of_b();
  const auto of_accumulator = [&](Element element) {
    return quads ? (element == Element::f16 ? 4 : 8)
                 : accumulator_registers(product.m, product.n, element);
  };
  if (a.size() != static_cast<std::size_t>(of_a) || b.size() != static_cast<std::size_t>(of_b) ||
      c.size() != static_cast<std::size_t>(of_accumulator(product.accumulator)) ||
      d.size() != static_cast<std::size_t>(of_accumulator(product.result))) {
    invalid("a matrix has another number of registers");
  }
  Inst inst;
  inst.all = inst.some = product_handler(product, quads);
  inst.immediate = std::bit_cast<std::int64_t>(product);
  append_with_lists(inst, d, kind_of(product.result), {a, b, c}, kind_of(product.a));
  return true;
}

// wmma.load.a.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE {d...}, [p]{, stride}; wmma.store.d [p],
// {s...}.
bool FunctionLowering::lower_fragment(const Instruction& instruction, const Opcode& opcode) {
  const auto& operands = instruction.operands;
  const bool loads = opcode.has("load");
  if (opcode.parts.size() < 4 || operands.size() < 2 ||
      !all_known(opcode, {"load", "store", "a", "b", "c", "d", "sync", "aligned", "row", "col",
                          "global", "shared", "shared::cta"})) {
    return false;
  }
  MatrixInMemory matrix;
  matrix.which = opcode.parts[2] == "d" ? 'c' : opcode.parts[2].front();
  matrix.by_columns = opcode.has("col");
  const auto element = element_of(opcode.last());
  if (!element || (!opcode.has("row") && !matrix.by_columns)) return false;
  matrix.element = *element;
  // An accumulator's type names no A or B: any row of that shape will do.
  const MatrixForm* form = nullptr;
  for (int factor = 0; factor <= static_cast<int>(Element::s32) && !form; ++factor) {
    const MatrixForm* found = find_matrix_form(opcode, static_cast<Element>(factor));
    if (!found) continue;
    const u32 allowed = matrix.which == 'c' ? found->accumulators : found->factors;
    if ((allowed & bit(*element)) != 0) form = found;
  }
  if (!form) return false;
  matrix.m = static_cast<u8>(form->m);
  matrix.n = static_cast<u8>(form->n);
  matrix.k = static_cast<u8>(form->k);
  if (bits_of(*element) < 8 && !matrix.along_k()) return false;
  int needed = accumulator_registers(matrix.m, matrix.n, *element);
  if (matrix.which != 'c') {
    needed = *element == Element::f16 ? 8 : matrix.lines() * matrix.k / (8 * tile_length(*element));
  }
  const std::vector<Operand> registers = registers_of(operands[loads ? 0 : 1]);
  if (registers.size() != static_cast<std::size_t>(needed)) {
    invalid("the matrix has " + std::to_string(needed) + " registers");
  }
  Inst inst;
  inst.all = inst.some = loads ? load_fragment_handler() : store_fragment_handler();
  set_address(inst, operands[loads ? 1 : 0], space_of(instruction, opcode));
  if (operands.size() > 2) inst.s[1] = source(operands[2], RowKind::word);
  inst.s[2] = constant(RowKind::wide, std::bit_cast<std::uint64_t>(matrix));
  const RowKind kind = kind_of(*element);
  append_with_lists(inst, loads ? registers : std::vector<Operand>{}, kind,
                    {loads ? std::vector<Operand>{} : registers}, kind);
  return true;
}

}  // namespace ladder::emulator
