#include "kernels.h"
#if defined(__x86_64__)
#include <immintrin.h>

#define SSE41 __attribute__((target("sse4.1")))
#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2")))

/// Returns two neighbouring coefficients as one word, the factor of `pmaddwd`.
static inline int32_t pair(const int16_t *c) {
  return (int32_t)((uint16_t)c[0] | ((uint32_t)(uint16_t)c[1] << 16));
}

// SSE4.1

SSE41 static void vertical_sse41(const cpx_column *column, int16_t *out) {
  enum { width = 16 };
  if (column->bytes < width) {
    cpx_portable.vertical(column, out);
    return;
  }
  const __m128i zero = _mm_setzero_si128(), rounding = _mm_set1_epi32(1 << (column->precision - cpx_fraction - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision - cpx_fraction);
  CPX_FOR_CHUNKS(x, column->bytes, width) {
    __m128i a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t t = 0; t < column->taps; t += 2) {
      const __m128i c = _mm_set1_epi32(pair(column->coefficients + t));
      const __m128i r0 = _mm_loadu_si128((const __m128i *)(column->rows[t] + x));
      const __m128i r1 = _mm_loadu_si128((const __m128i *)(column->rows[t + 1] + x));
      const __m128i lo = _mm_unpacklo_epi8(r0, r1), hi = _mm_unpackhi_epi8(r0, r1);
      a0 = _mm_add_epi32(a0, _mm_madd_epi16(_mm_unpacklo_epi8(lo, zero), c));
      a1 = _mm_add_epi32(a1, _mm_madd_epi16(_mm_unpackhi_epi8(lo, zero), c));
      a2 = _mm_add_epi32(a2, _mm_madd_epi16(_mm_unpacklo_epi8(hi, zero), c));
      a3 = _mm_add_epi32(a3, _mm_madd_epi16(_mm_unpackhi_epi8(hi, zero), c));
    }
    a0 = _mm_packs_epi32(_mm_sra_epi32(a0, shift), _mm_sra_epi32(a1, shift));
    a2 = _mm_packs_epi32(_mm_sra_epi32(a2, shift), _mm_sra_epi32(a3, shift));
    _mm_storeu_si128((__m128i *)(out + x), a0);
    _mm_storeu_si128((__m128i *)(out + x + 8), a2);
  }
}

/// Eight 16-bit channels times their alpha (alpha itself times 255), divided by 255 and rounded: with
/// t = c * a + 128, (t + (t >> 8)) >> 8 is exact for all bytes.
SSE41 static inline __m128i scaled_sse41(__m128i v, __m128i spread, __m128i opaque) {
  const __m128i t = _mm_add_epi16(
      _mm_mullo_epi16(v, _mm_or_si128(_mm_shuffle_epi8(v, spread), opaque)), _mm_set1_epi16(128));
  return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

SSE41 static void premultiply_sse41(const uint8_t *in, uint8_t *out, size_t pixels) {
  const __m128i spread = _mm_setr_epi8(6, -1, 6, -1, 6, -1, -1, -1, 14, -1, 14, -1, 14, -1, -1, -1);
  const __m128i opaque = _mm_setr_epi16(0, 0, 0, 255, 0, 0, 0, 255), zero = _mm_setzero_si128();
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(in + 4 * i));
    const __m128i lo = scaled_sse41(_mm_unpacklo_epi8(v, zero), spread, opaque);
    const __m128i hi = scaled_sse41(_mm_unpackhi_epi8(v, zero), spread, opaque);
    _mm_storeu_si128((__m128i *)(out + 4 * i), _mm_packus_epi16(lo, hi));
  }
  cpx_portable.premultiply(in + 4 * i, out + 4 * i, pixels - i);
}

const cpx_kernels cpx_sse41 = {vertical_sse41, premultiply_sse41};

// AVX2

AVX2 static void vertical_avx2(const cpx_column *column, int16_t *out) {
  enum { width = 32 };
  if (column->bytes < width) {
    vertical_sse41(column, out);
    return;
  }
  const __m256i zero = _mm256_setzero_si256(), rounding = _mm256_set1_epi32(1 << (column->precision - cpx_fraction - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision - cpx_fraction);
  CPX_FOR_CHUNKS(x, column->bytes, width) {
    __m256i a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t t = 0; t < column->taps; t += 2) {
      const __m256i c = _mm256_set1_epi32(pair(column->coefficients + t));
      const __m256i r0 = _mm256_loadu_si256((const __m256i *)(column->rows[t] + x));
      const __m256i r1 = _mm256_loadu_si256((const __m256i *)(column->rows[t + 1] + x));
      const __m256i lo = _mm256_unpacklo_epi8(r0, r1), hi = _mm256_unpackhi_epi8(r0, r1);
      a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(_mm256_unpacklo_epi8(lo, zero), c));
      a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(_mm256_unpackhi_epi8(lo, zero), c));
      a2 = _mm256_add_epi32(a2, _mm256_madd_epi16(_mm256_unpacklo_epi8(hi, zero), c));
      a3 = _mm256_add_epi32(a3, _mm256_madd_epi16(_mm256_unpackhi_epi8(hi, zero), c));
    }
    a0 = _mm256_packs_epi32(_mm256_sra_epi32(a0, shift), _mm256_sra_epi32(a1, shift));
    a2 = _mm256_packs_epi32(_mm256_sra_epi32(a2, shift), _mm256_sra_epi32(a3, shift));
    _mm256_storeu_si256((__m256i *)(out + x), _mm256_permute2x128_si256(a0, a2, 0x20));
    _mm256_storeu_si256((__m256i *)(out + x + 16), _mm256_permute2x128_si256(a0, a2, 0x31));
  }
}

AVX2 static inline __m256i scaled_avx2(__m256i v, __m256i spread, __m256i opaque) {
  const __m256i t = _mm256_add_epi16(
      _mm256_mullo_epi16(v, _mm256_or_si256(_mm256_shuffle_epi8(v, spread), opaque)),
      _mm256_set1_epi16(128));
  return _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
}

AVX2 static void premultiply_avx2(const uint8_t *in, uint8_t *out, size_t pixels) {
  const __m256i spread = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(6, -1, 6, -1, 6, -1, -1, -1, 14, -1, 14, -1, 14, -1, -1, -1));
  const __m256i opaque = _mm256_set1_epi64x((int64_t)255 << 48), zero = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    const __m256i v = _mm256_loadu_si256((const __m256i *)(in + 4 * i));
    const __m256i lo = scaled_avx2(_mm256_unpacklo_epi8(v, zero), spread, opaque);
    const __m256i hi = scaled_avx2(_mm256_unpackhi_epi8(v, zero), spread, opaque);
    _mm256_storeu_si256((__m256i *)(out + 4 * i), _mm256_packus_epi16(lo, hi));
  }
  premultiply_sse41(in + 4 * i, out + 4 * i, pixels - i);
}

const cpx_kernels cpx_avx2 = {vertical_avx2, premultiply_avx2};

// AVX-512 with VNNI: four adjacent taps of a channel, with one dot product each for the high and the low bytes of the
// coefficients. Partial sums may wrap around; the total does not.

VNNI static inline __m512i joined(__m512i high, __m512i low, __m128i shift) {
  return _mm512_sra_epi32(_mm512_add_epi32(_mm512_slli_epi32(high, 7), low), shift);
}

VNNI static void vertical_vnni(const cpx_column *column, int16_t *out) {
  enum { width = 64 };
  if (column->bytes < width) {
    vertical_avx2(column, out);
    return;
  }
  const int32_t groups = column->padded / 4;
  uint32_t *factors = column->scratch;
  for (int32_t g = 0; g < groups; g++) {
    uint32_t high = 0, low = 0;
    for (int i = 0; i < 4; i++) {
      const int16_t c = column->coefficients[4 * g + i];
      high |= (uint32_t)cpx_split_high(c) << (8 * i);
      low |= (uint32_t)cpx_split_low(c) << (8 * i);
    }
    factors[2 * g] = high;
    factors[2 * g + 1] = low;
  }
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const __m512i zero = _mm512_setzero_si512(), rounding = _mm512_set1_epi32(1 << (column->precision - cpx_fraction - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision - cpx_fraction);
  CPX_FOR_CHUNKS(x, column->bytes, width) {
    __m512i h0 = zero, h1 = zero, h2 = zero, h3 = zero;
    __m512i l0 = rounding, l1 = rounding, l2 = rounding, l3 = rounding;
    for (int32_t g = 0; g < groups; g++) {
      const uint8_t *const *rows = column->rows + 4 * g;
      const __m512i r0 = _mm512_loadu_si512(rows[0] + x), r1 = _mm512_loadu_si512(rows[1] + x);
      const __m512i r2 = _mm512_loadu_si512(rows[2] + x), r3 = _mm512_loadu_si512(rows[3] + x);
      const __m512i ab0 = _mm512_unpacklo_epi8(r0, r1), ab1 = _mm512_unpackhi_epi8(r0, r1);
      const __m512i cd0 = _mm512_unpacklo_epi8(r2, r3), cd1 = _mm512_unpackhi_epi8(r2, r3);
      const __m512i q0 = _mm512_unpacklo_epi16(ab0, cd0), q1 = _mm512_unpackhi_epi16(ab0, cd0);
      const __m512i q2 = _mm512_unpacklo_epi16(ab1, cd1), q3 = _mm512_unpackhi_epi16(ab1, cd1);
      const __m512i high = _mm512_set1_epi32((int32_t)factors[2 * g]);
      const __m512i low = _mm512_set1_epi32((int32_t)factors[2 * g + 1]);
      h0 = _mm512_dpbusd_epi32(h0, q0, high);
      h1 = _mm512_dpbusd_epi32(h1, q1, high);
      h2 = _mm512_dpbusd_epi32(h2, q2, high);
      h3 = _mm512_dpbusd_epi32(h3, q3, high);
      l0 = _mm512_dpbusd_epi32(l0, q0, low);
      l1 = _mm512_dpbusd_epi32(l1, q1, low);
      l2 = _mm512_dpbusd_epi32(l2, q2, low);
      l3 = _mm512_dpbusd_epi32(l3, q3, low);
    }
    h0 = _mm512_packs_epi32(joined(h0, l0, shift), joined(h1, l1, shift));
    h2 = _mm512_packs_epi32(joined(h2, l2, shift), joined(h3, l3, shift));
    _mm512_storeu_si512(out + x, _mm512_permutex2var_epi64(h0, first, h2));
    _mm512_storeu_si512(out + x + 32, _mm512_permutex2var_epi64(h0, last, h2));
  }
}

const cpx_kernels cpx_vnni = {vertical_vnni, premultiply_avx2};
#endif
