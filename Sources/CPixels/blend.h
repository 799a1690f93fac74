#pragma once
#include <stdint.h>

/// Returns a 255th, rounded to nearest.
static inline uint32_t divided_by_255(uint32_t value) { return (value + 127) / 255; }

/// Composites straight pixels by source-over (Porter and Duff 1984). `alpha` is that of the pixel above, 0 to 255 *
/// 4096.
static inline void blend(uint8_t *below, const uint8_t *above, uint32_t alpha) {
  const uint32_t one = 255 * 4096, rest = one - alpha;
  if (alpha == 0) return;
  if (below[3] == 255) {
    for (int c = 0; c < 3; c++) below[c] = (uint8_t)((above[c] * alpha + below[c] * rest + one / 2) / one);
    return;
  }
  const uint32_t weight_above = alpha * 255, weight_below = below[3] * rest;
  const uint64_t sum = (uint64_t)weight_above + weight_below;
  for (int c = 0; c < 3; c++) {
    const uint64_t value = (uint64_t)above[c] * weight_above + (uint64_t)below[c] * weight_below;
    below[c] = (uint8_t)((value + sum / 2) / sum);
  }
  below[3] = (uint8_t)((sum + one / 2) / one);
}
