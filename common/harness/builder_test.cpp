#include "common/harness/builder.hpp"

#include <doctest/doctest.h>

#include "common/harness/files.hpp"
#include "common/harness/signature_check.hpp"

using namespace ladder;

namespace {

const char* const kernel =
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

Problem vector_add() {
  Problem problem;
  problem.name = "vector_add";
  problem.arguments = {{"A", Role::in, ElementType::f32},
                       {"B", Role::in, ElementType::f32},
                       {"C", Role::out, ElementType::f32},
                       {"N", Role::scalar, ElementType::i32}};
  return problem;
}

// One tree and cache for all tests: probing the host compiler takes a second.
struct Bench {
  TemporaryFolder folder;
  Tree tree{folder.path(), folder.path() / "build"};
  Toolkit toolkit = Toolkit::require();
  Problem problem = vector_add();

  BuildResult build(const std::filesystem::path& file) const {
    BuildRequest request;
    request.source = file;
    request.problem = &problem;
    return build_solver(tree, toolkit, request);
  }
  std::string compile_error(const std::string& text) const {
    const auto file = folder.write("solver.cu", text);
    try {
      build(file);
    } catch (const CompileError& error) {
      return error.what();
    }
    return "it compiled";
  }
};

const Bench& bench() {
  static const Bench instance;
  return instance;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a solver is built once; an edit to it or to a header it includes builds it again") {
  const Bench& b = bench();
  b.folder.write("common/scale.hpp", "#pragma once\nconstexpr float scale = 1.0f;\n");
  const std::string text = "#include \"common/scale.hpp\"\n" + std::string(kernel) +
                           "extern \"C\" void solve(const float* A, const float* B, float* C, "
                           "int N) {\n  add<<<N / 256 + 1, 256>>>(A, B, C, N);\n}\n";
  const auto file = b.folder.write("cached.cu", text);
  const BuildResult first = b.build(file);
  CHECK_FALSE(first.cached);
  CHECK(std::filesystem::exists(first.object));
  CHECK(contains(read_file(first.depfile), "scale.hpp"));
  CHECK(contains(read_file(first.object), ".version"));  // PTX in plain text

  const BuildResult again = b.build(file);
  CHECK(again.cached);
  CHECK(again.object == first.object);

  b.folder.write("common/scale.hpp", "#pragma once\nconstexpr float scale = 2.0f;\n");
  const BuildResult after_header = b.build(file);
  CHECK_FALSE(after_header.cached);
  CHECK(after_header.object != first.object);

  b.folder.write("common/scale.hpp", "#pragma once\nconstexpr float scale = 1.0f;\n");
  CHECK(b.build(file).object == first.object);
  CHECK(b.build(file).cached);

  b.folder.write("cached.cu", text + "// edited\n");
  CHECK_FALSE(b.build(file).cached);

  // Line tables and messages name the learner's file, not the builder's wrapper.
  CHECK(contains(read_file(first.object), "cached.cu"));
  CHECK_FALSE(contains(read_file(first.object), "wrapped.cu\""));
}

TEST_CASE("a wrong solve is refused with the argument that is wrong and the contract") {
  const Bench& b = bench();
  const struct {
    const char* solve;
    const char* message;
  } table[] = {
      {"extern \"C\" void solve(const float* A, const int* B, float* C, int N) {}",
       "solver.cu:5: argument 2 of `solve` is `const int* B`, but it must be `const float* B`"},
      {"extern \"C\" void solve(int N, const float* A, const float* B, float* C) {}",
       "solver.cu:5: argument 1 of `solve` is `int N`, but it must be `const float* A`"},
      {"extern \"C\" void solve(const float* A, float* C, int N) {}",
       "solver.cu:5: `solve` takes 3 arguments, but vector_add passes 4"},
      {"extern \"C\" void solve() {}",
       "solver.cu:5: `solve` takes 0 arguments, but vector_add passes 4"},
      {"extern \"C\" int solve(const float*, const float*, float*, int) { return 0; }",
       "solver.cu:5: `solve` must return void"},
      {"void solve(const float* A, const float* B, float* C, int N) {}",
       "solver.cu:5: `solve` has C++ linkage"},
      {"extern \"C\" void sovle(const float* A, const float* B, float* C, int N) {}",
       "solver.cu: no `solve`: export it as\n  extern \"C\" void solve(const float* A, const "
       "float* B, float* C, int N)"},
      {"int solve = 3;", "solver.cu: `solve` is not a function"},
      {"template <class T> void solve(T* A) {}", "`solve` is overloaded or a template"},
      {"int main() {}", "it has a main of its own: `./ladder emulate"},
  };
  for (const auto& row : table) {
    CAPTURE(row.solve);
    const std::string message = b.compile_error(kernel + std::string(row.solve) + "\n");
    CHECK_MESSAGE(contains(message, row.message), message);
    CHECK_MESSAGE(!contains(message, "ladder-signature"), message);
  }
}

TEST_CASE("a source in UTF-16 is told to be saved as UTF-8") {
  const Bench& b = bench();
  const auto file = b.folder.write("utf16.cu", std::string("\xff\xfe/\0/\0\n\0", 8));
  CHECK_THROWS_WITH_AS(b.build(file),
                       (file.string() + " is no text in UTF-8 (in UTF-16, perhaps): "
                                        "save it as UTF-8")
                           .c_str(),
                       UsageError);
}

TEST_CASE("const is no part of the contract, and macros of the solver do not reach the check") {
  const Bench& b = bench();
  for (const char* solve :
       {"extern \"C\" void solve(float* A, float* B, float* C, int N) {}",
        "#define T 16\n#define A 3\n#define value 7\n#define type 8\n"
        "extern \"C\" void solve(const float* const __restrict__ a, const float* b, float* c, "
        "const int n) {}",
        "extern \"C\" { void solve(const float*, const float*, float*, int) noexcept {} }"}) {
    CAPTURE(solve);
    const auto file = b.folder.write("lenient.cu", std::string(solve) + "\n");
    CHECK_NOTHROW(b.build(file));
  }
}

TEST_CASE("a compile error keeps the compiler's words, the file's lines, and only the first few") {
  const Bench& b = bench();
  std::string message = b.compile_error(
      "\nextern \"C\" void solve(const float* A, const float* B,"
      " float* C, int N) {\n  int x = 1\n  C[0] = x;\n}\n");
  CHECK_MESSAGE(contains(message, "solver.cu does not compile (1 error):"), message);
  CHECK_MESSAGE(contains(message, "solver.cu:4: error: expected a \";\""), message);

  message = b.compile_error(
      "extern \"C\" void solve(const float* A, const float* B, float* C,"
      " int N) {\n  if (N) {\n}\n");
  CHECK_MESSAGE(contains(message, "expected a \"}\""), message);
  CHECK_MESSAGE(!contains(message, "ladder-signature"), message);

  // The kernel's brace is missing, and `solve` seems to stand inside it.
  message = b.compile_error(
      "__global__ void k(float* C) {\n  if (C) {\n    *C = 0;\n}\n"
      "extern \"C\" void solve(const float* A, const float* B, float* C, int N) {}\n");
  CHECK_MESSAGE(contains(message, "is a } missing somewhere above?"), message);
  CHECK_MESSAGE(!contains(message, "overloaded"), message);

  std::string many;
  for (int i = 0; i < 5; ++i)
    many += "int x" + std::to_string(i) + " = y" + std::to_string(i) + ";\n";
  message = b.compile_error(many);
  CHECK_MESSAGE(contains(message, "(5 errors):"), message);
  CHECK_MESSAGE(contains(message, "and 2 more"), message);

  message = b.compile_error("#include \"no_such.hpp\"\n");
  CHECK_MESSAGE(contains(message, "no_such.hpp"), message);
}

TEST_CASE("what is not a source file is a usage error that says what it is") {
  const Bench& b = bench();
  CHECK_THROWS_AS(b.build(b.folder.path() / "absent.cu"), UsageError);
  CHECK_THROWS_AS(b.build(b.folder.path()), UsageError);
  CHECK_THROWS_AS(b.build(b.folder.write("empty.cu", "")), UsageError);
  CHECK_THROWS_AS(b.build("/dev/null"), UsageError);
}

TEST_CASE("a library that the toolkit lacks makes a solver skipped, not wrong") {
  const Bench& b = bench();
  BuildRequest request;
  request.source = b.folder.write("ceiling.cu", "int x;\n");
  request.problem = &b.problem;
  request.links = {"no_such_library"};
  try {
    build_solver(b.tree, b.toolkit, request);
    FAIL("it was built");
  } catch (const Error& error) {
    CHECK(error.verdict() == Verdict::skipped);
  }
}

TEST_CASE("a file with a main becomes a program, and many are built at once") {
  const Bench& b = bench();
  std::vector<BuildRequest> requests(3);
  requests[0].source = b.folder.write("program.cu", "int main() { return 7; }\n");
  requests[1].source = b.folder.write("broken.cu", "int main() { return }\n");
  requests[2].source = b.folder.path() / "absent.cu";
  int reported = 0;
  const auto outcomes = build_solvers(b.tree, b.toolkit, requests, [&](int done, int total) {
    CHECK(done == ++reported);
    CHECK(total == 3);
  });
  REQUIRE(outcomes.size() == 3);
  REQUIRE(outcomes[0].result.has_value());
  CHECK(std::filesystem::exists(outcomes[0].result->object));
  CHECK(outcomes[1].verdict == Verdict::not_compiled);
  CHECK(outcomes[2].verdict == Verdict::usage);
  CHECK(reported == 3);
}

TEST_CASE("solve is found in a text without a compiler, comments and calls aside") {
  const auto found = find_solve(
      "// solve(int) {\n/* void solve() { */\nconst char* s = \"solve() {\";\n"
      "void resolve(int x) {}\nvoid solve(int);\n"
      "extern \"C\" void\nsolve(const float*  A, // left\n int N)\n{\n  solve(A, N);\n}\n");
  REQUIRE(found.has_value());
  CHECK(found->line == 7);
  CHECK(found->parameters == std::vector<std::string>{"const float* A", "int N"});
  CHECK_FALSE(find_solve("int main() { solve(1); }").has_value());
  CHECK(defines_main("int main (int, char**) {}"));
  CHECK_FALSE(defines_main("// int main()\nint domain() {}"));
}
