#include "docs/weave/site.hpp"

#include <cstdio>

#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

const fs::path theme_css = "/usr/share/doxygen-awesome-css/doxygen-awesome.css";
const fs::path mathjax = "/usr/share/javascript/mathjax";
// Of MathJax, what SVG output of TeX needs.
constexpr const char* mathjax_parts[] = {"MathJax.js",
                                         "extensions/tex2jax.js",
                                         "extensions/TeX",
                                         "extensions/MathEvents.js",
                                         "jax/element/mml",
                                         "jax/input/TeX",
                                         "jax/output/SVG/autoload",
                                         "jax/output/SVG/config.js",
                                         "jax/output/SVG/jax.js",
                                         "jax/output/SVG/fonts/TeX"};

ProcessResult run(const std::vector<std::string>& command) {
  ProcessOptions options;
  options.output_limit_bytes = std::size_t{16} << 20;
  return run_process(command, options);
}

void require(const fs::path& file, const char* package) {
  if (!fs::exists(file)) {
    throw MachineError("no " + file.string() + ": install Debian's package " + package);
  }
}

// "@NAME@" of docs/Doxyfile.in
std::string configuration(const SiteOptions& options) {
  std::string text = read_file(options.source / "docs" / "Doxyfile.in");
  const std::vector<std::pair<std::string, std::string>> values = {
      {"@SOURCE@", options.source.string()},
      {"@OUTPUT@", options.output.string()},
      {"@THEME@", theme_css.string()},
  };
  for (const auto& [name, value] : values) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

void write_header(const SiteOptions& options, const std::string& navigation) {
  const fs::path header = options.output / "header.html", footer = options.output / "footer.html";
  const ProcessResult made = run({options.doxygen, "-w", "html", header.string(), footer.string(),
                                  (options.output / "unused.css").string()});
  if (made.exit_code != 0) {
    throw MachineError(options.doxygen + " -w failed: " + made.output + made.errors);
  }
  write_file(header, with_theme(read_file(header), navigation, "en"));
  write_file(footer, read_file(options.source / "docs" / "theme" / "footer.html"));
}

void run_doxygen(const std::vector<Page>& pages, const SiteOptions& options) {
  const fs::path file = options.output / "Doxyfile";
  write_file(file, configuration(options));
  const ProcessResult made = run({options.doxygen, file.string()});
  const std::string said = explain_warnings(made.errors, pages);
  if (made.exit_code != 0 || !said.empty()) {
    throw UsageError(said.empty() ? "doxygen failed:\n" + made.output + made.errors : said);
  }
}

void copy_mathjax(const fs::path& html) {
  for (const char* part : mathjax_parts) {
    const fs::path to = html / "mathjax" / part;
    if (fs::exists(to)) continue;
    require(mathjax / part, "libjs-mathjax");
    fs::create_directories(to.parent_path());
    fs::copy(mathjax / part, to, fs::copy_options::recursive);
  }
}

// The search library, kept between builds as long as the lock file stays as it is.
bool fetch_search_library(const SiteOptions& options) {
  const fs::path from = options.source / "docs" / "theme" / "search";
  const fs::path folder = options.output / "npm", lock = folder / "package-lock.json";
  const fs::path library = folder / "node_modules" / "minisearch" / "dist" / "umd" / "index.js";
  const std::string wanted = read_file(from / "package-lock.json");
  if (!fs::exists(library) || !fs::exists(lock) || read_file(lock) != wanted) {
    fs::create_directories(folder);
    write_file(folder / "package.json", read_file(from / "package.json"));
    write_file(lock, wanted);
    try {
      const ProcessResult fetched = run({"npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts",
                                         "--prefix", folder.string()});
      if (fetched.exit_code != 0) {
        std::fprintf(stderr, "weave: npm could not fetch the search library:\n%s",
                     fetched.errors.c_str());
        return false;
      }
    } catch (const MachineError&) {
      std::fprintf(stderr, "weave: no npm here, so the site has no search\n");
      return false;
    }
  }
  fs::copy_file(library, options.output / "html" / "minisearch.js",
                fs::copy_options::overwrite_existing);
  return true;
}

// A page that is larger than this is slow to open, and too long to read.
void check_sizes(const fs::path& html) {
  constexpr std::uintmax_t most = 1000 * 1000;
  for (const auto& file : fs::directory_iterator(html)) {
    if (file.path().extension() == ".html" && file.file_size() > most) {
      throw UsageError("the page " + file.path().filename().string() + " has " +
                       std::to_string(file.file_size()) + " bytes, more than 1 MB");
    }
  }
}

}  // namespace

void make_site(const Course& course, const std::vector<Page>& pages, const SiteOptions& options) {
  require(theme_css, "doxygen-awesome-css");
  const fs::path html = options.output / "html", markdown = options.output / "pages";
  fs::remove_all(markdown);
  fs::create_directories(markdown);
  // Pages that are no longer made must not stay; what is large and never changes may.
  if (fs::exists(html)) {
    for (const auto& entry : fs::directory_iterator(html)) {
      if (entry.path().filename() != "mathjax") fs::remove_all(entry.path());
    }
  }
  std::vector<Page> hand_written;
  for (const Page& page : pages) {
    write_file(markdown / (page.name() + ".md"), page.text());
    if (page.origin(1).file.rfind("docs/pages/", 0) == 0) hand_written.push_back(page);
  }
  write_header(options, navigation_html(course, hand_written));
  run_doxygen(pages, options);
  copy_mathjax(html);
  const bool search = options.search && fetch_search_library(options);
  write_file(html / "search-data.js", search ? search_data(pages) : "var ladderPages = null;\n");
  check_sizes(html);
}

}  // namespace ladder::weave
