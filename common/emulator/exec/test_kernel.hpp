// For tests: a kernel as PTX text, run through the Device seam.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// PTX of one kernel `k` with the parameters p0, p1, ... of 64 bits.
inline std::string kernel_text(int parameters, const std::string& body,
                               const std::string& before = "") {
  std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"test.cu\"\n" +
                     before + ".visible .entry k(";
  for (int i = 0; i < parameters; ++i) {
    text += (i > 0 ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
  }
  return text +
         ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n"
         ".reg .b64 %rd<20>;\n.reg .f64 %fd<20>;\n" +
         body + "\nret;\n}\n";
}

// Loads it, launches it with the given 64-bit arguments.
struct TestKernel {
  explicit TestKernel(const std::string& text, Options options = {}) : device({}, with(options)) {
    module = device.load(text, "test");
  }
  static Options with(Options options) {
    if (options.threads == 0) options.threads = 2;
    if (options.time_limit_s == 0) options.time_limit_s = 20;
    return options;
  }
  void launch(Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments,
              std::size_t shared = 0, bool cooperative = false) {
    Launch launch;
    launch.function = device.function(module, "k");
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = shared;
    launch.cooperative = cooperative;
    launch.parameters = std::as_bytes(std::span(arguments));
    device.launch(launch);
  }
  // The fault's text; "" if there was none.
  std::string fault(Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments) {
    try {
      launch(grid, block, arguments);
    } catch (const Fault& fault) {
      kind = fault.kind();
      return fault.what();
    }
    kind = FaultKind::none;
    return "";
  }
  DeviceAddress words(const std::vector<std::uint32_t>& values, const std::string& what = "words") {
    const DeviceAddress at = device.allocate(values.size() * 4, what);
    device.copy_in(at, values.data(), values.size() * 4);
    return at;
  }
  std::vector<std::uint32_t> read(DeviceAddress at, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    device.copy_out(values.data(), at, count * 4);
    return values;
  }

  Device device;
  Module* module = nullptr;
  FaultKind kind = FaultKind::none;
};

// One thread a word: %r1 is the thread's number in the grid, %rd1 the address of p0[%r1].
inline const char* const own_word =
    "ld.param.u64 %rd0, [p0];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mov.u32 %r4, %tid.x;\nmad.lo.s32 %r1, %r2, %r3, %r4;\nmul.wide.u32 %rd2, %r1, 4;\n"
    "add.s64 %rd1, %rd0, %rd2;\n";

}  // namespace ladder::emulator
