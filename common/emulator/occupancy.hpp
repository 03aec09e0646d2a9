// How many blocks of a launch one multiprocessor can hold, as far as that is known without the
// registers a kernel needs: those are chosen by ptxas, which the emulator does not run.
#pragma once

#include <cstddef>

namespace ladder::emulator {

struct DeviceProperties;

struct Occupancy {
  int blocks = 0;  // of one multiprocessor; 0: not even one fits
  int warps = 0, of_warps = 0;
  const char* limited_by = "";  // "threads", "blocks" or "shared memory"
};

Occupancy occupancy_of(const DeviceProperties& properties, int threads, std::size_t shared_bytes);

}  // namespace ladder::emulator
