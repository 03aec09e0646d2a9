// The only file of weave that includes the JSON library.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/files.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/results.hpp"
#include "docs/weave/trace.hpp"

namespace ladder::weave {

namespace {

using Json = nlohmann::ordered_json;

Json parse(const std::filesystem::path& file) {
  try {
    return Json::parse(read_file(file));
  } catch (const Json::exception& error) {
    throw UsageError(file.string() + ": not JSON: " + error.what());
  }
}

Sizes sizes_of(const Json& json) {
  Sizes sizes;
  for (const auto& [name, value] : json.items()) sizes.emplace_back(name, value.get<double>());
  return sizes;
}

Timing timing_of(const Json& json) {
  Timing timing;
  timing.at = sizes_of(json.at("at"));
  timing.median_us = json.at("median_us");
  timing.low_us = json.at("interval_us").at(0);
  timing.high_us = json.at("interval_us").at(1);
  timing.gigabytes_per_s = json.value("gb_s", 0.0);
  timing.gigaflops = json.value("gflop_s", 0.0);
  for (const Json& ceiling : json.at("ceilings")) {
    timing.ceilings.push_back({ceiling.at("name"), ceiling.at("ratio"),
                               ceiling.at("ratio_interval").at(0),
                               ceiling.at("ratio_interval").at(1)});
  }
  return timing;
}

}  // namespace

const Timing* Measurements::find(const std::string& id, const Sizes& at) const {
  const auto found = timings.find(id);
  if (found == timings.end()) return nullptr;
  for (const Timing& timing : found->second) {
    if (timing.at == at) return &timing;
  }
  return nullptr;
}

double volume(const Sizes& sizes) {
  double product = 1;
  for (const auto& [name, value] : sizes) product *= value;
  return product;
}

std::vector<Sizes> Measurements::sizes() const {
  std::vector<Sizes> all;
  for (const auto& [id, list] : timings) {
    for (const Timing& timing : list) {
      if (std::find(all.begin(), all.end(), timing.at) == all.end()) all.push_back(timing.at);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sizes& a, const Sizes& b) { return volume(a) < volume(b); });
  return all;
}

Measurements read_measurements(const std::filesystem::path& file, const std::string& shown) {
  const Json json = parse(file);
  Measurements measured;
  measured.file = shown;
  try {
    const Json& device = json.at("device");
    measured.device = device.at("name");
    measured.driver = device.at("driver");
    measured.toolkit = device.at("toolkit");
    measured.commit = device.value("commit", "");
    measured.date = device.at("date");
    const Json ceilings = device.value("ceilings", Json::object());
    for (const auto& [name, value] : ceilings.items()) {
      measured.ceilings[name] = value.get<double>();
    }
    for (const Json& entry : json.at("entries")) {
      auto& timings = measured.timings[entry.at("id").get<std::string>()];
      for (const Json& timing : entry.value("timings", Json::array())) {
        timings.push_back(timing_of(timing));
      }
      std::stable_sort(timings.begin(), timings.end(), [](const Timing& a, const Timing& b) {
        return volume(a.at) < volume(b.at);
      });
    }
  } catch (const Json::exception& error) {
    throw UsageError(shown + ":1: not the course's schema: " + error.what());
  }
  return measured;
}

Counters read_counters(const std::filesystem::path& file) {
  const Json json = parse(file);
  Counters counters;
  try {
    for (const Json& entry : json.at("entries")) {
      Counted& counted = counters[entry.at("id").get<std::string>()];
      counted.verdict = entry.at("verdict");
      if (!entry.contains("counted_at")) continue;
      counted.at = sizes_of(entry.at("counted_at"));
      for (const auto& [name, value] : entry.at("counters").items()) {
        counted.counters[name] = value.get<double>();
      }
    }
  } catch (const Json::exception& error) {
    throw UsageError(file.string() + ": not the course's schema: " + error.what());
  }
  return counters;
}

TracedAccess first_access(const std::filesystem::path& trace, const TraceRequest& request) {
  const Json json = parse(trace);
  try {
    for (const Json& launch : json.at("launches")) {
      for (const Json& access : launch.at("accesses")) {
        const Json& memory = launch.at("memories").at(access.at("memory").get<std::size_t>());
        const Json& at = launch.at("instructions").at(access.at("instruction").get<std::size_t>());
        if (!request.memory.empty() && memory.at("name") != request.memory) continue;
        if (!request.access.empty() && access.at("kind") != request.access) continue;
        TracedAccess found{memory.at("space"),
                           memory.at("name"),
                           at.at("file"),
                           at.at("line"),
                           memory.at("begin"),
                           access.at("bytes"),
                           {}};
        for (const Json& offset : access.at("offsets")) {
          found.offsets.push_back(offset.is_null() ? -1 : offset.get<std::int64_t>());
        }
        return found;
      }
    }
  } catch (const Json::exception& error) {
    throw UsageError(trace.string() + ": not a trace: " + error.what());
  }
  throw UsageError("the trace of " + request.id + " has no access '" + request.access +
                   "' of a memory '" + request.memory + "'");
}

std::string json_string(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ladder::weave
