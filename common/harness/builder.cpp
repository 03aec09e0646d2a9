#include "common/harness/builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "common/harness/compiler_output.hpp"
#include "common/harness/files.hpp"
#include "common/harness/fingerprint.hpp"
#include "common/harness/object_cache.hpp"
#include "common/harness/process.hpp"
#include "common/harness/signature_check.hpp"
#include "common/harness/text.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

constexpr int compile_time_limit_s = 300;

// What this machine's host compiler takes to be faster; tried once and remembered.
struct HostCompiler {
  // <cmath> without its special functions: a quarter of a second less, and relies on the name of
  // an include guard of libstdc++.
  bool skips_special_functions = true;
  std::string linker;  // "gold", "lld" or "" for the default
};

std::optional<fs::path> find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split_list(path != nullptr ? path : "", ':')) {
    std::error_code error;
    if (!folder.empty() && fs::exists(fs::path(folder) / name, error)) {
      return fs::path(folder) / name;
    }
  }
  return std::nullopt;
}

// Everything outside the tree that decides what nvcc makes.
std::string compiler_identity(const Toolkit& toolkit) {
  std::string identity = toolkit.nvcc.string() + " " + std::to_string(toolkit.major) + "." +
                         std::to_string(toolkit.minor) + " " + stamp_of(toolkit.nvcc);
  if (const auto host = find_in_path("g++")) identity += " " + stamp_of(fs::canonical(*host));
  for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
                               "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr) identity += std::string(" ") + variable + "=" + value;
  }
  return identity;
}

std::vector<std::string> plain_flags(const HostCompiler& host, bool program) {
  std::vector<std::string> flags = {"-cudart", "shared",   "-cudadevrt",
                                    "none",    "-nodlink", "-std=c++17"};
  if (host.skips_special_functions) flags.push_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  std::string for_host = program ? "" : "-fPIC,-fno-gnu-unique";
  if (!host.linker.empty()) for_host += (program ? "-fuse-ld=" : ",-fuse-ld=") + host.linker;
  if (!for_host.empty()) {
    flags.push_back("-Xcompiler");
    flags.push_back(for_host);
  }
  if (!program) flags.push_back("-shared");
  flags.push_back("-lineinfo");
  flags.push_back("--no-compress");
  return flags;
}

ProcessResult run_nvcc(const Toolkit& toolkit, const std::vector<std::string>& arguments,
                       const fs::path& scratch) {
  std::vector<std::string> command = {toolkit.nvcc.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.environment = {{"LC_ALL", "C"}, {"TMPDIR", scratch.string()}};
  options.time_limit_s = compile_time_limit_s;
  return run_process(command, options);
}

bool host_compiler_takes(const Toolkit& toolkit, const HostCompiler& host,
                         const TemporaryFolder& scratch) {
  const fs::path source = scratch.write(
      "probe.cu", "#include <cmath>\nextern \"C\" float probe(float x) { return std::sqrt(x); }\n");
  std::vector<std::string> arguments = plain_flags(host, false);
  for (const std::string& more :
       {source.string(), std::string("-o"), (scratch.path() / "probe.so").string()}) {
    arguments.push_back(more);
  }
  return run_nvcc(toolkit, arguments, scratch.path()).exit_code == 0;
}

HostCompiler find_host_compiler(const Toolkit& toolkit, const fs::path& cache) {
  const fs::path memo =
      cache / ("host-" + Fingerprint().add(compiler_identity(toolkit)).hex() + ".txt");
  std::error_code error;
  HostCompiler host;
  if (fs::exists(memo, error)) {
    const std::vector<std::string> lines = lines_of(read_file(memo));
    host.skips_special_functions = !lines.empty() && lines[0] == "skips special functions";
    if (lines.size() > 1) host.linker = lines[1];
    return host;
  }
  const TemporaryFolder scratch(cache);
  if (find_in_path("ld.gold")) {
    host.linker = "gold";
  } else if (find_in_path("ld.lld")) {
    host.linker = "lld";
  }
  if (!host_compiler_takes(toolkit, host, scratch)) {
    const std::string linker = host.linker;
    host.linker.clear();
    if (!host_compiler_takes(toolkit, host, scratch)) {
      host = {false, linker};
      if (!host_compiler_takes(toolkit, host, scratch)) host.linker.clear();
    }
  }
  replace_file(memo, std::string(host.skips_special_functions ? "skips" : "keeps") +
                         " special functions\n" + host.linker + "\n");
  return host;
}

void check_source(const fs::path& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::exists(status)) throw UsageError("no such file: " + source.string());
  if (fs::is_directory(status)) {
    throw UsageError(source.string() + " is a directory; name the .cu file in it");
  }
  if (!fs::is_regular_file(status)) throw UsageError(source.string() + " is not a file");
  if (fs::file_size(source, error) == 0 && !error) {
    throw UsageError(source.string() + " is empty");
  }
  if (read_file(source).find('\0') != std::string::npos) {
    throw UsageError(source.string() +
                     " is no text in UTF-8 (in UTF-16, perhaps): save it as UTF-8");
  }
  if (source.string().find_first_of("\"\n") != std::string::npos) {
    throw UsageError("a path with a quote or a newline cannot be compiled: " + source.string());
  }
}

// Where the libraries that a solver links are: in the toolkit or the system. A ceiling without its
// library is skipped, not wrong.
std::vector<fs::path> library_folders(const Toolkit& toolkit, const BuildRequest& request) {
  std::vector<fs::path> folders;
  for (const std::string& name : request.links) {
    const std::string file = "lib" + name + ".so";
    const std::array candidates = {
        toolkit.root / "lib64",
        toolkit.root / "targets/x86_64-linux/lib",
        toolkit.root / "targets/sbsa-linux/lib",
        fs::path("/usr/lib/x86_64-linux-gnu"),
        fs::path("/usr/lib/aarch64-linux-gnu"),
        fs::path("/usr/lib64"),
        fs::path("/usr/lib"),
    };
    const auto folder = std::find_if(candidates.begin(), candidates.end(), [&](const fs::path& f) {
      std::error_code error;
      return fs::exists(f / file, error);
    });
    if (folder == candidates.end()) {
      throw Error(Verdict::skipped, request.source.filename().string() + " links lib" + name +
                                        ", which is not installed with this CUDA toolkit");
    }
    folders.push_back(*folder);
  }
  return folders;
}

std::string architecture_flag(const BuildRequest& request) {
  const std::string virtual_name =
      "compute_" + std::to_string(request.virtual_architecture) + request.sass_suffix;
  std::string flag = "arch=" + virtual_name + ",code=";
  if (!request.sass) return flag + virtual_name;
  return flag + "[" + virtual_name + ",sm_" + std::to_string(*request.sass) + request.sass_suffix +
         "]";
}

// One request on its way through the compiler.
class Compilation {
 public:
  Compilation(const Tree& tree, const Toolkit& toolkit, const BuildRequest& request)
      : toolkit_(toolkit),
        request_(request),
        source_(fs::canonical(request.source)),
        shown_(with_short_paths(source_.string())),
        program_(request.program),
        wrapped_(!request.program && request.problem != nullptr),
        folder_(tree.build / "cache" / "solvers"),
        host_(find_host_compiler(toolkit, folder_)) {
    if (wrapped_) wrapper_ = signature_wrapper(*request.problem, source_);
    more_flags_ = {"-gencode", architecture_flag(request), "-I", tree.source.string()};
    for (const std::string& library : request.links) more_flags_.push_back("-l" + library);
    // The loader need not know the toolkit's folder.
    for (const fs::path& folder : library_folders(toolkit, request)) {
      more_flags_.insert(more_flags_.end(),
                         {"-L" + folder.string(), "-Xlinker", "-rpath=" + folder.string()});
    }
  }

  BuildResult run() {
    ObjectCache cache(folder_, slot(), program_ ? ".program" : ".so");
    if (const auto entry = cache.find()) return {entry->object, entry->depfile, true, 0};
    const TemporaryFolder scratch(folder_);
    std::string text;
    ProcessResult result;
    do {  // again if the source was saved meanwhile: the object must be of what is hashed
      text = read_file(source_);
      result = compile(scratch);
    } while (text != read_file(source_));
    if (result.exit_code != 0) fail(result, text, scratch);
    const auto entry = cache.store(scratch.path() / "object", dependencies(scratch));
    return {entry.object, entry.depfile, false, result.seconds};
  }

 private:
  std::string slot() const {
    Fingerprint slot;
    slot.add(compiler_identity(toolkit_)).add(source_.string()).add(wrapper_);
    for (const std::string& flag : plain_flags(host_, program_)) slot.add(flag);
    for (const std::string& flag : more_flags_) slot.add(flag);
    return slot.hex();
  }

  ProcessResult compile(const TemporaryFolder& scratch) {
    ProcessResult result = compile_once(host_, scratch, wrapped_);
    const bool wants_special_functions =
        result.exit_code != 0 && host_.skips_special_functions &&
        (result.errors + result.output).find("\"std\" has no member") != std::string::npos;
    if (wants_special_functions) {
      HostCompiler complete = host_;
      complete.skips_special_functions = false;
      result = compile_once(complete, scratch, wrapped_);
    }
    return result;
  }

  ProcessResult compile_once(const HostCompiler& host, const TemporaryFolder& scratch,
                             bool wrapped) const {
    std::vector<std::string> arguments = plain_flags(host, program_);
    arguments.insert(arguments.end(), more_flags_.begin(), more_flags_.end());
    fs::path input = source_;
    if (wrapped) input = scratch.write("wrapped.cu", wrapper_);
    for (const std::string& more :
         {std::string("-MD"), std::string("-MF"), (scratch.path() / "depfile").string(),
          std::string("-x"), std::string("cu"), input.string(), std::string("-o"),
          (scratch.path() / "object").string()}) {
      arguments.push_back(more);
    }
    return run_nvcc(toolkit_, arguments, scratch.path());
  }

  std::vector<std::string> dependencies(const TemporaryFolder& scratch) const {
    std::vector<std::string> files;
    for (const std::string& file : parse_depfile(read_file(scratch.path() / "depfile"))) {
      const bool is_wrapper =
          file.rfind(scratch.path().string(), 0) == 0 || file.rfind(signature_file_prefix, 0) == 0;
      if (is_wrapper) continue;
      files.push_back(fs::path(file).lexically_normal().string());
    }
    return files;
  }

  [[noreturn]] void fail(const ProcessResult& result, const std::string& text,
                         const TemporaryFolder& scratch) const {
    const std::string output = result.errors + "\n" + result.output;
    if (result.timed_out) {
      throw Error(Verdict::out_of_budget, shown_ + ": nvcc was not done after " +
                                              std::to_string(compile_time_limit_s) + " s");
    }
    if (result.signal != 0) {
      throw MachineError("nvcc was killed while compiling " + shown_ + ": " +
                         strsignal(result.signal));
    }
    if (output.find("No space left on device") != std::string::npos) {
      throw MachineError("no space left on the disk while compiling " + shown_);
    }
    std::vector<std::string> own = error_blocks(output);
    std::string message;
    if (wrapped_) {
      const std::string checked = signature_message(output, *request_.problem, text, shown_);
      drop_wrapper_errors(own, scratch);
      // After a syntax error in the solver the checks fail for no reason of their own.
      const bool believable = own.empty() || checked.find("no `solve`") == std::string::npos;
      if (believable) message = checked;
      if (message.empty() && own.empty()) {
        own = error_blocks(unwrapped_output(scratch));
      }
    }
    if (message.empty() && own.empty()) own = {std::string(trim(output))};
    if (!own.empty()) message += (message.empty() ? "" : "\n") + compile_message(own, shown_);
    throw CompileError(message);
  }

  // An unclosed brace is noticed only behind the solver's end: there the file alone says more.
  std::string unwrapped_output(const TemporaryFolder& scratch) const {
    const ProcessResult alone = compile_once(host_, scratch, false);
    return alone.errors + "\n" + alone.output;
  }

  static void drop_wrapper_errors(std::vector<std::string>& errors,
                                  const TemporaryFolder& scratch) {
    const auto is_ours = [&](const std::string& block) {
      const std::string line = block.substr(0, block.find('\n'));
      return line.find(signature_file_prefix) != std::string::npos ||
             line.find(scratch.path().string()) != std::string::npos ||
             line.rfind("At end of source", 0) == 0;
    };
    errors.erase(std::remove_if(errors.begin(), errors.end(), is_ours), errors.end());
  }

  const Toolkit& toolkit_;
  const BuildRequest& request_;
  fs::path source_;
  std::string shown_;
  bool program_;
  bool wrapped_;  // a solver, whose signature is checked
  fs::path folder_;
  HostCompiler host_;
  std::string wrapper_;
  std::vector<std::string> more_flags_;
};

BuildOutcome outcome_of(const Tree& tree, const Toolkit& toolkit, const BuildRequest& request) {
  BuildOutcome outcome;
  try {
    outcome.result = build_solver(tree, toolkit, request);
  } catch (const Error& error) {
    outcome.verdict = error.verdict();
    outcome.error = error.what();
  } catch (const std::exception& error) {
    outcome.verdict = Verdict::machine_fault;
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace

BuildResult build_solver(const Tree& tree, const Toolkit& toolkit, const BuildRequest& request) {
  check_source(request.source);
  return Compilation(tree, toolkit, request).run();
}

std::vector<BuildOutcome> build_solvers(const Tree& tree, const Toolkit& toolkit,
                                        const std::vector<BuildRequest>& requests,
                                        const std::function<void(int, int)>& progress) {
  std::vector<BuildOutcome> outcomes(requests.size());
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  int done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < requests.size(); i = next++) {
      outcomes[i] = outcome_of(tree, toolkit, requests[i]);
      const std::lock_guard lock(reporting);
      ++done;
      if (progress) progress(done, static_cast<int>(requests.size()));
    }
  };
  const std::size_t workers =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), requests.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  if (!requests.empty()) work();
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

}  // namespace ladder
