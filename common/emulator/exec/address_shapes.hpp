// The shapes that a warp's addresses have in nearly all kernels, tested as vectors: neighbours, or
// all the same, for each half of the warp or each chunk of eight lanes.
#pragma once

#include "common/emulator/exec/lanewise.hpp"

namespace ladder::emulator {

inline constexpr int chunk = 8, half_warp = 16;

#ifdef __AVX2__
// All eight differ from first by lane * stride.
inline bool strided(const u64* at, u64 first, u64 stride) {
  const __m256i base = _mm256_set1_epi64x(static_cast<long long>(first));
  const __m256i steps =
      _mm256_set_epi64x(static_cast<long long>(3 * stride), static_cast<long long>(2 * stride),
                        static_cast<long long>(stride), 0);
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 4));
  const __m256i expected = _mm256_add_epi64(base, steps);
  const __m256i expected_high =
      _mm256_add_epi64(expected, _mm256_set1_epi64x(static_cast<long long>(4 * stride)));
  const __m256i wrong =
      _mm256_or_si256(_mm256_xor_si256(low, expected), _mm256_xor_si256(high, expected_high));
  return _mm256_testz_si256(wrong, wrong) != 0;
}
inline bool strided(const u32* at, u32 first, u32 stride) {
  const __m256i expected =
      _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                       _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(stride)),
                                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  const __m256i wrong =
      _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), expected);
  return _mm256_testz_si256(wrong, wrong) != 0;
}
#else
template <class A>
inline bool strided(const A* at, A first, A stride) {
  A wrong = 0;
  for (int i = 0; i < chunk; ++i) wrong |= at[i] ^ static_cast<A>(first + stride * i);
  return wrong == 0;
}
#endif

// The same for all four chunks of a warp at once, each from its own first address.
#ifdef __AVX2__
template <unsigned Stride>
inline bool all_strided(const u64* at) {
  const auto s = static_cast<long long>(Stride);
  const __m256i low = _mm256_set_epi64x(-3 * s, -2 * s, -s, 0);
  const __m256i high = _mm256_set_epi64x(-7 * s, -6 * s, -5 * s, -4 * s);
  __m256i wrong = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int c = 0; c < lanes; c += chunk) {
    const __m256i first =
        _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + c)));
    const auto* v = reinterpret_cast<const __m256i*>(at + c);
    const __m256i a = _mm256_sub_epi64(first, _mm256_loadu_si256(v));
    const __m256i b = _mm256_sub_epi64(first, _mm256_loadu_si256(v + 1));
    wrong = _mm256_or_si256(wrong, _mm256_xor_si256(a, low));
    wrong = _mm256_or_si256(wrong, _mm256_xor_si256(b, high));
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
}
// The same for both halves of a warp.
template <unsigned Stride>
inline bool halves_strided(const u64* at) {
  const auto s = static_cast<long long>(Stride);
  __m256i wrong = _mm256_setzero_si256();
#pragma GCC unroll 2
  for (int h = 0; h < lanes; h += half_warp) {
    const __m256i first = _mm256_set1_epi64x(static_cast<long long>(at[h]));
#pragma GCC unroll 4
    for (int i = 0; i < half_warp; i += 4) {
      const __m256i steps = _mm256_set_epi64x((i + 3) * s, (i + 2) * s, (i + 1) * s, i * s);
      const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + h + i));
      wrong = _mm256_or_si256(wrong, _mm256_xor_si256(_mm256_add_epi64(first, steps), v));
    }
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
}
template <unsigned Stride>
inline bool halves_strided(const u32* at) {
  const int s = static_cast<int>(Stride);
  const __m256i steps = _mm256_setr_epi32(0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s);
  const __m256i more = _mm256_add_epi32(steps, _mm256_set1_epi32(chunk * s));
  __m256i wrong = _mm256_setzero_si256();
#pragma GCC unroll 2
  for (int h = 0; h < lanes; h += half_warp) {
    const __m256i first = _mm256_set1_epi32(static_cast<int>(at[h]));
    const auto* v = reinterpret_cast<const __m256i*>(at + h);
    const __m256i a = _mm256_xor_si256(_mm256_add_epi32(first, steps), _mm256_loadu_si256(v));
    const __m256i b = _mm256_xor_si256(_mm256_add_epi32(first, more), _mm256_loadu_si256(v + 1));
    wrong = _mm256_or_si256(wrong, _mm256_or_si256(a, b));
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
}
template <unsigned Stride>
inline bool all_strided(const u32* at) {
  const int s = static_cast<int>(Stride);
  const __m256i steps = _mm256_setr_epi32(0, -s, -2 * s, -3 * s, -4 * s, -5 * s, -6 * s, -7 * s);
  __m256i wrong = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int c = 0; c < lanes; c += chunk) {
    const __m256i first = _mm256_broadcastd_epi32(_mm_loadu_si32(at + c));
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + c));
    wrong = _mm256_or_si256(wrong, _mm256_xor_si256(_mm256_sub_epi32(first, v), steps));
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
}
// Whether no lane's index is below that of its chunk's first.
inline bool all_ascend(const u32* index, bool index_unsigned) {
  const __m256i bias = _mm256_set1_epi32(index_unsigned ? INT32_MIN : 0);
  __m256i below = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int c = 0; c < lanes; c += chunk) {
    const __m256i first = _mm256_broadcastd_epi32(_mm_loadu_si32(index + c));
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + c));
    below = _mm256_or_si256(
        below, _mm256_cmpgt_epi32(_mm256_xor_si256(first, bias), _mm256_xor_si256(v, bias)));
  }
  return _mm256_testz_si256(below, below) != 0;
}
#else
inline bool all_ascend(const u32* index, bool index_unsigned) {
  const u32 bias = index_unsigned ? 0 : 0x80000000u;
  bool below = false;
  for (int i = 0; i < lanes; ++i) below |= (index[i] ^ bias) < (index[i / chunk * chunk] ^ bias);
  return !below;
}
template <unsigned Stride, class A>
inline bool halves_strided(const A* at) {
  A wrong = 0;
  for (int i = 0; i < lanes; ++i) {
    wrong |= (at[i] - at[i / half_warp * half_warp]) ^ static_cast<A>(Stride * (i % half_warp));
  }
  return wrong == 0;
}
template <unsigned Stride, class A>
inline bool all_strided(const A* at) {
  A wrong = 0;
  for (int i = 0; i < lanes; ++i) {
    wrong |= (at[i] - at[i / chunk * chunk]) ^ static_cast<A>(Stride * static_cast<A>(i % chunk));
  }
  return wrong == 0;
}
#endif

}  // namespace ladder::emulator
