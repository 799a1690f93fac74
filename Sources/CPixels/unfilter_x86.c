#include "cpng.h"
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define SSE41 __attribute__((target("sse4.1")))
#define INLINE static inline __attribute__((always_inline, target("sse4.1")))

// Loads a pixel of 3, 4, 6 or 8 bytes. Bytes behind it are loaded, and never stored.
INLINE __m128i load(const uint8_t *p, int step) {
  if (step > 4) return _mm_loadl_epi64((const __m128i *)p);
  int32_t word;
  memcpy(&word, p, 4);
  return _mm_cvtsi32_si128(word);
}

INLINE void store(uint8_t *p, __m128i value, int step) {
  const int64_t word = _mm_cvtsi128_si64(value);
  memcpy(p, &word, (size_t)step);
}

INLINE void sub(uint8_t *row, size_t bytes, int step) {
  __m128i a = _mm_setzero_si128();
  for (size_t i = 0; i < bytes; i += (size_t)step) {
    a = _mm_add_epi8(a, load(row + i, step));
    store(row + i, a, step);
  }
}

INLINE void average(uint8_t *row, const uint8_t *prior, size_t bytes, int step) {
  const __m128i one = _mm_set1_epi8(1);
  __m128i a = _mm_setzero_si128();
  for (size_t i = 0; i < bytes; i += (size_t)step) {
    const __m128i b = load(prior + i, step);
    // `pavgb` rounds up, PNG rounds down.
    const __m128i mean = _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), one));
    a = _mm_add_epi8(mean, load(row + i, step));
    store(row + i, a, step);
  }
}

INLINE void predict(uint8_t *row, const uint8_t *prior, size_t bytes, int step) {
  const __m128i zero = _mm_setzero_si128();
  __m128i a = zero, c = zero;
  for (size_t i = 0; i < bytes; i += (size_t)step) {
    const __m128i b = _mm_cvtepu8_epi16(load(prior + i, step)), d = _mm_cvtepu8_epi16(load(row + i, step));
    __m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c);
    const __m128i pc = _mm_abs_epi16(_mm_add_epi16(pa, pb));
    pa = _mm_abs_epi16(pa);
    pb = _mm_abs_epi16(pb);
    const __m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    const __m128i upper = _mm_blendv_epi8(c, b, _mm_cmpeq_epi16(least, pb));
    const __m128i best = _mm_blendv_epi8(upper, a, _mm_cmpeq_epi16(least, pa));
    // For bytes, the high halves are zero and stay so.
    a = _mm_add_epi8(d, best);
    c = b;
    store(row + i, _mm_packus_epi16(a, a), step);
  }
}

#define KERNELS(step) \
  switch (filter) { \
    case 1: sub(row, bytes, step); return 1; \
    case 3: average(row, prior, bytes, step); return 1; \
    case 4: predict(row, prior, bytes, step); return 1; \
    default: return 0; \
  }

SSE41 int cpng_unfilter_sse41(int filter, uint8_t *row, const uint8_t *prior, size_t bytes, int step) {
  switch (step) {
    case 3: KERNELS(3)
    case 4: KERNELS(4)
    case 6: KERNELS(6)
    case 8: KERNELS(8)
    default: return 0;
  }
}

/// Converts red, green, blue to red, green, blue, 255; returns the number of pixels. Loads 16 bytes for every 12.
__attribute__((target("sse4.1"))) size_t cpng_rgb_sse41(const uint8_t *in, uint8_t *out, size_t width) {
  const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  const __m128i opaque = _mm_set1_epi32((int)0xff000000u);
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(in + 3 * x));
    _mm_storeu_si128((__m128i *)(out + 4 * x), _mm_or_si128(_mm_shuffle_epi8(v, spread), opaque));
  }
  return x;
}
#endif
