/* fem/elastic_law.h: what an elastic law is, and the list of them.
 *
 * Laws are isotropic. With the signed singular value decomposition F = U diag(s) V' (U, V
 * rotations, s[0] >= s[1] >= |s[2]|; s[2] < 0 where the element is inverted) a law is its energy
 * density psi(s), and
 *   P = U diag(dpsi/ds) V'
 *   dP/dF in that frame: the block d2psi/ds2 on the diagonal entries, and for each pair i, j of
 *   entries ij, ji the eigenvalues
 *     stretch = (psi_i - psi_j)/(s_i - s_j)  of the symmetric change
 *     twist   = (psi_i + psi_j)/(s_i + s_j)  of the antisymmetric one
 * Laws that are linear during a step are instead
 *   P = R0 (2 mu e + lambda tr(e) I),  e = sym(R0' F) - I
 * with R0 = I or the rotation of F at the start of the step.
 * Source: Smith, de Goes, Kim, Analytic eigensystems for isotropic distortion energies (2019). */
#ifndef LIMPET_FEM_ELASTIC_LAW_H
#define LIMPET_FEM_ELASTIC_LAW_H

#include "limpet/fem.h"

typedef struct limpet_elastic_constants {
  double lambda, mu;  // [Pa]  as the law's energy has them
} limpet_elastic_constants;

// Derivatives of psi at one point; pairs are numbered by the index that they leave out.
typedef struct limpet_principal {
  double slope[3];      // [Pa]  dpsi/ds
  double curvature[6];  // [Pa]  d2psi/ds2: 00 01 02 11 12 22
  double stretch[3];    // [Pa]  pairs 12, 02, 01
  double twist[3];      // [Pa]
} limpet_principal;

// psi [J/m^3] at s; J1 = s0 s1 s2 - 1, which the caller may know more exactly.
typedef double limpet_principal_function(const limpet_elastic_constants *constants,
                                         const double s[3], double J1, limpet_principal *out);

struct limpet_elastic_law {
  limpet_descriptor descriptor;
  bool frozen;   // linear during a step: R0 stays
  bool rotates;  // such laws: R0 is the rotation of F at the start of the step, else the identity
  // NULL: linear whatever turns. Laws that are frozen and have one follow it from step to step, and
  // where a body comes to rest.
  limpet_principal_function *principal;
  // lambda - Lame's lambda, as a multiple of mu: so that small strains have E and nu as asked for
  double shift;
};

// Lame's constants of E [Pa] and nu, as `law` takes them.
limpet_elastic_constants limpet_elastic_constants_of(const limpet_elastic_law *law,
                                                     double youngs_modulus, double poissons_ratio);

// R (3 x 3): the rotation of F, proper where F is inverted.
void limpet_elastic_rotation(const double F[9], double R[9]);

/* Energy density [J/m^3] of the laws that are linear during a step at F, with R (3 x 3) in the
 * place of R0; P (3 x 3) [Pa]: first Piola stress, or NULL. */
double limpet_elastic_linear_energy(const limpet_elastic_constants *constants, const double R[9],
                                    const double F[9], double P[9]);

// All laws, in the order of lists. A new one is one line here: X(NAME) stands for
// limpet_elastic_law_NAME.
#define LIMPET_ELASTIC_LAW_LIST(X) \
  X(linear)                        \
  X(linear_corotated)              \
  X(corotated)                     \
  X(neo_hookean)                   \
  X(neo_hookean_drake)             \
  X(neo_hookean_log)

#define LIMPET_DECLARE_ELASTIC_LAW(name) extern const limpet_elastic_law limpet_elastic_law_##name;
LIMPET_ELASTIC_LAW_LIST(LIMPET_DECLARE_ELASTIC_LAW)
#undef LIMPET_DECLARE_ELASTIC_LAW

#endif
