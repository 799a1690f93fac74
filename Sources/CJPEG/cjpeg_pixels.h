#ifndef CJPEG_PIXELS_H
#define CJPEG_PIXELS_H

#include "cjpeg.h"

// The first half of an encoder: pixels to coefficients of the discrete cosine transform.

// The fraction of coefficients in arrays: they are multiples of 1/16 there.
enum { CJPEG_FRACTION = 16 };

// A component of a picture: luma, Cb or Cr.
typedef struct {
  size_t columns, rows;  // of blocks
  int horizontal, vertical;  // sampling factors
} cjpeg_plane;

// The size of a picture in units that hold one block of chroma each, and of their luma in blocks.
typedef struct {
  int count;  // of components: 1 or 3
  size_t units_across, units_down;
  cjpeg_plane planes[3];
} cjpeg_layout;

cjpeg_layout cjpeg_layout_of(const cjpeg_picture *);

// Returns the bytes of memory for `cjpeg_transform`.
size_t cjpeg_transform_memory(const cjpeg_layout *);

// Transforms a row of units. `rgbx` are its rows of pixels, four bytes each, or one for grey; those below the picture repeat the
// last one. `blocks` are, for each component, its rows of blocks, with `columns` blocks of 64 coefficients in natural order.
void cjpeg_transform(
  const cjpeg_layout *, uint32_t width, int is_gray, const uint8_t *const *rows, float *memory,
  int16_t *const blocks[3][4]);

#endif
