// A GPU through the driver's API. libcuda is loaded by hand, so that programs which can use a GPU
// start without one.
#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "common/emulator/kernel_runs/kernel_run.hpp"

namespace ladder::emulator {
namespace {

#define NAME_AS_TEXT(name) #name
#define NAME_OF(name) NAME_AS_TEXT(name)
// cuda.h renames functions to their newest version (cuMemAlloc_v2): so does the text.
#define DRIVER_FUNCTION(name) decltype(&::name) name = find<decltype(&::name)>(NAME_OF(name))

class Driver {
 public:
  Driver() { check(cuInit(0), "cuInit"); }
  void check(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    throw std::runtime_error(std::string(what) + ": " + (text ? text : "unknown error"));
  }

 private:
  void* library_ = open();
  static void* open() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr)
      throw std::runtime_error(std::string("no NVIDIA driver here: ") + dlerror());
    return library;
  }
  template <class F>
  F find(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(std::string("libcuda has no ") + name);
    return reinterpret_cast<F>(found);
  }

 public:
  DRIVER_FUNCTION(cuInit);
  DRIVER_FUNCTION(cuGetErrorString);
  DRIVER_FUNCTION(cuDriverGetVersion);
  DRIVER_FUNCTION(cuDeviceGet);
  DRIVER_FUNCTION(cuDeviceGetName);
  DRIVER_FUNCTION(cuDevicePrimaryCtxRetain);
  DRIVER_FUNCTION(cuCtxSetCurrent);
  DRIVER_FUNCTION(cuModuleLoadDataEx);
  DRIVER_FUNCTION(cuModuleUnload);
  DRIVER_FUNCTION(cuModuleGetFunction);
  DRIVER_FUNCTION(cuMemAlloc);
  DRIVER_FUNCTION(cuMemFree);
  DRIVER_FUNCTION(cuMemsetD8);
  DRIVER_FUNCTION(cuMemcpyHtoD);
  DRIVER_FUNCTION(cuMemcpyDtoH);
  DRIVER_FUNCTION(cuLaunchKernel);
  DRIVER_FUNCTION(cuDevicePrimaryCtxSetFlags);
  DRIVER_FUNCTION(cuCtxSetLimit);
  DRIVER_FUNCTION(cuStreamQuery);
};

constexpr double kSecondsOfKernel = 3;
constexpr std::size_t kStackBytes = 4096;

// Device memory that grows and is used again: to allocate is slow where many processes do.
class Buffer {
 public:
  explicit Buffer(const Driver& driver) : driver_(driver) {}
  CUdeviceptr at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      if (address_ != 0) driver_.cuMemFree(address_);
      address_ = 0;
      driver_.check(driver_.cuMemAlloc(&address_, 2 * bytes), "cuMemAlloc");
      bytes_ = 2 * bytes;
    }
    return address_;
  }

 private:
  const Driver& driver_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

class Gpu : public Machine {
 public:
  explicit Gpu(int number) {
    CUdevice device;
    driver_.check(driver_.cuDeviceGet(&device, number), "cuDeviceGet");
    char name[100];
    driver_.check(driver_.cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    int version = 0;
    driver_.check(driver_.cuDriverGetVersion(&version), "cuDriverGetVersion");
    name_ = std::string(name) + ", driver for CUDA " + std::to_string(version / 1000) + "." +
            std::to_string(version % 1000 / 10);
    // Stacks of different sizes would be allocated anew for each kernel.
    driver_.cuDevicePrimaryCtxSetFlags(device, CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SCHED_SPIN);
    CUcontext context;
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    driver_.check(driver_.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    driver_.check(driver_.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, kStackBytes), "cuCtxSetLimit");
  }

  std::string name() const override { return name_; }

  std::string load(const std::string& ptx) override {
    if (module_ != nullptr) driver_.cuModuleUnload(module_);
    module_ = nullptr;
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const CUresult loaded = driver_.cuModuleLoadDataEx(&module_, ptx.c_str(), 2, options, values);
    if (loaded == CUDA_SUCCESS) return {};
    module_ = nullptr;
    if (log[0] != '\0') return log;
    return "cuModuleLoadDataEx: error " + std::to_string(loaded);
  }

  Outcome launch(const KernelRun& run) override {
    Outcome outcome;
    try {
      CUfunction kernel;
      driver_.check(driver_.cuModuleGetFunction(&kernel, module_, run.kernel.c_str()),
                    "cuModuleGetFunction");
      CUdeviceptr in = in_.at_least(run.in.size() + 1), out = out_.at_least(run.out_bytes + 1);
      driver_.check(driver_.cuMemcpyHtoD(in, run.in.data(), run.in.size()), "cuMemcpyHtoD");
      driver_.check(driver_.cuMemsetD8(out, 0, run.out_bytes + 1), "cuMemsetD8");
      std::uint32_t n = run.n;
      std::vector<std::byte> more = run.more_parameters;
      void* parameters[] = {&out, &in, &n, more.data()};
      driver_.check(driver_.cuLaunchKernel(kernel, run.blocks, 1, 1, run.threads, 1, 1, 0, nullptr,
                                           parameters, nullptr),
                    "cuLaunchKernel");
      outcome.error = wait();
      outcome.machine_is_lost = !outcome.ok();
      if (!outcome.ok()) return outcome;
      outcome.out.resize(run.out_bytes);
      driver_.check(driver_.cuMemcpyDtoH(outcome.out.data(), out, run.out_bytes), "cuMemcpyDtoH");
    } catch (const std::exception& error) {
      outcome.error = error.what();
      outcome.machine_is_lost = true;
    }
    return outcome;
  }

 private:
  std::string wait() const {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      const CUresult state = driver_.cuStreamQuery(nullptr);
      if (state == CUDA_SUCCESS) return {};
      if (state != CUDA_ERROR_NOT_READY) {
        const char* text = nullptr;
        driver_.cuGetErrorString(state, &text);
        return std::string("kernel: ") + (text != nullptr ? text : "unknown error");
      }
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      if (passed.count() > kSecondsOfKernel) return "kernel: does not end";
      std::this_thread::yield();
    }
  }

  Driver driver_;
  std::string name_;
  CUmodule module_ = nullptr;
  Buffer in_{driver_}, out_{driver_};
};

}  // namespace

std::unique_ptr<Machine> gpu_machine(int number) {
  return std::make_unique<Gpu>(number);
}

}  // namespace ladder::emulator
