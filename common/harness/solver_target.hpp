// How a solver is built for a backend, and why one does not run there: the same for all that judge,
// profile and time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/harness/builder.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/worker_protocol.hpp"

namespace ladder {

// What a solver may need of a device.
struct DeviceLimits {
  int architecture = 90;                                  // the emulated GPU's
  std::uint64_t shared_bytes = std::uint64_t{227} << 10;  // of a block
  Backend backend = Backend::emulator;
};
DeviceLimits limits_of(const protocol::Device& gpu);

// `sass`: the architecture of the GPU that it is also compiled for. A stranger's file, one without
// a header, may use all that the device has; the course's declare in @needs what they use.
BuildRequest request_for(const std::filesystem::path& file, const Problem& problem,
                         const SolverHeader& header, const JudgeOptions& options,
                         std::optional<int> sass = std::nullopt);

// Why the solver does not run on this device, or "".
std::string unfit(const SolverHeader& header, const DeviceLimits& device);

}  // namespace ladder
