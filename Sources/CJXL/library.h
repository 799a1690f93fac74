#pragma once
#if CALOTYPE_JXL
#include <jxl/decode.h>
#include <jxl/encode.h>

#include "include/CJXL.h"

// The functions of libjxl that are used: a name for each, and a pointer once the library is open.

#define CJXL_DECODER_FUNCTIONS(use) \
  use(JxlDecoderCreate) use(JxlDecoderDestroy) use(JxlDecoderSubscribeEvents) use(JxlDecoderSetKeepOrientation) \
  use(JxlDecoderSetUnpremultiplyAlpha) use(JxlDecoderSetParallelRunner) use(JxlDecoderSetInput) \
  use(JxlDecoderCloseInput) use(JxlDecoderReleaseInput) use(JxlDecoderProcessInput) \
  use(JxlDecoderSkipFrames) use(JxlDecoderGetColorAsEncodedProfile) use(JxlDecoderGetICCProfileSize) \
  use(JxlDecoderGetColorAsICCProfile) use(JxlDecoderSetPreferredColorProfile) use(JxlDecoderImageOutBufferSize) \
  use(JxlDecoderSetImageOutBuffer) use(JxlDecoderSetImageOutCallback) use(JxlDecoderExtraChannelBufferSize) \
  use(JxlDecoderSetExtraChannelBuffer) use(JxlDecoderFlushImage) use(JxlDecoderSetDecompressBoxes) \
  use(JxlDecoderGetBoxType) use(JxlDecoderSetBoxBuffer) use(JxlDecoderReleaseBoxBuffer) \
  use(JxlDecoderSetJPEGBuffer) use(JxlDecoderReleaseJPEGBuffer)

#define CJXL_ENCODER_FUNCTIONS(use) \
  use(JxlEncoderCreate) use(JxlEncoderSetParallelRunner) \
  use(JxlEncoderDestroy) use(JxlEncoderGetError) use(JxlEncoderProcessOutput) \
  use(JxlEncoderSetFrameHeader) use(JxlEncoderInitFrameHeader) use(JxlEncoderAddJPEGFrame) \
  use(JxlEncoderAddImageFrame) use(JxlEncoderAddBox) use(JxlEncoderUseBoxes) use(JxlEncoderCloseInput) \
  use(JxlEncoderCloseFrames) \
  use(JxlEncoderSetColorEncoding) use(JxlEncoderSetICCProfile) use(JxlEncoderInitBasicInfo) \
  use(JxlEncoderSetBasicInfo) use(JxlEncoderFrameSettingsSetOption) use(JxlEncoderUseContainer) \
  use(JxlEncoderStoreJPEGMetadata) use(JxlEncoderSetCodestreamLevel) use(JxlEncoderGetRequiredCodestreamLevel) \
  use(JxlEncoderSetFrameLossless) use(JxlEncoderSetFrameDistance) use(JxlEncoderFrameSettingsCreate) \
  use(JxlColorEncodingSetToSRGB)

#define CJXL_POINTER(name) __typeof__(&name) name;
struct cjxl_functions {
  CJXL_DECODER_FUNCTIONS(CJXL_POINTER)
  CJXL_ENCODER_FUNCTIONS(CJXL_POINTER)
};
extern struct cjxl_functions cjxl;

/// Returns the memory manager that counts in `memory`.
JxlMemoryManager cjxl_memory_manager(cjxl_memory *memory);
#endif
