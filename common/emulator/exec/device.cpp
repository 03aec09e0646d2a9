// The seam's implementation: modules, functions, launches over host threads.
#include "common/emulator/device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

#include "common/emulator/exec/findings.hpp"
#include "common/emulator/exec/grid.hpp"
#include "common/emulator/exec/lowering.hpp"
#include "common/emulator/exec/memory.hpp"
#include "common/emulator/exec/module_loading.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/warp.hpp"
#include "common/emulator/observers/counters.hpp"
#include "common/emulator/observers/observers.hpp"

namespace ladder::emulator {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string dim_text(const Dim3& d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

[[noreturn]] void refuse_launch(const Function& function, const std::string& why) {
  throw Fault(FaultKind::invalid_launch, "cannot launch " + function.display_name + ": " + why);
}

void require_host_features() {
#if defined(__AVX2__) && defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    throw Fault(FaultKind::unsupported,
                "the emulator was built for CPUs with AVX2 and FMA (x86-64-v3, since about 2013), "
                "and this one has none: use another machine, or build for this one with "
                "-Demulator_baseline=true");
  }
#endif
}

}  // namespace

struct Device::Implementation {
  Implementation(DeviceProperties device, Options wanted)
      : properties(std::move(device)), options(wanted), memory(properties.memory_bytes) {}

  DeviceProperties properties;
  Options options;
  DeviceMemory memory;
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<const Function*> functions;  // by Function::index
  Counters counters;
  std::vector<LaunchRecord> records;
  Findings findings;
  Trace trace;
  Watch watched = 0;  // what `observers` were made for
  std::vector<std::unique_ptr<Observer>> observers;
  std::function<void(std::string_view)> output = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  std::mutex output_mutex;
  std::uint64_t launches = 0;
  mutable std::mutex launch_mutex;  // of what launches change here
  std::atomic<int> running = 0;     // launches

  void check(const Launch& launch) const;
  std::uint64_t resident_blocks(unsigned threads, std::size_t shared) const;
  void run(const Launch& launch);
  void record(const Launch& launch, const LaunchState& state, const Tally& tally, Counters& done);
  // Changed options take effect here, but not while kernels run. With launch_mutex.
  void update_observers();
  // One launch more that runs, while it lives.
  class RunningScope {
   public:
    explicit RunningScope(Implementation& device) : device_(device) { ++device_.running; }
    ~RunningScope() { --device_.running; }
    RunningScope(const RunningScope&) = delete;

   private:
    Implementation& device_;
  };
  template <class Tell>
  void tell_observers(Tell tell) {
    const std::lock_guard lock(launch_mutex);
    update_observers();
    for (const auto& observer : observers) tell(*observer);
  }
};

Device::Device(DeviceProperties properties, Options options) {
  require_host_features();
  implementation_ = std::make_unique<Implementation>(std::move(properties), options);
}

Device::~Device() = default;

const DeviceProperties& Device::properties() const {
  return implementation_->properties;
}
Options& Device::options() {
  return implementation_->options;
}
const Counters& Device::counters() const {
  return implementation_->counters;
}
const std::vector<LaunchRecord>& Device::launch_records() const {
  return implementation_->records;
}
void Device::reset_counters() {
  implementation_->counters = {};
  implementation_->records.clear();
}
Trace Device::trace() const {
  const std::lock_guard lock(implementation_->launch_mutex);
  return implementation_->trace;
}
void Device::clear_trace() {
  const std::lock_guard lock(implementation_->launch_mutex);
  implementation_->trace.clear();
}
std::vector<Finding> Device::take_findings() {
  return implementation_->findings.take(implementation_->running == 0);
}

void Device::set_output(std::function<void(std::string_view)> output) {
  implementation_->output = std::move(output);
}

Module* Device::load(std::string_view ptx, const std::string& name) {
  const std::string text(ptx);
  return load({&text, 1}, name);
}

Module* Device::load(std::span<const std::string> texts, const std::string& name) {
  Implementation& self = *implementation_;
  const std::lock_guard lock(self.launch_mutex);
  auto module = load_module(texts, name, self.memory, self.functions, self.properties);
  self.modules.push_back(std::move(module));
  return self.modules.back().get();
}

void Device::unload(Module* module) {
  Implementation& self = *implementation_;
  const std::lock_guard lock(self.launch_mutex);
  unload_module(*module, self.memory, self.functions);
  std::erase_if(self.modules, [&](const auto& owned) { return owned.get() == module; });
}

const Function* Device::function(const Module* module, std::string_view name) const {
  const Function* found = module->find(name);
  return found && found->source->entry ? found : nullptr;
}

const FunctionAttributes& Device::attributes(const Function* function) const {
  if (function->unsupported) throw *function->unsupported;
  return function->attributes;
}

Symbol Device::symbol(const Module* module, std::string_view name) const {
  const auto found = module->symbols.find(name);
  return found == module->symbols.end() ? Symbol{} : found->second;
}

DeviceAddress Device::allocate(std::size_t bytes, const std::string& what) {
  const DeviceAddress at = implementation_->memory.allocate(bytes, what, DeviceMemory::Owner::user);
  implementation_->tell_observers([&](Observer& observer) { observer.allocated(at, bytes); });
  return at;
}
void Device::free(DeviceAddress address) {
  const Allocation* allocation = implementation_->memory.find(address);
  const std::size_t bytes = allocation != nullptr ? allocation->bytes : 0;
  implementation_->memory.free(address, DeviceMemory::Owner::user);
  implementation_->tell_observers([&](Observer& observer) { observer.freed(address, bytes); });
}
void Device::rename(DeviceAddress address, const std::string& what) {
  implementation_->memory.rename(address, what);
}
std::vector<Device::Allocation> Device::allocations() const {
  return implementation_->memory.allocations();
}
std::size_t Device::bytes_in_use() const {
  return implementation_->memory.bytes_in_use();
}
bool Device::is_device_address(DeviceAddress address) const {
  return implementation_->memory.reserved(address);
}
const Device::Allocation* Device::find(DeviceAddress address) const {
  return implementation_->memory.find(address);
}

void Device::copy_in(DeviceAddress to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  std::memcpy(implementation_->memory.host(to, bytes, "copy to the device"), from, bytes);
  implementation_->tell_observers([&](Observer& observer) { observer.written(to, bytes); });
}
void Device::copy_out(void* to, DeviceAddress from, std::size_t bytes, const std::string& what) {
  if (bytes == 0) return;
  std::memcpy(to, implementation_->memory.host(from, bytes, "copy from the device"), bytes);
  implementation_->tell_observers(
      [&](Observer& observer) { observer.read(from, bytes, what, true); });
}
void Device::copy(DeviceAddress to, DeviceAddress from, std::size_t bytes,
                  const std::string& what) {
  if (bytes == 0) return;
  const std::byte* source = implementation_->memory.host(from, bytes, "copy on the device, source");
  implementation_->tell_observers(
      [&](Observer& observer) { observer.read(from, bytes, what, false); });
  std::memmove(implementation_->memory.host(to, bytes, "copy on the device, target"), source,
               bytes);
  implementation_->tell_observers([&](Observer& observer) { observer.copied(to, from, bytes); });
}
void Device::set(DeviceAddress to, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return;
  std::memset(implementation_->memory.host(to, bytes, "memset"), value, bytes);
  implementation_->tell_observers([&](Observer& observer) { observer.written(to, bytes); });
}
void Device::map_host(void* address, std::size_t bytes, const std::string& what) {
  implementation_->memory.map_host(address, bytes, what);
}
void Device::unmap_host(void* address) {
  implementation_->memory.unmap_host(address);
}

void Device::Implementation::check(const Launch& launch) const {
  const Function& function = *launch.function;
  if (function.unsupported) throw *function.unsupported;
  const unsigned block[3] = {launch.block.x, launch.block.y, launch.block.z};
  const unsigned grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
  for (int i = 0; i < 3; ++i) {
    if (block[i] == 0) refuse_launch(function, "the block is empty: " + dim_text(launch.block));
    if (grid[i] == 0) refuse_launch(function, "the grid is empty: " + dim_text(launch.grid));
    if (grid[i] > properties.max_grid[i]) {
      refuse_launch(function, "a grid of " + dim_text(launch.grid) + " blocks: at most " +
                                  std::to_string(properties.max_grid[i]) + " in dimension " +
                                  "xyz"[i]);
    }
    if (block[i] > static_cast<unsigned>(properties.max_block[i])) {
      refuse_launch(function, "a block of " + dim_text(launch.block) + " threads: at most " +
                                  std::to_string(properties.max_block[i]) + " in dimension " +
                                  "xyz"[i]);
    }
  }
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const auto most = static_cast<std::uint64_t>(function.attributes.max_threads_per_block);
  if (threads > most) {
    refuse_launch(function, "a block of " + dim_text(launch.block) + " = " +
                                std::to_string(threads) + " threads: at most " +
                                std::to_string(most) + " are allowed");
  }
  // Which ptxas would not have compiled.
  if (constexpr std::size_t most_static = 48 << 10; function.static_shared > most_static) {
    refuse_launch(function, "its __shared__ arrays take " + std::to_string(function.static_shared) +
                                " bytes: at most " + std::to_string(most_static) +
                                " can be declared; more is dynamic (extern __shared__)");
  }
  const std::size_t shared = function.static_shared + launch.dynamic_shared_bytes;
  if (shared > properties.shared_per_block_optin) {
    refuse_launch(function, std::to_string(shared) + " bytes of shared memory a block: at most " +
                                std::to_string(properties.shared_per_block_optin) + " are there");
  }
  if (launch.parameters.size() < function.attributes.parameter_total) {
    refuse_launch(function, "its parameters take " +
                                std::to_string(function.attributes.parameter_total) + " bytes, " +
                                std::to_string(launch.parameters.size()) + " were given");
  }
}

std::uint64_t Device::Implementation::resident_blocks(unsigned threads, std::size_t shared) const {
  const int blocks = occupancy_of(properties, static_cast<int>(threads), shared).blocks;
  return static_cast<std::uint64_t>(std::max(blocks, 1)) *
         static_cast<std::uint64_t>(properties.multiprocessors);
}

void Device::Implementation::update_observers() {
  if (options.watch == watched || running > 0) return;
  watched = options.watch;
  observers = make_observers(watched, memory, findings, trace);
}

void Device::Implementation::run(const Launch& launch) {
  check(launch);
  const Function& function = *launch.function;
  LaunchState state;
  state.function = &function;
  state.grid = launch.grid;
  state.block = launch.block;
  state.threads = launch.block.x * launch.block.y * launch.block.z;
  state.warps = (state.threads + lanes - 1) / lanes;
  state.dynamic_shared = static_cast<std::uint32_t>(launch.dynamic_shared_bytes);
  state.shared_bytes = function.static_shared;
  if (state.dynamic_shared > 0) {
    state.shared_bytes = dynamic_shared_start(function) + state.dynamic_shared;
  }
  state.local_stride = function.local_bytes;
  if (function.calls_functions || function.allocates_stack)
    state.local_stride += static_cast<std::uint32_t>(options.stack_bytes);
  std::unique_lock lock(launch_mutex);
  update_observers();
  trace.limits = options.trace;
  state.observers = &observers;
  state.counts = (watched & watch_counters) != 0;
  state.findings = &findings;
  state.memcheck = (options.watch & watch_memcheck) != 0;
  state.order_seed = options.order_seed;
  state.grid_id = ++launches;
  state.multiprocessors = properties.multiprocessors;
  state.memory = &memory;
  memory.limit_heap(options.heap_bytes);
  const std::vector<const Function*> known = functions;  // more may be loaded meanwhile
  state.functions = &known;
  state.output = &output;
  state.output_mutex = &output_mutex;
  state.when_stalled = launch.when_stalled ? &launch.when_stalled : nullptr;
  state.nobody_else = launch.nobody_else ? &launch.nobody_else : nullptr;
  state.several_threads = running > 0 || memory.maps_host();
  const RunningScope scope(*this);
  lock.unlock();
  const double started = now();
  if (options.time_limit_s > 0) state.deadline = started + options.time_limit_s;

  std::vector<std::byte> parameters(launch.parameters.begin(), launch.parameters.end());
  parameters.resize(parameters.size() + 16);
  state.parameter_bytes = parameters.data();
  if (function.needs_parameter_memory) {
    state.parameters =
        memory.allocate(parameters.size(), "kernel parameters", DeviceMemory::Owner::module);
    std::memcpy(memory.host(state.parameters, parameters.size(), "launch"), parameters.data(),
                parameters.size());
  }
  const std::uint64_t resident = resident_blocks(state.threads, state.shared_bytes);
  if (launch.cooperative) {
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    if (blocks > resident) {
      refuse_launch(function, "a cooperative grid of " + std::to_string(blocks) +
                                  " blocks: at most " + std::to_string(resident) +
                                  " can be on the device at once");
    }
    constexpr std::size_t bytes = 256;
    state.grid_workspace =
        memory.allocate(bytes, "grid synchronization", DeviceMemory::Owner::module);
    std::memset(memory.host(state.grid_workspace, bytes, "launch"), 0, bytes);
  }
  Counters done;
  Tally tally;
  std::exception_ptr error;
  const bool one_thread = std::any_of(observers.begin(), observers.end(), [](const auto& observer) {
    return observer->needs_one_thread();
  });
  tell_observers([&](Observer& observer) { observer.launch_starts(state); });
  try {
    run_grid(state, one_thread ? 1 : options.threads, resident, done, tally);
  } catch (...) {
    error = std::current_exception();
  }
  for (const DeviceAddress own : {state.parameters, state.grid_workspace}) {
    if (own != 0) memory.free(own, DeviceMemory::Owner::module);
  }
  lock.lock();
  for (const auto& observer : observers) observer->launch_ends(state);
  done.launches = 1;
  done.kernel_seconds = now() - started;
  if (state.counts) record(launch, state, tally, done);
  counters += done;
  lock.unlock();
  if (error) std::rethrow_exception(error);
}

// `done` holds what is always counted; the rest is added.
void Device::Implementation::record(const Launch& launch, const LaunchState& state,
                                    const Tally& tally, Counters& done) {
  LaunchRecord record{
      .kernel = launch.function->display_name,
      .grid = launch.grid,
      .block = launch.block,
      .shared_bytes = state.shared_bytes,
      .occupancy = occupancy_of(properties, static_cast<int>(state.threads), state.shared_bytes),
      .counters = {},
      .lines = count_lines(functions, tally)};
  Counters& sum = record.counters;
  for (const LaunchRecord::Line& line : record.lines) sum += line.counters;
  sum.launches = done.launches;
  sum.kernel_seconds = done.kernel_seconds;
  sum.unique_read_bytes = 32 * tally.read.count();
  sum.unique_written_bytes = 32 * tally.written.count();
  done = sum;
  if (records.size() < most_launch_records) records.push_back(std::move(record));
}

void Device::launch(const Launch& launch) {
  implementation_->run(launch);
}

}  // namespace ladder::emulator
