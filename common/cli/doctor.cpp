// `ladder doctor`: what this machine has and lacks, each with what to do about it.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/cli/course.hpp"
#include "common/cli/cpu.hpp"
#include "common/cli/version.hpp"
#include "common/harness/process.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

// ok: nothing to do; note: works, could be more; bad: the course does not work without it.
enum class Health { ok, note, bad };

class Findings {
 public:
  void add(Health health, const std::string& what, const std::string& found,
           const std::string& advice = "") {
    static constexpr const char* kWords[] = {"ok", "note", "bad"};
    static constexpr const char* kColours[] = {"\033[32m", "\033[33m", "\033[31m"};
    const auto index = static_cast<std::size_t>(health);
    std::printf("%s%-4s%s  %-11s %s\n", style_.colour ? kColours[index] : "", kWords[index],
                style_.colour ? "\033[0m" : "", what.c_str(), found.c_str());
    if (!advice.empty()) std::printf("                  %s\n", advice.c_str());
    bad_ |= health == Health::bad;
  }
  bool bad() const { return bad_; }

 private:
  ladder::Style style_ = ladder::Style::of_stdout();
  bool bad_ = false;
};

// What a program prints; empty when it is not there or fails.
std::string answer_of(const std::vector<std::string>& command) {
  try {
    const ProcessResult result = run_process(command, {{}, 10, 1 << 16});
    return result.exit_code == 0 ? result.output : "";
  } catch (const MachineError&) {
    return "";
  }
}

std::optional<Toolkit> report_toolkit(Findings& findings) {
  std::optional<Toolkit> toolkit = Toolkit::find();
  if (!toolkit) {
    findings.add(Health::bad, "toolkit", "no nvcc 12.0 or newer found",
                 "get one: https://developer.nvidia.com/cuda-downloads");
    return toolkit;
  }
  const std::string version = std::to_string(toolkit->major) + "." + std::to_string(toolkit->minor);
  const bool tried = toolkit->major == 13 && toolkit->minor == 0;
  findings.add(tried ? Health::ok : Health::note, "toolkit",
               "CUDA " + version + " at " + toolkit->root.string(),
               tried ? "" : "the course was tried with 13.0 only; 12.0 and newer should work");
  const std::string compiler = answer_of({"c++", "--version"});
  if (compiler.empty())
    findings.add(Health::bad, "compiler", "no C++ compiler", "apt-get install g++");
  else
    findings.add(Health::ok, "compiler", compiler.substr(0, compiler.find('\n')));
  return toolkit;
}

void report_gpus(Findings& findings, const Toolkit* toolkit) {
  const GpuProbe probe = probe_gpus(toolkit);
  if (probe.driver_cuda == 0) {
    findings.add(Health::note, "driver", "none",
                 "not needed for the emulator; for a GPU install NVIDIA's driver (on WSL2: in "
                 "Windows)");
  } else {
    findings.add(Health::ok, "driver",
                 (probe.driver.empty() ? "" : probe.driver + ", ") + "serves CUDA up to " +
                     std::to_string(probe.driver_cuda / 1000) + "." +
                     std::to_string(probe.driver_cuda % 1000 / 10));
  }
  for (const Gpu& gpu : probe.gpus) {
    char text[320];
    std::snprintf(text, sizeof text, "%d: %s, sm_%d, %.0f GiB", gpu.index, gpu.name.c_str(),
                  gpu.architecture, static_cast<double>(gpu.memory_bytes) / (1 << 30));
    findings.add(gpu.architecture >= 75 ? Health::ok : Health::note, "gpu", text,
                 gpu.architecture >= 75 ? "" : "too old: Turing (sm_75) or newer is needed");
  }
  if (probe.unusable.empty()) {
    findings.add(Health::ok, "backend", "the emulator, then the GPU (--on auto)");
  } else {
    findings.add(Health::ok, "backend", "the emulator (" + probe.unusable + ")");
  }
}

void report_emulator(Findings& findings, const Tree& tree, const Toolkit* toolkit) {
  if (!toolkit) return;
  const std::filesystem::path library = emulator_cudart(tree, *toolkit);
  if (std::filesystem::exists(library))
    findings.add(Health::ok, "emulator", shown(library));
  else
    findings.add(Health::bad, "emulator", "not built: " + shown(library),
                 "run ./ladder, which builds it");
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  utsname machine{};
  uname(&machine);
  return machine.machine;
}

void report_machine(Findings& findings) {
  const std::string cores = std::to_string(std::thread::hardware_concurrency()) + " cores";
#if defined(__x86_64__)
  std::ostringstream cpuinfo;
  cpuinfo << std::ifstream("/proc/cpuinfo").rdbuf();
  const std::string lacking = lacking_vectors(cpuinfo.str());
  findings.add(
      lacking.empty() ? Health::ok : Health::note, "cpu",
      cpu_model() + ", " + cores + (lacking.empty() ? ", AVX2" : ", lacks " + lacking),
      lacking.empty() ? "" : "the emulator is built with portable loops, a few times slower");
#else
  findings.add(Health::note, "cpu", cpu_model() + ", " + cores,
               "the emulator uses its portable loops here");
#endif
  std::ifstream file("/proc/meminfo");
  std::string key;
  double total = 0, available = 0, value = 0;
  while (file >> key >> value) {
    if (key == "MemTotal:") total = value;
    if (key == "MemAvailable:") available = value;
    file.ignore(64, '\n');
  }
  char text[96];
  std::snprintf(text, sizeof text, "%.1f GiB, %.1f free", total / (1 << 20), available / (1 << 20));
  const bool enough = available > 2.0 * (1 << 20);
  findings.add(enough ? Health::ok : Health::note, "memory", text,
               enough ? "" : "the largest checks want about 2 GiB free");
}

// Landlock's version, 0 when the kernel has none.
long landlock_version() {
#if defined(SYS_landlock_create_ruleset)
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U);
  return version > 0 ? version : 0;
#else
  return 0;
#endif
}

void report_sandbox(Findings& findings) {
  const bool bubblewrap = !answer_of({"bwrap", "--version"}).empty();
  const bool namespaces =
      !answer_of({"unshare", "--user", "--map-root-user", "echo", "yes"}).empty();
  const long landlock = landlock_version();
  std::ifstream actions("/proc/sys/kernel/seccomp/actions_avail");
  const bool seccomp = actions.good();
  const std::string text =
      std::string("bubblewrap ") + (bubblewrap ? "yes" : "no") + ", user namespaces " +
      (namespaces ? "yes" : "no") + ", Landlock " +
      (landlock > 0 ? "yes (version " + std::to_string(landlock) + ")" : "no") + ", seccomp " +
      (seccomp ? "yes" : "no");
  findings.add(bubblewrap && namespaces ? Health::ok : Health::note, "sandbox", text,
               bubblewrap && namespaces
                   ? ""
                   : "only for running other people's code; check your own without it. "
                     "apt-get install bubblewrap");
}

void report_packages(Findings& findings) {
  const std::pair<const char*, const char*> tools[] = {
      {"meson", "meson"}, {"ninja", "ninja-build"}, {"pkg-config", "pkg-config"}};
  std::string missing;
  for (const auto& [command, package] : tools)
    if (answer_of({command, "--version"}).empty()) missing += std::string(" ") + package;
  findings.add(missing.empty() ? Health::ok : Health::bad, "packages",
               missing.empty() ? "all that the build needs" : "missing:" + missing,
               missing.empty() ? "" : "apt-get install" + missing);
}

}  // namespace

int doctor() {
  Findings findings;
  std::printf("%s\n", kVersionText);
  const std::optional<Toolkit> toolkit = report_toolkit(findings);
  const Toolkit* found = toolkit ? &*toolkit : nullptr;
  report_gpus(findings, found);
  report_emulator(findings, Tree::find(), found);
  report_machine(findings);
  report_sandbox(findings);
  report_packages(findings);
  return static_cast<int>(findings.bad() ? Verdict::machine_fault : Verdict::solved);
}

}  // namespace ladder::cli
