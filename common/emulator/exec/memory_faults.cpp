#include "common/emulator/exec/memory_faults.hpp"

#include <algorithm>

#include "common/emulator/exec/shared_place.hpp"
#include "common/emulator/exec/text.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

bool begins(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

std::string verb(const ptx::Instruction& instruction) {
  if (begins(instruction.opcode, "ld")) return "read";
  if (begins(instruction.opcode, "st")) return "write";
  if (begins(instruction.opcode, "atom") || begins(instruction.opcode, "red")) return "atomic";
  return "access";
}

// Constant memory lies in global memory; only the instruction tells.
std::string space_name(const Access& access) {
  switch (access.space) {
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    default:
      return begins(access.instruction->opcode, "ld.const") ? "constant" : "global";
  }
}

// Which variable a shared address lies in or behind, and how much there is in all.
std::string shared_text(const Warp& warp, const Access& access) {
  const std::uint64_t address = access.address & ~window_mask;
  const std::string text = "shared address " + hex(address) + ": ";
  const std::string all =
      "; the block has " + std::to_string(warp.shared_bytes) + " bytes of shared memory";
  const std::string there = shared_place(warp.launch, address, access.bytes) + all;
  const auto variables = shared_variables(warp.launch);
  const auto origin = std::find_if(variables.begin(), variables.end(), [&](const auto& variable) {
    return variable.begin == access.shared_begin &&
           (variable.name.empty() || variable.begin + variable.bytes == access.shared_end);
  });
  const bool known = access.shared_begin != 0 || access.shared_end != ~0u;
  if (!known || origin == variables.end()) return text + there;
  const std::string from = place_from(*origin, address, access.bytes);
  return text + from + (address < warp.shared_bytes ? ", " + there : all);
}

}  // namespace

void throw_misaligned(const Warp&, const Access& access) {
  throw KernelFault{
      FaultKind::misaligned_address,
      "misaligned address: " + verb(*access.instruction) + " of " + std::to_string(access.bytes) +
          " bytes in " + space_name(access) + " memory",
      "address " + hex(access.address) + " is not a multiple of " + std::to_string(access.bytes),
      "a vector access (float4, int2) needs an address that is a multiple of its "
      "size: check the offset that was added to the pointer",
      access.lane,
      access.instruction};
}

void throw_out_of_bounds(const Warp& warp, const Access& access) {
  const std::string what = verb(*access.instruction) + " of " + std::to_string(access.bytes) +
                           " bytes in " + space_name(access) + " memory";
  if (access.space == Space::shared) {
    throw KernelFault{FaultKind::illegal_address,
                      "out of bounds: " + what,
                      shared_text(warp, access),
                      "compare the index with the size of the __shared__ array; dynamic shared "
                      "memory has the size given at the launch",
                      access.lane,
                      access.instruction};
  }
  if (access.space == Space::local || (access.address & window_mask) == local_window) {
    throw KernelFault{FaultKind::illegal_address,
                      "out of bounds: " + what,
                      "local address " + hex(access.address & ~window_mask) + " of " +
                          std::to_string(warp.local_stride) + " bytes a thread has",
                      "compare the index with the size of the array inside the kernel; deep "
                      "recursion also ends here",
                      access.lane,
                      access.instruction};
  }
  const DeviceMemory& memory = *warp.launch.memory;
  std::string problem = "out of bounds: ";
  std::string help =
      "the index runs past the array: guard the access (if (i < n)) and check the size given to "
      "cudaMalloc, which is in bytes";
  if (access.address < 4096) {
    problem = "null pointer: ";
    help = "a pointer argument is null: was it allocated, and passed in the right place?";
  } else if (memory.freed(access.address)) {
    problem = "use after free: ";
    help = "the memory was freed before the kernel ran: free it after the last use";
  } else if (!memory.reserved(access.address)) {
    problem = "host pointer in a kernel: ";
    help =
        "pass a pointer from cudaMalloc, not the address of host memory; copy the data with "
        "cudaMemcpy first";
  }
  throw KernelFault{FaultKind::illegal_address,
                    problem + what,
                    "address " + memory.describe(access.address, access.bytes),
                    help,
                    access.lane,
                    access.instruction};
}

}  // namespace ladder::emulator
