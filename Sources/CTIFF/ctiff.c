#include "CTIFF.h"

#if CALOTYPE_TIFF
#include <CDynamicLibrary.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static struct {
  __typeof__(&TIFFClientOpenExt) open;
  __typeof__(&TIFFClose) close;
  __typeof__(&TIFFGetField) get;
  __typeof__(&TIFFGetFieldDefaulted) get_defaulted;
  __typeof__(&TIFFIsTiled) is_tiled;
  __typeof__(&TIFFOpenOptionsAlloc) options_alloc;
  __typeof__(&TIFFOpenOptionsFree) options_free;
  __typeof__(&TIFFOpenOptionsSetErrorHandlerExtR) options_errors;
  __typeof__(&TIFFOpenOptionsSetMaxSingleMemAlloc) options_memory;
  __typeof__(&TIFFOpenOptionsSetWarningHandlerExtR) options_warnings;
  __typeof__(&TIFFReadEncodedStrip) read_strip;
  __typeof__(&TIFFReadEncodedTile) read_tile;
  __typeof__(&TIFFReadRGBAStripExt) read_rgba_strip;
  __typeof__(&TIFFReadRGBATileExt) read_rgba_tile;
  __typeof__(&TIFFReadScanline) read_row;
  __typeof__(&TIFFScanlineSize64) row_size;
  __typeof__(&TIFFSetField) set;
  __typeof__(&TIFFSetSubDirectory) select;
  __typeof__(&TIFFStripSize64) strip_size;
  __typeof__(&TIFFTileSize64) tile_size;
} tiff;

static const cdl_symbol symbols[] = {
    {"TIFFClientOpenExt", &tiff.open},
    {"TIFFClose", &tiff.close},
    {"TIFFGetField", &tiff.get},
    {"TIFFGetFieldDefaulted", &tiff.get_defaulted},
    {"TIFFIsTiled", &tiff.is_tiled},
    {"TIFFOpenOptionsAlloc", &tiff.options_alloc},
    {"TIFFOpenOptionsFree", &tiff.options_free},
    {"TIFFOpenOptionsSetErrorHandlerExtR", &tiff.options_errors},
    {"TIFFOpenOptionsSetMaxSingleMemAlloc", &tiff.options_memory},
    {"TIFFOpenOptionsSetWarningHandlerExtR", &tiff.options_warnings},
    {"TIFFReadEncodedStrip", &tiff.read_strip},
    {"TIFFReadEncodedTile", &tiff.read_tile},
    {"TIFFReadRGBAStripExt", &tiff.read_rgba_strip},
    {"TIFFReadRGBATileExt", &tiff.read_rgba_tile},
    {"TIFFReadScanline", &tiff.read_row},
    {"TIFFScanlineSize64", &tiff.row_size},
    {"TIFFSetField", &tiff.set},
    {"TIFFSetSubDirectory", &tiff.select},
    {"TIFFStripSize64", &tiff.strip_size},
    {"TIFFTileSize64", &tiff.tile_size},
};
CDL_LIBRARY(library, "libtiff.so.6", symbols);
CDL_NOTE(
    note,
    "[{\"feature\":\"tiff\",\"description\":\"Decodes TIFF\",\"priority\":\"recommended\",\"soname\":[\"libtiff.so.6\"]}]");

const char *ctiff_open(void) { return cdl_open(&library); }
bool ctiff_is_installed(void) { return cdl_is_installed(&library); }

struct ctiff_file {
  TIFF *handle;
  const uint8_t *bytes;
  size_t count, position;
  unsigned errors, warnings;
  char message[256];
};

static tmsize_t read_bytes(thandle_t client, void *buffer, tmsize_t size) {
  ctiff_file *file = client;
  if (size <= 0 || file->position >= file->count) return 0;
  size_t rest = file->count - file->position;
  size_t length = (size_t)size < rest ? (size_t)size : rest;
  memcpy(buffer, file->bytes + file->position, length);
  file->position += length;
  return (tmsize_t)length;
}

static tmsize_t write_bytes(thandle_t client, void *buffer, tmsize_t size) {
  (void)client, (void)buffer, (void)size;
  return -1;
}

/// Positions behind the end are allowed, as in files: nothing can be read there.
static toff_t seek_bytes(thandle_t client, toff_t offset, int whence) {
  ctiff_file *file = client;
  size_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position : file->count;
  size_t position;
  if (__builtin_add_overflow(start, (size_t)offset, &position)) return (toff_t)-1;
  file->position = position;
  return position;
}

static int close_bytes(thandle_t client) {
  (void)client;
  return 0;
}

static toff_t size_of_bytes(thandle_t client) { return ((ctiff_file *)client)->count; }

static int note_error(TIFF *handle, void *client, const char *module, const char *format, va_list arguments) {
  (void)handle, (void)module;
  ctiff_file *file = client;
  if (file->errors++ == 0) vsnprintf(file->message, sizeof file->message, format, arguments);
  return 1;
}

static int note_warning(TIFF *handle, void *client, const char *module, const char *format, va_list arguments) {
  (void)handle, (void)module, (void)format, (void)arguments;
  ((ctiff_file *)client)->warnings++;
  return 1;
}

ctiff_file *ctiff_file_open(const uint8_t *bytes, size_t count, size_t max_allocation) {
  ctiff_file *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  file->bytes = bytes;
  file->count = count;
  TIFFOpenOptions *options = tiff.options_alloc();
  if (options) {
    const size_t most = (size_t)PTRDIFF_MAX;
    tiff.options_memory(options, (tmsize_t)(max_allocation < most ? max_allocation : most));
    tiff.options_errors(options, note_error, file);
    tiff.options_warnings(options, note_warning, file);
    // Header only, without memory mapping and without cutting strips in pieces.
    file->handle = tiff.open("TIFF", "rhmc", file, read_bytes, write_bytes, seek_bytes, close_bytes, size_of_bytes,
                             NULL, NULL, options);
    tiff.options_free(options);
  }
  if (file->handle) return file;
  free(file);
  return NULL;
}

bool ctiff_file_select(ctiff_file *file, uint64_t offset, ctiff_directory *directory) {
  TIFF *handle = file->handle;
  memset(directory, 0, sizeof *directory);
  if (!tiff.select(handle, offset)) return false;
  if (!tiff.get(handle, TIFFTAG_IMAGEWIDTH, &directory->width) ||
      !tiff.get(handle, TIFFTAG_IMAGELENGTH, &directory->height) ||
      !tiff.get_defaulted(handle, TIFFTAG_BITSPERSAMPLE, &directory->bits) ||
      !tiff.get_defaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &directory->samples) ||
      !tiff.get_defaulted(handle, TIFFTAG_PLANARCONFIG, &directory->planar) ||
      !tiff.get_defaulted(handle, TIFFTAG_COMPRESSION, &directory->compression))
    return false;
  if (!tiff.get(handle, TIFFTAG_PHOTOMETRIC, &directory->photometric)) directory->photometric = UINT16_MAX;
  if (directory->compression == COMPRESSION_JPEG && directory->photometric == PHOTOMETRIC_YCBCR)
    tiff.set(handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  tiff.set(handle, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  directory->is_tiled = tiff.is_tiled(handle) != 0;
  if (directory->is_tiled) {
    if (!tiff.get(handle, TIFFTAG_TILEWIDTH, &directory->tile_width) ||
        !tiff.get(handle, TIFFTAG_TILELENGTH, &directory->tile_height))
      return false;
    directory->piece_bytes = tiff.tile_size(handle);
  } else {
    if (!tiff.get_defaulted(handle, TIFFTAG_ROWSPERSTRIP, &directory->rows_per_strip)) return false;
    if (directory->rows_per_strip > directory->height) directory->rows_per_strip = directory->height;
    directory->piece_bytes = tiff.strip_size(handle);
    directory->row_bytes = tiff.row_size(handle);
  }
  return directory->piece_bytes > 0;
}

bool ctiff_file_read(ctiff_file *file, uint32_t piece, void *buffer, size_t count) {
  if (count > (size_t)PTRDIFF_MAX) return false;
  tmsize_t size = (tmsize_t)count;
  tmsize_t made = tiff.is_tiled(file->handle) ? tiff.read_tile(file->handle, piece, buffer, size)
                                              : tiff.read_strip(file->handle, piece, buffer, size);
  return made == size;
}

bool ctiff_file_read_row(ctiff_file *file, uint32_t row, uint16_t plane, void *buffer) {
  return tiff.read_row(file->handle, buffer, row, plane) == 1;
}

bool ctiff_file_read_rgba(ctiff_file *file, uint32_t x, uint32_t y, uint32_t *raster) {
  return tiff.is_tiled(file->handle) ? tiff.read_rgba_tile(file->handle, x, y, raster, 1) == 1
                                     : tiff.read_rgba_strip(file->handle, y, raster, 1) == 1;
}

const char *ctiff_file_error(const ctiff_file *file) { return file->message; }
unsigned ctiff_file_error_count(const ctiff_file *file) { return file->errors; }
unsigned ctiff_file_warning_count(const ctiff_file *file) { return file->warnings; }

void ctiff_file_forget(ctiff_file *file) {
  file->errors = file->warnings = 0;
  file->message[0] = 0;
}

void ctiff_file_close(ctiff_file *file) {
  tiff.close(file->handle);
  free(file);
}
#endif
