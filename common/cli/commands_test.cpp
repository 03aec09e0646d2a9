// The commands as a user types them. $LADDER names the binary.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "common/cli/process.hpp"
#include "common/harness/bench.hpp"
#include "common/harness/files.hpp"
#include "common/harness/process.hpp"

using ladder::TemporaryFolder;
using ladder::cli::Finished;
using nlohmann::json;

namespace {

Finished type(std::vector<std::string> arguments) {
  const char* binary = std::getenv("LADDER");
  REQUIRE(binary);
  arguments.insert(arguments.begin(), binary);
  return ladder::cli::run_and_watch(arguments);
}

bool says(const Finished& finished, const std::string& text) {
  INFO(finished.output);
  return finished.output.find(text) != std::string::npos;
}

// A stranger's right solver.
const char* const kVectorAdd =
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n"
    "extern \"C\" void solve(const float* A, const float* B, float* C, int N) {\n"
    "  add<<<(N + 255) / 256, 256>>>(A, B, C, N);\n"
    "}\n";

// A whole program with the given lines of main, whose kernel stores 41 where `a` points.
std::string write_program(const TemporaryFolder& folder, const std::string& name,
                          const std::string& body) {
  return folder.write(name,
                      "#include <cstdio>\n#include <cstdlib>\n"
                      "__global__ void kernel(int* a) { *a = 41; }\n"
                      "int main(int, char** words) {\n" +
                          body + "}\n");
}

}  // namespace

TEST_CASE("no command, a misspelt one and a bad option are usage errors that say what to do") {
  const Finished none = type({});
  CHECK(none.code == 2);
  CHECK(says(none, "--help"));
  CHECK(says(none, "name a command; where you are in the course: ./ladder next"));
  const Finished misspelt = type({"chekc", "01"});
  CHECK(misspelt.code == 2);
  CHECK(says(misspelt, "did you mean 'check'?"));
  const Finished option = type({"check", "01.01", "--colour", "red"});
  CHECK(option.code == 2);
  CHECK(says(option, "ladder check --help"));
  CHECK(type({"check", "01.01", "--on", "mars"}).code == 2);
  CHECK(type({"check", "01.01", "--gpu", "-1"}).code == 2);
  for (const char* limit : {"never", "0", "-3", "inf", "1e400"}) {
    CAPTURE(limit);
    const Finished refused = type({"check", "01.01", "--time-limit", limit});
    CHECK(refused.code == 2);
    CHECK(says(refused, "--time-limit: '" + std::string(limit) + "' is not a number above 0"));
  }
  for (const char* seed : {"-1", "1e3", "99999999999999999999999"}) {
    CAPTURE(seed);
    const Finished refused = type({"check", "01.01", "--seed", seed});
    CHECK(refused.code == 2);
    CHECK(says(refused, "--seed: '" + std::string(seed) + "' is not an integer from 0"));
    CHECK(type({"emulate", "--order-seed", seed, "a.out"}).code == 2);
  }
  CHECK(type({"check"}).code == 2);
  CHECK(type({"bench"}).code == 2);
  CHECK(type({"next", "--json"}).code == 2);  // it prints text alone
  CHECK(type({"dev"}).code == 2);
  const Finished misspelt_below = type({"dev", "chekc"});
  CHECK(misspelt_below.code == 2);
  CHECK(says(misspelt_below, "no command 'chekc'; did you mean 'check'?\nsee: ladder dev --help"));
}

TEST_CASE("who asked for JSON gets JSON, whatever is wrong") {
  const char* binary = std::getenv("LADDER");
  const std::vector<std::string> wrong[] = {{"check", "01.01", "--json", "--on", "mars"},
                                            {"check", "99.01", "--json"},
                                            {"chekc", "01.01", "--json"},
                                            {"run", "--json"},
                                            {"list", "--json", "nonsense"}};
  for (const std::vector<std::string>& words : wrong) {
    CAPTURE(words[0]);
    std::vector<std::string> command = {"sh", "-c", "exec \"$@\" 2>/dev/null", "sh", binary};
    command.insert(command.end(), words.begin(), words.end());
    const Finished finished = ladder::cli::run_and_watch(command);
    CHECK(finished.code == 2);
    const json parsed = json::parse(finished.output, nullptr, false);
    REQUIRE(parsed.is_object());
    CHECK(parsed["verdict"] == "usage");
    CHECK(parsed["message"] != "");
  }
}

TEST_CASE("an answer that could not be written is the machine's fault, unless nobody reads it") {
  const auto shell = [](const std::string& text) {
    return ladder::cli::run_and_watch({"sh", "-c", text});
  };
  const Finished full = shell("\"$LADDER\" list --json >/dev/full");
  CHECK(full.code == 6);
  CHECK(says(full, "could not be written"));
  CHECK(shell("\"$LADDER\" --version >/dev/full").code == 6);
  const Finished gone =
      shell("trap '' PIPE; { \"$LADDER\" list --json; echo \"code $?\" >&2; } | { exec <&-; }");
  CHECK(says(gone, "code 0"));
  CHECK_FALSE(says(gone, "could not be written"));
}

TEST_CASE("every command has help with an example") {
  for (const char* command : {"run", "list", "check", "next", "hint", "reset", "diff", "bench",
                              "profile", "emulate", "docs", "doctor", "test", "dev"}) {
    CAPTURE(command);
    const Finished help = type({command, "--help"});
    CHECK(help.code == 0);
    CHECK(says(help, "Examples:"));
    CHECK(says(help, std::string("ladder ") + command));
  }
}

TEST_CASE("the version is one line") {
  const Finished version = type({"--version"});
  CHECK(version.code == 0);
  CHECK(version.output.rfind("ladder ", 0) == 0);
  CHECK(version.output.find('\n') == version.output.size() - 1);
}

TEST_CASE("the commit is known in a folder whose name a shell would misread") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "it's $HOME";
  std::filesystem::create_directory(path);
  REQUIRE(ladder::run_process({"git", "-C", path, "init", "-q"}).exit_code == 0);
  REQUIRE(ladder::run_process({"git", "-C", path, "-c", "user.name=a", "-c", "user.email=a@b",
                               "commit", "-q", "--allow-empty", "-m", "first"})
              .exit_code == 0);
  CHECK(ladder::commit_of({path, path}).size() == 12);
}

TEST_CASE("an id that is not there is a usage error") {
  CHECK(type({"run", "99"}).code == 2);
  CHECK(type({"check", "01.99"}).code == 2);
  CHECK(type({"hint", "nonsense"}).code == 2);
  CHECK(type({"diff", "01.ex99"}).code == 2);
  CHECK(type({"reset", "01"}).code == 2);
}

TEST_CASE("a reader who has seen enough of a difference hears no complaint") {
  // The reader is gone long before the command writes.
  const Finished finished = ladder::cli::run_and_watch(
      {"sh", "-c", "{ \"$LADDER\" diff 02.05; echo \"code $?\" >&2; } | { exec <&-; sleep 1; }"});
  CHECK(says(finished, "code 0"));
  CHECK_FALSE(says(finished, "diffutils"));
}

TEST_CASE("a folder or file of an id's name does not change what the id means") {
  const TemporaryFolder folder;
  folder.write("01/notes.txt", "");
  folder.write("01.01", "not a solver\n");
  folder.write("mine", "not a solver\n");
  const auto check = [&](const std::string& target) {
    return ladder::cli::run_and_watch({"env", "-C", folder.path().string(), std::getenv("LADDER"),
                                       "check", target, "--on", "emulator", "--case", "N=5",
                                       "--cudart", "no/such/libcudart.so"});
  };
  // The id was found when the next thing that is wrong is told.
  CHECK(says(check("01"), "libcudart.so (given to --cudart)"));
  CHECK(says(check("01.01"), "libcudart.so (given to --cudart)"));
  CHECK(says(check("01_vector_add"), "libcudart.so (given to --cudart)"));
  CHECK(says(check("./01"), "directory"));
  CHECK(says(check("mine"), "--problem"));
}

TEST_CASE("files that cannot be solvers are usage errors that name them") {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty.cu", "");
  const Finished missing = type({"check", "--problem", "vector_add", "no/such/file.cu"});
  CHECK(missing.code == 2);
  CHECK(says(missing, "no/such/file.cu"));
  const Finished directory = type({"check", "--problem", "vector_add", folder.path()});
  CHECK(directory.code == 2);
  CHECK(says(directory, "directory"));
  const Finished nothing = type({"check", "--problem", "vector_add", empty});
  CHECK(nothing.code == 2);
  CHECK(says(nothing, "empty"));
}

TEST_CASE("a problem that is not there suggests the nearest name") {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.cu", "// mine\n");
  const Finished finished = type({"check", "--problem", "vector_ad", file});
  CHECK(finished.code == 2);
  CHECK(says(finished, "vector_add"));
  CHECK(type({"check", "--problem", "nonsense", file}).code == 2);
}

TEST_CASE("a stranger's file without a problem is told about --problem") {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.cu", "// mine\n");
  const Finished finished = type({"check", file});
  CHECK(finished.code == 2);
  CHECK(says(finished, "--problem"));
}

TEST_CASE("bad sizes in --case are usage errors") {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.cu", "// mine\n");
  for (const char* sizes : {"N=", "N=x", "=5", "N", "N=-3", "Q=5"}) {
    CAPTURE(sizes);
    const Finished finished =
        type({"check", "--problem", "vector_add", file, "--on", "emulator", "--case", sizes});
    INFO(finished.output);
    CHECK(finished.code == 2);
  }
}

TEST_CASE("the list is text for people and JSON for programs") {
  const Finished text = type({"list"});
  CHECK(text.code == 0);
  CHECK(says(text, "01_vector_add"));
  CHECK(text.output.find('\033') == std::string::npos);
  const json parsed = json::parse(type({"list", "--json"}).output);
  CHECK(parsed["schema"] == "kernel-ladder/list/1");
  CHECK(!parsed["solvers"].empty());
  CHECK(!parsed["problems"].empty());
}

TEST_CASE("emulate names what it cannot run") {
  const TemporaryFolder folder;
  const std::string text = folder.write("notes.txt", "not a program\n");
  CHECK(type({"emulate", "no/such/program"}).code == 2);
  CHECK(type({"emulate", folder.path()}).code == 2);
  CHECK(type({"emulate", text}).code == 2);
  CHECK(type({"emulate", "/bin/true"}).code == 2);
}

TEST_CASE("another runtime that is not there is a usage error") {
  const Finished finished = type({"check", "01.01", "--cudart", "no/such/libcudart.so"});
  CHECK(finished.code == 2);
  CHECK(says(finished, "no/such/libcudart.so"));
}

TEST_CASE("a program runs on a runtime whose path has a blank, and its exit code comes through") {
  const TemporaryFolder folder;
  const std::string program = write_program(folder, "a program.cu",
                                            "  int* a; int b = 0;\n"
                                            "  cudaMalloc(&a, 4);\n"
                                            "  kernel<<<1, 1>>>(a);\n"
                                            "  cudaMemcpy(&b, a, 4, cudaMemcpyDeviceToHost);\n"
                                            "  std::printf(\"%d %s\\n\", b, words[1]);\n"
                                            "  return 7;\n");
  const std::filesystem::path library = std::getenv("CUDART");
  const std::filesystem::path blank = folder.path() / "a folder";
  std::filesystem::create_directory(blank);
  std::filesystem::copy(library, blank / library.filename());
  const Finished finished =
      type({"emulate", "--cudart", (blank / library.filename()).string(), program, "--flag"});
  INFO(finished.output);
  CHECK(finished.code == 7);
  CHECK(says(finished, "41 --flag"));
}

TEST_CASE("a stranger's right file is solved, as text without escape codes and as JSON") {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.cu", kVectorAdd);
  const std::vector<std::string> command = {"check", "--problem", "vector_add", file,
                                            "--on",  "emulator",  "--case",     "N=257"};
  const Finished text = type(command);
  CHECK(text.code == 0);
  CHECK(says(text, "solved"));
  CHECK(text.output.find('\033') == std::string::npos);
  std::vector<std::string> as_json = command;
  as_json.push_back("--json");
  const json parsed = json::parse(type(as_json).output);
  CHECK(parsed["verdict"] == "solved");
  CHECK(parsed["entries"][0]["cases"][0]["parameters"]["N"] == 257);
}

TEST_CASE("a program is profiled whatever it returns; a kernel that faults is trapped") {
  const TemporaryFolder folder;
  const std::string program = write_program(folder, "program.cu",
                                            "  int* a = nullptr;\n"
                                            "  const bool faults = std::getenv(\"FAULTS\");\n"
                                            "  if (!faults) cudaMalloc(&a, 4);\n"
                                            "  kernel<<<1, 1>>>(a);\n"
                                            "  return cudaDeviceSynchronize() == 0 ? 7 : 0;\n");
  const Finished right = type({"profile", program});
  CHECK(right.code == 0);
  CHECK(says(right, "it ended with exit code 7"));
  CHECK(says(right, "grid 1, blocks of 1 threads"));
  setenv("FAULTS", "1", 1);
  const Finished faulty = type({"profile", program, "--json"});
  unsetenv("FAULTS");
  CHECK(faulty.code == 4);
}

TEST_CASE("a program for another toolkit's runtime is refused before it is started") {
  const TemporaryFolder folder;
  const std::string source = folder.write("empty.c", "int cudaOther(void) { return 0; }\n");
  const std::string main =
      folder.write("main.c", "int cudaOther(void);\nint main(void) { return cudaOther(); }\n");
  const std::string library = folder.path() / "libcudart.so.99", program = folder.path() / "old";
  REQUIRE(ladder::cli::run_and_watch(
              {"cc", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.99", "-o", library, source})
              .code == 0);
  REQUIRE(ladder::cli::run_and_watch({"cc", "-o", program, main, library}).code == 0);
  const Finished finished = type({"profile", program});
  CHECK(finished.code == 2);
  CHECK(says(finished, "was built for libcudart.so.99"));
  CHECK(type({"profile", program, "--arch", "90"}).code == 2);
}

TEST_CASE("a profile's trace names the arguments that lanes touched, and says when it was cut") {
  const TemporaryFolder folder;
  const std::string solver = folder.write("mine.cu", kVectorAdd);
  const std::string file = folder.path() / "trace.json";
  const auto traced = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"profile", "--problem", "vector_add", solver,
                                      "--at",    "N=400",     "--trace",    file};
    words.insert(words.end(), more.begin(), more.end());
    return type(words);
  };
  CHECK(traced({"--trace-blocks", "1"}).code == 0);
  json trace = json::parse(ladder::read_file(file));
  CHECK(trace["schema"] == "kernel-ladder-trace/1");
  CHECK(trace["cut"] == false);
  REQUIRE(trace["launches"].size() == 1);
  const json& launch = trace["launches"][0];
  std::set<std::string> names;
  for (const json& memory : launch["memories"]) names.insert(memory["name"]);
  CHECK(names == std::set<std::string>{"A", "B", "C"});
  CHECK(launch["accesses"].size() == 15);  // 144 elements: five warps, two reads and a write each
  for (const json& access : launch["accesses"]) CHECK(access["block"][0] == 1);
  CHECK(launch["accesses"][0]["offsets"][1] == 1028);

  const Finished cut = traced({"--trace-limit", "4"});
  CHECK(cut.code == 0);
  CHECK(says(cut, "holds the first 4 accesses"));
  CHECK(json::parse(ladder::read_file(file))["cut"] == true);
  CHECK(traced({"--trace-blocks", "5-2"}).code == 2);
  CHECK(type({"profile", "01", "--trace", file}).code == 2);
}
