#pragma once
#include <stddef.h>
#include <stdint.h>

// Functions around libjpeg-turbo that return normally: its errors are longjmps, which must not cross Swift frames.
// Every function sets its own target of longjmp. Nothing is ever printed. An object belongs to one thread at a time.

enum {
  CJPEG_OK = 0,
  CJPEG_ERROR = 1,        // described by the message
  CJPEG_SUSPENDED = 2,    // more input is needed (only before the input is final)
  CJPEG_UNSUPPORTED = 3,  // a variant of JPEG that the library does not support
  CJPEG_CANCELLED = 4,
  CJPEG_TOO_MANY_SCANS = 5,
  CJPEG_OUT_OF_MEMORY = 6,
  CJPEG_END = 7,  // all scans have been read
};

enum {
  CJPEG_INTACT = 0,
  CJPEG_TRUNCATED = 1,  // the input ended before the picture
  CJPEG_DAMAGED = 2,    // part of the entropy-coded data is lost, and concealed
};

// The layout of rows.
enum {
  CJPEG_RGBA = 0,    // four bytes per pixel; inks are mixed by the plain product
  CJPEG_GRAY = 1,    // one byte per pixel; only for pictures of one component
  CJPEG_INKS = 2,    // cyan, magenta, yellow, black, 255 is full ink; only for pictures of four components
  CJPEG_RGBA16 = 3,  // four 16-bit samples per pixel; only for encoding
  CJPEG_PLANES = 4,  // a plane for each of three components, as stored; see cjpeg_decoder_start_planes
};

enum { CJPEG_MESSAGE_SIZE = 256 };

typedef struct cjpeg_decoder cjpeg_decoder;

typedef struct {
  uint32_t width, height;  // stored size
  int components;
  int multiple_scans;  // progressive, or sequential in several scans: decoded through coefficients in memory
  // True for luma and two components of chroma whose planes can be read at scales of their own.
  int has_planes;
  int chroma_horizontal, chroma_vertical;  // luma samples per chroma sample in each direction, if there are planes
} cjpeg_header;

cjpeg_decoder *cjpeg_decoder_create(int max_scans, long max_memory);
void cjpeg_decoder_destroy(cjpeg_decoder *);

// For comparisons: lets the library read all Huffman codes itself, and all scans of a complete file before the first
// row. Call it before the header is read.
void cjpeg_decoder_use_plain_library(cjpeg_decoder *);
// Reads scans of which the picture shows nothing as well, as at an eighth of its size all but those of the means of blocks.
// Otherwise the decoder skips them, and finds no damage in them. Call it before cjpeg_decoder_start.
void cjpeg_decoder_read_hidden_scans(cjpeg_decoder *);
// Returns true if this code, and not the library, reads the codes since cjpeg_decoder_start.
int cjpeg_decoder_reads_codes(const cjpeg_decoder *);

// Sets the window of unread input, which must not move until the next call of this function. After CJPEG_SUSPENDED the
// next window starts with the bytes that cjpeg_decoder_unread counts. `final`: no more input follows.
void cjpeg_decoder_input(cjpeg_decoder *, const uint8_t *bytes, size_t count, int final);
size_t cjpeg_decoder_unread(const cjpeg_decoder *);

int cjpeg_decoder_read_header(cjpeg_decoder *, cjpeg_header *);

// Prepares to decode at 1/denominator (1, 2, 4, 8) of the stored size and returns the size of the result. A picture
// with one scan can then be read row by row. One with several is first consumed and then read in passes.
int cjpeg_decoder_start(cjpeg_decoder *, int denominator, int layout, uint32_t *width, uint32_t *height);

// The sizes of planes.
typedef struct {
  uint32_t width, height, chroma_width, chroma_height;
} cjpeg_plane_sizes;

// As cjpeg_decoder_start, for planes: luma at 1/denominator of the stored size, chroma at `chroma_eighths` (1, 2, 4, 8)
// eighths of its stored size.
int cjpeg_decoder_start_planes(cjpeg_decoder *, int denominator, int chroma_eighths, cjpeg_plane_sizes *);

// Several scans: reads input until `max_rows` rows of blocks are done (CJPEG_OK), the input is exhausted, or all scans
// have been read (CJPEG_END).
int cjpeg_decoder_consume(cjpeg_decoder *, uint32_t max_rows);

// Returns the number of complete scans, as far as the library has recognised them.
int cjpeg_decoder_complete_scans(const cjpeg_decoder *);

// Several scans: returns the number of refinements of the whole picture, as far as the library has recognised them: 0
// until each component had a complete DC scan, 1 then, and one more for each complete scan after it.
int cjpeg_decoder_complete_passes(const cjpeg_decoder *);

// Several scans: returns true if any row of blocks was consumed.
int cjpeg_decoder_has_rows(const cjpeg_decoder *);

// Several scans: begins or ends a pass over the coefficients consumed so far. Reads no input, and changes nothing for
// later passes.
int cjpeg_decoder_start_pass(cjpeg_decoder *);
int cjpeg_decoder_finish_pass(cjpeg_decoder *);

// Decodes the next rows, at most `max_rows`, the first to `rows`. Sets their number.
int cjpeg_decoder_read_rows(
  cjpeg_decoder *, uint8_t *rows, size_t bytes_per_row, uint32_t max_rows, uint32_t *read);

// Rows of planes, valid until the next call with the decoder.
typedef struct {
  const uint8_t *rows[3];
  size_t stride[3];
  uint32_t count, chroma_count;  // 0 behind the end
} cjpeg_bands;

// Decodes the next rows of the planes of cjpeg_decoder_start_planes: those of a row of blocks.
int cjpeg_decoder_read_bands(cjpeg_decoder *, cjpeg_bands *);

// Returns CJPEG_INTACT, CJPEG_TRUNCATED or CJPEG_DAMAGED so far. `complete`: all input has been read, so that missing
// data are lost.
int cjpeg_decoder_damage(const cjpeg_decoder *, int complete);

// Returns the last error, or the first damage. Empty if there was none.
const char *cjpeg_decoder_message(const cjpeg_decoder *);

// A picture, and the settings of its encoding.
typedef struct {
  const uint8_t *rows;
  size_t bytes_per_row;
  uint32_t width, height;
  int layout;             // CJPEG_RGBA, CJPEG_RGBA16 or CJPEG_GRAY
  int opaque;             // alpha is ignored
  uint8_t background[3];  // composited behind transparent pixels
  int only_luminance;     // write one component
  int quality;            // 1 to 100
  int luma_horizontal, luma_vertical;  // luma samples per chroma sample in each direction
  int optimized;                       // Huffman tables optimised for the picture
  int progressive;
  int standard_tables;                 // quantisation tables of ITU-T T.81, K.1, instead of fitted ones
  // Coefficients are chosen by the bits that they cost, and written in the scans that take the fewest bytes.
  int trims;
  // Payloads of APP1 segments, at most 65,533 bytes each, and an ICC profile of any size; NULL for none.
  const uint8_t *exif, *xmp, *profile;
  size_t exif_count, xmp_count, profile_count;
} cjpeg_picture;

// Called now and then; non-zero ends the work with CJPEG_CANCELLED.
typedef int (*cjpeg_cancelled)(void);

// The caller frees `*bytes` with free(); it is NULL after an error. `message` holds CJPEG_MESSAGE_SIZE bytes.
int cjpeg_encode(
  const cjpeg_picture *, cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message);

// Writes a JPEG with the same coefficients, and so the same pixels, in fewer bytes: with optimised codes, in the scans that take
// the fewest. `keeps_all`: all segments of the file are copied; otherwise those that concern the decoding of pixels and the profile
// (JFIF, Adobe, ICC), and `exif`, the payload of an APP1 segment, in place of the others; NULL for none.
//
// CJPEG_ERROR if the file is damaged in any way; CJPEG_UNSUPPORTED if data follow the image, which may be further images that
// segments of the file point at. The caller frees `*bytes` with free().
int cjpeg_optimize(
  const uint8_t *jpeg, size_t jpeg_count, int keeps_all, const uint8_t *exif, size_t exif_count, int max_scans, long max_memory,
  cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message);
