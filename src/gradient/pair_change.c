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
 *   else           pair_differences.c
 *
 * Cost: closed forms 60 to 150 flops a twist, of hulls two queries that know their face, or three.
 */
#include "gradient/pair_change.h"

#include <math.h>

#include "collide/shape_of_geom.h"
#include "gradient/core_change.h"
#include "gradient/hull_change.h"
#include "gradient/pair_view.h"
#include "gradient/plane_core.h"
#include "gradient/touch_change.h"
#include "gradient/twist.h"
#include "math/vec3.h"

// [m]  from where a capsule's cylinder ends: nearer, differences tell whether that matters
static const double near_end = 1e-4;
// [-]  widths of the differences, which span two, within which the features must stay the same
static const double reach_widths = 3.0;
// [-]  of the differences: within which boxes and hulls must meet by the same faces and edges
static const double beside_share = 1e-3;

// -------------------------------------------------------------------------- closed forms

/* Whether all points of a hull take part: where there are more they are thinned, to other ones as
 * it moves. */
static bool is_whole(const limpet_pair_view *view, int geom) {
  const limpet_model *model = view->probe->model;
  return model->geom_kind[geom] != LIMPET_SHAPE_MESH ||
         (view->count < LIMPET_MANIFOLD_POINTS && !model->mesh[model->geom_mesh[geom]].heights);
}

static void against_plane(const limpet_pair_view *view, int i, bool plane_is_b,
                          const limpet_plane_core *core) {
  const limpet_collision_contact *contact = limpet_pair_contact(view, i);
  const double *n = contact->point.normal, share = limpet_pair_share(view, contact);
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
static bool plane_pair(const limpet_pair_view *view, double width) {
  const limpet_model *model = view->probe->model;
  const int a = view->pair->geom_a, b = view->pair->geom_b;
  const bool of_a = model->geom_kind[a] == LIMPET_SHAPE_PLANE,
             of_b = model->geom_kind[b] == LIMPET_SHAPE_PLANE;
  if (!of_a && !of_b) return false;
  const int geom = of_b ? a : b;
  if (view->probe->settings->compatibility.single_point || !is_whole(view, geom)) return false;
  const limpet_shape shape = limpet_shape_of_geom(model, view->probe->data, geom);
  for (int i = 0; i < view->count; ++i) {
    const limpet_contact_point *point = &limpet_pair_contact(view, i)->point;
    double away[3];
    limpet_plane_core core;
    limpet_vec3_scale(away, of_b ? -1.0 : 1.0, point->normal);
    if (limpet_pair_contact(view, i)->acts_on != LIMPET_ACTS_BETWEEN ||
        !limpet_plane_core_make(&shape, of_b ? point->on_a : point->on_b, point->feature, away,
                                reach_widths * width, &core))
      return false;
    against_plane(view, i, of_b, &core);
  }
  return true;
}

// Rates of both points into the changes of contact i.
static void put_rates(const limpet_pair_view *view, int i, const limpet_box_point_change rate[6]) {
  const double share = limpet_pair_share(view, limpet_pair_contact(view, i));
  for (int k = 0; k < 6; ++k) {
    limpet_point_change *to = &view->change[6 * i + k];
    *to = (limpet_point_change){.distance = rate[k].distance};
    limpet_vec3_copy(to->turn, rate[k].turn);
    limpet_vec3_scale(to->point, share, rate[k].on_a);
    limpet_vec3_addmul(to->point, to->point, 1.0 - share, rate[k].on_b);
  }
}

// Balls and capsules: core_change.h.
static bool core_pair(const limpet_pair_view *view) {
  const limpet_model *model = view->probe->model;
  const limpet_collision_contact *contact = limpet_pair_contact(view, 0);
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
static bool touch_pair(const limpet_pair_view *view, double width) {
  const limpet_model *model = view->probe->model;
  const limpet_shape a = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_a),
                     b = limpet_shape_of_geom(model, view->probe->data, view->pair->geom_b);
  const limpet_collision_contact *contact = limpet_pair_contact(view, 0);
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
static bool box_pair(const limpet_pair_view *view, unsigned char *kinked) {
  const limpet_model *model = view->probe->model;
  const int geom[2] = {view->pair->geom_a, view->pair->geom_b};
  if (model->geom_kind[geom[0]] != LIMPET_SHAPE_BOX ||
      model->geom_kind[geom[1]] != LIMPET_SHAPE_BOX)
    return false;
  const limpet_shape a = limpet_shape_of_geom(model, view->probe->data, geom[0]),
                     b = limpet_shape_of_geom(model, view->probe->data, geom[1]);
  limpet_box_meeting meeting;
  if (!limpet_box_meeting_make(&a, &b, limpet_pair_contact(view, 0)->point.normal, &meeting))
    return false;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = limpet_pair_contact(view, i);
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

// -------------------------------------------------------------------------- boxes and hulls

static bool has_all_points(const limpet_pair_mover *m) {
  for (int i = 0; i < m->view->count; ++i)
    if (!limpet_pair_find(&m->manifold, limpet_pair_contact(m->view, i)->point.feature))
      return false;
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
static bool goes_on(limpet_pair_mover *m, double width) {
  static const double turn[3] = {0.58, -0.44, 0.69}, shift[3] = {-0.61, 0.52, 0.6};
  const limpet_rest rest = m->manifold.rest;
  bool same = true;
  for (int side = -1; side <= 1 && same; side += 2) {
    double by_turn[3], by_shift[3];
    limpet_vec3_scale(by_turn, side * beside_share * width, turn);
    limpet_vec3_scale(by_shift, side * beside_share * width, shift);
    limpet_pair_move_geom(m, by_turn, by_shift);
    limpet_pair_ask(m);
    same = rests_alike(&m->manifold.rest, &rest) && has_all_points(m);
  }
  limpet_pair_move_back(m);
  return same;
}

// Boxes and hulls: hull_change.h.
static bool hull_pair(const limpet_pair_view *view, double width, limpet_arena *arena) {
  const limpet_shape a = limpet_shape_of_geom(view->probe->model, view->probe->data,
                                              view->pair->geom_a),
                     b = limpet_shape_of_geom(view->probe->model, view->probe->data,
                                              view->pair->geom_b);
  const double *n = limpet_pair_contact(view, 0)->point.normal;
  limpet_hull_meeting meeting;
  limpet_pair_mover m;
  if (view->probe->settings->compatibility.single_point ||
      !limpet_hull_meeting_begin(&a, &b, n, &meeting))
    return false;
  limpet_pair_mover_make(&m, view, arena);
  m.manifold.rest = limpet_hull_rest_of(&meeting);
  // edges are those of the step, if the narrow phase says so; a face is held against it to both
  // sides
  if (m.manifold.rest.face < 0) {
    m.manifold.rest = view->pair->rest;
    limpet_pair_ask(&m);
    if (!has_all_points(&m)) return false;
  }
  if (!limpet_hull_meeting_end(&meeting, &m.manifold.rest)) return false;
  for (int i = 0; i < view->count; ++i) {
    const limpet_collision_contact *contact = limpet_pair_contact(view, i);
    limpet_box_point_change rate[6];
    if (contact->acts_on != LIMPET_ACTS_BETWEEN ||
        !limpet_hull_point_rates(&meeting, &contact->point, view->P, rate))
      return false;
    put_rates(view, i, rate);
  }
  return goes_on(&m, width);
}

// ------------------------------------------------------------------------------------------- all

limpet_status limpet_pair_change(limpet_probe *probe, const limpet_pair_contacts *contacts,
                                 limpet_arena *arena, unsigned char *kinked,
                                 limpet_point_change *change) {
  const double width = contacts->width;
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_record *record =
      &solved->records.record[solved->problem.contact_source[contacts->first]];
  const limpet_pair_view view = {
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
  const limpet_status status =
      known ? LIMPET_OK : limpet_pair_by_differences(&view, width, arena, kinked);
  limpet_arena_release(arena, mark);
  return status;
}
