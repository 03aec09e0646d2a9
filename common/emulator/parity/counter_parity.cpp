// The emulator's counters beside those that Nsight Compute measured on a GPU.
//
//   counter_parity check TABLE.csv NAMES REPORT.json
//       compares what the emulator counts now with the table: 1 and a list if they part
//   counter_parity check-steps TABLE.csv NAMES REPORT.json
//       the same for steps of the course, whose launches have an '@' and a number of their code in
//       their names: what was not measured since it changed is named, but not wrong
//   counter_parity join NCU.csv NCU_NAMES NAMES REPORT.json
//       prints rows for the table, from what was measured anew (record.sh)
//
// NAMES: the launches of REPORT.json (LADDER_EMULATOR_REPORT) in order, one a line; NCU_NAMES:
// those of NCU.csv. A row is: launch, counter, measured, emulated, why they differ. A difference
// without a reason is an error, and so is a reason without a difference.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/emulator/counters.hpp"

namespace {

using namespace ladder::emulator;

using Values = std::map<std::string, long long>;  // by counter

constexpr const char* waits = "blocks wait for others: as many reads as that takes";

struct Reason {
  const char* launch;   // beginning of its name
  const char* counter;  // beginning of its name
  const char* text;
};
// Less Nsight Compute's bank conflicts the wavefronts are equal; no two words of such a load share a
// bank, and how many conflicts there are changes from run to run.
constexpr const char* meet = "loads that meet in the pipe count again: others in every run";
constexpr Reason reasons[] = {
    {"satom_add_f32", "", "machine code loops with compare-and-swap"},
    {"sred_add_f32", "", "machine code loops with compare-and-swap"},
    {"satom_add_u64", "", "machine code loops with compare-and-swap"},
    {"cp_cg_16", "", "past L1 sectors are fetched for each place in shared memory"},
    {"local_v", "", "machine code stores such a vector word by word"},
    {"05_prefix_sum.step_02", "shared.load", meet},
    {"05_prefix_sum.step_03", "shared.load", meet},
    {"05_prefix_sum.step_04", "shared.load", meet},
    {"05_prefix_sum.step_06", "global.load", waits},
};

std::string reason_for(const std::string& launch, const std::string& counter) {
  for (const Reason& reason : reasons) {
    if (launch.rfind(reason.launch, 0) == 0 && counter.rfind(reason.counter, 0) == 0)
      return reason.text;
  }
  return "";
}

std::ifstream open(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file = open(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// One line of CSV; quoted cells may hold commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

long long number_of(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

// Those that have an exact twin on a GPU.
std::vector<CounterInfo> compared_counters() {
  std::vector<CounterInfo> compared;
  for (const CounterInfo& info : counter_infos()) {
    if (info.twin == Twin::exact) compared.push_back(info);
  }
  return compared;
}

// Calls visit(name, record) for each launch.
template <class Visit>
void for_launches(const std::string& names, const std::string& report, Visit visit) {
  std::ifstream file = open(report);
  const nlohmann::json json = nlohmann::json::parse(file);
  const std::vector<std::string> launches = lines_of(names);
  const auto& records = json.at("launch_records");
  if (records.size() != launches.size()) {
    throw std::runtime_error(std::to_string(launches.size()) + " names for " +
                             std::to_string(records.size()) + " launches");
  }
  for (std::size_t i = 0; i < launches.size(); ++i) visit(launches[i], records[i]);
}

std::map<std::string, Values> emulated(const std::string& names, const std::string& report) {
  std::map<std::string, Values> values;
  for_launches(names, report, [&](const std::string& name, const nlohmann::json& record) {
    for (const CounterInfo& info : compared_counters()) {
      values[name][info.name] = static_cast<long long>(record.at("counters").value(info.name, 0.0));
    }
  });
  return values;
}

std::map<std::string, std::string> emulated_kernels(const std::string& names,
                                                    const std::string& report) {
  std::map<std::string, std::string> kernels;
  for_launches(names, report, [&](const std::string& name, const nlohmann::json& record) {
    kernels[name] = record.at("kernel").get<std::string>();
  });
  return kernels;
}

// "void ns::scan<64>(float*)" is scan.
std::string base_name(std::string kernel) {
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  return kernel.substr(kernel.find_last_of(" :") + 1);
}

struct Row {
  std::string launch, counter;
  long long measured, emulated;
  std::string reason;
};

std::vector<Row> read_table(const std::string& path) {
  std::vector<Row> rows;
  const std::vector<std::string> lines = lines_of(path);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i]);
    if (cells.size() != 5) throw std::runtime_error(path + ": line " + std::to_string(i + 1));
    rows.push_back({cells[0], cells[1], number_of(cells[2]), number_of(cells[3]), cells[4]});
  }
  return rows;
}

bool is_of_step(const std::string& launch) {
  return launch.find('@') != std::string::npos;
}

int check(const std::string& table, const std::string& names, const std::string& report,
          bool steps) {
  const std::map<std::string, Values> now = emulated(names, report);
  std::map<std::string, int> seen;
  std::set<std::string> unmeasured;
  int wrong = 0, explained = 0, equal = 0;
  const auto complain = [&](const Row& row, const std::string& what) {
    if (++wrong <= 20) {
      std::printf("%s, %s: %s (measured %lld, in the table %lld)\n", row.launch.c_str(),
                  row.counter.c_str(), what.c_str(), row.measured, row.emulated);
    }
  };
  for (const Row& row : read_table(table)) {
    if (is_of_step(row.launch) != steps) continue;
    const auto found = now.find(row.launch);
    if (found == now.end()) {
      if (!steps) complain(row, "no such launch any more");
      continue;
    }
    ++seen[row.launch];
    const long long value = found->second.at(row.counter);
    // A wait lasts as long as it does, here as there.
    if (value != row.emulated && row.reason != waits)
      complain(row, "the emulator now counts " + std::to_string(value));
    if (row.measured != row.emulated && row.reason.empty())
      complain(row, "differs, without reason");
    if (row.measured == row.emulated && !row.reason.empty()) complain(row, "equal, yet a reason");
    ++(row.measured == row.emulated ? equal : explained);
  }
  for (const auto& [launch, values] : now) {
    if (seen.count(launch) != 0) continue;
    if (steps) {
      unmeasured.insert(launch.substr(0, launch.find('@')));
      continue;
    }
    ++wrong;
    std::printf("%s: not in the table\n", launch.c_str());
  }
  for (const std::string& step : unmeasured)
    std::printf("%s: not measured yet, or changed since (steps.sh)\n", step.c_str());
  std::printf("%d figures equal to a GPU's, %d differ for a reason, %d wrong\n", equal, explained,
              wrong);
  return wrong == 0 ? 0 : 1;
}

int join(const std::string& measured, const std::string& measured_names, const std::string& names,
         const std::string& report) {
  const std::map<std::string, Values> now = emulated(names, report);
  const std::map<std::string, std::string> kernels = emulated_kernels(names, report);
  const std::vector<std::string> launches = lines_of(measured_names);
  std::map<std::string, std::size_t> columns;
  std::size_t launch = 0;
  for (const std::string& line : lines_of(measured)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 12 || line[0] != '"') continue;
    if (columns.empty()) {
      for (std::size_t c = 0; c < cells.size(); ++c) columns[cells[c]] = c;
      continue;
    }
    if (cells[0].empty()) continue;  // units
    const std::string& name = launches.at(launch++);
    const auto found = now.find(name);
    if (found == now.end()) continue;
    const auto kernel = kernels.find(name);
    const std::string profiled = base_name(cells.at(columns.at("Kernel Name")));
    if (base_name(kernel->second) != profiled)
      throw std::runtime_error(name + " is " + kernel->second + " here, and there " + profiled);
    for (const CounterInfo& info : compared_counters()) {
      const auto column = columns.find(info.metric);
      if (column == columns.end()) continue;
      const long long there = number_of(cells.at(column->second));
      const long long here = found->second.at(info.name);
      if (there == 0 && here == 0) continue;
      std::printf("%s,%s,%lld,%lld,%s\n", name.c_str(), info.name, there, here,
                  there == here ? "" : reason_for(name, info.name).c_str());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  try {
    if (arguments.size() == 4 && (arguments[0] == "check" || arguments[0] == "check-steps"))
      return check(arguments[1], arguments[2], arguments[3], arguments[0] == "check-steps");
    if (arguments.size() == 5 && arguments[0] == "join")
      return join(arguments[1], arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "counter_parity: %s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: counter_parity check|check-steps TABLE NAMES REPORT\n"
               "       counter_parity join NCU NCU_NAMES NAMES REPORT\n");
  return 2;
}
