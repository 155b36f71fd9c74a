/* limpet/fem.h: deformable bodies of tetrahedra: elastic laws, one implicit step, contact condensed
 * onto the vertices that take part, equilibrium. Floor 4.
 *
 * A body is immutable and serves any number of threads; a step is the workspace of one world. Every
 * position and velocity is in the world frame, node by node (3 numbers each). Nodes are the
 * vertices of the mesh in their order; quadratic elements add one node for each edge behind them.
 *
 * The step, with unknown v+ (Newmark, gamma = 1, beta = 1/2: midpoint positions, implicit forces):
 *   M (v+ - v)/dt + f(q + dt/2 (v + v+)) + (alpha M + beta K) v+ = f_ext
 *   q+ = q + dt/2 (v + v+)
 *   H  = dt (M/dt + dt/2 K + alpha M + beta K)   [kg]  momentum form: H dv = impulse
 * q, v [m, m/s] nodes; M consistent with one point for each element (rho V/16 between all four
 * nodes of a linear tetrahedron; exact in pieces whose centroids lie on a line); f = dPsi/dq
 * elastic force; K = df/dq at q+ (of the damping: see limpet_fem_damping); alpha [1/s] and beta [s]
 * Rayleigh damping; f_ext gravity and given nodal forces [N]. Theory: docs/theory/fem.md.
 */
#ifndef LIMPET_FEM_H
#define LIMPET_FEM_H

#include "limpet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------- elastic laws

typedef struct limpet_elastic_law limpet_elastic_law;  // src/fem/elastic_law.h

// Tables, ended by NULL; and look-up by name, NULL if there is none.
LIMPET_API const limpet_elastic_law *const *limpet_elastic_laws(void);
LIMPET_API const limpet_elastic_law *limpet_elastic_law_find(const char *name);
LIMPET_API const limpet_descriptor *limpet_elastic_law_descriptor(const limpet_elastic_law *law);
/* Whether forces are linear in the positions during a step (rotations, if any, are those of its
 * start): the free motion is then one linear solve, and a step with contact a convex problem. */
LIMPET_API bool limpet_elastic_law_is_linear(const limpet_elastic_law *law);

/* Energy density [J/m^3] of the deformation gradient F (3 x 3 row-major), and the first Piola
 * stress P [Pa] (3 x 3; NULL: not wanted). F0: deformation gradient at the start of the step, whose
 * rotation `linear-corotated` takes; NULL: F. E [Pa], nu [-]. */
LIMPET_API double limpet_elastic_energy(const limpet_elastic_law *law, double youngs_modulus,
                                        double poissons_ratio, const double F0[9],
                                        const double F[9], double P[9]);
/* D[9 (3 i + j) + 3 k + l] = dP_ij/dF_kl [Pa]; `projected`: the nearest positive semidefinite one
 * in the Frobenius norm. */
LIMPET_API void limpet_elastic_derivative(const limpet_elastic_law *law, double youngs_modulus,
                                          double poissons_ratio, const double F0[9],
                                          const double F[9], bool projected, double D[81]);

// --------------------------------------------------------------------------- bodies

typedef enum limpet_fem_element {
  LIMPET_FEM_LINEAR,    // 4 nodes, constant strain; locks where nu is near 0.5
  LIMPET_FEM_QUADRATIC  // 10 nodes, linear strain, edges straight at rest
} limpet_fem_element;

/* Rayleigh damping beta K v+ of laws that are not linear during a step; of those that are, K is the
 * stiffness at rest, turned with each element at the start of the step. */
typedef enum limpet_fem_damping {
  /* Stress F S, S beta times Lame's law at rest of the rate of Green's strain, that between start
   * and end of the step: what turns as if rigid is not braked. For small strains beta K times the
   * velocity that positions move with. By the midpoint rule with fixed nodes: turned. */
  LIMPET_FEM_DAMPING_STRAIN,
  LIMPET_FEM_DAMPING_TURNED,  // that of linear laws: brakes what turns
  LIMPET_FEM_DAMPING_TANGENT  // exact K at q+, for comparison: may add energy where elements shrink
} limpet_fem_damping;

/* Gas within the closed surface of a shell: p = pressure (V0/V)^exponent, V0 the volume at rest.
 * pressure 0: none. */
typedef struct limpet_fem_gas {
  double pressure;  // [Pa]  absolute, at rest; 0
  double outside;   // [Pa]  absolute; 101325
  double exponent;  // [-]  1: isothermal; 1.4: adiabatic air
} limpet_fem_gas;

/* limpet_fem_description_default() fills it; the arrays are copied. A body consists of tetrahedra,
 * or of triangles and segments: shells and ropes (src/fem/thin.h has their energies), which have no
 * other law and the elements' E, nu, density and damping. */
typedef struct limpet_fem_description {
  int vertex_count;
  const double *vertices;  // (vertex_count x 3)  [m]  at rest
  int tetrahedron_count;
  const int *tetrahedra;  // (tetrahedron_count x 4)  either order of vertices
  limpet_fem_element element;
  const limpet_elastic_law *law;  // linear-corotated
  double youngs_modulus;          // [Pa]  1e6
  double poissons_ratio;          // [-]  0.4
  double density;                 // [kg/m^3]  1000
  double mass_damping;            // [1/s]  alpha, 0
  double stiffness_damping;       // [s]  beta, 0
  limpet_fem_damping damping;     // strain
  // [-]  least quality of a tetrahedron, 12 (3 V)^(2/3) / (sum of squared edges): 1 for a regular
  // one, 0 for a flat one
  double least_quality;  // 1e-3
  // shells and ropes
  int triangle_count;
  const int *triangles;  // (triangle_count x 3)  one orientation where they hold gas
  int segment_count;
  const int *segments;    // (segment_count x 2)
  double thickness;       // [m]  of a shell; diameter of a rope; 1e-3
  bool membrane;          // triangles resist stretching, segments too; true
  bool bending;           // shells resist bending; true
  double edge_stiffness;  // [N/m]  of springs along all edges; 0
  double edge_damping;    // [N s/m]  along all edges; 0
  limpet_fem_gas gas;
} limpet_fem_description;

LIMPET_API limpet_fem_description limpet_fem_description_default(void);

typedef struct limpet_fem_body limpet_fem_body;

/* Errors, with numbers: E or density not positive, nu outside (-1, 0.5), damping negative, a number
 * that is not finite, an index out of range, a vertex that no tetrahedron uses, a tetrahedron
 * without volume, inside a neighbour (overlap), or of a quality below the least (the worst one is
 * named); a triangle without area, a segment without length, gas in an open surface. Tetrahedra may
 * have either orientation. */
LIMPET_API limpet_fem_body *limpet_fem_body_create(const limpet_fem_description *description,
                                                   limpet_error *error);
LIMPET_API void limpet_fem_body_destroy(limpet_fem_body *body);  // NULL: nothing

typedef struct limpet_fem_body_info {
  int vertex_count;  // of the mesh
  int node_count;    // unknowns are 3 each; vertex_count of linear elements
  int tetrahedron_count;
  int element_count;  // that have a stress: tetrahedra; of a shell triangles, then segments
  int face_count;     // triangles of the surface; of a shell all, each with two sides
  int segment_count;  // of ropes
  double thickness;   // [m]  of shells and ropes; 0: a body of tetrahedra
  bool has_gas;
  const limpet_elastic_law *law;
  double youngs_modulus, poissons_ratio, density, mass_damping, stiffness_damping;
  double mass;           // [kg]
  double volume;         // [m^3]  at rest; of gas where it has some, else of matter
  double centre[3];      // [m]  of mass, at rest
  double quality_worst;  // [-]
  int quality_element;   // which tetrahedron has it
  double quality_mean;   // [-]
} limpet_fem_body_info;

LIMPET_API limpet_fem_body_info limpet_fem_body_information(const limpet_fem_body *body);
LIMPET_API const double *limpet_fem_body_rest(const limpet_fem_body *body);  // (node_count x 3) [m]
// (tetrahedron_count x 4)  vertices, oriented to positive volume
LIMPET_API const int *limpet_fem_body_tetrahedra(const limpet_fem_body *body);
/* (face_count x 3)  nodes of the surface triangles, counter-clockwise seen from outside; a
 * quadratic element's face is four triangles. */
LIMPET_API const int *limpet_fem_body_faces(const limpet_fem_body *body);
// (segment_count x 2)  nodes of ropes
LIMPET_API const int *limpet_fem_body_segments(const limpet_fem_body *body);
// `hash` with what shells and ropes consist of
LIMPET_API uint64_t limpet_fem_body_thin_hash(const limpet_fem_body *body, uint64_t hash);
// (face_count)  tetrahedron behind each triangle; 0 of shells
LIMPET_API const int *limpet_fem_body_face_tetrahedra(const limpet_fem_body *body);
LIMPET_API const double *limpet_fem_body_node_mass(const limpet_fem_body *body);  // (node_count)
                                                                                  // [kg]  row sums

// y = M x, M the step's mass matrix. (node_count x 3)
LIMPET_API void limpet_fem_body_mass_multiply(const limpet_fem_body *body, const double *x,
                                              double *y);

// --------------------------------------------------------------------------- one step

// Begin, relinearise and equilibrium end with one of these; the first is the good one.
typedef enum limpet_fem_outcome {
  LIMPET_FEM_SOLVED = 0,
  LIMPET_FEM_ITERATION_LIMIT,  // the residual is above the tolerance; the best iterate is kept
  LIMPET_FEM_STALLED,          // no descent along the line: round-off, or a law without a minimum
  LIMPET_FEM_NOT_POSITIVE,     // the matrix has no Cholesky factor (a body that is not held, NaN)
  LIMPET_FEM_NOT_FINITE        // positions or velocities are not finite
} limpet_fem_outcome;

LIMPET_API const char *limpet_fem_outcome_name(limpet_fem_outcome outcome);

/* What a step starts from. All pointers are borrowed until the next begin. Nodes whose velocity is
 * prescribed are no unknowns: their rows and columns of H are those of the identity. */
typedef struct limpet_fem_input {
  const double *position;  // (node_count x 3)  [m]  q
  const double *velocity;  // (node_count x 3)  [m/s]  v
  double dt;               // [s]
  double gravity[3];       // [m/s^2]
  const double *force;     // (node_count x 3)  [N]  nodal forces besides gravity; NULL: none
  int fixed_count;
  const int *fixed;              // (fixed_count)  nodes, each once
  const double *fixed_velocity;  // (fixed_count x 3)  [m/s]  v+ there; NULL: 0
  /* Positions q + dt v+ (backward Euler: what stops is where it stops) in the place of
   * q + dt/2 (v + v+): in all that is said above, f and K included. */
  bool backward_euler;
  double tolerance;     // [-]  residual over the initial one; 0: 1e-10
  int iteration_limit;  // 0: 100
} limpet_fem_input;

typedef struct limpet_fem_info {
  limpet_fem_outcome outcome;
  int iterations;      // Newton; 1 for linear laws
  int factorizations;  // of H
  int projected;       // factorizations with K projected to positive semidefinite
  int solves;          // by an earlier factor: iterations of conjugate gradients
  int line_searches;   // energies evaluated beyond one for each iteration
  double residual;     // [-]  over the initial one
  int inverted;        // elements with a point of negative volume at the end of the free motion
} limpet_fem_info;

typedef struct limpet_fem_step limpet_fem_step;

// Workspace of one world; nothing is allocated afterwards but in condense where its room grows.
LIMPET_API limpet_fem_step *limpet_fem_step_create(const limpet_fem_body *body,
                                                   limpet_error *error);
LIMPET_API void limpet_fem_step_destroy(limpet_fem_step *step);  // NULL: nothing

/* Free motion: v* without contact, H there and its factor. Whatever the outcome but NOT_POSITIVE
 * and NOT_FINITE, the calls below may follow. */
LIMPET_API limpet_fem_outcome limpet_fem_step_begin(limpet_fem_step *step,
                                                    const limpet_fem_input *input);
LIMPET_API limpet_fem_info limpet_fem_step_info(const limpet_fem_step *step);
LIMPET_API const double *limpet_fem_step_free_velocity(const limpet_fem_step *step);  // (node_count
                                                                                      // x 3) v*

/* A new model of nonlinear laws at v (node_count x 3): H is the tangent there (projected where it
 * has to be) and v* = v - H^-1 R(v), with R the momentum residual. A step with contact has
 * converged where the velocity that the contact problem returns is the one relinearised at. Linear
 * laws: nothing changes. */
LIMPET_API limpet_fem_outcome limpet_fem_step_relinearise(limpet_fem_step *step, const double *v);

/* R(v) [N s] (node_count x 3): dt times the left side of the step minus the right one, exact for
 * nonlinear laws too. At the free motion it is zero but at fixed nodes; with contact impulses it
 * equals their sum; at fixed nodes it is what the support gives, force times dt. */
LIMPET_API void limpet_fem_step_residual(limpet_fem_step *step, const double *v, double *R);
// y = H x, rows and columns of fixed nodes included as they are (not replaced). (node_count x 3)
LIMPET_API void limpet_fem_step_multiply(const limpet_fem_step *step, const double *x, double *y);
// x = H^-1 x with the factor; fixed nodes: x is kept. (node_count x 3)
LIMPET_API void limpet_fem_step_solve(const limpet_fem_step *step, double *x);

/* Condensed matrix: the Schur complement of H onto `count` nodes, each once and not fixed, that
 * take part in contact, in the order given.
 *   A (3 count x 3 count, leading dimension lda, both triangles)  [kg]
 *   A dv = impulse on these nodes, where nothing acts on the others
 * `inverse` (same shape; NULL: not wanted): A^-1, the compliance. LIMPET_ERROR_MEMORY when its room
 * had to grow and could not. */
LIMPET_API limpet_status limpet_fem_step_condense(limpet_fem_step *step, int count,
                                                  const int *nodes, double *A, int lda,
                                                  double *inverse);
/* Velocity of all nodes (node_count x 3) where those of the last condense move with dv (count x 3)
 * [m/s] beyond the free motion and no impulse acts on the others. */
LIMPET_API void limpet_fem_step_follow(limpet_fem_step *step, const double *dv, double *v);
// The same for impulses on them (count x 3) [N s]; cheaper.
LIMPET_API void limpet_fem_step_follow_impulse(limpet_fem_step *step, const double *impulse,
                                               double *v);
/* Changes v (node_count x 3), the velocity at the end of the step, so that the positions there turn
 * about the centre of mass as if rigid, and the angular momentum changes by the torques of nodal
 * forces and of `impulse` (node_count x 3) [N s] (NULL: none) alone, to round-off; the step itself
 * loses some in proportion to dt^2. False, and v as it was: nodes are fixed, or the body lies on a
 * line. */
LIMPET_API bool limpet_fem_step_keep_spin(limpet_fem_step *step, const double *impulse, double *v);
// q+ = q + dt/2 (v + v+). (node_count x 3)
LIMPET_API void limpet_fem_step_positions(const limpet_fem_step *step, const double *v, double *q);

// --------------------------------------------------------------------------- derivatives

// What a loss changes by; arrays are borrowed, NULL: not wanted.
typedef struct limpet_fem_gradient {
  double *position;          // (node_count x 3)  [per m]  q at the start
  double *velocity;          // (node_count x 3)  [per m/s]  v at the start
  double *force;             // (node_count x 3)  [per N]
  double gravity[3];         // [per m/s^2]
  double youngs_modulus;     // [per Pa]
  double poissons_ratio;     // [per 1]
  double density;            // [per kg/m^3]
  double mass_damping;       // [per 1/s]
  double stiffness_damping;  // [per s]
} limpet_fem_gradient;

/* Derivatives of a loss by what the step started from, from those by the velocities v at its end
 * (free motion, or with contact impulses, which count as constant) and the positions q at its end
 * (node_count x 3; one may be NULL). H and its factor are then those at v. Fixed nodes: prescribed
 * velocities count as constant. False: H has no factor at v, or the damping is that of the
 * tangent. */
LIMPET_API bool limpet_fem_step_derivative(limpet_fem_step *step, const double *v,
                                           const double *dL_dv, const double *dL_dq,
                                           limpet_fem_gradient *gradient);

// --------------------------------------------------------------------------- reports

typedef struct limpet_fem_state {
  double kinetic;              // [J]
  double elastic;              // [J]  corotated linear laws: with the rotations of these positions
  double bending;              // [J]  the part of it that shells have by bending
  double gravity;              // [J]  -sum m g.x
  double volume;               // [m^3]  as in limpet_fem_body_info
  double pressure;             // [Pa]  of gas over that outside; 0: none
  int inverted;                // elements with a point of negative volume
  double momentum[3];          // [N s]
  double angular_momentum[3];  // [N m s]  about the origin
  double centre[3];            // [m]  of mass
} limpet_fem_state;

/* q, v (node_count x 3); v NULL: at rest. gravity NULL: 0. */
LIMPET_API limpet_fem_state limpet_fem_body_state(const limpet_fem_body *body, const double *q,
                                                  const double *v, const double *gravity);
/* Elastic force f = dPsi/dq [N] (node_count x 3) at q, with rotations of q0 for corotated linear
 * laws (NULL: of q). */
LIMPET_API void limpet_fem_body_force(const limpet_fem_body *body, const double *q0,
                                      const double *q, double *f);
/* Stress of each element, mean over its points: von Mises (element_count) [Pa] and Cauchy
 * (element_count x 6: xx yy zz yz zx xy) [Pa] in the axes of q; either may be NULL. A triangle has
 * that of its middle surface, F S F'/(area over area at rest), without what bending adds, and none
 * where springs of edges alone hold it; a segment its force over its section at rest. */
LIMPET_API void limpet_fem_body_stress(const limpet_fem_body *body, const double *q,
                                       double *von_mises, double *cauchy);

// --------------------------------------------------------------------------- equilibrium

/* Positions q (node_count x 3) where f(q) = gravity + forces, from those given, with fixed nodes
 * where they are: Newton's method on the potential energy. Reads gravity, force, fixed, tolerance,
 * iteration_limit of `input`. Every floating part needs three fixed nodes that are not in line. */
LIMPET_API limpet_fem_outcome limpet_fem_step_equilibrium(limpet_fem_step *step,
                                                          const limpet_fem_input *input, double *q);

#ifdef __cplusplus
}
#endif
#endif
