/* format/robot/constraint.c: what Drake's tags put between links: points that coincide, distances,
 * springs and fixed tendons.
 *
 *   ball_constraint       P on A and Q on B coincide
 *   distance_constraint   |PQ| = distance, with stiffness [N/m] (infinite where it is not given)
 *   linear_spring_damper  force stiffness (|PQ| - free_length) + damping d|PQ|/dt
 *   tendon_constraint     lower_limit <= sum a q + offset <= upper_limit */
#include <math.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/extension.h"
#include "format/robot/geom.h"

// the child `tag_suffix` of a tag, which must be there
static const limpet_xml_element *part(const limpet_robot_scope *scope, const limpet_xml_element *e,
                                      const char *suffix) {
  limpet_reader *reader = scope->robot->reader;
  const char *name = limpet_reader_join(reader, e->name, "_", suffix);
  const limpet_xml_element *found = limpet_xml_child(e, name);
  if (!found) limpet_reader_fail(reader, e, NULL, "<%s> needs an element <%s>", e->name, name);
  return found;
}

static int body_of(const limpet_robot_scope *scope, const limpet_xml_element *e,
                   const char *suffix) {
  const limpet_xml_element *tag = part(scope, e, suffix);
  const char *attribute = limpet_xml_find(tag, "name") ? "name" : NULL;
  const char *name = limpet_read_required(scope->robot->reader, tag, attribute);
  return scope->link(scope->context, tag, attribute, name)->handle;
}

static void read_point(const limpet_robot_scope *scope, const limpet_xml_element *e,
                       const char *suffix, double point[3]) {
  const limpet_xml_element *tag = part(scope, e, suffix);
  limpet_robot_tag_numbers(scope->robot, e, tag->name, point, 3, 3);
}

// false: the number is not there, and may be left out
static bool read_number(const limpet_robot_scope *scope, const limpet_xml_element *e,
                        const char *suffix, double *value) {
  const char *name = limpet_reader_join(scope->robot->reader, e->name, "_", suffix);
  return limpet_robot_tag_number(scope->robot, e, name, value);
}

// ends and their bodies, which connections and distances have
static limpet_loop_description read_ends(const limpet_robot_scope *scope,
                                         const limpet_xml_element *e) {
  limpet_loop_description d = limpet_loop_description_default();
  d.place = limpet_xml_place(e, NULL);
  d.body_a = body_of(scope, e, "body_A");
  d.body_b = body_of(scope, e, "body_B");
  read_point(scope, e, "p_AP", d.position_a);
  read_point(scope, e, "p_BQ", d.position_b);
  return d;
}

static void add_loop(const limpet_robot_scope *scope, const limpet_loop_description *d) {
  limpet_reader_added(scope->robot->reader,
                      limpet_builder_add_loop(scope->robot->reader->builder, d));
}

static void read_ball(const limpet_robot_scope *scope, const limpet_xml_element *e) {
  limpet_loop_description d = read_ends(scope, e);
  d.kind = LIMPET_LOOP_CONNECT;
  add_loop(scope, &d);
}

static void read_distance(const limpet_robot_scope *scope, const limpet_xml_element *e,
                          const char *length) {
  limpet_loop_description d = read_ends(scope, e);
  d.kind = LIMPET_LOOP_DISTANCE;
  part(scope, e, length);
  read_number(scope, e, length, &d.length);
  if (!(d.length > 0.0))
    limpet_reader_fail(scope->robot->reader, part(scope, e, length), NULL,
                       "the length is %g m; it must be positive", d.length);
  read_number(scope, e, "stiffness", &d.stiffness);
  read_number(scope, e, "damping", &d.damping);
  add_loop(scope, &d);
}

static void read_rod(const limpet_robot_scope *scope, const limpet_xml_element *e) {
  read_distance(scope, e, "distance");
}

static void read_spring(const limpet_robot_scope *scope, const limpet_xml_element *e) {
  part(scope, e, "stiffness");
  read_distance(scope, e, "free_length");
}

static void read_tendon(const limpet_robot_scope *scope, const limpet_xml_element *e) {
  limpet_reader *reader = scope->robot->reader;
  const limpet_xml_element *first = part(scope, e, "joint");
  int count = 0;
  for (const limpet_xml_element *t = first; t; t = limpet_xml_next(t)) ++count;
  limpet_tendon_term *terms = LIMPET_READER_TAKE(reader, limpet_tendon_term, count);
  count = 0;
  for (const limpet_xml_element *t = first; t; t = limpet_xml_next(t), ++count) {
    const char *name = limpet_read_required(reader, t, "name");
    const limpet_robot_joint *joint = scope->joint(scope->context, t, "name", name);
    if (joint->axis_count != 1)
      limpet_reader_fail(reader, t, "name",
                         "joint '%s' has %d coordinates; a tendon takes joints with one", name,
                         joint->axis_count);
    limpet_read_required(reader, t, "a");
    terms[count].joint = joint->handle[0];
    limpet_read_number(reader, t, "a", &terms[count].coefficient);
  }
  limpet_tendon_description d = limpet_tendon_description_default();
  double offset = 0.0;
  d.place = limpet_xml_place(e, NULL);
  d.terms = terms, d.term_count = count;
  d.range[0] = -INFINITY, d.range[1] = INFINITY;
  read_number(scope, e, "offset", &offset);
  read_number(scope, e, "lower_limit", &d.range[0]);
  read_number(scope, e, "upper_limit", &d.range[1]);
  d.limited = isfinite(d.range[0]) || isfinite(d.range[1]);
  d.range[0] -= offset, d.range[1] -= offset;
  read_number(scope, e, "stiffness", &d.limit_stiffness);
  read_number(scope, e, "damping", &d.limit_damping);
  limpet_reader_added(reader, limpet_builder_add_tendon(reader->builder, &d));
}

void limpet_robot_constraints_read(const limpet_robot_scope *scope) {
  static const struct {
    const char *name;
    void (*read)(const limpet_robot_scope *scope, const limpet_xml_element *e);
  } tags[] = {{"drake:ball_constraint", read_ball},
              {"drake:distance_constraint", read_rod},
              {"drake:linear_spring_damper", read_spring},
              {"drake:tendon_constraint", read_tendon}};
  for (const limpet_xml_element *e = scope->root->first; e; e = e->next)
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i)
      if (strcmp(e->name, tags[i].name) == 0) tags[i].read(scope, e);
}
