#pragma once
#include <stddef.h>
#include <stdint.h>

// LZW in the variant of GIF (GIF89a specification, appendix F), and the painting of palette indices.

/// The result of a call of cgif_lzw_feed.
typedef enum cgif_lzw_status {
  /// All bytes are consumed; more may follow.
  CGIF_LZW_MORE = 0,
  /// All pixels are present; further data are ignored.
  CGIF_LZW_FULL = 1,
  /// The end code came before the last pixel.
  CGIF_LZW_END = 2,
  /// A code is not in the table yet.
  CGIF_LZW_BAD_CODE = 3,
} cgif_lzw_status;

/// Bytes that the pixel buffer of cgif_lzw_feed must have beyond its capacity. Their contents are undefined.
enum { CGIF_LZW_SLACK = 8 };

/// A string of the table: its position in the pixels decoded so far, and its length.
typedef struct cgif_lzw_string {
  uint32_t position;
  uint32_t length;
} cgif_lzw_string;

/// The state of a decompressor, 32 KiB. Start it with cgif_lzw_start; it has no resources to free.
typedef struct cgif_lzw {
  uint64_t bits;
  uint32_t bit_count;
  uint32_t code_width;
  uint32_t minimum_code_size;
  uint32_t next_code;
  uint32_t previous_position;
  /// 0 after a clear code: there is no previous string.
  uint32_t previous_length;
  /// The number of pixels decoded so far.
  size_t written;
  cgif_lzw_string strings[4096];
} cgif_lzw;

/// Starts an image. `minimum_code_size` must be 1 to 8.
void cgif_lzw_start(cgif_lzw *lzw, uint32_t minimum_code_size);

/// Decodes the codes in `count` bytes and appends to `pixels`, which must be the same buffer in all calls of an
/// image, of `capacity + CGIF_LZW_SLACK` bytes, with `capacity` at most UINT32_MAX.
cgif_lzw_status cgif_lzw_feed(
    cgif_lzw *lzw, const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Writes the colours of `count` indices. `palette` is 256 pixels of R, G, B, A in memory order.
void cgif_paint(uint32_t *rgba, const uint8_t *indices, size_t count, const uint32_t *palette);

/// Does the same as cgif_paint, but skips pixels of the index `transparent`.
void cgif_paint_over(
    uint32_t *rgba, const uint8_t *indices, size_t count, const uint32_t *palette, uint8_t transparent);

/// Bytes that a compressed frame has beside its codes, at most.
enum { CGIF_LZW_END_BYTES = 520 };

/// The pixels of a frame, and the freedom to show similar ones.
typedef struct cgif_lzw_picture {
  /// The index of each pixel.
  const uint8_t *indices;
  /// The colours of the palette, four bytes each, 2 to the power of `minimum_code_size`; NULL for no loss.
  const uint8_t *colors;
  /// The largest squared error of a pixel: 2 times that of red, 4 times that of green and once that of blue.
  uint32_t tolerance;
  /// The index of the transparent colour, or -1.
  int32_t transparent;
  /// A byte for each pixel, not 0 if the pixel is there already, so that it may also be transparent; NULL for none. Needs
  /// a transparent colour.
  const uint8_t *unchanged;
  /// 2 to 8; all indices, and that of the transparent colour, are below 2 to that power.
  uint32_t minimum_code_size;
} cgif_lzw_picture;

/// Compresses a whole frame into sub-blocks, with the terminator. With `defers`, a full table is kept as long as it compresses
/// well. `is_cancelled` is called now and then. `bytes` must have room for `2 * count + CGIF_LZW_END_BYTES`. Returns the number
/// of bytes; 0 without memory, or when it was cancelled.
size_t cgif_lzw_encode_flexible(
    const cgif_lzw_picture *picture, size_t count, int defers, int (*is_cancelled)(void), uint8_t *bytes);
