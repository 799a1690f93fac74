#include "cavif.h"

#if CALOTYPE_AVIF
struct cavif_dav1d cavif_dav1d;
struct cavif_libavif cavif_libavif;

static const cdl_symbol dav1d_symbols[] = {
    {"dav1d_default_settings", &cavif_dav1d.default_settings},
    {"dav1d_open", &cavif_dav1d.open},
    {"dav1d_close", &cavif_dav1d.close},
    {"dav1d_data_create", &cavif_dav1d.data_create},
    {"dav1d_data_unref", &cavif_dav1d.data_unref},
    {"dav1d_send_data", &cavif_dav1d.send_data},
    {"dav1d_get_picture", &cavif_dav1d.get_picture},
    {"dav1d_picture_unref", &cavif_dav1d.picture_unref},
    {"dav1d_flush", &cavif_dav1d.flush},
};
CDL_LIBRARY(dav1d, "libdav1d.so.6", dav1d_symbols);

static const cdl_symbol libavif_symbols[] = {
    {"avifImageCreateEmpty", &cavif_libavif.image_create},
    {"avifImageDestroy", &cavif_libavif.image_destroy},
    {"avifRGBImageSetDefaults", &cavif_libavif.rgb_defaults},
    {"avifImageYUVToRGB", &cavif_libavif.to_rgb},
    {"avifImageCreate", &cavif_libavif.image_create_sized},
    {"avifImageAllocatePlanes", &cavif_libavif.allocate_planes},
    {"avifImageSetProfileICC", &cavif_libavif.set_icc},
    {"avifImageSetMetadataExif", &cavif_libavif.set_exif},
    {"avifImageSetMetadataXMP", &cavif_libavif.set_xmp},
    {"avifImageRGBToYUV", &cavif_libavif.to_yuv},
    {"avifEncoderCreate", &cavif_libavif.encoder_create},
    {"avifEncoderDestroy", &cavif_libavif.encoder_destroy},
    {"avifEncoderAddImage", &cavif_libavif.encoder_add},
    {"avifEncoderFinish", &cavif_libavif.encoder_finish},
    {"avifEncoderSetCodecSpecificOption", &cavif_libavif.set_option},
    {"avifRWDataFree", &cavif_libavif.data_free},
    {"avifResultToString", &cavif_libavif.result_text},
};
CDL_LIBRARY(libavif, "libavif.so.15", libavif_symbols);

CDL_NOTE(
    note, "[{\"feature\":\"avif\",\"description\":\"Decodes and encodes AVIF\",\"priority\":\"recommended\","
          "\"soname\":[\"libavif.so.15\"]},{\"feature\":\"avif\",\"description\":\"Decodes AVIF\","
          "\"priority\":\"recommended\",\"soname\":[\"libdav1d.so.6\"]}]");

const char *cavif_open(void) {
  const char *failure = cdl_open(&dav1d);
  return failure ? failure : cdl_open(&libavif);
}

bool cavif_is_installed(void) { return cdl_is_installed(&dav1d) && cdl_is_installed(&libavif); }
#endif
