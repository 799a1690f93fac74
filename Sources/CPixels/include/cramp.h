#pragma once
#include <stddef.h>
#include <stdint.h>

/// The pixel loops of steps that grow across a picture. Pixels are four bytes: red, green, blue and straight alpha; rows
/// have no padding. Functions make rows `first..<last` of the target. No result depends on the processor.

/// A transition across a picture: the share of the pixel at (x, y) is `origin + x * step_x + y * step_y`, limited to
/// 0...1.
typedef struct {
  double origin, step_x, step_y;
} cpx_ramp;

/// A colour over a picture, whose alpha grows.
typedef struct {
  const uint8_t *source;
  uint8_t *target;
  size_t width;
  cpx_ramp ramp;
  uint8_t color[4];
  /// The alpha where the share is 1, 0 to 255 * 4096.
  uint32_t alpha;
  /// True if all pixels of the source are opaque.
  int opaque;
} cpx_gradient;

void cpx_gradient_rows(const cpx_gradient *gradient, size_t first, size_t last);

/// A mix of a picture with another one of its size, in place, by their visible shares.
///
/// The part of the other grows from 0 to 1 with the square of the share of the ramp, between those of `from` and `to`:
/// the variances of two blurs then mix to that of the blur between them.
typedef struct {
  uint8_t *pixels;
  const uint8_t *other;
  size_t width;
  cpx_ramp ramp;
  /// Shares, 0 to 1; `from` is less than `to`.
  double from, to;
  /// True if all pixels of both are opaque.
  int opaque;
} cpx_ramp_mix;

void cpx_ramp_mix_rows(const cpx_ramp_mix *mix, size_t first, size_t last);
