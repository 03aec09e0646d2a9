// The kernels that `ladder bench` compares with, on the emulator: what they do, not how fast.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "common/check.hpp"
#include "common/harness/builder.hpp"
#include "common/harness/cases.hpp"

namespace ladder {
namespace {

// A device array for the length of a test.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) : bytes_(bytes) {
    CUDA_CHECK(cudaMalloc(&data_, bytes));
    CUDA_CHECK(cudaMemset(data_, 0xC5, bytes));
  }
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  void* data() const { return data_; }
  std::vector<std::byte> contents() const {
    std::vector<std::byte> host(bytes_);
    CUDA_CHECK(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

template <class Function>
Function* ceiling(const char* name) {
  static void* library = [] {
    const auto toolkit = Toolkit::find();
    REQUIRE(toolkit.has_value());
    const Tree tree = Tree::find();
    BuildRequest request;
    request.source = tree.source / "common/harness/ceilings.cu";
    return dlopen(build_solver(tree, *toolkit, request).object.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  REQUIRE(library != nullptr);
  void* symbol = dlsym(library, name);
  REQUIRE(symbol != nullptr);
  return reinterpret_cast<Function*>(symbol);
}

using Fill = bool(void*, int, std::int64_t, std::uint64_t, int, int);

constexpr std::int64_t elements = 1000;  // no multiple of a block
constexpr int random_inputs = static_cast<int>(Distribution::random);

void fill(const DeviceBytes& array, std::uint64_t seed, int argument) {
  REQUIRE(ceiling<Fill>("ladder_fill")(array.data(), 0, elements, seed, argument, random_inputs));
}

TEST_CASE("inputs made on the device are the checker's, bit for bit, in every float type") {
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    for (const int argument : {0, 3}) {
      CAPTURE(static_cast<int>(type));
      CAPTURE(argument);
      Buffer expected(type, elements);
      Generator generator(77, static_cast<unsigned>(argument));
      Case tried;
      tried.distribution = Distribution::random;
      fill_from_distribution(tried, Argument{}, generator, expected);
      const DeviceBytes array(expected.bytes().size());
      REQUIRE(ceiling<Fill>("ladder_fill")(array.data(), static_cast<int>(type), elements, 77,
                                           argument, random_inputs));
      const auto got = array.contents();
      CHECK(std::memcmp(got.data(), expected.bytes().data(), got.size()) == 0);
    }
  }
}

TEST_CASE("a fill says no to what it does not make") {
  const DeviceBytes array(elements * 4);
  const auto fill_with = ceiling<Fill>("ladder_fill");
  const int integers = static_cast<int>(ElementType::i32);
  CHECK_FALSE(fill_with(array.data(), integers, elements, 1, 0, random_inputs));
  CHECK_FALSE(fill_with(array.data(), 0, elements, 1, 0, random_inputs + 1));
}

TEST_CASE("the copy copies every byte") {
  const DeviceBytes from(elements * 4), to(elements * 4);
  fill(from, 5, 0);
  ceiling<void(const void*, void*, std::size_t)>("ladder_copy")(from.data(), to.data(),
                                                                elements * 4);
  CHECK(from.contents() == to.contents());
}

TEST_CASE("the read writes nothing, the flush writes all") {
  const DeviceBytes array(elements * 4), sink(4);
  const auto untouched = sink.contents();
  ceiling<void(const void*, void*, std::size_t)>("ladder_read")(array.data(), sink.data(),
                                                                elements * 4);
  CHECK(sink.contents() == untouched);
  ceiling<void(void*, std::size_t, unsigned)>("ladder_flush")(array.data(), elements * 4,
                                                              0x01010101u);
  CHECK(array.contents() == std::vector<std::byte>(elements * 4, std::byte{1}));
}

TEST_CASE("the arithmetic ceiling counts two operations for each multiply-add") {
  const DeviceBytes sink(4);
  const auto untouched = sink.contents();
  int multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const double operations = ceiling<double(void*, int)>("ladder_ffma")(sink.data(), 1);
  CUDA_CHECK(cudaDeviceSynchronize());
  CHECK(operations == 2.0 * 8 * 4096 * 256 * multiprocessors);
  CHECK(sink.contents() == untouched);
}

TEST_CASE("the empty kernel runs") {
  ceiling<void()>("ladder_empty")();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

}  // namespace
}  // namespace ladder
