/* constraint/kinds.c: the table of constraint kinds, and how their rows are put into the contact
 * problem. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "constraint/loop_load.h"
#include "contact/load.h"
#include "math/extremes.h"
#include "math/vec3.h"

#define ROW(name) &limpet_constraint_##name,
static const limpet_constraint_kind *const kinds[] = {LIMPET_CONSTRAINT_KIND_LIST(ROW) NULL};
#undef ROW

const limpet_constraint_kind *const *limpet_constraint_kinds(void) { return kinds; }

const limpet_descriptor *limpet_constraint_kind_descriptor(const limpet_constraint_kind *kind) {
  assert(kind);
  return &kind->descriptor;
}

void limpet_row_entries(limpet_row_builder *builder, int count, const int *dof, const double *value,
                        int stride) {
  for (int k = 0; k < count; ++k) limpet_row_add(builder, dof[k], value[k * stride]);
}

void limpet_row_entry(limpet_row_builder *builder, int dof, double value) {
  limpet_contact_problem *p = builder->problem;
  if (value == 0.0 || limpet_row_is_still(p, dof)) return;
  // a velocity counts once in a row
  for (int e = limpet_row_now(builder)->entry; e < p->entry_count; ++e)
    if (p->entry_dof[e] == dof) {
      p->entry_value[e] += value;
      return;
    }
  limpet_row_add(builder, dof, value);
}

int limpet_row_count_true(const bool *x, int count) {
  enum { WORD = 8 };
  int sum = 0, i = 0;
  for (; i + WORD <= count; i += WORD) {
    uint64_t word;
    memcpy(&word, x + i, WORD);
    sum += (int)((word * 0x0101010101010101u) >> 56);
  }
  for (; i < count; ++i) sum += x[i];
  return sum;
}

// [kg]  most of the loads of patches that a velocity moves.
static double load_on(const limpet_contact_problem *p, int dof) {
  double load = 0.0;
  for (int i = 0; i < p->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[i];
    for (int k = 0; k < patch->side_count && patch->load > load; ++k) {
      const limpet_patch_side *side = &patch->side[k];
      if (side->block != p->dof_block[dof]) continue;
      for (int j = 0; j < side->count; ++j)
        if (side->dof[j] == dof) load = patch->load;
    }
  }
  return load;
}

// [kg]  that hangs on the joint of a velocity within its tree.
static double mass_beyond(const limpet_model *model, int dof) {
  const int body = model->dof_body[dof];
  double sum = 0.0;
  for (int b = body; b < model->body_subtree_end[body]; ++b) sum += model->body_mass[b];
  return sum;
}

double limpet_row_hardness_of_loads(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  double hardness = 1.0;
  for (int e = limpet_row_now(builder)->entry; e < p->entry_count; ++e) {
    const int dof = p->entry_dof[e];
    const double load = load_on(p, dof), own = mass_beyond(builder->model, dof);
    if (own > 0.0) hardness = limpet_max(hardness, LIMPET_LOAD_SHARE * load / own);
  }
  return limpet_min(hardness, LIMPET_LOAD_HARDEST);
}

double limpet_row_return_share(const limpet_row_builder *builder, double size) {
  return limpet_row_share_at(builder, size, builder->settings->return_speed);
}

// [-]  of R where a limit leads back next to nothing of an error: its impulse at rest stays a
// number that rounds to less than what moves, 10^6/c of what the return takes
static const double firmest = 1e-6;

/* The law of a spring and damper, at most as stiff as near-rigid with the ratio beta and the weight
 * w. Where only a share of g counts, R falls by the same share: the speed of the return is bounded,
 * the force at rest, v_hat/R, is not. */
static void end_row(limpet_row_builder *builder, double beta, double w,
                    const limpet_row_spring *spring, double lower, double upper) {
  const double g = spring->g, bias = spring->bias, K = spring->K, C = spring->C,
               dt = builder->settings->dt,
               near_rigid =
                   beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) * w / limpet_row_hardness(builder);
  double share = spring->share;
  const double R = isinf(K) ? 0.0 : 1.0 / (dt * (dt * K + C));
  limpet_constraint_row *row = limpet_row_now(builder);
  row->bias = bias;
  row->led = spring->led > 0.0 ? spring->led : builder->settings->return_speed;
  if (R > near_rigid) {
    row->stiffness = K;
    limpet_row_end(builder, share * R, -K * (share * g + dt * bias) / (dt * K + C), lower, upper);
    return;
  }
  // what acts one way only keeps the whole distance that is left before it acts
  if (lower < 0.0 || g < 0.0) share *= limpet_row_share_at(builder, share * fabs(g), row->led);
  const bool bounded = spring->led > 0.0 && !isinf(builder->settings->length_return);
  const double firm = bounded ? limpet_max(share, firmest) : share;
  limpet_row_end(builder, firm * near_rigid, -share * g / (2.0 * dt) - bias, lower, upper);
}

void limpet_row_end_spring(limpet_row_builder *builder, const limpet_row_spring *spring,
                           double lower, double upper) {
  end_row(builder, builder->settings->constraint_ratio, limpet_row_weight(builder), spring, lower,
          upper);
}

void limpet_row_end_equality(limpet_row_builder *builder, double w,
                             const limpet_row_spring *spring) {
  end_row(builder, builder->settings->equality_ratio, w, spring, -INFINITY, INFINITY);
}

void limpet_row_joint(limpet_row_builder *builder, int joint, double factor) {
  limpet_row_entry(builder, builder->model->joint_v[joint], factor);
}

void limpet_row_tendon(limpet_row_builder *builder, int tendon, double factor) {
  const limpet_model *model = builder->model;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    limpet_row_entry(builder, model->tendon_dof[i], factor * builder->data->tendon_row[i]);
}

// inverse (nv): 1/A_ii; zero where a block is still.
static void inverse_of_diagonal(const limpet_contact_problem *problem, double *inverse) {
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    double *to = inverse + block->dof;
    if (!block->still) block->kind->diagonal(block, to);
    for (int i = 0; i < block->size; ++i) to[i] = block->still ? 0.0 : 1.0 / to[i];
  }
}

/* Weights of all blocks for loops, which contacts may have found already. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
static limpet_status weigh_all(const limpet_model *model, const limpet_data *data,
                               limpet_arena *arena, limpet_contact_problem *problem) {
  if (!problem->weighed) {
    problem->weighed = LIMPET_TAKE_ZERO(arena, bool, problem->block_count);
    if (!problem->weighed || limpet_problem_take_weights(problem, model, arena, &problem->weights))
      return LIMPET_ERROR_MEMORY;
  }
  for (int b = 0; b < problem->block_count; ++b) limpet_problem_weigh_once(problem, model, data, b);
  return LIMPET_OK;
}

bool limpet_constraints_passed(const limpet_model *model, const limpet_data *data,
                               const limpet_contact_problem *problem, const double *v,
                               double allowed) {
  for (int i = 0; kinds[i]; ++i)
    if (kinds[i]->passed && kinds[i]->passed(model, data, problem, v, allowed)) return true;
  return false;
}

limpet_status limpet_constraints_assemble(const limpet_model *model, limpet_data *data,
                                          const limpet_assembly_settings *settings,
                                          limpet_arena *arena, limpet_contact_problem *problem) {
  int rows = 0, entries = 0;
  for (int i = 0; kinds[i]; ++i) kinds[i]->room(model, &rows, &entries);
  double *inverse_diagonal = LIMPET_TAKE(arena, double, problem->nv);
  int *path_dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *path_column = LIMPET_TAKE(arena, double, 12 * model->nv);
  problem->row = LIMPET_TAKE(arena, limpet_constraint_row, rows + 1);
  problem->entry_dof = LIMPET_TAKE(arena, int, entries + 1);
  problem->entry_value = LIMPET_TAKE(arena, double, entries + 1);
  problem->row_count = problem->entry_count = 0;
  if (!inverse_diagonal || !path_dof || !path_column || !problem->row || !problem->entry_dof ||
      !problem->entry_value)
    return LIMPET_ERROR_MEMORY;
  if (rows == 0) return LIMPET_OK;
  inverse_of_diagonal(problem, inverse_diagonal);
  if (model->loop_count > 0 && weigh_all(model, data, arena, problem) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;

  limpet_row_builder builder = {.model = model,
                                .data = data,
                                .settings = settings,
                                .inverse_diagonal = inverse_diagonal,
                                .delassus = problem->weights,
                                .path_dof = path_dof,
                                .path_column = path_column,
                                .problem = problem};
  limpet_loop_load load;
  if (model->loop_count > 0 && problem->block_count > 1 && !settings->bare_loop_weight) {
    if (limpet_loop_load_make(model, data, problem, arena, &load) != LIMPET_OK)
      return LIMPET_ERROR_MEMORY;
    builder.load = &load;
  }
  for (int i = 0; kinds[i]; ++i) {
    builder.kind = i;
    kinds[i]->append(&builder);
  }
  return LIMPET_OK;
}
