#include "craster.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_integers __attribute__((vector_size(16)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));

static inline __attribute__((always_inline)) four load(const uint8_t *pixel) {
  four_bytes bytes;
  memcpy(&bytes, pixel, 4);
  return __builtin_convertvector(bytes, four);
}

/// Loads a pixel, premultiplied: all channels times alpha, alpha itself times 255.
static inline __attribute__((always_inline)) four load_weighed(const uint8_t *pixel) {
  const four value = load(pixel);
  const four alpha = {value[3], value[3], value[3], 255};
  return value * alpha;
}

static inline __attribute__((always_inline)) void store(uint8_t *target, four value) {
  // Truncation rounds after adding a half.
  const four_integers integers = __builtin_convertvector(value + 0.5f, four_integers);
  const four_bytes bytes = __builtin_convertvector(integers, four_bytes);
  memcpy(target, &bytes, 4);
}

static inline __attribute__((always_inline)) four clamped(four value, float limit) {
  const four zero = {0, 0, 0, 0}, limits = {limit, limit, limit, limit};
  return __builtin_elementwise_min(__builtin_elementwise_max(value, zero), limits);
}

static inline __attribute__((always_inline)) void store_straight(uint8_t *target, four sum) {
  const float alpha = sum[3] < 0 ? 0 : sum[3] > 255 ? 255 : sum[3];
  if (alpha < 0.5f) {
    memset(target, 0, 4);
    return;
  }
  four value = clamped(sum, alpha) * (255 / alpha);
  value[3] = alpha;
  store(target, clamped(value, 255));
}

/// Returns the weights of four neighbours, the second of which lies `t` to the left: Keys 1981 with a = -1/2.
static inline __attribute__((always_inline)) four cubic(float t) {
  const four constant = {0, 1, 0, 0}, linear = {-0.5f, 0, 0.5f, 0}, square = {1, -2.5f, 2, -0.5f},
             cube = {-0.5f, 1.5f, -1.5f, 0.5f};
  return constant + t * (linear + t * (square + t * cube));
}

/// Returns the weighted sum of `taps * taps` pixels from (left, top) on, all of them in the picture.
static inline __attribute__((always_inline)) four inside(const cpx_rotation *r, int64_t left, int64_t top,
                                                        four across, four down, int taps, int weighed) {
  const uint8_t *row = r->source + 4 * ((size_t)top * r->width + (size_t)left);
  four sum = {0, 0, 0, 0};
  for (int j = 0; j < taps; j++, row += 4 * r->width) {
    four line = {0, 0, 0, 0};
    for (int i = 0; i < taps; i++) {
      line += across[i] * (weighed ? load_weighed(row + 4 * i) : load(row + 4 * i));
    }
    sum += down[j] * line;
  }
  return weighed ? sum * (1 / 255.0f) : sum;
}

/// Does the same if some of the pixels lie outside: they have the colour of the background.
static __attribute__((noinline)) four across_edge(const cpx_rotation *r, int64_t left, int64_t top, four across,
                                                 four down, int taps) {
  four background;
  memcpy(&background, r->background, sizeof background);
  four sum = {0, 0, 0, 0};
  for (int j = 0; j < taps; j++) {
    const int64_t y = top + j;
    for (int i = 0; i < taps; i++) {
      const int64_t x = left + i;
      const int is_inside = x >= 0 && x < (int64_t)r->width && y >= 0 && y < (int64_t)r->height;
      const float weight = across[i] * down[j];
      if (is_inside) {
        sum += weight / 255 * load_weighed(r->source + 4 * ((size_t)y * r->width + (size_t)x));
      } else {
        sum += weight * background;
      }
    }
  }
  return sum;
}

static inline __attribute__((always_inline)) void rotate(const cpx_rotation *r, size_t first, size_t last,
                                                        int taps, int weighed) {
  const int64_t before = taps / 2 - 1;
  const int64_t width = (int64_t)r->width, height = (int64_t)r->height;
  four background;
  memcpy(&background, r->background, sizeof background);
  uint8_t outside[4];
  store_straight(outside, background);
  for (size_t y = first; y < last; y++) {
    uint8_t *out = r->target + 4 * y * r->target_width;
    int64_t u = r->x - (int64_t)y * r->step_y, v = r->y + (int64_t)y * r->step_x;
    for (size_t x = 0; x < r->target_width; x++, out += 4, u += r->step_x, v += r->step_y) {
      const int64_t left = (u >> 32) - before, top = (v >> 32) - before;
      if (left <= -taps || top <= -taps || left >= width || top >= height) {
        memcpy(out, outside, 4);
        continue;
      }
      const float s = (float)((uint32_t)u >> 8) * 0x1p-24f, t = (float)((uint32_t)v >> 8) * 0x1p-24f;
      const four across = taps == 4 ? cubic(s) : (four){1 - s, s, 0, 0};
      const four down = taps == 4 ? cubic(t) : (four){1 - t, t, 0, 0};
      if (left >= 0 && top >= 0 && left + taps <= width && top + taps <= height) {
        const four sum = inside(r, left, top, across, down, taps, weighed);
        if (weighed) {
          store_straight(out, sum);
        } else {
          store(out, clamped(sum, 255));
          out[3] = 255;
        }
      } else {
        store_straight(out, across_edge(r, left, top, across, down, taps));
      }
    }
  }
}

void cpx_rotate_rows(const cpx_rotation *r, size_t first, size_t last) {
  if (r->bicubic) {
    if (r->opaque) rotate(r, first, last, 4, 0);
    else rotate(r, first, last, 4, 1);
  } else {
    if (r->opaque) rotate(r, first, last, 2, 0);
    else rotate(r, first, last, 2, 1);
  }
}
