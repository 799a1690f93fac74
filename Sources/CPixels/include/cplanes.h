#pragma once
#include "cpixels.h"
#include <stdbool.h>

/// Planes of luma and chroma, as video codecs deliver them: AV1 for AVIF, HEVC for HEIF.

/// The chroma planes: none, or halved in both directions, in one, or in none.
typedef enum cpx_chroma { CPX_CHROMA_NONE = 0, CPX_CHROMA_420 = 1, CPX_CHROMA_422 = 2, CPX_CHROMA_444 = 3 } cpx_chroma;

/// Planes of one size and depth. Samples of more than 8 bits are of two bytes.
typedef struct cpx_planes {
  uint32_t width, height;
  uint32_t depth;
  cpx_chroma chroma;
  /// Y, U and V; U and V are NULL without chroma.
  uint8_t *data[3];
  size_t stride[3];
} cpx_planes;

/// The colours of samples by code points (ITU-T H.273).
typedef struct cpx_code_points {
  uint16_t primaries, transfer, matrix;
  bool is_full_range;
} cpx_code_points;

/// Returns the width or height of a chroma plane.
static inline uint32_t cpx_chroma_width(cpx_chroma chroma, uint32_t width) {
  return chroma == CPX_CHROMA_NONE ? 0 : chroma == CPX_CHROMA_444 ? width : width / 2 + (width & 1);
}
static inline uint32_t cpx_chroma_height(cpx_chroma chroma, uint32_t height) {
  return chroma == CPX_CHROMA_NONE ? 0 : chroma == CPX_CHROMA_420 ? height / 2 + (height & 1) : height;
}

/// Allocates planes; their contents are zero. Returns false if there is no memory.
bool cpx_planes_allocate(cpx_planes *planes, uint32_t width, uint32_t height, uint32_t depth, cpx_chroma chroma);
/// Frees planes of cpx_planes_allocate.
void cpx_planes_free(cpx_planes *planes);

/// Copies a tile to a place of a canvas of the same depth and chroma; x and y are even. What is outside is cut off.
void cpx_planes_copy(const cpx_planes *tile, const cpx_planes *canvas, uint32_t x, uint32_t y);

/// Averages boxes of divisor × divisor luma samples (2, 4 or 8). The result has the sides divided and rounded up, and
/// chroma at full resolution; it is allocated. Returns false if there is no memory.
bool cpx_planes_shrink(const cpx_planes *planes, uint32_t divisor, cpx_planes *shrunk);

/// Scales luma of the limited range, as of alpha, to the full range; the result has no chroma and is allocated. Returns
/// false if there is no memory.
bool cpx_planes_expand_range(const cpx_planes *planes, cpx_planes *expanded);

/// The conversion of planes to RGB. `cpx_ycc_init` initialises it.
typedef struct cpx_ycc {
  float luma, luma_offset, chroma_offset;
  float red_v, green_u, green_v, blue_u;
  /// Green, blue and red are in the planes.
  bool is_identity;
  uint32_t depth;
} cpx_ycc;

/// Prepares for samples of 8 to 16 bits. Returns false for a matrix that is not known or does not fit the chroma. An
/// unspecified matrix is that of BT.601.
bool cpx_ycc_init(cpx_ycc *conversion, const cpx_code_points *points, uint32_t depth, cpx_chroma chroma);

/// Rows of a picture to convert.
typedef struct cpx_ycc_rows {
  const cpx_planes *color;
  /// Luma is alpha of the full range, at least as large as the part; of any depth. NULL for none.
  const cpx_planes *alpha;
  /// The first column of the part, and its width.
  uint32_t left, width;
  /// The first row in the planes of colour, and in those of alpha.
  uint32_t row, alpha_row;
  uint32_t count;
  /// The colours are multiplied by alpha.
  bool is_premultiplied;
} cpx_ycc_rows;

/// Converts rows to R, G, B and straight alpha of 8 or 16 bits, rounded once. Chroma samples are repeated. All levels
/// produce the same bytes.
void cpx_ycc_convert(
    const cpx_ycc *conversion, const cpx_ycc_rows *rows, uint32_t depth, uint8_t *pixels, size_t stride,
    cpx_level level);

/// Converts planes of bytes, as JFIF 1.02 defines them, to opaque RGBA. All levels produce the same bytes.
void cpx_jfif_convert(
    const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t count, cpx_level level);
