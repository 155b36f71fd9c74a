/* contact/shear.c: see shear.h. */
#include "contact/shear.h"

#include <math.h>

#include "contact/kept.h"
#include "math/dense.h"
#include "math/spatial.h"

static const double ridge = 1e-10;  // [-]  of the mean of the diagonal
static const double slack = 3e-3;   // [-]  1 - t at the limit: slip of 13 eps_s

bool limpet_shear_is_kept(const limpet_contact_problem *problem,
                          const limpet_contact_records *records, int contact) {
  const limpet_contact_record *record = &records->record[problem->contact_source[contact]];
  return records->pair[record->pair].surface && !record->link;
}

static int pair_of(const limpet_contact_problem *problem, const limpet_contact_records *records,
                   int contact) {
  return records->record[problem->contact_source[contact]].pair;
}

int limpet_shear_end(const limpet_contact_problem *problem, const limpet_contact_records *records,
                     int first) {
  const int pair = pair_of(problem, records, first);
  int end = first + 1;
  while (end < problem->contact_count && pair_of(problem, records, end) == pair) ++end;
  return end;
}

void limpet_shear_at(const limpet_shear *shear, const double point[3], double z[3]) {
  double r[3];
  limpet_vec3_sub(r, point, shear->centre);
  limpet_vec3_cross(z, shear->turn, r);
  limpet_vec3_add(z, z, shear->shift);
}

// The points of a pair that carry.
typedef struct carriers {
  const limpet_contact_problem *problem;
  const limpet_contact_records *records;
  const double *gamma, *velocity;
  int first, end;
  double centre[3], radius;  // [m]  of their stiffness
} carriers;

// Tangential stiffness w of contact i [N s/m]; 0: it carries nothing.
static double weight_of(const carriers *of, int i) {
  const limpet_contact_constants *c = &of->problem->constants[i];
  const double *gamma = of->gamma + 3 * i;
  if (!(gamma[2] > 0.0)) return 0.0;
  const double weight = c->friction * gamma[2] / of->problem->model->slip_speed(c, gamma);
  return isfinite(weight) ? weight : 0.0;
}

static const double *position_of(const carriers *of, int i) {
  return of->records->record[of->problem->contact_source[i]].position;
}

// False: none carries.
static bool find_centre(carriers *of) {
  double sum = 0.0, square = 0.0;
  limpet_vec3_zero(of->centre);
  for (int i = of->first; i < of->end; ++i) {
    const double w = weight_of(of, i);
    limpet_vec3_addmul(of->centre, of->centre, w, position_of(of, i));
    sum += w;
  }
  if (!(sum > 0.0)) return false;
  limpet_vec3_scale(of->centre, 1.0 / sum, of->centre);
  for (int i = of->first; i < of->end; ++i) {
    double r[3];
    limpet_vec3_sub(r, position_of(of, i), of->centre);
    square += weight_of(of, i) * limpet_vec3_dot(r, r);
  }
  of->radius = sqrt(square / sum);
  return true;
}

// Row of tangent e of contact i: its slip by (radius turn, shift).
static void row_of(const carriers *of, int i, int e, double row[6]) {
  const double *axis = of->problem->contact_row + 18 * i + 6 * e + 3;
  double r[3];
  limpet_vec3_sub(r, position_of(of, i), of->centre);
  limpet_vec3_cross(row, r, axis);
  limpet_vec3_scale(row, of->radius > 0.0 ? 1.0 / of->radius : 0.0, row);
  limpet_vec3_copy(row + 3, axis);
}

// x (6) of the least squares. False: there is none.
static bool fit(const carriers *of, double x[6]) {
  const double h = of->problem->dt;
  const limpet_shear *before = &of->problem->shear[pair_of(of->problem, of->records, of->first)];
  double A[36] = {0.0}, trace = 0.0, moved[3], along[3];
  // what was kept goes with the centre
  limpet_vec3_sub(moved, of->centre, before->centre);
  limpet_vec3_cross(along, before->turn, moved);
  limpet_spatial_zero(x);
  for (int i = of->first; i < of->end; ++i) {
    const double w = weight_of(of, i);
    if (!(w > 0.0)) continue;
    for (int e = 0; e < 2; ++e) {
      double row[6];
      row_of(of, i, e, row);
      const double z = h * of->velocity[3 * i + e] - limpet_vec3_dot(row + 3, along);
      for (int k = 0; k < 6; ++k)
        for (int l = 0; l <= k; ++l) A[6 * k + l] += w * row[k] * row[l];
      limpet_spatial_addmul(x, w * z, row);
    }
  }
  for (int k = 0; k < 6; ++k) trace += A[7 * k];
  for (int k = 0; k < 6; ++k) A[7 * k] += ridge * trace / 6.0;
  if (limpet_cholesky(6, A, 6) != 0) return false;
  limpet_cholesky_solve(6, A, 6, x);
  return true;
}

// The share of x that is kept: 1 - t goes with 1/|z|^2 where it is small.
static double share_of(const carriers *of, const double x[6]) {
  double sum = 0.0, left = 0.0;
  for (int i = of->first; i < of->end; ++i) {
    const double w = weight_of(of, i);
    if (!(w > 0.0)) continue;
    double z[2], row[6];
    for (int e = 0; e < 2; ++e) {
      row_of(of, i, e, row);
      z[e] = limpet_spatial_dot(row, x);
    }
    const limpet_contact_problem *problem = of->problem;
    const double slip = hypot(z[0], z[1]) / problem->dt,
                 eps = problem->model->slip_speed(&problem->constants[i], of->gamma + 3 * i),
                 s = hypot(slip, eps);
    sum += w * slip * slip;
    left += w * slip * slip * (eps * eps / (s * (s + slip)));  // 1 - t
  }
  return sum > 0.0 && left < slack * sum ? sqrt(left / (slack * sum)) : 1.0;
}

bool limpet_shear_next(const limpet_contact_problem *problem, const limpet_contact_records *records,
                       int first, int end, const double *gamma, const double *velocity,
                       limpet_shear *next) {
  carriers of = {.problem = problem,
                 .records = records,
                 .gamma = gamma,
                 .velocity = velocity,
                 .first = first,
                 .end = end};
  double x[6];
  if (!find_centre(&of) || !fit(&of, x)) return false;
  const double share = share_of(&of, x);
  limpet_vec3_copy(next->centre, of.centre);
  limpet_vec3_scale(next->turn, of.radius > 0.0 ? share / of.radius : 0.0, x);
  limpet_vec3_scale(next->shift, share, x + 3);
  for (int i = 0; i < 3; ++i)
    if (!isfinite(next->turn[i]) || !isfinite(next->shift[i])) return false;
  return true;
}
