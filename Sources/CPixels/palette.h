#pragma once
#include "cpalette.h"
#include <string.h>

// Colours are compared premultiplied, so that a difference counts as much as it is seen, with weights of their channels.

typedef struct {
  float c[4];
} cpal_color;

static const float CPAL_WEIGHTS[4] = {0.7454f, 1.0f, 0.6667f, 1.0f};

typedef struct {
  uint32_t key;
  float weight;
} cpal_entry;

struct cpal_histogram {
  cpal_entry *entries;
  uint32_t *slots;
  uint32_t count;
  /// Bits that are cut off each channel.
  int shift;
  int has_transparency;
};

/// The colours of a palette, channel by channel, so that loops over them are vectorised.
typedef struct {
  float c[4][CPAL_MOST];
  int count;
} cpal_planes;

static inline uint32_t cpal_load(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

/// Returns a pixel as a palette treats it: transparent pixels have no colour, and binary alpha has no values between.
static inline uint32_t cpal_key(const uint8_t *p, int binary_alpha) {
  uint8_t bytes[4] = {p[0], p[1], p[2], p[3]};
  if (binary_alpha) bytes[3] = p[3] < 128 ? 0 : 255;
  return bytes[3] == 0 ? 0 : cpal_load(bytes);
}

/// Returns the largest difference of a channel.
static inline int cpal_difference(const uint8_t *a, const uint8_t *b) {
  int most = 0;
  for (int i = 0; i < 4; i++) {
    const int d = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
    if (d > most) most = d;
  }
  return most;
}

cpal_color cpal_weighted(uint32_t key);

/// Returns the first colour that is nearest, and its squared distance.
int cpal_nearest(const cpal_planes *planes, cpal_color wanted, float *distance);

/// Writes the colours that are nearest to any place of a box, and perhaps others, to `indices`, in ascending order, and returns
/// their number.
int cpal_candidates(const cpal_planes *planes, cpal_color low, cpal_color high, uint8_t *indices);

/// Fills the places behind the last colour with one that is never nearest.
void cpal_pad(cpal_planes *planes);
