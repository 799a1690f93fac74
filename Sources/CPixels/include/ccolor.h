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

/// A function of light, tabulated at numbers that are equally spaced between powers of two: 128 steps to double. The
/// first entry is that of 2^-24, the last but one that of 2^7, and the last the same. Between them it is linear; below
/// and above it is constant.
enum { cpx_light_octaves = 31, cpx_light_steps = 128, cpx_light_count = cpx_light_octaves * cpx_light_steps + 2 };

/// A conversion to sRGB by light. All tables are finite.
typedef struct {
  /// The light of each value of a sample, 0 or more: 256 entries for rgba8, 65,536 for rgba16.
  const float *light;
  /// A function of the luminance of a pixel: the factor of its light. NULL for none.
  const float *luminance_gain;
  /// A function of the largest of red, green and blue in sRGB: the factor of the light that leaves at most 1. NULL for
  /// none: samples are then clipped each on its own. Otherwise, colours outside sRGB lose chroma, and keep hue and
  /// luminance.
  const float *gain;
  /// A function of light in sRGB: the level, from 0 to the largest of a sample.
  const float *levels;
  /// The shares of red, green and blue of the luminance.
  float luminance[3];
  /// Three rows, from light of the source to light of sRGB.
  float matrix[9];
} cpx_light_map;

/// Converts pixels and copies alpha.
void cpx_light_rgba8(const cpx_light_map *conversion, const uint8_t *in, uint8_t *out, size_t pixels, cpx_level level);

/// The same for 16 bits per sample, with `levels` up to 65,535.
void cpx_light_rgba16(const cpx_light_map *conversion, const uint16_t *in, uint16_t *out, size_t pixels,
                        cpx_level level);

/// The same from 16 bits per sample to 8. Alpha is rounded to nearest.
void cpx_light_round(const cpx_light_map *conversion, const uint16_t *in, uint8_t *out, size_t pixels,
                     cpx_level level);

/// Adds the sums of red, green and blue, each times alpha, and of alpha to `sums`.
void cpx_color_sums(const uint8_t *in, size_t pixels, uint64_t sums[4]);
