#pragma once
#include <stddef.h>
#include <stdint.h>

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

/// A resize of four-byte pixels. Fill in the first part, ask for the size of the workspace, begin, make rows.
typedef struct {
  const uint8_t *source;
  /// Bytes from row to row, at least `4 * source_width`. Nothing behind the last pixel is read.
  size_t source_stride;
  int32_t source_width, source_height;
  /// `vertical.count` rows of `horizontal.count` pixels.
  uint8_t *destination;
  size_t destination_stride;
  cpx_filter horizontal, vertical;
  cpx_alpha alpha;
  cpx_level level;

  /// Private from here on.
  void *workspace;
  int32_t first_column, columns, next_row;
} cpx_resample;

/// Bytes of scratch memory, or 0 when the filters do not match the source.
size_t cpx_resample_workspace_size(cpx_resample *resample);

/// Prepares for the first row. `workspace` is 64-byte aligned and stays valid until the last row is made.
void cpx_resample_begin(cpx_resample *resample, void *workspace);

/// Makes the output rows `first..<last`. Rows are made in ascending order, each once.
void cpx_resample_rows(cpx_resample *resample, int32_t first, int32_t last);

/// Averages cells of `cell_width * cell_height` pixels (fewer at the right and lower edge), rounded to
/// nearest. Straight pixels become premultiplied ones when `premultiply` is set. `sums` holds four numbers per
/// cell of a row. Makes the cell rows `first..<last` of `destination`, whose rows have no padding.
void cpx_reduce_rows(const uint8_t *source, size_t source_stride, int32_t source_width,
                     int32_t source_height, int32_t cell_width, int32_t cell_height, int premultiply,
                     uint8_t *destination, uint64_t *sums, int32_t first, int32_t last);

#include "ccolor.h"
