#pragma once
#include <libdeflate.h>
/* For streams that arrive or leave in pieces. */
#include <zlib.h>
