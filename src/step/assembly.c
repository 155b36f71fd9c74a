/* step/assembly.c: see assembly.h. */
#include "step/assembly.h"

#include <math.h>

#include "constraint/kind.h"
#include "contact/adhesion.h"
#include "contact/assemble.h"
#include "law/normal_law.h"
#include "math/extremes.h"
#include "step/flight.h"
#include "step/scheme.h"
#include "step/soft_motion.h"

// The law that contacts are to follow; NULL: Hunt-Crossley, which contact models know themselves,
// or what a model has built in.
static const limpet_normal_law *normal_law_of(const limpet_step_settings *settings) {
  const limpet_normal_law *law = settings->normal_law;
  return law == &limpet_normal_law_hunt_crossley ||
                 limpet_contact_model_normal_law(settings->contact_model)
             ? NULL
             : law;
}

double limpet_step_speculative_distance(const limpet_step_settings *settings) {
  const limpet_normal_law *law = normal_law_of(settings);
  const double range = law && law->range ? law->range(law, settings->normal_parameter) : 0.0;
  return limpet_max(settings->speculative_distance, range);
}

bool limpet_step_is_plain(const limpet_step_settings *settings) {
  return settings->compatibility.plain_flight || settings->scheme != &limpet_scheme_discrete;
}

// Models as they were published know nothing of bodies that move without a velocity, and throw what
// starts outside of a limit.
static bool is_coupled(const limpet_step_settings *settings) {
  const limpet_contact_model *model = settings->contact_model;
  return model->family == LIMPET_CONTACT_COMPLIANT &&
         ((const limpet_compliant_model *)model)->coupled;
}

static double driven_speed_of(const limpet_step_settings *settings) {
  return is_coupled(settings) ? settings->return_speed : 0.0;
}

// [-]  of the return speed: 20 mm/s, as contacts come back
static const double length_share = 0.01;

double limpet_step_limit_speed(const limpet_step_settings *settings) {
  return is_coupled(settings) ? length_share * settings->return_speed : INFINITY;
}

limpet_assembly_settings limpet_step_assembly_settings(const limpet_step_settings *settings,
                                                       double speculative,
                                                       const limpet_free_motion *motion) {
  return (limpet_assembly_settings){
      .dt = settings->time_step,
      .contact = {.stiction_speed = settings->stiction_speed,
                  .friction_regularization = settings->friction_regularization,
                  .shear_ratio = settings->shear_ratio,
                  .near_rigid_ratio = settings->near_rigid_ratio,
                  .return_speed = settings->return_speed,
                  .error_reduction = settings->error_reduction,
                  .softening = settings->softening,
                  .bound_slack = settings->bound_slack},
      .normal_law = normal_law_of(settings),
      .normal_parameter = settings->normal_parameter,
      .glide = settings->contact_model->glide,
      .near_rigid_ratio = settings->near_rigid_ratio,
      .constraint_ratio = settings->constraint_ratio,
      .equality_ratio = settings->equality_ratio,
      .return_speed = settings->return_speed,
      .length_return = limpet_step_limit_speed(settings),
      .driven_speed = driven_speed_of(settings),
      .bounded_limits = !settings->contact_model->whole_joints,  // of the papers
      .mixed_weld_weight = settings->compatibility.mixed_weld_weight,
      .bare_loop_weight = settings->compatibility.bare_loop_weight,
      .late_tendon_limits = settings->compatibility.late_tendon_limits,
      .without_mass = settings->scheme->from_rest,
      .implicit_tendons = motion->implicit_tendons,
      .explicit_springs = settings->compatibility.explicit_springs,
      .curved_paths = settings->curved_paths && !motion->straight,
      .bend = motion->flight ? motion->flight->bend : NULL,
      .centred = motion->flight ? motion->flight->centred : NULL,
      .flown = motion->flight ? motion->flight->flown : NULL,
      .speculative_distance = speculative,
      .servo_included = motion->servo_included,
  };
}

limpet_status limpet_step_assemble(limpet_data *data, const limpet_step_settings *settings,
                                   const limpet_step_encounter *encounter, limpet_arena *arena,
                                   limpet_contact_records *records,
                                   limpet_contact_problem *problem) {
  const limpet_model *model = data->model;
  limpet_free_motion *motion = encounter->motion;
  const limpet_collision *collision = encounter->collision;
  if (limpet_flight_centre_touched(model, data, settings->time_step, collision, arena, motion))
    return LIMPET_ERROR_MEMORY;
  limpet_assembly_settings assembly =
      limpet_step_assembly_settings(settings, encounter->speculative, motion);
  assembly.serves = motion->serves, assembly.servo = motion->servo;
  *problem = (limpet_contact_problem){
      .model = settings->contact_model,
      .settings = assembly.contact,
      .dt = settings->time_step,
      .momentum = motion->momentum,
      .v_free = motion->v_free,
      .v_thrown = motion->v_thrown,
      .fastest = motion->fastest,
      .v_start = data->v,
      .moves_before = motion->moves_before,
  };
  limpet_status status = limpet_contact_records_make(model, data, settings->rigid_stiffness,
                                                     collision, arena, records);
  if (status == LIMPET_OK)
    status = limpet_problem_take_trees(problem, model, motion->A, motion->trees, arena);
  for (int t = 0; status == LIMPET_OK && motion->flight && t < model->tree_count; ++t)
    if (!problem->block[t].still)
      limpet_problem_know_factor(problem, model, t, motion->flight->balance[t].factor);
  const bool pulls = status == LIMPET_OK && limpet_adhesion_find(model, data, records);
  if (status == LIMPET_OK && motion->soft) {
    limpet_closing closing = {model, data, &assembly, collision, problem, {NULL, NULL, NULL}};
    if (!pulls) status = limpet_soft_motion_drop_far(motion->soft, &closing, arena, records);
    if (status == LIMPET_OK)
      status = limpet_soft_motion_join(model, data, records, motion->soft, arena, problem);
  }
  if (status == LIMPET_OK && pulls)
    status = limpet_adhesion_apply(model, data, motion->A, records, arena, problem);
  if (status == LIMPET_OK)
    status = limpet_contacts_assemble(model, data, &assembly, collision, arena, records, problem);
  if (status == LIMPET_OK && limpet_constraints_assemble(model, data, &assembly, arena, problem))
    status = LIMPET_ERROR_MEMORY;
  return status;
}
