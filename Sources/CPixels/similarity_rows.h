// Loops over rows for `similarity.c`, which includes this file once for each instruction set. Sixteen lanes everywhere, and no
// contraction, so that all produce the same numbers. Rows are aligned, have `margin` zeros on both sides and are padded with
// zeros to whole vectors.

LOOP vector ROWS(load)(const float *p) {
  vector v;
  memcpy(&v, p, sizeof v);
  return v;
}

LOOP void ROWS(store)(float *p, vector v) { memcpy(p, &v, sizeof v); }

LOOP vector ROWS(magnitude)(vector v) { return (vector)((lanes)v & 0x7FFFFFFF); }

/// Returns the positive part.
LOOP vector ROWS(positive)(vector v) { return (vector)((lanes)v & (v > 0.0f)); }

/// The cube root of positive numbers: a guess from the exponent, then twice Halley's iteration.
LOOP vector ROWS(cube_root)(vector x) {
  const vector third = __builtin_convertvector((lanes)x, vector) * (1.0f / 3.0f) + 709921077.0f;
  vector y = (vector)__builtin_convertvector(third, lanes);
  for (int i = 0; i < 2; i++) {
    const vector cube = y * y * y;
    y = y * (cube + x + x) / (cube + cube + x);
  }
  return y;
}

/// Converts linear light to the channels of XYB that are not NULL, each made positive.
ROW_LOOP void ROWS(convert)(const float *const light[3], size_t width, float *const xyb[3]) {
  const float bias = 0.0037930732552754493f, root = 0.15595420054f;
  for (size_t i = 0; i < width; i += LANES) {
    const vector r = ROWS(load)(light[0] + i), g = ROWS(load)(light[1] + i), b = ROWS(load)(light[2] + i);
    const vector l = ROWS(cube_root)(0.3f * r + 0.622f * g + 0.078f * b + bias) - root;
    const vector m = ROWS(cube_root)(0.23f * r + 0.692f * g + 0.078f * b + bias) - root;
    const vector y = 0.5f * (l + m);
    if (xyb[0]) ROWS(store)(xyb[0] + i, 7.0f * (l - m) + 0.42f);
    if (xyb[1]) ROWS(store)(xyb[1] + i, y + 0.01f);
    if (xyb[2]) {
      const vector s =
          ROWS(cube_root)(0.24342268924547819f * r + 0.20476744424496821f * g + 0.5518098665095536f * b + bias) - root;
      ROWS(store)(xyb[2] + i, s - y + 0.55f);
    }
  }
  for (int c = 0; c < 3; c++) {
    if (xyb[c]) memset(xyb[c] + width, 0, (padded(width) - width) * sizeof(float));
  }
}

/// Halves rows of linear light: the mean of two by two samples. `below` is `above` for a last row without a partner.
ROW_LOOP void ROWS(halve)(const float *above, const float *below, size_t width, float *out) {
  const size_t half = width / 2;
  for (size_t i = 0; i < half; i++)
    out[i] = 0.25f * (above[2 * i] + above[2 * i + 1] + below[2 * i] + below[2 * i + 1]);
  if (width & 1) out[half] = 0.5f * (above[width - 1] + below[width - 1]);
}

ROW_LOOP void ROWS(multiply)(const float *a, const float *b, size_t width, float *out) {
  for (size_t i = 0; i < width; i += LANES) ROWS(store)(out + i, ROWS(load)(a + i) * ROWS(load)(b + i));
}

/// The sum of the squares of two rows.
ROW_LOOP void ROWS(squares)(const float *a, const float *b, size_t width, float *out) {
  for (size_t i = 0; i < width; i += LANES) {
    const vector p = ROWS(load)(a + i), q = ROWS(load)(b + i);
    ROWS(store)(out + i, p * p + q * q);
  }
}

/// A weighted sum of a row and those above and below it. Rows outside the picture are NULL, and count as zeros.
ROW_LOOP void ROWS(sum_columns)(const kernel *k, const float *const *rows, size_t width, float *out) {
  const int r = k->radius;
  const float *centre = rows[r];
  for (size_t i = 0; i < width; i += LANES) {
    vector sum = k->weights[0] * ROWS(load)(centre + i);
    for (int d = 1; d <= r; d++) {
      const float *above = rows[r - d], *below = rows[r + d];
      if (above && below) sum += k->weights[d] * (ROWS(load)(above + i) + ROWS(load)(below + i));
      else if (above || below) sum += k->weights[d] * ROWS(load)((above ? above : below) + i);
    }
    ROWS(store)(out + i, sum);
  }
}

/// The same for the neighbours in a row with margins.
LOOP vector ROWS(sum_row)(const kernel *k, const float *at) {
  vector sum = k->weights[0] * ROWS(load)(at);
  for (int d = 1; d <= k->radius; d++) sum += k->weights[d] * (ROWS(load)(at - d) + ROWS(load)(at + d));
  return sum;
}

ROW_LOOP void ROWS(blur_row)(const kernel *k, const float *row, size_t width, float *out) {
  for (size_t i = 0; i < width; i += LANES) ROWS(store)(out + i, ROWS(sum_row)(k, row + i));
  memset(out + width, 0, (padded(width) - width) * sizeof(float));
}

LOOP float ROWS(total)(vector v) {
  float sum = 0;
  for (int i = 0; i < LANES; i++) sum += v[i];
  return sum;
}

/// Adds the errors of a row: their sum and the sum of their fourth powers, of structure, of new edges and of lost ones.
///
/// `mean`, `squares` and `product` are summed over columns, but not yet over rows.
ROW_LOOP void ROWS(compare)(
    const kernel *k, const float *a, const float *mean_a, const float *b, const float *mean, const float *squares,
    const float *product, size_t width, double sums[6]) {
  vector total[6] = {{0}};
  for (size_t i = 0; i < width; i += LANES) {
    const vector ma = ROWS(load)(mean_a + i), mb = ROWS(sum_row)(k, mean + i), s = ROWS(sum_row)(k, squares + i);
    const vector ab = ROWS(sum_row)(k, product + i), apart = ma - mb;
    // In this order both are the same for equal pictures, to the last bit.
    const vector covariance = 2.0f * (ab - ma * mb) + 0.0009f, variances = s - (ma * ma + mb * mb) + 0.0009f;
    const vector structure = ROWS(positive)(1.0f - (1.0f - apart * apart) * covariance / variances);
    const vector edge_a = 1.0f + ROWS(magnitude)(ROWS(load)(a + i) - ma);
    const vector edge_b = 1.0f + ROWS(magnitude)(ROWS(load)(b + i) - mb), edge = edge_b / edge_a - 1.0f;
    vector errors[3] = {structure, ROWS(positive)(edge), ROWS(positive)(-edge)};
    if (width - i < LANES) {
      lanes inside;
      for (int lane = 0; lane < LANES; lane++) inside[lane] = i + (size_t)lane < width ? -1 : 0;
      for (int e = 0; e < 3; e++) errors[e] = (vector)((lanes)errors[e] & inside);
    }
    for (int e = 0; e < 3; e++) {
      const vector square = errors[e] * errors[e];
      total[2 * e] += errors[e];
      total[2 * e + 1] += square * square;
    }
  }
  for (int e = 0; e < 6; e++) sums[e] += (double)ROWS(total)(total[e]);
}

/// Returns the sum of SSIM of the inner part of a row; arguments as above, of luma.
ROW_LOOP double ROWS(similarity)(
    const kernel *k, const float *mean_a, const float *mean_b, const float *squares, const float *product, size_t width) {
  const float c1 = 6.5025f, c2 = 58.5225f;
  double sum = 0;
  for (size_t i = (size_t)k->radius, last = width - (size_t)k->radius; i < last; i += LANES) {
    const vector a = ROWS(sum_row)(k, mean_a + i), b = ROWS(sum_row)(k, mean_b + i), s = ROWS(sum_row)(k, squares + i);
    const vector ab = ROWS(sum_row)(k, product + i), both = a * a + b * b, twice = 2.0f * a * b;
    vector value = (twice + c1) * (2.0f * ab - twice + c2) / ((both + c1) * (s - both + c2));
    if (last - i < LANES) {
      lanes inside;
      for (int lane = 0; lane < LANES; lane++) inside[lane] = i + (size_t)lane < last ? -1 : 0;
      value = (vector)((lanes)value & inside);
    }
    sum += (double)ROWS(total)(value);
  }
  return sum;
}

static const row_loops ROWS(loops) = {
    ROWS(convert), ROWS(halve), ROWS(multiply), ROWS(squares), ROWS(sum_columns), ROWS(blur_row), ROWS(compare),
    ROWS(similarity)};
