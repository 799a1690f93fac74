#include "craster.h"
#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double leg(double radius, double other) {
  return sqrt(larger(0, (radius - other) * (radius + other)));
}

/// Returns the area of the part of a box right of and below the origin that is closer to it than `radius`.
///
/// It only uses square roots, which are exact everywhere: the arc is integrated by Gauss's rule of five points, in a
/// variable whose square is the distance from the right end, where the arc may be vertical.
static double area_within(double radius, double x0, double x1, double y0, double y1) {
  if (x0 * x0 + y0 * y0 >= radius * radius) return 0;
  if (x1 * x1 + y1 * y1 <= radius * radius) return (x1 - x0) * (y1 - y0);
  static const double nodes[5] = {0.04691007703066802, 0.2307653449471584, 0.5, 0.7692346550528415,
                                  0.953089922969332};
  static const double weights[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                    0.23931433524968324, 0.11846344252809454};
  // Left of `a` the arc is above the box, right of `b` below it.
  const double a = smaller(x1, larger(x0, leg(radius, y1))), b = smaller(x1, larger(a, leg(radius, y0)));
  double sum = 0;
  for (int i = 0; i < 5; i++) {
    const double x = b - (b - a) * nodes[i] * nodes[i];
    sum += weights[i] * 2 * nodes[i] * larger(0, leg(radius, x) - y0);
  }
  return (a - x0) * (y1 - y0) + (b - a) * smaller(sum, y1 - y0);
}

/// Returns the part of the pixel at (x, y) that the shape covers, 0 to 1.
static double coverage(const cpx_rounded *shape, double x, double y) {
  const double x0 = larger(x, shape->left), x1 = smaller(x + 1, shape->right);
  const double y0 = larger(y, shape->top), y1 = smaller(y + 1, shape->bottom);
  if (x0 >= x1 || y0 >= y1) return 0;
  double area = (x1 - x0) * (y1 - y0);
  for (int corner = 0; corner < 4; corner++) {
    const double radius = shape->radii[corner];
    const int is_right = corner == 1 || corner == 2, is_low = corner >= 2;
    // Distances from the centre of the corner's circle, towards the corner.
    const double far_x = is_right ? x1 - (shape->right - radius) : shape->left + radius - x0;
    const double far_y = is_low ? y1 - (shape->bottom - radius) : shape->top + radius - y0;
    if (far_x <= 0 || far_y <= 0) continue;
    const double near_x = larger(0, far_x - (x1 - x0)), near_y = larger(0, far_y - (y1 - y0));
    area -= (far_x - near_x) * (far_y - near_y) - area_within(radius, near_x, far_x, near_y, far_y);
  }
  return smaller(1, larger(0, area));
}

/// Finds the columns of a row of pixels that lie completely within the shape.
static void whole_columns(const cpx_rounded *shape, size_t y, size_t width, size_t *from, size_t *to) {
  *from = *to = width;
  const double upper = (double)y, lower = upper + 1;
  if (upper < shape->top || lower > shape->bottom) return;
  double begin = shape->left, end = shape->right;
  for (int corner = 0; corner < 4; corner++) {
    const double radius = shape->radii[corner];
    const double far = corner >= 2 ? lower - (shape->bottom - radius) : shape->top + radius - upper;
    if (far <= 0) continue;
    const double gap = radius - leg(radius, far);
    if (corner == 1 || corner == 2) {
      end = smaller(end, shape->right - gap);
    } else {
      begin = larger(begin, shape->left + gap);
    }
  }
  begin = ceil(larger(0, begin));
  end = floor(smaller((double)width, end));
  if (begin >= end) return;
  *from = (size_t)begin;
  *to = (size_t)end;
}

static void mix(uint8_t *pixel, double outer, double inner, const uint8_t border[4]) {
  const double alpha = pixel[3] / 255.0, opacity = border[3] / 255.0;
  const double ring = larger(0, outer - inner) * opacity;
  // The border covers the picture, so the picture loses that coverage.
  const double kept = larger(0, outer - ring) * alpha, sum = kept + ring;
  const int result = (int)(sum * 255 + 0.5);
  if (result == 0) {
    memset(pixel, 0, 4);
    return;
  }
  for (int c = 0; c < 3; c++) {
    pixel[c] = (uint8_t)smaller(255, (pixel[c] * kept + border[c] * ring) / sum + 0.5);
  }
  pixel[3] = (uint8_t)result;
}

static void round_pixels(const cpx_rounding *r, size_t y, size_t from, size_t to) {
  for (size_t x = from; x < to; x++) {
    const double inner = coverage(&r->inner, (double)x, (double)y);
    if (inner == 1) continue;
    const double outer = coverage(&r->outer, (double)x, (double)y);
    mix(r->target + 4 * (y * r->width + x), outer, inner, r->border);
  }
}

void cpx_round_rows(const cpx_rounding *r, size_t first, size_t last) {
  for (size_t y = first; y < last; y++) {
    memcpy(r->target + 4 * y * r->width, r->source + 4 * y * r->width, 4 * r->width);
    size_t from, to;
    whole_columns(&r->inner, y, r->width, &from, &to);
    round_pixels(r, y, 0, from);
    round_pixels(r, y, to, r->width);
  }
}
