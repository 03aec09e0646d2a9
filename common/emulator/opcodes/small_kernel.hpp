// Runs a few lines of PTX for 64 threads of one block, one 64-bit result a thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::emulator::opcodes {

inline constexpr unsigned block_threads = 64;

// What `input(t)` of thread t is: bits without pattern.
std::uint32_t input(std::uint32_t thread);

// `body` finds these registers: %t thread index, %x input(t), %y input(t + 1), %in the address of
// 64 inputs, %tile the shared address of 512 bytes of its own, %depot the local address of 64;
// and free ones: %p<20> %h<20> %r<40> %d<40> %f<20> %e<20>. %d0 is the result. `head`: module-level
// text before the kernel. Throws what the device throws.
std::vector<std::uint64_t> run_small_kernel(const std::string& body, const std::string& head = "");

}  // namespace ladder::emulator::opcodes
