#include "cchroma.h"

/// The squared distance of four values from their mean, times four.
static inline int32_t spread(int32_t a, int32_t b, int32_t c, int32_t d) {
  const int32_t sum = a + b + c + d;
  return 4 * (a * a + b * b + c * c + d * d) - sum * sum;
}

double cpx_chroma_detail(const uint8_t *pixels, size_t bytes_per_row, uint32_t width, uint32_t height) {
  // Sixteen times the variance, of samples with two bits of fraction.
  const int32_t threshold = 200 * 16 * 16;
  uint64_t detailed = 0;
  for (uint32_t y = 0; y + 1 < height; y += 2) {
    const uint8_t *row = pixels + (size_t)y * bytes_per_row;
    uint32_t count = 0;
    for (uint32_t x = 0; x + 1 < width; x += 2) {
      int32_t cb[4], cr[4];
      for (int i = 0; i < 4; i++) {
        const uint8_t *p = row + (size_t)(i / 2) * bytes_per_row + 4 * ((size_t)x + (size_t)(i & 1));
        const int32_t r = p[0], g = p[1], b = p[2];
        // In 65536ths, times four.
        cb[i] = (-44233 * r - 86839 * g + 131072 * b) >> 16;
        cr[i] = (131072 * r - 109761 * g - 21311 * b) >> 16;
      }
      count += spread(cb[0], cb[1], cb[2], cb[3]) + spread(cr[0], cr[1], cr[2], cr[3]) > threshold;
    }
    detailed += count;
  }
  const uint64_t squares = (uint64_t)(width / 2) * (height / 2);
  return squares == 0 ? 0 : (double)detailed / (double)squares;
}
