#include "cramp.h"
#include "blend.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

/// Pixels of a row whose shares are computed at a time.
enum { step = 256 };

static inline double clamped(double share) { return share < 0 ? 0 : share > 1 ? 1 : share; }

static inline double share(const cpx_ramp *ramp, size_t x, size_t y) {
  return clamped(ramp->origin + (double)(int64_t)y * ramp->step_y + (double)(int64_t)x * ramp->step_x);
}

static void cover(const uint8_t *restrict in, uint8_t *restrict out, const uint32_t *restrict alphas, size_t count,
                  const uint8_t color[4]) {
  const uint32_t one = 255 * 4096;
  const uint32_t r = color[0], g = color[1], b = color[2];
  for (size_t i = 0; i < count; i++) {
    const uint32_t alpha = alphas[i], rest = one - alpha;
    out[4 * i] = (uint8_t)((r * alpha + in[4 * i] * rest + one / 2) / one);
    out[4 * i + 1] = (uint8_t)((g * alpha + in[4 * i + 1] * rest + one / 2) / one);
    out[4 * i + 2] = (uint8_t)((b * alpha + in[4 * i + 2] * rest + one / 2) / one);
    out[4 * i + 3] = 255;
  }
}

void cpx_gradient_rows(const cpx_gradient *g, size_t first, size_t last) {
  uint32_t alphas[step];
  for (size_t y = first; y < last; y++) {
    for (size_t start = 0; start < g->width; start += step) {
      const size_t count = g->width - start < step ? g->width - start : step;
      const uint8_t *in = g->source + 4 * (y * g->width + start);
      uint8_t *out = g->target + 4 * (y * g->width + start);
      for (size_t i = 0; i < count; i++)
        alphas[i] = (uint32_t)(int32_t)(share(&g->ramp, start + i, y) * g->alpha + 0.5);
      if (g->opaque) {
        cover(in, out, alphas, count, g->color);
        continue;
      }
      memcpy(out, in, 4 * count);
      for (size_t i = 0; i < count; i++) blend(out + 4 * i, g->color, alphas[i]);
    }
  }
}

void cpx_ramp_mix_rows(const cpx_ramp_mix *m, size_t first, size_t last) {
  const uint32_t one = 4096;
  const double from = m->from * m->from, scale = 1 / (m->to * m->to - from);
  for (size_t y = first; y < last; y++) {
    uint8_t *pixel = m->pixels + 4 * y * m->width;
    const uint8_t *other = m->other + 4 * y * m->width;
    for (size_t x = 0; x < m->width; x++, pixel += 4, other += 4) {
      const double reached = share(&m->ramp, x, y);
      const uint32_t part = (uint32_t)(int32_t)(clamped((reached * reached - from) * scale) * one + 0.5);
      if (part == 0) continue;
      if (part == one) {
        memcpy(pixel, other, 4);
        continue;
      }
      if (m->opaque) {
        for (int c = 0; c < 3; c++)
          pixel[c] = (uint8_t)((pixel[c] * (one - part) + other[c] * part + one / 2) / one);
        continue;
      }
      const uint32_t kept = pixel[3] * (one - part), added = other[3] * part, sum = kept + added;
      // Transparent pixels have no colour.
      const uint32_t divisor = sum ? sum : 1;
      for (int c = 0; c < 3; c++) pixel[c] = (uint8_t)((pixel[c] * kept + other[c] * added + sum / 2) / divisor);
      pixel[3] = (uint8_t)((sum + one / 2) / one);
    }
  }
}
