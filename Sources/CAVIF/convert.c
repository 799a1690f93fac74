#include "cavif.h"

#if CALOTYPE_AVIF
#include <stdlib.h>
#include <string.h>

static avifPixelFormat format_of(cpx_chroma chroma) {
  switch (chroma) {
  case CPX_CHROMA_420: return AVIF_PIXEL_FORMAT_YUV420;
  case CPX_CHROMA_422: return AVIF_PIXEL_FORMAT_YUV422;
  case CPX_CHROMA_444: return AVIF_PIXEL_FORMAT_YUV444;
  default: return AVIF_PIXEL_FORMAT_YUV400;
  }
}

/// Rows beyond those that are wanted, on either side, for the interpolation of chroma. Even.
enum { MARGIN = 2 };

/// Rounds 16-bit samples to 8 bits: v · 255 / 65535.
static void narrow(const uint16_t *restrict source, uint8_t *restrict target, size_t count) {
  for (size_t index = 0; index < count; index++)
    target[index] = (uint8_t)((source[index] * 255u + 32895u) >> 16);
}

static cavif_status convert(
    avifImage *image, const cavif_source *source, uint32_t row, uint32_t count, uint32_t depth,
    uint8_t *pixels, size_t stride) {
  const cpx_planes *planes = &source->planes;
  const uint32_t start = row >= MARGIN ? (row - MARGIN) & ~1u : 0;
  const uint32_t end = planes->height - row - count > MARGIN ? row + count + MARGIN : planes->height;
  image->width = planes->width;
  image->height = end - start;
  image->depth = planes->depth;
  image->yuvFormat = format_of(planes->chroma);
  image->yuvRange = source->colors.is_full_range ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED;
  image->colorPrimaries = (avifColorPrimaries)source->colors.primaries;
  image->transferCharacteristics = (avifTransferCharacteristics)source->colors.transfer;
  image->matrixCoefficients = (avifMatrixCoefficients)source->colors.matrix;
  for (int plane = 0; plane < 3; plane++) {
    const uint32_t top = plane > 0 && planes->chroma == CPX_CHROMA_420 ? start / 2 : start;
    image->yuvPlanes[plane] = planes->data[plane] ? planes->data[plane] + top * planes->stride[plane] : NULL;
    image->yuvRowBytes[plane] = planes->data[plane] ? (uint32_t)planes->stride[plane] : 0;
  }
  if (source->alpha.data[0]) {
    image->alphaPlane = source->alpha.data[0] + start * source->alpha.stride[0];
    image->alphaRowBytes = (uint32_t)source->alpha.stride[0];
    image->alphaPremultiplied = source->is_premultiplied;
  }
  // The direct conversion of more than 8 bits to 8 bits is too dark.
  const uint32_t made_depth = planes->depth > 8 || depth > 8 ? 16 : 8;
  avifRGBImage rgb;
  cavif_libavif.rgb_defaults(&rgb, image);
  rgb.depth = made_depth;
  rgb.format = AVIF_RGB_FORMAT_RGBA;
  const size_t made_stride = (size_t)planes->width * (made_depth > 8 ? 8 : 4);
  const bool is_direct = made_depth == depth && start == row && end == row + count;
  uint8_t *scratch = NULL;
  if (!is_direct) {
    scratch = malloc(made_stride * (end - start));
    if (!scratch) return CAVIF_NO_MEMORY;
  }
  rgb.pixels = is_direct ? pixels : scratch;
  rgb.rowBytes = (uint32_t)(is_direct ? stride : made_stride);
  const avifResult result = cavif_libavif.to_rgb(image, &rgb);
  if (result == AVIF_RESULT_OK && !is_direct) {
    for (uint32_t y = 0; y < count; y++) {
      const uint8_t *from = scratch + (size_t)(row - start + y) * made_stride;
      uint8_t *to = pixels + (size_t)y * stride;
      if (made_depth == depth) memcpy(to, from, made_stride);
      else narrow((const uint16_t *)(const void *)from, to, (size_t)planes->width * 4);
    }
  }
  free(scratch);
  switch (result) {
  case AVIF_RESULT_OK: return CAVIF_DONE;
  case AVIF_RESULT_OUT_OF_MEMORY: return CAVIF_NO_MEMORY;
  default: return CAVIF_UNSUPPORTED;
  }
}

cavif_status cavif_convert(
    const cavif_source *source, uint32_t row, uint32_t count, uint32_t depth, uint8_t *pixels,
    size_t stride) {
  if (source->alpha.data[0] && source->alpha.depth != source->planes.depth) return CAVIF_CORRUPT;
  avifImage *image = cavif_libavif.image_create();
  if (!image) return CAVIF_NO_MEMORY;
  const cavif_status status = convert(image, source, row, count, depth, pixels, stride);
  // The planes are not the image's own.
  cavif_libavif.image_destroy(image);
  return status;
}
#endif
