// Every chapter's problems, in the order of the chapters.
#include "common/harness/problem.hpp"

namespace ladder {

void add_vector_add_problems(ProblemRegistry& registry);
void add_transpose_problems(ProblemRegistry& registry);
void add_reduction_problems(ProblemRegistry& registry);
void add_dot_product_problems(ProblemRegistry& registry);
void add_prefix_sum_problems(ProblemRegistry& registry);
void add_softmax_problems(ProblemRegistry& registry);
void add_matmul_problems(ProblemRegistry& registry);
void add_conv2d_problems(ProblemRegistry& registry);
void add_attention_problems(ProblemRegistry& registry);

const ProblemRegistry& problems() {
  static const ProblemRegistry registry = [] {
    ProblemRegistry all;
    add_vector_add_problems(all);
    add_transpose_problems(all);
    add_reduction_problems(all);
    add_dot_product_problems(all);
    add_prefix_sum_problems(all);
    add_softmax_problems(all);
    add_matmul_problems(all);
    add_conv2d_problems(all);
    add_attention_problems(all);
    return all;
  }();
  return registry;
}

}  // namespace ladder
