#pragma once
#include "cpixels.h"

/// The similarity of two pictures of the same size. All levels return the same numbers.
///
/// Pixels are rgba8, and with a background from 0 to 255 composited on that grey; with a negative one alpha is ignored.

/// Rows of rgba8 pixels.
typedef struct {
  const uint8_t *pixels;
  size_t bytes_per_row;
  uint32_t width, height;
  /// A grey from 0 to 255 that pixels are composited on, or -1.
  int background;
} cpx_picture;

/// SSIMULACRA2 (https://github.com/cloudinary/ssimulacra2), version 2.1, as libjxl computes it. 100 is for equal pictures, 90 for
/// differences that nobody sees side by side, 70 for high, 50 for medium and 30 for low quality; there is no lower bound.
/// Sides are at least 8 pixels.

/// Returns the bytes of the prepared form of an original.
size_t cpx_ssimulacra2_reference_size(uint32_t width, uint32_t height);
/// Returns the bytes of memory that a preparation and a score need besides.
size_t cpx_ssimulacra2_workspace_size(uint32_t width, uint32_t height);
/// Prepares an original for scores. `reference` and `workspace` are aligned to 64 bytes.
void cpx_ssimulacra2_prepare(const cpx_picture *original, void *reference, void *workspace, cpx_level level);
/// Returns the score of a picture of the same size as the original.
double cpx_ssimulacra2(const void *reference, const cpx_picture *picture, void *workspace, cpx_level level);

/// Returns the bytes of memory that `cpx_ssim` needs, aligned to 64 bytes.
size_t cpx_ssim_workspace_size(uint32_t width);
/// Returns the mean SSIM of luma (Wang et al., 2004: a Gaussian window of 11 by 11 with σ 1.5, K1 0.01 and K2 0.03, no window
/// over the border), from -1 to 1 for equal pictures. Sides are at least 11 pixels.
double cpx_ssim(const cpx_picture *a, const cpx_picture *b, void *workspace, cpx_level level);

/// Returns the sum of the squared differences of all red, green and blue samples.
double cpx_squared_error(const cpx_picture *a, const cpx_picture *b);

/// Writes opaque pixels of the differences of the colours, `gain` times as large and clamped.
void cpx_difference(const cpx_picture *a, const cpx_picture *b, int gain, uint8_t *out);
