#include "common/emulator/runtime/launch_report.hpp"

#include <cstdio>

namespace ladder::emulator {

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string json_counters(const Counters& counters, bool all) {
  std::string text = "{";
  const char* separator = "";
  for (const auto& [name, value] : named_counters(counters)) {
    if (value == 0 && !all) continue;
    text += separator;
    text += json_quoted(name) + ": " + json_number(value);
    separator = ", ";
  }
  return text + "}";
}

std::string json_dim(const Dim3& d) {
  return std::string("[") + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + "]";
}

namespace {

std::string json_launch(const LaunchRecord& launch) {
  std::string text =
      "{\"kernel\": " + json_quoted(launch.kernel) + ", \"grid\": " + json_dim(launch.grid) +
      ", \"block\": " + json_dim(launch.block) +
      ", \"shared_bytes\": " + std::to_string(launch.shared_bytes) +
      ",\n    \"occupancy\": {\"blocks\": " + std::to_string(launch.occupancy.blocks) +
      ", \"warps\": " + std::to_string(launch.occupancy.warps) +
      ", \"of_warps\": " + std::to_string(launch.occupancy.of_warps) +
      ", \"limited_by\": " + json_quoted(launch.occupancy.limited_by) + "}" +
      ",\n    \"counters\": " + json_counters(launch.counters, false) + ",\n    \"lines\": [";
  const char* separator = "\n      ";
  for (const LaunchRecord::Line& line : launch.lines) {
    text += separator + std::string("{\"file\": ") + json_quoted(line.file) +
            ", \"line\": " + std::to_string(line.line) +
            ", \"counters\": " + json_counters(line.counters, false) + "}";
    separator = ",\n      ";
  }
  return text + "]}";
}

}  // namespace

std::string launches_json(const std::vector<LaunchRecord>& launches) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const LaunchRecord& launch : launches) {
    text += separator + json_launch(launch);
    separator = ",\n    ";
  }
  return text + "]";
}

}  // namespace ladder::emulator
