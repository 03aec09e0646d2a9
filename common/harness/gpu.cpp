// The probe: a forked child loads libcuda.so.1 and writes what it finds to a pipe, a line a fact.
#include "common/harness/gpu.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/harness/text.hpp"

namespace ladder {
namespace {

// The driver's C interface, as far as it is needed; 0 is success.
using InitFunction = int (*)(unsigned);
using VersionFunction = int (*)(int*);
using CountFunction = int (*)(int*);
using DeviceFunction = int (*)(int*, int);
using NameFunction = int (*)(char*, int, int);
using AttributeFunction = int (*)(int*, int, int);
using MemoryFunction = int (*)(std::size_t*, int);
using BusFunction = int (*)(char*, int, int);

constexpr int kAttributeMajor = 75, kAttributeMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY
constexpr int kNoDevice = 100;                             // CUDA_ERROR_NO_DEVICE

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Runs in the child. Lines: "error TEXT", "version N", "gpu ARCH BYTES PCI NAME".
void ask_driver(std::FILE* out) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) {
    std::fprintf(out, "error no NVIDIA driver here\n");
    return;
  }
  const auto init = symbol<InitFunction>(driver, "cuInit");
  const auto version = symbol<VersionFunction>(driver, "cuDriverGetVersion");
  const auto count = symbol<CountFunction>(driver, "cuDeviceGetCount");
  const auto device = symbol<DeviceFunction>(driver, "cuDeviceGet");
  const auto name = symbol<NameFunction>(driver, "cuDeviceGetName");
  const auto attribute = symbol<AttributeFunction>(driver, "cuDeviceGetAttribute");
  const auto memory = symbol<MemoryFunction>(driver, "cuDeviceTotalMem_v2");
  const auto bus = symbol<BusFunction>(driver, "cuDeviceGetPCIBusId");
  if (!init || !version || !count || !device || !name || !attribute || !memory || !bus) {
    std::fprintf(out, "error libcuda.so.1 is not a CUDA driver\n");
    return;
  }
  int cuda = 0;
  if (version(&cuda) == 0) std::fprintf(out, "version %d\n", cuda);
  int number = 0;
  const int status = init(0);
  if (status == kNoDevice || (status == 0 && (count(&number) != 0 || number == 0))) {
    std::fprintf(out, "error the driver sees no GPU\n");
    return;
  }
  if (status != 0) {
    std::fprintf(out, "error the driver does not start (CUDA driver error %d)\n", status);
    return;
  }
  for (int i = 0; i < number; ++i) {
    int handle = 0, major = 0, minor = 0;
    std::size_t bytes = 0;
    char text[256] = "", place[64] = "";
    if (device(&handle, i) != 0) continue;
    name(text, sizeof text, handle);
    attribute(&major, kAttributeMajor, handle);
    attribute(&minor, kAttributeMinor, handle);
    memory(&bytes, handle);
    if (bus(place, sizeof place, handle) != 0) place[0] = '-';
    std::fprintf(out, "gpu %d %zu %s %s\n", 10 * major + minor, bytes, place, text);
  }
}

// Everything the child wrote within the limit; nothing if it had to be killed.
std::string run_child(double limit_s) {
  int ends[2];
  if (pipe(ends) != 0) return "error no pipe for asking the driver\n";
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return "error no process for asking the driver\n";
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    std::FILE* out = fdopen(ends[1], "w");
    if (out) ask_driver(out);
    if (out) std::fflush(out);
    _exit(0);  // the driver's own exit handlers may hang
  }
  close(ends[1]);
  std::string text;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  bool finished = false;
  while (!finished) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{ends[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0) break;
    char bytes[4096];
    const ssize_t got = read(ends[0], bytes, sizeof bytes);
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
    finished = got <= 0;
  }
  close(ends[0]);
  if (!finished) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!finished) return "error the driver does not answer\n";
  if (WIFSIGNALED(status)) return text + "error the driver crashed when asked for its GPUs\n";
  return text;
}

std::string driver_release() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  std::getline(file, version);
  return version;
}

std::string dotted(int cuda) {
  return std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
}

}  // namespace

GpuProbe probe_gpus(const Toolkit* toolkit, double limit_s) {
  GpuProbe probe;
  std::istringstream lines(run_child(limit_s));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "version") {
      words >> probe.driver_cuda;
    } else if (kind == "gpu") {
      Gpu gpu;
      gpu.index = static_cast<int>(probe.gpus.size());
      words >> gpu.architecture >> gpu.memory_bytes >> gpu.pci_bus_id >> std::ws;
      std::getline(words, gpu.name);
      probe.gpus.push_back(gpu);
    } else if (kind == "error") {
      std::getline(words >> std::ws, probe.unusable);
    }
  }
  if (probe.driver_cuda != 0) probe.driver = driver_release();
  if (!probe.unusable.empty()) return probe;
  if (probe.gpus.empty()) {
    probe.unusable = "the driver sees no GPU";
  } else if (toolkit && probe.driver_cuda / 1000 < toolkit->major) {
    probe.unusable = "the driver serves CUDA up to " + dotted(probe.driver_cuda) +
                     ", older than toolkit " + std::to_string(toolkit->major) + "." +
                     std::to_string(toolkit->minor);
  } else {
    bool turing = false;
    for (const Gpu& gpu : probe.gpus) turing |= gpu.architecture >= 75;
    if (!turing)
      probe.unusable = probe.gpus[0].name + " is older than Turing (sm_75), the oldest served";
  }
  return probe;
}

std::string visible_device(int index, const char* visible) {
  if (visible == nullptr) return std::to_string(index);
  const std::vector<std::string> devices = split_list(visible, ',');
  const auto place = static_cast<std::size_t>(index);
  return place < devices.size() ? devices[place] : "";
}

}  // namespace ladder
