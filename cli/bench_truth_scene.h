/* cli/bench_truth_scene.h: the worlds of `limpet bench truth`, made from texts, and what is
 * measured on them. All have a closed form, or a law, that they are held against. */
#ifndef LIMPET_CLI_BENCH_TRUTH_SCENE_H
#define LIMPET_CLI_BENCH_TRUTH_SCENE_H

#include "limpet/limpet.h"

// What a world of `limpet bench truth` is stepped with.
typedef struct limpet_truth_method {
  const limpet_contact_model *model;
  double time_step;  // [s]
} limpet_truth_method;

/* Contacts over a whole run, by the results of every step. A contact slides where its slip is ten
 * times the speed below which friction is regularised, and 1 mm/s at least. */
typedef struct limpet_truth_contacts {
  long steps, unsolved;
  double iterations;      // mean of a step
  int worst_iterations;   // of a step
  double outside;         // [-]  steps with a contact more than 1 % outside its cone
  double worst_outside;   // [-]  largest |f_t|/(mu f_n) - 1 of a contact that carries its share
  double missing;         // [-]  friction that sliding contacts lack, over mu f_n, summed
  double without_normal;  // [-]  friction of contacts without normal force, over all friction
  double deepest;         // [m]
} limpet_truth_contacts;

/* A flat box of 0.1 kg lands at 1 m/s on the floor (slab 0), or on a slab of that mass [kg] that
 * lies on the floor, at a speed along at which it goes on sliding. Returns tangential over normal
 * impulse [-]: mu. *slid [m]: how far it slides; NAN where it is not solved. */
double limpet_truth_landing(const limpet_truth_method *method, double friction, double slab,
                            double *slid);
// How far [m] that box should slide: v^2/(2 mu g), with v what the landing leaves.
double limpet_truth_slide(double friction);

/* A box of 10 x 10 x 8 cm is thrown at 4 m/s along and 2 m/s down onto a slab of 1 t, mu = 1:
 * cosine of the angle between its upper face at the end and at the start, 1 where it stays on its
 * face. */
double limpet_truth_thrown(const limpet_truth_method *method);

/* A box on a slope at 0.9 of the friction angle, mu = 0.5, whose slab is shaken up and down with
 * 0.5 g at `frequency` [Hz]: load and weight swell together, so nothing may slip. How fast it
 * creeps [m/s]. */
double limpet_truth_shaken_slope(const limpet_truth_method *method, double frequency);

/* A scene of the shared data that falls for `time` [s] from its keyframe (NULL: its pose), with
 * that friction everywhere (0: its own). False: the file is not there, or does not load. */
bool limpet_truth_falling(const limpet_truth_method *method, const char *file, const char *keyframe,
                          double friction, double time, limpet_truth_contacts *contacts);

#endif
