#include "cedges.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

// Light in 65536ths of that of white D65, by red, green and blue of IEC 61966-2-1.
static const uint32_t x_of[3] = {28439, 24655, 12442};
static const uint32_t y_of[3] = {13938, 46868, 4730};
static const uint32_t z_of[3] = {1164, 7174, 57198};
// The inverse.
static const float red_of[3] = {3.0799545f, -1.5371385f, -0.5428160f};
static const float green_of[3] = {-0.9212582f, 1.8760108f, 0.0452474f};
static const float blue_of[3] = {0.0528874f, -0.2040259f, 1.1511385f};

/// Returns f of the light of a pixel. Sums of weights are 65,536, so that no sum leaves 32 bits.
static inline float root(const cpx_lightness *l, const uint8_t *pixel, const uint32_t weights[3]) {
  const uint32_t sum = weights[0] * l->linear[pixel[0]] + weights[1] * l->linear[pixel[1]]
      + weights[2] * l->linear[pixel[2]] + 32768;
  return l->roots[sum >> 16];
}

static inline float lightness_of(float root) { return 116.0f * root - 16.0f; }

/// The inverse of f.
static inline float light_of(float root) {
  return root > 6.0f / 29.0f ? root * root * root : 3.0f * (6.0f / 29.0f) * (6.0f / 29.0f) * (root - 4.0f / 29.0f);
}

static inline uint8_t encoded(const cpx_lightness *l, const float weights[3], float x, float y, float z) {
  float light = (weights[0] * x + weights[1] * y + weights[2] * z) * 65535.0f + 0.5f;
  light = light < 0.0f ? 0.0f : light;
  light = light > 65535.0f ? 65535.0f : light;
  return l->srgb[(int32_t)light];
}

static inline size_t planes(const cpx_lightness *l) { return l->opaque ? 1 : 2; }
static inline size_t taps(const cpx_lightness *l) { return 2 * l->radius + 1; }
/// The blurred rows that are kept.
static inline size_t kept_rows(const cpx_lightness *l) { return taps(l) < l->height ? taps(l) : l->height; }

size_t cpx_lightness_scratch(const cpx_lightness *l) {
  // A row with margins, the sums of a column of rows, and the blurred rows; the latter for lightness and for alpha.
  return l->columns + 2 * l->radius + (kept_rows(l) + 1) * planes(l) * l->columns;
}

static inline float *sums_of(const cpx_lightness *l) { return l->scratch + l->columns + 2 * l->radius; }

static inline float *kept_row(const cpx_lightness *l, size_t row, size_t plane) {
  return sums_of(l) + ((1 + row % kept_rows(l)) * planes(l) + plane) * l->columns;
}

static void add(float *restrict sums, const float *restrict row, float weight, size_t count) {
  for (size_t i = 0; i < count; i++) sums[i] += weight * row[i];
}

/// Reads a row of the source and blurs it horizontally.
static void read_row(cpx_lightness *l, size_t y) {
  const uint8_t *in = l->source + 4 * y * l->width;
  for (size_t plane = 0; plane < planes(l); plane++) {
    for (size_t i = 0; i < l->columns + 2 * l->radius; i++) {
      const size_t right = l->left + i;
      size_t x = right < l->radius ? 0 : right - l->radius;
      x = x < l->width ? x : l->width - 1;
      const uint8_t *pixel = in + 4 * x;
      const float alpha = l->opaque ? 1.0f : (float)pixel[3] / 255.0f;
      l->scratch[i] = plane == 1 ? alpha : alpha * lightness_of(root(l, pixel, y_of));
    }
    float *out = kept_row(l, y, plane);
    memset(out, 0, l->columns * sizeof *out);
    for (size_t t = 0; t < taps(l); t++) add(out, l->scratch + t, l->weights[t], l->columns);
  }
}

/// Changes the lightness of a pixel by its difference from the blur.
static inline void sharpen(const cpx_lightness *l, const uint8_t *pixel, float blurred, uint8_t *out) {
  memcpy(out, pixel, 4);
  const float fy = root(l, pixel, y_of), before = lightness_of(fy), difference = before - blurred;
  float change;
  if (difference > l->threshold) {
    change = (difference - l->threshold) * l->slope;
  } else if (difference < -l->threshold) {
    change = (difference + l->threshold) * l->slope;
  } else {
    return;
  }
  change = change > l->brighten ? l->brighten : change;
  change = change < -l->darken ? -l->darken : change;
  float after = before + change;
  after = after < 0.0f ? 0.0f : after;
  after = after > 100.0f ? 100.0f : after;
  const float shift = (after - before) / 116.0f;
  const float x = light_of(root(l, pixel, x_of) + shift), y = light_of(fy + shift),
              z = light_of(root(l, pixel, z_of) + shift);
  out[0] = encoded(l, red_of, x, y, z);
  out[1] = encoded(l, green_of, x, y, z);
  out[2] = encoded(l, blue_of, x, y, z);
}

void cpx_lightness_rows(cpx_lightness *l, size_t first, size_t last) {
  float *sums = sums_of(l);
  for (size_t y = first; y < last; y++) {
    const size_t end = l->height - y > l->radius + 1 ? y + l->radius + 1 : l->height;
    while (l->next_row < end) read_row(l, l->next_row++);
    memset(sums, 0, planes(l) * l->columns * sizeof *sums);
    for (size_t t = 0; t < taps(l); t++) {
      size_t row = y + t < l->radius ? 0 : y + t - l->radius;
      row = row < l->height ? row : l->height - 1;
      for (size_t plane = 0; plane < planes(l); plane++)
        add(sums + plane * l->columns, kept_row(l, row, plane), l->weights[t], l->columns);
    }
    const size_t start = 4 * (y * l->width + l->left);
    for (size_t x = 0; x < l->columns; x++) {
      const uint8_t *pixel = l->source + start + 4 * x;
      uint8_t *out = l->target + start + 4 * x;
      if (l->opaque) {
        sharpen(l, pixel, sums[x], out);
      } else if (pixel[3] == 0) {
        memcpy(out, pixel, 4);
      } else {
        // The pixel itself counts, so that the sum of alpha is above 0.
        sharpen(l, pixel, sums[x] / sums[l->columns + x], out);
      }
    }
  }
}
