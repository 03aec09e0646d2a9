// Commands on a course that a test may change: a copy of the binary in a folder made for it, with
// programs of the test's own on PATH.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/cli/process.hpp"
#include "common/harness/files.hpp"

using ladder::TemporaryFolder;
using ladder::cli::Finished;

namespace {

namespace fs = std::filesystem;

class FakeCourse {
 public:
  FakeCourse() {
    folder_.write("meson.build", "");
    folder_.write("build/solvers.txt",
                  "exercise 01_add ex_01_tail\n"
                  "solution 01_add ex_01_tail\n");
    folder_.write("chapters/01_add/solutions/ex_01_tail.cu",
                  "// [hole tail: ~1 line] Mind the tail.\nint tail = 1;\n// [/hole]\n");
    fs::create_directories(root() / "build" / "common" / "cli");
    fs::copy(std::getenv("LADDER"), binary());
  }

  const fs::path& root() const { return folder_.path(); }
  fs::path binary() const { return root() / "build" / "common" / "cli" / "ladder"; }
  void write(const std::string& file, const std::string& text) { folder_.write(file, text); }
  std::string read(const std::string& file) const {
    return fs::exists(root() / file) ? ladder::read_file(root() / file) : "";
  }
  void write_program(const std::string& file, const std::string& script) {
    fs::permissions(folder_.write(file, script), fs::perms::owner_all);
  }

  // A shell's command, with $ladder the binary and $root the course; its programs are found first.
  Finished shell(const std::string& command) const {
    return ladder::cli::run_and_watch(
        {"env", "-u", "LADDER_ROOT",
         "PATH=" + (root() / "bin").string() + ":" + std::getenv("PATH"),
         "ladder=" + binary().string(), "root=" + root().string(), "sh", "-c", command});
  }

 private:
  TemporaryFolder folder_;
};

// Says that everything is built; the site is made by the fake weave.
void fake_site(FakeCourse& course, const std::string& weave) {
  course.write_program("bin/ninja", "#!/bin/sh\n");
  course.write_program("build/docs/weave-site", "#!/bin/sh\n" + weave);
}

}  // namespace

TEST_CASE("the site is shown without waiting for the browser, and served to one that stays") {
  FakeCourse course;
  fake_site(course, "");
  // Asks for the page that it is given, and then is open for as long as its file is there.
  course.write_program("bin/xdg-open", R"(#!/bin/bash
port=${1#http://localhost:}
if [[ $port != "$1" ]]; then
  exec 3<>"/dev/tcp/127.0.0.1/${port%/}"
  printf 'GET / HTTP/1.1\r\n\r\n' >&3
  head -n 1 <&3 >"$root/answer"
fi
while [[ -e $0 ]]; do sleep 0.2; done
)");
  CHECK(course.shell("timeout 60 \"$ladder\" docs --open").code == 0);
  course.shell(
      "timeout 60 \"$ladder\" docs --serve --port 0 --open & server=$!\n"
      "for i in $(seq 300); do [ -s \"$root/answer\" ] && break; sleep 0.1; done\n"
      "kill $server");
  CHECK(course.read("answer").rfind("HTTP/1.1 ", 0) == 0);
}

TEST_CASE("a browser that is not there is said, with the page to open") {
  FakeCourse course;
  fake_site(course, "");
  const Finished finished = course.shell(
      "mkdir \"$root/only\"\n"
      "ln -s \"$root/bin/ninja\" \"$(command -v sh)\" \"$root/only\"\n"
      "PATH=\"$root/only\" exec \"$ladder\" docs --open");
  CHECK(finished.code == 0);
  CHECK(finished.output.find("no browser could be started; open ") != std::string::npos);
}

TEST_CASE("whose fault it is that a site cannot be made is told by the exit code") {
  FakeCourse course;
  fake_site(course, "echo 'step.cu:3: unknown key @nwe' >&2\nexit 2\n");
  const Finished wrong = course.shell("exec \"$ladder\" docs");
  CHECK(wrong.code == 2);
  CHECK(wrong.output.find("step.cu:3: unknown key @nwe") != std::string::npos);

  fake_site(course, "echo 'no doxygen' >&2\nexit 6\n");
  const Finished lacking = course.shell("exec \"$ladder\" docs");
  CHECK(lacking.code == 6);
  CHECK(lacking.output.find("no doxygen") != std::string::npos);

  fake_site(course, "kill -KILL $$\n");
  CHECK(course.shell("exec \"$ladder\" docs").code == 6);

  course.write_program("bin/ninja", "#!/bin/sh\necho 'x.cpp: No space left on device'\nexit 1\n");
  const Finished full = course.shell("exec \"$ladder\" docs");
  CHECK(full.code == 6);
  CHECK(full.output.find("No space left on device") != std::string::npos);
}

TEST_CASE("an exercise that is reset is one to be solved again") {
  FakeCourse course;
  const std::string file = "chapters/01_add/exercises/ex_01_tail.cu";
  const std::string progress = ".ladder/progress.json";
  const std::string solved =
      R"({"version": 1, "exercises": {"01_add.ex_01_tail": {"solved": "2026-11-30", "hints": 2}}})";
  const auto reset = [&] {
    course.write(progress, solved);
    REQUIRE(course.shell("exec \"$ladder\" reset 01.ex1").code == 0);
    return nlohmann::json::parse(course.read(progress))["exercises"]["01_add.ex_01_tail"];
  };
  course.write(file, "// mine\n");
  const nlohmann::json after = reset();
  CHECK_FALSE(after.contains("solved"));
  CHECK(after["hints"] == 2);
  CHECK(course.read(file).find("tail = 1") == std::string::npos);
  CHECK_FALSE(reset().contains("solved"));  // it is the stub already
}
