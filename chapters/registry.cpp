// Every chapter's problems, in the order of the chapters.
#include "common/harness/problem.hpp"

namespace ladder {

void add_vector_add_problems(ProblemRegistry& registry);

const ProblemRegistry& problems() {
  static const ProblemRegistry registry = [] {
    ProblemRegistry all;
    add_vector_add_problems(all);
    return all;
  }();
  return registry;
}

}  // namespace ladder
