// Judges a whole program: first as it is, then with each of its CUDA calls made to fail in turn.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/emulator/program.hpp"
#include "common/harness/files.hpp"
#include "common/harness/gpu.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

constexpr int most_failures_shown = 4;
constexpr int most_calls_tried = 25;  // of one function: a program that loops is not tried for ever

// What a run left in the emulator's report.
struct Report {
  std::map<std::string, int> calls;
  std::vector<std::string> faults;
  std::vector<std::string> leaks;  // "400012 bytes from cudaMalloc"
};

struct Run {
  ProcessResult process;
  Report report;
};

std::string ordinal(int k) {
  const int last = k % 10;
  const bool teen = k % 100 / 10 == 1;
  const char* ending = teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
  return std::to_string(k) + ending;
}

bool begins(std::string_view text, std::string_view start) {
  return text.rfind(start, 0) == 0;
}

// Calls whose failure a program must notice, in all their variants, in the order in which they
// are tried; others (device properties, events) are not.
constexpr std::array<std::string_view, 9> tried_calls = {"cudaMalloc",
                                                         "cudaMemcpy",
                                                         "cudaMemset",
                                                         "cudaLaunch",
                                                         "__cudaLaunch",
                                                         "cudaDeviceSynchronize",
                                                         "cudaStreamSynchronize",
                                                         "cudaEventSynchronize",
                                                         "cudaFree"};

bool is_tried(std::string_view function) {
  return std::any_of(tried_calls.begin(), tried_calls.end(),
                     [&](std::string_view start) { return begins(function, start); });
}

// The K-th calls of these functions that a clean run made.
std::vector<std::pair<std::string, int>> calls_to_try(const std::map<std::string, int>& made) {
  std::vector<std::pair<std::string, int>> tried;
  for (const std::string_view start : tried_calls) {
    for (const auto& [function, count] : made) {
      if (!begins(function, start)) continue;
      for (int k = 1; k <= std::min(count, most_calls_tried); ++k) tried.emplace_back(function, k);
    }
  }
  return tried;
}

// "8 of its CUDA calls were made to fail, one at a time: allocations, ..."
std::string tried_text(const std::map<std::string, int>& made, int tried) {
  const bool more = std::any_of(made.begin(), made.end(), [](const auto& function) {
    return function.second > most_calls_tried && is_tried(function.first);
  });
  return std::to_string(tried) +
         " of its CUDA calls were made to fail, one at a time: those that " +
         "allocate, copy, set, launch, wait or free" +
         (more ? ", the first " + std::to_string(most_calls_tried) + " of each function" : "");
}

std::string shown(const std::string& function) {
  return function.find("Launch") != std::string::npos ? "launch" : function;
}

std::string first_line(std::string_view text) {
  const std::vector<std::string> lines = lines_of(trim(text));
  return lines.empty() ? "" : lines.front();
}

Report read_report(const fs::path& file) {
  Report report;
  std::error_code error;
  if (!fs::exists(file, error)) return report;  // it was killed
  try {
    const auto json = nlohmann::json::parse(read_file(file));
    for (const auto& [name, count] : json.at("calls").items()) report.calls[name] = count;
    for (const auto& fault : json.at("faults")) report.faults.push_back(fault);
    for (const auto& leak : json.at("leaks")) {
      report.leaks.push_back(std::to_string(leak.at("bytes").get<std::uint64_t>()) +
                             " bytes from " + leak.at("what").get<std::string>());
    }
  } catch (const nlohmann::json::exception& bad) {
    throw MachineError("the emulator's report of a program is damaged: " + std::string(bad.what()));
  }
  return report;
}

std::string how_it_ended(const ProcessResult& process) {
  if (process.timed_out) return "did not end in time";
  if (process.signal != 0) return std::string("crashed: ") + strsignal(process.signal);
  return "exited " + std::to_string(process.exit_code);
}

class ProgramJudge {
 public:
  ProgramJudge(const fs::path& program, const fs::path& cudart, const JudgeOptions& options)
      : program_(program), cudart_(cudart), options_(options) {}

  void judge(SolverReport& report) const {
    const Run clean = run("");
    report.verdict = judge_clean(clean, report.message);
    if (report.verdict != Verdict::solved) return;
    const auto failures = calls_to_try(clean.report.calls);
    std::vector<std::string> messages;
    const int total = static_cast<int>(failures.size());
    for (int i = 0; i < total; ++i) {
      const auto& [function, k] = failures[static_cast<std::size_t>(i)];
      const std::string what = "the " + ordinal(k) + " " + shown(function);
      if (options_.progress) options_.progress(i, total, what + " fails");
      const std::string fault = judge_failure(run(function + ":" + std::to_string(k)), function);
      if (!fault.empty()) messages.push_back("with " + what + " failing, the program " + fault);
    }
    report.notes.push_back(tried_text(clean.report.calls, total));
    conclude(messages, total, report);
  }

 private:
  Run run(const std::string& fail) const {
    const TemporaryFolder scratch;
    emulator::ProgramOptions emulated;
    emulated.cudart = cudart_;
    emulated.fail = fail;
    emulated.report = scratch.path() / "report.json";
    emulated.quiet = true;
    emulated.time_limit_s = options_.time_limit_s;
    ProcessOptions process;
    process.environment = emulator::program_environment(emulated);
    process.time_limit_s = options_.time_limit_s;
    Run result;
    result.process = run_process({program_.string()}, process);
    result.report = read_report(emulated.report);
    return result;
  }

  static Verdict judge_clean(const Run& clean, std::string& message) {
    const ProcessResult& process = clean.process;
    const std::string said = first_line(process.errors);
    const std::string quote = said.empty() ? "" : "\n  it said: " + said;
    if (process.timed_out || process.signal != 0) {
      message = "the program " + how_it_ended(process) + quote;
      return process.timed_out ? Verdict::out_of_budget : Verdict::trapped;
    }
    if (!clean.report.faults.empty()) {
      message = clean.report.faults.front();
      return Verdict::trapped;
    }
    if (process.exit_code != 0) {
      message = "the program " + how_it_ended(process) + ", and no call failed" + quote;
      return Verdict::wrong;
    }
    if (clean.report.calls.empty()) {
      message = "the program made no CUDA call";
      return Verdict::wrong;
    }
    if (!clean.report.leaks.empty()) {
      message = "the program exited without freeing " + join(clean.report.leaks, ", ");
      return Verdict::wrong;
    }
    return Verdict::solved;
  }

  // What is wrong with a run in which a call of `function` failed, or "".
  static std::string judge_failure(const Run& run, const std::string& function) {
    const ProcessResult& process = run.process;
    if (process.timed_out || process.signal != 0) return how_it_ended(process);
    if (process.exit_code == 0) return "exited 0, as if all were well";
    if (!run.report.faults.empty()) {
      return "went on, and then: " + first_line(run.report.faults.front());
    }
    if (trim(process.errors).empty()) {
      return how_it_ended(process) + " but said nothing on stderr; name the call and the error";
    }
    // What could not be freed may stay; everything else must not.
    const std::size_t excused = begins(function, "cudaFree") ? 1 : 0;
    if (run.report.leaks.size() > excused) {
      return "did not free " + join(run.report.leaks, ", ");
    }
    return "";
  }

  static void conclude(const std::vector<std::string>& messages, int total, SolverReport& report) {
    if (messages.empty()) return;
    report.verdict = Verdict::wrong;
    report.message = std::to_string(messages.size()) + " of " + std::to_string(total) +
                     " failing calls are not handled";
    for (std::size_t i = 0; i < messages.size() && i < most_failures_shown; ++i) {
      report.message += "\n  " + messages[i];
    }
    if (messages.size() > most_failures_shown) {
      report.message +=
          "\n  and " + std::to_string(messages.size() - most_failures_shown) + " more";
    }
  }

  fs::path program_;
  fs::path cudart_;
  const JudgeOptions& options_;
};

// On a GPU no call can be made to fail: the program runs once, as it is.
void run_on_gpu(const fs::path& program, const Toolkit& toolkit, const JudgeOptions& options,
                SolverReport& report) {
  ProcessOptions process;
  process.time_limit_s = options.time_limit_s;
  process.environment = {
      {"LD_LIBRARY_PATH", toolkit.cudart.parent_path().string()},
      {"CUDA_VISIBLE_DEVICES", visible_device(options.gpu, std::getenv("CUDA_VISIBLE_DEVICES"))}};
  const ProcessResult result = run_process({program.string()}, process);
  if (result.exit_code == 0) return;
  const Verdict verdict = result.timed_out     ? Verdict::out_of_budget
                          : result.signal != 0 ? Verdict::trapped
                                               : Verdict::wrong;
  report.verdict = worst(report.verdict, verdict);
  if (!report.message.empty()) report.message += "\n";
  report.message += "on the GPU the program " + how_it_ended(result);
  if (!trim(result.errors).empty()) report.message += "\n  it said: " + first_line(result.errors);
}

}  // namespace

SolverReport judge_program(const Tree& tree, const Toolkit& toolkit, const fs::path& file,
                           const SolverHeader& header, const JudgeOptions& options) {
  SolverReport report;
  report.id = file.string();
  report.file = file.string();
  report.problem = header.problem;
  report.idea = header.idea;
  report.verdict = Verdict::skipped;

  BuildRequest request;
  request.source = file;
  request.program = true;
  request.virtual_architecture = options.architecture.value_or(header.needs.architecture);
  request.links = header.links;
  fs::path program;
  try {
    program = build_solver(tree, toolkit, request).object;
  } catch (const CompileError& error) {
    report.verdict = Verdict::not_compiled;
    report.message = error.what();
    return report;
  }

  if (asks_for(options, Backend::emulator) || !options.cudart.empty()) {
    fs::path cudart = options.cudart;
    if (cudart.empty()) {
      cudart = tree.build / "common/emulator" / ("libcudart.so." + std::to_string(toolkit.major));
    }
    if (!fs::exists(cudart)) {
      throw MachineError("no emulator at " + cudart.string() + ": build first, with ./ladder");
    }
    ProgramJudge(program, cudart, options).judge(report);
  }
  if (asks_for(options, Backend::gpu)) {
    if (report.verdict == Verdict::skipped) report.verdict = Verdict::solved;
    run_on_gpu(program, toolkit, options, report);
  }
  return report;
}

}  // namespace ladder
