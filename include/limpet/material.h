/* limpet/material.h: what surfaces are made of, and where a file says so. Floor 3. */
#ifndef LIMPET_MATERIAL_H
#define LIMPET_MATERIAL_H

#include <stdbool.h>

#include "limpet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_place {
  const char *file;  // NULL: described by a program; the builder copies the string
  int line, column;  // 1-based; 0: not known
} limpet_place;

/* Reference acceleration of a soft constraint, as MJCF gives it (solref, solimp).
 * reference: (time constant [s], damping ratio [-]), or both negative: (-stiffness [1/s^2],
 *   -damping [1/s])
 * impedance: d0 [-], d_width [-], width [m or rad], midpoint [-], power [-]
 * docs/mjcf-contact.md says what it becomes in N/m. */
typedef struct limpet_impedance {
  double reference[2];  // (time [s], damping ratio [-]) or (-1/s^2, -1/s); (0.02, 1)
  double impedance[5];  // d0, d_width, width, midpoint, power; (0.9, 0.95, 0.001, 0.5, 2)
} limpet_impedance;

// (0.02, 1), (0.9, 0.95, 0.001, 0.5, 2)
LIMPET_API limpet_impedance limpet_impedance_default(void);

/* Contact material of one geom. Two geoms in contact combine to k = kA kB/(kA + kB), d = (kB dA +
 * kA dB)/(kA + kB), relaxation times add, friction by the model's rule. Where both are rigid the
 * contact is near-rigid: as stiff as the step resolves. Static, anisotropic friction and moving
 * surfaces: docs/materials.md. Pressure fields: docs/pressure-fields.md. */
typedef struct limpet_material {
  double friction;                     // [-]  Coulomb coefficient; 1
  double friction_torsional;           // [m]  torsional friction length; 0.005
  double friction_rolling;             // [m]  rolling friction length; 0.0001
  double stiffness;                    // [N/m]  of this geom, INFINITY: rigid; inf
  double dissipation;                  // [s/m]  Hunt-Crossley; 50
  double relaxation_time;              // [s]  Kelvin-Voigt (model `sap`); 0.1
  double friction_static;              // [-]  Coulomb coefficient in stiction; NAN: as friction
  double friction_ratio;               // [-]  friction across friction_axis over that along it; 1
  double friction_axis[3];             // geom frame; not normalised, not zero; (1, 0, 0)
  double surface_velocity[3];          // [m/s]  of the surface relative to the geom, geom frame; 0
  double surface_angular_velocity[3];  // [rad/s]  of the surface about the geom's origin; 0
  double restitution;      // [-]  Newton's e, the larger of two geoms (coulomb, impulse); 0
  double elastic_modulus;  // [Pa]  of the pressure field, INFINITY: rigid, has none; inf
  double slab_thickness;  // [m]  of a plane's field: p = elastic_modulus depth/thickness; NAN: none
  double field_size;      // [m]  length of a tetrahedron that is wanted, by the shape where 0; 0
  double field_error;     // [-]  wanted of forces, where a surface is refined; 0.001
  double field_margin;    // [m]  beyond its surface a mesh's field is known; 0
  double adhesion;        // [N]  pull of each contact, of both geoms together; 0
  bool has_impedance;     // set in an MJCF file: decides instead of stiffness, dissipation; false
  limpet_impedance impedance;  // see has_impedance
} limpet_material;

// friction 1 (MJCF), 0.005 m, 0.0001 m, rigid, 50 s/m, 0.1 s
LIMPET_API limpet_material limpet_material_default(void);

#ifdef __cplusplus
}
#endif
#endif
