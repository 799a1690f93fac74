#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjxl, opened when a JPEG XL is first decoded or encoded.

/// Opens the library. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *cjxl_open(void);

/// Returns true if the library is installed. Thread-safe.
bool cjxl_is_installed(void);

// All other functions need the library: cjxl_open has returned NULL. Objects are used by one thread at a time.

/// Returns false to stop the work, which then fails. Called between groups of pixels, on the thread of the work.
typedef bool (*cjxl_continues)(void *context);

/// A limit on the memory that the library takes through its memory manager. libjxl 0.7 takes only its own state so; the
/// memory of pixels is bounded by what the caller knows of the frames.
typedef struct cjxl_memory {
  /// The largest number of bytes at a time.
  size_t limit;
  /// The number of the allocation that fails, from 1; 0 for none. For tests.
  size_t failing;
  /// Bytes in use.
  size_t used;
  /// The number of allocations so far.
  size_t count;
} cjxl_memory;

typedef struct cjxl_decoder cjxl_decoder;

/// What a decoder reports.
enum {
  CJXL_WANTS_COLOR = 1,
  CJXL_WANTS_FRAMES = 2,
  CJXL_WANTS_PIXELS = 4,
  CJXL_WANTS_JPEG = 8,
  CJXL_WANTS_BOXES = 16,
};

/// The state of a decode.
typedef enum cjxl_event {
  /// The bytes are damaged, the memory limit is reached, or the work was stopped.
  CJXL_FAILED,
  /// The bytes end too early.
  CJXL_CUT,
  /// The colours are known.
  CJXL_COLOR,
  /// A frame begins.
  CJXL_FRAME,
  /// A target for the pixels of the frame is missing.
  CJXL_NEEDS_TARGET,
  /// All pixels of the frame are there.
  CJXL_IMAGE,
  /// The JPEG begins, or its buffer is too small: it is written again from its beginning.
  CJXL_JPEG,
  /// A box begins, or its buffer is full.
  CJXL_BOX,
  CJXL_BOX_FULL,
  CJXL_JPEG_FULL,
  /// The end.
  CJXL_END,
} cjxl_event;

/// The colours of decoded samples. The numbers are those of ITU-T H.273 where it has them.
typedef struct cjxl_color {
  /// Whether the colours are known by numbers; otherwise there is a profile only.
  bool is_enumerated;
  bool is_gray;
  /// 1: D65, 2: others, 10: E, 11: DCI.
  uint32_t white;
  /// 1: sRGB, 2: others, 9: BT.2100, 11: P3.
  uint32_t primaries;
  /// 1: BT.709, 8: linear, 13: sRGB, 16: PQ, 17: DCI, 18: HLG, 65535: a power.
  uint32_t transfer;
} cjxl_color;

/// Creates a decoder of bytes that stay where they are. `memory` and `context` outlive it. Returns NULL if there is no
/// memory.
///
/// - unpremultiplies: pass true if the colours of the file are multiplied by alpha.
cjxl_decoder *cjxl_decoder_create(cjxl_memory *memory, const uint8_t *bytes, size_t count, int wants,
                                  bool unpremultiplies, cjxl_continues continues, void *context);
void cjxl_decoder_destroy(cjxl_decoder *decoder);

/// Goes on to the next event.
cjxl_event cjxl_decoder_next(cjxl_decoder *decoder);
/// The position of the next byte to read, at CJXL_COLOR: the end of the header.
size_t cjxl_decoder_position(cjxl_decoder *decoder);
/// At CJXL_COLOR: goes on with the frame that begins at a position, at most the number of bytes.
void cjxl_decoder_move(cjxl_decoder *decoder, size_t position);
/// Leaves out frames that follow: they are decoded only if later ones need them.
void cjxl_decoder_skip(cjxl_decoder *decoder, size_t count);

/// After CJXL_COLOR: the colours of the samples that will be decoded.
bool cjxl_decoder_color(cjxl_decoder *decoder, cjxl_color *color);
/// At CJXL_COLOR: has the samples converted to sRGB, if the library can.
void cjxl_decoder_prefer_srgb(cjxl_decoder *decoder, bool is_gray);
/// The bytes of the ICC profile of the samples; 0 if there is none.
size_t cjxl_decoder_profile_size(cjxl_decoder *decoder);
bool cjxl_decoder_profile(cjxl_decoder *decoder, uint8_t *profile, size_t size);

/// At CJXL_NEEDS_TARGET: rows without gaps, of 1 or 4 channels of 8 or 16 bits. False if the size is not that of the
/// image.
bool cjxl_decoder_set_pixels(cjxl_decoder *decoder, uint32_t channels, uint32_t bits, void *pixels, size_t size);
/// The same for an extra channel, of 8 bits.
bool cjxl_decoder_set_channel(cjxl_decoder *decoder, uint32_t index, void *samples, size_t size);

/// A target of four channels of 8 bits whose rows are complete before the image is.
typedef struct cjxl_rows {
  /// The first row; rows follow without gaps.
  uint8_t *pixels;
  size_t width, height;
  /// The number of delivered pixels for each row; begins with zeros.
  uint32_t *counts;
  /// The number of rows, from the top, that are complete.
  size_t complete;
  /// The number of rows, from the top, with all that have been begun.
  size_t begun;
  /// Called when `complete` has grown; NULL for nothing.
  void (*advance)(void *context);
  void *context;
} cjxl_rows;

/// At CJXL_NEEDS_TARGET: delivers pixels in pieces of rows. `rows` outlives the decode of the frame.
bool cjxl_decoder_set_rows(cjxl_decoder *decoder, cjxl_rows *rows);

/// After CJXL_CUT: writes what is there of the image to its pixels.
bool cjxl_decoder_flush(cjxl_decoder *decoder);

/// At CJXL_BOX: the type of a box, also if it is compressed.
bool cjxl_decoder_box_type(cjxl_decoder *decoder, char type[4]);
/// At CJXL_BOX or CJXL_JPEG: gives room for the content. Taken back by the function below, which returns the bytes that
/// are left of it.
bool cjxl_decoder_set_box(cjxl_decoder *decoder, uint8_t *bytes, size_t size);
size_t cjxl_decoder_release_box(cjxl_decoder *decoder);
bool cjxl_decoder_set_jpeg(cjxl_decoder *decoder, uint8_t *bytes, size_t size);
size_t cjxl_decoder_release_jpeg(cjxl_decoder *decoder);

typedef struct cjxl_encoder cjxl_encoder;

/// The picture, or the canvas of an animation, to encode.
typedef struct cjxl_picture {
  uint32_t width, height;
  /// 1: grey, 2: grey and alpha, 3: RGB, 4: RGBA.
  uint32_t channels;
  /// 8 or 16.
  uint32_t bits;
  /// The ICC profile; NULL for sRGB.
  const uint8_t *profile;
  size_t profile_size;
  bool is_lossless;
  bool is_animated;
  /// The number of plays of an animation; 0 for ever.
  uint32_t plays;
  /// Whether boxes follow the pixels.
  bool has_boxes;
  /// 1 to 9.
  int effort;
  /// The distance of lossy pictures, 0.01 to 15.
  float distance;
} cjxl_picture;

/// The results of an encoder.
typedef enum cjxl_result { CJXL_OK, CJXL_NO_MEMORY, CJXL_BAD_INPUT, CJXL_NOT_SUPPORTED, CJXL_BROKEN } cjxl_result;

/// Creates an encoder, in a second step for pictures. Returns NULL if there is no memory.
cjxl_encoder *cjxl_encoder_create(cjxl_memory *memory);
void cjxl_encoder_destroy(cjxl_encoder *encoder);
cjxl_result cjxl_encoder_begin(cjxl_encoder *encoder, const cjxl_picture *picture);
/// Adds a frame, with its display time in milliseconds if it is one of an animation. The last one has to be named.
cjxl_result cjxl_encoder_add(cjxl_encoder *encoder, const void *pixels, size_t size, uint32_t milliseconds,
                             bool is_last);
/// Adds a JPEG as the only frame, with what is needed to make the same JPEG of it again.
cjxl_result cjxl_encoder_add_jpeg(cjxl_encoder *encoder, const uint8_t *jpeg, size_t size, int effort);
/// Adds a box of metadata. Boxes end with the frames.
cjxl_result cjxl_encoder_add_box(cjxl_encoder *encoder, const char *type, const uint8_t *bytes, size_t size);
/// Announces that no frame and no box follows.
void cjxl_encoder_close(cjxl_encoder *encoder);
/// Writes output; `*written` is less than `size` once there is no more for now.
cjxl_result cjxl_encoder_write(cjxl_encoder *encoder, uint8_t *bytes, size_t size, size_t *written);
