#include "cpixels.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static inline uint32_t load(const uint8_t *p) {
  uint32_t pixel;
  memcpy(&pixel, p, 4);
  return pixel;
}

static inline void store(uint8_t *p, uint32_t pixel) { memcpy(p, &pixel, 4); }

void cpx_color_tables(const uint32_t *tables, const uint8_t *in, uint8_t *out, size_t pixels) {
  const uint32_t *red = tables, *green = tables + 256, *blue = tables + 512, *alpha = tables + 768;
  size_t i = 0;
  for (; i + 2 <= pixels; i += 2) {
    uint64_t two;
    memcpy(&two, in + 4 * i, 8);
    const uint32_t p = red[two & 255] | green[two >> 8 & 255] | blue[two >> 16 & 255] | alpha[two >> 24 & 255];
    const uint32_t q = red[two >> 32 & 255] | green[two >> 40 & 255] | blue[two >> 48 & 255] | alpha[two >> 56];
    two = p | (uint64_t)q << 32;
    memcpy(out + 4 * i, &two, 8);
  }
  for (; i < pixels; i++) {
    const uint32_t p = load(in + 4 * i);
    store(out + 4 * i, red[p & 255] | green[p >> 8 & 255] | blue[p >> 16 & 255] | alpha[p >> 24]);
  }
}

void cpx_color_mix(const cpx_color_mixture *mixture, const uint8_t *in, uint8_t *out, size_t pixels) {
  const uint16_t *tables = mixture->tables;
  for (size_t i = 0; i < pixels; i++, in += 4, out += 4) {
    const uint32_t alpha = in[3], weight = mixture->weights[alpha];
    for (uint32_t c = 0; c < 3; c++) {
      // At most 255 · 2^24 + 2^23, which fits.
      const uint32_t mixed =
          tables[256 * c + in[c]] * (65536 - weight) + ((uint32_t)mixture->color[c] << 8) * weight;
      out[c] = (uint8_t)((mixed + (1u << 23)) >> 24);
    }
    out[3] = mixture->alphas[alpha];
  }
}

/// Returns one sample of the result, before the fraction is truncated. m[4] includes the half for rounding.
static inline uint32_t product(const float *m, float r, float g, float b, float a) {
  float value = m[0] * r + m[1] * g + m[2] * b + m[3] * a + m[4];
  value = value < 0.0f ? 0.0f : value;
  value = value > 255.0f ? 255.0f : value;
  return (uint32_t)(int32_t)value;
}

__attribute__((always_inline)) static inline void matrix_body(const float *matrix, const uint8_t *restrict in,
                                                              uint8_t *restrict out, size_t pixels) {
  float m[20];
  memcpy(m, matrix, sizeof m);
  for (int row = 0; row < 4; row++) m[5 * row + 4] += 0.5f;
  for (size_t i = 0; i < pixels; i++) {
    uint32_t p = load(in + 4 * i);
    p = p >> 24 ? p : 0;
    const float r = (float)(int32_t)(p & 255), g = (float)(int32_t)(p >> 8 & 255);
    const float b = (float)(int32_t)(p >> 16 & 255), a = (float)(int32_t)(p >> 24);
    store(out + 4 * i, product(m, r, g, b, a) | product(m + 5, r, g, b, a) << 8
              | product(m + 10, r, g, b, a) << 16 | product(m + 15, r, g, b, a) << 24);
  }
}

#if defined(__x86_64__)
// The same operations on more pixels at a time. AVX2 without FMA, so that no operations are contracted.
__attribute__((target("avx2"))) static void matrix_avx2(const float *matrix, const uint8_t *in, uint8_t *out,
                                                        size_t pixels) {
  matrix_body(matrix, in, out, pixels);
}
#endif

static void matrix_portable(const float *matrix, const uint8_t *in, uint8_t *out, size_t pixels) {
  matrix_body(matrix, in, out, pixels);
}

void cpx_color_matrix(const float *matrix, const uint8_t *in, uint8_t *out, size_t pixels, cpx_level level) {
  // The buffer is needed because the loop is only vectorised if its pictures do not overlap.
  enum { step = 512 };
  uint8_t buffer[4 * step];
  void (*multiply)(const float *, const uint8_t *, uint8_t *, size_t) = matrix_portable;
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256 && cpx_best_level() >= CPX_LEVEL_SIMD256) multiply = matrix_avx2;
#else
  (void)level;
#endif
  for (size_t i = 0; i < pixels; i += step) {
    const size_t count = pixels - i < step ? pixels - i : step;
    memcpy(buffer, in + 4 * i, 4 * count);
    multiply(matrix, buffer, out + 4 * i, count);
  }
}

/// Returns a sample after adding its distance from the blur.
static inline uint32_t sharpened(uint32_t original, uint32_t blurred, float amount, int32_t threshold) {
  const int32_t difference = (int32_t)original - (int32_t)blurred;
  const int32_t magnitude = difference < 0 ? -difference : difference;
  float value = (float)(int32_t)original + amount * (float)(magnitude < threshold ? 0 : difference) + 0.5f;
  value = value < 0.0f ? 0.0f : value;
  value = value > 255.0f ? 255.0f : value;
  return (uint32_t)(int32_t)value;
}

__attribute__((always_inline)) static inline void sharpen_body(float amount, int32_t threshold,
                                                               const uint8_t *restrict original,
                                                               const uint8_t *restrict blurred,
                                                               uint8_t *restrict out, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) {
    const uint32_t p = load(original + 4 * i);
    const uint32_t q = p >> 24 ? load(blurred + 4 * i) : p;
    store(out + 4 * i, sharpened(p & 255, q & 255, amount, threshold)
              | sharpened(p >> 8 & 255, q >> 8 & 255, amount, threshold) << 8
              | sharpened(p >> 16 & 255, q >> 16 & 255, amount, threshold) << 16 | (p & 0xff000000));
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void sharpen_avx2(float amount, int32_t threshold, const uint8_t *original,
                                                         const uint8_t *blurred, uint8_t *out, size_t pixels) {
  sharpen_body(amount, threshold, original, blurred, out, pixels);
}
#endif

void cpx_sharpen(float amount, int32_t threshold, const uint8_t *original, const uint8_t *blurred, uint8_t *out,
                 size_t pixels, cpx_level level) {
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256 && cpx_best_level() >= CPX_LEVEL_SIMD256) {
    sharpen_avx2(amount, threshold, original, blurred, out, pixels);
    return;
  }
#else
  (void)level;
#endif
  sharpen_body(amount, threshold, original, blurred, out, pixels);
}

void cpx_color_sums(const uint8_t *in, size_t pixels, uint64_t sums[4]) {
  // 255 · 255 · 65536 fits 32 bits.
  enum { step = 65536 };
  for (size_t i = 0; i < pixels;) {
    const size_t end = pixels - i < step ? pixels : i + step;
    uint32_t r = 0, g = 0, b = 0, a = 0;
    for (; i < end; i++) {
      const uint32_t p = load(in + 4 * i), alpha = p >> 24;
      r += (p & 255) * alpha;
      g += (p >> 8 & 255) * alpha;
      b += (p >> 16 & 255) * alpha;
      a += alpha;
    }
    sums[0] += r;
    sums[1] += g;
    sums[2] += b;
    sums[3] += a;
  }
}
