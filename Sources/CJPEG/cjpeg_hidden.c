#include "cjpeg_hidden.h"

#include <string.h>

// The interface of libjpeg 6b, which libjpeg-turbo has unless it is built to emulate a later one.
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && JPEG_LIB_VERSION < 70 && BITS_IN_JSAMPLE == 8 && __has_include(<jpegint.h>)

#define JPEG_INTERNALS
#include <jpegint.h>

int cjpeg_scan_is_hidden(const struct jpeg_decompress_struct *jpeg) {
  // A scan that refines others has one component.
  return jpeg->progressive_mode && jpeg->Ss > 0 && jpeg->cur_comp_info[0]->DCT_scaled_size == 1;
}

void cjpeg_leave_scan(struct jpeg_decompress_struct *jpeg) {
#if LIBJPEG_TURBO_VERSION_NUMBER >= 2001000
  // As after a scan that was read. The smoothing of blocks goes by it.
  jpeg->master->last_good_iMCU_row = jpeg->total_iMCU_rows - 1;
#endif
  jpeg->inputctl->finish_input_pass(jpeg);
}

#else

int cjpeg_scan_is_hidden(const struct jpeg_decompress_struct *jpeg) {
  (void)jpeg;
  return 0;
}

void cjpeg_leave_scan(struct jpeg_decompress_struct *jpeg) { (void)jpeg; }

#endif

// SOF0.
enum { FIRST_FRAME_MARKER = 0xC0 };

size_t cjpeg_find_marker(const uint8_t *codes, size_t count, size_t searched, int *is_found) {
  const uint8_t *at = codes + searched, *end = codes + count;
  *is_found = 0;
  while (at < end) {
    at = memchr(at, 0xFF, (size_t)(end - at));
    if (!at) return count;
    if (end - at < 2) break;
    // Codes contain bytes of 0xFF before a zero, and markers of restarts; other markers may have some of them in front. What
    // is below the frame headers is damage: the library searches on as well.
    const int is_restart = at[1] >= JPEG_RST0 && at[1] <= JPEG_RST0 + 7;
    if (at[1] >= FIRST_FRAME_MARKER && at[1] != 0xFF && !is_restart) {
      *is_found = 1;
      break;
    }
    at += at[1] == 0xFF ? 1 : 2;
  }
  return (size_t)(at - codes);
}

static int coverage(const struct jpeg_decompress_struct *jpeg, int component) {
  // The first scan of a component sets the quantisation table.
  if (!jpeg->comp_info[component].quant_table) return 0;
  if (!jpeg->progressive_mode) return 2;
  if (!jpeg->coef_bits || jpeg->coef_bits[component][0] < 0) return 0;
  for (int k = 0; k < DCTSIZE2; k++) {
    if (jpeg->coef_bits[component][k] != 0) return 1;
  }
  return 2;
}

int cjpeg_coverage(const struct jpeg_decompress_struct *jpeg) {
  int least = 2;
  for (int c = 0; c < jpeg->num_components; c++) {
    const int covered = coverage(jpeg, c);
    if (covered < least) least = covered;
  }
  return least;
}
