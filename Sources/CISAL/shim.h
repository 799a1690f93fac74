#pragma once
/* Streaming inflate in a third of zlib's time. */
#include <isa-l/igzip_lib.h>
/* Checksums by carry-less multiplication. */
#include <isa-l/crc64.h>
