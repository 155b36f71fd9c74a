/* tests/support/golden_problem.h: a contact problem of golden/contact/problems: A, v*, J and
 * parameters of contacts. A contact becomes a patch whose columns are the rows of J in the linear
 * part and whose frame is the axes. */
#ifndef LIMPET_TEST_GOLDEN_PROBLEM_H
#define LIMPET_TEST_GOLDEN_PROBLEM_H

#include "contact/problem.h"
#include "shared_data.h"

enum { GOLDEN_PROBLEM_SIZE = 512 };  // velocities, rows of J, at most

typedef struct golden_problem {
  limpet_arena arena;
  limpet_contact_problem problem;
  int nv, nc;
  limpet_block block[GOLDEN_PROBLEM_SIZE];
  int dof_block[GOLDEN_PROBLEM_SIZE];
  double A[GOLDEN_PROBLEM_SIZE * GOLDEN_PROBLEM_SIZE], J[GOLDEN_PROBLEM_SIZE * GOLDEN_PROBLEM_SIZE],
      blocks[GOLDEN_PROBLEM_SIZE * GOLDEN_PROBLEM_SIZE];
  double v_star[GOLDEN_PROBLEM_SIZE], v_guess[GOLDEN_PROBLEM_SIZE], momentum[GOLDEN_PROBLEM_SIZE];
  limpet_contact_constants constants[GOLDEN_PROBLEM_SIZE];
  double row[18 * GOLDEN_PROBLEM_SIZE];
  int source[GOLDEN_PROBLEM_SIZE];
  limpet_patch patch[GOLDEN_PROBLEM_SIZE];
} golden_problem;

// A number of an object; INFINITY where it has none of that name.
double golden_problem_number(const json_t *object, const char *key);

/* Reads the problem: contacts with all constants but those of `prepare`. In an arena of its own,
 * which is to be destroyed. */
void golden_problem_load(golden_problem *f, const json_t *root);
/* The model of a key of the file, without its ending: "lagged_fixed_eps" is the law of lagged
 * without regularisation. Fills what the model prepares. NULL: there is no such model. */
const limpet_contact_model *golden_problem_prepare(golden_problem *f, const json_t *root,
                                                   const char *key);

#endif
