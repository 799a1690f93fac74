#include "kernels.h"

/// Parts of the workspace, as offsets from its start; all 64-byte aligned.
typedef struct {
  size_t rows[2], words, middle, middle_stride, result, pointers, factors, ring, ring_stride, samples, total;
} layout;

/// Biased words of linear light: for a byte of the upper row of a pair, and for one of the lower row.
typedef struct {
  uint32_t above[256], below[256];
} light_words;

/// Bytes behind the row between the passes that the horizontal pass may read with zero weight.
enum { slack = 128 };

/// Samples of a tile, with four bytes each in a pair of rows.
enum { tile = cpx_tile / 4 };

/// Returns the pairs of rows that one output row needs, and those that a group needs.
static int32_t row_pairs(const cpx_resample *r) { return r->vertical.taps / 2 + 1; }
static int32_t ring_pairs(const cpx_resample *r) { return r->span / 2 + 1; }

static int make_layout(const cpx_resample *r, layout *l) {
  memset(l, 0, sizeof *l);
  l->samples = ((size_t)r->columns * 4 + cpx_wide_block - 1) / cpx_wide_block * cpx_wide_block;
  l->ring_stride = l->samples * sizeof(uint32_t);
  l->middle_stride = l->samples + slack / 2;
  const size_t row = r->samples == CPX_SAMPLES_16 ? l->samples : 0;
  return cpx_reserve(&l->total, &l->rows[0], row, sizeof(int16_t))
      && cpx_reserve(&l->total, &l->rows[1], row, sizeof(int16_t))
      && cpx_reserve(&l->total, &l->words, r->samples == CPX_SAMPLES_16 ? 0 : 1, sizeof(light_words))
      && cpx_reserve(&l->total, &l->middle, l->middle_stride * cpx_resample_group, sizeof(int16_t))
      && cpx_reserve(&l->total, &l->result, (size_t)r->horizontal.count * 4, sizeof(int16_t))
      && cpx_reserve(&l->total, &l->pointers, (size_t)row_pairs(r) * cpx_resample_group, sizeof(uint32_t *))
      && cpx_reserve(&l->total, &l->factors, (size_t)row_pairs(r) * cpx_resample_group, sizeof(uint32_t))
      && cpx_reserve(&l->total, &l->ring, (size_t)ring_pairs(r), l->ring_stride);
}

size_t cpx_wide_workspace_size(const cpx_resample *r) {
  layout l;
  if (r->samples == CPX_SAMPLES_LINEAR && (!r->light.linear || !r->light.srgb)) return 0;
  return make_layout(r, &l) ? l.total : 0;
}

static inline int16_t biased(uint32_t value) { return (int16_t)(value ^ 0x8000); }
static inline uint32_t unbiased(int16_t value) { return (uint16_t)value ^ 0x8000u; }

static void make_words(light_words *words, const uint16_t *linear) {
  for (int i = 0; i < 256; i++) {
    words->above[i] = (uint16_t)biased(linear[i]);
    words->below[i] = words->above[i] << 16;
  }
}

void cpx_wide_begin(cpx_resample *r) {
  layout l;
  if (!make_layout(r, &l)) return;
  // Data behind the last sample of a row are read with zero weight.
  memset(r->workspace, 0, l.ring);
  if (r->samples == CPX_SAMPLES_LINEAR) make_words((light_words *)((uint8_t *)r->workspace + l.words), r->light.linear);
}

static inline void pixel_pair(const uint8_t *a, const uint8_t *b, uint32_t *out, const light_words *words) {
  for (int c = 0; c < 3; c++) out[c] = words->above[a[c]] | words->below[b[c]];
  out[3] = ((uint32_t)(a[3] | b[3] << 16) * 257) ^ 0x80008000;
}

/// Converts pixels of two rows of sRGB to a pair of rows of linear light.
__attribute__((always_inline)) static inline void light_pairs(const uint8_t *a, const uint8_t *b, uint32_t *out,
                                                              size_t pixels, const light_words *words, size_t lanes) {
  for (; pixels >= 2 * lanes; pixels -= 2 * lanes, a += 8 * lanes, b += 8 * lanes, out += 8 * lanes)
    for (size_t i = 0; i < lanes; i++) {
      pixel_pair(a + 8 * i, b + 8 * i, out + 4 * i, words);
      pixel_pair(a + 8 * i + 4, b + 8 * i + 4, out + 4 * (i + lanes), words);
    }
  for (size_t i = 0; i < pixels; i++) pixel_pair(a + 4 * i, b + 4 * i, out + 4 * (i / 2 + i % 2 * lanes), words);
}

/// Makes a pair of rows of sRGB, in parts that stay in the first-level cache.
static void load_bytes(const cpx_resample *r, const cpx_wide_kernels *k, const uint8_t *const sources[2],
                       uint32_t *pair, const light_words *words) {
  enum { part = 256 };
  const uint8_t *a = sources[0], *b = sources[1];
  for (size_t left = (size_t)r->columns, count; left > 0; left -= count, a += 4 * count, b += 4 * count) {
    count = left < part ? left : part;
    const size_t samples = (count * 4 + cpx_wide_block - 1) / cpx_wide_block * cpx_wide_block;
    if (samples > count * 4) memset(pair + samples - cpx_wide_block, 0, cpx_wide_block * sizeof *pair);
    switch (k->lanes) {
    case 1: light_pairs(a, b, pair, count, words, 1); break;
    case 2: light_pairs(a, b, pair, count, words, 2); break;
    default: light_pairs(a, b, pair, count, words, 4); break;
    }
    if (r->alpha == CPX_ALPHA_STRAIGHT) k->weigh(pair, samples);
    pair += samples;
  }
}

/// Makes a pair of rows of 16-bit samples.
static void load_words(const cpx_resample *r, const cpx_wide_kernels *k, const uint8_t *const sources[2],
                       uint32_t *pair, int16_t *const rows[2], size_t samples) {
  for (int row = 0; row < 2; row++) {
    const uint16_t *in = (const uint16_t *)(const void *)sources[row];
    for (size_t i = 0; i < (size_t)r->columns * 4; i++) rows[row][i] = biased(in[i]);
  }
  k->interleave(rows[0], rows[1], pair, samples);
  if (r->alpha == CPX_ALPHA_STRAIGHT) k->weigh(pair, samples);
}

static uint32_t straight(uint32_t color, uint32_t alpha) {
  const uint32_t value = (uint32_t)(((uint64_t)color * 65535 + alpha / 2) / alpha);
  return value > 65535 ? 65535 : value;
}

/// Converts biased samples to the format of the destination.
static void deliver(const cpx_resample *r, const int16_t *in, uint8_t *out) {
  for (int32_t x = 0; x < r->horizontal.count; x++, in += 4) {
    uint32_t v[4];
    for (int c = 0; c < 4; c++) v[c] = unbiased(in[c]);
    if (r->alpha != CPX_ALPHA_OPAQUE && v[3] != 65535)
      for (int c = 0; c < 3; c++) v[c] = v[3] == 0 ? 0 : straight(v[c], v[3]);
    if (r->samples == CPX_SAMPLES_16) {
      for (int c = 0; c < 4; c++) ((uint16_t *)(void *)out)[4 * (size_t)x + (size_t)c] = (uint16_t)v[c];
    } else {
      uint8_t *p = out + 4 * (size_t)x;
      p[3] = (uint8_t)((v[3] * 255 + 32767) / 65535);
      for (int c = 0; c < 3; c++) p[c] = p[3] == 0 ? 0 : r->light.srgb[v[c]];
    }
  }
}

void cpx_wide_rows(cpx_resample *r, int32_t first, int32_t last) {
  layout l;
  if (!make_layout(r, &l)) return;
  uint8_t *base = r->workspace;
  int16_t *rows[2] = {(int16_t *)(base + l.rows[0]), (int16_t *)(base + l.rows[1])};
  int16_t *middle = (int16_t *)(base + l.middle), *result = (int16_t *)(base + l.result);
  const uint32_t **pointers = (const uint32_t **)(base + l.pointers);
  uint32_t *factors = (uint32_t *)(base + l.factors);
  const cpx_wide_kernels *k = cpx_wide_kernels_of(r->level);
  const cpx_filter *v = &r->vertical, *h = &r->horizontal;
  const cpx_row row = {
      h->starts, r->first_column, h->coefficients, h->count, h->taps, h->stride, h->precision};
  const int32_t ring = ring_pairs(r), most = row_pairs(r);
  const light_words *words = (const light_words *)(base + l.words);
  const size_t left = (size_t)r->first_column * (r->samples == CPX_SAMPLES_16 ? 8 : 4);
  for (int32_t top = first; top < last; top += cpx_resample_group) {
    const int32_t bottom = last - top < cpx_resample_group ? last : top + cpx_resample_group;
    for (int32_t y = top; y < bottom; y++) {
      const int32_t start = v->starts[y], first_pair = start / 2, end_pair = (start + v->taps + 1) / 2;
      for (int32_t p = r->next_row > first_pair ? r->next_row : first_pair; p < end_pair; p++) {
        // The last row of an odd number is a pair of its own.
        const int32_t below = 2 * p + 1 < r->source_height ? 2 * p + 1 : 2 * p;
        const uint8_t *const sources[2] = {cpx_source_row(r, 2 * p) + left, cpx_source_row(r, below) + left};
        uint32_t *pair = (uint32_t *)(base + l.ring + (size_t)(p % ring) * l.ring_stride);
        if (r->samples == CPX_SAMPLES_16)
          load_words(r, k, sources, pair, rows, l.samples);
        else if (k->load_pair)
          k->load_pair(sources[0], sources[1], pair, (size_t)r->columns, r->light.linear,
                       r->alpha == CPX_ALPHA_STRAIGHT);
        else
          load_bytes(r, k, sources, pair, words);
      }
      if (end_pair > r->next_row) r->next_row = end_pair;
      const int16_t *c = v->coefficients + (size_t)y * (size_t)v->stride;
      for (int32_t i = 0; i < most; i++) {
        // Pairs behind the window repeat its last pair with zero weight.
        const int32_t p = first_pair + i < end_pair ? first_pair + i : end_pair - 1, t = 2 * (first_pair + i) - start;
        const uint16_t above = t >= 0 && t < v->taps ? (uint16_t)c[t] : 0;
        const uint16_t below = t + 1 < v->taps ? (uint16_t)c[t + 1] : 0;
        factors[(y - top) * most + i] = above | (uint32_t)below << 16;
        pointers[(y - top) * most + i] = (const uint32_t *)(base + l.ring + (size_t)(p % ring) * l.ring_stride);
      }
    }
    for (size_t x = 0, end; x < l.samples; x = end) {
      end = cpx_tile_end(x, l.samples, tile);
      for (int32_t y = top; y < bottom; y++) {
        const uint32_t **pairs = pointers + (y - top) * most;
        const cpx_wide_column column = {pairs, factors + (y - top) * most, most, v->precision, end - x};
        k->vertical(&column, middle + (size_t)(y - top) * l.middle_stride + x);
        for (int32_t i = 0; i < most; i++) pairs[i] += end - x;
      }
    }
    for (int32_t y = top; y < bottom; y++) {
      k->horizontal(&row, middle + (size_t)(y - top) * l.middle_stride, result);
      deliver(r, result, r->destination + (size_t)y * r->destination_stride);
    }
  }
}
