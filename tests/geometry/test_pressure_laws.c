/* tests/geometry/test_pressure_laws.c: laws of contact surfaces, at random poses of all pairs of
 * shapes.
 *
 * What one computes does not depend on the frame nor on which body comes first. The points add up
 * to the integrals. Force and moment are the gradient of U = int min(p_A, p_B) dV; of linear fields
 * U is exact here by another way, cones over the faces of convex polyhedra. Of curved fields the
 * work along two ways between the same two poses is the same. Closed forms: docs/theory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "geometry/pressure_contact.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "shared_data.h"

enum { KINDS = 7, POSES = TEST_WATCHED ? 1 : 4 };
static const limpet_shape_kind kinds[KINDS] = {
    LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER,
    LIMPET_SHAPE_BOX,    LIMPET_SHAPE_MESH,      LIMPET_SHAPE_PLANE};

static limpet_pressure_field *field_of(limpet_shape_kind kind, double modulus) {
  static const double size[3] = {0.04, 0.05, 0.06};
  unsigned long seed = 7;
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  limpet_hull *hull = kind == LIMPET_SHAPE_MESH ? test_hull_random(&seed, 20, size) : NULL;
  limpet_pressure_field *field = limpet_pressure_field_of_shape(kind, size, hull, &material, NULL);
  assert_non_null(field);
  free(hull);
  return field;
}

static double norm(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }
static double gap(const double *x, const double *y) {
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return norm(d);
}

// --------------------------------------------------------------------------- poses

/* Both turned at random, B moved along a random way until the centres are 0.06 to 0.075 m apart; of
 * a half space, until its centre is 0.03 to 0.04 m high. */
static void random_poses(unsigned long *seed, limpet_shape_kind kind_a, limpet_shape_kind kind_b,
                         test_pose *a, test_pose *b) {
  double way[3];
  test_random_rotation(seed, a->rotation), test_random_rotation(seed, b->rotation);
  for (int i = 0; i < 3; ++i)
    a->position[i] = random_uniform(seed, -0.1, 0.1), way[i] = random_uniform(seed, -1.0, 1.0);
  limpet_vec3_normalize(way);
  double far = random_uniform(seed, 0.06, 0.075);
  const bool plane_a = kind_a == LIMPET_SHAPE_PLANE, plane_b = kind_b == LIMPET_SHAPE_PLANE;
  if (plane_a || plane_b) {
    const double *R = plane_a ? a->rotation : b->rotation, side = plane_a ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) way[i] = side * R[3 * i + 2];
    far = random_uniform(seed, 0.03, 0.04);
  }
  limpet_vec3_addmul(b->position, a->position, far, way);
}

static limpet_pressure_body body_of(const limpet_pressure_field *field, const test_pose *pose) {
  return (limpet_pressure_body){field, pose->position, pose->rotation};
}

typedef void pair_check(limpet_pressure_surface *surface, limpet_pressure_field *a,
                        limpet_pressure_field *b, test_pose *pa, test_pose *pb,
                        unsigned long *seed);

// Every pair at random poses, both compliant, or one rigid.
static void for_all_pairs(pair_check *check, int poses, bool linear_only) {
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = 11;
  for (int i = 0; i < KINDS; ++i)
    for (int j = 0; j < KINDS; ++j)
      for (int rigid = 0; rigid < 3; ++rigid) {
        limpet_pressure_field *a = field_of(kinds[i], rigid == 1 ? INFINITY : 1e6),
                              *b = field_of(kinds[j], rigid == 2 ? INFINITY : 2.7e6);
        const bool skip =
            (kinds[i] == LIMPET_SHAPE_PLANE && kinds[j] == LIMPET_SHAPE_PLANE) ||
            (linear_only && !(limpet_pressure_is_linear(a) && limpet_pressure_is_linear(b)));
        for (int k = 0; k < poses && !skip; ++k) {
          test_pose pa, pb;
          random_poses(&seed, kinds[i], kinds[j], &pa, &pb);
          check(surface, a, b, &pa, &pb, &seed);
        }
        limpet_pressure_field_destroy(a), limpet_pressure_field_destroy(b);
      }
  limpet_pressure_surface_destroy(surface);
}

// --------------------------------------------------------------------------- frames and order

typedef struct integrals {
  double area, force[3], moment[3];
} integrals;

static integrals integrals_of(limpet_pressure_surface *surface, const limpet_pressure_body *a,
                              const limpet_pressure_body *b, double tolerance) {
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = tolerance;
  assert_int_equal(limpet_pressure_surface_compute(surface, a, b, &query), LIMPET_OK);
  integrals r = {.area = surface->area};
  limpet_vec3_copy(r.force, surface->force), limpet_vec3_copy(r.moment, surface->moment);
  return r;
}

static const double tight = 1e-12;  // [-]  of force, area and force times 1 m
/* The deepest place of a flat rigid face in a cylinder lies on the ridge where mantle and end are
 * equally near: round-off decides on which side the sweep starts. A part of the tolerance 1e-3. */
static const double on_ridge = 1e-6;

static void integrals_agree(const integrals *x, const integrals *y, const limpet_pressure_field *fa,
                            const limpet_pressure_field *fb, double size, const char *what) {
  const bool ridge = (fa->kind == LIMPET_SHAPE_CYLINDER && fb->rigid) ||
                     (fb->kind == LIMPET_SHAPE_CYLINDER && fa->rigid);
  const double allowed = ridge ? on_ridge : tight;
  const double area = fabs(x->area / y->area - 1.0), force = gap(x->force, y->force) / size,
               moment = gap(x->moment, y->moment) / size;
  if (!(area <= allowed && force <= allowed && moment <= allowed))
    fail_msg("%s%s and %s%s in another %s: area %.3e, force %.3e, moment %.3e m off",
             fa->rigid ? "rigid " : "", limpet_shape_kind_word(fa->kind), fb->rigid ? "rigid " : "",
             limpet_shape_kind_word(fb->kind), what, area, force, moment);
}

static int frames_checked;

static void pair_keeps_frames(limpet_pressure_surface *surface, limpet_pressure_field *fa,
                              limpet_pressure_field *fb, test_pose *pa, test_pose *pb,
                              unsigned long *seed) {
  test_pose qa, qb;
  double R[9], shift[3], arm[3];
  test_random_rotation(seed, R);
  for (int i = 0; i < 3; ++i) shift[i] = random_uniform(seed, -0.2, 0.2);
  limpet_mat3_mul(qa.rotation, R, pa->rotation), limpet_mat3_mul(qb.rotation, R, pb->rotation);
  limpet_mat3_mul_vec(qa.position, R, pa->position);
  limpet_mat3_mul_vec(qb.position, R, pb->position);
  limpet_vec3_add(qa.position, qa.position, shift),
      limpet_vec3_add(qb.position, qb.position, shift);
  const limpet_pressure_body a = body_of(fa, pa), b = body_of(fb, pb), c = body_of(fa, &qa),
                             d = body_of(fb, &qb);
  const integrals here = integrals_of(surface, &a, &b, 1e-3);
  const double size = surface->pressure_integral;
  if (size < 1e-6) return;  // [N]  apart
  ++frames_checked;
  const integrals there = integrals_of(surface, &c, &d, 1e-3);
  integrals turned = here;
  limpet_mat3_mul_vec(turned.force, R, here.force),
      limpet_mat3_mul_vec(turned.moment, R, here.moment);
  limpet_vec3_cross(arm, shift, turned.force);
  limpet_vec3_add(turned.moment, turned.moment, arm);
  integrals_agree(&there, &turned, fa, fb, size, "frame");
  integrals swapped = integrals_of(surface, &b, &a, 1e-3);
  limpet_vec3_neg(swapped.force, swapped.force), limpet_vec3_neg(swapped.moment, swapped.moment);
  integrals_agree(&swapped, &here, fa, fb, size, "order");
}

static void frames_and_order_do_not_matter(void **state) {
  (void)state;
  for_all_pairs(pair_keeps_frames, POSES, false);
  assert_true(frames_checked > 75 * POSES);
}

// --------------------------------------------------------------------------- points

static void pair_has_its_points(limpet_pressure_surface *s, limpet_pressure_field *fa,
                                limpet_pressure_field *fb, test_pose *pa, test_pose *pb,
                                unsigned long *seed) {
  (void)seed;
  const limpet_pressure_body a = body_of(fa, pa), b = body_of(fb, pb);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.points = LIMPET_PRESSURE_POINTS_EXACT;
  assert_int_equal(limpet_pressure_surface_compute(s, &a, &b, &query), LIMPET_OK);
  const int growth = s->growth_count;
  double area = 0.0, force[3] = {0}, moment[3] = {0};
  for (int k = 0; k < s->point_count; ++k) {
    const limpet_pressure_point *p = &s->point[k];
    double m[3];
    assert_true(p->area > 0.0 && p->pressure >= 0.0 && p->gradient_a >= 0.0 &&
                p->gradient_b >= 0.0);
    assert_true(isinf(p->gradient_a) == fa->rigid && isinf(p->gradient_b) == fb->rigid);
    assert_true(fabs(norm(p->normal) - 1.0) < tight);
    area += p->area;
    limpet_vec3_addmul(force, force, p->area * p->pressure, p->normal);
    limpet_vec3_cross(m, p->position, p->normal);
    limpet_vec3_addmul(moment, moment, p->area * p->pressure, m);
  }
  // sums of a thousand terms; faces below a part in 1e15 of the area have no point
  const double slack = 1e-11, size = s->pressure_integral;
  assert_true(fabs(area - s->area) <= slack * s->area);
  assert_true(gap(force, s->force) <= slack * size && gap(moment, s->moment) <= slack * size);
  // the same once more takes no memory
  assert_int_equal(limpet_pressure_surface_compute(s, &a, &b, &query), LIMPET_OK);
  assert_int_equal(s->growth_count, growth);
}

static void points_add_up_to_the_integrals(void **state) {
  (void)state;
  for_all_pairs(pair_has_its_points, test_effort(2, 1), false);
}

// --------------------------------------------------------------------------- the potential

typedef struct half_spaces {
  int count;
  double plane[100][4];  // a.x + b >= 0
} half_spaces;

static void add_plane(half_spaces *h, const double a[3], double b) {
  const double n = norm(a);
  limpet_vec3_scale(h->plane[h->count], 1.0 / n, a);
  h->plane[h->count++][3] = b / n;
}

// int (g.x + c) dV over a convex polyhedron that lies within 1 m of x0: cones over its faces.
static double integral_over(const half_spaces *h, const double g[3], double c, const double x0[3]) {
  double sum = 0.0;
  for (int k = 0; k < h->count; ++k) {
    const double *n = h->plane[k], height = limpet_vec3_dot(n, x0) + n[3];
    double t[3], s[3], foot[3], area[3] = {0}, first[3] = {0};
    limpet_pressure_polygon polygon = {.count = 4};
    limpet_vec3_tangents(t, s, n);
    limpet_vec3_addmul(foot, x0, -height, n);
    for (int v = 0; v < 4; ++v)
      for (int i = 0; i < 3; ++i)
        polygon.vertex[v][i] =
            foot[i] + (v == 1 || v == 2 ? t[i] : -t[i]) + (v >= 2 ? s[i] : -s[i]);
    for (int m = 0; m < h->count && polygon.count > 0; ++m)
      if (m != k) limpet_pressure_clip(&polygon, h->plane[m], h->plane[m][3]);
    for (int v = 1; v + 1 < polygon.count; ++v) {
      double u[3], w[3], cross[3], to[3];
      limpet_vec3_sub(u, polygon.vertex[v], polygon.vertex[0]);
      limpet_vec3_sub(w, polygon.vertex[v + 1], polygon.vertex[0]);
      limpet_vec3_cross(cross, u, w);
      const double part = 0.5 * limpet_vec3_dot(cross, n);
      area[0] += part;
      for (int i = 0; i < 3; ++i) {
        to[i] = (polygon.vertex[0][i] + polygon.vertex[v][i] + polygon.vertex[v + 1][i]) / 3.0;
        first[i] += part * to[i];
      }
    }
    if (area[0] < 0.0) {
      area[0] = -area[0];
      for (int i = 0; i < 3; ++i) first[i] = -first[i];
    }
    // height is inward: a cone of height h over the area A, its centroid at 3/4 of the way
    double mean = c * area[0];
    for (int i = 0; i < 3; ++i) mean += g[i] * (0.75 * first[i] + 0.25 * area[0] * x0[i]);
    sum += height * mean / 3.0;
  }
  return sum;
}

// A cell, or the inside of a rigid body, in W.
static void planes_of_cell(half_spaces *h, const limpet_pressure_body *body, int number) {
  const limpet_pressure_field *f = body->field;
  const limpet_pressure_cell *cell = &f->cell[number];
  for (int k = 0; k < cell->plane_count; ++k) {
    const double *p = f->plane + 4 * (cell->plane_begin + k);
    double a[3];
    limpet_mat3_mul_vec(a, body->rotation, p);
    add_plane(h, a, p[3] - limpet_vec3_dot(a, body->position));
  }
}

static void planes_of_rigid(half_spaces *h, const limpet_pressure_body *body) {
  const limpet_pressure_field *f = body->field;
  const double up[3] = {0.0, 0.0, 1.0}, zero[3] = {0};
  for (int k = 0; k < (f->kind == LIMPET_SHAPE_PLANE ? 1 : f->face_count); ++k) {
    const double *n = f->kind == LIMPET_SHAPE_PLANE ? up : f->face_normal + 3 * k,
                 *x = f->kind == LIMPET_SHAPE_PLANE ? zero : f->corner + 3 * f->face_begin[k];
    double a[3], y[3];
    limpet_mat3_mul_vec(a, body->rotation, n);
    limpet_pressure_to_world(y, body, x);
    limpet_vec3_neg(a, a);
    add_plane(h, a, -limpet_vec3_dot(a, y));
  }
}

// Pressure of a cell in W.
static void pressure_in_world(const limpet_pressure_body *body, int number, double p[4]) {
  const limpet_pressure_cell *cell = &body->field->cell[number];
  limpet_mat3_mul_vec(p, body->rotation, cell->gradient);
  p[3] = cell->offset - limpet_vec3_dot(p, body->position);
}

static double potential(const limpet_pressure_body *a, const limpet_pressure_body *b) {
  double sum = 0.0;
  const int na = a->field->rigid ? 1 : a->field->cell_count,
            nb = b->field->rigid ? 1 : b->field->cell_count;
  for (int i = 0; i < na; ++i)
    for (int j = 0; j < nb; ++j)
      for (int lower = 0; lower < 2; ++lower) {  // whose pressure is the smaller
        const limpet_pressure_body *of = lower ? b : a, *other = lower ? a : b;
        if (of->field->rigid) continue;
        half_spaces h = {.count = 0};
        double p[4], q[4], d[3];
        pressure_in_world(of, lower ? j : i, p);
        planes_of_cell(&h, of, lower ? j : i);
        add_plane(&h, p, p[3]);
        if (other->field->rigid) {
          planes_of_rigid(&h, other);
        } else {
          pressure_in_world(other, lower ? i : j, q);
          planes_of_cell(&h, other, lower ? i : j);
          limpet_vec3_sub(d, q, p);
          add_plane(&h, d, q[3] - p[3]);
        }
        sum += integral_over(&h, p, p[3], a->position);
      }
  return sum;
}

// U after B has moved: along an axis [m], or turned about the origin [rad].
static double moved_potential(const limpet_pressure_body *a, const limpet_pressure_body *b,
                              int axis, bool turn, double by) {
  test_pose pose;
  double R[9], x[3];
  limpet_mat3_identity(R);
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  if (turn) R[3 * j + j] = R[3 * k + k] = cos(by), R[3 * k + j] = sin(by), R[3 * j + k] = -sin(by);
  limpet_mat3_mul(pose.rotation, R, b->rotation);
  limpet_mat3_mul_vec(x, R, b->position);
  limpet_vec3_copy(pose.position, x);
  if (!turn) pose.position[axis] += by;
  const limpet_pressure_body moved = body_of(b->field, &pose);
  return potential(a, &moved);
}

static int potentials_checked;

static void pair_has_a_potential(limpet_pressure_surface *surface, limpet_pressure_field *fa,
                                 limpet_pressure_field *fb, test_pose *pa, test_pose *pb,
                                 unsigned long *seed) {
  (void)seed;
  const limpet_pressure_body a = body_of(fa, pa), b = body_of(fb, pb);
  const integrals f = integrals_of(surface, &a, &b, 1e-3);
  const double size = surface->pressure_integral;
  if (size < 1e-3) return;  // [N]  apart, or nearly
  ++potentials_checked;
  for (int axis = 0; axis < 6; ++axis) {
    // differences of fourth order; U is a polynomial of fourth order between events
    const double h = 2e-6;  // [m], [rad]
    double u[4];
    static const int step[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; ++k) u[k] = moved_potential(&a, &b, axis % 3, axis >= 3, step[k] * h);
    const double slope = (u[0] - 8.0 * u[1] + 8.0 * u[2] - u[3]) / (12.0 * h);
    const double expected = -(axis < 3 ? f.force[axis] : f.moment[axis - 3]);
    if (!(fabs(slope - expected) <= 1e-8 * size))
      fail_msg("%s %s: -dU of axis %d is %.12g, force or moment %.12g (of %.3g N)",
               limpet_shape_kind_word(fa->kind), limpet_shape_kind_word(fb->kind), axis, -slope,
               -expected, size);
  }
}

static void force_is_the_gradient_of_the_potential(void **state) {
  (void)state;
  for_all_pairs(pair_has_a_potential, 2, true);
  assert_true(potentials_checked > 35);
}

// --------------------------------------------------------------------------- work

/* Work on B along a straight way from x to y, by Gauss's rule of 8 points: forces of
 * smooth fields are smooth along it. */
static double work_along(limpet_pressure_surface *surface, const limpet_pressure_body *a,
                         const limpet_pressure_field *fb, const double R[9], const double x[3],
                         const double y[3]) {
  static const double node[4] = {0.18343464249564981, 0.52553240991632899, 0.79666647741362674,
                                 0.96028985649753623},
                      weight[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                   0.10122853629037626};
  double sum = 0.0;
  for (int k = 0; k < 8; ++k) {
    const double s = 0.5 * (1.0 + (k < 4 ? -node[k] : node[k - 4]));
    double z[3], way[3];
    for (int i = 0; i < 3; ++i) z[i] = x[i] + s * (y[i] - x[i]), way[i] = y[i] - x[i];
    const limpet_pressure_body b = {fb, z, R};
    const integrals f = integrals_of(surface, a, &b, 1e-6);
    sum += 0.5 * weight[k % 4] * limpet_vec3_dot(f.force, way);
  }
  return sum;
}

static void work_does_not_depend_on_the_way(void **state) {
  (void)state;
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = 3;
  for (int i = 0; i < 3; ++i)
    for (int j = test_effort(0, i); j < 3; ++j) {
      limpet_pressure_field *fa = field_of(kinds[i], 1e6), *fb = field_of(kinds[j], 2.7e6);
      test_pose pa, pb;
      random_poses(&seed, kinds[i], kinds[j], &pa, &pb);
      const limpet_pressure_body a = body_of(fa, &pa);
      double corner[3][3];
      for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
          corner[c][k] = pb.position[k] + random_uniform(&seed, -3e-3, 3e-3);
      double loop = 0.0, size = 0.0;
      for (int c = 0; c < 3; ++c) {
        const double w = work_along(surface, &a, fb, pb.rotation, corner[c], corner[(c + 1) % 3]);
        loop += w, size += fabs(w);
      }
      if (!(fabs(loop) <= 1e-6 * size))
        fail_msg("%s %s: work around a loop %.3e J of %.3e J", limpet_shape_kind_word(kinds[i]),
                 limpet_shape_kind_word(kinds[j]), loop, size);
      limpet_pressure_field_destroy(fa), limpet_pressure_field_destroy(fb);
    }
  limpet_pressure_surface_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_and_order_do_not_matter),
      cmocka_unit_test(points_add_up_to_the_integrals),
      cmocka_unit_test(force_is_the_gradient_of_the_potential),
      cmocka_unit_test(work_does_not_depend_on_the_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
