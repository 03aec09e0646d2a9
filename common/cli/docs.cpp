// `ladder docs`: builds the course's site; opens it in a browser, or serves it on this machine.
#include <unistd.h>

#include <cstdio>

#include "common/cli/commands.hpp"
#include "common/cli/file_server.hpp"
#include "common/cli/process.hpp"
#include "common/harness/catalog.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

// What ninja says besides its own progress.
std::string reasons(const std::string& output) {
  std::string text;
  for (const std::string& line : lines_of(output)) {
    const bool progress =
        line.rfind("[", 0) == 0 || line.rfind("ninja: ", 0) == 0 || line.rfind("FAILED: ", 0) == 0;
    if (!progress) text += line + "\n";
  }
  return text;
}

// Weave by itself, so that its exit code says whose fault it is when there is no site.
void make_site(const Tree& tree, bool no_solutions) {
  const Finished parts = run_and_watch({"ninja", "-C", tree.build.string(), "docs-parts"});
  if (parts.code == 127) throw MachineError("ninja could not be started");
  if (parts.code != 0) {
    const std::string said = reasons(parts.output);
    throw MachineError("what the site is made of was not made:\n" +
                       (said.empty() ? parts.output : said));
  }
  const std::filesystem::path folder = tree.build / "docs";
  std::vector<std::string> weave = {(folder / "weave-site").string(), "site", folder.string()};
  if (no_solutions) weave.push_back("--no-solutions");
  const Finished made = run_and_watch(weave);
  const std::string message = "the site was not made:\n" + made.output;
  if (made.code == static_cast<int>(Verdict::usage)) throw UsageError(message);
  if (made.code != 0) throw MachineError(message);
  std::fputs(made.output.c_str(), stdout);
}

void open_in_browser(const std::string& page) {
  // It may stay until the browser is closed, and the browser wants to be served before that.
  if (!start_detached({"xdg-open", page}))
    std::fprintf(stderr, "ladder: no browser could be started; open %s\n", page.c_str());
}

}  // namespace

int docs(const DocsRequest& request) {
  const Tree tree = Tree::find();
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "making the site\n");
  make_site(tree, request.no_solutions);
  const std::filesystem::path html = tree.build / "docs" / "html";
  if (request.open && !request.serve) open_in_browser((html / "index.html").string());
  if (!request.serve) return 0;
  FileServer server(html, request.port);
  std::printf("http://localhost:%d/  (Ctrl-C ends it)\n", server.port());
  std::fflush(stdout);
  if (request.open) open_in_browser("http://localhost:" + std::to_string(server.port()) + "/");
  server.run();
  return 0;
}

}  // namespace ladder::cli
