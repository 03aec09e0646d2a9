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
    void* found = dlsym(library_, name);
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
  DRIVER_FUNCTION(cuCtxSynchronize);
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
    CUcontext context;
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    driver_.check(driver_.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }

  std::string name() const override { return name_; }

  Outcome run(const KernelRun& run) override {
    Outcome outcome;
    CUmodule module = nullptr;
    CUdeviceptr in = 0, out = 0;
    try {
      char log[4096] = "";
      CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
      void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
      const CUresult loaded =
          driver_.cuModuleLoadDataEx(&module, run.ptx.c_str(), 2, options, values);
      if (loaded != CUDA_SUCCESS && log[0] != '\0') throw std::runtime_error(log);
      driver_.check(loaded, "cuModuleLoadDataEx");
      CUfunction kernel;
      driver_.check(driver_.cuModuleGetFunction(&kernel, module, "k"), "cuModuleGetFunction");
      const std::size_t in_bytes = run.in.empty() ? 1 : run.in.size();
      const std::size_t out_bytes = run.out_bytes == 0 ? 1 : run.out_bytes;
      driver_.check(driver_.cuMemAlloc(&in, in_bytes), "cuMemAlloc");
      driver_.check(driver_.cuMemAlloc(&out, out_bytes), "cuMemAlloc");
      driver_.check(driver_.cuMemcpyHtoD(in, run.in.data(), run.in.size()), "cuMemcpyHtoD");
      driver_.check(driver_.cuMemsetD8(out, 0, out_bytes), "cuMemsetD8");
      std::uint32_t n = run.n;
      std::vector<std::byte> more = run.more_parameters;
      void* parameters[] = {&out, &in, &n, more.data()};
      driver_.check(driver_.cuLaunchKernel(kernel, run.blocks, 1, 1, run.threads, 1, 1, 0, nullptr,
                                           parameters, nullptr),
                    "cuLaunchKernel");
      const CUresult ended = driver_.cuCtxSynchronize();
      outcome.machine_is_lost = ended != CUDA_SUCCESS;
      driver_.check(ended, "kernel");
      outcome.out.resize(run.out_bytes);
      driver_.check(driver_.cuMemcpyDtoH(outcome.out.data(), out, run.out_bytes), "cuMemcpyDtoH");
    } catch (const std::exception& error) {
      outcome.error = error.what();
    }
    if (in != 0) driver_.cuMemFree(in);
    if (out != 0) driver_.cuMemFree(out);
    if (module != nullptr) driver_.cuModuleUnload(module);
    return outcome;
  }

 private:
  Driver driver_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Machine> gpu_machine(int number) {
  return std::make_unique<Gpu>(number);
}

}  // namespace ladder::emulator
