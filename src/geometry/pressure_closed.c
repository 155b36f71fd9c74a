/* geometry/pressure_closed.c: a sphere, or the round end of a capsule, and a half space, one of the
 * two rigid: closed forms.
 *
 * h [m]: height of the centre over the plane, n its outward normal.
 * Compliant sphere, rigid plane: the disc |x - c| = r <= R of the plane, with p = E (1 - r/R) and
 *   dA = r dr dtheta, r from |h|; x - c = -h n + sqrt(r^2 - h^2) e(theta).
 * Rigid sphere, compliant half space: the cap x - c = R (-c n + sqrt(1 - c^2) e(theta)), c from h/R
 *   to 1, with p = E (R c - h)/H and dA = R^2 dc dtheta.
 * The integrands of area, force, moment and of the stiffness against pressing and rolling are
 * polynomials in r or c of degree three at most, and of degree two in the cosine and sine of theta:
 * eight even angles give them exactly. Friction of what spins has the distance from the axis
 * besides, which goes with the root of u, where u runs from 0 below the centre to 1: Gauss's rule
 * of three points was off by 1 %. This one is exact for 1, u, u^2, u^3 and the root of u times 1
 * and u. A capsule counts where its mantle is not touched. Cost: 24 points. */
#include <math.h>

#include "geometry/pressure_contact.h"
#include "math/vec3.h"

enum { nodes = 3, angles = 8 };
static const double node[nodes] = {0.047629943781748017158, 0.35923117204825339787,
                                   0.83621694660468309308},
                    weight[nodes] = {0.14652361386055691713, 0.46263503157575652895,
                                     0.39084135456368655391};
// cosine of even angles, 45 degrees apart; the sine stands two places before
static const double diagonal = 0.70710678118654752440;

typedef struct round_end {
  limpet_pressure_surface *surface;
  double centre[3], n[3], t[3], s[3];  // [m], [-]  W; t, s in the plane
  double radius, height;               // [m]
  double slope;                        // [Pa/m]  of the field: E/R, or E/H
  double modulus;                      // [Pa]
  bool plane_is_a, plane_is_rigid;
} round_end;

// The point at the angle number k and r [m], or c [-]: place, pressure, normal from the plane up.
static void point_at(const round_end *e, int k, double q, limpet_pressure_point *point) {
  const double eighth[angles] = {1, diagonal, 0, -diagonal, -1, -diagonal, 0, diagonal};
  const double across = eighth[k], along = eighth[(k + 6) % angles];
  const double down = e->plane_is_rigid ? e->height : e->radius * q,
               wide = e->plane_is_rigid ? sqrt(fmax(0.0, q * q - e->height * e->height))
                                        : e->radius * sqrt(fmax(0.0, 1.0 - q * q));
  double from[3];
  for (int i = 0; i < 3; ++i)
    from[i] = -down * e->n[i] + wide * (across * e->t[i] + along * e->s[i]);
  limpet_vec3_add(point->position, e->centre, from);
  double steep;
  if (e->plane_is_rigid) {
    point->pressure = e->modulus - e->slope * q;
    limpet_vec3_copy(point->normal, e->n);
    steep = e->slope * e->height / q;
  } else {
    point->pressure = e->slope * (e->radius * q - e->height);
    limpet_vec3_scale(point->normal, -1.0 / e->radius, from);
    steep = e->slope * q;
  }
  steep = fmax(0.0, steep);
  point->gradient_a = e->plane_is_a == e->plane_is_rigid ? INFINITY : steep;
  point->gradient_b = e->plane_is_a == e->plane_is_rigid ? steep : INFINITY;
  if (!e->plane_is_a) limpet_vec3_neg(point->normal, point->normal);
}

static void outline(const round_end *e, int point, int k, double low, double high) {
  // the cell reaches half way to the angles beside it: corners on these half-way angles
  double corners[12], pressures[4];
  const double cells[4] = {low, low, high, high};
  round_end turned = *e;
  const double c = cos(LIMPET_PI / angles), s = sin(LIMPET_PI / angles);
  for (int v = 0; v < 4; ++v) {
    const double side = v == 0 || v == 3 ? -s : s;
    limpet_pressure_point at;
    for (int i = 0; i < 3; ++i) {
      turned.t[i] = c * e->t[i] + side * e->s[i];
      turned.s[i] = c * e->s[i] - side * e->t[i];
    }
    point_at(&turned, k, cells[v], &at);
    limpet_vec3_copy(corners + 3 * v, at.position);
    pressures[v] = at.pressure;
  }
  limpet_pressure_add_outline(e->surface, point, corners, pressures, 4);
}

// All points with r or c from low to high.
static void add_stretch(const round_end *e, double low, double high, int part) {
  if (!(high > low)) return;
  const double length = high - low, turn = 2.0 * LIMPET_PI / angles;
  double before = low;
  for (int i = 0; i < nodes; ++i) {
    // a compliant sphere is below its centre at the low end, a cap at the high end
    const int j = e->plane_is_rigid ? i : nodes - 1 - i;
    const double along = e->plane_is_rigid ? node[j] : 1.0 - node[j];
    const double q = low + length * along, share = length * weight[j];
    const double area = share * turn * (e->plane_is_rigid ? q : e->radius * e->radius);
    for (int k = 0; k < angles; ++k) {
      limpet_pressure_point point = {.area = area, .element_a = -1, .element_b = -1};
      point.feature = (uint64_t)1 << 61 | (uint64_t)(part * nodes * angles + i * angles + k);
      point_at(e, k, q, &point);
      const int at = limpet_pressure_add_point(e->surface, &point);
      if (at >= 0 && e->surface->workspace->query->polygons)
        outline(e, at, k, before, before + share);
    }
    before += share;
  }
}

/* Whether all of the surface lies on the half sphere that looks along `axis` from the centre: a
 * capsule's end. `out`: how far along the plane it reaches, `down` its least depth, as in point_at.
 */
static bool is_on_end(const round_end *e, const double axis[3], double down, double out) {
  const double along = limpet_vec3_dot(e->n, axis);
  return -down * along - out * sqrt(fmax(0.0, 1.0 - along * along)) >= 0.0;
}

static bool add_sphere(round_end *e, const double *axis, double least) {
  const double R = e->radius, h = e->height;
  if (e->plane_is_rigid) {
    // out to where p falls to the least
    const double end = R * (1.0 - least / e->modulus), low = fabs(h);
    if (low >= end) return !axis || h > 0.0;  // the mantle of a sunk capsule may be there
    if (axis && !is_on_end(e, axis, h, sqrt(end * end - low * low))) return false;
    add_stretch(e, low, fmin(end, R), 0);
    add_stretch(e, fmax(low, R), end, 1);
    return true;
  }
  const double deep = fmax(h / R, -1.0), end = fmax((h + least / e->slope) / R, -1.0);
  if (end >= 1.0) return true;
  if (axis && !is_on_end(e, axis, R * end, R * sqrt(fmax(0.0, 1.0 - end * end)))) return false;
  add_stretch(e, fmin(deep, 1.0), 1.0, 0);
  add_stretch(e, end, fmin(deep, 1.0), 1);
  return true;
}

bool limpet_pressure_closed(limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  round_end e = {.surface = surface, .plane_is_a = work->a->field->kind == LIMPET_SHAPE_PLANE};
  const limpet_pressure_body *plane = e.plane_is_a ? work->a : work->b,
                             *body = e.plane_is_a ? work->b : work->a;
  const limpet_pressure_field *field = body->field;
  const bool capsule = field->kind == LIMPET_SHAPE_CAPSULE;
  if (plane->field->kind != LIMPET_SHAPE_PLANE ||
      (field->kind != LIMPET_SHAPE_SPHERE && !capsule) || plane->field->rigid == field->rigid)
    return false;
  e.plane_is_rigid = plane->field->rigid;
  const limpet_pressure_field *soft = e.plane_is_rigid ? field : plane->field;
  e.modulus = soft->modulus, e.slope = soft->modulus / soft->depth, e.radius = field->size[0];
  double axis[3], up[3];
  for (int i = 0; i < 3; ++i) {
    e.t[i] = plane->rotation[3 * i], e.s[i] = plane->rotation[3 * i + 1];
    e.n[i] = plane->rotation[3 * i + 2], axis[i] = body->rotation[3 * i + 2];
  }
  // the lower end of a capsule
  const double side = limpet_vec3_dot(axis, e.n) > 0.0 ? -1.0 : 1.0;
  limpet_vec3_scale(axis, side, axis);
  limpet_vec3_addmul(e.centre, body->position, capsule ? field->size[1] : 0.0, axis);
  limpet_vec3_sub(up, e.centre, plane->position);
  e.height = limpet_vec3_dot(up, e.n);
  limpet_vec3_copy(work->origin, body->position);
  return add_sphere(&e, capsule ? axis : NULL, limpet_pressure_least(work));
}
