/* collide/fast_pairs.c: contacts of geoms that move farther in a step than they are large: see
 * fast_pairs.h. */
#include "collide/fast_pairs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/shape_of_geom.h"
#include "math/vec3.h"
#include "model/point_velocity.h"

static const double touch_share = 1e-3;  // [-]  of the size of a pair, where it touches

// Translation of one geom: v until `turn`, v_turned after.
typedef struct path {
  double v[3], v_turned[3];  // [m/s]
  double turn;               // [s]
} path;

typedef struct fast_pair {
  limpet_shape shape[2];  // at the start
  path path[2];
  double size;      // [m]  half the smaller radius
  double reach;     // [m]  that covers both paths
  uint32_t course;  // decisions of the search
} fast_pair;

typedef struct pose {  // of the pair during the step
  double time;         // [s]
  double distance;     // [m]
  double normal[3];
} pose;

// What a body hits first.
typedef struct hit {
  double time;         // [s]  INFINITY: nothing
  double v_turned[3];  // [m/s]  change of velocity there
  uint32_t course;     // of the search that found it
} hit;

// ---------------------------------------------------------------------------------- motion

static void velocity_of_geom(const limpet_model *model, const limpet_data *data, int geom,
                             double v[3]) {
  limpet_point_velocity_by(model, data, data->body_velocity, model->geom_body[geom],
                           data->geom_position + 3 * geom, v);
}

static void displacement(const path *p, double time, double d[3]) {
  limpet_vec3_scale(d, fmin(time, p->turn), p->v);
  if (time > p->turn) limpet_vec3_addmul(d, d, time - p->turn, p->v_turned);
}

// Velocity of B relative to A from `time` on.
static void relative_velocity(const fast_pair *f, double time, double v[3]) {
  const double *a = time >= f->path[0].turn ? f->path[0].v_turned : f->path[0].v;
  const double *b = time >= f->path[1].turn ? f->path[1].v_turned : f->path[1].v;
  limpet_vec3_sub(v, b, a);
}

static double size_of(const limpet_model *model, const limpet_collision_pair *pair) {
  return 0.5 * fmin(model->geom_radius[pair->geom_a], model->geom_radius[pair->geom_b]);
}

static double relative_speed(const limpet_model *model, const limpet_data *data,
                             const limpet_collision_pair *pair) {
  double of_a[3], of_b[3];
  velocity_of_geom(model, data, pair->geom_a, of_a);
  velocity_of_geom(model, data, pair->geom_b, of_b);
  return limpet_vec3_distance(of_a, of_b);
}

bool limpet_may_be_fast(const limpet_model *model, const limpet_data *data, double time,
                        const limpet_collision *collision) {
  for (int i = 0; i < collision->contact_count; ++i) {
    const limpet_collision_pair *pair = &collision->pair[collision->contact[i].pair];
    const double size = size_of(model, pair);
    if (collision->contact[i].point.distance > 0.0 && 0.5 * pair->reach > size &&
        relative_speed(model, data, pair) * time > size)
      return true;
  }
  return false;
}

// Whether the pair is fast, and its paths.
static bool fast_pair_make(const limpet_model *model, const limpet_data *data,
                           const limpet_collision_pair *pair, double time, const hit *hits,
                           fast_pair *f) {
  const int geom[2] = {pair->geom_a, pair->geom_b};
  f->course = 0;
  for (int i = 0; i < 2; ++i) velocity_of_geom(model, data, geom[i], f->path[i].v);
  const double speed = limpet_vec3_distance(f->path[0].v, f->path[1].v);
  f->size = size_of(model, pair);
  if (!(speed * time > f->size)) return false;

  // the faster one turns at what it hits
  const int faster =
      limpet_vec3_dot(f->path[0].v, f->path[0].v) > limpet_vec3_dot(f->path[1].v, f->path[1].v) ? 0
                                                                                                : 1;
  for (int i = 0; i < 2; ++i) {
    const hit *first = &hits[model->geom_body[geom[i]]];
    f->shape[i] = limpet_shape_of_geom(model, data, geom[i]);
    f->path[i].turn = i == faster ? first->time : INFINITY;
    if (f->path[i].turn < time) f->course = first->course + (uint32_t)i;
    limpet_vec3_add(f->path[i].v_turned, f->path[i].v, first->v_turned);
  }
  f->reach = 2.0 * speed * time + f->size + pair->margin + pair->gap + pair->reach;
  return true;
}

// The shapes at `time`, in a manifold that was created.
static void manifold_at(const fast_pair *f, double time, bool single, limpet_manifold *manifold) {
  limpet_shape moved[2] = {f->shape[0], f->shape[1]};
  double position[2][3], d[3];
  for (int i = 0; i < 2; ++i) {
    displacement(&f->path[i], time, d);
    limpet_vec3_add(position[i], f->shape[i].position, d);
    moved[i].position = position[i];
  }
  manifold->rest = (limpet_rest){.face = -1};  // that of another pair
  limpet_shape_contacts(manifold, &moved[0], &moved[1], f->reach, single);
}

// false: nothing within reach.
static bool pose_at(const fast_pair *f, double time, pose *at) {
  limpet_manifold manifold;
  limpet_manifold_create(&manifold, NULL);
  manifold_at(f, time, true, &manifold);
  if (manifold.count == 0) return false;
  *at = (pose){.time = time, .distance = manifold.point[0].distance};
  limpet_vec3_copy(at->normal, manifold.point[0].normal);
  return true;
}

static double rate_of(const fast_pair *f, const pose *at) {
  double v[3];
  relative_velocity(f, at->time, v);
  return limpet_vec3_dot(at->normal, v);
}

// ------------------------------------------------------------------------------------ sweep

enum { TOUCHES = 1, PARTS, CLOSES, LEAVES, LATER, EARLIER };  // decisions

static void decide(fast_pair *f, uint32_t decision) {
  f->course = 0x01000193u * (f->course ^ decision);
}

/* Bisection for the nearest pose, between *at and `beyond`; a touch on the way is the first one
 * from the left. Returns whether they touch. */
static bool sweep_between(fast_pair *f, double end, pose beyond, pose *at) {
  const double touch = touch_share * f->size;
  for (int i = 0; i < 24 && beyond.time - at->time > 1e-3 * end; ++i) {
    pose middle;
    if (!pose_at(f, 0.5 * (at->time + beyond.time), &middle)) return false;
    const bool later = !(rate_of(f, &middle) >= 0.0 && middle.distance > touch);
    decide(f, later ? LATER : EARLIER);
    if (later) *at = middle;
    else beyond = middle;
    if (at->distance <= touch) return true;
  }
  *at = beyond;  // separating there, so that it does not stop what goes straight on
  return false;
}

/* The first touch on a straight leg from *at to `end`, or the nearest pose; *at becomes it. Returns
 * whether they touch. */
static bool sweep_leg(fast_pair *f, double end, pose *at) {
  const double touch = touch_share * f->size;
  for (int i = 0; i < 32; ++i) {
    decide(f, at->distance <= touch ? TOUCHES : PARTS);
    if (at->distance <= touch) return true;
    const double rate = rate_of(f, at);
    if (!(rate < 0.0) || at->time >= end) return false;
    const double next = fmin(end, at->time - at->distance / rate);
    decide(f, next < end ? CLOSES : LEAVES);
    pose beyond;
    if (!pose_at(f, next, &beyond)) return false;
    if (beyond.distance > touch && rate_of(f, &beyond) >= 0.0)
      return sweep_between(f, end, beyond, at);
    *at = beyond;
  }
  return at->distance <= touch;
}

// Both legs; *at begins at the start of the step.
static bool sweep(fast_pair *f, double end, pose *at) {
  const double turn = fmin(end, fmin(f->path[0].turn, f->path[1].turn));
  if (sweep_leg(f, turn, at)) return true;
  if (turn >= end) return false;
  pose second;
  if (!pose_at(f, turn, &second)) return false;
  const bool touches = sweep_leg(f, end, &second);
  decide(f, touches || second.distance < at->distance ? LATER : EARLIER);
  if (touches || second.distance < at->distance) *at = second;
  return touches;
}

// --------------------------------------------------------------------------------- contacts

// Pose of the deepest point of contacts [first, end), all of one pair.
static pose pose_of(const limpet_collision *collision, int first, int end) {
  pose at = {.distance = INFINITY};
  for (int i = first; i < end; ++i) {
    const limpet_contact_point *point = &collision->contact[i].point;
    if (!(point->distance < at.distance)) continue;
    at.distance = point->distance;
    limpet_vec3_copy(at.normal, point->normal);
  }
  return at;
}

// First hits of all bodies on their straight paths; the number of fast pairs.
static int find_hits(const limpet_model *model, const limpet_data *data, double time,
                     const limpet_collision *collision, hit *hits) {
  int count = 0;
  hit *const none = hits + model->body_count;  // as many again: straight paths
  for (int first = 0, end; first < collision->contact_count; first = end) {
    end = limpet_collision_pair_end(collision, first);
    const limpet_collision_pair *pair = &collision->pair[collision->contact[first].pair];
    pose at = pose_of(collision, first, end);
    fast_pair f;
    if (!(at.distance > 0.0) || !fast_pair_make(model, data, pair, time, none, &f)) continue;
    ++count;
    if (!sweep(&f, time, &at)) continue;
    const double rate = fmin(0.0, rate_of(&f, &at));
    const int body[2] = {model->geom_body[pair->geom_a], model->geom_body[pair->geom_b]};
    for (int i = 0; i < 2; ++i) {
      if (at.time >= hits[body[i]].time) continue;
      hits[body[i]].time = at.time;
      hits[body[i]].course = f.course;
      limpet_vec3_scale(hits[body[i]].v_turned, i == 0 ? rate : -rate, at.normal);
    }
  }
  return count;
}

// Contacts as they are after the search; grows from the arena.
typedef struct contact_list {
  limpet_collision_contact *contact;
  int count, room;
  limpet_arena *arena;
} contact_list;

// Room for `more` contacts. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status list_extend(contact_list *list, int more) {
  if (list->contact && list->count + more <= list->room) return LIMPET_OK;
  const int room = 2 * (list->count + more);
  limpet_collision_contact *contact = LIMPET_TAKE(list->arena, limpet_collision_contact, room);
  if (!contact) return LIMPET_ERROR_MEMORY;
  if (list->count) memcpy(contact, list->contact, (size_t)list->count * sizeof *contact);
  list->contact = contact, list->room = room;
  return LIMPET_OK;
}

// Contacts of the pose `at`, moved back to the start of the step. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status add_contacts(const fast_pair *f, const pose *at, int pair, bool single,
                                  limpet_manifold *manifold, contact_list *list) {
  manifold_at(f, at->time, single, manifold);
  if (manifold->failed || list_extend(list, manifold->count)) return LIMPET_ERROR_MEMORY;
  double back[2][3];
  for (int i = 0; i < 2; ++i) displacement(&f->path[i], at->time, back[i]);
  const bool b_moves =
      limpet_vec3_dot(f->path[1].v, f->path[1].v) >= limpet_vec3_dot(f->path[0].v, f->path[0].v);
  for (int i = 0; i < manifold->count; ++i) {
    limpet_contact_point point = manifold->point[i];
    limpet_vec3_sub(point.on_a, point.on_a, back[0]);
    limpet_vec3_sub(point.on_b, point.on_b, back[1]);
    double gap[3];
    limpet_vec3_sub(gap, point.on_b, point.on_a);
    point.distance = limpet_vec3_dot(gap, point.normal);
    list->contact[list->count++] =
        (limpet_collision_contact){.pair = pair,
                                   .point = point,
                                   .acts_on = b_moves ? LIMPET_ACTS_ON_B : LIMPET_ACTS_ON_A,
                                   .course = f->course};
  }
  return LIMPET_OK;
}

// Contacts [first, end) as they were found. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status keep_contacts(const limpet_collision *collision, int first, int end,
                                   contact_list *list) {
  if (list_extend(list, end - first)) return LIMPET_ERROR_MEMORY;
  memcpy(list->contact + list->count, collision->contact + first,
         (size_t)(end - first) * sizeof *list->contact);
  list->count += end - first;
  return LIMPET_OK;
}

limpet_status limpet_fast_pairs(const limpet_model *model, const limpet_data *data, double time,
                                double slack, bool single, limpet_arena *arena,
                                limpet_collision *collision) {
  assert(time >= 0.0 && arena && collision);
  const int n = collision->contact_count;
  hit *hits = LIMPET_TAKE_ZERO(arena, hit, 2 * model->body_count);
  if (!hits) return LIMPET_ERROR_MEMORY;
  for (int b = 0; b < 2 * model->body_count; ++b) hits[b].time = INFINITY;
  if (find_hits(model, data, time, collision, hits) == 0) return LIMPET_OK;
  contact_list list = {.arena = arena};
  limpet_manifold manifold;
  limpet_manifold_create(&manifold, arena);
  if (list_extend(&list, n)) return LIMPET_ERROR_MEMORY;

  for (int first = 0, end; first < n; first = end) {
    end = limpet_collision_pair_end(collision, first);
    const int k = collision->contact[first].pair;
    pose at = pose_of(collision, first, end);
    fast_pair f;
    if (at.distance > 0.0 && fast_pair_make(model, data, &collision->pair[k], time, hits, &f)) {
      const bool straight = fmin(f.path[0].turn, f.path[1].turn) >= time;
      const double margin = collision->pair[k].margin + collision->pair[k].gap;
      const bool near = sweep(&f, time, &at) || !straight || at.distance < slack + margin;
      if (near && add_contacts(&f, &at, k, single, &manifold, &list)) return LIMPET_ERROR_MEMORY;
    } else if (keep_contacts(collision, first, end, &list)) {
      return LIMPET_ERROR_MEMORY;
    }
  }
  collision->contact = list.contact;
  collision->contact_count = list.count;
  collision->swept = true;
  collision->sweep_slack = slack;
  return LIMPET_OK;
}

/* Pairs that were swept away have left no contact, and hit nothing. Of the others the deepest point
 * is enough to begin from. */
limpet_status limpet_fast_pairs_again(const limpet_model *model, const limpet_data *data,
                                      double time, bool single, const limpet_collision *step,
                                      limpet_arena *arena, limpet_collision *again) {
  *again = *step;
  again->contact_count = 0;
  again->contact = LIMPET_TAKE(arena, limpet_collision_contact, step->contact_count);
  if (!again->contact) return LIMPET_ERROR_MEMORY;
  limpet_manifold manifold;
  limpet_manifold_create(&manifold, arena);
  for (int i = 0, last = -1; i < step->contact_count; ++i) {
    const limpet_collision_contact *contact = &step->contact[i];
    if (contact->link || contact->acts_on == LIMPET_ACTS_BETWEEN || contact->pair == last) continue;
    last = contact->pair;
    const limpet_collision_pair *pair = &step->pair[last];
    const limpet_shape a = limpet_shape_of_geom(model, data, pair->geom_a),
                       b = limpet_shape_of_geom(model, data, pair->geom_b);
    manifold.rest = (limpet_rest){.face = -1};  // that of another pair
    limpet_shape_contacts(&manifold, &a, &b, pair->margin + pair->gap + pair->reach, single);
    if (manifold.failed) return LIMPET_ERROR_MEMORY;
    const limpet_contact_point *deepest = NULL;
    for (int k = 0; k < manifold.count; ++k)
      if (!deepest || manifold.point[k].distance < deepest->distance) deepest = &manifold.point[k];
    if (deepest)
      again->contact[again->contact_count++] =
          (limpet_collision_contact){.pair = last, .point = *deepest};
  }
  if (!limpet_may_be_fast(model, data, time, again)) return LIMPET_OK;
  return limpet_fast_pairs(model, data, time, step->sweep_slack, single, arena, again);
}
