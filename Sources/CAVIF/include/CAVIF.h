#pragma once
#include <cplanes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// dav1d, opened when an AVIF is first decoded, and libavif, opened when its pixels are converted or an AVIF is encoded.
// The boxes of the file are not read here: both libraries see AV1 and pixels alone.

/// Opens dav1d and libavif. Returns NULL, or the reason why they cannot be used. Thread-safe.
const char *cavif_open(void);

/// Returns true if both libraries are installed. Thread-safe.
bool cavif_is_installed(void);

/// The result of a call.
typedef enum cavif_status {
  CAVIF_DONE = 0,
  /// The data end before there is a picture.
  CAVIF_NO_PICTURE = 1,
  CAVIF_CORRUPT = 2,
  /// The picture is larger than was promised.
  CAVIF_WRONG_SIZE = 3,
  /// The pictures take more memory than they may, or the system has none.
  CAVIF_NO_MEMORY = 4,
  CAVIF_UNSUPPORTED = 5,
  /// The data hold more frames than one picture needs.
  CAVIF_TOO_MANY_FRAMES = 6,
} cavif_status;

// MARK: Decoding

typedef struct cavif_decoder cavif_decoder;

/// The limits and choices of a decoder.
typedef struct cavif_settings {
  /// The largest size of a picture; a larger one is refused before memory is allocated for it.
  uint32_t width, height;
  /// Bytes of all pictures at a time.
  size_t max_bytes;
  /// The operating point of a layered stream.
  int operating_point;
  /// Delivers every spatial layer, instead of the highest.
  bool all_layers;
} cavif_settings;

/// A decoded picture. Its planes live until cavif_picture_free.
typedef struct cavif_picture {
  cpx_planes planes;
  cpx_code_points colors;
  /// The spatial layer, from 0.
  int layer;
  /// The brightest pixel in cd/m² (content light level); 0 if unknown.
  uint32_t max_light;
  void *owner;
} cavif_picture;

/// Returns NULL if there is no memory. Uses the calling thread alone.
cavif_decoder *cavif_decoder_create(const cavif_settings *settings);
void cavif_decoder_free(cavif_decoder *decoder);

/// Copies the data of a temporal unit. The unit before has to be drained by cavif_decoder_picture.
cavif_status cavif_decoder_send(cavif_decoder *decoder, const uint8_t *bytes, size_t count);
/// Returns the next picture of the data sent; CAVIF_NO_PICTURE if there is no other.
cavif_status cavif_decoder_picture(cavif_decoder *decoder, cavif_picture *picture);
/// Forgets all pictures, before another key frame is sent.
void cavif_decoder_flush(cavif_decoder *decoder);
void cavif_picture_free(cavif_picture *picture);

// MARK: Planes

/// A picture to convert.
typedef struct cavif_source {
  cpx_planes planes;
  cpx_code_points colors;
  /// Luma is alpha, of the same size; of any depth. NULL data for none.
  cpx_planes alpha;
  /// The colours are multiplied by alpha.
  bool is_premultiplied;
} cavif_source;

/// Converts rows to R, G, B and straight alpha of 8 or 16 bits. The planes are not changed.
cavif_status cavif_convert(
    const cavif_source *source, uint32_t row, uint32_t count, uint32_t depth, uint8_t *pixels,
    size_t stride);

// MARK: Encoding

typedef struct cavif_encoder cavif_encoder;

/// Bytes to copy; NULL for none.
typedef struct cavif_bytes {
  const uint8_t *data;
  size_t count;
} cavif_bytes;

/// The settings of a file.
typedef struct cavif_encoding {
  uint32_t width, height;
  /// Bits of each sample in the file: 8, 10 or 12.
  uint32_t depth;
  cpx_chroma chroma;
  cpx_code_points colors;
  bool has_alpha;
  /// Every sample is kept; chroma is 4:4:4 or 4:0:0, and the matrix is the identity.
  bool is_lossless;
  /// Whether blocks of few colours may be stored as a palette. libaom takes photos with a smooth sky for drawings, and stores
  /// them in twice the bytes then.
  bool allows_palettes;
  bool is_alpha_lossless;
  /// 0, the slowest, to 10.
  int speed;
  /// The level of constant quality, from 0, the best, to 63.
  int level, alpha_level;
  cavif_bytes profile, exif, xmp;
  /// Durations are in units of 1 / timescale second; 0 for a still.
  uint32_t timescale;
} cavif_encoding;

/// Starts a file. Returns NULL if there is no memory. Uses the calling thread alone.
cavif_encoder *cavif_encoder_create(const cavif_encoding *encoding);
void cavif_encoder_free(cavif_encoder *encoder);

/// Adds the picture of a still, or a frame with its duration. `pixels` are R, G, B and straight alpha of 8 or 16 bits; or,
/// for 4:0:0 of 8 bits, luma of 8 bits if `channels` is 1. On failure `message` is the reason, which needs no freeing.
cavif_status cavif_encoder_add(
    cavif_encoder *encoder, const uint8_t *pixels, size_t stride, int channels, uint32_t bits,
    uint64_t duration, const char **message);

/// Ends the file. The bytes live until cavif_encoder_free.
cavif_status cavif_encoder_finish(cavif_encoder *encoder, cavif_bytes *file, const char **message);
