// What was measured and counted: chapters/NN/results/GPU.json, and the emulator's counters, which
// `weave count` asks for when the site is built. Every number of a page comes from here.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ladder::weave {

using Sizes = std::vector<std::pair<std::string, double>>;  // {{"N", 4096}}, as the file has them

// All sizes multiplied: what is large and what is small.
double volume(const Sizes& sizes);

// A solver's speed over that of a library, a copy or the arithmetic.
struct Ceiling {
  std::string name;  // "cublasSgeam", "copy"
  double ratio = 0, ratio_low = 0, ratio_high = 0;
};

struct Timing {
  Sizes at;
  double median_us = 0, low_us = 0, high_us = 0;
  double gigabytes_per_s = 0, gigaflops = 0;
  std::vector<Ceiling> ceilings;  // the first is what the solver is measured by
};

struct Measurements {
  std::string file;  // relative to the source tree
  std::string device, driver, toolkit, commit, date;
  // What the device reached in the same run: "copy_gb_s", "ffma_tflops", …
  std::map<std::string, double> ceilings;
  std::map<std::string, std::vector<Timing>> timings;  // by solver id, small sizes first
  const Timing* find(const std::string& id, const Sizes& at) const;  // null if not measured
  std::vector<Sizes> sizes() const;  // those of any solver, small ones first
};

struct Counted {
  std::string verdict;
  Sizes at;
  std::map<std::string, double> counters;  // empty if the solver is not right
};
using Counters = std::map<std::string, Counted>;  // by solver id

// Both throw UsageError naming the file, if it is not what it should be.
Measurements read_measurements(const std::filesystem::path& file, const std::string& shown);
Counters read_counters(const std::filesystem::path& file);

// The text of a JSON string literal, for data that scripts read.
std::string json_string(const std::string& text);

}  // namespace ladder::weave
