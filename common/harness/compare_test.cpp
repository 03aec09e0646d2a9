#include "common/harness/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "common/harness/cases.hpp"

namespace ladder {
namespace {

// One input, one output whose elements are f(input, i); `columns` 0: a vector.
Problem made_up(const std::string& name, std::function<double(const Buffer&, std::int64_t)> f,
                double bound = 0, std::int64_t columns = 0, ElementType output = ElementType::f32) {
  const auto n = [](const Parameters& sizes) { return sizes["N"]; };
  Problem problem;
  problem.name = name;
  problem.arguments = {{"input", Role::in, ElementType::f32, n, {}},
                       {"output", Role::out, output, n, {}},
                       {"N", Role::scalar, ElementType::i32, {}, {}}};
  if (columns > 0)
    problem.arguments[1].row_length = [columns](const Parameters&) { return columns; };
  problem.reference = [f, bound](const Case&, const Inputs& inputs) {
    const Buffer& input = inputs.find("input")->second;
    return std::vector<Reference>{[f, bound, &input](std::int64_t i) {
      return Expected{f(input, i), bound};
    }};
  };
  return problem;
}

double doubled(const Buffer& input, std::int64_t i) {
  return 2 * input.value(i);
}

// A right answer to be spoiled.
struct Answer {
  Problem problem;
  Case tried;
  Inputs inputs;
  std::vector<Buffer> results;
  History history;

  Answer(Problem made, std::int64_t n, Distribution distribution = Distribution::random)
      : problem(std::move(made)),
        tried{{{"N", static_cast<double>(n)}}, distribution, 3, ""},
        inputs(make_inputs(problem, tried)) {
    results = {inputs.at("input"), Buffer(problem.arguments[1].type, n), Buffer()};
    const Reference reference = problem.reference(tried, inputs)[0];
    for (std::int64_t i = 0; i < n; ++i) output().set(i, reference(i).value);
  }
  Buffer& output() { return results[1]; }
  void poison(std::int64_t i) {
    const int byte = output().type() == ElementType::i32 ? 0xA5 : 0xFF;
    const std::size_t size = size_of(output().type());
    std::memset(output().bytes().data() + static_cast<std::size_t>(i) * size, byte, size);
  }
  Comparison compare() const { return compare_call(problem, tried, inputs, results, history); }
  bool says(const std::string& part) const {
    const Comparison comparison = compare();
    const bool found = !comparison.right && comparison.message.find(part) != std::string::npos;
    if (!found) MESSAGE("not in: " << comparison.message);
    return found;
  }
};

TEST_CASE("the right answer is right, for every element type") {
  CHECK(Answer(made_up("p", doubled), 100).compare().right);
  for (const ElementType type : {ElementType::f16, ElementType::bf16})
    CHECK(Answer(made_up("p", doubled, 0, 0, type), 100).compare().right);
  const auto integer = [](const Buffer&, std::int64_t i) { return static_cast<double>(i); };
  CHECK(Answer(made_up("p", integer, 0, 0, ElementType::i32), 100).compare().right);
}

TEST_CASE("a bound of zero demands equality and counts -0 as 0") {
  Answer answer(made_up("p", [](const Buffer&, std::int64_t) { return 0.0; }), 8);
  answer.output().set(3, -0.0);
  CHECK(answer.compare().right);
  answer.output().set(3, 1e-30);
  CHECK(answer.says("here it must be exact"));
}

TEST_CASE("an answer just inside the bound is right and one just outside is wrong") {
  Answer answer(made_up(
                    "p", [](const Buffer&, std::int64_t) { return 1.0; }, 0.01),
                8);
  answer.output().set(3, 1.0099);
  CHECK(answer.compare().right);
  answer.output().set(3, 1.0101);
  CHECK(answer.says("output[3]: expected 1, got 1.0101 (off by 0.01, bound 0.01)"));
  CHECK(answer.says("1 of 8 elements is wrong"));
  answer.output().set(3, std::numeric_limits<double>::quiet_NaN());
  CHECK_FALSE(answer.compare().right);
  answer.output().set(3, INFINITY);
  CHECK_FALSE(answer.compare().right);
}

TEST_CASE("an infinity is matched only by itself, and an open element by anything") {
  CHECK(matches({INFINITY, 0.1, false}, INFINITY, ElementType::f32));
  CHECK_FALSE(matches({INFINITY, 0.1, false}, -INFINITY, ElementType::f32));
  CHECK_FALSE(matches({INFINITY, 0.1, false}, 3e38, ElementType::f32));
  CHECK_FALSE(matches({0, 0, false}, NAN, ElementType::f32));
  Problem open = made_up("p", doubled);
  open.reference = [](const Case&, const Inputs&) {
    return std::vector<Reference>{[](std::int64_t) { return Expected{1, 0, true}; }};
  };
  Answer answer(std::move(open), 8);
  answer.poison(2);
  CHECK(answer.compare().right);
}

TEST_CASE("a changed input is wrong and named") {
  Answer answer(made_up("p", doubled), 100);
  answer.results[0].set(41, 7);
  CHECK(answer.says("the input was changed: input[41] was "));
}

TEST_CASE("an element of a matrix is named by row and column") {
  Answer answer(made_up("p", doubled, 0, 10), 100);
  answer.output().set(57, 9);
  CHECK(answer.says("output[5][7]: expected"));
}

TEST_CASE("hint: nothing was written") {
  Answer answer(made_up("p", doubled), 100);
  for (int i = 0; i < 100; ++i) answer.poison(i);
  CHECK(answer.says("no element of output was written"));
  Answer single(made_up("p", doubled), 1);
  single.poison(0);
  CHECK(single.says("was never written, or added to before it was set"));
  // Once is enough.
  const std::string once = single.compare().message;
  CHECK(once.find("never written") == once.rfind("never written"));
}

TEST_CASE("hint: only some bytes of an element were written") {
  Answer answer(made_up("p", doubled), 1);
  answer.poison(0);
  answer.output().bytes()[0] = std::byte{0};
  CHECK(answer.says("got nan"));
  CHECK(answer.says("only the first bytes of it were written: are sizes given in bytes"));
  CHECK_FALSE(answer.says("is something added to it"));
}

TEST_CASE("hint: only a prefix was written") {
  Answer tail(made_up("p", doubled), 300);
  for (int i = 256; i < 300; ++i) tail.poison(i);
  CHECK(tail.says("only the first 256 of 300 elements were written"));
  CHECK(tail.says("look at the last block's tail"));
  CHECK_FALSE(tail.says("all is right up to"));
  CHECK(tail.says("44 of 300 elements were never written"));
  Answer quarter(made_up("p", doubled), 400);
  for (int i = 100; i < 400; ++i) quarter.poison(i);
  CHECK(quarter.says("a quarter: is the grid sized for N / 4 threads, or a copy for N bytes?"));

  Answer one_of_seven(made_up("p", doubled), 7);
  for (int i = 1; i < 7; ++i) one_of_seven.poison(i);
  CHECK(
      one_of_seven.says("only the first 1 of 7 elements were written: is the grid large enough?"));
  Answer vector(made_up("p", doubled), 103);
  for (int i = 100; i < 103; ++i) vector.poison(i);
  CHECK(vector.says("after the last float4"));
}

TEST_CASE("hint: sizes that are multiples of the block are right") {
  Answer answer(made_up("p", doubled), 257);
  answer.output().set(256, 5);
  answer.history.right = {{{"N", 256}}, {{"N", 512}}, {{"N", 1024}}};
  answer.history.wrong = {{{"N", 255}}};
  CHECK(
      answer.says("every size that is a multiple of 256 is right: look at the last block's tail"));
  answer.history.right.push_back({{"N", 7}});
  CHECK_FALSE(answer.compare().message.find("every size") != std::string::npos);
}

TEST_CASE("hint: the answer of the call before, or added to it") {
  Answer answer(made_up("p", doubled), 20);
  std::vector<Buffer> earlier = answer.results;
  for (int i = 0; i < 20; ++i) earlier[1].set(i, 3 + i);
  answer.history.previous = earlier;
  Answer added = answer;
  answer.results[1] = earlier[1];
  CHECK(answer.says("the answer to the call before"));
  for (int i = 0; i < 20; ++i) added.output().set(i, added.output().value(i) + 3 + i);
  added.problem = made_up("p", doubled, 1e-5);
  CHECK(added.says("the right answer plus that of the call before"));
}

TEST_CASE("hint: transposed") {
  Answer answer(made_up("p", doubled, 0, 12), 120);
  const Buffer right = answer.output();
  // The (10, 12) answer written as its (12, 10) transpose.
  for (int i = 0; i < 120; ++i) answer.output().set(i, right.value(i % 10 * 12 + i / 10));
  CHECK(answer.says("the right matrix transposed"));
}

TEST_CASE("hint: shifted by one, exclusive for inclusive") {
  Answer early(made_up("p", doubled), 50);
  const Buffer right = early.output();
  for (int i = 1; i < 50; ++i) early.output().set(i, right.value(i - 1));
  CHECK(early.says("one place before it"));
  Answer late(made_up("p", doubled), 50);
  for (int i = 0; i < 49; ++i) late.output().set(i, right.value(i + 1));
  CHECK(late.says("one place after it"));
  const auto ramp = [](const Buffer&, std::int64_t i) { return double(i + 1) * double(i + 2); };
  Answer scan(made_up("scan", ramp), 50);
  for (int i = 0; i < 50; ++i) scan.output().set(i, double(i) * double(i + 1));
  CHECK(scan.says("this is the exclusive scan"));
}

TEST_CASE("hint: NaN from adding to an output that was not set") {
  Answer answer(made_up("reduction", doubled), 1);
  answer.output().set(0, std::numeric_limits<double>::quiet_NaN());
  REQUIRE_FALSE(is_poison(answer.output(), 0));
  CHECK(answer.says("is something added to it (atomicAdd, +=) before it is set"));
  const auto index = [](const Buffer&, std::int64_t i) { return static_cast<double>(i); };
  Answer integer(made_up("histogram", index, 0, 0, ElementType::i32), 20);
  for (int i = 0; i < 20; ++i)
    integer.output().set(i, static_cast<std::int32_t>(0xA5A5A5A5u + static_cast<unsigned>(i)));
  CHECK(integer.says("output was added to without being set first"));
}

TEST_CASE("hint: exp overflows on large inputs") {
  const auto share = [](const Buffer&, std::int64_t) { return 0.01; };
  Answer answer(made_up("softmax", share, 1e-6), 100, Distribution::large_offset);
  for (int i = 0; i < 100; ++i) answer.output().set(i, std::numeric_limits<double>::quiet_NaN());
  CHECK(answer.says("subtract the maximum"));
}

TEST_CASE("hint: silu's exp overflows, and unwritten elements are not taken for it") {
  Answer answer(made_up("silu", doubled), 100, Distribution::large_offset);
  for (int i = 50; i < 100; ++i) answer.poison(i);
  CHECK_FALSE(answer.compare().message.find("holds NaN") != std::string::npos);
  for (int i = 0; i < 100; ++i) answer.output().set(i, std::numeric_limits<double>::quiet_NaN());
  CHECK(answer.says("exp of a large number overflows"));
}

TEST_CASE("a single output is named without an index, a vector of one element with it") {
  Problem sum = made_up("reduction", doubled);
  CHECK(element_text(sum.arguments[1], {{"N", 1}}, 0) == "output[0]");
  sum.arguments[1].extent = [](const Parameters&) { return std::int64_t{1}; };
  CHECK(element_text(sum.arguments[1], {{"N", 1}}, 0) == "output");
}

TEST_CASE("hint: every value is twice what it should be") {
  Answer answer(made_up("p", doubled), 40);
  for (int i = 0; i < 40; ++i) answer.output().set(i, 2 * answer.output().value(i));
  CHECK(answer.says("every value is 2 times what it should be"));
  const auto minus_two = [](const Buffer&, std::int64_t) { return -2.0; };
  Answer leftover(made_up("p", minus_two, 0.25), 1);
  leftover.output().set(0, -61);
  CHECK_FALSE(leftover.says("32 times"));
  leftover.output().set(0, -64);
  CHECK(leftover.says("every value is 32 times what it should be"));
  const auto second = [](const Buffer&, std::int64_t) { return 1.0; };
  Answer index(made_up("p", second, 0, 0, ElementType::i32), 1);
  index.output().set(0, 4);
  CHECK_FALSE(index.says("4 times"));
}

TEST_CASE("hint: periodic, from one element on, at the ragged edge") {
  Answer periodic(made_up("p", doubled), 200);
  for (int i = 31; i < 200; i += 32) periodic.output().set(i, 100 + i % 7);
  CHECK(periodic.says("every 32nd element (31, 63, ...) is wrong"));
  Answer suffix(made_up("p", doubled), 600);
  for (int i = 256; i < 600; ++i) suffix.output().set(i, 100 + i % 7);
  CHECK(suffix.says("all is right up to element 255, nothing after it: 256 is a multiple of 256"));
  Answer edge(made_up("p", doubled, 0, 20), 400);
  for (int row = 0; row < 20; ++row)
    for (int column = 16; column < 20; ++column)
      edge.output().set(row * 20 + column, 100 + (row * 3 + column) % 7);
  CHECK(edge.says("all wrong elements are in the last columns (from 16 of 20 on)"));
}

TEST_CASE("a single wrong element among many gives no misleading hint") {
  Answer answer(made_up("p", doubled), 100);
  answer.output().set(40, 9);
  const std::string message = answer.compare().message;
  CHECK(std::count(message.begin(), message.end(), '\n') == 1);
}

TEST_CASE("above ten gigaflops a sample of rows is compared, the last one among them") {
  Problem problem = made_up("p", doubled, 0, 100);
  problem.cost = [](const Parameters&) { return Cost{0, 1e13}; };
  std::int64_t asked = 0;
  const auto inner = problem.reference;
  problem.reference = [&asked, inner](const Case& tried, const Inputs& inputs) {
    std::vector<Reference> references = inner(tried, inputs);
    return std::vector<Reference>{[&asked, one = references[0]](std::int64_t i) {
      ++asked;
      return one(i);
    }};
  };
  Answer answer(std::move(problem), 100000);
  asked = 0;
  CHECK(answer.compare().right);
  CHECK(asked <= 1600);
  CHECK(asked >= 1000);
  answer.output().set(99999, 9);
  CHECK(answer.says("sampled elements"));
}

TEST_CASE("an empty case must leave its outputs untouched") {
  Answer answer(made_up("p", doubled), 1);
  CHECK_FALSE(compare_untouched(answer.problem, answer.results).right);
  answer.poison(0);
  CHECK(compare_untouched(answer.problem, answer.results).right);
}

}  // namespace
}  // namespace ladder
