#include "docs/weave/site.hpp"

#include <algorithm>
#include <cstdio>

#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/doxygen.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

const std::vector<Edition>& editions() {
  static const std::vector<Edition> all = {
      {"en", "en", "English", "", "English"},
      {"zh", "zh-CN", "中文", "zh/", "Chinese"},
  };
  return all;
}

namespace {

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
    fs::remove_all(folder);  // an older library must not stand beside the new lock file
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
      std::fprintf(
          stderr,
          "weave: no npm here, so the site has no search; it comes with Node.js, or with\n"
          "Debian's package npm (large), and `ladder docs` then fetches one small library\n");
      return false;
    }
  }
  fs::copy_file(library, options.output / "html" / "minisearch.js",
                fs::copy_options::overwrite_existing);
  return true;
}

// Each page learns its own name, for the links to the other languages.
void finish_page(const fs::path& file) {
  // A larger one is slow to open, and too long to read.
  constexpr std::size_t most = 1000 * 1000;
  const std::string name = file.filename().string();
  std::string text = read_file(file);
  replace_all(text, page_placeholder, name);
  if (text.size() > most) {
    throw UsageError("the page " + name + " has " + std::to_string(text.size()) +
                     " bytes, more than 1 MB");
  }
  write_file(file, text);
}

std::vector<Page> hand_written(const std::vector<Page>& pages) {
  std::vector<Page> found;
  for (const Page& page : pages) {
    if (page.origin(1).file.rfind("docs/pages/", 0) == 0) found.push_back(page);
  }
  return found;
}

// Doxygen's own lists of what there is, which nothing leads to: the contents list it already.
bool is_list(const std::string& name, const std::vector<const char*>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* begin) { return name.rfind(begin, 0) == 0; });
}

void finish_folder(const fs::path& html, const std::vector<const char*>& lists) {
  for (const auto& file : fs::directory_iterator(html)) {
    if (file.path().extension() != ".html") continue;
    if (is_list(file.path().filename().string(), lists)) {
      fs::remove(file.path());
    } else {
      finish_page(file.path());
    }
  }
}

// Pages that are no longer made must not stay; what is large and never changes may.
void empty(const fs::path& html) {
  fs::create_directories(html);
  for (const auto& entry : fs::directory_iterator(html)) {
    if (entry.path().filename() != "mathjax") fs::remove_all(entry.path());
  }
}

}  // namespace

void make_site(const Course& course, const std::vector<Page>& pages, const Edition& edition,
               const SiteOptions& options) {
  const bool first = edition.folder.empty();
  const DoxygenRun doxygen{options.source, options.output / edition.language,
                           options.html() / edition.folder, edition.doxygen, ""};
  if (first) empty(options.html());
  write_frame(doxygen, *course.words, [&](const std::string& frame) {
    return with_theme(frame, navigation_html(course, hand_written(pages), edition), edition);
  });
  fs::create_directories(doxygen.work / "pages");
  for (const Page& page : pages) {
    write_file(doxygen.work / "pages" / (page.name() + ".md"), page.text());
  }
  run_doxygen(doxygen, [&](const std::string& log) { return explain_warnings(log, pages); });
  // The editions share what has no language.
  if (first) copy_mathjax(options.html());
  const bool search = options.search && (first ? fetch_search_library(options)
                                               : fs::exists(options.html() / "minisearch.js"));
  write_file(doxygen.html / "search-data.js",
             search ? search_data(pages) : "var ladderPages = null;\n");
}

void make_api(const Course& course, const std::vector<Page>& pages,
              const std::vector<ApiHeader>& headers, const SiteOptions& options) {
  const Edition& english = editions().front();
  std::string input;
  for (const ApiHeader& header : headers)
    input += " " + quoted((options.source / header.file).string());
  const DoxygenRun doxygen{
      options.source, options.output / "api", options.html() / "api", english.doxygen,
      read_file(options.source / "docs" / "Doxyfile.api") + "INPUT =" + input +
          "\nINCLUDE_PATH = " + quoted(options.source.string()) +
          "\nINPUT_FILTER = " + quoted(quoted(options.weave) + " comments") + "\n"};
  const std::string home = "../";
  write_frame(doxygen, *course.words, [&](const std::string& frame) {
    return with_theme(frame, navigation_html(course, hand_written(pages), english, home), english,
                      home);
  });
  run_doxygen(doxygen, [&](const std::string& log) {
    return api_errors(log, headers, options.source.string());
  });
  finish_folder(doxygen.html,
                {"index.", "annotated.", "classes.", "hierarchy.", "files.", "functions", "globals",
                 "namespaces.", "namespacemembers", "doxygen_crawl"});
}

void finish_edition(const Edition& edition, const SiteOptions& options) {
  finish_folder(options.html() / edition.folder, {"dir_", "pages.", "doxygen_crawl"});
}

void follow_links(const SiteFolders& folders, const SiteOptions& options) {
  const std::vector<std::string> broken = broken_links(options.html(), folders);
  if (!broken.empty()) throw UsageError(join(broken, "\n"));
}

}  // namespace ladder::weave
