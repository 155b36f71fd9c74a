/* cli/start_warnings.c: what is likely a mistake, said before the first step: limits that are
 * broken, loops that are open, bodies in each other, a step that is too long, settings of another
 * scheme. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "start.h"

/* A limit is near-rigid: what starts beyond it is pushed back, at the return speed where it is far
 * outside. That surprises, so it is said. */
static void limits_warn(const limpet_start_options *start, const limpet_model *model,
                        const limpet_data *data) {
  const double tolerance = 1e-3;  // [m, rad]  far above round-off and resting violations
  double worst = tolerance;
  int worst_joint = LIMPET_NONE, count = 0;
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return;
  for (int j = 0; j < model->joint_count; ++j) {
    const bool scalar = limpet_joint_kind_nq(model->joint_kind[j]) == 1;
    if (!scalar || !model->joint_limited[j] || model->joint_has_limit_impedance[j]) continue;
    const double q = data->q[model->joint_q[j]], *range = model->joint_range + 2 * j;
    const double outside = fmax(range[0] - q, q - range[1]);
    count += outside > tolerance;
    if (outside > worst) worst = outside, worst_joint = j;
  }
  if (count == 0) return;
  char label[300];
  limpet_object_label(label, sizeof label, model, LIMPET_OBJECT_JOINT, worst_joint);
  const char *unit = model->joint_kind[worst_joint] == LIMPET_JOINT_PRISMATIC ? "m" : "rad";
  limpet_complain(
      "warning: %d joint%s outside the limits at the start, %s by %.3g %s; it will be pushed "
      "back%s",
      count, count == 1 ? " is" : "s are", label, worst, unit,
      model->keyframe_count && !start->keyframe ? "; start from a keyframe (--keyframe)?" : "");
}

// The same for loops that are near-rigid: by their gaps, or by the turns of welds.
static void openings_warn(const limpet_model *model, const limpet_data *data,
                          double (*opening_of)(const limpet_model *, const limpet_data *, int),
                          const char *what, const char *unit) {
  double worst = 1e-3;  // [m, rad]
  int worst_loop = LIMPET_NONE, count = 0;
  for (int i = 0; i < model->loop_count; ++i) {
    if (model->loop_has_impedance[i] || isfinite(model->loop_stiffness[i])) continue;
    const double opening = opening_of(model, data, i);
    count += opening > 1e-3;
    if (opening > worst) worst = opening, worst_loop = i;
  }
  if (count == 0) return;
  char label[300];
  limpet_object_label(label, sizeof label, model, LIMPET_OBJECT_LOOP, worst_loop);
  limpet_complain("warning: %d %s%s open at the start, %s by %.3g %s; it will be closed", count,
                  what, count == 1 ? " is" : "s are", label, worst, unit);
}

static void loops_warn(const limpet_model *model, limpet_data *data) {
  if (model->loop_count == 0) return;
  limpet_kinematics(model, data);
  openings_warn(model, data, limpet_loop_gap, "loop", "m");
  openings_warn(model, data, limpet_loop_turn, "weld", "rad");
}

// Deepest overlap [m] of the pose of `data`, and its geoms; 0: none. Looked for in a world of its
// own, so that the run does not depend on it.
static double deepest_overlap(const limpet_model *model, const limpet_data *data, int pair[2]) {
  limpet_data *probe = limpet_data_create(model);
  double worst = 0.0;
  if (!probe) return worst;
  limpet_data_state_copy(data, probe);
  limpet_kinematics(model, probe);
  limpet_geom_kinematics(model, probe, false);
  const int count = limpet_contacts_find(model, probe, true);
  for (int i = 0; i < count; ++i) {
    if (-probe->contact_distance[i] <= worst) continue;
    worst = -probe->contact_distance[i];
    pair[0] = probe->contact_geom[2 * i], pair[1] = probe->contact_geom[2 * i + 1];
  }
  limpet_data_destroy(probe);
  return worst;
}

// The deepest pair; what moves is pushed out, or thrown out. Mocap bodies stay where they are.
static void overlap_warn(const limpet_start_options *start, const limpet_model *model,
                         const limpet_data *data) {
  const double least = 1e-3;  // [m]  deeper than what rests on each other
  int pair[2] = {LIMPET_NONE, LIMPET_NONE};
  if (model->collider_count == 0 || (model->options.disabled & LIMPET_DISABLE_CONTACT)) return;
  const double worst = deepest_overlap(model, data, pair);
  if (worst <= least) return;
  char a[300], b[300];
  const int of_a = model->geom_body[pair[0]], of_b = model->geom_body[pair[1]];
  const bool own = of_a > 0 && of_b > 0;
  limpet_complain("warning: %s and %s overlap by %.3g mm at the start; they will be pushed apart%s",
                  limpet_object_label(a, sizeof a, model, LIMPET_OBJECT_GEOM, pair[0]),
                  limpet_object_label(b, sizeof b, model, LIMPET_OBJECT_GEOM, pair[1]), 1e3 * worst,
                  model->keyframe_count && !start->keyframe
                      ? "; start from a keyframe (--keyframe)?"
                  : own ? "; --exclude-overlaps leaves out contact of links of a robot that overlap"
                        : "");
}

static void step_warn(double time_step) {
  const double longest = 0.05;  // [s]  in which something that falls gains half a metre per second
  if (time_step > longest)
    limpet_complain(
        "warning: a time step of %.3g s is long for contacts: things fall %.3g m within "
        "one; 1 to 10 ms is usual (--dt)",
        time_step, 0.5 * 9.81 * time_step * time_step);
}

// What a controller would ask for at once, in a world of its own.
static void controller_warn(const limpet_start_options *start, const limpet_model *model,
                            const limpet_data *data, double time_step,
                            limpet_controller *controller) {
  const double far = 0.3;  // [rad, m]  of a joint: a jump that no path means
  limpet_data *probe = controller ? limpet_data_create(model) : NULL;
  if (!probe) return;
  memcpy(probe->q, data->q, (size_t)model->nq * sizeof *probe->q);
  memcpy(probe->v, data->v, (size_t)model->nv * sizeof *probe->v);
  limpet_controller_update(controller, model, probe, time_step);
  const double error = limpet_controller_report(controller).tracking_error;
  limpet_controller_reset(controller);
  limpet_data_destroy(probe);
  if (error > far)
    limpet_complain(
        "warning: the controller starts far from its path: a joint stands %.3g rad (or m) beside "
        "it and will jump; begin the path where the robot stands%s",
        error,
        model->keyframe_count && !start->keyframe ? ", or start from a keyframe (--keyframe)" : "");
}

void limpet_start_settings_warn(const limpet_start_options *start,
                                const limpet_step_settings *settings) {
  const char *used = limpet_scheme_descriptor(settings->scheme)->name, *scheme;
  const char *option = limpet_settings_idle(&start->settings, used, &scheme);
  if (option)
    limpet_complain(
        "warning: %s does nothing here: only the scheme %s uses it, and this run uses %s", option,
        scheme, used);
}

void limpet_start_warn(const limpet_start_options *start, const limpet_model *model,
                       limpet_data *data, double time_step, limpet_controller *controller) {
  limits_warn(start, model, data);
  loops_warn(model, data);
  overlap_warn(start, model, data);
  step_warn(time_step);
  controller_warn(start, model, data, time_step, controller);
}
