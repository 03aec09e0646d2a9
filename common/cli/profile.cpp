// `ladder profile`: what a solver or a whole program did on the emulator, launch by launch and line by
// line.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "common/cli/course.hpp"
#include "common/cli/judging.hpp"
#include "common/cli/targets.hpp"
#include "common/emulator/program.hpp"
#include "common/harness/files.hpp"
#include "common/harness/judge_backend.hpp"
#include "common/harness/profile.hpp"
#include "common/harness/verdict.hpp"
#include "common/harness/worker_process.hpp"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

CaseSelector size_of(const ProfileRequest& request, const Problem& problem,
                     const SolverHeader& header) {
  if (!request.at.empty()) return parse_case(request.at);
  const std::optional<Parameters> size = counting_size(problem, header);
  if (!size) throw UsageError("no size of ours fits its @limits: say one with --at");
  return {*size, std::nullopt};
}

// Solvers and programs, if they are to be traced.
void require_one(std::size_t targets) {
  if (targets != 1) throw UsageError("--trace takes one solver or program");
}

// What --trace and the options beside it ask for.
std::optional<emulator::TraceLimits> traced(const ProfileRequest& request) {
  if (request.trace.empty()) return std::nullopt;
  require_one(request.targets.size());
  emulator::TraceLimits limits;
  limits.accesses = request.trace_limit;
  if (!emulator::set_traced_blocks(limits, request.trace_blocks))
    throw UsageError("--trace-blocks " + request.trace_blocks +
                     ": not the number of a block, as in 3, nor a range, as in 0-3");
  return limits;
}

Profile profile_file(const Course& course, const ProfileRequest& request, const fs::path& file,
                     const Problem& problem, const SolverHeader& header) {
  JudgeOptions options = judge_options(request, {});
  return profile_solver(course.tree, course.toolkit, fs::absolute(file), problem, header,
                        size_of(request, problem, header), options, traced(request));
}

// What a program has left behind, if it got that far.
std::string contents_of(const fs::path& path) {
  return fs::exists(path) ? read_file(path) : "";
}

// Runs it with its output going where ours goes, or all to stderr; waitpid's status. Throws
// MachineError if it cannot be started.
int run_to_end(const emulator::Program& program, const emulator::ProgramOptions& options,
               bool all_to_stderr) {
  int failure[2];  // what kept it from starting; closed by exec
  if (pipe2(failure, O_CLOEXEC) != 0) throw MachineError("no pipe for a program");
  const Descriptor heard(failure[0]);
  Descriptor told(failure[1]);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw MachineError("no process for " + program.path.string());
  if (child == 0) {
    if (all_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    std::string why;
    try {
      emulator::run_program(program, {}, options);
    } catch (const std::exception& error) {
      why = error.what();
    }
    _exit(write(told.get(), why.data(), why.size()) < 0);
  }
  told = Descriptor();
  char why[4096];
  const ssize_t length = read(heard.get(), why, sizeof why);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (length > 0) throw MachineError(std::string(why, static_cast<std::size_t>(length)));
  return status;
}

// A program of its own: it runs with its output going where it goes, and leaves a report.
Profile profile_program(const Course& course, const ProfileRequest& request,
                        const std::string& target) {
  Profile profile;
  profile.id = profile.file = target;
  const fs::path program = built_program(course, target, request.architecture);
  emulator::ProgramOptions options;
  options.cudart = fs::absolute(emulator_cudart(course.tree, course.toolkit));
  options.time_limit_s = request.time_limit_s;
  const TemporaryFolder folder;
  options.report = folder.path() / "report.json";
  if (const auto limits = traced(request)) {
    options.trace = folder.path() / "trace.json";
    options.trace_limits = *limits;
  }
  options.fault_exit = static_cast<int>(Verdict::trapped);
  const emulator::Program inspected = emulator::inspect_program(program);
  emulator::require_runtime(inspected, options);
  const int status = run_to_end(inspected, options, request.json);
  const std::string report = contents_of(options.report);
  if (!options.trace.empty()) profile.trace = contents_of(options.trace);
  if (!report.empty()) profile.launches = parse_launches_of_report(report);
  if (!WIFEXITED(status))
    profile.message = "  it was ended by a signal";
  else if (WEXITSTATUS(status) != 0)
    profile.message = "  it ended with exit code " + std::to_string(WEXITSTATUS(status));
  else if (report.empty())
    profile.message = "  it ended itself in a way that leaves no report, as with _exit()";
  // What its exit code means, only the program knows.
  if (report.empty() || !faults_of_report(report).empty()) profile.verdict = Verdict::trapped;
  return profile;
}

// A .cu file or an executable that is none of the course's and comes without a problem.
bool is_program(const Course& course, const std::string& target) {
  if (!names_file(course.catalog, target)) return false;
  require_source(target);
  return entry_of(course.catalog, target) == nullptr;
}

std::vector<Profile> profiles_of(const Course& course, const ProfileRequest& request) {
  std::vector<Profile> profiles;
  for (const std::string& target : request.targets) {
    if (!request.problem.empty()) {
      require_source(target);
      profiles.push_back(profile_file(course, request, target, problem_named(request.problem),
                                      read_solver_header(target)));
      continue;
    }
    if (is_program(course, target)) {
      profiles.push_back(profile_program(course, request, target));
      continue;
    }
    const std::vector<CatalogEntry> entries = entries_of(course, {target}, false, "profile");
    if (!request.trace.empty()) require_one(entries.size());
    for (const CatalogEntry& entry : entries) {
      const SolverHeader header = read_solver_header(entry.file);
      if (header.is_program()) {
        profiles.push_back(profile_program(course, request, entry.file.string()));
      } else {
        profiles.push_back(
            profile_file(course, request, entry.file, problem_of(entry, header), header));
      }
      profiles.back().id = entry.id();
    }
  }
  return profiles;
}

void save_trace(const ProfileRequest& request, const std::vector<Profile>& profiles) {
  const std::string& json = profiles[0].trace;
  if (json.empty()) {
    std::fprintf(stderr, "%s was not written: nothing ran to its end\n", request.trace.c_str());
    return;
  }
  std::ofstream file(request.trace);
  file << json;
  if (!file.flush()) throw UsageError("cannot write " + request.trace);
  if (json.find("\"cut\": true") == std::string::npos) return;
  std::fprintf(stderr, "%s holds the first %ju accesses, and there were more: see --trace-limit\n",
               request.trace.c_str(), static_cast<std::uintmax_t>(request.trace_limit));
}

}  // namespace

int profile(const ProfileRequest& request) {
  traced(request);  // refuses before anything is built
  const Course course = open_course();
  const std::vector<Profile> profiles = profiles_of(course, request);
  Verdict verdict = Verdict::skipped;
  for (const Profile& one : profiles) verdict = worst(verdict, one.verdict);
  if (!request.trace.empty()) save_trace(request, profiles);
  if (request.json) {
    std::fputs(to_json(profiles, facts_of(course, {})).c_str(), stdout);
    return static_cast<int>(verdict);
  }
  const ladder::Style style = ladder::Style::of_stdout();
  const char* separator = "";
  for (const Profile& one : profiles) {
    std::fputs((separator + to_text(one, request.lines, style)).c_str(), stdout);
    separator = "\n";
  }
  return static_cast<int>(verdict);
}

}  // namespace ladder::cli
