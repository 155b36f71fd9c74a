/* geometry/pressure_sweep.c: adaptive quadrature of a surface in polar coordinates.
 *
 * int f dA = int dtheta int ds f(theta, s) J(theta, s). Along s the integrand is smooth between the
 * places where the piece changes (pressure_runs.c). Each stretch gets a Gauss rule. The result as a
 * function of theta
 * is smooth but for corners; panels of theta get a Gauss rule each, and a panel is halved until its
 * halves agree with it: |I - I_left - I_right| <= share tolerance |total|, where I counts area,
 * force and moment. A rule and its halves use different rules along s, so that the difference shows
 * both errors. A corner between the last node of a panel and its end is seen by neither: so the
 * polynomials through the nodes are compared where panels meet, with each other or with a ray (of
 * which quick sweeps only state the difference: a ray between two panels often lies where pieces
 * meet, and round-off would tell whether to halve). The
 * differences of the panels that are kept are summed up as the stated error.
 * Of a chart that is a small part of a surface the first panels are compared with a lower rule,
 * which serves where it is good enough for the whole.
 * All nodes have positive weights and lie on the surface: they are the points of the contact.
 * Cost: nodes, plus `looks` and 12 to 30 halvings for each change of piece along each ray. */
#include "geometry/pressure_sweep.h"

#include <math.h>

#include "base/grow.h"
#include "geometry/pressure_runs.h"
#include "math/vec3.h"

enum { most_order = 8, most_theta = 5, parts = 8, most_kept = 48 };
// runs whose numbers stand in the low byte of a feature; beyond, they go to its bits from 56 on
enum { runs_of_byte = 32, far_runs_bit = 56 };
// halvings of a panel and panels in all, for tolerances above (deeper where rays miss nothing of
// what is thin) and below 1e-4
enum {
  deepest_quick = 5,
  deepest_thin = 8,
  deepest = 26,
  panels_quick = 200,
  panels_thin = 1000,
  most_panels = 20000
};
enum { halvings_of_extent = 6, low_order = 2 };
static const double panel_share = 0.25;  // of the tolerance that one panel may use
static const double slender = 3.0;       // length over width of a surface whose angles are warped
static const double most_slender = 1e5;
// [-]  of the longest ray: a ray along an axis of the chart that is taken for the long direction,
// since the corners of a rectangle are farther away than its middle
static const double aligned = 0.9;
// search of the long direction: the first turn [rad], and the last as a share of the slenderness
static const double first_turn = 0.3, turn_share = 0.3;

// Gauss-Legendre rules of 2 to 8 points on (0, 1), symmetric: nodes of the lower half, weights.
static const double gauss_node[most_order + 1][4] = {
    {0},
    {0.5},
    {0.21132486540518711775},
    {0.11270166537925831148, 0.5},
    {0.069431844202973712388, 0.33000947820757186760},
    {0.046910077030668003601, 0.23076534494715845448, 0.5},
    {0.033765242898423986094, 0.16939530676686774317, 0.38069040695840154568},
    {0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5},
    {0.019855071751231884158, 0.10166676129318663020, 0.23723379504183550709,
     0.40828267875217509753}};
static const double gauss_weight[most_order + 1][4] = {
    {0},
    {1.0},
    {0.5},
    {0.27777777777777777778, 0.44444444444444444444},
    {0.17392742256872692869, 0.32607257743127307131},
    {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444},
    {0.085662246189585172520, 0.18038078652406930378, 0.23395696728634552369},
    {0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248,
     0.20897959183673469388},
    {0.050614268145188129576, 0.11119051722668723527, 0.15685332293894364367,
     0.18134189168918099148}};

static int lower_half(int order, int k) { return 2 * k < order ? k : (order - 1 - k) & 3; }
static double node_of(int order, int k) {
  const double x = gauss_node[order][lower_half(order, k)];
  return 2 * k < order ? x : 1.0 - x;
}
static double weight_of(int order, int k) { return gauss_weight[order][lower_half(order, k)]; }

typedef struct panel {
  double low, high;                      // [rad]
  double value[parts];                   // area, int p, force, moment
  double node[most_theta][parts];        // (order_theta)  the same of each ray
  limpet_pressure_ray rays[most_theta];  // (order_theta)  once evaluated
  uint64_t code;                         // 1 + number of the first panel, doubled with each halving
  int kept_count;                        // samples so far, of which the first most_kept are kept
  limpet_pressure_sample kept[most_kept];
} panel;

typedef struct sweep {
  limpet_pressure_surface *surface;
  const limpet_pressure_chart *chart;
  int order_s, order_theta, halvings, panels, most_panels, deepest;
  bool quick, looks_at_ends;
  double axis, ratio;  // [rad], [-]  long direction and slenderness; 1: not warped
  double scale[2];     // [m^2], [N]  size of the whole result
  double error;        // [-]
  double unscaled[2];  // of area and pressure, where the first panels see none of them
  int end_order;       // of the last ray at the end of a panel; 0: there is none
  double end_phi, end[parts];
  double first[LIMPET_PRESSURE_CORNERS][parts];  // integrals of the panels at the start
} sweep;

// --------------------------------------------------------------------------- slender surfaces

/* A surface of length l and width b is a needle in theta. With tan(theta - axis) = tan(phi) b/l all
 * sides of it have their share of phi, the angle that panels are made of. */
static double theta_of(const sweep *w, double phi, double *rate) {
  *rate = 1.0;
  if (w->ratio <= 1.0) return phi;
  const double c = cos(phi), s = sin(phi) / w->ratio;
  *rate = 1.0 / (w->ratio * (c * c + s * s));
  return w->axis + atan2(s, c);
}

static double phi_of(const sweep *w, double theta) {
  if (w->ratio <= 1.0) return theta;
  const double from = theta - w->axis, phi = atan2(w->ratio * sin(from), cos(from));
  return phi + 2.0 * LIMPET_PI * round((from - phi) / (2.0 * LIMPET_PI));
}

static void ray_start(const sweep *w, limpet_pressure_ray *r) {
  r->chart = w->chart, r->halvings = w->halvings;
  r->outside = w->surface->workspace->least_pressure < 0.0;
}

// How far the surface reaches along a ray, as far as it is pressed; else as far as it goes.
static double extent_of(const limpet_pressure_ray *r) {
  return r->pressed > 0.0 ? r->pressed : r->count ? r->runs[r->count - 1].high : 0.0;
}

static double extent(const sweep *w, double theta) {
  limpet_pressure_ray r = {.theta = theta};
  ray_start(w, &r);
  r.halvings = halvings_of_extent;
  limpet_pressure_find_runs(&r);
  return extent_of(&r);
}

/* Seeks the longest direction from `theta` on by smaller and smaller turns, unless it is an axis of
 * the chart; a surface that is not slender stays as it is. least: the shortest extent known. */
static void find_axis(sweep *w, double theta, double least) {
  const double quarter = 0.5 * LIMPET_PI * round(theta / (0.5 * LIMPET_PI));
  double longest = extent(w, theta);
  const double at_quarter = extent(w, quarter);
  const bool along = at_quarter >= aligned * longest;
  if (along) theta = quarter, longest = at_quarter;
  for (double turn = first_turn;
       !along && turn * longest > turn_share * least && turn > 1.0 / most_slender;) {
    const double left = extent(w, theta + turn), right = extent(w, theta - turn);
    if (left <= longest && right <= longest) {
      turn *= 0.5;
      continue;
    }
    theta += left > right ? turn : -turn, longest = fmax(left, right);
  }
  // how far it reaches across
  static const double aside[3] = {0.3, 0.8, 0.5 * LIMPET_PI};
  double wide = 0.0;
  for (int k = 0; k < 3; ++k)
    wide =
        fmax(wide, sin(aside[k]) * fmax(extent(w, theta + aside[k]), extent(w, theta - aside[k])));
  if (!(longest > slender * wide)) return;
  w->axis = theta, w->ratio = fmin(longest / fmax(wide, 1e-300), most_slender);
}

// --------------------------------------------------------------------------- a panel

static void sum_up(const sweep *w, double value[parts], const limpet_pressure_sample *sample,
                   double area) {
  if (sample->pressure < 0.0) return;
  const double pressed = area * sample->pressure;
  double x[3], turn[3];
  limpet_vec3_sub(x, sample->x, w->surface->workspace->origin);
  limpet_vec3_cross(turn, x, sample->normal);
  value[0] += area, value[1] += pressed;
  limpet_vec3_addmul(value + 2, value + 2, pressed, sample->normal);
  limpet_vec3_addmul(value + 5, value + 5, pressed / w->chart->length, turn);
}

static limpet_pressure_point point_of(const limpet_pressure_sample *sample, double area,
                                      uint64_t feature) {
  limpet_pressure_point point = {.area = area,
                                 .pressure = sample->pressure,
                                 .gradient_a = sample->gradient_a,
                                 .gradient_b = sample->gradient_b,
                                 .feature = feature,
                                 .element_a = -1,
                                 .element_b = -1};
  limpet_vec3_copy(point.position, sample->x), limpet_vec3_copy(point.normal, sample->normal);
  return point;
}

// The cell of a node in (phi, s), as far as the chart reaches its corners.
static void outline(const sweep *w, int point, const double phi[2], const double s[2]) {
  double corners[12], pressures[4];
  int count = 0;
  for (int k = 0; k < 4; ++k) {
    limpet_pressure_sample corner;
    double rate;
    const double at = theta_of(w, phi[k == 1 || k == 2], &rate);
    if (w->chart->evaluate(w->chart, at, s[k >= 2], &corner) < 0) continue;
    limpet_vec3_copy(corners + 3 * count, corner.x);
    pressures[count++] = corner.pressure;
  }
  if (count >= 3) limpet_pressure_add_outline(w->surface, point, corners, pressures, count);
}

// What stands before node k in a rule: the sum of the weights.
static double weight_before(int order, int k) {
  double sum = 0.0;
  for (int i = 0; i < k; ++i) sum += weight_of(order, i);
  return sum;
}

/* The next sample of a panel: that kept from its first evaluation (again), or a new one, which is
 * kept. panel: NULL: none is kept. False: not part of the surface. */
static bool sample_at(const limpet_pressure_ray *r, double s, panel *p, bool again,
                      limpet_pressure_sample *sample) {
  const bool room = p && p->kept_count < most_kept;
  limpet_pressure_sample *kept = room ? &p->kept[p->kept_count] : NULL;
  if (p) ++p->kept_count;
  if (again && room) {
    *sample = *kept;
    return sample->element < INFINITY;
  }
  const bool found = r->chart->evaluate(r->chart, r->theta, s, sample) >= 0;
  if (!found) sample->element = INFINITY;
  if (room) *kept = *sample;
  return found;
}

/* Adds one stretch of a ray to the integrals, or (emit) to the points. weight: d theta of the
 * ray; cell: its share of theta; panel: NULL or where samples are kept. */
static void run_add_up(const sweep *w, double value[parts], panel *p, const limpet_pressure_ray *r,
                       int number, double weight, const double cell[2], uint64_t feature, bool emit,
                       int order) {
  const limpet_pressure_run *stretch = &r->runs[number];
  const double length = stretch->high - stretch->low;
  for (int k = 0; k < order; ++k) {
    limpet_pressure_sample sample;
    const double s = stretch->low + length * node_of(order, k);
    if (!sample_at(r, s, p, emit, &sample)) continue;
    const double area = weight * length * weight_of(order, k) * sample.element;
    if (!emit) {
      sum_up(w, value, &sample, area);
      continue;
    }
    const uint64_t own = (uint64_t)(most_order * (number % runs_of_byte) + k),
                   far = (uint64_t)(number / runs_of_byte) << far_runs_bit;
    const limpet_pressure_point point = point_of(&sample, area, (feature + own) ^ far);
    const int at = limpet_pressure_add_point(w->surface, &point);
    if (at < 0 || !w->surface->workspace->query->polygons) continue;
    const double before = weight_before(order, k);
    const double edges[2] = {stretch->low + length * before,
                             stretch->low + length * (before + weight_of(order, k))};
    outline(w, at, cell, edges);
  }
}

// The largest part of a difference, relative to the whole result; the same in any frame.
static double relative(const sweep *w, const double gap[parts]) {
  const double pressed =
      fmax(fabs(gap[1]), fmax(limpet_vec3_norm(gap + 2), limpet_vec3_norm(gap + 5)));
  return fmax(gap[0] != 0.0 ? fabs(gap[0]) / w->scale[0] : 0.0,
              pressed > 0.0 ? pressed / w->scale[1] : 0.0);
}

// Rules of a panel and of its halves differ along s.
static int order_along(const sweep *w, const panel *p) {
  return w->order_s + (__builtin_clzll(p->code) & 1);
}

// The integrals of one ray.
static void ray_evaluate(const sweep *w, double phi, int order, double value[parts]) {
  limpet_pressure_ray r = {0};
  double rate;
  ray_start(w, &r);
  r.theta = theta_of(w, phi, &rate);
  limpet_pressure_find_runs(&r);
  for (int k = 0; k < parts; ++k) value[k] = 0.0;
  for (int i = 0; i < r.count; ++i) run_add_up(w, value, NULL, &r, i, rate, NULL, 0, false, order);
}

// The polynomial through the nodes of a panel at its high end, or the low one.
static void at_end(const sweep *w, const panel *p, bool high, double end[parts]) {
  const int n = w->order_theta;
  for (int i = 0; i < parts; ++i) end[i] = 0.0;
  for (int k = 0; k < n; ++k) {
    double share = 1.0;  // of node k at the end
    for (int j = 0; j < n; ++j)
      if (j != k) share *= (high - node_of(n, j)) / (node_of(n, k) - node_of(n, j));
    for (int i = 0; i < parts; ++i) end[i] += share * p->node[k][i];
  }
}

// How far two rays are from each other, times the stretch of a panel before its first node.
static double end_gap(const sweep *w, const panel *p, const double a[parts],
                      const double b[parts]) {
  double gap[parts];
  for (int i = 0; i < parts; ++i) gap[i] = a[i] - b[i];
  return relative(w, gap) * (p->high - p->low) * node_of(w->order_theta, 0);
}

// The ray at the end of a panel, which the panel before it may have left.
static void ray_at_end(sweep *w, double phi, int order) {
  if (w->end_order == order && w->end_phi == phi) return;
  ray_evaluate(w, phi, order, w->end);
  w->end_phi = phi, w->end_order = order;
}

/* A corner between the ends of two halves and the nodes beside them is seen by no rule: it shows
 * where the polynomials through their nodes meet, */
static double middle_gap(const sweep *w, const panel *left, const panel *right) {
  double own[parts], other[parts];
  at_end(w, left, true, own), at_end(w, right, false, other);
  return end_gap(w, left, own, other);
}

// and, at their outer ends, by a ray.
static double outer_gap(sweep *w, const panel *left, const panel *right) {
  const int order = order_along(w, left);  // that of both
  double own[parts];
  ray_at_end(w, left->low, order);
  at_end(w, left, false, own);
  const double worst = end_gap(w, left, own, w->end);
  ray_at_end(w, right->high, order);
  at_end(w, right, true, own);
  return fmax(worst, end_gap(w, right, own, w->end));
}

// Finds the rays of a panel and its integrals; or (emit) makes points of the rays found before.
static void panel_evaluate(sweep *w, panel *p, bool emit) {
  const double width = p->high - p->low;
  const int order = order_along(w, p);
  p->kept_count = 0;
  for (int k = 0; k < parts && !emit; ++k) p->value[k] = 0.0;
  for (int k = 0; k < w->order_theta; ++k) {
    limpet_pressure_ray *r = &p->rays[k];
    const double weight = width * weight_of(w->order_theta, k),
                 before = p->low + width * weight_before(w->order_theta, k);
    const double cell[2] = {before, before + weight};
    if (!emit) {
      ray_start(w, r);
      r->theta = theta_of(w, p->low + width * node_of(w->order_theta, k), &r->rate);
      limpet_pressure_find_runs(r);
      w->surface->workspace->folded |= r->folded;
    }
    const uint64_t feature =
        (uint64_t)1 << 62 | (w->chart->feature ^ (p->code << 12 | (uint64_t)k << 8));
    double own[parts] = {0.0};
    for (int i = 0; i < r->count; ++i)
      run_add_up(w, own, p, r, i, weight * r->rate, cell, feature, emit, order);
    for (int i = 0; i < parts && !emit; ++i) p->value[i] += own[i], p->node[k][i] = own[i] / weight;
  }
  if (!emit) ++w->panels;
}

// --------------------------------------------------------------------------- panels

// Error of one panel over the whole result.
static double allowed_of(const sweep *w) {
  return (w->chart->part > 0.0 ? w->chart->part : panel_share) *
         w->surface->workspace->query->tolerance;
}

static double difference(const sweep *w, const panel *p, const panel *left, const panel *right) {
  double gap[parts];
  for (int k = 0; k < parts; ++k) gap[k] = p->value[k] - left->value[k] - right->value[k];
  return relative(w, gap);
}

/* Makes points of a panel of a part, whose halves agree with it: the gap is its error. `first`: its
 * rays are not known yet. */
static void emit_part(sweep *w, panel *p, bool first) {
  if (first) panel_evaluate(w, p, false);
  panel_evaluate(w, p, true);
}

// The difference of a panel from its halves as the stated error, or as a part of one.
static void tell(sweep *w, const panel *p, const panel *left, const panel *right, double gap) {
  if (isfinite(gap)) {
    w->error += gap;
    return;
  }
  for (int k = 0; k < 2; ++k)
    w->unscaled[k] += fabs(p->value[k] - left->value[k] - right->value[k]);
}

static void refine(sweep *w, panel *p, int depth) {
  const double middle = 0.5 * (p->low + p->high);
  panel left, right;
  left.low = p->low, left.high = right.low = middle, right.high = p->high;
  left.code = 2 * p->code, right.code = 2 * p->code + 1;
  panel_evaluate(w, &left, false), panel_evaluate(w, &right, false);
  double gap = difference(w, p, &left, &right);
  const double allowed = allowed_of(w);
  double outer = 0.0;
  if (w->looks_at_ends && gap <= allowed && depth < w->deepest) {
    gap = fmax(gap, middle_gap(w, &left, &right));
    if (gap <= allowed) outer = outer_gap(w, &left, &right);
    if (!w->quick) gap = fmax(gap, outer);
  }
  if (gap > allowed && depth < w->deepest && w->panels < w->most_panels) {
    refine(w, &left, depth + 1), refine(w, &right, depth + 1);
    return;
  }
  tell(w, p, &left, &right, fmax(gap, outer));
  if (w->chart->part > 0.0 && gap <= allowed) {
    emit_part(w, p, depth == 0);
    return;
  }
  if (left.value[0] > 0.0 || w->surface->workspace->least_pressure < 0.0)
    panel_evaluate(w, &left, true);
  if (right.value[0] > 0.0 || w->surface->workspace->least_pressure < 0.0)
    panel_evaluate(w, &right, true);
}

// Makes points by a lower rule than that of a first panel p. False: it is not good enough.
static bool is_low_enough(sweep *w, const panel *p) {
  panel low;
  low.low = p->low, low.high = p->high, low.code = p->code;
  const int along = w->order_s, around = w->order_theta;
  w->order_s = w->order_theta = low_order;
  panel_evaluate(w, &low, false);
  double gap[parts];
  for (int k = 0; k < parts; ++k) gap[k] = p->value[k] - low.value[k];
  const double error = relative(w, gap);
  const bool enough = error <= allowed_of(w);
  if (enough) {
    w->error += error;
    panel_evaluate(w, &low, true);
  }
  w->order_s = along, w->order_theta = around;
  return enough;
}

static void panel_start(const sweep *w, int k, panel *p) {
  p->low = phi_of(w, w->chart->angle[k]), p->high = phi_of(w, w->chart->angle[k + 1]);
  p->code = (uint64_t)(LIMPET_PRESSURE_CORNERS + k);
}

/* The first panels and the scale of the result; whether the surface is slender as far as their rays
 * see it, the angle of the longest ray and the extent of the shortest. */
static bool first_panels(sweep *w, double *longest, double *shortest) {
  panel first;
  double least = INFINITY, most = 0.0;
  w->scale[0] = w->scale[1] = 0.0;
  for (int k = 0; k < w->chart->angle_count; ++k) {
    panel_start(w, k, &first);
    panel_evaluate(w, &first, false);
    w->scale[0] += first.value[0], w->scale[1] += first.value[1];
    for (int i = 0; i < parts; ++i) w->first[k][i] = first.value[i];
    for (int i = 0; i < w->order_theta; ++i) {
      const limpet_pressure_ray *r = &first.rays[i];
      const double end = extent_of(r);
      if (end > 0.0) least = fmin(least, end);  // else the pole is on the boundary
      if (end > most) most = end, *longest = r->theta;
    }
  }
  *shortest = least;
  return most > slender * least;
}

void limpet_pressure_sweep(limpet_pressure_surface *surface, const limpet_pressure_chart *chart) {
  const double tolerance = surface->workspace->query->tolerance;
  const int level = tolerance > 1e-4 ? 0 : tolerance > 3e-6 ? 1 : 2;
  static const int orders_s[3] = {3, 4, 6}, orders_theta[3] = {3, 4, 5};
  sweep w = {.surface = surface, .chart = chart, .ratio = 1.0};
  w.order_s = orders_s[level], w.order_theta = orders_theta[level];
  // a surface of many charts shows its corners by them
  w.quick = level == 0, w.looks_at_ends = chart->looks > 0 && !(w.quick && chart->part > 0.0);
  const bool is_sure = chart->is_thin && chart->is_beside;
  w.deepest = level > 0 ? deepest : is_sure ? deepest_thin : deepest_quick;
  w.most_panels = level > 0 ? most_panels : is_sure ? panels_thin : panels_quick;
  // a place along s to an eighth of the tolerance, or, where that is small, to 1/64
  w.halvings = (int)ceil(-log2(tolerance)) + (level == 0 ? 1 : 6);
  double longest = 0.0, shortest = 0.0;
  if (first_panels(&w, &longest, &shortest) && !chart->at_corner) {
    find_axis(&w, longest, shortest);
    if (w.ratio > 1.0) first_panels(&w, &longest, &shortest);
  }
  const double area = surface->area, integral = surface->pressure_integral;
  const bool touches = w.scale[0] > 0.0 && w.scale[1] > 0.0;
  if (!touches && !(surface->workspace->least_pressure < 0.0)) return;
  for (int i = 0; i < 2; ++i) w.scale[i] = fmax(w.scale[i], chart->whole[i]);
  panel first;
  for (int k = 0; k < chart->angle_count; ++k) {
    panel_start(&w, k, &first);
    for (int i = 0; i < parts; ++i) first.value[i] = w.first[k][i];
    if (!(chart->part > 0.0) || !is_low_enough(&w, &first)) refine(&w, &first, 0);
  }
  surface->error += w.error;
  const double made[2] = {surface->area - area, surface->pressure_integral - integral};
  for (int k = 0; k < 2; ++k)
    if (w.unscaled[k] > 0.0)
      surface->error += fmin(1.0, w.unscaled[k] / fmax(made[k], w.unscaled[k]));
}
