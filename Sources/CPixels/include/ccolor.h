#pragma once
#include <stddef.h>
#include <stdint.h>
#include "cpixels.h"

/// Loops over single rgba8 pixels. `in` and `out` may be the same. Results do not depend on the processor; levels only
/// differ in speed.

/// Looks each sample up. `tables` are four of 256 entries for red, green, blue and alpha, each entry already shifted to
/// its position in a pixel: 0, 8, 16 and 24 bits.
void cpx_color_tables(const uint32_t *tables, const uint8_t *in, uint8_t *out, size_t pixels);

/// A mix of the pixel and one colour, by the pixel's alpha.
typedef struct {
  /// Three tables of 256 entries: the new red, green and blue of opaque pixels, in 256ths.
  const uint16_t *tables;
  /// 256 shares of `color` by alpha, in 65536ths.
  const uint32_t *weights;
  /// 256 new alphas.
  const uint8_t *alphas;
  /// Red, green and blue.
  uint8_t color[3];
} cpx_color_mixture;

void cpx_color_mix(const cpx_color_mixture *mixture, const uint8_t *in, uint8_t *out, size_t pixels);

/// Multiplies each pixel by a matrix: four rows, each with the factors of red, green, blue and alpha and a summand, in
/// levels. Products are summed in this order in single precision, rounded to nearest and clamped. The colours of
/// transparent pixels count as 0.
void cpx_color_matrix(const float *matrix, const uint8_t *in, uint8_t *out, size_t pixels, cpx_level level);

/// Increases the distance of colours from their blurred neighbourhood: adds `amount * (original - blurred)` if that
/// difference is `threshold` or more, rounds to nearest and clamps. Alpha is that of `original`, and transparent pixels
/// are unchanged. The pictures do not overlap.
void cpx_sharpen(float amount, int32_t threshold, const uint8_t *original, const uint8_t *blurred, uint8_t *out,
                 size_t pixels, cpx_level level);

/// Adds the sums of red, green and blue, each times alpha, and of alpha to `sums`.
void cpx_color_sums(const uint8_t *in, size_t pixels, uint64_t sums[4]);
