// One run of Doxygen: its configuration, the frame round its pages, and what it has to say.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "docs/weave/words.hpp"

namespace ladder::weave {

struct DoxygenRun {
  std::filesystem::path source;  // of the course
  std::filesystem::path work;    // where files are made on the way; emptied first
  std::filesystem::path html;    // where the pages go
  std::string language = "English";
  std::string configuration;  // on top of docs/Doxyfile.in
};

// Empties run.work and puts the frame there: Doxygen's own template, as `theme` changes it.
void write_frame(const DoxygenRun& run, const Words& say,
                 const std::function<std::string(std::string)>& theme);

// Makes the pages. `explain` makes errors of Doxygen's log; if there are any, they are thrown as a
// UsageError. Throws MachineError if there is no Doxygen, or not the theme.
void run_doxygen(const DoxygenRun& run,
                 const std::function<std::string(const std::string&)>& explain);

// As one value in Doxygen's configuration, or one word of its shell: in quotes.
std::string quoted(const std::string& text);

// Every `what` in `text` becomes `with`.
void replace_all(std::string& text, std::string_view what, std::string_view with);

// A file that Debian's package brings; throws MachineError.
void require(const std::filesystem::path& file, const char* package);

}  // namespace ladder::weave
