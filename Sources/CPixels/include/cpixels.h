#pragma once
#include <stddef.h>
#include <stdint.h>
#include "craster.h"
#include "crolling.h"

/// The pixel loops that Swift cannot compile well: whole loops, chosen at run time by what the processor has.
/// All levels produce the same bytes. Those of PNG are in `cpng.h`.

/// Instruction sets, worst to best. A level that the processor lacks falls back to the best one below it.
typedef enum {
  CPX_LEVEL_PORTABLE = 0,
  /// SSE4.1 on x86-64, NEON on arm64.
  CPX_LEVEL_SIMD128 = 1,
  /// AVX2.
  CPX_LEVEL_SIMD256 = 2,
  /// AVX-512 BW, VL and VNNI.
  CPX_LEVEL_SIMD512 = 3,
} cpx_level;

/// The best level of this processor.
cpx_level cpx_best_level(void);

/// One axis of a separable resize: `count` weighted sums of `taps` neighbouring samples.
typedef struct {
  /// Outputs.
  int32_t count;
  /// Samples per output; `starts[i] + taps` never exceeds the source.
  int32_t taps;
  /// Coefficients from one output to the next: `taps` rounded up to a multiple of 16, the rest zero.
  int32_t stride;
  /// Fraction bits: the coefficients of an output sum to exactly `1 << precision`. 1 to 22.
  int32_t precision;
  /// First sample of each output, never decreasing.
  const int32_t *starts;
  /// `count * stride` coefficients, each within -16384...16383.
  const int16_t *coefficients;
} cpx_filter;

/// What to do with alpha.
typedef enum {
  /// All pixels are opaque: four equal channels.
  CPX_ALPHA_OPAQUE = 0,
  /// The source is straight; weigh colours by alpha, deliver straight.
  CPX_ALPHA_STRAIGHT = 1,
  /// The source is premultiplied; deliver straight.
  CPX_ALPHA_PREMULTIPLIED = 2,
} cpx_alpha;

/// What the samples are, and how they are filtered.
typedef enum {
  /// Four bytes a pixel, filtered as they are stored.
  CPX_SAMPLES_8 = 0,
  /// Four bytes a pixel, sRGB and alpha, filtered in linear light of 16 bits.
  CPX_SAMPLES_LINEAR = 1,
  /// Four 16-bit samples a pixel, filtered as they are stored.
  CPX_SAMPLES_16 = 2,
} cpx_samples;

/// Between sRGB bytes and linear light of 16 bits: tables of 256 and of 65,536 entries.
typedef struct {
  const uint16_t *linear;
  const uint8_t *srgb;
} cpx_light;

/// A resize of four-channel pixels. Fill in the first part, ask for the size of the workspace, begin, make rows.
typedef struct {
  /// Row `y` is at `source + (y % source_rows) * source_stride`: a whole picture, or a ring that rows come and go in.
  const uint8_t *source;
  /// Bytes from row to row. Nothing behind the last pixel is read.
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

  /// Private from here on.
  void *workspace;
  int32_t first_column, columns, next_row, span;
} cpx_resample;

/// Output rows that are made together, as far as that many are asked for at a time: their source rows are read once.
enum { cpx_resample_group = 4 };

/// Bytes of scratch memory, or 0 when the filters do not match the source.
size_t cpx_resample_workspace_size(cpx_resample *resample);

/// Prepares for the first row. `workspace` is 64-byte aligned and stays valid until the last row is made.
void cpx_resample_begin(cpx_resample *resample, void *workspace);

/// Makes the output rows `first..<last`. Rows are made in ascending order, each once. The source rows that the filter
/// names have to be there; 16-bit ones in pairs, from an even one on, as far as the picture goes.
void cpx_resample_rows(cpx_resample *resample, int32_t first, int32_t last);

/// A picture to be averaged in cells of `width * height` pixels, fewer at the right and lower edge.
typedef struct {
  const uint8_t *source;
  size_t source_stride;
  int32_t source_width, source_height;
  int32_t width, height;
  /// Whether straight pixels become premultiplied ones.
  int premultiply;
  cpx_samples samples;
  /// For `CPX_SAMPLES_LINEAR`: means of linear light, delivered as sRGB.
  cpx_light light;
  /// A pixel for each cell, without padding.
  uint8_t *destination;
} cpx_cells;

/// Makes the cell rows `first..<last`, rounded to nearest. `sums` holds four numbers per cell of a row.
void cpx_reduce_rows(const cpx_cells *cells, uint64_t *sums, int32_t first, int32_t last);

#include "ccolor.h"
