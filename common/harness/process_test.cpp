#include "common/harness/process.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include "common/harness/verdict.hpp"

using namespace ladder;

TEST_CASE("a process's exit code, streams and added environment come back") {
  ProcessOptions options;
  options.environment = {{"LADDER_TEST", "a value"}};
  const ProcessResult result =
      run_process({"sh", "-c", "cat; echo \"$LADDER_TEST\"; echo oops >&2; exit 3"}, options);
  CHECK(result.exit_code == 3);
  CHECK(result.signal == 0);
  CHECK(result.output == "a value\n");
  CHECK(result.errors == "oops\n");
}

TEST_CASE("a process that dies, hangs, floods or is not there is told apart") {
  CHECK(run_process({"sh", "-c", "kill -SEGV $$"}).signal == SIGSEGV);
  ProcessOptions options;
  options.time_limit_s = 0.1;
  const ProcessResult hung = run_process({"sh", "-c", "sleep 60 & sleep 60"}, options);
  CHECK(hung.timed_out);
  CHECK(hung.seconds < 5);
  options = {};
  options.output_limit_bytes = 1000;
  CHECK(run_process({"head", "-c", "300000", "/dev/zero"}, options).output.size() == 1000);
  CHECK_THROWS_AS(run_process({"/no/such/program"}), MachineError);
}
