#ifndef CJPEG_ENTROPY_H
#define CJPEG_ENTROPY_H

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

// Reads the Huffman codes of the only scan of a sequential picture (ITU-T T.81, F.2.2) in place of the library, faster:
// that is where half of the time of a thumbnail goes. Coefficients are the same, to the last one, for sound and for damaged
// files, however they arrive; the library does all the rest. Call it when the library has begun the scan and read nothing of
// it. Returns 0 where the scan is of another kind, or the library's inner interface is not known: it goes on alone then.
//
// Unlike the library, this reports every bad code (the library does only near the end of what is there), and leaves
// nothing behind of an MCU that turned out to hold a marker.
int cjpeg_read_codes(struct jpeg_decompress_struct *);

#endif
