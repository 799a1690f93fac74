#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjxl, opened when a JPEG XL is first decoded or encoded.

/// Opens the library. Returns NULL, or the reason why it cannot be used. Thread-safe.
const char *cjxl_open(void);

/// Returns true if the library is installed. Thread-safe.
bool cjxl_is_installed(void);
