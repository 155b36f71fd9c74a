/* tests/support/pressure_potential.c: U = int min(p_A, p_B) dV by columns.
 *
 * All fields of convex shapes are concave, so {min(p_A, p_B) > 0} is convex; a body of tetrahedra
 * is taken tetrahedron by tetrahedron, each a convex domain with a linear field. From a place o
 * inside, columns run along e, the normal of the contact there. The base of a column is o + r w(t),
 * w square to e, at the angle t:
 *
 *     U = int dt int r dr int ds min(p_A, p_B)
 *
 * Along s the smooth pieces are cut where they change and get a Gauss rule each. Along r the same
 * is done where the order of pieces in a column changes, with r = r0 + (r1 - r0) u^2 (3 - 2 u), so
 * that square roots at the ends are smooth in u. Panels of t are halved until they agree. */
#include "pressure_potential.h"

#include <math.h>

#include "geometry/pressure_contact.h"
#include "math/vec3.h"

enum { parts = 7, most_planes = 4, most_pieces = 24, looks = 8 };
/* Halvings that find a cut of a column, to round-off or well enough for the order of its pieces;
 * and one of a radius, across which what is integrated is continuous. */
enum { halvings = 46, halvings_order = 20, halvings_radius = 32 };
enum { rings = 40, rings_coarse = 12 };
static const double coarse = 1e-8;  // accuracy from which on fewer rings are looked at
enum { first_panels = 4, deepest = 24 };

// Gauss-Legendre on (0, 1): the upper half of 16 points.
enum { order = 16 };
static const double gauss_node[order / 2] = {
    0.54750625491881872, 0.64080177538962946, 0.72900838882861363, 0.80893812220132187,
    0.87770220417750155, 0.93281560119391587, 0.97228751153661630, 0.99470046749582497};
static const double gauss_weight[order / 2] = {
    0.094725305227534249, 0.091301707522461795, 0.084578259697501269, 0.074797994408288365,
    0.062314485627766936, 0.047579255841246393, 0.031126761969323946, 0.013576229705877047};

static double node_of(int k) {
  return k < order / 2 ? 1.0 - gauss_node[order / 2 - 1 - k] : gauss_node[k - order / 2];
}
static double weight_of(int k) {
  return gauss_weight[k < order / 2 ? order / 2 - 1 - k : k - order / 2];
}

typedef struct side {
  const limpet_pressure_body *body;
  int cell;  // -1: the closed form
} side;

typedef struct domain {
  side side[2];
  bool rigid_cells;  // of the tetrahedra only the place counts
  int plane_count;
  double plane[most_planes][4];  // W, a.x + b >= 0
  double scale;                  // [Pa]
  double centre[3], radius;      // [m]  W: of a ball that holds it
  double o[3], e[3], t1[3], t2[3];
  double most[2];  // [J], [N]  what a sum is compared with
  double accuracy, error;
} domain;

/* What is seen at a place: pressures, gradients in W; code: which smooth piece of which body has
 * the pressure that counts; the least of all that bounds the domain, its slope along e, and what it
 * is. */
typedef struct sight {
  double p[2], g[2][3], least, slope;
  int code, lower, bound;
} sight;

static void look_side(const domain *d, int k, const double x[3], sight *at, int *piece) {
  const side *s = &d->side[k];
  const limpet_pressure_field *f = s->body->field;
  double y[3], g[3];
  limpet_pressure_from_world(y, s->body, x);
  if (s->cell >= 0) {
    const limpet_pressure_cell *cell = &f->cell[s->cell];
    at->p[k] = limpet_vec3_dot(cell->gradient, y) + cell->offset, *piece = 0;
    limpet_vec3_copy(g, cell->gradient);
  } else {
    at->p[k] = limpet_pressure_closed_form(f, y, g, piece);
  }
  if (f->rigid) at->p[k] *= d->scale, limpet_vec3_scale(g, d->scale, g);
  limpet_mat3_mul_vec(at->g[k], s->body->rotation, g);
}

static bool is_rigid_cell(const domain *d, int k) { return d->side[k].cell >= 0 && d->rigid_cells; }

static bool is_rigid(const domain *d, int k) {
  return d->side[k].body->field->rigid || is_rigid_cell(d, k);
}

static void lower_least(sight *at, double value, double slope, int bound) {
  if (value < at->least) at->least = value, at->slope = slope, at->bound = bound;
}

static void look(const domain *d, const double x[3], sight *at) {
  int piece[2] = {0, 0};
  at->least = INFINITY, at->slope = 0.0, at->bound = 0;
  for (int k = 0; k < 2; ++k) {
    if (is_rigid_cell(d, k)) continue;
    look_side(d, k, x, at, &piece[k]);
    lower_least(at, at->p[k], limpet_vec3_dot(at->g[k], d->e), 2 * piece[k] + k);
  }
  for (int k = 0; k < d->plane_count; ++k) {
    const double *a = d->plane[k];
    lower_least(at, (limpet_vec3_dot(a, x) + a[3]) * d->scale / d->radius,
                limpet_vec3_dot(a, d->e) * d->scale / d->radius, -1 - k);
  }
  const bool rigid_a = is_rigid(d, 0), rigid_b = is_rigid(d, 1);
  at->lower = rigid_a ? 1 : rigid_b ? 0 : at->p[1] < at->p[0];
  at->code = 2 * piece[at->lower] + at->lower;
}

// --------------------------------------------------------------------------- along a column

static void place(const domain *d, const double base[3], double s, double x[3]) {
  limpet_vec3_addmul(x, base, s, d->e);
}

/* A place of the column inside the domain: the least of the concave fields falls on both sides of
 * its top. False: the column misses it. */
static bool column_inside(const domain *d, const double base[3], double *s) {
  double from[3], x[3];
  limpet_vec3_sub(from, d->centre, base);
  const double middle = limpet_vec3_dot(from, d->e);
  double low = middle - 1.01 * d->radius, high = middle + 1.01 * d->radius;
  sight at;
  for (int k = 0; k < 64; ++k) {
    *s = 0.5 * (low + high);
    place(d, base, *s, x);
    look(d, x, &at);
    if (at.least > 0.0) return true;
    // tangents lie above: what they leave out is outside
    const double cut = at.slope != 0.0 ? *s - at.least / at.slope : *s;
    if (at.slope > 0.0) low = fmax(cut, *s);
    else high = fmin(cut, *s);
    if (!(high > low)) return false;
  }
  return false;
}

// The end of the column on one side (-1, 1), by Newton's method from outside.
static double column_end(const domain *d, const double base[3], double inside, double way) {
  double from[3], x[3];
  limpet_vec3_sub(from, d->centre, base);
  double s = limpet_vec3_dot(from, d->e) + way * 1.01 * d->radius;
  sight at;
  for (int k = 0; k < 100; ++k) {
    place(d, base, s, x);
    look(d, x, &at);
    if (at.least >= 0.0 || way * at.slope >= 0.0) break;
    const double next = s - at.least / at.slope;
    if (!(way * (s - next) > 1e-17 * d->radius)) break;
    s = next;
  }
  return way > 0.0 ? fmax(s, inside) : fmin(s, inside);
}

typedef struct column {
  int count;
  double cut[most_pieces + 1];  // [m]  ends of the pieces
  int code[most_pieces];
  int bound[2];  // what ends it
} column;

static int code_at(const domain *d, const double base[3], double s, int *bound) {
  double x[3];
  sight at;
  place(d, base, s, x);
  look(d, x, &at);
  if (bound) *bound = at.bound;
  return at.code;
}

// The smooth pieces of a column, cut after `count` halvings. False: it misses the domain.
static bool column_find(const domain *d, const double base[3], int count, column *c) {
  double inside;
  if (!column_inside(d, base, &inside)) return false;
  const double low = column_end(d, base, inside, -1.0), high = column_end(d, base, inside, 1.0);
  c->count = 0;
  if (!(high > low)) return false;
  double s = low + 1e-9 * (high - low);
  c->cut[0] = low, c->code[0] = code_at(d, base, s, NULL);
  code_at(d, base, low, &c->bound[0]), code_at(d, base, high, &c->bound[1]);
  for (int k = 1; k <= looks; ++k) {
    const double next = low + (high - low) * (k == looks ? 1.0 - 1e-9 : (double)k / looks);
    const int code = code_at(d, base, next, NULL);
    for (int change = 0; c->code[c->count] != code && c->count + 1 < most_pieces; ++change) {
      double a = s, b = next;
      int after = code;
      for (int i = 0; i < count; ++i) {
        const double middle = 0.5 * (a + b);
        const int there = code_at(d, base, middle, NULL);
        if (there == c->code[c->count]) a = middle;
        else b = middle, after = there;
      }
      c->cut[++c->count] = b, c->code[c->count] = after, s = b;
    }
    s = next;
  }
  c->cut[++c->count] = high;
  return true;
}

static void add_place(const domain *d, const double x[3], double weight, double value[parts]) {
  sight at;
  double turn[3];
  look(d, x, &at);
  value[0] += weight * at.p[at.lower];
  // a motion of B moves p_B; where A counts, an opposite motion of A
  const int wanted = is_rigid(d, 1) ? 0 : 1;
  if (at.lower != wanted) return;
  const double share = wanted == 1 ? weight : -weight;
  limpet_vec3_cross(turn, x, at.g[at.lower]);
  limpet_vec3_addmul(value + 1, value + 1, share, at.g[at.lower]);
  limpet_vec3_addmul(value + 4, value + 4, share, turn);
}

static void column_add(const domain *d, const double base[3], double weight, double value[parts]) {
  column c;
  double x[3];
  if (!column_find(d, base, halvings, &c)) return;
  for (int i = 0; i < c.count; ++i) {
    const double length = c.cut[i + 1] - c.cut[i];
    for (int k = 0; k < order; ++k) {
      place(d, base, c.cut[i] + length * node_of(k), x);
      add_place(d, x, weight * length * weight_of(k), value);
    }
  }
}

// --------------------------------------------------------------------------- along a radius

static void base_at(const domain *d, double c, double s, double r, double base[3]) {
  limpet_vec3_addmul(base, d->o, r * c, d->t1);
  limpet_vec3_addmul(base, base, r * s, d->t2);
}

// A number for the order of pieces in a column; 0: outside.
static unsigned long order_at(const domain *d, double c, double s, double r) {
  double base[3];
  column found;
  unsigned long hash;
  base_at(d, c, s, r, base);
  if (!column_find(d, base, halvings_order, &found)) return 0;
  hash = 1024 * (unsigned long)(found.bound[0] + 8) + (unsigned long)(found.bound[1] + 8);
  for (int k = 0; k < found.count; ++k) hash = 64 * hash + (unsigned long)found.code[k] + 1;
  return hash;
}

static double radius_end(const domain *d, double c, double s) {
  double low = 0.0, high = 2.0 * d->radius, base[3], inside;
  for (int k = 0; k < halvings + 6; ++k) {
    const double middle = 0.5 * (low + high);
    base_at(d, c, s, middle, base);
    if (column_inside(d, base, &inside)) low = middle;
    else high = middle;
  }
  return low;
}

static void ring_add(const domain *d, double c, double s, double low, double high, double weight,
                     double value[parts]) {
  for (int k = 0; k < order; ++k) {
    const double u = node_of(k), r = low + (high - low) * u * u * (3.0 - 2.0 * u),
                 rate = (high - low) * 6.0 * u * (1.0 - u);
    double base[3];
    base_at(d, c, s, r, base);
    column_add(d, base, weight * r * rate * weight_of(k), value);
  }
}

static void radius_add(const domain *d, double theta, double weight, double value[parts]) {
  const double c = cos(theta), s = sin(theta), end = radius_end(d, c, s);
  double begin = 0.0, r = 0.0;
  unsigned long now = order_at(d, c, s, r);
  const int count = d->accuracy < coarse ? rings : rings_coarse;
  for (int k = 1; k <= count; ++k) {
    const double next = end * (k == count ? 1.0 - 1e-9 : (double)k / count);
    const unsigned long there = order_at(d, c, s, next);
    for (int change = 0; now != there && change < most_pieces; ++change) {
      double a = r, b = next;
      unsigned long after = there;
      for (int i = 0; i < halvings_radius; ++i) {
        const double middle = 0.5 * (a + b);
        const unsigned long at = order_at(d, c, s, middle);
        if (at == now) a = middle;
        else b = middle, after = at;
      }
      ring_add(d, c, s, begin, b, weight, value);
      begin = r = b, now = after;
    }
    r = next;
  }
  ring_add(d, c, s, begin, end, weight, value);
}

// --------------------------------------------------------------------------- around

static void panel_add(const domain *d, double low, double high, double value[parts]) {
  for (int k = 0; k < parts; ++k) value[k] = 0.0;
  for (int k = 0; k < order; ++k)
    radius_add(d, low + (high - low) * node_of(k), (high - low) * weight_of(k), value);
}

static void panel_refine(domain *d, double low, double high, const double whole[parts], int depth,
                         double sum[parts]) {
  const double middle = 0.5 * (low + high);
  double left[parts], right[parts], gap = 0.0;
  panel_add(d, low, middle, left), panel_add(d, middle, high, right);
  for (int k = 0; k < parts; ++k)
    gap = fmax(gap, fabs(whole[k] - left[k] - right[k]) / d->most[k > 0]);
  if (gap > d->accuracy && depth < deepest) {
    panel_refine(d, low, middle, left, depth + 1, sum);
    panel_refine(d, middle, high, right, depth + 1, sum);
    return;
  }
  d->error += gap;
  for (int k = 0; k < parts; ++k) sum[k] += left[k] + right[k];
}

// --------------------------------------------------------------------------- a domain

/* A place o well inside, by ellipsoids that the gradient of the least cuts in halves; e: the normal
 * of the contact there. False: the bodies do not meet. */
static bool choose_place(domain *d) {
  double P[9] = {0}, at[3], best = -INFINITY;
  for (int i = 0; i < 3; ++i) P[4 * i] = 1.02 * d->radius * d->radius;
  limpet_vec3_copy(at, d->centre);
  for (int k = 0; k < 400; ++k) {
    double g[3], b[3];
    sight seen;
    // the gradient of the least, one axis at a time
    for (int i = 0; i < 3; ++i) {
      limpet_vec3_zero(d->e);
      d->e[i] = 1.0;
      look(d, at, &seen);
      g[i] = seen.slope;
    }
    if (seen.least > best) best = seen.least, limpet_vec3_copy(d->o, at);
    limpet_mat3_mul_vec(b, P, g);
    const double width = sqrt(fmax(0.0, limpet_vec3_dot(g, b)));
    if (seen.least + width <= 0.0) return false;
    if (!(width > 0.0) || best > 0.3 * (seen.least + width)) break;
    limpet_vec3_scale(b, 1.0 / width, b);
    limpet_vec3_addmul(at, at, 0.25, b);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) P[3 * i + j] = 9.0 / 8.0 * (P[3 * i + j] - 0.5 * b[i] * b[j]);
  }
  if (!(best > 0.0)) return false;
  sight seen;
  look(d, d->o, &seen);
  const int k = is_rigid_cell(d, 0) ? 1 : 0, m = is_rigid_cell(d, 1) ? 0 : 1;
  limpet_vec3_sub(d->e, seen.g[k], seen.g[m]);
  if (k == m) limpet_vec3_copy(d->e, seen.g[k]);
  limpet_vec3_normalize(d->e);
  limpet_vec3_tangents(d->t1, d->t2, d->e);
  return true;
}

static void domain_add(domain *d, double sum[parts]) {
  if (!choose_place(d)) return;
  double whole[first_panels][parts];
  const double step = 2.0 * LIMPET_PI / first_panels;
  double most[2] = {0.0, 0.0};
  for (int i = 0; i < first_panels; ++i) {
    panel_add(d, i * step, (i + 1) * step, whole[i]);
    most[0] += fabs(whole[i][0]), most[1] += limpet_vec3_norm(whole[i] + 1);
  }
  for (int k = 0; k < 2; ++k) d->most[k] = fmax(d->most[k], most[k]);
  for (int i = 0; i < first_panels; ++i)
    panel_refine(d, i * step, (i + 1) * step, whole[i], 0, sum);
}

static void ball_of_box(domain *d, const limpet_pressure_body *body) {
  const limpet_pressure_info *info = &body->field->info;
  double middle[3], half[3];
  for (int i = 0; i < 3; ++i) {
    middle[i] = 0.5 * (info->low[i] + info->high[i]);
    half[i] = 0.5 * (info->high[i] - info->low[i]);
  }
  limpet_pressure_to_world(d->centre, body, middle);
  d->radius = limpet_vec3_norm(half);
}

// The domain of one tetrahedron.
static void tetrahedron_bounds(domain *d, int k, int cell) {
  const limpet_pressure_body *body = d->side[k].body;
  const limpet_pressure_field *f = body->field;
  double x[4][3];
  limpet_vec3_zero(d->centre);
  for (int v = 0; v < 4; ++v) {
    limpet_pressure_to_world(x[v], body, f->vertices + 3 * f->tetrahedra[4 * cell + v]);
    limpet_vec3_addmul(d->centre, d->centre, 0.25, x[v]);
  }
  d->radius = 0.0, d->plane_count = 4;
  for (int v = 0; v < 4; ++v) {
    double u[3], w[3], *a = d->plane[v];
    limpet_vec3_sub(u, x[(v + 2) % 4], x[(v + 1) % 4]);
    limpet_vec3_sub(w, x[(v + 3) % 4], x[(v + 1) % 4]);
    limpet_vec3_cross(a, u, w), limpet_vec3_normalize(a);
    limpet_vec3_sub(u, x[v], x[(v + 1) % 4]);
    if (limpet_vec3_dot(a, u) < 0.0) limpet_vec3_neg(a, a);
    a[3] = -limpet_vec3_dot(a, x[(v + 1) % 4]);
    limpet_vec3_sub(u, x[v], d->centre);
    d->radius = fmax(d->radius, limpet_vec3_norm(u));
  }
  d->side[k].cell = cell;
}

static domain domain_of(const limpet_pressure_body *a, const limpet_pressure_body *b,
                        double accuracy) {
  domain d = {.side = {{a, -1}, {b, -1}}, .accuracy = accuracy};
  d.scale = a->field->rigid ? b->field->modulus : a->field->modulus;
  ball_of_box(&d, a->field->kind == LIMPET_SHAPE_PLANE ? b : a);
  return d;
}

bool test_potential_overlap(const limpet_pressure_body *a, const limpet_pressure_body *b) {
  domain d = domain_of(a, b, 0.0);
  return choose_place(&d);
}

static test_potential sum_up(domain *d) {
  double sum[parts] = {0};
  int mesh = -1;
  for (int k = 0; k < 2; ++k)
    if (d->side[k].body->field->kind == LIMPET_SHAPE_COUNT) mesh = k;
  if (mesh < 0) domain_add(d, sum);
  for (int c = 0; mesh >= 0 && c < d->side[mesh].body->field->cell_count; ++c) {
    tetrahedron_bounds(d, mesh, c);
    domain_add(d, sum);
  }
  test_potential r = {.energy = sum[0], .error = d->error};
  limpet_vec3_copy(r.force, sum + 1), limpet_vec3_copy(r.moment, sum + 4);
  return r;
}

test_potential test_potential_compute(const limpet_pressure_body *a, const limpet_pressure_body *b,
                                      double accuracy) {
  domain d = domain_of(a, b, accuracy);
  return sum_up(&d);
}

test_potential test_potential_of_mesh(const limpet_pressure_body *a, const limpet_pressure_body *b,
                                      bool rigid, double accuracy, double force) {
  domain d = domain_of(a, b, accuracy);
  d.rigid_cells = rigid;
  if (rigid) d.scale = b->field->modulus;
  d.most[0] = force * d.radius, d.most[1] = force;
  return sum_up(&d);
}
