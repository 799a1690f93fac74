#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff, opened when a TIFF is first decoded.

/// Opens the library. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *ctiff_open(void);

/// Returns true if the library is installed. Thread-safe.
bool ctiff_is_installed(void);

/// A TIFF in memory. One thread at a time.
typedef struct ctiff_file ctiff_file;

/// The numbers of a directory as the library understands them.
typedef struct {
  uint32_t width, height;
  /// The rows of a strip, at most the height; of a tile its sides.
  uint32_t rows_per_strip, tile_width, tile_height;
  uint16_t bits, samples, planar, photometric, compression;
  bool is_tiled;
  /// Bytes of a whole decoded strip or tile, and of a decoded row of a strip, of one plane.
  uint64_t piece_bytes, row_bytes;
} ctiff_directory;

/// Opens a file whose bytes stay where they are. The library was opened with ctiff_open. No directory is read.
/// `max_allocation` limits each piece of memory that the library takes. Returns NULL if there is no memory, or the
/// header is invalid.
ctiff_file *ctiff_file_open(const uint8_t *bytes, size_t count, size_t max_allocation);

/// Reads the directory at an offset. YCbCr of JPEG is decoded as RGB, and the orientation is ignored. Returns false on
/// failure.
bool ctiff_file_select(ctiff_file *file, uint64_t offset, ctiff_directory *directory);

/// Decodes a strip or tile. `count` is not larger than the buffer; less than a whole strip for the last one. Returns
/// false unless all bytes were written.
bool ctiff_file_read(ctiff_file *file, uint32_t piece, void *buffer, size_t count);

/// Decodes a row of one plane of a directory with strips; rows are read in ascending order. `buffer` has room for
/// `row_bytes`.
bool ctiff_file_read_row(ctiff_file *file, uint32_t row, uint16_t plane, void *buffer);

/// Decodes the strip or tile with this pixel as RGBA, from the bottom row to the top. `raster` has room for the pixels
/// of a whole strip or tile. For YCbCr and Lab only: alpha is lost.
bool ctiff_file_read_rgba(ctiff_file *file, uint32_t x, uint32_t y, uint32_t *raster);

/// Returns the first error since the last call of `ctiff_file_forget`, or "".
const char *ctiff_file_error(const ctiff_file *file);

/// Returns the number of errors, and of warnings, since the last call of `ctiff_file_forget`.
unsigned ctiff_file_error_count(const ctiff_file *file);
unsigned ctiff_file_warning_count(const ctiff_file *file);

/// Forgets all errors and warnings.
void ctiff_file_forget(ctiff_file *file);

/// Closes the file.
void ctiff_file_close(ctiff_file *file);
