#pragma once
#include <stddef.h>
#include <stdint.h>

/// The pixel loops of steps that sharpen edges. Pixels are four bytes: red, green, blue and straight alpha; rows have no
/// padding. Alpha and transparent pixels stay, and transparent neighbours do not count. Functions make rows
/// `first..<last` of the target. No result depends on the processor.

/// An unsharp mask of eight neighbours. Beyond the edges, the outermost pixels are repeated.
typedef struct {
  const uint8_t *source;
  uint8_t *target;
  size_t width, height;
  /// The factor of the difference from each neighbour.
  float factor;
  /// True if all pixels are opaque.
  int opaque;
} cpx_neighbours;

void cpx_neighbour_rows(const cpx_neighbours *mask, size_t first, size_t last);

/// A sharpening of the lightness of CIELAB, which leaves both other coordinates as they are. Beyond the edges, the
/// outermost pixels are repeated.
typedef struct {
  const uint8_t *source;
  uint8_t *target;
  size_t width, height;
  /// Light of 16 bits by sRGB byte: 256 entries.
  const uint16_t *linear;
  /// The sRGB byte of light of 16 bits: 65,536 entries.
  const uint8_t *srgb;
  /// The function f of CIELAB of light of 16 bits, in 65535ths: 65,536 entries.
  const float *roots;
  /// The weights of the blur, `2 * radius + 1`; they sum to 1.
  const float *weights;
  size_t radius;
  /// Differences of lightness up to `threshold` are ignored; beyond it, they are multiplied by `slope` and added, no
  /// more than `brighten` and no less than `-darken`.
  float threshold, slope, brighten, darken;
  /// True if all pixels are opaque.
  int opaque;
  /// The columns that are made: at most `cpx_lightness_columns`.
  size_t left, columns;
  /// Scratch of `cpx_lightness_scratch` floats.
  float *scratch;
  /// The rows of the source that have been read; 0 at first.
  size_t next_row;
} cpx_lightness;

enum { cpx_lightness_columns = 2048 };

/// Returns the number of floats of scratch. The radius is below 2^16.
size_t cpx_lightness_scratch(const cpx_lightness *lightness);

/// Makes rows of the columns; calls go on from each other, from row 0.
void cpx_lightness_rows(cpx_lightness *lightness, size_t first, size_t last);
