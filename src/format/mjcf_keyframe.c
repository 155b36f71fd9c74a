/* format/mjcf_keyframe.c: keyframes. One without a name is called by its number. Those of attached
 * models follow, filled up with the reference pose (mjcf_attached_key.c). */
#include <stdio.h>

#include "format/mjcf.h"

static void check_count(limpet_mjcf *m, const limpet_xml_element *e, const char *name, int count,
                        int expected) {
  if (count && count != expected)
    limpet_mjcf_fail(m, e, name, "'%s' of the keyframe has %d numbers, but the model has %d", name,
                     count, expected);
}

static limpet_mjcf_sizes count_sizes(const limpet_mjcf *m) {
  limpet_mjcf_sizes s = {0};
  limpet_builder *builder = m->builder;
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_JOINT); ++i) {
    const limpet_joint_kind kind = limpet_builder_joint(builder, i)->kind;
    s.q += limpet_joint_kind_nq(kind);
    s.v += limpet_joint_kind_nv(kind);
  }
  s.control = limpet_builder_count(builder, LIMPET_OBJECT_ACTUATOR);
  for (int i = 0; i < s.control; ++i)
    s.activation += limpet_builder_actuator(builder, i)->activation != LIMPET_ACTIVATION_NONE;
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_BODY); ++i)
    s.mocap += limpet_builder_body(builder, i)->mocap;
  return s;
}

static const char *name_by_number(limpet_mjcf *m) {
  char number[16];
  snprintf(number, sizeof number, "%d", limpet_builder_count(m->builder, LIMPET_OBJECT_KEYFRAME));
  return limpet_mjcf_join(m, number, "", "");
}

static void read_arrays(limpet_mjcf *m, const limpet_xml_element *e, const limpet_mjcf_sizes *s,
                        limpet_keyframe_description *d) {
  int position_count, quaternion_count;
  d->q = limpet_mjcf_array(m, e, "qpos", &d->q_count);
  d->v = limpet_mjcf_array(m, e, "qvel", &d->v_count);
  d->control = limpet_mjcf_array(m, e, "ctrl", &d->control_count);
  d->activation = limpet_mjcf_array(m, e, "act", &d->activation_count);
  d->mocap_position = limpet_mjcf_array(m, e, "mpos", &position_count);
  d->mocap_quaternion = limpet_mjcf_array(m, e, "mquat", &quaternion_count);
  if (m->activations_left_out && d->activation_count && d->activation_count != s->activation) {
    limpet_mjcf_note(m, e, "act", "activations",
                     "'act' of keyframes is left out, as are actuators that it would fill");
    d->activation = NULL, d->activation_count = 0;
  }
  check_count(m, e, "qpos", d->q_count, s->q);
  check_count(m, e, "qvel", d->v_count, s->v);
  check_count(m, e, "ctrl", d->control_count, s->control);
  check_count(m, e, "act", d->activation_count, s->activation);
  check_count(m, e, "mpos", position_count, 3 * s->mocap);
  check_count(m, e, "mquat", quaternion_count, 4 * s->mocap);
  d->mocap_count = position_count || quaternion_count ? s->mocap : 0;
}

static void read_key(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  const limpet_mjcf_sizes sizes = count_sizes(m);
  limpet_keyframe_description d = limpet_keyframe_description_default();
  limpet_mjcf_number(m, e, "time", &d.time);
  if (space->parent) limpet_mjcf_attached_key(m, space, e, &sizes, &d);
  else read_arrays(m, e, &sizes, &d);
  d.name = limpet_mjcf_full_name(m, space, e);
  if (!d.name) d.name = name_by_number(m);
  d.place = limpet_mjcf_place(e, NULL);
  const int handle = limpet_mjcf_added(m, limpet_builder_add_keyframe(m->builder, &d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_KEYFRAME, d.name, handle, space, e);
}

static void note_key(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  (void)space;
  limpet_mjcf_note(m, e, NULL, "keyframe",
                   "keyframes are left out, as are joints that they would fill");
}

void limpet_mjcf_keyframes_read(limpet_mjcf *m) {
  for (limpet_mjcf_space *space = m->spaces; space; space = space->next)
    if (!space->replica && (!space->parent || space->source != space->parent->source))
      limpet_mjcf_each(m, space, "keyframe", m->joints_left_out ? note_key : read_key);
}
