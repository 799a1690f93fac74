#include "cplanes.h"

#include <string.h>

// Sums of products are not contracted, so that all processors produce the same.
#pragma clang fp contract(off)

/// Columns that are converted at a time.
enum { STEP = 256 };

/// Returns the shares of red and blue of luma (ITU-T H.273, table 4); false for a matrix that is not known.
static bool shares(uint16_t matrix, float *red, float *blue) {
  switch (matrix) {
  case 1: *red = 0.2126f, *blue = 0.0722f; return true;
  case 4: *red = 0.30f, *blue = 0.11f; return true;
  case 2:
  case 5:
  case 6: *red = 0.299f, *blue = 0.114f; return true;
  case 7: *red = 0.212f, *blue = 0.087f; return true;
  case 9: *red = 0.2627f, *blue = 0.0593f; return true;
  default: return false;
  }
}

bool cpx_ycc_init(cpx_ycc *conversion, const cpx_code_points *points, uint32_t depth, cpx_chroma chroma) {
  *conversion = (cpx_ycc){.depth = depth};
  const float most = (float)((1u << depth) - 1);
  const float unit = (float)(1u << (depth - 8));
  const float range = points->is_full_range ? most : 219 * unit;
  conversion->luma = 1 / range;
  conversion->luma_offset = points->is_full_range ? 0 : -16 * unit / range;
  if (chroma == CPX_CHROMA_NONE) return true;
  if (points->matrix == 0) {
    conversion->is_identity = true;
    return chroma == CPX_CHROMA_444;
  }
  float red, blue;
  if (!shares(points->matrix, &red, &blue)) return false;
  const float green = 1 - red - blue, chroma_range = points->is_full_range ? most : 224 * unit;
  conversion->chroma_offset = 128 * unit;
  conversion->red_v = 2 * (1 - red) / chroma_range;
  conversion->blue_u = 2 * (1 - blue) / chroma_range;
  conversion->green_u = -2 * blue * (1 - blue) / green / chroma_range;
  conversion->green_v = -2 * red * (1 - red) / green / chroma_range;
  return true;
}

/// Samples as numbers.
static inline __attribute__((always_inline)) void load(
    const uint8_t *restrict row, uint32_t first, uint32_t count, bool is_wide, float *restrict out) {
  if (is_wide) {
    const uint16_t *samples = (const uint16_t *)(const void *)row + first;
    for (uint32_t i = 0; i < count; i++) out[i] = (float)(int32_t)samples[i];
  } else {
    const uint8_t *samples = row + first;
    for (uint32_t i = 0; i < count; i++) out[i] = (float)(int32_t)samples[i];
  }
}

/// Samples as numbers, each twice.
static inline __attribute__((always_inline)) void load_twice(
    const uint8_t *restrict row, uint32_t first, uint32_t count, bool is_wide, float *restrict out) {
  if (is_wide) {
    const uint16_t *samples = (const uint16_t *)(const void *)row + first;
    for (uint32_t i = 0; i < count; i++) out[2 * i] = out[2 * i + 1] = (float)(int32_t)samples[i];
  } else {
    const uint8_t *samples = row + first;
    for (uint32_t i = 0; i < count; i++) out[2 * i] = out[2 * i + 1] = (float)(int32_t)samples[i];
  }
}

static inline __attribute__((always_inline)) uint32_t rounded(float value, float most) {
  value = value > 0.0f ? value : 0.0f;
  value = value < most ? value : most;
  return (uint32_t)(int32_t)(value + 0.5f);
}

/// Converts at most STEP columns of a row.
static inline __attribute__((always_inline)) void convert(
    const cpx_ycc *c, const cpx_ycc_rows *rows, uint32_t y, uint32_t x, uint32_t count, bool is_wide, bool is_deep,
    uint8_t *restrict out) {
  float luma[STEP], first[STEP + 2], second[STEP + 2], alpha[STEP];
  const cpx_planes *color = rows->color;
  const uint32_t row = rows->row + y, column = rows->left + x;
  load(color->data[0] + (size_t)row * color->stride[0], column, count, is_wide, luma);
  const bool halves_x = color->chroma == CPX_CHROMA_420 || color->chroma == CPX_CHROMA_422;
  const uint32_t chroma_row = color->chroma == CPX_CHROMA_420 ? row / 2 : row;
  float *planes[2] = {first, second};
  for (int plane = 0; plane < 2; plane++) {
    if (color->chroma == CPX_CHROMA_NONE) {
      memset(planes[plane], 0, sizeof first);
      continue;
    }
    const uint8_t *samples = color->data[plane + 1] + (size_t)chroma_row * color->stride[plane + 1];
    if (halves_x) load_twice(samples, column / 2, (column + count + 1) / 2 - column / 2, is_wide, planes[plane]);
    else load(samples, column, count, is_wide, planes[plane]);
  }
  const float *u = first + (halves_x ? column & 1 : 0), *v = second + (halves_x ? column & 1 : 0);
  const float most = is_deep ? 65535.0f : 255.0f;
  if (rows->alpha) {
    const cpx_planes *from = rows->alpha;
    load(from->data[0] + (size_t)(rows->alpha_row + y) * from->stride[0], column, count, from->depth > 8, alpha);
    const float scale = 1 / (float)((1u << from->depth) - 1);
    for (uint32_t i = 0; i < count; i++) alpha[i] *= scale;
  } else {
    for (uint32_t i = 0; i < count; i++) alpha[i] = 1;
  }
  if (c->is_identity) {
    // Green, blue and red.
    for (uint32_t i = 0; i < count; i++) {
      const float green = luma[i] * c->luma + c->luma_offset, blue = u[i] * c->luma + c->luma_offset;
      first[i] = v[i] * c->luma + c->luma_offset;
      second[i] = blue;
      luma[i] = green;
    }
  } else {
    const float offset = color->chroma == CPX_CHROMA_NONE ? 0 : c->chroma_offset;
    for (uint32_t i = 0; i < count; i++) {
      const float base = luma[i] * c->luma + c->luma_offset, cb = u[i] - offset, cr = v[i] - offset;
      luma[i] = base + (cb * c->green_u + cr * c->green_v);
      first[i] = base + cr * c->red_v;
      second[i] = base + cb * c->blue_u;
    }
  }
  if (rows->is_premultiplied) {
    for (uint32_t i = 0; i < count; i++) {
      const float inverse = alpha[i] > 0 ? 1 / alpha[i] : 0;
      luma[i] *= inverse;
      first[i] *= inverse;
      second[i] *= inverse;
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t red = rounded(first[i] * most, most), green = rounded(luma[i] * most, most);
    const uint32_t blue = rounded(second[i] * most, most), opacity = rounded(alpha[i] * most, most);
    if (is_deep) {
      const uint64_t pixel = red | (uint64_t)green << 16 | (uint64_t)blue << 32 | (uint64_t)opacity << 48;
      memcpy(out + 8 * (size_t)i, &pixel, 8);
    } else {
      const uint32_t pixel = red | green << 8 | blue << 16 | opacity << 24;
      memcpy(out + 4 * (size_t)i, &pixel, 4);
    }
  }
}

static inline __attribute__((always_inline)) void convert_rows(
    const cpx_ycc *conversion, const cpx_ycc_rows *rows, bool is_deep, uint8_t *pixels, size_t stride) {
  const bool is_wide = rows->color->depth > 8;
  for (uint32_t y = 0; y < rows->count; y++) {
    for (uint32_t x = 0; x < rows->width; x += STEP) {
      const uint32_t count = rows->width - x < STEP ? rows->width - x : STEP;
      uint8_t *out = pixels + y * stride + (size_t)x * (is_deep ? 8 : 4);
      if (is_wide && is_deep) convert(conversion, rows, y, x, count, true, true, out);
      else if (is_wide) convert(conversion, rows, y, x, count, true, false, out);
      else if (is_deep) convert(conversion, rows, y, x, count, false, true, out);
      else convert(conversion, rows, y, x, count, false, false, out);
    }
  }
}

#if defined(__x86_64__)
// The same operations on more pixels at a time. AVX2 without FMA, so that no operations are contracted.
__attribute__((target("avx2"))) static void convert_avx2(
    const cpx_ycc *conversion, const cpx_ycc_rows *rows, bool is_deep, uint8_t *pixels, size_t stride) {
  convert_rows(conversion, rows, is_deep, pixels, stride);
}
#endif

void cpx_ycc_convert(
    const cpx_ycc *conversion, const cpx_ycc_rows *rows, uint32_t depth, uint8_t *pixels, size_t stride,
    cpx_level level) {
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256 && cpx_best_level() >= CPX_LEVEL_SIMD256) {
    convert_avx2(conversion, rows, depth > 8, pixels, stride);
    return;
  }
#else
  (void)level;
#endif
  convert_rows(conversion, rows, depth > 8, pixels, stride);
}
