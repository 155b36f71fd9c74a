/* tests/support/random_models.h: random numbers, places and bodies of which tests make models. The
 * seed is the test's, so its models do not depend on other tests. */
#ifndef LIMPET_TEST_RANDOM_MODELS_H
#define LIMPET_TEST_RANDOM_MODELS_H

#include "limpet/model.h"
#include "shared_data.h"

// Each number in [-size, size].
void random_vector(unsigned long *seed, double *x, int count, double size);
// Uniform in the logarithm, in [low, high].
double random_log(unsigned long *seed, double low, double high);
// Rotation matrix of a rotation vector, each number of which is in [-angle, angle] rad.
void random_turn(unsigned long *seed, double R[9], double angle);
// Unit.
void random_quaternion(unsigned long *seed, double q[4]);
// Place within 0.5 m of the parent, 0.5 to 3 kg, moments that a body can have.
limpet_body_description random_body(unsigned long *seed, int parent);

#endif
