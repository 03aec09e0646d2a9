// Parses the command line and calls the command that it names.
#pragma once

namespace ladder::cli {

// The exit code. Errors in the arguments are printed here and give Verdict::usage; a command's own
// Error passes through.
int parse_and_run(int argc, const char* const* argv);

}  // namespace ladder::cli
