/* geometry/pressure_pole.c: where rays that sweep a contact surface start, and where their pole is.
 *
 * The pole points to the place of S's boundary that lies deepest in T. o is the point of the core
 * that is nearest to that place. Where D = p_S - p_T is not clearly positive there, o lies farther
 * up: along the core, and above it in a plane, which D is concave against. */
#include <limits.h>
#include <math.h>

#include "geometry/pressure_centre.h"
#include "geometry/pressure_rays.h"
#include "math/vec3.h"

enum { level_steps = 60, ways_within = 32 };
static const double aside = 0.04;  // [rad]  of the pole from the deepest place
static const double clear = 0.2;   // [-]  of the depth of a field: far from where pieces meet
// [-]  of S's modulus, or of the best: D where rays start, at least
static const double clearly = 0.8;
static const double half = 0.5;     // [-]  of the best: a place in the middle of both bodies
static const double on_side = 0.7;  // [-]  cosine of an axis and the pole
// [-]  of the pressure at S's core: a place in T that may be beside the surface; last step in edges
static const double shallow = 0.1, least_step = 1e-3;
static const double hard = 10.0;  // [-]  modulus of a rigid body over that of the other, for a pole
static const double growth = 0.1, nearly = 0.75;  // [-]  see steady_pole
static const double level_share = 1e-6;  // [-]  bodies that just do not touch: places as good
/* [rad]  Steps of the search for the pole. The last is this share of the tolerance: a pole next to
 * an edge of S would hide a sliver between the panels of theta. */
static const double first_turn = 0.5, turn_share = 1e-3;

// How deep in T the boundary of S is along w.
static double depth_along(const limpet_pressure_rays *c, const double w[3], double x[3]) {
  int piece = -1;
  limpet_vec3_addmul(x, c->origin, limpet_pressure_rays_leave(c, w, 0.0, 0.0), w);
  return limpet_pressure_rays_other(c, x, NULL, &piece);
}

// Turns the pole towards the deepest place by smaller and smaller steps; x: that place.
static double search_pole(limpet_pressure_rays *c, double x[3]) {
  const double scale = c->t->field->modulus;
  double best = depth_along(c, c->pole, x);
  for (double turn = first_turn; turn > turn_share * c->tolerance;) {
    double t1[3], t2[3], to[3], w[3], from[3];
    bool better = false;
    limpet_vec3_copy(from, c->pole);
    limpet_vec3_tangents(t1, t2, from);
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.25 * LIMPET_PI * k;
      limpet_vec3_addmul(w, from, tan(turn) * cos(angle), t1);
      limpet_vec3_addmul(w, w, tan(turn) * sin(angle), t2);
      limpet_vec3_normalize(w);
      const double p = depth_along(c, w, to);
      if (!(p > best + LIMPET_PRESSURE_PLATEAU * scale)) continue;
      best = p, better = true;
      limpet_vec3_copy(c->pole, w), limpet_vec3_copy(x, to);
    }
    if (!better) turn *= 0.5;
  }
  return best;
}

static double deepest_pole(limpet_pressure_rays *c, double x[3]) {
  double g[3];
  int piece = -1;
  limpet_pressure_rays_other(c, c->origin, g, &piece);
  limpet_vec3_copy(c->pole, g);
  limpet_vec3_normalize(c->pole);
  return search_pole(c, x);
}

/* min(p_S, p_T) and its gradient at x; a rigid S counts as `hard` times as stiff as T. It is
 * concave. */
static double least_of_both(const limpet_pressure_rays *c, const double x[3], double g[3]) {
  const limpet_pressure_field *s = c->s->field;
  double h[3];
  int piece = -1;
  double p = limpet_pressure_closed_form(s, x, g, &piece);
  if (s->rigid) {
    p *= hard * c->t->field->modulus;
    limpet_vec3_scale(g, hard * c->t->field->modulus, g);
  }
  const double q = limpet_pressure_rays_other(c, x, h, &piece);
  if (q < p) limpet_vec3_copy(g, h);
  return fmin(p, q);
}

/* Whether a place is good enough: that share as high as any, where bodies are pressed; before they
 * touch as high as half way up from the least. */
static bool is_good(const limpet_pressure_rays *c, double share, double best, double bound) {
  const double rise = bound - c->least;
  if (best > 0.0) return best >= share * bound;
  return (bound <= 0.0 && best - c->least >= 0.5 * rise) || bound - best <= level_share * rise;
}

// Of a place in the frame of S, with its gradient.
typedef double concave_function(const limpet_pressure_rays *c, const double x[3], double g[3]);

/* A place where a concave function is that share as high as at its best, by Shor's ellipsoids: each
 * gradient cuts one through its centre, or deeper by how much better the best so far is; the
 * next is the smallest around what is left. Edges do not hold it up. False: it is nowhere above the
 * least. */
static bool high_place(const limpet_pressure_rays *c, concave_function *function, double share,
                       double x[3]) {
  enum { n = 3, most = 600 };
  double P[9] = {0}, at[3] = {0.0, 0.0, 0.0}, g[3], best = -INFINITY;
  for (int i = 0; i < n; ++i) P[4 * i] = 1.02 * c->radius * c->radius;
  for (int k = 0; k < most; ++k) {
    const double f = function(c, at, g);
    if (f > best) best = f, limpet_vec3_copy(x, at);
    double b[3];
    limpet_mat3_mul_vec(b, P, g);
    const double width = sqrt(fmax(0.0, limpet_vec3_dot(g, b))), bound = f + width;
    if (bound <= c->least) return false;
    if (!(width > 0.0) || is_good(c, share, best, bound)) break;
    const double depth = (best - f) / width, step = (1.0 + n * depth) / (n + 1.0),
                 shrink = 2.0 * step / (1.0 + depth),
                 grow = n * n * (1.0 - depth * depth) / (n * n - 1.0);
    if (!(depth < 1.0)) break;
    limpet_vec3_scale(b, 1.0 / width, b);
    limpet_vec3_addmul(at, at, step, b);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) P[n * i + j] = grow * (P[n * i + j] - shrink * b[i] * b[j]);
  }
  return best > c->least;
}

// Pressure of S at the point of a tetrahedron of T that has these barycentric coordinates; x:
// where.
static double at_barycentric(const limpet_pressure_rays *c, int cell, const double b[4],
                             double x[3]) {
  const limpet_pressure_field *field = c->t->field;
  double y[3] = {0.0, 0.0, 0.0};
  int piece;
  for (int i = 0; i < 4; ++i)
    limpet_vec3_addmul(y, y, b[i], field->vertices + 3 * field->tetrahedra[4 * cell + i]);
  limpet_mat3_mul_vec(x, c->frame.rotation, y);
  limpet_vec3_add(x, x, c->frame.offset);
  return limpet_pressure_closed_form(c->s->field, x, NULL, &piece);
}

// The best vertex, or middle of an edge, of a tetrahedron.
static double best_corner(const limpet_pressure_rays *c, int cell, double best_b[4],
                          double best_x[3]) {
  double best = -INFINITY;
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) {
      double b[4] = {0.0}, x[3];
      b[i] += 0.5, b[j] += 0.5;
      const double p = at_barycentric(c, cell, b, x);
      if (!(p > best)) continue;
      best = p;
      limpet_vec3_copy(best_x, x);
      for (int k = 0; k < 4; ++k) best_b[k] = b[k];
    }
  return best;
}

/* From a place in a tetrahedron to its deepest one in S, along edges by smaller and smaller steps:
 * the pressure of S is concave. */
static double deepen(const limpet_pressure_rays *c, int cell, double best, double b[4],
                     double x[3]) {
  for (double step = 0.25; step > least_step;) {
    bool better = false;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        double moved[4] = {b[0], b[1], b[2], b[3]}, to[3];
        const double way = fmin(step, b[j]);
        if (i == j || !(way > 0.0)) continue;
        moved[i] += way, moved[j] -= way;
        const double p = at_barycentric(c, cell, moved, to);
        if (!(p > best)) continue;
        best = p, better = true;
        limpet_vec3_copy(x, to);
        for (int k = 0; k < 4; ++k) b[k] = moved[k];
      }
    if (!better) step *= 0.5;
  }
  return best;
}

static double longest_edge(const limpet_pressure_field *field, int cell) {
  double longest = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      longest = fmax(longest,
                     limpet_vec3_distance(field->vertices + 3 * field->tetrahedra[4 * cell + i],
                                          field->vertices + 3 * field->tetrahedra[4 * cell + j]));
  return longest;
}

// A place in a tetrahedron of T; of places as deep that of the first cell counts.
typedef struct deep_place {
  double pressure, x[3];  // [Pa], or [-] where S is rigid; [m]
  int cell;
} deep_place;

// What no place in a box of T's tree exceeds.
static double most_in_box(const limpet_pressure_rays *c, int number) {
  const limpet_item_node *node = &c->t->field->tree.node[number];
  double x[3];
  int piece;
  limpet_mat3_mul_vec(x, c->frame.rotation, node->centre);
  limpet_vec3_add(x, x, c->frame.offset);
  return limpet_pressure_closed_form(c->s->field, x, NULL, &piece) +
         limpet_vec3_norm(node->half) * c->s->field->info.gradient_most;
}

// Of one tetrahedron: its corners and middles of edges, or (within) all of it.
static void deepest_of_cell(const limpet_pressure_rays *c, int cell, bool within,
                            deep_place *best) {
  const limpet_pressure_field *s = c->s->field, *t = c->t->field;
  deep_place here = {.cell = cell};
  double b[4] = {0.0};
  here.pressure = best_corner(c, cell, b, here.x);
  if (within) {
    const double rise = 0.5 * longest_edge(t, cell) * s->info.gradient_most;
    if (!(here.pressure + rise > best->pressure)) return;
    here.pressure = deepen(c, cell, here.pressure, b, here.x);
  }
  if (here.pressure > best->pressure || (here.pressure == best->pressure && cell < best->cell))
    *best = here;
}

/* The deepest place of all tetrahedra that may have a deeper one than `best`: boxes of T's tree,
 * the one that may have the deepest first. */
static void deepest_of_tree(const limpet_pressure_rays *c, bool within, deep_place *best) {
  const limpet_item_tree *tree = &c->t->field->tree;
  int stack[LIMPET_ITEM_TREE_DEPTH + 1], depth = 0;
  double most[LIMPET_ITEM_TREE_DEPTH + 1];
  stack[depth] = 0, most[depth++] = INFINITY;
  while (depth > 0) {
    const int number = stack[--depth];
    const limpet_item_node *node = &tree->node[number];
    if (most[depth] < best->pressure) continue;
    if (node->item >= 0) {
      deepest_of_cell(c, node->item, within, best);
      continue;
    }
    int child[2] = {number + 1, node->next};
    double bound[2] = {most_in_box(c, child[0]), most_in_box(c, child[1])};
    const int first = bound[1] > bound[0];
    stack[depth] = child[1 - first], most[depth++] = bound[1 - first];
    stack[depth] = child[first], most[depth++] = bound[first];
  }
}

/* The vertex, or middle of an edge, of the tetrahedra of T that lies deepest in S. Where that is
 * shallow, a face may touch where none of these is near, and rays about the pole would miss it: the
 * deepest place of each tetrahedron that may have a deeper one. Cost: a few cells, by T's tree. */
static void mesh_pole(const limpet_pressure_rays *c, double x[3]) {
  const limpet_pressure_field *s = c->s->field;
  const double top = s->rigid ? 1.0 : s->modulus;
  deep_place best = {.pressure = -INFINITY, .cell = INT_MAX};
  deepest_of_tree(c, false, &best);
  if (best.pressure < shallow * top) deepest_of_tree(c, true, &best);
  limpet_vec3_copy(x, best.x);
}

/* The long axis of a body that lies on its side, seen from the pole. Mirror planes of a surface
 * then lie between panels of theta, and what should cancel does: a round body at rest on its side
 * would roll away by the errors of panels askew. */
static bool long_axis(const limpet_pressure_rays *c, double axis[3]) {
  const limpet_pressure_field *const field[2] = {c->s->field, c->t->field};
  for (int k = 0; k < 2; ++k) {
    int i = 2;
    if (field[k]->kind == LIMPET_SHAPE_ELLIPSOID) {
      const double *size = field[k]->size;
      i = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    } else if (field[k]->kind != LIMPET_SHAPE_CAPSULE && field[k]->kind != LIMPET_SHAPE_CYLINDER) {
      continue;
    }
    for (int j = 0; j < 3; ++j) axis[j] = k ? c->frame.rotation[3 * j + i] : j == i;
    if (fabs(limpet_vec3_dot(axis, c->pole)) < on_side) return true;
  }
  return false;
}

static void tangents(const limpet_pressure_rays *c, double t1[3], double t2[3]) {
  double axis[3];
  if (!c->quick) {
    limpet_vec3_tangents(t1, t2, c->pole);
  } else if (long_axis(c, axis)) {
    limpet_vec3_addmul(t1, axis, -limpet_vec3_dot(axis, c->pole), c->pole);
    limpet_vec3_normalize(t1);
    limpet_vec3_cross(t2, c->pole, t1);
  } else {
    limpet_vec3_steady_tangents(t1, t2, c->pole);
  }
}

/* Whether a place on the boundary of S, which lies in T, is far from where pieces of a field meet.
 */
static bool is_clear(const limpet_pressure_rays *c, const double x[3]) {
  const limpet_pressure_field *const field[2] = {c->s->field, c->t->field};
  double y[3], z[3];
  limpet_vec3_sub(z, x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  for (int k = 0; k < 2; ++k) {
    int piece;
    const double *at = k ? y : x, p = limpet_pressure_closed_form(field[k], at, NULL, &piece),
                 margin = limpet_pressure_piece_margin(field[k], at, piece);
    const bool linear = limpet_pressure_is_linear(field[k]);
    if (!isfinite(p) || margin < clear * (linear ? field[k]->modulus : field[k]->depth))
      return false;
  }
  return true;
}

/* Moves the pole a little off the deepest place, which often lies on an edge of a body: seen from
 * there the edge would make the rays jump, seen from beside it it makes a corner. */
static void step_aside(limpet_pressure_rays *c, double best, double x[3]) {
  double t1[3], t2[3], w[3], to[3];
  tangents(c, t1, t2);
  for (double turn = aside; turn > 1e-6; turn *= 0.5) {
    limpet_vec3_addmul(w, c->pole, turn * cos(1.0), t1);
    limpet_vec3_addmul(w, w, turn * sin(1.0), t2);
    limpet_vec3_normalize(w);
    if (depth_along(c, w, to) < 0.5 * best) continue;
    limpet_vec3_copy(c->pole, w), limpet_vec3_copy(x, to);
    return;
  }
}

static bool has_edges(const limpet_pressure_field *field) {
  return limpet_pressure_is_linear(field) ? field->cell_count > 1
                                          : field->kind == LIMPET_SHAPE_CYLINDER;
}

// A pole in the middle of both bodies, and how deep in T the boundary of S is there.
static double common_pole(limpet_pressure_rays *c, double x[3]) {
  limpet_pressure_core_point(c->s->field, x, c->origin);
  limpet_vec3_sub(c->pole, x, c->origin);
  return limpet_vec3_normalize(c->pole) > 0.0 ? depth_along(c, c->pole, x) : deepest_pole(c, x);
}

/* Puts the pole into the middle of both bodies, grown by a share of their depths, if it lies nearly
 * as deep as the best one so far: where a face lies flat, the deepest place and all that depends on
 * the depth alone run around as the face tilts by round-off, and points with it, by a share of the
 * tolerance. middle: in both bodies. */
static void steady_pole(limpet_pressure_rays *c, double middle[3], double *best, double x[3]) {
  const limpet_pressure_field *s = c->s->field, *t = c->t->field;
  limpet_pressure_rays other = *c;
  const double level = c->least - growth * fmin(s->rigid ? INFINITY : s->modulus, t->modulus);
  limpet_pressure_centre(s, t, &c->frame, level, middle);
  const double from = fmin(0.0, c->least), depth = common_pole(&other, middle);
  if (!(depth - from >= nearly * (*best - from))) return;
  *c = other, *best = depth;
  limpet_vec3_copy(x, middle);
  if ((s->kind != LIMPET_SHAPE_CAPSULE && s->kind != LIMPET_SHAPE_CYLINDER) ||
      !limpet_pressure_is_linear(t))
    return;
  // against a face: straight at it, so that both sides of what lies on it are alike
  double g[3];
  int piece = -1;
  limpet_pressure_rays_other(c, c->origin, g, &piece);
  if (!(limpet_vec3_normalize(g) > 0.0)) return;
  const double straight = depth_along(c, g, middle);
  if (!(straight - from >= nearly * (*best - from))) return;
  limpet_vec3_copy(c->pole, g), *best = straight;
  limpet_vec3_copy(x, middle);
}

/* The deepest place of a round S, which is one place, where it is far from edges of T: the surface
 * is nearly even around it, and its errors cancel. */
static bool round_pole(limpet_pressure_rays *c, double x[3]) {
  if (!limpet_pressure_is_round(c->s->field)) return false;
  limpet_pressure_rays other = *c;
  if (!(deepest_pole(&other, x) > fmax(c->least, 0.0)) || !is_clear(&other, x)) return false;
  *c = other;
  return true;
}

/* Where the boundary of a rigid S lies in a T that is thin: both searches may end beside T. A place
 * in both bodies is in the middle of T, so the ways from there along T, and to T's centre, leave S
 * within T if any do. x: the deepest place that they lead to. */
static double pole_from_within(const limpet_pressure_rays *c, const double middle[3], double x[3]) {
  limpet_pressure_rays from = *c;
  double g[3], t1[3], t2[3], w[3], to[3], best;
  int piece = -1;
  limpet_vec3_copy(from.origin, middle);
  limpet_mat3_mul_vec(from.pole, c->frame.rotation, c->t->field->centre);
  limpet_vec3_add(from.pole, from.pole, c->frame.offset);
  limpet_vec3_sub(from.pole, from.pole, middle);
  limpet_pressure_rays_other(c, middle, g, &piece);
  if (!(limpet_vec3_normalize(g) > 0.0)) return -INFINITY;
  limpet_vec3_tangents(t1, t2, g);
  if (!(limpet_vec3_normalize(from.pole) > 0.0)) limpet_vec3_copy(from.pole, t1);
  best = depth_along(&from, from.pole, x);
  for (int k = 0; k < ways_within; ++k) {
    const double angle = 2.0 * LIMPET_PI * k / ways_within;
    limpet_vec3_scale(w, cos(angle), t1);
    limpet_vec3_addmul(w, w, sin(angle), t2);
    const double p = depth_along(&from, w, to);
    if (!(p > best)) continue;
    best = p;
    limpet_vec3_copy(from.pole, w);
  }
  return search_pole(&from, x);
}

/* The pole of bodies with edges: the middle of both. On the boundary of a rigid S the deepest place
 * is better, unless the search for it ended on an edge that is not as deep. */
static bool pole_beside_edges(limpet_pressure_rays *c, double x[3]) {
  double middle[3], deep[3];
  if (c->quick && round_pole(c, x)) return true;
  if (!high_place(c, least_of_both, half, middle)) return false;
  limpet_vec3_copy(x, middle);
  double best = common_pole(c, x);
  if (c->s->field->rigid) {
    limpet_pressure_rays other = *c;
    limpet_pressure_core_point(c->s->field, (const double[3]){0.0, 0.0, 0.0}, other.origin);
    const double deepest = deepest_pole(&other, deep);
    if (deepest > best) *c = other, best = deepest, limpet_vec3_copy(x, deep);
  }
  if (c->s->field->rigid && best <= c->least) {
    best = pole_from_within(c, middle, deep);
    limpet_vec3_copy(x, deep);
  } else if (c->quick) {
    steady_pole(c, middle, &best, x);
  }
  if (best > 0.0 && !(c->quick && is_clear(c, x))) step_aside(c, best, x);
  return true;
}

// D of a T that only pushes, and its gradient (NULL: not wanted). Concave against a plane.
static double rise(const limpet_pressure_rays *c, const double x[3], double g[3]) {
  double h[3];
  int piece;
  const double p = limpet_pressure_closed_form(c->s->field, x, g, &piece);
  piece = -1;
  const double q = limpet_pressure_rays_other(c, x, g ? h : NULL, &piece);
  if (!(q > 0.0)) return p;
  if (g) limpet_vec3_sub(g, g, h);
  return p - q;
}

/* Between a, where D is below `level`, and b, where it is not: where it is. D does not fall on the
 * way. */
static void rise_to(const limpet_pressure_rays *c, double level, const double a[3],
                    const double b[3], double x[3]) {
  double low = 0.0, high = 1.0, way[3];
  limpet_vec3_sub(way, b, a);
  for (int k = 0; k < level_steps; ++k) {
    const double middle = 0.5 * (low + high);
    limpet_vec3_addmul(x, a, middle, way);
    if (rise(c, x, NULL) < level) low = middle;
    else high = middle;
  }
  limpet_vec3_addmul(x, a, high, way);
}

/* Moves o to where D is clearly positive, and the pole with it. False: S's core lies so deep that T
 * presses harder everywhere, and there is no surface. */
static bool lift_origin(limpet_pressure_rays *c) {
  const limpet_pressure_field *s = c->s->field;
  const double enough = clearly * s->modulus;
  double g[3], top[3], x[3];
  int piece = -1;
  if (s->rigid || rise(c, c->origin, NULL) >= enough) return true;
  limpet_pressure_rays_other(c, c->origin, g, &piece);
  if (!(limpet_vec3_normalize(g) > 0.0)) return true;
  limpet_vec3_addmul(x, c->origin, -4.0 * c->radius, g);
  limpet_pressure_core_point(s, x, top);
  if (rise(c, top, NULL) >= enough) {
    rise_to(c, enough, c->origin, top, x);
    limpet_vec3_copy(c->origin, x);
  } else {
    limpet_vec3_copy(c->origin, top);
    if (c->t->field->kind == LIMPET_SHAPE_PLANE && !high_place(c, rise, clearly, c->origin))
      return false;
  }
  limpet_vec3_copy(c->pole, g);
  return rise(c, c->origin, NULL) > 0.0;
}

bool limpet_pressure_choose_pole(limpet_pressure_rays *c) {
  const limpet_pressure_field *t = c->t->field;
  double x[3] = {0.0, 0.0, 0.0};
  limpet_pressure_core_point(c->s->field, (const double[3]){0.0, 0.0, 0.0}, c->origin);
  if (t->kind == LIMPET_SHAPE_COUNT) {
    mesh_pole(c, x);
  } else if (has_edges(t) || has_edges(c->s->field)) {
    if (!pole_beside_edges(c, x)) return false;
  } else {
    double best = deepest_pole(c, x), middle[3];
    if (best <= c->least) return false;
    limpet_vec3_copy(middle, x);
    if (c->quick && !limpet_pressure_is_round(c->s->field) && limpet_pressure_is_linear(t))
      steady_pole(c, middle, &best, x);
  }
  limpet_pressure_core_point(c->s->field, x, c->origin);
  limpet_vec3_sub(c->pole, x, c->origin);
  limpet_vec3_normalize(c->pole);
  if (!lift_origin(c)) return false;
  tangents(c, c->t1, c->t2);
  return true;
}
