#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff, opened when a TIFF is first decoded.

/// Opens the library. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *ctiff_open(void);

/// Returns true if the library is installed. Thread-safe.
bool ctiff_is_installed(void);
