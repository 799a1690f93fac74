#include "CTIFF.h"

#if CALOTYPE_TIFF
#include <CDynamicLibrary.h>
#include <tiffio.h>

static struct {
  __typeof__(&TIFFClose) close;
} tiff;

static const cdl_symbol symbols[] = {
    {"TIFFClose", &tiff.close},
};
CDL_LIBRARY(library, "libtiff.so.6", symbols);
CDL_NOTE(
    note,
    "[{\"feature\":\"tiff\",\"description\":\"Decodes TIFF\",\"priority\":\"recommended\",\"soname\":[\"libtiff.so.6\"]}]");

const char *ctiff_open(void) { return cdl_open(&library); }
bool ctiff_is_installed(void) { return cdl_is_installed(&library); }
#endif
