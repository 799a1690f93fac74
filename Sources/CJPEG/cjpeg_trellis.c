#include "cjpeg_trellis.h"

#include <math.h>
#include <string.h>

#include "cjpeg_pixels.h"

const uint8_t cjpeg_zigzag[64] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

enum {
  END = 0x00,
  ZEROS_16 = 0xF0,
  // The largest magnitude of an AC coefficient.
  MOST = 1023,
  // A path skips at most so many coefficients that rounding would keep.
  REACH = 8,
};

// A coefficient that is this far from zero, in steps, usually stays.
static const float likely = 0.62f;
// The weight of an error of one step: 64 · 2^14.75 / (2^16.5 + the mean square of a block's coefficients times 64).
static const float weight_scale = 64 * 27554.49f, weight_offset = 92681.9f;

static inline int bit_size(int magnitude) { return magnitude ? 32 - __builtin_clz((unsigned)magnitude) : 0; }

void cjpeg_trellis_init(cjpeg_trellis *t, const uint16_t *steps) {
  memset(t->counts, 0, sizeof t->counts);
  for (int k = 0; k < 64; k++) t->inverse[k] = 1.0f / (float)(CJPEG_FRACTION * steps[cjpeg_zigzag[k]]);
}

void cjpeg_trellis_count(cjpeg_trellis *t, const int16_t *block) {
  int run = 0;
  for (int k = 1; k < 64; k++) {
    const float a = fabsf((float)block[cjpeg_zigzag[k]]) * t->inverse[k];
    if (a < likely) {
      run++;
      continue;
    }
    const int magnitude = (int)(a + 0.5f);
    for (; run > 15; run -= 16) t->counts[ZEROS_16]++;
    t->counts[run << 4 | bit_size(magnitude < MOST ? magnitude : MOST)]++;
    run = 0;
  }
  if (run > 0) t->counts[END]++;
}

void cjpeg_trellis_measure(cjpeg_trellis *t) {
  double total = 0;
  for (int i = 0; i < CJPEG_SYMBOLS; i++) total += t->counts[i] + 0.1;
  for (int i = 0; i < CJPEG_SYMBOLS; i++) {
    const double bits = -log2((t->counts[i] + 0.1) / total);
    t->bits[i] = (float)(bits > 16 ? 16 : bits < 1 ? 1 : bits);
  }
}

// A coefficient that may be the last one before others on a path.
typedef struct {
  int k;        // in zigzag order
  int value;    // its magnitude
  int before;   // the node before it
  float cost;   // of the path up to it, less the errors of all coefficients up to it as zeros
} node;

void cjpeg_trellis_quantize(const cjpeg_trellis *t, int16_t *block) {
  float magnitudes[64], zeros[65], energy = 0;
  zeros[1] = 0;
  for (int k = 1; k < 64; k++) {
    const float raw = fabsf((float)block[cjpeg_zigzag[k]]);
    magnitudes[k] = raw * t->inverse[k];
    energy += raw * raw;
  }
  const float norm = energy * (64.0f / 63.0f / (CJPEG_FRACTION * CJPEG_FRACTION));
  const float weight = weight_scale / (weight_offset + norm);
  // The errors of the coefficients before each place, as zeros.
  for (int k = 1; k < 64; k++) zeros[k + 1] = zeros[k] + weight * magnitudes[k] * magnitudes[k];
  node nodes[64];
  nodes[0] = (node){.k = 0};
  int count = 1;
  for (int k = 1; k < 64; k++) {
    if (magnitudes[k] < 0.5f) continue;
    int rounded = (int)(magnitudes[k] + 0.5f);
    if (rounded > MOST) rounded = MOST;
    // Candidates: rounded, one less, and the largest of one and two bits less.
    int candidates[4], sizes[4], choices = 0;
    float own[4];
    const int size = bit_size(rounded);
    for (int i = 0; i < 4; i++) {
      const int value = i == 0 ? rounded : i == 1 ? rounded - 1 : (1 << (size - i + 1)) - 1;
      if (i >= 2 && size - i + 1 < 1) break;
      if (value < 1 || (i == 2 && value == rounded - 1)) continue;
      const float error = magnitudes[k] - (float)value;
      candidates[choices] = value;
      sizes[choices] = bit_size(value);
      own[choices++] = weight * error * error + (float)bit_size(value) - (zeros[k + 1] - zeros[k]);
    }
    node best = {.k = k, .cost = INFINITY};
    for (int j = count - 1; j >= 0 && j >= count - REACH; j--) {
      const int run = k - nodes[j].k - 1;
      const float base = nodes[j].cost + (float)(run >> 4) * t->bits[ZEROS_16];
      const float *bits = t->bits + ((run & 15) << 4);
      for (int i = 0; i < choices; i++) {
        const float cost = base + own[i] + bits[sizes[i]];
        if (cost < best.cost) best = (node){.k = k, .value = candidates[i], .before = j, .cost = cost};
      }
    }
    nodes[count++] = best;
  }
  int last = 0;
  float least = t->bits[END];
  for (int i = 1; i < count; i++) {
    const float cost = nodes[i].cost + (nodes[i].k < 63 ? t->bits[END] : 0);
    if (cost < least) least = cost, last = i;
  }
  const float dc = (float)block[0] * t->inverse[0];
  int16_t out[64] = {(int16_t)(dc < 0 ? dc - 0.5f : dc + 0.5f)};
  for (; last > 0; last = nodes[last].before) {
    const int place = cjpeg_zigzag[nodes[last].k];
    out[place] = (int16_t)(block[place] < 0 ? -nodes[last].value : nodes[last].value);
  }
  memcpy(block, out, sizeof out);
}
