// What reports look like as text; as JSON they are tested by report_json_test.cpp.
#include "common/harness/report.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "common/harness/table.hpp"

using namespace ladder;

namespace {

SolverReport solved_step() {
  SolverReport report;
  report.id = "01_vector_add.step_03_one_thread_per_element";
  report.idea = "one thread for each element, and a guard for the tail of the last block";
  report.counters = {{"instructions.warp", 1234567},
                     {"global.load.requests", 200},
                     {"global.store.requests", 100},
                     {"global.load.sectors", 800},
                     {"global.store.sectors", 400}};
  report.counted_at = {{"N", 1048576}};
  return report;
}

int widest_line(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

}  // namespace

TEST_CASE("a ladder table fits windows from 40 to 200 columns") {
  Style style;
  for (style.width = 40; style.width <= 200; style.width += 10) {
    CAPTURE(style.width);
    const std::string text = ladder_table({solved_step()}, nullptr, style);
    CHECK(widest_line(text) <= style.width);
    CHECK(text.find("solved") != std::string::npos);
    CHECK(text.find("03") != std::string::npos);
  }
}

TEST_CASE("a wide ladder table shows counters and what one request costs") {
  Style style;
  style.width = 200;
  const std::string text = ladder_table({solved_step()}, nullptr, style);
  CHECK(text.find("1.23 M") != std::string::npos);
  CHECK(text.find("300") != std::string::npos);
  CHECK(text.find("4.0") != std::string::npos);
}

TEST_CASE("sizes of counting and of timing are told apart") {
  Style style;
  style.width = 200;
  BenchReport bench;
  BenchEntry entry;
  entry.id = solved_step().id;
  entry.at = {{"N", 268435456}};
  entry.gigabytes_per_s = 4393.4;
  entry.ceilings = {{"copy", {}, 1.033}};
  bench.entries = {entry};
  const std::string text = ladder_table({solved_step()}, &bench, style);
  for (const char* expected :
       {"counted at", "N=1048576", "timed at", "N=268435456", "4393", "103 %"})
    CHECK(text.find(expected) != std::string::npos);
}

TEST_CASE("a timed solver is shown against each of its ceilings, the one that counts first") {
  Style style;
  style.width = 200;
  BenchReport bench;
  BenchEntry entry;
  entry.id = "02_transpose.step_03";
  entry.timing = {100, 99, 101, 50};
  entry.ceilings = {{"cublasSgeam", {}, 1.25}, {"copy", {}, 0.875}};
  bench.entries = {entry};
  const std::string text = to_text(bench, style);
  CHECK(text.find("cublasSgeam, copy") != std::string::npos);
  CHECK(text.find("1.250, 0.875") != std::string::npos);
}

TEST_CASE("without a GPU the bound is computed from the sectors moved, and said to be computed") {
  Style style;
  style.width = 200;
  const Cost cost = {.bytes = 19200, .flops = 100};
  const std::string text = computed_table({solved_step()}, {cost}, {"H200", 4800, 67}, style);
  CHECK(text.find("38.4 k") != std::string::npos);  // 1200 sectors of 32 bytes
  CHECK(text.find("2.00") != std::string::npos);    // twice the compulsory ones
  CHECK(text.find("0.01") != std::string::npos);    // 8 ns at 4800 GB/s
  CHECK(text.find("memory") != std::string::npos);
  CHECK(text.find("computed, not measured") != std::string::npos);
}

TEST_CASE("a solver that is wrong while it is timed is wrong, and one that is not timed says why") {
  std::vector<SolverReport> reports = {solved_step(), solved_step()};
  reports[1].id = "01_vector_add.step_04";
  BenchReport bench;
  BenchEntry entry;
  entry.id = reports[0].id;
  entry.at = {{"N", 25000000}};
  entry.verdict = Verdict::wrong;
  entry.message = "wrong answer: vector_add, N = 25000000, random\n  C[7] is 0";
  BenchEntry other = entry;
  other.id = reports[1].id;
  other.verdict = Verdict::skipped;
  other.message = "outside its @limits: N <= 1024";
  bench.entries = {entry, other};
  add_findings(reports, bench);
  CHECK(reports[0].verdict == Verdict::wrong);
  CHECK(reports[1].verdict == Verdict::solved);
  Style style;
  style.width = 200;
  const std::string text = ladder_table(reports, &bench, style);
  for (const char* expected : {"wrong answer", "while it was timed", "C[7] is 0",
                               "not timed at N=25000000: outside its @limits: N <= 1024"})
    CHECK(text.find(expected) != std::string::npos);
}

TEST_CASE("a table without colour has no escape codes, and with colour it has") {
  Style style;
  CHECK(ladder_table({solved_step()}, nullptr, style).find('\033') == std::string::npos);
  style.colour = true;
  CHECK(ladder_table({solved_step()}, nullptr, style).find('\033') != std::string::npos);
}

TEST_CASE("text is cut at characters, not bytes") {
  CHECK(cut_to("äöüäöü", 4, true) == "äöü…");
  CHECK(cut_to("äöüäöü", 4, false) == "äöü~");
  CHECK(cut_to("short", 5, true) == "short");
}

TEST_CASE("numbers are shortened to three digits") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(999) == "999");
  CHECK(short_number(1000) == "1.00 k");
  CHECK(short_number(1234567) == "1.23 M");
  CHECK(short_number(999999) == "1.00 M");
  CHECK(short_number(4.5) == "4.50");
}

TEST_CASE("a failed report shows its message and a missed goal its figures") {
  SolverReport report = solved_step();
  report.verdict = Verdict::wrong;
  report.message = "wrong answer: vector_add, N = 257\n  expected 1, got nan";
  GoalReport goal;
  goal.relation.text = "global.load.requests == 128 at N=4096";
  goal.judged = true;
  goal.message = "global.load.requests is 512";
  report.goals.push_back(goal);
  const std::string text = to_text(report, Style{});
  CHECK(text.find("expected 1, got nan") != std::string::npos);
  CHECK(text.find("goal missed") != std::string::npos);
  CHECK(text.find("is 512") != std::string::npos);
}

TEST_CASE("right answers that miss a goal are not called wrong, and each goal is named once") {
  SolverReport report = solved_step();
  report.verdict = Verdict::wrong;
  report.message = "goal missed: silu\n  global.load.requests is 512, wanted == 128 at N=4096";
  GoalReport goal;
  goal.relation.text = "global.load.requests == 128 at N=4096";
  goal.judged = true;
  goal.message = "global.load.requests is 512, wanted == 128 at N=4096";
  report.goals.push_back(goal);
  CHECK(headline(report) == "goal missed");
  const std::string text = to_text(report, Style{});
  CHECK(text.find("wrong answer") == std::string::npos);
  CHECK(text.find("goal missed, though every answer is right") != std::string::npos);
  CHECK(text.find("is 512") != std::string::npos);
  CHECK(text.find("is 512") == text.rfind("is 512"));
  report.cases.emplace_back().verdict = Verdict::wrong;
  CHECK(headline(report) == "wrong answer");
}
