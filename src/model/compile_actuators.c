/* model/compile_actuators.c: actuators; the damping that follows from a damping ratio is
 * compile_reference.c's. */
#include "math/vec3.h"
#include "model/compile.h"
#include "model/history.h"

static limpet_status check_actuator(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  const int list = LIMPET_OBJECT_ACTUATOR;
  limpet_status status = LIMPET_OK;
  if (actuator->control_limited)
    status = limpet_compile_range(compiler, list, a, "its control range", actuator->control_range);
  if (!status && actuator->force_limited)
    status = limpet_compile_range(compiler, list, a, "its force range", actuator->force_range);
  if (!status && actuator->activation_limited)
    status =
        limpet_compile_range(compiler, list, a, "its activation range", actuator->activation_range);
  const bool filter = actuator->activation == LIMPET_ACTIVATION_FILTER ||
                      actuator->activation == LIMPET_ACTIVATION_FILTER_EXACT;
  if (!status && filter && actuator->activation_time <= 0.0)
    status = limpet_compile_error(compiler, list, a,
                                  ": the time of its filter is %g s; give a positive one",
                                  actuator->activation_time);
  if (!status && actuator->damping_ratio >= 0.0 && actuator->bias[1] > 0.0)
    status = limpet_compile_error(
        compiler, list, a,
        ": a damping ratio needs a position gain, but its bias per length is %g; give a "
        "positive kp",
        actuator->bias[1]);
  return status;
}

static limpet_status check_muscle(limpet_compiler *compiler, int a) {
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  const limpet_muscle *muscle = &actuator->muscle;
  const int list = LIMPET_OBJECT_ACTUATOR;
  if (actuator->activation == LIMPET_ACTIVATION_MUSCLE &&
      !(actuator->activation_time >= 0.0 && actuator->deactivation_time >= 0.0 &&
        actuator->activation_smoothing >= 0.0))
    return limpet_compile_error(compiler, list, a,
                                ": its times of growing tense and slack are %g s and %g s, "
                                "smoothed over %g; give 0 or more",
                                actuator->activation_time, actuator->deactivation_time,
                                actuator->activation_smoothing);
  if (actuator->gain_law != LIMPET_ACTUATOR_MUSCLE && actuator->bias_law != LIMPET_ACTUATOR_MUSCLE)
    return LIMPET_OK;
  if (!(muscle->range[0] < muscle->range[1]))
    return limpet_compile_error(
        compiler, list, a,
        ": its range of lengths is %g to %g; the first number must be the smaller one",
        muscle->range[0], muscle->range[1]);
  if (!(muscle->shortest < 1.0 && muscle->longest > 1.0))
    return limpet_compile_error(
        compiler, list, a,
        ": it pulls between the lengths %g and %g; 1, where it pulls most, must lie between",
        muscle->shortest, muscle->longest);
  if (!(muscle->fastest > 0.0 && muscle->lengthening_force >= 1.0 && muscle->passive_force >= 0.0))
    return limpet_compile_error(compiler, list, a,
                                ": its fastest shortening is %g, its force of lengthening %g, its "
                                "passive force %g; give more than 0, 1 or more, 0 or more",
                                muscle->fastest, muscle->lengthening_force, muscle->passive_force);
  const double *length = actuator->length_range;
  if (length[0] > length[1])
    return limpet_compile_error(
        compiler, list, a,
        ": its lengths range from %g to %g; the first number must be the smaller", length[0],
        length[1]);
  if (length[0] == length[1])
    limpet_compile_note(compiler, true, limpet_builder_item_place(compiler->builder, list, a),
                        "the range of lengths of %s is not known: it gives no force; give it one",
                        limpet_compile_label(compiler, list, a).text);
  return LIMPET_OK;
}

static limpet_status check_crank(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  if (actuator->transmission != LIMPET_TRANSMISSION_SLIDER_CRANK || actuator->crank_length > 0.0)
    return LIMPET_OK;
  return limpet_compile_error(compiler, LIMPET_OBJECT_ACTUATOR, a,
                              ": its rod is %g m long; give a positive length",
                              actuator->crank_length);
}

/* A surface has no length and takes no force: what is made of these is refused. */
static limpet_status check_surface_drive(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  if (actuator->transmission != LIMPET_TRANSMISSION_SURFACE) return LIMPET_OK;
  const int list = LIMPET_OBJECT_ACTUATOR;
  const limpet_material *material =
      &limpet_builder_geoms(compiler->builder)[actuator->target].material;
  const double *s = material->surface_velocity, *w = material->surface_angular_velocity;
  if (limpet_vec3_norm(s) == 0.0 && limpet_vec3_norm(w) == 0.0)
    return limpet_compile_error(
        compiler, list, a,
        " drives the surface of %s, which has no surface velocity; give that geom one: the control "
        "multiplies it",
        limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, actuator->target).text);
  bool plain = !actuator->force_limited && !actuator->activation_early &&
               actuator->reference_site == LIMPET_NONE && !(actuator->damping_ratio >= 0.0);
  for (int k = 1; k < 3; ++k) plain = plain && actuator->gain[k] == 0.0 && actuator->bias[k] == 0.0;
  for (int k = 1; k < 6; ++k) plain = plain && actuator->gear[k] == 0.0;
  if (!plain)
    return limpet_compile_error(
        compiler, list, a,
        " drives a surface, which has no length and takes no force; leave out all but the first "
        "numbers of gear, gain and bias, the range of the force, the reference site, and early "
        "activation");
  return LIMPET_OK;
}

static limpet_status check_delay(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  const int samples = actuator->delay_samples;
  if (actuator->delay == 0.0) return LIMPET_OK;
  if (actuator->delay > 0.0 && limpet_history_control_size(samples) > 0) return LIMPET_OK;
  return limpet_compile_error(compiler, LIMPET_OBJECT_ACTUATOR, a,
                              ": its control is delayed by %g s and %d controls are remembered; "
                              "give a positive delay, and as many controls as steps fit into it "
                              "and one more, at most %d",
                              actuator->delay, samples, LIMPET_HISTORY_LIMIT / 2);
}

// The parts of an orientation servo stand together and are alike.
static bool follows(const limpet_actuator_description *first, const limpet_actuator_description *d,
                    int part) {
  return d->part == part && d->part_count == first->part_count &&
         d->gain_law == LIMPET_ACTUATOR_ORIENTATION && d->transmission == first->transmission &&
         d->target == first->target && d->reference_site == first->reference_site;
}

static limpet_status check_orientation(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *d = limpet_builder_actuators(compiler->builder) + a;
  const int list = LIMPET_OBJECT_ACTUATOR;
  if (d->gain_law != LIMPET_ACTUATOR_ORIENTATION && d->part_count == 0 &&
      d->bias_law != LIMPET_ACTUATOR_ORIENTATION)
    return LIMPET_OK;
  if (d->gain_law == LIMPET_ACTUATOR_MOTOR) return LIMPET_OK;
  const int last = a - d->part + d->part_count - 1;
  bool whole = (d->part_count == 3 || d->part_count == 4) && d->part >= 0 &&
               d->part < d->part_count && a >= d->part && last < compiler->sizes.actuator_count;
  for (int i = 0; whole && i < d->part_count; ++i) whole = follows(d, d + i - d->part, i);
  if (!whole)
    return limpet_compile_error(
        compiler, list, a,
        " is part %d of an orientation servo of %d, but they do not stand together; add three or "
        "four actuators with the same target and the parts 0, 1, 2 (, 3)",
        d->part, d->part_count);
  const bool ball = d->transmission == LIMPET_TRANSMISSION_JOINT &&
                    limpet_builder_joints(compiler->builder)[d->target].kind == LIMPET_JOINT_BALL,
             sites =
                 d->transmission == LIMPET_TRANSMISSION_SITE && d->reference_site != LIMPET_NONE;
  if (!ball && !sites)
    return limpet_compile_error(compiler, list, a,
                                " is an orientation servo; it needs a ball joint, or a site and a "
                                "reference site");
  if (d->activation != LIMPET_ACTIVATION_NONE || d->bias_law == LIMPET_ACTUATOR_MUSCLE ||
      d->gain[1] != 0.0 || d->gain[2] != 0.0)
    return limpet_compile_error(compiler, list, a,
                                " is an orientation servo; it has no activation, no muscle and a "
                                "gain of one number");
  if (d->force_limited && d->force_range[0] != 0.0)
    return limpet_compile_error(compiler, list, a,
                                ": the force range of an orientation servo bounds the norm of its "
                                "torque; its first number is %g, give 0",
                                d->force_range[0]);
  return LIMPET_OK;
}

static int target_index(const limpet_compiler *compiler,
                        const limpet_actuator_description *actuator) {
  if (actuator->transmission == LIMPET_TRANSMISSION_TENDON) return actuator->target;
  if (actuator->transmission == LIMPET_TRANSMISSION_SURFACE)
    return compiler->geom.index[actuator->target];
  if (actuator->transmission == LIMPET_TRANSMISSION_BODY)
    return compiler->body.index[actuator->target];
  const bool site = actuator->transmission == LIMPET_TRANSMISSION_SITE ||
                    actuator->transmission == LIMPET_TRANSMISSION_SLIDER_CRANK;
  return (site ? &compiler->site : &compiler->joint)->index[actuator->target];
}

// The first of the inputs gives the force; the others move nothing.
static void fill_motor(limpet_model *model, const limpet_actuator_description *actuator, int a) {
  for (int k = 0; k < 3; ++k)
    model->actuator_gain[3 * a + k] = model->actuator_bias[3 * a + k] = 0.0;
  for (int k = 0; k < 6 && actuator->part > 0; ++k) model->actuator_gear[6 * a + k] = 0.0;
}

// An axis of the turn for each part, and a range of its torque that the norm keeps within.
static void fill_orientation(limpet_model *model, const limpet_actuator_description *actuator,
                             int a) {
  model->actuator_part[a] = actuator->part;
  model->actuator_part_count[a] = actuator->part_count;
  if (actuator->gain_law == LIMPET_ACTUATOR_MOTOR) fill_motor(model, actuator, a);
  if (actuator->gain_law != LIMPET_ACTUATOR_ORIENTATION) return;
  const int axis = actuator->part_count == 4 ? actuator->part - 1 : actuator->part;
  double *gear = model->actuator_gear + 6 * a,
         *turn = gear + (actuator->transmission == LIMPET_TRANSMISSION_SITE ? 3 : 0);
  for (int k = 0; k < 6; ++k) gear[k] = 0.0;
  if (axis >= 0) turn[axis] = 1.0;
  model->actuator_force_range[2 * a] = -actuator->force_range[1];
  for (int k = 0; k < 3; ++k) {
    model->actuator_gain[3 * a + k] = axis >= 0 ? actuator->gain[k] : 0.0;
    model->actuator_bias[3 * a + k] = axis >= 0 ? actuator->bias[k] : 0.0;
  }
  model->actuator_bias_law[a] = LIMPET_ACTUATOR_ORIENTATION;
}

static void fill_actuator(limpet_compiler *compiler, int a) {
  limpet_model *model = compiler->model;
  const limpet_actuator_description *actuator = limpet_builder_actuators(compiler->builder) + a;
  const int site = actuator->reference_site;
  model->actuator_transmission[a] = actuator->transmission;
  model->actuator_target[a] = target_index(compiler, actuator);
  model->actuator_reference_site[a] =
      site == LIMPET_NONE ? LIMPET_NONE : compiler->site.index[site];
  for (int k = 0; k < 6; ++k) model->actuator_gear[6 * a + k] = actuator->gear[k];
  model->actuator_control_limited[a] = actuator->control_limited;
  model->actuator_force_limited[a] = actuator->force_limited;
  model->actuator_activation_limited[a] = actuator->activation_limited;
  for (int k = 0; k < 2; ++k) {
    model->actuator_control_range[2 * a + k] = actuator->control_range[k];
    model->actuator_force_range[2 * a + k] = actuator->force_range[k];
    model->actuator_activation_range[2 * a + k] = actuator->activation_range[k];
  }
  model->actuator_activation[a] = actuator->activation;
  model->actuator_activation_time[a] = actuator->activation_time;
  model->actuator_activation_early[a] = actuator->activation_early;
  for (int k = 0; k < 3; ++k) {
    const bool gain = actuator->gain_law == LIMPET_ACTUATOR_AFFINE,
               bias = actuator->bias_law == LIMPET_ACTUATOR_AFFINE;
    model->actuator_gain[3 * a + k] = gain ? actuator->gain[k] : 0.0;
    model->actuator_bias[3 * a + k] = bias ? actuator->bias[k] : 0.0;
  }
  model->actuator_deactivation_time[a] = actuator->deactivation_time;
  model->actuator_activation_smoothing[a] = actuator->activation_smoothing;
  model->actuator_gain_law[a] = actuator->gain_law;
  model->actuator_bias_law[a] = actuator->bias_law;
  model->actuator_muscle[a] = actuator->muscle;
  model->actuator_motor[a] = actuator->motor;
  model->actuator_act_count[a] = limpet_actuator_activation_count(actuator);
  for (int k = 0; k < 2; ++k) model->actuator_length_range[2 * a + k] = actuator->length_range[k];
  if (actuator->length_range[0] == actuator->length_range[1]) model->actuator_muscle[a].force = 0.0;
  model->actuator_crank_length[a] = actuator->crank_length;
  model->actuator_delay[a] = actuator->delay;
  model->actuator_delay_samples[a] = actuator->delay_samples;
  model->actuator_delay_interpolation[a] = actuator->delay_interpolation;
  fill_orientation(model, actuator, a);
  model->actuator_group[a] = actuator->group;
  model->actuator_disabled[a] = actuator->group >= 0 && actuator->group < 32 &&
                                (model->options.disabled_actuator_groups >> actuator->group & 1u);
  compiler->damping_ratio[a] = actuator->damping_ratio;
}

limpet_status limpet_compile_actuators(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  int act = 0, history = 0;
  for (int a = 0; a < model->actuator_count; ++a) {
    limpet_status status = check_actuator(compiler, a);
    if (!status) status = check_surface_drive(compiler, a);
    if (!status) status = check_muscle(compiler, a);
    if (!status) status = check_crank(compiler, a);
    if (!status) status = check_orientation(compiler, a);
    if (!status) status = limpet_compile_motor(compiler, a);
    if (!status) status = check_delay(compiler, a);
    if (status) return status;
    fill_actuator(compiler, a);
    const int states = model->actuator_act_count[a];
    model->actuator_act[a] = states > 0 ? act : -1;
    act += states;
    const bool delayed = model->actuator_delay[a] > 0.0;
    model->actuator_history[a] = delayed ? history : -1;
    if (delayed) history += limpet_history_control_size(model->actuator_delay_samples[a]);
  }
  return LIMPET_OK;
}
