#include "common/harness/solver_target.hpp"

namespace ladder {

DeviceLimits limits_of(const protocol::Device& gpu) {
  return {gpu.major * 10 + gpu.minor, gpu.shared_optin_bytes, Backend::gpu};
}

BuildRequest request_for(const std::filesystem::path& file, const Problem& problem,
                         const SolverHeader& header, const JudgeOptions& options,
                         std::optional<int> sass) {
  BuildRequest request;
  request.source = file;
  request.problem = &problem;
  request.virtual_architecture = header.needs.architecture;
  const bool is_strangers = !options.own && header.title.empty();
  if (is_strangers) request.virtual_architecture = sass.value_or(DeviceLimits().architecture);
  if (options.architecture) request.virtual_architecture = *options.architecture;
  request.sass = sass;
  request.links = header.links;
  return request;
}

std::string unfit(const SolverHeader& header, const DeviceLimits& device) {
  const Needs& needs = header.needs;
  const std::string here = device.backend == Backend::emulator ? "the emulated GPU" : "this GPU";
  if (needs.architecture > device.architecture)
    return "needs sm_" + std::to_string(needs.architecture) + ", and " + here + " is sm_" +
           std::to_string(device.architecture);
  if (needs.shared_bytes > device.shared_bytes)
    return "needs " + std::to_string(needs.shared_bytes >> 10) +
           "K of shared memory a block, and " + here + " has " +
           std::to_string(device.shared_bytes >> 10) + "K";
  if (device.backend == Backend::emulator && !header.links.empty())
    return "needs a GPU: it calls the library " + header.links.front();
  return "";
}

}  // namespace ladder
