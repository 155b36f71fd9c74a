/* control/drive_read.c: a drive from JSON: joints, where forces go, law, gains. */
#include <math.h>
#include <stdlib.h>

#include "control/drive.h"
#include "control/joints.h"

bool limpet_json_find(const limpet_json *name, const limpet_model *model, limpet_object object,
                      int *index) {
  const char *text = json_string_value(name->value), *word = limpet_object_word(object);
  if (!text) return limpet_json_fail(name, "must be the name of a %s", word);
  *index = limpet_model_find(model, object, text);
  if (*index != LIMPET_NONE) return true;
  const int count = limpet_model_count(model, object);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  char hint[160] = "";
  for (int i = 0, k = 0; names && i < count; ++i) {
    const char *known = limpet_model_name(model, object, i);
    if (known) names[k++] = known;
  }
  if (names) limpet_json_hint(hint, sizeof hint, text, names);
  free(names);
  return limpet_json_fail(name, "the model has no %s '%.80s'%s; 'limpet info' lists them", word,
                          text, hint);
}

static bool arrays_create(limpet_drive *drive, int n) {
  int **whole[] = {&drive->joint, &drive->q, &drive->v, &drive->actuator};
  double **real[] = {&drive->kp,       &drive->kd, &drive->wanted_q, &drive->wanted_v,
                     &drive->wanted_a, &drive->a,  &drive->tau};
  bool made = true;
  for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i)
    made &= (*whole[i] = calloc((size_t)n, sizeof(int))) != NULL;
  for (size_t i = 0; i < sizeof real / sizeof *real; ++i)
    made &= (*real[i] = calloc((size_t)n, sizeof(double))) != NULL;
  return made;
}

void limpet_drive_release(limpet_drive *drive) {
  free(drive->joint), free(drive->q), free(drive->v), free(drive->actuator);
  free(drive->kp), free(drive->kd), free(drive->a), free(drive->tau);
  free(drive->wanted_q), free(drive->wanted_v), free(drive->wanted_a);
  limpet_inverse_dynamics_destroy(drive->dynamics);
  *drive = (limpet_drive){0};
}

static bool joints_read(limpet_drive *drive, const limpet_model *model, const limpet_json *object) {
  limpet_json list;
  limpet_error error;
  if (!limpet_json_array(&list, object, "joints", (size_t)model->joint_count)) return false;
  drive->n = (int)json_array_size(list.value);
  if (!arrays_create(drive, drive->n)) return limpet_json_fail(&list, "no memory");
  for (int i = 0; i < drive->n; ++i) {
    const limpet_json name = limpet_json_element(&list, (size_t)i);
    if (!limpet_json_find(&name, model, LIMPET_OBJECT_JOINT, &drive->joint[i])) return false;
    if (limpet_joints_check(model, i + 1, drive->joint, &error) != LIMPET_OK)
      return limpet_json_fail(&name, "%s", error.message);
    drive->q[i] = model->joint_q[drive->joint[i]], drive->v[i] = model->joint_v[drive->joint[i]];
  }
  return true;
}

// Whether an actuator, of whatever kind, moves that joint.
static bool has_actuator(const limpet_model *model, int joint) {
  for (int i = 0; i < model->actuator_count; ++i) {
    const bool on_joint = model->actuator_transmission[i] == LIMPET_TRANSMISSION_JOINT ||
                          model->actuator_transmission[i] == LIMPET_TRANSMISSION_JOINT_IN_PARENT;
    if (on_joint && model->actuator_target[i] == joint && !model->actuator_disabled[i]) return true;
  }
  return false;
}

static bool outputs_find(limpet_drive *drive, const limpet_model *model,
                         const limpet_json *object) {
  limpet_json list;
  limpet_error error;
  limpet_json_member(&list, object, "joints");
  for (int i = 0; i < drive->n; ++i) {
    char label[160];
    const limpet_json name = limpet_json_element(&list, (size_t)i);
    drive->actuator[i] = LIMPET_NONE;
    if (drive->joint_force && has_actuator(model, drive->joint[i]))
      return limpet_json_fail(
          &name,
          "joint %s has an actuator that would work against a joint force; apply \"actuators\"",
          limpet_joint_label(label, sizeof label, model, drive->joint[i]));
    if (drive->joint_force) continue;
    drive->actuator[i] = limpet_joint_actuator(model, drive->joint[i], &error);
    if (drive->actuator[i] == LIMPET_NONE) return limpet_json_fail(&name, "%s", error.message);
    if (drive->law == LIMPET_DRIVE_POSITION &&
        !(model->actuator_bias[3 * drive->actuator[i] + 1] < 0.0))
      return limpet_json_fail(
          &name, "the actuator of joint %s is no position servo; use the kind \"computed-torque\"",
          limpet_joint_label(label, sizeof label, model, drive->joint[i]));
  }
  return true;
}

static bool not_negative(const limpet_json *object, const char *key, int n, const double *values) {
  limpet_json member;
  limpet_json_member(&member, object, key);
  for (int i = 0; i < n; ++i)
    if (!(values[i] >= 0.0))
      return limpet_json_fail(&member, "is %g and must not be negative", values[i]);
  return true;
}

/* kp = w^2, kd = 2 zeta w, times the inertia that a joint feels where gains are forces; or kp and
 * kd as given. wanted_q holds w, wanted_v zeta, for a moment. */
static bool gains_read(limpet_drive *drive, const limpet_model *model, const limpet_json *object) {
  limpet_json member;
  const bool direct =
      limpet_json_member(&member, object, "kp") || limpet_json_member(&member, object, "kd");
  const int n = drive->n;
  if (direct && (limpet_json_member(&member, object, "natural_frequency") ||
                 limpet_json_member(&member, object, "damping_ratio")))
    return limpet_json_fail(&member, "stands beside \"kp\" or \"kd\"; give one pair or the other");
  if (direct)
    return limpet_json_numbers(object, "kp", n, NULL, drive->kp) &&
           not_negative(object, "kp", n, drive->kp) &&
           limpet_json_numbers(object, "kd", n, NULL, drive->kd) &&
           not_negative(object, "kd", n, drive->kd);
  double *w = drive->wanted_q, *zeta = drive->wanted_v;
  if (!limpet_json_member(&member, object, "natural_frequency"))
    return limpet_json_fail(
        object, "gains are missing; give \"natural_frequency\" [rad/s], or \"kp\" and \"kd\"");
  for (int i = 0; i < n; ++i) zeta[i] = 1.0;
  if (!limpet_json_numbers(object, "natural_frequency", n, NULL, w) ||
      !not_negative(object, "natural_frequency", n, w) ||
      !limpet_json_numbers(object, "damping_ratio", n, zeta, zeta) ||
      !not_negative(object, "damping_ratio", n, zeta))
    return false;
  for (int i = 0; i < n; ++i) {
    const double inertia = drive->law == LIMPET_DRIVE_FEED_FORWARD
                               ? 1.0 / model->dof_inverse_weight[drive->v[i]]
                               : 1.0;
    drive->kp[i] = inertia * w[i] * w[i];
    drive->kd[i] = inertia * 2.0 * zeta[i] * w[i];
  }
  return true;
}

bool limpet_drive_read(limpet_drive *drive, const limpet_model *model, const limpet_json *object,
                       bool position) {
  static const char *const laws[] = {"inverse-dynamics", "feed-forward", NULL}, *const places[] = {
                                                                                    "actuators",
                                                                                    "joint-force",
                                                                                    NULL};
  limpet_error error;
  int law = 0, place = 0;
  *drive = (limpet_drive){.law = LIMPET_DRIVE_POSITION};
  if (!joints_read(drive, model, object) ||
      !limpet_json_boolean(object, "friction", true, &drive->friction))
    return false;
  if (position && !limpet_json_boolean(object, "feed_forward", true, &drive->lead)) return false;
  if (!position) {
    if (!limpet_json_choice(object, "law", laws, 0, &law) ||
        !limpet_json_choice(object, "apply", places, 0, &place))
      return false;
    drive->law = law ? LIMPET_DRIVE_FEED_FORWARD : LIMPET_DRIVE_INVERSE_DYNAMICS;
    drive->joint_force = place == 1;
    if (!gains_read(drive, model, object)) return false;
  }
  if (!outputs_find(drive, model, object)) return false;
  drive->dynamics = limpet_inverse_dynamics_create(model, drive->n, drive->joint, &error);
  return drive->dynamics || limpet_json_fail(object, "%s", error.message);
}
