#pragma once
#include <lcms2.h>

/* Pixel layouts, which lcms2.h has as macros that Swift cannot import. Extra channels are skipped when read and
   left alone when written. */
static const cmsUInt32Number clcms_rgba8 = TYPE_RGBA_8;
static const cmsUInt32Number clcms_rgba16 = TYPE_RGBA_16;
static const cmsUInt32Number clcms_gray8 = TYPE_GRAY_8;
/* Grey in the first of four samples. */
static const cmsUInt32Number clcms_gray16_in_rgba =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(2);
/* 255 is full ink. */
static const cmsUInt32Number clcms_cmyk8 = TYPE_CMYK_8;
