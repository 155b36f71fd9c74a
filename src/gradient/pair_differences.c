/* gradient/pair_differences.c: how the points of a pair move with geom B, by differences of fourth
 * order of points with the same feature:
 *   [8 g(+E) - 8 g(-E) - g(+2 E) + g(-2 E)]/(12 E)
 * Narrower ones where something switches within them; contact surfaces on a scale of their own.
 * Cost: 24 queries, 12 with a ball. */
#include <math.h>
#include <string.h>

#include "collide/pressure.h"
#include "gradient/pair_view.h"
#include "gradient/twist.h"
#include "math/vec3.h"

// [-]  jump of a slope within the differences that counts as a kink
static const double kink_share = 1e-7;
/* [-]  of the stiffness of a whole contact surface: each of its points may add as much, and those
 * of slivers bend on scales of their own */
static const double pressed_share = 1e-8;
// [-]  of its width, where a difference has a kink; at last it as it is
enum { TRIES = 3 };
static const double narrower[TRIES] = {0.03, 1e-3, 1.0};
// [-]  of the depth of a contact surface that its differences span: it grows as the root of depth
static const double surface_share = 1e-4;

static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
static const double bends[4] = {-0.5, 2.0, 2.0, -0.5};  // 2 J(E) - J(2 E): column_differences.h

// What is differentiated of one contact, and the point that it acts at.
enum { POINT = 0, NORMAL = 3, DISTANCE = 6, FORCE = 7, STIFFNESS = 8, SHEAR = 9, NUMBERS = 10 };

typedef struct differences {
  const limpet_pair_view *view;
  limpet_pair_mover mover;
  double *rest, *slope, *jump;  // (count x NUMBERS)
  double
      natural[3];  // of a surface: slopes of force, stiffness, shear that jumps are compared with
  unsigned char *kinked;
} differences;

static void numbers_of(const limpet_contact_point *point, double share, double numbers[NUMBERS]) {
  for (int e = 0; e < 3; ++e)
    numbers[POINT + e] = share * point->on_a[e] + (1.0 - share) * point->on_b[e];
  limpet_vec3_copy(numbers + NORMAL, point->normal);
  numbers[DISTANCE] = point->distance;
  numbers[FORCE] = numbers[STIFFNESS] = numbers[SHEAR] = 0.0;
}

/* [m, rad]  of the differences of a surface along twist k, by its depth and how far from P it
 * reaches; `width` at most. */
static double surface_width(differences *d, int k, double width) {
  const limpet_pair_view *view = d->view;
  double depth = 0.0, lever = 0.0, stiffness = 0.0;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = limpet_pair_contact(view, i);
    double arm[3];
    limpet_vec3_sub(arm, contact->point.on_a, view->P);
    lever = fmax(lever, limpet_vec3_norm(arm));
    depth = fmax(depth, -contact->point.distance);
    stiffness += contact->area * contact->gradient;
  }
  const double along = k < 3 ? fmax(lever, depth) : 1.0;  // [m/rad, -]
  d->natural[0] = along * stiffness;
  d->natural[1] = d->natural[2] = depth > 0.0 ? d->natural[0] / depth : INFINITY;
  return depth > 0.0 ? fmin(width, surface_share * depth / along) : width;
}

static void surface_numbers(const limpet_collision_contact *contact, double numbers[NUMBERS]) {
  numbers[FORCE] = contact->area * contact->pressure;
  numbers[STIFFNESS] = contact->area * contact->gradient;
  numbers[SHEAR] = contact->area * contact->shear_gradient;
}

// A point that lost its feature: on_b moves with B, the normal stays.
static void carry(const differences *d, int k, double by, limpet_contact_point *point) {
  double moved[3], gap[3];
  limpet_twist_at(d->view->P, k, point->on_b, moved);
  limpet_vec3_addmul(point->on_b, point->on_b, by, moved);
  limpet_vec3_sub(gap, point->on_b, point->on_a);
  point->distance = limpet_vec3_dot(gap, point->normal);
}

static void add(const differences *d, int i, const double numbers[NUMBERS], double place_weight,
                double place_bend) {
  double *rest = d->rest + NUMBERS * i, *slope = d->slope + NUMBERS * i,
         *jump = d->jump + NUMBERS * i;
  for (int e = 0; e < NUMBERS; ++e) {
    slope[e] += place_weight * (numbers[e] - rest[e]);
    jump[e] += place_bend * (numbers[e] - rest[e]);
  }
}

// All contacts of the pair with B moved, from the shapes' own function.
static void look(differences *d, int k, double by, double weight, double bend) {
  const limpet_pair_view *view = d->view;
  limpet_probe *probe = view->probe;
  limpet_pair_move_along(&d->mover, k, by);
  limpet_pair_ask(&d->mover);
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = limpet_pair_contact(view, i);
    const limpet_contact_point *now =
        contact->acts_on == LIMPET_ACTS_BETWEEN
            ? limpet_pair_find(&d->mover.manifold, contact->point.feature)
            : NULL;
    limpet_contact_point point = now ? *now : contact->point;
    double numbers[NUMBERS];
    if (!now) carry(d, k, by, &point), probe->carried[view->first + i] = true;
    numbers_of(&point, limpet_pair_share(view, contact), numbers);
    add(d, i, numbers, weight, bend);
  }
}

// The same of a contact surface. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status look_at_surface(differences *d, int k, double by, double weight, double bend,
                                     limpet_arena *arena) {
  const limpet_pair_view *view = d->view;
  limpet_probe *probe = view->probe;
  const limpet_collision *solved = &probe->residual->solved->collision;
  const limpet_collision_pair *pair = view->pair;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_pair_move_along(&d->mover, k, by);
  const limpet_pressure_surface *surface = limpet_pressure_of_pair(
      probe->model, probe->data, pair, pair->margin + pair->gap + pair->reach, solved->surfaces);
  limpet_collision found = {.surfaces = solved->surfaces};
  if (surface) found.contact = LIMPET_TAKE(arena, limpet_collision_contact, surface->point_count);
  if (!surface || !found.contact) return LIMPET_ERROR_MEMORY;
  limpet_pressure_append(surface, 0, &found);
  for (int i = 0; i < view->count; ++i) {
    limpet_collision_contact contact = *limpet_pair_contact(view, i);
    const limpet_collision_contact *now = NULL;
    for (int c = 0; c < found.contact_count && !now; ++c)
      if (found.contact[c].point.feature == contact.point.feature) now = &found.contact[c];
    double numbers[NUMBERS];
    if (now) {
      contact.point = now->point;
      contact.area = now->area, contact.pressure = now->pressure, contact.gradient = now->gradient;
      contact.shear_gradient = now->shear_gradient;
    } else {
      const double before = contact.point.distance;
      if (contact.pressure > 0.0) d->kinked[view->first + i] |= (unsigned char)(1u << k);
      carry(d, k, by, &contact.point);
      contact.pressure -= contact.gradient * contact.point.distance;
      contact.point.distance += before;
    }
    numbers_of(&contact.point, view->share_a, numbers);
    surface_numbers(&contact, numbers);
    add(d, i, numbers, weight, bend);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Slopes of twist k into the changes.
static void put(const differences *d, int k) {
  const limpet_pair_view *view = d->view;
  for (int i = 0; i < view->count; ++i) {
    const double *slope = d->slope + NUMBERS * i, *jump = d->jump + NUMBERS * i,
                 *n = limpet_pair_contact(view, i)->point.normal;
    limpet_point_change *to = &view->change[6 * i + k];
    double largest = 0.0, size = 1.0;
    bool pressed = false;
    limpet_vec3_copy(to->point, slope + POINT);
    limpet_vec3_cross(to->turn, n, slope + NORMAL);
    to->distance = slope[DISTANCE];
    to->force = slope[FORCE], to->stiffness = slope[STIFFNESS], to->shear = slope[SHEAR];
    for (int e = 0; e <= DISTANCE; ++e) {
      largest = fmax(largest, fabs(jump[e]));
      size = fmax(size, fabs(slope[e]));
    }
    for (int e = FORCE; e < NUMBERS; ++e)
      pressed = pressed || fabs(jump[e]) > pressed_share * d->natural[e - FORCE];
    if (pressed || largest > kink_share * size)
      d->kinked[view->first + i] |= (unsigned char)(1u << k);
  }
}

static bool is_rigid_plane(const limpet_model *model, int geom) {
  return model->geom_kind[geom] == LIMPET_SHAPE_PLANE &&
         !isfinite(model->geom_material[geom].elastic_modulus);
}

static bool has_rigid_plane(const limpet_pair_view *view) {
  const limpet_model *model = view->probe->model;
  return is_rigid_plane(model, view->pair->geom_a) || is_rigid_plane(model, view->pair->geom_b);
}

static bool is_ball(const limpet_pair_view *view, int geom) {
  return view->probe->model->geom_kind[geom] == LIMPET_SHAPE_SPHERE;
}

/* Where one of the two is a ball, which may turn about its centre c as it likes: rotations of B
 * about P follow from translations along e x (c - P). About the centre of ball A both turn as one.
 */
static void turn_ball(const limpet_pair_view *view, unsigned char *kinked) {
  const bool b = is_ball(view, view->pair->geom_b);
  const double *c =
      view->probe->data->geom_position + 3 * (b ? view->pair->geom_b : view->pair->geom_a);
  for (int i = 0; i < view->count; ++i)
    for (int k = 0; k < 3; ++k) {
      limpet_point_change *to = &view->change[6 * i + k];
      double along[3], part[3];
      *to = (limpet_point_change){0};
      limpet_twist_at(view->P, k, c, along);
      for (int e = 0; e < 3; ++e) {
        const limpet_point_change *from = &view->change[6 * i + 3 + e];
        limpet_vec3_addmul(to->point, to->point, along[e], from->point);
        limpet_vec3_addmul(to->turn, to->turn, along[e], from->turn);
        to->distance += along[e] * from->distance;
        to->force += along[e] * from->force;
        to->stiffness += along[e] * from->stiffness;
        to->shear += along[e] * from->shear;
        if (along[e] != 0.0 && (kinked[view->first + i] >> (3 + e) & 1))
          kinked[view->first + i] |= (unsigned char)(1u << k);
      }
      if (b) continue;
      double acting[3];
      const limpet_collision_contact *contact = limpet_pair_contact(view, i);
      const double share = limpet_pair_share(view, contact);
      for (int e = 0; e < 3; ++e)
        acting[e] = share * contact->point.on_a[e] + (1.0 - share) * contact->point.on_b[e];
      limpet_twist_at(c, k, acting, part);
      limpet_vec3_add(to->point, to->point, part);
      to->turn[k] += 1.0;
    }
}

static bool is_kinked(const differences *d, int k) {
  for (int i = 0; i < d->view->count; ++i)
    if (d->kinked[d->view->first + i] >> k & 1) return true;
  return false;
}

// Slopes along twist k by points a width E apart. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status difference(differences *d, int k, double E, bool surface,
                                limpet_arena *arena) {
  const size_t size = NUMBERS * (size_t)d->view->count;
  memset(d->slope, 0, size * sizeof *d->slope);
  memset(d->jump, 0, size * sizeof *d->jump);
  for (int i = 0; i < d->view->count; ++i)
    d->kinked[d->view->first + i] &= (unsigned char)~(1u << k);
  for (int s = 0; s < 4; ++s) {
    const double by = places[s] * E, weight = weights[s] / E, bend = bends[s] / E;
    if (!surface) look(d, k, by, weight, bend);
    else if (look_at_surface(d, k, by, weight, bend, arena)) return LIMPET_ERROR_MEMORY;
  }
  put(d, k);
  return LIMPET_OK;
}

limpet_status limpet_pair_by_differences(const limpet_pair_view *view, double width,
                                         limpet_arena *arena, unsigned char *kinked) {
  const int b = view->pair->geom_b, count = view->count;
  const bool surface = limpet_pair_contact(view, 0)->area > 0.0;
  const size_t size = NUMBERS * (size_t)count;
  differences d = {.view = view,
                   .rest = LIMPET_TAKE(arena, double, size),
                   .slope = LIMPET_TAKE(arena, double, size),
                   .jump = LIMPET_TAKE(arena, double, size),
                   .kinked = kinked};
  if (!d.rest || !d.slope || !d.jump) return LIMPET_ERROR_MEMORY;
  limpet_pair_mover_make(&d.mover, view, arena);
  for (int i = 0; i < count; ++i) {
    const limpet_collision_contact *contact = limpet_pair_contact(view, i);
    numbers_of(&contact->point, limpet_pair_share(view, contact), d.rest + NUMBERS * i);
    if (surface) surface_numbers(contact, d.rest + NUMBERS * i);
  }
  limpet_status status = LIMPET_OK;
  // points of a surface that is not flat turn with a ball
  const bool ball = (is_ball(view, view->pair->geom_a) || is_ball(view, b)) &&
                    (!surface || has_rigid_plane(view));
  for (int k = ball ? 3 : 0; k < 6 && status == LIMPET_OK; ++k) {
    const double E = surface ? surface_width(&d, k, width) : width;
    status = difference(&d, k, E, surface, arena);
    // what switches near by, but not here
    for (int s = 0; s < TRIES && is_kinked(&d, k) && status == LIMPET_OK; ++s)
      status = difference(&d, k, E * narrower[s], surface, arena);
  }
  if (d.mover.manifold.failed) status = LIMPET_ERROR_MEMORY;
  limpet_pair_move_back(&d.mover);
  if (ball) turn_ball(view, kinked);
  return status;
}
