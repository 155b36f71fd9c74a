/* format/mjcf_attached_key.c: keyframes of attached models.
 *
 * Such a keyframe holds the coordinates of its whole file, of which a part may have been attached.
 * So the file is walked once more for the joints and mocap bodies that it alone would have, in
 * their order, each with whether it was attached; the attached ones meet those of the builder one
 * by one, in the same order. */
#include <string.h>

#include "format/mjcf.h"
#include "math/quaternion.h"

typedef struct key_part {  // one joint or mocap body of the attached file
  int q, v;                // coordinates and velocities; 0: a mocap body
  bool attached;
} key_part;

typedef struct key_walk {
  limpet_mjcf *m;
  const limpet_xml_element *target;  // what was attached
  key_part *part;
  int count, room;
} key_walk;

// where the walk is: the file, the class that is inherited, and whether it is inside of what was
// attached
typedef struct key_scope {
  limpet_mjcf_source *source;
  limpet_mjcf_class *childclass;
  bool attached;
  int depth;  // of <attach>
} key_scope;

static void add_part(key_walk *walk, int q, int v, bool attached) {
  if (walk->count == walk->room) {
    const int room = walk->room ? 2 * walk->room : 64;
    key_part *larger = LIMPET_MJCF_TAKE(walk->m, key_part, room);
    if (walk->count) memcpy(larger, walk->part, (size_t)walk->count * sizeof *larger);
    walk->part = larger, walk->room = room;
  }
  walk->part[walk->count++] = (key_part){q, v, attached};
}

static key_scope scope_of(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  key_scope scope = *outer;
  if (limpet_xml_find(e, "childclass"))
    scope.childclass = limpet_mjcf_class_find(walk->m, scope.source, e, "childclass");
  if (e == walk->target) scope.attached = true;
  return scope;
}

static int copies_of(key_walk *walk, const limpet_xml_element *e) {
  int count = 0;
  if (strcmp(e->name, "frame") == 0) return 1;
  if (strcmp(e->name, "replicate") == 0) limpet_mjcf_integer(walk->m, e, "count", &count);
  for (int i = 0; i < count; ++i) limpet_mjcf_count(walk->m, e);
  return count;
}

// joints directly in a body, or in frames and replicates of it
static void walk_joints(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "freejoint") == 0) {
      const limpet_joint_kind kind =
          limpet_mjcf_joint_kind(walk->m, outer->source, outer->childclass, child);
      add_part(walk, limpet_joint_kind_nq(kind), limpet_joint_kind_nv(kind), outer->attached);
      continue;
    }
    const key_scope scope = scope_of(walk, outer, child);
    for (int i = copies_of(walk, child); i > 0; --i) walk_joints(walk, &scope, child);
  }
}

static void walk_bodies(key_walk *walk, const key_scope *outer, const limpet_xml_element *e);

static void walk_body(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  const key_scope scope = scope_of(walk, outer, e);
  bool mocap = false;
  limpet_mjcf_boolean(walk->m, e, "mocap", &mocap);
  if (mocap) add_part(walk, 0, 0, scope.attached);
  walk_joints(walk, &scope, e);
  walk_bodies(walk, &scope, e);
}

// what an <attach> of the attached file brings
static void walk_attach(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  enum { DEPTH_LIMIT = 50 };
  key_scope scope = *outer;
  if (++scope.depth > DEPTH_LIMIT) return;
  scope.source = limpet_mjcf_attached_source(walk->m, outer->source, e);
  scope.childclass = NULL;
  const char *body = limpet_xml_value(e, "body"), *frame = limpet_xml_value(e, "frame");
  if (body || frame) {
    const limpet_xml_element *target =
        limpet_mjcf_find_in_world(scope.source, body ? "body" : "frame", body ? body : frame);
    if (target && body) walk_body(walk, &scope, target);
    else if (target) walk_bodies(walk, &scope, target);
    return;
  }
  for (const limpet_xml_element *part = scope.source->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) walk_bodies(walk, &scope, part);
}

static void walk_bodies(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    if (strcmp(child->name, "body") == 0) {
      walk_body(walk, outer, child);
    } else if (strcmp(child->name, "attach") == 0) {
      walk_attach(walk, outer, child);
    } else {
      const key_scope scope = scope_of(walk, outer, child);
      for (int i = copies_of(walk, child); i > 0; --i) walk_bodies(walk, &scope, child);
    }
  }
}

// --------------------------------------------------------------------------------- filling

// the reference pose of all joints, in the order of the model
static double *reference_pose(limpet_mjcf *m, int size) {
  double *q = LIMPET_MJCF_TAKE(m, double, size + 1), *at = q;
  const int joints = limpet_builder_count(m->builder, LIMPET_OBJECT_JOINT);
  for (int b = 0; b < m->bodies.count; ++b) {
    for (int j = 0; j < joints; ++j) {
      const limpet_joint_description *joint = limpet_builder_joint(m->builder, j);
      if (joint->body != b) continue;
      const limpet_body_description *body = limpet_builder_body(m->builder, b);
      if (joint->kind == LIMPET_JOINT_FREE) {
        limpet_vec3_copy(at, body->position);
        limpet_quaternion_copy(at + 3, body->quaternion);
      } else if (joint->kind == LIMPET_JOINT_BALL) {
        limpet_quaternion_identity(at);
      } else {
        *at = joint->reference;
      }
      at += limpet_joint_kind_nq(joint->kind);
    }
  }
  return q;
}

/* Copies `width(part)` numbers of each attached part of the key to its joint; false: the two do not
 * fit. */
static bool fill_joints(limpet_mjcf *m, const key_walk *walk, const limpet_mjcf_space *space,
                        bool velocity, const double *key, int key_count, double *out) {
  const int joints = limpet_builder_count(m->builder, LIMPET_OBJECT_JOINT);
  int p = 0, from = 0, to = 0, total = 0;
  for (int i = 0; i < walk->count; ++i) total += velocity ? walk->part[i].v : walk->part[i].q;
  if (total != key_count) return false;
  for (int b = 0; b < m->bodies.count; ++b) {
    for (int j = 0; j < joints; ++j) {
      const limpet_joint_description *joint = limpet_builder_joint(m->builder, j);
      if (joint->body != b) continue;
      const int width =
          velocity ? limpet_joint_kind_nv(joint->kind) : limpet_joint_kind_nq(joint->kind);
      if (limpet_mjcf_stands_in(m->joints.space[j], space)) {
        for (; p < walk->count && !(walk->part[p].attached && walk->part[p].q); ++p)
          from += velocity ? walk->part[p].v : walk->part[p].q;
        if (p == walk->count || (velocity ? walk->part[p].v : walk->part[p].q) != width)
          return false;
        memcpy(out + to, key + from, (size_t)width * sizeof *out);
        from += width, ++p;
      }
      to += width;
    }
  }
  return true;
}

// poses of mocap bodies; those of other files stay where the file has them
static bool fill_mocap(limpet_mjcf *m, const key_walk *walk, const limpet_mjcf_space *space,
                       int width, const double *key, int key_count, double *out) {
  int p = 0, from = 0, to = 0, total = 0;
  for (int i = 0; i < walk->count; ++i) total += walk->part[i].q ? 0 : width;
  if (key && total != key_count) return false;
  for (int b = 0; b < m->bodies.count; ++b) {
    const limpet_body_description *body = limpet_builder_body(m->builder, b);
    if (!body->mocap) continue;
    memcpy(out + to, width == 3 ? body->position : body->quaternion, (size_t)width * sizeof *out);
    if (key && limpet_mjcf_stands_in(m->bodies.space[b], space)) {
      for (; p < walk->count && !(walk->part[p].attached && !walk->part[p].q); ++p)
        from += walk->part[p].q ? 0 : width;
      if (p == walk->count) return false;
      memcpy(out + to, key + from, (size_t)width * sizeof *out);
      from += width, ++p;
    }
    to += width;
  }
  return true;
}

// number of an actuator among those of its own file
static int number_in_file(const limpet_mjcf_source *source, const limpet_xml_element *actuator) {
  int number = 0;
  for (const limpet_xml_element *part = source->root->first; part; part = part->next) {
    if (strcmp(part->name, "actuator") != 0) continue;
    for (const limpet_xml_element *e = part->first; e; e = e->next, ++number)
      if (e == actuator) return number;
  }
  return number;
}

// controls of the actuators that came along; those of the others are zero
static bool fill_controls(limpet_mjcf *m, const limpet_mjcf_space *space, const double *key,
                          int key_count, int control_count, double *out) {
  if (number_in_file(space->source, NULL) != key_count) return false;
  for (int a = 0; a < control_count; ++a) {
    const limpet_mjcf_actuator_place place = limpet_mjcf_actuator_at(m, a);
    if (place.space == space) out[a] = key[number_in_file(space->source, place.element)];
  }
  return true;
}

static void fail_size(limpet_mjcf *m, const limpet_xml_element *e, const char *name) {
  limpet_mjcf_fail(m, e, name,
                   "'%s' of the keyframe does not have as many numbers as the model of its file",
                   name);
}

void limpet_mjcf_attached_key(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                              const limpet_mjcf_sizes *sizes, limpet_keyframe_description *key) {
  key_walk walk = {.m = m, .target = space->target};
  const key_scope scope = {.source = space->source, .attached = !space->target};
  for (const limpet_xml_element *part = space->source->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) walk_bodies(&walk, &scope, part);

  int count;
  double *q = reference_pose(m, sizes->q), *v = LIMPET_MJCF_TAKE(m, double, sizes->v + 1);
  double *control = LIMPET_MJCF_TAKE(m, double, sizes->control + 1);
  double *position = LIMPET_MJCF_TAKE(m, double, 3 * sizes->mocap + 1),
         *quaternion = LIMPET_MJCF_TAKE(m, double, 4 * sizes->mocap + 1);
  const double *given = limpet_mjcf_array(m, e, "qpos", &count);
  if (given && !fill_joints(m, &walk, space, false, given, count, q)) fail_size(m, e, "qpos");
  given = limpet_mjcf_array(m, e, "qvel", &count);
  if (given && !fill_joints(m, &walk, space, true, given, count, v)) fail_size(m, e, "qvel");
  given = limpet_mjcf_array(m, e, "ctrl", &count);
  if (given && !fill_controls(m, space, given, count, sizes->control, control))
    fail_size(m, e, "ctrl");
  given = limpet_mjcf_array(m, e, "mpos", &count);
  if (!fill_mocap(m, &walk, space, 3, given, count, position)) fail_size(m, e, "mpos");
  given = limpet_mjcf_array(m, e, "mquat", &count);
  if (!fill_mocap(m, &walk, space, 4, given, count, quaternion)) fail_size(m, e, "mquat");
  if (limpet_xml_find(e, "act"))
    limpet_mjcf_note(
        m, e, "act", "attached activations",
        "'act' in keyframes of attached models is left out: activations begin at zero");
  key->q = q, key->v = v, key->control = control, key->mocap_position = position,
  key->mocap_quaternion = quaternion;
  key->q_count = sizes->q, key->v_count = sizes->v, key->control_count = sizes->control,
  key->mocap_count = sizes->mocap;
}
