#include "wide.h"
#if defined(__x86_64__)
#include <immintrin.h>

#define SSE41 __attribute__((target("sse4.1")))
#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2")))
#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,avx2")))

// `unpack` and `packs` work within 128-bit lanes: the second undoes the permutation of the first. The order of a pair
// of rows therefore differs between levels, and that of results does not.

// SSE4.1

SSE41 static void interleave_sse41(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples) {
  for (size_t i = 0; i < samples; i += 8) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(a + i)), y = _mm_loadu_si128((const __m128i *)(b + i));
    _mm_storeu_si128((__m128i *)(out + i), _mm_unpacklo_epi16(x, y));
    _mm_storeu_si128((__m128i *)(out + i + 4), _mm_unpackhi_epi16(x, y));
  }
}

SSE41 static void weigh_sse41(uint32_t *pair, size_t samples) {
  const __m128i spread = _mm_setr_epi8(12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, -1, -1, -1, -1);
  const __m128i opaque = _mm_setr_epi32(0, 0, 0, -1), bias = _mm_set1_epi16((short)0x8000);
  const __m128i one = _mm_set1_epi16(1);
  for (size_t x = 0; x < samples; x += 4) {
    __m128i *p = (__m128i *)(pair + x);
    const __m128i v = _mm_xor_si128(_mm_loadu_si128(p), bias);
    const __m128i a = _mm_or_si128(_mm_shuffle_epi8(v, spread), opaque);
    const __m128i low = _mm_mullo_epi16(v, a);
    // A half is added, and then the upper word, both to the lower word; what they carry rounds the upper one.
    const __m128i high = _mm_add_epi16(_mm_mulhi_epu16(v, a), _mm_srli_epi16(low, 15));
    const __m128i sum = _mm_add_epi16(_mm_xor_si128(low, bias), high);
    const __m128i whole = _mm_cmpeq_epi16(_mm_max_epu16(sum, high), sum);
    _mm_storeu_si128(p, _mm_xor_si128(_mm_add_epi16(_mm_add_epi16(high, one), whole), bias));
  }
}

SSE41 static void vertical_sse41(const cpx_wide_column *column, int16_t *out) {
  const __m128i rounding = _mm_set1_epi32(1 << (column->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision);
  for (size_t x = 0; x < column->samples; x += 16) {
    __m128i a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t p = 0; p < column->count; p++) {
      const __m128i *s = (const __m128i *)(column->pairs[p] + x);
      const __m128i c = _mm_set1_epi32((int32_t)column->factors[p]);
      a0 = _mm_add_epi32(a0, _mm_madd_epi16(_mm_loadu_si128(s), c));
      a1 = _mm_add_epi32(a1, _mm_madd_epi16(_mm_loadu_si128(s + 1), c));
      a2 = _mm_add_epi32(a2, _mm_madd_epi16(_mm_loadu_si128(s + 2), c));
      a3 = _mm_add_epi32(a3, _mm_madd_epi16(_mm_loadu_si128(s + 3), c));
    }
    _mm_storeu_si128((__m128i *)(out + x),
                     _mm_packs_epi32(_mm_sra_epi32(a0, shift), _mm_sra_epi32(a1, shift)));
    _mm_storeu_si128((__m128i *)(out + x + 8),
                     _mm_packs_epi32(_mm_sra_epi32(a2, shift), _mm_sra_epi32(a3, shift)));
  }
}

SSE41 static void horizontal_sse41(const cpx_row *row, const int16_t *in, int16_t *out) {
  const __m128i order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
  const __m128i rounding = _mm_set1_epi32(1 << (row->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(row->precision);
  for (int32_t x = 0; x < row->count; x++) {
    const int16_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    __m128i a = rounding, b = _mm_setzero_si128();
    for (int32_t t = 0; t < row->taps; t += 4, p += 16) {
      const __m128i k = _mm_loadl_epi64((const __m128i *)(c + t));
      const __m128i s0 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), order);
      const __m128i s1 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 8)), order);
      a = _mm_add_epi32(a, _mm_madd_epi16(s0, _mm_shuffle_epi32(k, 0x00)));
      b = _mm_add_epi32(b, _mm_madd_epi16(s1, _mm_shuffle_epi32(k, 0x55)));
    }
    a = _mm_sra_epi32(_mm_add_epi32(a, b), shift);
    _mm_storel_epi64((__m128i *)(out + 4 * (size_t)x), _mm_packs_epi32(a, a));
  }
}

const cpx_wide_kernels cpx_wide_sse41 = {NULL, interleave_sse41, weigh_sse41, vertical_sse41, horizontal_sse41, 1};

// AVX2

AVX2 static void interleave_avx2(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples) {
  for (size_t i = 0; i < samples; i += 16) {
    const __m256i x = _mm256_loadu_si256((const __m256i *)(a + i));
    const __m256i y = _mm256_loadu_si256((const __m256i *)(b + i));
    _mm256_storeu_si256((__m256i *)(out + i), _mm256_unpacklo_epi16(x, y));
    _mm256_storeu_si256((__m256i *)(out + i + 8), _mm256_unpackhi_epi16(x, y));
  }
}

AVX2 static void weigh_avx2(uint32_t *pair, size_t samples) {
  const __m256i spread = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, -1, -1, -1, -1));
  const __m256i opaque = _mm256_setr_epi32(0, 0, 0, -1, 0, 0, 0, -1), bias = _mm256_set1_epi16((short)0x8000);
  const __m256i one = _mm256_set1_epi16(1);
  for (size_t x = 0; x < samples; x += 8) {
    __m256i *p = (__m256i *)(pair + x);
    const __m256i v = _mm256_xor_si256(_mm256_loadu_si256(p), bias);
    const __m256i a = _mm256_or_si256(_mm256_shuffle_epi8(v, spread), opaque);
    const __m256i low = _mm256_mullo_epi16(v, a);
    // A half is added, and then the upper word, both to the lower word; what they carry rounds the upper one.
    const __m256i high = _mm256_add_epi16(_mm256_mulhi_epu16(v, a), _mm256_srli_epi16(low, 15));
    const __m256i sum = _mm256_add_epi16(_mm256_xor_si256(low, bias), high);
    const __m256i whole = _mm256_cmpeq_epi16(_mm256_max_epu16(sum, high), sum);
    _mm256_storeu_si256(p, _mm256_xor_si256(_mm256_add_epi16(_mm256_add_epi16(high, one), whole), bias));
  }
}

AVX2 static void vertical_avx2(const cpx_wide_column *column, int16_t *out) {
  const __m256i rounding = _mm256_set1_epi32(1 << (column->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision);
  for (size_t x = 0; x < column->samples; x += 32) {
    __m256i a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t p = 0; p < column->count; p++) {
      const __m256i *s = (const __m256i *)(column->pairs[p] + x);
      const __m256i c = _mm256_set1_epi32((int32_t)column->factors[p]);
      a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(_mm256_loadu_si256(s), c));
      a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(_mm256_loadu_si256(s + 1), c));
      a2 = _mm256_add_epi32(a2, _mm256_madd_epi16(_mm256_loadu_si256(s + 2), c));
      a3 = _mm256_add_epi32(a3, _mm256_madd_epi16(_mm256_loadu_si256(s + 3), c));
    }
    _mm256_storeu_si256((__m256i *)(out + x),
                        _mm256_packs_epi32(_mm256_sra_epi32(a0, shift), _mm256_sra_epi32(a1, shift)));
    _mm256_storeu_si256((__m256i *)(out + x + 16),
                        _mm256_packs_epi32(_mm256_sra_epi32(a2, shift), _mm256_sra_epi32(a3, shift)));
  }
}

AVX2 static void horizontal_avx2(const cpx_row *row, const int16_t *in, int16_t *out) {
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  const __m256i first_words = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i last_words = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
  const __m128i rounding = _mm_set1_epi32(1 << (row->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(row->precision);
  for (int32_t x = 0; x < row->count; x++) {
    const int16_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    __m256i a = _mm256_setzero_si256(), b = a;
    for (int32_t t = 0; t < row->taps; t += 8, p += 32) {
      const __m256i k = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(c + t)));
      const __m256i s0 = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)p), order);
      const __m256i s1 = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(p + 16)), order);
      a = _mm256_add_epi32(a, _mm256_madd_epi16(s0, _mm256_permutevar8x32_epi32(k, first_words)));
      b = _mm256_add_epi32(b, _mm256_madd_epi16(s1, _mm256_permutevar8x32_epi32(k, last_words)));
    }
    a = _mm256_add_epi32(a, b);
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    sum = _mm_sra_epi32(_mm_add_epi32(sum, rounding), shift);
    _mm_storel_epi64((__m128i *)(out + 4 * (size_t)x), _mm_packs_epi32(sum, sum));
  }
}

const cpx_wide_kernels cpx_wide_avx2 = {NULL, interleave_avx2, weigh_avx2, vertical_avx2, horizontal_avx2, 2};

// AVX-512 with VNNI

VNNI static void interleave_vnni(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples) {
  for (size_t i = 0; i < samples; i += 32) {
    const __m512i x = _mm512_loadu_si512(a + i), y = _mm512_loadu_si512(b + i);
    _mm512_storeu_si512(out + i, _mm512_unpacklo_epi16(x, y));
    _mm512_storeu_si512(out + i + 16, _mm512_unpackhi_epi16(x, y));
  }
}

VNNI static void vertical_vnni(const cpx_wide_column *column, int16_t *out) {
  const __m512i rounding = _mm512_set1_epi32(1 << (column->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(column->precision);
  for (size_t x = 0; x < column->samples; x += 64) {
    __m512i a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t p = 0; p < column->count; p++) {
      const uint32_t *s = column->pairs[p] + x;
      const __m512i c = _mm512_set1_epi32((int32_t)column->factors[p]);
      a0 = _mm512_dpwssd_epi32(a0, _mm512_loadu_si512(s), c);
      a1 = _mm512_dpwssd_epi32(a1, _mm512_loadu_si512(s + 16), c);
      a2 = _mm512_dpwssd_epi32(a2, _mm512_loadu_si512(s + 32), c);
      a3 = _mm512_dpwssd_epi32(a3, _mm512_loadu_si512(s + 48), c);
    }
    _mm512_storeu_si512(out + x, _mm512_packs_epi32(_mm512_sra_epi32(a0, shift), _mm512_sra_epi32(a1, shift)));
    _mm512_storeu_si512(out + x + 32,
                        _mm512_packs_epi32(_mm512_sra_epi32(a2, shift), _mm512_sra_epi32(a3, shift)));
  }
}

VNNI static void horizontal_vnni(const cpx_row *row, const int16_t *in, int16_t *out) {
  const __m512i order = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  const __m512i words = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const __m128i rounding = _mm_set1_epi32(1 << (row->precision - 1));
  const __m128i shift = _mm_cvtsi32_si128(row->precision);
  for (int32_t x = 0; x < row->count; x++) {
    const int16_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    __m512i a = _mm512_setzero_si512();
    for (int32_t t = 0; t < row->taps; t += 8, p += 32) {
      const __m512i k = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(c + t)));
      a = _mm512_dpwssd_epi32(a, _mm512_shuffle_epi8(_mm512_loadu_si512(p), order),
                              _mm512_permutexvar_epi32(words, k));
    }
    const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    sum = _mm_sra_epi32(_mm_add_epi32(sum, rounding), shift);
    _mm_storel_epi64((__m128i *)(out + 4 * (size_t)x), _mm_packs_epi32(sum, sum));
  }
}

const cpx_wide_kernels cpx_wide_vnni = {NULL, interleave_vnni, weigh_avx2, vertical_vnni, horizontal_vnni, 4};

// VBMI: a table of 256 words takes eight registers, with separate low and high bytes.

typedef struct {
  __m512i quarters[4];
} byte_table;

VBMI static inline __m512i look_up(const byte_table *t, __m512i index) {
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index),
                                _mm512_permutex2var_epi8(t->quarters[0], index, t->quarters[1]),
                                _mm512_permutex2var_epi8(t->quarters[2], index, t->quarters[3]));
}

typedef struct {
  byte_table low, high;
} word_table;

VBMI static inline void read_table(word_table *t, const uint16_t *linear) {
  const __m512i evens = _mm512_set_epi8(
      126, 124, 122, 120, 118, 116, 114, 112, 110, 108, 106, 104, 102, 100, 98, 96, 94, 92, 90, 88, 86, 84, 82,
      80, 78, 76, 74, 72, 70, 68, 66, 64, 62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28,
      26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odds = _mm512_or_si512(evens, _mm512_set1_epi8(1));
  for (int i = 0; i < 4; i++) {
    const __m512i a = _mm512_loadu_si512(linear + 64 * i), b = _mm512_loadu_si512(linear + 64 * i + 32);
    t->low.quarters[i] = _mm512_permutex2var_epi8(a, evens, b);
    t->high.quarters[i] = _mm512_permutex2var_epi8(a, odds, b);
  }
}

/// Converts sixteen pixels to 16-bit linear light and alpha: the first eight and the last eight.
VBMI static inline void light_of(__m512i v, const word_table *t, __m512i *first, __m512i *last) {
  // Alpha becomes alpha * 257. Lanes are permuted for `unpack`.
  const __mmask64 alpha = 0x8888888888888888u;
  v = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v);
  const __m512i l = _mm512_mask_mov_epi8(look_up(&t->low, v), alpha, v);
  const __m512i h = _mm512_mask_mov_epi8(look_up(&t->high, v), alpha, v);
  *first = _mm512_unpacklo_epi8(l, h);
  *last = _mm512_unpackhi_epi8(l, h);
}

/// Premultiplies: colours times alpha / 65535, rounded to nearest. With t = c * a + 32768, (t + (t >> 16)) >> 16 is
/// exact for all words.
VBMI static inline __m512i weighed(__m512i v) {
  const __m512i spread = _mm512_broadcast_i32x4(
      _mm_setr_epi8(6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1));
  const __m512i opaque = _mm512_set1_epi64((long long)0xFFFF000000000000u);
  const __m512i a = _mm512_or_si512(_mm512_shuffle_epi8(v, spread), opaque);
  __m512i low = _mm512_mullo_epi16(v, a), high = _mm512_mulhi_epu16(v, a);
  high = _mm512_add_epi16(high, _mm512_srli_epi16(low, 15));
  low = _mm512_xor_si512(low, _mm512_set1_epi16((short)0x8000));
  const __m512i sum = _mm512_add_epi16(low, high);
  const __mmask32 carry = _mm512_cmplt_epu16_mask(sum, high);
  return _mm512_mask_add_epi16(high, carry, high, _mm512_set1_epi16(1));
}

VBMI static void load_pair_vbmi(const uint8_t *a, const uint8_t *b, uint32_t *out, size_t pixels,
                                const uint16_t *linear, int weighs) {
  word_table table;
  read_table(&table, linear);
  const __m512i bias = _mm512_set1_epi16((short)0x8000);
  for (size_t i = 0; i < pixels; i += 16, a += 64, b += 64, out += 64) {
    const size_t left = (pixels - i) * 4;
    const __mmask64 mask = left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
    __m512i a0, a1, b0, b1;
    light_of(_mm512_maskz_loadu_epi8(mask, a), &table, &a0, &a1);
    light_of(_mm512_maskz_loadu_epi8(mask, b), &table, &b0, &b1);
    if (weighs) {
      a0 = weighed(a0);
      a1 = weighed(a1);
      b0 = weighed(b0);
      b1 = weighed(b1);
    }
    a0 = _mm512_xor_si512(a0, bias);
    a1 = _mm512_xor_si512(a1, bias);
    b0 = _mm512_xor_si512(b0, bias);
    b1 = _mm512_xor_si512(b1, bias);
    _mm512_storeu_si512(out, _mm512_unpacklo_epi16(a0, b0));
    _mm512_storeu_si512(out + 16, _mm512_unpackhi_epi16(a0, b0));
    _mm512_storeu_si512(out + 32, _mm512_unpacklo_epi16(a1, b1));
    _mm512_storeu_si512(out + 48, _mm512_unpackhi_epi16(a1, b1));
  }
}

const cpx_wide_kernels cpx_wide_vbmi = {
    load_pair_vbmi, interleave_vnni, weigh_avx2, vertical_vnni, horizontal_vnni, 4};
#endif
