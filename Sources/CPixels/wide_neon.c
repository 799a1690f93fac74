#include "wide.h"
#if defined(__aarch64__)
#include <arm_neon.h>

static void interleave(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples) {
  for (size_t i = 0; i < samples; i += 8) {
    const int16x8x2_t both = {{vld1q_s16(a + i), vld1q_s16(b + i)}};
    vst2q_s16((int16_t *)(out + i), both);
  }
}

static void vertical(const cpx_wide_column *column, int16_t *out) {
  const int32x4_t rounding = vdupq_n_s32(1 << (column->precision - 1));
  const int32x4_t shift = vdupq_n_s32(-column->precision);
  for (size_t x = 0; x < column->samples; x += 16) {
    int32x4_t a0 = rounding, a1 = rounding, a2 = rounding, a3 = rounding;
    for (int32_t p = 0; p < column->count; p++) {
      const int16_t *pair = (const int16_t *)(column->pairs[p] + x);
      const int16_t above = (int16_t)column->factors[p], below = (int16_t)(column->factors[p] >> 16);
      const int16x8x2_t s = vld2q_s16(pair), t = vld2q_s16(pair + 16);
      a0 = vmlal_n_s16(vmlal_n_s16(a0, vget_low_s16(s.val[0]), above), vget_low_s16(s.val[1]), below);
      a1 = vmlal_n_s16(vmlal_n_s16(a1, vget_high_s16(s.val[0]), above), vget_high_s16(s.val[1]), below);
      a2 = vmlal_n_s16(vmlal_n_s16(a2, vget_low_s16(t.val[0]), above), vget_low_s16(t.val[1]), below);
      a3 = vmlal_n_s16(vmlal_n_s16(a3, vget_high_s16(t.val[0]), above), vget_high_s16(t.val[1]), below);
    }
    vst1q_s16(out + x, vcombine_s16(vqmovn_s32(vshlq_s32(a0, shift)), vqmovn_s32(vshlq_s32(a1, shift))));
    vst1q_s16(out + x + 8, vcombine_s16(vqmovn_s32(vshlq_s32(a2, shift)), vqmovn_s32(vshlq_s32(a3, shift))));
  }
}

static void horizontal(const cpx_row *row, const int16_t *in, int16_t *out) {
  const int32x4_t rounding = vdupq_n_s32(1 << (row->precision - 1)), shift = vdupq_n_s32(-row->precision);
  for (int32_t x = 0; x < row->count; x++) {
    const int16_t *p = in + (size_t)(row->starts[x] - row->first_column) * 4;
    const int16_t *c = row->coefficients + (size_t)x * row->stride;
    int32x4_t a = rounding, b = vdupq_n_s32(0);
    for (int32_t t = 0; t < row->taps; t += 2, p += 8) {
      const int16x8_t s = vld1q_s16(p);
      a = vmlal_n_s16(a, vget_low_s16(s), c[t]);
      b = vmlal_n_s16(b, vget_high_s16(s), c[t + 1]);
    }
    vst1_s16(out + 4 * (size_t)x, vqmovn_s32(vshlq_s32(vaddq_s32(a, b), shift)));
  }
}

const cpx_wide_kernels cpx_wide_neon = {NULL, interleave, cpx_weigh_portable, vertical, horizontal, 1};
#endif
