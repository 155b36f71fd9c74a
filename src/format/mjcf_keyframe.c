/* format/mjcf_keyframe.c: keyframes. One without a name is called by its number. Those of attached
 * models follow, filled up with the reference pose (mjcf_attached_key.c). */
#include <stdio.h>
#include <string.h>

#include "format/mjcf.h"

/* A vector of the size of the model; `reference` (NULL: zeros) fills what the element leaves out.
 * NULL: it is not there. */
static const double *read_vector(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                                 const double *reference, int expected) {
  int count;
  const char *rest = reference ? LIMPET_MJCF_KEY_REFERENCE : LIMPET_MJCF_KEY_ZERO;
  const double *given = limpet_mjcf_key_vector(m, e, name, expected, rest, &count);
  if (!given || count == expected) return given;
  double *values =
      reference ? limpet_mjcf_copy(m, reference, expected) : LIMPET_MJCF_TAKE(m, double, expected);
  memcpy(values, given, (size_t)count * sizeof *values);
  return values;
}

// The same of mocap bodies, of which whole poses of `width` numbers count.
static const double *read_poses(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                                const double *reference, int width, int bodies) {
  int count;
  const double *given =
      limpet_mjcf_key_vector(m, e, name, width * bodies, LIMPET_MJCF_KEY_REFERENCE, &count);
  if (!given) return NULL;
  double *values = limpet_mjcf_copy(m, reference, width * bodies);
  memcpy(values, given, (size_t)(count - count % width) * sizeof *values);
  return values;
}

static const char *name_by_number(limpet_mjcf *m) {
  char number[16];
  snprintf(number, sizeof number, "%d", limpet_builder_count(m->builder, LIMPET_OBJECT_KEYFRAME));
  return limpet_mjcf_join(m, number, "", "");
}

static bool activations_missing(limpet_mjcf *m, const limpet_xml_element *e, int expected) {
  int count;
  if (!m->activations_left_out || !limpet_mjcf_array(m, e, "act", &count)) return false;
  if (count == 0 || count == expected) return false;
  limpet_mjcf_note(m, e, "act", "activations",
                   "'act' of keyframes is left out, as are actuators that it would fill");
  return true;
}

static void read_vectors(limpet_mjcf *m, const limpet_xml_element *e,
                         const limpet_mjcf_layout *layout, limpet_keyframe_description *d) {
  const limpet_mjcf_sizes *s = &layout->sizes;
  if ((d->q = read_vector(m, e, "qpos", layout->q, s->q))) d->q_count = s->q;
  if ((d->v = read_vector(m, e, "qvel", NULL, s->v))) d->v_count = s->v;
  if ((d->control = read_vector(m, e, "ctrl", NULL, s->control))) d->control_count = s->control;
  if (!activations_missing(m, e, s->activation) &&
      (d->activation = read_vector(m, e, "act", NULL, s->activation)))
    d->activation_count = s->activation;
  d->mocap_position = read_poses(m, e, "mpos", layout->mocap_position, 3, s->mocap);
  d->mocap_quaternion = read_poses(m, e, "mquat", layout->mocap_quaternion, 4, s->mocap);
  if (d->mocap_position || d->mocap_quaternion) d->mocap_count = s->mocap;
}

static void read_key(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  if (!m->layout) m->layout = limpet_mjcf_layout_make(m);
  limpet_keyframe_description d = limpet_keyframe_description_default();
  limpet_mjcf_number(m, e, "time", &d.time);
  if (space->parent) limpet_mjcf_attached_key(m, space, e, m->layout, &d);
  else read_vectors(m, e, m->layout, &d);
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
