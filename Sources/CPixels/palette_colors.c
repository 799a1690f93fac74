#include "palette.h"
#include <math.h>
#include <stdlib.h>

// All levels round alike.
#pragma STDC FP_CONTRACT OFF

cpal_color cpal_weighted(uint32_t key) {
  uint8_t b[4];
  memcpy(b, &key, 4);
  const float alpha = (float)b[3] / 255.0f;
  cpal_color result;
  for (int i = 0; i < 3; i++) result.c[i] = (float)b[i] * alpha * CPAL_WEIGHTS[i];
  result.c[3] = (float)b[3] * CPAL_WEIGHTS[3];
  return result;
}

static void store(cpal_color mean, uint8_t *out) {
  const float a = mean.c[3] / CPAL_WEIGHTS[3];
  // A visible pixel does not vanish.
  const int alpha = (int)fminf(255, fmaxf(1, a + 0.5f));
  out[3] = (uint8_t)alpha;
  for (int i = 0; i < 3; i++)
    out[i] = (uint8_t)fminf(255, fmaxf(0, mean.c[i] / CPAL_WEIGHTS[i] * 255.0f / fmaxf(a, 1) + 0.5f));
}

typedef struct {
  cpal_color c;
  float weight;
} point;

typedef struct {
  size_t first, count;
  double weight, error;
  double mean[4];
  int axis;
} box;

static box make_box(const point *points, size_t first, size_t count) {
  box b = {.first = first, .count = count};
  double sums[4] = {0}, squares[4] = {0};
  for (size_t i = first; i < first + count; i++) {
    const double w = points[i].weight;
    b.weight += w;
    for (int k = 0; k < 4; k++) {
      sums[k] += w * points[i].c.c[k];
      squares[k] += w * points[i].c.c[k] * points[i].c.c[k];
    }
  }
  double worst = -1;
  for (int k = 0; k < 4; k++) {
    b.mean[k] = sums[k] / b.weight;
    const double error = squares[k] - sums[k] * b.mean[k];
    if (error > worst) {
      worst = error;
      b.axis = k;
    }
    b.error += error > 0 ? error : 0;
  }
  if (count == 1) b.error = 0;
  return b;
}

/// Moves the points below the cut that leaves the smallest error on both sides to the front, and returns their number. Cuts are
/// between steps of a part in 256 of the range, no more than a level of a channel.
static size_t cut(point *points, const box *b) {
  enum { STEPS = 256 };
  point *p = points + b->first;
  float low = p->c.c[b->axis], high = low;
  for (size_t i = 1; i < b->count; i++) {
    const float c = p[i].c.c[b->axis];
    low = c < low ? c : low;
    high = c > high ? c : high;
  }
  // An error of rounding alone.
  if (!(high > low)) return b->count / 2;
  const float scale = (STEPS - 0.5f) / (high - low);
  struct {
    double weight, sums[4];
    size_t count;
  } steps[STEPS] = {{0}};
  for (size_t i = 0; i < b->count; i++) {
    const int step = (int)((p[i].c.c[b->axis] - low) * scale);
    steps[step].count++;
    steps[step].weight += p[i].weight;
    for (int k = 0; k < 4; k++) steps[step].sums[k] += (double)p[i].weight * p[i].c.c[k];
  }
  double left[4] = {0}, weight = 0, best = -1;
  size_t before = 0;
  int last = 0;
  for (int step = 0; step + 1 < STEPS; step++) {
    before += steps[step].count;
    weight += steps[step].weight;
    for (int k = 0; k < 4; k++) left[k] += steps[step].sums[k];
    if (steps[step].count == 0 || before == b->count) continue;
    const double rest = b->weight - weight;
    double explained = 0;
    for (int k = 0; k < 4; k++) {
      const double right = b->mean[k] * b->weight - left[k];
      explained += left[k] * left[k] / weight + (rest > 0 ? right * right / rest : 0);
    }
    if (explained > best) {
      best = explained;
      last = step;
    }
  }
  size_t place = 0;
  for (size_t i = 0; i < b->count; i++) {
    if ((int)((p[i].c.c[b->axis] - low) * scale) > last) continue;
    const point moved = p[i];
    p[i] = p[place];
    p[place++] = moved;
  }
  return place;
}

static inline __attribute__((always_inline)) int nearest_in(const cpal_planes *p, cpal_color wanted, float *distance) {
  float d[CPAL_MOST];
  const int padded = (p->count + 15) & ~15;
  for (int i = 0; i < padded; i++) {
    const float x = p->c[0][i] - wanted.c[0], y = p->c[1][i] - wanted.c[1], z = p->c[2][i] - wanted.c[2],
                w = p->c[3][i] - wanted.c[3];
    d[i] = x * x + y * y + z * z + w * w;
  }
  float lanes[16];
  for (int k = 0; k < 16; k++) lanes[k] = d[k];
  for (int i = 16; i < padded; i += 16)
    for (int k = 0; k < 16; k++) lanes[k] = d[i + k] < lanes[k] ? d[i + k] : lanes[k];
  float least = lanes[0];
  for (int k = 1; k < 16; k++) least = lanes[k] < least ? lanes[k] : least;
  *distance = least;
  int at = 0;
  while (d[at] != least) at++;
  return at;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static int nearest_avx2(const cpal_planes *p, cpal_color wanted, float *distance) {
  return nearest_in(p, wanted, distance);
}
#endif

int cpal_nearest(const cpal_planes *p, cpal_color wanted, float *distance) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return nearest_avx2(p, wanted, distance);
#endif
  return nearest_in(p, wanted, distance);
}

static inline float larger(float a, float b) { return a > b ? a : b; }

static inline __attribute__((always_inline)) int candidates_in(const cpal_planes *p, cpal_color low, cpal_color high,
                                                               uint8_t *indices) {
  // Squared distances from the nearest and from the farthest place of the box. Rounding keeps their order.
  float near[CPAL_MOST] = {0}, far[CPAL_MOST] = {0}, bound = 1e30f;
  const int padded = (p->count + 15) & ~15;
  for (int k = 0; k < 4; k++) {
    const float l = low.c[k], h = high.c[k];
    for (int i = 0; i < padded; i++) {
      const float c = p->c[k][i], gap = larger(larger(l - c, c - h), 0), reach = larger(c - l, h - c);
      near[i] += gap * gap;
      far[i] += reach * reach;
    }
  }
  for (int i = 0; i < p->count; i++) bound = far[i] < bound ? far[i] : bound;
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    indices[count] = (uint8_t)i;
    count += near[i] <= bound;
  }
  return count;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static int candidates_avx2(const cpal_planes *p, cpal_color low, cpal_color high,
                                                           uint8_t *indices) {
  return candidates_in(p, low, high, indices);
}
#endif

int cpal_candidates(const cpal_planes *p, cpal_color low, cpal_color high, uint8_t *indices) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return candidates_avx2(p, low, high, indices);
#endif
  return candidates_in(p, low, high, indices);
}

void cpal_pad(cpal_planes *p) {
  for (int i = p->count; i < CPAL_MOST; i++)
    for (int k = 0; k < 4; k++) p->c[k][i] = 1e9f;
}

/// Returns the smallest and the largest coordinates of points.
static void bounds(const point *points, size_t count, cpal_color *low, cpal_color *high) {
  *low = *high = points[0].c;
  for (size_t i = 1; i < count; i++)
    for (int k = 0; k < 4; k++) {
      const float c = points[i].c.c[k];
      if (c < low->c[k]) low->c[k] = c;
      if (c > high->c[k]) high->c[k] = c;
    }
}

/// The colours among which those nearest to the points of a box are.
typedef struct {
  cpal_planes planes;
  uint8_t indices[CPAL_MOST];
} choice;

static void choose(choice *among, const cpal_planes *p, const point *points, size_t count) {
  cpal_color low, high;
  bounds(points, count, &low, &high);
  among->planes.count = cpal_candidates(p, low, high, among->indices);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < among->planes.count; i++) among->planes.c[k][i] = p->c[k][among->indices[i]];
    for (int i = among->planes.count; i % 16 != 0; i++) among->planes.c[k][i] = 1e9f;
  }
}

/// Moves each colour to the mean of the points that are nearest to it. Each box has neighbouring points.
static void refine(cpal_planes *p, const point *points, const box *boxes, int box_count, int rounds) {
  for (int round = 0; round < rounds; round++) {
    double sums[CPAL_MOST][4] = {{0}}, weights[CPAL_MOST] = {0};
    float worst = -1;
    size_t worst_at = 0;
    for (int b = 0; b < box_count; b++) {
      const size_t end = boxes[b].first + boxes[b].count;
      choice among;
      choose(&among, p, points + boxes[b].first, boxes[b].count);
      for (size_t i = boxes[b].first; i < end; i++) {
        float distance;
        const int at = among.indices[cpal_nearest(&among.planes, points[i].c, &distance)];
        const float w = points[i].weight;
        weights[at] += w;
        for (int k = 0; k < 4; k++) sums[at][k] += (double)w * points[i].c.c[k];
        if (distance * w > worst) {
          worst = distance * w;
          worst_at = i;
        }
      }
    }
    for (int at = 0; at < p->count; at++) {
      for (int k = 0; k < 4; k++)
        // A colour of no points takes the place of the worst one.
        p->c[k][at] = weights[at] > 0 ? (float)(sums[at][k] / weights[at]) : points[worst_at].c.c[k];
    }
  }
}

enum { SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS, ENOUGH_POINTS = 6144 };

/// Replaces the points of all entries by the means of those that share `bits` bits of each channel, and returns their number.
/// `slots` has room for twice SLOTS, which are more than there are entries.
static size_t merge(const cpal_histogram *h, int bits, point *points, uint32_t *slots) {
  uint32_t *keys = slots + SLOTS;
  memset(slots, 0, SLOTS * sizeof *slots);
  const uint32_t kept = (0xffu << (8 - bits) & 0xff) * 0x01010101u;
  // What is opaque stays opaque.
  const uint8_t bytes[4] = {0, 0, 0, 255};
  const uint32_t opaque = cpal_load(bytes);
  size_t count = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    const cpal_entry entry = h->entries[i];
    const uint32_t key = (entry.key & opaque) == opaque ? (entry.key & kept) | opaque : entry.key & kept;
    const cpal_color color = cpal_weighted(entry.key);
    uint32_t slot = key * 2654435769u >> (32 - SLOT_BITS);
    while (slots[slot] && keys[slot] != key) slot = (slot + 1) & (SLOTS - 1);
    if (!slots[slot]) {
      points[count] = (point){color, entry.weight};
      keys[slot] = key;
      slots[slot] = (uint32_t)++count;
      continue;
    }
    point *cell = &points[slots[slot] - 1];
    cell->weight += entry.weight;
    for (int k = 0; k < 4; k++) cell->c.c[k] += (color.c[k] - cell->c.c[k]) * (entry.weight / cell->weight);
  }
  return count;
}

/// Writes the points of a histogram, and returns their number; 0 without memory. Those of many colours are as coarse as leaves
/// enough of them: cuts and means do not tell similar colours apart.
static size_t make_points(const cpal_histogram *h, point *points) {
  if (h->count > ENOUGH_POINTS) {
    uint32_t *slots = malloc(SLOTS * 2 * sizeof *slots);
    if (!slots) return 0;
    size_t count = 0;
    for (int bits = 6; bits < 8 && count < ENOUGH_POINTS; bits++) count = merge(h, bits, points, slots);
    free(slots);
    if (count >= ENOUGH_POINTS) return count;
  }
  for (uint32_t i = 0; i < h->count; i++)
    points[i] = (point){cpal_weighted(h->entries[i].key), h->entries[i].weight};
  return h->count;
}

int cpal_colors(const cpal_histogram *h, int most, int rounds, uint8_t *colors) {
  if (h->count == 0) return 0;
  point *points = malloc(h->count * sizeof *points);
  if (!points) return -1;
  const size_t total = make_points(h, points);
  if (total == 0) {
    free(points);
    return -1;
  }
  box boxes[CPAL_MOST];
  int count = 1;
  boxes[0] = make_box(points, 0, total);
  while (count < most) {
    int worst = 0;
    for (int i = 1; i < count; i++)
      if (boxes[i].error > boxes[worst].error) worst = i;
    if (boxes[worst].error <= 0) break;
    const box whole = boxes[worst];
    const size_t left = cut(points, &whole);
    boxes[worst] = make_box(points, whole.first, left);
    boxes[count++] = make_box(points, whole.first + left, whole.count - left);
  }
  cpal_planes p = {.count = count};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 4; k++) p.c[k][i] = (float)boxes[i].mean[k];
  cpal_pad(&p);
  refine(&p, points, boxes, count, rounds);
  free(points);
  for (int i = 0; i < count; i++) {
    const cpal_color mean = {{p.c[0][i], p.c[1][i], p.c[2][i], p.c[3][i]}};
    store(mean, colors + 4 * i);
  }
  return count;
}
