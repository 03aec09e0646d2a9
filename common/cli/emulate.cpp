// `ladder emulate`: a whole CUDA program, ours or not, on the emulator.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/emulator/program.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

namespace fs = std::filesystem;

int emulate(const EmulateRequest& request) {
  const Course course = open_course();
  const fs::path program = built_program(course, request.program, request.architecture);
  emulator::ProgramOptions options;
  options.cudart = request.cudart.empty() ? emulator_cudart(course.tree, course.toolkit)
                                          : fs::path(request.cudart);
  if (!fs::exists(options.cudart))
    throw UsageError("no such file: " + options.cudart.string() + " (the CUDA runtime to run on)");
  options.cudart = fs::absolute(options.cudart);
  options.threads = request.threads;
  options.time_limit_s = request.time_limit_s;
  options.device = request.device;
  if (!request.observers.empty()) parse_observers(request.observers);
  options.observers = request.observers;
  options.order_seed = request.order_seed;
  options.fault_exit = static_cast<int>(Verdict::trapped);
  emulator::run_program(emulator::inspect_program(program), request.arguments, options);
}

}  // namespace ladder::cli
