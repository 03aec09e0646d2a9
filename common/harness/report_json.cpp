// The JSON of reports; apart from the text because the JSON header is heavy.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/json_numbers.hpp"
#include "common/harness/report.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "kernel-ladder/1";

Json device_json(const DeviceFacts& device) {
  Json json;
  json["name"] = device.name;
  json["driver"] = device.driver;
  json["toolkit"] = device.toolkit;
  json["compute_capability"] = device.compute_capability;
  json["memory_bytes"] = device.memory_bytes;
  json["commit"] = device.commit;
  json["date"] = device.date;
  if (device.copy_gb_s > 0)
    json["ceilings"] = {{"copy_gb_s", device.copy_gb_s},
                        {"read_gb_s", device.read_gb_s},
                        {"ffma_tflops", device.ffma_tflops},
                        {"launch_us", device.launch_us},
                        {"launch_idle_us", device.launch_idle_us}};
  if (!device.clocks.empty()) json["clocks"] = device.clocks;
  return json;
}

Json timing_json(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"interval_us", {timing.low_us, timing.high_us}},
          {"samples", timing.samples}};
}

// What it is measured by, then the others: all of one form.
Json ceilings_json(const std::vector<Ceiling>& ceilings) {
  Json list = Json::array();
  for (const Ceiling& ceiling : ceilings) {
    Json json = {{"name", ceiling.name}};
    json.update(timing_json(ceiling.timing));
    json["ratio"] = number(ceiling.ratio);
    json["ratio_interval"] = {number(ceiling.ratio_low), number(ceiling.ratio_high)};
    list.push_back(json);
  }
  return list;
}

// All sizes at which a solver was timed.
Json timings_json(const std::vector<BenchEntry>& entries, const std::string& id) {
  Json timings = Json::array();
  for (const BenchEntry& entry : entries) {
    if (entry.id != id || entry.timing.samples == 0) continue;
    Json json = timing_json(entry.timing);
    json["at"] = named_numbers(entry.at.entries());
    json["gb_s"] = number(entry.gigabytes_per_s);
    json["gflop_s"] = number(entry.gigaflops);
    json["ceilings"] = ceilings_json(entry.ceilings);
    timings.push_back(json);
  }
  return timings;
}

Json case_json(const CaseReport& tried) {
  Json json;
  json["parameters"] = named_numbers(tried.tried.parameters.entries());
  json["distribution"] = name_of(tried.tried.distribution);
  json["seed"] = tried.tried.seed;
  json["backend"] = name_of(tried.backend);
  json["verdict"] = name_of(tried.verdict);
  if (!tried.message.empty()) json["message"] = tried.message;
  json["seconds"] = tried.seconds;
  return json;
}

Json report_json(const SolverReport& report, const BenchReport* timed) {
  Json json;
  json["id"] = report.id;
  json["file"] = report.file;
  json["problem"] = report.problem;
  json["idea"] = report.idea;
  json["verdict"] = name_of(report.verdict);
  json["exit_code"] = static_cast<int>(report.verdict);
  if (!report.message.empty()) json["message"] = report.message;
  json["notes"] = report.notes;
  json["cases"] = Json::array();
  for (const CaseReport& tried : report.cases) json["cases"].push_back(case_json(tried));
  json["goals"] = Json::array();
  for (const GoalReport& goal : report.goals)
    json["goals"].push_back({{"goal", goal.relation.text},
                             {"judged", goal.judged},
                             {"met", goal.met},
                             {"message", goal.message}});
  json["counters"] = named_numbers(report.counters);
  if (!report.counters.empty()) json["counted_at"] = named_numbers(report.counted_at.entries());
  if (timed) json["timings"] = timings_json(timed->entries, report.id);
  return json;
}

std::string text_of(const Json& json) {
  // Bytes that are not UTF-8 (a compiler's message, a path) are replaced, never an error.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const std::vector<SolverReport>& reports, const DeviceFacts& device,
                    const BenchReport* timed) {
  Json json;
  json["schema"] = kSchema;
  json["device"] = device_json(timed ? timed->device : device);
  Verdict verdict = Verdict::skipped;
  for (const SolverReport& report : reports) verdict = worst(verdict, report.verdict);
  json["verdict"] = name_of(verdict);
  json["entries"] = Json::array();
  for (const SolverReport& report : reports) json["entries"].push_back(report_json(report, timed));
  if (timed) json["notes"] = timed->notes;
  return text_of(json);
}

std::string to_json(Verdict verdict, const std::string& message) {
  Json json;
  json["schema"] = kSchema;
  json["verdict"] = name_of(verdict);
  json["message"] = message;
  json["entries"] = Json::array();
  return text_of(json);
}

std::string to_json(const BenchReport& report) {
  Json json;
  json["schema"] = kSchema;
  json["device"] = device_json(report.device);
  Verdict overall = Verdict::skipped;
  for (const BenchEntry& entry : report.entries) overall = worst(overall, entry.verdict);
  json["verdict"] = name_of(overall);
  json["entries"] = Json::array();
  std::vector<std::string> ids;
  for (const BenchEntry& entry : report.entries)
    if (std::find(ids.begin(), ids.end(), entry.id) == ids.end()) ids.push_back(entry.id);
  for (const std::string& id : ids) {
    Json one;
    one["id"] = id;
    Verdict verdict = Verdict::skipped;
    std::string message;
    for (const BenchEntry& entry : report.entries) {
      if (entry.id != id) continue;
      verdict = worst(verdict, entry.verdict);
      if (message.empty()) message = entry.message;
    }
    one["verdict"] = name_of(verdict);
    one["exit_code"] = static_cast<int>(verdict);
    if (!message.empty()) one["message"] = message;
    one["timings"] = timings_json(report.entries, id);
    json["entries"].push_back(one);
  }
  json["notes"] = report.notes;
  return text_of(json);
}

std::string to_json(const std::vector<EmulatorSpeed>& speeds, const DeviceFacts& device) {
  Json json;
  json["schema"] = kSchema;
  json["device"] = device_json(device);
  json["verdict"] = name_of(Verdict::solved);  // it measures, and judges nothing
  json["entries"] = Json::array();
  std::vector<double> ratios[std::size(emulator_modes)], speedups;
  for (const EmulatorSpeed& speed : speeds) {
    Json entry = {{"id", speed.id},
                  {"at", named_numbers(speed.at.entries())},
                  {"warp_instructions", number(speed.warp_instructions)},
                  {"millions_per_s", number(speed.millions_per_s())},
                  {"millions_per_s_bar", number(speed.least_rate)},
                  {"cycles_each", number(speed.cycles_each())},
                  {"cycles_per_second", number(speed.cycles_per_second)},
                  {"speedup_on_two_cores", number(speed.speedup())}};
    for (std::size_t mode = 0; mode < std::size(emulator_modes); ++mode) {
      entry["modes"][emulator_modes[mode].name] = {{"seconds", number(speed.seconds[mode])},
                                                   {"ratio", number(speed.ratio(mode))}};
      ratios[mode].push_back(speed.ratio(mode));
    }
    speedups.push_back(speed.speedup());
    json["entries"].push_back(std::move(entry));
  }
  Json& means = json["geometric_means"];
  for (std::size_t mode = 0; mode < std::size(emulator_modes); ++mode) {
    means["ratio"][emulator_modes[mode].name] = {{"is", number(geometric_mean(ratios[mode]))},
                                                 {"bar", number(emulator_modes[mode].most_ratio)}};
  }
  means["speedup_on_two_cores"] = {{"is", number(geometric_mean(speedups))},
                                   {"bar", number(least_speedup)}};
  return text_of(json);
}

}  // namespace ladder
