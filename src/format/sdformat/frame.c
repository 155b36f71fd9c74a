/* format/sdformat/frame.c: names in scopes, and poses relative to other frames.
 *
 * A pose is relative to the frame that `relative_to` names; without one, of a link or model to its
 * scope, of a joint to its child, of a frame to what it is attached to. Poses are resolved in the
 * coordinates of their scope, when they are asked for. A model's pose is that of its
 * placement_frame. */
#include <string.h>

#include "base/text_distance.h"
#include "format/read/value.h"
#include "format/robot/geom.h"
#include "format/sdformat/sdformat.h"
#include "math/quaternion.h"

// references that refer to references: the stack of the caller is not endless
enum { REFERENCE_LIMIT = 2000, MODEL_LIMIT = 100 };

static const limpet_sdf_pose identity = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

limpet_sdf_pose limpet_sdf_pose_compose(const limpet_sdf_pose *a, const limpet_sdf_pose *b) {
  limpet_sdf_pose c;
  limpet_quaternion_rotate(c.position, a->quaternion, b->position);
  limpet_vec3_add(c.position, c.position, a->position);
  limpet_quaternion_mul(c.quaternion, a->quaternion, b->quaternion);
  limpet_quaternion_normalize(c.quaternion);
  return c;
}

limpet_sdf_pose limpet_sdf_pose_between(const limpet_sdf_pose *from, const limpet_sdf_pose *to) {
  limpet_sdf_pose inverse;
  double turned[3];
  limpet_quaternion_conjugate(inverse.quaternion, from->quaternion);
  limpet_quaternion_rotate(turned, inverse.quaternion, from->position);
  limpet_vec3_neg(inverse.position, turned);
  return limpet_sdf_pose_compose(&inverse, to);
}

// ----------------------------------------------------------------------------------- values

bool limpet_sdf_number(limpet_sdf *s, const limpet_xml_element *parent, const char *name,
                       double *value) {
  const limpet_xml_element *e = limpet_xml_child(parent, name);
  return e && limpet_read_number(s->robot.reader, e, NULL, value);
}

bool limpet_sdf_vector(limpet_sdf *s, const limpet_xml_element *parent, const char *name,
                       double value[3]) {
  const limpet_xml_element *e = limpet_xml_child(parent, name);
  return e && limpet_read_finite(s->robot.reader, e, NULL, value, 3) == 3;
}

bool limpet_sdf_flag(limpet_sdf *s, const limpet_xml_element *parent, const char *name) {
  static const char *const words[] = {"false", "0", "true", "1", NULL};
  const limpet_xml_element *e = limpet_xml_child(parent, name);
  int choice = 0;
  if (e) limpet_read_choice(s->robot.reader, e, NULL, words, &choice);
  return choice >= 2;
}

const char *limpet_sdf_text(const limpet_xml_element *parent, const char *name) {
  const limpet_xml_element *e = limpet_xml_child(parent, name);
  return e ? e->text : NULL;
}

// the numbers of a <pose>: x y z roll pitch yaw, or x y z and a quaternion, in radians or degrees
static limpet_sdf_pose read_pose(limpet_sdf *s, const limpet_xml_element *e) {
  static const char *const formats[] = {"euler_rpy", "quat_xyzw", NULL};
  limpet_reader *reader = s->robot.reader;
  limpet_sdf_pose pose = identity;
  double n[7] = {0.0};
  int format = 0;
  bool degrees = false;
  if (!e || !e->text_line) return pose;
  limpet_read_choice(reader, e, "rotation_format", formats, &format);
  limpet_read_boolean(reader, e, "degrees", &degrees);
  limpet_read_finite(reader, e, NULL, n, 6 + format);
  limpet_vec3_copy(pose.position, n);
  if (format == 1) {
    const double wxyz[4] = {n[6], n[3], n[4], n[5]};
    limpet_quaternion_copy(pose.quaternion, wxyz);
    limpet_reader_check_length(reader, e, NULL, "the quaternion of <pose>",
                               limpet_quaternion_normalize(pose.quaternion),
                               "its length should be 1");
  } else {
    if (degrees) limpet_vec3_scale(n + 3, LIMPET_PI / 180.0, n + 3);
    else limpet_robot_angles_note(&s->robot, e, NULL, n + 3);
    limpet_robot_rpy(pose.quaternion, n + 3);
  }
  return pose;
}

// ------------------------------------------------------------------------------------ names

static limpet_sdf_frame *enter(limpet_sdf *s, limpet_sdf_scope *scope, limpet_sdf_frame_kind kind,
                               const limpet_xml_element *e, const char *name) {
  limpet_reader *reader = s->robot.reader;
  const limpet_sdf_frame *other = limpet_table_find(&scope->names, 0, name);
  if (other)
    limpet_reader_fail(
        reader, e, "name", "the name '%s' is used twice in <%s>; the first is at %s:%d:%d", name,
        scope->element->name, other->element->file, other->element->line, other->element->column);
  if (strstr(name, "::"))
    limpet_reader_fail(reader, e, "name", "the name '%s' holds '::', which separates names", name);
  limpet_sdf_frame *frame = LIMPET_READER_TAKE(reader, limpet_sdf_frame, 1);
  *frame = (limpet_sdf_frame){.kind = kind, .name = name, .element = e, .scope = scope};
  limpet_reader_enter(reader, &scope->names, 0, name, frame);
  limpet_reader_count(reader, e);
  if (scope->last) scope->last->next = frame;
  else scope->frames = frame;
  return scope->last = frame;
}

// a model, or the model that an <include> brings, which may give it another name
static void enter_model(limpet_sdf *s, limpet_sdf_scope *scope, const limpet_xml_element *e) {
  limpet_reader *reader = s->robot.reader;
  const bool included = strcmp(e->name, "include") == 0;
  const limpet_xml_element *model = included ? limpet_sdf_include_open(s, e) : e;
  const char *name = included ? limpet_sdf_text(e, "name") : NULL;
  if (!name) name = limpet_read_required(reader, model, "name");
  limpet_sdf_frame *frame = enter(s, scope, LIMPET_SDF_MODEL, model, name);
  const bool alone = strcmp(scope->element->name, "sdf") == 0 && !limpet_xml_next(model) &&
                     limpet_xml_child(scope->element, "model") == model;
  const char *prefix = alone ? "" : limpet_reader_join(reader, scope->prefix, name, "::");
  if (s->include_depth > MODEL_LIMIT)
    limpet_reader_fail(
        reader, e, NULL,
        "models are nested or included more than %d levels deep; does a model include "
        "itself?",
        MODEL_LIMIT);
  ++s->include_depth;
  limpet_sdf_scope_add(s, frame, model, included ? e : NULL, prefix);
  --s->include_depth;
}

static void enter_link(limpet_sdf *s, limpet_sdf_scope *scope, const limpet_xml_element *e) {
  const char *name = limpet_read_required(s->robot.reader, e, "name");
  limpet_sdf_frame *frame = enter(s, scope, LIMPET_SDF_LINK, e, name);
  frame->link = limpet_robot_link_add(&s->robot, e,
                                      limpet_reader_join(s->robot.reader, scope->prefix, name, ""));
  frame->link->fixed = scope->fixed;
  frame->link->deforms = limpet_xml_child(e, "drake:deformable_properties") != NULL;
}

limpet_sdf_scope *limpet_sdf_scope_add(limpet_sdf *s, limpet_sdf_frame *model,
                                       const limpet_xml_element *e,
                                       const limpet_xml_element *include, const char *prefix) {
  limpet_reader *reader = s->robot.reader;
  limpet_sdf_scope *scope = LIMPET_READER_TAKE(reader, limpet_sdf_scope, 1);
  limpet_sdf_scope *parent = model ? model->scope : NULL;
  if (model) model->inner = scope;
  scope->model = model;
  scope->prefix = prefix, scope->element = e, scope->include = include, scope->parent = parent;
  scope->fixed = (parent && parent->fixed) || limpet_sdf_flag(s, e, "static");
  if (include && limpet_xml_child(include, "static"))
    scope->fixed = limpet_sdf_flag(s, include, "static");
  if (s->last_scope) s->last_scope->next = scope;
  else s->scopes = scope;
  s->last_scope = scope;
  for (const limpet_xml_element *part = e->first; part; part = part->next) {
    const char *tag = part->name;
    if (strcmp(tag, "link") == 0) enter_link(s, scope, part);
    else if (strcmp(tag, "joint") == 0 || strcmp(tag, "drake:joint") == 0)
      enter(s, scope, LIMPET_SDF_JOINT, part, limpet_read_required(reader, part, "name"));
    else if (strcmp(tag, "frame") == 0)
      enter(s, scope, LIMPET_SDF_FRAME, part, limpet_read_required(reader, part, "name"));
    else if (strcmp(tag, "model") == 0 || strcmp(tag, "include") == 0) enter_model(s, scope, part);
  }
  return scope;
}

bool limpet_sdf_is_world(const limpet_sdf_scope *scope, const char *name) {
  return strcmp(name, "world") == 0 && !limpet_table_find(&scope->names, 0, name);
}

static const char *nearest_name(const limpet_sdf_scope *scope, const char *name) {
  const char *best = NULL;
  int best_distance = strlen(name) < 4 ? 2 : 4;
  for (const limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next) {
    const int distance = limpet_text_distance(name, frame->name);
    if (distance < best_distance) best = frame->name, best_distance = distance;
  }
  return best;
}

limpet_sdf_frame *limpet_sdf_frame_find(limpet_sdf *s, limpet_sdf_scope *scope,
                                        const limpet_xml_element *e, const char *attribute,
                                        const char *name) {
  limpet_reader *reader = s->robot.reader;
  const char *rest = strstr(name, "::");
  const char *first = name;
  if (rest) {
    first = limpet_pool_text_n(&reader->pool, name, (size_t)(rest - name));
    if (!first) limpet_reader_no_memory(reader);
  }
  limpet_sdf_frame *frame = limpet_table_find(&scope->names, 0, first);
  if (!frame || (rest && frame->kind != LIMPET_SDF_MODEL)) {
    const char *near = nearest_name(scope, first);
    limpet_reader_fail(reader, e, attribute, "there is no frame '%s' in <%s>%s%s%s", name,
                       scope->element->name, near ? "; did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
  }
  return rest ? limpet_sdf_frame_find(s, frame->inner, e, attribute, rest + 2) : frame;
}

// ------------------------------------------------------------------------------- attachment

// first rigid link of a model, its own before those of models in it; NULL: none
static limpet_robot_link *first_link(const limpet_sdf_scope *scope) {
  for (const limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next)
    if (frame->kind == LIMPET_SDF_LINK && !frame->link->deforms) return frame->link;
  for (const limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next) {
    limpet_robot_link *link = frame->kind == LIMPET_SDF_MODEL ? first_link(frame->inner) : NULL;
    if (link) return link;
  }
  return NULL;
}

static limpet_robot_link *canonical_link(limpet_sdf *s, limpet_sdf_scope *scope) {
  const char *name = limpet_xml_value(scope->element, "canonical_link");
  if (name && *name) {
    const limpet_sdf_frame *frame =
        limpet_sdf_frame_find(s, scope, scope->element, "canonical_link", name);
    if (frame->kind == LIMPET_SDF_LINK) return frame->link;
    limpet_reader_fail(s->robot.reader, scope->element, "canonical_link",
                       "the canonical link '%s' is no link", name);
  }
  limpet_robot_link *link = first_link(scope);
  return link ? link : &s->robot.world;
}

limpet_robot_link *limpet_sdf_frame_link(limpet_sdf *s, limpet_sdf_frame *frame) {
  for (int step = 0; step < REFERENCE_LIMIT; ++step) {
    const limpet_xml_element *e = frame->element, *child = NULL;
    const char *to = NULL;
    switch (frame->kind) {
      case LIMPET_SDF_LINK: return frame->link;
      case LIMPET_SDF_MODEL: return canonical_link(s, frame->inner);
      case LIMPET_SDF_JOINT: child = limpet_xml_child(e, "child"); break;
      case LIMPET_SDF_FRAME: to = limpet_xml_value(e, "attached_to"); break;
    }
    if (child) to = limpet_read_required(s->robot.reader, child, NULL);
    if (!to || !*to || strcmp(to, "__model__") == 0)
      return frame->scope->parent ? canonical_link(s, frame->scope) : &s->robot.world;
    if (limpet_sdf_is_world(frame->scope, to)) return &s->robot.world;
    frame =
        limpet_sdf_frame_find(s, frame->scope, child ? child : e, child ? NULL : "attached_to", to);
  }
  limpet_reader_fail(s->robot.reader, frame->element, NULL,
                     "the frame '%s' is attached to itself, or through more than %d others",
                     frame->name, REFERENCE_LIMIT);
}

// ------------------------------------------------------------------------------------ poses

static limpet_sdf_pose resolve(limpet_sdf *s, limpet_sdf_frame *frame, int depth);

// pose of a named frame in the coordinates of `scope`
static limpet_sdf_pose pose_in_scope(limpet_sdf *s, limpet_sdf_scope *scope,
                                     const limpet_xml_element *e, const char *attribute,
                                     const char *name, int depth) {
  if (!name || !*name || strcmp(name, "__model__") == 0 || limpet_sdf_is_world(scope, name))
    return identity;
  limpet_sdf_frame *frame = limpet_sdf_frame_find(s, scope, e, attribute, name);
  limpet_sdf_pose pose = resolve(s, frame, depth + 1);
  // "a::b::c": outwards from the scope of c
  for (limpet_sdf_scope *inner = frame->scope; inner != scope; inner = inner->parent) {
    const limpet_sdf_pose outer = resolve(s, inner->model, depth + 1);
    pose = limpet_sdf_pose_compose(&outer, &pose);
  }
  return pose;
}

// what a pose is relative to that does not say it
static limpet_sdf_pose default_base(limpet_sdf *s, limpet_sdf_frame *frame, int depth) {
  const limpet_xml_element *child = limpet_xml_child(frame->element, "child");
  if (frame->kind == LIMPET_SDF_FRAME)
    return pose_in_scope(s, frame->scope, frame->element, "attached_to",
                         limpet_xml_value(frame->element, "attached_to"), depth);
  if (frame->kind == LIMPET_SDF_JOINT && child)
    return pose_in_scope(s, frame->scope, child, NULL,
                         limpet_read_required(s->robot.reader, child, NULL), depth);
  return identity;
}

// the frame of the model that its pose is of; NULL: its own
static const char *placement_frame(const limpet_sdf_scope *model) {
  const char *own = limpet_xml_value(model->element, "placement_frame");
  const char *included = model->include ? limpet_sdf_text(model->include, "placement_frame") : NULL;
  return included ? included : own;
}

static limpet_sdf_pose resolve(limpet_sdf *s, limpet_sdf_frame *frame, int depth) {
  if (frame->state == LIMPET_SDF_POSE_KNOWN) return frame->pose;
  if (frame->state == LIMPET_SDF_POSE_OPEN || depth > REFERENCE_LIMIT)
    limpet_reader_fail(s->robot.reader, frame->element, NULL,
                       "the pose of '%s' is relative to itself, or through more than %d others",
                       frame->name, REFERENCE_LIMIT);
  frame->state = LIMPET_SDF_POSE_OPEN;
  const limpet_sdf_scope *inner = frame->inner;
  const limpet_xml_element *holder = frame->element;
  if (inner && inner->include && limpet_xml_child(inner->include, "pose")) holder = inner->include;
  const limpet_xml_element *e = limpet_xml_child(holder, "pose");
  const char *to = e ? limpet_xml_value(e, "relative_to") : NULL;
  const limpet_sdf_pose base = to && *to
                                   ? pose_in_scope(s, frame->scope, e, "relative_to", to, depth)
                                   : default_base(s, frame, depth);
  const limpet_sdf_pose own = read_pose(s, e);
  frame->pose = limpet_sdf_pose_compose(&base, &own);
  const char *placed = inner ? placement_frame(inner) : NULL;
  if (placed && *placed) {
    const limpet_sdf_pose inside =
        pose_in_scope(s, frame->inner, frame->element, "placement_frame", placed, depth);
    const limpet_sdf_pose back = limpet_sdf_pose_between(&inside, &identity);
    frame->pose = limpet_sdf_pose_compose(&frame->pose, &back);
  }
  frame->state = LIMPET_SDF_POSE_KNOWN;
  return frame->pose;
}

// a scope in the world
static limpet_sdf_pose scope_pose(limpet_sdf *s, limpet_sdf_scope *scope) {
  limpet_sdf_pose pose = identity;
  for (; scope->parent; scope = scope->parent) {
    const limpet_sdf_pose outer = resolve(s, scope->model, 0);
    pose = limpet_sdf_pose_compose(&outer, &pose);
  }
  return pose;
}

limpet_sdf_pose limpet_sdf_frame_pose(limpet_sdf *s, limpet_sdf_frame *frame) {
  const limpet_sdf_pose outer = scope_pose(s, frame->scope), own = resolve(s, frame, 0);
  return limpet_sdf_pose_compose(&outer, &own);
}

limpet_sdf_pose limpet_sdf_link_pose(const limpet_sdf *s, const limpet_robot_link *link) {
  if (link == &s->robot.world) return identity;
  limpet_sdf_pose pose;
  limpet_vec3_copy(pose.position, link->start_position);
  limpet_quaternion_copy(pose.quaternion, link->start_quaternion);
  return pose;
}

limpet_sdf_pose limpet_sdf_pose_in_link(limpet_sdf *s, limpet_sdf_frame *link,
                                        const limpet_xml_element *e) {
  const limpet_xml_element *p = limpet_xml_child(e, "pose");
  const limpet_sdf_pose own = read_pose(s, p);
  const char *to = p ? limpet_xml_value(p, "relative_to") : NULL;
  if (!to || !*to) return own;
  const limpet_sdf_pose base = pose_in_scope(s, link->scope, p, "relative_to", to, 0),
                        link_pose = resolve(s, link, 0),
                        moved = limpet_sdf_pose_compose(&base, &own);
  return limpet_sdf_pose_between(&link_pose, &moved);
}
