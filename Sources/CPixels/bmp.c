#include "cbmp.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// The order of whole bytes; any other word is taken apart by its masks.
enum { ORDER_ANY, ORDER_BGR, ORDER_BGRX, ORDER_BGRA };

/// Returns the byte of a field: its upper eight bits, or its bits repeated until there are eight.
static uint8_t repeated(uint32_t value, unsigned bits) {
  if (bits >= 8) return (uint8_t)(value >> (bits - 8));
  uint32_t all = value;
  unsigned count = bits;
  for (; count < 8; count += bits) all = all << bits | value;
  return (uint8_t)(all >> (count - 8));
}

void cbmp_fields_init(cbmp_fields *fields, int bits_per_pixel, const uint32_t *masks, int rounds_down) {
  memset(fields, 0, sizeof *fields);
  fields->bytes = (uint8_t)(bits_per_pixel / 8);
  for (int c = 0; c < 4; c++) {
    const uint32_t mask = masks[c];
    fields->masks[c] = mask;
    if (mask == 0) {
      fields->table[c][0] = c == 3 ? 255 : 0;
      continue;
    }
    fields->shifts[c] = (uint8_t)__builtin_ctz(mask);
    fields->bits[c] = (uint8_t)__builtin_popcount(mask);
    if (fields->bits[c] > 8) continue;
    const unsigned most = (1u << fields->bits[c]) - 1;
    for (unsigned v = 0; v <= most; v++)
      fields->table[c][v] = rounds_down ? (uint8_t)(v * 255 / most) : repeated(v, fields->bits[c]);
  }
  const int is_bgr = masks[0] == 0xff0000 && masks[1] == 0xff00 && masks[2] == 0xff;
  if (is_bgr && bits_per_pixel == 24 && masks[3] == 0) fields->order = ORDER_BGR;
  if (is_bgr && bits_per_pixel == 32 && masks[3] == 0) fields->order = ORDER_BGRX;
  if (is_bgr && bits_per_pixel == 32 && masks[3] == 0xff000000u) fields->order = ORDER_BGRA;
}

#if defined(__x86_64__)
#define SSE41 __attribute__((target("sse4.1")))

SSE41 static size_t bgr_sse41(const uint8_t *row, uint8_t *out, size_t width) {
  const __m128i spread = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m128i opaque = _mm_set1_epi32((int)0xff000000u);
  size_t x = 0;
  // Sixteen bytes are loaded for twelve.
  for (; x + 6 <= width; x += 4) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(row + 3 * x));
    _mm_storeu_si128((__m128i *)(out + 4 * x), _mm_or_si128(_mm_shuffle_epi8(v, spread), opaque));
  }
  return x;
}

SSE41 static size_t bgra_sse41(const uint8_t *row, uint8_t *out, size_t width, int has_alpha) {
  const __m128i swap = _mm_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
  const __m128i opaque = _mm_set1_epi32(has_alpha ? 0 : (int)0xff000000u);
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(row + 4 * x));
    _mm_storeu_si128((__m128i *)(out + 4 * x), _mm_or_si128(_mm_shuffle_epi8(v, swap), opaque));
  }
  return x;
}
#endif

static void by_masks(const cbmp_fields *fields, const uint8_t *row, uint8_t *out, size_t width) {
  const unsigned bytes = fields->bytes;
  for (size_t x = 0; x < width; x++, row += bytes) {
    uint32_t word = 0;
    for (unsigned i = 0; i < bytes; i++) word |= (uint32_t)row[i] << (8 * i);
    for (int c = 0; c < 4; c++) {
      const uint32_t value = (word & fields->masks[c]) >> fields->shifts[c];
      out[4 * x + (size_t)c] =
          fields->bits[c] <= 8 ? fields->table[c][value] : repeated(value, fields->bits[c]);
    }
  }
}

void cbmp_expand(const cbmp_fields *fields, const uint8_t *row, uint8_t *out, size_t width, cpx_level level) {
  size_t x = 0;
  switch (fields->order) {
    case ORDER_BGR:
#if defined(__x86_64__)
      if (level >= CPX_LEVEL_SIMD128) x = bgr_sse41(row, out, width);
#endif
      for (; x < width; x++) {
        const uint8_t pixel[4] = {row[3 * x + 2], row[3 * x + 1], row[3 * x], 255};
        memcpy(out + 4 * x, pixel, 4);
      }
      break;
    case ORDER_BGRX:
    case ORDER_BGRA:
#if defined(__x86_64__)
      if (level >= CPX_LEVEL_SIMD128) x = bgra_sse41(row, out, width, fields->order == ORDER_BGRA);
#endif
      for (; x < width; x++) {
        const uint8_t alpha = fields->order == ORDER_BGRA ? row[4 * x + 3] : 255;
        const uint8_t pixel[4] = {row[4 * x + 2], row[4 * x + 1], row[4 * x], alpha};
        memcpy(out + 4 * x, pixel, 4);
      }
      break;
    default: by_masks(fields, row, out, width); break;
  }
  (void)level;
}
