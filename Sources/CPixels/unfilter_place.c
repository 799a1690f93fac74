#include "cpng.h"
#include <string.h>

/// Composites source over destination: out = (s * sa * M + d * da * (M - sa)) / (sa * M + da * (M - sa)), to nearest.
static inline void over8(const uint8_t *s, uint8_t *d) {
  const uint32_t sa = s[3], da = d[3];
  if (sa == 0) return;
  if (sa == 255 || da == 0) {
    memcpy(d, s, 4);
    return;
  }
  if (da == 255) {
    // The common case, with a constant divisor.
    for (int i = 0; i < 3; i++) d[i] = (uint8_t)((2 * (s[i] * sa + d[i] * (255 - sa)) + 255) / 510);
    return;
  }
  const uint32_t alpha = sa * 255 + da * (255 - sa);
  for (int i = 0; i < 3; i++) {
    const uint32_t sum = s[i] * sa * 255 + d[i] * da * (255 - sa);
    d[i] = (uint8_t)((2 * sum + alpha) / (2 * alpha));
  }
  d[3] = (uint8_t)((2 * alpha + 255) / 510);
}

static inline void over16(const uint8_t *source, uint8_t *target) {
  uint16_t s[4], d[4];
  memcpy(s, source, 8);
  memcpy(d, target, 8);
  const uint64_t most = 65535, sa = s[3], da = d[3];
  if (sa == 0) return;
  if (sa == most || da == 0) {
    memcpy(target, s, 8);
    return;
  }
  const uint64_t alpha = sa * most + da * (most - sa);
  for (int i = 0; i < 3; i++) {
    const uint64_t sum = s[i] * sa * most + d[i] * da * (most - sa);
    d[i] = (uint16_t)((2 * sum + alpha) / (2 * alpha));
  }
  d[3] = (uint16_t)((2 * alpha + most) / (2 * most));
  memcpy(target, d, 8);
}

void cpng_place(const uint8_t *pixels, uint8_t *out, size_t count, size_t step, int bytes_per_pixel, int over) {
  switch (bytes_per_pixel) {
    case 1:
      for (size_t x = 0; x < count; x++) out[x * step] = pixels[x];
      break;
    case 4:
      if (over) {
        for (size_t x = 0; x < count; x++) over8(pixels + 4 * x, out + 4 * x * step);
      } else if (step == 1) {
        memcpy(out, pixels, 4 * count);
      } else {
        for (size_t x = 0; x < count; x++) memcpy(out + 4 * x * step, pixels + 4 * x, 4);
      }
      break;
    default:
      if (over) {
        for (size_t x = 0; x < count; x++) over16(pixels + 8 * x, out + 8 * x * step);
      } else {
        for (size_t x = 0; x < count; x++) memcpy(out + 8 * x * step, pixels + 8 * x, 8);
      }
      break;
  }
}
