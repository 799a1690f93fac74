#include "library.h"

#if CALOTYPE_JXL
#include <CDynamicLibrary.h>

struct cjxl_functions cjxl;

#define CJXL_SYMBOL(name) {#name, &cjxl.name},
static const cdl_symbol symbols[] = {CJXL_DECODER_FUNCTIONS(CJXL_SYMBOL) CJXL_ENCODER_FUNCTIONS(CJXL_SYMBOL)};
CDL_LIBRARY(library, "libjxl.so.0.7", symbols);
CDL_NOTE(
    note,
    "[{\"feature\":\"jxl\",\"description\":\"Decodes and encodes JPEG XL\",\"priority\":\"recommended\",\"soname\":[\"libjxl.so.0.7\"]}]");

const char *cjxl_open(void) { return cdl_open(&library); }
bool cjxl_is_installed(void) { return cdl_is_installed(&library); }
#endif
