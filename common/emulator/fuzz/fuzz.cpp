// The fuzzers' command line; `ladder dev fuzz` hands its words on.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/emulator/fuzz/differential.hpp"
#include "common/emulator/fuzz/explain.hpp"
#include "common/emulator/fuzz/garbage.hpp"
#include "common/emulator/fuzz/generator.hpp"

using namespace ladder::emulator::fuzz;

namespace {

const char* const usage =
    "usage: fuzz [--programs N] [--seed S] [--first I] [--jobs J] [--save FOLDER]\n"
    "            [--attempts N] [--deadline SECONDS] [--on gpu [--record FILE] | --against FILE]\n"
    "       fuzz --minutes M [--seeds FOLDER] [--seed S] [--jobs J] [--save FOLDER]\n"
    "       fuzz --show I [--seed S]\n"
    "       fuzz --explain I --against FILE [--seed S]\n";

int run(const std::vector<std::string>& words) {
  DifferentialRequest request;
  GarbageRequest damage;
  bool show = false, explained = false, damaged = false;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw std::invalid_argument("a value is missing");
    const std::string& option = words[i];
    const std::string& value = words[i + 1];
    if (option == "--programs") {
      request.programs = std::stoul(value);
    } else if (option == "--seed") {
      request.seed = std::stoull(value);
    } else if (option == "--first") {
      request.first = std::stoul(value);
    } else if (option == "--jobs") {
      request.jobs = std::stoi(value);
    } else if (option == "--deadline") {
      request.deadline_s = static_cast<unsigned>(std::stoul(value));
    } else if (option == "--attempts") {
      request.attempts = std::stoi(value);
    } else if (option == "--save") {
      request.save = value;
    } else if (option == "--on") {
      request.on_gpu = value == "gpu";
    } else if (option == "--record") {
      request.record = value;
    } else if (option == "--against") {
      request.against = value;
    } else if (option == "--minutes") {
      damage.minutes = std::stod(value);
      damaged = true;
    } else if (option == "--seeds") {
      damage.seeds = value;
    } else if (option == "--explain") {
      request.first = std::stoul(value);
      explained = true;
    } else if (option == "--show") {
      request.first = std::stoul(value);
      show = true;
    } else {
      throw std::invalid_argument("no option " + option);
    }
  }
  if (damaged) {
    damage.seed = request.seed;
    damage.jobs = request.jobs;
    damage.save = request.save;
    return garbage(damage);
  }
  if (explained) return explain(request.seed, request.first, request.against);
  if (!show) return differential(request);
  std::fputs(generate(request.seed, request.first).run().ptx.c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz: %s\n%s", error.what(), usage);
    return 2;
  }
}
