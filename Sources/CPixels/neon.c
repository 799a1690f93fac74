#include "kernels.h"
#if defined(__aarch64__)
#include <arm_neon.h>

static void vertical(const cpx_column *column, int16_t *out) {
  enum { width = 16 };
  if (column->bytes < width) {
    cpx_portable.vertical(column, out);
    return;
  }
  const int32x4_t rounding = vdupq_n_s32(1 << (column->precision - cpx_fraction - 1));
  const int32x4_t shift = vdupq_n_s32(cpx_fraction - column->precision);
  CPX_FOR_CHUNKS(x, column->bytes, width) {
    int32x4_t a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t t = 0; t < column->taps; t++) {
      const uint8x16_t r = vld1q_u8(column->rows[t] + x);
      const int16x8_t lo = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(r)));
      const int16x8_t hi = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(r)));
      const int16_t c = column->coefficients[t];
      a0 = vmlal_n_s16(a0, vget_low_s16(lo), c);
      a1 = vmlal_n_s16(a1, vget_high_s16(lo), c);
      a2 = vmlal_n_s16(a2, vget_low_s16(hi), c);
      a3 = vmlal_n_s16(a3, vget_high_s16(hi), c);
    }
    const int16x8_t lo = vcombine_s16(vqmovn_s32(vshlq_s32(a0, shift)), vqmovn_s32(vshlq_s32(a1, shift)));
    const int16x8_t hi = vcombine_s16(vqmovn_s32(vshlq_s32(a2, shift)), vqmovn_s32(vshlq_s32(a3, shift)));
    vst1q_s16(out + x, lo);
    vst1q_s16(out + x + 8, hi);
  }
}

/// Exact for all bytes: with t = c * a + 128, (t + (t >> 8)) >> 8 is c * a / 255 rounded.
static inline uint8x16_t scaled(uint8x16_t c, uint8x16_t a) {
  const uint16x8_t lo = vaddq_u16(vmull_u8(vget_low_u8(c), vget_low_u8(a)), vdupq_n_u16(128));
  const uint16x8_t hi = vaddq_u16(vmull_u8(vget_high_u8(c), vget_high_u8(a)), vdupq_n_u16(128));
  return vcombine_u8(
      vshrn_n_u16(vsraq_n_u16(lo, lo, 8), 8), vshrn_n_u16(vsraq_n_u16(hi, hi, 8), 8));
}

static void premultiply(const uint8_t *in, uint8_t *out, size_t pixels) {
  size_t i = 0;
  for (; i + 16 <= pixels; i += 16) {
    uint8x16x4_t v = vld4q_u8(in + 4 * i);
    for (int c = 0; c < 3; c++) v.val[c] = scaled(v.val[c], v.val[3]);
    vst4q_u8(out + 4 * i, v);
  }
  cpx_portable.premultiply(in + 4 * i, out + 4 * i, pixels - i);
}

const cpx_kernels cpx_neon = {vertical, premultiply};
#endif
