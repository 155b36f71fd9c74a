/* format/mjcf/attached_key.c: keyframes of attached models.
 *
 * Such a keyframe holds the coordinates of its whole file, of which a part may have been attached.
 * So the file is walked once more for the joints and mocap bodies that it alone would have, in
 * their order, each with whether it was attached; the attached ones meet those of the builder one
 * by one, in the same order. */
#include <string.h>

#include "format/mjcf/attach.h"
#include "format/mjcf/default.h"
#include "format/mjcf/element.h"
#include "format/mjcf/key.h"
#include "format/mjcf/section.h"
#include "format/read/value.h"

typedef struct key_part {  // one joint or mocap body of the attached file
  int q, v;                // coordinates and velocities; 0: a mocap body
  bool attached;
} key_part;

typedef struct key_walk {
  limpet_mjcf *m;
  const limpet_mjcf_layout *layout;
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
    key_part *larger = LIMPET_READER_TAKE(walk->m->reader, key_part, room);
    if (walk->count) memcpy(larger, walk->part, (size_t)walk->count * sizeof *larger);
    walk->part = larger, walk->room = room;
  }
  walk->part[walk->count++] = (key_part){q, v, attached};
}

static key_scope scope_of(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  key_scope scope = *outer;
  if (limpet_xml_find(e, "childclass"))
    scope.childclass = limpet_mjcf_class_find(walk->m->reader, scope.source, e, "childclass");
  if (e == walk->target) scope.attached = true;
  return scope;
}

static int copies_of(key_walk *walk, const limpet_xml_element *e) {
  int count = 0;
  if (strcmp(e->name, "frame") == 0) return 1;
  if (strcmp(e->name, "replicate") == 0) limpet_read_integer(walk->m->reader, e, "count", &count);
  for (int i = 0; i < count; ++i) limpet_reader_count(walk->m->reader, e);
  return count;
}

// joints directly in a body, or in frames and replicates of it
static void walk_joints(key_walk *walk, const key_scope *outer, const limpet_xml_element *e) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "freejoint") == 0) {
      const limpet_joint_kind kind =
          limpet_mjcf_joint_kind(walk->m->reader, outer->source, outer->childclass, child);
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
  limpet_read_boolean(walk->m->reader, e, "mocap", &mocap);
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
    const limpet_xml_element *target = limpet_mjcf_find_in_world(
        walk->m->reader, scope.source, body ? "body" : "frame", body ? body : frame);
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

enum { MOCAP_POSITION = 3, MOCAP_QUATERNION = 4 };  // numbers of a mocap body

// numbers that a vector of the attached file has
typedef struct key_sizes {
  int q, v, mocap;
} key_sizes;

static key_sizes sizes_of(const key_walk *walk) {
  key_sizes sizes = {0};
  for (int i = 0; i < walk->count; ++i) {
    sizes.q += walk->part[i].q, sizes.v += walk->part[i].v;
    sizes.mocap += walk->part[i].q == 0;
  }
  return sizes;
}

// Copies the first numbers of the file's joints to those that were attached.
static void fill_joints(const key_walk *walk, const limpet_mjcf_space *space, bool velocity,
                        const double *key, int key_count, double *out) {
  const limpet_mjcf_layout *layout = walk->layout;
  int p = 0, from = 0, to = 0;
  for (int i = 0; i < layout->joint_count; ++i) {
    const limpet_mjcf_joint_place *joint = &layout->joint[i];
    const int width = velocity ? joint->nv : joint->nq;
    if (limpet_mjcf_stands_in(walk->m->joints.space[joint->handle], space)) {
      for (; p < walk->count && !(walk->part[p].attached && walk->part[p].q); ++p)
        from += velocity ? walk->part[p].v : walk->part[p].q;
      if (p == walk->count || from >= key_count) return;
      const int given = key_count - from < width ? key_count - from : width;
      memcpy(out + to, key + from, (size_t)given * sizeof *out);
      from += width, ++p;
    }
    to += width;
  }
}

// The same for the poses of mocap bodies, of `width` numbers.
static void fill_mocap(const key_walk *walk, const limpet_mjcf_space *space, int width,
                       const double *key, int key_count, double *out) {
  const limpet_mjcf_layout *layout = walk->layout;
  int p = 0, from = 0;
  for (int i = 0; i < layout->sizes.mocap; ++i) {
    if (!limpet_mjcf_stands_in(walk->m->bodies.space[layout->mocap[i]], space)) continue;
    for (; p < walk->count && !(walk->part[p].attached && !walk->part[p].q); ++p)
      from += walk->part[p].q ? 0 : width;
    if (p == walk->count || from + width > key_count) return;
    memcpy(out + width * i, key + from, (size_t)width * sizeof *out);
    from += width, ++p;
  }
}

static key_walk walk_file(limpet_mjcf *m, const limpet_mjcf_space *space,
                          const limpet_mjcf_layout *layout) {
  key_walk walk = {.m = m, .layout = layout, .target = space->target};
  const key_scope scope = {.source = space->source, .attached = !space->target};
  for (const limpet_xml_element *part = space->source->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) walk_bodies(&walk, &scope, part);
  return walk;
}

static void read_joints(const key_walk *walk, const limpet_mjcf_space *space,
                        const limpet_xml_element *e, limpet_keyframe_description *key) {
  limpet_mjcf *m = walk->m;
  const limpet_mjcf_sizes *s = &walk->layout->sizes;
  const key_sizes own = sizes_of(walk);
  int count;
  double *q = limpet_mjcf_copy(m->reader, walk->layout->q, s->q),
         *v = LIMPET_READER_TAKE(m->reader, double, s->v + 1);
  const double *given =
      limpet_mjcf_key_vector(m->reader, e, "qpos", own.q, LIMPET_MJCF_KEY_REFERENCE, &count);
  if (given) fill_joints(walk, space, false, given, count, q);
  given = limpet_mjcf_key_vector(m->reader, e, "qvel", own.v, LIMPET_MJCF_KEY_ZERO, &count);
  if (given) fill_joints(walk, space, true, given, count, v);
  key->q = q, key->v = v, key->q_count = s->q, key->v_count = s->v;
}

static void read_mocap(const key_walk *walk, const limpet_mjcf_space *space,
                       const limpet_xml_element *e, limpet_keyframe_description *key) {
  limpet_mjcf *m = walk->m;
  const limpet_mjcf_layout *layout = walk->layout;
  const int bodies = layout->sizes.mocap, own = sizes_of(walk).mocap;
  int count;
  double *position = limpet_mjcf_copy(m->reader, layout->mocap_position, MOCAP_POSITION * bodies);
  double *quaternion =
      limpet_mjcf_copy(m->reader, layout->mocap_quaternion, MOCAP_QUATERNION * bodies);
  const double *given = limpet_mjcf_key_vector(m->reader, e, "mpos", MOCAP_POSITION * own,
                                               LIMPET_MJCF_KEY_REFERENCE, &count);
  if (given) fill_mocap(walk, space, MOCAP_POSITION, given, count, position);
  given = limpet_mjcf_key_vector(m->reader, e, "mquat", MOCAP_QUATERNION * own,
                                 LIMPET_MJCF_KEY_REFERENCE, &count);
  if (given) fill_mocap(walk, space, MOCAP_QUATERNION, given, count, quaternion);
  key->mocap_position = position, key->mocap_quaternion = quaternion, key->mocap_count = bodies;
}

void limpet_mjcf_attached_key(limpet_mjcf *m, const limpet_mjcf_space *space,
                              const limpet_xml_element *e, const limpet_mjcf_layout *layout,
                              limpet_keyframe_description *key) {
  const key_walk walk = walk_file(m, space, layout);
  read_joints(&walk, space, e, key);
  read_mocap(&walk, space, e, key);

  int count;
  double *control = LIMPET_READER_TAKE(m->reader, double, layout->sizes.control + 1);
  const double *given = limpet_mjcf_key_vector(m->reader, e, "ctrl", space->source->control_count,
                                               LIMPET_MJCF_KEY_ZERO, &count);
  if (given) limpet_mjcf_controls_take(m, space, given, count, control);
  key->control = control, key->control_count = layout->sizes.control;
  if (limpet_xml_find(e, "act"))
    limpet_reader_note(
        m->reader, e, "act", "attached activations",
        "'act' in keyframes of attached models is left out: activations begin at zero");
}
