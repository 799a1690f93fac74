#include "kernels.h"
#if defined(__aarch64__)
#include <arm_neon.h>

static void vertical(const cpx_column *column, uint8_t *out) {
  enum { width = 16 };
  if (column->bytes < width) {
    cpx_portable.vertical(column, out);
    return;
  }
  const int32x4_t rounding = vdupq_n_s32(1 << (column->precision - 1));
  const int32x4_t shift = vdupq_n_s32(-column->precision);
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
    vst1q_u8(out + x, vcombine_u8(vqmovun_s16(lo), vqmovun_s16(hi)));
  }
}

static void horizontal(const cpx_row *row, const uint8_t *in, uint8_t *out) {
  const int32x4_t rounding = vdupq_n_s32(1 << (row->precision - 1)), shift = vdupq_n_s32(-row->precision);
  for (int32_t x = 0; x < row->count; x++) {
    const uint8_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    int32x4_t a = rounding, b = vdupq_n_s32(0);
    for (int32_t t = 0; t < row->taps; t += 4) {
      const uint8x16_t s = vld1q_u8(p + 4 * (size_t)t);
      const int16x8_t lo = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(s)));
      const int16x8_t hi = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(s)));
      a = vmlal_n_s16(a, vget_low_s16(lo), c[t]);
      b = vmlal_n_s16(b, vget_high_s16(lo), c[t + 1]);
      a = vmlal_n_s16(a, vget_low_s16(hi), c[t + 2]);
      b = vmlal_n_s16(b, vget_high_s16(hi), c[t + 3]);
    }
    const int16x4_t sum = vqmovn_s32(vshlq_s32(vaddq_s32(a, b), shift));
    const uint32_t pixel = vget_lane_u32(vreinterpret_u32_u8(vqmovun_s16(vcombine_s16(sum, sum))), 0);
    memcpy(out + 4 * (size_t)x, &pixel, 4);
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

const cpx_kernels cpx_neon = {vertical, horizontal, premultiply};
#endif
