// One scratch buffer a solver, grown when a call needs more, freed when the solver is unloaded.
//
// The first call at a size allocates and is never timed; later ones find the buffer there. Its
// contents are whatever the last call left: reset what you rely on inside every call.
#pragma once

#include <cstddef>

#include "common/check.hpp"

namespace ladder {

class Workspace {
 public:
  Workspace() = default;
  ~Workspace() { cudaFree(buffer_); }  // at unload an error has nobody left to tell
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Device memory of at least `count` elements, aligned to 256 bytes.
  template <class T>
  T* get(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes > bytes_) {
      CUDA_CHECK(cudaFree(buffer_));
      buffer_ = nullptr;
      bytes_ = 0;
      CUDA_CHECK(cudaMalloc(&buffer_, bytes));
      bytes_ = bytes;
    }
    return static_cast<T*>(buffer_);
  }

 private:
  void* buffer_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ladder
