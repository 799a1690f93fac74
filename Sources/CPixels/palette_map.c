#include "palette.h"
#include <stdlib.h>

// All levels round alike.
#pragma STDC FP_CONTRACT OFF

enum {
  CACHE_BITS = 14,
  /// Opaque colours are searched in cells of 8 levels of red, green and blue, among the colours that may be nearest there.
  CELLS = 1 << 15,
  CELL_MOST = 31,
  /// The number of a cell with more of them, for which all colours are searched.
  MANY = CELL_MOST + 1,
  /// Searches before there are cells, whose memory costs as much.
  SEARCHES = 512,
  /// The largest difference of a channel that is not diffused.
  UNSEEN = 1,
};

typedef struct {
  /// 0 before the first search in the cell.
  uint8_t count, indices[CELL_MOST];
} cell;

struct cpal_search {
  cpal_planes colors;
  uint8_t bytes[CPAL_MOST][4];
  /// The index of the transparent colour, or -1.
  int transparent;
  struct {
    uint32_t key;
    int32_t index;
  } cache[1 << CACHE_BITS];
  int searches;
  /// NULL before they are worth it, and without memory.
  cell *cells;
};

cpal_search *cpal_search_make(const uint8_t *colors, int count) {
  cpal_search *s = malloc(sizeof *s);
  if (!s) return NULL;
  s->searches = 0;
  s->cells = NULL;
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

void cpal_search_free(cpal_search *s) {
  if (!s) return;
  free(s->cells);
  free(s);
}

/// Finds the colours that may be nearest to those of a cell.
static void fill(const cpal_search *s, uint32_t key, cell *cell) {
  uint8_t low[4], high[4] = {0, 0, 0, 255}, found[CPAL_MOST];
  memcpy(low, &key, 4);
  for (int k = 0; k < 3; k++) {
    high[k] = low[k] | 7;
    low[k] &= 0xf8;
  }
  const int count = cpal_candidates(&s->colors, cpal_weighted(cpal_load(low)), cpal_weighted(cpal_load(high)), found);
  cell->count = count > CELL_MOST ? MANY : (uint8_t)count;
  if (count <= CELL_MOST) memcpy(cell->indices, found, (size_t)count);
}

/// Returns the colour that is nearest to one that is opaque.
static int nearest_in_cell(const cpal_search *s, uint32_t key) {
  uint8_t b[4];
  memcpy(b, &key, 4);
  cell *cell = &s->cells[(size_t)(b[0] >> 3) << 10 | (size_t)(b[1] >> 3) << 5 | b[2] >> 3];
  if (cell->count == 0) fill(s, key, cell);
  const cpal_color wanted = cpal_weighted(key);
  float least = 1e30f;
  if (cell->count == MANY) return cpal_nearest(&s->colors, wanted, &least);
  int nearest = 0;
  for (int i = 0; i < cell->count; i++) {
    const int index = cell->indices[i];
    float distance = 0;
    for (int k = 0; k < 4; k++) {
      const float d = s->colors.c[k][index] - wanted.c[k];
      distance += d * d;
    }
    if (distance >= least) continue;
    least = distance;
    nearest = index;
  }
  return nearest;
}

static int nearest(cpal_search *s, uint32_t key) {
  uint8_t bytes[4];
  memcpy(bytes, &key, 4);
  if (bytes[3] == 255 && s->colors.count > 16) {
    if (s->searches < SEARCHES && ++s->searches == SEARCHES) s->cells = calloc(CELLS, sizeof *s->cells);
    if (s->cells) return nearest_in_cell(s, key);
  }
  float distance;
  return cpal_nearest(&s->colors, cpal_weighted(key), &distance);
}

static int find(cpal_search *s, uint32_t key) {
  if (key == 0 && s->transparent >= 0) return s->transparent;
  const uint32_t slot = key * 2654435769u >> (32 - CACHE_BITS);
  if (s->cache[slot].key == key && s->cache[slot].index >= 0) return s->cache[slot].index;
  const int index = nearest(s, key);
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
