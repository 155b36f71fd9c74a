/* step/settings_fields.c: the one table of the settings of a step, and its presets. Defaults,
 * command-line options, logs, JSON and docs are made from it; docs/defaults.md explains the values.
 *
 * Contact models bring their own defaults of fields that are marked OF_MODEL. */
#include "base/field.h"
#include "step/scheme.h"

static const void *scheme_find(const char *name) { return limpet_scheme_find(name); }
static const void *model_find(const char *name) { return limpet_contact_model_find(name); }
static const void *law_find(const char *name) { return limpet_normal_law_find(name); }

enum {
  LOGGED = LIMPET_FIELD_RESULT,           // decides results
  OPTION = LOGGED | LIMPET_FIELD_OPTION,  // and is an option of the command
  OF_MODEL = LIMPET_FIELD_BY_MODEL,
  REPORT = 0  // changes no result
};

#define PLACE(member) LIMPET_FIELD_ONE(limpet_step_settings, member)
#define NUMBER(member, unit_text, standard, low, high, bits, words)                   \
  {                                                                                   \
    PLACE(member), .shape = "", .unit = unit_text, .value = standard, .minimum = low, \
                   .maximum = high, .text = words, .uses = bits                       \
  }
#define COUNT(member, standard, low, high, bits, words) \
  NUMBER(member, NULL, standard, low, high, bits, words)
#define SWITCH(member, standard, bits, words) NUMBER(member, NULL, standard, 0, 1, bits, words)
#define NAMED(member, standard, finder, words)                                                 \
  {                                                                                            \
    .name = #member, .offset = offsetof(limpet_step_settings, member), .size = sizeof(void *), \
    .element = sizeof(void *), .type = LIMPET_FIELD_DESCRIPTOR, .shape = "", .value = NAN,     \
    .minimum = NAN, .maximum = NAN, .text = words, .uses = LOGGED, .word = standard,           \
    .find = finder                                                                             \
  }

// clang-format off
static const limpet_field fields[] = {
    NAMED(scheme, "discrete", scheme_find, "stepping scheme"),
    NAMED(contact_model, "coulomb", model_find, "law of contact and friction"),
    NUMBER(time_step, "s", 0.002, 1e-9, 10.0, LOGGED, "length of a step, by default the model's"),
    NUMBER(accuracy, "m, rad", 1e-5, 1e-12, 1.0, OPTION, "scheme adaptive: error of a coordinate in a substep, at most"),

    // contact
    NAMED(normal_law, "hunt-crossley", law_find, "of coulomb, lagged and similar"),
    {LIMPET_FIELD_INSIDE(limpet_step_settings, normal_parameter), .shape = "4", .value = 0.0, .minimum = 0.0,
     .maximum = INFINITY, .text = "of the law, in its descriptor's order", .uses = LOGGED},
    NUMBER(stiction_speed, "m/s", 1e-6, 1e-12, 1.0, OPTION | OF_MODEL, "v_s: slip below which friction falls off smoothly"),
    NUMBER(friction_regularization, "1", 1e-5, 0.0, 1e3, OPTION | OF_MODEL, "sigma: or below sigma w mu gamma_n0, if larger"),
    NUMBER(shear_ratio, "1", 1e3, 0.0, 1e9, OPTION, "of surfaces in coulomb: shear over normal stiffness"),
    NUMBER(near_rigid_ratio, "1", 0.1, 0.0, 1e3, OPTION | OF_MODEL, "beta: period of a near-rigid contact over the step"),
    NUMBER(rigid_stiffness, "N/m", INFINITY, 0.0, INFINITY, LOGGED, "of geoms without a stiffness, INFINITY: near-rigid"),
    NUMBER(constraint_ratio, "1", 0.1, 0.0, 1e3, OPTION, "as near_rigid_ratio, for limits and stiff actuators"),
    NUMBER(equality_ratio, "1", 0.01, 0.0, 1e3, OPTION, "as near_rigid_ratio, for couplers and loops"),
    NUMBER(return_speed, "m/s, rad/s", 2.0, 0.0, INFINITY, LOGGED, "at most, from far outside near-rigid limits"),
    NUMBER(speculative_distance, "m", 2e-4, 0.0, 1e3, OPTION, "nearer geoms take part before they touch"),
    NUMBER(error_reduction, "1", 0.2, 0.0, 1.0, OPTION, "scheme impulse: share of overlap removed in a step"),
    NUMBER(softening, "1", 1e-6, 0.0, 1.0, OPTION, "scheme impulse: regularisation over diag J M^-1 J'"),
    NUMBER(bound_slack, "1", 1e-6, 1e-15, 1.0, OPTION | OF_MODEL, "two-phase: widening of the bound on normal impulses"),
    SWITCH(explicit_euler, false, OPTION, "scheme impulse: explicit Euler, not semi-implicit"),
    SWITCH(pressure_fields, true, OPTION, "contact surfaces of geoms that have fields"),
    SWITCH(linearised_elasticity, false, OPTION, "elastic laws in contact linearised at the free motion"),
    SWITCH(rigid_ties, true, OPTION, "vertices that are tied to one body move as a part of it"),
    SWITCH(curved_paths, true, OPTION, "sticking contacts and loops follow links' curved paths"),

    // simplifications of other simulators
    SWITCH(compatibility.single_point, false, OPTION, "the deepest point of each pair of geoms only, not its manifold"),
    SWITCH(compatibility.first_order_rotation, false, LOGGED, "quaternion plus its rate, not the exponential map"),
    SWITCH(compatibility.plain_flight, false, OPTION, "flight with the velocity at the end of the step, not its mean"),
    SWITCH(compatibility.explicit_gyration, false, LOGGED, "gyroscopic torques of flight at the start of the step"),
    SWITCH(compatibility.explicit_springs, false, LOGGED, "springs of joints and tendons act as at the start of the step"),
    SWITCH(compatibility.mixed_weld_weight, false, LOGGED, "one weight of a weld for metres and radians"),
    SWITCH(compatibility.bare_loop_weight, false, LOGGED, "loops as stiff as their two bodies need, not their whole load"),
    SWITCH(compatibility.polygon_centroids, false, LOGGED, "one contact a polygon of linear pressure fields"),
    SWITCH(compatibility.midpoint_contact, false, LOGGED, "deformable bodies move by the midpoint rule in contact, too"),
    SWITCH(compatibility.late_tendon_limits, false, LOGGED, "tendon limits act once they are violated, not one step ahead"),

    // solver
    NUMBER(tolerance, "1", 1e-6, 1e-15, 1.0, OPTION, "residual over scale of momentum that solves an island"),
    COUNT(iteration_limit, 90, 1, 1e6, OPTION, "Newton iterations of one solve; a step solved anew has as many again"),
    NUMBER(line_search_tolerance, "1", 0.3, 0.0, 0.9, OPTION, "slope left by a line search, over its first; 0: exact"),
    SWITCH(plain_hessian, false, OPTION, "the exact Hessian, as published: not of coulomb"),
    COUNT(dense_limit, 60, 0, 1e6, LOGGED, "velocities up to which an island is factored dense, not block-sparse"),
    SWITCH(warm_start, true, OPTION, "try the last change of velocity as a start"),
    COUNT(threads, 1, 1, 1024, REPORT, "results do not depend on it"),

    // reports
    SWITCH(condition_number, false, LIMPET_FIELD_OPTION, "fill info.condition_number: a dense factorisation"),
    SWITCH(profile, false, REPORT, "fill info.stage_time"),
    SWITCH(energy, false, LOGGED, "fill the energies of info; bodies are then at the end of the step"),
};
// clang-format on

static const limpet_field_table table = {"limpet_step_settings", sizeof(limpet_step_settings),
                                         sizeof fields / sizeof fields[0], fields};

const limpet_field_table *limpet_step_settings_fields(void) { return &table; }

// --------------------------------------------------------------------------------- presets

// constants and simplifications of Drake's discrete plant
static const limpet_preset_value drake[] = {
    {"stiction_speed", 1e-4},
    {"friction_regularization", 1e-3},
    {"near_rigid_ratio", 1.0},
    {"rigid_stiffness", 1e6},
    {"equality_ratio", 0.1},
    {"return_speed", INFINITY},
    {"speculative_distance", 0.0},
    {"linearised_elasticity", true},
    {"curved_paths", false},
    {"compatibility.single_point", true},
    {"compatibility.first_order_rotation", true},
    {"compatibility.plain_flight", true},
    {"compatibility.explicit_gyration", true},
    {"compatibility.explicit_springs", true},
    {"compatibility.mixed_weld_weight", true},
    {"compatibility.bare_loop_weight", true},
    {"compatibility.polygon_centroids", true},
    {"compatibility.midpoint_contact", true},
    {"compatibility.late_tendon_limits", true},
    {"warm_start", false},
};

static const limpet_preset presets[] = {
    {"limpet", "the defaults", NULL, 0, NULL},
    {"drake", "constants and simplifications of Drake's discrete plant", "lagged",
     sizeof drake / sizeof drake[0], drake},
    {NULL, NULL, NULL, 0, NULL},
};

const limpet_preset *limpet_presets(void) { return presets; }
