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
  PictureRequest picture(line.substr(mark.size()));
  if (picture.name().find('=') != std::string::npos) {
    throw UsageError("whose trace? '@trace 02.01 memory=output'");
  }
  const TraceRequest request{picture.name(), picture.text("at"), picture.text("memory"),
                             picture.text("access"), picture.caption()};
  picture.finish();
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

std::string trace_html(std::string_view line, const Answer& answer, const Words& say) {
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
  const std::string memory = "<code>" + escape(access.memory) + "</code>",
                    place = escape(access.file) + ":" + std::to_string(access.line);
  const std::string own =
      request.access == "write"
          ? say("The first write to {} by the first warp, at {}, as the emulator traced it when "
                "this "
                "page was made.",
                {memory, place})
          : say("The first access to {} by the first warp, at {}, as the emulator traced it when "
                "this page was made.",
                {memory, place});
  return picture.svg.figure(request.caption.empty() ? own : inline_code(request.caption));
}

}  // namespace ladder::weave
