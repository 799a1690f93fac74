#include "cpixels.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

/// The pixels that are converted together, so that each step is a loop of its own.
enum { block = 128 };

/// Light of red, green and blue, and a number by which to look something up.
typedef struct {
  float r[block], g[block], b[block], key[block];
} colors;

static inline float clamped(float value, float low, float high) {
  // In this order a value that is not a number becomes `low`.
  value = value > low ? value : low;
  return value < high ? value : high;
}

/// Returns a tabulated function.
static inline float function(const float *table, float x) {
  x = clamped(x, 0x1p-24f, 0x1p7f);
  uint32_t bits;
  memcpy(&bits, &x, 4);
  // The upper bits of a positive number count steps, 128 to an octave, the lower ones are linear in between.
  bits -= (uint32_t)(127 - 24) << 23;
  const uint32_t step = bits >> 16;
  const float part = (float)(int32_t)(bits & 0xffff) * 0x1p-16f;
  return table[step] + (table[step + 1] - table[step]) * part;
}

static inline float largest(float a, float b, float c) {
  const float ab = a > b ? a : b;
  return ab > c ? ab : c;
}

static inline float smallest(float a, float b, float c) {
  const float ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/// Multiplies the light of each pixel by a function of its key.
__attribute__((always_inline)) static inline void scale(const float *table, colors *p, size_t count) {
  // A loop of its own, because look-ups are vectorised alone.
  for (size_t i = 0; i < count; i++) p->key[i] = function(table, p->key[i]);
  for (size_t i = 0; i < count; i++) {
    p->r[i] *= p->key[i];
    p->g[i] *= p->key[i];
    p->b[i] *= p->key[i];
  }
}

/// Multiplies the light of each pixel by a function of its luminance.
__attribute__((always_inline)) static inline void brighten(const cpx_light_map *conversion, colors *p, size_t count) {
  const float kr = conversion->luminance[0], kg = conversion->luminance[1], kb = conversion->luminance[2];
  for (size_t i = 0; i < count; i++) p->key[i] = kr * p->r[i] + kg * p->g[i] + kb * p->b[i];
  scale(conversion->luminance_gain, p, count);
}

/// Multiplies the light of each pixel by a function of its largest sample.
__attribute__((always_inline)) static inline void compress(const cpx_light_map *conversion, colors *p, size_t count) {
  for (size_t i = 0; i < count; i++) p->key[i] = largest(p->r[i], p->g[i], p->b[i]);
  scale(conversion->gain, p, count);
}

__attribute__((always_inline)) static inline void multiply(const float *matrix, colors *p, size_t count) {
  float m[9];
  memcpy(m, matrix, sizeof m);
  for (size_t i = 0; i < count; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    p->r[i] = m[0] * r + m[1] * g + m[2] * b;
    p->g[i] = m[3] * r + m[4] * g + m[5] * b;
    p->b[i] = m[6] * r + m[7] * g + m[8] * b;
  }
}

/// Moves colours outside sRGB towards the grey of their luminance, as far as necessary. No sample is above 1, and none
/// becomes larger than the largest.
__attribute__((always_inline)) static inline void desaturate(colors *p, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const float r = p->r[i], g = p->g[i], b = p->b[i];
    // The shares of BT.709.
    const float grey = clamped(0.2126f * r + 0.7152f * g + 0.0722f * b, 0.0f, 1.0f);
    const float low = smallest(r, g, b);
    const float chroma = low < 0.0f ? grey / (grey - low) : 1.0f;
    p->r[i] = grey + chroma * (r - grey);
    p->g[i] = grey + chroma * (g - grey);
    p->b[i] = grey + chroma * (b - grey);
  }
}

__attribute__((always_inline)) static inline void convert(const cpx_light_map *conversion, colors *p, size_t count) {
  if (conversion->luminance_gain) brighten(conversion, p, count);
  multiply(conversion->matrix, p, count);
  if (conversion->gain) {
    compress(conversion, p, count);
    desaturate(p, count);
  }
  const float *levels = conversion->levels;
  for (size_t i = 0; i < count; i++) {
    p->r[i] = function(levels, p->r[i]) + 0.5f;
    p->g[i] = function(levels, p->g[i]) + 0.5f;
    p->b[i] = function(levels, p->b[i]) + 0.5f;
  }
}

#define LIGHT_BODY(name, sample, level_type, alpha)                                                                    \
  __attribute__((always_inline)) static inline void name##_body(const cpx_light_map *conversion, const sample *in,    \
                                                                level_type *out, size_t pixels) {                     \
    colors p;                                                                                                          \
    const float *light = conversion->light;                                                                            \
    while (pixels > 0) {                                                                                               \
      const size_t count = pixels < block ? pixels : block;                                                            \
      for (size_t i = 0; i < count; i++) {                                                                             \
        p.r[i] = light[in[4 * i]];                                                                                     \
        p.g[i] = light[in[4 * i + 1]];                                                                                 \
        p.b[i] = light[in[4 * i + 2]];                                                                                 \
      }                                                                                                                \
      convert(conversion, &p, count);                                                                                  \
      for (size_t i = 0; i < count; i++) {                                                                             \
        out[4 * i] = (level_type)(int32_t)p.r[i];                                                                      \
        out[4 * i + 1] = (level_type)(int32_t)p.g[i];                                                                  \
        out[4 * i + 2] = (level_type)(int32_t)p.b[i];                                                                  \
        out[4 * i + 3] = (level_type)alpha(in[4 * i + 3]);                                                             \
      }                                                                                                                \
      in += 4 * count;                                                                                                 \
      out += 4 * count;                                                                                                \
      pixels -= count;                                                                                                 \
    }                                                                                                                  \
  }

static inline uint32_t same(uint32_t alpha) { return alpha; }
static inline uint32_t rounded(uint32_t alpha) { return (alpha * 255 + 32895) >> 16; }

LIGHT_BODY(rgba8, uint8_t, uint8_t, same)
LIGHT_BODY(rgba16, uint16_t, uint16_t, same)
LIGHT_BODY(round, uint16_t, uint8_t, rounded)

// With AVX2 the same operations are done on more pixels at a time; without FMA, so that no operations are contracted.
#if defined(__x86_64__)
#define LIGHT_LOOP(name, sample, level_type)                                                                           \
  __attribute__((target("avx2"))) static void name##_avx2(const cpx_light_map *conversion, const sample *in,          \
                                                          level_type *out, size_t pixels) {                           \
    name##_body(conversion, in, out, pixels);                                                                          \
  }                                                                                                                    \
  void cpx_light_##name(const cpx_light_map *conversion, const sample *in, level_type *out, size_t pixels,            \
                        cpx_level level) {                                                                             \
    if (level >= CPX_LEVEL_SIMD256 && cpx_best_level() >= CPX_LEVEL_SIMD256) {                                         \
      name##_avx2(conversion, in, out, pixels);                                                                        \
    } else {                                                                                                           \
      name##_body(conversion, in, out, pixels);                                                                        \
    }                                                                                                                  \
  }
#else
#define LIGHT_LOOP(name, sample, level_type)                                                                           \
  void cpx_light_##name(const cpx_light_map *conversion, const sample *in, level_type *out, size_t pixels,            \
                        cpx_level level) {                                                                             \
    (void)level;                                                                                                       \
    name##_body(conversion, in, out, pixels);                                                                          \
  }
#endif

LIGHT_LOOP(rgba8, uint8_t, uint8_t)
LIGHT_LOOP(rgba16, uint16_t, uint16_t)
LIGHT_LOOP(round, uint16_t, uint8_t)
