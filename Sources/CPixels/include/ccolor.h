#pragma once
#include <stddef.h>
#include <stdint.h>
#include "cpixels.h"

/// Loops over rgba8 pixels that look at one pixel at a time. `in` and `out` may be the same; results do not depend on
/// the processor, and levels only say how fast they are made.

/// Looks each sample up. `tables` are four of 256 entries for red, green, blue and alpha, each entry already
/// shifted to its place in a pixel: 0, 8, 16 and 24 bits.
void cpx_color_tables(const uint32_t *tables, const uint8_t *in, uint8_t *out, size_t pixels);

/// A mix of the pixel and one colour, by the pixel's alpha.
typedef struct {
  /// Three tables of 256 entries: what red, green and blue become where the pixel is opaque, in 256ths.
  const uint16_t *tables;
  /// 256 shares of `color` by alpha, in 65536ths.
  const uint32_t *weights;
  /// 256 new alphas.
  const uint8_t *alphas;
  /// Red, green and blue.
  uint8_t color[3];
} cpx_color_mixture;

void cpx_color_mix(const cpx_color_mixture *mixture, const uint8_t *in, uint8_t *out, size_t pixels);

/// Multiplies each pixel by a matrix: four rows, each with the factors of red, green, blue and alpha and a number to
/// add, in levels. Products are summed in this order in single precision, rounded to nearest and clamped. The colours
/// of transparent pixels count as 0.
void cpx_color_matrix(const float *matrix, const uint8_t *in, uint8_t *out, size_t pixels, cpx_level level);

/// Moves colours away from their blurred neighbourhood: adds `amount * (original - blurred)` where that difference is
/// `threshold` or more, rounds to nearest and clamps. Alpha stays as in `original`, and so do transparent pixels. No
/// two of the pictures overlap.
void cpx_sharpen(float amount, int32_t threshold, const uint8_t *original, const uint8_t *blurred, uint8_t *out,
                 size_t pixels, cpx_level level);

/// Adds the sums of red, green and blue, each times alpha, and of alpha to `sums`.
void cpx_color_sums(const uint8_t *in, size_t pixels, uint64_t sums[4]);
