#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// dav1d, opened when an AVIF is first decoded, and libavif, opened when its pixels are converted or an AVIF is encoded.

/// Opens dav1d. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *cavif_open_decoder(void);

/// Opens libavif. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *cavif_open(void);

/// Returns true if both libraries are installed. Thread-safe.
bool cavif_is_installed(void);
