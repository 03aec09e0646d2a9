// Times one kernel on the emulator, in executed PTX instructions a second of processor time.
//
//   emulator_bench FILE.ptx KERNEL GX,GY,GZ BX,BY,BZ ARGUMENT...
//
// ARGUMENT: b:BYTES a buffer of floats (0, 1, 2 ... 15, 0, ...), z:BYTES one of zeros, i:VALUE,
// f:VALUE. Options of the environment: THREADS (default 1), WATCH=memcheck,counters (as in
// watch.hpp; default memcheck; WATCH= for none), SHARED=BYTES, REPEAT=N.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "common/emulator/device.hpp"

namespace {

using namespace ladder::emulator;

Dim3 parse_dim(const char* text) {
  Dim3 d;
  std::sscanf(text, "%u,%u,%u", &d.x, &d.y, &d.z);
  return d;
}

int variable(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoi(value) : otherwise;
}

DeviceAddress buffer(Device& device, std::size_t bytes, bool zeros) {
  std::vector<float> values(bytes / 4);
  for (std::size_t i = 0; i < values.size() && !zeros; ++i) values[i] = static_cast<float>(i % 16);
  const DeviceAddress at = device.allocate(bytes, "argument");
  device.copy_in(at, values.data(), values.size() * 4);
  return at;
}

// Processor time: a busy machine does not change it.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int run(int count, char** arguments) {
  std::ifstream file(arguments[1]);
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  Options options;
  options.threads = variable("THREADS", 1);
  if (const char* names = std::getenv("WATCH")) {
    const std::optional<Watch> watch = parse_watch(names);
    if (!watch) {
      std::fprintf(stderr, "WATCH names something that does not exist: %s\n", names);
      return 2;
    }
    options.watch = *watch;
  }
  Device device({}, options);
  const double load_begin = cpu_seconds();
  Module* module = device.load(ptx, arguments[1]);
  const double load = cpu_seconds() - load_begin;
  const Function* function = device.function(module, arguments[2]);
  if (!function) {
    std::fprintf(stderr, "no kernel %s in %s\n", arguments[2], arguments[1]);
    return 2;
  }
  const FunctionAttributes& attributes = device.attributes(function);
  std::vector<std::byte> parameters(attributes.parameter_total);
  DeviceAddress last = 0;
  std::size_t last_bytes = 0;
  for (int i = 5; i < count && i - 5 < static_cast<int>(attributes.parameter_bytes.size()); ++i) {
    std::byte* to =
        parameters.data() + attributes.parameter_offsets[static_cast<std::size_t>(i - 5)];
    const char* value = arguments[i] + 2;
    if (arguments[i][0] == 'i') {
      const int number = std::atoi(value);
      std::memcpy(to, &number, 4);
    } else if (arguments[i][0] == 'f') {
      const float number = std::strtof(value, nullptr);
      std::memcpy(to, &number, 4);
    } else {
      last_bytes = std::strtoull(value, nullptr, 10);
      last = buffer(device, last_bytes, arguments[i][0] == 'z');
      std::memcpy(to, &last, 8);
    }
  }
  Launch launch;
  launch.function = function;
  launch.grid = parse_dim(arguments[3]);
  launch.block = parse_dim(arguments[4]);
  launch.dynamic_shared_bytes = static_cast<std::size_t>(variable("SHARED", 0));
  launch.parameters = parameters;
  double best = 0;
  std::uint64_t instructions = 0;
  for (int i = 0; i < variable("REPEAT", 5); ++i) {
    device.reset_counters();
    const double begin_seconds = cpu_seconds();
    device.launch(launch);
    const double seconds = cpu_seconds() - begin_seconds;
    instructions = device.counters().warp_instructions;
    best = std::max(best, static_cast<double>(instructions) / seconds);
  }
  std::vector<float> result(last_bytes / 4);
  if (last != 0) device.copy_out(result.data(), last, last_bytes);
  double sum = 0;
  for (const float value : result) sum += value;
  std::printf("%s: %.1f M warp-instructions, %.1f M/s (load %.2f ms, last buffer sums to %g)\n",
              arguments[2], static_cast<double>(instructions) / 1e6, best / 1e6, load * 1e3, sum);
  const Counters& c = device.counters();
  if ((options.watch & watch_counters) != 0) {
    std::printf(
        "  global load %llu requests %llu sectors, store %llu/%llu, shared load wavefronts "
        "%llu (ideal %llu), store %llu\n",
        static_cast<unsigned long long>(c.global_load_requests),
        static_cast<unsigned long long>(c.global_load_sectors),
        static_cast<unsigned long long>(c.global_store_requests),
        static_cast<unsigned long long>(c.global_store_sectors),
        static_cast<unsigned long long>(c.shared_load_wavefronts),
        static_cast<unsigned long long>(c.shared_load_wavefronts_ideal),
        static_cast<unsigned long long>(c.shared_store_wavefronts));
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::fprintf(stderr, "usage: %s FILE.ptx KERNEL GRID BLOCK ARGUMENT...\n", arguments[0]);
    return 2;
  }
  try {
    return run(count, arguments);
  } catch (const Fault& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 1;
  }
}
