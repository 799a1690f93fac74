#pragma once
#include "cpixels.h"

/// The loop of samples of any depth up to 16 bits, interleaved or in planes, as TIFF stores them.

/// The format of the resulting pixels.
typedef enum {
  /// Red, green, blue, alpha, a byte each. Of 16-bit samples the high byte counts; 9 to 15 bits are scaled and rounded.
  /// CMYK becomes RGB by the plain product.
  CSM_RGBA8 = 0,
  /// Red, green, blue, alpha, 16 bits each in the machine's byte order.
  CSM_RGBA16 = 1,
  /// One byte of grey.
  CSM_GRAY8 = 2,
  /// Four inks, a byte each.
  CSM_CMYK8 = 3,
} csm_target;

/// The meaning of samples.
typedef struct {
  /// Bits of a sample: 1 to 16. Those of less than 8, and of 9 to 15, are packed from the highest bit of each byte on.
  uint8_t bits;
  /// The samples that are colours, which come first: 1 (grey or index), 3 (RGB) or 4 (CMYK).
  uint8_t colors;
  /// White is 0. For grey.
  uint8_t is_inverted;
  /// Colours are multiplied by alpha.
  uint8_t is_associated;
  /// Samples of 16 bits are in the other byte order.
  uint8_t is_swapped;
  /// The format of the result.
  uint8_t target;
  /// The index of the alpha sample; -1 for none.
  int32_t alpha;
  /// The number of samples from one pixel to the next in a row: 1 for planes.
  uint32_t step;
  /// The first four bytes in memory of the RGBA pixel of each index, for all values of `bits`; NULL unless samples are
  /// indices.
  const uint32_t *table;
} csm_samples;

/// Converts `width` pixels. `rows` are the rows with the samples of each colour, and at 4 with those of alpha; `firsts`
/// are the indices of the first sample of each in its row: 0 for planes. Nothing behind the last sample is read.
void csm_convert(const csm_samples *samples, const uint8_t *const rows[5], const uint32_t firsts[5], uint8_t *out,
                 size_t width);
