#include "kernels.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The horizontal pass over rows of one channel: the taps of an output are neighbours in memory.

static void filter(const cpx_row *row, int32_t first, const int16_t *in, int16_t *out) {
  const int32_t rounding = 1 << (row->precision - 1);
  for (int32_t x = first; x < row->count; x++) {
    const int16_t *p = in + (row->starts[x] - row->first_column);
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    int32_t sum = rounding;
    for (int32_t t = 0; t < row->taps; t++) sum += c[t] * p[t];
    out[x] = cpx_narrowed(sum >> row->precision);
  }
}

#if defined(__x86_64__)
#define SSE41 __attribute__((target("sse4.1")))
#define AVX2 __attribute__((target("avx2")))

SSE41 static inline __m128i sums_sse41(const cpx_row *row, int32_t x, const int16_t *in) {
  const int16_t *p = in + (row->starts[x] - row->first_column);
  const int16_t *c = row->coefficients + (size_t)x * row->stride;
  __m128i sum = _mm_setzero_si128();
  for (int32_t t = 0; t < row->taps; t += 8)
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(p + t)),
                                            _mm_loadu_si128((const __m128i *)(c + t))));
  return sum;
}

SSE41 static void filter_sse41(const cpx_row *row, const int16_t *in, int16_t *out) {
  const __m128i rounding = _mm_set1_epi32(1 << (row->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(row->precision);
  int32_t x = 0;
  for (; x + 4 <= row->count; x += 4) {
    const __m128i a = _mm_hadd_epi32(sums_sse41(row, x, in), sums_sse41(row, x + 1, in));
    const __m128i b = _mm_hadd_epi32(sums_sse41(row, x + 2, in), sums_sse41(row, x + 3, in));
    const __m128i sum = _mm_sra_epi32(_mm_add_epi32(_mm_hadd_epi32(a, b), rounding), shift);
    _mm_storel_epi64((__m128i *)(out + x), _mm_packs_epi32(sum, sum));
  }
  filter(row, x, in, out);
}

AVX2 static inline __m256i sums_avx2(const cpx_row *row, int32_t x, const int16_t *in) {
  const int16_t *p = in + (row->starts[x] - row->first_column);
  const int16_t *c = row->coefficients + (size_t)x * row->stride;
  __m256i sum = _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)c));
  for (int32_t t = 16; t < row->taps; t += 16)
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)(p + t)),
                                                  _mm256_loadu_si256((const __m256i *)(c + t))));
  return sum;
}

AVX2 static void filter_avx2(const cpx_row *row, const int16_t *in, int16_t *out) {
  const __m128i rounding = _mm_set1_epi32(1 << (row->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(row->precision);
  int32_t x = 0;
  for (; x + 4 <= row->count; x += 4) {
    const __m256i a = _mm256_hadd_epi32(sums_avx2(row, x, in), sums_avx2(row, x + 1, in));
    const __m256i b = _mm256_hadd_epi32(sums_avx2(row, x + 2, in), sums_avx2(row, x + 3, in));
    const __m256i both = _mm256_hadd_epi32(a, b);
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    sum = _mm_sra_epi32(_mm_add_epi32(sum, rounding), shift);
    _mm_storel_epi64((__m128i *)(out + x), _mm_packs_epi32(sum, sum));
  }
  filter(row, x, in, out);
}
#endif

void cpx_gray_horizontal(cpx_level level, const cpx_row *row, const int16_t *in, int16_t *out) {
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256) filter_avx2(row, in, out);
  else if (level == CPX_LEVEL_SIMD128) filter_sse41(row, in, out);
  else filter(row, 0, in, out);
#else
  (void)level;
  filter(row, 0, in, out);
#endif
}
