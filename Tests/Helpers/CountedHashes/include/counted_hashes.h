#pragma once
#include <stddef.h>
#include <stdint.h>

/* The functions that hash, in front of those of libisal and libcrypto: they count the bytes of marked data. */

/* The mark: bytes that no other test uses. Data count if the mark stands in their first 64 bytes. */
extern const unsigned char counted_hashes_mark[16];

/* The bytes of marked data that were hashed so far. */
uint64_t counted_hashes_bytes(void);
