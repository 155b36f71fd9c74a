/* geometry/shape_mass.c: mass properties of shapes of unit density, in closed form.
 *
 * Solid: volume and inertia. Shell: area and inertia of the surface at unit area density. Axes are
 * those of the shape, which are principal; the origin is the centre of mass. r radius, h half
 * length, a b c half lengths or semi-axes. The ellipsoid's shell has no closed form: its area is K.
 * Thomsen's approximation (1.06 % at worst), and its inertia that of a thin layer between two
 * ellipsoids whose semi-axes differ by 1e-6 m, scaled to that area, as MuJoCo has it. */
#include <assert.h>
#include <math.h>

#include "geometry/mesh_geometry.h"
#include "math/vec3.h"

static double sphere_mass(double inertia[3], const double size[3], bool shell) {
  const double r = size[0];
  const double mass = shell ? 4.0 * LIMPET_PI * r * r : 4.0 / 3.0 * LIMPET_PI * r * r * r;
  inertia[0] = inertia[1] = inertia[2] = mass * r * r * (shell ? 2.0 / 3.0 : 0.4);
  return mass;
}

// Cylinder and two half spheres, whose centres of mass lie 3r/8 (shell: r/2) beyond the ends of the
// cylinder.
static double capsule_mass(double inertia[3], const double size[3], bool shell) {
  const double r = size[0], h = size[1], offset = shell ? r / 2.0 : 3.0 * r / 8.0;
  const double tube = shell ? 4.0 * LIMPET_PI * r * h : 2.0 * LIMPET_PI * r * r * h;
  const double ends = shell ? 4.0 * LIMPET_PI * r * r : 4.0 / 3.0 * LIMPET_PI * r * r * r;
  const double ball = r * r * (shell ? 2.0 / 3.0 : 0.4);
  const double round = shell ? 1.0 : 0.5;  // share of r^2 about the axis
  inertia[2] = tube * round * r * r + ends * ball;
  inertia[0] = inertia[1] =
      tube * (0.5 * round * r * r + h * h / 3.0) + ends * (ball + h * h + 2.0 * h * offset);
  return tube + ends;
}

static double cylinder_mass(double inertia[3], const double size[3], bool shell) {
  const double r = size[0], h = size[1];
  if (!shell) {
    const double mass = 2.0 * LIMPET_PI * r * r * h;
    inertia[0] = inertia[1] = mass * (r * r / 4.0 + h * h / 3.0);
    inertia[2] = mass * r * r / 2.0;
    return mass;
  }
  const double tube = 4.0 * LIMPET_PI * r * h, ends = 2.0 * LIMPET_PI * r * r;
  inertia[0] = inertia[1] = tube * (r * r / 2.0 + h * h / 3.0) + ends * (r * r / 4.0 + h * h);
  inertia[2] = tube * r * r + ends * r * r / 2.0;
  return tube + ends;
}

static double box_mass(double inertia[3], const double size[3], bool shell) {
  double total = 0.0;
  if (!shell) {
    total = 8.0 * size[0] * size[1] * size[2];
    for (int i = 0; i < 3; ++i) {
      const double b = size[(i + 1) % 3], c = size[(i + 2) % 3];
      inertia[i] = total / 3.0 * (b * b + c * c);
    }
    return total;
  }

  // pairs of faces normal to axis k: second moments x_i^2 are s_i^2/3 within the face and s_k^2
  // along its normal
  double second[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    const double pair = 8.0 * size[(k + 1) % 3] * size[(k + 2) % 3];
    for (int i = 0; i < 3; ++i) second[i] += pair * size[i] * size[i] * (i == k ? 1.0 : 1.0 / 3.0);
    total += pair;
  }
  for (int i = 0; i < 3; ++i) inertia[i] = second[(i + 1) % 3] + second[(i + 2) % 3];
  return total;
}

static double ellipsoid_solid(double inertia[3], const double axis[3]) {
  const double mass = 4.0 / 3.0 * LIMPET_PI * axis[0] * axis[1] * axis[2];
  for (int i = 0; i < 3; ++i) {
    const double b = axis[(i + 1) % 3], c = axis[(i + 2) % 3];
    inertia[i] = mass / 5.0 * (b * b + c * c);
  }
  return mass;
}

static double ellipsoid_mass(double inertia[3], const double size[3], bool shell) {
  if (!shell) return ellipsoid_solid(inertia, size);
  const double p = 1.6075, thickness = 1e-6;
  const double mean =
      (pow(size[0] * size[1], p) + pow(size[1] * size[2], p) + pow(size[2] * size[0], p)) / 3.0;
  const double area = 4.0 * LIMPET_PI * pow(mean, 1.0 / p);
  const double outer_size[3] = {size[0] + thickness, size[1] + thickness, size[2] + thickness};
  double inner[3], outer[3];
  const double volume = ellipsoid_solid(inner, size);
  const double layer = ellipsoid_solid(outer, outer_size) - volume;
  for (int i = 0; i < 3; ++i) inertia[i] = area * (outer[i] - inner[i]) / layer;
  return area;
}

void limpet_shape_mass(double *volume, double inertia[3], limpet_shape_kind kind,
                       const double size[3], const limpet_mesh *mesh, bool shell) {
  limpet_vec3_zero(inertia);
  *volume = 0.0;
  switch (kind) {
    case LIMPET_SHAPE_PLANE: break;
    case LIMPET_SHAPE_SPHERE: *volume = sphere_mass(inertia, size, shell); break;
    case LIMPET_SHAPE_CAPSULE: *volume = capsule_mass(inertia, size, shell); break;
    case LIMPET_SHAPE_ELLIPSOID: *volume = ellipsoid_mass(inertia, size, shell); break;
    case LIMPET_SHAPE_CYLINDER: *volume = cylinder_mass(inertia, size, shell); break;
    case LIMPET_SHAPE_BOX: *volume = box_mass(inertia, size, shell); break;
    case LIMPET_SHAPE_MESH:
      // whether it is a shell was decided when the mesh was made
      assert(mesh);
      *volume = mesh->volume;
      for (int i = 0; i < 3; ++i) {
        const double b = mesh->box[(i + 1) % 3], c = mesh->box[(i + 2) % 3];
        inertia[i] = mesh->volume / 3.0 * (b * b + c * c);
      }
      break;
    case LIMPET_SHAPE_CLOUD:  // has no volume: see limpet_cloud
    case LIMPET_SHAPE_SOFT:
    case LIMPET_SHAPE_COUNT: assert(0); break;
  }
}
