/* tests/support/closed_meshes.h: closed triangle meshes with known insides, for tests of distances
 * and clouds. */
#ifndef LIMPET_TEST_CLOSED_MESHES_H
#define LIMPET_TEST_CLOSED_MESHES_H

enum { TEST_MESH_VERTICES = 4096, TEST_MESH_FACES = 8192 };

typedef struct test_mesh {
  int vertex_count, face_count;
  double vertices[3 * TEST_MESH_VERTICES];  // [m]
  int faces[3 * TEST_MESH_FACES];           // counter-clockwise seen from outside
} test_mesh;

// Appends to what is there.
void test_mesh_box(test_mesh *mesh, const double centre[3], const double half[3]);
/* Sphere of `rings` x 2 rings vertices whose radius is drawn anew for every vertex between the two
 * given: star-shaped, with dents and spikes. */
void test_mesh_star(test_mesh *mesh, unsigned long *seed, int rings, double least, double most);
void test_mesh_torus(test_mesh *mesh, int around, int across, double radius, double thickness);
// A thin L: two plates of the given thickness that share an edge region, one closed surface.
void test_mesh_angle(test_mesh *mesh, double length, double thickness);
// Slim wedge whose edge is the y axis from -0.1 to 0.1 m, and slim pyramid with its tip in the
// origin: towards x `reach`, any sign.
void test_mesh_wedge(test_mesh *mesh, double reach, double low, double high);
void test_mesh_spike(test_mesh *mesh, double reach, double width, double rise);

// Whether a ray from c crosses the surface an odd number of times; three rays vote.
int test_mesh_inside(const test_mesh *mesh, unsigned long *seed, const double c[3]);
// Unsigned distance, by every triangle: its plane where c projects into it, else its sides.
double test_mesh_distance(const test_mesh *mesh, const double c[3]);

#endif
