#include "common/device/workspace.hpp"

#include <doctest/doctest.h>

#include <cstdint>

static std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

TEST_CASE("a workspace keeps its buffer, and what is in it, while it is large enough") {
  ladder::Workspace workspace;
  int* first = workspace.get<int>(1000);
  const int value = 42;
  CUDA_CHECK(cudaMemcpy(first + 5, &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK(workspace.get<float>(10) == static_cast<void*>(first));
  int found = 0;
  CUDA_CHECK(cudaMemcpy(&found, first + 5, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(found == value);
}

TEST_CASE("a workspace grows, is aligned to 256 bytes and gives all of it back") {
  const std::size_t before = free_memory();
  {
    ladder::Workspace workspace;
    workspace.get<char>(1);
    double* large = workspace.get<double>(1 << 20);
    CHECK(reinterpret_cast<std::uintptr_t>(large) % 256 == 0);
    CUDA_CHECK(cudaMemset(large, 0, (1 << 20) * sizeof(double)));
    CHECK(free_memory() + (1 << 20) * sizeof(double) <= before);
  }
  CHECK(free_memory() == before);
}

TEST_CASE("a workspace asked for nothing has nothing") {
  ladder::Workspace workspace;
  CHECK(workspace.get<float>(0) == nullptr);
}
