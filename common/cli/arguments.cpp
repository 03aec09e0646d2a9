// Options, help texts and examples of every command. The only file that includes CLI11.
#include "common/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>

#include "common/cli/commands.hpp"
#include "common/cli/version.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {
namespace {

// CLI::PositiveNumber names its range by the digits of the largest double, 309 of them.
CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        if (CLI::detail::lexical_cast(text, number) && std::isfinite(number) && number > 0)
          return std::string();
        return "'" + text + "' is not a number above 0";
      },
      "POSITIVE");
}

// CLI11 takes a minus sign for a way round from the largest number, and more digits for the largest.
CLI::Validator seed() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc() && end == text.data() + text.size()) return std::string();
        return "'" + text + "' is not an integer from 0 to 18446744073709551615";
      },
      "UINT");
}

// What was asked for; one of each, because exactly one command runs.
struct Requests {
  RunRequest run;
  ListRequest list;
  CheckRequest check;
  BenchRequest bench;
  EmulateRequest emulate;
  ProfileRequest profile;
  Running next, parity;
  TestRequest test;
  DevCheckRequest dev_check;
  TranslationsRequest translations;
  FuzzRequest fuzz;
  DocsRequest docs;
  std::string id;
  std::function<int()> chosen;
};

const char* const kIdHelp =
    "what: a chapter (01), a step (01.02), an exercise (01.ex1) or a whole id "
    "(01_vector_add.step_02_one_block)";

const char* const kObserversHelp =
    "what the emulator looks for: memcheck, racecheck, initcheck, synccheck, with commas";

void add_running_options(CLI::App& command, Running& running, bool cases) {
  command
      .add_option("--on", running.on,
                  "where: auto (the emulator, then a usable GPU), gpu, emulator")
      ->check(CLI::IsMember({"auto", "gpu", "emulator"}))
      ->capture_default_str();
  command.add_option("--gpu", running.gpu, "number of the GPU, from 0")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--cudart", running.cudart,
                  "another drop-in CUDA runtime library (libcudart.so) to run on")
      ->type_name("PATH");
  if (cases) {
    command.add_option("--case", running.cases, "sizes to try instead of ours, may be given often")
        ->type_name("\"N=257\"")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command.add_option("--seed", running.seed, "seed of the inputs")
        ->check(seed())
        ->capture_default_str();
    command
        .add_option("--order-seed", running.order_seed,
                    "run the emulator's warps in another order, one for each number; 0: in order")
        ->check(seed());
    command.add_option("--observers", running.observers, kObserversHelp)->type_name("LIST");
    command.add_option("--time-limit", running.time_limit_s, "seconds for one call of the solver")
        ->check(above_zero())
        ->capture_default_str();
    command.add_flag("--json", running.json, "print JSON instead of text");
  }
}

void add_architecture(CLI::App& command, std::optional<int>& architecture) {
  command
      .add_option_function<std::string>(
          "--arch",
          [&architecture](const std::string& text) {
            const std::size_t digits = text.find_first_of("0123456789");
            const bool named = digits == 0 || text.substr(0, digits) == "sm_" ||
                               text.substr(0, digits) == "compute_";
            const std::string number = digits == std::string::npos ? "" : text.substr(digits);
            if (!named || number.empty() || number.size() > 3 ||
                number.find_first_not_of("0123456789") != std::string::npos)
              throw CLI::ValidationError("--arch", "'" + text + "' is not like 75 or sm_90");
            architecture = std::stoi(number);
            if (*architecture < 75)
              throw CLI::ValidationError("--arch", text + " is older than 75 (Turing)");
          },
          "virtual architecture to compile a file of your own for, 75 or newer")
      ->type_name("75|80|90|...");
}

CLI::App& add_command(CLI::App& app, const char* name, const char* description,
                      const char* examples) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(std::string("Examples:\n") + examples);
  return *command;
}

void add_learner_commands(CLI::App& app, Requests& requests) {
  CLI::App& run = add_command(app, "run", "check every step of a chapter and show the ladder",
                              "  ./ladder run 01\n  ./ladder run 01 --on emulator --json");
  run.add_option("ID", requests.run.ids, kIdHelp)->required();
  run.add_flag("--exercises", requests.run.exercises, "the chapter's exercises, not its steps");
  add_running_options(run, requests.run, true);
  run.callback([&] { requests.chosen = [&] { return cli::run(requests.run); }; });

  CLI::App& list = add_command(app, "list", "what the course has: steps, exercises, problems",
                               "  ./ladder list\n  ./ladder list 01\n  ./ladder list --problems");
  list.add_option("ID", requests.list.ids, "a chapter (01), or anything in it");
  list.add_flag("--problems", requests.list.problems, "problems with their signatures");
  list.add_flag("--mutants", requests.list.mutants, "the deliberately wrong solvers, one by one");
  list.add_flag("--json", requests.list.json, "print JSON instead of text");
  list.callback([&] { requests.chosen = [&] { return cli::list(requests.list); }; });

  CLI::App& check = add_command(
      app, "check", "is it right? For a step, an exercise, or any file with a solve()",
      "  ./ladder check 01.ex1\n"
      "  ./ladder check --problem vector_add mine.cu\n"
      "  ./ladder check --problem matmul mine.cu --case \"M=16 N=32 K=8\" --case \"M=1 N=1 K=1\"\n"
      "\nExit codes: 0 solved, 1 wrong answer or goal missed, 2 usage, 3 does not compile,\n"
      "4 trapped, 5 out of time or memory, 6 our fault or the machine's, 77 skipped");
  check.add_option("ID|FILE", requests.check.targets, "an id, or with --problem a .cu file")
      ->required();
  check.add_option("--problem", requests.check.problem, "the contract that FILE fulfils")
      ->type_name("NAME");
  check.add_flag("--exercises", requests.check.exercises,
                 "of a chapter, its exercises instead of its steps");
  check.add_flag("--keep-going", requests.check.keep_going, "all cases, even after a failure");
  check.add_flag("--exact-arrays", requests.check.exact_arrays,
                 "no guards round arrays, so that compute-sanitizer sees where they end");
  add_architecture(check, requests.check.architecture);
  add_running_options(check, requests.check, true);
  check.callback([&] { requests.chosen = [&] { return cli::check(requests.check); }; });

  CLI::App& next =
      add_command(app, "next", "check the exercise you are at and show what comes next",
                  "  ./ladder next\n  ./ladder next --on emulator");
  add_running_options(next, requests.next, false);
  next.callback([&] { requests.chosen = [&] { return cli::next(requests.next); }; });

  const auto add_id_command = [&](const char* name, const char* description, const char* examples,
                                  int (*function)(const std::string&),
                                  const char* what = "an exercise (01.ex1)") {
    CLI::App& command = add_command(app, name, description, examples);
    command.add_option("ID", requests.id, what)->required();
    command.callback([&requests, function] {
      requests.chosen = [&requests, function] { return function(requests.id); };
    });
  };
  add_id_command("hint", "show the next hint of an exercise (there are three)",
                 "  ./ladder hint 01.ex1", cli::hint);
  add_id_command("reset", "put an exercise's stub back, keeping yours as a backup",
                 "  ./ladder reset 01.ex1", cli::reset);
  add_id_command("diff", "what you changed in an exercise, or what a step changes in its parent",
                 "  ./ladder diff 01.ex1\n  ./ladder diff 01.05", cli::diff,
                 "an exercise (01.ex1) or a step (01.05)");
}

void add_bench(CLI::App& app, Requests& requests) {
  CLI::App& bench = add_command(
      app, "bench", "how fast? Times solvers on a GPU against a ceiling, or measures the emulator",
      "  ./ladder bench 01\n  ./ladder bench 01.05 01.06 --gpu 1\n"
      "  ./ladder bench --problem transpose mine.cu other.cu --case \"rows=7000 cols=6000\"\n"
      "  ./ladder bench --emulator --json\n\n"
      "What is timed together is interleaved, and the library ceilings of its problem are with "
      "it.");
  bench.add_option(
      "ID|FILE", requests.bench.targets,
      std::string(kIdHelp) + "; with --problem .cu files; with --emulator, a kernel's name");
  CLI::Option* const emulator =
      bench.add_flag("--emulator", requests.bench.emulator,
                     "the emulator's own speed: warp-instructions per second for each kernel");
  bench.add_option("--problem", requests.bench.problem, "the contract that each FILE fulfils")
      ->type_name("NAME")
      ->excludes(emulator);
  add_running_options(bench, requests.bench, true);
  bench.callback([&] { requests.chosen = [&] { return cli::bench(requests.bench); }; });
}

void add_profile(CLI::App& app, Requests& requests) {
  CLI::App& profile = add_command(
      app, "profile", "what did it do? Counters of each launch and of its source lines",
      "  ./ladder profile 01.04\n"
      "  ./ladder profile 01.02 --at N=4096 --line\n"
      "  ./ladder profile --problem transpose mine.cu --at \"rows=512 cols=512\" --json\n"
      "  ./ladder profile saxpy.cu\n"
      "  ./ladder profile 01.05 --trace who_touched_what.json\n\n"
      "It runs on the emulator, once; whether the answer is right is for check to say.");
  profile
      .add_option("ID|FILE", requests.profile.targets,
                  "an id, with --problem a .cu file, or a program with a main")
      ->required();
  profile.add_option("--problem", requests.profile.problem, "the contract that FILE fulfils")
      ->type_name("NAME");
  profile.add_option("--at", requests.profile.at, "sizes; ours, unless said")
      ->type_name("\"N=4096\"");
  profile.add_flag("--line", requests.profile.lines, "every source line, not only the hottest");
  profile.add_option("--seed", requests.profile.seed, "seed of the inputs")
      ->check(seed())
      ->capture_default_str();
  profile.add_option("--time-limit", requests.profile.time_limit_s, "seconds for the call")
      ->check(above_zero())
      ->capture_default_str();
  profile.add_flag("--json", requests.profile.json, "print JSON instead of text");
  CLI::Option* trace =
      profile
          .add_option("--trace", requests.profile.trace,
                      "also write which lane of which warp touched which address, as JSON")
          ->type_name("FILE.json");
  profile
      .add_option("--trace-blocks", requests.profile.trace_blocks,
                  "trace block number N of each launch, or those from N to M")
      ->type_name("N|N-M")
      ->capture_default_str()
      ->needs(trace);
  profile
      .add_option("--trace-limit", requests.profile.trace_limit,
                  "trace so many accesses of warps at most")
      ->check(above_zero())
      ->capture_default_str()
      ->needs(trace);
  add_architecture(profile, requests.profile.architecture);
  profile.callback([&] { requests.chosen = [&] { return cli::profile(requests.profile); }; });
}

void add_emulate(CLI::App& app, Requests& requests) {
  CLI::App& emulate =
      add_command(app, "emulate", "run a whole CUDA program without a GPU",
                  "  ./ladder emulate saxpy.cu\n  ./ladder emulate ./saxpy 1000\n\n"
                  "A program must be linked with the shared runtime (nvcc -cudart shared).\n"
                  "Its exit code is passed on; 4 if it is 0 although something was found. Options "
                  "for ladder stand before PROGRAM.");
  emulate
      .add_option("PROGRAM", requests.emulate.program, "an executable, or a .cu file with a main")
      ->required();
  emulate.add_option("ARGS", requests.emulate.arguments, "its arguments");
  emulate.add_option("--cudart", requests.emulate.cudart, "another drop-in CUDA runtime library")
      ->type_name("PATH");
  emulate.add_option("--device", requests.emulate.device, "properties of another device")
      ->type_name("t4|a100|...");
  emulate.add_option("--threads", requests.emulate.threads, "cores to use; all, unless said")
      ->check(above_zero());
  emulate
      .add_option("--time-limit", requests.emulate.time_limit_s,
                  "seconds after which a kernel is stopped; none, unless said")
      ->check(above_zero());
  emulate.add_option("--observers", requests.emulate.observers, kObserversHelp)->type_name("LIST");
  emulate
      .add_option("--order-seed", requests.emulate.order_seed,
                  "run warps in another order, one for each number; 0: in order")
      ->check(seed());
  add_architecture(emulate, requests.emulate.architecture);
  emulate.positionals_at_end();
  emulate.prefix_command();
  emulate.callback([&requests, command = &emulate] {
    for (const std::string& rest : command->remaining()) requests.emulate.arguments.push_back(rest);
    requests.chosen = [&] { return cli::emulate(requests.emulate); };
  });
}

void add_docs(CLI::App& app, Requests& requests) {
  CLI::App& docs = add_command(app, "docs", "make the course's site, and look at it",
                               "  ./ladder docs --open\n  ./ladder docs --serve --port 8001\n"
                               "  ./ladder docs --no-solutions");
  docs.add_flag("--open", requests.docs.open, "show it in a browser");
  docs.add_flag("--serve", requests.docs.serve, "serve it to browsers on this machine");
  docs.add_option("--port", requests.docs.port, "with --serve; 0 takes any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  docs.add_flag("--no-solutions", requests.docs.no_solutions, "leave out the solutions' pages");
  docs.callback([&] { requests.chosen = [&] { return cli::docs(requests.docs); }; });
}

void add_doctor(CLI::App& app, Requests& requests) {
  CLI::App& doctor =
      add_command(app, "doctor", "what this machine has and lacks", "  ./ladder doctor");
  doctor.callback([&] { requests.chosen = [] { return cli::doctor(); }; });
}

void add_proof_commands(CLI::App& dev, Requests& requests) {
  CLI::App& fuzz = add_command(
      dev, "fuzz", "random programs on a GPU and the emulator, or damaged ones on the emulator",
      "  ./ladder dev fuzz --programs 3000 --seed 1 --on gpu --record FILE\n"
      "  ./ladder dev fuzz --programs 3000 --seed 1 --against FILE\n"
      "  ./ladder dev fuzz --parser --minutes 10");
  FuzzRequest& request = requests.fuzz;
  fuzz.add_option("--programs", request.programs, "how many")->check(above_zero());
  fuzz.add_option("--seed", request.seed, "of the programs")->check(seed())->capture_default_str();
  fuzz.add_option("--jobs", request.jobs, "processes at a time")->check(above_zero());
  fuzz.add_option("--on", request.on,
                  "what the emulator is compared with: a gpu, or itself in another order of warps")
      ->check(CLI::IsMember({"gpu", "emulator"}))
      ->capture_default_str();
  fuzz.add_option("--record", request.record, "write the GPU's outputs")->type_name("FILE");
  fuzz.add_option("--against", request.against, "outputs recorded earlier, instead of a GPU")
      ->type_name("FILE");
  fuzz.add_option("--save", request.save, "folder for programs that differ, and for the counts")
      ->type_name("FOLDER");
  fuzz.add_flag("--parser", request.parser, "damaged PTX and fat binaries instead");
  fuzz.add_option("--minutes", request.minutes, "with --parser: how long")->check(above_zero());
  fuzz.add_option("--seeds", request.seeds, "with --parser: folder with more PTX to damage")
      ->type_name("FOLDER");
  fuzz.callback([&] { requests.chosen = [&] { return cli::dev_fuzz(requests.fuzz); }; });
  CLI::App& golden = add_command(
      dev, "golden", "ask this machine's GPU for every arithmetic opcode's answers, and write them",
      "  ./ladder dev golden");
  golden.callback([&] { requests.chosen = [] { return cli::dev_golden(); }; });
}

void add_developer_commands(CLI::App& app, Requests& requests) {
  CLI::App& test = add_command(app, "test", "build and run the tests of the course itself",
                               "  ./ladder test\n  ./ladder test harness");
  test.add_option("NAME", requests.test.names, "only these tests");
  test.callback([&] { requests.chosen = [&] { return cli::test(requests.test); }; });

  CLI::App& dev = add_command(app, "dev", "for those who work on the course",
                              "  ./ladder dev check\n  ./ladder dev stubs");
  dev.require_subcommand(1);
  CLI::App& check =
      add_command(dev, "check", "the gate: headers, stubs, solutions, mutants, sheets, claims",
                  "  ./ladder dev check");
  check.add_option("CHAPTER", requests.dev_check.chapters, "only these (01)");
  check.add_flag("--quick", requests.dev_check.quick, "files only: nothing is compiled or run");
  check.callback([&] { requests.chosen = [&] { return cli::dev_check(requests.dev_check); }; });
  CLI::App& stubs =
      add_command(dev, "stubs", "write every stub again from its solution", "  ./ladder dev stubs");
  stubs.callback([&] { requests.chosen = [] { return cli::dev_stubs(); }; });
  CLI::App& translations = add_command(
      dev, "translations", "which paragraphs of the course have no translation, or an old one",
      "  ./ladder dev translations\n  ./ladder dev translations --missing");
  translations.add_flag("--missing", requests.translations.missing,
                        "print the English that has none, under its hash, to be translated");
  translations.callback(
      [&] { requests.chosen = [&] { return cli::dev_translations(requests.translations); }; });
  CLI::App& editor = add_command(
      dev, "editor", "write compile_commands.json, so that clangd understands .cu files",
      "  ./ladder dev editor");
  editor.callback([&] { requests.chosen = [] { return cli::dev_editor(); }; });
  CLI::App& parity = add_command(
      dev, "parity", "compare each step's outputs on the emulator and on a GPU, bit by bit",
      "  ./ladder dev parity\n  ./ladder dev parity --gpu 1");
  parity.add_option("--gpu", requests.parity.gpu, "number of the GPU, from 0");
  parity.callback([&] { requests.chosen = [&] { return cli::dev_parity(requests.parity); }; });
  add_proof_commands(dev, requests);
}

// What CLI11 says of a missing command and of spare words does not say how to go on, and begins
// in upper case.
std::string in_our_words(const CLI::Error& error, bool no_command_given) {
  std::string text = error.what();
  if (text == "A subcommand is required")
    return no_command_given ? "name a command; where you are in the course: ./ladder next"
                            : "name one of its commands";
  const std::string spare = "The following argument";
  if (text.rfind(spare, 0) == 0) text[0] = 't';
  return text;
}

// What is wrong, and the command whose options were wrong says how to learn about them.
std::string usage_message(const CLI::App& app, const CLI::Error& error) {
  std::string command = "ladder";
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return in_our_words(error, app.get_subcommands().empty()) + "\nsee: " + command + " --help";
}

// CLI11 only says that a command is missing; this says which one may have been meant.
std::string unknown_command(const CLI::App& app, const std::string& path, int argc,
                            const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (names.empty()) return "";  // what follows are its arguments
  const std::string name = argv[1];
  if (std::find(names.begin(), names.end(), name) != names.end())
    return unknown_command(*app.get_subcommand(name), path + " " + name, argc - 1, argv + 1);
  return "no command '" + name + "'" + did_you_mean(name, names) + "\nsee: " + path + " --help";
}

}  // namespace

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(
      "Kernel Ladder: CUDA C++ from naive kernels to library speed, with and without a GPU",
      "ladder");
  app.set_version_flag("--version", kVersionText);
  app.require_subcommand(1);
  app.footer(
      "Start here:\n"
      "  ./ladder run 01               chapter 1's ladder, checked\n"
      "  ./ladder next                 the exercise you are at\n"
      "  ./ladder check 01.ex1         is my answer right?\n"
      "  ./ladder COMMAND --help       options and examples");
  Requests requests;
  add_learner_commands(app, requests);
  add_bench(app, requests);
  add_profile(app, requests);
  add_emulate(app, requests);
  add_docs(app, requests);
  add_doctor(app, requests);
  add_developer_commands(app, requests);
  if (const std::string message = unknown_command(app, "ladder", argc, argv); !message.empty())
    throw UsageError(message);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted);
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error));
  }
  return requests.chosen();
}

}  // namespace ladder::cli
