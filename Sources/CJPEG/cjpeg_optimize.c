#include "cjpeg.h"

#include "cjpeg_scans.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
// jpeglib.h first.
#include <jerror.h>

struct optimizer {
  struct jpeg_decompress_struct in;
  struct jpeg_compress_struct out;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf landing;
  cjpeg_cancelled cancelled;
  int max_scans;
  int outcome;
  int is_read, is_written;  // the objects exist
  char *message;
  jvirt_barray_ptr *arrays;
  // The fields are in memory, not in registers, so that they survive a longjmp.
  unsigned char *bytes;
  unsigned long count;
};

static _Noreturn void leave(struct optimizer *o, int outcome, const char *message) {
  if (message) snprintf(o->message, CJPEG_MESSAGE_SIZE, "%s", message);
  o->outcome = outcome;
  longjmp(o->landing, 1);
}

static void on_error(j_common_ptr info) {
  struct optimizer *o = info->client_data;
  char buffer[JMSG_LENGTH_MAX];
  info->err->format_message(info, buffer);
  int outcome = CJPEG_ERROR;
  switch (info->err->msg_code) {
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE:
    outcome = CJPEG_OUT_OF_MEMORY;
    break;
  case JERR_BAD_PRECISION:
  case JERR_NOTIMPL:
  case JERR_SOF_UNSUPPORTED:
    outcome = CJPEG_UNSUPPORTED;
    break;
  default:
    break;
  }
  leave(o, outcome, buffer);
}

// A file that cannot be read without a warning stays as it is: decoders may recover from the damage in different ways.
static void on_message(j_common_ptr info, int level) {
  if (level < 0) on_error(info);
}

static void ignore_output(j_common_ptr info) { (void)info; }

static void on_progress(j_common_ptr info) {
  struct optimizer *o = info->client_data;
  if (info->is_decompressor && o->in.input_scan_number > o->max_scans)
    leave(o, CJPEG_TOO_MANY_SCANS, "the file has too many scans");
  if (o->cancelled && o->cancelled()) leave(o, CJPEG_CANCELLED, NULL);
}

static int is_jfif(jpeg_saved_marker_ptr m) {
  return m->marker == JPEG_APP0 && m->data_length >= 5 && memcmp(m->data, "JFIF", 5) == 0;
}
static int is_adobe(jpeg_saved_marker_ptr m) {
  return m->marker == JPEG_APP0 + 14 && m->data_length >= 5 && memcmp(m->data, "Adobe", 5) == 0;
}
static int is_profile(jpeg_saved_marker_ptr m) {
  return m->marker == JPEG_APP0 + 2 && m->data_length >= 12 && memcmp(m->data, "ICC_PROFILE", 12) == 0;
}
// An index of further images, by their offsets (CIPA DC-007).
static int is_index(jpeg_saved_marker_ptr m) {
  return m->marker == JPEG_APP0 + 2 && m->data_length >= 4 && memcmp(m->data, "MPF", 4) == 0;
}

static void read_file(struct optimizer *o, const uint8_t *jpeg, size_t count) {
  jpeg_mem_src(&o->in, jpeg, (unsigned long)count);
  jpeg_save_markers(&o->in, JPEG_COM, 0xFFFF);
  for (int i = 0; i < 16; i++) jpeg_save_markers(&o->in, JPEG_APP0 + i, 0xFFFF);
  jpeg_read_header(&o->in, TRUE);
  for (jpeg_saved_marker_ptr m = o->in.marker_list; m; m = m->next) {
    if (is_index(m)) leave(o, CJPEG_UNSUPPORTED, "the file has several images");
  }
  o->arrays = jpeg_read_coefficients(&o->in);
  if (o->in.src->bytes_in_buffer > 0) leave(o, CJPEG_UNSUPPORTED, "data follow the image");
}

static const JBLOCK *row_of(void *context, int component, size_t row) {
  struct optimizer *o = context;
  return o->in.mem->access_virt_barray(
    (j_common_ptr)&o->in, o->arrays[component], (JDIMENSION)row, 1, FALSE)[0];
}

static void write_markers(struct optimizer *o, int keeps_all, const uint8_t *exif, size_t exif_count) {
  if (!keeps_all && exif) jpeg_write_marker(&o->out, JPEG_APP0 + 1, exif, (unsigned)exif_count);
  for (jpeg_saved_marker_ptr m = o->in.marker_list; m; m = m->next) {
    if (is_jfif(m) && o->out.write_JFIF_header) continue;
    if (is_adobe(m) && o->out.write_Adobe_marker) continue;
    if (keeps_all || is_adobe(m) || is_profile(m)) jpeg_write_marker(&o->out, m->marker, m->data, m->data_length);
  }
}

static void write_file(struct optimizer *o, int keeps_all, const uint8_t *exif, size_t exif_count) {
  jpeg_mem_dest(&o->out, &o->bytes, &o->count);
  jpeg_copy_critical_parameters(&o->in, &o->out);
  o->out.write_JFIF_header = o->in.saw_JFIF_marker;
  o->out.optimize_coding = TRUE;
  cjpeg_grid grids[MAX_COMPONENTS];
  for (int c = 0; c < o->in.num_components; c++) {
    const jpeg_component_info *info = &o->in.comp_info[c];
    grids[c] = (cjpeg_grid){info->width_in_blocks, info->height_in_blocks, info->h_samp_factor, info->v_samp_factor};
  }
  jpeg_scan_info *scans = o->out.mem->alloc_small(
    (j_common_ptr)&o->out, JPOOL_PERMANENT, CJPEG_MOST_SCANS * sizeof(jpeg_scan_info));
  o->out.num_scans = cjpeg_choose_scans(grids, o->in.num_components, row_of, o, scans);
  o->out.scan_info = o->out.num_scans > 0 ? scans : NULL;
  jpeg_write_coefficients(&o->out, o->arrays);
  write_markers(o, keeps_all, exif, exif_count);
  jpeg_finish_compress(&o->out);
  jpeg_finish_decompress(&o->in);
}

int cjpeg_optimize(
  const uint8_t *jpeg, size_t jpeg_count, int keeps_all, const uint8_t *exif, size_t exif_count, int max_scans, long max_memory,
  cjpeg_cancelled cancelled, uint8_t **bytes, size_t *count, char *message) {
  *bytes = NULL;
  *count = 0;
  message[0] = 0;
  struct optimizer *o = calloc(1, sizeof *o);
  if (!o) return CJPEG_OUT_OF_MEMORY;
  o->message = message;
  o->cancelled = cancelled;
  o->max_scans = max_scans;
  o->in.err = o->out.err = jpeg_std_error(&o->errors);
  o->errors.error_exit = on_error;
  o->errors.emit_message = on_message;
  o->errors.output_message = ignore_output;
  o->in.client_data = o->out.client_data = o;
  o->progress.progress_monitor = on_progress;
  if (!setjmp(o->landing)) {
    // These calls keep `err` and `client_data`.
    jpeg_create_decompress(&o->in);
    o->is_read = 1;
    jpeg_create_compress(&o->out);
    o->is_written = 1;
    o->in.progress = o->out.progress = &o->progress;
    o->in.mem->max_memory_to_use = max_memory;
    read_file(o, jpeg, jpeg_count);
    write_file(o, keeps_all, exif, exif_count);
    o->outcome = CJPEG_OK;
    *bytes = o->bytes;
    *count = o->count;
  } else {
    // `bytes` is only valid once the destination is closed, and closing may fail again.
    if (!setjmp(o->landing) && o->is_written && o->out.dest) o->out.dest->term_destination(&o->out);
    free(o->bytes);
  }
  if (!setjmp(o->landing) && o->is_written) jpeg_destroy_compress(&o->out);
  if (!setjmp(o->landing) && o->is_read) jpeg_destroy_decompress(&o->in);
  const int outcome = o->outcome;
  free(o);
  return outcome;
}
