#include "cjpeg_planes.h"

// The interface of libjpeg 6b, which libjpeg-turbo has unless it is built to emulate a later one.
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && JPEG_LIB_VERSION < 70 && BITS_IN_JSAMPLE == 8 && __has_include(<jpegint.h>)

#define JPEG_INTERNALS
#include <jpegint.h>

int cjpeg_can_scale_components(void) { return 1; }

// The samples of a component at its scale.
static uint32_t scaled(uint32_t side, int factor, int largest, int eighths) {
  const uint64_t numerator = (uint64_t)side * (uint64_t)(factor * eighths), denominator = (uint64_t)(largest * DCTSIZE);
  return (uint32_t)((numerator + denominator - 1) / denominator);
}

int cjpeg_scale_components(struct jpeg_decompress_struct *jpeg, const int *eighths) {
  for (int c = 0; c < jpeg->num_components; c++) {
    jpeg_component_info *component = &jpeg->comp_info[c];
    component->DCT_scaled_size = eighths[c];
    // Of a scan; those of later ones follow from the size above.
    if (!jpeg->buffered_image) component->MCU_sample_width = component->MCU_width * eighths[c];
    component->downsampled_width =
      scaled(jpeg->image_width, component->h_samp_factor, jpeg->max_h_samp_factor, eighths[c]);
    component->downsampled_height =
      scaled(jpeg->image_height, component->v_samp_factor, jpeg->max_v_samp_factor, eighths[c]);
  }
  // A pass over coefficients in memory selects its transforms when it begins.
  if (!jpeg->buffered_image) jpeg->idct->start_pass(jpeg);
  return 1;
}

#else

int cjpeg_can_scale_components(void) { return 0; }

int cjpeg_scale_components(struct jpeg_decompress_struct *jpeg, const int *eighths) {
  (void)jpeg;
  (void)eighths;
  return 0;
}

#endif
