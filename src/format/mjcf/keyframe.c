/* format/mjcf/keyframe.c: keyframes. One without a name is called by its number. Those of attached
 * models follow, filled up with the reference pose (mjcf_attached_key.c). */
#include <stdio.h>
#include <string.h>

#include "format/mjcf/key.h"
#include "format/mjcf/section.h"
#include "format/read/value.h"

/* A vector of the size of the model; `reference` (NULL: zeros) fills what the element leaves out.
 * NULL: it is not there. */
static const double *read_vector(limpet_reader *reader, const limpet_xml_element *e,
                                 const char *name, const double *reference, int expected) {
  int count;
  const char *rest = reference ? LIMPET_MJCF_KEY_REFERENCE : LIMPET_MJCF_KEY_ZERO;
  const double *given = limpet_mjcf_key_vector(reader, e, name, expected, rest, &count);
  if (!given || count == expected) return given;
  double *values = reference ? limpet_mjcf_copy(reader, reference, expected)
                             : LIMPET_READER_TAKE(reader, double, expected);
  memcpy(values, given, (size_t)count * sizeof *values);
  return values;
}

// The same of mocap bodies, of which whole poses of `width` numbers count.
static const double *read_poses(limpet_reader *reader, const limpet_xml_element *e,
                                const char *name, const double *reference, int width, int bodies) {
  int count;
  const double *given =
      limpet_mjcf_key_vector(reader, e, name, width * bodies, LIMPET_MJCF_KEY_REFERENCE, &count);
  if (!given) return NULL;
  double *values = limpet_mjcf_copy(reader, reference, width * bodies);
  memcpy(values, given, (size_t)(count - count % width) * sizeof *values);
  return values;
}

static const char *name_by_number(limpet_reader *reader) {
  char number[16];
  snprintf(number, sizeof number, "%d",
           limpet_builder_count(reader->builder, LIMPET_OBJECT_KEYFRAME));
  return limpet_reader_join(reader, number, "", "");
}

static bool activations_missing(limpet_mjcf *m, const limpet_xml_element *e, int expected) {
  int count;
  if (!m->activations_left_out || !limpet_read_array(m->reader, e, "act", &count)) return false;
  if (count == 0 || count == expected) return false;
  limpet_reader_note(m->reader, e, "act", "activations",
                     "'act' of keyframes is left out, as are actuators that it would fill");
  return true;
}

static void read_vectors(limpet_mjcf *m, const limpet_xml_element *e,
                         const limpet_mjcf_layout *layout, limpet_keyframe_description *d) {
  const limpet_mjcf_sizes *s = &layout->sizes;
  if ((d->q = read_vector(m->reader, e, "qpos", layout->q, s->q))) d->q_count = s->q;
  if ((d->v = read_vector(m->reader, e, "qvel", NULL, s->v))) d->v_count = s->v;
  if ((d->control = read_vector(m->reader, e, "ctrl", NULL, s->control)))
    d->control_count = s->control;
  if (!activations_missing(m, e, s->activation) &&
      (d->activation = read_vector(m->reader, e, "act", NULL, s->activation))) {
    double *ordered = LIMPET_READER_TAKE(m->reader, double, s->activation + 1);
    limpet_mjcf_activations_order(m, d->activation, s->activation, ordered);
    d->activation = ordered, d->activation_count = s->activation;
  }
  d->mocap_position = read_poses(m->reader, e, "mpos", layout->mocap_position, 3, s->mocap);
  d->mocap_quaternion = read_poses(m->reader, e, "mquat", layout->mocap_quaternion, 4, s->mocap);
  if (d->mocap_position || d->mocap_quaternion) d->mocap_count = s->mocap;
}

static void read_key(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  if (!m->layout) m->layout = limpet_mjcf_layout_make(m);
  limpet_keyframe_description d = limpet_keyframe_description_default();
  limpet_read_number(m->reader, e, "time", &d.time);
  if (space->parent) limpet_mjcf_attached_key(m, space, e, m->layout, &d);
  else read_vectors(m, e, m->layout, &d);
  d.name = limpet_mjcf_full_name(m, space, e);
  if (!d.name) d.name = name_by_number(m->reader);
  d.place = limpet_xml_place(e, NULL);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_keyframe(m->reader->builder, &d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_KEYFRAME, d.name, handle, space, e);
}

// A copy has no keyframes of its own, nor has a model that is attached to itself.
static bool has_keyframes(const limpet_mjcf_space *space) {
  return !space->replica && (!space->parent || space->source != space->parent->source);
}

void limpet_mjcf_keyframe_read(limpet_mjcf *m, limpet_mjcf_space *space,
                               const limpet_xml_element *e, int number) {
  (void)number;
  if (!has_keyframes(space)) return;
  if (m->joints_left_out)
    limpet_reader_note(m->reader, e, NULL, "keyframe",
                       "keyframes are left out, as are joints that they would fill");
  else read_key(m, space, e);
}
