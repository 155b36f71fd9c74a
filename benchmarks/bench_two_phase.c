/* benchmarks/bench_two_phase.c: time of both phases of the two-phase method against the number of
 * contacts: a cube (1 kg, 1 m) with a grid of contacts below that hits a plane, sliding and
 * spinning. Literal: with a slack of 1e-2, so that phase two has something to do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law/contact_model_list.h"
#include "math/vec3.h"
#include "measure.h"
#include "solve/two_phase.h"

enum { MOST = 256 };

typedef struct world {
  limpet_arena arena;
  limpet_contact_problem problem;
  double A[36], v[6];
  limpet_block block;
  int dof_block[6];
  limpet_contact_space space;
  limpet_two_phase phases;
} world;

static void fill(world *w, bool literal, int side, const double v[6]) {
  const int n = side * side;
  *w = (world){.block = {.kind = &limpet_block_tree, .size = 6, .matrix = w->A, .island = -1}};
  limpet_arena_create(&w->arena, 1 << 24);
  for (int i = 0; i < 6; ++i) w->A[7 * i] = i < 3 ? 1.0 / 6.0 : 1.0, w->v[i] = v[i];
  limpet_contact_problem *p = &w->problem;
  *p = (limpet_contact_problem){.model = literal ? &limpet_contact_model_two_phase_literal.head
                                                 : &limpet_contact_model_two_phase.head,
                                .dt = 1e-3,
                                .nv = 6,
                                .block_count = 1,
                                .block = &w->block,
                                .dof_block = w->dof_block,
                                .v_free = w->v,
                                .v_start = w->v};
  p->patch = LIMPET_TAKE(&w->arena, limpet_patch, 1);
  p->constants = LIMPET_TAKE_ZERO(&w->arena, limpet_contact_constants, n);
  p->contact_row = LIMPET_TAKE_ZERO(&w->arena, double, 18 * n);
  p->contact_source = LIMPET_TAKE_ZERO(&w->arena, int, n);
  p->row = LIMPET_TAKE(&w->arena, limpet_constraint_row, 1);
  p->entry_dof = LIMPET_TAKE(&w->arena, int, 1);
  p->entry_value = LIMPET_TAKE(&w->arena, double, 1);
  limpet_patch *patch = &p->patch[p->patch_count++];
  *patch = (limpet_patch){.contact_count = n, .side_count = 1};
  patch->side[0] = (limpet_patch_side){.count = 6,
                                       .dof = LIMPET_TAKE(&w->arena, int, 6),
                                       .column = LIMPET_TAKE_ZERO(&w->arena, double, 36)};
  for (int i = 0; i < 6; ++i) patch->side[0].dof[i] = i, patch->side[0].column[7 * i] = 1.0;
  for (int c = 0; c < n; ++c) {
    const double lever[3] = {(double)(c % side) / (side - 1) - 0.5,
                             (double)(c / side) / (side - 1) - 0.5, -0.5};
    double *row = p->contact_row + 18 * c;
    for (int e = 0; e < 3; ++e) {
      row[6 * e + 3 + e] = 1.0;
      limpet_vec3_cross(row + 6 * e, lever, row + 6 * e + 3);
    }
    double speed = 0.0;
    for (int i = 0; i < 6; ++i) speed += row[12 + i] * v[i];
    p->constants[c] =
        (limpet_contact_constants){.dt = 1e-3, .friction = 0.5, .normal_speed = speed};
  }
  p->settings.bound_slack = literal ? 1e-2 : 1e-6;
  p->contact_count = n;
  if (limpet_problem_partition(p, &w->arena) ||
      limpet_contact_space_create(&w->space, p, 0, &w->arena) ||
      limpet_contact_space_fill(&w->space))
    exit(1);
  w->phases = (limpet_two_phase){.space = &w->space, .literal = literal};
  limpet_two_phase_lay_out(&w->phases, literal, n, 0, 6, w->space.memory);
}

int main(void) {
  static const double v[6] = {0.1, 0.2, 0.3, 3.0, 1.0, -1.0};
  printf("%-9s %9s %12s %12s %9s %8s   exponents of both since the line above\n", "", "contacts",
         "phase 1", "phase 2", "outcome", "steps");
  for (int literal = 0; literal < 2; ++literal) {
    double last[2] = {0.0, 0.0};
    int before = 0;
    for (int side = 2; side * side <= MOST; side *= 2) {
      static world w;
      double best[2] = {INFINITY, INFINITY};
      int steps = 0;
      bool solved = true;
      const int rounds = side < 16 ? 20 : 3;
      for (int round = 0; round < rounds; ++round) {
        fill(&w, literal, side, v);
        const double start = now();
        solved &= limpet_two_phase_condense(&w.phases) == LIMPET_OUTCOME_SOLVED;
        solved &= limpet_two_phase_normals(&w.phases) == LIMPET_OUTCOME_SOLVED;
        const double middle = now();
        solved &= limpet_two_phase_friction(&w.phases) == LIMPET_OUTCOME_SOLVED;
        best[0] = fmin(best[0], middle - start), best[1] = fmin(best[1], now() - middle);
        steps = w.space.counts.barrier_iterations;
        limpet_arena_destroy(&w.arena);
      }
      const int n = side * side;
      printf("%-9s %9d %9.3f ms %9.3f ms %9s %8d", literal ? "literal" : "repaired", n,
             1e3 * best[0], 1e3 * best[1], solved ? "solved" : "not solved", steps);
      if (before)
        printf("   %.2f %.2f", log(best[0] / last[0]) / log((double)n / before),
               log(best[1] / last[1]) / log((double)n / before));
      printf("\n");
      before = n, last[0] = best[0], last[1] = best[1];
    }
  }
  return 0;
}
