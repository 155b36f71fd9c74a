/* fem/rigid_tangent.c: how the step of a body follows the arms r and offsets c of its sets
 * (rigid_set.c), with the motions z of the sets and of the other nodes held.
 *
 *   v = T z + c:        e = dT z + dc: w x dr_i + dc_i at the nodes of sets
 *   T'R = ..:           T'(dR + H e) + dT'R,   dT'R: moments sum dr_i x R_i
 *   z.(T'H T) z:        2 (H T z)_i.(w x dr_i)
 * Admitted velocities of a start v0, a = P V0 + c with P'P V0 = P'(v0 - c):
 *   da = e + P (P'P)^-1 [P'(dv0 - e) + dP'(v0 - a)]
 * Cost: two passes over the nodes of each set. */
#include <assert.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "math/vec3.h"

// V (6) of a set at velocities v (node_count x 3), `led`: which have the offsets.
static void motion_without(const limpet_fem_step *step, int set, const double *v, bool led,
                           double V[6]) {
  double c[6];
  limpet_fem_rigid_motion(step, set, v, V);
  limpet_fem_rigid_motion(step, set, step->rigid->offset, c);
  for (int k = 0; led && k < LIMPET_FEM_SET_ROWS; ++k) V[k] -= c[k];
}

void limpet_fem_rigid_carry(const limpet_fem_step *step, const double *v, bool led,
                            const double *arm, const double *offset, double *e) {
  assert(step && v && arm && offset && e);
  const limpet_fem_rigid *rigid = step->rigid;
  for (int set = 0; rigid && set < rigid->count; ++set) {
    double V[6];
    motion_without(step, set, v, led, V);
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
      if (rigid->set[i] != set) continue;
      limpet_vec3_cross(e + 3L * i, V + 3, arm + 3L * i);
      limpet_vec3_add(e + 3L * i, e + 3L * i, offset + 3L * i);
    }
  }
}

void limpet_fem_rigid_carry_adjoint(const limpet_fem_step *step, const double *v, bool led,
                                    const double *weight, double *arm, double *offset) {
  assert(step && v && weight && arm && offset);
  const limpet_fem_rigid *rigid = step->rigid;
  for (int set = 0; rigid && set < rigid->count; ++set) {
    double V[6], turned[3];
    motion_without(step, set, v, led, V);
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
      if (rigid->set[i] != set) continue;
      limpet_vec3_cross(turned, weight + 3L * i, V + 3);
      limpet_vec3_add(arm + 3L * i, arm + 3L * i, turned);
      limpet_vec3_add(offset + 3L * i, offset + 3L * i, weight + 3L * i);
    }
  }
}

void limpet_fem_rigid_moments(const limpet_fem_step *step, const double *R, const double *arm,
                              double *dR) {
  assert(step && R && arm && dR);
  const limpet_fem_rigid *rigid = step->rigid;
  for (int set = 0; rigid && set < rigid->count; ++set) {
    double F[6] = {0.0}, V[6], moment[3];
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
      if (rigid->set[i] != set) continue;
      limpet_vec3_cross(moment, arm + 3L * i, R + 3L * i);
      limpet_vec3_add(F + 3, F + 3, moment);
    }
    limpet_fem_rigid_spread(step, set, F, V);
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
      if (rigid->set[i] != set) continue;
      limpet_vec3_cross(moment, V + 3, rigid->arm + 3L * i);
      limpet_vec3_add(dR + 3L * i, dR + 3L * i, moment);
      limpet_vec3_add(dR + 3L * i, dR + 3L * i, V);
    }
  }
}

void limpet_fem_rigid_moments_adjoint(const limpet_fem_step *step, const double *R, const double *l,
                                      double *arm) {
  assert(step && R && l && arm);
  const limpet_fem_rigid *rigid = step->rigid;
  for (int set = 0; rigid && set < rigid->count; ++set) {
    double L[6], turned[3];
    limpet_fem_rigid_motion(step, set, l, L);
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
      if (rigid->set[i] != set) continue;
      limpet_vec3_cross(turned, R + 3L * i, L + 3);
      limpet_vec3_add(arm + 3L * i, arm + 3L * i, turned);
    }
  }
}

// y += sign x at the nodes of sets
static void sets_add(const limpet_fem_step *step, double sign, const double *x, double *y) {
  for (int i = 0; i < step->body->info.node_count; ++i)
    if (step->rigid->set[i] != LIMPET_FEM_FREE_NODE)
      limpet_vec3_addmul(y + 3L * i, y + 3L * i, sign, x + 3L * i);
}

// a <- the velocities that the start has, admitted; left <- what it has besides
static void admitted(const limpet_fem_step *step, double *a, double *left) {
  const long n = 3L * step->body->info.node_count;
  memcpy(a, step->start, (size_t)n * sizeof *a);
  limpet_fem_rigid_admit(step, a);
  for (long i = 0; i < n; ++i) left[i] = step->start[i] - a[i];
}

void limpet_fem_rigid_admit_forward(const limpet_fem_step *step, const double *arm,
                                    const double *offset, double *dv, double *work) {
  assert(step && arm && offset && dv && work);
  if (!step->rigid) return;
  double *a = work, *left = work + 3L * step->body->info.node_count, *e = a;
  admitted(step, a, left);
  limpet_fem_rigid_carry(step, a, true, arm, offset, e);
  sets_add(step, -1.0, e, dv);
  limpet_fem_rigid_project(step, dv);
  sets_add(step, 1.0, e, dv);
  limpet_fem_rigid_moments(step, left, arm, dv);
}

void limpet_fem_rigid_admit_adjoint(const limpet_fem_step *step, double *weight, double *arm,
                                    double *offset, double *work) {
  assert(step && weight && arm && offset && work);
  if (!step->rigid) return;
  const long n = 3L * step->body->info.node_count;
  double *a = work, *left = work + n, *by_e = left;
  admitted(step, a, left);
  limpet_fem_rigid_moments_adjoint(step, left, weight, arm);
  memcpy(by_e, weight, (size_t)n * sizeof *by_e);
  limpet_fem_rigid_project(step, weight);
  sets_add(step, -1.0, weight, by_e);
  limpet_fem_rigid_carry_adjoint(step, a, true, by_e, arm, offset);
}

void limpet_fem_rigid_stiffness(const limpet_fem_step *step, const double *z, double *arm) {
  assert(step && step->rigid && z && arm);
  const limpet_fem_rigid *rigid = step->rigid;
  const long n = 3L * step->body->info.node_count;
  double *Hz = step->force;
  limpet_fem_step_multiply(step, z, Hz);
  memset(arm, 0, (size_t)n * sizeof *arm);
  for (int set = 0; set < rigid->count; ++set) {
    double V[6];
    limpet_fem_rigid_motion(step, set, z, V);
    limpet_vec3_scale(V + 3, 2.0, V + 3);
    for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i)
      if (rigid->set[i] == set) limpet_vec3_cross(arm + 3L * i, Hz + 3L * i, V + 3);
  }
}
