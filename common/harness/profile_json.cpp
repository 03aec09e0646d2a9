// Launches from and to JSON; apart from the rest because the JSON header is heavy.
#include <nlohmann/json.hpp>

#include "common/harness/json_numbers.hpp"
#include "common/harness/profile.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, double> counters_from(const Json& json) {
  std::map<std::string, double> counters;
  for (const auto& [name, value] : json.items()) counters[name] = value.get<double>();
  return counters;
}

void triple_from(const Json& json, int (&triple)[3]) {
  for (std::size_t i = 0; i < 3; ++i) triple[i] = json.at(i).get<int>();
}

LaunchProfile launch_from(const Json& json) {
  LaunchProfile launch;
  launch.kernel = json.at("kernel").get<std::string>();
  triple_from(json.at("grid"), launch.grid);
  triple_from(json.at("block"), launch.block);
  launch.shared_bytes = json.at("shared_bytes").get<double>();
  const Json& occupancy = json.at("occupancy");
  launch.blocks = occupancy.at("blocks").get<int>();
  launch.warps = occupancy.at("warps").get<int>();
  launch.of_warps = occupancy.at("of_warps").get<int>();
  launch.limited_by = occupancy.at("limited_by").get<std::string>();
  launch.counters = counters_from(json.at("counters"));
  for (const Json& line : json.at("lines"))
    launch.lines.push_back({line.at("file").get<std::string>(), line.at("line").get<int>(),
                            counters_from(line.at("counters"))});
  return launch;
}

// Calls use(json); throws MachineError for what it does not find in there.
template <class Use>
auto parse(std::string_view text, Use use) {
  try {
    return use(Json::parse(text));
  } catch (const Json::exception& error) {
    throw MachineError(std::string("the emulator's list of launches cannot be read: ") +
                       error.what());
  }
}

std::vector<LaunchProfile> launches_from(const Json& json) {
  std::vector<LaunchProfile> launches;
  for (const Json& launch : json) launches.push_back(launch_from(launch));
  return launches;
}

Json launch_json(const LaunchProfile& launch) {
  Json json;
  json["kernel"] = launch.kernel;
  json["grid"] = launch.grid;
  json["block"] = launch.block;
  json["shared_bytes"] = number(launch.shared_bytes);
  json["occupancy"] = {{"blocks", launch.blocks},
                       {"warps", launch.warps},
                       {"of_warps", launch.of_warps},
                       {"limited_by", launch.limited_by}};
  json["counters"] = named_numbers(launch.counters);
  json["remarks"] = remarks_on(launch);
  json["lines"] = Json::array();
  for (const LineProfile& line : launch.lines)
    json["lines"].push_back(
        {{"file", line.file}, {"line", line.line}, {"counters", named_numbers(line.counters)}});
  return json;
}

}  // namespace

std::vector<LaunchProfile> parse_launches(std::string_view json) {
  return parse(json, launches_from);
}

std::vector<LaunchProfile> parse_launches_of_report(std::string_view json) {
  return parse(json, [](const Json& whole) { return launches_from(whole.at("launch_records")); });
}

std::vector<std::string> faults_of_report(std::string_view json) {
  return parse(
      json, [](const Json& whole) { return whole.at("faults").get<std::vector<std::string>>(); });
}

std::string to_json(const std::vector<Profile>& profiles, const DeviceFacts& device) {
  Json json = Json::parse(to_json(std::vector<SolverReport>{}, device));
  Verdict verdict = Verdict::skipped;
  for (const Profile& profile : profiles) {
    verdict = worst(verdict, profile.verdict);
    Json entry;
    entry["id"] = profile.id;
    entry["file"] = profile.file;
    if (!profile.problem.empty()) entry["problem"] = profile.problem;
    entry["verdict"] = name_of(profile.verdict);
    entry["exit_code"] = static_cast<int>(profile.verdict);
    if (!profile.message.empty()) entry["message"] = profile.message;
    entry["at"] = named_numbers(profile.at.entries());
    entry["launches"] = Json::array();
    for (const LaunchProfile& launch : profile.launches)
      entry["launches"].push_back(launch_json(launch));
    json["entries"].push_back(entry);
  }
  json["verdict"] = name_of(verdict);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ladder
