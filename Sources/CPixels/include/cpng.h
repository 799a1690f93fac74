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

/// Does the same as cpng_filter, but chooses the filtered row with the fewest different pairs of neighbouring bytes.
int cpng_filter_pairs(const uint8_t *row, const uint8_t *prior, size_t bytes, int step, uint8_t *out, uint8_t *scratch);

enum { CPNG_MATCH_BITS = 13 };

/// The places where strings of bytes were last seen, for an estimate of compressed sizes. Zeroed memory has seen none.
typedef struct {
  uint32_t latest[1 << CPNG_MATCH_BITS];
  uint32_t position;
} cpng_matches;

/// Returns about how many bits deflate makes of `count` bytes that follow those before. `history` bytes in front of them
/// can be read.
double cpng_cost(cpng_matches *matches, const uint8_t *bytes, size_t history, size_t count);

/// Passes over bytes that are not looked at.
void cpng_skip(cpng_matches *matches, size_t count);

/// Returns true if all of `count` pixels are opaque. `bytes_per_pixel` is 4 or 8.
int cpng_is_opaque(const uint8_t *pixels, size_t count, int bytes_per_pixel);

enum {
  CPNG_MOST_COLORS = 256,
  CPNG_COLOR_SLOTS = 1024,
};

/// The facts about the pixels of a picture that decide how few bits they need. Zeroed memory is the survey of no pixels.
typedef struct {
  /// The different pixels as they lie in memory, in the order of their appearance.
  uint32_t colors[CPNG_MOST_COLORS];
  /// The number of pixels of each colour, not counting repetitions of the pixel before.
  uint64_t counts[CPNG_MOST_COLORS];
  /// The place of each colour plus one, by a hash of it.
  uint16_t slots[CPNG_COLOR_SLOTS];
  /// The number of colours, or CPNG_MOST_COLORS + 1 if there are more.
  uint32_t color_count;
  /// The first fully transparent pixel.
  uint32_t hidden;
  /// True if a pixel is transparent, at least in part.
  uint8_t has_alpha;
  /// True if a pixel is neither opaque nor fully transparent.
  uint8_t has_partial_alpha;
  /// True if a pixel has different red, green and blue.
  uint8_t has_color;
  /// 0 without fully transparent pixels, 1 if all of them are equal, 2 if they differ.
  uint8_t hidden_colors;
} cpng_survey;

/// Adds `count` pixels, of four bytes each or of one byte of grey, to a survey. With `clears`, fully transparent pixels count
/// as transparent black.
void cpng_survey_rgba(cpng_survey *survey, const uint8_t *pixels, size_t count, int clears);
void cpng_survey_gray(cpng_survey *survey, const uint8_t *pixels, size_t count);

/// The facts about 16-bit samples.
typedef struct {
  uint8_t has_alpha, has_color;
  /// True if a sample is not 257 times a byte.
  uint8_t needs16;
} cpng_survey16;

/// Adds `count` pixels of four 16-bit samples.
void cpng_survey_rgba16(cpng_survey16 *survey, const uint8_t *pixels, size_t count);

/// Returns true if an opaque pixel has the red, green and blue of `color`.
int cpng_has_opaque(const uint8_t *pixels, size_t count, uint32_t color);

/// The samples to store for each pixel.
typedef enum {
  CPNG_STORE_SAME = 0,
  CPNG_STORE_RGB = 1,
  CPNG_STORE_GRAY = 2,
  CPNG_STORE_GRAY_ALPHA = 3,
  /// The place of the pixel among the colours of a survey, translated by `order`.
  CPNG_STORE_INDEX = 4,
} cpng_samples;

/// The conversion of pixels to samples.
typedef struct {
  cpng_samples samples;
  /// Bytes of a pixel: 1, 4 or 8.
  int bytes_per_pixel;
  /// Bits of a sample: 16 for pixels of 8 bytes, up to 8 for others. Samples of fewer bits than 8 are one for a pixel.
  int depth;
  /// True if fully transparent pixels of 4 bytes are stored as transparent black.
  int clears;
  /// For CPNG_STORE_INDEX: the survey of all pixels, and the index of each of its colours.
  const cpng_survey *survey;
  uint8_t order[CPNG_MOST_COLORS];
} cpng_store;

/// Writes the samples of `count` pixels, big-endian and packed. `scratch` has room for `count` bytes.
void cpng_store_row(const cpng_store *store, const uint8_t *pixels, size_t count, uint8_t *out, uint8_t *scratch);
