#ifndef CJPEG_SCANS_H
#define CJPEG_SCANS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// The scans of a file, chosen for the fewest bytes: a single one, or those of a progressive file. For each component of the
// latter: where its spectrum is split, and whether the lowest bit of its coefficients comes in a scan of its own. The sizes are
// entropies of the symbols of a sample of blocks.

enum { CJPEG_MOST_SCANS = 1 + 3 * MAX_COMPONENTS };

// The coefficients of a component. `row` returns a row of blocks.
typedef struct {
  size_t columns, rows;
  int horizontal, vertical;  // sampling factors
} cjpeg_grid;

typedef const JBLOCK *(*cjpeg_row_of)(void *context, int component, size_t row);

// Chooses scans for components; returns their number, 0 for a baseline file.
int cjpeg_choose_scans(
  const cjpeg_grid *grids, int components, cjpeg_row_of row, void *context, jpeg_scan_info scans[CJPEG_MOST_SCANS]);

#endif
