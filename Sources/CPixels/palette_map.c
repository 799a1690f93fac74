#include "palette.h"
#include <stdlib.h>

enum {
  CACHE_BITS = 14,
  /// The largest difference of a channel that is not diffused.
  UNSEEN = 1,
};

struct cpal_search {
  cpal_planes colors;
  uint8_t bytes[CPAL_MOST][4];
  /// The index of the transparent colour, or -1.
  int transparent;
  struct {
    uint32_t key;
    int32_t index;
  } cache[1 << CACHE_BITS];
};

cpal_search *cpal_search_make(const uint8_t *colors, int count) {
  cpal_search *s = malloc(sizeof *s);
  if (!s) return NULL;
  s->colors.count = count;
  s->transparent = -1;
  memcpy(s->bytes, colors, 4 * (size_t)count);
  for (int i = 0; i < count; i++) {
    const uint32_t key = cpal_key(colors + 4 * i, 0);
    const cpal_color c = cpal_weighted(key);
    for (int k = 0; k < 4; k++) s->colors.c[k][i] = c.c[k];
    if (key != 0) continue;
    if (s->transparent < 0) s->transparent = i;
    // Visible pixels do not vanish as long as there is a choice.
    if (count > 1)
      for (int k = 0; k < 4; k++) s->colors.c[k][i] = 1e6f;
  }
  cpal_pad(&s->colors);
  memset(s->cache, 0xff, sizeof s->cache);
  return s;
}

void cpal_search_free(cpal_search *s) { free(s); }

static int find(cpal_search *s, uint32_t key) {
  if (key == 0 && s->transparent >= 0) return s->transparent;
  const uint32_t slot = key * 2654435769u >> (32 - CACHE_BITS);
  if (s->cache[slot].key == key && s->cache[slot].index >= 0) return s->cache[slot].index;
  float distance;
  const int index = cpal_nearest(&s->colors, cpal_weighted(key), &distance);
  s->cache[slot].key = key;
  s->cache[slot].index = index;
  return index;
}

struct cpal_mapper {
  cpal_search *search;
  size_t width, y;
  int dithers, binary_alpha;
  /// Errors of the current and the next row in sixteenths, with a pixel of margin on both sides.
  int32_t (*current)[4], (*next)[4];
};

cpal_mapper *cpal_mapper_make(cpal_search *search, size_t width, int dithers, int binary_alpha) {
  cpal_mapper *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  *m = (cpal_mapper){.search = search, .width = width, .dithers = dithers, .binary_alpha = binary_alpha};
  m->current = calloc(width + 2, sizeof *m->current);
  m->next = calloc(width + 2, sizeof *m->next);
  if (m->current && m->next) return m;
  cpal_mapper_free(m);
  return NULL;
}

void cpal_mapper_free(cpal_mapper *m) {
  if (!m) return;
  free(m->current);
  free(m->next);
  free(m);
}

/// Returns the share of the error from its neighbours that a pixel takes over, of 256. Bands show in flat areas and
/// gradients, texture hides them, and next to an edge an error would be seen as noise.
static int share(const uint8_t *row, const uint8_t *above, const uint8_t *below, size_t x, size_t width) {
  enum { FLAT = 256, SMOOTH = 179, GRADIENT = 12, EDGE = 48 };
  const uint8_t *p = row + 4 * x;
  const uint8_t *neighbours[4] = {x > 0 ? p - 4 : p, x + 1 < width ? p + 4 : p, above ? above + 4 * x : p,
                                  below ? below + 4 * x : p};
  int most = 0;
  for (int i = 0; i < 4; i++) {
    const int d = cpal_difference(p, neighbours[i]);
    if (d > most) most = d;
  }
  if (most == 0) return FLAT;
  if (most <= GRADIENT) return SMOOTH;
  return most >= EDGE ? 0 : SMOOTH * (EDGE - most) / (EDGE - GRADIENT);
}

void cpal_map_row(cpal_mapper *m, const uint8_t *row, const uint8_t *above, const uint8_t *below, uint8_t *indices) {
  if (!m->dithers) {
    uint32_t last = 0;
    for (size_t x = 0; x < m->width; x++) {
      const uint32_t key = cpal_key(row + 4 * x, m->binary_alpha);
      indices[x] = x > 0 && key == last ? indices[x - 1] : (uint8_t)find(m->search, key);
      last = key;
    }
    return;
  }
  // Alternating directions, so that errors do not drift to one side.
  const int right = m->y++ % 2 == 0;
  for (size_t i = 0; i < m->width; i++) {
    const size_t x = right ? i : m->width - 1 - i;
    const uint8_t *p = row + 4 * x;
    const uint32_t key = cpal_key(p, m->binary_alpha);
    if (key == 0) {
      indices[x] = (uint8_t)find(m->search, 0);
      continue;
    }
    uint8_t bytes[4];
    memcpy(bytes, &key, 4);
    // A colour that is hardly missed needs no errors around it, which would cost bytes: the bands that stay are not seen.
    const int own = find(m->search, key);
    if (cpal_difference(bytes, m->search->bytes[own]) <= UNSEEN) {
      indices[x] = (uint8_t)own;
      continue;
    }
    uint8_t wanted[4];
    int32_t exact[4];
    const int part = share(row, above, below, x, m->width);
    for (int k = 0; k < 4; k++) {
      int32_t v = bytes[k] + ((m->current[x + 1][k] * part / 256 + 8) >> 4);
      v = v < 0 ? 0 : v > 255 ? 255 : v;
      if (k == 3) v = m->binary_alpha ? 255 : v < 1 ? 1 : v;
      exact[k] = v;
      wanted[k] = (uint8_t)v;
    }
    const int index = find(m->search, cpal_load(wanted));
    indices[x] = (uint8_t)index;
    const size_t ahead = right ? x + 2 : x, behind = right ? x : x + 2;
    for (int k = 0; k < 4; k++) {
      const int32_t miss = exact[k] - m->search->bytes[index][k];
      m->current[ahead][k] += miss * 7;
      m->next[behind][k] += miss * 3;
      m->next[x + 1][k] += miss * 5;
      m->next[ahead][k] += miss;
    }
  }
  int32_t(*swap)[4] = m->current;
  m->current = m->next;
  m->next = swap;
  memset(m->next, 0, (m->width + 2) * sizeof *m->next);
}
