#pragma once
#include <webp/decode.h>
#include <webp/demux.h>

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
