#include "kernels.h"
#include <stdlib.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/// The level that `CALOTYPE_SIMD` allows: 0, 128, 256 or 512 bits. For measurements and for isolating bugs of a level.
static cpx_level allowed = CPX_LEVEL_SIMD512;

__attribute__((constructor)) static void read_environment(void) {
  const char *bits = getenv("CALOTYPE_SIMD");
  if (!bits) return;
  allowed = !strcmp(bits, "0") ? CPX_LEVEL_PORTABLE : !strcmp(bits, "128") ? CPX_LEVEL_SIMD128
          : !strcmp(bits, "256") ? CPX_LEVEL_SIMD256 : CPX_LEVEL_SIMD512;
}

static cpx_level processor_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
    const int vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    return vnni ? CPX_LEVEL_SIMD512 : CPX_LEVEL_SIMD256;
  }
  return __builtin_cpu_supports("sse4.1") ? CPX_LEVEL_SIMD128 : CPX_LEVEL_PORTABLE;
#elif defined(__aarch64__)
  return CPX_LEVEL_SIMD128;
#else
  return CPX_LEVEL_PORTABLE;
#endif
}

cpx_level cpx_best_level(void) {
  const cpx_level best = processor_level();
  return best < allowed ? best : allowed;
}

static cpx_level usable(cpx_level level) {
  const cpx_level best = cpx_best_level();
  return level < best ? level : best;
}

static const cpx_kernels *kernels(cpx_level level) {
  switch (level) {
#if defined(__x86_64__)
  case CPX_LEVEL_SIMD128: return &cpx_sse41;
  case CPX_LEVEL_SIMD256: return &cpx_avx2;
  case CPX_LEVEL_SIMD512: return &cpx_vnni;
#elif defined(__aarch64__)
  case CPX_LEVEL_SIMD128: return &cpx_neon;
#endif
  default: return &cpx_portable;
  }
}

/// Samples behind the row between the passes that the horizontal pass may read with zero weight.
enum { slack = 64 };

/// Parts of the workspace, as offsets from its start; all 64-byte aligned.
typedef struct {
  size_t row, row_stride, result, pointers, scratch, reciprocals, ring, ring_stride, total;
} layout;

static int32_t padded_taps(const cpx_filter *filter) { return (filter->taps + 3) & ~3; }

static int make_layout(const cpx_resample *r, layout *l) {
  const size_t samples = (size_t)r->columns * cpx_channels(r);
  const size_t taps = (size_t)padded_taps(&r->vertical);
  memset(l, 0, sizeof *l);
  l->row_stride = (samples + slack + 31) & ~(size_t)31;
  if (!cpx_reserve(&l->total, &l->row, l->row_stride * cpx_resample_group, sizeof(int16_t))) return 0;
  if (!cpx_reserve(&l->total, &l->result, (size_t)r->horizontal.count * cpx_channels(r), sizeof(int16_t))) return 0;
  if (!cpx_reserve(&l->total, &l->pointers, taps * cpx_resample_group, sizeof(uint8_t *))) return 0;
  if (!cpx_reserve(&l->total, &l->scratch, taps / 2, sizeof(uint32_t))) return 0;
  if (r->alpha != CPX_ALPHA_OPAQUE && !cpx_reserve(&l->total, &l->reciprocals, 256, sizeof(uint64_t))) return 0;
  l->ring_stride = (samples + 63) & ~(size_t)63;
  return r->alpha != CPX_ALPHA_STRAIGHT
      || cpx_reserve(&l->total, &l->ring, (size_t)r->span, l->ring_stride);
}

static int is_valid(const cpx_filter *filter, int32_t length) {
  if (filter->count < 1 || filter->taps < 1 || filter->taps > length || filter->stride < filter->taps
      || filter->stride % 16 != 0 || filter->precision <= cpx_fraction || filter->precision > 22)
    return 0;
  int32_t previous = 0;
  for (int32_t i = 0; i < filter->count; i++) {
    const int32_t start = filter->starts[i];
    if (start < previous || start > length - filter->taps) return 0;
    previous = start;
  }
  return 1;
}

/// Returns the number of source rows that a group of output rows needs.
static int32_t span(const cpx_filter *v) {
  int32_t longest = v->taps;
  for (int32_t y = 0; y < v->count; y++) {
    const int32_t last = y + cpx_resample_group < v->count ? y + cpx_resample_group - 1 : v->count - 1;
    const int32_t rows = v->starts[last] + v->taps - v->starts[y];
    if (rows > longest) longest = rows;
  }
  return longest;
}

size_t cpx_resample_workspace_size(cpx_resample *r) {
  const size_t pixel = r->samples == CPX_SAMPLES_16 ? 8 : cpx_channels(r);
  if (r->samples == CPX_SAMPLES_GRAY && r->alpha != CPX_ALPHA_OPAQUE) return 0;
  if (r->source_width < 1 || r->source_height < 1 || r->source_stride < (size_t)r->source_width * pixel
      || r->source_rows < 1 || r->source_rows > r->source_height
      || r->destination_stride < (size_t)r->horizontal.count * pixel
      || !is_valid(&r->horizontal, r->source_width) || !is_valid(&r->vertical, r->source_height))
    return 0;
  r->level = usable(r->level);
  r->first_column = r->horizontal.starts[0];
  r->columns = r->horizontal.starts[r->horizontal.count - 1] + r->horizontal.taps - r->first_column;
  r->span = span(&r->vertical);
  if (!cpx_has_bytes(r)) return cpx_wide_workspace_size(r);
  layout l;
  return make_layout(r, &l) ? l.total : 0;
}

void cpx_resample_begin(cpx_resample *r, void *workspace) {
  layout l;
  uint8_t *base = workspace;
  r->workspace = workspace;
  r->next_row = 0;
  if (!cpx_has_bytes(r)) {
    cpx_wide_begin(r);
    return;
  }
  if (!make_layout(r, &l)) return;
  int16_t *rows = (int16_t *)(base + l.row);
  for (size_t i = 0; i < cpx_resample_group; i++)
    memset(rows + i * l.row_stride + (size_t)r->columns * cpx_channels(r), 0, slack * sizeof(int16_t));
  if (r->alpha != CPX_ALPHA_OPAQUE) {
    // With 32 bits of fraction, rounded up, truncated products of numerators below 2^16 are exact.
    uint64_t *reciprocals = (uint64_t *)(base + l.reciprocals);
    reciprocals[0] = 0;
    for (uint64_t a = 1; a < 256; a++) reciprocals[a] = ((uint64_t)1 << 32) / a + 1;
  }
}

/// Converts samples to bytes, saturated: an instruction that every supported processor has, but not every compiler
/// emits.
static void narrow(const int16_t *in, uint8_t *out, size_t count) {
  size_t i = 0;
#if defined(__x86_64__)
  for (; i + 16 <= count; i += 16) {
    const __m128i a = _mm_loadu_si128((const __m128i *)(in + i));
    const __m128i b = _mm_loadu_si128((const __m128i *)(in + i + 8));
    _mm_storeu_si128((__m128i *)(out + i), _mm_packus_epi16(a, b));
  }
#elif defined(__aarch64__)
  for (; i + 8 <= count; i += 8) vst1_u8(out + i, vqmovun_s16(vld1q_s16(in + i)));
#endif
  for (; i < count; i++) out[i] = cpx_clamp(in[i]);
}

static void unpremultiply(uint8_t *p, size_t pixels, const uint64_t *reciprocals) {
  for (size_t i = 0; i < pixels; i++, p += 4) {
    const uint32_t alpha = p[3];
    if (alpha == 255) continue;
    const uint64_t reciprocal = reciprocals[alpha];
    for (int c = 0; c < 3; c++) {
      const uint64_t value = (p[c] * 255u + alpha / 2) * reciprocal >> 32;
      p[c] = value > 255 ? 255 : (uint8_t)value;
    }
  }
}

void cpx_resample_rows(cpx_resample *r, int32_t first, int32_t last) {
  if (!cpx_has_bytes(r)) {
    cpx_wide_rows(r, first, last);
    return;
  }
  layout l;
  if (!make_layout(r, &l)) return;
  uint8_t *base = r->workspace;
  const uint8_t **pointers = (const uint8_t **)(base + l.pointers);
  const cpx_kernels *k = kernels(r->level);
  const cpx_filter *v = &r->vertical, *h = &r->horizontal;
  const cpx_row row = {
      h->starts, r->first_column, h->coefficients, h->count, h->taps, h->stride, h->precision + cpx_fraction};
  int16_t *middle = (int16_t *)(base + l.row), *result = (int16_t *)(base + l.result);
  const size_t channels = cpx_channels(r);
  const size_t bytes = (size_t)r->columns * channels, left = (size_t)r->first_column * channels;
  const int32_t padded = padded_taps(v);
  // Distant rows are read fastest from end to end.
  const int is_near = r->alpha == CPX_ALPHA_STRAIGHT || r->source_rows < r->source_height;
  const size_t tile = is_near ? cpx_tile : bytes;
  for (int32_t top = first; top < last; top += cpx_resample_group) {
    const int32_t bottom = last - top < cpx_resample_group ? last : top + cpx_resample_group;
    for (int32_t y = top; y < bottom; y++) {
      const int32_t start = v->starts[y], end = start + v->taps;
      if (r->alpha == CPX_ALPHA_STRAIGHT) {
        // Each source row is premultiplied once and kept as long as output rows need it.
        for (int32_t s = r->next_row > start ? r->next_row : start; s < end; s++)
          k->premultiply(cpx_source_row(r, s) + left, base + l.ring + (size_t)(s % r->span) * l.ring_stride,
                         (size_t)r->columns);
        if (end > r->next_row) r->next_row = end;
      }
      for (int32_t t = 0; t < padded; t++) {
        const int32_t s = start + (t < v->taps ? t : v->taps - 1);
        pointers[(y - top) * padded + t] = r->alpha == CPX_ALPHA_STRAIGHT
            ? base + l.ring + (size_t)(s % r->span) * l.ring_stride
            : cpx_source_row(r, s) + left;
      }
    }
    for (size_t x = 0, end; x < bytes; x = end) {
      end = cpx_tile_end(x, bytes, tile);
      for (int32_t y = top; y < bottom; y++) {
        const uint8_t **rows = pointers + (y - top) * padded;
        const cpx_column column = {
            rows, end - x, v->coefficients + (size_t)y * (size_t)v->stride, (uint32_t *)(base + l.scratch),
            v->taps, padded, v->precision};
        k->vertical(&column, middle + (size_t)(y - top) * l.row_stride + x);
        for (int32_t t = 0; t < padded; t++) rows[t] += end - x;
      }
    }
    for (int32_t y = top; y < bottom; y++) {
      uint8_t *out = r->destination + (size_t)y * r->destination_stride;
      const int16_t *in = middle + (size_t)(y - top) * l.row_stride;
      if (channels == 1) cpx_gray_horizontal(r->level, &row, in, result);
      else cpx_wide_kernels_of(r->level)->horizontal(&row, in, result);
      narrow(result, out, (size_t)h->count * channels);
      if (r->alpha != CPX_ALPHA_OPAQUE)
        unpremultiply(out, (size_t)h->count, (const uint64_t *)(base + l.reciprocals));
    }
  }
}
