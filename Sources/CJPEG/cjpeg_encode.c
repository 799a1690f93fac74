#include "cjpeg.h"
#include "cjpeg_pixels.h"
#include "cjpeg_recode.h"
#include "cjpeg_scans.h"
#include "cjpeg_tables.h"
#include "cjpeg_trellis.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
// jpeglib.h first.
#include <jerror.h>

// The number of rows per call: enough to make calls cheap, few enough to stay in the cache.
enum { BATCH = 16 };

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf landing;
  cjpeg_cancelled cancelled;
  int outcome;
  int is_open;  // the destination exists
  char *message;
  // The fields are in memory, not in registers, so that they survive a longjmp.
  unsigned char *first;  // the buffer that the library starts with, and does not free
  unsigned char *bytes;
  unsigned long count;
  uint8_t *flat;  // BATCH rows of RGBX
  float *samples; // of a row of units
  jvirt_barray_ptr coefficients[3];
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

static void flatten8(const uint8_t *from, uint8_t *to, uint32_t width, const uint8_t *background) {
  for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {
    unsigned alpha = from[3], rest = 255 - alpha;
    for (int c = 0; c < 3; c++) to[c] = (uint8_t)((from[c] * alpha + background[c] * rest + 127) / 255);
    to[3] = 255;
  }
}

static void flatten16(const uint8_t *row, uint8_t *to, uint32_t width, const uint8_t *background) {
  const uint16_t *from = (const uint16_t *)(const void *)row;
  for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {
    uint32_t alpha = from[3], rest = 65535 - alpha;
    for (int c = 0; c < 3; c++) {
      // 65535² and its half fit in 32 bits.
      uint32_t value = (from[c] * alpha + background[c] * 257u * rest + 32767) / 65535;
      to[c] = (uint8_t)((value * 255 + 32895) >> 16);
    }
    to[3] = 255;
  }
}

// Collects rows of opaque pixels, or of grey; those below the picture repeat the last one.
static void collect_rows(struct encoder *e, const cjpeg_picture *p, uint32_t first, uint32_t count, const uint8_t **rows) {
  for (uint32_t i = 0; i < count; i++) {
    if (first + i >= p->height) {
      rows[i] = rows[i - 1];
      continue;
    }
    const uint8_t *row = p->rows + (size_t)(first + i) * p->bytes_per_row;
    rows[i] = row;
    if (!e->flat) continue;
    uint8_t *flat = e->flat + (size_t)i * p->width * 4;
    if (p->layout == CJPEG_RGBA16) flatten16(row, flat, p->width, p->background);
    else flatten8(row, flat, p->width, p->background);
    rows[i] = flat;
  }
}

static void write_rows(struct encoder *e, const cjpeg_picture *p) {
  while (e->jpeg.next_scanline < p->height) {
    const uint8_t *batch[BATCH];
    const uint32_t left = p->height - e->jpeg.next_scanline, count = left < BATCH ? left : BATCH;
    collect_rows(e, p, e->jpeg.next_scanline, count, batch);
    jpeg_write_scanlines(&e->jpeg, (JSAMPARRAY)(uintptr_t)batch, count);
  }
}

// Coefficients that are chosen by their cost

static JBLOCKARRAY block_rows(struct encoder *e, int component, size_t first, size_t count) {
  return e->jpeg.mem->access_virt_barray(
    (j_common_ptr)&e->jpeg, e->coefficients[component], (JDIMENSION)first, (JDIMENSION)count, TRUE);
}

static void check_cancelled(struct encoder *e) { on_progress((j_common_ptr)&e->jpeg); }

static size_t rounded_up(size_t count, int unit) { return (count + (size_t)unit - 1) / (size_t)unit * (size_t)unit; }

// Transforms the whole picture; coefficients are multiples of 1/16 afterwards.
static void transform_picture(struct encoder *e, const cjpeg_picture *p, const cjpeg_layout *l) {
  for (int c = 0; c < l->count; c++) {
    const cjpeg_plane *plane = &l->planes[c];
    e->coefficients[c] = e->jpeg.mem->request_virt_barray(
      (j_common_ptr)&e->jpeg, JPOOL_IMAGE, TRUE, (JDIMENSION)rounded_up(plane->columns, plane->horizontal),
      (JDIMENSION)rounded_up(plane->rows, plane->vertical), (JDIMENSION)plane->vertical);
  }
  e->jpeg.mem->realize_virt_arrays((j_common_ptr)&e->jpeg);
  const uint32_t height = DCTSIZE * (uint32_t)l->planes[0].vertical;
  for (size_t unit = 0; unit < l->units_down; unit++) {
    check_cancelled(e);
    const uint8_t *rows[BATCH];
    collect_rows(e, p, (uint32_t)unit * height, height, rows);
    int16_t *blocks[3][4] = {{NULL}};
    for (int c = 0; c < l->count; c++) {
      const cjpeg_plane *plane = &l->planes[c];
      const size_t first = unit * (size_t)plane->vertical;
      JBLOCKARRAY lines = block_rows(e, c, first, (size_t)plane->vertical);
      for (int v = 0; v < plane->vertical; v++) {
        if (first + (size_t)v < plane->rows) blocks[c][v] = lines[v][0];
      }
    }
    cjpeg_transform(l, p->width, p->layout == CJPEG_GRAY, rows, e->samples, (int16_t *const(*)[4])blocks);
  }
}

static void quantize_component(struct encoder *e, const cjpeg_plane *plane, int component) {
  cjpeg_trellis trellis;
  cjpeg_trellis_init(&trellis, e->jpeg.quant_tbl_ptrs[e->jpeg.comp_info[component].quant_tbl_no]->quantval);
  for (size_t y = 0; y < plane->rows; y++) {
    JBLOCKROW line = block_rows(e, component, y, 1)[0];
    for (size_t x = 0; x < plane->columns; x++) cjpeg_trellis_count(&trellis, line[x]);
  }
  cjpeg_trellis_measure(&trellis);
  for (size_t y = 0; y < plane->rows; y++) {
    check_cancelled(e);
    JBLOCKROW line = block_rows(e, component, y, 1)[0];
    for (size_t x = 0; x < plane->columns; x++) cjpeg_trellis_quantize(&trellis, line[x]);
  }
}

static const JBLOCK *row_of(void *context, int component, size_t row) {
  return block_rows(context, component, row, 1)[0];
}

// Starts a file of chosen coefficients in chosen scans, which live as long as the encoder.
static void start_trimmed(struct encoder *e, const cjpeg_picture *p) {
  const cjpeg_layout layout = cjpeg_layout_of(p);
  transform_picture(e, p, &layout);
  cjpeg_grid grids[3];
  for (int c = 0; c < layout.count; c++) {
    const cjpeg_plane *plane = &layout.planes[c];
    quantize_component(e, plane, c);
    grids[c] = (cjpeg_grid){plane->columns, plane->rows, plane->horizontal, plane->vertical};
  }
  jpeg_scan_info *scans = e->jpeg.mem->alloc_small(
    (j_common_ptr)&e->jpeg, JPOOL_PERMANENT, CJPEG_MOST_SCANS * sizeof(jpeg_scan_info));
  e->jpeg.num_scans = cjpeg_choose_scans(grids, layout.count, row_of, e, scans);
  e->jpeg.scan_info = e->jpeg.num_scans > 0 ? scans : NULL;
  e->jpeg.optimize_coding = TRUE;
  jpeg_write_coefficients(&e->jpeg, e->coefficients);
}

static int recodes(const cjpeg_picture *p) { return p->optimized && !p->progressive && !p->trims; }

static size_t divided(uint32_t length, int unit) { return ((size_t)length + (size_t)unit - 1) / (size_t)unit; }

// Gives the file optimised tables.
static int recode(struct encoder *e, const cjpeg_picture *p, uint8_t **bytes, size_t *count) {
  cjpeg_scan scan = {.blocks = 1};
  if (p->layout == CJPEG_GRAY || p->only_luminance) {
    scan.mcus = divided(p->width, DCTSIZE) * divided(p->height, DCTSIZE);
  } else {
    const int luma = p->luma_horizontal * p->luma_vertical;
    scan.mcus = divided(p->width, DCTSIZE * p->luma_horizontal) * divided(p->height, DCTSIZE * p->luma_vertical);
    scan.blocks = luma + 2;
    scan.table[luma] = scan.table[luma + 1] = 1;
  }
  return cjpeg_recode(&scan, e->bytes, e->count, bytes, count);
}

static void compress(struct encoder *e, const cjpeg_picture *p) {
  jpeg_create_compress(&e->jpeg);
  e->jpeg.progress = &e->progress;
  e->bytes = e->first;
  jpeg_mem_dest(&e->jpeg, &e->bytes, &e->count);
  e->is_open = 1;
  int gray = p->layout == CJPEG_GRAY;
  e->jpeg.image_width = p->width;
  e->jpeg.image_height = p->height;
  e->jpeg.input_components = gray ? 1 : 4;
  e->jpeg.in_color_space = gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
  jpeg_set_defaults(&e->jpeg);
  jpeg_set_quality(&e->jpeg, p->quality, TRUE);
  if (gray || p->only_luminance) {
    jpeg_set_colorspace(&e->jpeg, JCS_GRAYSCALE);
  } else {
    e->jpeg.comp_info[0].h_samp_factor = p->luma_horizontal;
    e->jpeg.comp_info[0].v_samp_factor = p->luma_vertical;
  }
  if (!p->standard_tables) cjpeg_set_fitted_tables(&e->jpeg, p->quality, p->trims);
  // `recode` does not support several scans.
  e->jpeg.optimize_coding = p->optimized && p->progressive ? TRUE : FALSE;
  if (recodes(p)) cjpeg_set_plain_tables(&e->jpeg);
  e->jpeg.dct_method = JDCT_ISLOW;
  if (p->progressive && !p->trims) jpeg_simple_progression(&e->jpeg);
  if (p->trims) start_trimmed(e, p);
  else jpeg_start_compress(&e->jpeg, TRUE);
  if (p->exif) jpeg_write_marker(&e->jpeg, JPEG_APP0 + 1, p->exif, (unsigned)p->exif_count);
  if (p->xmp) jpeg_write_marker(&e->jpeg, JPEG_APP0 + 1, p->xmp, (unsigned)p->xmp_count);
  if (p->profile) jpeg_write_icc_profile(&e->jpeg, p->profile, (unsigned)p->profile_count);
  if (!p->trims) write_rows(e, p);
  jpeg_finish_compress(&e->jpeg);
}

// The library doubles its buffer when it is full, and copies. Two bits per pixel are rarely exceeded, three with plain
// tables, and pages that are not written cost nothing.
static size_t first_size(const cjpeg_picture *p) {
  const size_t eighth = (size_t)p->width * p->height / 8;
  return eighth * (recodes(p) ? 3 : 2) + p->exif_count + p->xmp_count + p->profile_count + 4096;
}

static struct encoder *create(const cjpeg_picture *p) {
  struct encoder *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->count = first_size(p);
  e->first = malloc(e->count);
  int flattens = p->layout == CJPEG_RGBA16 || (p->layout == CJPEG_RGBA && !p->opaque);
  if (flattens) e->flat = malloc((size_t)p->width * 4 * BATCH);
  if (p->trims) {
    const cjpeg_layout layout = cjpeg_layout_of(p);
    e->samples = malloc(cjpeg_transform_memory(&layout));
  }
  if (e->first && (e->flat || !flattens) && (e->samples || !p->trims)) return e;
  free(e->first);
  free(e->flat);
  free(e->samples);
  free(e);
  return NULL;
}

int cjpeg_encode(
  const cjpeg_picture *p, cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message) {
  *bytes = NULL;
  *count = 0;
  message[0] = 0;
  struct encoder *e = create(p);
  if (!e) return CJPEG_OUT_OF_MEMORY;
  e->message = message;
  e->cancelled = cancelled;
  e->jpeg.err = jpeg_std_error(&e->errors);
  e->errors.error_exit = on_error;
  e->errors.emit_message = ignore_message;
  e->errors.output_message = ignore_output;
  e->jpeg.client_data = e;
  e->progress.progress_monitor = on_progress;
  if (setjmp(e->landing)) {
    // `bytes` is only valid once the destination is closed, and closing may fail again.
    if (!setjmp(e->landing) && e->is_open) e->jpeg.dest->term_destination(&e->jpeg);
    if (!setjmp(e->landing)) jpeg_destroy_compress(&e->jpeg);
    if (e->bytes != e->first) free(e->bytes);
    free(e->first);
  } else {
    compress(e, p);
    jpeg_destroy_compress(&e->jpeg);
    e->outcome = CJPEG_OK;
    if (e->bytes != e->first) free(e->first);
    if (recodes(p)) {
      e->outcome = recode(e, p, bytes, count);
      free(e->bytes);
    } else {
      // Releases the excess; if the system refuses to shrink the block, the bytes are still valid.
      uint8_t *fitted = realloc(e->bytes, e->count);
      *bytes = fitted ? fitted : e->bytes;
      *count = e->count;
    }
  }
  int outcome = e->outcome;
  free(e->flat);
  free(e->samples);
  free(e);
  return outcome;
}
