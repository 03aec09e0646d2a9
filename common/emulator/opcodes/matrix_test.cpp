// mma, wmma, ldmatrix and their kin: whole matrices are laid into the registers of a warp as the
// PTX manual says, multiplied, and compared with the exact product.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <span>
#include <sstream>

#include "common/emulator/device.hpp"
#include "common/emulator/opcodes/reference.hpp"
#include "common/emulator/opcodes/soft_float.hpp"

using namespace ladder::emulator;
using namespace ladder::emulator::opcodes;

namespace {

constexpr int lanes = 32;

// ---- elements -------------------------------------------------------------------------------

constexpr Format e4m3_format{4, 3}, e5m2_format{5, 2}, tf32_format{8, 10};

struct ElementType {
  std::string name;
  int bits;
  std::optional<Format> format;  // none: integers
  bool is_signed = true;
};

ElementType type_of(const std::string& name) {
  if (name == "f16") return {name, 16, half_format};
  if (name == "bf16") return {name, 16, bfloat_format};
  if (name == "tf32") return {name, 32, tf32_format};
  if (name == "e4m3") return {name, 8, e4m3_format};
  if (name == "e5m2") return {name, 8, e5m2_format};
  if (name == "f32") return {name, 32, single_format};
  if (name == "f64") return {name, 64, double_format};
  return {name, std::stoi(name.substr(1)), std::nullopt, name[0] == 's'};
}

u64 encoded(const ElementType& type, double value) {
  if (!type.format) return static_cast<u64>(static_cast<s64>(value)) & ((u64{1} << type.bits) - 1);
  const u64 bits = std::bit_cast<u64>(value);
  const u64 narrow = soft_convert(double_format, *type.format, bits, Rounding::nearest);
  return type.name == "tf32" ? narrow << 13 : narrow;
}

double decoded(const ElementType& type, u64 bits) {
  if (!type.format) {
    return type.is_signed
               ? static_cast<double>(static_cast<s64>(bits << (64 - type.bits)) >> (64 - type.bits))
               : static_cast<double>(bits);
  }
  if (type.name == "tf32") bits >>= 13;
  return std::bit_cast<double>(soft_convert(*type.format, double_format, bits, Rounding::nearest));
}

struct Matrix {
  int rows, columns;
  std::vector<double> values;
  Matrix(int its_rows, int its_columns)
      : rows(its_rows), columns(its_columns), values(std::size_t(its_rows * its_columns)) {}
  double& at(int row, int column) { return values.at(std::size_t(row * columns + column)); }
  double at(int row, int column) const { return values.at(std::size_t(row * columns + column)); }
};

// Small integers (every partial sum is exact), or fractions with as many bits as the type has.
Matrix random_matrix(int rows, int columns, const ElementType& type, bool exact,
                     std::mt19937& random) {
  Matrix matrix(rows, columns);
  for (double& value : matrix.values) {
    if (!type.format && type.bits < 32) {
      value = decoded(type, random() & ((u64{1} << type.bits) - 1));
    } else if (!type.format || exact) {
      value = int(random() % 17) - 8;
    } else {
      const double fine = std::ldexp(int(random() % 8193) - 4096, -11 - int(random() % 3));
      value = decoded(type, encoded(type, fine));
    }
  }
  return matrix;
}

// ---- registers ------------------------------------------------------------------------------

using Registers = std::vector<std::vector<u64>>;  // [register][lane]

int in_register(const ElementType& type) {
  return std::max(1, 32 / type.bits);
}

void insert(Registers& registers, int lane, int element, const ElementType& type, double value) {
  const int per = in_register(type);
  registers.at(std::size_t(element / per)).at(std::size_t(lane)) |= encoded(type, value)
                                                                    << (element % per * type.bits);
}

struct Place {
  int row, column;
};

// "Matrix Fragments for mma": groupID is lane / 4, threadID_in_group lane % 4.
Place place_in_a(int m, const ElementType& type, int lane, int i) {
  const int per = in_register(type), reg = i / per;
  const int high = m / 8;
  return {lane / 4 + reg % high * 8, lane % 4 * per + i % per + reg / high * 4 * per};
}
Place place_in_b(const ElementType& type, int lane, int i) {
  const int per = in_register(type);
  return {lane % 4 * per + i % per + i / per * 4 * per, lane / 4};
}
Place place_in_c(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// m8n8k4 of f16: lanes 0-3 and 16-19 hold the first of four products, and so on.
int quad_of(int lane) {
  return lane % 16 / 4;
}
int in_quad(int lane) {
  return lane % 4 + lane / 16 * 4;
}

Registers laid_out(const Matrix& matrix, const ElementType& type, int elements,
                   const std::function<Place(int lane, int i)>& place) {
  Registers registers(std::size_t(elements / in_register(type)), std::vector<u64>(lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const Place at = place(lane, i);
      insert(registers, lane, i, type, matrix.at(at.row, at.column));
    }
  }
  return registers;
}

// ---- running --------------------------------------------------------------------------------

// One warp runs `body` on registers %a0..., of which `in` gives the values, and leaves results in
// %d0... `wide`: 64-bit registers.
struct Run {
  std::string body;
  Registers in;
  int results = 0;
  bool wide_in = false, wide_out = false;
  unsigned threads = 32;
};

std::string list(const char* name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(first + i);
  return text + "}";
}

Registers executed(const Run& run, Counters* counters = nullptr) {
  std::ostringstream text;
  const char* in = run.wide_in ? "b64" : "b32";
  const char* out = run.wide_out ? "b64" : "b32";
  text << ".version 8.6\n.target sm_90\n.address_size 64\n"
          ".visible .entry k(.param .u64 k_out, .param .u64 k_in)\n{\n.reg ."
       << in << " %a<64>; .reg ." << out
       << " %d<32>; .reg .b64 %in, %to, %own; .reg .b32 %t, %tile, %r<16>; .reg .pred %p<4>;\n"
          ".shared .align 16 .b8 k_tile[5120];\n"
          "mov.u32 %t, %tid.x; mul.wide.u32 %own, %t, 8; mov.u32 %tile, k_tile;\n"
          "ld.param.u64 %in, [k_in]; ld.param.u64 %to, [k_out];\n"
          "add.u64 %own, %in, %own;\n";
  for (std::size_t i = 0; i < run.in.size(); ++i)
    text << "ld.global." << in << " %a" << i << ", [%own+" << i * 256 << "];\n";
  text << run.body << "\nmul.wide.u32 %own, %t, 8; add.u64 %own, %to, %own;\n";
  for (int i = 0; i < run.results; ++i)
    text << "st.global." << out << " [%own+" << i * 256 << "], %d" << i << ";\n";
  text << "ret;\n}\n";

  Options options;
  options.threads = 1;
  if (counters != nullptr) options.watch |= watch_counters;
  Device device({}, options);
  Module* module = device.load(text.str(), "matrix");
  std::vector<u64> values;
  for (const auto& row : run.in) values.insert(values.end(), row.begin(), row.end());
  values.resize(std::max<std::size_t>(values.size(), 512));
  std::vector<u64> got(std::size_t(run.results) * lanes);
  const DeviceAddress from = device.allocate(8 * values.size());
  const DeviceAddress to = device.allocate(8 * std::max<std::size_t>(got.size(), 512));
  device.copy_in(from, values.data(), 8 * values.size());
  device.set(to, 0, 8 * std::max<std::size_t>(got.size(), 512));
  const u64 parameters[] = {to, from};
  Launch launch;
  launch.function = device.function(module, "k");
  launch.block.x = run.threads;
  launch.parameters = std::as_bytes(std::span(parameters));
  device.launch(launch);
  device.copy_out(got.data(), to, 8 * got.size());
  if (counters != nullptr) *counters = device.counters();
  Registers results;
  for (int i = 0; i < run.results; ++i) {
    const auto begin = got.begin() + i * lanes;
    results.emplace_back(begin, begin + lanes);
  }
  return results;
}

// ---- products -------------------------------------------------------------------------------

struct Product {
  int m, n, k;
  std::string d, a, b, c;
  std::string modifier;  // before the types
  std::string tail;      // behind them
};

std::string opcode_of(const Product& p, const std::string& layouts = "row.col") {
  return "mma.sync.aligned.m" + std::to_string(p.m) + "n" + std::to_string(p.n) + "k" +
         std::to_string(p.k) + "." + layouts + p.modifier + "." + p.d + "." + p.a + "." + p.b +
         "." + p.c + p.tail;
}

// How near a result must be: integers exact; f32 (|c| + sum |a * b|) * 2^-20; f16 its own last bit
// more.
double tolerance(const ElementType& result, double size, bool exact) {
  if (!result.format || exact) return 0;
  if (result.name == "f64") return size * 0x1p-50;
  return size * (result.name == "f16" ? 0x1p-10 : 0x1p-20);
}

std::string difference(const Matrix& expected, const Matrix& size, const Matrix& got,
                       const ElementType& type, bool exact) {
  for (int row = 0; row < got.rows; ++row) {
    for (int column = 0; column < got.columns; ++column) {
      const double off = std::fabs(expected.at(row, column) - got.at(row, column));
      if (off <= tolerance(type, size.at(row, column), exact)) continue;
      std::ostringstream text;
      text << "(" << row << ", " << column << ") is " << got.at(row, column) << ", expected "
           << expected.at(row, column);
      return text.str();
    }
  }
  return "";
}

// a * b + c and |a| * |b| + |c|.
std::pair<Matrix, Matrix> multiplied(const Matrix& a, const Matrix& b, const Matrix& c,
                                     const std::string& tail = "") {
  Matrix sum = c, size = c;
  for (int row = 0; row < c.rows; ++row) {
    for (int column = 0; column < c.columns; ++column) {
      size.at(row, column) = std::fabs(c.at(row, column));
      for (int i = 0; i < a.columns; ++i) {
        const double x = a.at(row, i), y = b.at(i, column);
        const double term = tail == ".xor.popc" ? (x != y ? 1 : 0) : x * y;
        sum.at(row, column) += term;
        size.at(row, column) += std::fabs(term);
      }
    }
  }
  return {sum, size};
}

Run run_of(const Product& p, const Registers& a, const Registers& b, const Registers& c,
           const std::string& opcode) {
  Run run;
  run.in = a;
  run.in.insert(run.in.end(), b.begin(), b.end());
  run.in.insert(run.in.end(), c.begin(), c.end());
  run.wide_in = run.wide_out = p.d == "f64";
  const int elements = p.m * p.n / lanes;
  run.results = p.d == "f16" ? elements / 2 : elements;
  const int of_a = int(a.size()), of_b = int(b.size());
  run.body = opcode + " " + list("%d", 0, run.results) + ", " + list("%a", 0, of_a) + ", " +
             list("%a", of_a, of_b) + ", " + list("%a", of_a + of_b, int(c.size())) + ";";
  return run;
}

std::string wrong(const Product& p, bool exact) {
  const ElementType a_type = type_of(p.a), b_type = type_of(p.b), c_type = type_of(p.c),
                    d_type = type_of(p.d);
  std::mt19937 random(unsigned(p.m * 1000 + p.k));
  const Matrix a = random_matrix(p.m, p.k, a_type, exact, random);
  const Matrix b = random_matrix(p.k, p.n, b_type, exact, random);
  const Matrix c = random_matrix(p.m, p.n, c_type, exact, random);
  const auto in_c = [](int lane, int i) { return place_in_c(lane, i); };
  const int of_c = p.m * p.n / lanes;
  const Registers got =
      executed(run_of(p,
                      laid_out(a, a_type, p.m * p.k / lanes,
                               [&](int lane, int i) { return place_in_a(p.m, a_type, lane, i); }),
                      laid_out(b, b_type, p.n * p.k / lanes,
                               [&](int lane, int i) { return place_in_b(b_type, lane, i); }),
                      laid_out(c, c_type, of_c, in_c), opcode_of(p)));
  Matrix result(p.m, p.n);
  const int per = in_register(d_type);
  for (int lane = 0; lane < lanes; ++lane) {
    for (int i = 0; i < of_c; ++i) {
      const u64 word = got.at(std::size_t(i / per)).at(std::size_t(lane));
      const u64 bits = word >> (i % per * d_type.bits);
      const Place at = place_in_c(lane, i);
      result.at(at.row, at.column) =
          decoded(d_type, d_type.bits == 64 ? bits : bits & ((u64{1} << d_type.bits) - 1));
    }
  }
  const auto [expected, size] = multiplied(a, b, c, p.tail);
  return difference(expected, size, result, d_type, exact);
}

void check(const std::vector<Product>& products) {
  for (const Product& product : products) {
    for (const bool exact : {true, false}) {
      std::string found;
      try {
        found = wrong(product, exact);
      } catch (const std::exception& error) {
        found = error.what();
      }
      INFO(opcode_of(product));
      CHECK(found == "");
    }
  }
}

}  // namespace

TEST_CASE("mma multiplies f16 with accumulators of f16 and f32") {
  check({
      {16, 8, 8, "f32", "f16", "f16", "f32", "", ""},
      {16, 8, 8, "f16", "f16", "f16", "f16", "", ""},
      {16, 8, 16, "f32", "f16", "f16", "f32", "", ""},
      {16, 8, 16, "f16", "f16", "f16", "f16", "", ""},
      {16, 8, 16, "f32", "f16", "f16", "f16", "", ""},
  });
}

TEST_CASE("mma multiplies bf16, tf32 and the 8-bit formats") {
  check({
      {16, 8, 8, "f32", "bf16", "bf16", "f32", "", ""},
      {16, 8, 16, "f32", "bf16", "bf16", "f32", "", ""},
      {16, 8, 4, "f32", "tf32", "tf32", "f32", "", ""},
      {16, 8, 8, "f32", "tf32", "tf32", "f32", "", ""},
      {16, 8, 32, "f32", "e4m3", "e5m2", "f32", "", ""},
      {16, 8, 32, "f32", "e5m2", "e4m3", "f32", "", ""},
      {16, 8, 32, "f16", "e4m3", "e4m3", "f16", "", ""},
      {16, 8, 16, "f32", "e5m2", "e5m2", "f32", "", ""},
  });
}

TEST_CASE("mma multiplies f64") {
  check({
      {8, 8, 4, "f64", "f64", "f64", "f64", "", ""},
      {16, 8, 4, "f64", "f64", "f64", "f64", "", ""},
      {16, 8, 8, "f64", "f64", "f64", "f64", "", ""},
      {16, 8, 16, "f64", "f64", "f64", "f64", "", ""},
  });
}

TEST_CASE("mma multiplies integers exactly") {
  check({
      {8, 8, 16, "s32", "s8", "s8", "s32", "", ""},
      {16, 8, 16, "s32", "u8", "s8", "s32", "", ""},
      {16, 8, 32, "s32", "s8", "u8", "s32", "", ""},
      {16, 8, 32, "s32", "u8", "u8", "s32", ".satfinite", ""},
      {8, 8, 32, "s32", "s4", "s4", "s32", "", ""},
      {16, 8, 32, "s32", "u4", "s4", "s32", "", ""},
      {16, 8, 64, "s32", "s4", "u4", "s32", ".satfinite", ""},
      {8, 8, 128, "s32", "b1", "b1", "s32", "", ".xor.popc"},
      {16, 8, 128, "s32", "b1", "b1", "s32", "", ".and.popc"},
      {16, 8, 256, "s32", "b1", "b1", "s32", "", ".xor.popc"},
      {16, 8, 256, "s32", "b1", "b1", "s32", "", ".and.popc"},
  });
}

namespace {

// mma.m8n8k4 of f16: four products of 8 x 4 by 4 x 8.
std::string wrong_quads(bool a_by_columns, bool b_by_columns, const std::string& d,
                        const std::string& c) {
  const ElementType half = type_of("f16"), d_type = type_of(d), c_type = type_of(c);
  std::mt19937 random(17);
  std::vector<Matrix> a, b, sums;
  for (int quad = 0; quad < 4; ++quad) {
    a.push_back(random_matrix(8, 4, half, true, random));
    b.push_back(random_matrix(4, 8, half, true, random));
    sums.push_back(random_matrix(8, 8, c_type, true, random));
  }
  const auto place = [](const ElementType& type, int lane, int i) {
    if (type.name == "f16") return Place{in_quad(lane), i};
    const int x = (lane & 1) + (i & 2);
    return Place{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
  };
  Registers of_a(2, std::vector<u64>(lanes)), of_b = of_a;
  Registers of_c(c == "f16" ? 4 : 8, std::vector<u64>(lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    const auto quad = std::size_t(quad_of(lane));
    const int own = in_quad(lane), upper = lane < 16 ? 0 : 4;
    for (int i = 0; i < 4; ++i) {
      insert(of_a, lane, i, half,
             a_by_columns ? a[quad].at(i + upper, lane % 4) : a[quad].at(own, i));
      insert(of_b, lane, i, half,
             b_by_columns ? b[quad].at(i, own) : b[quad].at(lane % 4, i + upper));
    }
    for (int i = 0; i < 8; ++i) {
      const Place at = place(c_type, lane, i);
      insert(of_c, lane, i, c_type, sums[quad].at(at.row, at.column));
    }
  }
  const Product product{8, 8, 4, d, "f16", "f16", c, "", ""};
  const std::string layouts =
      std::string(a_by_columns ? "col." : "row.") + (b_by_columns ? "col" : "row");
  Run run = run_of(product, of_a, of_b, of_c, "");
  run.results = d == "f16" ? 4 : 8;
  run.body = opcode_of(product, layouts) + " " + list("%d", 0, run.results) + ", " +
             list("%a", 0, 2) + ", " + list("%a", 2, 2) + ", " + list("%a", 4, int(of_c.size())) +
             ";";
  const Registers got = executed(run);
  for (int lane = 0; lane < lanes; ++lane) {
    const auto quad = std::size_t(quad_of(lane));
    for (int i = 0; i < 8; ++i) {
      const int per = in_register(d_type);
      const u64 word = got.at(std::size_t(i / per)).at(std::size_t(lane)) >> (i % per * 16);
      const double value = decoded(d_type, d == "f16" ? word & 0xffff : word);
      const Place at = place(d_type, lane, i);
      const double expected = multiplied(a[quad], b[quad], sums[quad]).first.at(at.row, at.column);
      if (value != expected)
        return "lane " + std::to_string(lane) + ", element " + std::to_string(i);
    }
  }
  return "";
}

// What is said when the body runs.
std::string fault_of(const std::string& body, unsigned threads = 32) {
  Run run;
  run.body = body;
  run.threads = threads;
  try {
    executed(run);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "nothing";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// 16-bit elements of the n-th 8 x 8 matrix of a test.
u64 cell(int matrix, int row, int column) {
  return u64(matrix * 64 + row * 8 + column + 1);
}
// A register of lane l: row l / 4, columns 2 * (l % 4) and the next; or the transpose.
u64 pair_of(int matrix, int lane, bool transposed) {
  const int row = lane / 4, column = lane % 4 * 2;
  return transposed ? cell(matrix, column, row) | cell(matrix, column + 1, row) << 16
                    : cell(matrix, row, column) | cell(matrix, row, column + 1) << 16;
}

// Lane l writes row l % 8 of matrix l / 8 (as words %a0..%a3) to shared memory, rows 48 bytes
// apart.
const char* const rows_to_shared =
    "mul.lo.u32 %r0, %t, 48; add.u32 %r0, %r0, %tile;\n"
    "st.shared.v4.b32 [%r0], {%a0, %a1, %a2, %a3}; bar.warp.sync -1;\n";

Registers rows_of_matrices() {
  Registers words(4, std::vector<u64>(lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    for (int w = 0; w < 4; ++w) {
      words[std::size_t(w)][std::size_t(lane)] =
          cell(lane / 8, lane % 8, 2 * w) | cell(lane / 8, lane % 8, 2 * w + 1) << 16;
    }
  }
  return words;
}

}  // namespace

TEST_CASE("mma.m8n8k4 computes four products of f16, in every layout") {
  for (const bool a_by_columns : {false, true}) {
    for (const bool b_by_columns : {false, true}) {
      CHECK(wrong_quads(a_by_columns, b_by_columns, "f32", "f32") == "");
      CHECK(wrong_quads(a_by_columns, b_by_columns, "f16", "f16") == "");
      CHECK(wrong_quads(a_by_columns, b_by_columns, "f32", "f16") == "");
    }
  }
}

TEST_CASE("integer sums saturate where asked to, and wrap otherwise") {
  for (const bool saturate : {true, false}) {
    Run run;
    run.in = {std::vector<u64>(lanes, 0x7f7f7f7f), std::vector<u64>(lanes, 0x7ffffff0)};
    run.results = 2;
    run.body = std::string("mma.sync.aligned.m8n8k16.row.col") + (saturate ? ".satfinite" : "") +
               ".s32.s8.s8.s32 {%d0, %d1}, {%a0}, {%a0}, {%a1, %a1};";
    const u32 wrapped = 0x7ffffff0u + 16u * 127u * 127u;
    CHECK(executed(run)[1][5] == (saturate ? 0x7fffffffu : wrapped));
  }
}

TEST_CASE("ldmatrix gives each lane two neighbours of a row, or of a column") {
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      for (const bool generic : {false, true}) {
        Run run;
        run.in = rows_of_matrices();
        run.results = count;
        run.body = std::string(rows_to_shared) + "cvt.u64.u32 %own, %r0;\n" +
                   (generic ? "cvta.shared.u64 %own, %own;\n" : "") +
                   "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                   (transposed ? ".trans" : "") + (generic ? "" : ".shared") + ".b16 " +
                   list("%d", 0, count) + ", [%own];";
        const Registers got = executed(run);
        for (int matrix = 0; matrix < count; ++matrix) {
          for (int lane = 0; lane < lanes; ++lane) {
            const u64 word = got[std::size_t(matrix)][std::size_t(lane)];
            CHECK(word == pair_of(matrix, lane, transposed));
          }
        }
      }
    }
  }
}

TEST_CASE("ldmatrix takes a wavefront for each matrix, and more where rows share banks") {
  // Measured on an H200. Lane l's row begins at l * pitch.
  const struct {
    int count;
    u64 pitch, wavefronts;
  } patterns[] = {{1, 16, 1}, {1, 128, 8}, {2, 32, 4},  {4, 16, 4},
                  {4, 32, 8}, {4, 64, 16}, {4, 144, 4}, {4, 128, 32}};
  for (const auto& [count, pitch, wavefronts] : patterns) {
    Run run;
    run.body = "mul.lo.u32 %r0, %t, " + std::to_string(pitch) +
               "; add.u32 %r0, %r0, %tile; ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
               ".shared.b16 " + list("%d", 0, count) + ", [%r0];";
    run.results = count;
    Counters counters;
    executed(run, &counters);
    CHECK(counters.shared_load_requests == 1);
    CHECK(counters.shared_load_wavefronts == wavefronts);
    CHECK(counters.shared_load_wavefronts_ideal == u64(count));
  }
}

TEST_CASE("wmma touches global memory in tiles of 8 x 16 bytes") {
  Run run;
  run.in = Registers(16, std::vector<u64>(lanes));
  run.body =
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
      "[%in], 32;\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%to], {%r0, %r1, %r2, %r3}, 16;";
  Counters counters;
  executed(run, &counters);
  // 16 loads of the test's own, of 8 bytes a lane apart. A row has 32 bytes: half a sector a tile.
  CHECK(counters.global_load_sectors == 16 * 8 + 4 * 8);
  CHECK(counters.global_store_sectors == 4 * 8);
}

TEST_CASE("stmatrix undoes ldmatrix") {
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      const std::string x = ".x" + std::to_string(count) + (transposed ? ".trans" : "");
      Run run;
      run.in = rows_of_matrices();
      run.results = 4;
      // Through registers to a second place, 2048 bytes on, which each lane then reads row by row.
      run.body = std::string(rows_to_shared) + "ldmatrix.sync.aligned.m8n8" + x + ".shared.b16 " +
                 list("%r", 4, count) + ", [%r0];\nstmatrix.sync.aligned.m8n8" + x +
                 ".shared.b16 [%r0+2048], " + list("%r", 4, count) +
                 ";\nbar.warp.sync -1; ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%r0+2048];";
      const Registers got = executed(run);
      const Registers rows = rows_of_matrices();
      for (std::size_t lane = 0; lane < std::size_t(count) * 8; ++lane) {
        for (std::size_t w = 0; w < 4; ++w) CHECK(got[w][lane] == rows[w][lane]);
      }
    }
  }
}

TEST_CASE("movmatrix transposes") {
  Run run;
  run.in = Registers(1, std::vector<u64>(lanes));
  for (int lane = 0; lane < lanes; ++lane) run.in[0][std::size_t(lane)] = pair_of(0, lane, false);
  run.results = 1;
  run.body = "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;";
  const Registers got = executed(run);
  for (int lane = 0; lane < lanes; ++lane)
    CHECK(got[0][std::size_t(lane)] == pair_of(0, lane, true));
}

TEST_CASE("a matrix instruction waits for the whole warp") {
  Run run;
  run.in = Registers(1, std::vector<u64>(lanes));
  for (int lane = 0; lane < lanes; ++lane) run.in[0][std::size_t(lane)] = pair_of(0, lane, false);
  run.results = 1;
  // The upper half takes a longer way to the same instruction.
  run.body =
      "mov.u32 %r1, %a0; setp.lt.u32 %p1, %t, 16; @%p1 bra MEET;\n"
      "add.u32 %r1, %r1, 1; sub.u32 %r1, %r1, 1;\n"
      "MEET: movmatrix.sync.aligned.m8n8.trans.b16 %d0, %r1;";
  CHECK(executed(run)[0][20] == pair_of(0, 20, true));
}

TEST_CASE("a matrix instruction without all of its warp is a fault") {
  const std::string text = fault_of("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %r1;", 20);
  CHECK(has(text, "only 20 of a warp's 32 threads"));
}

TEST_CASE("rows of matrices must lie at multiples of 16 bytes, inside shared memory") {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%r0];";
  CHECK(has(fault_of("mul.lo.u32 %r0, %t, 24; add.u32 %r0, %r0, %tile; " + load), "misaligned"));
  CHECK(has(fault_of("mul.lo.u32 %r0, %t, 1024; add.u32 %r0, %r0, %tile; " + load),
            "out of bounds: read of 16 bytes in shared memory"));
}

TEST_CASE("matrix instructions of other devices are named") {
  for (const std::string opcode :
       {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%d0, %d1}, [%r0];",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%d0, %d1}, "
        "{%d0, %d1}, {%d0, %d1, %d2, %d3}, %r0, 0;",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%d0, %d1, %d2, %d3}, "
        "{%d0, %d1, %d2, %d3}, {%d0, %d1}, {%d0, %d1, %d2, %d3};",
        "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, "
        "{%d0, %d1, %d2, %d3}, {%d0, %d1}, {%d0, %d1, %d2, %d3};"}) {
    const std::string text = fault_of(opcode);
    INFO(text);
    CHECK(has(text, "unsupported instruction '" + opcode.substr(0, opcode.find(' ')) + "'"));
  }
}
