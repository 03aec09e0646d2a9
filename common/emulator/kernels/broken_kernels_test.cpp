// Kernels that a stranger might bring, each broken in one place: built, run and found out.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>

#include "common/harness/files.hpp"
#include "common/harness/judge.hpp"
#include "common/harness/plain_kernels.hpp"

namespace ladder {

namespace {

struct Broken {
  std::string bug;
  std::string file;
  std::string original, replacement;  // text of the file, once
  Verdict verdict;
};

const std::vector<Broken> broken = {
    {"loses the tail", "vector_add.cu", "(N + threads - 1) / threads", "N / threads + (N < 256)",
     Verdict::wrong},
    {"writes one element too many", "relu.cu", "i < N", "i <= N", Verdict::trapped},
    {"strides by the wrong side", "transpose_tiled.cu", "output[(y + j) * rows + x]",
     "output[(y + j) * cols + x]", Verdict::trapped},
    {"accumulates onto the old output", "reduction_shuffle.cu",
     "cudaMemset(output, 0, sizeof(float));", "", Verdict::wrong},
    {"adds its own block's sum", "scan_hillis_steele.cu", "block_sums[blockIdx.x - 1]",
     "block_sums[blockIdx.x]", Verdict::wrong},
    {"ignores the maximum", "softmax_rows.cu", "m = fmaxf(m, x[j])", "m = 0.0f", Verdict::wrong},
    {"forgets the rescale", "attention_online.cu", "weighted[i] *= rescale", "weighted[i] *= 1.0f",
     Verdict::wrong},
    {"forgets to scale the scores", "attention_naive.cu", "sum / sqrtf((float)d)", "sum",
     Verdict::wrong},
    {"drops the last partial tile", "matmul_tiled.cu", "(N + TILE - 1) / TILE; ++t",
     "N / TILE; ++t", Verdict::wrong},
    {"starts each window at 0", "max_pool.cu", "largest = window[0]", "largest = 0.0f",
     Verdict::wrong},
    {"lets the last of equals win", "argmax.cu", "(0xffffffffu - (unsigned int)index)",
     "(unsigned int)index", Verdict::wrong},
    {"uses tiles before they arrive", "matmul_async.cu", "__pipeline_wait_prior(1)", "",
     Verdict::trapped},
};

std::string replaced(std::string text, const Broken& how) {
  const std::size_t at = text.find(how.original);
  REQUIRE_MESSAGE(at != std::string::npos, how.file << " no longer holds " << how.original);
  return text.replace(at, how.original.size(), how.replacement);
}

}  // namespace

TEST_CASE("a broken kernel is found out") {
  const Tree tree = Tree::find();
  const auto toolkit = Toolkit::find();
  REQUIRE(toolkit.has_value());
  const TemporaryFolder folder;
  for (const Broken& how : broken) {
    CAPTURE(how.bug);
    for (const PlainKernel& kernel : plain_kernels(tree)) {
      if (kernel.file.filename() != how.file) continue;
      const auto file = folder.write(how.file, replaced(read_file(kernel.file), how));
      const SolverReport report =
          judge_solver(tree, *toolkit, file, *problems().find(kernel.problem),
                       read_solver_header(file), JudgeOptions{});
      INFO(report.message);
      CHECK(name_of(report.verdict) == name_of(how.verdict));
    }
  }
}

TEST_CASE("every problem has a kernel that solves it") {
  const std::vector<PlainKernel> kernels = plain_kernels(Tree::find());
  for (const Problem& problem : problems().all()) {
    CAPTURE(problem.name);
    CHECK(std::any_of(kernels.begin(), kernels.end(),
                      [&](const PlainKernel& kernel) { return kernel.problem == problem.name; }));
  }
  for (const PlainKernel& kernel : kernels) {
    CAPTURE(kernel.file.string());
    const Problem* problem = problems().find(kernel.problem);
    REQUIRE(problem != nullptr);
    if (kernel.bench_at) CHECK_FALSE(problem->illegal(*kernel.bench_at).has_value());
  }
}

TEST_CASE("a line of the list that is not understood is named") {
  const char* const list = "kernels/kernels.txt";
  CHECK(parse_plain_kernels("# only a comment\n\n", list).empty());
  const auto one = parse_plain_kernels("x.cu matmul M=2,N=3,K=4\n", list);
  REQUIRE(one.size() == 1);
  CHECK(one[0].file == "kernels/x.cu");
  CHECK(one[0].bench_at->text() == "M=2 N=3 K=4");
  CHECK(one[0].least_rate == 0);
  CHECK(parse_plain_kernels("x.cu scan N=5 200\n", list)[0].least_rate == 200);
  CHECK_THROWS(parse_plain_kernels("x.cu scan N=5 quick\n", list));
  CHECK_THROWS_WITH(
      parse_plain_kernels("# list\nx.cu matmul\n", list),
      "kernels/kernels.txt:2: expected FILE PROBLEM SIZE [RATE], found 'x.cu matmul'");
}

}  // namespace ladder
