#include "library.h"

#if CALOTYPE_JXL
#include <stdlib.h>

struct cjxl_encoder {
  JxlEncoder *encoder;
  JxlEncoderFrameSettings *settings;
  JxlPixelFormat format;
  bool is_animated;
  bool has_boxes;
};

/// Does the work of a thread pool on the calling thread.
static JxlParallelRetCode run(void *runner, void *work, JxlParallelRunInit init, JxlParallelRunFunction piece,
                              uint32_t start, uint32_t end) {
  (void)runner;
  JxlParallelRetCode result = init(work, 1);
  for (uint32_t index = start; result == 0 && index < end; index++) piece(work, index, 0);
  return result;
}

cjxl_encoder *cjxl_encoder_create(cjxl_memory *memory) {
  cjxl_encoder *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  JxlMemoryManager manager = cjxl_memory_manager(memory);
  self->encoder = cjxl.JxlEncoderCreate(&manager);
  if (self->encoder) self->settings = cjxl.JxlEncoderFrameSettingsCreate(self->encoder, NULL);
  if (!self->settings || cjxl.JxlEncoderSetParallelRunner(self->encoder, run, NULL) != JXL_ENC_SUCCESS) {
    cjxl_encoder_destroy(self);
    return NULL;
  }
  return self;
}

void cjxl_encoder_destroy(cjxl_encoder *self) {
  if (self->encoder) cjxl.JxlEncoderDestroy(self->encoder);
  free(self);
}

/// Returns the reason of a failure.
static cjxl_result result(cjxl_encoder *self, JxlEncoderStatus status) {
  if (status == JXL_ENC_SUCCESS) return CJXL_OK;
  switch (cjxl.JxlEncoderGetError(self->encoder)) {
    case JXL_ENC_ERR_OOM: return CJXL_NO_MEMORY;
    case JXL_ENC_ERR_BAD_INPUT: case JXL_ENC_ERR_JBRD: return CJXL_BAD_INPUT;
    case JXL_ENC_ERR_NOT_SUPPORTED: return CJXL_NOT_SUPPORTED;
    default: return CJXL_BROKEN;
  }
}

#define CHECK(call)                                                                                        \
  do {                                                                                                     \
    JxlEncoderStatus status = (call);                                                                      \
    if (status != JXL_ENC_SUCCESS) return result(self, status);                                            \
  } while (false)

cjxl_result cjxl_encoder_begin(cjxl_encoder *self, const cjxl_picture *picture) {
  bool is_gray = picture->channels < 3;
  bool has_alpha = picture->channels % 2 == 0;
  JxlBasicInfo info;
  cjxl.JxlEncoderInitBasicInfo(&info);
  info.xsize = picture->width;
  info.ysize = picture->height;
  info.bits_per_sample = picture->bits;
  info.num_color_channels = is_gray ? 1 : 3;
  info.num_extra_channels = has_alpha ? 1 : 0;
  info.alpha_bits = has_alpha ? picture->bits : 0;
  // Lossy pictures are stored in XYB.
  info.uses_original_profile = picture->is_lossless;
  info.have_animation = picture->is_animated;
  if (picture->is_animated) {
    info.animation.tps_numerator = 1000;
    info.animation.tps_denominator = 1;
    info.animation.num_loops = picture->plays;
  }
  self->format = (JxlPixelFormat){picture->channels, picture->bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                  JXL_NATIVE_ENDIAN, 0};
  self->is_animated = picture->is_animated;
  self->has_boxes = picture->has_boxes;
  CHECK(cjxl.JxlEncoderSetBasicInfo(self->encoder, &info));
  // Lossless samples of 16 bits are beyond level 5, which is the default.
  if (cjxl.JxlEncoderGetRequiredCodestreamLevel(self->encoder) == 10)
    CHECK(cjxl.JxlEncoderSetCodestreamLevel(self->encoder, 10));
  if (picture->profile) {
    CHECK(cjxl.JxlEncoderSetICCProfile(self->encoder, picture->profile, picture->profile_size));
  } else {
    JxlColorEncoding color;
    cjxl.JxlColorEncodingSetToSRGB(&color, is_gray);
    CHECK(cjxl.JxlEncoderSetColorEncoding(self->encoder, &color));
  }
  if (picture->has_boxes) CHECK(cjxl.JxlEncoderUseBoxes(self->encoder));
  CHECK(cjxl.JxlEncoderFrameSettingsSetOption(self->settings, JXL_ENC_FRAME_SETTING_EFFORT, picture->effort));
  if (picture->is_lossless) {
    CHECK(cjxl.JxlEncoderSetFrameLossless(self->settings, JXL_TRUE));
  } else {
    CHECK(cjxl.JxlEncoderSetFrameDistance(self->settings, picture->distance));
  }
  return CJXL_OK;
}

cjxl_result cjxl_encoder_add(cjxl_encoder *self, const void *pixels, size_t size, uint32_t milliseconds, bool is_last) {
  if (self->is_animated) {
    JxlFrameHeader header;
    cjxl.JxlEncoderInitFrameHeader(&header);
    header.duration = milliseconds;
    CHECK(cjxl.JxlEncoderSetFrameHeader(self->settings, &header));
  }
  CHECK(cjxl.JxlEncoderAddImageFrame(self->settings, &self->format, pixels, size));
  if (is_last) cjxl.JxlEncoderCloseFrames(self->encoder);
  return CJXL_OK;
}

cjxl_result cjxl_encoder_add_jpeg(cjxl_encoder *self, const uint8_t *jpeg, size_t size, int effort) {
  CHECK(cjxl.JxlEncoderUseContainer(self->encoder, JXL_TRUE));
  CHECK(cjxl.JxlEncoderStoreJPEGMetadata(self->encoder, JXL_TRUE));
  CHECK(cjxl.JxlEncoderFrameSettingsSetOption(self->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort));
  CHECK(cjxl.JxlEncoderAddJPEGFrame(self->settings, jpeg, size));
  cjxl.JxlEncoderCloseInput(self->encoder);
  return CJXL_OK;
}

cjxl_result cjxl_encoder_add_box(cjxl_encoder *self, const char *type, const uint8_t *bytes, size_t size) {
  CHECK(cjxl.JxlEncoderAddBox(self->encoder, type, bytes, size, JXL_FALSE));
  return CJXL_OK;
}

void cjxl_encoder_close(cjxl_encoder *self) { cjxl.JxlEncoderCloseInput(self->encoder); }

cjxl_result cjxl_encoder_write(cjxl_encoder *self, uint8_t *bytes, size_t size, size_t *written) {
  uint8_t *next = bytes;
  size_t left = size;
  JxlEncoderStatus status = cjxl.JxlEncoderProcessOutput(self->encoder, &next, &left);
  *written = size - left;
  return status == JXL_ENC_NEED_MORE_OUTPUT ? CJXL_OK : result(self, status);
}
#endif
