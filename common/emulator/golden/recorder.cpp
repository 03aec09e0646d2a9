// Records golden vectors: golden_recorder FOLDER [--on emulator] asks a GPU, or, to try things out,
// the emulator; `golden_recorder FOLDER --texts` writes the kernels for ptxas to look at.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "common/emulator/golden/matrices.hpp"
#include "common/emulator/golden/vectors.hpp"

using namespace ladder::emulator;

namespace {

constexpr int kJobs = 8;
constexpr unsigned kSecondsEach = 30;

struct Asked {
  std::string name;
  std::size_t bytes;  // of each value of the answer
  KernelRun run;
};

std::vector<Asked> asked_of(const golden::Family& family) {
  opcodes::ReferenceTable table;
  family.add(table);
  std::vector<Asked> all;
  for (const golden::Question& question : golden::questions(table))
    all.push_back({question.name(), golden::bytes_of_result(question), kernel_run(question)});
  return all;
}
std::vector<Asked> asked_of_matrices() {
  std::vector<Asked> all;
  for (const golden::MatrixQuestion& question : golden::matrix_questions())
    all.push_back({question.opcode, 8, kernel_run(question)});
  return all;
}

// Every file's name and what is asked for it.
std::vector<std::pair<std::string, std::vector<Asked>>> everything() {
  std::vector<std::pair<std::string, std::vector<Asked>>> all;
  for (const golden::Family& family : golden::families())
    all.emplace_back(family.name, asked_of(family));
  all.emplace_back("matrices", asked_of_matrices());
  return all;
}

int write_texts(const std::filesystem::path& folder) {
  int number = 0;
  for (const auto& [name, all] : everything())
    for (const Asked& asked : all)
      std::ofstream(folder / (std::to_string(number++) + ".ptx")) << "// " << asked.name << "\n"
                                                                  << asked.run.ptx;
  std::printf("%d kernels\n", number);
  return 0;
}

int record(const std::filesystem::path& folder, const std::string& machine_name,
           const std::function<std::unique_ptr<Machine>()>& make) {
  int failures = 0;
  for (const auto& [name, all] : everything()) {
    std::vector<KernelRun> runs;
    for (const Asked& asked : all) runs.push_back(asked.run);
    const std::vector<Outcome> outcomes = run_all(runs, make, {kJobs, kSecondsEach, 0});
    std::vector<golden::Answer> answers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (outcomes[i].ok()) {
        answers.push_back({all[i].name, all[i].bytes, golden::results(outcomes[i].out)});
      } else {
        ++failures;
        std::printf("no answer for %s: %s\n", all[i].name.c_str(), outcomes[i].error.c_str());
      }
    }
    const std::filesystem::path file = folder / (name + ".zst");
    golden::write_recording(file, machine_name, answers);
    std::printf("%s: %zu opcodes, %ju bytes\n", name.c_str(), answers.size(),
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
