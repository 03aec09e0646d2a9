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

TEST_CASE("a process that closes its streams is still held to its time") {
  ProcessOptions options;
  options.time_limit_s = 0.2;
  const ProcessResult silent = run_process({"sh", "-c", "exec >&- 2>&-; sleep 20"}, options);
  CHECK(silent.timed_out);
  CHECK(silent.seconds < 10);
  options.time_limit_s = 20;
  const ProcessResult ended = run_process({"sh", "-c", "exec >&- 2>&-; exit 5"}, options);
  CHECK_FALSE(ended.timed_out);
  CHECK(ended.exit_code == 5);
}
