#include "library.h"

#if CALOTYPE_JXL
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if __SSE2__
#include <emmintrin.h>
#endif

struct cjxl_decoder {
  JxlDecoder *decoder;
  const uint8_t *bytes;
  size_t end;
  cjxl_continues continues;
  void *context;
  bool is_stopped;
};

/// Does the work of a thread pool on the calling thread, and asks before each piece whether to go on.
static JxlParallelRetCode run(void *runner, void *work, JxlParallelRunInit init, JxlParallelRunFunction piece,
                              uint32_t start, uint32_t end) {
  cjxl_decoder *self = runner;
  JxlParallelRetCode result = init(work, 1);
  if (result != 0) return result;
  // The smoothing of the eighth of a picture, which is the only work that does not begin with 0, must not fail: libjxl
  // ends the process then.
  bool may_stop = start == 0;
  for (uint32_t index = start; index < end; index++) {
    if (may_stop && !self->is_stopped && !self->continues(self->context)) self->is_stopped = true;
    if (may_stop && self->is_stopped) return -1;
    piece(work, index, 0);
  }
  return 0;
}

static int events(int wants) {
  int events = 0;
  if (wants & CJXL_WANTS_COLOR) events |= JXL_DEC_COLOR_ENCODING;
  if (wants & CJXL_WANTS_FRAMES) events |= JXL_DEC_FRAME;
  if (wants & CJXL_WANTS_PIXELS) events |= JXL_DEC_FULL_IMAGE;
  if (wants & CJXL_WANTS_JPEG) events |= JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE;
  if (wants & CJXL_WANTS_BOXES) events |= JXL_DEC_BOX;
  return events;
}

cjxl_decoder *cjxl_decoder_create(cjxl_memory *memory, const uint8_t *bytes, size_t count, int wants,
                                  bool unpremultiplies, cjxl_continues continues, void *context) {
  cjxl_decoder *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  JxlMemoryManager manager = cjxl_memory_manager(memory);
  self->decoder = cjxl.JxlDecoderCreate(&manager);
  self->bytes = bytes;
  self->end = count;
  self->continues = continues;
  self->context = context;
  if (!self->decoder || cjxl.JxlDecoderSubscribeEvents(self->decoder, events(wants)) != JXL_DEC_SUCCESS ||
      cjxl.JxlDecoderSetParallelRunner(self->decoder, run, self) != JXL_DEC_SUCCESS ||
      cjxl.JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
      cjxl.JxlDecoderSetUnpremultiplyAlpha(self->decoder, unpremultiplies) != JXL_DEC_SUCCESS ||
      ((wants & CJXL_WANTS_BOXES) &&
       cjxl.JxlDecoderSetDecompressBoxes(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS) ||
      cjxl.JxlDecoderSetInput(self->decoder, bytes, count) != JXL_DEC_SUCCESS) {
    cjxl_decoder_destroy(self);
    return NULL;
  }
  // Of boxes, the end of the file is the end of the last one.
  if (wants & (CJXL_WANTS_BOXES | CJXL_WANTS_JPEG)) cjxl.JxlDecoderCloseInput(self->decoder);
  return self;
}

void cjxl_decoder_destroy(cjxl_decoder *self) {
  if (self->decoder) cjxl.JxlDecoderDestroy(self->decoder);
  free(self);
}

cjxl_event cjxl_decoder_next(cjxl_decoder *self) {
  switch (cjxl.JxlDecoderProcessInput(self->decoder)) {
    case JXL_DEC_SUCCESS: return CJXL_END;
    case JXL_DEC_NEED_MORE_INPUT: return CJXL_CUT;
    case JXL_DEC_COLOR_ENCODING: return CJXL_COLOR;
    case JXL_DEC_FRAME: return CJXL_FRAME;
    case JXL_DEC_NEED_IMAGE_OUT_BUFFER: return CJXL_NEEDS_TARGET;
    case JXL_DEC_FULL_IMAGE: return CJXL_IMAGE;
    case JXL_DEC_JPEG_RECONSTRUCTION: return CJXL_JPEG;
    case JXL_DEC_JPEG_NEED_MORE_OUTPUT: return CJXL_JPEG_FULL;
    case JXL_DEC_BOX: return CJXL_BOX;
    case JXL_DEC_BOX_NEED_MORE_OUTPUT: return CJXL_BOX_FULL;
    default: return CJXL_FAILED;
  }
}

size_t cjxl_decoder_position(cjxl_decoder *self) {
  size_t position = self->end - cjxl.JxlDecoderReleaseInput(self->decoder);
  cjxl.JxlDecoderSetInput(self->decoder, self->bytes + position, self->end - position);
  return position;
}

void cjxl_decoder_move(cjxl_decoder *self, size_t position) {
  cjxl.JxlDecoderReleaseInput(self->decoder);
  cjxl.JxlDecoderSetInput(self->decoder, self->bytes + position, self->end - position);
}

void cjxl_decoder_skip(cjxl_decoder *self, size_t count) { cjxl.JxlDecoderSkipFrames(self->decoder, count); }

bool cjxl_decoder_color(cjxl_decoder *self, cjxl_color *color) {
  JxlColorEncoding encoding;
  JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  memset(color, 0, sizeof *color);
  if (cjxl.JxlDecoderGetColorAsEncodedProfile(self->decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) !=
      JXL_DEC_SUCCESS)
    return false;
  color->is_gray = encoding.color_space == JXL_COLOR_SPACE_GRAY;
  color->is_enumerated = color->is_gray || encoding.color_space == JXL_COLOR_SPACE_RGB;
  color->white = encoding.white_point;
  color->primaries = encoding.primaries;
  color->transfer = encoding.transfer_function;
  return true;
}

void cjxl_decoder_prefer_srgb(cjxl_decoder *self, bool is_gray) {
  JxlColorEncoding encoding;
  cjxl.JxlColorEncodingSetToSRGB(&encoding, is_gray);
  cjxl.JxlDecoderSetPreferredColorProfile(self->decoder, &encoding);
}

size_t cjxl_decoder_profile_size(cjxl_decoder *self) {
  JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  size_t size = 0;
  JxlDecoderStatus status =
      cjxl.JxlDecoderGetICCProfileSize(self->decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, &size);
  return status == JXL_DEC_SUCCESS ? size : 0;
}

bool cjxl_decoder_profile(cjxl_decoder *self, uint8_t *profile, size_t size) {
  JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  return cjxl.JxlDecoderGetColorAsICCProfile(self->decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, profile, size) ==
         JXL_DEC_SUCCESS;
}

bool cjxl_decoder_set_pixels(cjxl_decoder *self, uint32_t channels, uint32_t bits, void *pixels, size_t size) {
  JxlPixelFormat format = {channels, bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  size_t needed = 0;
  return cjxl.JxlDecoderImageOutBufferSize(self->decoder, &format, &needed) == JXL_DEC_SUCCESS && needed == size &&
         cjxl.JxlDecoderSetImageOutBuffer(self->decoder, &format, pixels, size) == JXL_DEC_SUCCESS;
}

bool cjxl_decoder_set_channel(cjxl_decoder *self, uint32_t index, void *samples, size_t size) {
  JxlPixelFormat format = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  size_t needed = 0;
  return cjxl.JxlDecoderExtraChannelBufferSize(self->decoder, &format, &needed, index) == JXL_DEC_SUCCESS &&
         needed == size &&
         cjxl.JxlDecoderSetExtraChannelBuffer(self->decoder, &format, samples, size, index) == JXL_DEC_SUCCESS;
}

/// Rounds samples from 0 to 1 to bytes, as libjxl does: halves to the even number, and what is not a number to 0.
static void round_samples(const float *samples, uint8_t *bytes, size_t count) {
  size_t index = 0;
#if __SSE2__
  const __m128 scale = _mm_set1_ps(255), zero = _mm_setzero_ps();
  for (; index + 16 <= count; index += 16) {
    __m128i words[4];
    for (int part = 0; part < 4; part++) {
      __m128 value = _mm_mul_ps(_mm_loadu_ps(samples + index + 4 * part), scale);
      words[part] = _mm_cvtps_epi32(_mm_min_ps(_mm_max_ps(value, zero), scale));
    }
    __m128i low = _mm_packs_epi32(words[0], words[1]), high = _mm_packs_epi32(words[2], words[3]);
    _mm_storeu_si128((__m128i *)(bytes + index), _mm_packus_epi16(low, high));
  }
#endif
  for (; index < count; index++) {
    float value = samples[index] * 255;
    bytes[index] = value > 0 ? (uint8_t)nearbyintf(value < 255 ? value : 255) : 0;
  }
}

static void take_piece(void *context, size_t x, size_t y, size_t count, const void *samples) {
  cjxl_rows *rows = context;
  if (y >= rows->height || x >= rows->width || count > rows->width - x) return;
  round_samples(samples, rows->pixels + 4 * (y * rows->width + x), 4 * count);
  rows->counts[y] += (uint32_t)count;
  if (y >= rows->begun) rows->begun = y + 1;
  size_t before = rows->complete;
  while (rows->complete < rows->height && rows->counts[rows->complete] >= rows->width) rows->complete++;
  if (rows->complete != before && rows->advance) rows->advance(rows->context);
}

bool cjxl_decoder_set_rows(cjxl_decoder *self, cjxl_rows *rows) {
  // Of samples of other types the library makes the whole image first.
  JxlPixelFormat format = {4, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};
  return cjxl.JxlDecoderSetImageOutCallback(self->decoder, &format, take_piece, rows) == JXL_DEC_SUCCESS;
}

bool cjxl_decoder_flush(cjxl_decoder *self) { return cjxl.JxlDecoderFlushImage(self->decoder) == JXL_DEC_SUCCESS; }

bool cjxl_decoder_box_type(cjxl_decoder *self, char type[4]) {
  return cjxl.JxlDecoderGetBoxType(self->decoder, type, JXL_TRUE) == JXL_DEC_SUCCESS;
}

bool cjxl_decoder_set_box(cjxl_decoder *self, uint8_t *bytes, size_t size) {
  return cjxl.JxlDecoderSetBoxBuffer(self->decoder, bytes, size) == JXL_DEC_SUCCESS;
}

size_t cjxl_decoder_release_box(cjxl_decoder *self) { return cjxl.JxlDecoderReleaseBoxBuffer(self->decoder); }

bool cjxl_decoder_set_jpeg(cjxl_decoder *self, uint8_t *bytes, size_t size) {
  return cjxl.JxlDecoderSetJPEGBuffer(self->decoder, bytes, size) == JXL_DEC_SUCCESS;
}

size_t cjxl_decoder_release_jpeg(cjxl_decoder *self) { return cjxl.JxlDecoderReleaseJPEGBuffer(self->decoder); }
#endif
