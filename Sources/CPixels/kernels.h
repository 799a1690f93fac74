#pragma once
#include "cpixels.h"
#include <string.h>

/// Fraction bits of the samples between the passes of 8-bit pictures. Samples are signed, so that the second pass
/// receives the overshoot of the first.
enum { cpx_fraction = 6 };

/// One output row of the vertical pass.
typedef struct {
  /// `padded` rows of `bytes` bytes each; those from `taps` on repeat the last and have zero weight.
  const uint8_t *const *rows;
  size_t bytes;
  /// `padded` coefficients.
  const int16_t *coefficients;
  /// Scratch memory of `2 * padded / 4` words, for kernels that rearrange the coefficients.
  uint32_t *scratch;
  int32_t taps, padded, precision;
} cpx_column;

/// The horizontal pass, identical for all rows. Results are the sums without `precision` bits, saturated.
typedef struct {
  const int32_t *starts;
  /// Subtracted from `starts`: the column of the source at which the row begins.
  int32_t first_column;
  const int16_t *coefficients;
  int32_t count, taps, stride, precision;
} cpx_row;

/// Kernels for bytes. Their horizontal pass is that of 16-bit samples.
typedef struct {
  /// Sums with `cpx_fraction` bits of fraction.
  void (*vertical)(const cpx_column *column, int16_t *out);
  void (*premultiply)(const uint8_t *in, uint8_t *out, size_t pixels);
} cpx_kernels;

/// One output row of the vertical pass over 16-bit samples. Samples are biased: stored as value - 32768, to suit dot
/// products of signed words; weights that sum to one carry the bias over to the result.
typedef struct {
  /// `count` pairs of rows, the two samples of a column side by side in a word, in the order of the level.
  const uint32_t *const *pairs;
  /// `count` words of two coefficients each.
  const uint32_t *factors;
  int32_t count, precision;
  /// A multiple of `cpx_wide_block`.
  size_t samples;
} cpx_wide_column;

enum { cpx_wide_block = 64 };

/// Kernels for 16-bit samples.
typedef struct {
  /// Converts two rows of sRGB and straight alpha to a pair of rows of linear light, premultiplied if `weighs`. NULL if
  /// table look-ups one by one are as fast.
  void (*load_pair)(const uint8_t *a, const uint8_t *b, uint32_t *out, size_t pixels, const uint16_t *linear,
                    int weighs);
  /// Interleaves two rows to a pair of rows. `samples` is a multiple of `cpx_wide_block`.
  void (*interleave)(const int16_t *a, const int16_t *b, uint32_t *out, size_t samples);
  /// Premultiplies a pair of rows: colours times alpha / 65535, rounded to nearest. `samples` is a multiple of
  /// `cpx_wide_block`.
  void (*weigh)(uint32_t *pair, size_t samples);
  void (*vertical)(const cpx_wide_column *column, int16_t *out);
  /// Filters a row. The input has 128 bytes of slack behind its last pixel.
  void (*horizontal)(const cpx_row *row, const int16_t *in, int16_t *out);
  /// The pixels that are side by side in a vector of the level. Of twice as many pixels, a pair of rows has those of even
  /// places first.
  size_t lanes;
} cpx_wide_kernels;

/// Returns the kernels of the level; `cpx_best_level` has none better.
const cpx_wide_kernels *cpx_wide_kernels_of(cpx_level level);

/// Filters a row of one channel. The input has 32 bytes of slack behind its last sample.
void cpx_gray_horizontal(cpx_level level, const cpx_row *row, const int16_t *in, int16_t *out);

/// Bytes of a row of the vertical pass that are made for all rows of a group before the next ones: few enough for their
/// source samples to stay in the first-level cache.
enum { cpx_tile = 512 };

/// Returns the end of the tile that begins at `start`. No tile is shorter than a whole one, unless the row is.
static inline size_t cpx_tile_end(size_t start, size_t total, size_t tile) {
  return total - start < 2 * tile ? total : start + tile;
}

/// Returns the channels of a pixel.
static inline size_t cpx_channels(const cpx_resample *r) { return r->samples == CPX_SAMPLES_GRAY ? 1 : 4; }

/// Returns true if samples are filtered as bytes.
static inline int cpx_has_bytes(const cpx_resample *r) {
  return r->samples == CPX_SAMPLES_8 || r->samples == CPX_SAMPLES_GRAY;
}

/// The driver for `CPX_SAMPLES_LINEAR` and `CPX_SAMPLES_16`, as declared in cpixels.h.
size_t cpx_wide_workspace_size(const cpx_resample *r);
void cpx_wide_begin(cpx_resample *r);
void cpx_wide_rows(cpx_resample *r, int32_t first, int32_t last);

static inline const uint8_t *cpx_source_row(const cpx_resample *r, int32_t y) {
  return r->source + (size_t)(y % r->source_rows) * r->source_stride;
}

/// Reserves `count * size` bytes at the end of a workspace, 64-byte aligned. Returns false on overflow.
static inline int cpx_reserve(size_t *total, size_t *offset, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, 63, &bytes)) return 0;
  *offset = *total;
  return !__builtin_add_overflow(*total, bytes & ~(size_t)63, total);
}

extern const cpx_kernels cpx_portable;
#if defined(__x86_64__)
extern const cpx_kernels cpx_sse41, cpx_avx2, cpx_vnni;
#elif defined(__aarch64__)
extern const cpx_kernels cpx_neon;
#endif

static inline uint8_t cpx_clamp(int32_t value) {
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static inline int16_t cpx_narrowed(int32_t value) {
  return value < -32768 ? -32768 : value > 32767 ? 32767 : (int16_t)value;
}

/// c = 128 * high + low with high in -128...127 and low in 0...127: two 8-bit factors for dot products of
/// unsigned by signed bytes. Exact.
static inline uint8_t cpx_split_low(int16_t c) { return (uint8_t)(c & 127); }
static inline uint8_t cpx_split_high(int16_t c) { return (uint8_t)(c >> 7); }

/// Loops over the offsets x = 0, width, 2 * width and so on below `bytes`; the last is moved back to end at `bytes`, so
/// that the loop does not exceed it and makes some bytes twice. Requires `bytes >= width`.
#define CPX_FOR_CHUNKS(x, bytes, width) \
  for (size_t x = 0, _end = (bytes); x < _end; \
       x = x + (width) == _end ? _end : x + 2 * (width) <= _end ? x + (width) : _end - (width))
