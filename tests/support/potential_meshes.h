/* tests/support/potential_meshes.h: star-shaped bodies of tetrahedra with curved bodies at random
 * poses, and whether force and moment of their surfaces are the gradient of the potential. */
#ifndef LIMPET_TEST_POTENTIAL_MESHES_H
#define LIMPET_TEST_POTENTIAL_MESHES_H

#include "limpet/distance.h"

// Which of the two has no field but a boundary.
typedef enum test_rigid { TEST_RIGID_NONE, TEST_RIGID_MESH, TEST_RIGID_CURVED } test_rigid;

typedef struct test_potential_meshes {
  const limpet_shape_kind *kind;  // (kind_count)  of the curved bodies
  int kind_count, poses;          // poses of each
  test_rigid rigid;
  double tolerance;  // [-]  that a surface is asked for
  double allowed;    // [-]  of the integral of pressure, if no less is stated; moments: times 1 m
  unsigned long seed;
} test_potential_meshes;

/* A mesh of 32 tetrahedra that may have dents, and a curved body, sunk into each other along a
 * random way. What is off by more than allowed, or ten times the stated error, is printed. Returns
 * how many are, and the number of those that touch. */
int test_potential_meshes_check(const test_potential_meshes *meshes, int *checked);

/* Shallow surfaces of such pairs at tolerances of 1e-2 to 1e-5, that must all be there or not: how
 * many pairs disagree by more than a tenth of the integral of pressure. */
int test_potential_meshes_disagree(const test_potential_meshes *meshes);

#endif
