#pragma once
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

/// Decodes all frames of an animation; 1 on success.
static inline int clibwebp_decode_animation(const uint8_t *bytes, size_t count) {
  WebPData data = {bytes, count};
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
  if (decoder == NULL) return 0;
  int is_decoded = 1;
  while (is_decoded && WebPAnimDecoderHasMoreFrames(decoder)) {
    uint8_t *pixels;
    int time;
    is_decoded = WebPAnimDecoderGetNext(decoder, &pixels, &time);
  }
  WebPAnimDecoderDelete(decoder);
  return is_decoded;
}

/// Encodes opaque pixels, stored as RGBA, by a method or by a level of the lossless preset. Returns how many bytes
/// that makes, 0 on failure.
static inline long clibwebp_encode(
    const void *pixels, int width, int height, int is_lossless, float quality, int method) {
  WebPConfig config;
  WebPPicture picture;
  WebPMemoryWriter writer;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return 0;
  if (is_lossless) {
    if (!WebPConfigLosslessPreset(&config, method)) return 0;
    config.exact = 1;
  } else {
    config.quality = quality;
    config.method = method;
  }
  picture.width = width;
  picture.height = height;
  picture.use_argb = is_lossless;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  int is_encoded =
      WebPPictureImportRGBX(&picture, (const uint8_t *)pixels, width * 4) && WebPEncode(&config, &picture);
  long count = is_encoded ? (long)writer.size : 0;
  WebPPictureFree(&picture);
  WebPMemoryWriterClear(&writer);
  return count;
}

/// Decodes to RGBA at a size, by the library's own scaling; 1 on success. `pixels` has four bytes for each.
static inline int clibwebp_thumbnail(const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return 0;
  config.options.use_scaling = 1;
  config.options.scaled_width = width;
  config.options.scaled_height = height;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = pixels;
  config.output.u.RGBA.stride = 4 * width;
  config.output.u.RGBA.size = 4 * (size_t)width * (size_t)height;
  return WebPDecode(bytes, count, &config) == VP8_STATUS_OK;
}
