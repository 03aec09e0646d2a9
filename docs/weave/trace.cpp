#include "docs/weave/trace.hpp"

#include <cstdlib>

#include "common/harness/files.hpp"
#include "common/harness/process.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

namespace {

constexpr std::string_view mark = "@trace ";

}  // namespace

bool is_trace_line(std::string_view line) {
  return line.rfind(mark, 0) == 0;
}

TraceRequest parse_trace(std::string_view line) {
  TraceRequest request;
  line.remove_prefix(mark.size());
  const std::size_t bar = line.find('|');
  if (bar != std::string_view::npos) request.caption = std::string(trim(line.substr(bar + 1)));
  for (const std::string& word : split_words(line.substr(0, bar))) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos && request.id.empty()) {
      request.id = word;
    } else if (name == "at") {
      request.at = word.substr(equals + 1);
    } else if (name == "memory") {
      request.memory = word.substr(equals + 1);
    } else if (name == "access") {
      request.access = word.substr(equals + 1);
    } else {
      throw UsageError("'" + word + "' is no part of '@trace ID at=N=4096 memory=A access=read'");
    }
  }
  if (request.id.empty()) throw UsageError("whose trace? '@trace 02.01 memory=output'");
  return request;
}

std::vector<std::string> write_access(const TracedAccess& access) {
  std::string offsets = "offsets";
  for (const std::int64_t offset : access.offsets) offsets += " " + std::to_string(offset);
  return {"space " + access.space,
          "memory " + access.memory,
          "file " + access.file,
          "line " + std::to_string(access.line),
          "begin " + std::to_string(access.begin),
          "bytes " + std::to_string(access.bytes),
          offsets};
}

TracedAccess read_access(const std::vector<std::string>& lines) {
  TracedAccess access;
  for (const std::string& line : lines) {
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank), value = line.substr(blank + 1);
    if (name == "space") access.space = value;
    if (name == "memory") access.memory = value;
    if (name == "file") access.file = value;
    if (name == "line") access.line = std::atoi(value.c_str());
    if (name == "begin") access.begin = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "bytes") access.bytes = static_cast<std::uint32_t>(std::atoi(value.c_str()));
    if (name != "offsets") continue;
    for (const std::string& offset : split_words(value)) {
      access.offsets.push_back(std::atoll(offset.c_str()));
    }
  }
  return access;
}

Answer run_trace(const std::filesystem::path& source, const std::string& ladder,
                 std::string_view line) {
  const TraceRequest request = parse_trace(line);
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trace.json";
  std::vector<std::string> command = {"env",     "-C",       source.string(), ladder,
                                      "profile", request.id, "--trace",       file.string()};
  if (!request.at.empty()) command.insert(command.end(), {"--at", request.at});
  ProcessOptions options;
  options.time_limit_s = 120;
  const ProcessResult result = run_process(command, options);
  if (result.exit_code != 0) {
    throw UsageError("`" + join({command.begin() + 3, command.end()}, " ") + "` failed:\n" +
                     result.output + result.errors);
  }
  return {0, write_access(first_access(file, request))};
}

std::string trace_html(std::string_view line, const Answer& answer) {
  const TraceRequest request = parse_trace(line);
  const TracedAccess access = read_access(answer.lines);
  if (access.offsets.size() != 32) throw UsageError("the trace of a warp has 32 lanes");
  LaneAddresses lanes;
  lanes.bytes = access.bytes;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (access.offsets[lane] < 0) continue;
    lanes.mask |= 1u << lane;
    lanes.at[lane] = static_cast<std::uint64_t>(access.offsets[lane]) +
                     (access.space == "shared" ? access.begin : 0);
  }
  const Picture picture =
      access.space == "shared" ? banks_of_lanes(lanes) : sectors_of_lanes(lanes);
  const std::string own =
      "The first " + std::string(request.access == "write" ? "write" : "access") + " of <code>" +
      escape(access.memory) + "</code> by the first warp, at " + escape(access.file) + ":" +
      std::to_string(access.line) + ", as the emulator traced it when this page was made.";
  return picture.svg.figure(request.caption.empty() ? own : inline_code(request.caption));
}

}  // namespace ladder::weave
