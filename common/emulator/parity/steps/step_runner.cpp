// Calls solve() of the course's steps, each once, at the size at which its goals are counted or its
// chapter was measured, so that a profiler sees nothing but their kernels.
//
//   step_runner CUDART FILE.cu OBJECT [FILE.cu OBJECT]...
//
// On the emulator it prints the launches in order, one a line: the step's id, a number that changes
// with its code, and which of its launches it is: "01_vector_add.step_02_one_block@1f2e3d4c#0".
#include <dlfcn.h>
#include <ffi.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/harness/cases.hpp"
#include "common/harness/files.hpp"
#include "common/harness/judge_backend.hpp"
#include "common/harness/solver_header.hpp"
#include "common/harness/text.hpp"
#include "common/harness/worker_cuda.hpp"

namespace ladder {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& why) {
  throw std::runtime_error(why);
}

// Of the source without its comments: a page's prose changes no counter.
std::uint32_t code_number(const std::string& source) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const std::string& line : lines_of(source)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, 2, "//") == 0) continue;
    for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  return hash;
}

const Problem& problem_of(const fs::path& file, const SolverHeader& header) {
  const std::string chapter = file.parent_path().filename();
  for (const Problem& problem : problems().all()) {
    if (header.problem.empty() ? problem.chapter == chapter : problem.name == header.problem)
      return problem;
  }
  fail(file.string() + " is in no chapter");
}

// The sizes of chapters that the course has come to count at other ones since they were measured.
// Whoever measures a chapter anew takes its line out.
const std::map<std::string, Parameters> measured_at = {
    {"02_transpose", {{"rows", 257}, {"cols", 255}}},
};

std::optional<Parameters> size_for(const fs::path& file, const Problem& problem,
                                   const SolverHeader& header) {
  const auto found = measured_at.find(file.parent_path().filename().string());
  return found == measured_at.end() ? counting_size(problem, header) : found->second;
}

// The arguments of one call, with their arrays on the device.
class Call {
 public:
  Call(worker::Cuda& cuda, const Problem& problem, const Parameters& size)
      : cuda_(cuda), slots_(problem.arguments.size()) {
    Case tried = cases_at(problem, {size, std::nullopt}, 1).at(0);
    const Inputs inputs = make_inputs(problem, tried);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Argument& argument = problem.arguments[i];
      if (argument.role == Role::scalar) {
        set_scalar(slots_[i], argument, size);
      } else {
        set_array(slots_[i], argument, size, inputs);
      }
    }
  }
  ~Call() {
    for (const Slot& slot : slots_) {
      if (slot.type == &ffi_type_pointer) cuda_.free(slot.value.pointer);
    }
  }
  Call(const Call&) = delete;

  void make(void (*solve)()) {
    std::vector<ffi_type*> types;
    std::vector<void*> values;
    for (Slot& slot : slots_) {
      types.push_back(slot.type);
      values.push_back(&slot.value);
    }
    ffi_cif interface;
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(slots_.size()),
                     &ffi_type_void, types.data()) != FFI_OK)
      fail("libffi cannot describe the call");
    ffi_call(&interface, solve, nullptr, values.data());
    require(cuda_.get_last_error());
    require(cuda_.synchronize());
  }

 private:
  struct Slot {
    ffi_type* type = nullptr;
    union {
      void* pointer;
      std::int32_t i32;
      float f32;
    } value{};
  };

  void require(int error) const {
    if (error != worker::cuda_success) fail(cuda_.describe(error));
  }

  static void set_scalar(Slot& slot, const Argument& argument, const Parameters& size) {
    if (argument.type == ElementType::i32) {
      slot.type = &ffi_type_sint32;
      slot.value.i32 = static_cast<std::int32_t>(size[argument.name]);
    } else {
      slot.type = &ffi_type_float;
      slot.value.f32 = static_cast<float>(size.real(argument.name));
    }
  }

  void set_array(Slot& slot, const Argument& argument, const Parameters& size,
                 const Inputs& inputs) {
    slot.type = &ffi_type_pointer;
    const std::size_t bytes =
        static_cast<std::size_t>(argument.extent(size)) * size_of(argument.type);
    require(cuda_.malloc(&slot.value.pointer, bytes));
    const auto input = inputs.find(argument.name);
    require(input == inputs.end() ? cuda_.memset(slot.value.pointer, 0, bytes)
                                  : cuda_.memcpy(slot.value.pointer, input->second.bytes().data(),
                                                 bytes, worker::host_to_device));
  }

  worker::Cuda& cuda_;
  std::vector<Slot> slots_;
};

std::uint64_t launches_so_far(const worker::Cuda& cuda) {
  double launches = 0;
  cuda.emulator->counters(
      [](const char* name, double value, void* context) {
        if (std::strcmp(name, "launches") == 0) *static_cast<double*>(context) = value;
      },
      &launches);
  return static_cast<std::uint64_t>(launches);
}

void run_step(worker::Cuda& cuda, const fs::path& file, const char* object) {
  const SolverHeader header = read_solver_header(file);
  const Problem& problem = problem_of(file, header);
  const std::optional<Parameters> size = size_for(file, problem, header);
  if (!size) fail(file.string() + ": no size of ours fits its @limits");
  void* library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
  void* solve = dlsym(library, "solve");
  if (solve == nullptr) fail(std::string(object) + " exports no solve");
  const std::uint64_t before = cuda.emulator == nullptr ? 0 : launches_so_far(cuda);
  Call(cuda, problem, *size).make(reinterpret_cast<void (*)()>(solve));
  if (cuda.emulator == nullptr) return;
  const std::uint64_t launches = launches_so_far(cuda) - before;
  const std::string id = file.parent_path().filename().string() + "." + file.stem().string();
  for (std::uint64_t i = 0; i < launches; ++i)
    std::printf("%s@%08x#%ju\n", id.c_str(), code_number(read_file(file)),
                static_cast<std::uintmax_t>(i));
}

int run(const std::vector<std::string>& words) {
  if (words.size() < 3 || words.size() % 2 == 0)
    fail("usage: step_runner CUDART FILE.cu OBJECT [FILE.cu OBJECT]...");
  worker::Cuda cuda;
  std::string error;
  if (!cuda.open(words[0].c_str(), error)) fail(error);
  for (std::size_t i = 1; i < words.size(); i += 2)
    run_step(cuda, fs::canonical(words[i]), words[i + 1].c_str());
  return 0;
}

}  // namespace
}  // namespace ladder

int main(int count, char** words) {
  try {
    return ladder::run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_runner: %s\n", error.what());
    return 1;
  }
}
