#include "cjpeg_scans.h"

#include <math.h>
#include <string.h>

#include "cjpeg_trellis.h"

enum {
  // Candidates: no split, and behind each of these coefficients.
  SPLITS = 6,
  LAST = 63,
  LONGEST_RUN = 0x7FFF,
  ZEROS_16 = 0xF0,
  // About so many blocks of a component are looked at.
  SAMPLE = 6000,
  // Bits of the segments of a scan: its own header, and a table without its symbols.
  SEGMENTS = 8 * (10 + 21),
};

static const int split_ends[SPLITS] = {LAST, 2, 5, 8, 14, 22};

// The codes of a scan.
typedef struct {
  uint32_t counts[CJPEG_SYMBOLS];
  uint64_t plain_bits;  // behind symbols
  uint32_t end_run;     // blocks that have ended without a symbol yet
} scan;

// The coefficients of a block that are not zero, in the order of scans.
typedef struct {
  int count;
  uint8_t places[64];
  uint16_t magnitudes[64];
} nonzeros;

static inline int bit_size(unsigned value) { return value ? 32 - __builtin_clz(value) : 0; }

static void end_run(scan *s) {
  if (s->end_run == 0) return;
  const int size = bit_size(s->end_run) - 1;
  s->counts[size << 4]++;
  s->plain_bits += (uint64_t)size;
  s->end_run = 0;
}

static void end_block(scan *s) {
  if (++s->end_run == LONGEST_RUN) end_run(s);
}

// Counts a block in the scan of a baseline file.
static void count_baseline(scan *s, const nonzeros *b) {
  int before = 0;
  for (int i = 0; i < b->count; i++) {
    const int k = b->places[i], size = bit_size(b->magnitudes[i]);
    int run = k - before - 1;
    for (; run > 15; run -= 16) s->counts[ZEROS_16]++;
    s->counts[run << 4 | size]++;
    s->plain_bits += (uint64_t)size;
    before = k;
  }
  if (before < LAST) s->counts[0]++;
}

// Counts a block in a scan from `first` to `last`, without the `shift` lowest bits.
static void count_first(scan *s, const nonzeros *b, int first, int last, int shift) {
  int before = first - 1, any = 0;
  for (int i = 0; i < b->count; i++) {
    const int k = b->places[i];
    if (k < first) continue;
    if (k > last) break;
    const unsigned value = (unsigned)b->magnitudes[i] >> shift;
    if (value == 0) continue;
    if (!any) end_run(s);
    any = 1;
    int run = k - before - 1;
    for (; run > 15; run -= 16) s->counts[ZEROS_16]++;
    const int size = bit_size(value);
    s->counts[run << 4 | size]++;
    s->plain_bits += (uint64_t)size;
    before = k;
  }
  if (before < last) end_block(s);
}

// Counts a block in a scan of the lowest bits.
static void count_refinement(scan *s, const nonzeros *b) {
  int last = 0;  // the last coefficient that is new
  for (int i = 0; i < b->count; i++) {
    if (b->magnitudes[i] == 1) last = b->places[i];
  }
  int before = 0, known = 0;  // known: coefficients within the run that are not zero already
  for (int i = 0; i < b->count; i++) {
    const int k = b->places[i];
    if (b->magnitudes[i] > 1) {
      s->plain_bits++;
      known++;
      continue;
    }
    if (k > last) continue;
    end_run(s);
    int run = k - before - 1 - known;
    for (; run > 15; run -= 16) s->counts[ZEROS_16]++;
    s->counts[run << 4 | 1]++;
    s->plain_bits++;
    before = k;
    known = 0;
  }
  if (last < LAST) end_block(s);
}

// Returns the bits of a scan whose blocks are a sample.
static double bits_of(scan *s, double scale) {
  end_run(s);
  double total = 0, bits = 0;
  int used = 0;
  for (int i = 0; i < CJPEG_SYMBOLS; i++) total += s->counts[i];
  for (int i = 0; i < CJPEG_SYMBOLS; i++) {
    if (s->counts[i] == 0) continue;
    used++;
    const double size = log2(total / s->counts[i]);
    bits += s->counts[i] * (size < 1 ? 1 : size);
  }
  return (bits + (double)s->plain_bits) * scale + SEGMENTS + 8.0 * used;
}

static void collect(const JCOEF *block, nonzeros *b) {
  b->count = 0;
  for (int k = 1; k <= LAST; k++) {
    const int value = block[cjpeg_zigzag[k]];
    if (value == 0) continue;
    b->places[b->count] = (uint8_t)k;
    b->magnitudes[b->count++] = (uint16_t)(value < 0 ? -value : value);
  }
}

typedef struct {
  int split, refines;
  double bits;
  scan baseline;  // for the whole component, not its sample
} choice;

// All candidates of a component.
typedef struct {
  scan parts[2][SPLITS][2];
  scan refinement, baseline;
} candidates;

static choice choose(const cjpeg_grid *grid, int component, cjpeg_row_of row, void *context) {
  // About 80 KB.
  candidates c;
  memset(&c, 0, sizeof c);
  const size_t blocks = grid->columns * grid->rows, step = blocks > SAMPLE ? blocks / SAMPLE : 1;
  size_t sampled = 0;
  for (size_t y = 0; y < grid->rows; y += step) {
    const JBLOCK *line = row(context, component, y);
    sampled += grid->columns;
    for (size_t x = 0; x < grid->columns; x++) {
      nonzeros b;
      collect(line[x], &b);
      for (int shift = 0; shift < 2; shift++) {
        for (int i = 0; i < SPLITS; i++) {
          count_first(&c.parts[shift][i][0], &b, 1, split_ends[i], shift);
          if (split_ends[i] < LAST) count_first(&c.parts[shift][i][1], &b, split_ends[i] + 1, LAST, shift);
        }
      }
      count_refinement(&c.refinement, &b);
      count_baseline(&c.baseline, &b);
    }
  }
  const double scale = (double)blocks / (double)sampled, refining = bits_of(&c.refinement, scale);
  choice best = {.bits = INFINITY, .baseline = c.baseline};
  for (int i = 0; i < CJPEG_SYMBOLS; i++) best.baseline.counts[i] = (uint32_t)((double)c.baseline.counts[i] * scale + 0.5);
  best.baseline.plain_bits = (uint64_t)((double)c.baseline.plain_bits * scale);
  for (int shift = 0; shift < 2; shift++) {
    for (int i = 0; i < SPLITS; i++) {
      double bits = bits_of(&c.parts[shift][i][0], scale) + (shift ? refining : 0);
      if (split_ends[i] < LAST) bits += bits_of(&c.parts[shift][i][1], scale);
      if (bits < best.bits) best.bits = bits, best.split = i, best.refines = shift;
    }
  }
  return best;
}

static int add(jpeg_scan_info *scans, int count, int component, int first, int last, int high, int low) {
  scans[count] = (jpeg_scan_info){
    .comps_in_scan = 1, .component_index = {component}, .Ss = first, .Se = last, .Ah = high, .Al = low};
  return count + 1;
}

int cjpeg_choose_scans(
  const cjpeg_grid *grids, int components, cjpeg_row_of row, void *context, jpeg_scan_info *scans) {
  int count = 0, blocks = 0;
  for (int c = 0; c < components; c++) blocks += grids[c].horizontal * grids[c].vertical;
  if (components <= MAX_COMPS_IN_SCAN && blocks <= D_MAX_BLOCKS_IN_MCU) {
    scans[count] = (jpeg_scan_info){.comps_in_scan = components};
    for (int c = 0; c < components; c++) scans[count].component_index[c] = c;
    count++;
  } else {
    for (int c = 0; c < components; c++) count = add(scans, count, c, 0, 0, 0, 0);
  }
  choice choices[MAX_COMPONENTS];
  scan chroma;
  memset(&chroma, 0, sizeof chroma);
  // The one scan of a baseline file has the DC of the first of these scans, and a table for luma and another for chroma.
  double progressive = SEGMENTS * (double)count, baseline = SEGMENTS;
  for (int c = 0; c < components; c++) {
    choices[c] = choose(&grids[c], c, row, context);
    progressive += choices[c].bits;
    if (c == 0) {
      baseline += bits_of(&choices[c].baseline, 1);
      continue;
    }
    for (int i = 0; i < CJPEG_SYMBOLS; i++) chroma.counts[i] += choices[c].baseline.counts[i];
    chroma.plain_bits += choices[c].baseline.plain_bits;
  }
  if (components > 1) baseline += bits_of(&chroma, 1);
  if (baseline < progressive) return 0;
  // The coarse parts of all components come first.
  for (int c = 0; c < components; c++)
    count = add(scans, count, c, 1, split_ends[choices[c].split], 0, choices[c].refines);
  for (int c = 0; c < components; c++) {
    const int end = split_ends[choices[c].split];
    if (end < LAST) count = add(scans, count, c, end + 1, LAST, 0, choices[c].refines);
  }
  for (int c = 0; c < components; c++) {
    if (choices[c].refines) count = add(scans, count, c, 1, LAST, 1, 0);
  }
  return count;
}
