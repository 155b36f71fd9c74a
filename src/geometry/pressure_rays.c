/* geometry/pressure_rays.c: contact surfaces of curved fields, swept by rays.
 *
 * Rays x = o + t w start in the core of one body, S, which is convex. If S is rigid its surface is
 * where e_S = 0; else the contact surface is where D = p_S - p_T = 0. From its core p_S falls along
 * every ray; S is the body with the steeper field, so that D falls, too, and crosses zero once. A
 * unit normal n = -grad D/|grad D| (grad e_S if rigid) from S to T gives the area of a bundle of
 * rays, dA = t^2 sin(s)/(n.w) ds dtheta, with w at the angle s from the pole and theta around it.
 * The pole points to the place of S's boundary that lies deepest in T. o is the point of the core
 * that is nearest to that place. Where D is not clearly positive there, o lies farther up:
 * along the core, and above it in a plane, which D is concave against. All in the frame of S.
 * Where one body lies through the other a ray may cross the surface several times: such surfaces
 * are made of parts (pressure_graded.c). */
#include <limits.h>
#include <math.h>

#include "geometry/pressure_centre.h"
#include "geometry/pressure_sweep.h"
#include "math/vec3.h"

enum {
  quarters = 4,
  root_steps = 80,
  level_steps = 60,
  looks_along = 24,
  looks_mesh = 96,
  looks_round = 6,
  fine_looks = 4
};
/* [-]  Above it a ray ends where it leaves the surface, and there are fewer looks. A piece that
 * rays miss now and then is a jump from ray to ray, at which panels halve in vain. */
static const double quick_tolerance = 1e-4;
// [-]  of the longest ray: what is thinner than two looks there, by its inner radius
static const double thin_share = 2.0;
static const double clearly_back = 1e-3;  // [-]  sine of a ray and a boundary that it leaves
static const double longest_rule = 0.3;   // [rad]  of a Gauss rule along s
static const double aside = 0.04;         // [rad]  of the pole from the deepest place
static const double clear = 0.2;  // [-]  of the depth of a field: far from where pieces meet
// [-]  of S's modulus, or of the best: D where rays start, at least
static const double clearly = 0.8;
static const double half = 0.5;     // [-]  of the best: a place in the middle of both bodies
static const double on_side = 0.7;  // [-]  cosine of an axis and the pole
// [-]  of the pressure at S's core: a place in T that may be beside the surface; last step in edges
static const double shallow = 0.1, least_step = 1e-3;
static const double hard = 10.0;  // [-]  modulus of a rigid body over that of the other, for a pole
static const double growth = 0.1, nearly = 0.75;  // [-]  see steady_pole
static const double level_share = 1e-6;      // [-]  bodies that just do not touch: places as good
static const double plateau = 1e-8;          // [-]  of the modulus: less does not count as deeper
static const double root_tolerance = 4e-15;  // [-]  of t
/* [rad]  Steps of the search for the pole. The last is this share of the tolerance: a pole next to
 * an edge of S would hide a sliver between the panels of theta. */
static const double first_turn = 0.5, turn_share = 1e-3;

// What one place leaves for the next: where to look first, and what was computed of theta.
typedef struct ray_memory {
  double t;                    // [m]  of the last crossing; 0: none yet
  double theta, cosine, sine;  // NAN: none yet
} ray_memory;

typedef struct ray_chart {
  limpet_pressure_chart chart;
  ray_memory *memory;
  const limpet_pressure_body *s, *t;
  limpet_pressure_frame frame;  // of T in S
  bool s_is_a;
  double least;      // [Pa]
  double last_turn;  // [rad]
  double radius;     // [m]  of a sphere about the origin of S that holds it, grown outside
  bool quick;        // the tolerance is above quick_tolerance
  bool falls;        // D falls along every ray, at any distance
  double origin[3], pole[3], t1[3], t2[3];
  double back[3];  // [m]  where the ray opposite to the pole leaves S
} ray_chart;

// Pressure of T at x of the frame of S.
static double pressure_t(const ray_chart *c, const double x[3], double g[3], int *piece) {
  const limpet_pressure_field *field = c->t->field;
  double y[3], z[3], h[3];
  limpet_vec3_sub(z, x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  double p;
  if (field->kind != LIMPET_SHAPE_COUNT) {
    p = limpet_pressure_closed_form(field, y, g ? h : NULL, piece);
  } else {
    *piece = limpet_pressure_locate(field, y, *piece);
    if (*piece < 0) {
      if (g) limpet_vec3_zero(g);
      return -INFINITY;
    }
    const limpet_pressure_cell *cell = &field->cell[*piece];
    p = limpet_vec3_dot(cell->gradient, y) + cell->offset;
    if (g) limpet_vec3_copy(h, cell->gradient);
  }
  if (g) limpet_mat3_mul_vec(g, c->frame.rotation, h);
  return p;
}

/* Along a ray from o: where p_S falls to `level`. p_S is concave: from anywhere on the slope
 * Newton's method comes down to it from outside. start: where to look first [m]; 0: far outside. */
static double leave(const ray_chart *c, const double w[3], double level, double start) {
  const limpet_pressure_field *field = c->s->field;
  const double far = 2.0 * c->radius;
  double t = start > 0.0 ? start : far, x[3], g[3];
  int piece;
  for (int k = 0; k < root_steps; ++k) {
    limpet_vec3_addmul(x, c->origin, t, w);
    const double p = limpet_pressure_closed_form(field, x, g, &piece) - level,
                 rate = limpet_vec3_dot(g, w), next = t - p / rate;
    if (!(rate < 0.0) && t < far) {
      t = far;
      continue;
    }
    if (!(rate < 0.0) || fabs(next - t) <= root_tolerance * t) return t;
    t = fmin(next, far);
  }
  return t;
}

typedef struct crossing {
  double t, x[3], p, pt, gs[3], gt[3];
  int piece_s, piece_t;
} crossing;

static double gap_at(const ray_chart *c, const double w[3], double t, crossing *at) {
  at->t = t;
  limpet_vec3_addmul(at->x, c->origin, t, w);
  at->p = limpet_pressure_closed_form(c->s->field, at->x, at->gs, &at->piece_s);
  at->pt = pressure_t(c, at->x, at->gt, &at->piece_t);
  return at->p - at->pt;
}

/* Where D = 0 along a ray: Newton's method from t, kept between o, where D is positive, and `high`
 * [m], where it is negative. */
static void find_root(const ray_chart *c, const double w[3], double t, double high, crossing *at) {
  double low = 0.0;
  at->piece_t = -1;
  for (int k = 0; k < root_steps; ++k) {
    const double gap = gap_at(c, w, t, at),
                 rate = limpet_vec3_dot(at->gs, w) - limpet_vec3_dot(at->gt, w);
    if (gap == 0.0) return;
    if (gap > 0.0) low = t;
    else high = t;
    double next = t - gap / rate;
    if (fabs(next - t) <= root_tolerance * c->radius) return;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    t = next;
  }
}

static bool cross_rigid(const ray_chart *c, const double w[3], crossing *at) {
  at->piece_t = -1;
  at->t = leave(c, w, 0.0, c->memory->t);
  limpet_vec3_addmul(at->x, c->origin, at->t, w);
  at->p = limpet_pressure_closed_form(c->s->field, at->x, at->gs, &at->piece_s);
  at->p = at->pt = pressure_t(c, at->x, at->gt, &at->piece_t);
  c->memory->t = at->t;
  return at->p >= c->least;
}

/* Where D = 0 along a ray; false: nowhere with p above the least, and `at` tells where it is below.
 * The crossing next to the last one first. */
static bool cross(const ray_chart *c, const double w[3], crossing *at) {
  if (c->s->field->rigid) return cross_rigid(c, w, at);
  if (c->memory->t > 0.0 || c->falls) {
    find_root(c, w, c->memory->t > 0.0 ? c->memory->t : 0.5 * c->radius, 2.0 * c->radius, at);
    if (at->p >= c->least) c->memory->t = at->t;
    if (at->p >= c->least || c->falls) return at->p >= c->least;
  }
  crossing edge = {.piece_t = -1};
  const double high = leave(c, w, c->least, 0.0);
  const bool known = c->memory->t > 0.0;
  if (!(gap_at(c, w, high, &edge) < 0.0)) {
    if (!known) *at = edge;
    return false;
  }
  find_root(c, w, high, high, at);
  if (at->p >= c->least) c->memory->t = at->t;
  return at->p >= c->least;
}

static void direction(const ray_chart *c, double theta, double s, double w[3]) {
  ray_memory *memory = c->memory;
  if (theta != memory->theta)
    memory->theta = theta, memory->cosine = cos(theta), memory->sine = sin(theta);
  const double across = sin(s), a = across * memory->cosine, b = across * memory->sine, d = cos(s);
  for (int i = 0; i < 3; ++i) w[i] = a * c->t1[i] + b * c->t2[i] + d * c->pole[i];
}

// Pieces of S are few: sides, faces, mantle and ends.
static int pieces_of_s(const ray_chart *c) { return c->s->field->cell_count + 3; }

static int piece_of(const ray_chart *c, bool meets, const crossing *at) {
  if (!meets || at->piece_t < 0) return LIMPET_PRESSURE_OUTSIDE;
  return 2 * (at->piece_t * pieces_of_s(c) + at->piece_s) + (at->p < 0.0);
}

static void fill_margins(const ray_chart *c, limpet_pressure_look *look) {
  double y[3], z[3];
  look->margin[0] = limpet_pressure_piece_margin(c->s->field, look->x, look->field_piece[0]);
  limpet_vec3_sub(z, look->x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  look->margin[1] = limpet_pressure_piece_margin(c->t->field, y, look->field_piece[1]);
}

static void ray_look(const limpet_pressure_chart *chart, double theta, double s,
                     limpet_pressure_look *look) {
  const ray_chart *c = (const ray_chart *)chart;
  crossing at;
  double w[3];
  direction(c, theta, s, w);
  look->piece = piece_of(c, cross(c, w, &at), &at);
  if (!chart->guess) return;
  const bool rigid = c->s->field->rigid;
  limpet_vec3_copy(look->x, at.x);
  look->pressure = at.p;
  look->field_piece[0] = at.piece_s, look->field_piece[1] = at.piece_t;
  look->value[0] = rigid ? 0.0 : at.p, look->value[1] = at.pt;
  limpet_vec3_copy(look->gradient[0], at.gs), limpet_vec3_copy(look->gradient[1], at.gt);
  if (chart->grazes) fill_margins(c, look);
}

static int ray_evaluate(const limpet_pressure_chart *chart, double theta, double s,
                        limpet_pressure_sample *sample) {
  const ray_chart *c = (const ray_chart *)chart;
  crossing at;
  double w[3], n[3];
  direction(c, theta, s, w);
  const int piece = piece_of(c, cross(c, w, &at), &at);
  if (!sample || piece == LIMPET_PRESSURE_OUTSIDE) return piece;
  const bool rigid = c->s->field->rigid;
  for (int i = 0; i < 3; ++i) n[i] = rigid ? -at.gs[i] : at.gt[i] - at.gs[i];
  limpet_vec3_normalize(n);
  sample->element = at.t * at.t * sin(s) / limpet_vec3_dot(n, w);
  sample->pressure = at.p;
  const double slope_s = rigid ? INFINITY : fmax(0.0, -limpet_vec3_dot(at.gs, n)),
               slope_t = fmax(0.0, limpet_vec3_dot(at.gt, n));
  sample->gradient_a = c->s_is_a ? slope_s : slope_t;
  sample->gradient_b = c->s_is_a ? slope_t : slope_s;
  if (!c->s_is_a) limpet_vec3_neg(n, n);
  limpet_pressure_to_world(sample->x, c->s, at.x);
  limpet_mat3_mul_vec(sample->normal, c->s->rotation, n);
  return piece;
}

// Positive where a ray meets the surface with a pressure above `level`; NAN: not known.
static double level_gap(const ray_chart *c, const double w[3], double level) {
  double x[3];
  int piece = -1;
  const bool rigid = c->s->field->rigid;
  limpet_vec3_addmul(x, c->origin, leave(c, w, rigid ? 0.0 : level, c->memory->t), w);
  const double p = pressure_t(c, x, NULL, &piece);
  return piece < 0 ? NAN : p - level;
}

static double ray_gap(const limpet_pressure_chart *chart, double theta, double s, int piece,
                      int other) {
  const ray_chart *c = (const ray_chart *)chart;
  const int n = pieces_of_s(c), a = piece / 2, b = other / 2;
  crossing at;
  double w[3], y[3], z[3];
  direction(c, theta, s, w);
  if (piece == LIMPET_PRESSURE_OUTSIDE || other == LIMPET_PRESSURE_OUTSIDE)
    return level_gap(c, w, c->least);
  if (a == b) return level_gap(c, w, 0.0);
  if (piece % 2 != other % 2 || (a / n != b / n && a % n != b % n) || !cross(c, w, &at)) return NAN;
  if (a / n == b / n) return limpet_pressure_piece_gap(c->s->field, at.x, a % n, b % n);
  limpet_vec3_sub(z, at.x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  return limpet_pressure_piece_gap(c->t->field, y, a / n, b / n);
}

static void find_back(ray_chart *c) {
  double w[3];
  limpet_vec3_neg(w, c->pole);
  limpet_vec3_addmul(c->back, c->origin, leave(c, w, c->s->field->rigid ? 0.0 : c->least, 0.0), w);
}

// No place of T has more than `least` where this is negative: T's tangent plane at a look.
static double above(const ray_chart *c, const limpet_pressure_look *look, const double x[3]) {
  double way[3];
  limpet_vec3_sub(way, x, look->x);
  return look->value[1] + limpet_vec3_dot(look->gradient[1], way) - c->least;
}

/* In the half plane of an angle, the boundary of S, which is convex, lies above the tangent plane
 * of T in one stretch. A ray has just left it: where the back of S is not above it, nothing is up
 * to there. Nor is anything within S, if o is not. */
static bool ray_is_last(const limpet_pressure_chart *chart, const limpet_pressure_look *look) {
  const ray_chart *c = (const ray_chart *)chart;
  if (look->field_piece[1] < 0 || look->value[1] > c->least + plateau * c->t->field->modulus)
    return false;
  return above(c, look, c->back) < 0.0 && (c->s->field->rigid || above(c, look, c->origin) < 0.0);
}

/* A place of the surface without pressure lies on both boundaries. Where T is left there along the
 * ray, and S is not yet, rays beside it leave T within S and meet the surface once more. */
static bool ray_folds(const limpet_pressure_chart *chart, const limpet_pressure_look *look) {
  const ray_chart *c = (const ray_chart *)chart;
  double along[3];
  limpet_vec3_sub(along, look->x, c->origin);
  return look->field_piece[1] >= 0 &&
         limpet_vec3_dot(along, look->gradient[1]) <
             -clearly_back * limpet_vec3_norm(along) * limpet_vec3_norm(look->gradient[1]);
}

static double ray_end(const limpet_pressure_chart *chart, double theta) {
  (void)chart, (void)theta;
  return LIMPET_PI;
}

// --------------------------------------------------------------------------- the pole

// How deep in T the boundary of S is along w.
static double depth_along(const ray_chart *c, const double w[3], double x[3]) {
  int piece = -1;
  limpet_vec3_addmul(x, c->origin, leave(c, w, 0.0, 0.0), w);
  return pressure_t(c, x, NULL, &piece);
}

// Turns the pole towards the deepest place by smaller and smaller steps; x: that place.
static double search_pole(ray_chart *c, double x[3]) {
  const double scale = c->t->field->modulus;
  double best = depth_along(c, c->pole, x);
  for (double turn = first_turn; turn > c->last_turn;) {
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
      if (!(p > best + plateau * scale)) continue;
      best = p, better = true;
      limpet_vec3_copy(c->pole, w), limpet_vec3_copy(x, to);
    }
    if (!better) turn *= 0.5;
  }
  return best;
}

static double deepest_pole(ray_chart *c, double x[3]) {
  double g[3];
  int piece = -1;
  pressure_t(c, c->origin, g, &piece);
  limpet_vec3_copy(c->pole, g);
  limpet_vec3_normalize(c->pole);
  return search_pole(c, x);
}

/* min(p_S, p_T) and its gradient at x; a rigid S counts as `hard` times as stiff as T. It is
 * concave. */
static double least_of_both(const ray_chart *c, const double x[3], double g[3]) {
  const limpet_pressure_field *s = c->s->field;
  double h[3];
  int piece = -1;
  double p = limpet_pressure_closed_form(s, x, g, &piece);
  if (s->rigid) {
    p *= hard * c->t->field->modulus;
    limpet_vec3_scale(g, hard * c->t->field->modulus, g);
  }
  const double q = pressure_t(c, x, h, &piece);
  if (q < p) limpet_vec3_copy(g, h);
  return fmin(p, q);
}

/* Whether a place is good enough: that share as high as any, where bodies are pressed; before they
 * touch as high as half way up from the least. */
static bool is_good(const ray_chart *c, double share, double best, double bound) {
  const double rise = bound - c->least;
  if (best > 0.0) return best >= share * bound;
  return (bound <= 0.0 && best - c->least >= 0.5 * rise) || bound - best <= level_share * rise;
}

// Of a place in the frame of S, with its gradient.
typedef double concave_function(const ray_chart *c, const double x[3], double g[3]);

/* A place where a concave function is that share as high as at its best, by Shor's ellipsoids: each
 * gradient cuts one through its centre, or deeper by how much better the best so far is; the
 * next is the smallest around what is left. Edges do not hold it up. False: it is nowhere above the
 * least. */
static bool high_place(const ray_chart *c, concave_function *function, double share, double x[3]) {
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
static double at_barycentric(const ray_chart *c, int cell, const double b[4], double x[3]) {
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
static double best_corner(const ray_chart *c, int cell, double best_b[4], double best_x[3]) {
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
static double deepen(const ray_chart *c, int cell, double best, double b[4], double x[3]) {
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
static double most_in_box(const ray_chart *c, int number) {
  const limpet_item_node *node = &c->t->field->tree.node[number];
  double x[3];
  int piece;
  limpet_mat3_mul_vec(x, c->frame.rotation, node->centre);
  limpet_vec3_add(x, x, c->frame.offset);
  return limpet_pressure_closed_form(c->s->field, x, NULL, &piece) +
         limpet_vec3_norm(node->half) * c->s->field->info.gradient_most;
}

// Of one tetrahedron: its corners and middles of edges, or (within) all of it.
static void deepest_of_cell(const ray_chart *c, int cell, bool within, deep_place *best) {
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
static void deepest_of_tree(const ray_chart *c, bool within, deep_place *best) {
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
static void mesh_pole(const ray_chart *c, double x[3]) {
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
static bool long_axis(const ray_chart *c, double axis[3]) {
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

static void tangents(const ray_chart *c, double t1[3], double t2[3]) {
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
static bool is_clear(const ray_chart *c, const double x[3]) {
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
static void step_aside(ray_chart *c, double best, double x[3]) {
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
static double common_pole(ray_chart *c, double x[3]) {
  limpet_pressure_core_point(c->s->field, x, c->origin);
  limpet_vec3_sub(c->pole, x, c->origin);
  return limpet_vec3_normalize(c->pole) > 0.0 ? depth_along(c, c->pole, x) : deepest_pole(c, x);
}

/* Puts the pole into the middle of both bodies, grown by a share of their depths, if it lies nearly
 * as deep as the best one so far: where a face lies flat, the deepest place and all that depends on
 * the depth alone run around as the face tilts by round-off, and points with it, by a share of the
 * tolerance. middle: in both bodies. */
static void steady_pole(ray_chart *c, double middle[3], double *best, double x[3]) {
  const limpet_pressure_field *s = c->s->field, *t = c->t->field;
  ray_chart other = *c;
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
  pressure_t(c, c->origin, g, &piece);
  if (!(limpet_vec3_normalize(g) > 0.0)) return;
  const double straight = depth_along(c, g, middle);
  if (!(straight - from >= nearly * (*best - from))) return;
  limpet_vec3_copy(c->pole, g), *best = straight;
  limpet_vec3_copy(x, middle);
}

// Its pressure falls evenly along every ray from its centre, in one smooth piece.
static bool is_round(const limpet_pressure_field *field) {
  return field->kind == LIMPET_SHAPE_SPHERE || field->kind == LIMPET_SHAPE_ELLIPSOID;
}

/* The deepest place of a round S, which is one place, where it is far from edges of T: the surface
 * is nearly even around it, and its errors cancel. */
static bool round_pole(ray_chart *c, double x[3]) {
  if (!is_round(c->s->field)) return false;
  ray_chart other = *c;
  if (!(deepest_pole(&other, x) > fmax(c->least, 0.0)) || !is_clear(&other, x)) return false;
  *c = other;
  return true;
}

/* The pole of bodies with edges: the middle of both. On the boundary of a rigid S the deepest place
 * is better, unless the search for it ended on an edge that is not as deep. */
static bool pole_beside_edges(ray_chart *c, double x[3]) {
  double middle[3], deep[3];
  if (c->quick && round_pole(c, x)) return true;
  if (!high_place(c, least_of_both, half, middle)) return false;
  limpet_vec3_copy(x, middle);
  double best = common_pole(c, x);
  if (c->s->field->rigid) {
    ray_chart other = *c;
    limpet_pressure_core_point(c->s->field, (const double[3]){0.0, 0.0, 0.0}, other.origin);
    const double deepest = deepest_pole(&other, deep);
    if (deepest > best) *c = other, best = deepest, limpet_vec3_copy(x, deep);
  }
  if (c->quick) steady_pole(c, middle, &best, x);
  if (best > 0.0 && !(c->quick && is_clear(c, x))) step_aside(c, best, x);
  return true;
}

// D of a T that only pushes, and its gradient (NULL: not wanted). Concave against a plane.
static double rise(const ray_chart *c, const double x[3], double g[3]) {
  double h[3];
  int piece;
  const double p = limpet_pressure_closed_form(c->s->field, x, g, &piece);
  piece = -1;
  const double q = pressure_t(c, x, g ? h : NULL, &piece);
  if (!(q > 0.0)) return p;
  if (g) limpet_vec3_sub(g, g, h);
  return p - q;
}

/* Between a, where D is below `level`, and b, where it is not: where it is. D does not fall on the
 * way. */
static void rise_to(const ray_chart *c, double level, const double a[3], const double b[3],
                    double x[3]) {
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
static bool lift_origin(ray_chart *c) {
  const limpet_pressure_field *s = c->s->field;
  const double enough = clearly * s->modulus;
  double g[3], top[3], x[3];
  int piece = -1;
  if (s->rigid || rise(c, c->origin, NULL) >= enough) return true;
  pressure_t(c, c->origin, g, &piece);
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

// False: the bodies do not meet.
static bool choose_pole(ray_chart *c) {
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
    if (c->quick && !is_round(c->s->field) && limpet_pressure_is_linear(t))
      steady_pole(c, middle, &best, x);
  }
  limpet_pressure_core_point(c->s->field, x, c->origin);
  limpet_vec3_sub(c->pole, x, c->origin);
  limpet_vec3_normalize(c->pole);
  if (!lift_origin(c)) return false;
  tangents(c, c->t1, c->t2);
  return true;
}

bool limpet_pressure_starts_in_a(const limpet_pressure_field *a, const limpet_pressure_field *b) {
  const bool a_can = a->kind != LIMPET_SHAPE_COUNT && a->kind != LIMPET_SHAPE_PLANE,
             b_can = b->kind != LIMPET_SHAPE_COUNT && b->kind != LIMPET_SHAPE_PLANE;
  if (a->rigid || b->rigid) return a->rigid;
  if (a_can != b_can) return a_can;
  return a->info.gradient_least >= b->info.gradient_least;
}

void limpet_pressure_swept(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  static const double angle[quarters + 1] = {0.0, 0.5 * LIMPET_PI, LIMPET_PI, 1.5 * LIMPET_PI,
                                             2.0 * LIMPET_PI};
  ray_memory memory = {.theta = NAN};
  ray_chart c = {.memory = &memory, .least = limpet_pressure_least(work)};
  c.last_turn = turn_share * work->query->tolerance;
  c.quick = work->query->tolerance > quick_tolerance;
  c.s_is_a = limpet_pressure_starts_in_a(work->a->field, work->b->field);
  c.s = c.s_is_a ? work->a : work->b, c.t = c.s_is_a ? work->b : work->a;
  c.frame = limpet_pressure_frame_of(c.t, c.s);
  const limpet_pressure_field *s = c.s->field, *t = c.t->field;
  for (int i = 0; i < 3; ++i) {
    const double far = fmax(fabs(s->info.low[i]), fabs(s->info.high[i]));
    c.radius += far * far;
  }
  c.radius = sqrt(c.radius) * (s->rigid ? 1.0 : 1.0 - fmin(c.least, 0.0) / s->modulus);
  // quick sweeps also lose what lies apart, so they are not asked for folds
  if (limpet_pressure_may_fold(s, t, &c.frame) &&
      (c.quick || limpet_pressure_folded(surface, c.s, c.t, s->centre))) {
    limpet_pressure_parts(surface, c.s, c.t);
    if (work->face_count > 0) return;
  }
  if (!choose_pole(&c)) return;
  limpet_vec3_copy(surface->workspace->origin, c.s->position);
  c.falls = is_round(s) && s->info.gradient_least >= t->info.gradient_most;
  c.chart = (limpet_pressure_chart){
      .evaluate = ray_evaluate, .look = ray_look, .gap = ray_gap, .end = ray_end};
  c.chart.guess = t->kind != LIMPET_SHAPE_COUNT, c.chart.least = c.least;
  c.chart.stretch = longest_rule;
  c.chart.looks = t->kind == LIMPET_SHAPE_COUNT ? looks_mesh : looks_along;
  // without edges only the ends of the surface are looked for
  if (is_round(s) && (is_round(t) || t->kind == LIMPET_SHAPE_PLANE)) c.chart.looks = looks_round;
  if (c.chart.guess && c.quick) c.chart.is_last = ray_is_last, find_back(&c);
  // finer sweeps were asked for folds before
  if (c.chart.guess && c.quick && !s->rigid) c.chart.folds = ray_folds;
  if (!c.quick) c.chart.looks *= fine_looks;
  // the last two looks are up to 2/looks of the longest ray apart
  c.chart.is_thin =
      c.chart.is_last && fmin(s->depth, t->depth) * c.chart.looks < thin_share * c.radius;
  c.chart.grazes = c.chart.guess && !c.quick;
  c.chart.angle = angle, c.chart.angle_count = quarters;
  c.chart.length = s->depth;
  limpet_pressure_sweep(surface, &c.chart);
}
