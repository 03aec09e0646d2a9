// mma and wmma.mma: registers to matrices, their product, and back to registers.
//
// Products of floating-point elements are exact in f64, where they are also added up; the result is
// rounded once. Hardware adds in an order of its own, with a few bits beyond f32: both are nearer
// to the exact result than (|c| + sum |a * b|) * 2^-20.
#include "common/emulator/exec/mma.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/exec/lane_functions.hpp"
#include "common/emulator/exec/narrow_floats.hpp"
#include "common/emulator/exec/warp.hpp"

namespace ladder::emulator {

namespace {

constexpr int most_elements = 16 * 256;  // of A: m16n8k256

template <class T, class V, class Convert>
void convert_each(const std::byte* row, int count, V* to, const Convert& convert) {
  const auto* from = reinterpret_cast<const T*>(row);
  for (int i = 0; i < count; ++i) to[i] = static_cast<V>(convert(from[i]));
}

// A register of all lanes, element by element in the order of the lanes.
void read_register(const std::byte* row, Element element, f64* to) {
  switch (element) {
    case Element::f16:
      return convert_each<u16>(row, 64, to, [](u16 bits) { return to_float(f16{bits}); });
    case Element::bf16:
      return convert_each<u16>(row, 64, to, [](u16 bits) { return to_float(bf16{bits}); });
    case Element::tf32:  // the lower 13 bits do not count
      return convert_each<u32>(row, 32, to,
                               [](u32 bits) { return std::bit_cast<f32>(bits & 0xffffe000u); });
    case Element::e4m3:
      return convert_each<u8>(row, 128, to, [](u8 bits) { return to_float(e4m3{bits}); });
    case Element::e5m2:
      return convert_each<u8>(row, 128, to, [](u8 bits) { return to_float(e5m2{bits}); });
    case Element::f64:
      return convert_each<f64>(row, 32, to, [](f64 value) { return value; });
    default:
      return convert_each<f32>(row, 32, to, [](f32 value) { return value; });
  }
}

void read_register(const std::byte* row, Element element, s32* to) {
  const auto* bytes = reinterpret_cast<const u8*>(row);
  const auto part = [&](int i, int width) {
    return static_cast<u32>(bytes[i * width / 8] >> (i * width % 8)) & ((1u << width) - 1);
  };
  switch (element) {
    case Element::s8:
      return convert_each<s8>(row, 128, to, [](s8 value) { return value; });
    case Element::u8:
      return convert_each<u8>(row, 128, to, [](u8 value) { return value; });
    case Element::s4:
      for (int i = 0; i < 256; ++i) to[i] = static_cast<s32>(part(i, 4) << 28) >> 28;
      return;
    case Element::u4:
      for (int i = 0; i < 256; ++i) to[i] = static_cast<s32>(part(i, 4));
      return;
    case Element::b1:
      for (int i = 0; i < 1024; ++i) to[i] = static_cast<s32>(part(i, 1));
      return;
    default:
      return convert_each<s32>(row, 32, to, [](s32 value) { return value; });
  }
}

// The rows of the operands' registers.
struct Operands {
  const u32 *d, *a, *b, *c;

  Operands(const Inst& inst, const MatrixProduct& product) {
    const int results = accumulator_registers(product.m, product.n, product.result);
    d = inst.list;
    a = d + results;
    const int addends = accumulator_registers(product.m, product.n, product.accumulator);
    c = inst.list + inst.list_size - addends;
    // Between them A and B; wmma's f16 fragments have more registers than they need.
    const auto between = static_cast<int>(c - a);
    const int of_a = product.registers_of_a(), of_b = product.registers_of_b();
    b = between == of_a + of_b ? a + of_a : a + between / 2;
  }
};

// Matrices in the order of memory: A by rows, B by rows (k x n), products by rows.
template <class V>
struct Matrices {
  V a[most_elements];
  V b[most_elements / 2];
  V product[32 * 16];
  V accumulator[32 * 16];
};

template <class V>
void read_factors(const std::byte* rows, const Operands& operands, const MatrixProduct& shape,
                  Matrices<V>& to) {
  const int k = shape.k(), n = shape.n;
  V tile[tile_lines * tile_length(Element::b1)];
  const int length = tile_length(shape.a);
  for_tiles(shape.m, k, length, true, [&](int at, int row, int first) {
    read_register(rows + operands.a[at], shape.a, tile);
    for (int line = 0; line < tile_lines; ++line) {
      std::copy_n(tile + line * length, length, to.a + (row + line) * k + first);
    }
  });
  for_tiles(n, k, length, false, [&](int at, int column, int first) {
    read_register(rows + operands.b[at], shape.b, tile);
    for (int i = 0; i < length; ++i) {
      for (int line = 0; line < tile_lines; ++line) {
        to.b[(first + i) * n + column + line] = tile[line * length + i];
      }
    }
  });
}

template <class T>
T& element_at(std::byte* rows, u32 row, int index) {
  return reinterpret_cast<T*>(rows + row)[index];
}

f64 read_accumulator(std::byte* rows, Element element, u32 row, int lane, int half) {
  switch (element) {
    case Element::f16:
      return to_float(f16{element_at<u16>(rows, row, 2 * lane + half)});
    case Element::f64:
      return element_at<f64>(rows, row, lane);
    default:
      return element_at<f32>(rows, row, lane);
  }
}

void write_accumulator(std::byte* rows, Element element, u32 row, int lane, int half, f64 value) {
  switch (element) {
    case Element::f16:
      element_at<u16>(rows, row, 2 * lane + half) = to_f16(value, Round::nearest).bits;
      return;
    case Element::f64:
      element_at<f64>(rows, row, lane) = value;
      return;
    default:
      element_at<f32>(rows, row, lane) = lane::canonical(static_cast<f32>(value));
  }
}

// Sums of products, eight columns at a time.
template <class V>
void multiply(const MatrixProduct& shape, Matrices<V>& matrices) {
  typedef V Columns [[gnu::vector_size(8 * sizeof(V)), gnu::aligned(alignof(V)), gnu::may_alias]];
  const int k = shape.k(), n = shape.n;
  for (int column = 0; column < n; column += 8) {
    for (int row = 0; row < shape.m; ++row) {
      Columns sum{};
      for (int i = 0; i < k; ++i) {
        sum += matrices.a[row * k + i] *
               *reinterpret_cast<const Columns*>(matrices.b + i * n + column);
      }
      *reinterpret_cast<Columns*>(matrices.product + row * n + column) = sum;
    }
  }
}

MatrixProduct shape_of(const Inst& inst) {
  return std::bit_cast<MatrixProduct>(inst.immediate);
}

void multiply_real(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixProduct shape = shape_of(inst);
  const Operands operands(inst, shape);
  Matrices<f64> matrices;
  read_factors(rows, operands, shape, matrices);
  multiply(shape, matrices);
  for_accumulator(operands.c, shape.accumulator, shape.m, shape.n,
                  [&](u32 row, int lane, int half, const Place& at) {
                    matrices.product[at.index(shape.n)] +=
                        read_accumulator(rows, shape.accumulator, row, lane, half);
                  });
  for_accumulator(operands.d, shape.result, shape.m, shape.n,
                  [&](u32 row, int lane, int half, const Place& at) {
                    write_accumulator(rows, shape.result, row, lane, half,
                                      matrices.product[at.index(shape.n)]);
                  });
}

// f64 rounds after each product, in the order of k.
void multiply_doubles(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixProduct shape = shape_of(inst);
  const Operands operands(inst, shape);
  Matrices<f64> matrices;
  read_factors(rows, operands, shape, matrices);
  f64* const sums = matrices.accumulator;
  for_accumulator(operands.c, Element::f64, shape.m, shape.n,
                  [&](u32 row, int lane, int, const Place& at) {
                    sums[at.index(shape.n)] = element_at<f64>(rows, row, lane);
                  });
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const RoundingScope scope(modes[shape.rounding]);
  const int k = shape.k(), n = shape.n;
  for (int i = 0; i < k; ++i) {
    for (int row = 0; row < shape.m; ++row) {
      const f64 a = matrices.a[row * k + i];
      for (int column = 0; column < n; ++column) {
        f64& sum = sums[row * n + column];
        sum = __builtin_fma(a, matrices.b[i * n + column], sum);
      }
    }
  }
  for_accumulator(operands.d, Element::f64, shape.m, shape.n,
                  [&](u32 row, int lane, int, const Place& at) {
                    element_at<f64>(rows, row, lane) = sums[at.index(shape.n)];
                  });
}

void multiply_integers(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixProduct shape = shape_of(inst);
  const Operands operands(inst, shape);
  Matrices<s32> matrices;
  read_factors(rows, operands, shape, matrices);
  if (shape.exclusive_or) {  // as -1 and 1: equal bits add 1, different ones -1
    for (int i = 0; i < shape.m * shape.k(); ++i) matrices.a[i] = 1 - 2 * matrices.a[i];
    for (int i = 0; i < shape.n * shape.k(); ++i) matrices.b[i] = 1 - 2 * matrices.b[i];
  }
  multiply(shape, matrices);
  for_accumulator(
      operands.c, Element::s32, shape.m, shape.n, [&](u32 row, int lane, int, const Place& at) {
        s64 sum = matrices.product[at.index(shape.n)];
        if (shape.exclusive_or) sum = (shape.k() - sum) / 2;
        sum += element_at<s32>(rows, row, lane);
        matrices.product[at.index(shape.n)] =
            static_cast<s32>(shape.saturate ? std::clamp<s64>(sum, INT32_MIN, INT32_MAX) : sum);
      });
  for_accumulator(operands.d, Element::s32, shape.m, shape.n,
                  [&](u32 row, int lane, int, const Place& at) {
                    element_at<s32>(rows, row, lane) = matrices.product[at.index(shape.n)];
                  });
}

// mma.m8n8k4 of f16: four products, each of eight lanes: four neighbours and the four 16 above.
int quad_lane(int quad, int thread) {
  return quad * 4 + thread % 4 + thread / 4 * 16;
}
// Thread and element that hold line `line` (a row of A, a column of B), element i along k.
struct Held {
  int thread, element;
};
Held quad_factor(int line, int i, bool along_lines) {
  return along_lines ? Held{line, i} : Held{line / 4 * 4 + i, line % 4};
}
Held quad_accumulator(int row, int column, Element element) {
  if (element == Element::f16) return {row, column};
  return {row % 2 + column / 2 % 2 * 2 + row / 4 * 4,
          column % 2 + row / 2 % 2 * 2 + column / 4 * 4};
}

void multiply_quads(std::byte* rows, const Inst& inst, Warp&, u32 mask) {
  need_whole_warp(inst, mask);
  const MatrixProduct shape = shape_of(inst);
  const int results = shape.result == Element::f16 ? 4 : 8;
  const u32 *d = inst.list, *a = d + results, *b = a + 2, *c = b + 2;
  f64 products[4][8][8];
  const auto factor = [&](const u32* list, int quad, const Held& held) {
    const int lane = quad_lane(quad, held.thread);
    return to_float(
        f16{element_at<u16>(rows, list[held.element / 2], 2 * lane + held.element % 2)});
  };
  const auto for_each = [&](const u32* list, Element element, const auto& visit) {
    const bool halves = element == Element::f16;
    for (int quad = 0; quad < 4; ++quad) {
      for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
          const Held held = quad_accumulator(row, column, element);
          const u32 of_list = list[halves ? held.element / 2 : held.element];
          if (of_list == no_row) continue;
          visit(products[quad][row][column], of_list, quad_lane(quad, held.thread),
                halves ? held.element % 2 : 0, Place{row, column}, quad);
        }
      }
    }
  };
  for_each(c, shape.accumulator,
           [&](f64& sum, u32 row, int lane, int half, const Place& at, int quad) {
             sum = 0;
             for (int i = 0; i < 4; ++i) {
               sum += f64(factor(a, quad, quad_factor(at.row, i, !shape.a_by_columns))) *
                      f64(factor(b, quad, quad_factor(at.column, i, shape.b_by_columns)));
             }
             sum += read_accumulator(rows, shape.accumulator, row, lane, half);
           });
  for_each(d, shape.result, [&](f64& sum, u32 row, int lane, int half, const Place&, int) {
    write_accumulator(rows, shape.result, row, lane, half, sum);
  });
}

}  // namespace

void need_whole_warp(const Inst& inst, u32 mask) {
  if (mask == all_lanes) return;
  throw KernelFault{FaultKind::trap,
                    "only " + std::to_string(std::popcount(mask)) +
                        " of a warp's 32 threads came to '" + inst.source->opcode + "'",
                    "",
                    "all 32 threads of a warp work on a matrix together: no thread may have left, "
                    "taken another branch, or be missing because the block is no multiple of 32",
                    std::countr_zero(mask),
                    inst.source};
}

Handler product_handler(const MatrixProduct& product, bool quads) {
  if (quads) return &multiply_quads;
  if (product.a == Element::f64) return &multiply_doubles;
  return product.result == Element::s32 ? &multiply_integers : &multiply_real;
}

}  // namespace ladder::emulator
