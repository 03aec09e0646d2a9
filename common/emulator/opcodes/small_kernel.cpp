#include "common/emulator/opcodes/small_kernel.hpp"

#include <span>

#include "common/emulator/device.hpp"

namespace ladder::emulator::opcodes {
namespace {

std::string whole(const std::string& body, const std::string& head) {
  return ".version 8.6\n.target sm_90\n.address_size 64\n" + head +
         "\n.visible .entry k(.param .u64 k_out, .param .u64 k_in)\n{\n"
         ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %d<40>;\n"
         ".reg .f32 %f<20>; .reg .f64 %e<20>; .reg .b32 %t, %x, %y, %tile; .reg .b64 %in, %own, "
         "%out, "
         "%depot;\n"
         ".shared .align 16 .b8 k_tile[512]; .local .align 16 .b8 k_depot[64];\n"
         "mov.u32 %t, %tid.x; mov.u32 %tile, k_tile; mov.u64 %depot, k_depot;\n"
         "ld.param.u64 %in, [k_in]; cvta.to.global.u64 %in, %in; mul.wide.u32 %own, %t, 4;\n"
         "add.u64 %own, %in, %own; ld.global.u32 %x, [%own]; ld.global.u32 %y, [%own+4];\n"
         "mov.u64 %d0, 0;\n" +
         body +
         "\nld.param.u64 %out, [k_out]; mul.wide.u32 %own, %t, 8; add.u64 %out, %out, %own;\n"
         "st.global.u64 [%out], %d0; ret;\n}\n";
}

}  // namespace

std::uint32_t input(std::uint32_t thread) {
  std::uint32_t x = thread * 2654435761u + 12345;
  x ^= x >> 15;
  return x * 2246822519u;
}

std::vector<std::uint64_t> run_small_kernel(const std::string& body, const std::string& head) {
  Options options;
  options.threads = 1;
  options.time_limit_s = 10;
  Device device({}, options);
  Module* module = device.load(whole(body, head), "small kernel");
  std::vector<std::uint32_t> in(block_threads + 1);
  for (std::uint32_t t = 0; t < in.size(); ++t) in[t] = input(t);
  std::vector<std::uint64_t> out(block_threads, 0xdeadbeef);
  const DeviceAddress from = device.allocate(4 * in.size()), to = device.allocate(8 * out.size());
  device.copy_in(from, in.data(), 4 * in.size());
  device.copy_in(to, out.data(), 8 * out.size());
  const std::uint64_t parameters[] = {to, from};
  Launch launch;
  launch.function = device.function(module, "k");
  launch.block.x = block_threads;
  launch.parameters = std::as_bytes(std::span(parameters));
  device.launch(launch);
  device.copy_out(out.data(), to, 8 * out.size());
  return out;
}

}  // namespace ladder::emulator::opcodes
