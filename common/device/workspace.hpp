// One scratch buffer a solver, grown when a call needs more, freed when the solver is unloaded.
//
// The first call at a size allocates and is never timed; later ones find the buffer there. Its
// contents are whatever the last call left: reset what you rely on inside every call.
#pragma once

#include <cstddef>

#include "common/check.hpp"

namespace ladder {

// The buffer. Make it a static variable of your solver, so that it outlives the call. Not to be
// copied, and for one thread at a time.
class Workspace {
 public:
  Workspace() = default;
  // Frees the buffer; at unload an error has nobody left to tell.
  ~Workspace() { cudaFree(buffer_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Device memory of at least `count` elements, aligned to 256 bytes; null for none. It stays the
  // same until a call asks for more, which waits for the device and gives another. Fails, as
  // CUDA_CHECK does, if the device has no memory left.
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
