#pragma once
#include "cpixels.h"

/// The loop of BMP pixels without a palette: little-endian words of 16, 24 or 32 bits with a field for each channel. All
/// levels produce the same bytes.

/// The conversion of words to RGBA. `cbmp_fields_init` initialises it.
typedef struct {
  /// Red, green, blue and alpha.
  uint32_t masks[4];
  uint8_t shifts[4], bits[4];
  /// The channel of each value of a field of at most 8 bits.
  uint8_t table[4][256];
  uint8_t bytes, order;
} cbmp_fields;

/// Prepares for words of 16, 24 or 32 bits. The bits of each mask are adjacent; a colour without a mask is 0, and pixels
/// without an alpha mask are opaque. The bits of a field are repeated until there are eight; with `rounds_down`, fields
/// are multiples of 255 divided by their maximum.
void cbmp_fields_init(cbmp_fields *fields, int bits_per_pixel, const uint32_t *masks, int rounds_down);

/// Converts `width` words to pixels. Nothing behind the last word is read, and the buffers do not overlap.
void cbmp_expand(const cbmp_fields *fields, const uint8_t *row, uint8_t *out, size_t width, cpx_level level);
