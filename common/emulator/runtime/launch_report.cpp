#include "common/emulator/runtime/launch_report.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace ladder::emulator {

namespace {

// Bytes of the character in UTF-8 with which `text` begins; 0: it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xf5   ? 0
                            : lead >= 0xf0 ? 4
                            : lead >= 0xe0 ? 3
                            : lead >= 0xc2 ? 2
                                           : 0;
  if (text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Neither longer than it has to be, nor half of a pair, nor beyond the last.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90))
    return 0;
  return bytes;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) {
      result += "\\ufffd";  // in place of a byte that is no text
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      result += escape;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result + '"';
}

// In every locale of the program with a point.
std::string json_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 17).ptr};
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
