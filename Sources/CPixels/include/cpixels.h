#pragma once
#include <stddef.h>
#include <stdint.h>
#include "cchroma.h"
#include "cedges.h"
#include "cramp.h"
#include "craster.h"
#include "crolling.h"

/// The pixel loops that Swift cannot compile well: whole loops, selected at run time by the instruction sets of the
/// processor. All levels produce the same bytes. The loops of PNG are in `cpng.h`.

/// The instruction sets in ascending order. A level that the processor lacks falls back to the best one below it.
typedef enum {
  CPX_LEVEL_PORTABLE = 0,
  /// SSE4.1 on x86-64, NEON on arm64.
  CPX_LEVEL_SIMD128 = 1,
  /// AVX2.
  CPX_LEVEL_SIMD256 = 2,
  /// AVX-512 BW, VL and VNNI.
  CPX_LEVEL_SIMD512 = 3,
} cpx_level;

/// Returns the best level of this processor.
cpx_level cpx_best_level(void);

/// One axis of a separable resize: `count` weighted sums of `taps` neighbouring samples.
typedef struct {
  /// The number of outputs.
  int32_t count;
  /// The number of samples per output; `starts[i] + taps` never exceeds the source.
  int32_t taps;
  /// The distance between the coefficients of two outputs: `taps` rounded up to a multiple of 16, the rest zero.
  int32_t stride;
  /// The number of fraction bits, 1 to 22: the coefficients of an output sum to exactly `1 << precision`.
  int32_t precision;
  /// The first sample of each output, never decreasing.
  const int32_t *starts;
  /// `count * stride` coefficients, each within -16384...16383.
  const int16_t *coefficients;
} cpx_filter;

/// The treatment of alpha.
typedef enum {
  /// All pixels are opaque: the four channels are filtered alike.
  CPX_ALPHA_OPAQUE = 0,
  /// The source has straight alpha; colours are weighted by alpha, and the result is straight.
  CPX_ALPHA_STRAIGHT = 1,
  /// The source is premultiplied; the result is straight.
  CPX_ALPHA_PREMULTIPLIED = 2,
} cpx_alpha;

/// The format of the samples, and their filtering.
typedef enum {
  /// Four bytes per pixel, filtered as they are stored.
  CPX_SAMPLES_8 = 0,
  /// Four bytes per pixel, sRGB and alpha, filtered in linear light of 16 bits.
  CPX_SAMPLES_LINEAR = 1,
  /// Four 16-bit samples per pixel, filtered as they are stored.
  CPX_SAMPLES_16 = 2,
  /// One byte per pixel, filtered as it is stored; only with `CPX_ALPHA_OPAQUE`.
  CPX_SAMPLES_GRAY = 3,
} cpx_samples;

/// The conversion between sRGB bytes and linear light of 16 bits: tables of 256 and of 65,536 entries.
typedef struct {
  const uint16_t *linear;
  const uint8_t *srgb;
} cpx_light;

/// A resize of pixels of four channels, or of one. The caller fills in the first part, asks for the size of the workspace, begins, and
/// makes rows.
typedef struct {
  /// Row `y` is at `source + (y % source_rows) * source_stride`: a whole picture, or a ring of rows.
  const uint8_t *source;
  /// The distance between rows, in bytes. No bytes behind the last pixel are read.
  size_t source_stride;
  int32_t source_width, source_height, source_rows;
  /// `vertical.count` rows of `horizontal.count` pixels.
  uint8_t *destination;
  size_t destination_stride;
  cpx_filter horizontal, vertical;
  cpx_alpha alpha;
  cpx_samples samples;
  /// For `CPX_SAMPLES_LINEAR`.
  cpx_light light;
  cpx_level level;

  /// The fields from here on are private.
  void *workspace;
  int32_t first_column, columns, next_row, span;
} cpx_resample;

/// Output rows of a group, if that many are requested at a time: their source rows are read once.
enum { cpx_resample_group = 4 };

/// Returns the bytes of scratch memory, or 0 if the filters do not match the source.
size_t cpx_resample_workspace_size(cpx_resample *resample);

/// Prepares for the first row. `workspace` is 64-byte aligned and stays valid until the last row is made.
void cpx_resample_begin(cpx_resample *resample, void *workspace);

/// Makes the output rows `first..<last`, in ascending order, each once. The source rows of the filter have to be
/// present; 16-bit ones in pairs, from an even one on, up to the end of the picture.
void cpx_resample_rows(cpx_resample *resample, int32_t first, int32_t last);

/// The averages of a picture in cells of `width * height` pixels, fewer at the right and lower edge.
typedef struct {
  const uint8_t *source;
  size_t source_stride;
  int32_t source_width, source_height;
  int32_t width, height;
  /// True to convert straight pixels to premultiplied ones.
  int premultiply;
  cpx_samples samples;
  /// For `CPX_SAMPLES_LINEAR`: means of linear light, delivered as sRGB.
  cpx_light light;
  /// One pixel for each cell, without padding.
  uint8_t *destination;
} cpx_cells;

/// Makes the cell rows `first..<last`, rounded to nearest. `sums` holds four numbers per cell of a row.
void cpx_reduce_rows(const cpx_cells *cells, uint64_t *sums, int32_t first, int32_t last);

#include "ccolor.h"
