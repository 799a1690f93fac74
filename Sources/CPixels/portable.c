#include "kernels.h"

static void vertical(const cpx_column *column, int16_t *out) {
  enum { width = 32 };
  const int32_t precision = column->precision - cpx_fraction, rounding = 1 << (precision - 1);
  size_t x = 0;
  for (; x + width <= column->bytes; x += width) {
    int32_t sums[width];
    for (int i = 0; i < width; i++) sums[i] = rounding;
    for (int32_t t = 0; t < column->taps; t++) {
      const uint8_t *p = column->rows[t] + x;
      const int32_t c = column->coefficients[t];
      for (int i = 0; i < width; i++) sums[i] += c * p[i];
    }
    for (int i = 0; i < width; i++) out[x + i] = cpx_narrowed(sums[i] >> precision);
  }
  for (; x < column->bytes; x++) {
    int32_t sum = rounding;
    for (int32_t t = 0; t < column->taps; t++) sum += column->coefficients[t] * column->rows[t][x];
    out[x] = cpx_narrowed(sum >> precision);
  }
}

static void premultiply(const uint8_t *in, uint8_t *out, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, in += 4, out += 4) {
    const uint32_t alpha = in[3];
    for (int c = 0; c < 3; c++) out[c] = (uint8_t)((in[c] * alpha + 127) / 255);
    out[3] = (uint8_t)alpha;
  }
}

const cpx_kernels cpx_portable = {vertical, premultiply};
