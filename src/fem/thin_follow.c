/* fem/thin_follow.c: shells, ropes and gas whose forces are those of the end of the step.
 *
 * Forces linear in a step are the gradient of a quadratic m(d), d = q+ - q, m(0) = Psi(q). With
 * contacts that only take, a step of backward Euler ends with
 *   E+ - E <= Psi(q+) - m(d) - |v+ - v|^2_M/2
 * since m is convex. So where Psi(q+) - m(d) is less than the last term, nothing is gained, and
 * the forces stay linear. (By the midpoint rule, in free flight, E+ - E is Psi(q+) - m(d): at most
 * `flying` of the energy of the motion about the centre and of Psi is let pass. A step that gains
 * more is done by backward Euler.) Else the step is solved for
 *   f = f(q+) + beta D v + C v,  D, C stiffness and dampers of the start,
 * by Newton's method (step/soft_newton.c). The normal of bending is that of q+; how it turns is no
 * part of the matrix, nor how the normals of gas do.
 * Where no vertex goes farther than `near` of an edge, seen from the first one, nothing is asked.
 */
#include <math.h>
#include <string.h>

#include "fem/thin_step.h"
#include "math/vec3.h"

static const double near = 0.05;      // [-]  of the shortest edge
static const double flying = 1e-3;    // [-]  of energies
static const double noise = 1e-10;    // [-]  of energies
static const double settled = 1e-8;   // [-]  of the residual at the start
static const double near_end = 1e-4;  // [-]  of it, from which H is exact
enum { ROUNDS = 30, HALVINGS = 10 };

static double dot(long n, const double *a, const double *b) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// [J]  elastic, with nodes at q
static double energy_at(const limpet_fem_body *body, const double *q) {
  double energy = 0.0;
  for (int t = 0; t < body->thin.count; ++t)
    energy += limpet_thin_energy(&body->thin, &body->thin.element[t], q, q, false, NULL, NULL);
  if (body->gas.present)
    energy += limpet_fem_gas_energy(body, limpet_fem_gas_volume(body, q, NULL));
  return energy;
}

static bool goes_far(const limpet_fem_step *step, const double *v) {
  const double far = near * step->thin->edge / step->input.dt;
  for (int i = 1; i < step->body->info.node_count; ++i) {
    double apart[3];
    limpet_vec3_sub(apart, v + 3L * i, v);
    if (limpet_vec3_dot(apart, apart) > far * far) return true;
  }
  return false;
}

// [J]  m(d) - Psi(q): the mean of the forces at both ends, times the way to q+.
static double model_change(limpet_fem_step *step, const double *end) {
  const limpet_fem_body *body = step->body;
  limpet_fem_thin_step *thin = step->thin;
  const long n = 3L * body->info.node_count;
  double *d = step->trial;
  for (long i = 0; i < n; ++i) d[i] = end[i] - step->input.position[i];
  limpet_fem()->multiply(body, thin->K, d, thin->y);
  double change = dot(n, thin->f0, d) + 0.5 * dot(n, thin->y, d);
  if (!body->gas.present) return change;
  const double larger = dot(n, thin->gas.normal, d);
  return change - (thin->gas.excess - 0.5 * thin->gas.slope * larger) * larger;
}

bool limpet_fem_thin_gains(limpet_fem_step *step, const double *v) {
  if (!step->thin || step->thin->follows || !goes_far(step, v)) return false;
  const limpet_fem_body *body = step->body;
  limpet_fem_step_positions(step, v, step->position);
  const double model = model_change(step, step->position);
  const double before = energy_at(body, step->input.position),
               after = energy_at(body, step->position);
  const double room =
      step->input.backward_euler
          ? limpet_fem_motion_energy(step, v, step->start)
          : flying * (limpet_fem_motion_energy(step, step->start, NULL) + fabs(before));
  return !(after - before - model <= room + noise * (fabs(before) + fabs(after) + fabs(model)));
}

bool limpet_fem_thin_may_turn(limpet_fem_step *step, const double *v) {
  if (!step->thin || !goes_far(step, v)) return true;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double work = 0.0, centre[2] = {0.0, 0.0};
  limpet_fem_step_positions(step, v, step->position);
  const double before = energy_at(body, step->input.position),
               after = energy_at(body, step->position);
  for (long i = 0; i < n; ++i)
    work += step->load[i] * (step->position[i] - step->input.position[i]);
  for (int k = 0; k < 3; ++k) {
    double start = 0.0, end = 0.0;
    for (int i = 0; i < body->info.node_count; ++i) {
      start += body->node_mass[i] / body->info.mass * step->start[3L * i + k];
      end += body->node_mass[i] / body->info.mass * v[3L * i + k];
    }
    centre[0] += 0.5 * body->info.mass * start * start;
    centre[1] += 0.5 * body->info.mass * end * end;
  }
  const double first = before + limpet_fem_motion_energy(step, step->start, NULL),
               last = after + limpet_fem_motion_energy(step, v, NULL);
  return last + centre[1] <= first + centre[0] + work + flying * fabs(first);
}

void limpet_fem_thin_follow(limpet_fem_step *step) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin || thin->follows) return;
  memcpy(thin->D, thin->K, 9 * (size_t)step->body->block_count * sizeof *thin->D);
  memcpy(thin->was, step->input.position,
         3 * (size_t)step->body->info.node_count * sizeof *thin->was);
  thin->follows = true;
}

double limpet_fem_thin_objective(limpet_fem_step *step, const double *v) {
  const limpet_fem_body *body = step->body;
  limpet_fem_thin_step *thin = step->thin;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, alpha = body->info.mass_damping,
               beta = body->info.stiffness_damping;
  limpet_fem_step_positions(step, v, step->position);
  double objective = energy_at(body, step->position) - dt * dot(n, step->load, v);
  if (beta > 0.0) {
    limpet_fem()->multiply(body, thin->D, v, thin->y);
    objective += 0.5 * dt * beta * dot(n, v, thin->y);
  }
  if (thin->C) {
    limpet_fem()->multiply(body, thin->C, v, thin->y);
    objective += 0.5 * dt * dot(n, v, thin->y);
  }
  if (alpha > 0.0) objective += dt * alpha * limpet_fem_motion_energy(step, v, thin->zero);
  return objective + limpet_fem_motion_energy(step, v, step->start);
}

// |R(v)|, fixed nodes left out.
static double rest_at(limpet_fem_step *step, const double *v) {
  limpet_fem_evaluate(step, v, step->residual);
  limpet_fem_clear_fixed(step, step->residual);
  return limpet_fem_norm(3 * step->body->info.node_count, step->residual);
}

limpet_fem_outcome limpet_fem_thin_settle(limpet_fem_step *step) {
  const long n = 3L * step->body->info.node_count;
  double *v = step->free, *from = step->trial, *d = step->direction;
  limpet_fem_thin_follow(step);
  const double first = rest_at(step, step->start);
  for (int round = 0; round < ROUNDS; ++round) {
    const double rest = rest_at(step, v);
    if (rest <= settled * first) return LIMPET_FEM_SOLVED;
    memcpy(from, v, (size_t)n * sizeof *v);
    const bool far = rest > near_end * first;
    if (limpet_fem_relinearise(step, from, far)) return step->info.outcome;
    double share = 1.0;
    for (int k = 0; k < HALVINGS && !(rest_at(step, v) <= (1.0 - 0.1 * share) * rest); ++k) {
      share *= 0.5;
      for (long i = 0; i < n; ++i) v[i] = from[i] + share * d[i];
    }
    ++step->info.iterations;
  }
  return step->info.outcome = LIMPET_FEM_ITERATION_LIMIT;
}
