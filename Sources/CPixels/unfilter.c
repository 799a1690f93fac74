#include "cpng.h"
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
int cpng_unfilter_sse41(int filter, uint8_t *row, const uint8_t *prior, size_t bytes, int step);
#endif

/// Returns the predictor of filter 4 (9.4). The order of the comparisons decides ties.
static inline int paeth(int a, int b, int c) {
  const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void sub(uint8_t *row, size_t bytes, size_t step) {
  for (size_t i = step; i < bytes; i++) row[i] = (uint8_t)(row[i] + row[i - step]);
}

static void up(uint8_t *row, const uint8_t *prior, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) row[i] = (uint8_t)(row[i] + prior[i]);
}

static void average(uint8_t *row, const uint8_t *prior, size_t bytes, size_t step) {
  const size_t head = step < bytes ? step : bytes;
  for (size_t i = 0; i < head; i++) row[i] = (uint8_t)(row[i] + (prior ? prior[i] / 2 : 0));
  for (size_t i = head; i < bytes; i++)
    row[i] = (uint8_t)(row[i] + (row[i - step] + (prior ? prior[i] : 0)) / 2);
}

static void predict(uint8_t *row, const uint8_t *prior, size_t bytes, size_t step) {
  const size_t head = step < bytes ? step : bytes;
  for (size_t i = 0; i < head; i++) row[i] = (uint8_t)(row[i] + prior[i]);
  for (size_t i = head; i < bytes; i++)
    row[i] = (uint8_t)(row[i] + paeth(row[i - step], prior[i], prior[i - step]));
}

void cpng_unfilter(int filter, uint8_t *row, const uint8_t *prior, size_t bytes, int step, cpx_level level) {
  // The row above the first is zero: filter 2 adds nothing, and the best prediction of filter 4 is the left neighbour.
  if (!prior && filter == 2) return;
  if (!prior && filter == 4) filter = 1;
#if defined(__x86_64__)
  if (level >= CPX_LEVEL_SIMD128 && (prior || filter == 1) && cpng_unfilter_sse41(filter, row, prior, bytes, step))
    return;
#endif
  (void)level;
  switch (filter) {
    case 1: sub(row, bytes, (size_t)step); break;
    case 2: up(row, prior, bytes); break;
    case 3: average(row, prior, bytes, (size_t)step); break;
    case 4: predict(row, prior, bytes, (size_t)step); break;
    default: break;
  }
}
