/* tests/step/test_anchors.c: forces that contacts carry from step to step are found again by geoms
 * and by all 64 bits of the feature; a pair whose contacts all have new features keeps its forces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "small_world.h"
#include "step/anchors.h"

enum { CONTACTS = 7 };

static void contacts_find_what_they_carried(void **state) {
  (void)state;
  // equal but for geom A, geom B, the low half, the high half, the highest bit,
  // both halves of the feature
  static const struct {
    int a, b;
    uint64_t feature;
  } contacts[CONTACTS] = {{1, 2, 7},
                          {0, 2, 7},
                          {1, 3, 7},
                          {1, 2, 8},
                          {1, 2, 7 + (UINT64_C(5) << 32)},
                          {1, 2, 7 + (UINT64_C(1) << 63)},
                          {1, 2, UINT64_C(0xffffffffffffffff)}};
  limpet_model *model = small_world();
  model->options.anchor_count = CONTACTS;
  limpet_data *data = limpet_data_create(model);
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 14), 0);

  limpet_contact_pair pair[CONTACTS] = {0};
  limpet_contact_record record[CONTACTS] = {0};
  int source[CONTACTS];
  double carried[3 * CONTACTS];
  for (int i = 0; i < CONTACTS; ++i) {
    pair[i].geoms = (limpet_geom_pair){contacts[i].a, contacts[i].b, -1};
    record[i].pair = i;
    record[i].feature = contacts[i].feature;
    source[i] = CONTACTS - 1 - i;  // the problem has them the other way round
    for (int k = 0; k < 3; ++k) carried[3 * i + k] = 1.0 + 3 * i + k;
  }
  limpet_contact_records records = {
      .pair_count = CONTACTS, .count = CONTACTS, .pair = pair, .record = record};
  limpet_contact_problem problem = {.model = limpet_contact_model_find("pgs"),
                                    .contact_count = CONTACTS,
                                    .contact_source = source};
  limpet_anchors_store(data, &records, &problem, &(limpet_anchors_next){.carried = carried});

  // one step later in another order, one of them gone and one new
  for (int i = 0; i < CONTACTS; ++i) source[i] = (i + 2) % CONTACTS;
  record[3].feature = 1234;
  pair[3].geoms.geom_b = 4;
  assert_int_equal(limpet_anchors_load(data, &records, &arena, &problem), LIMPET_OK);
  for (int i = 0; i < CONTACTS; ++i) {
    const int before = CONTACTS - 1 - source[i];
    const double *found = problem.carried + 3 * i;
    for (int k = 0; k < 3; ++k)
      assert_true(found[k] == (source[i] == 3 ? 0.0 : carried[3 * before + k]));
  }
  limpet_arena_destroy(&arena);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Two pairs of three contacts, of which the second and the third carry. Of `kept` contacts of each
 * pair the feature stays; expected: places of the forces, -1: none. */
static void check_pairs(int kept, const int expected[6]) {
  enum { EACH = 3, ALL = 2 * EACH };
  static const double depth[2][EACH] = {{1e-3, 3e-3, 2e-3}, {-1e-3, -2e-3, 4e-3}};
  limpet_model *model = small_world();
  model->options.anchor_count = ALL;
  limpet_data *data = limpet_data_create(model);
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 14), 0);
  // first geoms that share a list
  limpet_contact_pair pair[2] = {{.geoms = {1, 70, -1}}, {.geoms = {65, 70, -1}}};
  limpet_contact_record record[ALL] = {0};
  int source[ALL];
  double carried[3 * ALL] = {0.0};
  for (int i = 0; i < ALL; ++i) {
    record[i] = (limpet_contact_record){
        .pair = i / EACH, .feature = (uint64_t)i, .distance = -depth[i / EACH][i % EACH]};
    source[i] = i;
    for (int k = 0; k < 3 && i % EACH > 0; ++k) carried[3 * i + k] = 1.0 + 3 * i + k;
  }
  limpet_contact_records records = {.pair_count = 2, .count = ALL, .pair = pair, .record = record};
  limpet_contact_problem problem = {
      .model = limpet_contact_model_find("pgs"), .contact_count = ALL, .contact_source = source};
  limpet_anchors_store(data, &records, &problem, &(limpet_anchors_next){.carried = carried});

  for (int i = 0; i < ALL; ++i)
    if (i % EACH < EACH - kept) record[i].feature += 100;
  assert_int_equal(limpet_anchors_load(data, &records, &arena, &problem), LIMPET_OK);
  for (int i = 0; i < ALL; ++i)
    for (int k = 0; k < 3; ++k)
      assert_true(problem.carried[3 * i + k] ==
                  (expected[i] < 0 ? 0.0 : carried[3 * expected[i] + k]));
  limpet_arena_destroy(&arena);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void pairs_of_new_features_press_on(void **state) {
  (void)state;
  // the last force to the deepest contact, the one before to the next
  check_pairs(0, (const int[]){-1, 2, 1, 4, -1, 5});
  check_pairs(1, (const int[]){-1, -1, 2, -1, -1, 5});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_find_what_they_carried),
                                     cmocka_unit_test(pairs_of_new_features_press_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
