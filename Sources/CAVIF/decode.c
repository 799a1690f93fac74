#include "cavif.h"

#if CALOTYPE_AVIF
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// The bytes of the pictures of a decoder. Pictures may outlive it, so that the last owner frees it.
typedef struct account {
  atomic_size_t used_bytes;
  atomic_size_t owner_count;
} account;

static void account_free(account *owned) {
  if (atomic_fetch_sub(&owned->owner_count, 1) == 1) free(owned);
}

struct cavif_decoder {
  Dav1dContext *context;
  /// Data that the library has not taken yet.
  Dav1dData data;
  cavif_settings settings;
  account *account;
  bool is_wrong_size;
  bool is_too_large;
  /// The frames that may still be decoded, hidden ones included.
  int frames_left;
  bool has_too_many_frames;
};

/// A unit of data has one picture, in up to four layers, and hidden frames for those that follow: as many as there are
/// places for references, at most. Of a long row of units, each has one frame, and one more with film grain.
enum { MAX_FRAMES_LEFT = 16, FRAMES_PER_UNIT = 3 };

/// A picture buffer remembers its length, and where it is counted, in front of its planes.
typedef struct buffer {
  size_t byte_count;
  account *account;
} buffer;

static int allocate(Dav1dPicture *picture, void *cookie) {
  cavif_decoder *decoder = cookie;
  const Dav1dPictureParameters *p = &picture->p;
  // Frames before superresolution, of lower layers, and those that others refer to may be smaller.
  if (p->w <= 0 || p->h <= 0 || (uint32_t)p->w > decoder->settings.width ||
      (uint32_t)p->h > decoder->settings.height) {
    decoder->is_wrong_size = true;
    return DAV1D_ERR(EINVAL);
  }
  if (decoder->frames_left == 0) {
    decoder->has_too_many_frames = true;
    return DAV1D_ERR(EINVAL);
  }
  decoder->frames_left--;
  // As picture.h asks: sides of multiples of 128, aligned and padded. Rows whose distance is a multiple of 1024 would
  // share the sets of a cache.
  size_t sample = p->bpc > 8 ? 2 : 1;
  size_t width = ((size_t)p->w + 127) & ~(size_t)127, height = ((size_t)p->h + 127) & ~(size_t)127;
  bool has_chroma = p->layout != DAV1D_PIXEL_LAYOUT_I400;
  size_t luma = width * sample;
  size_t chroma = !has_chroma ? 0 : p->layout == DAV1D_PIXEL_LAYOUT_I444 ? luma : luma / 2;
  if (!(luma & 1023)) luma += DAV1D_PICTURE_ALIGNMENT;
  if (chroma && !(chroma & 1023)) chroma += DAV1D_PICTURE_ALIGNMENT;
  size_t luma_bytes = luma * height;
  size_t chroma_bytes = chroma * (p->layout == DAV1D_PIXEL_LAYOUT_I420 ? height / 2 : height);
  // Sides are below 2^16, so that this does not overflow.
  size_t head = DAV1D_PICTURE_ALIGNMENT;
  size_t total = head + luma_bytes + 2 * chroma_bytes + DAV1D_PICTURE_ALIGNMENT;
  const size_t used = atomic_load(&decoder->account->used_bytes);
  if (used > decoder->settings.max_bytes || total > decoder->settings.max_bytes - used) {
    decoder->is_too_large = true;
    return DAV1D_ERR(ENOMEM);
  }
  uint8_t *bytes = aligned_alloc(DAV1D_PICTURE_ALIGNMENT, total);
  if (!bytes) {
    decoder->is_too_large = true;
    return DAV1D_ERR(ENOMEM);
  }
  atomic_fetch_add(&decoder->account->used_bytes, total);
  atomic_fetch_add(&decoder->account->owner_count, 1);
  *(buffer *)bytes = (buffer){total, decoder->account};
  picture->allocator_data = bytes;
  picture->data[0] = bytes + head;
  picture->data[1] = has_chroma ? bytes + head + luma_bytes : NULL;
  picture->data[2] = has_chroma ? bytes + head + luma_bytes + chroma_bytes : NULL;
  picture->stride[0] = (ptrdiff_t)luma;
  picture->stride[1] = (ptrdiff_t)chroma;
  return 0;
}

/// The decoder may be gone by now.
static void release(Dav1dPicture *picture, void *cookie) {
  (void)cookie;
  buffer *bytes = picture->allocator_data;
  if (!bytes) return;
  account *account = bytes->account;
  atomic_fetch_sub(&account->used_bytes, bytes->byte_count);
  free(bytes);
  account_free(account);
}

cavif_decoder *cavif_decoder_create(const cavif_settings *settings) {
  cavif_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->settings = *settings;
  decoder->frames_left = MAX_FRAMES_LEFT;
  decoder->account = malloc(sizeof *decoder->account);
  if (!decoder->account) {
    free(decoder);
    return NULL;
  }
  atomic_init(&decoder->account->used_bytes, 0);
  atomic_init(&decoder->account->owner_count, 1);
  Dav1dSettings options;
  cavif_dav1d.default_settings(&options);
  options.n_threads = 1;
  options.max_frame_delay = 1;
  options.operating_point = settings->operating_point;
  options.all_layers = settings->all_layers;
  uint64_t limit = (uint64_t)settings->width * settings->height;
  options.frame_size_limit = limit > UINT32_MAX ? UINT32_MAX : (unsigned)limit;
  options.logger = (Dav1dLogger){0};
  options.allocator =
      (Dav1dPicAllocator){.cookie = decoder, .alloc_picture_callback = allocate, .release_picture_callback = release};
  if (cavif_dav1d.open(&decoder->context, &options) < 0) {
    account_free(decoder->account);
    free(decoder);
    return NULL;
  }
  return decoder;
}

void cavif_decoder_free(cavif_decoder *decoder) {
  if (!decoder) return;
  if (decoder->data.sz) cavif_dav1d.data_unref(&decoder->data);
  cavif_dav1d.close(&decoder->context);
  account_free(decoder->account);
  free(decoder);
}

static cavif_status status_of(cavif_decoder *decoder, int result) {
  if (decoder->is_wrong_size) return CAVIF_WRONG_SIZE;
  if (decoder->has_too_many_frames) return CAVIF_TOO_MANY_FRAMES;
  if (decoder->is_too_large || result == DAV1D_ERR(ENOMEM)) return CAVIF_NO_MEMORY;
  // Frames beyond frame_size_limit.
  if (result == DAV1D_ERR(ERANGE)) return CAVIF_WRONG_SIZE;
  if (result == DAV1D_ERR(ENOPROTOOPT)) return CAVIF_UNSUPPORTED;
  return CAVIF_CORRUPT;
}

cavif_status cavif_decoder_send(cavif_decoder *decoder, const uint8_t *bytes, size_t count) {
  if (count == 0) return CAVIF_CORRUPT;
  if (decoder->data.sz) cavif_dav1d.data_unref(&decoder->data);
  decoder->data = (Dav1dData){0};
  uint8_t *copy = cavif_dav1d.data_create(&decoder->data, count);
  if (!copy) return CAVIF_NO_MEMORY;
  memcpy(copy, bytes, count);
  decoder->frames_left += FRAMES_PER_UNIT;
  if (decoder->frames_left > MAX_FRAMES_LEFT) decoder->frames_left = MAX_FRAMES_LEFT;
  return CAVIF_DONE;
}

static cpx_chroma chroma_of(enum Dav1dPixelLayout layout) {
  switch (layout) {
  case DAV1D_PIXEL_LAYOUT_I420: return CPX_CHROMA_420;
  case DAV1D_PIXEL_LAYOUT_I422: return CPX_CHROMA_422;
  case DAV1D_PIXEL_LAYOUT_I444: return CPX_CHROMA_444;
  default: return CPX_CHROMA_NONE;
  }
}

/// Gives dav1d the data that it has not taken yet; it takes none while a picture waits.
static cavif_status feed(cavif_decoder *decoder) {
  if (decoder->data.sz == 0) return CAVIF_DONE;
  int sent = cavif_dav1d.send_data(decoder->context, &decoder->data);
  return sent < 0 && sent != DAV1D_ERR(EAGAIN) ? status_of(decoder, sent) : CAVIF_DONE;
}

cavif_status cavif_decoder_picture(cavif_decoder *decoder, cavif_picture *picture) {
  Dav1dPicture made = {0};
  for (;;) {
    cavif_status fed = feed(decoder);
    if (fed != CAVIF_DONE) return fed;
    int result = cavif_dav1d.get_picture(decoder->context, &made);
    if (result == 0) break;
    if (result != DAV1D_ERR(EAGAIN)) return status_of(decoder, result);
    size_t left = decoder->data.sz;
    if (left == 0) return CAVIF_NO_PICTURE;
    // No picture waits, so that more data has to be taken.
    fed = feed(decoder);
    if (fed != CAVIF_DONE) return fed;
    if (decoder->data.sz == left) return CAVIF_CORRUPT;
  }
  Dav1dPicture *kept = malloc(sizeof *kept);
  if (!kept) {
    cavif_dav1d.picture_unref(&made);
    return CAVIF_NO_MEMORY;
  }
  *kept = made;
  const Dav1dSequenceHeader *sequence = made.seq_hdr;
  *picture = (cavif_picture){
      .planes =
          {
              .width = (uint32_t)made.p.w,
              .height = (uint32_t)made.p.h,
              .depth = (uint32_t)made.p.bpc,
              .chroma = chroma_of(made.p.layout),
              .data = {made.data[0], made.data[1], made.data[2]},
              .stride = {(size_t)made.stride[0], (size_t)made.stride[1], (size_t)made.stride[1]},
          },
      .colors =
          {
              .primaries = (uint16_t)sequence->pri,
              .transfer = (uint16_t)sequence->trc,
              .matrix = (uint16_t)sequence->mtrx,
              .is_full_range = sequence->color_range != 0,
          },
      .layer = made.frame_hdr ? made.frame_hdr->spatial_id : 0,
      .max_light = made.content_light ? (uint32_t)made.content_light->max_content_light_level : 0,
      .owner = kept,
  };
  return CAVIF_DONE;
}

void cavif_decoder_flush(cavif_decoder *decoder) {
  if (decoder->data.sz) cavif_dav1d.data_unref(&decoder->data);
  decoder->data = (Dav1dData){0};
  cavif_dav1d.flush(decoder->context);
}

void cavif_picture_free(cavif_picture *picture) {
  if (!picture->owner) return;
  cavif_dav1d.picture_unref(picture->owner);
  free(picture->owner);
  *picture = (cavif_picture){0};
}
#endif
