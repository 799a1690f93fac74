#include "csimilarity.h"
#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum { LANES = 16, SCALES = 6, margin = LANES, largest_radius = 5 };

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t lanes __attribute__((vector_size(4 * LANES), aligned(4)));

/// A symmetrical window: the weights of the centre and of the distances up to the radius.
typedef struct {
  int radius;
  float weights[largest_radius + 1];
} kernel;

static inline size_t padded(size_t width) { return (width + LANES - 1) / LANES * LANES; }
/// The floats of a row with its margins.
static inline size_t stride_of(size_t width) { return padded(width) + 2 * margin; }

typedef struct {
  void (*convert)(const float *const light[3], size_t width, float *const xyb[3]);
  void (*halve)(const float *above, const float *below, size_t width, float *out);
  void (*multiply)(const float *a, const float *b, size_t width, float *out);
  void (*squares)(const float *a, const float *b, size_t width, float *out);
  void (*sum_columns)(const kernel *k, const float *const *rows, size_t width, float *out);
  void (*blur_row)(const kernel *k, const float *row, size_t width, float *out);
  void (*compare)(
      const kernel *k, const float *a, const float *mean_a, const float *b, const float *mean, const float *squares,
      const float *product, size_t width, double sums[6]);
  double (*similarity)(
      const kernel *k, const float *mean_a, const float *mean_b, const float *squares, const float *product, size_t width);
} row_loops;

// Vectors are passed among inlined functions only.
#pragma GCC diagnostic ignored "-Wpsabi"
#define LOOP static inline __attribute__((always_inline))
#define ROW_LOOP static
#define ROWS(name) portable_##name
#include "similarity_rows.h"
#undef ROWS
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define ROWS(name) avx2_##name
#include "similarity_rows.h"
#undef ROWS
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx2"))), apply_to = function)
#define ROWS(name) avx512_##name
#include "similarity_rows.h"
#undef ROWS
#pragma clang attribute pop
#endif

static const row_loops *loops_of(cpx_level level) {
#if defined(__x86_64__) && defined(__clang__)
  const cpx_level best = cpx_best_level();
  if (level > best) level = best;
  if (level >= CPX_LEVEL_SIMD512) return &avx512_loops;
  if (level >= CPX_LEVEL_SIMD256) return &avx2_loops;
#else
  (void)level;
#endif
  return &portable_loops;
}

/// Linear light of sRGB bytes (IEC 61966-2-1).
static const float *light_table(float table[256]) {
  for (int i = 0; i < 256; i++) {
    const double v = i / 255.0;
    table[i] = (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
  return table;
}

static inline uint8_t composited(uint8_t color, uint8_t alpha, int background) {
  return (uint8_t)((color * alpha + background * (255 - alpha) + 127) / 255);
}

/// Reads a row as three rows of values from a table.
static void read_row(const cpx_picture *p, uint32_t y, const float *table, float *const out[3]) {
  const uint8_t *in = p->pixels + (size_t)y * p->bytes_per_row;
  for (uint32_t x = 0; x < p->width; x++, in += 4) {
    for (int c = 0; c < 3; c++)
      out[c][x] = table[p->background < 0 ? in[c] : composited(in[c], in[3], p->background)];
  }
}

// The window of libjxl, which is a recursive filter there (Charalampidis, "Recursive Implementation of the Gaussian Filter
// Using Truncated Cosine Functions", 2016) for σ 1.5 with a radius of 5. Its response ends at a distance of 4.
static const kernel window = {4, {0.264621105f, 0.212928592f, 0.109335373f, 0.036011115f, 0.009414368f}};

// Weights by channel (X, Y, B), scale, norm (1 and 4) and error (structure, new edges, lost edges).
static const double weights[3 * SCALES * 6] = {
    // X
    0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0,
    0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
    0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0,
    0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
    0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0,
    // Y
    0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
    0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
    225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
    176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0, 0, 0, 34.77906344483772, 44.835625328877896, 0,
    0, 0, 0, 0, 0, 0,
    // B
    0, 0.0008680556573291698, 0, 0, 0, 0,
    0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0,
    0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0,
    0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0,
    95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
    0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
};

/// The scales of a size: each halves the one before, as long as that has 8 by 8 pixels.
static int scale_count(uint32_t width, uint32_t height) {
  int count = 0;
  while (count < SCALES && width >= 8 && height >= 8) {
    // The first scale is the size itself.
    if (count++ > 0) width = (width + 1) / 2, height = (height + 1) / 2;
  }
  return count;
}

/// Returns whether a channel counts at a scale. The others have weights below 0.0025, for errors below 1: all of them change a
/// score by less than 0.01.
static int counts(int channel, int scale, int scales) {
  // With fewer scales, the weights of libjxl move up.
  const double *w = weights + 6 * (channel * scales + scale);
  for (int i = 0; i < 6; i++) {
    if (w[i] > 0.0025) return 1;
  }
  return 0;
}

/// The sizes of a scale, and the places of its planes in a reference: for each channel the pixels and their blurred means.
typedef struct {
  size_t width, height, stride;
  int counts[3];
  size_t plane[3];  // in floats; the means follow
} scale;

/// Returns the floats of a reference.
static size_t lay_out(uint32_t width, uint32_t height, scale scales[SCALES], int *count) {
  const int n = *count = scale_count(width, height);
  size_t place = 0;
  for (int s = 0; s < n; s++) {
    if (s > 0) width = (width + 1) / 2, height = (height + 1) / 2;
    scales[s] = (scale){.width = width, .height = height, .stride = padded(width)};
    for (int c = 0; c < 3; c++) {
      scales[s].counts[c] = counts(c, s, n);
      scales[s].plane[c] = place;
      if (scales[s].counts[c]) place += 2 * scales[s].stride * height;
    }
  }
  return place;
}

enum { RING = 2 * largest_radius + 1 };

/// The memory of a pass over a scale.
typedef struct {
  float *light[2][3];      // two rows
  float *rings[3][3];      // for each channel: rows of pixels, of squares and of products
  float *sums[3];          // rows with margins, summed over columns
  float *half[3];          // planes of the next scale; rows of half the width, padded
} workspace;

static size_t floats_of_workspace(uint32_t width, uint32_t height) {
  const size_t half = padded(((size_t)width + 1) / 2) * (((size_t)height + 1) / 2);
  return stride_of(width) * (6 + 9 * RING + 3) + 3 * half;
}

static void carve(workspace *w, uint32_t width, uint32_t height, float *memory) {
  const size_t stride = stride_of(width), half = padded(((size_t)width + 1) / 2) * (((size_t)height + 1) / 2);
  // Margins and padding stay zero.
  memset(memory, 0, stride * (6 + 9 * RING + 3) * sizeof(float));
  float *at = memory;
  for (int i = 0; i < 6; i++, at += stride) w->light[i / 3][i % 3] = at;
  for (int i = 0; i < 9; i++, at += stride * RING) w->rings[i / 3][i % 3] = at;
  for (int i = 0; i < 3; i++, at += stride) w->sums[i] = at + margin;
  for (int i = 0; i < 3; i++, at += half) w->half[i] = at;
}

/// Collects the rows around `y`, NULL outside of the picture.
static void gather(const float *ring, size_t stride, size_t y, size_t height, int radius, const float **rows) {
  for (int d = -radius; d <= radius; d++) {
    const ptrdiff_t row = (ptrdiff_t)y + d;
    const int inside = row >= 0 && row < (ptrdiff_t)height;
    rows[d + radius] = inside ? ring + (size_t)row % RING * stride : NULL;
  }
}

/// One pass over all scales: fills a reference or, with `sums`, compares a picture with it.
static void pass(const cpx_picture *p, float *reference, void *memory, cpx_level level, double (*sums)[3][6]) {
  const row_loops *loops = loops_of(level);
  float table[256];
  light_table(table);
  scale scales[SCALES];
  int count;
  lay_out(p->width, p->height, scales, &count);
  workspace w;
  carve(&w, p->width, p->height, memory);
  const size_t stride = stride_of(p->width);
  const int r = window.radius;
  for (int s = 0; s < count; s++) {
    const scale *size = &scales[s];
    const size_t half_stride = padded((size->width + 1) / 2);
    for (size_t y = 0; y < size->height + (size_t)r; y++) {
      if (y < size->height) {
        float **light = w.light[y & 1];
        if (s == 0) {
          read_row(p, (uint32_t)y, table, light);
        } else {
          for (int c = 0; c < 3; c++) memcpy(light[c], w.half[c] + y * size->stride, size->width * sizeof(float));
        }
        float *xyb[3];
        for (int c = 0; c < 3; c++) {
          float *row = sums ? w.rings[c][0] + y % RING * stride : reference + size->plane[c] + y * size->stride;
          xyb[c] = size->counts[c] ? row : NULL;
        }
        loops->convert((const float *const *)light, size->width, xyb);
        for (int c = 0; c < 3 && sums; c++) {
          if (!size->counts[c]) continue;
          const float *a = reference + size->plane[c] + y * size->stride;
          loops->squares(a, xyb[c], size->width, w.rings[c][1] + y % RING * stride);
          loops->multiply(a, xyb[c], size->width, w.rings[c][2] + y % RING * stride);
        }
        const int is_last = y + 1 == size->height;
        // Rows of the next scale are written where this one was read already.
        for (int c = 0; c < 3 && s + 1 < count && (y & 1 || is_last); c++)
          loops->halve(w.light[0][c], w.light[y & 1][c], size->width, w.half[c] + y / 2 * half_stride);
      }
      if (y < (size_t)r) continue;
      const size_t done = y - (size_t)r;
      const float *rows[RING];
      for (int c = 0; c < 3; c++) {
        if (!size->counts[c]) continue;
        float *plane = reference + size->plane[c], *means = plane + size->stride * size->height;
        if (!sums) {
          for (int d = -r; d <= r; d++) {
            const ptrdiff_t row = (ptrdiff_t)done + d;
            rows[d + r] = row >= 0 && row < (ptrdiff_t)size->height ? plane + (size_t)row * size->stride : NULL;
          }
          loops->sum_columns(&window, rows, size->width, w.sums[0]);
          loops->blur_row(&window, w.sums[0], size->width, means + done * size->stride);
          continue;
        }
        for (int i = 0; i < 3; i++) {
          gather(w.rings[c][i], stride, done, size->height, r, rows);
          loops->sum_columns(&window, rows, size->width, w.sums[i]);
        }
        loops->compare(
            &window, plane + done * size->stride, means + done * size->stride, w.rings[c][0] + done % RING * stride, w.sums[0],
            w.sums[1], w.sums[2], size->width, sums[s][c]);
      }
    }
    // A narrower scale finds zeros behind its rows.
    for (int i = 0; i < 3; i++) memset(w.sums[i], 0, padded(p->width) * sizeof(float));
  }
}

size_t cpx_ssimulacra2_reference_size(uint32_t width, uint32_t height) {
  scale scales[SCALES];
  int count;
  const size_t header = 64;
  return header + lay_out(width, height, scales, &count) * sizeof(float);
}

size_t cpx_ssimulacra2_workspace_size(uint32_t width, uint32_t height) {
  return floats_of_workspace(width, height) * sizeof(float);
}

void cpx_ssimulacra2_prepare(const cpx_picture *original, void *reference, void *work, cpx_level level) {
  pass(original, (float *)reference + 16, work, level, NULL);
}

double cpx_ssimulacra2(const void *reference, const cpx_picture *picture, void *work, cpx_level level) {
  double sums[SCALES][3][6] = {{{0}}};
  // Not written to with sums.
  pass(picture, (float *)(uintptr_t)reference + 16, work, level, sums);
  scale scales[SCALES];
  int count;
  lay_out(picture->width, picture->height, scales, &count);
  double score = 0;
  const double *weight = weights;
  for (int c = 0; c < 3; c++) {
    for (int s = 0; s < count; s++) {
      const double pixels = (double)scales[s].width * (double)scales[s].height;
      for (int norm = 0; norm < 2; norm++) {
        for (int e = 0; e < 3; e++) {
          const double mean = sums[s][c][2 * e + norm] / pixels;
          score += *weight++ * (norm == 0 ? mean : sqrt(sqrt(mean)));
        }
      }
    }
  }
  score *= 0.9562382616834844;
  score = 2.326765642916932 * score - 0.020884521182843837 * score * score + 6.248496625763138e-05 * score * score * score;
  return score > 0 ? 100 - 10 * pow(score, 0.6276336467831387) : 100;
}

// SSIM of luma

static kernel gaussian(void) {
  kernel k = {.radius = 5};
  double sum = 0;
  for (int d = -5; d <= 5; d++) sum += exp(-d * d / 4.5);
  for (int d = 0; d <= 5; d++) k.weights[d] = (float)(exp(-d * d / 4.5) / sum);
  return k;
}

size_t cpx_ssim_workspace_size(uint32_t width) { return stride_of(width) * (6 + 4 * RING + 4) * sizeof(float); }

double cpx_ssim(const cpx_picture *a, const cpx_picture *b, void *memory, cpx_level level) {
  const row_loops *loops = loops_of(level);
  const kernel k = gaussian();
  const size_t width = a->width, height = a->height, stride = stride_of(a->width), r = (size_t)k.radius;
  memset(memory, 0, cpx_ssim_workspace_size(a->width));
  float table[256], *at = memory, *channels[2][3], *rings[4], *sums[4];
  for (int i = 0; i < 256; i++) table[i] = (float)i;
  for (int i = 0; i < 6; i++, at += stride) channels[i / 3][i % 3] = at;
  for (int i = 0; i < 4; i++, at += stride * RING) rings[i] = at;
  for (int i = 0; i < 4; i++, at += stride) sums[i] = at + margin;
  double total = 0;
  for (size_t y = 0; y < height; y++) {
    float *rows[4];
    for (int i = 0; i < 4; i++) rows[i] = rings[i] + y % RING * stride;
    for (int i = 0; i < 2; i++) {
      read_row(i == 0 ? a : b, (uint32_t)y, table, channels[i]);
      for (size_t x = 0; x < width; x++)
        rows[i][x] = 0.299f * channels[i][0][x] + 0.587f * channels[i][1][x] + 0.114f * channels[i][2][x];
    }
    loops->squares(rows[0], rows[1], width, rows[2]);
    loops->multiply(rows[0], rows[1], width, rows[3]);
    if (y < 2 * r) continue;
    for (int i = 0; i < 4; i++) {
      const float *around[RING];
      gather(rings[i], stride, y - r, height, k.radius, around);
      loops->sum_columns(&k, around, width, sums[i]);
    }
    total += loops->similarity(&k, sums[0], sums[1], sums[2], sums[3], width);
  }
  return total / ((double)(width - 2 * r) * (double)(height - 2 * r));
}

double cpx_squared_error(const cpx_picture *a, const cpx_picture *b) {
  double sum = 0;
  for (uint32_t y = 0; y < a->height; y++) {
    const uint8_t *p = a->pixels + (size_t)y * a->bytes_per_row, *q = b->pixels + (size_t)y * b->bytes_per_row;
    uint64_t row = 0;
    for (uint32_t x = 0; x < a->width; x++, p += 4, q += 4) {
      for (int c = 0; c < 3; c++) {
        const int d = (a->background < 0 ? p[c] : composited(p[c], p[3], a->background))
            - (b->background < 0 ? q[c] : composited(q[c], q[3], b->background));
        row += (uint32_t)(d * d);
      }
    }
    sum += (double)row;
  }
  return sum;
}

void cpx_difference(const cpx_picture *a, const cpx_picture *b, int gain, uint8_t *out) {
  for (uint32_t y = 0; y < a->height; y++) {
    const uint8_t *p = a->pixels + (size_t)y * a->bytes_per_row, *q = b->pixels + (size_t)y * b->bytes_per_row;
    for (uint32_t x = 0; x < a->width; x++, p += 4, q += 4, out += 4) {
      for (int c = 0; c < 3; c++) {
        const int d = (a->background < 0 ? p[c] : composited(p[c], p[3], a->background))
            - (b->background < 0 ? q[c] : composited(q[c], q[3], b->background));
        const int grown = gain * (d < 0 ? -d : d);
        out[c] = (uint8_t)(grown > 255 ? 255 : grown);
      }
      out[3] = 255;
    }
  }
}
