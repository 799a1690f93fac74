#include "cavif.h"

#if CALOTYPE_AVIF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cavif_encoder {
  cavif_encoding encoding;
  avifEncoder *encoder;
  avifImage *image;
  avifRWData file;
};

static bool prepare(cavif_encoder *made) {
  const cavif_encoding *encoding = &made->encoding;
  avifEncoder *encoder = made->encoder;
  encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
  encoder->maxThreads = 1;
  encoder->speed = encoding->speed;
  encoder->timescale = encoding->timescale ? encoding->timescale : 1;
  encoder->minQuantizer = 0;
  encoder->maxQuantizer = encoding->is_lossless ? 0 : 63;
  encoder->minQuantizerAlpha = 0;
  encoder->maxQuantizerAlpha = encoding->is_alpha_lossless ? 0 : 63;
  char level[16];
  if (!encoding->is_lossless) {
    cavif_libavif.set_option(encoder, "color:end-usage", "q");
    snprintf(level, sizeof level, "%d", encoding->level);
    cavif_libavif.set_option(encoder, "color:cq-level", level);
    if (!encoding->allows_palettes) cavif_libavif.set_option(encoder, "color:enable-palette", "0");
  }
  if (encoding->has_alpha && !encoding->is_alpha_lossless) {
    cavif_libavif.set_option(encoder, "alpha:end-usage", "q");
    snprintf(level, sizeof level, "%d", encoding->alpha_level);
    cavif_libavif.set_option(encoder, "alpha:cq-level", level);
  }
  static const avifPixelFormat formats[] = {
      AVIF_PIXEL_FORMAT_YUV400, AVIF_PIXEL_FORMAT_YUV420, AVIF_PIXEL_FORMAT_YUV422, AVIF_PIXEL_FORMAT_YUV444};
  made->image = cavif_libavif.image_create_sized(
      encoding->width, encoding->height, encoding->depth, formats[encoding->chroma]);
  avifImage *image = made->image;
  if (!image) return false;
  image->yuvRange = encoding->colors.is_full_range ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED;
  image->colorPrimaries = (avifColorPrimaries)encoding->colors.primaries;
  image->transferCharacteristics = (avifTransferCharacteristics)encoding->colors.transfer;
  image->matrixCoefficients = (avifMatrixCoefficients)encoding->colors.matrix;
  if (encoding->profile.data) cavif_libavif.set_icc(image, encoding->profile.data, encoding->profile.count);
  if (encoding->exif.data) cavif_libavif.set_exif(image, encoding->exif.data, encoding->exif.count);
  if (encoding->xmp.data) cavif_libavif.set_xmp(image, encoding->xmp.data, encoding->xmp.count);
  // The blocks are copied.
  made->encoding.profile = made->encoding.exif = made->encoding.xmp = (cavif_bytes){0};
  return true;
}

cavif_encoder *cavif_encoder_create(const cavif_encoding *encoding) {
  cavif_encoder *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->encoding = *encoding;
  made->encoder = cavif_libavif.encoder_create();
  if (made->encoder && prepare(made)) return made;
  cavif_encoder_free(made);
  return NULL;
}

void cavif_encoder_free(cavif_encoder *made) {
  if (!made) return;
  if (made->image) cavif_libavif.image_destroy(made->image);
  if (made->encoder) cavif_libavif.encoder_destroy(made->encoder);
  cavif_libavif.data_free(&made->file);
  free(made);
}

static cavif_status status_of(cavif_encoder *made, avifResult result, const char **message) {
  if (result == AVIF_RESULT_OK) return CAVIF_DONE;
  *message = made->encoder->diag.error[0] ? made->encoder->diag.error : cavif_libavif.result_text(result);
  return result == AVIF_RESULT_OUT_OF_MEMORY ? CAVIF_NO_MEMORY : CAVIF_UNSUPPORTED;
}

/// Copies luma.
static avifResult copy_gray(avifImage *image, const uint8_t *pixels, size_t stride) {
  cavif_libavif.allocate_planes(image, AVIF_PLANES_YUV);
  if (!image->yuvPlanes[0]) return AVIF_RESULT_OUT_OF_MEMORY;
  for (uint32_t y = 0; y < image->height; y++)
    memcpy(image->yuvPlanes[0] + (size_t)y * image->yuvRowBytes[0], pixels + y * stride, image->width);
  return AVIF_RESULT_OK;
}

cavif_status cavif_encoder_add(
    cavif_encoder *made, const uint8_t *pixels, size_t stride, int channels, uint32_t bits,
    uint64_t duration, const char **message) {
  avifImage *image = made->image;
  avifResult result;
  if (channels == 1) {
    result = copy_gray(image, pixels, stride);
  } else {
    avifRGBImage rgb;
    cavif_libavif.rgb_defaults(&rgb, image);
    rgb.depth = bits;
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.ignoreAlpha = !made->encoding.has_alpha;
    // The picture is read alone.
    rgb.pixels = (uint8_t *)(uintptr_t)pixels;
    rgb.rowBytes = (uint32_t)stride;
    result = cavif_libavif.to_yuv(image, &rgb);
  }
  if (result == AVIF_RESULT_OK) {
    const bool is_still = made->encoding.timescale == 0;
    result = cavif_libavif.encoder_add(
        made->encoder, image, is_still ? 1 : duration,
        is_still ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE);
  }
  return status_of(made, result, message);
}

cavif_status cavif_encoder_finish(cavif_encoder *made, cavif_bytes *file, const char **message) {
  const avifResult result = cavif_libavif.encoder_finish(made->encoder, &made->file);
  *file = (cavif_bytes){made->file.data, made->file.size};
  return status_of(made, result, message);
}
#endif
