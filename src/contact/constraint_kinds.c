/* contact/constraint_kinds.c: the table of constraint kinds, and how their rows are put into the contact problem. */
#include <math.h>

#include "contact/constraint_kind.h"
#include "math/vec3.h"

static const limpet_constraint_kind *const kinds[] = {
    &limpet_constraint_joint_limit,  &limpet_constraint_actuator,     &limpet_constraint_coupler,
    &limpet_constraint_dry_friction, &limpet_constraint_tendon_limit, NULL,
};

const limpet_constraint_kind *const *limpet_constraint_kinds(void) { return kinds; }

const limpet_descriptor *limpet_constraint_kind_descriptor(const limpet_constraint_kind *kind) { return &kind->descriptor; }

void limpet_row_begin(limpet_row_builder *builder, int target) {
  limpet_contact_problem *p = builder->problem;
  p->row[p->row_count] = (limpet_constraint_row){.kind = builder->kind, .target = target, .entry = p->entry_count};
}

void limpet_row_entry(limpet_row_builder *builder, int dof, double value) {
  limpet_contact_problem *p = builder->problem;
  if (value == 0.0) return;
  // a velocity counts once in a row
  for (int e = p->row[p->row_count].entry; e < p->entry_count; ++e)
    if (p->entry_dof[e] == dof) {
      p->entry_value[e] += value;
      return;
    }
  p->entry_dof[p->entry_count] = dof;
  p->entry_value[p->entry_count++] = value;
}

double limpet_row_weight(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  double w = 0.0;
  for (int e = p->row[p->row_count].entry; e < p->entry_count; ++e)
    w += p->entry_value[e] * p->entry_value[e] * builder->inverse_diagonal[p->entry_dof[e]];
  return w;
}

void limpet_row_end(limpet_row_builder *builder, double R, double v_hat, double lower, double upper) {
  limpet_contact_problem *p = builder->problem;
  limpet_constraint_row *row = &p->row[p->row_count];
  row->entry_count = p->entry_count - row->entry;
  if (row->entry_count == 0 || !(R > 0.0) || isinf(R)) {  // nothing that it could move or that moves it
    p->entry_count = row->entry;
    return;
  }
  row->R_inverse = 1.0 / R, row->v_hat = v_hat, row->lower = lower, row->upper = upper;
  ++p->row_count;
}

double limpet_row_near_rigid_error(const limpet_row_builder *builder, double g) {
  const double largest = 2.0 * builder->settings->dt * builder->settings->return_speed;
  return fmin(fmax(g, -largest), largest);
}

void limpet_row_end_spring(limpet_row_builder *builder, double g, double K, double C, double lower, double upper) {
  const double dt = builder->settings->dt, beta = builder->settings->constraint_ratio;
  const double near_rigid = beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) * limpet_row_weight(builder);
  const double R = isinf(K) ? 0.0 : 1.0 / (dt * (dt * K + C));
  if (R > near_rigid) limpet_row_end(builder, R, -K * g / (dt * K + C), lower, upper);
  else limpet_row_end(builder, near_rigid, -g / (2.0 * dt), lower, upper);
}

void limpet_row_joint(limpet_row_builder *builder, int joint, double factor) {
  limpet_row_entry(builder, builder->model->joint_v[joint], factor);
}

void limpet_row_tendon(limpet_row_builder *builder, int tendon, double factor) {
  const limpet_model *model = builder->model;
  for (int i = model->tendon_begin[tendon]; i < model->tendon_begin[tendon + 1]; ++i)
    limpet_row_joint(builder, model->tendon_joint[i], factor * model->tendon_coefficient[i]);
}

int limpet_constraints_assemble(const limpet_model *model, limpet_data *data, const limpet_assembly_settings *settings,
                                limpet_arena *arena, limpet_contact_problem *problem) {
  int rows = 0, entries = 0;
  for (int i = 0; kinds[i]; ++i) kinds[i]->room(model, &rows, &entries);
  double *inverse_diagonal = LIMPET_TAKE(arena, double, model->nv);
  problem->row = LIMPET_TAKE(arena, limpet_constraint_row, rows + 1);
  problem->entry_dof = LIMPET_TAKE(arena, int, entries + 1);
  problem->entry_value = LIMPET_TAKE(arena, double, entries + 1);
  problem->row_count = problem->entry_count = 0;
  if (!inverse_diagonal || !problem->row || !problem->entry_dof || !problem->entry_value) return 1;
  for (int t = 0; t < model->tree_count; ++t)
    for (int k = 0, m = model->tree_dof_count[t]; k < m; ++k)
      inverse_diagonal[model->tree_dof[t] + k] = 1.0 / problem->A[model->tree_mass[t] + k * m + k];

  limpet_row_builder builder = {model, data, settings, inverse_diagonal, problem, 0};
  for (int i = 0; kinds[i]; ++i) {
    builder.kind = i;
    kinds[i]->append(&builder);
  }
  return 0;
}
