#include "docs/weave/terminal.hpp"

#include <algorithm>
#include <cstdlib>

#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/doxygen.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/trace.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = "@terminal ", launcher = "./ladder ";

Answer run(const fs::path& source, const std::string& ladder, const std::string& command) {
  if (command.rfind(launcher, 0) != 0) {
    throw UsageError("'" + std::string(mark) + command + "': a page shows commands of ./ladder");
  }
  ProcessOptions options;
  options.time_limit_s = 120;
  // A shell, because pages quote as people do; the words come from this repository.
  const ProcessResult result = run_process(
      {"bash", "-c", "cd \"$1\" && exec \"$0\" " + command.substr(launcher.size()) + " 2>&1",
       ladder, source.string()},
      options);
  if (result.exit_code < 0) {
    throw MachineError("`" + command + "` did not end by itself:\n" + result.output);
  }
  // `emulate` ends with the program's own code.
  const bool our_code = command.rfind("./ladder emulate ", 0) != 0;
  const bool not_meant = result.exit_code == static_cast<int>(Verdict::usage) ||
                         result.exit_code == static_cast<int>(Verdict::machine_fault);
  if (our_code && not_meant) throw UsageError("`" + command + "`: " + result.output);
  // Pages are the same wherever the course lies.
  std::string output = result.output;
  replace_all(output, source.string() + "/", "");
  return {result.exit_code, lines_of(output)};
}

// Pages by hand, and what chapters say: introductions, sheets, steps.
std::vector<fs::path> files_with_prose(const fs::path& source) {
  std::vector<fs::path> files;
  for (const char* folder : {"docs/pages", "chapters"}) {
    for (const auto& file : fs::recursive_directory_iterator(source / folder)) {
      const fs::path extension = file.path().extension();
      if (extension == ".md" || extension == ".cu") files.push_back(file.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string terminal_command(std::string_view line) {
  return line.rfind(mark, 0) == 0 ? std::string(trim(line.substr(mark.size()))) : "";
}

Answers run_commands(const fs::path& source, const std::string& ladder) {
  Answers answers;
  for (const fs::path& file : files_with_prose(source)) {
    int number = 0;
    for (const std::string& line : lines_of(read_file(file))) {
      ++number;
      const std::string prose = line.rfind("//! ", 0) == 0 ? line.substr(4) : line;
      const std::string command = terminal_command(prose);
      try {
        if (!command.empty() && answers.count(command) == 0) {
          answers[command] = run(source, ladder, command);
        } else if (is_trace_line(prose) && answers.count(prose) == 0) {
          answers[prose] = run_trace(source, ladder, prose);
        }
      } catch (const UsageError& bad) {
        throw UsageError(fs::relative(file, source).string() + ":" + std::to_string(number) + ": " +
                         bad.what());
      }
    }
  }
  return answers;
}

// "$ COMMAND", "exit N", and "|" before each line of the answer.
std::string write_answers(const Answers& answers) {
  std::string text;
  for (const auto& [command, answer] : answers) {
    text += "$ " + command + "\nexit " + std::to_string(answer.exit_code) + "\n";
    for (const std::string& line : answer.lines) text += "|" + line + "\n";
  }
  return text;
}

Answers read_answers(std::string_view text) {
  Answers answers;
  Answer* answer = nullptr;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("$ ", 0) == 0) {
      answer = &answers[line.substr(2)];
    } else if (answer != nullptr && line.rfind("exit ", 0) == 0) {
      answer->exit_code = std::atoi(line.c_str() + 5);
    } else if (answer != nullptr && line.rfind("|", 0) == 0) {
      answer->lines.push_back(line.substr(1));
    }
  }
  return answers;
}

std::string terminal_html(const std::string& command, const Answer& answer, const Words& say) {
  std::string html =
      "<div class=\"kl-code kl-terminal\" tabindex=\"0\"><pre><span class=\"kl-typed\">$ " +
      escape(command) + "</span>\n";
  for (const std::string& line : answer.lines) html += escape(line) + "\n";
  if (answer.exit_code != 0) {
    html += "<span class=\"kl-exit\">" + say("exit code {}", {std::to_string(answer.exit_code)}) +
            "</span>\n";
  }
  return html + "</pre></div>\n";
}

}  // namespace ladder::weave
