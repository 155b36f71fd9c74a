/* tests/laws/test_halved_steps.c: what halves its step comes to the same motion.
 *
 * Forces that are small beside the momentum: a box that slides at 10 m/s without friction and is
 * pulled by 1 mN, and a turntable that a weak servo slows down, against closed forms. Stiff servos
 * beside others on their joint, with early activation, and with a gain that drives away, at
 * 4 ms against 0.125 ms. A tendon that lets go. A platform that the user moves lifts what stands on
 * it. Short steps, whose errors add up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_world.h"

// A start that is met to 1e-6 of the momentum lost half of the force.
static void small_forces_add_up(void **state) {
  (void)state;
  static const double steps[] = {2e-3, 5e-4};
  for (int i = 0; i < 2; ++i) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0'/><body pos='0 0 0.1'>"
        "<freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='0'/></body></worldbody>"
        "</mujoco>",
        NULL);
    w.settings.time_step = steps[i];
    w.data->v[0] = 10.0, w.data->applied_force[0] = 1e-3;
    mjcf_world_run(&w, 0.5);
    print_message("%g ms: gained %.6g mm/s of 0.5\n", 1e3 * steps[i], 1e3 * (w.data->v[0] - 10.0));
    assert_true(fabs(w.data->v[0] - 10.0 - 5e-4) < 1e-6);
    mjcf_world_destroy(&w);
  }
}

static void weak_servos_slow_down(void **state) {
  (void)state;
  static const double steps[] = {2e-3, 2.5e-4, 3.125e-5};
  for (int i = 0; i < 3; ++i) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 0 1'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody>"
        "<actuator><velocity joint='j' kv='0.02'/></actuator></mujoco>",
        NULL);
    w.settings.time_step = steps[i];
    w.data->v[0] = 10.0;
    mjcf_world_run(&w, 0.5);
    const double lost = 10.0 - w.data->v[0], due = 10.0 * (1.0 - exp(-0.01));
    print_message("%g ms: lost %.6g of %.6g rad/s\n", 1e3 * steps[i], lost, due);
    assert_true(fabs(lost - due) < 2e-4 * due);
    mjcf_world_destroy(&w);
  }
}

typedef struct servo_case {
  const char *name, *body, *joint, *actuator;
} servo_case;

#define SERVO "<position joint='j' kp='2000' kv='100'/>"
#define WITH_GRAVITY " actuatorgravcomp='true'"
#define LIMITED " actuatorfrcrange='-50 50'"
#define GENERAL "<general joint='j' biastype='affine' "

static const servo_case cases[] = {
    {"gravity compensation", " gravcomp='1'", WITH_GRAVITY, SERVO},
    {"gravity compensation, limited", " gravcomp='1'", WITH_GRAVITY LIMITED, SERVO},
    {"a motor, limited", "", LIMITED, SERVO "<motor joint='j'/>"},
    {"two servos, limited", "", LIMITED, SERVO "<velocity joint='j' kv='100'/>"},
    {"two servos, limited, one in a range", "", LIMITED,
     SERVO "<position joint='j' kp='1000' kv='20' gear='-1' forcerange='-20 20'/>"},
    {"two servos and a motor, limited", "", LIMITED,
     SERVO "<position joint='j' kp='500' kv='50'/><motor joint='j' gear='20'/>"},
    {"twelve servos, limited", "", LIMITED,
     SERVO SERVO SERVO SERVO "<velocity joint='j' kv='100'/>" SERVO SERVO SERVO SERVO SERVO SERVO
                             "<position joint='j' kp='1000' kv='20' gear='-1'/>"},
    {"two servos on a limited tendon", "", "",
     "<position tendon='t' kp='2000' kv='100'/><velocity tendon='t' kv='100'/></actuator><tendon>"
     "<fixed name='t' actuatorfrcrange='-50 50'><joint joint='j' coef='1'/></fixed></tendon>"
     "<actuator>"},
    {"early activation", "", "",
     GENERAL "dyntype='filter' dynprm='.05' gainprm='2000' biasprm='0 -2000 -100' "
             "actearly='true'/>"},
    {"a spring that drives away", "", "", GENERAL "biasprm='0 100 -100'/>"},
    {"a damper that drives", "", " damping='2'", GENERAL "biasprm='0 -500 1'/>"},
    {"a gain by velocity", "", "",
     GENERAL "gaintype='affine' gainprm='0 0 -300' biasprm='0 100 0'/>"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

// Angle of a link after 0.2 s, thrown at 3 rad/s, all controls 0.3.
static double angle_after(const servo_case *c, double dt) {
  static char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body%s><joint name='j' axis='0 1 0'%s/><geom type='capsule' "
           "fromto='0 0 0 0 0 -.3' size='.03' mass='1'/></body></worldbody><actuator>%s</actuator>"
           "</mujoco>",
           c->body, c->joint, c->actuator);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = dt;
  w.data->v[0] = 3.0;
  for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = 0.3;
  mjcf_world_run(&w, 0.2);
  const double angle = w.data->q[0];
  mjcf_world_destroy(&w);
  return angle;
}

// They were explicit forces, and ended at 1e21 rad/s.
static void stiff_servos_stay_implicit(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    const double fine = angle_after(&cases[i], 1.25e-4), coarse = angle_after(&cases[i], 4e-3);
    print_message("%s: %.5f rad at 4 ms, %.5f at 0.125\n", cases[i].name, coarse, fine);
    assert_true(fabs(coarse - fine) < 3e-3);
  }
}

/* A tendon of 11.5 kN/m, stretched by 0.145 m, on three links of 0.3 kg: the search for the middle
 * of the step strayed beyond all numbers, which counted as found, and the world stood still. */
static void stretched_tendons_let_go(void **state) {
  (void)state;
  static const double steps[] = {8e-3, 5e-3, 4e-3}, v0[] = {-2.9, -2.6, -2.8, 1.6, 4.2, 7.0, -2.4};
  for (int i = 0; i < 3; ++i) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><worldbody><site name='w' pos='-.034 .045 .039'/><body><joint axis='.52 .72 -.04' "
        "stiffness='1.08' armature='.0012'/><geom type='capsule' fromto='0 0 0 0 0 -.078' "
        "size='.0078' mass='.118' contype='0' conaffinity='0'/><body pos='0 0 -.078'><joint "
        "type='ball'/><geom type='capsule' fromto='0 0 0 0 0 -.078' size='.0078' mass='.083' "
        "contype='0' conaffinity='0'/><site name='s' pos='0 -.023 -.053'/><body pos='0 0 -.078'>"
        "<joint type='ball'/><geom type='capsule' fromto='0 0 0 0 0 -.078' size='.0078' "
        "mass='.1' contype='0' conaffinity='0'/></body></body></body></worldbody><tendon><spatial "
        "stiffness='11547.8' springlength='.045'><site site='w'/><site site='s'/></spatial>"
        "</tendon></mujoco>",
        NULL);
    w.settings.time_step = steps[i];
    w.data->q[0] = -0.1035;
    memcpy(w.data->v, v0, sizeof v0);
    mjcf_world_run(&w, 0.4);
    const double energy =
        limpet_kinetic_energy(w.model, w.data) + limpet_potential_energy(w.model, w.data);
    print_message("%g ms: %.4g J of 120\n", 1e3 * steps[i], energy);
    assert_true(energy < 60.0);
    mjcf_world_destroy(&w);
  }
}

/* A mocap body has no velocity, and what it ran into came back at 20 mm/s: it passed through. What
 * is faster than return_speed still passes: 5 m/s has to be asked for. */
static void platforms_lift(void **state) {
  (void)state;
  static const double steps[] = {4e-3, 1e-3, 2.5e-4}, speeds[] = {0.2, 1.0, 5.0};
  for (int i = 0; i < 9; ++i) {
    const double dt = steps[i % 3], speed = speeds[i / 3];
    mjcf_world w = mjcf_world_of(
        "<mujoco><worldbody><body mocap='true'><geom type='box' size='1 1 .05' pos='0 0 -.05'/>"
        "</body><body pos='0 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/>"
        "</body></worldbody></mujoco>",
        NULL);
    w.settings.time_step = dt;
    w.settings.return_speed = fmax(w.settings.return_speed, 2.0 * speed);
    for (int k = 0; k < (int)lround(0.2 / dt); ++k) {
      w.data->mocap_position[2] = speed * (k + 1) * dt;
      mjcf_world_step(&w);
      assert_true(w.data->info.deepest_penetration < 1.01 * speed * dt + 1e-6);
    }
    print_message("%g m/s, %g ms: lifted by %.5f m, at %.5f m/s\n", speed, 1e3 * dt,
                  w.data->q[2] - 0.05, w.data->v[2]);
    assert_true(fabs(w.data->q[2] - 0.05 - 0.2 * speed) < 1e-4);
    assert_true(fabs(w.data->v[2] - speed) < 0.01 * speed);
    mjcf_world_destroy(&w);
  }
}

/* A tendon beyond its limit leads two links of a robot and a ball back, at the return speed. Each
 * step was solved to a millionth of its momentum, always from the same side: velocities after 32 ms
 * changed by 0.0051 and 0.0048 where the step was quartered twice. */
static void errors_of_short_steps_do_not_add_up(void **state) {
  (void)state;
  static const double v0[] = {0.0, 0.0, 0.0,  0.0, 0.0, 0.0,  0.3, -0.5,
                              0.8, 1.0, -2.0, 1.5, 0.7, -0.4, -2.2};
  enum { STEPS = 4, NV = sizeof v0 / sizeof *v0 };
  double v[STEPS][NV], apart[STEPS] = {0.0};
  for (int i = 0; i < STEPS; ++i) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option gravity='2.6 0 -12.8'/><default><geom contype='0' conaffinity='0'/>"
        "</default><worldbody><body><freejoint/><geom name='ball' size='.05' mass='1'/></body>"
        "<body pos='.6 0 0' quat='-.76 -.39 -.36 .38'><freejoint/><geom size='.065' mass='.3' "
        "pos='.055 .015 .058'/><site name='a' pos='-.14 .1 -.05'/><body pos='.04 -.28 .23' "
        "quat='.97 -.12 -.2 -.09'><joint type='ball' pos='.01 .02 -.02' damping='.05' "
        "armature='.001'/><geom size='.05' mass='.18' pos='.01 .01 .06'/><site name='b' "
        "pos='-.09 .02 .02'/></body></body></worldbody><tendon><spatial stiffness='6.3' "
        "damping='.27' limited='true' range='0 .24'><site site='a'/><geom geom='ball'/>"
        "<site site='b'/></spatial></tendon></mujoco>",
        NULL);
    w.settings.time_step = ldexp(1e-3, -1 - 2 * i);
    memcpy(w.data->v, v0, sizeof v0);
    mjcf_world_run(&w, 0.032);
    memcpy(v[i], w.data->v, sizeof v[i]);
    for (int k = 0; i > 0 && k < NV; ++k) apart[i] = fmax(apart[i], fabs(v[i][k] - v[i - 1][k]));
    print_message("%g ms: %g from the step before\n", 1e3 * w.settings.time_step, apart[i]);
    if (i > 1) assert_true(apart[i] < 0.5 * apart[i - 1]);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_forces_add_up),
                                     cmocka_unit_test(weak_servos_slow_down),
                                     cmocka_unit_test(stiff_servos_stay_implicit),
                                     cmocka_unit_test(stretched_tendons_let_go),
                                     cmocka_unit_test(platforms_lift),
                                     cmocka_unit_test(errors_of_short_steps_do_not_add_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
