#include "cpng.h"
#include <string.h>

#if defined(__x86_64__)
size_t cpng_rgb_sse41(const uint8_t *in, uint8_t *out, size_t width);
#endif

static inline uint16_t big(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

/// Returns the nearest byte to v / 257.
static inline uint8_t narrow(uint16_t v) { return (uint8_t)(((uint32_t)v * 255 + 32895) >> 16); }

void cpng_pixels_init(cpng_pixels *pixels, int color_type, int depth, cpng_target target, const uint8_t *palette,
                      size_t colors, const uint8_t *transparency, size_t transparency_bytes) {
  memset(pixels, 0, sizeof *pixels);
  pixels->color_type = (uint8_t)color_type;
  pixels->depth = (uint8_t)depth;
  pixels->target = (uint8_t)target;
  const int channels = color_type == 0 ? 1 : color_type == 2 ? 3 : 0;
  if (channels > 0 && transparency_bytes >= 2 * (size_t)channels) {
    pixels->has_key = 1;
    // Only as many bits of a sample count as the image has (11.3.1.1).
    for (int i = 0; i < channels; i++)
      pixels->key[i] = (uint16_t)(big(transparency + 2 * i) & ((1u << depth) - 1));
  }
  if (depth > 8) return;
  const unsigned most = (1u << depth) - 1;
  for (unsigned i = 0; i < 256; i++) {
    uint8_t *entry = pixels->table[i];
    entry[3] = 255;
    if (color_type == 3) {
      if (i < colors) memcpy(entry, palette + 3 * i, 3);
      if (i < colors && i < transparency_bytes) entry[3] = transparency[i];
    } else if (i <= most) {
      entry[0] = entry[1] = entry[2] = (uint8_t)(i * 255 / most);
      if (pixels->has_key && i == pixels->key[0]) entry[3] = 0;
    }
  }
}

static void by_table(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, int depth) {
  if (depth == 8) {
    for (size_t x = 0; x < width; x++) memcpy(out + 4 * x, pixels->table[row[x]], 4);
    return;
  }
  const unsigned most = (1u << depth) - 1, per_byte = 8u / (unsigned)depth;
  for (size_t x = 0; x < width;) {
    // The byte is read before its pixels can overwrite it.
    const unsigned byte = *row++;
    for (unsigned i = 1; i <= per_byte && x < width; i++, x++)
      memcpy(out + 4 * x, pixels->table[byte >> (8 - i * (unsigned)depth) & most], 4);
  }
}

static void gray8(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, int depth) {
  if (depth == 8) {
    memmove(out, row, width);
    return;
  }
  const unsigned most = (1u << depth) - 1, per_byte = 8u / (unsigned)depth;
  for (size_t x = 0; x < width;) {
    const unsigned byte = *row++;
    for (unsigned i = 1; i <= per_byte && x < width; i++, x++)
      out[x] = pixels->table[byte >> (8 - i * (unsigned)depth) & most][0];
  }
}

static void rgb8(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, cpx_level level) {
  size_t x = 0;
  if (pixels->has_key) {
    const uint16_t *key = pixels->key;
    for (; x < width; x++) {
      const uint8_t r = row[3 * x], g = row[3 * x + 1], b = row[3 * x + 2];
      const uint8_t pixel[4] = {r, g, b, r == key[0] && g == key[1] && b == key[2] ? 0 : 255};
      memcpy(out + 4 * x, pixel, 4);
    }
    return;
  }
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD128) x = cpng_rgb_sse41(row, out, width);
#endif
  (void)level;
  for (; x < width; x++) {
    const uint8_t pixel[4] = {row[3 * x], row[3 * x + 1], row[3 * x + 2], 255};
    memcpy(out + 4 * x, pixel, 4);
  }
}

static void gray_alpha8(const uint8_t *row, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++) {
    const uint8_t v = row[2 * x], pixel[4] = {v, v, v, row[2 * x + 1]};
    memcpy(out + 4 * x, pixel, 4);
  }
}

/// Expands samples of 16 bits. The color type is a constant after inlining.
static inline void wide(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, int type) {
  const int channels = type == 0 ? 1 : type == 2 ? 3 : type == 4 ? 2 : 4, is_gray = type == 0 || type == 4;
  const int has_key = pixels->has_key;
  const uint16_t *key = pixels->key;
  const int narrows = pixels->target != CPNG_RGBA16;
  for (size_t x = 0; x < width; x++, row += 2 * channels) {
    uint16_t s[4];
    s[0] = big(row);
    s[1] = is_gray ? s[0] : big(row + 2);
    s[2] = is_gray ? s[0] : big(row + 4);
    s[3] = type >= 4 ? big(row + 2 * (channels - 1)) : 0xffff;
    if (has_key && s[0] == key[0] && (is_gray || (s[1] == key[1] && s[2] == key[2]))) s[3] = 0;
    if (narrows) {
      const uint8_t pixel[4] = {narrow(s[0]), narrow(s[1]), narrow(s[2]), narrow(s[3])};
      memcpy(out + 4 * x, pixel, 4);
    } else {
      memcpy(out + 8 * x, s, 8);
    }
  }
}

void cpng_expand(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, cpx_level level) {
  const int depth = pixels->depth;
  if (depth == 16) {
    switch (pixels->color_type) {
      case 0: wide(pixels, row, out, width, 0); break;
      case 2: wide(pixels, row, out, width, 2); break;
      case 4: wide(pixels, row, out, width, 4); break;
      default: wide(pixels, row, out, width, 6); break;
    }
    return;
  }
  if (pixels->target == CPNG_GRAY8) {
    gray8(pixels, row, out, width, depth);
    return;
  }
  switch (pixels->color_type) {
    case 0:
    case 3: by_table(pixels, row, out, width, depth); break;
    case 2: rgb8(pixels, row, out, width, level); break;
    case 4: gray_alpha8(row, out, width); break;
    default: memmove(out, row, 4 * width); break;
  }
}
