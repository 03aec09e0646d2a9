#include "common/timer.hpp"

#include <doctest/doctest.h>

#include <random>

using ladder::Median;
using ladder::median_of;

TEST_CASE("the median of an odd and of an even number of samples") {
  CHECK(median_of({3, 1, 2}).median == 2);
  CHECK(median_of({4, 1, 3, 2}).median == 2.5);
}

TEST_CASE("no samples have no median, one is its own interval") {
  CHECK(median_of({}).samples == 0);
  const Median one = median_of({7});
  CHECK(one.samples == 1);
  CHECK(one.low == 7);
  CHECK(one.high == 7);
}

TEST_CASE("one slow sample in a hundred does not move the median or its interval") {
  std::vector<float> samples(99, 10.0f);
  samples.push_back(1e6f);
  const Median m = median_of(samples);
  CHECK(m.median == 10);
  CHECK(m.high == 10);
}

TEST_CASE("the interval holds the true median in 95 of 100 experiments, or a few more") {
  std::mt19937 bits(1);
  std::exponential_distribution<float> slow_tail(1);
  const double true_median = std::log(2.0);
  for (const int samples : {20, 50, 200}) {
    CAPTURE(samples);
    constexpr int experiments = 4000;
    int held = 0;
    for (int e = 0; e < experiments; ++e) {
      std::vector<float> times(samples);
      for (float& time : times) time = slow_tail(bits);
      const Median m = median_of(times);
      held += m.low <= true_median && true_median <= m.high;
    }
    CHECK(held >= 0.94 * experiments);
    CHECK(held <= 0.985 * experiments);
  }
}

TEST_CASE("a cold timer runs the work once a sample and counts time forwards") {
  ladder::ColdTimer timer;
  int runs = 0;
  CHECK(timer.time([&] { ++runs; }) >= 0);
  CHECK(timer.time([&] { ++runs; }) >= 0);
  CHECK(runs == 2);
}
