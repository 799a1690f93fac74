#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns the share of squares of two by two pixels whose colours differ so much that one sample of chroma cannot stand for
/// them: the variance of Cb plus that of Cr, of ITU-T T.871, is above 200. Pixels are rgba8, alpha is ignored, and sides are at
/// least 2 pixels; otherwise the share is 0.
double cpx_chroma_detail(const uint8_t *pixels, size_t bytes_per_row, uint32_t width, uint32_t height);
