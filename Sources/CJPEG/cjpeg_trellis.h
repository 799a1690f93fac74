#ifndef CJPEG_TRELLIS_H
#define CJPEG_TRELLIS_H

#include <stddef.h>
#include <stdint.h>

// Quantisation that weighs the error of each coefficient against the bits of its code: a block is coded as the cheapest path
// through its coefficients (Ramchandran and Vetterli, "Rate-Distortion Optimal Fast Thresholding with Complete JPEG/MPEG Decoder
// Compatibility", 1994; with lower magnitudes as in mozjpeg). Errors count in steps, and less where a block has much detail.

enum { CJPEG_SYMBOLS = 256 };

// The order of coefficients in scans: their places in natural order.
extern const uint8_t cjpeg_zigzag[64];

// A component's quantisation.
typedef struct {
  float inverse[64];              // the reciprocals of the steps for multiples of 1/16, in zigzag order
  uint32_t counts[CJPEG_SYMBOLS];  // AC symbols
  float bits[CJPEG_SYMBOLS];       // the sizes of their codes
} cjpeg_trellis;

// Prepares for a table in natural order.
void cjpeg_trellis_init(cjpeg_trellis *, const uint16_t *steps);

// Counts the symbols of a block of coefficients in multiples of 1/16, as far as they are likely to be kept.
void cjpeg_trellis_count(cjpeg_trellis *, const int16_t *block);

// Estimates the sizes of codes from the counts.
void cjpeg_trellis_measure(cjpeg_trellis *);

// Replaces the coefficients of a block by quantised ones.
void cjpeg_trellis_quantize(const cjpeg_trellis *, int16_t *block);

#endif
