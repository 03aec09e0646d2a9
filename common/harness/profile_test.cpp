#include "common/harness/profile.hpp"

#include <doctest/doctest.h>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {
namespace {

const char* const launches_text = R"json([{"kernel": "k(float*)", "grid": [8, 1, 1],
 "block": [256, 1, 1], "shared_bytes": 1024, "occupancy": {"blocks": 8, "warps": 64,
 "of_warps": 64, "limited_by": "threads"}, "counters": {"instructions.warp": 1200,
 "instructions.thread": 38400, "lanes_per_instruction": 32, "global.load.requests": 64,
 "global.load.sectors": 512, "global.load.sectors.ideal": 256}, "lines": [
 {"file": "/no/such/k.cu", "line": 7, "counters": {"instructions.warp": 1000}},
 {"file": "/no/such/k.cu", "line": 9, "counters": {"instructions.warp": 200,
  "global.load.sectors": 512, "global.load.sectors.ideal": 256}}]}])json";

Profile sample() {
  Profile profile;
  profile.id = "mine.cu";
  profile.at.set("N", 4096);
  profile.launches = parse_launches(launches_text);
  return profile;
}

}  // namespace

TEST_CASE("a profile shows counters with their meaning and ideal, and the hottest lines") {
  const std::string text =
      to_text(sample(), false, {.colour = false, .unicode = false, .width = 80});
  CHECK(text.find("mine.cu at N=4096") == 0);
  CHECK(text.find("grid 8, blocks of 256 threads") != std::string::npos);
  CHECK(text.find("32-byte pieces of global memory") != std::string::npos);
  CHECK(text.find("line 9: 8 sectors per request where 4 would do") != std::string::npos);
  CHECK(text.find("2 elements apart") != std::string::npos);
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("a remark on one of several files names it") {
  Profile profile = sample();
  profile.launches[0].lines[1].file = "/no/such/helper.cuh";
  const std::string text =
      to_text(profile, false, {.colour = false, .unicode = false, .width = 80});
  CHECK(text.find("helper.cuh:9: 8 sectors per request where 4 would do") != std::string::npos);
}

TEST_CASE("a launch without waste gets no remark") {
  Profile profile = sample();
  profile.launches[0].counters["global.load.sectors"] = 256;
  CHECK(remarks_on(profile.launches[0]).empty());
}

TEST_CASE("a profile's JSON has the launches, their lines and the schema of all reports") {
  const std::string json = to_json({sample()}, DeviceFacts{});
  CHECK(json.find("\"schema\": \"kernel-ladder/1\"") != std::string::npos);
  CHECK(json.find("\"kernel\": \"k(float*)\"") != std::string::npos);
  CHECK(json.find("\"line\": 9") != std::string::npos);
}

TEST_CASE("a list of launches that is none is our fault, or the machine's") {
  CHECK_THROWS_AS(parse_launches("{"), MachineError);
  CHECK_THROWS_AS(parse_launches("[{\"kernel\": 3}]"), MachineError);
}

}  // namespace ladder
