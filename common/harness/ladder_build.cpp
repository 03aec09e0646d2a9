// ladder-build SOURCE.cu -o OBJECT --depfile FILE [--problem NAME] [--program] [--sass N]
//
// Meson's way to the builder of the commands: what `ninja` has built, they find in the cache. The
// problem and the needs come from the source's header unless they are given.
#include <cstdio>
#include <cstdlib>

#include "common/harness/builder.hpp"
#include "common/harness/files.hpp"
#include "common/harness/object_cache.hpp"
#include "common/harness/solver_header.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

struct Arguments {
  fs::path source, object, depfile;
  std::string problem;
  bool program = false;
  std::optional<int> sass;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) throw UsageError("ladder-build: " + name + " lacks its value");
      return values[++i];
    };
    if (name == "-o") {
      arguments.object = value();
    } else if (name == "--depfile") {
      arguments.depfile = value();
    } else if (name == "--problem") {
      arguments.problem = value();
    } else if (name == "--sass") {
      arguments.sass = std::atoi(value().c_str());
    } else if (name == "--program") {
      arguments.program = true;
    } else if (arguments.source.empty() && name.rfind("-", 0) != 0) {
      arguments.source = name;
    } else {
      throw UsageError("ladder-build: what is " + name + "?");
    }
  }
  if (arguments.source.empty() || arguments.object.empty()) {
    throw UsageError("ladder-build SOURCE.cu -o OBJECT --depfile FILE [--problem NAME]");
  }
  return arguments;
}

// The problem that is named, else the first of the chapter in whose folder the source lies.
const Problem& find_problem(const std::string& name, const fs::path& source) {
  for (const Problem& problem : problems().all()) {
    const bool in_chapter = source.string().find("/" + problem.chapter + "/") != std::string::npos;
    if (name.empty() ? in_chapter : problem.name == name) return problem;
  }
  throw UsageError(name.empty() ? source.string() + " is in no chapter: name its --problem"
                                : "no problem is named '" + name + "'; did you mean '" +
                                      problems().nearest(name) + "'?");
}

void build(const Arguments& arguments) {
  const SolverHeader header = read_solver_header(arguments.source);
  const fs::path source = fs::canonical(arguments.source);
  BuildRequest request;
  request.source = source;
  request.program = arguments.program || header.is_program();
  request.virtual_architecture = header.needs.architecture;
  request.links = header.links;
  request.sass = arguments.sass;
  if (!request.program) {
    const std::string& name = arguments.problem.empty() ? header.problem : arguments.problem;
    request.problem = &find_problem(name, source);
  }
  const BuildResult result = build_solver(Tree::find(), Toolkit::require(), request);
  fs::copy_file(result.object, arguments.object, fs::copy_options::overwrite_existing);
  if (!arguments.depfile.empty()) {
    const auto dependencies = parse_depfile(read_file(result.depfile));
    write_file(arguments.depfile, write_depfile(arguments.object.string(), dependencies));
  }
}

}  // namespace

}  // namespace ladder

int main(int count, char** values) {
  try {
    ladder::build(ladder::parse(count, values));
    return 0;
  } catch (const ladder::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.verdict());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ladder-build: %s\n", error.what());
    return static_cast<int>(ladder::Verdict::machine_fault);
  }
}
