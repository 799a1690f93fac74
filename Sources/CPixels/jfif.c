#include "cplanes.h"

// JFIF 1.02: the matrix of BT.601 in the full range, in fixed point of 16 bits.
static inline __attribute__((always_inline)) void convert(
    const uint8_t *restrict luma, const uint8_t *restrict blue, const uint8_t *restrict red, uint8_t *restrict pixels,
    size_t count) {
  enum { half = 1 << 15 };
  for (size_t i = 0; i < count; i++) {
    const int32_t y = luma[i], u = blue[i] - 128, v = red[i] - 128;
    int32_t r = y + ((91881 * v + half) >> 16);
    int32_t g = y + ((-22554 * u - 46802 * v + half) >> 16);
    int32_t b = y + ((116130 * u + half) >> 16);
    r = r < 0 ? 0 : r > 255 ? 255 : r;
    g = g < 0 ? 0 : g > 255 ? 255 : g;
    b = b < 0 ? 0 : b > 255 ? 255 : b;
    const uint32_t pixel = (uint32_t)r | (uint32_t)g << 8 | (uint32_t)b << 16 | 0xFF000000u;
    __builtin_memcpy(pixels + 4 * i, &pixel, 4);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void convert_avx2(
    const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t count) {
  convert(luma, blue, red, pixels, count);
}
#endif

void cpx_jfif_convert(
    const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t count, cpx_level level) {
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD256 && cpx_best_level() >= CPX_LEVEL_SIMD256) {
    convert_avx2(luma, blue, red, pixels, count);
    return;
  }
#else
  (void)level;
#endif
  convert(luma, blue, red, pixels, count);
}
