/* tests/support/hull_shapes.h: small convex hulls and random poses, for tests of the narrow
 * phase. */
#ifndef LIMPET_TEST_HULL_SHAPES_H
#define LIMPET_TEST_HULL_SHAPES_H

#include "geometry/pair.h"

// Convex hull of points, to be freed by the caller; a failure ends the program.
limpet_hull *test_hull_create(const double *points, int count);
limpet_hull *test_hull_box(const double half[3]);
limpet_hull *test_hull_prism(int corners, double radius, double half_height);
limpet_hull *test_hull_random(unsigned long *state, int points, const double half[3]);

// A shape with its own storage for size and pose.
typedef struct test_shape {
  limpet_shape shape;
  double size[3], position[3], rotation[9];
} test_shape;

void test_shape_create(test_shape *s, limpet_shape_kind kind, const double size[3],
                       const limpet_hull *hull);
// After a copy by assignment: makes the shape point to its own storage again.
void test_shape_bind(test_shape *s);
void test_random_rotation(unsigned long *state, double rotation[9]);
// Turns the shape by a rotation vector [rad] about its origin and moves it.
void test_shape_move(test_shape *s, const double turn[3], const double shift[3]);

// Whether features are unique, normals unit vectors, distances (b - a).n and all within the margin
// or negative.
bool test_manifold_is_sound(const limpet_manifold *manifold, double margin);

#endif
