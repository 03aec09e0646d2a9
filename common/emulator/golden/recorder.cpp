// Records golden vectors: golden_recorder FOLDER [--on emulator] asks a GPU, or, to try things out,
// the emulator; `golden_recorder FOLDER --texts` writes the kernels for ptxas to look at.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "common/emulator/golden/vectors.hpp"

using namespace ladder::emulator;

namespace {

constexpr int kJobs = 8;
constexpr unsigned kSecondsEach = 30;

int write_texts(const std::filesystem::path& folder) {
  int number = 0;
  for (const golden::Family& family : golden::families()) {
    opcodes::ReferenceTable table;
    family.add(table);
    for (const golden::Question& question : golden::questions(table)) {
      std::ofstream(folder / (std::to_string(number++) + ".ptx"))
          << "// " << question.name() << "\n"
          << golden::kernel_run(question).ptx;
    }
  }
  std::printf("%d kernels\n", number);
  return 0;
}

int record(const std::filesystem::path& folder, const std::string& machine_name,
           const std::function<std::unique_ptr<Machine>()>& make) {
  int failures = 0;
  for (const golden::Family& family : golden::families()) {
    opcodes::ReferenceTable table;
    family.add(table);
    const std::vector<golden::Question> asked = golden::questions(table);
    std::vector<KernelRun> runs;
    for (const golden::Question& question : asked) runs.push_back(golden::kernel_run(question));
    const std::vector<Outcome> outcomes = run_all(runs, make, kJobs, kSecondsEach);
    std::vector<golden::Question> answered;
    std::vector<std::vector<opcodes::u64>> answers;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!outcomes[i].ok()) {
        ++failures;
        std::printf("no answer for %s: %s\n", asked[i].name().c_str(), outcomes[i].error.c_str());
        continue;
      }
      answered.push_back(asked[i]);
      answers.push_back(golden::results(outcomes[i].out));
    }
    const std::filesystem::path file = folder / (std::string(family.name) + ".zst");
    golden::write_recording(file, machine_name, answered, answers);
    std::printf("%s: %zu opcodes, %ju bytes\n", family.name, answered.size(),
                static_cast<std::uintmax_t>(std::filesystem::file_size(file)));
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0].rfind("--", 0) == 0) {
    std::fputs("usage: golden_recorder FOLDER [--on emulator|--texts]\n", stderr);
    return 2;
  }
  std::filesystem::create_directories(words[0]);
  if (words.size() == 2 && words[1] == "--texts") return write_texts(words[0]);
  const bool on_emulator = words.size() == 3 && words[2] == "emulator";
  const auto make = [=] { return on_emulator ? emulated_machine() : gpu_machine(0); };
  const std::string name = machine_name(make);
  if (name.empty()) return 6;
  return record(words[0], name, make);
}
