// Memory accesses of one warp, each a launch of its own, whose sectors and wavefronts a GPU's profiler
// and the emulator count alike. Prints the launches in order, one a line: the pattern's name. record.sh
// runs this under Nsight Compute; parity_test.cpp runs it under the emulator.
//
// A pattern says at which element of an array each lane works; a kernel is one instruction of one
// width. Instructions are written in PTX, so that no compiler chooses others.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int lanes = 32;
constexpr unsigned short nobody = 0xffff;  // the lane takes no part
constexpr int most_patterns = 128;
constexpr int shared_bytes = 48 << 10;

__constant__ unsigned short elements[most_patterns][lanes];

}  // namespace

// Keeps a loaded value alive without a memory access: no array here holds this one, but no compiler
// knows that, since `one` is an argument.
__device__ void keep(unsigned value, unsigned* out, unsigned one) {
  if (value == one * 0xa5) *out = value;
}

#define KERNEL(name)                                                                          \
  extern "C" __global__ void name(unsigned char* data, unsigned* out, int pattern, int other, \
                                  unsigned one)

// `statement` sees: at (a generic 64-bit or a shared 32-bit address), one (the number 1).
#define GLOBAL(name, bytes, statement)                       \
  KERNEL(name) {                                             \
    const unsigned element = elements[pattern][threadIdx.x]; \
    if (element == nobody) return;                           \
    const unsigned char* at = data + element * (bytes);      \
    unsigned got = 0;                                        \
    statement;                                               \
    keep(got, out, one);                                     \
  }
#define SHARED(name, bytes, statement)                                                             \
  KERNEL(name) {                                                                                   \
    __shared__ __align__(128) unsigned char tile[shared_bytes];                                    \
    const unsigned element = elements[pattern][threadIdx.x];                                       \
    if (element == nobody) return;                                                                 \
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + element * (bytes); \
    unsigned got = 0;                                                                              \
    statement;                                                                                     \
    keep(got, out, one);                                                                           \
  }

#define LOAD_1(text, constraint) asm volatile(text " %0, [%1];" : "=r"(got) : constraint(at))
#define LOAD_V1(text, constraint) asm volatile(text " {%0}, [%1];" : "=r"(got) : constraint(at))
#define LOAD_64(text, constraint)                                \
  unsigned long long wide;                                       \
  asm volatile(text " %0, [%1];" : "=l"(wide) : constraint(at)); \
  got = static_cast<unsigned>(wide) ^ static_cast<unsigned>(wide >> 32)
#define LOAD_2(text, constraint)                                               \
  unsigned b;                                                                  \
  asm volatile(text " {%0, %1}, [%2];" : "=r"(got), "=r"(b) : constraint(at)); \
  got ^= b
#define LOAD_4(text, constraint)                      \
  unsigned b, c, d;                                   \
  asm volatile(text " {%0, %1, %2, %3}, [%4];"        \
               : "=r"(got), "=r"(b), "=r"(c), "=r"(d) \
               : constraint(at));                     \
  got ^= b ^ c ^ d
#define STORE_1(text, constraint) asm volatile(text " [%0], %1;" ::constraint(at), "r"(one))
#define STORE_V1(text, constraint) asm volatile(text " [%0], {%1};" ::constraint(at), "r"(one))
#define STORE_64(text, constraint) \
  asm volatile(text " [%0], %1;" ::constraint(at), "l"(static_cast<unsigned long long>(one)))
#define STORE_2(text, constraint) asm volatile(text " [%0], {%1, %1};" ::constraint(at), "r"(one))
#define STORE_4(text, constraint) \
  asm volatile(text " [%0], {%1, %1, %1, %1};" ::constraint(at), "r"(one))

GLOBAL(gld_u8, 1, LOAD_1("ld.global.u8", "l"))
GLOBAL(gld_u16, 2, LOAD_1("ld.global.u16", "l"))
GLOBAL(gld_u32, 4, LOAD_1("ld.global.u32", "l"))
GLOBAL(gld_nc_u32, 4, LOAD_1("ld.global.nc.u32", "l"))
GLOBAL(gld_cg_u32, 4, LOAD_1("ld.global.cg.u32", "l"))
GLOBAL(gld_volatile_u32, 4, LOAD_1("ld.volatile.global.u32", "l"))
GLOBAL(gld_u64, 8, LOAD_64("ld.global.u64", "l"))
GLOBAL(gld_v2_u32, 8, LOAD_2("ld.global.v2.u32", "l"))
GLOBAL(gld_v4_u32, 16, LOAD_4("ld.global.v4.u32", "l"))
GLOBAL(gst_u8, 1, STORE_1("st.global.u8", "l"))
GLOBAL(gst_u16, 2, STORE_1("st.global.u16", "l"))
GLOBAL(gst_u32, 4, STORE_1("st.global.u32", "l"))
GLOBAL(gst_cs_u32, 4, STORE_1("st.global.cs.u32", "l"))
GLOBAL(gst_u64, 8, STORE_64("st.global.u64", "l"))
GLOBAL(gst_v2_u32, 8, STORE_2("st.global.v2.u32", "l"))
GLOBAL(gst_v4_u32, 16, STORE_4("st.global.v4.u32", "l"))
SHARED(sld_u8, 1, LOAD_1("ld.shared.u8", "r"))
SHARED(sld_u16, 2, LOAD_1("ld.shared.u16", "r"))
SHARED(sld_u32, 4, LOAD_1("ld.shared.u32", "r"))
SHARED(sld_u64, 8, LOAD_64("ld.shared.u64", "r"))
SHARED(sld_v2_u32, 8, LOAD_2("ld.shared.v2.u32", "r"))
SHARED(sld_v4_u32, 16, LOAD_4("ld.shared.v4.u32", "r"))
SHARED(sst_u8, 1, STORE_1("st.shared.u8", "r"))
SHARED(sst_u16, 2, STORE_1("st.shared.u16", "r"))
SHARED(sst_u32, 4, STORE_1("st.shared.u32", "r"))
SHARED(sst_u64, 8, STORE_64("st.shared.u64", "r"))
SHARED(sst_v2_u32, 8, STORE_2("st.shared.v2.u32", "r"))
SHARED(sst_v4_u32, 16, STORE_4("st.shared.v4.u32", "r"))

#define RED(text, kind, value, constraint) \
  asm volatile(text " [%0], %1;" ::constraint(at), kind(value) : "memory")
#define ATOM(text, value, constraint) \
  asm volatile(text " %0, [%1], %2;" : "=r"(got) : constraint(at), "r"(value) : "memory")
#define ATOM_64(text, value, constraint)                                                    \
  unsigned long long wide;                                                                  \
  asm volatile(text " %0, [%1], %2;" : "=l"(wide) : constraint(at), "l"(value) : "memory"); \
  got = static_cast<unsigned>(wide) ^ static_cast<unsigned>(wide >> 32)
#define ATOM_F32(text, constraint)                            \
  float f;                                                    \
  asm volatile(text " %0, [%1], %2;"                          \
               : "=f"(f)                                      \
               : constraint(at), "f"(static_cast<float>(one)) \
               : "memory");                                   \
  got = __float_as_uint(f)
#define ATOM_F64(text, constraint)                             \
  double f;                                                    \
  asm volatile(text " %0, [%1], %2;"                           \
               : "=d"(f)                                       \
               : constraint(at), "d"(static_cast<double>(one)) \
               : "memory");                                    \
  got = static_cast<unsigned>(f)
#define CAS(text, constraint) \
  asm volatile(text " %0, [%1], 0, %2;" : "=r"(got) : constraint(at), "r"(one) : "memory")

// A lane's own value, so that no compiler adds a warp's values first.
#define OWN (one + threadIdx.x)
#define OWN_64 static_cast<unsigned long long>(OWN)
#define OWN_F32 static_cast<float>(OWN)
#define OWN_F64 static_cast<double>(OWN)

GLOBAL(gred_add_u32, 4, RED("red.global.add.u32", "r", OWN, "l"))
GLOBAL(gred_add_u64, 8, RED("red.global.add.u64", "l", OWN_64, "l"))
GLOBAL(gred_add_f32, 4, RED("red.global.add.f32", "f", OWN_F32, "l"))
GLOBAL(gred_add_f64, 8, RED("red.global.add.f64", "d", OWN_F64, "l"))
GLOBAL(gred_add_f16x2, 4, RED("red.global.add.noftz.f16x2", "r", OWN, "l"))
GLOBAL(gred_max_u32, 4, RED("red.global.max.u32", "r", OWN, "l"))
GLOBAL(gred_max_s32, 4, RED("red.global.max.s32", "r", OWN, "l"))
GLOBAL(gred_max_u64, 8, RED("red.global.max.u64", "l", OWN_64, "l"))
GLOBAL(gred_or_b32, 4, RED("red.global.or.b32", "r", OWN, "l"))
GLOBAL(gred_xor_b32, 4, RED("red.global.xor.b32", "r", OWN, "l"))
GLOBAL(gred_inc_u32, 4, RED("red.global.inc.u32", "r", OWN, "l"))
GLOBAL(gatom_add_u32, 4, ATOM("atom.global.add.u32", OWN, "l"))
GLOBAL(gatom_add_u64, 8, ATOM_64("atom.global.add.u64", OWN_64, "l"))
GLOBAL(gatom_add_f32, 4, ATOM_F32("atom.global.add.f32", "l"))
GLOBAL(gatom_add_f64, 8, ATOM_F64("atom.global.add.f64", "l"))
GLOBAL(gatom_add_f16x2, 4, ATOM("atom.global.add.noftz.f16x2", OWN, "l"))
GLOBAL(gatom_max_s32, 4, ATOM("atom.global.max.s32", OWN, "l"))
GLOBAL(gatom_or_b32, 4, ATOM("atom.global.or.b32", OWN, "l"))
GLOBAL(gatom_exch_b32, 4, ATOM("atom.global.exch.b32", OWN, "l"))
GLOBAL(gatom_exch_b64, 8, ATOM_64("atom.global.exch.b64", OWN_64, "l"))
GLOBAL(gatom_cas_b32, 4, CAS("atom.global.cas.b32", "l"))
SHARED(satom_add_u32, 4, ATOM("atom.shared.add.u32", OWN, "r"))
SHARED(satom_add_u64, 8, ATOM_64("atom.shared.add.u64", OWN_64, "r"))
SHARED(satom_add_f32, 4, ATOM_F32("atom.shared.add.f32", "r"))
SHARED(satom_max_s32, 4, ATOM("atom.shared.max.s32", OWN, "r"))
SHARED(satom_exch_b32, 4, ATOM("atom.shared.exch.b32", OWN, "r"))
SHARED(satom_cas_b32, 4, CAS("atom.shared.cas.b32", "r"))
SHARED(sred_add_u32, 4, RED("red.shared.add.u32", "r", OWN, "r"))
SHARED(sred_or_b32, 4, RED("red.shared.or.b32", "r", OWN, "r"))
SHARED(sred_add_f32, 4, RED("red.shared.add.f32", "f", OWN_F32, "r"))

// All lanes at one address, and every compiler can see that.
#define GLOBAL_ONE(name, statement) \
  KERNEL(name) {                    \
    const unsigned char* at = data; \
    unsigned got = 0;               \
    statement;                      \
    keep(got, out, one);            \
  }
#define SHARED_ONE(name, statement)                                            \
  KERNEL(name) {                                                               \
    __shared__ __align__(128) unsigned char tile[shared_bytes];                \
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)); \
    unsigned got = 0;                                                          \
    statement;                                                                 \
    keep(got, out, one);                                                       \
  }
GLOBAL_ONE(gred_one_add_1, RED("red.global.add.u32", "r", one, "l"))
GLOBAL_ONE(gred_one_add_u32, RED("red.global.add.u32", "r", OWN, "l"))
GLOBAL_ONE(gred_one_add_u64, RED("red.global.add.u64", "l", OWN_64, "l"))
GLOBAL_ONE(gred_one_add_f32, RED("red.global.add.f32", "f", OWN_F32, "l"))
GLOBAL_ONE(gred_one_add_f64, RED("red.global.add.f64", "d", OWN_F64, "l"))
GLOBAL_ONE(gred_one_max_u32, RED("red.global.max.u32", "r", OWN, "l"))
GLOBAL_ONE(gred_one_max_s32, RED("red.global.max.s32", "r", OWN, "l"))
GLOBAL_ONE(gred_one_or_b32, RED("red.global.or.b32", "r", OWN, "l"))
GLOBAL_ONE(gred_one_xor_b32, RED("red.global.xor.b32", "r", OWN, "l"))
GLOBAL_ONE(gred_one_inc_u32, RED("red.global.inc.u32", "r", OWN, "l"))
GLOBAL_ONE(gatom_one_add_1, ATOM("atom.global.add.u32", one, "l"))
GLOBAL_ONE(gatom_one_add_u32, ATOM("atom.global.add.u32", OWN, "l"))
GLOBAL_ONE(gatom_one_add_u64, ATOM_64("atom.global.add.u64", OWN_64, "l"))
GLOBAL_ONE(gatom_one_max_s32, ATOM("atom.global.max.s32", OWN, "l"))
GLOBAL_ONE(gatom_one_exch_b32, ATOM("atom.global.exch.b32", OWN, "l"))
GLOBAL_ONE(gatom_one_cas_b32, CAS("atom.global.cas.b32", "l"))
SHARED_ONE(satom_one_add_1, ATOM("atom.shared.add.u32", one, "r"))
SHARED_ONE(satom_one_add_u32, ATOM("atom.shared.add.u32", OWN, "r"))
SHARED_ONE(satom_one_max_s32, ATOM("atom.shared.max.s32", OWN, "r"))
SHARED_ONE(satom_one_exch_b32, ATOM("atom.shared.exch.b32", OWN, "r"))
SHARED_ONE(sred_one_add_1, RED("red.shared.add.u32", "r", one, "r"))
SHARED_ONE(sred_one_add_u32, RED("red.shared.add.u32", "r", OWN, "r"))
SHARED_ONE(sred_one_or_b32, RED("red.shared.or.b32", "r", OWN, "r"))

// The global side by one pattern, the shared side by another.
#define COPY(name, text, bytes)                                                           \
  KERNEL(name) {                                                                          \
    __shared__ __align__(128) unsigned char tile[shared_bytes];                           \
    const unsigned element = elements[pattern][threadIdx.x];                              \
    if (element == nobody) return;                                                        \
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) +           \
                        elements[other][threadIdx.x] * (bytes);                           \
    asm volatile(text " [%0], [%1], " #bytes ";" ::"r"(to), "l"(data + element * (bytes)) \
                 : "memory");                                                             \
    asm volatile("cp.async.wait_all;" ::: "memory");                                      \
  }
COPY(cp_ca_4, "cp.async.ca.shared.global", 4)
COPY(cp_ca_8, "cp.async.ca.shared.global", 8)
COPY(cp_ca_16, "cp.async.ca.shared.global", 16)
COPY(cp_cg_16, "cp.async.cg.shared.global", 16)

// Elements are rows of 16 bytes.
SHARED(ldm_x1, 16, LOAD_V1("ldmatrix.sync.aligned.m8n8.x1.shared.b16", "r"))
SHARED(ldm_x1_trans, 16, LOAD_V1("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "r"))
SHARED(ldm_x2, 16, LOAD_2("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "r"))
SHARED(ldm_x4, 16, LOAD_4("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "r"))
SHARED(ldm_x4_trans, 16, LOAD_4("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "r"))
SHARED(stm_x1, 16, STORE_V1("stmatrix.sync.aligned.m8n8.x1.shared.b16", "r"))
SHARED(stm_x2, 16, STORE_2("stmatrix.sync.aligned.m8n8.x2.shared.b16", "r"))
SHARED(stm_x4, 16, STORE_4("stmatrix.sync.aligned.m8n8.x4.shared.b16", "r"))

// Local arrays, indexed where no compiler can see by what.
template <class T>
__device__ void use_local(int pattern, int other, unsigned one, unsigned* out) {
  T own[64];
  const unsigned element = elements[pattern][threadIdx.x];
  if (element == nobody) return;
  own[element % 64] = T{one};
  keep(own[elements[other][threadIdx.x] % 64].x, out, one);
}
KERNEL(local_u32) {
  use_local<uint1>(pattern, other, one, out);
}
KERNEL(local_v2_u32) {
  use_local<uint2>(pattern, other, one, out);
}
KERNEL(local_v4_u32) {
  use_local<uint4>(pattern, other, one, out);
}

namespace {

struct Pattern {
  std::string name;
  unsigned short element[lanes];
};
std::vector<Pattern> patterns;

bool is_whole(int pattern) {
  for (const unsigned short element : patterns[static_cast<std::size_t>(pattern)].element) {
    if (element == nobody) return false;
  }
  return true;
}

template <class At>
int add(const std::string& name, const At& at) {
  Pattern pattern;
  pattern.name = name;
  for (int lane = 0; lane < lanes; ++lane) {
    const int element = at(lane);
    pattern.element[lane] = element < 0 ? nobody : static_cast<unsigned short>(element);
  }
  patterns.push_back(pattern);
  return static_cast<int>(patterns.size()) - 1;
}

// The same numbers everywhere.
unsigned scramble(unsigned x) {
  x = (x ^ 61) ^ (x >> 16);
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  return x ^ (x >> 15);
}

struct Groups {
  std::vector<int> all;         // for every load and store
  std::vector<int> few;         // enough for variants of one instruction
  std::vector<int> collisions;  // for atomics
  int linear = 0;
};

Groups make_patterns() {
  Groups groups;
  const auto all = [&](const std::string& name, const auto& at) {
    groups.all.push_back(add(name, at));
    return groups.all.back();
  };
  const auto few = [&](const std::string& name, const auto& at) {
    groups.few.push_back(all(name, at));
    return groups.few.back();
  };
  const auto both = [&](const std::string& name, const auto& at) {
    groups.collisions.push_back(few(name, at));
  };
  both("linear", [](int l) { return l; });
  groups.linear = groups.all.back();
  few("offset1", [](int l) { return l + 1; });
  all("offset5", [](int l) { return l + 5; });
  both("stride2", [](int l) { return 2 * l; });
  for (const int stride : {3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 33}) {
    all("stride" + std::to_string(stride), [&](int l) { return stride * l; });
  }
  few("reversed", [](int l) { return 31 - l; });
  both("same", [](int) { return 5; });
  both("pairs", [](int l) { return l / 2; });
  all("quads", [](int l) { return l / 4; });
  both("two_in_turn", [](int l) { return l % 2; });
  all("two_in_turn_far", [](int l) { return l % 2 * 32; });
  all("halves_same", [](int l) { return l / 16 * 40; });
  all("rows16_pitch20", [](int l) { return l / 16 * 20 + l % 16; });
  all("rows16_pitch25", [](int l) { return l / 16 * 25 + l % 16; });
  all("rows8_pitch8", [](int l) { return l / 8 * 64 + l % 8; });
  all("rows8_pitch9", [](int l) { return l / 8 * 9 + l % 8; });
  all("column16_pitch16", [](int l) { return l % 16 * 16 + l / 16; });
  all("column16_pitch17", [](int l) { return l % 16 * 17 + l / 16; });
  all("column8_pitch8", [](int l) { return l % 8 * 8 + l / 8; });
  all("xor5", [](int l) { return l ^ 5; });
  all("xor_column", [](int l) { return l * 32 + (l ^ 3); });
  all("halves_in_other_banks", [](int l) { return l % 16 * 16 + l / 16 * 8; });
  all("quarters_in_other_banks", [](int l) { return l % 8 * 32 + l / 8 * 2; });
  all("eighths_in_other_banks", [](int l) { return l % 4 * 32 + l / 4; });
  all("even_odd_swapped", [](int l) { return l % 2 * 16 + l / 2; });
  all("half_lanes", [](int l) { return l < 16 ? l : -1; });
  few("odd_lanes", [](int l) { return l % 2 == 1 ? l : -1; });
  all("odd_lanes_stride4", [](int l) { return l % 2 == 1 ? 4 * l : -1; });
  all("one_lane", [](int l) { return l == 13 ? 7 : -1; });
  both("five_lanes", [](int l) { return l < 5 ? 3 * l : -1; });
  all("every_third_lane", [](int l) { return l % 3 == 0 ? l : -1; });
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto at = [&](unsigned range) {
      return [=](int l) {
        return static_cast<int>(scramble(seed * 1000 + static_cast<unsigned>(l)) % range);
      };
    };
    const std::string number = std::to_string(seed);
    if (seed <= 2) both("random8_" + number, at(8));
    if (seed <= 2) both("random32_" + number, at(32));
    all("random64_" + number, at(64));
    if (seed <= 3) all("random512_" + number, at(512));
    all("random3000_" + number, at(3000));
  }
  return groups;
}

using Kernel = void (*)(unsigned char*, unsigned*, int, int, unsigned);
struct Entry {
  const char* name;
  Kernel kernel;
};
#define ENTRY(name) \
  Entry {           \
#name, name     \
  }

unsigned char* data = nullptr;
unsigned* out = nullptr;

std::vector<std::string> wanted;  // beginnings of kernels' names; none: all

bool is_wanted(const std::string& name) {
  for (const std::string& beginning : wanted) {
    if (name.rfind(beginning, 0) == 0) return true;
  }
  return wanted.empty();
}

void launch(const Entry& entry, int pattern, int other) {
  if (!is_wanted(entry.name)) return;
  entry.kernel<<<1, lanes>>>(data, out, pattern, other, 1);
  std::printf("%s.%s\n", entry.name,
              (patterns[static_cast<std::size_t>(pattern)].name +
               (other < 0 ? "" : "." + patterns[static_cast<std::size_t>(other)].name))
                  .c_str());
}

}  // namespace

int main(int count, char** arguments) {
  wanted.assign(arguments + 1, arguments + count);
  const Groups groups = make_patterns();
  if (patterns.size() > most_patterns) return 1;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    cudaMemcpyToSymbol(elements, patterns[p].element, sizeof patterns[p].element,
                       p * sizeof patterns[p].element);
  }
  cudaMalloc(&data, 1 << 20);
  cudaMalloc(&out, 4);
  cudaMemset(data, 0, 1 << 20);
  for (const Entry& entry :
       {ENTRY(gld_u32), ENTRY(gld_u64), ENTRY(gld_v4_u32), ENTRY(gst_u32), ENTRY(gst_v4_u32),
        ENTRY(sld_u8), ENTRY(sld_u16), ENTRY(sld_u32), ENTRY(sld_u64), ENTRY(sld_v4_u32),
        ENTRY(sst_u16), ENTRY(sst_u32), ENTRY(sst_u64), ENTRY(sst_v4_u32)}) {
    for (const int pattern : groups.all) launch(entry, pattern, -1);
  }
  for (const Entry& entry : {ENTRY(gld_u8), ENTRY(gld_u16), ENTRY(gld_nc_u32), ENTRY(gld_cg_u32),
                             ENTRY(gld_volatile_u32), ENTRY(gld_v2_u32), ENTRY(gst_u8),
                             ENTRY(gst_u16), ENTRY(gst_cs_u32), ENTRY(gst_u64), ENTRY(gst_v2_u32),
                             ENTRY(sld_v2_u32), ENTRY(sst_u8), ENTRY(sst_v2_u32)}) {
    for (const int pattern : groups.few) launch(entry, pattern, -1);
  }
  for (const Entry& entry :
       {ENTRY(gred_add_u32),   ENTRY(gred_add_u64),   ENTRY(gred_add_f32),   ENTRY(gred_add_f64),
        ENTRY(gred_add_f16x2), ENTRY(gred_max_u32),   ENTRY(gred_max_s32),   ENTRY(gred_max_u64),
        ENTRY(gred_or_b32),    ENTRY(gred_xor_b32),   ENTRY(gred_inc_u32),   ENTRY(gatom_add_u32),
        ENTRY(gatom_add_u64),  ENTRY(gatom_add_f32),  ENTRY(gatom_add_f64),  ENTRY(gatom_add_f16x2),
        ENTRY(gatom_max_s32),  ENTRY(gatom_or_b32),   ENTRY(gatom_exch_b32), ENTRY(gatom_exch_b64),
        ENTRY(gatom_cas_b32),  ENTRY(satom_add_u32),  ENTRY(satom_add_u64),  ENTRY(satom_add_f32),
        ENTRY(satom_max_s32),  ENTRY(satom_exch_b32), ENTRY(satom_cas_b32),  ENTRY(sred_add_u32),
        ENTRY(sred_or_b32),    ENTRY(sred_add_f32)}) {
    for (const int pattern : groups.collisions) launch(entry, pattern, -1);
  }
  for (const Entry& entry :
       {ENTRY(gred_one_add_1),    ENTRY(gred_one_add_u32),   ENTRY(gred_one_add_u64),
        ENTRY(gred_one_add_f32),  ENTRY(gred_one_add_f64),   ENTRY(gred_one_max_u32),
        ENTRY(gred_one_max_s32),  ENTRY(gred_one_or_b32),    ENTRY(gred_one_xor_b32),
        ENTRY(gred_one_inc_u32),  ENTRY(gatom_one_add_1),    ENTRY(gatom_one_add_u32),
        ENTRY(gatom_one_add_u64), ENTRY(gatom_one_max_s32),  ENTRY(gatom_one_exch_b32),
        ENTRY(gatom_one_cas_b32), ENTRY(satom_one_add_1),    ENTRY(satom_one_add_u32),
        ENTRY(satom_one_max_s32), ENTRY(satom_one_exch_b32), ENTRY(sred_one_add_1),
        ENTRY(sred_one_add_u32),  ENTRY(sred_one_or_b32)}) {
    launch(entry, groups.linear, -1);
  }
  for (const Entry& entry : {ENTRY(cp_ca_4), ENTRY(cp_ca_8), ENTRY(cp_ca_16), ENTRY(cp_cg_16)}) {
    for (const int pattern : groups.few) {
      launch(entry, pattern, groups.linear);
      if (is_whole(pattern)) launch(entry, groups.linear, pattern);
    }
  }
  for (const Entry& entry : {ENTRY(ldm_x1), ENTRY(ldm_x1_trans), ENTRY(ldm_x2), ENTRY(ldm_x4),
                             ENTRY(ldm_x4_trans), ENTRY(stm_x1), ENTRY(stm_x2), ENTRY(stm_x4)}) {
    for (const int pattern : groups.all) {
      if (is_whole(pattern) && pattern % 2 == 0) launch(entry, pattern, -1);
    }
  }
  for (const Entry& entry : {ENTRY(local_u32), ENTRY(local_v2_u32), ENTRY(local_v4_u32)}) {
    for (const int pattern : groups.few) {
      if (is_whole(pattern))
        launch(entry, pattern, groups.few[(static_cast<std::size_t>(pattern) + 1) % 4]);
    }
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
