/* format/robot/span.c: loops of joints, where several joints carry one link.
 *
 * From the roots outwards, breadth first and in the order of the file, the joint that reaches a
 * link first carries it. A joint that comes to a link that is reached gets a part of it: a body of
 * its own in the same frame, with an equal share of mass and inertia, which a weld holds to the
 * rest. So joints of all kinds close loops with their coordinates, limits, losses and drives, the
 * whole link is what the file says, and the mass matrix is regular (Sherman, Seth, Delp: Simbody,
 * Procedia IUTAM 2, 2011: splitting of bodies). */
#include "format/robot/robot.h"

// the part of a link that a joint carries which closes a loop
static limpet_robot_link *add_part(limpet_robot *robot, limpet_robot_joint *joint) {
  limpet_reader *reader = robot->reader;
  limpet_robot_link *whole = joint->child;
  if (!whole->d.has_inertial || !(whole->d.mass > 0.0))
    limpet_reader_fail(reader, joint->element, NULL,
                       "joint '%s' closes a loop at link '%s', which needs an <inertial> with a "
                       "mass there",
                       joint->name, whole->name);
  limpet_robot_link *part = LIMPET_READER_TAKE(reader, limpet_robot_link, 1);
  *part = *whole;
  part->name = limpet_reader_join(reader, whole->name, "_at_", joint->name);
  part->element = joint->element;
  part->d.place = limpet_xml_place(joint->element, NULL);
  part->whole = whole;
  part->up = joint;
  part->down = part->last_down = NULL;
  part->next = NULL;
  ++whole->part_count;
  joint->child = part;
  robot->last_link->next = part;
  limpet_reader_note(reader, joint->element, NULL, joint->name,
                     "joint '%s' closes a loop: it carries a share of link '%s', which is welded "
                     "to the rest of it",
                     joint->name, whole->name);
  return robot->last_link = part;
}

// reaches all that hangs on the links of a queue
static int reach(limpet_robot *robot, limpet_robot_link **queue, int first, int count) {
  for (; first < count; ++first)
    for (limpet_robot_joint *joint = queue[first]->down; joint; joint = joint->sibling) {
      limpet_robot_link *child = joint->child;
      if (child->reached) {
        add_part(robot, joint);
        continue;
      }
      child->reached = true;
      child->up = joint;
      queue[count++] = child;
    }
  return count;
}

static void share_mass(limpet_robot *robot) {
  for (limpet_robot_link *link = robot->links; link; link = link->next) {
    const limpet_robot_link *whole = link->whole ? link->whole : link;
    const double share = 1.0 / (1.0 + whole->part_count);
    if (whole->part_count == 0) continue;
    link->d.mass *= share;
    for (int i = 0; i < 6; ++i) link->d.inertia[i] *= share;
  }
}

void limpet_robot_span(limpet_robot *robot) {
  int links = 1, count = 0;
  for (const limpet_robot_link *link = robot->links; link; link = link->next) ++links;
  limpet_robot_link **queue = LIMPET_READER_TAKE(robot->reader, limpet_robot_link *, links);
  queue[count++] = &robot->world;
  for (limpet_robot_link *link = robot->links; link; link = link->next)
    if (!link->up) queue[count++] = link, link->reached = true;
  int done = count;
  count = reach(robot, queue, 0, count);

  // a ring on which no root hangs: its first link floats
  for (limpet_robot_link *link = robot->links; link; link = link->next) {
    if (link->reached) continue;
    done = count;
    link->reached = true, link->up = NULL;
    queue[count++] = link;
    count = reach(robot, queue, done, count);
  }
  share_mass(robot);
}

void limpet_robot_parts_weld(limpet_robot *robot) {
  limpet_builder *builder = robot->reader->builder;
  for (const limpet_robot_link *part = robot->links; part; part = part->next) {
    if (!part->whole) continue;
    limpet_loop_description d = limpet_loop_description_default();
    d.kind = LIMPET_LOOP_WELD;
    d.name = part->up->name;
    d.place = part->d.place;
    d.body_a = part->whole->handle, d.body_b = part->handle;
    limpet_reader_added(robot->reader, limpet_builder_add_loop(builder, &d));
    // neighbours at a joint do not touch
    if (part->up->parent != &robot->world)
      limpet_builder_add_exclude(builder, part->up->parent->handle, part->whole->handle);
  }
}
