#ifndef CJPEG_HIDDEN_H
#define CJPEG_HIDDEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// Scans of progressive pictures (ITU-T T.81, G.1.2) of which nothing shows: at an eighth of the size, pictures are made of
// the means of blocks alone.

// Returns 1 if the scan that the library has begun, and has not read yet, is hidden. Returns 0 if the library's internal
// interface is not known.
int cjpeg_scan_is_hidden(const struct jpeg_decompress_struct *);

// Ends a scan of which the library has read nothing: it goes on with the next marker.
void cjpeg_leave_scan(struct jpeg_decompress_struct *);

// Searches codes, from the place `searched`, for the marker that ends them. Returns its place, or that at which to go on
// when more bytes are there.
size_t cjpeg_find_marker(const uint8_t *codes, size_t count, size_t searched, int *is_found);

// Returns how much the scans so far have delivered of the component with the least: nothing (0), some (1), or all to the
// last bit (2).
int cjpeg_coverage(const struct jpeg_decompress_struct *);

#endif
