#include "cjpeg_tables.h"

#include <math.h>

#include "cjpeg_shapes.h"

// Returns the scale of the tables.
static double scale_of(int quality, int trims) {
  const shape_knot *knots = trims ? trimmed_knots : rounded_knots;
  int i = 1;
  while (i < KNOTS - 1 && knots[i].quality < quality) i++;
  const shape_knot a = knots[i - 1], b = knots[i];
  const double share = (double)(quality - a.quality) / (b.quality - a.quality);
  return exp(a.log_scale + share * (b.log_scale - a.log_scale));
}

static void make_table(int component, double scale, unsigned table[DCTSIZE2]) {
  const shape *s = &shapes[component];
  const double flat = scale * s->flat, slope = pow(scale, s->slope_power), dc = pow(scale, dc_power) * s->dc;
  for (int i = 0; i < DCTSIZE2; i++) {
    const double step = i == 0 ? dc : flat + slope * s->slope[i];
    table[i] = step < 1 ? 1 : step > 255 ? 255 : (unsigned)(step + 0.5);
  }
}

void cjpeg_set_fitted_tables(j_compress_ptr jpeg, int quality, int trims) {
  const double scale = scale_of(quality, trims);
  for (int c = 0; c < jpeg->num_components && c < 3; c++) {
    unsigned table[DCTSIZE2];
    make_table(c, scale, table);
    jpeg_add_quant_table(jpeg, c, table, 100, TRUE);
    jpeg->comp_info[c].quant_tbl_no = c;
  }
}
