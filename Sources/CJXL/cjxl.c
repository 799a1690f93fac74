#include "CJXL.h"

#if CALOTYPE_JXL
#include <CDynamicLibrary.h>
#include <jxl/decode.h>

static struct {
  __typeof__(&JxlDecoderCreate) decoder_create;
} jxl;

static const cdl_symbol symbols[] = {
    {"JxlDecoderCreate", &jxl.decoder_create},
};
CDL_LIBRARY(library, "libjxl.so.0.7", symbols);
CDL_NOTE(
    note,
    "[{\"feature\":\"jxl\",\"description\":\"Decodes and encodes JPEG XL\",\"priority\":\"recommended\",\"soname\":[\"libjxl.so.0.7\"]}]");

const char *cjxl_open(void) { return cdl_open(&library); }
bool cjxl_is_installed(void) { return cdl_is_installed(&library); }
#endif
