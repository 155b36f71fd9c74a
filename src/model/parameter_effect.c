/* model/parameter_effect.c: see parameter_effect.h. Descriptions hold numbers of all that an object
 * might be; which of them count, other numbers decide. */
#include "model/parameter_effect.h"

#include <math.h>
#include <string.h>

#include "model/builder.h"

// Whether a target means that member, or one of that struct, of a description.
#define IS(target, record, member) \
  ((target)->offset + (target)->field->offset == offsetof(record, member))
#define IN(target, record, member) ((target)->offset == offsetof(record, member))

static const char *geom_in_vain(const limpet_geom_description *geom,
                                const limpet_parameter_target *t) {
  const bool authored = geom->material.has_impedance;
  if (IS(t, limpet_geom_description, material.dissipation) && authored)
    return "the file gives solref or solimp, which count instead; set the stiffness first";
  if (IN(t, limpet_geom_description, material.impedance) && !authored)
    return "the file gives neither solref nor solimp; set stiffness and dissipation";
  if (IS(t, limpet_geom_description, fluid_coefficients) && !geom->fluid_ellipsoid)
    return "the medium acts on the whole body, not on this geom as on an ellipsoid";
  if (IS(t, limpet_geom_description, density) && !isnan(geom->mass))
    return "the file gives a mass, which counts instead";
  return NULL;
}

static const char *body_in_vain(const limpet_body_description *body,
                                const limpet_parameter_target *t) {
  if (body->has_inertial) return NULL;
  if (IS(t, limpet_body_description, com))
    return "the body has its centre of mass from its geoms; move those";
  if (IS(t, limpet_body_description, inertia) || IS(t, limpet_body_description, inertia_quaternion))
    return "the body has its inertia from its geoms; change those";
  return NULL;
}

static const char *const limits_are_near_rigid =
    "the file gives its limits neither solref nor solimp: they are as stiff as the step resolves";

static const char *joint_in_vain(const limpet_joint_description *joint,
                                 const limpet_parameter_target *t) {
  const bool follows = joint->spring_damper[0] > 0.0 && joint->spring_damper[1] > 0.0;
  if (IN(t, limpet_joint_description, limit_impedance) && !joint->has_limit_impedance)
    return limits_are_near_rigid;
  if (IN(t, limpet_joint_description, dry_friction_impedance) &&
      joint->dry_friction_kind != LIMPET_DRY_FRICTION_SOFT)
    return "its dry friction is that of Coulomb, which has no such number";
  if (IS(t, limpet_joint_description, stiffness) && follows)
    return "it follows from spring_damper; change that";
  if (IS(t, limpet_joint_description, spring_damper) && !follows)
    return "the file gives stiffness and damping; change those";
  if (IS(t, limpet_joint_description, pitch) && joint->kind != LIMPET_JOINT_SCREW)
    return "only screws have a pitch";
  return NULL;
}

static const char *tendon_in_vain(const limpet_tendon_description *tendon,
                                  const limpet_parameter_target *t) {
  if (IN(t, limpet_tendon_description, limit_impedance) && !tendon->has_limit_impedance)
    return limits_are_near_rigid;
  if ((IS(t, limpet_tendon_description, limit_stiffness) ||
       IS(t, limpet_tendon_description, limit_damping)) &&
      tendon->has_limit_impedance)
    return "the file gives solref or solimp of its limits, which count instead";
  if (IN(t, limpet_tendon_description, points) &&
      tendon->points[t->index].kind != LIMPET_TENDON_PULLEY)
    return "this point of the tendon is no pulley; sites and geoms count, too";
  return NULL;
}

static const char *actuator_in_vain(const limpet_actuator_description *a,
                                    const limpet_parameter_target *t) {
  const bool muscle =
      a->gain_law == LIMPET_ACTUATOR_MUSCLE || a->bias_law == LIMPET_ACTUATOR_MUSCLE;
  if (IN(t, limpet_actuator_description, muscle)) {
    if (!muscle) return "it is no muscle";
    if (IS(t, limpet_actuator_description, muscle.force) && a->muscle.force < 0.0)
      return "its peak force follows from muscle_scale; change that";
    if (IS(t, limpet_actuator_description, muscle.scale) && a->muscle.force >= 0.0)
      return "its peak force is given; change muscle_force";
  }
  if (IN(t, limpet_actuator_description, motor)) {
    if (a->gain_law != LIMPET_ACTUATOR_MOTOR)
      return "it is no motor with a winding or a controller";
    if (a->part > 0) return "the numbers of a motor are those of its first input";
  }
  if ((IS(t, limpet_actuator_description, deactivation_time) ||
       IS(t, limpet_actuator_description, activation_smoothing)) &&
      a->activation != LIMPET_ACTIVATION_MUSCLE)
    return "only activations of muscles have it";
  if (IS(t, limpet_actuator_description, delay) && !(a->delay > 0.0))
    return "its control acts at once; give it a delay in the file";
  if (IS(t, limpet_actuator_description, crank_length) &&
      a->transmission != LIMPET_TRANSMISSION_SLIDER_CRANK)
    return "only slider-cranks have a rod";
  if (IS(t, limpet_actuator_description, damping_ratio) && a->damping_ratio < 0.0)
    return "its damping is given; change bias[2]";
  return NULL;
}

static const char *loop_in_vain(const limpet_loop_description *loop,
                                const limpet_parameter_target *t) {
  const bool of_a = IS(t, limpet_loop_description, position_a) ||
                    IS(t, limpet_loop_description, quaternion_a),
             of_b = IS(t, limpet_loop_description, position_b) ||
                    IS(t, limpet_loop_description, quaternion_b);
  if ((of_a && loop->from_reference == LIMPET_LOOP_FRAME_A) ||
      (of_b && loop->from_reference == LIMPET_LOOP_FRAME_B))
    return "it follows from the other body's in the pose of the file; change that";
  if (IN(t, limpet_loop_description, impedance) && !loop->has_impedance)
    return "the file gives neither solref nor solimp: it is as stiff as the step resolves";
  if ((IS(t, limpet_loop_description, length) || IS(t, limpet_loop_description, stiffness) ||
       IS(t, limpet_loop_description, damping)) &&
      loop->kind != LIMPET_LOOP_DISTANCE)
    return "only distances have it";
  if ((IS(t, limpet_loop_description, torque_scale) ||
       IS(t, limpet_loop_description, quaternion_a) ||
       IS(t, limpet_loop_description, quaternion_b)) &&
      loop->kind != LIMPET_LOOP_WELD)
    return "only welds hold directions";
  return NULL;
}

const char *limpet_parameter_in_vain(const limpet_builder *builder,
                                     const limpet_parameter_target *target, int i) {
  const int handle = target->handle[i];
  switch (target->object) {
    case LIMPET_OBJECT_GEOM: return geom_in_vain(limpet_builder_geoms(builder) + handle, target);
    case LIMPET_OBJECT_BODY: return body_in_vain(limpet_builder_bodies(builder) + handle, target);
    case LIMPET_OBJECT_JOINT: return joint_in_vain(limpet_builder_joints(builder) + handle, target);
    case LIMPET_OBJECT_TENDON:
      return tendon_in_vain(limpet_builder_tendons(builder) + handle, target);
    case LIMPET_OBJECT_ACTUATOR:
      return actuator_in_vain(limpet_builder_actuators(builder) + handle, target);
    case LIMPET_OBJECT_LOOP: return loop_in_vain(limpet_builder_loops(builder) + handle, target);
    case LIMPET_OBJECT_COUPLER:
      if (IN(target, limpet_coupler_description, impedance) &&
          !limpet_builder_couplers(builder)[handle].has_impedance)
        return "the file gives neither solref nor solimp: it is as stiff as the step resolves";
      return NULL;
    case LIMPET_OBJECT_PAIR:
      if (IN(target, limpet_pair_description, impedance) &&
          !limpet_builder_pairs(builder)[handle].has_impedance)
        return "the file gives neither solref nor solimp: it is near-rigid";
      return NULL;
    default: return NULL;
  }
}
