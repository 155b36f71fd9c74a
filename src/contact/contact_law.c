/* contact/contact_law.c: rows, constants and bias of one contact.
 *
 *   W          [r x e, e], e = t1, t2, n; r from the patch's point to the contact point
 *   Delassus   w = ||W (sum S S'/A_ii) W'||_F / 3                                     (shared
 *              golden contact README, "A step")
 *   near-rigid k = 4 pi^2/(beta^2 dt^2 w): the contact's period is beta steps
 *   bias       added to the tangential velocity: e . (s_B - s_A) of moving surfaces, s of
 *              surface.h, so that what lies on a belt sticks when it moves with s; and that of
 *              curved_path.h
 *   friction   mu = mu_d + (mu_s - mu_d) [1 - sig(s - 10)]/[1 + sig(10)],  sig(x) = x/sqrt(1 +
 *              x^2),  s = |v_t0|/v_q v_t0 slip at the start of the step, bias included; v_q = 10
 *              max(v_s, sigma w mu_s dt f_e0)
 * Regularised friction creeps: at the share p of its bound with eps_s p/sqrt(1 - p^2), 10 eps_s at
 * p = 0.995. With v_q = eps_s the law would take that creep for slip and give way at 98 % of mu_s;
 * with 10 eps_s it loses 0.06 % of the difference there and gives way at 99.8 %. eps_s is estimated
 * with the elastic force alone, before any model.
 * Reference for the law: Kurtz, Castro, Convex error-controlled integration (CENIC), in shared
 * reference benchmarks.md 3.5. It stands there as 1/2 [1 - sig(s - 10)/sig(10)], which falls 0.25 %
 * of the difference below mu_d: below zero for mu_d = 0. */
#include "contact/contact_law.h"

#include <math.h>

#include "dynamics/surface.h"
#include "law/friction_shape.h"
#include "law/impedance.h"
#include "law/material.h"
#include "law/normal_law.h"
#include "math/spatial.h"

static const double standard_gravity = 9.80665;  // [m/s^2]

// Rows W of a contact frame at a point r away from the patch's point.
static void contact_rows(double W[18], const double frame[9], const double r[3]) {
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(W + 6 * e, r, frame + 3 * e);
    limpet_vec3_copy(W + 6 * e + 3, frame + 3 * e);
  }
}

static double delassus_of(const double W[18], const double D[36]) {
  double T[18], sum = 0.0;
  for (int e = 0; e < 3; ++e)
    for (int j = 0; j < 6; ++j) {
      double t = 0.0;
      for (int i = 0; i < 6; ++i) t += W[6 * e + i] * D[6 * i + j];
      T[6 * e + j] = t;
    }
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f <= e; ++f) {
      const double x = limpet_spatial_dot(T + 6 * e, W + 6 * f);
      sum += (f < e ? 2.0 : 1.0) * x * x;
    }
  return sqrt(sum) / 3.0;
}

/* Stiffness and dissipation of a contact. An impedance that an author set becomes its static
 * stiffness, and the dissipation that gives MuJoCo's damping at the depth where the contact carries
 * its effective mass; both at most near-rigid: more dissipation would cut friction off at the first
 * trembling of the normal velocity. */
static void law_stiffness(const limpet_model *model, const limpet_assembly_settings *settings,
                          const limpet_collision_pair *pair, const limpet_pair_material *material,
                          double phi, limpet_contact_constants *constants) {
  const double beta = settings->near_rigid_ratio, dt = settings->dt;
  const double near_rigid =
      4.0 * LIMPET_PI * LIMPET_PI / (beta * beta * dt * dt * constants->delassus);
  constants->stiffness = material->stiffness;
  constants->dissipation = material->dissipation;
  if (material->has_impedance) {
    const double weight = model->body_inverse_weight[2 * model->geom_body[pair->geom_a]] +
                          model->body_inverse_weight[2 * model->geom_body[pair->geom_b]];
    double K, C;
    limpet_impedance_stiffness(&material->impedance, fmin(phi, 0.0), dt, weight, &K, &C);
    if (K < near_rigid && weight > 0.0) {
      constants->stiffness = K;
      constants->dissipation =
          fmin(constants->dissipation,
               C * weight / standard_gravity);  // C/(K x) at the depth x = g/(weight K)
    }
  }
  constants->renewable = isinf(material->stiffness);
  constants->near_rigid = isinf(constants->stiffness);
  if (constants->near_rigid) {
    const limpet_normal_point at = limpet_normal_point_of(constants);
    constants->stiffness = constants->normal && constants->normal->stiffening
                               ? near_rigid / constants->normal->stiffening(constants->normal, &at)
                               : near_rigid;
  }
}

static double sigmoid(double x) { return x / sqrt(1.0 + x * x); }

// Coefficient of the step, for slip [m/s] at its start.
static double friction_at(const limpet_pair_material *material,
                          const limpet_assembly_settings *settings,
                          const limpet_contact_constants *constants, double slip) {
  const double step = material->friction_static - material->friction;
  if (!(step > 0.0)) return material->friction;
  const limpet_contact_settings *contact = &settings->contact;
  const double load = settings->dt * fmax(constants->elastic_force, 0.0);
  const double creep =
      fmax(contact->stiction_speed, contact->friction_regularization * constants->delassus *
                                        material->friction_static * load);
  if (!(creep > 0.0)) return slip > 0.0 ? material->friction : material->friction_static;
  return material->friction +
         step * (1.0 - sigmoid(slip / (10.0 * creep) - 10.0)) / (1.0 + sigmoid(10.0));
}

bool limpet_contact_surfaces_move(const limpet_model *model, const limpet_collision *collision) {
  for (int i = 0; i < collision->pair_count; ++i)
    if (limpet_surface_moves(model, collision->pair[i].geom_a) ||
        limpet_surface_moves(model, collision->pair[i].geom_b))
      return true;
  return false;
}

static void tangential_bias(const limpet_law_builder *builder, const limpet_collision_pair *pair,
                            const double W[18], double bias[2]) {
  for (int e = 0; e < 2; ++e)
    bias[e] = builder->path_bias ? limpet_spatial_dot(W + 6 * e, builder->path_bias) : 0.0;
  if (!limpet_surface_moves(builder->model, pair->geom_a) &&
      !limpet_surface_moves(builder->model, pair->geom_b))
    return;
  double a[3], b[3], s[3];
  limpet_surface_velocity(builder->model, builder->data, pair->geom_a, a);
  limpet_surface_velocity(builder->model, builder->data, pair->geom_b, b);
  limpet_vec3_sub(s, b, a);
  for (int e = 0; e < 2; ++e) bias[e] += limpet_vec3_dot(W + 6 * e + 3, s);
}

// Slip [m/s] at the spatial velocity V of the patch.
static double slip_of(const double W[18], const double V[6], const double bias[2]) {
  const double a = limpet_spatial_dot(W, V) + bias[0], b = limpet_spatial_dot(W + 6, V) + bias[1];
  return sqrt(a * a + b * b);
}

int limpet_contact_law_make(const limpet_law_builder *builder, const limpet_collision_pair *pair,
                            const limpet_collision_contact *contact, double W[18],
                            limpet_contact_constants *constants, double bias[2],
                            bool *anisotropic) {
  const limpet_assembly_settings *settings = builder->settings;
  const limpet_patch_sums *sums = builder->sums;
  const limpet_pair_material material = limpet_material_combine(
      builder->model, settings->rigid_stiffness, pair->geom_a, pair->geom_b, pair->pair);
  const limpet_geom_pair geoms = {pair->geom_a, pair->geom_b, pair->pair};
  const limpet_contact_point *point = &contact->point;
  const double share_a = contact->acts_on == LIMPET_ACTS_BETWEEN
                             ? material.share_a
                             : contact->acts_on == LIMPET_ACTS_ON_A;
  double frame[9], r[3];
  limpet_vec3_copy(frame + 6, point->normal);
  const bool shaped =
      material.friction > 0.0 && limpet_friction_shape_matters(builder->model, &geoms);
  limpet_friction_shape shape = {.largest = 1.0, .scale = {1.0, 1.0}};
  if (shaped) shape = limpet_friction_shape_of(builder->model, builder->data, &geoms, frame);
  else limpet_vec3_tangents(frame, frame + 3, frame + 6);
  for (int i = 0; i < 3; ++i)
    r[i] = share_a * point->on_a[i] + (1.0 - share_a) * point->on_b[i] - builder->patch->point[i];
  contact_rows(W, frame, r);

  // margins let a contact act before it touches; what lies in the gap beyond is only reported
  const double phi = point->distance - pair->margin;
  const double speed = limpet_spatial_dot(W + 12, sums->V0),
               speed_free = limpet_spatial_dot(W + 12, sums->V_free);
  tangential_bias(builder, pair, W, bias);
  const double slip = slip_of(W, sums->V0, bias);
  *constants = (limpet_contact_constants){.dt = settings->dt, .normal_speed = speed};
  constants->relaxation_time = material.relaxation_time;
  constants->restitution = material.restitution;
  constants->friction = material.friction;
  if (phi > settings->speculative_distance) {
    const double slips = fmax(slip, slip_of(W, sums->V_free, bias));
    const double reach = settings->speculative_distance +
                         (settings->glide ? settings->glide(constants, slips) : 0.0);
    if (phi + 2.0 * settings->dt * fmin(0.0, fmin(speed, speed_free)) > reach) return 0;
  }

  constants->delassus = delassus_of(W, sums->D);
  constants->normal = settings->normal_law;
  constants->normal_parameter = settings->normal_parameter;
  law_stiffness(builder->model, settings, pair, &material, phi, constants);
  constants->elastic_force = -constants->stiffness * phi;
  constants->distance = phi;
  constants->torsion = material.torsion;
  constants->friction = shape.largest * friction_at(&material, settings, constants, slip);
  for (int e = 0; e < 2 && shaped; ++e) {
    for (int i = 0; i < 6; ++i) W[6 * e + i] *= shape.scale[e];
    bias[e] *= shape.scale[e];
  }
  if (shaped) *anisotropic = true;
  constants->bias_speed = sqrt(bias[0] * bias[0] + bias[1] * bias[1]);
  return 1;
}
