#ifndef CJPEG_TABLES_H
#define CJPEG_TABLES_H

#include <stdio.h>

#include <jpeglib.h>

// Quantisation tables as a function of quality.
//
// Those of the standard (ITU-T T.81, K.1) are from experiments of 1980s hardware; these were fitted to photographs and graphics
// by SSIMULACRA2, SSIM and PSNR (`Benchmarks/Fit/jpeg_tables.py`). A quality has the mean score
// that it has with the tables of the standard.

// Sets the tables of an object whose components are set: one for luma, one for each of the two others. `trims`: coefficients
// are to be chosen by `cjpeg_trellis`, which takes finer steps for the same score.
void cjpeg_set_fitted_tables(j_compress_ptr jpeg, int quality, int trims);

#endif
