// What device memory costs the host.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>

#include "common/emulator/exec/test_kernel.hpp"

using namespace ladder::emulator;

namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

// Bytes of this process that are in memory now.
std::size_t resident() {
  long all = 0, in_memory = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &all, &in_memory) != 2) in_memory = 0;
  std::fclose(file);
  return static_cast<std::size_t>(in_memory) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("device memory that nobody touches costs nothing") {
  const std::size_t before = resident();
  REQUIRE(before > 0);
  TestKernel k(kernel_text(1, std::string(own_word) + "st.global.u32 [%rd1], %r1;"));
  const DeviceAddress at = k.device.allocate(1024 * mega);
  k.launch({1, 1, 1}, {32, 1, 1}, {at + 512 * mega});
  CHECK(k.read(at + 512 * mega, 32)[31] == 31);
  CHECK(resident() - before < 64 * mega);
}

TEST_CASE("device memory that is used costs a fifth more at most, and 200 MB") {
  const std::size_t before = resident();
  {
    TestKernel k(kernel_text(1, std::string(own_word) + "st.global.u32 [%rd1], %r1;"));
    const std::size_t bytes = 128 * mega;
    const DeviceAddress at = k.device.allocate(bytes);
    k.device.set(at, 1, bytes);
    k.launch({64, 1, 1}, {256, 1, 1}, {at});
    const std::size_t grown = resident() - before;
    CHECK(grown >= bytes);
    CHECK(grown <= bytes + bytes / 5 + 200 * mega);
    k.device.free(at);
  }
  // What was freed is given back.
  CHECK(resident() < before + 64 * mega);
}
