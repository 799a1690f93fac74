#include "cjpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
// jpeglib.h first.
#include <jerror.h>

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf landing;
  cjpeg_cancelled cancelled;
  int outcome;
  int is_open;  // the destination exists
  char *message;
  // In memory, not in registers: they outlive a longjmp.
  unsigned char *bytes;
  unsigned long count;
  uint8_t *flat;
};

static void on_error(j_common_ptr info) {
  struct encoder *e = info->client_data;
  char buffer[JMSG_LENGTH_MAX];
  info->err->format_message(info, buffer);
  snprintf(e->message, CJPEG_MESSAGE_SIZE, "%s", buffer);
  e->outcome = info->err->msg_code == JERR_OUT_OF_MEMORY ? CJPEG_OUT_OF_MEMORY : CJPEG_ERROR;
  longjmp(e->landing, 1);
}

static void ignore_message(j_common_ptr info, int level) { (void)info, (void)level; }
static void ignore_output(j_common_ptr info) { (void)info; }

static void on_progress(j_common_ptr info) {
  struct encoder *e = info->client_data;
  if (!e->cancelled || !e->cancelled()) return;
  e->outcome = CJPEG_CANCELLED;
  longjmp(e->landing, 1);
}

static void flatten(const uint8_t *from, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {
    unsigned alpha = from[3], white = 255 * (255 - alpha);
    for (int c = 0; c < 3; c++) to[c] = (uint8_t)((from[c] * alpha + white + 127) / 255);
    to[3] = 255;
  }
}

static void compress(
  struct encoder *e, const uint8_t *rows, size_t bytes_per_row, uint32_t width, uint32_t height, int quality) {
  jpeg_create_compress(&e->jpeg);
  e->jpeg.progress = &e->progress;
  jpeg_mem_dest(&e->jpeg, &e->bytes, &e->count);
  e->is_open = 1;
  e->jpeg.image_width = width;
  e->jpeg.image_height = height;
  e->jpeg.input_components = 4;
  e->jpeg.in_color_space = JCS_EXT_RGBA;
  jpeg_set_defaults(&e->jpeg);
  jpeg_set_quality(&e->jpeg, quality, TRUE);
  e->jpeg.optimize_coding = TRUE;
  e->jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_compress(&e->jpeg, TRUE);
  while (e->jpeg.next_scanline < height) {
    const uint8_t *row = rows + (size_t)e->jpeg.next_scanline * bytes_per_row;
    if (e->flat) flatten(row, e->flat, width);
    JSAMPROW one = e->flat ? e->flat : (JSAMPROW)row;
    jpeg_write_scanlines(&e->jpeg, &one, 1);
  }
  jpeg_finish_compress(&e->jpeg);
}

int cjpeg_encode(
  const uint8_t *rows, size_t bytes_per_row, uint32_t width, uint32_t height, int opaque, int quality,
  cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message) {
  *bytes = NULL;
  *count = 0;
  message[0] = 0;
  struct encoder *e = calloc(1, sizeof *e);
  if (!e) return CJPEG_OUT_OF_MEMORY;
  e->message = message;
  e->cancelled = cancelled;
  e->jpeg.err = jpeg_std_error(&e->errors);
  e->errors.error_exit = on_error;
  e->errors.emit_message = ignore_message;
  e->errors.output_message = ignore_output;
  e->jpeg.client_data = e;
  e->progress.progress_monitor = on_progress;
  if (!opaque) {
    e->flat = malloc((size_t)width * 4);
    if (!e->flat) {
      free(e);
      return CJPEG_OUT_OF_MEMORY;
    }
  }
  if (setjmp(e->landing)) {
    // `bytes` is only current once the destination is closed, and closing may fail again.
    if (!setjmp(e->landing) && e->is_open) e->jpeg.dest->term_destination(&e->jpeg);
    if (!setjmp(e->landing)) jpeg_destroy_compress(&e->jpeg);
    free(e->bytes);
    e->bytes = NULL;
    e->count = 0;
  } else {
    compress(e, rows, bytes_per_row, width, height, quality);
    jpeg_destroy_compress(&e->jpeg);
    e->outcome = CJPEG_OK;
  }
  *bytes = e->bytes;
  *count = e->count;
  int outcome = e->outcome;
  free(e->flat);
  free(e);
  return outcome;
}
