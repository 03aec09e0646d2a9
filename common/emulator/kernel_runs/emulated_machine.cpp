#include <cstring>
#include <span>

#include "common/emulator/device.hpp"
#include "common/emulator/kernel_runs/kernel_run.hpp"

namespace ladder::emulator {
namespace {

class DeviceBytes {
 public:
  DeviceBytes(Device& device, std::size_t bytes, const char* what)
      : device_(device), address_(device.allocate(std::max<std::size_t>(bytes, 1), what)) {}
  ~DeviceBytes() { device_.free(address_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceAddress address() const { return address_; }

 private:
  Device& device_;
  DeviceAddress address_;
};

Options one_thread(std::uint64_t order_seed) {
  Options options;
  options.threads = 1;
  options.time_limit_s = 10;
  options.order_seed = order_seed;
  return options;
}

class Emulated : public Machine {
 public:
  explicit Emulated(std::uint64_t order_seed) : device_({}, one_thread(order_seed)) {}

  std::string name() const override { return "emulator"; }

  std::string load(const std::string& ptx) override {
    if (module_ != nullptr) device_.unload(module_);
    module_ = nullptr;
    try {
      module_ = device_.load(ptx, "kernel run");
    } catch (const Fault& fault) {
      return fault.what();
    }
    return {};
  }

  Outcome launch(const KernelRun& run) override {
    Outcome outcome;
    try {
      const DeviceBytes in(device_, run.in.size(), "in"), out(device_, run.out_bytes, "out");
      device_.copy_in(in.address(), run.in.data(), run.in.size());
      device_.set(out.address(), 0, run.out_bytes);
      std::vector<std::byte> parameters(24 + run.more_parameters.size());
      const DeviceAddress addresses[] = {out.address(), in.address()};
      std::memcpy(parameters.data(), addresses, 16);
      std::memcpy(parameters.data() + 16, &run.n, 4);
      std::memcpy(parameters.data() + 24, run.more_parameters.data(), run.more_parameters.size());
      Launch launch;
      launch.function = device_.function(module_, run.kernel);
      if (launch.function == nullptr)
        throw Fault(FaultKind::invalid_ptx, "no kernel " + run.kernel);
      parameters.resize(device_.attributes(launch.function).parameter_total);
      launch.grid.x = run.blocks;
      launch.block.x = run.threads;
      launch.parameters = parameters;
      device_.launch(launch);
      outcome.out.resize(run.out_bytes);
      device_.copy_out(outcome.out.data(), out.address(), run.out_bytes);
    } catch (const Fault& fault) {
      outcome.error = fault.what();
    }
    return outcome;
  }

 private:
  Device device_;
  Module* module_ = nullptr;
};

}  // namespace

std::unique_ptr<Machine> emulated_machine(std::uint64_t order_seed) {
  return std::make_unique<Emulated>(order_seed);
}

}  // namespace ladder::emulator
