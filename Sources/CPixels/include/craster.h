#pragma once
#include <stddef.h>
#include <stdint.h>

/// The pixel loops of steps that crop, pad, rotate, round and composite pictures. Pixels are four bytes: red, green,
/// blue and straight alpha; rows have no padding. Callers check all sizes. Functions make rows `first..<last` of the
/// target. No result depends on the processor.

/// The colour of edges, and the distance from it.
///
/// The distance of a pixel is the largest difference of a channel, with premultiplied colours. With a ground, pixels are
/// composited over it first.
typedef struct {
  /// Premultiplied; opaque with a ground.
  uint8_t key[4];
  /// The largest distance of pixels that count as equal.
  int32_t tolerance;
  int has_ground;
  uint8_t ground[4];
} cpx_plain;

/// Returns the index of the first pixel whose distance from the key exceeds the tolerance, or `count`.
size_t cpx_first_different(const uint8_t *pixels, size_t count, const cpx_plain *plain);

/// Returns one more than the index of the last pixel whose distance from the key exceeds the tolerance, or 0.
size_t cpx_end_of_different(const uint8_t *pixels, size_t count, const cpx_plain *plain);

/// Premultiplies a colour, rounded to nearest, as the key of a comparison.
void cpx_weigh(const uint8_t pixel[4], uint8_t weighed[4]);

/// The contents of the padding of a picture.
typedef enum {
  CPX_EDGE_COLOR = 0,
  /// The outermost pixels, repeated.
  CPX_EDGE_REPEAT = 1,
  /// The picture mirrored at its edges, repeatedly; the outermost pixels are doubled.
  CPX_EDGE_MIRROR = 2,
} cpx_edge;

/// A picture with padding.
typedef struct {
  const uint8_t *source;
  size_t width, height;
  /// The pixels to the left of the picture and above it.
  size_t left, top;
  uint8_t *target;
  /// At least `left + width`.
  size_t target_width;
  cpx_edge edge;
  uint8_t color[4];
} cpx_pad;

void cpx_pad_rows(const cpx_pad *pad, size_t first, size_t last);

/// Composites pixels over an opaque colour, rounded to nearest.
void cpx_flatten(const uint8_t *source, uint8_t *target, size_t count, const uint8_t color[4]);

/// Composites pixels over a colour with alpha, by source-over (Porter and Duff 1984), rounded to nearest.
void cpx_flatten_translucent(const uint8_t *source, uint8_t *target, size_t count, const uint8_t color[4]);

/// Mixes two pictures of one size, by their visible shares: neither shows through the other. `progress` is 0 (only
/// `from`) to 4096 (only `to`).
void cpx_cross_fade(const uint8_t *from, const uint8_t *to, uint8_t *out, size_t count, uint32_t progress,
                    int is_opaque);

/// A composition of an overlay over a picture.
typedef struct {
  const uint8_t *source;
  uint8_t *target;
  size_t width;
  const uint8_t *overlay;
  size_t overlay_width, overlay_height;
  /// The position of the overlay's first pixel in the picture.
  int64_t x, y;
  /// The distance between copies of the overlay in pixels, at least its size; 0 for a single copy.
  int64_t period_x, period_y;
  /// The opacity, 0 to 4096.
  uint32_t opacity;
} cpx_overlay;

void cpx_overlay_rows(const cpx_overlay *overlay, size_t first, size_t last);

/// A rotation of a picture about its centre.
typedef struct {
  const uint8_t *source;
  size_t width, height;
  uint8_t *target;
  size_t target_width;
  /// The position of the target's first pixel in the source, where 0 is the centre of its first pixel, and its change
  /// for one pixel to the right; all with 32 fraction bits. A pixel down changes it by (-step_y, step_x).
  int64_t x, y, step_x, step_y;
  /// The colour outside, 0 to 255, premultiplied.
  float background[4];
  /// True if all pixels of the source are opaque.
  int opaque;
  /// True if the filter is the Catmull-Rom spline instead of linear interpolation.
  int bicubic;
} cpx_rotation;

void cpx_rotate_rows(const cpx_rotation *rotation, size_t first, size_t last);

/// A rectangle with rounded corners, in pixels.
typedef struct {
  double left, top, right, bottom;
  /// Clockwise from the upper left corner; the sum of two on a side never exceeds its length.
  double radii[4];
} cpx_rounded;

/// A picture cropped to a rounded rectangle, with a border between it and a smaller one.
typedef struct {
  const uint8_t *source;
  uint8_t *target;
  size_t width;
  cpx_rounded outer, inner;
  uint8_t border[4];
} cpx_rounding;

void cpx_round_rows(const cpx_rounding *rounding, size_t first, size_t last);

/// Computes the interest of the pixels of a small picture. `luma` is scratch of a byte per pixel. Contrasts count, with
/// `attention` also colours that are stronger or closer to skin than the picture's mean; transparent pixels do not.
void cpx_interest(const uint8_t *pixels, size_t width, size_t height, int attention, uint8_t *luma,
                  uint16_t *interest);
