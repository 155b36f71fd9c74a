/* gradient/pair_change.c: see pair_change.h.
 *
 *   half space A   c the core of B's point (plane_core.h), n and the plane stay:
 *                  d phi = n . dc,  d p_B = dc,  d p_A = dc - n d phi
 *   half space B   the same where A moves backwards, and then all of it with the twist
 *   balls, capsules  core_change.h, but where a capsule's cylinder ends or two are nearly parallel
 *   two boxes      box_change.h
 *   boxes and hulls  hull_change.h, but where another face or another name of a point begins within
 *                  a thousandth of the differences
 *   one point of others, one of which is curved   touch_change.h, but where a nearest point comes
 *                  to another feature within three widths of the differences
 *   else           [8 g(+E) - 8 g(-E) - g(+2 E) + g(-2 E)]/(12 E) of points with the same feature
 *
 * Cost: closed forms 60 to 150 flops a twist, of hulls two queries that know their face, or three;
 * differences 24 queries a pair, 12 with a ball. */
#include "gradient/pair_change.h"

#include <math.h>
#include <string.h>

#include "collide/pressure.h"
#include "collide/shape_of_geom.h"
#include "gradient/core_change.h"
#include "gradient/hull_change.h"
#include "gradient/plane_core.h"
#include "gradient/touch_change.h"
#include "gradient/twist.h"
#include "math/quaternion.h"
#include "math/vec3.h"

// [-]  jump of a slope within the differences that counts as a kink
static const double kink_share = 1e-7;
// [m]  from where a capsule's cylinder ends: nearer, differences tell whether that matters
static const double near_end = 1e-4;
// [-]  widths of the differences, which span two, within which the features must stay the same
static const double reach_widths = 3.0;
/* [-]  of the stiffness of a whole contact surface: each of its points may add as much, and those
 * of slivers bend on scales of their own */
static const double pressed_share = 1e-8;
// [-]  of the differences: within which boxes and hulls must meet by the same faces and edges
static const double beside_share = 1e-3;
// [-]  of its width, where a difference has a kink; at last it as it is
enum { TRIES = 3 };
static const double narrower[TRIES] = {0.03, 1e-3, 1.0};
// [-]  of the depth of a contact surface that its differences span: it grows as the root of depth
static const double surface_share = 1e-4;

// One pair, its contacts and what is filled.
typedef struct pair_view {
  limpet_probe *probe;
  const limpet_collision_pair *pair;
  double share_a;  // of the acting point
  int first, count;
  const double *P;
  limpet_point_change *change;  // (count x 6)
} pair_view;

static const limpet_collision_contact *contact_of(const pair_view *view, int i) {
  const limpet_solved_step *solved = view->probe->residual->solved;
  const int source = solved->problem.contact_source[view->first + i];
  return &solved->collision.contact[solved->records.record[source].found];
}

static double share_of(const pair_view *view, const limpet_collision_contact *contact) {
  if (contact->acts_on == LIMPET_ACTS_BETWEEN) return view->share_a;
  return contact->acts_on == LIMPET_ACTS_ON_A ? 1.0 : 0.0;
}

// -------------------------------------------------------------------------- closed forms

/* Whether all points of a hull take part: where there are more they are thinned, to other ones as
 * it moves. */
static bool is_whole(const pair_view *view, int geom) {
  const limpet_model *model = view->probe->model;
  return model->geom_kind[geom] != LIMPET_SHAPE_MESH ||
         (view->count < LIMPET_MANIFOLD_POINTS && !model->mesh[model->geom_mesh[geom]].heights);
}

static void against_plane(const pair_view *view, int i, bool plane_is_b,
                          const limpet_plane_core *core) {
  const limpet_collision_contact *contact = contact_of(view, i);
  const double *n = contact->point.normal, share = share_of(view, contact);
  for (int k = 0; k < 6; ++k) {
    limpet_point_change *to = &view->change[6 * i + k];
    double moved[3];
    *to = (limpet_point_change){0};
    limpet_plane_core_at(core, view->P, k, moved);
    to->distance = limpet_vec3_dot(n, moved);
    if (!plane_is_b) {
      limpet_vec3_addmul(to->point, moved, -share * to->distance, n);
      continue;
    }
    // in the frame of the half space A's core moves backwards
    const double across = (1.0 - share) * to->distance;
    double acting[3];
    limpet_vec3_addmul(acting, contact->point.on_a, (1.0 - share) * contact->point.distance, n);
    limpet_twist_at(view->P, k, acting, to->point);
    limpet_vec3_sub(to->point, to->point, moved);
    limpet_vec3_addmul(to->point, to->point, across, n);
    if (k < 3) to->turn[k] = 1.0;
  }
}

// Whether all contacts of the pair are between a half space and cores.
static bool plane_pair(const pair_view *view, double width) {
  const limpet_model *model = view->probe->model;
  const int a = view->pair->geom_a, b = view->pair->geom_b;
  const bool of_a = model->geom_kind[a] == LIMPET_SHAPE_PLANE,
             of_b = model->geom_kind[b] == LIMPET_SHAPE_PLANE;
  if (!of_a && !of_b) return false;
  const int geom = of_b ? a : b;
  if (view->probe->settings->compatibility.single_point || !is_whole(view, geom)) return false;
  const limpet_shape shape = limpet_shape_of_geom(model, view->probe->data, geom);
  for (int i = 0; i < view->count; ++i) {
    const limpet_contact_point *point = &contact_of(view, i)->point;
    double away[3];
    limpet_plane_core core;
    limpet_vec3_scale(away, of_b ? -1.0 : 1.0, point->normal);
    if (contact_of(view, i)->acts_on != LIMPET_ACTS_BETWEEN ||
        !limpet_plane_core_make(&shape, of_b ? point->on_a : point->on_b, point->feature, away,
                                reach_widths * width, &core))
      return false;
    against_plane(view, i, of_b, &core);
  }
  return true;
}

// Rates of both points into the changes of contact i.
static void put_rates(const pair_view *view, int i, const limpet_box_point_change rate[6]) {
  const double share = share_of(view, contact_of(view, i));
  for (int k = 0; k < 6; ++k) {
    limpet_point_change *to = &view->change[6 * i + k];
    *to = (limpet_point_change){.distance = rate[k].distance};
    limpet_vec3_copy(to->turn, rate[k].turn);
    limpet_vec3_scale(to->point, share, rate[k].on_a);
    limpet_vec3_addmul(to->point, to->point, 1.0 - share, rate[k].on_b);
  }
}

// Balls and capsules: core_change.h.
static bool core_pair(const pair_view *view) {
  const limpet_model *model = view->probe->model;
  const limpet_collision_contact *contact = contact_of(view, 0);
  const bool balls = model->geom_kind[view->pair->geom_a] == LIMPET_SHAPE_SPHERE &&
                     model->geom_kind[view->pair->geom_b] == LIMPET_SHAPE_SPHERE;
  if (view->count != 1 || contact->acts_on != LIMPET_ACTS_BETWEEN ||
      (view->probe->settings->compatibility.single_point && !balls))
    return false;
  const limpet_shape a = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_a),
                     b = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_b);
  limpet_box_point_change rate[6];
  if (!limpet_core_point_rates(&a, &b, &contact->point, view->P, near_end, rate)) return false;
  put_rates(view, 0, rate);
  return true;
}

static bool is_round(limpet_shape_kind kind) {
  return kind == LIMPET_SHAPE_SPHERE || kind == LIMPET_SHAPE_ELLIPSOID;
}

// A single point of contact with something curved: touch_change.h.
static bool touch_pair(const pair_view *view, double width) {
  const limpet_model *model = view->probe->model;
  const limpet_shape a = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_a),
                     b = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_b);
  const limpet_collision_contact *contact = contact_of(view, 0);
  if (view->count != 1 || contact->acts_on != LIMPET_ACTS_BETWEEN ||
      (a.kind >= LIMPET_SHAPE_BOX && b.kind >= LIMPET_SHAPE_BOX))
    return false;
  // of flat sides one point may stand for several, and be none of the nearest ones
  if (view->probe->settings->compatibility.single_point && !is_round(a.kind) && !is_round(b.kind))
    return false;
  limpet_box_point_change rate[6];
  if (!limpet_touch_point_rates(&a, &b, &contact->point, view->P, reach_widths * width, rate))
    return false;
  put_rates(view, 0, rate);
  return true;
}

// Two boxes: box_change.h. `kinked` as in limpet_pair_change.
static bool box_pair(const pair_view *view, unsigned char *kinked) {
  const limpet_model *model = view->probe->model;
  const int geom[2] = {view->pair->geom_a, view->pair->geom_b};
  if (model->geom_kind[geom[0]] != LIMPET_SHAPE_BOX ||
      model->geom_kind[geom[1]] != LIMPET_SHAPE_BOX)
    return false;
  const limpet_shape a = limpet_shape_of_geom(model, view->probe->data, geom[0]),
                     b = limpet_shape_of_geom(model, view->probe->data, geom[1]);
  limpet_box_meeting meeting;
  if (!limpet_box_meeting_make(&a, &b, contact_of(view, 0)->point.normal, &meeting)) return false;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = contact_of(view, i);
    limpet_box_point_change rate[6];
    if (contact->acts_on != LIMPET_ACTS_BETWEEN ||
        !limpet_box_point_rates(&meeting, &contact->point, view->P, rate))
      return false;
    put_rates(view, i, rate);
  }
  const unsigned char kinks = meeting.tie_apart ? 63 : meeting.tie ? 7 : 0;
  for (int i = 0; i < view->count; ++i) kinked[view->first + i] |= kinks;
  return true;
}

// -------------------------------------------------------------------------- other poses of geom B

// Geom B at the start, and what its contacts are asked into.
typedef struct mover {
  const pair_view *view;
  limpet_manifold manifold;
  double position[3], rotation[9];
} mover;

static void mover_make(mover *m, const pair_view *view, limpet_arena *arena) {
  const int b = view->pair->geom_b;
  m->view = view;
  limpet_manifold_create(&m->manifold, arena);
  limpet_vec3_copy(m->position, view->probe->data->geom_position + 3 * b);
  limpet_mat3_copy(m->rotation, view->probe->data->geom_rotation + 9 * b);
}

// B turned by turn [rad] about P, then shifted [m].
static void move_geom(const mover *m, const double turn[3], const double shift[3]) {
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  double *position = data->geom_position + 3 * b, *rotation = data->geom_rotation + 9 * b;
  double quaternion[4], R[9], arm[3];
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul(rotation, R, m->rotation);
  limpet_vec3_sub(arm, m->position, m->view->P);
  limpet_mat3_mul_vec(position, R, arm);
  limpet_vec3_add(position, position, m->view->P);
  limpet_vec3_add(position, position, shift);
}

static void move_along(const mover *m, int k, double by) {
  double twist[6] = {0.0};
  twist[k] = by;
  if (k < 3) {
    move_geom(m, twist, twist + 3);
    return;
  }
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  limpet_vec3_add(data->geom_position + 3 * b, m->position, twist + 3);
  limpet_mat3_copy(data->geom_rotation + 9 * b, m->rotation);
}

static void move_back(const mover *m) {
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  limpet_vec3_copy(data->geom_position + 3 * b, m->position);
  limpet_mat3_copy(data->geom_rotation + 9 * b, m->rotation);
}

// The points of the pair where B is now. Faces or edges of the last time make it cheap.
static void ask(mover *m) {
  const pair_view *view = m->view;
  const limpet_probe *probe = view->probe;
  const limpet_shape a = limpet_shape_of_geom(probe->model, probe->data, view->pair->geom_a);
  const limpet_shape b = limpet_shape_of_geom(probe->model, probe->data, view->pair->geom_b);
  const double reach =
      fmax(0.0, view->pair->margin + view->pair->gap + view->pair->reach) + probe->slack;
  limpet_shape_contacts(&m->manifold, &a, &b, reach, probe->settings->compatibility.single_point);
}

static const limpet_contact_point *find(const limpet_manifold *manifold, uint64_t feature) {
  for (int i = 0; i < manifold->count; ++i)
    if (manifold->point[i].feature == feature) return &manifold->point[i];
  return NULL;
}

// -------------------------------------------------------------------------- boxes and hulls

static bool has_all_points(const mover *m) {
  for (int i = 0; i < m->view->count; ++i)
    if (!find(&m->manifold, contact_of(m->view, i)->point.feature)) return false;
  return true;
}

// The same face carries, or the same edges are nearest.
static bool rests_alike(const limpet_rest *a, const limpet_rest *b) {
  if (a->face >= 0 || b->face >= 0) return a->face == b->face && a->of_b == b->of_b;
  for (int k = 0; k < 2; ++k)
    if (a->edges.a[k] != b->edges.a[k] || a->edges.b[k] != b->edges.b[k]) return false;
  return true;
}

/* Whether the same meets a little to both sides of a motion that is none of the six alone: also
 * where more points than a manifold has are thinned. */
static bool goes_on(mover *m, double width) {
  static const double turn[3] = {0.58, -0.44, 0.69}, shift[3] = {-0.61, 0.52, 0.6};
  const limpet_rest rest = m->manifold.rest;
  bool same = true;
  for (int side = -1; side <= 1 && same; side += 2) {
    double by_turn[3], by_shift[3];
    limpet_vec3_scale(by_turn, side * beside_share * width, turn);
    limpet_vec3_scale(by_shift, side * beside_share * width, shift);
    move_geom(m, by_turn, by_shift);
    ask(m);
    same = rests_alike(&m->manifold.rest, &rest) && has_all_points(m);
  }
  move_back(m);
  return same;
}

// Boxes and hulls: hull_change.h.
static bool hull_pair(const pair_view *view, double width, limpet_arena *arena) {
  const limpet_shape a = limpet_shape_of_geom(view->probe->model, view->probe->data,
                                              view->pair->geom_a),
                     b = limpet_shape_of_geom(view->probe->model, view->probe->data,
                                              view->pair->geom_b);
  const double *n = contact_of(view, 0)->point.normal;
  limpet_hull_meeting meeting;
  mover m;
  if (!limpet_hull_is_polyhedron(&a) || !limpet_hull_is_polyhedron(&b) ||
      view->probe->settings->compatibility.single_point)
    return false;
  mover_make(&m, view, arena);
  m.manifold.rest = limpet_hull_rest_of(&a, &b, n);
  // edges are not known before the narrow phase tells; a face is held against it to both sides
  if (m.manifold.rest.face < 0) {
    ask(&m);
    if (!has_all_points(&m)) return false;
  }
  if (!limpet_hull_meeting_make(&a, &b, n, &m.manifold.rest, &meeting)) return false;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = contact_of(view, i);
    limpet_box_point_change rate[6];
    if (contact->acts_on != LIMPET_ACTS_BETWEEN ||
        !limpet_hull_point_rates(&meeting, &contact->point, view->P, rate))
      return false;
    put_rates(view, i, rate);
  }
  return goes_on(&m, width);
}

// -------------------------------------------------------------------------- differences

static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
static const double bends[4] = {-0.5, 2.0, 2.0, -0.5};  // 2 J(E) - J(2 E): column_differences.h

// What is differentiated of one contact, and the point that it acts at.
enum { POINT = 0, NORMAL = 3, DISTANCE = 6, FORCE = 7, STIFFNESS = 8, SHEAR = 9, NUMBERS = 10 };

typedef struct differences {
  const pair_view *view;
  mover mover;
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
  const pair_view *view = d->view;
  double depth = 0.0, lever = 0.0, stiffness = 0.0;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = contact_of(view, i);
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
  const pair_view *view = d->view;
  limpet_probe *probe = view->probe;
  move_along(&d->mover, k, by);
  ask(&d->mover);
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = contact_of(view, i);
    const limpet_contact_point *now = contact->acts_on == LIMPET_ACTS_BETWEEN
                                          ? find(&d->mover.manifold, contact->point.feature)
                                          : NULL;
    limpet_contact_point point = now ? *now : contact->point;
    double numbers[NUMBERS];
    if (!now) carry(d, k, by, &point), probe->carried[view->first + i] = true;
    numbers_of(&point, share_of(view, contact), numbers);
    add(d, i, numbers, weight, bend);
  }
}

// The same of a contact surface. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status look_at_surface(differences *d, int k, double by, double weight, double bend,
                                     limpet_arena *arena) {
  const pair_view *view = d->view;
  limpet_probe *probe = view->probe;
  const limpet_collision *solved = &probe->residual->solved->collision;
  const limpet_collision_pair *pair = view->pair;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  move_along(&d->mover, k, by);
  const limpet_pressure_surface *surface = limpet_pressure_of_pair(
      probe->model, probe->data, pair, pair->margin + pair->gap + pair->reach, solved->surfaces);
  limpet_collision found = {.surfaces = solved->surfaces};
  if (surface) found.contact = LIMPET_TAKE(arena, limpet_collision_contact, surface->point_count);
  if (!surface || !found.contact) return LIMPET_ERROR_MEMORY;
  limpet_pressure_append(surface, 0, &found);
  for (int i = 0; i < view->count; ++i) {
    limpet_collision_contact contact = *contact_of(view, i);
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
  const pair_view *view = d->view;
  for (int i = 0; i < view->count; ++i) {
    const double *slope = d->slope + NUMBERS * i, *jump = d->jump + NUMBERS * i,
                 *n = contact_of(view, i)->point.normal;
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

static bool has_rigid_plane(const pair_view *view) {
  const limpet_model *model = view->probe->model;
  return is_rigid_plane(model, view->pair->geom_a) || is_rigid_plane(model, view->pair->geom_b);
}

static bool is_ball(const pair_view *view, int geom) {
  return view->probe->model->geom_kind[geom] == LIMPET_SHAPE_SPHERE;
}

/* Where one of the two is a ball, which may turn about its centre c as it likes: rotations of B
 * about P follow from translations along e x (c - P). About the centre of ball A both turn as one.
 */
static void turn_ball(const pair_view *view, unsigned char *kinked) {
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
      const limpet_collision_contact *contact = contact_of(view, i);
      const double share = share_of(view, contact);
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

static limpet_status by_differences(const pair_view *view, double width, limpet_arena *arena,
                                    unsigned char *kinked) {
  const int b = view->pair->geom_b, count = view->count;
  const bool surface = contact_of(view, 0)->area > 0.0;
  const size_t size = NUMBERS * (size_t)count;
  differences d = {.view = view,
                   .rest = LIMPET_TAKE(arena, double, size),
                   .slope = LIMPET_TAKE(arena, double, size),
                   .jump = LIMPET_TAKE(arena, double, size),
                   .kinked = kinked};
  if (!d.rest || !d.slope || !d.jump) return LIMPET_ERROR_MEMORY;
  mover_make(&d.mover, view, arena);
  for (int i = 0; i < count; ++i) {
    const limpet_collision_contact *contact = contact_of(view, i);
    numbers_of(&contact->point, share_of(view, contact), d.rest + NUMBERS * i);
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
  move_back(&d.mover);
  if (ball) turn_ball(view, kinked);
  return status;
}

limpet_status limpet_pair_change(limpet_probe *probe, const limpet_pair_contacts *contacts,
                                 limpet_arena *arena, unsigned char *kinked,
                                 limpet_point_change *change) {
  const double width = contacts->width;
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_record *record =
      &solved->records.record[solved->problem.contact_source[contacts->first]];
  const pair_view view = {
      .probe = probe,
      .pair = &solved->collision.pair[solved->collision.contact[record->found].pair],
      .share_a = solved->records.pair[record->pair].material.share_a,
      .first = contacts->first,
      .count = contacts->count,
      .P = contacts->P,
      .change = change};
  if (record->area == 0.0 && (plane_pair(&view, width) || core_pair(&view) ||
                              box_pair(&view, kinked) || touch_pair(&view, width)))
    return LIMPET_OK;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const bool known = record->area == 0.0 && hull_pair(&view, width, arena);
  const limpet_status status = known ? LIMPET_OK : by_differences(&view, width, arena, kinked);
  limpet_arena_release(arena, mark);
  return status;
}
