#include "cgif.h"

void cgif_paint(uint32_t *rgba, const uint8_t *indices, size_t count, const uint32_t *palette) {
  for (size_t i = 0; i < count; i++) rgba[i] = palette[indices[i]];
}

void cgif_paint_over(
    uint32_t *rgba, const uint8_t *indices, size_t count, const uint32_t *palette, uint8_t transparent) {
  for (size_t i = 0; i < count; i++) {
    if (indices[i] != transparent) rgba[i] = palette[indices[i]];
  }
}
