#pragma once
#include <spng.h>
/* For crc32(): libspng-dev depends on zlib1g-dev. */
#include <zlib.h>
