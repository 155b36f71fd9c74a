/* format/mjcf/key_layout.c: where the joints and mocap bodies of the model that was read lie in the
 * vectors of a keyframe: by body, and within a body in the order of the file. Made once for all
 * keyframes, so that one of them costs no more than its numbers.
 *
 * A vector that is too short gives the first numbers; the others keep the reference pose or are
 * zero. One that is too long is refused. MuJoCo 4.0.1 does the same, without a word. */
#include <string.h>

#include "format/mjcf/key.h"
#include "format/read/value.h"
#include "math/quaternion.h"

static void count_sizes(limpet_builder *builder, limpet_mjcf_sizes *s) {
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_JOINT); ++i) {
    const limpet_joint_kind kind = limpet_builder_joint(builder, i)->kind;
    s->q += limpet_joint_kind_nq(kind);
    s->v += limpet_joint_kind_nv(kind);
  }
  s->control = limpet_builder_count(builder, LIMPET_OBJECT_ACTUATOR);
  for (int i = 0; i < s->control; ++i)
    s->activation += limpet_actuator_activation_count(limpet_builder_actuator(builder, i));
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_BODY); ++i)
    s->mocap += limpet_builder_body(builder, i)->mocap;
}

// joints sorted by body: a counting sort, which keeps the order within a body
static void sort_joints(limpet_mjcf *m, limpet_mjcf_layout *layout) {
  limpet_builder *builder = m->reader->builder;
  const int bodies = limpet_builder_count(builder, LIMPET_OBJECT_BODY);
  const int joints = limpet_builder_count(builder, LIMPET_OBJECT_JOINT);
  int *next = LIMPET_READER_TAKE(m->reader, int, bodies + 1);
  for (int j = 0; j < joints; ++j) ++next[limpet_builder_joint(builder, j)->body + 1];
  for (int b = 0; b < bodies; ++b) next[b + 1] += next[b];
  layout->joint_count = joints;
  layout->joint = LIMPET_READER_TAKE(m->reader, limpet_mjcf_joint_place, joints + 1);
  for (int j = 0; j < joints; ++j) {
    const limpet_joint_description *d = limpet_builder_joint(builder, j);
    layout->joint[next[d->body]++] = (limpet_mjcf_joint_place){
        .handle = j, .nq = limpet_joint_kind_nq(d->kind), .nv = limpet_joint_kind_nv(d->kind)};
  }
}

static void fill_reference(limpet_mjcf *m, limpet_mjcf_layout *layout) {
  double *q = layout->q;
  for (int i = 0; i < layout->joint_count; ++i) {
    const limpet_joint_description *joint =
        limpet_builder_joint(m->reader->builder, layout->joint[i].handle);
    const limpet_body_description *body = limpet_builder_body(m->reader->builder, joint->body);
    if (joint->kind == LIMPET_JOINT_FREE) {
      limpet_vec3_copy(q, body->position);
      limpet_quaternion_copy(q + 3, body->quaternion);
    } else if (joint->kind == LIMPET_JOINT_BALL) {
      limpet_quaternion_identity(q);
    } else {
      *q = joint->reference;
    }
    q += layout->joint[i].nq;
  }
}

static void list_mocap(limpet_mjcf *m, limpet_mjcf_layout *layout) {
  for (int b = 0, i = 0; i < layout->sizes.mocap; ++b) {
    const limpet_body_description *body = limpet_builder_body(m->reader->builder, b);
    if (!body->mocap) continue;
    layout->mocap[i] = b;
    limpet_vec3_copy(layout->mocap_position + 3 * i, body->position);
    limpet_quaternion_copy(layout->mocap_quaternion + 4 * i, body->quaternion);
    ++i;
  }
}

limpet_mjcf_layout *limpet_mjcf_layout_make(limpet_mjcf *m) {
  limpet_mjcf_layout *layout = LIMPET_READER_TAKE(m->reader, limpet_mjcf_layout, 1);
  count_sizes(m->reader->builder, &layout->sizes);
  const limpet_mjcf_sizes *s = &layout->sizes;
  layout->q = LIMPET_READER_TAKE(m->reader, double, s->q + 1);
  layout->mocap = LIMPET_READER_TAKE(m->reader, int, s->mocap + 1);
  layout->mocap_position = LIMPET_READER_TAKE(m->reader, double, 3 * s->mocap + 1);
  layout->mocap_quaternion = LIMPET_READER_TAKE(m->reader, double, 4 * s->mocap + 1);
  sort_joints(m, layout);
  fill_reference(m, layout);
  list_mocap(m, layout);
  return layout;
}

double *limpet_mjcf_copy(limpet_reader *reader, const double *values, int count) {
  double *copy = LIMPET_READER_TAKE(reader, double, count + 1);
  if (count) memcpy(copy, values, (size_t)count * sizeof *copy);
  return copy;
}

const double *limpet_mjcf_key_vector(limpet_reader *reader, const limpet_xml_element *e,
                                     const char *name, int expected, const char *rest, int *count) {
  const double *values = limpet_read_array(reader, e, name, count);
  if (*count > expected)
    limpet_reader_fail(reader, e, name, "'%s' of the keyframe has %d numbers, but the model has %d",
                       name, *count, expected);
  if (*count > 0 && *count < expected)
    limpet_reader_note(
        reader, e, name, limpet_reader_join(reader, "keyframe ", name, ""),
        "'%s' of the keyframe has %d numbers, but the model has %d: %s, as in MuJoCo", name, *count,
        expected, rest);
  return *count > 0 ? values : NULL;
}
