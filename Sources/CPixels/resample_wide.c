#include "kernels.h"

/// Parts of the workspace, as offsets from its start; all 64-byte aligned.
typedef struct {
  size_t rows[2], middle, middle_stride, result, pointers, factors, ring, ring_stride, samples, total;
} layout;

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
  return cpx_reserve(&l->total, &l->rows[0], l->samples, sizeof(int16_t))
      && cpx_reserve(&l->total, &l->rows[1], l->samples, sizeof(int16_t))
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

void cpx_wide_begin(cpx_resample *r) {
  layout l;
  if (!make_layout(r, &l)) return;
  // Data behind the last sample of a row are read with zero weight.
  memset(r->workspace, 0, l.ring);
}

static inline int16_t biased(uint32_t value) { return (int16_t)(value ^ 0x8000); }
static inline uint32_t unbiased(int16_t value) { return (uint16_t)value ^ 0x8000u; }

static void weigh(int16_t *row, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, row += 4) {
    const uint32_t alpha = unbiased(row[3]);
    for (int c = 0; c < 3; c++) {
      // Rounded to nearest, exactly, without a division.
      const uint32_t t = unbiased(row[c]) * alpha + 32768;
      row[c] = biased((t + (t >> 16)) >> 16);
    }
  }
}

/// Loads a source row as biased 16-bit samples, premultiplied.
static void load(const cpx_resample *r, int32_t y, int16_t *out) {
  const size_t pixels = (size_t)r->columns;
  if (r->samples == CPX_SAMPLES_LINEAR) {
    const uint8_t *in = cpx_source_row(r, y) + (size_t)r->first_column * 4;
    for (size_t i = 0; i < pixels * 4; i++)
      out[i] = biased(i % 4 == 3 ? in[i] * 257u : r->light.linear[in[i]]);
  } else {
    const uint16_t *in = (const uint16_t *)(const void *)cpx_source_row(r, y) + (size_t)r->first_column * 4;
    for (size_t i = 0; i < pixels * 4; i++) out[i] = biased(in[i]);
  }
  if (r->alpha == CPX_ALPHA_STRAIGHT) weigh(out, pixels);
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
  for (int32_t top = first; top < last; top += cpx_resample_group) {
    const int32_t bottom = last - top < cpx_resample_group ? last : top + cpx_resample_group;
    for (int32_t y = top; y < bottom; y++) {
      const int32_t start = v->starts[y], first_pair = start / 2, end_pair = (start + v->taps + 1) / 2;
      for (int32_t p = r->next_row > first_pair ? r->next_row : first_pair; p < end_pair; p++) {
        const int32_t below = 2 * p + 1 < r->source_height ? 2 * p + 1 : 2 * p;
        uint32_t *pair = (uint32_t *)(base + l.ring + (size_t)(p % ring) * l.ring_stride);
        if (r->samples == CPX_SAMPLES_LINEAR && k->load_pair) {
          const size_t left = (size_t)r->first_column * 4;
          k->load_pair(cpx_source_row(r, 2 * p) + left, cpx_source_row(r, below) + left, pair,
                       (size_t)r->columns, r->light.linear, r->alpha == CPX_ALPHA_STRAIGHT);
          continue;
        }
        load(r, 2 * p, rows[0]);
        load(r, below, rows[1]);
        k->interleave(rows[0], rows[1], pair, l.samples);
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
