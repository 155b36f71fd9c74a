/* format/robot/tree.c: links and joints by name, and the tree of bodies that they make. */
#include <string.h>

#include "format/robot/robot.h"
#include "math/quaternion.h"

// --------------------------------------------------------------------------- links and joints

// enters a link or joint; a second one of that name ends the reading
static void enter(limpet_robot *robot, limpet_robot_name kind, const limpet_xml_element *e,
                  const char *name, void *object) {
  static const char *const words[] = {"link", "joint"};
  const void *other = limpet_table_find(&robot->names, (int)kind, name);
  if (other) {
    const limpet_xml_element *first = kind == LIMPET_ROBOT_LINK
                                          ? ((const limpet_robot_link *)other)->element
                                          : ((const limpet_robot_joint *)other)->element;
    limpet_reader_fail(robot->reader, e, "name",
                       "the name '%s' is used twice for a %s; the first is at %s:%d:%d", name,
                       words[kind], first->file, first->line, first->column);
  }
  limpet_reader_enter(robot->reader, &robot->names, (int)kind, name, object);
}

limpet_robot_link *limpet_robot_link_add(limpet_robot *robot, const limpet_xml_element *e,
                                         const char *name) {
  limpet_robot_link *link = LIMPET_READER_TAKE(robot->reader, limpet_robot_link, 1);
  link->name = name, link->element = e, link->handle = LIMPET_NONE;
  link->d = limpet_body_description_default();
  link->d.has_inertial = true;
  link->d.repair_inertia = !robot->reader->options.strict;
  link->d.place = limpet_xml_place(e, NULL);
  enter(robot, LIMPET_ROBOT_LINK, e, name, link);
  limpet_reader_count(robot->reader, e);
  if (robot->last_link) robot->last_link->next = link;
  else robot->links = link;
  return robot->last_link = link;
}

limpet_robot_joint *limpet_robot_joint_add(limpet_robot *robot, const limpet_xml_element *e,
                                           const char *name) {
  limpet_robot_joint *joint = LIMPET_READER_TAKE(robot->reader, limpet_robot_joint, 1);
  joint->name = name, joint->element = e;
  limpet_quaternion_identity(joint->quaternion);
  for (int i = 0; i < LIMPET_ROBOT_AXES; ++i) joint->handle[i] = LIMPET_NONE;
  enter(robot, LIMPET_ROBOT_JOINT, e, name, joint);
  limpet_reader_count(robot->reader, e);
  if (robot->last_joint) robot->last_joint->next = joint;
  else robot->joints = joint;
  return robot->last_joint = joint;
}

const char *limpet_robot_suggestion(limpet_robot *robot, limpet_robot_name kind, const char *name) {
  const char *near = limpet_table_nearest(&robot->names, (int)kind, name);
  return near ? limpet_reader_join(robot->reader, "; did you mean '", near, "'?") : "";
}

static void *find(limpet_robot *robot, limpet_robot_name kind, const limpet_xml_element *e,
                  const char *attribute, const char *name) {
  void *found = limpet_table_find(&robot->names, (int)kind, name);
  if (found) return found;
  limpet_reader_fail(robot->reader, e, attribute, "there is no %s '%s'%s",
                     kind == LIMPET_ROBOT_LINK ? "link" : "joint", name,
                     limpet_robot_suggestion(robot, kind, name));
}

limpet_robot_link *limpet_robot_link_find(limpet_robot *robot, const limpet_xml_element *e,
                                          const char *attribute, const char *name) {
  if (strcmp(name, "world") == 0 && !limpet_table_find(&robot->names, LIMPET_ROBOT_LINK, name))
    return &robot->world;
  return find(robot, LIMPET_ROBOT_LINK, e, attribute, name);
}

limpet_robot_joint *limpet_robot_joint_find(limpet_robot *robot, const limpet_xml_element *e,
                                            const char *attribute, const char *name) {
  return find(robot, LIMPET_ROBOT_JOINT, e, attribute, name);
}

void limpet_robot_link_rigid(limpet_robot *robot, const limpet_robot_link *link,
                             const limpet_xml_element *e, const char *attribute) {
  if (link->deforms)
    limpet_reader_fail(robot->reader, e, attribute,
                       "link '%s' is a deformable body: joints, frames, filters and constraints "
                       "hold rigid links only; clamp it with <drake:wall_boundary_condition>",
                       link->name);
}

void limpet_robot_connect(limpet_robot *robot, limpet_robot_joint *joint, limpet_robot_link *parent,
                          limpet_robot_link *child) {
  if (child == &robot->world)
    limpet_reader_fail(robot->reader, joint->element, NULL,
                       "the world is the child of joint '%s'; it can only be a parent",
                       joint->name);
  limpet_robot_link_rigid(robot, parent, joint->element, NULL);
  limpet_robot_link_rigid(robot, child, joint->element, NULL);
  if (child == parent)
    limpet_reader_fail(robot->reader, joint->element, NULL,
                       "joint '%s' connects link '%s' with itself", joint->name, child->name);
  if (child->up && !robot->takes_loops)
    limpet_reader_fail(
        robot->reader, joint->element, NULL,
        "link '%s' is the child of joint '%s' and of joint '%s': the links must form "
        "a tree; remove one of the joints and close the loop with <drake:ball_constraint>",
        child->name, child->up->name, joint->name);
  joint->parent = parent, joint->child = child;
  if (!child->up) child->up = joint;
  if (parent->last_down) parent->last_down->sibling = joint;
  else parent->down = joint;
  parent->last_down = joint;
}

// ------------------------------------------------------------------------------------- tree

const char *limpet_robot_unique(limpet_robot *robot, limpet_object object, const char *name) {
  if (!name || !*name) return NULL;
  limpet_table *names = object == LIMPET_OBJECT_BODY       ? &robot->body_names
                        : object == LIMPET_OBJECT_JOINT    ? &robot->joint_names
                        : object == LIMPET_OBJECT_GEOM     ? &robot->geom_names
                        : object == LIMPET_OBJECT_ACTUATOR ? &robot->actuator_names
                                                           : &robot->site_names;
  if (limpet_table_find(names, 0, name)) return NULL;
  limpet_reader_enter(robot->reader, names, 0, name, robot);
  return name;
}

static int add_joint(limpet_robot *robot, limpet_joint_description *d, const char *name,
                     const limpet_xml_element *e, int body) {
  d->body = body;
  d->name = limpet_robot_unique(robot, LIMPET_OBJECT_JOINT, name);
  d->place = limpet_xml_place(e, NULL);
  return limpet_reader_added(robot->reader, limpet_builder_add_joint(robot->reader->builder, d));
}

// six degrees of freedom: a free joint below the world, three slides and a ball elsewhere
static void make_floating(limpet_robot *robot, limpet_robot_joint *joint) {
  static const char *const suffix[] = {"_x", "_y", "_z", "_turn"};
  const limpet_joint_description losses = joint->axis[0];  // of all axes, where they were read
  joint->axis_count = joint->parent == &robot->world ? 1 : 4;
  for (int i = 0; i < joint->axis_count; ++i) {
    limpet_joint_description *d = &joint->axis[i];
    *d = limpet_joint_description_default();
    d->damping = losses.damping, d->dry_friction = losses.dry_friction;
    d->armature = losses.armature;
    if (joint->axis_count == 1) {
      d->kind = LIMPET_JOINT_FREE;
      continue;
    }
    d->kind = i < 3 ? LIMPET_JOINT_PRISMATIC : LIMPET_JOINT_BALL;
    for (int k = 0; k < 3; ++k) d->axis[k] = k == i ? 1.0 : 0.0;
    d->name = limpet_reader_join(robot->reader, joint->name, suffix[i], "");
  }
}

static void add_joints(limpet_robot *robot, limpet_robot_joint *joint, int body) {
  if (joint->floats) make_floating(robot, joint);
  for (int i = 0; i < joint->axis_count; ++i) {
    const char *name = joint->axis[i].name ? joint->axis[i].name : joint->name;
    joint->handle[i] = add_joint(robot, &joint->axis[i], name, joint->element, body);
  }
}

// a root floats, unless it is fixed
static void add_root(limpet_robot *robot, const limpet_robot_link *link, int body) {
  if (link->fixed || robot->reader->options.fix_base) return;
  limpet_joint_description d = limpet_joint_description_default();
  d.kind = LIMPET_JOINT_FREE;
  add_joint(robot, &d, link->name, link->element, body);
  limpet_reader_note(robot->reader, link->element, NULL, link->name,
                     "link '%s' floats: no joint holds it to the world; --fix-base welds it there",
                     link->name);
}

/* Neighbours at a joint do not touch. The model sees to that, but not where the parent cannot move:
 * it is a part of the world there, which touches everything. */
static void add_neighbours(limpet_robot *robot, limpet_robot_link *link) {
  const limpet_robot_joint *up = link->up;
  const bool moves = up ? up->axis_count > 0 : !(link->fixed || robot->reader->options.fix_base);
  const bool below = !up || up->parent == &robot->world || up->parent->anchored;
  link->anchored = below && !moves;
  if (up && moves && below && up->parent != &robot->world)
    limpet_builder_add_exclude(robot->reader->builder, up->parent->handle, link->handle);
}

static void add_body(limpet_robot *robot, limpet_robot_link *link) {
  limpet_robot_joint *up = link->up;
  if (up) {
    limpet_vec3_copy(link->d.position, up->position);
    limpet_quaternion_copy(link->d.quaternion, up->quaternion);
  }
  link->d.parent = up ? up->parent->handle : 0;
  link->d.name = limpet_robot_unique(robot, LIMPET_OBJECT_BODY, link->name);
  link->handle =
      limpet_reader_added(robot->reader, limpet_builder_add_body(robot->reader->builder, &link->d));
  if (up) add_joints(robot, up, link->handle);
  else add_root(robot, link, link->handle);
  add_neighbours(robot, link);
}

// a link that no root carries: its ancestors form a ring
static _Noreturn void fail_ring(limpet_robot *robot, const limpet_robot_link *link) {
  enum { SHOWN = 8 };
  // once round for every link that there is, to be inside the ring
  for (const limpet_robot_link *step = robot->links; step; step = step->next)
    link = link->up->parent;
  const char *ring = link->name;
  const limpet_robot_link *at = link->up->parent;
  for (int i = 0; at != link && i < SHOWN; ++i, at = at->up->parent)
    ring = limpet_reader_join(robot->reader, at->name, " -> ", ring);
  ring = limpet_reader_join(robot->reader, at == link ? link->name : "...", " -> ", ring);
  limpet_reader_fail(robot->reader, link->element, NULL,
                     "link '%s' hangs on itself: %s; one of them must hang on the world or be free",
                     link->name, ring);
}

void limpet_robot_build(limpet_robot *robot) {
  // roots first, in the order of the file
  limpet_robot_link *stack = NULL, **end = &stack;
  for (limpet_robot_link *link = robot->links; link; link = link->next) {
    if (link->deforms || (link->up && link->up->parent != &robot->world)) continue;
    *end = link;
    end = &link->waiting;
  }

  // depth first: the children of a link go before what waits
  while (stack) {
    limpet_robot_link *link = stack;
    stack = link->waiting;
    add_body(robot, link);
    limpet_robot_link **at = &stack;
    for (limpet_robot_joint *joint = link->down; joint; joint = joint->sibling) {
      joint->child->waiting = *at;
      *at = joint->child;
      at = &joint->child->waiting;
    }
  }
  for (const limpet_robot_link *link = robot->links; link; link = link->next)
    if (link->handle == LIMPET_NONE && !link->deforms) fail_ring(robot, link);
}
