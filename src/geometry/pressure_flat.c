/* geometry/pressure_flat.c: rigid flat faces in a curved compliant body.
 *
 * Each face of a rigid box, hull or triangle mesh, or the plane of a rigid half space, meets the
 * concave field of a sphere, ellipsoid, capsule or cylinder in a convex region {p >= 0} of the
 * plane. The region is swept around the face's point of largest p, from which it is seen as a
 * whole: x = c + s (cos theta t1 + sin theta t2), dA = s ds dtheta, out to the edge of the face or
 * to p = 0, whichever comes first. All in the frame of the compliant body. */
#include <math.h>

#include "geometry/pressure_sweep.h"
#include "math/vec3.h"

enum { quarters = 4, looks_along = 8, search_steps = 56, root_steps = 60 };
static const double quick_tolerance = 1e-4;  // [-]  below it, grazed pieces are looked for
static const double parallel = 1e-9;  // [-]  sine of a plane and an axis that count as square
static const double snap = 1e-5;      // [-]  of a face: a pole so near to its edge lies on it

// What was computed of the last angle.
typedef struct flat_memory {
  double theta, cosine, sine;  // NAN: none yet
} flat_memory;

typedef struct flat_chart {
  limpet_pressure_chart chart;
  flat_memory *memory;
  const limpet_pressure_field *field;
  const limpet_pressure_body *body;
  double least;  // [Pa]
  bool rigid_is_a;
  double centre[3], t1[3], t2[3], outward[3];
  int count;
  double edge[LIMPET_PRESSURE_CORNERS][3];  // (a, b) . (u, v) <= c in the plane, from the centre
} flat_chart;

static void point_at(const flat_chart *f, double theta, double s, double x[3]) {
  flat_memory *memory = f->memory;
  if (theta != memory->theta)
    memory->theta = theta, memory->cosine = cos(theta), memory->sine = sin(theta);
  limpet_vec3_addmul(x, f->centre, s * memory->cosine, f->t1);
  limpet_vec3_addmul(x, x, s * memory->sine, f->t2);
}

static void flat_look(const limpet_pressure_chart *chart, double theta, double s,
                      limpet_pressure_look *look) {
  const flat_chart *f = (const flat_chart *)chart;
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
  const flat_chart *f = (const flat_chart *)chart;
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
  const flat_chart *f = (const flat_chart *)chart;
  double x[3];
  int there;
  point_at(f, theta, s, x);
  if (piece / 2 == other / 2) return limpet_pressure_closed_form(f->field, x, NULL, &there);
  if (piece % 2 != other % 2) return NAN;
  return limpet_pressure_piece_gap(f->field, x, piece / 2, other / 2);
}

// Out to the edge of the face, or to where p falls below the least.
static double flat_end(const limpet_pressure_chart *chart, double theta) {
  const flat_chart *f = (const flat_chart *)chart;
  const double c = cos(theta), s = sin(theta);
  double end = INFINITY, x[3], g[3], way[3];
  for (int k = 0; k < f->count; ++k) {
    const double rate = f->edge[k][0] * c + f->edge[k][1] * s;
    if (rate > 0.0) end = fmin(end, f->edge[k][2] / rate);
  }
  end = fmax(end, 0.0);
  int piece;
  for (int i = 0; i < 3; ++i) way[i] = c * f->t1[i] + s * f->t2[i];
  // p is concave along the way: from outside Newton's method comes down to the root
  for (int k = 0; k < root_steps; ++k) {
    limpet_vec3_addmul(x, f->centre, end, way);
    const double p = limpet_pressure_closed_form(f->field, x, g, &piece) - f->least,
                 rate = limpet_vec3_dot(g, way);
    if (p >= 0.0 || !(rate < 0.0)) break;
    const double next = end - p / rate;
    if (!(next < end * (1.0 - 1e-15))) break;
    end = fmax(next, 0.0);
  }
  return end;
}

// --------------------------------------------------------------------------- the pole

// A polygon in the coordinates (u, v) of its plane.
typedef struct flat_polygon {
  int count;
  double uv[LIMPET_PRESSURE_CORNERS][2];
  const flat_chart *chart;
} flat_polygon;

static double value_at(const flat_polygon *polygon, double u, double v) {
  const flat_chart *f = polygon->chart;
  double x[3];
  int piece;
  limpet_vec3_addmul(x, f->centre, u, f->t1), limpet_vec3_addmul(x, x, v, f->t2);
  return limpet_pressure_closed_form(f->field, x, NULL, &piece);
}

/* The largest pressure on x + s e, s from low to high: p is concave, so that its slope along e
 * changes sign once. */
static double line_maximum(const limpet_pressure_field *field, const double x[3], const double e[3],
                           double low, double high, double at[3]) {
  int piece;
  double g[3];
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
static void plane_maximum(const flat_chart *f, double at[3]) {
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
  const flat_chart *f = polygon->chart;
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

// Edges as seen from the pole, and where theta is cut: at the corners, or in quarters.
static int fill_edges(flat_chart *f, const flat_polygon *polygon, double radius,
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
    f->edge[k][2] = fmax(0.0, f->edge[k][0] * (a[0] - pole[0]) + f->edge[k][1] * (a[1] - pole[1]));
    const double u = a[0] - pole[0], v = a[1] - pole[1];
    if (fabs(u) + fabs(v) > snap * radius) angle[seen++] = atan2(v, u);
  }
  const int count = angle_sort(angle, seen);
  angle[count] = angle[0] + 2.0 * LIMPET_PI;
  return count;
}

/* One convex polygon of the rigid boundary in the frame of the compliant body. `whole`: a square
 * that stands for a plane, whose corners mean nothing. */
static void sweep_polygon(limpet_pressure_surface *surface, flat_chart *f,
                          const limpet_pressure_polygon *corners, bool whole) {
  flat_polygon polygon = {.count = corners->count, .chart = f};
  double angle[LIMPET_PRESSURE_CORNERS + 1], pole[2], radius = 0.0;
  limpet_vec3_steady_tangents(f->t1, f->t2, f->outward);
  limpet_vec3_zero(f->centre);
  for (int k = 0; k < corners->count; ++k)
    limpet_vec3_addmul(f->centre, f->centre, 1.0 / corners->count, corners->vertex[k]);
  for (int k = 0; k < corners->count; ++k) {
    double d[3];
    limpet_vec3_sub(d, corners->vertex[k], f->centre);
    polygon.uv[k][0] = limpet_vec3_dot(d, f->t1), polygon.uv[k][1] = limpet_vec3_dot(d, f->t2);
    radius = fmax(radius, limpet_vec3_norm(d));
  }
  // too far away for any place of the polygon
  double g[3];
  int piece;
  const double p = limpet_pressure_closed_form(f->field, f->centre, g, &piece);
  if (p + radius * f->field->info.gradient_most < f->least) return;
  if (find_pole(&polygon, pole) <= f->least) return;
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

static void sweep_plane(limpet_pressure_surface *surface, flat_chart *f,
                        const limpet_pressure_frame *frame) {
  const limpet_pressure_info *info = &f->field->info;
  const double up[3] = {0.0, 0.0, 1.0};
  double foot[3], t[3], s[3], reach = 0.0;
  limpet_mat3_mul_vec(f->outward, frame->rotation, up);
  limpet_vec3_scale(foot, limpet_vec3_dot(f->outward, frame->offset), f->outward);
  limpet_vec3_steady_tangents(t, s, f->outward);
  for (int i = 0; i < 3; ++i) reach += info->high[i] * info->high[i];
  const double grown = 1.0 - f->least / f->field->modulus;  // level sets outside are this large
  reach = 2.0 * sqrt(reach) * grown;
  limpet_pressure_polygon square = {.count = 4};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      square.vertex[k][i] =
          foot[i] + reach * ((k == 1 || k == 2 ? t[i] : -t[i]) + (k >= 2 ? s[i] : -s[i]));
  sweep_polygon(surface, f, &square, true);
}

static void sweep_face(limpet_pressure_surface *surface, flat_chart *f,
                       const limpet_pressure_field *rigid, const limpet_pressure_frame *frame,
                       int face) {
  limpet_pressure_polygon polygon = {.count = 0};
  for (int c = rigid->face_begin[face]; c < rigid->face_begin[face + 1]; ++c) {
    double *x = polygon.vertex[polygon.count++];
    limpet_mat3_mul_vec(x, frame->rotation, rigid->corner + 3 * c);
    limpet_vec3_add(x, x, frame->offset);
  }
  limpet_mat3_mul_vec(f->outward, frame->rotation, rigid->face_normal + 3 * face);
  sweep_polygon(surface, f, &polygon, false);
}

void limpet_pressure_flat(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  const bool rigid_is_a = work->a->field->rigid;
  const limpet_pressure_body *rigid = rigid_is_a ? work->a : work->b,
                             *body = rigid_is_a ? work->b : work->a;
  const limpet_pressure_frame frame = limpet_pressure_frame_of(rigid, body);
  flat_memory memory = {.theta = NAN};
  flat_chart f = {.memory = &memory, .field = body->field, .body = body, .rigid_is_a = rigid_is_a};
  const bool pieces = body->field->kind == LIMPET_SHAPE_CAPSULE ||
                      body->field->kind == LIMPET_SHAPE_CYLINDER || work->least_pressure < 0.0;
  f.chart = (limpet_pressure_chart){.evaluate = flat_evaluate,
                                    .look = flat_look,
                                    .gap = flat_gap,
                                    .guess = true,
                                    .end = flat_end};
  f.chart.looks = pieces ? looks_along : 0;
  f.chart.grazes = pieces && work->query->tolerance <= quick_tolerance;
  f.chart.stretch = body->field->depth;
  f.chart.length = body->field->depth;
  f.least = f.chart.least = limpet_pressure_least(work);
  limpet_vec3_copy(surface->workspace->origin, body->position);
  if (rigid->field->kind == LIMPET_SHAPE_PLANE) {
    sweep_plane(surface, &f, &frame);
    return;
  }
  for (int face = 0; face < rigid->field->face_count; ++face)
    sweep_face(surface, &f, rigid->field, &frame, face);
}
