#pragma once
#include <cplanes.h>

// libde265, opened when a HEIF is first decoded. It sees parameter sets and slices that have been checked, never the file.

/// Opens libde265. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *cheif_open(void);

/// Returns true if the library is installed. Thread-safe.
bool cheif_is_installed(void);

/// The result of a call.
typedef enum cheif_status {
  CHEIF_DONE = 0,
  /// The data end before there is a picture, or damage it.
  CHEIF_CORRUPT = 1,
  /// The picture takes more memory than it may, or the system has none.
  CHEIF_NO_MEMORY = 2,
  CHEIF_UNSUPPORTED = 3,
} cheif_status;

/// A decoder of one picture, on the calling thread.
typedef struct cheif_decoder cheif_decoder;

/// `width` and `height` are those of the coded picture, before its conformance window; `max_bytes` is the limit of its
/// planes. Returns NULL if there is no memory.
cheif_decoder *cheif_decoder_create(uint32_t width, uint32_t height, size_t max_bytes);
void cheif_decoder_free(cheif_decoder *decoder);

/// Decodes a NAL unit, without a start code and with its emulation prevention: a parameter set, or a slice of the picture.
cheif_status cheif_decoder_push(cheif_decoder *decoder, const uint8_t *bytes, size_t count);

/// Ends the picture. The planes live until cheif_decoder_free. Areas that no slice covers are zero.
cheif_status cheif_decoder_finish(cheif_decoder *decoder, cpx_planes *planes);
