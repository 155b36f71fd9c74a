/* gradient/probe_follow.c: the contact points of a step at other poses.
 *
 * Every pair in contact is asked again for its manifold; a contact is the point with the same
 * feature. Swept contacts of fast bodies, whose points depend on velocities, too, are searched anew
 * (fast_pairs.h). Where there is none (a corner left the face, the search came to another pose) the
 * points are carried along:
 *   p_A, p_B with their bodies,  n held,  phi = (p_B - p_A) . n                exact to first
 *                                order in phi, not in n and p
 *   p0 <- p0 - g dphi            at a point of a contact surface, its area held
 * Other pairs of which neither geom has moved keep their points: those of other limbs, and all of
 * them where velocities change. What adhesion reaches in the step it reaches at other poses: a
 * contact that rests is nanometres from where it ends. Other models have other reaches. */
#include <math.h>
#include <string.h>

#include "collide/fast_pairs.h"
#include "collide/near.h"
#include "collide/pressure.h"
#include "collide/shape_of_geom.h"
#include "contact/adhesion.h"
#include "gradient/probe.h"
#include "gradient/soft_gradient.h"
#include "math/spatial.h"

static const double least_shape = 1e-12;  // [-]  of a tangent's length, beyond round-off
static const double same_axis = 0.99;     // [-]  cosine between tangents within a difference

// A point on a geom that was at `before` at the start of the step.
static void carry(const limpet_probe *probe, int geom, const double before[3], double now[3]) {
  const double *from = probe->start_position + 3 * geom,
               *from_rotation = probe->start_rotation + 9 * geom;
  double arm[3], local[3];
  limpet_vec3_sub(arm, before, from);
  limpet_mat3_tmul_vec(local, from_rotation, arm);
  limpet_mat3_mul_vec(arm, probe->data->geom_rotation + 9 * geom, local);
  limpet_vec3_add(now, probe->data->geom_position + 3 * geom, arm);
}

static void carry_point(const limpet_probe *probe, const limpet_collision_pair *pair,
                        limpet_contact_point *point) {
  double a[3], b[3], gap[3];
  carry(probe, pair->geom_a, point->on_a, a);
  carry(probe, pair->geom_b, point->on_b, b);
  limpet_vec3_copy(point->on_a, a);
  limpet_vec3_copy(point->on_b, b);
  limpet_vec3_sub(gap, b, a);
  point->distance = limpet_vec3_dot(gap, point->normal);
}

// The same for a point of a contact surface, whose two points are one.
static void carry_surface_point(const limpet_probe *probe, const limpet_collision_pair *pair,
                                limpet_collision_contact *contact) {
  const double before = contact->point.distance;
  carry_point(probe, pair, &contact->point);
  contact->pressure -= contact->gradient * contact->point.distance;
  contact->point.distance += before;
}

static bool stays(const limpet_probe *probe, int geom) {
  const limpet_data *data = probe->data;
  return memcmp(data->geom_position + 3 * geom, probe->start_position + 3 * geom,
                3 * sizeof(double)) == 0 &&
         memcmp(data->geom_rotation + 9 * geom, probe->start_rotation + 9 * geom,
                9 * sizeof(double)) == 0;
}

// Whether the points of the pair are those of the step. Other models may have other shapes.
static bool keeps_points(const limpet_probe *probe, const limpet_collision_pair *pair) {
  return probe->model == probe->residual->model && stays(probe, pair->geom_a) &&
         stays(probe, pair->geom_b);
}

static void manifold_of(const limpet_probe *probe, const limpet_collision_pair *pair,
                        limpet_manifold *manifold) {
  const limpet_shape a = limpet_shape_of_geom(probe->model, probe->data, pair->geom_a);
  const limpet_shape b = limpet_shape_of_geom(probe->model, probe->data, pair->geom_b);
  const double reach = fmax(0.0, pair->margin + pair->gap + pair->reach) + probe->slack;
  manifold->rest = (limpet_rest){.face = -1};  // that of another pair
  limpet_shape_contacts(manifold, &a, &b, reach, probe->settings->compatibility.single_point);
}

// The contact surface of the pair as it is now. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status surface_of(const limpet_probe *probe, int pair, limpet_arena *arena,
                                limpet_collision *found) {
  const limpet_collision_pair *geoms = &found->pair[pair];
  const limpet_pressure_surface *surface = limpet_pressure_of_pair(
      probe->model, probe->data, geoms, geoms->margin + geoms->gap + geoms->reach, found->surfaces);
  if (!surface) return LIMPET_ERROR_MEMORY;
  found->contact_count = 0;
  found->contact = LIMPET_TAKE(arena, limpet_collision_contact, surface->point_count);
  if (!found->contact) return LIMPET_ERROR_MEMORY;
  limpet_pressure_append(surface, pair, found);
  return LIMPET_OK;
}

static const limpet_collision_contact *find_surface_point(const limpet_collision *found,
                                                          uint64_t feature) {
  for (int i = 0; i < found->contact_count; ++i)
    if (found->contact[i].point.feature == feature) return &found->contact[i];
  return NULL;
}

static const limpet_contact_point *find_feature(const limpet_manifold *manifold, uint64_t feature) {
  for (int i = 0; i < manifold->count; ++i)
    if (manifold->point[i].feature == feature) return &manifold->point[i];
  return NULL;
}

/* A point of a deformable body, whose vertices may have moved. One that is lost stays where it was.
 */
static void follow_soft(const limpet_collision *found, const limpet_collision_pair *pair,
                        limpet_collision_contact *contact, bool *lost) {
  const limpet_collision_contact *now = limpet_soft_find(found, pair, contact->point.feature);
  const int index = contact->pair;
  if (now) *contact = *now;
  else *lost = true;
  contact->pair = index;
}

// A swept point, `found` where it is searched anew.
static void follow_swept(const limpet_probe *probe, const limpet_collision *found,
                         limpet_collision_contact *contact, bool *lost) {
  for (int i = 0; i < found->contact_count; ++i) {
    const limpet_collision_contact *now = &found->contact[i];
    if (now->pair != contact->pair || now->point.feature != contact->point.feature ||
        now->acts_on != contact->acts_on || now->course != contact->course)
      continue;
    contact->point = now->point;
    return;
  }
  carry_point(probe, &probe->residual->solved->collision.pair[contact->pair], &contact->point);
  *lost = true;
}

// Swept contacts at the present state. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status sweep_again(const limpet_probe *probe, limpet_arena *arena,
                                 limpet_collision *found) {
  const limpet_collision *step = &probe->residual->solved->collision;
  if (!step->swept) return LIMPET_OK;
  return limpet_fast_pairs_again(probe->model, probe->data, probe->settings->time_step,
                                 probe->settings->compatibility.single_point, step, arena, found);
}

// Pairs with the margins of another model. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_margins(const limpet_probe *probe, limpet_arena *arena,
                                  limpet_collision *collision) {
  if (probe->model == probe->residual->model) return LIMPET_OK;
  const limpet_collision_pair *pair = collision->pair;
  collision->pair = LIMPET_TAKE(arena, limpet_collision_pair, collision->pair_count);
  if (!collision->pair) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < collision->pair_count; ++i) {
    collision->pair[i] = pair[i];
    collision->pair[i].margin =
        limpet_pair_margin(probe->model, pair[i].geom_a, pair[i].geom_b, pair[i].pair);
  }
  return LIMPET_OK;
}

static void hold_pulls(const limpet_probe *probe, limpet_collision *collision) {
  const limpet_solved_step *solved = probe->residual->solved;
  if (probe->model != probe->residual->model) return;
  for (int i = 0; i < collision->contact_count; ++i) {
    const limpet_contact_record *record =
        &solved->records.record[solved->problem.contact_source[i]];
    const bool reaches =
        limpet_adhesion_reaches(probe->model, &solved->records.pair[record->pair], record);
    collision->contact[i].pull_reach = reaches ? LIMPET_PULL_HELD : LIMPET_PULL_OUT;
  }
}

limpet_status limpet_probe_follow(limpet_probe *probe, limpet_arena *arena,
                                  limpet_collision *collision) {
  const limpet_solved_step *solved = probe->residual->solved;
  const int count = solved->problem.contact_count;
  *collision = solved->collision;
  collision->ordered = true;
  if (take_margins(probe, arena, collision)) return LIMPET_ERROR_MEMORY;
  collision->contact_count = count;
  collision->contact = LIMPET_TAKE(arena, limpet_collision_contact, count);
  if (!collision->contact) return LIMPET_ERROR_MEMORY;
  limpet_collision surface = solved->collision;
  limpet_manifold manifold;
  limpet_manifold_create(&manifold, arena);
  limpet_collision soft, swept = {0};
  if (sweep_again(probe, arena, &swept)) return LIMPET_ERROR_MEMORY;
  if (probe->soft && limpet_soft_follow(probe, arena, &soft)) return LIMPET_ERROR_MEMORY;
  for (int i = 0, last = -1; i < count; ++i) {
    limpet_collision_contact *contact = &collision->contact[i];
    *contact =
        solved->collision.contact[solved->records.record[solved->problem.contact_source[i]].found];
    const limpet_collision_pair *pair = &solved->collision.pair[contact->pair];
    if (contact->link) {
      follow_soft(&soft, pair, contact, &probe->carried[i]);
      continue;
    }
    if (contact->acts_on != LIMPET_ACTS_BETWEEN) {
      follow_swept(probe, &swept, contact, &probe->carried[i]);
      continue;
    }
    if (keeps_points(probe, pair)) continue;
    if (contact->area > 0.0) {
      if (contact->pair != last && surface_of(probe, contact->pair, arena, &surface))
        return LIMPET_ERROR_MEMORY;
      last = contact->pair;
      const limpet_collision_contact *now = find_surface_point(&surface, contact->point.feature);
      if (now) *contact = *now;
      else carry_surface_point(probe, pair, contact), probe->carried[i] = true;
      continue;
    }
    if (contact->pair != last) manifold_of(probe, pair, &manifold);
    if (manifold.failed) return LIMPET_ERROR_MEMORY;
    last = contact->pair;
    const limpet_contact_point *found = find_feature(&manifold, contact->point.feature);
    if (found) {
      contact->point = *found;
      continue;
    }
    carry_point(probe, pair, &contact->point);
    probe->carried[i] = true;
  }
  hold_pulls(probe, collision);
  return LIMPET_OK;
}

// (t1, t2) <- (t2, -t1), in rows W and bias
static void quarter_turn(double W[18], double *bias) {
  for (int i = 0; i < 6; ++i) {
    const double t1 = W[i];
    W[i] = W[6 + i], W[6 + i] = -t1;
  }
  if (!bias) return;
  const double t1 = bias[0];
  bias[0] = bias[1], bias[1] = -t1;
}

// Whether friction of a contact depends on direction: only the second tangent is scaled.
static bool is_shaped(const double W[18]) {
  return fabs(limpet_vec3_dot(W + 9, W + 9) - 1.0) > least_shape;
}

void limpet_probe_align_tangents(const limpet_contact_problem *step,
                                 limpet_contact_problem *problem, bool *carried) {
  for (int i = 0; i < problem->contact_count; ++i) {
    double *W = problem->contact_row + 18 * i,
           *bias = problem->contact_bias ? problem->contact_bias + LIMPET_CONTACT_BIAS * i : NULL;
    const double *own = step->contact_row + 18 * i, *t1 = own + 3;
    if (problem->anisotropic && (is_shaped(W) || is_shaped(own))) {
      carried[i] = carried[i] || !(limpet_vec3_dot(W + 3, t1) > same_axis);
      continue;
    }
    if (fabs(limpet_vec3_dot(W + 3, t1)) < fabs(limpet_vec3_dot(W + 9, t1))) quarter_turn(W, bias);
    if (limpet_vec3_dot(W + 3, t1) < 0.0) {
      quarter_turn(W, bias);
      quarter_turn(W, bias);
    }
  }
}
