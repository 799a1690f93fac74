#pragma once
#include "cpixels.h"
#include <string.h>

/// One output row of the vertical pass.
typedef struct {
  /// `padded` rows of `bytes` bytes each; those from `taps` on repeat the last and weigh nothing.
  const uint8_t *const *rows;
  size_t bytes;
  /// `padded` coefficients.
  const int16_t *coefficients;
  /// Room for `2 * padded / 4` words, for kernels that rearrange the coefficients.
  uint32_t *scratch;
  int32_t taps, padded, precision;
} cpx_column;

/// The horizontal pass: the same for all rows.
typedef struct {
  const int32_t *starts;
  /// Subtracted from `starts`: the column of the source that the row begins with.
  int32_t first_column;
  const int16_t *coefficients;
  /// `split(coefficients)`: per 16 taps, 16 high and 16 low bytes. Only for `CPX_LEVEL_SIMD512`.
  const uint8_t *split;
  int32_t count, taps, stride, precision;
} cpx_row;

/// The row that `horizontal` reads has 128 bytes of slack behind its last pixel.
typedef struct {
  void (*vertical)(const cpx_column *column, uint8_t *out);
  void (*horizontal)(const cpx_row *row, const uint8_t *in, uint8_t *out);
  void (*premultiply)(const uint8_t *in, uint8_t *out, size_t pixels);
} cpx_kernels;

extern const cpx_kernels cpx_portable;
#if defined(__x86_64__)
extern const cpx_kernels cpx_sse41, cpx_avx2, cpx_vnni;
#elif defined(__aarch64__)
extern const cpx_kernels cpx_neon;
#endif

static inline uint8_t cpx_clamp(int32_t value) {
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

/// c = 128 * high + low with high in -128...127 and low in 0...127: two 8-bit factors for dot products of
/// unsigned by signed bytes. Exact.
static inline uint8_t cpx_split_low(int16_t c) { return (uint8_t)(c & 127); }
static inline uint8_t cpx_split_high(int16_t c) { return (uint8_t)(c >> 7); }

/// Loops over the offsets x = 0, width, 2 * width and so on below `bytes`; the last is moved back to end at
/// `bytes`, so that nothing behind is touched and some bytes are made twice. Needs `bytes >= width`.
#define CPX_FOR_CHUNKS(x, bytes, width) \
  for (size_t x = 0, _end = (bytes); x < _end; \
       x = x + (width) == _end ? _end : x + 2 * (width) <= _end ? x + (width) : _end - (width))
