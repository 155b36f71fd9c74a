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

/* Sums over the points that carry, by motions [turn; shift] about a point near the patch, at rows
 * W of its contacts. */
typedef struct sums {
  double A[6][6];     // of w W W', its lower half
  double b[6];        // of w W h u
  double weight;      // of w
  double place[3];    // of w r  [m]
  double square;      // of w r r  [m^2]
  double work, left;  // of w |u|^2, and of that times 1 - t
} sums;

static void add_row(sums *to, double w, const double *row, double z) {
  double part[6];
  for (int k = 0; k < 6; ++k) part[k] = w * row[k];
  for (int k = 0; k < 6; ++k) {
    for (int l = 0; l <= k; ++l) to->A[k][l] += part[k] * row[l];
    to->b[k] += part[k] * z;
  }
}

// point (3): [m]  about which motions are.
static void sums_of(const limpet_contact_problem *problem, const limpet_contact_records *records,
                    const double point[3], int first, int end, const double *gamma,
                    const double *velocity, sums *to) {
  const double h = problem->dt;
  for (int i = first; i < end; ++i) {
    const limpet_contact_constants *c = &problem->constants[i];
    const double *g = gamma + 3 * i, *u = velocity + 3 * i, *W = problem->contact_row + 18 * i;
    const double eps = problem->model->slip_speed(c, g), w = c->friction * g[2] / eps;
    if (!(w > 0.0 && w < INFINITY)) continue;
    double r[3];
    limpet_vec3_sub(r, records->record[problem->contact_source[i]].position, point);
    for (int e = 0; e < 2; ++e) add_row(to, w, W + 6 * e, h * u[e]);
    const double slip2 = u[0] * u[0] + u[1] * u[1], s2 = slip2 + eps * eps;
    to->weight += w;
    limpet_vec3_addmul(to->place, to->place, w, r);
    to->square += w * limpet_vec3_dot(r, r);
    to->work += w * slip2;
    to->left += w * slip2 * (eps * eps / (s2 + sqrt(s2 * slip2)));  // 1 - t
  }
}

// M (6 x 6): the motion about the point, by one about a place [m] from it whose turn is times R.
static void motion_of(const double place[3], double R, double M[6][6]) {
  const double across[3][3] = {{0.0, -place[2], place[1]},
                               {place[2], 0.0, -place[0]},
                               {-place[1], place[0], 0.0}};  // place x
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) M[i][j] = 0.0;
  for (int i = 0; i < 3; ++i) {
    M[i][i] = 1.0 / R, M[3 + i][3 + i] = 1.0;
    for (int j = 0; j < 3; ++j) M[3 + i][j] = across[i][j] / R;
  }
}

/* x (6): the motion about the centre, turn times R, of the least squares. shifted (3) [m]: how far
 * what was kept goes. False: there is none. */
static bool fit(const sums *of, const double centre[3], double R, const double shifted[3],
                double x[6]) {
  double M[6][6], AM[6][6] = {{0.0}}, N[36], b[6], trace = 0.0;
  motion_of(centre, R, M);
  for (int i = 0; i < 6; ++i) {
    b[i] = of->b[i];
    for (int k = 0; k < 6; ++k) {
      const double a = of->A[i > k ? i : k][i > k ? k : i];
      if (k >= 3) b[i] -= a * shifted[k - 3];
      for (int j = 0; j < 6; ++j) AM[i][j] += a * M[k][j];
    }
  }
  for (int i = 0; i < 6; ++i) {
    x[i] = 0.0;
    for (int k = 0; k < 6; ++k) x[i] += M[k][i] * b[k];
    for (int j = 0; j < 6; ++j) {
      N[6 * i + j] = 0.0;
      for (int k = 0; k < 6; ++k) N[6 * i + j] += M[k][i] * AM[k][j];
    }
    trace += N[7 * i];
  }
  for (int i = 0; i < 6; ++i) N[7 * i] += ridge * trace / 6.0;
  if (limpet_cholesky(6, N, 6) != 0) return false;
  limpet_cholesky_solve(6, N, 6, x);
  return true;
}

bool limpet_shear_next(const limpet_contact_problem *problem, const limpet_contact_records *records,
                       const double point[3], int first, int end, const double *gamma,
                       const double *velocity, limpet_shear *next) {
  const limpet_shear *before = &problem->shear[pair_of(problem, records, first)];
  sums of = {.weight = 0.0};
  sums_of(problem, records, point, first, end, gamma, velocity, &of);
  if (!(of.weight > 0.0)) return false;
  double place[3], way[3], shifted[3], x[6];
  limpet_vec3_scale(place, 1.0 / of.weight, of.place);
  limpet_vec3_add(next->centre, point, place);
  const double spread = of.square / of.weight - limpet_vec3_dot(place, place),
               R = spread > 0.0 ? sqrt(spread) : 1.0;  // of one point any length does
  // what was kept goes with the centre
  limpet_vec3_sub(way, next->centre, before->centre);
  limpet_vec3_cross(shifted, before->turn, way);
  if (!fit(&of, place, R, shifted, x)) return false;
  const bool full = of.work > 0.0 && of.left < slack * of.work;
  const double share = full ? sqrt(of.left / (slack * of.work)) : 1.0;
  limpet_vec3_scale(next->turn, share / R, x);
  limpet_vec3_scale(next->shift, share, x + 3);
  for (int i = 0; i < 3; ++i)
    if (!isfinite(next->turn[i]) || !isfinite(next->shift[i])) return false;
  return true;
}
