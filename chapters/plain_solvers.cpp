#include "chapters/plain_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder {

namespace {

// The operand `name`, widened to the arithmetic's type.
template <typename R>
std::vector<R> operand(const PlainCall& call, std::string_view name) {
  const Buffer& buffer = call.in.find(name)->second;
  std::vector<R> values(buffer.size());
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    values[i] = static_cast<R>(buffer.value(i));
  }
  return values;
}

template <typename R>
constexpr R minus_infinity = -std::numeric_limits<R>::infinity();

// Rounded to a 16-bit type and back.
template <typename R>
R rounded(ElementType type, R value) {
  Buffer one(type, 1);
  one.set(0, static_cast<double>(value));
  return static_cast<R>(one.value(0));
}

template <typename R>
void vector_add(const PlainCall& call) {
  const std::vector<R> a = operand<R>(call, "A"), b = operand<R>(call, "B");
  const std::size_t n =
      call.has("launches N / 4 threads") ? a.size() / 4 * 4 : a.size();
  for (std::size_t i = 0; i < n; ++i) call.out[0][i] = a[i] + b[i];
}

template <typename R>
void fma(const PlainCall& call) {
  const std::vector<R> a = operand<R>(call, "A"), b = operand<R>(call, "B"),
                       c = operand<R>(call, "C");
  for (std::size_t i = 0; i < a.size(); ++i) {
    const R product = a[i] * b[i];
    call.out[0][i] =
        call.has("rounds twice") ? product + c[i] : std::fma(a[i], b[i], c[i]);
  }
}

template <typename R>
void relu(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.out[0][i] = x[i] > 0 || call.has("copies") ? x[i] : R(0);
  }
}

template <typename R>
void silu(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const R e = std::exp(x[i]);
    call.out[0][i] = call.has("divides infinities") ? x[i] * (e / (1 + e))
                     : call.has("plain sigmoid")    ? 1 / (1 + std::exp(-x[i]))
                                                 : x[i] / (1 + std::exp(-x[i]));
  }
}

template <typename R>
void gelu(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  const R slope = std::sqrt(2 / std::acos(R(-1)));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const R cube = R(0.044715L) * x[i] * x[i] * x[i];
    const R exact_form = std::erf(x[i] / std::sqrt(R(2)));
    const R tanh_form =
        std::tanh(slope * (x[i] + (call.has("no cube") ? R(0) : cube)));
    call.out[0][i] =
        x[i] / 2 * (1 + (call.has("erf form") ? exact_form : tanh_form));
  }
}

template <typename R>
void transpose(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  const std::int64_t rows = call.at["rows"], cols = call.at["cols"];
  const std::int64_t stride = call.has("strides by cols") ? cols : rows;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      call.out[0][(j * stride + i) % (rows * cols)] = x[i * cols + j];
    }
  }
}

template <typename R>
void reduction(const PlainCall& call) {
  R sum = 0;
  for (const R x : operand<R>(call, "input")) sum += x;
  call.out[0][0] = sum;
}

template <typename R>
void mean(const PlainCall& call) {
  R sum = 0;
  const std::vector<R> input = operand<R>(call, "input");
  for (const R x : input) sum += x;
  const std::size_t block = (input.size() + 255) / 256 * 256;
  call.out[0][0] =
      sum /
      static_cast<R>(call.has("divides by the grid") ? block : input.size());
}

template <typename R>
void max(const PlainCall& call) {
  R largest = call.has("starts at 0") ? R(0) : minus_infinity<R>;
  for (const R x : operand<R>(call, "input")) {
    largest = call.has("compares magnitudes") && std::fabs(x) > largest
                  ? std::fabs(x)
                  : std::max(largest, x);
  }
  call.out[0][0] = largest;
}

template <typename R>
void argmax(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const bool last_wins = call.has("last of equals") && x[i] == x[best];
    if (x[i] > x[best] || last_wins) best = i;
  }
  call.out[0][0] = static_cast<double>(best);
}

template <typename R>
void dot(const PlainCall& call) {
  const std::vector<R> a = operand<R>(call, "A"), b = operand<R>(call, "B");
  R sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
    if (call.has("accumulates in fp16")) sum = rounded(ElementType::f16, sum);
  }
  call.out[0][0] = sum;
}

template <typename R>
void l2_norm(const PlainCall& call) {
  R sum = 0;
  for (const R x : operand<R>(call, "input")) sum += x * x;
  call.out[0][0] = std::sqrt(sum);
}

template <typename R>
void cosine(const PlainCall& call) {
  const std::vector<R> a = operand<R>(call, "A"), b = operand<R>(call, "B");
  R ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  call.out[0][0] =
      ab / (std::sqrt(aa) * (call.has("forgets |B|") ? R(1) : std::sqrt(bb)));
}

// Inclusive or exclusive; a bug asks for the other.
template <typename R, bool inclusive>
void scan(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  const bool first = inclusive != call.has("the other kind");
  R sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (call.has("forgets the block before") && i % 1024 == 0) sum = 0;
    if (first) sum += x[i];
    call.out[0][i] = sum;
    if (!first) sum += x[i];
  }
}

template <typename R>
void segmented_scan(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input"),
                       flags = operand<R>(call, "flags");
  R sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (flags[i] != 0 && !call.has("ignores flags")) sum = 0;
    sum += x[i];
    call.out[0][i] = sum;
    if (call.has("resets after the flag") && flags[i] != 0) sum = 0;
  }
}

template <typename R>
void compact(const PlainCall& call) {
  std::int64_t count = 0;
  for (const R x : operand<R>(call, "input")) {
    if (x > 0 || (call.has("keeps zeros") && x == 0)) call.out[0][count++] = x;
  }
  if (call.has("reverses"))
    std::reverse(call.out[0].begin(), call.out[0].begin() + count);
  call.out[1][0] =
      static_cast<double>(count - (call.has("counts from 0") ? 1 : 0));
}

// Softmax of `cols` elements; logarithms of it for log_softmax.
template <typename R>
void softmax_row(const PlainCall& call, const R* x, double* y,
                 std::int64_t cols, bool log) {
  const std::int64_t seen =
      call.has("only warp 0 counts") ? std::min<std::int64_t>(cols, 32) : cols;
  R largest = call.has("unshifted") ? R(0) : *std::max_element(x, x + seen);
  R sum = 0;
  if (call.has("online from -inf")) {
    R running = minus_infinity<R>;
    for (std::int64_t j = 0; j < cols; ++j) {
      const R next = std::max(running, x[j]);
      sum = sum * std::exp(running - next) + std::exp(x[j] - next);
      running = next;
    }
  } else {
    for (std::int64_t j = 0; j < seen; ++j) sum += std::exp(x[j] - largest);
  }
  for (std::int64_t j = 0; j < cols; ++j) {
    y[j] =
        log ? x[j] - largest - std::log(sum) : std::exp(x[j] - largest) / sum;
  }
}

template <typename R, bool log>
void softmax(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  softmax_row(call, x.data(), call.out[0].data(),
              static_cast<std::int64_t>(x.size()), log);
}

template <typename R>
void softmax_rows(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  const std::int64_t cols = call.at["cols"];
  for (std::int64_t row = 0; row < call.at["rows"]; ++row) {
    softmax_row(call, &x[row * cols], &call.out[0][row * cols], cols, false);
  }
}

// Layer norm with a mean, RMS norm without.
template <typename R>
void norm(const PlainCall& call, const std::vector<R>& x, bool centred) {
  const std::vector<R> weight = operand<R>(call, "weight");
  const std::vector<R> bias =
      centred ? operand<R>(call, "bias") : std::vector<R>(weight.size());
  const std::int64_t cols = call.at["C"];
  const R count = static_cast<R>(cols);
  const R eps = static_cast<R>(static_cast<float>(call.at.real("eps")));
  for (std::int64_t row = 0; row < call.at["N"]; ++row) {
    const R* const of = &x[row * cols];
    R mean = 0, squares = 0, raw = 0;
    for (std::int64_t j = 0; j < cols && centred != call.has("centres or not");
         ++j)
      mean += of[j];
    mean /= count;
    for (std::int64_t j = 0; j < cols; ++j) {
      squares += (of[j] - mean) * (of[j] - mean);
      raw += of[j] * of[j];
    }
    R variance = squares / count;
    if (call.has("difference of squares"))
      variance = std::max(R(0), raw / count - mean * mean);
    if (call.has("fixed eps")) variance += R(1e-5) - eps;
    const R scale = 1 / std::sqrt(variance + (call.has("no eps") ? R(0) : eps));
    for (std::int64_t j = 0; j < cols; ++j) {
      const R b = call.has("no bias") ? R(0) : bias[j];
      call.out[0][row * cols + j] = (of[j] - mean) * scale * weight[j] + b;
    }
  }
}

template <typename R>
void layer_norm(const PlainCall& call) {
  norm(call, operand<R>(call, "input"), true);
}

template <typename R>
void rms_norm_rows(const PlainCall& call) {
  norm(call, operand<R>(call, "input"), false);
}

template <typename R>
void residual_rms_norm(const PlainCall& call) {
  std::vector<R> x = operand<R>(call, "input");
  const std::vector<R> residual = operand<R>(call, "residual");
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += call.has("no residual") ? R(0) : residual[i];
  norm(call, x, false);
}

// rows x inner times inner x cols; what happens to each sum is the caller's.
template <typename R, typename Store>
void multiply(const PlainCall& call, std::int64_t rows, std::int64_t inner,
              std::int64_t cols, Store store) {
  const std::vector<R> a = operand<R>(call, "A"), b = operand<R>(call, "B");
  const std::int64_t terms =
      call.has("whole tiles only") ? inner / 16 * 16 : inner;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      R sum = 0;
      for (std::int64_t k = 0; k < terms; ++k) {
        const std::int64_t at =
            call.has("B transposed") ? (j * inner + k) : k * cols + j;
        sum += a[i * inner + k] * b[at];
        if (call.has("accumulates in fp16"))
          sum = rounded(ElementType::f16, sum);
      }
      store(i * cols + j, sum);
    }
  }
}

template <typename R>
void matmul(const PlainCall& call) {
  multiply<R>(call, call.at["M"], call.at["N"], call.at["K"],
              [&](std::int64_t at, R sum) { call.out[0][at] = sum; });
}

template <typename R>
void gemm_f16(const PlainCall& call) {
  const std::vector<R> c = operand<R>(call, "C");
  const R alpha =
      call.has("no alpha") ? R(1) : static_cast<R>(call.at.real("alpha"));
  const R beta =
      call.has("no beta") ? R(0) : static_cast<R>(call.at.real("beta"));
  multiply<R>(call, call.at["M"], call.at["K"], call.at["N"],
              [&](std::int64_t at, R sum) {
                call.out[0][at] = alpha * sum + beta * c[at];
              });
}

template <typename R>
void conv2d(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input"),
                       kernel = operand<R>(call, "kernel");
  const std::int64_t cols = call.at["input_cols"],
                     down = call.at["kernel_rows"],
                     across = call.at["kernel_cols"];
  const std::int64_t width = cols - across + 1,
                     height = call.at["input_rows"] - down + 1;
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      R sum = 0;
      for (std::int64_t tap = 0; tap < down * across; ++tap) {
        const std::int64_t of =
            call.has("flips the kernel") ? down * across - 1 - tap : tap;
        sum += x[(i + tap / across) * cols + j + tap % across] * kernel[of];
      }
      call.out[0][i * width + j] = sum;
    }
  }
}

template <typename R>
void conv1d(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input"),
                       kernel = operand<R>(call, "kernel");
  const std::size_t taps = kernel.size();
  for (std::size_t i = 0; i + taps <= x.size(); ++i) {
    R sum = 0;
    for (std::size_t k = 0; k < taps; ++k) {
      sum += x[i + k] * kernel[call.has("flips the kernel") ? taps - 1 - k : k];
    }
    call.out[0][i] = sum;
  }
}

template <typename R>
void separable(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  std::vector<R> across = operand<R>(call, "row_kernel"),
                 down = operand<R>(call, "col_kernel");
  if (call.has("swaps the kernels")) std::swap(across, down);
  const std::int64_t rows = call.at["rows"], cols = call.at["cols"],
                     taps = call.at["kernel_size"];
  const std::int64_t width = cols - taps + 1;
  std::vector<R> filtered(rows * width);
  for (std::int64_t at = 0; at < rows * width; ++at) {
    for (std::int64_t k = 0; k < taps; ++k) {
      filtered[at] += x[at / width * cols + at % width + k] * across[k];
    }
  }
  for (std::int64_t at = 0; at < (rows - taps + 1) * width; ++at) {
    R sum = 0;
    for (std::int64_t k = 0; k < taps; ++k)
      sum += filtered[at + k * width] * down[k];
    call.out[0][at] = sum;
  }
}

template <typename R>
void max_pool(const PlainCall& call) {
  const std::vector<R> x = operand<R>(call, "input");
  const std::int64_t rows = call.at["rows"], cols = call.at["cols"],
                     size = call.at["size"];
  const std::int64_t stride = call.at["stride"];
  const std::int64_t height = (rows - size) / stride + 1,
                     width = (cols - size) / stride + 1;
  const std::int64_t step = call.has("steps by the size") ? size : stride;
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      R largest = call.has("pads with 0") ? R(0) : minus_infinity<R>;
      for (std::int64_t tap = 0; tap < size * size; ++tap) {
        const std::int64_t row = i * step + tap / size,
                           col = j * step + tap % size;
        if (row < rows && col < cols)
          largest = std::max(largest, x[row * cols + col]);
      }
      call.out[0][i * width + j] = largest;
    }
  }
}

// One query against `keys` rows of K and V, `stride` apart, as an online
// softmax.
template <typename R>
void attend(const PlainCall& call, const R* q, const R* k, const R* v,
            double* output, std::int64_t keys, std::int64_t d,
            std::int64_t stride) {
  const R scale =
      call.has("no scale") ? R(1) : 1 / std::sqrt(static_cast<R>(d));
  R largest = minus_infinity<R>, sum = 0;
  std::vector<R> weighted(d);
  for (std::int64_t j = 0; j < keys; ++j) {
    R score = 0;
    for (std::int64_t c = 0; c < d; ++c) score += q[c] * k[j * stride + c];
    score = call.has("ignores Q and K") ? R(0) : score * scale;
    const R next = call.has("unshifted") ? R(0) : std::max(largest, score);
    const R rescale = call.has("no rescale") || call.has("unshifted")
                          ? R(1)
                          : std::exp(largest - next);
    const R probability = std::exp(score - next);
    sum = sum * rescale + probability;
    for (std::int64_t c = 0; c < d; ++c) {
      weighted[c] = weighted[c] * rescale + probability * v[j * stride + c];
      if (call.has("accumulates in bf16"))
        weighted[c] = rounded(ElementType::bf16, weighted[c]);
    }
    largest = next;
  }
  for (std::int64_t c = 0; c < d; ++c) output[c] = weighted[c] / sum;
}

// Keys that query i sees.
std::int64_t seen_by(const PlainCall& call, std::int64_t i, std::int64_t keys,
                     bool causal) {
  if (!causal || call.has("no mask")) return keys;
  if (call.has("sees one ahead")) return std::min(keys, i + 2);
  return i + 1;
}

template <typename R, bool causal>
void attention(const PlainCall& call) {
  const std::vector<R> q = operand<R>(call, "Q"), k = operand<R>(call, "K"),
                       v = operand<R>(call, "V");
  const std::int64_t d = call.at["d"],
                     keys = static_cast<std::int64_t>(k.size()) / d;
  for (std::int64_t i = 0; i < call.at["M"]; ++i) {
    attend(call, &q[i * d], k.data(), v.data(), &call.out[0][i * d],
           seen_by(call, i, keys, causal), d, d);
  }
}

template <typename R>
void mha(const PlainCall& call) {
  const std::vector<R> q = operand<R>(call, "Q"), k = operand<R>(call, "K"),
                       v = operand<R>(call, "V");
  const std::int64_t n = call.at["N"], width = call.at["d_model"],
                     d = width / call.at["h"];
  const bool blocks = call.has("heads one after another");
  for (std::int64_t head = 0; head < call.at["h"]; ++head) {
    const std::int64_t first = blocks ? head * n * d : head * d,
                       stride = blocks ? d : width;
    for (std::int64_t i = 0; i < n; ++i) {
      attend(call, &q[first + i * stride], &k[first], &v[first],
             &call.out[0][first + i * stride], n, d, stride);
    }
  }
}

template <typename R>
void attention_bf16(const PlainCall& call) {
  const std::vector<R> q = operand<R>(call, "Q"), k = operand<R>(call, "K"),
                       v = operand<R>(call, "V");
  const std::int64_t seq = call.at["seq"], d = call.at["d"];
  for (std::int64_t row = 0; row < call.at["batch"] * call.at["heads"] * seq;
       ++row) {
    const std::int64_t head = row / seq * seq * d;
    attend(call, &q[row * d], &k[head], &v[head], &call.out[0][row * d],
           seen_by(call, row % seq, seq, call.at["causal"] != 0), d, d);
  }
}

}  // namespace

const std::vector<PlainSolver>& plain_solvers() {
  using L = long double;
  static const std::vector<PlainSolver> solvers = {
      {"vector_add",
       vector_add<float>,
       vector_add<L>,
       {"launches N / 4 threads"}},
      {"fma", fma<float>, fma<L>, {"rounds twice"}},
      {"relu", relu<float>, relu<L>, {"copies"}},
      {"silu", silu<float>, silu<L>, {"divides infinities", "plain sigmoid"}},
      {"gelu", gelu<float>, gelu<L>, {"no cube", "erf form"}},
      {"transpose", transpose<float>, transpose<L>, {"strides by cols"}},
      {"reduction", reduction<float>, reduction<L>, {}},
      {"mean", mean<float>, mean<L>, {"divides by the grid"}},
      {"max", max<float>, max<L>, {"starts at 0", "compares magnitudes"}},
      {"argmax", argmax<float>, argmax<L>, {"last of equals"}},
      {"dot", dot<float>, dot<L>, {"accumulates in fp16"}},
      {"dot_f16", dot<float>, dot<L>, {"accumulates in fp16"}},
      {"l2_norm", l2_norm<float>, l2_norm<L>, {}},
      {"cosine", cosine<float>, cosine<L>, {"forgets |B|"}},
      {"scan",
       scan<float, true>,
       scan<L, true>,
       {"the other kind", "forgets the block before"}},
      {"exclusive_scan",
       scan<float, false>,
       scan<L, false>,
       {"the other kind", "forgets the block before"}},
      {"segmented_scan",
       segmented_scan<float>,
       segmented_scan<L>,
       {"ignores flags", "resets after the flag"}},
      {"compact",
       compact<float>,
       compact<L>,
       {"keeps zeros", "reverses", "counts from 0"}},
      {"softmax",
       softmax<float, false>,
       softmax<L, false>,
       {"unshifted", "only warp 0 counts", "online from -inf"}},
      {"softmax_rows",
       softmax_rows<float>,
       softmax_rows<L>,
       {"unshifted", "only warp 0 counts", "online from -inf"}},
      {"log_softmax",
       softmax<float, true>,
       softmax<L, true>,
       {"unshifted", "only warp 0 counts"}},
      {"layer_norm",
       layer_norm<float>,
       layer_norm<L>,
       {"difference of squares", "no eps", "fixed eps", "no bias",
        "centres or not"}},
      {"rms_norm_rows",
       rms_norm_rows<float>,
       rms_norm_rows<L>,
       {"no eps", "fixed eps", "centres or not"}},
      {"residual_rms_norm",
       residual_rms_norm<float>,
       residual_rms_norm<L>,
       {"no residual", "no eps", "fixed eps"}},
      {"matmul",
       matmul<float>,
       matmul<L>,
       {"whole tiles only", "B transposed"}},
      {"gemm_f16",
       gemm_f16<float>,
       gemm_f16<L>,
       {"whole tiles only", "B transposed", "accumulates in fp16", "no alpha",
        "no beta"}},
      {"conv2d", conv2d<float>, conv2d<L>, {"flips the kernel"}},
      {"conv1d", conv1d<float>, conv1d<L>, {"flips the kernel"}},
      {"separable", separable<float>, separable<L>, {"swaps the kernels"}},
      {"max_pool",
       max_pool<float>,
       max_pool<L>,
       {"pads with 0", "steps by the size"}},
      {"attention",
       attention<float, false>,
       attention<L, false>,
       {"ignores Q and K", "no scale", "no rescale", "unshifted"}},
      {"attention_causal",
       attention<float, true>,
       attention<L, true>,
       {"ignores Q and K", "no scale", "no rescale", "unshifted", "no mask",
        "sees one ahead"}},
      {"mha",
       mha<float>,
       mha<L>,
       {"ignores Q and K", "no scale", "no rescale", "unshifted",
        "heads one after another"}},
      {"attention_bf16",
       attention_bf16<float>,
       attention_bf16<L>,
       {"ignores Q and K", "no scale", "no rescale", "unshifted", "no mask",
        "sees one ahead", "accumulates in bf16"}},
  };
  return solvers;
}

}  // namespace ladder
