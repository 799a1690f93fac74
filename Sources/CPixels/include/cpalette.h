#pragma once
#include <stddef.h>
#include <stdint.h>

/// Palettes: the colours that represent those of a picture best, and the choice among them for each pixel. Pixels are four
/// bytes: red, green, blue, alpha.

enum { CPAL_MOST = 256 };

/// The colours of pictures with their frequencies. Grows to about two megabytes and then merges similar colours.
typedef struct cpal_histogram cpal_histogram;

/// Returns an empty histogram; NULL without memory.
cpal_histogram *cpal_histogram_make(void);
void cpal_histogram_free(cpal_histogram *histogram);

/// Adds a row of pixels. `above` is the row above, or NULL. With `binary_alpha`, an alpha below 128 counts as transparent and
/// any other as opaque.
void cpal_histogram_add(cpal_histogram *histogram, const uint8_t *row, const uint8_t *above, size_t width, int binary_alpha);

/// Writes all visible colours to `colors`, four bytes each, in ascending order, if there are at most `most`, up to 256, and
/// returns their number; otherwise -1.
int cpal_histogram_exact(const cpal_histogram *histogram, int most, uint8_t *colors);

/// Returns true if fully transparent pixels were added.
int cpal_histogram_has_transparency(const cpal_histogram *histogram);

/// Finds at most `most` colours for the visible pixels, 1 to 256, and refines them by `rounds` of k-means. Writes them to
/// `colors`, four bytes each, and returns their number: 0 without visible pixels, -1 without memory.
int cpal_colors(const cpal_histogram *histogram, int most, int rounds, uint8_t *colors);

/// A search for the nearest colour of a palette.
typedef struct cpal_search cpal_search;

/// Returns a search among `count` colours, 1 to 256; NULL without memory.
cpal_search *cpal_search_make(const uint8_t *colors, int count);
void cpal_search_free(cpal_search *search);

/// The state of the mapping of a picture to a palette, row by row.
typedef struct cpal_mapper cpal_mapper;

/// Returns a mapper for rows of `width` pixels; NULL without memory. With `dithers`, the error of
/// each pixel is spread over its neighbours.
cpal_mapper *cpal_mapper_make(cpal_search *search, size_t width, int dithers, int binary_alpha);
void cpal_mapper_free(cpal_mapper *mapper);

/// Writes the indices of the next row. `above` and `below` are the rows beside it, or NULL.
void cpal_map_row(cpal_mapper *mapper, const uint8_t *row, const uint8_t *above, const uint8_t *below, uint8_t *indices);
