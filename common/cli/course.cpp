#include "common/cli/course.hpp"

#include "common/harness/solver_target.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

Course open_course() {
  const Tree tree = Tree::find();
  std::optional<Toolkit> toolkit = Toolkit::find();
  if (!toolkit)
    throw MachineError(
        "no CUDA toolkit (nvcc 12.0 or newer) found in $CUDA_PATH, $CUDA_HOME, PATH or "
        "/usr/local/cuda; get it from https://developer.nvidia.com/cuda-downloads");
  return {tree, Catalog(tree), *toolkit};
}

const Problem& problem_named(std::string_view name) {
  const Problem* problem = problems().find(name);
  if (problem) return *problem;
  const std::string nearest = problems().nearest(name);
  throw UsageError("no problem '" + std::string(name) + "'" +
                   (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                   "\n  all of them: ./ladder list --problems");
}

const Problem& problem_of(const CatalogEntry& entry, const SolverHeader& header) {
  if (!header.problem.empty()) return problem_named(header.problem);
  for (const Problem& problem : problems().all())
    if (problem.chapter == entry.chapter) return problem;
  throw MachineError("chapter " + entry.chapter +
                     " has no problem; its chapter.cpp should add one");
}

CatalogEntry exercise_named(const Catalog& catalog, const std::string& id) {
  const std::vector<CatalogEntry> found = catalog.resolve(id);
  if (found.size() == 1 && found[0].kind == SolverKind::exercise) return found[0];
  if (found.size() == 1)
    throw UsageError(found[0].id() + " is not an exercise; see: ./ladder list " +
                     found[0].chapter.substr(0, 2));
  throw UsageError("'" + id + "' names a whole chapter; name one exercise, such as " + id +
                   ".ex1 (see: ./ladder list " + id + ")");
}

Choice choose_backends(const Running& running, const Toolkit& toolkit) {
  Choice choice;
  if (running.on == "emulator") {
    choice.backends = {Backend::emulator};
    choice.text = "on the emulator";
    return choice;
  }
  const GpuProbe probe = probe_gpus(&toolkit);
  if (!probe.unusable.empty()) {
    if (running.on == "gpu")
      throw Error(Verdict::skipped, "skipped: a GPU is asked for, but " + probe.unusable +
                                        "\n  without one: --on emulator");
    choice.backends = {Backend::emulator};
    choice.text = "on the emulator (" + probe.unusable + ")";
    return choice;
  }
  for (const Gpu& gpu : probe.gpus)
    if (gpu.index == running.gpu) choice.gpu = gpu;
  if (!choice.gpu)
    throw UsageError("no GPU " + std::to_string(running.gpu) + "; this machine has " +
                     std::to_string(probe.gpus.size()) + ", numbered from 0");
  if (choice.gpu->architecture < 75) {
    const std::string old = choice.gpu->name + " is older than Turing (sm_75)";
    if (running.on == "gpu") throw Error(Verdict::skipped, "skipped: " + old);
    return {{Backend::emulator}, {}, "on the emulator (" + old + ")"};
  }
  if (running.on == "gpu") {
    choice.backends = {Backend::gpu};
    choice.text = "on " + choice.gpu->name;
  } else {
    choice.backends = {Backend::emulator, Backend::gpu};
    choice.text = "on the emulator, then on " + choice.gpu->name;
  }
  return choice;
}

emulator::Watch parse_observers(const std::string& names) {
  if (const auto watch = emulator::parse_watch(names)) return *watch;
  throw UsageError("--observers " + names +
                   ": not a list of these with commas: " + emulator::known_watch_names());
}

JudgeOptions judge_options(const Running& running, const Choice& choice) {
  JudgeOptions options;
  options.backends = choice.backends;
  options.gpu = running.gpu;
  if (!running.cudart.empty()) {
    if (!std::filesystem::exists(running.cudart))
      throw UsageError("no such file: " + running.cudart + " (given to --cudart)");
    options.cudart = std::filesystem::absolute(running.cudart);
  }
  for (const std::string& text : running.cases) options.cases.push_back(parse_case(text));
  options.seed = running.seed;
  options.order_seed = running.order_seed;
  if (!running.observers.empty()) options.observers = parse_observers(running.observers);
  options.time_limit_s = running.time_limit_s;
  options.architecture = running.architecture;
  return options;
}

SolverReport judge_entry(const Course& course, const CatalogEntry& entry, JudgeOptions options) {
  const bool exercise = entry.kind == SolverKind::exercise;
  if (exercise && !std::filesystem::exists(entry.file))
    throw UsageError(shown(entry.file) + " is gone; bring it back with: ./ladder reset " +
                     entry.short_id());
  // What an exercise demands stands in its solution: an edited stub cannot lose it.
  const SolverHeader header =
      read_solver_header(exercise ? course.catalog.solution_of(entry).file : entry.file);
  options.own = true;
  SolverReport report;
  if (header.is_program()) {
    report = judge_program(course.tree, course.toolkit, entry.file, header, options);
  } else {
    report = judge_solver(course.tree, course.toolkit, entry.file, problem_of(entry, header),
                          header, options);
  }
  report.id = entry.id();
  report.idea = header.idea;
  return report;
}

std::filesystem::path emulator_cudart(const Tree& tree, const Toolkit& toolkit) {
  return tree.build / "common" / "emulator" / ("libcudart.so." + std::to_string(toolkit.major));
}

std::filesystem::path built_program(const Course& course, const std::string& program,
                                    std::optional<int> architecture) {
  if (std::filesystem::path(program).extension() != ".cu") {
    if (architecture)
      throw UsageError("--arch is for .cu files; " + program + " is already compiled");
    return program;
  }
  BuildRequest build;
  build.source = program;
  build.program = true;
  build.virtual_architecture = architecture.value_or(DeviceLimits().architecture);
  return build_solver(course.tree, course.toolkit, build).object;
}

DeviceFacts facts_of(const Course& course, const Choice& choice) {
  DeviceFacts facts;
  facts.name = choice.gpu ? choice.gpu->name : "emulator";
  if (choice.gpu) {
    facts.compute_capability = std::to_string(choice.gpu->architecture / 10) + "." +
                               std::to_string(choice.gpu->architecture % 10);
    facts.memory_bytes = choice.gpu->memory_bytes;
    facts.driver = probe_gpus(&course.toolkit).driver;
  }
  facts.toolkit = std::to_string(course.toolkit.major) + "." + std::to_string(course.toolkit.minor);
  facts.commit = commit_of(course.tree);
  facts.date = date_now();
  return facts;
}

std::string shown(const std::filesystem::path& path) {
  std::error_code error;
  const std::string relative = std::filesystem::relative(path, error).string();
  return error || relative.empty() || relative.size() > path.string().size() ? path.string()
                                                                             : relative;
}

}  // namespace ladder::cli
