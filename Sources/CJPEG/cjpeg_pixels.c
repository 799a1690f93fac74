#include "cjpeg_pixels.h"

#include <string.h>

enum { SIDE = 8, BLOCK = 64 };

// A row or a column of a block.
typedef float octet __attribute__((vector_size(32), aligned(4)));

// Octets are passed among inlined functions only.
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

static size_t divided(size_t length, size_t unit) { return (length + unit - 1) / unit; }

cjpeg_layout cjpeg_layout_of(const cjpeg_picture *p) {
  const int is_single = p->layout == CJPEG_GRAY || p->only_luminance;
  const size_t h = is_single ? 1 : (size_t)p->luma_horizontal, v = is_single ? 1 : (size_t)p->luma_vertical;
  cjpeg_layout l = {.count = is_single ? 1 : 3};
  l.units_across = divided(p->width, SIDE * h);
  l.units_down = divided(p->height, SIDE * v);
  l.planes[0] = (cjpeg_plane){divided(p->width, SIDE), divided(p->height, SIDE), (int)h, (int)v};
  for (int c = 1; c < l.count; c++)
    l.planes[c] = (cjpeg_plane){divided(p->width, SIDE * h), divided(p->height, SIDE * v), 1, 1};
  return l;
}

static size_t padded_width(const cjpeg_layout *l) { return l->units_across * SIDE * (size_t)l->planes[0].horizontal; }

size_t cjpeg_transform_memory(const cjpeg_layout *l) {
  return padded_width(l) * SIDE * (size_t)l->planes[0].vertical * (size_t)l->count * sizeof(float);
}

// Repeats the last sample behind the picture.
static void extend(float *row, size_t width, size_t padded) {
  for (size_t x = width; x < padded; x++) row[x] = row[width - 1];
}

// The colours of JFIF, level-shifted.
static void convert_row(const uint8_t *rgbx, uint32_t width, size_t padded, float *y, float *cb, float *cr) {
  for (uint32_t x = 0; x < width; x++, rgbx += 4) {
    const float r = rgbx[0], g = rgbx[1], b = rgbx[2];
    y[x] = 0.299f * r + 0.587f * g + 0.114f * b - 128.0f;
    if (!cb) continue;
    cb[x] = -0.168735892f * r - 0.331264108f * g + 0.5f * b;
    cr[x] = 0.5f * r - 0.418687589f * g - 0.081312411f * b;
  }
  extend(y, width, padded);
  if (!cb) return;
  extend(cb, width, padded);
  extend(cr, width, padded);
}

// Replaces samples by the means of `h` by `v` of them.
static void shrink(float *plane, size_t width, int h, int v) {
  if (h == 1 && v == 1) return;
  const size_t narrow = width / (size_t)h;
  const float share = 1.0f / (float)(h * v);
  for (size_t y = 0; y < SIDE; y++) {
    const float *from = plane + y * (size_t)v * width;
    float *to = plane + y * narrow;
    for (size_t x = 0; x < narrow; x++) {
      float sum = 0;
      for (size_t i = 0; i < (size_t)v; i++)
        for (size_t j = 0; j < (size_t)h; j++) sum += from[i * width + x * (size_t)h + j];
      to[x] = sum * share;
    }
  }
}

INLINE octet load(const float *p) {
  octet v;
  memcpy(&v, p, sizeof v);
  return v;
}

// A transform of eight columns at once, of even and odd parts.
INLINE void transform(octet x[SIDE]) {
  // Half the cosines of multiples of π/16.
  const float c1 = 0.490392640f, c2 = 0.461939766f, c3 = 0.415734806f, c4 = 0.353553391f;
  const float c5 = 0.277785117f, c6 = 0.191341716f, c7 = 0.097545161f;
  const octet s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
  const octet d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
  const octet e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;
  x[0] = c4 * (e0 + e1);
  x[4] = c4 * (e0 - e1);
  x[2] = c2 * e2 + c6 * e3;
  x[6] = c6 * e2 - c2 * e3;
  x[1] = c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3;
  x[3] = c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3;
  x[5] = c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3;
  x[7] = c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3;
}

INLINE void transpose(octet x[SIDE]) {
  float flat[BLOCK], turned[BLOCK];
  memcpy(flat, x, sizeof flat);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) turned[j * SIDE + i] = flat[i * SIDE + j];
  memcpy(x, turned, sizeof turned);
}

static void transform_block(const float *samples, size_t stride, int16_t *out) {
  octet x[SIDE];
  for (int i = 0; i < SIDE; i++) x[i] = load(samples + (size_t)i * stride);
  transform(x);
  transpose(x);
  transform(x);
  transpose(x);
  float flat[BLOCK];
  memcpy(flat, x, sizeof flat);
  for (int i = 0; i < BLOCK; i++) {
    const float value = flat[i] * CJPEG_FRACTION;
    out[i] = (int16_t)(value < 0 ? value - 0.5f : value + 0.5f);
  }
}

void cjpeg_transform(
  const cjpeg_layout *l, uint32_t width, int is_gray, const uint8_t *const *rows, float *memory,
  int16_t *const blocks[3][4]) {
  const size_t padded = padded_width(l), height = SIDE * (size_t)l->planes[0].vertical;
  for (size_t y = 0; y < height; y++) {
    float *row = memory + y * padded;
    if (is_gray) {
      for (uint32_t x = 0; x < width; x++) row[x] = (float)rows[y][x] - 128.0f;
      extend(row, width, padded);
    } else {
      float *cb = l->count == 3 ? row + height * padded : NULL;
      convert_row(rows[y], width, padded, row, cb, cb ? cb + height * padded : NULL);
    }
  }
  for (int c = 0; c < l->count; c++) {
    float *plane = memory + (size_t)c * height * padded;
    const cjpeg_plane *p = &l->planes[c];
    size_t stride = padded;
    if (c > 0) {
      shrink(plane, padded, l->planes[0].horizontal, l->planes[0].vertical);
      stride = padded / (size_t)l->planes[0].horizontal;
    }
    for (int v = 0; v < p->vertical; v++) {
      if (!blocks[c][v]) continue;
      for (size_t i = 0; i < p->columns; i++)
        transform_block(plane + (size_t)v * SIDE * stride + i * SIDE, stride, blocks[c][v] + i * BLOCK);
    }
  }
}
