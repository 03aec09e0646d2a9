// Every contract against plain loops: right ones pass, wrong ones are found.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "chapters/plain_solvers.hpp"
#include "common/harness/cases.hpp"

namespace ladder {

namespace {

using Outputs = std::vector<std::vector<double>>;
using Solve = void (*)(const PlainCall&);

std::vector<const Argument*> outputs_of(const Problem& problem) {
  std::vector<const Argument*> outputs;
  for (const Argument& argument : problem.arguments) {
    if (argument.role == Role::out || argument.role == Role::inout) {
      outputs.push_back(&argument);
    }
  }
  return outputs;
}

Outputs run(const Problem& problem, const Case& tried, const Inputs& inputs,
            Solve solve, std::string_view bug = "") {
  Outputs outputs;
  for (const Argument* output : outputs_of(problem)) {
    const double never_written = std::numeric_limits<double>::quiet_NaN();
    outputs.emplace_back(output->extent(tried.parameters), never_written);
  }
  solve({tried.parameters, inputs, outputs, bug});
  return outputs;
}

bool matches(double got, const Expected& expected, ElementType type) {
  if (expected.any) return true;
  if (expected.bound > 0)
    return std::fabs(got - expected.value) <= expected.bound;
  Buffer wanted(type, 1);
  wanted.set(0, expected.value);
  return got == wanted.value(0);
}

// Rounds `outputs` to their types and compares; the first element that differs,
// or "".
std::string difference(const Problem& problem, const Case& tried,
                       const Inputs& inputs, const Outputs& outputs) {
  const std::vector<const Argument*> arguments = outputs_of(problem);
  std::vector<Reference> references = problem.reference(tried, inputs);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Buffer rounded(arguments[k]->type, 1);
    for (std::size_t i = 0; i < outputs[k].size(); ++i) {
      rounded.set(0, outputs[k][i]);
      const Expected expected = references[k](static_cast<std::int64_t>(i));
      if (!matches(rounded.value(0), expected, arguments[k]->type)) {
        return problem.name + ", " + tried.text() + ": " + arguments[k]->name +
               "[" + std::to_string(i) + "] is " +
               std::to_string(rounded.value(0)) + ", not " +
               std::to_string(expected.value) + " +- " +
               std::to_string(expected.bound);
      }
    }
  }
  return "";
}

const PlainSolver& plain(const Problem& problem) {
  for (const PlainSolver& solver : plain_solvers()) {
    if (solver.problem == problem.name) return solver;
  }
  FAIL("no plain solver for " << problem.name);
  throw std::logic_error(problem.name);
}

// Whether some small case tells the outputs of `solve` from right ones.
template <typename Produce>
bool found_out(const Problem& problem, Produce produce) {
  for (const Case& tried : cases_of(problem, Tier::small, 1)) {
    Inputs inputs = make_inputs(problem, tried);
    const Outputs outputs = produce(tried, inputs);
    if (!difference(problem, tried, inputs, outputs).empty()) return true;
  }
  return false;
}

// Changes the last element that counts of the first array, as a kernel does
// that loses or doubles it.
Inputs with_last_element_scaled(const Problem& problem, const Inputs& inputs,
                                double factor) {
  Inputs changed = inputs;
  Buffer& first = changed.find(problem.arguments.front().name)->second;
  const std::int64_t unused = problem.name == "exclusive_scan" ? 1 : 0;
  const std::int64_t last =
      std::max<std::int64_t>(first.size() - 1 - unused, 0);
  const double value = first.value(last);
  first.set(last, std::isinf(value) ? 0 : factor * value);
  return changed;
}

}  // namespace

TEST_CASE("a plain fp32 loop passes every small case of every problem") {
  for (const Problem& problem : problems().all()) {
    for (const std::uint64_t seed : {1u, 2u, 1001u}) {
      for (const Case& tried : cases_of(problem, Tier::small, seed)) {
        const Inputs inputs = make_inputs(problem, tried);
        const Outputs outputs =
            run(problem, tried, inputs, plain(problem).in_fp32);
        CHECK(difference(problem, tried, inputs, outputs) == "");
      }
    }
  }
}

TEST_CASE("every reference agrees with the same loop in long double") {
  for (const Problem& problem : problems().all()) {
    for (const Case& tried : cases_of(problem, Tier::small, 5)) {
      const Inputs inputs = make_inputs(problem, tried);
      const Outputs outputs =
          run(problem, tried, inputs, plain(problem).in_long_double);
      std::vector<Reference> references = problem.reference(tried, inputs);
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        for (std::size_t i = 0; i < outputs[k].size(); ++i) {
          const Expected expected = references[k](static_cast<std::int64_t>(i));
          if (expected.any || outputs[k][i] == expected.value) continue;
          // A bound is at least 2^-24 of what it bounds; fp32 outputs without
          // one are rounded.
          const double slack = expected.bound > 0
                                   ? 1e-4 * expected.bound
                                   : 0x1p-24 * std::fabs(expected.value);
          const double off = std::fabs(outputs[k][i] - expected.value);
          if (!(off <= slack + 1e-300)) {
            FAIL_CHECK(problem.name << ", " << tried.text() << ", output " << i
                                    << ": off by " << off << ", slack "
                                    << slack);
            break;
          }
        }
      }
    }
  }
}

TEST_CASE("every named bug fails at least one small case") {
  for (const Problem& problem : problems().all()) {
    const PlainSolver& solver = plain(problem);
    for (const std::string& bug : solver.bugs) {
      CAPTURE(problem.name);
      CAPTURE(bug);
      CHECK(found_out(problem, [&](const Case& tried, const Inputs& inputs) {
        return run(problem, tried, inputs, solver.in_fp32, bug);
      }));
    }
  }
}

TEST_CASE(
    "losing or doubling the last element of the first input is found out") {
  for (const Problem& problem : problems().all()) {
    // A doubled maximum stays at its place: argmax is right to ignore it.
    for (const double factor : {0.0, problem.name == "argmax" ? -1.0 : 2.0}) {
      CAPTURE(problem.name);
      CAPTURE(factor);
      CHECK(found_out(problem, [&](const Case& tried, const Inputs& inputs) {
        return run(problem, tried,
                   with_last_element_scaled(problem, inputs, factor),
                   plain(problem).in_fp32);
      }));
    }
  }
}

TEST_CASE("an output element that is never written is found out") {
  for (const Problem& problem : problems().all()) {
    CAPTURE(problem.name);
    CHECK(found_out(problem, [&](const Case& tried, const Inputs& inputs) {
      Outputs outputs = run(problem, tried, inputs, plain(problem).in_fp32);
      outputs.back().back() = -99;
      return outputs;
    }));
  }
}

TEST_CASE(
    "every named bound lets a careful answer pass, and the compensated one "
    "only that") {
  for (const Problem& problem : problems().all()) {
    for (const std::string& bound : problem.bounds) {
      CAPTURE(problem.name);
      CAPTURE(bound);
      bool plain_passes = true;
      for (Case tried : cases_of(problem, Tier::small, 1)) {
        tried.bound = bound;
        const Inputs inputs = make_inputs(problem, tried);
        const PlainSolver& solver = plain(problem);
        CHECK(difference(problem, tried, inputs,
                         run(problem, tried, inputs, solver.in_long_double)) ==
              "");
        plain_passes = plain_passes && difference(problem, tried, inputs,
                                                  run(problem, tried, inputs,
                                                      solver.in_fp32)) == "";
      }
      if (bound == "compensated") CHECK_FALSE(plain_passes);
    }
  }
}

TEST_CASE("references may be asked with gaps") {
  for (const Problem& problem : problems().all()) {
    for (const Case& tried : cases_of(problem, Tier::small, 3)) {
      const Inputs inputs = make_inputs(problem, tried);
      std::vector<Reference> all = problem.reference(tried, inputs);
      std::vector<Reference> some = problem.reference(tried, inputs);
      const std::vector<const Argument*> arguments = outputs_of(problem);
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        const std::int64_t elements = arguments[k]->extent(tried.parameters);
        for (std::int64_t i = 0; i < elements; ++i) {
          const Expected expected = all[k](i);
          if (i % 37 != 36 && i + 1 != elements) continue;
          const Expected sampled = some[k](i);
          REQUIRE(sampled.value == expected.value);
          REQUIRE(sampled.bound == expected.bound);
          REQUIRE(sampled.any == expected.any);
        }
      }
    }
  }
}

TEST_CASE(
    "all generated sizes are legal, and sizes from 0 on are refused with a "
    "reason") {
  for (const Problem& problem : problems().all()) {
    CAPTURE(problem.name);
    CHECK(problem.title.size() > 0);
    CHECK(problem.bound_text.size() > 0);
    for (const Tier tier : {Tier::small, Tier::full, Tier::bench}) {
      const std::vector<Parameters> sizes = problem.sizes(tier);
      CHECK(sizes.size() > 0);
      for (const Parameters& at : sizes) {
        CAPTURE(at.text());
        CHECK_FALSE(problem.illegal(at).has_value());
        CHECK(problem.cost(at).bytes > 0);
        for (const Argument& argument : problem.arguments) {
          if (argument.role == Role::scalar) {
            CHECK(at.contains(argument.name));
          } else {
            CHECK(argument.extent(at) >= 1);
          }
        }
      }
    }
    for (const Parameters& at : problem.empty_sizes)
      CHECK(problem.illegal(at).has_value());
  }
}

TEST_CASE("no size makes an extent that a double cannot hold") {
  const Problem& attention = *problems().find("attention_bf16");
  const double most = 2147483647;
  Parameters at = {
      {"batch", 1}, {"heads", 1}, {"seq", 1024}, {"d", 64}, {"causal", 0}};
  CHECK_FALSE(attention.illegal(at).has_value());
  for (const char* name : {"batch", "heads", "seq"}) at.set(name, most);
  CHECK(attention.illegal(at).has_value());
}

TEST_CASE("small cases stay small enough for an emulator") {
  for (const Problem& problem : problems().all()) {
    CAPTURE(problem.name);
    double elements = 0, flops = 0;
    const std::vector<Case> cases = cases_of(problem, Tier::small, 1);
    for (const Case& tried : cases) {
      flops += problem.cost(tried.parameters).flops;
      for (const auto& [name, buffer] : make_inputs(problem, tried)) {
        elements += static_cast<double>(buffer.size());
      }
    }
    CHECK(cases.size() <= 52);
    CHECK(elements < (problem.chapter == "05_prefix_sum" ? 5e6 : 1e6));
    CHECK(flops < 5e7);
  }
}

TEST_CASE("scans are tried above 2^20 even at small sizes") {
  for (const char* name :
       {"scan", "exclusive_scan", "compact", "segmented_scan"}) {
    CHECK(problems().find(name)->sizes(Tier::small).back()["N"] > 1 << 20);
  }
}

TEST_CASE("prototypes are those of the public signatures") {
  CHECK(problems().find("vector_add")->prototype() ==
        "void solve(const float* A, const float* B, float* C, int N)");
  CHECK(problems().find("gemm_f16")->prototype() ==
        "void solve(const half* A, const half* B, half* C, int M, int N, int "
        "K, float alpha, "
        "float beta)");
  CHECK(problems().find("compact")->prototype() ==
        "void solve(const float* input, float* output, int* count, int N)");
  CHECK(problems().find("layer_norm")->prototype() ==
        "void solve(const float* input, const float* weight, const float* "
        "bias, float* output, "
        "int N, int C, float eps)");
  CHECK(problems().find("attention_bf16")->prototype() ==
        "void solve(const __nv_bfloat16* Q, const __nv_bfloat16* K, const "
        "__nv_bfloat16* V, "
        "__nv_bfloat16* O, int batch, int heads, int seq, int d, int causal)");
}

TEST_CASE("a misspelt problem finds its nearest name") {
  CHECK(problems().nearest("vectr_add") == "vector_add");
  CHECK(problems().nearest("matmull") == "matmul");
  CHECK(problems().nearest("softmaxrows") == "softmax_rows");
}

}  // namespace ladder
