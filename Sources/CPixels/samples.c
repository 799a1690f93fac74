#include "csamples.h"
#include <string.h>

/// Returns a sample; `bits` and `is_swapped` are constants after inlining, or any.
static inline uint32_t sample(const uint8_t *row, size_t index, unsigned bits, int is_swapped) {
  if (bits == 8) return row[index];
  if (bits == 16) {
    uint16_t value;
    memcpy(&value, row + 2 * index, 2);
    return is_swapped ? __builtin_bswap16(value) : value;
  }
  const size_t start = index * bits;
  const uint8_t *first = row + start / 8;
  const unsigned end = (unsigned)(start % 8) + bits;
  uint32_t value = *first;
  unsigned have = 8;
  while (have < end) {
    value = value << 8 | *++first;
    have += 8;
  }
  return value >> (have - end) & ((1u << bits) - 1);
}

/// Returns a sample as a byte.
static inline uint32_t narrow(uint32_t value, unsigned bits) {
  if (bits == 8) return value;
  if (bits == 16) return value >> 8;
  const uint32_t most = (1u << bits) - 1;
  return (value * 255 + most / 2) / most;
}

/// Returns a sample as 16 bits.
static inline uint32_t widen(uint32_t value, unsigned bits) {
  if (bits == 16) return value;
  if (bits == 8) return value * 257;
  const uint32_t most = (1u << bits) - 1;
  return (uint32_t)(((uint64_t)value * 65535 + most / 2) / most);
}

static inline uint32_t divided(uint32_t value, uint32_t alpha, uint32_t most, uint32_t half) {
  if (alpha == 0 || alpha == most) return value;
  const uint64_t straight = ((uint64_t)value * most + half) / alpha;
  return straight < most ? (uint32_t)straight : most;
}

static inline __attribute__((always_inline)) void convert(const csm_samples *s, const uint8_t *const rows[5],
                                                          const uint32_t firsts[5], uint8_t *out, size_t width,
                                                          unsigned bits, int is_swapped, unsigned colors) {
  const int is_wide = s->target == CSM_RGBA16;
  const uint32_t most = is_wide ? 65535 : 255;
  for (size_t x = 0; x < width; x++) {
    uint32_t c[4] = {0, 0, 0, most};
    for (unsigned i = 0; i < colors; i++) {
      const uint32_t value = sample(rows[i], firsts[i] + x * s->step, bits, is_swapped);
      c[i] = is_wide ? widen(value, bits) : narrow(value, bits);
    }
    if (colors == 4) {
      if (s->target == CSM_CMYK8) {
        for (int i = 0; i < 4; i++) out[4 * x + (size_t)i] = (uint8_t)c[i];
        continue;
      }
      const uint32_t light = most - c[3];
      for (int i = 0; i < 3; i++) c[i] = (uint32_t)(((uint64_t)(most - c[i]) * light + most / 2) / most);
      c[3] = most;
    }
    if (colors == 1) {
      if (s->is_inverted) c[0] = most - c[0];
      if (s->target == CSM_GRAY8) {
        out[x] = (uint8_t)c[0];
        continue;
      }
      c[1] = c[2] = c[0];
    }
    if (s->alpha >= 0) {
      const uint32_t value = sample(rows[4], firsts[4] + x * s->step, bits, is_swapped);
      c[3] = is_wide ? widen(value, bits) : narrow(value, bits);
      // Grey is rounded and RGB is cut, as programs do that write and read each of them.
      if (s->is_associated)
        for (int i = 0; i < 3; i++) c[i] = divided(c[i], c[3], most, colors == 1 ? c[3] / 2 : 0);
    }
    if (is_wide) {
      const uint16_t pixel[4] = {(uint16_t)c[0], (uint16_t)c[1], (uint16_t)c[2], (uint16_t)c[3]};
      memcpy(out + 8 * x, pixel, 8);
    } else {
      const uint8_t pixel[4] = {(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2], (uint8_t)c[3]};
      memcpy(out + 4 * x, pixel, 4);
    }
  }
}

static void look_up(const csm_samples *s, const uint8_t *row, uint32_t first, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++)
    memcpy(out + 4 * x, &s->table[sample(row, first + x * s->step, s->bits, s->is_swapped)], 4);
}

void csm_convert(const csm_samples *s, const uint8_t *const rows[5], const uint32_t firsts[5], uint8_t *out,
                 size_t width) {
  if (s->table) return look_up(s, rows[0], firsts[0], out, width);
  switch (s->bits) {
  case 8:
    if (s->colors == 3) return convert(s, rows, firsts, out, width, 8, 0, 3);
    if (s->colors == 1) return convert(s, rows, firsts, out, width, 8, 0, 1);
    return convert(s, rows, firsts, out, width, 8, 0, s->colors);
  case 16:
    if (s->is_swapped) return convert(s, rows, firsts, out, width, 16, 1, s->colors);
    if (s->colors == 3) return convert(s, rows, firsts, out, width, 16, 0, 3);
    return convert(s, rows, firsts, out, width, 16, 0, s->colors);
  default: return convert(s, rows, firsts, out, width, s->bits, 0, s->colors);
  }
}
