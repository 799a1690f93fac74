#pragma once
#include <stddef.h>
#include <stdint.h>

// libjpeg-turbo behind functions that return: its errors are longjmps, which no Swift frame may be skipped by.
// Every function here sets its own landing place. Nothing is ever printed. An object belongs to one thread at
// a time.

enum {
  CJPEG_OK = 0,
  CJPEG_ERROR = 1,        // the message says what
  CJPEG_SUSPENDED = 2,    // more input is needed (only before the input is final)
  CJPEG_UNSUPPORTED = 3,  // a variant of JPEG that the library does not know
  CJPEG_CANCELLED = 4,
  CJPEG_TOO_MANY_SCANS = 5,
  CJPEG_OUT_OF_MEMORY = 6,
};

enum {
  CJPEG_INTACT = 0,
  CJPEG_TRUNCATED = 1,  // the input ended before the picture
  CJPEG_DAMAGED = 2,    // part of the entropy-coded data is lost
};

enum { CJPEG_MESSAGE_SIZE = 256 };

// Asked now and then; non-zero ends the work with CJPEG_CANCELLED.
typedef int (*cjpeg_cancelled)(void);

typedef struct cjpeg_decoder cjpeg_decoder;

typedef struct {
  uint32_t width, height;  // stored size
  int components;
  int multiple_scans;  // progressive, or sequential in several scans: decoded through coefficients in memory
} cjpeg_header;

cjpeg_decoder *cjpeg_decoder_create(cjpeg_cancelled cancelled, int max_scans, long max_memory);
void cjpeg_decoder_destroy(cjpeg_decoder *);

// Sets the window of unread input, which must stay where it is until the next call of this function. After
// CJPEG_SUSPENDED the next window starts with the bytes that cjpeg_decoder_unread counts. `final`: no more
// input follows.
void cjpeg_decoder_input(cjpeg_decoder *, const uint8_t *bytes, size_t count, int final);
size_t cjpeg_decoder_unread(const cjpeg_decoder *);

int cjpeg_decoder_read_header(cjpeg_decoder *, cjpeg_header *);

// Begins to decode at 1/denominator (1, 2, 4, 8) of the stored size and tells the size of the result. Reads all
// scans of a picture with several.
int cjpeg_decoder_start(cjpeg_decoder *, int denominator, uint32_t *width, uint32_t *height);

// Decodes the next rows as RGBA, at most `max_rows`, the first to `rows`. Tells how many.
int cjpeg_decoder_read_rows(
  cjpeg_decoder *, uint8_t *rows, size_t bytes_per_row, uint32_t max_rows, uint32_t *read);

// CJPEG_INTACT, CJPEG_TRUNCATED or CJPEG_DAMAGED so far. Final only when all rows are read.
int cjpeg_decoder_damage(const cjpeg_decoder *);

// What went wrong last, or the first damage. Empty if nothing did.
const char *cjpeg_decoder_message(const cjpeg_decoder *);

// Encodes RGBA rows as baseline JPEG with 4:2:0 chroma and optimised Huffman tables. Unless `opaque`, pixels
// are laid on white. `*bytes` is to be freed by free(); NULL after an error. `message` holds
// CJPEG_MESSAGE_SIZE bytes.
int cjpeg_encode(
  const uint8_t *rows, size_t bytes_per_row, uint32_t width, uint32_t height, int opaque, int quality,
  cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message);
