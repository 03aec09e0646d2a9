// Problems of chapter 09: output = softmax(Q K^T / sqrt(d)) V, plain, causal,
// in heads and in bf16. One query's row is computed by one function for all.
#include <algorithm>
#include <limits>

#include "chapters/problem_parts.hpp"

namespace ladder {

namespace {

const char* const chapter = "09_attention";
constexpr double u = unit_roundoff;
constexpr std::int64_t largest_d = 128;

// Rows of one operand: row i starts at data + i * stride and has d elements.
struct Rows {
  const float* data = nullptr;
  std::int64_t stride = 0;
  const float* operator[](std::int64_t row) const {
    return data + row * stride;
  }
};

// The attention of one query to the first `keys` rows of K and V.
struct Attended {
  SumRow output;           // of p v: the sums, and the sums of p |v|
  double largest_v = 0;    // |v| over all keys and columns
  double largest_dot = 0;  // over the keys: sum |q k| / sqrt(d)
};

Attended attend(const float* q, const Rows& k, const Rows& v, std::int64_t keys,
                std::int64_t d) {
  Attended result{SumRow(d)};
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  std::vector<double> scores(keys);
  for (std::int64_t j = 0; j < keys; ++j) {
    double dot = 0, magnitude = 0;
    for (std::int64_t c = 0; c < d; ++c) {
      const double term = static_cast<double>(q[c]) * k[j][c];
      dot += term;
      magnitude += std::fabs(term);
    }
    scores[j] = dot * scale;
    result.largest_dot = std::max(result.largest_dot, magnitude * scale);
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (std::int64_t j = 0; j < keys; ++j) {
    result.output.add(scores[j] / sum, v[j]);
    for (std::int64_t c = 0; c < d; ++c) {
      result.largest_v = std::max<double>(result.largest_v, std::fabs(v[j][c]));
    }
  }
  return result;
}

// The product with V as in a matmul over `keys` terms; the exponentials cost 16
// u; a score that is off by its own roundings moves its probability as much,
// relatively.
Expected f32_element(const Attended& row, std::int64_t keys,
                     std::int64_t column) {
  const double product = product_sum_bound(static_cast<double>(keys),
                                           row.output.magnitude[column]);
  return {row.output.sum[column],
          product + (16 + 4 * row.largest_dot) * u * row.largest_v};
}
const char* const f32_bound =
    "8 sqrt(N) u * sum p|v| + (16 + 4 max sum|q k| / sqrt(d)) u * max|v|, N = "
    "keys, "
    "u = 2^-24";

// Tensor cores: 2^-20 of the terms instead of u, for the scores too;
// probabilities may be rounded to bf16 (2^-9) before the product with V; the
// output is rounded to bf16.
Expected bf16_element(const Attended& row, std::int64_t column) {
  const double value = row.output.sum[column],
               terms = row.output.magnitude[column];
  const double before_rounding =
      0x1p-20 * (std::fabs(value) + terms) + 0x1p-9 * terms +
      (256 * u + 0x1p-19 * row.largest_dot) * row.largest_v;
  return {value,
          before_rounding +
              half_ulp(ElementType::bf16, std::fabs(value) + before_rounding)};
}

// Q and K whose scores are about 120 +- 10 for large_offset: an exponential
// that is not shifted overflows, though no score needs more digits than fp32
// has. Everything else is the distribution's own; V never has an offset.
void fill_scores(const Case& tried, const Argument& argument,
                 Generator& generator, Buffer& buffer) {
  if (tried.distribution != Distribution::large_offset) {
    fill_from_distribution(tried, argument, generator, buffer);
    return;
  }
  const Parameters& at = tried.parameters;
  const double d =
      at.contains("d_model") ? at.real("d_model") / at.real("h") : at.real("d");
  const double offset =
      argument.name == "V" ? 0 : std::sqrt(120 / std::sqrt(d));
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    buffer.set(i, offset + generator.uniform(i));
  }
}

Problem described(std::string name, std::string title,
                  std::vector<Argument> arguments) {
  Problem problem;
  problem.name = std::move(name);
  problem.chapter = chapter;
  problem.title = std::move(title);
  problem.arguments = std::move(arguments);
  problem.has_exact = false;
  problem.distributions = {Distribution::random, Distribution::outlier,
                           Distribution::large_offset, Distribution::constant};
  problem.fill = fill_scores;
  problem.bound_text = f32_bound;
  return problem;
}

// Work of `pairs` query-key pairs and traffic of `elements`.
Cost cost_of(double pairs, double d, double elements, double bytes_each) {
  return {bytes_each * elements, 4 * pairs * d};
}

Problem attention() {
  Problem problem = described(
      "attention",
      "output = softmax(Q K^T / sqrt(d)) V; M queries, N keys, d <= 128",
      {in("Q", extent("M", "d"), extent("d")),
       in("K", extent("N", "d"), extent("d")),
       in("V", extent("N", "d"), extent("d")),
       out("output", extent("M", "d"), extent("d")), integer("M"), integer("N"),
       integer("d")});
  problem.sizes = [](Tier tier) {
    return sizes_from(
        {"M", "N", "d"},
        {{1, 1, 1},
         {1, 1, 64},
         {2, 3, 4},
         {5, 7, 8},
         {3, 5, 1},
         {32, 32, 32},
         {33, 31, 16},
         {31, 65, 33},
         {64, 64, 64},
         {65, 127, 64},
         {17, 33, 65},
         {1, 257, 128},
         {128, 1, 32},
         {100, 129, 128},
         {63, 128, 127}},
        {{512, 512, 64}, {1000, 1003, 80}, {1, 65'537, 64}, {2047, 129, 128}},
        {{8192, 8192, 64}}, tier);
  };
  problem.empty_sizes = {{{"M", 0}, {"N", 4}, {"d", 8}}};
  problem.illegal = [](const Parameters& at) {
    const auto why = outside(at, {"M", "N"});
    return why ? why : outside(at, {"d"}, largest_d);
  };
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t keys = tried.parameters["N"], d = tried.parameters["d"];
    const Rows q{array(given, "Q").data(), d}, k{array(given, "K").data(), d},
        v{array(given, "V").data(), d};
    return std::vector<Reference>{by_rows(
        d, [=](std::int64_t row) { return attend(q[row], k, v, keys, d); },
        [=](const Attended& row, std::int64_t, std::int64_t column) {
          return f32_element(row, keys, column);
        })};
  };
  problem.cost = [](const Parameters& at) {
    const double m = at.real("M"), n = at.real("N"), d = at.real("d");
    return cost_of(m * n, d, 2 * (m + n) * d, 4);
  };
  return problem;
}

Problem attention_causal() {
  Problem problem = described(
      "attention_causal",
      "attention of query i to keys 0 .. i; M queries and keys, d <= 128",
      {in("Q", extent("M", "d"), extent("d")),
       in("K", extent("M", "d"), extent("d")),
       in("V", extent("M", "d"), extent("d")),
       out("output", extent("M", "d"), extent("d")), integer("M"),
       integer("d")});
  problem.sizes = [](Tier tier) {
    return sizes_from({"M", "d"},
                      {{1, 1},
                       {1, 64},
                       {2, 3},
                       {5, 8},
                       {7, 1},
                       {31, 16},
                       {32, 32},
                       {33, 33},
                       {64, 64},
                       {65, 128},
                       {127, 64},
                       {129, 65}},
                      {{512, 64}, {1003, 80}, {2047, 128}}, {{8192, 64}}, tier);
  };
  problem.empty_sizes = {{{"M", 0}, {"d", 8}}};
  problem.illegal = [](const Parameters& at) {
    const auto why = outside(at, {"M"});
    return why ? why : outside(at, {"d"}, largest_d);
  };
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t d = tried.parameters["d"];
    const Rows q{array(given, "Q").data(), d}, k{array(given, "K").data(), d},
        v{array(given, "V").data(), d};
    return std::vector<Reference>{by_rows(
        d, [=](std::int64_t row) { return attend(q[row], k, v, row + 1, d); },
        [=](const Attended& of, std::int64_t row, std::int64_t column) {
          return f32_element(of, row + 1, column);
        })};
  };
  problem.cost = [](const Parameters& at) {
    const double m = at.real("M"), d = at.real("d");
    return cost_of(m * (m + 1) / 2, d, 4 * m * d, 4);
  };
  return problem;
}

// Head j has columns j * d .. (j + 1) * d - 1 of each row, d = d_model / h.
Problem mha() {
  const auto matrix = [](const char* name) {
    return in(name, extent("N", "d_model"), extent("d_model"));
  };
  Problem problem = described(
      "mha", "attention in h heads side by side, each of d_model / h columns",
      {matrix("Q"), matrix("K"), matrix("V"),
       out("output", extent("N", "d_model"), extent("d_model")), integer("N"),
       integer("d_model"), integer("h")});
  problem.sizes = [](Tier tier) {
    return sizes_from({"N", "d_model", "h"},
                      {{1, 1, 1},
                       {1, 64, 4},
                       {2, 6, 3},
                       {5, 8, 8},
                       {7, 16, 1},
                       {31, 48, 3},
                       {32, 64, 2},
                       {33, 96, 3},
                       {65, 128, 1},
                       {127, 128, 4},
                       {64, 130, 2},
                       {129, 35, 5}},
                      {{512, 512, 8}, {1003, 240, 3}}, {{4096, 1024, 16}},
                      tier);
  };
  problem.empty_sizes = {{{"N", 0}, {"d_model", 8}, {"h", 2}}};
  problem.illegal = [](const Parameters& at) -> std::optional<std::string> {
    if (const auto why = outside(at, {"N", "d_model", "h"})) return why;
    if (at["d_model"] % at["h"] != 0) return "d_model must be a multiple of h";
    if (at["d_model"] / at["h"] > largest_d) return "d_model / h is above 128";
    return std::nullopt;
  };
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t n = tried.parameters["N"],
                       stride = tried.parameters["d_model"];
    const std::int64_t heads = tried.parameters["h"], d = stride / heads;
    const auto head_of = [=, &given](const char* name, std::int64_t head) {
      return Rows{array(given, name).data() + head * d, stride};
    };
    std::vector<Rows> q, k, v;
    for (std::int64_t head = 0; head < heads; ++head) {
      q.push_back(head_of("Q", head));
      k.push_back(head_of("K", head));
      v.push_back(head_of("V", head));
    }
    // A row of d elements of the output is one query of one head.
    return std::vector<Reference>{by_rows(
        d,
        [=](std::int64_t row) {
          const std::int64_t head = row % heads;
          return attend(q[head][row / heads], k[head], v[head], n, d);
        },
        [=](const Attended& row, std::int64_t, std::int64_t column) {
          return f32_element(row, n, column);
        })};
  };
  problem.cost = [](const Parameters& at) {
    const double n = at.real("N"), width = at.real("d_model");
    return cost_of(n * n, width, 4 * n * width, 4);
  };
  return problem;
}

// fp32 copies of one head's Q, K and V, made when a row of that head is asked
// for.
class WidenedHead {
 public:
  WidenedHead(const Inputs& given, std::int64_t seq, std::int64_t d)
      : sources_{&given.find("Q")->second, &given.find("K")->second,
                 &given.find("V")->second},
        seq_(seq),
        d_(d) {}

  Attended attend_row(std::int64_t row, bool causal) {
    load(row / seq_);
    const std::int64_t query = row % seq_;
    const auto rows = [&](int operand) {
      return Rows{values_[operand].data(), d_};
    };
    return attend(rows(0)[query], rows(1), rows(2), causal ? query + 1 : seq_,
                  d_);
  }

 private:
  void load(std::int64_t head) {
    if (head == loaded_) return;
    loaded_ = head;
    const std::int64_t size = seq_ * d_;
    for (int operand = 0; operand < 3; ++operand) {
      values_[operand].resize(size);
      for (std::int64_t i = 0; i < size; ++i) {
        values_[operand][i] =
            static_cast<float>(sources_[operand]->value(head * size + i));
      }
    }
  }

  const Buffer* sources_[3];
  std::int64_t seq_, d_, loaded_ = -1;
  std::vector<float> values_[3];
};

Problem attention_bf16() {
  const auto tensor = [](const char* name) {
    return in(name, extent("batch", "heads", "seq", "d"), extent("d"),
              ElementType::bf16);
  };
  Problem problem = described(
      "attention_bf16",
      "bf16 attention, [batch][heads][seq][d], d = 64 or 128, causal or not",
      {tensor("Q"), tensor("K"), tensor("V"),
       out("O", extent("batch", "heads", "seq", "d"), extent("d"),
           ElementType::bf16),
       integer("batch"), integer("heads"), integer("seq"), integer("d"),
       integer("causal")});
  problem.sizes = [](Tier tier) {
    return sizes_from(
        {"batch", "heads", "seq", "d", "causal"},
        {{1, 1, 1, 64, 0},
         {1, 1, 2, 128, 1},
         {1, 2, 7, 64, 1},
         {2, 1, 16, 64, 0},
         {1, 1, 33, 128, 0},
         {2, 2, 31, 64, 1},
         {1, 1, 64, 64, 1},
         {1, 1, 65, 128, 1},
         {1, 3, 63, 64, 0},
         {1, 1, 129, 64, 1},
         {1, 1, 127, 128, 0}},
        {{2, 4, 256, 128, 0}, {2, 3, 513, 64, 1}, {1, 2, 1000, 128, 1}},
        {{4, 16, 8192, 128, 0}, {4, 16, 8192, 128, 1}}, tier);
  };
  problem.defaults = {{"batch", 1}, {"heads", 1}, {"causal", 0}};
  problem.empty_sizes = {
      {{"batch", 1}, {"heads", 1}, {"seq", 0}, {"d", 64}, {"causal", 0}}};
  problem.illegal = [](const Parameters& at) -> std::optional<std::string> {
    if (const auto why = outside(at, {"batch", "heads", "seq"})) return why;
    if (at["d"] != 64 && at["d"] != 128) return "d must be 64 or 128";
    // Times d an extent has to stay an integer that a double holds.
    if (at.real("batch") * at.real("heads") * at.real("seq") > 0x1p46)
      return "batch x heads x seq is above 2^46";
    if (at["causal"] != 0 && at["causal"] != 1) return "causal must be 0 or 1";
    return std::nullopt;
  };
  problem.reference = [](const Case& tried, const Inputs& given) {
    const std::int64_t d = tried.parameters["d"];
    const bool causal = tried.parameters["causal"] != 0;
    return std::vector<Reference>{by_rows(
        d,
        [head = WidenedHead(given, tried.parameters["seq"], d), causal](
            std::int64_t row) mutable { return head.attend_row(row, causal); },
        [](const Attended& row, std::int64_t, std::int64_t column) {
          return bf16_element(row, column);
        })};
  };
  problem.bound_text =
      "(2^-20 + 2^-9) * sum p|v| + (256 u + 2^-19 max sum|q k| / sqrt(d)) * "
      "max|v| + half an "
      "ulp of bf16, u = 2^-24";
  problem.cost = [](const Parameters& at) {
    const double seq = at.real("seq"), d = at.real("d");
    const double heads = at.real("batch") * at.real("heads");
    const double pairs = at["causal"] != 0 ? seq * (seq + 1) / 2 : seq * seq;
    return cost_of(heads * pairs, d, 4 * heads * seq * d, 2);
  };
  return problem;
}

}  // namespace

void add_attention_problems(ProblemRegistry& registry) {
  registry.add(attention());
  registry.add(attention_causal());
  registry.add(mha());
  registry.add(attention_bf16());
}

}  // namespace ladder
