#include "kernels.h"
#include "wide.h"

static void interleave(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples) {
  for (size_t i = 0; i < samples; i++) out[i] = (uint16_t)a[i] | (uint32_t)(uint16_t)b[i] << 16;
}

void cpx_weigh_portable(uint32_t *pair, size_t samples) {
  for (uint32_t *p = pair; p < pair + samples; p += 4) {
    const uint32_t above = (p[3] & 0xffff) ^ 0x8000, below = (p[3] >> 16) ^ 0x8000;
    for (int c = 0; c < 3; c++) {
      // Rounded to nearest, exactly, without a division.
      uint32_t a = ((p[c] & 0xffff) ^ 0x8000) * above + 32768, b = ((p[c] >> 16) ^ 0x8000) * below + 32768;
      a = (a + (a >> 16)) >> 16;
      b = (b + (b >> 16)) >> 16;
      p[c] = (a | b << 16) ^ 0x80008000;
    }
  }
}

static void vertical(const cpx_wide_column *column, int16_t *out) {
  enum { width = 32 };
  const int32_t rounding = 1 << (column->precision - 1), precision = column->precision;
  for (size_t x = 0; x < column->samples; x += width) {
    int32_t sums[width];
    for (int i = 0; i < width; i++) sums[i] = rounding;
    for (int32_t p = 0; p < column->count; p++) {
      const uint32_t *pair = column->pairs[p] + x;
      const int32_t above = (int16_t)column->factors[p], below = (int16_t)(column->factors[p] >> 16);
      for (int i = 0; i < width; i++)
        sums[i] += above * (int16_t)pair[i] + below * (int16_t)(pair[i] >> 16);
    }
    for (int i = 0; i < width; i++) out[x + (size_t)i] = cpx_narrowed(sums[i] >> precision);
  }
}

static void horizontal(const cpx_row *row, const int16_t *in, int16_t *out) {
  const int32_t rounding = 1 << (row->precision - 1), precision = row->precision;
  for (int32_t x = 0; x < row->count; x++) {
    const int16_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    int32_t sums[4] = {rounding, rounding, rounding, rounding};
    for (int32_t t = 0; t < row->taps; t++, p += 4)
      for (int i = 0; i < 4; i++) sums[i] += c[t] * p[i];
    for (int i = 0; i < 4; i++) out[4 * (size_t)x + i] = cpx_narrowed(sums[i] >> precision);
  }
}

const cpx_wide_kernels cpx_wide_portable = {NULL, interleave, cpx_weigh_portable, vertical, horizontal, 1};

const cpx_wide_kernels *cpx_wide_kernels_of(cpx_level level) {
  switch (level) {
#if defined(__x86_64__)
  case CPX_LEVEL_SIMD128: return &cpx_wide_sse41;
  case CPX_LEVEL_SIMD256: return &cpx_wide_avx2;
  case CPX_LEVEL_SIMD512: return __builtin_cpu_supports("avx512vbmi") ? &cpx_wide_vbmi : &cpx_wide_vnni;
#elif defined(__aarch64__)
  case CPX_LEVEL_SIMD128: return &cpx_wide_neon;
#endif
  default: return &cpx_wide_portable;
  }
}
