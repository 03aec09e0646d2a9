#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/harness/report.hpp"

using namespace ladder;
using nlohmann::json;

namespace {

SolverReport wrong_report() {
  SolverReport report;
  report.id = "01_vector_add.ex_01";
  report.problem = "vector_add";
  report.verdict = Verdict::wrong;
  report.message = "a path that is not UTF-8: \xff\xfe";
  CaseReport tried;
  tried.tried.parameters = {{"N", 257}};
  tried.verdict = Verdict::wrong;
  report.cases.push_back(tried);
  report.counters = {{"instructions.warp", 12}, {"ratio", std::nan("")}};
  return report;
}

}  // namespace

TEST_CASE("reports are JSON of the versioned schema, whatever bytes a message has") {
  const json parsed = json::parse(to_json({wrong_report()}));
  CHECK(parsed["schema"] == "kernel-ladder/1");
  CHECK(parsed["verdict"] == "wrong answer");
  const json& entry = parsed["entries"][0];
  CHECK(entry["id"] == "01_vector_add.ex_01");
  CHECK(entry["exit_code"] == 1);
  CHECK(entry["cases"][0]["parameters"]["N"] == 257);
  CHECK(entry["counters"]["instructions.warp"] == 12);
  CHECK(entry["counters"]["ratio"].is_null());
}

TEST_CASE("no reports at all are still a whole document") {
  CHECK(json::parse(to_json(std::vector<SolverReport>{}))["entries"].empty());
}

TEST_CASE("a bench report groups its sizes by solver") {
  BenchReport bench;
  bench.device.name = "NVIDIA H200";
  for (const double size : {1024.0, 4096.0}) {
    BenchEntry entry;
    entry.id = "01_vector_add.step_06";
    entry.at = {{"N", size}};
    entry.timing.median_us = 12.5;
    entry.timing.samples = 100;
    entry.ceilings = {{"CUB", {12.6, 12.5, 12.7, 100}, 1.01, 1, 1.02},
                      {"copy", {12, 12, 12, 100}, 0.96, 0.95, 0.97}};
    bench.entries.push_back(entry);
  }
  const json parsed = json::parse(to_json(bench));
  CHECK(parsed["device"]["name"] == "NVIDIA H200");
  CHECK(parsed["verdict"] == "solved");
  REQUIRE(parsed["entries"].size() == 1);
  REQUIRE(parsed["entries"][0]["timings"].size() == 2);
  const json& timing = parsed["entries"][0]["timings"][1];
  CHECK(timing["at"]["N"] == 4096);
  CHECK(timing["median_us"] == 12.5);
  REQUIRE(timing["ceilings"].size() == 2);
  CHECK(timing["ceilings"][0]["name"] == "CUB");
  CHECK(timing["ceilings"][0]["ratio"] == doctest::Approx(1.01));
  CHECK(timing["ceilings"][1]["name"] == "copy");
  CHECK(timing["ceilings"][1]["ratio_interval"][0] == doctest::Approx(0.95));
}

TEST_CASE("an error is a document without entries, with the verdict and the message") {
  const auto parsed = nlohmann::json::parse(to_json(Verdict::usage, "no such file: a.cu"));
  CHECK(parsed["schema"] == "kernel-ladder/1");
  CHECK(parsed["verdict"] == "usage");
  CHECK(parsed["message"] == "no such file: a.cu");
  CHECK(parsed["entries"].empty());
}
