/* tests/constraint/test_rows_over_trees.c: rows that join several trees give the same step whether
 * their island is factored dense or block-sparse.
 *
 * Tolerance: both solve to a relative residual of 1e-6; in a quadratic problem Newton's method ends
 * at rounding, so the velocities, of order 1, agree to 1e-9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "shared_data.h"
#include "small_models.h"

enum {
  CHAINS = 4,
  HINGES = 12
};  // of each chain: enough for a block of its own in the sparse factor

// Chains of hinges, each a tree of its own, whose first hinges hang on one tendon that does not
// change its length.
static limpet_model *tied_chains(void) {
  limpet_builder *builder = limpet_builder_create();
  limpet_tendon_term terms[CHAINS];
  for (int c = 0; c < CHAINS; ++c) {
    int body = 0;
    for (int i = 0; i < HINGES; ++i) {
      body = small_body(builder, NULL, body, 0.1, 0.0, i == 0 ? c : 0.0);
      const int joint = small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, 0.0, 1.0, 0.0);
      limpet_geom_description *geom =
          limpet_builder_geom(builder, small_sphere(builder, body, 1.0, 0.02));
      geom->contype = geom->conaffinity = 0;
      geom->position[0] = 0.1;
      if (i == 0) terms[c] = (limpet_tendon_term){joint, c % 2 ? -0.5 * c : 1.0 + c};
    }
  }
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.term_count = CHAINS;
  tendon.terms = terms;
  limpet_coupler_description coupler = limpet_coupler_description_default();
  coupler.tendon = true;
  coupler.y = limpet_builder_add_tendon(builder, &tendon);
  limpet_builder_add_coupler(builder, &coupler);
  return small_compile(builder);
}

// Velocities after 20 steps.
static void fall(const limpet_model *model, int dense_limit, double v[CHAINS * HINGES]) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.dense_limit = dense_limit;
  for (int i = 0; i < 20; ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(data->info.largest_island, CHAINS * HINGES);
  for (int i = 0; i < model->nv; ++i) v[i] = data->v[i];
  limpet_data_destroy(data);
}

// Every two trees of a tendon meet in its row, not only the first with each other.
static void a_tendon_joins_every_two_of_its_trees(void **state) {
  (void)state;
  limpet_model *model = tied_chains();
  assert_non_null(model);
  double dense[CHAINS * HINGES], sparse[CHAINS * HINGES];
  fall(model, CHAINS * HINGES, dense);
  fall(model, 0, sparse);
  assert_true(arrays_agree("velocities", sparse, dense, CHAINS * HINGES, 1e-9));
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_tendon_joins_every_two_of_its_trees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
