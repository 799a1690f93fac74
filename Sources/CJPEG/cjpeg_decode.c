#include "cjpeg.h"

#include "cjpeg_entropy.h"
#include "cjpeg_hidden.h"
#include "cjpeg_planes.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
// jpeglib.h first.
#include <jerror.h>

struct cjpeg_decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf landing;
  int max_scans;
  size_t to_skip;   // bytes of a segment behind the window
  int final;        // no input follows the window
  int at_end;       // the library has requested bytes behind the last one
  int damage;       // part of the data is lost
  int truncated;    // the input ended before the picture
  int outcome;      // the result after a longjmp
  int multiple_scans;
  int consumed_all;   // all scans have been read
  int consumed_rows;  // some coefficients are present
  int is_hidden;      // nothing of the current scan shows: it is left unread
  size_t searched;    // bytes of that scan in the window without a marker
  unsigned scan;      // components with a DC scan in the current scan: a bit each
  unsigned begun;     // components that had such a scan
  int passes;         // complete scans since all of them had one
  int from_inks;     // rows arrive as inverted CMYK
  int layout;
  int is_plain;      // the library reads all codes itself, and all scans before the first row
  int reads_hidden;  // all scans are read, and damage in them is found
  int reads_codes;   // this code reads them
  uint8_t *bands[3];  // a row of blocks of each component, of the library's memory
  size_t strides[3];
  uint32_t chroma_height;
  uint32_t chroma_row;  // rows of chroma so far
  struct {
    boolean is_known, progressive_mode, arith_code;
    int data_precision, num_components;
    JDIMENSION image_width, image_height;
  } frame;            // the frame header
  char message[CJPEG_MESSAGE_SIZE];
};

static void format(j_common_ptr info, char *message) {
  char buffer[JMSG_LENGTH_MAX];
  info->err->format_message(info, buffer);
  snprintf(message, CJPEG_MESSAGE_SIZE, "%s", buffer);
}

static int outcome_of(int code) {
  switch (code) {
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE:
    return CJPEG_OUT_OF_MEMORY;
#if JPEG_LIB_VERSION < 70
  case JERR_ARITH_NOTIMPL:
#endif
  case JERR_BAD_DROP_SAMPLING:
  case JERR_BAD_PRECISION:
  case JERR_CCIR601_NOTIMPL:
  case JERR_COMPONENT_COUNT:
  case JERR_CONVERSION_NOTIMPL:
  case JERR_FRACT_SAMPLE_NOTIMPL:
  case JERR_NOTIMPL:
  case JERR_SOF_UNSUPPORTED:
    return CJPEG_UNSUPPORTED;
  default:
    return CJPEG_ERROR;
  }
}

// The library stores the fields of a second frame header, even though it refuses it or waits for the rest of it. All
// allocations are for the fields of the first one.
static void keep_frame(cjpeg_decoder *d) {
  if (!d->frame.is_known) return;
  d->jpeg.progressive_mode = d->frame.progressive_mode;
  d->jpeg.arith_code = d->frame.arith_code;
  d->jpeg.data_precision = d->frame.data_precision;
  d->jpeg.num_components = d->frame.num_components;
  d->jpeg.image_width = d->frame.image_width;
  d->jpeg.image_height = d->frame.image_height;
}

static _Noreturn void leave(cjpeg_decoder *d, int outcome) {
  d->outcome = outcome;
  keep_frame(d);
  longjmp(d->landing, 1);
}

static void on_error(j_common_ptr info) {
  cjpeg_decoder *d = info->client_data;
  format(info, d->message);
  leave(d, outcome_of(info->err->msg_code));
}

// Bytes behind arithmetic codes that do not indicate damage: some writers pad for alignment.
static const int most_padding = 15;

// The first damage has the message.
static void note_damage(cjpeg_decoder *d, const char *message) {
  if (d->damage == CJPEG_INTACT) snprintf(d->message, sizeof d->message, "%s", message);
  d->damage = CJPEG_DAMAGED;
  if (d->at_end) d->truncated = 1;
}

// libjpeg reports damage as warnings: it conceals lost data and continues.
static void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  cjpeg_decoder *d = info->client_data;
  switch (info->err->msg_code) {
  case JWRN_BOGUS_PROGRESSION:
    // A scan does not refine the result of its predecessors: one is missing or duplicated. DC scans behind other
    // coefficients are only an odd order; components that they omit are found at the end.
    if (d->jpeg.Ss == 0 || info->err->msg_parm.i[1] != 0) break;
    return;
  case JWRN_EXTRANEOUS_DATA:
    // Bytes between two segments are not damage. Those before a restart marker are data that were not decoded, and so
    // are those behind arithmetic codes, unless they are few enough to be padding. For Huffman codes, the number of
    // remaining bytes depends on the read-ahead of the library.
    if (info->err->msg_parm.i[1] >= JPEG_RST0 && info->err->msg_parm.i[1] <= JPEG_RST0 + 7) break;
    if (d->jpeg.arith_code && d->jpeg.input_scan_number > 0 && info->err->msg_parm.i[0] > most_padding) break;
    return;
  case JWRN_ADOBE_XFORM:
  case JWRN_JFIF_MAJOR:
  case JWRN_BOGUS_ICC:
  case JWRN_NOT_SEQUENTIAL:  // scan parameters without a meaning here
    return;
  default:
    break;
  }
  char message[CJPEG_MESSAGE_SIZE] = "";
  if (d->damage == CJPEG_INTACT) format(info, message);
  note_damage(d, message);
}

static void ignore_output(j_common_ptr info) { (void)info; }
static void ignore_source(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill(j_decompress_ptr jpeg) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  cjpeg_decoder *d = jpeg->client_data;
  if (!d->final) return FALSE;
  // An end marker makes the library finish with the data so far. It reads ahead, so that this alone is no damage.
  d->at_end = 1;
  jpeg->src->next_input_byte = end;
  jpeg->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
  cjpeg_decoder *d = jpeg->client_data;
  if (count <= 0) return;
  size_t here = jpeg->src->bytes_in_buffer;
  size_t taken = (size_t)count < here ? (size_t)count : here;
  jpeg->src->next_input_byte += taken;
  jpeg->src->bytes_in_buffer -= taken;
  if ((size_t)count > taken) {
    if (d->final) d->at_end = 1;
    else d->to_skip += (size_t)count - taken;
  }
}

cjpeg_decoder *cjpeg_decoder_create(int max_scans, long max_memory) {
  cjpeg_decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->max_scans = max_scans;
  d->jpeg.err = jpeg_std_error(&d->errors);
  d->errors.error_exit = on_error;
  d->errors.emit_message = on_message;
  d->errors.output_message = ignore_output;
  d->jpeg.client_data = d;
  if (setjmp(d->landing)) {
    jpeg_destroy_decompress(&d->jpeg);
    free(d);
    return NULL;
  }
  // The call keeps `err` and `client_data`.
  jpeg_create_decompress(&d->jpeg);
  d->jpeg.mem->max_memory_to_use = max_memory;
  d->source.init_source = ignore_source;
  d->source.fill_input_buffer = fill;
  d->source.skip_input_data = skip;
  d->source.resync_to_restart = jpeg_resync_to_restart;
  d->source.term_source = ignore_source;
  d->jpeg.src = &d->source;
  return d;
}

void cjpeg_decoder_use_plain_library(cjpeg_decoder *d) { d->is_plain = 1; }

void cjpeg_decoder_read_hidden_scans(cjpeg_decoder *d) { d->reads_hidden = 1; }

int cjpeg_decoder_reads_codes(const cjpeg_decoder *d) { return d->reads_codes; }

void cjpeg_decoder_destroy(cjpeg_decoder *d) {
  if (!d) return;
  if (!setjmp(d->landing)) jpeg_destroy_decompress(&d->jpeg);
  free(d);
}

void cjpeg_decoder_input(cjpeg_decoder *d, const uint8_t *bytes, size_t count, int final) {
  size_t skipped = d->to_skip < count ? d->to_skip : count;
  d->to_skip -= skipped;
  d->source.next_input_byte = bytes + skipped;
  d->source.bytes_in_buffer = count - skipped;
  d->final = final;
  if (final && d->to_skip > 0) d->at_end = 1;
}

size_t cjpeg_decoder_unread(const cjpeg_decoder *d) { return d->source.bytes_in_buffer; }

static int has_planes(const cjpeg_decoder *d) {
  if (d->is_plain || d->jpeg.jpeg_color_space != JCS_YCbCr || d->jpeg.num_components != 3) return 0;
  // Luma that is sampled less than chroma is rare.
  for (int c = 1; c < 3; c++) {
    if (d->jpeg.comp_info[c].h_samp_factor != 1 || d->jpeg.comp_info[c].v_samp_factor != 1) return 0;
  }
  return cjpeg_can_scale_components();
}

int cjpeg_decoder_read_header(cjpeg_decoder *d, cjpeg_header *header) {
  if (setjmp(d->landing)) return d->outcome;
  if (jpeg_read_header(&d->jpeg, TRUE) == JPEG_SUSPENDED) return CJPEG_SUSPENDED;
  header->width = d->jpeg.image_width;
  header->height = d->jpeg.image_height;
  header->components = d->jpeg.num_components;
  d->frame.progressive_mode = d->jpeg.progressive_mode;
  d->frame.arith_code = d->jpeg.arith_code;
  d->frame.data_precision = d->jpeg.data_precision;
  d->frame.num_components = d->jpeg.num_components;
  d->frame.image_width = d->jpeg.image_width;
  d->frame.image_height = d->jpeg.image_height;
  d->frame.is_known = TRUE;
  header->multiple_scans = d->multiple_scans = jpeg_has_multiple_scans(&d->jpeg);
  header->has_planes = has_planes(d);
  header->chroma_horizontal = header->has_planes ? d->jpeg.comp_info[0].h_samp_factor : 0;
  header->chroma_vertical = header->has_planes ? d->jpeg.comp_info[0].v_samp_factor : 0;
  return CJPEG_OK;
}

// Begins a scan. Its header is complete only here: a header that waits for input is a mix of two.
static void begin_scan(cjpeg_decoder *d) {
  d->scan = 0;
  d->searched = 0;
  d->is_hidden = d->multiple_scans && !d->is_plain && !d->reads_hidden && cjpeg_scan_is_hidden(&d->jpeg);
  if (d->jpeg.Ss != 0) return;
  for (int i = 0; i < d->jpeg.comps_in_scan; i++) d->scan |= 1u << d->jpeg.cur_comp_info[i]->component_index;
}

static void end_scan(cjpeg_decoder *d) {
  d->begun |= d->scan;
  if (d->begun == (1u << d->jpeg.num_components) - 1) d->passes++;
}

// Moves behind the codes of a hidden scan, to the next marker; false if it is not in this window, of which nothing is then read.
static int leave_scan(cjpeg_decoder *d) {
  const JOCTET *codes = d->source.next_input_byte;
  const size_t count = d->source.bytes_in_buffer;
  int is_found;
  d->searched = cjpeg_find_marker(codes, count, d->searched, &is_found);
  if (!is_found && !d->final) return 0;
  d->is_hidden = 0;
  // An end before all scans: an early one, or damage in the midst of codes, which their reader tells. Those of a refinement cannot be
  // read without the scans before.
  if (is_found && codes[d->searched + 1] == JPEG_EOI && d->jpeg.Ah == 0 && cjpeg_coverage(&d->jpeg) < 2) return 1;
  d->source.next_input_byte += d->searched;
  d->source.bytes_in_buffer -= d->searched;
  if (!is_found) {
    fill(&d->jpeg);
    // Codes that have no marker behind them may have been cut off anywhere.
    note_damage(d, "the last scan has no end");
  }
  cjpeg_leave_scan(&d->jpeg);
  return 1;
}

// Begins the decode with the settings of its output.
static int start(cjpeg_decoder *d, int denominator) {
  d->jpeg.scale_num = 1;
  d->jpeg.scale_denom = (unsigned)denominator;
  d->jpeg.dct_method = JDCT_ISLOW;
  d->jpeg.do_fancy_upsampling = TRUE;
  // Only visible if scans are missing: hides the edges of blocks, as every viewer does.
  d->jpeg.do_block_smoothing = TRUE;
  d->jpeg.buffered_image = d->multiple_scans && !d->is_plain;
  return jpeg_start_decompress(&d->jpeg);
}

int cjpeg_decoder_start(
  cjpeg_decoder *d, int denominator, int layout, uint32_t *width, uint32_t *height) {
  if (setjmp(d->landing)) return d->outcome;
  d->from_inks = d->jpeg.jpeg_color_space == JCS_CMYK || d->jpeg.jpeg_color_space == JCS_YCCK;
  d->layout = layout;
  d->jpeg.out_color_space = d->from_inks ? JCS_CMYK : layout == CJPEG_GRAY ? JCS_GRAYSCALE : JCS_EXT_RGBA;
  if (!start(d, denominator)) return CJPEG_SUSPENDED;
  d->reads_codes = !d->is_plain && cjpeg_read_codes(&d->jpeg);
  begin_scan(d);
  *width = d->jpeg.output_width;
  *height = d->jpeg.output_height;
  return CJPEG_OK;
}

int cjpeg_decoder_start_planes(
  cjpeg_decoder *d, int denominator, int chroma_eighths, cjpeg_plane_sizes *sizes) {
  if (setjmp(d->landing)) return d->outcome;
  d->layout = CJPEG_PLANES;
  d->jpeg.out_color_space = JCS_YCbCr;
  d->jpeg.raw_data_out = TRUE;
  if (!start(d, denominator)) return CJPEG_SUSPENDED;
  const int eighths[3] = {DCTSIZE / denominator, chroma_eighths, chroma_eighths};
  if (!cjpeg_scale_components(&d->jpeg, eighths)) return CJPEG_UNSUPPORTED;
  d->reads_codes = cjpeg_read_codes(&d->jpeg);
  for (int c = 0; c < 3; c++) {
    const jpeg_component_info *component = &d->jpeg.comp_info[c];
    d->strides[c] = (size_t)component->width_in_blocks * (size_t)eighths[c];
    // The library refuses widths above 65,500 samples.
    d->bands[c] = d->jpeg.mem->alloc_large(
      (j_common_ptr)&d->jpeg, JPOOL_IMAGE, d->strides[c] * (size_t)(component->v_samp_factor * eighths[c]));
  }
  begin_scan(d);
  *sizes = (cjpeg_plane_sizes){
    .width = d->jpeg.output_width, .height = d->jpeg.output_height,
    .chroma_width = d->jpeg.comp_info[1].downsampled_width, .chroma_height = d->jpeg.comp_info[1].downsampled_height};
  d->chroma_height = sizes->chroma_height;
  return CJPEG_OK;
}

int cjpeg_decoder_consume(cjpeg_decoder *d, uint32_t max_rows) {
  if (setjmp(d->landing)) return d->outcome;
  while (max_rows > 0) {
    if (d->is_hidden) {
      if (!leave_scan(d)) return CJPEG_SUSPENDED;
      max_rows--;
      continue;
    }
    int step = jpeg_consume_input(&d->jpeg);
    keep_frame(d);
    if (d->jpeg.input_scan_number > d->max_scans) return CJPEG_TOO_MANY_SCANS;
    switch (step) {
    case JPEG_SUSPENDED: return CJPEG_SUSPENDED;
    case JPEG_REACHED_EOI:
      d->consumed_all = 1;
      end_scan(d);
      return CJPEG_END;
    case JPEG_REACHED_SOS:
      end_scan(d);
      begin_scan(d);
      break;
    case JPEG_ROW_COMPLETED:
    case JPEG_SCAN_COMPLETED:
      d->consumed_rows = 1;
      max_rows--;
    }
  }
  return CJPEG_OK;
}

int cjpeg_decoder_complete_scans(const cjpeg_decoder *d) {
  // The header of the next scan increments the number.
  return d->jpeg.input_scan_number - (d->consumed_all ? 0 : 1);
}

int cjpeg_decoder_complete_passes(const cjpeg_decoder *d) { return d->passes; }

int cjpeg_decoder_has_rows(const cjpeg_decoder *d) { return d->consumed_rows; }

int cjpeg_decoder_start_pass(cjpeg_decoder *d) {
  if (setjmp(d->landing)) return d->outcome;
  boolean started = jpeg_start_output(&d->jpeg, d->jpeg.input_scan_number);
  keep_frame(d);
  if (!started) return CJPEG_SUSPENDED;
  // A pass first waits for the input of the scan with this number, and uses the number for nothing else. All numbers
  // are behind the input now, so the present coefficients are used.
  d->jpeg.output_scan_number = 0;
  d->chroma_row = 0;
  return CJPEG_OK;
}

int cjpeg_decoder_finish_pass(cjpeg_decoder *d) {
  if (setjmp(d->landing)) return d->outcome;
  boolean finished = jpeg_finish_output(&d->jpeg);
  keep_frame(d);
  return finished ? CJPEG_OK : CJPEG_SUSPENDED;
}

// Converts inks to light by the plain product. All writers of CMYK JPEG store inks inverted, as Adobe does.
static void mix(uint8_t *row, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, row += 4) {
    unsigned black = row[3];
    row[0] = (uint8_t)((row[0] * black + 127) / 255);
    row[1] = (uint8_t)((row[1] * black + 127) / 255);
    row[2] = (uint8_t)((row[2] * black + 127) / 255);
    row[3] = 255;
  }
}

// Converts inks as stored, inverted, to inks.
static void invert(uint8_t *row, uint32_t width) {
  for (size_t i = 0; i < (size_t)width * 4; i++) row[i] = (uint8_t)~row[i];
}

// Returns true if bytes are left between the codes of a single scan with complete rows and the next marker.
static int leaves_bytes(const cjpeg_decoder *d) {
  if (d->jpeg.unread_marker != 0 || d->jpeg.output_scanline < d->jpeg.output_height) return 0;
  const JOCTET *bytes = d->source.next_input_byte;
  size_t left = 0;
  for (; left + 1 < d->source.bytes_in_buffer && left <= (size_t)most_padding; left++) {
    if (bytes[left] == 0xFF && bytes[left + 1] != 0) return 0;
  }
  return left > (size_t)most_padding;
}

// Arithmetic codes end without a sign that bytes are left.
static void check_padding(cjpeg_decoder *d) {
  if (!d->jpeg.arith_code || d->multiple_scans || !leaves_bytes(d)) return;
  note_damage(d, "bytes are left behind the last block");
}

int cjpeg_decoder_read_bands(cjpeg_decoder *d, cjpeg_bands *bands) {
  *bands = (cjpeg_bands){0};
  if (setjmp(d->landing)) return d->outcome;
  if (d->jpeg.output_scanline >= d->jpeg.output_height) return CJPEG_OK;
  JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[3];
  int counts[3];
  for (int c = 0; c < 3; c++) {
    const jpeg_component_info *component = &d->jpeg.comp_info[c];
    counts[c] = component->v_samp_factor * component->DCT_scaled_size;
    for (int y = 0; y < counts[c]; y++) rows[c][y] = d->bands[c] + (size_t)y * d->strides[c];
    planes[c] = rows[c];
    bands->rows[c] = d->bands[c];
    bands->stride[c] = d->strides[c];
  }
  // The number of lines of a raw read is that of a row of blocks, also at the lower edge.
  const JDIMENSION before = d->jpeg.output_scanline;
  if (jpeg_read_raw_data(&d->jpeg, planes, (JDIMENSION)counts[0]) == 0) return CJPEG_SUSPENDED;
  const uint32_t left = d->jpeg.output_height - before, chroma_left = d->chroma_height - d->chroma_row;
  bands->count = left < (uint32_t)counts[0] ? left : (uint32_t)counts[0];
  bands->chroma_count = chroma_left < (uint32_t)counts[1] ? chroma_left : (uint32_t)counts[1];
  d->chroma_row += bands->chroma_count;
  check_padding(d);
  return CJPEG_OK;
}

int cjpeg_decoder_read_rows(
  cjpeg_decoder *d, uint8_t *rows, size_t bytes_per_row, uint32_t max_rows, uint32_t *read) {
  *read = 0;
  if (setjmp(d->landing)) return d->outcome;
  while (*read < max_rows && d->jpeg.output_scanline < d->jpeg.output_height) {
    JSAMPROW batch[16];
    uint32_t wanted = 0;
    for (; wanted < 16 && *read + wanted < max_rows; wanted++) {
      batch[wanted] = rows + (size_t)(*read + wanted) * bytes_per_row;
    }
    // One call delivers at most the rows of one pass of the upsampler.
    JDIMENSION count = jpeg_read_scanlines(&d->jpeg, batch, wanted);
    if (count == 0) return CJPEG_SUSPENDED;
    if (d->from_inks) {
      for (JDIMENSION i = 0; i < count; i++) {
        if (d->layout == CJPEG_INKS) invert(batch[i], d->jpeg.output_width);
        else mix(batch[i], d->jpeg.output_width);
      }
    }
    *read += count;
  }
  check_padding(d);
  return CJPEG_OK;
}

int cjpeg_decoder_damage(const cjpeg_decoder *d, int complete) {
  // Truncation takes precedence over damage before the end.
  if (d->truncated) return CJPEG_TRUNCATED;
  if (!complete) return d->damage;
  // No invalid code reveals the end of arithmetic-coded data, nor a cut or a loss between two scans.
  if (d->at_end && d->jpeg.arith_code) return CJPEG_TRUNCATED;
  if (!d->multiple_scans) return d->damage;
  const int least = cjpeg_coverage(&d->jpeg);
  if (d->at_end && least < 2) return CJPEG_TRUNCATED;
  // A file with a valid early end, as servers make them, is a coarse picture, not a damaged one.
  return least < 1 ? CJPEG_DAMAGED : d->damage;
}

const char *cjpeg_decoder_message(const cjpeg_decoder *d) { return d->message; }
