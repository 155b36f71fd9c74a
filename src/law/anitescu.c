/* law/anitescu.c: rigid contact with Anitescu's convex friction, as a pyramid with torsion, or as a
 * round cone.
 *
 *   u = (v_t1, v_t2, v_n, w_n)    velocity of B relative to A at the contact, and its spin about n
 *   pyramid   phi0/dt + v_n +- mu v_t1 >= 0,  +- mu v_t2,  +- mu_w w_n         (4) to (8), over dt
 *   cone      phi0/dt + v_n >= ||(mu v_t1, mu v_t2, mu_w w_n)||                of our own
 *   impulse   gamma = sum lambda_i row_i,  lambda >= 0,  lambda_i s_i = 0
 *   mu [-] friction, mu_w [m] torsional friction length, phi0 [m] distance at the start of the step
 *
 * The rows share the normal impulse: |gamma_t1|/mu + |gamma_t2|/mu + |tau|/mu_w <= gamma_n in the
 * pyramid, the Euclidean norm of the same terms in the cone. The model is exact where contacts
 * stick. A contact that slides or spins glides on a gap of dt (mu |v_t| + mu_w |w_n|). The model is
 * the rigid limit of the compliant models: no stiffness, no regularisation. A body that starts
 * inside another one comes out with the return speed at most.
 * References: Tracy, Manchester, quasi-dynamic point clouds with torsional friction; Anitescu,
 * Optimization-based simulation of nonsmooth rigid multibody dynamics, Math. Program. 105
 * (2006). */
#include <math.h>
#include <string.h>

#include "law/contact_model_list.h"

static void anitescu_prepare(limpet_contact_constants *constants,
                             const limpet_contact_settings *settings) {
  constants->rigid.gap_speed = fmax(constants->distance / constants->dt, -settings->return_speed);
}

static double anitescu_glide(const limpet_contact_constants *constants, double slip, double turn) {
  return constants->dt * (constants->friction * slip + constants->torsion * turn);
}

static void row_fill(double *row, double t1, double t2, double n, double w) {
  row[0] = t1, row[1] = t2, row[2] = n, row[3] = w;
}

static int pyramid_rows(const limpet_contact_constants *constants, double *row) {
  int count = 0;
  const double mu = constants->friction, length = constants->torsion;
  for (int sign = 1; sign >= -1 && mu > 0.0; sign -= 2) {
    row_fill(row + 4 * count++, sign * mu, 0.0, 1.0, 0.0);
    row_fill(row + 4 * count++, 0.0, sign * mu, 1.0, 0.0);
  }
  for (int sign = 1; sign >= -1 && length > 0.0; sign -= 2)
    row_fill(row + 4 * count++, 0.0, 0.0, 1.0, sign * length);
  if (count == 0) row_fill(row + 4 * count++, 0.0, 0.0, 1.0, 0.0);
  return count;
}

static int cone_rows(const limpet_contact_constants *constants, double *row) {
  int count = 0;
  row_fill(row + 4 * count++, 0.0, 0.0, 1.0, 0.0);
  if (constants->friction > 0.0) {
    row_fill(row + 4 * count++, constants->friction, 0.0, 0.0, 0.0);
    row_fill(row + 4 * count++, 0.0, constants->friction, 0.0, 0.0);
  }
  if (constants->torsion > 0.0) row_fill(row + 4 * count++, 0.0, 0.0, 0.0, constants->torsion);
  return count;
}

// The diamond that bounds friction of the pyramid lies inside the circle.
static bool pyramid_sticks(const limpet_contact_constants *constants, const double gamma[3]) {
  return fabs(gamma[0]) + fabs(gamma[1]) < LIMPET_STICKING_SHARE * constants->friction * gamma[2];
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_SETTING("friction_torsional", NAN,
                   "torsional friction length of a geom; counts from condim 4 on"),
    LIMPET_SETTING("return_speed", NAN, "at which contacts that start inside come out, at most"),
};

#define REFERENCE                                                                                  \
  "Tracy, Manchester, quasi-dynamic point clouds with torsional friction, equations (4) to (13); " \
  "Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics (2006)"

const limpet_rigid_model limpet_contact_model_anitescu = {
    .head = {.descriptor =
                 {.name = "anitescu",
                  .text =
                      "Rigid contact with friction as a pyramid of four rows, and two more for "
                      "torsion about the normal: a "
                      "quadratic programme, solved to round-off. Exact in stiction, without creep "
                      "and without penetration; "
                      "what slides or spins glides on a gap of dt (mu |v_t| + mu_w |w_n|), and "
                      "friction is weaker along "
                      "the diagonals of the tangents. For small problems: the programme is dense.",
                  .reference = REFERENCE,
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_RIGID,
             .prepare = anitescu_prepare,
             .glide = anitescu_glide,
             .sticks = pyramid_sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = limpet_contact_model_no_energy},
    .rows = pyramid_rows,
};

const limpet_rigid_model limpet_contact_model_anitescu_cone = {
    .head =
        {.descriptor =
             {.name = "anitescu-cone",
              .text =
                  "As anitescu, with a round cone of tangential and torsional friction together: "
                  "the same in every "
                  "direction. A second-order cone programme, solved by an interior-point method.",
              .reference = REFERENCE "; src/law/anitescu.c",
              .parameter_count = sizeof parameters / sizeof parameters[0],
              .parameters = parameters},
         .family = LIMPET_CONTACT_RIGID,
         .prepare = anitescu_prepare,
         .glide = anitescu_glide,
         .sticks = limpet_contact_model_sticks,
         .slip_speed = limpet_contact_model_no_slip_speed,
         .energy = limpet_contact_model_no_energy},
    .rows = cone_rows,
    .cone = true,
};
