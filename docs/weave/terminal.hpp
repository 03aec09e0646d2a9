// What commands answer, for pages to show: each "@terminal COMMAND" of docs/pages/ is run once when
// the site is made, by `weave capture`, and its words are kept in one file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "docs/weave/words.hpp"

namespace ladder::weave {

struct Answer {
  int exit_code = 0;
  std::vector<std::string> lines;  // stdout and stderr together
};
using Answers = std::map<std::string, Answer>;  // by command, as the page has it

// "@terminal ./ladder check 01.03" -> the command; "" for any other line.
std::string terminal_command(std::string_view line);

// Runs the commands of all pages in the course's folder, with `ladder` for "./ladder".
Answers run_commands(const std::filesystem::path& source, const std::string& ladder);

std::string write_answers(const Answers& answers);
Answers read_answers(std::string_view text);

std::string terminal_html(const std::string& command, const Answer& answer, const Words& say);

}  // namespace ladder::weave
