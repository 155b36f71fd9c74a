/* geometry/pressure_graded.c: tetrahedra in curved fields, halved where the fields bend.
 *
 * In a tetrahedron with the linear pressure p_T the concave field p_S of a sphere, ellipsoid,
 * capsule or cylinder is replaced by its linear interpolation between the vertices, unless that
 * errs by too much at the middle of an edge: then the longest edge is halved. So D = p_S - p_T = 0
 * becomes a plane polygon in each part, with exact integrals. The interpolation lies below p_S: it
 * is lifted by the mean of D over the polygon, which then lies on both sides of the surface, and
 * errors of the integrals fall to a tenth. D is concave: it is
 * nowhere negative where no vertex is, and nowhere positive if its tangent plane at the centre is
 * negative at all vertices; such parts are left out at once. The tolerance is taken of the largest
 * pressure on the surface, which a coarse first pass finds. The error falls with the number of
 * polygons. All in the frame of T.
 *
 * Two convex bodies of which one lies through the other have surfaces that fold back, so that a ray
 * from a core crosses them several times. Then the tetrahedra are those of the box of T, whose
 * field is replaced by its interpolation, too: no sheet is lost that is not flatter than the parts.
 * D is no longer concave: both fields are, each lies above its least vertex and below its tangent
 * plane. Where rays suffice (pressure_rays.c) they are far more exact. */
#include <limits.h>
#include <math.h>

#include "geometry/pressure_contact.h"
#include "math/vec3.h"

// halvings of one tetrahedron: in the first pass, of parts that the surface crosses and others
enum { first_cut = 2, first_pass = 8, deepest = 27, deepest_of_both = 30 };
/* [-]  error of p_S allowed, of tolerance times pressure. What is stated is that error over this
 * number; in 16 random poses forces are off by 0.05 to 1.1 times as much, areas by up to 2.6. */
static const double bend_share = 20.0;
static const double beside_share = 5.0;  // distance from the surface over tolerance times its width
static const double beyond_stiff = 1.05;              // of the box of S: its parts reach beyond it
static const double of_cells = 10.0, of_both = 20.0;  // what is stated: as many times that
static const double first_bend = 1e-3;                // of the modulus, in the first pass
static const double finest = 1e-5;                    // tolerance of two curved fields, at least
// rays that are looked along for a second crossing, and looks along each
enum { fold_rays = 200, fold_looks = 24, most_parts = 200000 };
// parts of two curved fields that are looked at; where there are more, all are made anew, coarser
static const double parts_by_tolerance = 20.0, coarser = 1.4;
// [-]  of the largest pressure: the error allowed when it is looked for, what counts as seen, and
// where the search ends
static const double look_bend = 0.1, fainter = 0.2, faintest = 1e-6;

typedef struct part {
  double x[4][3], t[4], s[4];  // [m], [Pa]  vertices, p_T, p_S
  uint64_t path;               // 1, then a bit for each halving
  int depth;
} part;

typedef struct graded {
  limpet_pressure_surface *surface;
  const limpet_pressure_body *s, *t;
  limpet_pressure_frame frame;  // of T in S
  bool s_is_a, looking;         // first pass
  bool both;                    // T is convex in closed form as well
  bool strict;                  // all of a field's bend counts as an error of the pressure
  int parts;                    // so far
  int most_parts;               // no more than these are looked at
  int first_depth;  // halvings in the first pass of parts that the surface does not cross
  double least, most, allowed;  // [Pa]
  double area, aside;           // [m^2], [m]  seen so far; allowed distance from the surface
  double worst;                 // [Pa]  bend of the parts that are kept
  int cell;                     // of T; both: of its box
} graded;

// Pressure of S at x of the frame of T.
static double pressure_s(const graded *w, const double x[3], double g[3]) {
  double y[3], h[3];
  int piece;
  limpet_mat3_mul_vec(y, w->frame.rotation, x);
  limpet_vec3_add(y, y, w->frame.offset);
  const double p = limpet_pressure_closed_form(w->s->field, y, g ? h : NULL, &piece);
  if (g) limpet_mat3_tmul_vec(g, w->frame.rotation, h);
  return p;
}

// Pressure of T at x of its frame.
static double pressure_t(const graded *w, const double x[3], double g[3]) {
  const limpet_pressure_field *t = w->t->field;
  int piece;
  if (w->both) return limpet_pressure_closed_form(t, x, g, &piece);
  const limpet_pressure_cell *cell = &t->cell[w->cell];
  if (g) limpet_vec3_copy(g, cell->gradient);
  return limpet_vec3_dot(cell->gradient, x) + cell->offset;
}

// The most of a concave field in a part, by its tangent plane at c.
static double most_of(const part *p, const double c[3], double at_c, const double g[3]) {
  double most = -INFINITY;
  for (int k = 0; k < 4; ++k) {
    double d[3];
    limpet_vec3_sub(d, p->x[k], c);
    most = fmax(most, at_c + limpet_vec3_dot(g, d));
  }
  return most;
}

/* What is seen of a part at its centre: the pressures there, and how much of the difference of each
 * field from its interpolation is an error of the pressure where D = 0: the share that the other
 * one has of the slope of D. A stiff body's field may bend by far more than the pressure on a soft
 * one. */
typedef struct part_middle {
  double s, t, share[2];
  double slope;  // [Pa/m]  of D
} part_middle;

static void fill_shares(const double gs[3], const double gt[3], part_middle *seen) {
  double slope[3];
  limpet_vec3_sub(slope, gs, gt);
  const double s = limpet_vec3_norm(gs), t = limpet_vec3_norm(gt), both = limpet_vec3_norm(slope);
  seen->slope = both;
  seen->share[0] = t < both ? t / both : 1.0, seen->share[1] = s < both ? s / both : 1.0;
}

// The same as below of two concave fields.
static bool both_may_meet(const graded *w, const part *p, part_middle *seen) {
  double c[3] = {0.0, 0.0, 0.0}, gs[3], gt[3], low_s = INFINITY, low_t = INFINITY;
  for (int k = 0; k < 4; ++k) {
    limpet_vec3_addmul(c, c, 0.25, p->x[k]);
    low_s = fmin(low_s, p->s[k]), low_t = fmin(low_t, p->t[k]);
  }
  seen->s = pressure_s(w, c, gs), seen->t = pressure_t(w, c, gt);
  const double most_s = most_of(p, c, seen->s, gs), most_t = most_of(p, c, seen->t, gt);
  fill_shares(gs, gt, seen);
  return low_s < most_t && low_t < most_s && most_s >= w->least && most_t >= w->least;
}

// Whether there is a place with D = 0 above the least.
static bool may_meet(const graded *w, const part *p, part_middle *seen) {
  if (w->both) return both_may_meet(w, p, seen);
  const double *gt = w->t->field->cell[w->cell].gradient;
  double low = INFINITY, high = -INFINITY, c[3] = {0.0, 0.0, 0.0}, g[3];
  for (int k = 0; k < 4; ++k) {
    limpet_vec3_addmul(c, c, 0.25, p->x[k]);
    low = fmin(low, p->s[k] - p->t[k]), high = fmax(high, p->t[k]);
  }
  if (low >= 0.0 || high < w->least) return false;
  const double s = pressure_s(w, c, g), t = 0.25 * (p->t[0] + p->t[1] + p->t[2] + p->t[3]);
  seen->s = s, seen->t = t;
  fill_shares(g, gt, seen);
  bool positive = false, pressed = false;
  for (int k = 0; k < 4; ++k) {
    double d[3];
    limpet_vec3_sub(d, p->x[k], c);
    const double tangent = s + limpet_vec3_dot(g, d);
    positive |= tangent - (t + limpet_vec3_dot(gt, d)) >= 0.0, pressed |= tangent >= w->least;
  }
  return positive && pressed;
}

/* How much both fields differ from their interpolations at one place: as an error of the pressure,
 * or, where that is more, of the place of the surface. */
static double difference(const graded *w, const part_middle *seen, double s, double t) {
  const double gap = fabs(s) + fabs(t);
  const double pressed = w->strict ? gap : seen->share[0] * fabs(s) + seen->share[1] * fabs(t);
  return fmax(pressed, gap * w->allowed / (seen->slope * w->aside));
}

/* The largest difference of a field from its interpolation, at the middles of the edges and
 * of the part; the longest edge, with both pressures in its middle. */
static double bend_of(const graded *w, const part *p, const part_middle *seen, int edge[2],
                      double middle[3], double there[2]) {
  double longest = -1.0,
         bend = difference(w, seen, seen->s - 0.25 * (p->s[0] + p->s[1] + p->s[2] + p->s[3]),
                           seen->t - 0.25 * (p->t[0] + p->t[1] + p->t[2] + p->t[3]));
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      double m[3];
      for (int k = 0; k < 3; ++k) m[k] = 0.5 * (p->x[i][k] + p->x[j][k]);
      const double mean = 0.5 * (p->t[i] + p->t[j]), s = pressure_s(w, m, NULL),
                   t = w->both ? pressure_t(w, m, NULL) : mean,
                   length = limpet_vec3_distance(p->x[i], p->x[j]);
      bend = fmax(bend, difference(w, seen, s - 0.5 * (p->s[i] + p->s[j]), t - mean));
      if (length > longest * (1.0 + 1e-12)) {
        longest = length, edge[0] = i, edge[1] = j, there[0] = s, there[1] = t;
        limpet_vec3_copy(middle, m);
      }
    }
  return bend;
}

static void fill_face(const graded *w, limpet_pressure_face *face, const double n[3],
                      const double at[3]) {
  double g[3], gt[3], normal[3];
  pressure_s(w, at, g), pressure_t(w, at, gt);
  const double slope_s = fmax(0.0, -limpet_vec3_dot(g, n)),
               slope_t = fmax(0.0, limpet_vec3_dot(gt, n));
  face->gradient_a = w->s_is_a ? slope_s : slope_t,
  face->gradient_b = w->s_is_a ? slope_t : slope_s;
  const int element = w->both ? -1 : w->cell;
  face->element_a = w->s_is_a ? -1 : element, face->element_b = w->s_is_a ? element : -1;
  limpet_vec3_scale(normal, w->s_is_a ? 1.0 : -1.0, n);
  limpet_mat3_mul_vec(face->normal, w->t->rotation, normal);
}

static void middle_of(const limpet_pressure_polygon *polygon, double c[3]) {
  limpet_vec3_zero(c);
  for (int k = 0; k < polygon->count; ++k)
    limpet_vec3_addmul(c, c, 1.0 / polygon->count, polygon->vertex[k]);
}

/* The mean of D over a polygon where its interpolation is zero: three quarters of that in the
 * middle and a quarter of that at the corners, as of a quadratic function over a triangle. *lift:
 * the same of p_T less its interpolation `slope` (4). */
static double mean_gap(const graded *w, const limpet_pressure_polygon *polygon,
                       const double slope[4], double *lift) {
  double c[3], corners = 0.0, above = 0.0;
  middle_of(polygon, c);
  for (int k = 0; k < polygon->count; ++k) {
    const double *x = polygon->vertex[k], t = pressure_t(w, x, NULL);
    corners += pressure_s(w, x, NULL) - t;
    above += t - limpet_vec3_dot(slope, x) - slope[3];
  }
  const double t = pressure_t(w, c, NULL), middle = pressure_s(w, c, NULL) - t;
  *lift = 0.75 * (t - limpet_vec3_dot(slope, c) - slope[3]) + 0.25 * above / polygon->count;
  return 0.75 * middle + 0.25 * corners / polygon->count;
}

/* The linear function slope . (x, 1) that is p_T at the vertices; false: the part is flat. */
static bool slope_of(const graded *w, const part *p, double slope[4]) {
  if (!w->both) {
    const limpet_pressure_cell *cell = &w->t->field->cell[w->cell];
    limpet_vec3_copy(slope, cell->gradient), slope[3] = cell->offset;
    return true;
  }
  double e[3][3], across[3][3];
  for (int k = 0; k < 3; ++k) limpet_vec3_sub(e[k], p->x[k + 1], p->x[0]);
  for (int k = 0; k < 3; ++k) limpet_vec3_cross(across[k], e[(k + 1) % 3], e[(k + 2) % 3]);
  const double volume = limpet_vec3_dot(e[0], across[0]);
  if (volume == 0.0) return false;
  limpet_vec3_zero(slope);
  for (int k = 0; k < 3; ++k)
    limpet_vec3_addmul(slope, slope, (p->t[k + 1] - p->t[0]) / volume, across[k]);
  slope[3] = p->t[0] - limpet_vec3_dot(slope, p->x[0]);
  return true;
}

// The polygon of a part in which p_S counts as linear.
static void emit(graded *w, const part *p, double bend) {
  limpet_pressure_polygon polygon;
  const double *x[4] = {p->x[0], p->x[1], p->x[2], p->x[3]};
  double D[4], n[3] = {0.0, 0.0, 0.0}, own[4];
  int top = 0;
  for (int k = 0; k < 4; ++k) {
    D[k] = p->s[k] - p->t[k];
    if (D[k] > D[top]) top = k;
  }
  limpet_pressure_slice(&polygon, x, D);
  if (polygon.count < 3 || !slope_of(w, p, own)) return;
  double lift;
  const double gap = mean_gap(w, &polygon, own, &lift);
  for (int k = 0; k < 4; ++k) D[k] += gap;
  if (w->both) own[3] += lift;
  limpet_pressure_slice(&polygon, x, D);
  limpet_pressure_clip(&polygon, own, own[3] - w->least);
  if (polygon.count < 3) return;
  for (int k = 1; k + 1 < polygon.count; ++k) {
    double u[3], v[3], cross[3];
    limpet_vec3_sub(u, polygon.vertex[k], polygon.vertex[0]);
    limpet_vec3_sub(v, polygon.vertex[k + 1], polygon.vertex[0]);
    limpet_vec3_cross(cross, u, v);
    limpet_vec3_add(n, n, cross);
  }
  const double twice = limpet_vec3_normalize(n);
  if (!(twice > 0.0)) return;
  w->area += 0.5 * twice;
  w->worst = fmax(w->worst, bend);
  for (int k = 0; k < polygon.count; ++k)
    w->most = fmax(w->most, limpet_vec3_dot(own, polygon.vertex[k]) + own[3]);
  if (w->looking) return;
  // from S, where D is large, into T
  double up[3], slope[3];
  limpet_vec3_sub(up, p->x[top], polygon.vertex[0]);
  if (limpet_vec3_dot(n, up) > 0.0) limpet_vec3_neg(n, n);
  limpet_pressure_face face = {.feature = (uint64_t)(w->cell + 1) << 32 | p->path};
  double middle[3];
  middle_of(&polygon, middle);
  fill_face(w, &face, n, middle);
  for (int k = 0; k < polygon.count; ++k) {
    double y[3];
    limpet_pressure_to_world(y, w->t, polygon.vertex[k]);
    limpet_vec3_copy(polygon.vertex[k], y);
  }
  limpet_mat3_mul_vec(slope, w->t->rotation, own);
  limpet_pressure_add_face(w->surface, &polygon, &face, slope,
                           own[3] - limpet_vec3_dot(slope, w->t->position));
}

// Whether D is positive at a vertex, of a part where it is negative at another.
static bool is_crossed(const part *p) {
  bool positive = false;
  for (int k = 0; k < 4; ++k) positive |= p->s[k] >= p->t[k];
  return positive;
}

static void divide(graded *w, const part *p) {
  part_middle seen = {.share = {1.0, 1.0}};
  if (w->parts > w->most_parts) return;
  if (!may_meet(w, p, &seen)) return;
  ++w->parts;
  int edge[2] = {0, 1};
  double middle[3] = {0.0, 0.0, 0.0}, there[2] = {0.0, 0.0};
  const double bend = bend_of(w, p, &seen, edge, middle, there);
  const int most = w->both         ? deepest_of_both
                   : !w->looking   ? deepest
                   : is_crossed(p) ? first_cut
                                   : w->first_depth;
  if (bend <= w->allowed || p->depth >= most) {
    emit(w, p, bend);
    return;
  }
  for (int side = 0; side < 2; ++side) {
    part half = *p;
    const int k = edge[side];
    limpet_vec3_copy(half.x[k], middle);
    half.s[k] = there[0], half.t[k] = there[1];
    half.path = 2 * p->path + (uint64_t)side, half.depth = p->depth + 1;
    divide(w, &half);
  }
}

static void visit(graded *w, int cell) {
  const limpet_pressure_field *field = w->t->field;
  part p = {.path = 1};
  w->cell = cell;
  for (int k = 0; k < 4; ++k) {
    const int v = field->tetrahedra[4 * cell + k];
    limpet_vec3_copy(p.x[k], field->vertices + 3 * v);
    p.t[k] = field->pressure[v], p.s[k] = pressure_s(w, p.x[k], NULL);
  }
  divide(w, &p);
}

// Every tetrahedron whose box meets the sphere around S.
static void descend(graded *w) {
  const limpet_pressure_field *t = w->t->field;
  const limpet_pressure_info *info = &w->s->field->info;
  const double grown = 1.0 - fmin(w->least, 0.0) / w->s->field->modulus;
  double radius = 0.0, centre[3], back[3];
  for (int i = 0; i < 3; ++i) radius += info->high[i] * info->high[i];
  radius = sqrt(radius) * grown;
  limpet_vec3_neg(back, w->frame.offset);
  limpet_mat3_tmul_vec(centre, w->frame.rotation, back);
  int stack[LIMPET_ITEM_TREE_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int k = stack[--depth];
    const limpet_item_node *node = &t->tree.node[k];
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double away = fmax(0.0, fabs(centre[i] - node->centre[i]) - node->half[i]);
      square += away * away;
    }
    if (square > radius * radius) continue;
    if (node->item >= 0) visit(w, node->item);
    else stack[depth++] = node->next, stack[depth++] = k + 1;
  }
}

/* The corner of the box of T, grown outside, or of that of S in a half space, that is high where
 * `high` says so; in the frame of T. */
static void corner_of(const graded *w, const bool high[3], double x[3]) {
  const bool of_s = w->t->field->kind == LIMPET_SHAPE_PLANE;
  const limpet_pressure_field *field = of_s ? w->s->field : w->t->field;
  // the surface of a stiff body may lie in the faces of its box
  const double grown = (of_s ? beyond_stiff : 1.0) - fmin(w->least, 0.0) / field->modulus;
  double y[3];
  for (int i = 0; i < 3; ++i) {
    const double end = high[i] ? field->info.high[i] : field->info.low[i];
    y[i] = field->centre[i] + grown * (end - field->centre[i]);
  }
  limpet_vec3_copy(x, y);
  if (!of_s) return;
  limpet_vec3_sub(y, y, w->frame.offset);
  limpet_mat3_tmul_vec(x, w->frame.rotation, y);
}

// The six tetrahedra of a box, along its diagonal.
static void visit_box(graded *w) {
  static const int order[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
  for (w->cell = 0; w->cell < 6; ++w->cell) {
    part p = {.path = 1};
    bool high[3] = {false, false, false};
    for (int k = 0; k < 4; ++k) {
      if (k == 1 || k == 2) high[order[w->cell][k - 1]] = true;
      if (k == 3) high[0] = high[1] = high[2] = true;
      corner_of(w, high, p.x[k]);
      p.t[k] = pressure_t(w, p.x[k], NULL), p.s[k] = pressure_s(w, p.x[k], NULL);
    }
    divide(w, &p);
  }
}

/* Makes the surface by parts, all of them coarser until there are few enough; in cells at first so
 * fine that all of a curved field's bend counts. scale [Pa]: about the
 * largest pressure on it. */
static void make(graded *w, double tolerance, double scale) {
  w->looking = false, w->strict = !w->both;
  w->aside = beside_share * tolerance * sqrt(w->area);
  w->most_parts = (int)fmin(parts_by_tolerance / tolerance, most_parts);
  for (w->allowed = bend_share * tolerance * scale;; w->allowed *= coarser, w->aside *= coarser) {
    w->parts = 0, w->worst = w->most = w->area = 0.0;
    if (w->both) visit_box(w);
    else descend(w);
    if (w->parts <= w->most_parts) break;
    limpet_pressure_restart(w->surface);
    if (w->strict) w->allowed /= coarser, w->aside /= coarser;
    w->strict = false;
  }
  w->surface->error +=
      (w->both ? of_both : of_cells) * w->worst / (bend_share * fmax(w->most, -w->least));
}

/* About the largest pressure on the surface, by coarse parts, ever finer until one of them is
 * crossed or none may be; the layer outside sets the scale where nothing is pressed yet. */
static double look_in_cells(graded *w) {
  w->looking = w->strict = true, w->aside = INFINITY, w->most_parts = INT_MAX;
  w->allowed = first_bend * w->s->field->modulus;
  for (w->first_depth = first_pass; w->first_depth <= deepest; w->first_depth += first_pass) {
    w->parts = 0, w->most = w->area = 0.0;
    descend(w);
    if (w->most > 0.0 || w->parts == 0) break;
  }
  return fmax(w->most, -w->least);
}

void limpet_pressure_graded(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  graded w = {.surface = surface, .least = limpet_pressure_least(work)};
  w.s_is_a = work->a->field->kind != LIMPET_SHAPE_COUNT;
  w.s = w.s_is_a ? work->a : work->b, w.t = w.s_is_a ? work->b : work->a;
  w.frame = limpet_pressure_frame_of(w.t, w.s);
  const double scale = look_in_cells(&w);
  if (scale > 0.0) make(&w, work->query->tolerance, scale);
}

/* The largest pressure on the surface of two curved fields, by coarse parts: all that may be there
 * is `most`; ever finer, until something is seen. 0: there is no surface, or next to nothing of it.
 */
static double look_for_most(graded *w, double most) {
  w->looking = true, w->aside = INFINITY;
  for (double scale = most; scale > faintest * most; scale *= fainter) {
    w->allowed = look_bend * scale;
    w->parts = 0, w->most = w->area = 0.0;
    visit_box(w);
    if (w->parts == 0) return 0.0;
    const double seen = fmax(w->most, -w->least);
    if (seen >= fainter * scale) return seen;
  }
  return 0.0;
}

void limpet_pressure_parts(limpet_pressure_surface *surface, const limpet_pressure_body *s,
                           const limpet_pressure_body *t) {
  const limpet_pressure_workspace *work = surface->workspace;
  graded w = {.surface = surface, .least = limpet_pressure_least(work), .both = true};
  w.s_is_a = s == work->a, w.s = s, w.t = t;
  w.frame = limpet_pressure_frame_of(t, s);
  const double tolerance = fmax(work->query->tolerance, finest);
  w.most_parts = most_parts;
  const double bound = fmin(s->field->modulus, t->field->modulus);
  const double scale = look_for_most(&w, bound);
  if (!(scale > 0.0)) return;
  make(&w, tolerance, scale);
}

// How often D changes its sign along a ray from x along u, in the frame of T.
static int crossings(const graded *w, const double x[3], const double u[3], double far) {
  int count = 0;
  double before = 0.0;
  for (int k = 0; k <= fold_looks; ++k) {
    double y[3];
    limpet_vec3_addmul(y, x, far * k / fold_looks, u);
    const double s = pressure_s(w, y, NULL), t = pressure_t(w, y, NULL), D = s - t;
    if (fmax(s, t) < w->least) break;
    count += before * D < 0.0;
    before = D;
  }
  return count;
}

bool limpet_pressure_folded(limpet_pressure_surface *surface, const limpet_pressure_body *s,
                            const limpet_pressure_body *t, const double origin[3]) {
  const limpet_pressure_workspace *work = surface->workspace;
  graded w = {.surface = surface, .least = limpet_pressure_least(work), .both = true};
  w.s_is_a = s == work->a, w.s = s, w.t = t;
  w.frame = limpet_pressure_frame_of(t, s);
  const limpet_pressure_info *info = &s->field->info;
  const double far = limpet_vec3_distance(info->low, info->high);
  double back[3], x[3];
  limpet_vec3_sub(back, origin, w.frame.offset);
  limpet_mat3_tmul_vec(x, w.frame.rotation, back);
  for (int k = 0; k < fold_rays; ++k) {
    // a spiral from pole to pole
    const double z = 1.0 - (2.0 * k + 1.0) / fold_rays, r = sqrt(1.0 - z * z),
                 turn = LIMPET_PI * (3.0 - sqrt(5.0)) * k;
    if (crossings(&w, x, (const double[3]){r * cos(turn), r * sin(turn), z}, far) > 1) return true;
  }
  return false;
}
