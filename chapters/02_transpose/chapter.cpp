// Problem of chapter 02: output[j][i] = input[i][j].
#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

Problem transpose() {
  Problem problem;
  problem.name = "transpose";
  problem.chapter = "02_transpose";
  problem.title = "output (cols x rows) = input (rows x cols), transposed";
  problem.arguments = {in("input", extent("rows", "cols"), extent("cols")),
                       out("output", extent("rows", "cols"), extent("rows")),
                       integer("rows"), integer("cols")};
  // Values are only moved, so any bit may be demanded; random ones tell all
  // elements apart.
  problem.has_exact = false;
  problem.distributions = {Distribution::random};
  problem.sizes = [](Tier tier) {
    return sizes_2d(tier, "rows", "cols", {{8192, 8192}, {7000, 6000}});
  };
  problem.empty_sizes = {{{"rows", 0}, {"cols", 5}},
                         {{"rows", 5}, {"cols", 0}}};
  problem.illegal = at_least_one({"rows", "cols"}, 1'000'000'000);
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t rows = tried.parameters["rows"],
                       cols = tried.parameters["cols"];
    return std::vector<Reference>{
        [=, input = array(given, "input")](std::int64_t element) -> Expected {
          return {input[element % rows * cols + element / rows]};
        }};
  };
  problem.bound_text = "equal";
  problem.cost = [](const Parameters& at) {
    return Cost{8 * at.real("rows") * at.real("cols"), 0};
  };
  return problem;
}

}  // namespace

void add_transpose_problems(ProblemRegistry& registry) {
  registry.add(transpose());
}

}  // namespace ladder
