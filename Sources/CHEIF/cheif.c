#include "CHEIF.h"

#if CALOTYPE_HEIF
#include <CDynamicLibrary.h>
#include <libde265/de265.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static struct {
  __typeof__(&de265_init) init;
  __typeof__(&de265_new_decoder) create;
  __typeof__(&de265_free_decoder) destroy;
  __typeof__(&de265_set_parameter_bool) set_flag;
  __typeof__(&de265_get_default_image_allocation_functions) default_allocation;
  __typeof__(&de265_set_image_plane) set_plane;
  __typeof__(&de265_push_NAL) push;
  __typeof__(&de265_flush_data) flush;
  __typeof__(&de265_decode) decode;
  __typeof__(&de265_get_warning) warning;
  __typeof__(&de265_peek_next_picture) picture;
  __typeof__(&de265_get_image_width) width;
  __typeof__(&de265_get_image_height) height;
  __typeof__(&de265_get_chroma_format) chroma;
  __typeof__(&de265_get_bits_per_pixel) depth;
  __typeof__(&de265_get_image_plane) plane;
  __typeof__(&de265_get_image_plane_user_data) plane_data;
} de265;

static const cdl_symbol symbols[] = {
    {"de265_init", &de265.init},
    {"de265_new_decoder", &de265.create},
    {"de265_free_decoder", &de265.destroy},
    {"de265_set_parameter_bool", &de265.set_flag},
    {"de265_get_default_image_allocation_functions", &de265.default_allocation},
    {"de265_set_image_plane", &de265.set_plane},
    {"de265_push_NAL", &de265.push},
    {"de265_flush_data", &de265.flush},
    {"de265_decode", &de265.decode},
    {"de265_get_warning", &de265.warning},
    {"de265_peek_next_picture", &de265.picture},
    {"de265_get_image_width", &de265.width},
    {"de265_get_image_height", &de265.height},
    {"de265_get_chroma_format", &de265.chroma},
    {"de265_get_bits_per_pixel", &de265.depth},
    {"de265_get_image_plane", &de265.plane},
    {"de265_get_image_plane_user_data", &de265.plane_data},
};
CDL_LIBRARY(library, "libde265.so.0", symbols);
CDL_NOTE(
    note, "[{\"feature\":\"heif\",\"description\":\"Decodes HEIF\",\"priority\":\"optional\","
          "\"soname\":[\"libde265.so.0\"]}]");

struct cheif_decoder {
  de265_decoder_context *context;
  uint32_t width, height;
  size_t max_bytes, used_bytes;
  bool is_wrong_size, is_too_large;
};

/// The decoder that this thread runs: where pictures are counted. NULL while another user of the library decodes.
static _Thread_local cheif_decoder *running;

/// The number of bytes behind a plane that the library may read.
enum { PADDING = 64 };

/// Allocates the planes of a picture, zeroed: slices may leave parts of it out, and what was in memory would be seen.
static int get_buffer(
    de265_decoder_context *context, struct de265_image_spec *spec, struct de265_image *image, void *data) {
  (void)context, (void)data;
  cheif_decoder *decoder = running;
  const size_t width = (size_t)spec->width, height = (size_t)spec->height;
  if (decoder && (width > decoder->width || height > decoder->height)) {
    decoder->is_wrong_size = true;
    return 0;
  }
  const enum de265_chroma chroma = de265.chroma(image);
  const size_t alignment = spec->alignment > 0 ? (size_t)spec->alignment : 16;
  size_t strides[3] = {0}, offsets[3] = {0}, total = 0;
  for (int plane = 0; plane < (chroma == de265_chroma_mono ? 1 : 3); plane++) {
    const bool halves_x = plane > 0 && chroma != de265_chroma_444;
    const bool halves_y = plane > 0 && chroma == de265_chroma_420;
    const size_t samples = halves_x ? (width + 1) / 2 : width, rows = halves_y ? (height + 1) / 2 : height;
    strides[plane] = ((samples + alignment - 1) / alignment * alignment) * (de265.depth(image, plane) > 8 ? 2 : 1);
    offsets[plane] = total;
    // Sides have 16 bits, so that nothing overflows.
    total += (strides[plane] * rows + PADDING + 63) & ~(size_t)63;
  }
  if (decoder && (decoder->used_bytes > decoder->max_bytes || total > decoder->max_bytes - decoder->used_bytes)) {
    decoder->is_too_large = true;
    return 0;
  }
  uint8_t *bytes = calloc(1, total + 64);
  if (!bytes) {
    if (decoder) decoder->is_too_large = true;
    return 0;
  }
  if (decoder) decoder->used_bytes += total;
  uint8_t *start = (uint8_t *)(((uintptr_t)bytes + 63) & ~(uintptr_t)63);
  for (int plane = 0; plane < 3; plane++)
    de265.set_plane(
        image, plane, strides[plane] ? start + offsets[plane] : NULL, (int)strides[plane], plane == 0 ? bytes : NULL);
  return 1;
}

static void release_buffer(de265_decoder_context *context, struct de265_image *image, void *data) {
  (void)context, (void)data;
  free(de265.plane_data(image, 0));
}

/// Prepares the library after it was opened.
///
/// The functions of a decoder do not allocate all of its pictures: those with sample adaptive offset come from the
/// default functions. These are therefore replaced; an image releases its planes by the functions that allocated them,
/// so that other users of the library see no difference.
static void prepare(void) {
  // Tables are kept, instead of being made for each decoder.
  de265.init();
  struct de265_image_allocation *functions = (struct de265_image_allocation *)de265.default_allocation();
  functions->get_buffer = get_buffer;
  functions->release_buffer = release_buffer;
}

const char *cheif_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char *failure = cdl_open(&library);
  if (!failure) pthread_once(&once, prepare);
  return failure;
}

bool cheif_is_installed(void) { return cdl_is_installed(&library); }

cheif_decoder *cheif_decoder_create(uint32_t width, uint32_t height, size_t max_bytes) {
  cheif_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  *decoder = (cheif_decoder){.width = width, .height = height, .max_bytes = max_bytes};
  // No thread is started, so that the calling thread decodes.
  decoder->context = de265.create();
  if (!decoder->context) {
    free(decoder);
    return NULL;
  }
  de265.set_flag(decoder->context, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
  return decoder;
}

void cheif_decoder_free(cheif_decoder *decoder) {
  if (!decoder) return;
  de265.destroy(decoder->context);
  free(decoder);
}

/// Returns the worst of what the library complains about.
static cheif_status complaint(cheif_decoder *decoder, de265_error error) {
  if (decoder->is_wrong_size) return CHEIF_CORRUPT;
  if (decoder->is_too_large || error == DE265_ERROR_OUT_OF_MEMORY) return CHEIF_NO_MEMORY;
  if (error == DE265_ERROR_NOT_IMPLEMENTED_YET) return CHEIF_UNSUPPORTED;
  if (error != DE265_OK && error != DE265_ERROR_WAITING_FOR_INPUT_DATA) return CHEIF_CORRUPT;
  cheif_status status = CHEIF_DONE;
  for (;;) {
    switch (de265.warning(decoder->context)) {
    case DE265_OK: return status;
    // Entry points are for decoders with threads.
    case DE265_WARNING_INCORRECT_ENTRY_POINT_OFFSET: break;
    case DE265_WARNING_CANNOT_APPLY_SAO_OUT_OF_MEMORY: return CHEIF_NO_MEMORY;
    default: status = CHEIF_CORRUPT;
    }
  }
}

/// Decodes what has been pushed.
static cheif_status decode(cheif_decoder *decoder, bool is_end) {
  running = decoder;
  de265_error error;
  int more = 1;
  do {
    more = 0;
    error = de265.decode(decoder->context, &more);
    // At the end, what is left is a picture to take.
  } while (more && error == DE265_OK && !(is_end && de265.picture(decoder->context)));
  running = NULL;
  return complaint(decoder, error);
}

cheif_status cheif_decoder_push(cheif_decoder *decoder, const uint8_t *bytes, size_t count) {
  // The library reads two bytes of header.
  if (count < 3 || count > INT_MAX) return CHEIF_CORRUPT;
  const de265_error error = de265.push(decoder->context, bytes, (int)count, 0, NULL);
  if (error != DE265_OK) return complaint(decoder, error);
  return decode(decoder, false);
}

cheif_status cheif_decoder_finish(cheif_decoder *decoder, cpx_planes *planes) {
  de265_error error = de265.flush(decoder->context);
  if (error != DE265_OK) return complaint(decoder, error);
  const cheif_status status = decode(decoder, true);
  if (status != CHEIF_DONE) return status;
  const struct de265_image *image = de265.picture(decoder->context);
  if (!image) return CHEIF_CORRUPT;
  const enum de265_chroma chroma = de265.chroma(image);
  static const cpx_chroma layouts[] = {CPX_CHROMA_NONE, CPX_CHROMA_420, CPX_CHROMA_422, CPX_CHROMA_444};
  *planes = (cpx_planes){
      .width = (uint32_t)de265.width(image, 0),
      .height = (uint32_t)de265.height(image, 0),
      .depth = (uint32_t)de265.depth(image, 0),
      .chroma = layouts[chroma],
  };
  for (int plane = 0; plane < (chroma == de265_chroma_mono ? 1 : 3); plane++) {
    int stride = 0;
    // The planes are only read.
    planes->data[plane] = (uint8_t *)(uintptr_t)de265.plane(image, plane, &stride);
    planes->stride[plane] = (size_t)stride;
    if ((uint32_t)de265.depth(image, plane) != planes->depth) return CHEIF_UNSUPPORTED;
    // Planes and what the parameter sets say have to agree in size.
    const uint32_t width = plane == 0 ? planes->width : cpx_chroma_width(planes->chroma, planes->width);
    const uint32_t height = plane == 0 ? planes->height : cpx_chroma_height(planes->chroma, planes->height);
    if (!planes->data[plane] || de265.width(image, plane) != (int)width || de265.height(image, plane) != (int)height)
      return CHEIF_CORRUPT;
  }
  return CHEIF_DONE;
}
#endif
