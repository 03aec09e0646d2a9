#include "common/emulator/runtime/journal.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common/emulator/runtime/launch_report.hpp"
#include "common/emulator/runtime/trace_report.hpp"

namespace ladder::emulator {
namespace {

constexpr std::size_t most_messages = 50;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void save(const std::string& path, const char* what, const std::string& text) {
  const auto close = [](std::FILE* file) { return std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "w"), close);
  if (!file) {
    std::fprintf(stderr, "ladder emulator: cannot write the %s %s\n", what, path.c_str());
    return;
  }
  std::fwrite(text.data(), 1, text.size(), file.get());
}

}  // namespace

Journal::Journal()
    : report_file_(environment("LADDER_EMULATOR_REPORT")),
      trace_file_(environment("LADDER_EMULATOR_TRACE")),
      quiet_(environment("LADDER_EMULATOR_QUIET") == "1") {
  const std::string fail = environment("LADDER_EMULATOR_FAIL");
  if (fail.empty()) return;
  const std::size_t colon = fail.find(':');
  failing_function_ = fail.substr(0, colon);
  failing_call_ =
      colon == std::string::npos ? 1 : std::strtoull(fail.c_str() + colon + 1, nullptr, 10);
  if (failing_call_ == 0)
    say("LADDER_EMULATOR_FAIL is '" + fail + "', not NAME:K with K from 1: no call will fail");
}

bool Journal::count_call(const char* function) {
  const auto [entry, added] = calls_.try_emplace(function, 0);
  const bool fails = ++entry->second == failing_call_ && failing_function_ == function;
  if (fails) say("call " + std::to_string(failing_call_) + " of " + function + " fails, as asked");
  return fails;
}

void Journal::record_fault(const std::string& text) {
  if (faults_.size() < most_messages) faults_.push_back(text);
  say(text);
}

void Journal::say(const std::string& text) {
  if (quiet_ || said_.size() >= most_messages || !said_.insert(text).second) return;
  std::fprintf(stderr, "ladder emulator: %s%s", text.c_str(),
               !text.empty() && text.back() == '\n' ? "" : "\n");
  if (said_.size() == most_messages)
    std::fprintf(stderr, "ladder emulator: further messages are not shown\n");
}

void Journal::write_report(const Counters& counters, const std::vector<Device::Allocation>& leaks,
                           const std::vector<LaunchRecord>& launches) const {
  std::string text = "{\n  \"calls\": {";
  const char* separator = "";
  for (const auto& [function, count] : calls_) {
    text += separator + json_quoted(function) + ": " + std::to_string(count);
    separator = ", ";
  }
  text += "},\n  \"faults\": [";
  separator = "";
  for (const std::string& fault : faults_) {
    text += separator + json_quoted(fault);
    separator = ", ";
  }
  text += "],\n  \"leaks\": [";
  separator = "";
  for (const Device::Allocation& leak : leaks) {
    text += separator + std::string("{\"what\": ") + json_quoted(leak.what) +
            ", \"bytes\": " + std::to_string(leak.bytes) +
            ", \"address\": " + std::to_string(leak.address) + "}";
    separator = ", ";
  }
  text += "],\n  \"launches\": " + std::to_string(counters.launches) +
          ",\n  \"counters\": " + json_counters(counters, true) +
          ",\n  \"launch_records\": " + launches_json(launches) + "\n}\n";
  save(report_file_, "report", text);
}

void Journal::write_trace(const Trace& trace) const {
  save(trace_file_, "trace", trace_json(trace));
}

}  // namespace ladder::emulator
