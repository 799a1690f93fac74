#pragma once
#if CALOTYPE_AVIF
#include "CAVIF.h"
#include <CDynamicLibrary.h>
#include <avif/avif.h>
#include <dav1d/dav1d.h>

/// The functions of dav1d, after cavif_open.
extern struct cavif_dav1d {
  __typeof__(&dav1d_default_settings) default_settings;
  __typeof__(&dav1d_open) open;
  __typeof__(&dav1d_close) close;
  __typeof__(&dav1d_data_create) data_create;
  __typeof__(&dav1d_data_unref) data_unref;
  __typeof__(&dav1d_send_data) send_data;
  __typeof__(&dav1d_get_picture) get_picture;
  __typeof__(&dav1d_picture_unref) picture_unref;
  __typeof__(&dav1d_flush) flush;
} cavif_dav1d;

/// The functions of libavif, after cavif_open.
extern struct cavif_libavif {
  __typeof__(&avifImageCreateEmpty) image_create;
  __typeof__(&avifImageDestroy) image_destroy;
  __typeof__(&avifRGBImageSetDefaults) rgb_defaults;
  __typeof__(&avifImageYUVToRGB) to_rgb;
  __typeof__(&avifImageCreate) image_create_sized;
  __typeof__(&avifImageAllocatePlanes) allocate_planes;
  __typeof__(&avifImageSetProfileICC) set_icc;
  __typeof__(&avifImageSetMetadataExif) set_exif;
  __typeof__(&avifImageSetMetadataXMP) set_xmp;
  __typeof__(&avifImageRGBToYUV) to_yuv;
  __typeof__(&avifEncoderCreate) encoder_create;
  __typeof__(&avifEncoderDestroy) encoder_destroy;
  __typeof__(&avifEncoderAddImage) encoder_add;
  __typeof__(&avifEncoderFinish) encoder_finish;
  __typeof__(&avifEncoderSetCodecSpecificOption) set_option;
  __typeof__(&avifRWDataFree) data_free;
  __typeof__(&avifResultToString) result_text;
} cavif_libavif;
#endif
