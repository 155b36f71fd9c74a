/* geometry/pressure_rays.c: contact surfaces of curved fields, swept by rays.
 *
 * Rays x = o + t w start in the core of one body, S, which is convex. If S is rigid its surface is
 * where e_S = 0; else the contact surface is where D = p_S - p_T = 0. From its core p_S falls along
 * every ray; S is the body with the steeper field, so that D falls, too, and crosses zero once. A
 * unit normal n = -grad D/|grad D| (grad e_S if rigid) from S to T gives the area of a bundle of
 * rays, dA = t^2 sin(s)/(n.w) ds dtheta, with w at the angle s from the pole and theta around it.
 * o and the pole are chosen in pressure_pole.c. All in the frame of S.
 * Where one body lies through the other a ray may cross the surface several times: such surfaces
 * are made of parts (pressure_graded.c). */
#include <math.h>

#include "geometry/pressure_rays.h"
#include "math/vec3.h"

enum {
  quarters = 4,
  root_steps = 80,
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
// [-]  of the way between two looks, as far as tangent planes meet
static const double most_stretched = 4.0;
static const double flat = 1e-9;             // [rad]  of the way to the plane: round-off
static const double clearly_back = 1e-3;     // [-]  sine of a ray and a boundary that it leaves
static const double longest_rule = 0.3;      // [rad]  of a Gauss rule along s
static const double root_tolerance = 4e-15;  // [-]  of t

typedef struct crossing {
  double t, x[3], p, pt, gs[3], gt[3];
  int piece_s, piece_t;
} crossing;

static double gap_at(const limpet_pressure_rays *c, const double w[3], double t, crossing *at) {
  at->t = t;
  limpet_vec3_addmul(at->x, c->origin, t, w);
  at->p = limpet_pressure_closed_form(c->s->field, at->x, at->gs, &at->piece_s);
  at->pt = limpet_pressure_rays_other(c, at->x, at->gt, &at->piece_t);
  return at->p - at->pt;
}

/* Where D = 0 along a ray: Newton's method from t, kept between o, where D is positive, and `high`
 * [m], where it is negative. */
static void find_root(const limpet_pressure_rays *c, const double w[3], double t, double high,
                      crossing *at) {
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

static bool cross_rigid(const limpet_pressure_rays *c, const double w[3], crossing *at) {
  at->piece_t = -1;
  at->t = limpet_pressure_rays_leave(c, w, 0.0, c->memory->t);
  limpet_vec3_addmul(at->x, c->origin, at->t, w);
  at->p = limpet_pressure_closed_form(c->s->field, at->x, at->gs, &at->piece_s);
  at->p = at->pt = limpet_pressure_rays_other(c, at->x, at->gt, &at->piece_t);
  c->memory->t = at->t;
  return at->p >= c->least;
}

/* Where D = 0 along a ray; false: nowhere with p above the least, and `at` tells where it is below.
 * The crossing next to the last one first. */
static bool cross(const limpet_pressure_rays *c, const double w[3], crossing *at) {
  if (c->s->field->rigid) return cross_rigid(c, w, at);
  if (c->memory->t > 0.0 || c->falls) {
    find_root(c, w, c->memory->t > 0.0 ? c->memory->t : 0.5 * c->radius, 2.0 * c->radius, at);
    if (at->p >= c->least) c->memory->t = at->t;
    if (at->p >= c->least || c->falls) return at->p >= c->least;
  }
  crossing edge = {.piece_t = -1};
  const double high = limpet_pressure_rays_leave(c, w, c->least, 0.0);
  const bool known = c->memory->t > 0.0;
  if (!(gap_at(c, w, high, &edge) < 0.0)) {
    if (!known) *at = edge;
    return false;
  }
  find_root(c, w, high, high, at);
  if (at->p >= c->least) c->memory->t = at->t;
  return at->p >= c->least;
}

static void direction(const limpet_pressure_rays *c, double theta, double s, double w[3]) {
  limpet_pressure_ray_memory *memory = c->memory;
  if (theta != memory->theta)
    memory->theta = theta, memory->cosine = cos(theta), memory->sine = sin(theta);
  const double across = sin(s), a = across * memory->cosine, b = across * memory->sine, d = cos(s);
  for (int i = 0; i < 3; ++i) w[i] = a * c->t1[i] + b * c->t2[i] + d * c->pole[i];
}

// Pieces of S are few: sides, faces, mantle and ends.
static int pieces_of_s(const limpet_pressure_rays *c) { return c->s->field->cell_count + 3; }

static int piece_of(const limpet_pressure_rays *c, bool meets, const crossing *at) {
  if (!meets || at->piece_t < 0) return LIMPET_PRESSURE_OUTSIDE;
  return 2 * (at->piece_t * pieces_of_s(c) + at->piece_s) + (at->p < 0.0);
}

static void fill_margins(const limpet_pressure_rays *c, limpet_pressure_look *look) {
  double y[3], z[3];
  look->margin[0] = limpet_pressure_piece_margin(c->s->field, look->x, look->field_piece[0]);
  limpet_vec3_sub(z, look->x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  look->margin[1] = limpet_pressure_piece_margin(c->t->field, y, look->field_piece[1]);
}

static void ray_look(const limpet_pressure_chart *chart, double theta, double s,
                     limpet_pressure_look *look) {
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
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
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
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
static double level_gap(const limpet_pressure_rays *c, const double w[3], double level) {
  double x[3];
  int piece = -1;
  const bool rigid = c->s->field->rigid;
  limpet_vec3_addmul(x, c->origin,
                     limpet_pressure_rays_leave(c, w, rigid ? 0.0 : level, c->memory->t), w);
  const double p = limpet_pressure_rays_other(c, x, NULL, &piece);
  return piece < 0 ? NAN : p - level;
}

static double ray_gap(const limpet_pressure_chart *chart, double theta, double s, int piece,
                      int other) {
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
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

static void find_back(limpet_pressure_rays *c) {
  double w[3];
  limpet_vec3_neg(w, c->pole);
  limpet_vec3_addmul(c->back, c->origin,
                     limpet_pressure_rays_leave(c, w, c->s->field->rigid ? 0.0 : c->least, 0.0), w);
}

// No place of T has more than `least` where this is negative: T's tangent plane at a look.
static double above(const limpet_pressure_rays *c, const limpet_pressure_look *look,
                    const double x[3]) {
  double way[3];
  limpet_vec3_sub(way, x, look->x);
  return look->value[1] + limpet_vec3_dot(look->gradient[1], way) - c->least;
}

/* In the half plane of an angle, the boundary of S, which is convex, lies above the tangent plane
 * of T in one stretch. A ray has just left it: where the back of S is not above it, nothing is up
 * to there. Nor is anything within S, if o is not. */
static bool ray_is_last(const limpet_pressure_chart *chart, const limpet_pressure_look *look) {
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
  if (look->field_piece[1] < 0 ||
      look->value[1] > c->least + LIMPET_PRESSURE_PLATEAU * c->t->field->modulus)
    return false;
  return above(c, look, c->back) < 0.0 && (c->s->field->rigid || above(c, look, c->origin) < 0.0);
}

/* Where the tangent planes of a rigid S at two looks meet in the half plane of their angle: its
 * boundary, which is convex, lies between them in the triangle of both and this place. False: it is
 * too far away. */
static bool corner_between(const limpet_pressure_rays *c, const limpet_pressure_look *low,
                           const limpet_pressure_look *high, double corner[3]) {
  double a[3], b[3], across[3], along[3], way[3];
  limpet_vec3_sub(a, low->x, c->origin), limpet_vec3_sub(b, high->x, c->origin);
  limpet_vec3_cross(across, a, b);
  limpet_vec3_cross(along, across, low->gradient[0]);
  limpet_vec3_sub(way, high->x, low->x);
  const double size = limpet_vec3_norm(way), rise = limpet_vec3_dot(high->gradient[0], way),
               rate = limpet_vec3_dot(high->gradient[0], along);
  const bool is_flat = fabs(rise) < flat * size * limpet_vec3_norm(high->gradient[0]);
  const double share = is_flat ? 0.0 : rise / rate;
  limpet_vec3_addmul(corner, low->x, share, along);
  return fabs(share) * limpet_vec3_norm(along) < most_stretched * size;
}

/* T's pressure is concave: it is nowhere above its tangent planes at both looks. The least of them
 * is greatest at a corner of a triangle that holds S's boundary, or where both are the same. */
static bool ray_is_beside(const limpet_pressure_chart *chart, const limpet_pressure_look *low,
                          const limpet_pressure_look *high, double *share) {
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
  double corner[3][3], one[3], other[3], most = -INFINITY;
  *share = 0.5;
  if (low->field_piece[1] < 0 || high->field_piece[1] < 0) return false;
  if (!corner_between(c, low, high, corner[2])) return false;
  limpet_vec3_copy(corner[0], low->x), limpet_vec3_copy(corner[1], high->x);
  for (int k = 0; k < 3; ++k) {
    one[k] = above(c, low, corner[k]), other[k] = above(c, high, corner[k]);
    most = fmax(most, fmin(one[k], other[k]));
  }
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const double here = one[k] - other[k], there = one[next] - other[next];
    if ((here > 0.0) == (there > 0.0)) continue;
    most = fmax(most, one[k] + here / (here - there) * (one[next] - one[k]));
  }
  const double before = one[0] - other[0], after = one[1] - other[1];
  if ((before > 0.0) != (after > 0.0)) *share = before / (before - after);
  return most < LIMPET_PRESSURE_PLATEAU * c->t->field->modulus;
}

/* A place of the surface without pressure lies on both boundaries. Where T is left there along the
 * ray, and S is not yet, rays beside it leave T within S and meet the surface once more. */
static bool ray_folds(const limpet_pressure_chart *chart, const limpet_pressure_look *look) {
  const limpet_pressure_rays *c = (const limpet_pressure_rays *)chart;
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
  limpet_pressure_ray_memory memory = {.theta = NAN};
  limpet_pressure_rays c = {.memory = &memory, .least = limpet_pressure_least(work)};
  c.tolerance = work->query->tolerance;
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
  if (!limpet_pressure_choose_pole(&c)) return;
  limpet_vec3_copy(surface->workspace->origin, c.s->position);
  c.falls = limpet_pressure_is_round(s) && s->info.gradient_least >= t->info.gradient_most;
  c.chart = (limpet_pressure_chart){
      .evaluate = ray_evaluate, .look = ray_look, .gap = ray_gap, .end = ray_end};
  c.chart.guess = t->kind != LIMPET_SHAPE_COUNT, c.chart.least = c.least;
  c.chart.stretch = longest_rule;
  c.chart.looks = t->kind == LIMPET_SHAPE_COUNT ? looks_mesh : looks_along;
  // without edges only the ends of the surface are looked for
  if (limpet_pressure_is_round(s) && (limpet_pressure_is_round(t) || t->kind == LIMPET_SHAPE_PLANE))
    c.chart.looks = looks_round;
  if (c.chart.guess && c.quick) c.chart.is_last = ray_is_last, find_back(&c);
  // finer sweeps were asked for folds before
  if (c.chart.guess && c.quick && !s->rigid) c.chart.folds = ray_folds;
  if (!c.quick) c.chart.looks *= fine_looks;
  if (c.chart.guess && s->rigid) c.chart.is_beside = ray_is_beside;
  // the last two looks are up to 2/looks of the longest ray apart
  c.chart.is_thin =
      c.chart.is_last && fmin(s->depth, t->depth) * c.chart.looks < thin_share * c.radius;
  c.chart.grazes = c.chart.guess && !c.quick;
  c.chart.angle = angle, c.chart.angle_count = quarters;
  c.chart.length = s->depth;
  limpet_pressure_sweep(surface, &c.chart);
}
