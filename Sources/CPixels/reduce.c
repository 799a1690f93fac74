#include "cpixels.h"
#include <string.h>

/// Returns the value of a sample: a byte as it is or as linear light, or a word.
static inline uint32_t sample(const uint8_t *p, size_t i, cpx_samples samples, const uint16_t *linear) {
  switch (samples) {
  case CPX_SAMPLES_16: return ((const uint16_t *)(const void *)p)[i];
  case CPX_SAMPLES_LINEAR: return linear[p[i]];
  default: return p[i];
  }
}

/// Adds a row to the sums of a row of cells, four for each.
static inline __attribute__((always_inline)) void add_row(
    const uint8_t *p, int32_t width, int32_t cell_width, int premultiply, cpx_samples samples,
    const uint16_t *linear, uint64_t *sum) {
  const size_t pixel = samples == CPX_SAMPLES_16 ? 8 : 4;
  for (int32_t left = width; left > 0; sum += 4) {
    const int32_t count = left < cell_width ? left : cell_width;
    left -= count;
    uint64_t s[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < count; i++, p += pixel) {
      const uint64_t alpha = samples == CPX_SAMPLES_16 ? sample(p, 3, samples, linear) : p[3];
      for (size_t c = 0; c < 3; c++) s[c] += sample(p, c, samples, linear) * (premultiply ? alpha : 1);
      s[3] += alpha;
    }
    for (int c = 0; c < 4; c++) sum[c] += s[c];
  }
}

void cpx_reduce_rows(const cpx_cells *cells, uint64_t *sums, int32_t first, int32_t last) {
  const cpx_cells *r = cells;
  const size_t across = ((size_t)r->source_width - 1) / (size_t)r->width + 1;
  for (int32_t row = first; row < last; row++) {
    const int64_t top = (int64_t)row * r->height;
    const int64_t bottom = top + r->height < r->source_height ? top + r->height : r->source_height;
    memset(sums, 0, across * 4 * sizeof *sums);
    for (int64_t y = top; y < bottom; y++) {
      const uint8_t *p = r->source + (size_t)y * r->source_stride;
      // Each kind has its own compiled loop.
      if (r->samples == CPX_SAMPLES_16)
        add_row(p, r->source_width, r->width, r->premultiply, CPX_SAMPLES_16, NULL, sums);
      else if (r->samples == CPX_SAMPLES_LINEAR)
        add_row(p, r->source_width, r->width, r->premultiply, CPX_SAMPLES_LINEAR, r->light.linear, sums);
      else
        add_row(p, r->source_width, r->width, r->premultiply, CPX_SAMPLES_8, NULL, sums);
    }
    const uint64_t full = r->samples == CPX_SAMPLES_16 ? 65535 : 255;
    for (size_t cell = 0; cell < across; cell++) {
      const uint64_t rest = (uint64_t)r->source_width - (uint64_t)cell * (uint64_t)r->width;
      const uint64_t count = (uint64_t)(bottom - top) * (rest < (uint64_t)r->width ? rest : (uint64_t)r->width);
      const uint64_t divisor = r->premultiply ? count * full : count;
      const size_t target = ((size_t)row * across + cell) * 4;
      for (size_t c = 0; c < 4; c++) {
        const uint64_t by = c < 3 ? divisor : count;
        const uint64_t mean = (sums[4 * cell + c] + by / 2) / by;
        if (r->samples == CPX_SAMPLES_16) ((uint16_t *)(void *)r->destination)[target + c] = (uint16_t)mean;
        else if (r->samples == CPX_SAMPLES_LINEAR && c < 3) r->destination[target + c] = r->light.srgb[mean];
        else r->destination[target + c] = (uint8_t)mean;
      }
    }
  }
}
