#pragma once
#include "cpixels.h"

/// The loops of PNG (W3C, third edition): filters, conversion of all samples to pixels, composition of frames. All
/// levels produce the same bytes.

/// The format of the resulting pixels.
typedef enum {
  /// Red, green, blue, alpha, a byte each. 16-bit samples are rounded to nearest.
  CPNG_RGBA8 = 0,
  /// Red, green, blue, alpha, 16 bits each in the machine's byte order.
  CPNG_RGBA16 = 1,
  /// One byte of grey; for grey images of at most 8 bits, without transparency.
  CPNG_GRAY8 = 2,
} cpng_target;

/// The conversion of samples to pixels. `cpng_pixels_init` initialises it.
typedef struct {
  /// The first four bytes in memory of the RGBA pixel of each sample value: for palettes and grey up to 8 bits.
  uint8_t table[256][4];
  /// The transparent colour; one number for grey.
  uint16_t key[3];
  uint8_t has_key, color_type, depth, target;
} cpng_pixels;

/// Prepares for images of a valid combination of colour type and depth. `palette` holds `colors` times three bytes;
/// `transparency` is the data of a tRNS chunk that fits the colour type, or empty. Colours missing in the palette are
/// opaque black.
void cpng_pixels_init(cpng_pixels *pixels, int color_type, int depth, cpng_target target, const uint8_t *palette,
                      size_t colors, const uint8_t *transparency, size_t transparency_bytes);

/// Undoes filter 0 to 4 of a row in place. `prior` is the row above, unfiltered, or NULL for the first of a pass;
/// `step` the bytes of a whole pixel, at least 1. Up to 8 bytes behind either row are read and not used.
void cpng_unfilter(int filter, uint8_t *row, const uint8_t *prior, size_t bytes, int step, cpx_level level);

/// Converts `width` samples to pixels. `out` may overlap `row` as long as it never overtakes the read position. Up to
/// 16 bytes behind the row are read and not used.
void cpng_expand(const cpng_pixels *pixels, const uint8_t *row, uint8_t *out, size_t width, cpx_level level);

/// Writes `count` pixels of `bytes_per_pixel` (1, 4 or 8) bytes `step` pixels apart. With `over`, RGBA pixels are
/// composited over the existing ones: straight alpha, exact, rounded to nearest.
void cpng_place(const uint8_t *pixels, uint8_t *out, size_t count, size_t step, int bytes_per_pixel, int over);

/// Writes the filter type that promises the smallest result (least sum of absolute differences) and the filtered row:
/// `1 + bytes` bytes. `prior` as above; `scratch` has room for `bytes`. Returns the filter.
int cpng_filter(const uint8_t *row, const uint8_t *prior, size_t bytes, int step, uint8_t *out, uint8_t *scratch,
                cpx_level level);

/// Drops every fourth byte of `count` pixels.
void cpng_drop_alpha(const uint8_t *pixels, uint8_t *out, size_t count);

/// Returns true if all of `count` pixels are opaque. `bytes_per_pixel` is 4 or 8.
int cpng_is_opaque(const uint8_t *pixels, size_t count, int bytes_per_pixel);

/// Converts 16-bit samples to big-endian bytes; drops the alpha of each pixel on request.
void cpng_store16(const uint8_t *pixels, uint8_t *out, size_t count, int drops_alpha);
