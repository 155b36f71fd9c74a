// geometry/pressure_flat_face.c: see pressure_flat_face.h.
#include "geometry/pressure_flat_face.h"

#include <math.h>

#include "geometry/pressure_centre.h"
#include "math/vec3.h"

enum { quarters = 4, looks_along = 8, search_steps = 56, root_steps = 60 };
static const double quick_tolerance = 1e-4;  // [-]  below it, grazed pieces are looked for
static const double parallel = 1e-9;    // [-]  sine of a plane and an axis that count as square
static const double least_step = 1e-6;  // [-]  from the deepest place to the centre of a polygon
static const double growth = 0.1, nearly = 0.75;  // [-]  see middle_pole
static const double snap = 1e-5;     // [-]  of a face: a pole so near to its edge lies on it
static const double on_edge = 1e-9;  // [-]  of its radius: the distance from an edge that is none

static const limpet_pressure_flat_memory *angle_of(const limpet_pressure_flat_chart *f,
                                                   double theta) {
  limpet_pressure_flat_memory *memory = f->memory;
  if (theta != memory->theta)
    memory->theta = theta, memory->cosine = cos(theta), memory->sine = sin(theta);
  return memory;
}

static void point_at(const limpet_pressure_flat_chart *f, double theta, double s, double x[3]) {
  const limpet_pressure_flat_memory *memory = angle_of(f, theta);
  limpet_vec3_addmul(x, f->centre, s * memory->cosine, f->t1);
  limpet_vec3_addmul(x, x, s * memory->sine, f->t2);
}

static void flat_look(const limpet_pressure_chart *chart, double theta, double s,
                      limpet_pressure_look *look) {
  const limpet_pressure_flat_chart *f = (const limpet_pressure_flat_chart *)chart;
  int piece;
  point_at(f, theta, s, look->x);
  look->pressure = look->value[0] =
      limpet_pressure_closed_form(f->field, look->x, look->gradient[0], &piece);
  look->piece = 2 * piece + (look->pressure < 0.0);
  look->field_piece[0] = piece, look->field_piece[1] = -1;
  if (!chart->grazes) return;
  look->margin[0] = limpet_pressure_piece_margin(f->field, look->x, piece);
  look->margin[1] = INFINITY;
}

static int flat_evaluate(const limpet_pressure_chart *chart, double theta, double s,
                         limpet_pressure_sample *sample) {
  const limpet_pressure_flat_chart *f = (const limpet_pressure_flat_chart *)chart;
  double x[3], g[3];
  int piece;
  point_at(f, theta, s, x);
  const double p = limpet_pressure_closed_form(f->field, x, sample ? g : NULL, &piece);
  if (!sample) return 2 * piece + (p < 0.0);
  const double sign = f->rigid_is_a ? 1.0 : -1.0;
  double n[3];
  limpet_vec3_scale(n, sign, f->outward);
  const double slope = fmax(0.0, sign * limpet_vec3_dot(g, n));
  sample->gradient_a = f->rigid_is_a ? INFINITY : slope;
  sample->gradient_b = f->rigid_is_a ? slope : INFINITY;
  sample->element = s, sample->pressure = p;
  limpet_pressure_to_world(sample->x, f->body, x);
  limpet_mat3_mul_vec(sample->normal, f->body->rotation, n);
  return 2 * piece + (p < 0.0);
}

static double flat_gap(const limpet_pressure_chart *chart, double theta, double s, int piece,
                       int other) {
  const limpet_pressure_flat_chart *f = (const limpet_pressure_flat_chart *)chart;
  double x[3];
  int there;
  point_at(f, theta, s, x);
  if (piece / 2 == other / 2) return limpet_pressure_closed_form(f->field, x, NULL, &there);
  if (piece % 2 != other % 2) return NAN;
  return limpet_pressure_piece_gap(f->field, x, piece / 2, other / 2);
}

// Sphere and ellipsoid: one piece, and level sets that are spheres of x/S.
static bool is_round(const limpet_pressure_field *field) {
  return field->kind == LIMPET_SHAPE_SPHERE || field->kind == LIMPET_SHAPE_ELLIPSOID;
}

/* The largest s up to which p is at least `level` on c + s way in a round field, from c on: the
 * root of |(c + s way)/S|^2 = (1 - level/E)^2. 0: it is below at c. */
static double round_reach(const limpet_pressure_flat_chart *f, const double way[3], double level) {
  const limpet_pressure_field *field = f->field;
  const double q = 1.0 - level / field->modulus;
  double square = 0.0, along = 0.0, left = q * q;
  for (int i = 0; i < 3; ++i) {
    const double size = field->kind == LIMPET_SHAPE_SPHERE ? field->size[0] : field->size[i];
    const double c = f->centre[i] / size, w = way[i] / size;
    square += w * w, along += c * w, left -= c * c;
  }
  if (!(left > 0.0) || !(square > 0.0)) return 0.0;
  const double root = sqrt(along * along + square * left);
  return along > 0.0 ? left / (along + root) : (root - along) / square;
}

/* From s where p is below `level` down to where it has it: p is concave along a way from the
 * centre, so that Newton's method comes down to the root from outside. 0: it has it nowhere. */
static double fall_to(const limpet_pressure_flat_chart *f, const double way[3], double s,
                      double level) {
  if (is_round(f->field)) return fmin(s, round_reach(f, way, level));
  double x[3], g[3];
  int piece;
  for (int k = 0; k < root_steps && s > 0.0; ++k) {
    limpet_vec3_addmul(x, f->centre, s, way);
    const double p = limpet_pressure_closed_form(f->field, x, g, &piece) - level,
                 rate = limpet_vec3_dot(g, way);
    if (p >= 0.0 || !(rate < 0.0)) break;
    const double next = s - p / rate;
    if (!(next < s * (1.0 - 1e-15))) break;
    s = fmax(next, 0.0);
  }
  return s;
}

static void way_along(const limpet_pressure_flat_chart *f, double theta, double way[3]) {
  const limpet_pressure_flat_memory *memory = angle_of(f, theta);
  for (int i = 0; i < 3; ++i) way[i] = memory->cosine * f->t1[i] + memory->sine * f->t2[i];
}

static double flat_zero(const limpet_pressure_chart *chart, double theta, double end) {
  const limpet_pressure_flat_chart *f = (const limpet_pressure_flat_chart *)chart;
  double way[3];
  way_along(f, theta, way);
  return fall_to(f, way, end, 0.0);
}

// Out to the edge of the face, or to where p falls below the least.
static double flat_end(const limpet_pressure_chart *chart, double theta) {
  const limpet_pressure_flat_chart *f = (const limpet_pressure_flat_chart *)chart;
  const limpet_pressure_flat_memory *memory = angle_of(f, theta);
  const double c = memory->cosine, s = memory->sine;
  double end = INFINITY, way[3];
  for (int k = 0; k < f->count; ++k) {
    const double rate = f->edge[k][0] * c + f->edge[k][1] * s;
    if (rate > 0.0) end = fmin(end, f->edge[k][2] / rate);
  }
  way_along(f, theta, way);
  return fall_to(f, way, fmax(end, 0.0), f->least);
}

limpet_pressure_flat_chart limpet_pressure_flat_chart_of(const limpet_pressure_surface *surface,
                                                         limpet_pressure_flat_memory *memory) {
  const limpet_pressure_workspace *work = surface->workspace;
  const bool rigid_is_a = work->a->field->rigid;
  const limpet_pressure_body *body = rigid_is_a ? work->b : work->a;
  memory->theta = NAN;
  limpet_pressure_flat_chart f = {
      .memory = memory, .field = body->field, .body = body, .rigid_is_a = rigid_is_a};
  f.chart = (limpet_pressure_chart){.evaluate = flat_evaluate,
                                    .look = flat_look,
                                    .gap = flat_gap,
                                    .guess = true,
                                    .end = flat_end};
  if (!is_round(body->field)) f.chart.looks = looks_along;
  else if (work->least_pressure < 0.0) f.chart.zero = flat_zero;
  f.chart.grazes = f.chart.looks > 0 && work->query->tolerance <= quick_tolerance;
  f.chart.stretch = body->field->depth;
  f.chart.length = body->field->depth;
  f.least = f.chart.least = limpet_pressure_least(work);
  return f;
}

// --------------------------------------------------------------------------- the pole

// A polygon in the coordinates (u, v) of its plane.
typedef struct flat_polygon {
  int count;
  double uv[LIMPET_PRESSURE_CORNERS][2];
  const limpet_pressure_flat_chart *chart;
} flat_polygon;

static double value_at(const flat_polygon *polygon, double u, double v) {
  const limpet_pressure_flat_chart *f = polygon->chart;
  double x[3];
  int piece;
  limpet_vec3_addmul(x, f->centre, u, f->t1), limpet_vec3_addmul(x, x, v, f->t2);
  return limpet_pressure_closed_form(f->field, x, NULL, &piece);
}

// Where x + s e comes nearest to the centre of a round field, measured by x/S.
static double nearest_share(const limpet_pressure_field *field, const double x[3],
                            const double e[3]) {
  double along = 0.0, square = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double size = field->kind == LIMPET_SHAPE_SPHERE ? 1.0 : field->size[i];
    along += x[i] * e[i] / (size * size), square += e[i] * e[i] / (size * size);
  }
  return square > 0.0 ? -along / square : 0.0;
}

/* The largest pressure on x + s e, s from low to high: p is concave, so that its slope along e
 * changes sign once. */
static double line_maximum(const limpet_pressure_field *field, const double x[3], const double e[3],
                           double low, double high, double at[3]) {
  int piece;
  double g[3];
  if (is_round(field)) low = high = fmin(fmax(nearest_share(field, x, e), low), high);
  for (int k = 0; k < search_steps && low < high; ++k) {
    const double middle = 0.5 * (low + high);
    limpet_vec3_addmul(at, x, middle, e);
    limpet_pressure_closed_form(field, at, g, &piece);
    const double slope = limpet_vec3_dot(g, e);
    if (slope == 0.0) low = high = middle;
    else if (slope > 0.0) low = middle;
    else high = middle;
  }
  limpet_vec3_addmul(at, x, 0.5 * (low + high), e);
  return limpet_pressure_closed_form(field, at, NULL, &piece);
}

/* Where p is largest on the whole plane: of a sphere at the foot of its centre, of an ellipsoid at
 * S^2 n, of bodies around an axis on the line that mirrors them. */
static void plane_maximum(const limpet_pressure_flat_chart *f, double at[3]) {
  const limpet_pressure_field *field = f->field;
  const double *n = f->outward, h = limpet_vec3_dot(n, f->centre);
  double foot[3], e[3] = {-n[2] * n[0], -n[2] * n[1], 1.0 - n[2] * n[2]};
  limpet_vec3_scale(foot, h, n);
  limpet_vec3_copy(at, foot);
  if (field->kind == LIMPET_SHAPE_ELLIPSOID) {
    for (int i = 0; i < 3; ++i) at[i] = field->size[i] * field->size[i] * n[i];
    limpet_vec3_scale(at, h / limpet_vec3_dot(at, n), at);
  }
  if (field->kind != LIMPET_SHAPE_CAPSULE && field->kind != LIMPET_SHAPE_CYLINDER) return;
  if (limpet_vec3_normalize(e) < parallel) return;
  const double reach = fabs(h) + 2.0 * (field->size[0] + field->size[1]);
  line_maximum(field, foot, e, -reach, reach, at);
}

static bool is_within(const flat_polygon *polygon, double u, double v) {
  bool left = true, right = true;
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    const double side = (b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]);
    left &= side >= 0.0, right &= side <= 0.0;
  }
  return left || right;
}

/* The place of the largest pressure of a polygon; returns that pressure. p is concave: either it is
 * that of the plane, or it lies on an edge. */
static double find_pole(const flat_polygon *polygon, double pole[2]) {
  const limpet_pressure_flat_chart *f = polygon->chart;
  double at[3], d[3], best = -INFINITY;
  plane_maximum(f, at);
  limpet_vec3_sub(d, at, f->centre);
  pole[0] = limpet_vec3_dot(d, f->t1), pole[1] = limpet_vec3_dot(d, f->t2);
  if (is_within(polygon, pole[0], pole[1])) return value_at(polygon, pole[0], pole[1]);
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    double x[3], e[3];
    for (int i = 0; i < 3; ++i) {
      x[i] = f->centre[i] + a[0] * f->t1[i] + a[1] * f->t2[i];
      e[i] = (b[0] - a[0]) * f->t1[i] + (b[1] - a[1]) * f->t2[i];
    }
    const double p = line_maximum(f->field, x, e, 0.0, 1.0, at);
    if (!(p > best)) continue;
    best = p;
    limpet_vec3_sub(d, at, f->centre);
    pole[0] = limpet_vec3_dot(d, f->t1), pole[1] = limpet_vec3_dot(d, f->t2);
  }
  return best;
}

/* Puts the pole of a body with flat sides into the middle of the polygon and the body grown by a
 * share of its depth, if the pressure there is nearly the largest: where a face lies flat, the
 * place of largest pressure runs around as the face tilts by round-off. That middle is sought from
 * the place of largest pressure, or a little towards the polygon's centre, where that is on an
 * edge. whole: edges do not count. */
static void middle_pole(const flat_polygon *polygon, double most, bool whole, double pole[2]) {
  const limpet_pressure_flat_chart *f = polygon->chart;
  const double level = f->least - growth * f->field->modulus, from = fmin(0.0, f->least);
  double uv[LIMPET_PRESSURE_CORNERS][2], turn = 0.0;
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    turn += a[0] * b[1] - a[1] * b[0];
  }
  // counterclockwise
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[turn > 0.0 ? k : polygon->count - 1 - k];
    uv[k][0] = a[0], uv[k][1] = a[1];
  }
  for (double share = 0.5; share > least_step; share *= 0.5) {
    double middle[2] = {(1.0 - share) * pole[0], (1.0 - share) * pole[1]};
    if (!limpet_pressure_centre_in_plane(f->field, f->centre, f->t1, f->t2, (const double(*)[2])uv,
                                         whole ? 0 : polygon->count, level, middle))
      continue;
    if (value_at(polygon, middle[0], middle[1]) - from >= nearly * (most - from))
      pole[0] = middle[0], pole[1] = middle[1];
    return;
  }
}

// --------------------------------------------------------------------------- one face

static int angle_sort(double *angle, int count) {
  for (int i = 1; i < count; ++i)
    for (int j = i; j > 0 && angle[j] < angle[j - 1]; --j) {
      const double swap = angle[j];
      angle[j] = angle[j - 1], angle[j - 1] = swap;
    }
  int kept = 1;
  for (int i = 1; i < count; ++i)
    if (angle[i] > angle[kept - 1] + 1e-9) angle[kept++] = angle[i];
  return kept;
}

/* Puts a pole that lies next to an edge on it: a sliver between the two would hide between the
 * panels of theta. */
static void snap_pole(const flat_polygon *polygon, double radius, double least, double pole[2]) {
  double moved[2] = {pole[0], pole[1]};
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    const double u = b[0] - a[0], v = b[1] - a[1], length = sqrt(u * u + v * v);
    if (!(length > 0.0)) continue;
    const double away = (u * (moved[1] - a[1]) - v * (moved[0] - a[0])) / length;
    if (fabs(away) > snap * radius) continue;
    moved[0] += away * v / length, moved[1] -= away * u / length;
  }
  if (value_at(polygon, moved[0], moved[1]) > least) pole[0] = moved[0], pole[1] = moved[1];
}

/* Where p = 0 on the edge from a to b, on the way from the place of its largest pressure to a: a
 * corner of the pressed part. False: nowhere. */
static bool edge_zero(const limpet_pressure_flat_chart *f, const double a[2], const double b[2],
                      double at[2]) {
  double x[3], e[3], most[3], away[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = f->centre[i] + a[0] * f->t1[i] + a[1] * f->t2[i];
    e[i] = (b[0] - a[0]) * f->t1[i] + (b[1] - a[1]) * f->t2[i];
  }
  int piece;
  if (limpet_pressure_closed_form(f->field, x, NULL, &piece) >= 0.0 ||
      line_maximum(f->field, x, e, 0.0, 1.0, most) <= 0.0)
    return false;
  limpet_pressure_flat_chart from = *f;
  limpet_vec3_copy(from.centre, most);
  limpet_vec3_sub(away, x, most);
  const double share = fall_to(&from, away, 1.0, 0.0);
  limpet_vec3_addmul(away, most, share, away);
  limpet_vec3_sub(away, away, f->centre);
  at[0] = limpet_vec3_dot(away, f->t1), at[1] = limpet_vec3_dot(away, f->t2);
  return true;
}

// Edges as seen from the pole, and where theta is cut: at corners.
static int fill_edges(limpet_pressure_flat_chart *f, const flat_polygon *polygon, double radius,
                      const double pole[2], double *angle) {
  double turn = 0.0;  // twice the signed area
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    turn += a[0] * b[1] - a[1] * b[0];
  }
  f->count = polygon->count;
  int seen = 0;  // corners apart from the pole
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    const double sign = turn > 0.0 ? 1.0 : -1.0;
    f->edge[k][0] = sign * (b[1] - a[1]), f->edge[k][1] = -sign * (b[0] - a[0]);
    f->edge[k][2] = f->edge[k][0] * (a[0] - pole[0]) + f->edge[k][1] * (a[1] - pole[1]);
    // a pole on the edge, but for round-off
    if (f->edge[k][2] < on_edge * radius * hypot(f->edge[k][0], f->edge[k][1])) f->edge[k][2] = 0.0;
    const double u = a[0] - pole[0], v = a[1] - pole[1];
    if (fabs(u) + fabs(v) > snap * radius) angle[seen++] = atan2(v, u);
  }
  f->chart.at_corner = seen < polygon->count;
  // and where the edges leave what is pressed
  for (int k = 0; k < 2 * polygon->count && seen < LIMPET_PRESSURE_CORNERS; ++k) {
    const double *a = polygon->uv[k / 2], *b = polygon->uv[(k / 2 + 1) % polygon->count];
    double at[2];
    if (edge_zero(f, k % 2 ? b : a, k % 2 ? a : b, at))
      angle[seen++] = atan2(at[1] - pole[1], at[0] - pole[0]);
  }
  const int count = angle_sort(angle, seen);
  angle[count] = angle[0] + 2.0 * LIMPET_PI;
  return count;
}

static void fill_polygon(limpet_pressure_flat_chart *f, const limpet_pressure_polygon *corners,
                         flat_polygon *polygon) {
  polygon->count = corners->count, polygon->chart = f;
  limpet_vec3_steady_tangents(f->t1, f->t2, f->outward);
  for (int k = 0; k < corners->count; ++k) {
    double d[3];
    limpet_vec3_sub(d, corners->vertex[k], f->centre);
    polygon->uv[k][0] = limpet_vec3_dot(d, f->t1), polygon->uv[k][1] = limpet_vec3_dot(d, f->t2);
  }
}

double limpet_pressure_flat_radius(limpet_pressure_flat_chart *f,
                                   const limpet_pressure_polygon *corners) {
  double radius = 0.0;
  limpet_vec3_zero(f->centre);
  for (int k = 0; k < corners->count; ++k)
    limpet_vec3_addmul(f->centre, f->centre, 1.0 / corners->count, corners->vertex[k]);
  for (int k = 0; k < corners->count; ++k)
    radius = fmax(radius, limpet_vec3_distance(f->centre, corners->vertex[k]));
  int piece;
  const double p = limpet_pressure_closed_form(f->field, f->centre, NULL, &piece);
  return p + radius * f->field->info.gradient_most < f->least ? -1.0 : radius;
}

/* Whether a polygon lies in one smooth part of the field, above the least, pressed all over or
 * nowhere. most [Pa]: its largest pressure. */
static bool is_smooth(const limpet_pressure_flat_chart *f, const limpet_pressure_polygon *corners,
                      double most) {
  double low = INFINITY;
  int first = 0, piece;
  for (int k = 0; k < corners->count; ++k) {
    const double p = limpet_pressure_closed_form(f->field, corners->vertex[k], NULL, &piece);
    if (k == 0) first = piece;
    if (piece != first) return false;
    low = fmin(low, p);
  }
  // pieces are convex but for the mantle of a cylinder, and p is concave
  const bool convex = f->field->kind != LIMPET_SHAPE_CYLINDER || first != 1;
  return convex && low >= f->least && (low >= 0.0 || most <= 0.0);
}

limpet_pressure_facet limpet_pressure_flat_facet(const limpet_pressure_flat_chart *f,
                                                 const limpet_pressure_polygon *corners, int k) {
  limpet_pressure_facet facet = {
      .body = f->body, .rigid_is_a = f->rigid_is_a, .outward = f->outward};
  const int corner[3] = {0, k + 1, k + 2};
  for (int i = 0; i < 3; ++i) limpet_vec3_copy(facet.corner[i], corners->vertex[corner[i]]);
  facet.feature = (uint64_t)1 << 60 | f->chart.feature | (uint64_t)(3 * k);
  return facet;
}

// A triangle that is smooth, by few points. False: they are not good enough.
static bool add_facet(limpet_pressure_surface *surface, const limpet_pressure_flat_chart *f,
                      const limpet_pressure_polygon *corners, double most) {
  if (corners->count != 3 || !(f->chart.part > 0.0) || !is_smooth(f, corners, most)) return false;
  const limpet_pressure_facet facet = limpet_pressure_flat_facet(f, corners, 0);
  return limpet_pressure_facet_add(surface, &facet, f->chart.whole, f->chart.length,
                                   f->chart.part * surface->workspace->query->tolerance);
}

// Whether no edge of a polygon reaches what belongs to the surface: it might be a plane.
static bool edges_are_far(const flat_polygon *polygon) {
  const limpet_pressure_flat_chart *f = polygon->chart;
  for (int k = 0; k < polygon->count; ++k) {
    const double *a = polygon->uv[k], *b = polygon->uv[(k + 1) % polygon->count];
    double x[3], e[3], at[3];
    for (int i = 0; i < 3; ++i) {
      x[i] = f->centre[i] + a[0] * f->t1[i] + a[1] * f->t2[i];
      e[i] = (b[0] - a[0]) * f->t1[i] + (b[1] - a[1]) * f->t2[i];
    }
    if (line_maximum(f->field, x, e, 0.0, 1.0, at) >= f->least) return false;
  }
  return true;
}

void limpet_pressure_flat_sweep(limpet_pressure_surface *surface, limpet_pressure_flat_chart *f,
                                const limpet_pressure_polygon *corners, bool whole) {
  const double radius = limpet_pressure_flat_radius(f, corners);
  if (radius < 0.0) return;
  flat_polygon polygon;
  double angle[LIMPET_PRESSURE_CORNERS + 1], pole[2];
  fill_polygon(f, corners, &polygon);
  const double most = find_pole(&polygon, pole);
  if (most <= f->least || add_facet(surface, f, corners, most)) return;
  whole = whole || (!(f->chart.part > 0.0) && edges_are_far(&polygon));
  if (!is_round(f->field)) middle_pole(&polygon, most, whole, pole);
  snap_pole(&polygon, radius, f->least, pole);
  f->chart.angle_count = fill_edges(f, &polygon, radius, pole, angle);
  if (whole) {
    f->chart.angle_count = quarters;
    for (int k = 0; k <= quarters; ++k) angle[k] = 0.5 * LIMPET_PI * k;
  }
  f->chart.angle = angle;
  limpet_vec3_addmul(f->centre, f->centre, pole[0], f->t1);
  limpet_vec3_addmul(f->centre, f->centre, pole[1], f->t2);
  limpet_pressure_sweep(surface, &f->chart);
}
