/* tests/support/random_models.c: see random_models.h. */
#include "random_models.h"

#include <math.h>

#include "math/quaternion.h"

void random_vector(unsigned long *seed, double *x, int count, double size) {
  for (int i = 0; i < count; ++i) x[i] = random_uniform(seed, -size, size);
}

double random_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

void random_turn(unsigned long *seed, double R[9], double angle) {
  double turn[3], quaternion[4];
  random_vector(seed, turn, 3, angle);
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
}

void random_quaternion(unsigned long *seed, double q[4]) {
  random_vector(seed, q, 4, 1.0);
  limpet_quaternion_normalize(q);
}

limpet_body_description random_body(unsigned long *seed, int parent) {
  limpet_body_description body = limpet_body_description_default();
  body.parent = parent;
  random_vector(seed, body.position, 3, 0.5);
  random_quaternion(seed, body.quaternion);
  body.has_inertial = true;
  body.mass = random_uniform(seed, 0.5, 3.0);
  random_vector(seed, body.com, 3, 0.2);
  random_quaternion(seed, body.inertia_quaternion);
  for (int i = 0; i < 3; ++i) body.inertia[i] = random_uniform(seed, 0.1, 0.19);
  return body;
}
