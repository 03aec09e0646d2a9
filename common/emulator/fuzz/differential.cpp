#include "common/emulator/fuzz/differential.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>

#include "common/emulator/fuzz/generator.hpp"
#include "common/emulator/fuzz/recording.hpp"
#include "common/emulator/fuzz/rows.hpp"
#include "common/emulator/fuzz/shrink.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr unsigned kSecondsEach = 240;  // with all attempts to make a kernel smaller
constexpr int kTogether = 25;           // programs in a module
constexpr int kHitsWanted = 20;
constexpr int kShown = 20;  // differences, and rows that were hit too seldom

using Recorded = std::map<std::size_t, std::vector<std::byte>>;

std::string text_of(const std::vector<std::byte>& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// "", or what differs, or who refused the program.
std::string compared(const Program& program, const Outcome& gpu, const Outcome& emulator) {
  if (!gpu.ok()) return "the GPU: " + gpu.error;
  if (!emulator.ok()) return "the emulator: " + emulator.error;
  return program.difference(gpu.out, emulator.out);
}

// What a child tells of one program: the difference, '\0', a smaller program, '\0', the outputs.
struct Told {
  std::string difference, kernel, out;

  std::string text() const { return difference + '\0' + kernel + '\0' + out; }
  static Told from(const std::string& text) {
    const std::size_t first = text.find('\0'), second = text.find('\0', first + 1);
    if (second == std::string::npos) return {"the process died", "", ""};
    return {text.substr(0, first), text.substr(first + 1, second - first - 1),
            text.substr(second + 1)};
  }
};

class Child {
 public:
  Child(const DifferentialRequest& request, const Recorded& recorded)
      : request_(request), recorded_(recorded), emulator_(emulated_machine()) {
    if (request.on_gpu) {
      other_ = gpu_machine();
    } else if (request.against.empty()) {
      other_ = emulated_machine(request.seed + 1);
    }
  }

  Piece run(std::size_t index) {
    const Program program = generate(request_.seed, index);
    const KernelRun run = program.run();
    const Outcome theirs = request_.on_gpu ? on_gpu(index)
                           : other_        ? other_->run(run)
                                           : from_file(index);
    Told told;
    told.difference = compared(program, theirs, emulator_->run(run));
    told.out = text_of(theirs.out);
    bool lost = theirs.machine_is_lost;
    if (!told.difference.empty()) {
      Program small = program;
      if (other_ && theirs.ok() && request_.attempts > 0) {
        const bool runs = told.difference.rfind("the emulator: ", 0) != 0;
        small = shrink(
            program,
            [&](const Program& one) {
              if (lost) return false;
              const KernelRun again = one.run();
              const Outcome a = other_->run(again);
              lost = a.machine_is_lost;
              if (!a.ok()) return false;
              const Outcome b = emulator_->run(again);
              return b.ok() == runs && !compared(one, a, b).empty();
            },
            request_.attempts);
        const KernelRun last = small.run();
        loaded_until_ = 0;
        if (!lost) {
          const std::string found = compared(small, other_->run(last), emulator_->run(last));
          told.difference += "\n// smaller: " + found;
        }
      }
      for (const Statement& statement : small.statements)
        for (const std::string& row : statement.rows) told.difference += "\n// row: " + row;
      told.kernel = small.run().ptx;
    }
    return {told.text(), lost};
  }

 private:
  // Programs that this child comes to next stand in one module: to load one takes long.
  Outcome on_gpu(std::size_t index) {
    if (index >= loaded_until_) {
      std::string text = module_head;
      loaded_until_ = index;
      const auto step = static_cast<std::size_t>(request_.jobs);
      for (int i = 0; i < kTogether && loaded_until_ < request_.first + request_.programs; ++i) {
        text += generate(request_.seed, loaded_until_).text(prefix_of(loaded_until_));
        loaded_until_ += step;
      }
      together_ = other_->load(text).empty();
    }
    const KernelRun run = generate(request_.seed, index).run(together_ ? prefix_of(index) : "");
    return together_ ? other_->launch(run) : other_->run(run);
  }
  static std::string prefix_of(std::size_t index) { return "p" + std::to_string(index) + "_"; }

  Outcome from_file(std::size_t index) const {
    Outcome outcome;
    const auto found = recorded_.find(index);
    if (found == recorded_.end()) {
      outcome.error = "not recorded";
    } else {
      outcome.out = found->second;
    }
    return outcome;
  }

  const DifferentialRequest& request_;
  const Recorded& recorded_;
  std::unique_ptr<Machine> emulator_, other_;
  std::size_t loaded_until_ = 0;
  bool together_ = false;
};

void print_hits(const std::map<std::string, int>& hits, const std::filesystem::path& folder) {
  std::vector<std::string> seldom;
  long all = 0;
  for (const auto& [row, count] : hits) {
    all += count;
    if (count < kHitsWanted) seldom.push_back(row + ": " + std::to_string(count));
  }
  std::printf("%zu rows of the tables were executed %ld times; %zu rows fewer than %d times\n",
              hits.size(), all, seldom.size(), kHitsWanted);
  for (std::size_t i = 0; i < std::min<std::size_t>(seldom.size(), kShown); ++i)
    std::printf("  %s\n", seldom[i].c_str());
  if (folder.empty()) return;
  std::ofstream stream(folder / "hits.txt");
  for (const auto& [row, count] : hits) stream << count << "\t" << row << "\n";
}

}  // namespace

int differential(const DifferentialRequest& request) {
  Recorded recorded;
  std::string name = "the emulator with its warps in another order";
  if (!request.against.empty()) {
    recorded = read_recording(request.against);
    name = request.against.string();
  } else if (request.on_gpu) {
    name = machine_name([] { return gpu_machine(); });
    if (name.empty()) return 6;
  }
  std::printf("%zu programs of seed %ju against %s\n", request.programs,
              static_cast<std::uintmax_t>(request.seed), name.c_str());
  if (!request.save.empty()) std::filesystem::create_directories(request.save);
  std::vector<Death> deaths;
  const auto prepare = [&]() -> Work {
    const auto child = std::make_shared<Child>(request, recorded);
    return [&request, child](std::size_t i) { return child->run(request.first + i); };
  };
  const std::vector<std::string> results = in_processes(
      request.programs, {request.jobs, kSecondsEach, request.deadline_s}, prepare, deaths);
  std::optional<RecordingWriter> writer;
  if (!request.record.empty()) writer.emplace(request.record);
  std::map<std::string, int> hits;
  for (const Row& row : rows()) hits[row.name] = 0;
  int differences = 0, left_out = 0;
  std::size_t next_death = 0;
  std::sort(deaths.begin(), deaths.end(),
            [](const Death& a, const Death& b) { return a.index < b.index; });
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t index = request.first + i;
    Told told;
    if (next_death < deaths.size() && deaths[next_death].index == i) {
      told.difference = "died: " + deaths[next_death++].how;
    } else if (results[i].empty()) {
      ++left_out;
      continue;
    } else {
      told = Told::from(results[i]);
    }
    if (writer && !told.out.empty()) writer->add(index, told.out);
    if (told.difference.empty()) {
      for (const std::string& row : generate(request.seed, index).hits()) ++hits[row];
      continue;
    }
    if (++differences <= kShown) std::printf("program %zu: %s\n", index, told.difference.c_str());
    if (request.save.empty()) continue;
    std::ofstream(request.save / ("program_" + std::to_string(index) + ".ptx"))
        << "// " << told.difference << "\n"
        << (told.kernel.empty() ? generate(request.seed, index).run().ptx : told.kernel);
  }
  print_hits(hits, request.save);
  std::printf("%d of %zu programs differ, %d were left out\n", differences, request.programs,
              left_out);
  return differences == 0 ? 0 : 1;
}

}  // namespace ladder::emulator::fuzz
