#include "docs/weave/doxygen.hpp"

#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

const fs::path theme_css = "/usr/share/doxygen-awesome-css/doxygen-awesome.css";

ProcessResult start(const std::vector<std::string>& command) {
  ProcessOptions options;
  options.output_limit_bytes = std::size_t{16} << 20;
  return run_process(command, options);
}

// As it stands between the quotes of a value.
std::string in_quotes(std::string text) {
  replace_all(text, "\"", "\\\"");
  return text;
}

// "@NAME@" of docs/Doxyfile.in
std::string configuration(const DoxygenRun& run) {
  std::string text = read_file(run.source / "docs" / "Doxyfile.in");
  const std::vector<std::pair<std::string, std::string>> values = {
      {"@SOURCE@", run.source.string()}, {"@OUTPUT@", run.work.string()},
      {"@HTML@", run.html.string()},     {"@LANGUAGE@", run.language},
      {"@THEME@", theme_css.string()},
  };
  for (const auto& [name, value] : values) replace_all(text, name, in_quotes(value));
  return text + run.configuration;
}

}  // namespace

std::string quoted(const std::string& text) {
  return "\"" + in_quotes(text) + "\"";
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

void require(const fs::path& file, const char* package) {
  if (!fs::exists(file)) {
    throw MachineError("no " + file.string() + ": install Debian's package " + package);
  }
}

void write_frame(const DoxygenRun& run, const Words& say,
                 const std::function<std::string(std::string)>& theme) {
  fs::remove_all(run.work);
  fs::create_directories(run.work);
  const fs::path header = run.work / "header.html", footer = run.work / "footer.html";
  const ProcessResult made = start({"doxygen", "-w", "html", header.string(), footer.string(),
                                    (run.work / "unused.css").string()});
  if (made.exit_code != 0) {
    throw MachineError("doxygen -w failed: " + made.output + made.errors);
  }
  write_file(header, theme(read_file(header)));
  std::string text = read_file(run.source / "docs" / "theme" / "footer.html");
  replace_all(
      text, "@LICENCE@",
      say("Kernel Ladder, under the Apache License 2.0. Made by Doxygen {}.", {"$doxygenversion"}));
  write_file(footer, text);
}

void run_doxygen(const DoxygenRun& run,
                 const std::function<std::string(const std::string&)>& explain) {
  require(theme_css, "doxygen-awesome-css");
  fs::create_directories(run.html);
  const fs::path file = run.work / "Doxyfile";
  write_file(file, configuration(run));
  const ProcessResult made = start({"doxygen", file.string()});
  const std::string said = explain(made.errors);
  if (!said.empty()) throw UsageError(said);
  if (made.exit_code != 0) throw MachineError("doxygen failed:\n" + made.output + made.errors);
}

}  // namespace ladder::weave
