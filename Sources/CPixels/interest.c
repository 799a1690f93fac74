#include "craster.h"
#include <math.h>

#pragma STDC FP_CONTRACT OFF

/// Returns the brightness over mid-grey, so that dark and bright shapes stand out from transparent pixels.
static uint8_t brightness(const uint8_t *p) {
  const uint32_t luma = (77u * p[0] + 150u * p[1] + 29u * p[2] + 128) >> 8;
  return (uint8_t)((luma * p[3] + 128u * (255u - p[3]) + 127) / 255);
}

static int32_t largest(const uint8_t *p) {
  const int32_t a = p[0] > p[1] ? p[0] : p[1];
  return a > p[2] ? a : p[2];
}

static int32_t saturation(const uint8_t *p) {
  const int32_t a = p[0] < p[1] ? p[0] : p[1];
  return largest(p) - (a < p[2] ? a : p[2]);
}

/// Returns the similarity of the hue to that of skin, which all complexions share; 0 for distant hues, and for very
/// dark or bright pixels.
static int32_t skin(const uint8_t *p) {
  const float length = sqrtf((float)(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
  if (largest(p) < 50 || (p[0] > 242 && p[1] > 242 && p[2] > 242)) return 0;
  const float r = p[0] / length - 0.78f, g = p[1] / length - 0.57f, b = p[2] / length - 0.44f;
  const float likeness = 1 - sqrtf(r * r + g * g + b * b);
  return likeness > 0.86f ? (int32_t)((likeness - 0.86f) * (112 / 0.14f)) : 0;
}

/// It weighs less than contrast: a plain surface of a strong colour is more often the background than the subject.
static int32_t colour(const uint8_t *p) { return saturation(p) * 3 / 8 + skin(p); }

void cpx_interest(const uint8_t *pixels, size_t width, size_t height, int attention, uint8_t *luma,
                  uint16_t *interest) {
  const size_t count = width * height;
  uint64_t colours = 0, alphas = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *p = pixels + 4 * i;
    luma[i] = brightness(p);
    colours += (uint64_t)colour(p) * p[3];
    alphas += p[3];
  }
  const int32_t mean = alphas > 0 ? (int32_t)(colours / alphas) : 0;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = luma + y * width;
    const uint8_t *above = y > 0 ? row - width : row, *below = y + 1 < height ? row + width : row;
    for (size_t x = 0; x < width; x++) {
      const int32_t across = row[x + 1 < width ? x + 1 : x] - row[x > 0 ? x - 1 : x];
      const int32_t down = below[x] - above[x];
      const int32_t contrast = (across < 0 ? -across : across) + (down < 0 ? -down : down);
      // Contrasts of noise and soft gradients do not count; one hard edge does not outweigh a rich texture.
      int32_t value = contrast < 12 ? 0 : contrast > 172 ? 160 : contrast - 12;
      const uint8_t *p = pixels + 4 * (y * width + x);
      if (attention) {
        const int32_t excess = colour(p) - mean - 16;
        value += excess > 0 ? excess : 0;
      }
      interest[y * width + x] = (uint16_t)(value * p[3] / 255);
    }
  }
}
