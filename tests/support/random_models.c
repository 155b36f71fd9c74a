/* tests/support/random_models.c: see random_models.h. */
#include "random_models.h"

#include "math/quaternion.h"

void random_vector(unsigned long *seed, double *x, int count, double size) {
  for (int i = 0; i < count; ++i) x[i] = random_uniform(seed, -size, size);
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
