/* tests/dynamics/test_call_order.c: misuse is a bug and asserts: functions called before those that
 * fill what they read, indices out of range, worlds of another model, things that are not there.
 *
 * Each misuse runs in a child process, which must die of SIGABRT; its proper use beside it must
 * not. Builds without assertions skip this. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/block_sparse.h"
#include "model/workspace.h"
#include "small_world.h"

typedef struct world {
  limpet_model *model, *other;
  limpet_data *data;
  double numbers[4096];
} world;

// Each `use` is called twice: with `wrong` it does what must assert, without it what must not.
typedef void use_function(world *w, bool wrong);

static void mass_before_poses(world *w, bool wrong) {
  if (!wrong) limpet_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
}

static void bias_before_velocities(world *w, bool wrong) {
  limpet_kinematics(w->model, w->data);
  if (!wrong) limpet_velocity_kinematics(w->model, w->data);
  limpet_bias(w->model, w->data);
}

static void product_with_an_old_mass_matrix(world *w, bool wrong) {
  limpet_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
  if (wrong) limpet_kinematics(w->model, w->data);
  limpet_mass_mul(w->model, w->data, w->data->v, w->numbers);
}

static void passive_forces_before_tendons(world *w, bool wrong) {
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  if (!wrong) limpet_tendon_kinematics(w->model, w->data);
  limpet_passive_forces(w->model, w->data);
}

static void actuation_after_a_new_state(world *w, bool wrong) {
  limpet_forward_dynamics(w->model, w->data);
  limpet_data_state_read(w->model, w->data, w->numbers);
  if (wrong) limpet_data_state_write(w->model, w->data, w->numbers);
  limpet_actuation(w->model, w->data);
}

static void jacobian_of_no_body(world *w, bool wrong) {
  const double point[3] = {0.0, 0.0, 0.0};
  limpet_kinematics(w->model, w->data);
  limpet_jacobian(w->model, w->data, wrong ? w->model->body_count : 0, point, w->numbers);
}

static void data_of_another_model(world *w, bool wrong) {
  limpet_kinematics(wrong ? w->other : w->model, w->data);
}

static void keyframe_out_of_range(world *w, bool wrong) {
  if (wrong) limpet_data_reset_keyframe(w->model, w->data, w->model->keyframe_count);
  else limpet_data_reset(w->model, w->data);
}

static void description_that_is_not_there(world *w, bool wrong) {
  (void)w;
  limpet_builder *builder = limpet_builder_create();
  const limpet_geom_description geom = limpet_geom_description_default();
  limpet_builder_add_geom(builder, wrong ? NULL : &geom);
  limpet_builder_destroy(builder);
}

static void two_users_of_the_scratch(world *w, bool wrong) {
  limpet_workspace *workspace = w->data->workspace;
  limpet_scratch_begin(workspace, 1);
  if (!wrong) limpet_scratch_end(workspace);
  limpet_scratch_begin(workspace, 1);
  limpet_scratch_end(workspace);
}

static void arena_released_twice(world *w, bool wrong) {
  (void)w;
  limpet_arena arena;
  if (limpet_arena_create(&arena, 4096)) return;
  const limpet_arena_mark empty = limpet_arena_mark_now(&arena);
  limpet_arena_take(&arena, 100);
  const limpet_arena_mark full = limpet_arena_mark_now(&arena);
  limpet_arena_release(&arena, empty);
  if (wrong) limpet_arena_release(&arena, full);
  limpet_arena_destroy(&arena);
}

static void block_out_of_range(world *w, bool wrong) {
  (void)w;
  limpet_arena arena;
  if (limpet_arena_create(&arena, 4096)) return;
  const int size[1] = {2};
  int stride, transposed;
  limpet_block_cholesky *factor = limpet_block_cholesky_create(&arena, 1, size, 0, NULL);
  limpet_block_cholesky_block(factor, 0, wrong ? 1 : 0, &stride, &transposed);
  limpet_arena_destroy(&arena);
}

// How a child that uses a world so ends: 0, or the signal that killed it.
static int signal_of(use_function *use, bool wrong) {
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    if (wrong) fclose(stderr);  // what assert says would read like a failure
    world *w = calloc(1, sizeof *w);
    w->model = small_world(), w->other = small_world();
    w->data = limpet_data_create(w->model);
    use(w, wrong);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) assert_int_equal(WEXITSTATUS(status), 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void misuse_asserts(void **state) {
  (void)state;
#ifdef NDEBUG
  print_message("skipped: built without assertions\n");
  skip();
#endif
  static const struct {
    const char *name;
    use_function *use;
  } uses[] = {
#define USE(name) {#name, name}
      USE(mass_before_poses),
      USE(bias_before_velocities),
      USE(product_with_an_old_mass_matrix),
      USE(passive_forces_before_tendons),
      USE(actuation_after_a_new_state),
      USE(jacobian_of_no_body),
      USE(data_of_another_model),
      USE(keyframe_out_of_range),
      USE(description_that_is_not_there),
      USE(two_users_of_the_scratch),
      USE(arena_released_twice),
      USE(block_out_of_range),
#undef USE
  };
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; ++i) {
    const int proper = signal_of(uses[i].use, false), wrong = signal_of(uses[i].use, true);
    if (proper != 0 || wrong != SIGABRT)
      print_error("%s: signal %d in proper use, %d in misuse\n", uses[i].name, proper, wrong);
    assert_int_equal(proper, 0);
    assert_int_equal(wrong, SIGABRT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(misuse_asserts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
