#include "cedges.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static inline uint8_t rounded(float value) {
  value += 0.5f;
  value = value < 0.0f ? 0.0f : value;
  value = value > 255.0f ? 255.0f : value;
  return (uint8_t)(int32_t)value;
}

/// Sharpens bytes of opaque pixels that have neighbours at both sides.
static void inner_bytes(const uint8_t *restrict above, const uint8_t *restrict row, const uint8_t *restrict below,
                        uint8_t *restrict out, size_t first, size_t last, float factor) {
  for (size_t i = first; i < last; i++) {
    const int32_t sum = above[i - 4] + above[i] + above[i + 4] + row[i - 4] + row[i + 4] + below[i - 4] + below[i]
        + below[i + 4];
    const int32_t value = row[i];
    out[i] = rounded((float)value + factor * (float)(8 * value - sum));
  }
}

static void weighed_pixel(const cpx_neighbours *m, const uint8_t *const rows[3], size_t x, uint8_t *out) {
  const uint8_t *pixel = rows[1] + 4 * x;
  memcpy(out, pixel, 4);
  if (pixel[3] == 0) return;
  const size_t columns[3] = {x > 0 ? x - 1 : 0, x, x + 1 < m->width ? x + 1 : x};
  int32_t sums[3] = {0, 0, 0};
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      const uint8_t *other = rows[j] + 4 * columns[i];
      for (int c = 0; c < 3; c++) sums[c] += (pixel[c] - other[c]) * other[3];
    }
  }
  for (int c = 0; c < 3; c++) out[c] = rounded((float)pixel[c] + m->factor * ((float)sums[c] / 255.0f));
}

void cpx_neighbour_rows(const cpx_neighbours *m, size_t first, size_t last) {
  const size_t stride = 4 * m->width;
  for (size_t y = first; y < last; y++) {
    const uint8_t *const rows[3] = {m->source + (y > 0 ? y - 1 : 0) * stride, m->source + y * stride,
                                    m->source + (y + 1 < m->height ? y + 1 : y) * stride};
    uint8_t *out = m->target + y * stride;
    if (m->opaque && m->width > 2) {
      weighed_pixel(m, rows, 0, out);
      inner_bytes(rows[0], rows[1], rows[2], out, 4, stride - 4, m->factor);
      weighed_pixel(m, rows, m->width - 1, out + stride - 4);
      continue;
    }
    for (size_t x = 0; x < m->width; x++) weighed_pixel(m, rows, x, out + 4 * x);
  }
}
