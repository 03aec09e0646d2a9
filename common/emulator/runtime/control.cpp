// ladderEmulator(): what the worker and the command line ask the emulator.
#include "common/emulator/control.hpp"

#include <unistd.h>

#include "common/emulator/runtime/host_fault.hpp"
#include "common/emulator/runtime/launch_report.hpp"
#include "common/emulator/runtime/runtime.hpp"
#include "common/emulator/runtime/trace_report.hpp"

namespace ladder::emulator {
namespace {

template <class Body>
auto locked(Body body) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  return body(runtime);
}

// Options last beyond the device that is there now.
template <class Change>
void change_options(Change change) {
  locked([&](Runtime& runtime) {
    change(runtime.options);
    if (Device* device = runtime.device_if_made()) change(device->options());
  });
}

// 1: all of `text`; 0.
int written(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
    if (wrote <= 0) return 0;
    done += static_cast<std::size_t>(wrote);
  }
  return 1;
}

constexpr LadderEmulator interface = {
    .version = LADDER_EMULATOR_VERSION,
    .fault = [] { return locked([](Runtime& runtime) { return runtime.fault(); }); },
    .failed_call = [] { return locked([](Runtime& runtime) { return runtime.failed_call(); }); },
    .reset =
        [] {
          locked([](Runtime& runtime) {
            runtime.forget_faults();
            if (Device* device = runtime.device_if_made()) {
              device->reset_counters();
              device->clear_trace();
            }
          });
        },
    .explains = [](std::uint64_t address) { return explains_fault_at(address) ? 1 : 0; },
    .watch =
        [](std::uint32_t bits) {
          change_options([bits](Options& options) { options.watch = bits; });
        },
    .order_seed =
        [](std::uint64_t seed) {
          change_options([seed](Options& options) { options.order_seed = seed; });
        },
    .counters =
        [](void (*visit)(const char*, double, void*), void* context) {
          locked([&](Runtime& runtime) {
            const Device* device = runtime.device_if_made();
            for (const auto& [name, value] :
                 named_counters(device == nullptr ? Counters{} : device->counters()))
              visit(name.c_str(), value, context);
          });
        },
    .write_launches =
        [](int descriptor) {
          const std::string text = locked([](Runtime& runtime) {
            const Device* device = runtime.device_if_made();
            return device == nullptr ? std::string("[]") : launches_json(device->launch_records());
          });
          return written(descriptor, text);
        },
    .limit_trace =
        [](std::uint64_t first_block, std::uint64_t blocks, std::uint64_t accesses) {
          change_options([=](Options& options) {
            options.trace = {first_block, blocks, accesses};
          });
        },
    .write_trace =
        [](int descriptor) {
          return written(descriptor, locked([](Runtime& runtime) {
                           const Device* device = runtime.device_if_made();
                           return trace_json(device == nullptr ? Trace{} : device->trace());
                         }));
        },
    .kernel_seconds =
        [] {
          return locked([](Runtime& runtime) {
            const Device* device = runtime.device_if_made();
            return device == nullptr ? 0.0 : device->counters().kernel_seconds;
          });
        },
    .allocations =
        [](void (*visit)(std::uint64_t, std::uint64_t, void*), void* context) {
          locked([&](Runtime& runtime) {
            if (Device* device = runtime.device_if_made())
              for (const Device::Allocation& allocation : device->allocations())
                visit(allocation.address, allocation.bytes, context);
          });
        },
    .name_allocation =
        [](std::uint64_t address, const char* name) {
          locked([&](Runtime& runtime) {
            if (Device* device = runtime.device_if_made()) device->rename(address, name);
          });
        },
};

}  // namespace
}  // namespace ladder::emulator

extern "C" const LadderEmulator* ladderEmulator() {
  return &ladder::emulator::interface;
}
