// Pictures of what a step's lanes really touched, from the emulator's trace. Prose asks for one in a
// line of its own:
//
//   @trace 02.01 at=rows=64,cols=64 memory=output access=write | A caption.
//
// and gets the first such access of the first warp: on sectors if the memory is global, on banks if
// it is shared. `weave capture` runs `ladder profile --trace` once for it, when the site is made.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "docs/weave/terminal.hpp"
#include "docs/weave/words.hpp"

namespace ladder::weave {

struct TraceRequest {
  std::string id;              // of a solver
  std::string at;              // sizes, as `ladder profile --at` takes them
  std::string memory, access;  // "output", "write"; "" for any
  std::string caption;
};
// Throws UsageError for a line that is not of this form.
TraceRequest parse_trace(std::string_view line);
bool is_trace_line(std::string_view line);

// One access of a warp: what the answers keep of a trace.
struct TracedAccess {
  std::string space, memory, file;  // "global", "output", "step_01.cu"
  int line = 0;
  std::uint64_t begin = 0;            // of the memory, in its space
  std::uint32_t bytes = 0;            // of a lane
  std::vector<std::int64_t> offsets;  // of 32 lanes in the memory; -1: inactive
};
std::vector<std::string> write_access(const TracedAccess& access);
TracedAccess read_access(const std::vector<std::string>& lines);

// The first access of the trace (JSON) that the request asks for. Throws UsageError if it has none.
TracedAccess first_access(const std::filesystem::path& trace, const TraceRequest& request);

// The answer for a line: the profile is run in the course's folder. Throws UsageError.
Answer run_trace(const std::filesystem::path& source, const std::string& ladder,
                 std::string_view line);

// The figure. Throws UsageError.
std::string trace_html(std::string_view line, const Answer& answer, const Words& say = {});

}  // namespace ladder::weave
