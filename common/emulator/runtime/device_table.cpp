// Source: the "Technical Specifications per Compute Capability" table of the CUDA C++ programming
// guide, and each card's data sheet. Memory is capped at the emulator's address range.
#include "common/emulator/runtime/device_table.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace ladder::emulator {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10, mib = kib << 10, gib = mib << 10;

struct Row {
  std::string_view id;
  const char* name;
  int major, minor, multiprocessors;
  std::size_t memory, shared_optin, shared_per_multiprocessor, l2;
  int threads_per_multiprocessor, blocks_per_multiprocessor;
};

// clang-format off
constexpr Row rows[] = {
    //  id        name                              cc      SMs  memory    optin      per SM     L2        threads  blocks
    {"h200",    "NVIDIA H200 (emulated)",             9, 0, 132, 64 * gib, 227 * kib, 228 * kib, 50 * mib, 2048, 32},
    {"h100",    "NVIDIA H100 80GB HBM3 (emulated)",   9, 0, 132, 64 * gib, 227 * kib, 228 * kib, 50 * mib, 2048, 32},
    {"a100",    "NVIDIA A100-SXM4-40GB (emulated)",   8, 0, 108, 40 * gib, 163 * kib, 164 * kib, 40 * mib, 2048, 32},
    {"b200",    "NVIDIA B200 (emulated)",            10, 0, 148, 64 * gib, 227 * kib, 228 * kib, 126 * mib, 2048, 32},
    {"rtx5090", "NVIDIA GeForce RTX 5090 (emulated)", 12, 0, 170, 32 * gib, 99 * kib, 100 * kib, 96 * mib, 1536, 24},
    {"rtx4090", "NVIDIA GeForce RTX 4090 (emulated)", 8, 9, 128, 24 * gib,  99 * kib, 100 * kib, 72 * mib, 1536, 24},
    {"rtx3090", "NVIDIA GeForce RTX 3090 (emulated)", 8, 6,  82, 24 * gib,  99 * kib, 100 * kib,  6 * mib, 1536, 16},
    {"t4",      "Tesla T4 (emulated)",                7, 5,  40, 16 * gib,  64 * kib,  64 * kib,  4 * mib, 1024, 16},
};
// clang-format on

}  // namespace

DeviceProperties device_named(std::string_view name) {
  std::string wanted(name);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string known;
  for (const Row& row : rows) {
    if (row.id == wanted) {
      DeviceProperties properties;
      properties.name = row.name;
      properties.major = row.major;
      properties.minor = row.minor;
      properties.multiprocessors = row.multiprocessors;
      properties.memory_bytes = row.memory;
      properties.shared_per_block_optin = row.shared_optin;
      properties.shared_per_multiprocessor = row.shared_per_multiprocessor;
      properties.l2_bytes = row.l2;
      properties.max_threads_per_multiprocessor = row.threads_per_multiprocessor;
      properties.max_blocks_per_multiprocessor = row.blocks_per_multiprocessor;
      return properties;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.id);
  }
  throw std::invalid_argument("no device '" + std::string(name) +
                              "' to emulate; there are: " + known);
}

}  // namespace ladder::emulator
