/* contact/constants.c: rows, constants and bias of one contact.
 *
 *   W           [r x e, e], e = t1, t2, n; r from the patch's point to the contact point
 *   Delassus    w = ||W (sum S S'/A_ii) W'||_F / 3, whose norm needs no axes of the contact
 *               (shared golden contact README, "A step")
 *   near-rigid  k = 4 pi^2/(beta^2 dt^2 w): the contact's period is beta steps; more where it
 *               carries more than it weighs: load.h
 *   bias        of the tangential velocity: e . (s_B - s_A) with s of moving surfaces (surface.h),
 *               so that what lies on a belt sticks when it moves with s; and that of curved_path.h
 *   friction    mu = mu_d + (mu_s - mu_d) [1 - sig(s - 10)]/[1 + sig(10)],
 *               sig(x) = x/sqrt(1 + x^2),  s = |v_t0|/v_q,  v_q = 10 max(v_s, sigma w mu_s dt f_e0)
 *               v_t0: slip at the start of the step, bias included
 * Regularised friction creeps: at the share p of its bound with eps_s p/sqrt(1 - p^2), which is
 * 10 eps_s at p = 0.995. With v_q = eps_s the law would take that creep for slip, and the contact
 * would slide from 98 % of mu_s on. With 10 eps_s it loses 0.06 % of the difference there, and
 * slides from 99.8 % on. eps_s is estimated with the elastic force alone, before any model.
 * Reference for the law: Kurtz, Castro, Convex error-controlled integration (CENIC), in shared
 * reference benchmarks.md 3.5. There it is 1/2 [1 - sig(s - 10)/sig(10)], which falls 0.25 % of the
 * difference below mu_d: below zero for mu_d = 0. */
#include "contact/constants.h"

#include <math.h>

#include "contact/load.h"
#include "law/impedance.h"
#include "law/normal_law.h"
#include "math/extremes.h"
#include "math/spatial.h"

// [-]  of the trace of D, metres and radians alike: normal motion below 1e-12 of other motion
static const double immovable = 1e-24;
/* [-]  of w and of the weights of both bodies, where something turns: a lever of 1e-4. Whatever
 * presses there turns nothing, and to lead a contact back by such a lever would take a turn of
 * radians. Of w alone where things only slide: a slope of 1e-7, as w has sixteen digits. */
static const double least_weight = 1e-8, least_sliding = 1e-14;
/* [-], [rad]  the same of what is inside of each other: a lever below a tenth, by which it would
 * take a radian to come apart. Hulls of links overlap so at the joint between them, in every pose.
 */
static const double small_weight = 1e-2, far_turn = 1.0;
// [-]  the stiffness is that of at most this many times the weight of the normal alone
static const double slenderness = 10.0;
static const double standard_gravity = 9.80665;  // [m/s^2]
// [-]  v_q over the creep eps_s, and where the fall from mu_s to mu_d has its middle, in v_q: see
// the head.
static const double creeps = 10.0, stribeck_centre = 10.0;

// Chosen when the library is loaded.
static const limpet_point_kernels *kernels = &limpet_point_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void kernels_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) kernels = &limpet_point_kernels_avx2;
}
#endif

const limpet_point_kernels *limpet_point_kernels_here(void) { return kernels; }

/* Whether anything can move the surfaces along the normal: else the contact is one that only
 * round-off closes or opens, such as that of a sphere on a hinge that stands on the plane, or that
 * of two links at the middle of the joint where both overlap. */
static bool is_movable(const double D[36], double normal, double w, double inverse_weight) {
  const double turning = D[0] + D[7] + D[14], all = turning + D[21] + D[28] + D[35];
  if (!(normal > immovable * all)) return false;
  return turning == 0.0 ? normal > least_sliding * w
                        : normal > least_weight * limpet_max(w, inverse_weight);
}

/* Whether surfaces that are inside of each other could come apart along the normal n of the rows
 * W_n (6), or would have to turn too far: the turn is depth |omega|/normal, where omega is what an
 * impulse along the normal makes of the relative angular velocity. It holds for hulls of links at
 * their joint; what lies on a floor at any depth has no such lever. */
static bool can_come_apart(const double D[36], const double W_n[6], double normal,
                           double inverse_weight, double depth) {
  if (!(depth > 0.0) || normal >= small_weight * inverse_weight) return true;
  double turning[3];
  for (int i = 0; i < 3; ++i) turning[i] = limpet_spatial_dot(D + 6 * i, W_n);
  return depth * limpet_vec3_norm(turning) <= far_turn * normal;
}

// Slip speeds of torsion and rolling over that of friction: law/spin.h.
static void add_turning(const limpet_point_numbers *number, limpet_contact_constants *constants) {
  const double w = constants->delassus;
  if (!(w > 0.0)) return;
  if (constants->torsion > 0.0)
    constants->torsion_rate = sqrt(limpet_max(number->about[2], 0.0) / w);
  if (constants->rolling > 0.0) {
    const double about_t = 0.5 * (number->about[0] + number->about[1]);
    constants->rolling_rate = sqrt(limpet_max(about_t, 0.0) / w);
  }
}

/* Stiffness and dissipation of a contact. An impedance that an author set becomes its static
 * stiffness, and the dissipation that gives MuJoCo's damping at the depth where the contact carries
 * its effective mass; both at most near-rigid: more dissipation would cut friction off at the first
 * trembling of the normal velocity. normal [1/kg]: w of the normal. What slips easily, as a needle
 * that turns about its axis, is not soft across for that. */
static void add_stiffness(const limpet_constants_builder *builder, const limpet_contact_pair *pair,
                          double stiffness, double phi, double normal,
                          limpet_contact_constants *constants) {
  const limpet_assembly_settings *settings = builder->settings;
  const limpet_pair_material *material = &pair->material;
  const double beta = settings->near_rigid_ratio, dt = settings->dt;
  const double own = 1.0 / limpet_min(constants->delassus, slenderness * normal),
               borne = limpet_min(LIMPET_LOAD_SHARE * builder->load, LIMPET_LOAD_HARDEST * own);
  const double near_rigid =
      4.0 * LIMPET_PI * LIMPET_PI / (beta * beta * dt * dt) * limpet_max(own, borne);
  constants->stiffness = stiffness;
  constants->dissipation = material->dissipation;
  if (material->has_impedance) {
    const double weight = pair->inverse_weight;
    double K, C;
    limpet_impedance_stiffness(&material->impedance, limpet_min(phi, 0.0), dt, weight, &K, &C);
    if (K < near_rigid && weight > 0.0) {
      constants->stiffness = K;
      constants->dissipation =
          limpet_min(constants->dissipation,
                     C * weight / standard_gravity);  // C/(K x) at the depth x = g/(weight K)
    }
  }
  constants->near_rigid = isinf(constants->stiffness);
  constants->borne = constants->near_rigid && borne > own;
  if (constants->near_rigid) {
    const limpet_normal_point at = limpet_normal_point_of(constants);
    constants->stiffness = constants->normal && constants->normal->stiffening
                               ? near_rigid / constants->normal->stiffening(constants->normal, &at)
                               : near_rigid;
  }
}

/* A body that the user moves has no velocity: it arrives inside of what it pushes, deeper in each
 * step than the return of what starts inside takes back. What is near-rigid comes out within the
 * step there, or at the given speed: twice the speed that takes is that where the force ends. */
static void drive(const limpet_assembly_settings *settings, const limpet_contact_pair *pair,
                  double phi, limpet_contact_constants *constants) {
  if (!pair->driven || !constants->near_rigid || !(phi < 0.0)) return;
  const double speed = limpet_min(-2.0 * phi / settings->dt, settings->driven_speed);
  if (speed * constants->dissipation > 1.0) constants->dissipation = 1.0 / speed;
}

static double sigmoid(double x) { return x / sqrt(1.0 + x * x); }

// Coefficient of the step, for slip [m/s] at its start.
static double friction_at(const limpet_pair_material *material,
                          const limpet_assembly_settings *settings,
                          const limpet_contact_constants *constants, double slip) {
  const double step = material->friction_static - material->friction;
  if (!(step > 0.0)) return material->friction;
  const limpet_contact_settings *contact = &settings->contact;
  const double load = settings->dt * limpet_max(constants->elastic_force, 0.0);
  const double creep =
      limpet_max(contact->stiction_speed, contact->friction_regularization * constants->delassus *
                                              material->friction_static * load);
  if (!(creep > 0.0)) return slip > 0.0 ? material->friction : material->friction_static;
  return material->friction + step * (1.0 - sigmoid(slip / (creeps * creep) - stribeck_centre)) /
                                  (1.0 + sigmoid(stribeck_centre));
}

void limpet_contact_friction_slopes(const limpet_pair_material *material,
                                    const limpet_contact_settings *settings, double dt,
                                    double delassus, double elastic_force, double slip,
                                    limpet_friction_slopes *slopes) {
  *slopes = (limpet_friction_slopes){0};
  const double step = material->friction_static - material->friction;
  const double per_load = settings->friction_regularization * material->friction_static * dt;
  const double regularised = per_load * delassus * fmax(elastic_force, 0.0);
  const double creep = fmax(settings->stiction_speed, regularised);
  if (!(step > 0.0) || !(creep > 0.0)) return;
  const double x = slip / (creeps * creep) - stribeck_centre, s = 1.0 + x * x;
  const double slope = -step / (s * sqrt(s) * (1.0 + sigmoid(stribeck_centre))) / (creeps * creep);
  slopes->slip = slope;
  if (!(regularised > settings->stiction_speed)) return;
  slopes->elastic_force = -slope * slip / creep * per_load * delassus;
  slopes->delassus = -slope * slip / creep * per_load * elastic_force;
}

// Of the tangents and, where a surface turns, of the rate about the normal.
static void tangential_bias(const limpet_contact_pair *pair, bool bent,
                            const limpet_point_numbers *number, const double x[3],
                            const double W[18], double bias[LIMPET_CONTACT_BIAS]) {
  for (int e = 0; e < 2; ++e) bias[e] = bent ? number->bend[e] : 0.0;
  bias[2] = 0.0;
  if (!pair->surface_moves) return;
  double velocity[3];
  limpet_vec3_cross(velocity, pair->surface_velocity, x);
  limpet_vec3_add(velocity, velocity, pair->surface_velocity + 3);
  for (int e = 0; e < 2; ++e) bias[e] += limpet_vec3_dot(W + 6 * e + 3, velocity);
  bias[2] = limpet_vec3_dot(W + 15, pair->surface_velocity);
}

// Slip [m/s] at the spatial velocity V of the patch.
static double slip_of(const double W[18], const double V[6],
                      const double bias[LIMPET_CONTACT_BIAS]) {
  const double a = limpet_spatial_dot(W, V) + bias[0], b = limpet_spatial_dot(W + 6, V) + bias[1];
  return sqrt(a * a + b * b);
}

/* Whether a contact at the distance phi may act within the step, slipping with `slip` at its
 * start. */
static bool may_close(const limpet_constants_builder *builder, double phi, const double W[18],
                      const double bias[LIMPET_CONTACT_BIAS], double slip,
                      const limpet_contact_constants *constants) {
  const limpet_assembly_settings *settings = builder->settings;
  if (!(phi > settings->speculative_distance)) return true;
  const limpet_patch_sums *sums = builder->sums;
  const double thrown = limpet_spatial_dot(W + 12, sums->V_thrown);
  const double speed =
      limpet_min(limpet_min(constants->normal_speed, constants->free_speed), thrown);
  const double slips = limpet_max(slip, slip_of(W, sums->V_free, bias));
  const double turns = limpet_max(fabs(limpet_vec3_dot(W + 15, sums->V0) + bias[2]),
                                  fabs(limpet_vec3_dot(W + 15, sums->V_free) + bias[2]));
  const double reach = settings->speculative_distance +
                       (settings->glide ? settings->glide(constants, slips, turns) : 0.0);
  return !(phi + LIMPET_WAYS_AHEAD * settings->dt * limpet_min(0.0, speed) > reach);
}

// Friction that depends on direction: rows and bias of the tangents scaled.
static void scale_tangents(const double scale[2], double W[18], double bias[LIMPET_CONTACT_BIAS]) {
  for (int e = 0; e < 2; ++e) {
    for (int i = 0; i < 6; ++i) W[6 * e + i] *= scale[e];
    bias[e] *= scale[e];
  }
}

/* Bias, and the constants of a contact that do not need its Delassus number; *phi: its distance
 * [m]. Returns its slip [m/s] at the start of the step. */
static inline double begin_contact(const limpet_constants_builder *builder,
                                   const limpet_contact_record *record,
                                   const limpet_point_numbers *number, const double W[18],
                                   limpet_contact_constants *constants,
                                   double bias[LIMPET_CONTACT_BIAS], double *phi) {
  const limpet_contact_pair *pair = &builder->records->pair[record->pair];
  const limpet_pair_material *material = &pair->material;
  tangential_bias(pair, builder->path_bias != NULL, number, record->position, W, bias);

  // margins let a contact act before it touches; what lies in the gap beyond is only reported
  *phi =
      pair->surface ? -record->elastic_force / record->stiffness : record->distance - pair->margin;
  constants->dt = builder->settings->dt;
  constants->compliant = (limpet_compliant_constants){0};  // the largest of the families
  constants->friction = material->friction;
  constants->torsion = material->torsion, constants->rolling = material->rolling;
  constants->torsion_rate = constants->rolling_rate = 0.0;
  constants->relaxation_time = material->relaxation_time;
  constants->restitution = material->restitution;
  constants->shear = record->shear;
  constants->normal_speed = number->normal_speed, constants->free_speed = number->free_speed;
  constants->bend_speed = 0.0;
  constants->surface = pair->surface;
  constants->near_rigid = constants->borne = false;
  constants->soft = record->link && !pair->surface;
  const double a = number->slip[0] + bias[0], b = number->slip[1] + bias[1];
  return sqrt(a * a + b * b);
}

/* One point in all lanes: a block of them costs what a point alone would, a few per cent of its
 * patch's columns and sums, and its numbers are the bits that limpet_contact_constants_make has. */
bool limpet_contact_may_act(const limpet_constants_builder *builder,
                            const limpet_contact_record *record) {
  static const double none[6] = {0.0};
  double W[18], bias[LIMPET_CONTACT_BIAS], phi, *rows[LIMPET_POINTS_AT_ONCE];
  limpet_point_view view[LIMPET_POINTS_AT_ONCE];
  limpet_point_numbers number[LIMPET_POINTS_AT_ONCE];
  for (int k = 0; k < LIMPET_POINTS_AT_ONCE; ++k) {
    rows[k] = W;
    view[k] = (limpet_point_view){.record = record,
                                  .point = builder->patch->point,
                                  .sums = builder->sums,
                                  .path_bias = builder->path_bias ? builder->path_bias : none};
  }
  kernels->points(view, false, rows, number);
  limpet_contact_constants constants;
  const double slip = begin_contact(builder, record, number, W, &constants, bias, &phi);
  return may_close(builder, phi, W, bias, slip, &constants);
}

limpet_contact_part limpet_contact_constants_make(const limpet_constants_builder *builder,
                                                  const limpet_contact_record *record,
                                                  const limpet_point_numbers *number, double W[18],
                                                  limpet_contact_constants *constants,
                                                  double bias[LIMPET_CONTACT_BIAS],
                                                  bool *anisotropic) {
  const limpet_assembly_settings *settings = builder->settings;
  const limpet_contact_pair *pair = &builder->records->pair[record->pair];
  const limpet_pair_material *material = &pair->material;
  double phi;
  const double slip = begin_contact(builder, record, number, W, constants, bias, &phi);
  if (record->pull == 0.0 && !record->kept && !may_close(builder, phi, W, bias, slip, constants))
    return LIMPET_CONTACT_FAR;

  const double normal = number->normal;
  constants->delassus = number->delassus;
  if (!is_movable(builder->sums->D, normal, constants->delassus, pair->inverse_weight))
    return LIMPET_CONTACT_IMMOVABLE;
  constants->normal = pair->surface && settings->normal_law && !settings->normal_law->linear
                          ? NULL
                          : settings->normal_law;
  constants->normal_parameter = settings->normal_parameter;
  add_stiffness(builder, pair, record->stiffness, phi, normal, constants);
  drive(settings, pair, phi, constants);
  if (constants->near_rigid &&
      !can_come_apart(builder->sums->D, W + 12, normal, pair->inverse_weight, -phi))
    return LIMPET_CONTACT_IMMOVABLE;
  constants->elastic_force = pair->surface ? record->elastic_force : -constants->stiffness * phi;
  constants->distance = phi;
  if (material->torsion > 0.0 || material->rolling > 0.0) add_turning(number, constants);
  constants->friction = friction_at(material, settings, constants, slip);
  if (pair->shaped) {
    const limpet_friction_shape *shape = &builder->records->shape[record->found];
    constants->friction *= shape->largest;
    scale_tangents(shape->scale, W, bias);
    *anisotropic = true;
  }
  constants->bias_speed = sqrt(bias[0] * bias[0] + bias[1] * bias[1]);
  return LIMPET_CONTACT_ACTS;
}
