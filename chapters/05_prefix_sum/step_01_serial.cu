//! # Step 01: one thread, one sum {#prefix_sum_step_01}
//! @new   inclusive scan, loop-carried dependence
//! @limits N <= 2^24
//! @claim launches == 1 at N=4096
//! @claim global.load.requests == 4096 at N=4096
//! @claim global.store.requests == 4096 at N=4096
//! @claim flops.f64 == 4096 at N=4096
//!
//! **Idea.** Walk along the input, keep the sum of all that you have seen, write
//! it down at every element. This is how anyone would do it, and on one thread
//! nothing is better: N additions, and not one of them can be saved.
//!
//!     input    3  1  7  0  4  1  6
//!     output   3  4 11 11 15 16 22
//!
//! An output that includes its own element is an *inclusive* scan. One that
//! stops just before it (0 3 4 11 ...) is *exclusive*.
//!
//! **Why it looks hopeless.** Each addition needs the result of the one before.
//! In chapter 01 an element needed no other; in a reduction all elements meet in
//! one number, but in any order. Here every output is a sum of its own, and the
//! loop carries one variable from the first element to the last. The rest of the
//! ladder is about the one property that breaks this chain: addition is
//! *associative*. The sum of elements 0 to 7 may be computed as (0 to 3) + (4 to
//! 7), by two threads, neither of which waits for the other.
//!
//! **Why a double?** A float has 24 bits for its digits. Once the sum is 2^25
//! times as large as an element, adding that element changes nothing at all, and
//! long before that each addition rounds away a part of it, maybe always in the
//! same direction. A sum carried through a million elements shows it. Steps 02 to
//! 05 add numbers of about equal size, pairs and then pairs of pairs, and their
//! floats stay accurate without any such care. (Step 06 carries a sum from tile to
//! tile again; see there.)
//!
//! **Cost.** The fewest bytes possible, 8 an element, and the fewest additions.
//! Yet one thread asks for one element at a time. We refuse more than 2^24 of
//! them, which takes about a second.
//!
//! **Predict.** Which is this thread's bottleneck: the additions, the loads, or
//! the stores?
//!
//! **Try.** Make `sum` a float. At which N does the checker notice, and for which
//! kind of input?
#include "common/check.hpp"

__global__ void scan(const float* input, float* output, int N) {
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += input[i];
    output[i] = static_cast<float>(sum);
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  if (N > 1 << 24) ladder::refuse("one thread would take far too long");
  scan<<<1, 1>>>(input, output, N);
  CUDA_CHECK(cudaGetLastError());
}
