#include "palette.h"
#include <stdlib.h>

enum { SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS, MOST_ENTRIES = 1 << 16 };

cpal_histogram *cpal_histogram_make(void) {
  cpal_histogram *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->entries = malloc(MOST_ENTRIES * sizeof *h->entries);
  h->slots = calloc(SLOTS, sizeof *h->slots);
  if (h->entries && h->slots) return h;
  cpal_histogram_free(h);
  return NULL;
}

void cpal_histogram_free(cpal_histogram *h) {
  if (!h) return;
  free(h->entries);
  free(h->slots);
  free(h);
}

int cpal_histogram_has_transparency(const cpal_histogram *h) { return h->has_transparency; }

/// Rounds the channels of a colour to the bits that are kept; a visible colour stays visible, and opaque stays opaque.
static uint32_t merged(uint32_t key, int shift) {
  if (shift == 0) return key;
  uint8_t b[4];
  memcpy(b, &key, 4);
  const int half = 1 << (shift - 1);
  for (int i = 0; i < 3; i++) {
    const int kept = b[i] >> shift << shift | half;
    b[i] = (uint8_t)kept;
  }
  if (b[3] != 255) b[3] = (uint8_t)(b[3] >> shift << shift | half);
  return cpal_load(b);
}

static void insert(cpal_histogram *h, uint32_t key, float weight) {
  uint32_t slot = key * 2654435769u >> (32 - SLOT_BITS);
  while (h->slots[slot] && h->entries[h->slots[slot] - 1].key != key) slot = (slot + 1) & (SLOTS - 1);
  if (h->slots[slot]) {
    h->entries[h->slots[slot] - 1].weight += weight;
    return;
  }
  h->entries[h->count] = (cpal_entry){key, weight};
  h->slots[slot] = ++h->count;
}

static void merge(cpal_histogram *h) {
  while (h->count >= MOST_ENTRIES) {
    h->shift += 1;
    const uint32_t count = h->count;
    memset(h->slots, 0, SLOTS * sizeof *h->slots);
    h->count = 0;
    // The entries that are kept are never behind the one that is read.
    for (uint32_t i = 0; i < count; i++) {
      const cpal_entry e = h->entries[i];
      insert(h, merged(e.key, h->shift), e.weight);
    }
  }
}

void cpal_histogram_add(cpal_histogram *h, const uint8_t *row, const uint8_t *above, size_t width, int binary_alpha) {
  uint32_t last = 0;
  float run = 0;
  for (size_t x = 0; x < width; x++) {
    const uint8_t *p = row + 4 * x;
    const uint32_t key = cpal_key(p, binary_alpha);
    if (key == 0) {
      h->has_transparency = 1;
      continue;
    }
    // Errors are seen in smooth areas, and hidden by texture.
    int contrast = x > 0 ? cpal_difference(p, p - 4) : 0;
    if (above) {
      const int d = cpal_difference(p, above + 4 * x);
      if (d > contrast) contrast = d;
    }
    const float weight = 1.0f / (1.0f + (float)(contrast > 64 ? 64 : contrast) / 46.0f);
    const uint32_t kept = merged(key, h->shift);
    if (kept == last) {
      run += weight;
      continue;
    }
    if (run > 0) insert(h, last, run);
    if (h->count >= MOST_ENTRIES) merge(h);
    last = merged(key, h->shift);
    run = weight;
  }
  if (run > 0) insert(h, last, run);
  if (h->count >= MOST_ENTRIES) merge(h);
}

static int by_key(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int cpal_histogram_exact(const cpal_histogram *h, int most, uint8_t *colors) {
  if (h->shift > 0 || most < 0 || h->count > (uint32_t)most || most > CPAL_MOST) return -1;
  uint32_t keys[CPAL_MOST];
  for (uint32_t i = 0; i < h->count; i++) keys[i] = h->entries[i].key;
  qsort(keys, h->count, sizeof *keys, by_key);
  memcpy(colors, keys, h->count * sizeof *keys);
  return (int)h->count;
}
