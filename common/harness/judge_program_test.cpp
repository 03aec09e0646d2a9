// End to end: whole programs, built by the builder and judged under the emulator.
#include <doctest/doctest.h>

#include "common/harness/files.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/test_paths.hpp"

namespace ladder {
namespace {

// Two allocations, a copy each way, a launch, a wait, two frees; FAULT chooses what goes wrong.
const char* const program = R"(#include <cstdio>
#include <cstdlib>

enum Fault { none, ignores, silent, leaks, aborts, leaks_always, exits_3, hangs };

__global__ void fill(float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = i;
}

bool failed(cudaError_t status, const char* call) {
  if (status == cudaSuccess || FAULT == ignores) return false;
  if (FAULT == aborts) std::abort();
  if (FAULT != silent) std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  return true;
}

int main() {
  if (FAULT == hangs) for (volatile int i = 0;; i = i + 1) {}
  float host[64] = {};
  float *a = nullptr, *b = nullptr;
  if (failed(cudaMalloc(&a, sizeof host), "cudaMalloc")) return 1;
  bool bad = failed(cudaMalloc(&b, sizeof host), "cudaMalloc");
  if (bad && FAULT == leaks) return 1;
  bad = bad || failed(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");
  if (!bad) {
    fill<<<1, 64>>>(a, 64);
    bad = failed(cudaGetLastError(), "launch");
  }
  bad = bad || failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  bad = bad || failed(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
  bad = failed(cudaFree(a), "cudaFree") || bad;
  if (FAULT != leaks_always) bad = failed(cudaFree(b), "cudaFree") || bad;
  if (FAULT == exits_3) return 3;
  return bad ? 1 : 0;
}
)";

SolverReport judge_text(const std::string& text, double time_limit_s = 60) {
  static const TemporaryFolder folder;
  static const Tree tree{test_paths::source, test_paths::build};
  static const Toolkit toolkit = Toolkit::require();
  JudgeOptions options;
  options.time_limit_s = time_limit_s;
  return judge_program(tree, toolkit, folder.write("program.cu", text), {}, options);
}

SolverReport judge_fault(const std::string& fault, double time_limit_s = 60) {
  return judge_text("#define FAULT " + fault + "\n" + program, time_limit_s);
}

void check(const SolverReport& report, Verdict verdict, const std::string& sentence) {
  CHECK_MESSAGE(report.verdict == verdict, report.message);
  CHECK_MESSAGE(report.message.find(sentence) != std::string::npos, report.message);
}

TEST_CASE("a program that checks every call and frees what it has is solved") {
  const SolverReport report = judge_fault("none");
  check(report, Verdict::solved, "");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] ==
        "8 of its CUDA calls were made to fail, one at a time: those that allocate, copy, set, "
        "launch, wait or free");
}

TEST_CASE("of a function that is called again and again only the first calls are made to fail") {
  const SolverReport report = judge_text(R"(#include <cstdio>
__global__ void nothing() {}
int main() {
  for (int i = 0; i < 30; ++i) {
    nothing<<<1, 1>>>();
    if (cudaGetLastError() != cudaSuccess) return std::fprintf(stderr, "launch\n"), 1;
  }
  return 0;
}
)");
  check(report, Verdict::solved, "");
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("25 of its CUDA calls were made to fail") == 0);
  CHECK(report.notes[0].find("the first 25 of each function") != std::string::npos);
}

TEST_CASE("each way to handle a failing call badly gets its sentence") {
  check(judge_fault("ignores"), Verdict::wrong,
        "with the 1st cudaMalloc failing, the program exited 0, as if all were well");
  check(judge_fault("ignores"), Verdict::wrong, "8 of 8 failing calls are not handled");
  check(judge_fault("silent"), Verdict::wrong, "said nothing on stderr");
  check(judge_fault("leaks"), Verdict::wrong,
        "1 of 8 failing calls are not handled\n  with the 2nd cudaMalloc failing, the program did "
        "not free 256 bytes");
  check(judge_fault("aborts"), Verdict::wrong, "crashed: Aborted");
}

TEST_CASE("a program that is wrong although nothing fails is told so first") {
  check(judge_fault("leaks_always"), Verdict::wrong, "exited without freeing 256 bytes");
  check(judge_fault("exits_3"), Verdict::wrong, "exited 3, and no call failed");
  check(judge_fault("hangs", 1), Verdict::out_of_budget, "did not end in time");
  check(judge_text("int main() {}\n"), Verdict::wrong, "made no CUDA call");
  check(judge_text("int main() { return }\n"), Verdict::not_compiled, "does not compile");
  check(judge_text("#include <cstdlib>\nint main() { std::abort(); }\n"), Verdict::trapped,
        "crashed: Aborted");
}

}  // namespace
}  // namespace ladder
