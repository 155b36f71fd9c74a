/* tests/support/random_contacts.h: random contact problems of several bodies, for solvers in
 * contact space. */
#ifndef LIMPET_TEST_RANDOM_CONTACTS_H
#define LIMPET_TEST_RANDOM_CONTACTS_H

#include "solve/island_contact_space.h"
#include "solve/solve.h"

enum { RANDOM_BODIES = 6, RANDOM_CONTACTS = 80 };

/* Bodies with six velocities each and a random positive definite mass matrix; contacts between them
 * or with the world, at random levers with random normals, all approaching. Explicit: v* is the
 * velocity before. */
typedef struct random_contacts {
  limpet_arena arena;
  limpet_contact_problem problem;
  limpet_contact_solution solution;
  double A[36 * RANDOM_BODIES], v_free[6 * RANDOM_BODIES];
  limpet_block block[RANDOM_BODIES];
  int dof_block[6 * RANDOM_BODIES];
} random_contacts;

// Takes the memory and fills everything but the solution. `mixed`: masses over four orders,
// restitution by contact.
void random_contacts_make(random_contacts *r, const limpet_contact_model *model, int bodies,
                          int contacts, bool mixed, unsigned long *seed);
// `bodies` cubes in a row on a plane, `contacts` contacts each on a grid: redundant. v: speed of
// each before (6 numbers).
void random_contacts_cubes(random_contacts *r, const limpet_contact_model *model, int bodies,
                           int contacts, double friction, double restitution, const double v[6]);
/* One body, m = 1 kg and inertia I, touching the world at `contacts` levers (contacts x 3), normal
 * along z; v: before. */
void random_contacts_body(random_contacts *r, const limpet_contact_model *model, double inertia,
                          int contacts, const double *lever, double friction, double restitution,
                          const double v[6]);
void random_contacts_solve(random_contacts *r);
void random_contacts_destroy(random_contacts *r);
// Kinetic energy 1/2 v'A v [J].
double random_contacts_energy(const random_contacts *r, const double *v);

#endif
