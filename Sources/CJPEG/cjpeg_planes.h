#ifndef CJPEG_PLANES_H
#define CJPEG_PLANES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// Sets the scales of the components of a picture whose decode has begun with raw output: `eighths[c]` (1, 2, 4, 8) of the
// stored size of each component. The library decodes subsampled chroma at a larger scale than luma, to save its
// upsampling; without upsampling that is work for nothing. Call it before the library reads any of the scan. Returns 0
// if the library's internal interface is not known.
int cjpeg_scale_components(struct jpeg_decompress_struct *, const int *eighths);

// Returns 1 if cjpeg_scale_components works with this library.
int cjpeg_can_scale_components(void);

#endif
