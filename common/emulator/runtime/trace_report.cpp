#include "common/emulator/runtime/trace_report.hpp"

#include "common/emulator/runtime/launch_report.hpp"

namespace ladder::emulator {
namespace {

// "[a, b, c]"; `separator` stands between two.
template <class List, class Text>
std::string list_of(const List& list, const std::string& separator, Text text_of) {
  std::string text = "[";
  const char* between = "";
  for (const auto& element : list) {
    text += between + text_of(element);
    between = separator.c_str();
  }
  return text + "]";
}

std::string text_of(const TracedMemory& memory) {
  return "{\"space\": " + json_quoted(memory.space) + ", \"name\": " + json_quoted(memory.name) +
         ", \"begin\": " + std::to_string(memory.begin) +
         ", \"bytes\": " + std::to_string(memory.bytes) + "}";
}

std::string text_of(const TracedInstruction& instruction) {
  return "{\"file\": " + json_quoted(instruction.file) +
         ", \"line\": " + std::to_string(instruction.line) +
         ", \"text\": " + json_quoted(instruction.text) + "}";
}

const char* text_of(TracedAccess::Kind kind) {
  switch (kind) {
    case TracedAccess::Kind::read:
      return "read";
    case TracedAccess::Kind::write:
      return "write";
    case TracedAccess::Kind::atomic:
      break;
  }
  return "atomic";
}

std::string offsets_of(const TracedAccess& access) {
  std::string text = "[";
  for (std::size_t lane = 0; lane < access.offset.size(); ++lane) {
    if (lane > 0) text += ", ";
    text += ((access.mask >> lane) & 1) != 0 ? std::to_string(access.offset[lane]) : "null";
  }
  return text + "]";
}

std::string text_of(const TracedAccess& access) {
  return "{\"number\": " + std::to_string(access.number) +
         ", \"instruction\": " + std::to_string(access.instruction) +
         ", \"memory\": " + std::to_string(access.memory) + ", \"kind\": \"" +
         text_of(access.kind) + "\", \"block\": " + json_dim(access.block) +
         ", \"warp\": " + std::to_string(access.warp) +
         ", \"bytes\": " + std::to_string(access.bytes) + ", \"offsets\": " + offsets_of(access) +
         "}";
}

std::string text_of(const TracedLaunch& launch) {
  const std::string line = ",\n      ";
  const auto text = [](const auto& element) { return text_of(element); };
  return "{\"kernel\": " + json_quoted(launch.kernel) + ", \"grid\": " + json_dim(launch.grid) +
         ", \"block\": " + json_dim(launch.block) +
         ",\n    \"memories\": " + list_of(launch.memories, line, text) +
         ",\n    \"instructions\": " + list_of(launch.instructions, line, text) +
         ",\n    \"accesses\": " + list_of(launch.accesses, line, text) + "}";
}

}  // namespace

std::string trace_json(const Trace& trace) {
  return "{\"schema\": \"kernel-ladder-trace/1\", \"first_block\": " +
         std::to_string(trace.limits.first_block) +
         ", \"blocks\": " + std::to_string(trace.limits.blocks) +
         ", \"limit\": " + std::to_string(trace.limits.accesses) +
         ", \"cut\": " + (trace.cut ? "true" : "false") + ",\n  \"launches\": " +
         list_of(trace.launches, ",\n  ",
                 [](const TracedLaunch& launch) { return text_of(launch); }) +
         "}\n";
}

}  // namespace ladder::emulator
