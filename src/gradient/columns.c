/* gradient/columns.c: columns of state and inputs: see columns.h.
 *
 *   q, v, control   in closed form (state_columns.h), or by differences (column_differences.h)
 *   stiffness       A += h^2 kp a a', A v* += h clamp(kp (u - l) + f0) a:
 *                   dr = h (h a'v - (u - l)) a,  h^2 a'v a at a limit
 *   force           in free flight as q, v: bias sees the velocity that forces make; otherwise
 *                   A v* += h f, -h at the velocity's own place, and no column is kept */
#include "gradient/columns.h"

#include "constraint/kind.h"
#include "gradient/state_columns.h"
#include "step/scheme.h"

// The world of the probe is at the start of the step, transmissions evaluated.
static limpet_status stiffness_columns(const limpet_probe *probe, limpet_arena *arena,
                                       limpet_columns *columns) {
  const limpet_model *model = probe->model;
  const limpet_residual *residual = probe->residual;
  const bool *included = residual->solved->motion.servo_included;
  const double h = probe->settings->time_step;
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->nu; ++i) {
    limpet_servo servo;
    columns->in_stiffness[i] = included && included[i] && limpet_probe_servo(probe, i, &servo);
    if (!columns->in_stiffness[i]) continue;
    ++columns->servo_count;
    double *column = columns->stiffness + (size_t)i * (size_t)residual->size, speed = 0.0;
    const int count = limpet_actuator_row(model, probe->data, i, dof, row);
    for (int k = 0; k < count; ++k) speed += row[k] * residual->v[dof[k]];
    const double force = servo.error + servo.offset;
    const double target = force > servo.lower && force < servo.upper ? servo.error / servo.kp : 0.0;
    for (int k = 0; k < count; ++k)
      column[limpet_residual_slot(residual, dof[k])] += h * (h * speed - target) * row[k];
  }
  return LIMPET_OK;
}

static limpet_status take(const limpet_probe *probe, const limpet_gradient_settings *settings,
                          bool by_change, limpet_arena *arena, limpet_columns *columns) {
  const size_t size = (size_t)probe->residual->size, nv = (size_t)probe->model->nv,
               nu = (size_t)probe->model->nu;
  const bool moving = settings->state && !probe->settings->scheme->from_rest;
  *columns = (limpet_columns){0};
  if (settings->state) columns->q = LIMPET_TAKE(arena, double, nv *size);
  if (moving) columns->v = LIMPET_TAKE(arena, double, nv *size);
  columns->kinked_q = LIMPET_TAKE_ZERO(arena, bool, nv);
  columns->kinked_v = LIMPET_TAKE_ZERO(arena, bool, nv);
  columns->kinked_force = LIMPET_TAKE_ZERO(arena, bool, nv);
  columns->kinked_control = LIMPET_TAKE_ZERO(arena, bool, nu);
  columns->by_differences = LIMPET_TAKE(arena, bool, nv);
  if (!columns->kinked_q || !columns->kinked_v || !columns->kinked_force ||
      !columns->kinked_control || !columns->by_differences)
    return LIMPET_ERROR_MEMORY;
  if (moving && columns->q && probe->residual->solved->motion.flight) {
    columns->impulse_q = LIMPET_TAKE(arena, double, 12 * nv);
    columns->impulse_v = columns->impulse_q + 6 * nv;
    columns->impulse_known = LIMPET_TAKE_ZERO(arena, bool, probe->model->tree_count);
    columns->flight = LIMPET_TAKE_ZERO(arena, limpet_tree_flight, probe->model->tree_count);
    columns->flight_room = LIMPET_TAKE(arena, double, LIMPET_FLIGHT_ROOM *nv);
    columns->control_force = LIMPET_TAKE_ZERO(arena, double, nu *nv);
    if (!columns->impulse_q || !columns->impulse_known || !columns->flight ||
        !columns->flight_room || !columns->control_force)
      return LIMPET_ERROR_MEMORY;
    if (by_change) {
      columns->change = LIMPET_TAKE_ZERO(arena, double, nv *size);
      columns->impulse_change = LIMPET_TAKE_ZERO(arena, double, 6 * nv);
      columns->change_known = LIMPET_TAKE_ZERO(arena, bool, probe->model->tree_count);
      if (!columns->change || !columns->impulse_change || !columns->change_known)
        return LIMPET_ERROR_MEMORY;
    }
  }
  if (settings->inputs) {
    columns->control = LIMPET_TAKE(arena, double, nu *size);
    if (probe->residual->solved->motion.flight)
      columns->force = LIMPET_TAKE(arena, double, nv *size);
    columns->stiffness = LIMPET_TAKE_ZERO(arena, double, nu *size);
    columns->in_stiffness = LIMPET_TAKE_ZERO(arena, bool, nu);
  }
  const bool none =
      (settings->state && !columns->q) || (moving && !columns->v) ||
      (settings->inputs && probe->residual->solved->motion.flight && !columns->force) ||
      (settings->inputs && (!columns->control || !columns->stiffness || !columns->in_stiffness));
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}

// What is filled by differences, one column after the other.
typedef struct filler {
  limpet_probe *probe;
  const limpet_gradient_settings *settings;
  limpet_arena *arena;
  limpet_columns *columns;
  double *other, *rest;      // (3 x size), (size)
  limpet_differing differs;  // columns that have no closed form
} filler;

static bool any(const bool *flags, int count) {
  for (int i = 0; i < count; ++i)
    if (flags[i]) return true;
  return false;
}

// Columns of the state in closed form, and which are left. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status closed_forms(filler *f) {
  const limpet_probe *probe = f->probe;
  const bool none = f->settings->differences || !probe->residual->smooth || !f->columns->q ||
                    probe->settings->scheme != &limpet_scheme_discrete;
  for (int i = 0; i < probe->model->nv; ++i) f->differs.state[i] = f->differs.force[i] = true;
  for (int i = 0; i < probe->model->nu; ++i) f->differs.control[i] = true;
  if (none) return LIMPET_OK;
  return limpet_state_columns(f->probe, LIMPET_SMOOTH_DIFFERENCE * f->settings->difference,
                              f->settings->difference, f->arena, f->columns, &f->differs);
}

static limpet_column_series series_of(const filler *f, const limpet_mover *m, int count,
                                      const bool *wanted, double *columns, bool *kinked) {
  return (limpet_column_series){.mover = m,
                                .count = count,
                                .arena = f->arena,
                                .wanted = wanted,
                                .columns = columns,
                                .kinked = kinked,
                                .other = f->other};
}

static limpet_residual_outcome fill_state(const filler *f) {
  const limpet_model *model = f->probe->model;
  limpet_data *data = f->probe->data;
  const double e = f->settings->difference;
  limpet_columns *columns = f->columns;
  limpet_mover pose, velocity;
  if (!any(f->differs.state, model->nv)) return LIMPET_RESIDUAL_DONE;
  if (limpet_mover_make(f->probe, data->q, model->nq, limpet_move_pose, f->arena, &pose) ||
      limpet_mover_make(f->probe, data->v, model->nv, limpet_move_number, f->arena, &velocity))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  const limpet_column_series q = series_of(f, &pose, model->nv, f->differs.state, columns->q,
                                           columns->kinked_q),
                             v = series_of(f, &velocity, model->nv, f->differs.state, columns->v,
                                           columns->kinked_v);
  if (columns->q) outcome = limpet_pose_differences(&q, e, f->rest);
  if (outcome == LIMPET_RESIDUAL_DONE && columns->v)
    outcome = limpet_velocity_differences(&v, e, f->rest);
  return outcome;
}

static limpet_residual_outcome fill_inputs(const filler *f) {
  const limpet_model *model = f->probe->model;
  limpet_data *data = f->probe->data;
  const double e = f->settings->difference;
  limpet_columns *columns = f->columns;
  limpet_mover force, control;
  if (limpet_mover_make(f->probe, data->applied_force, model->nv, limpet_move_number, f->arena,
                        &force) ||
      limpet_mover_make(f->probe, data->control, model->nu, limpet_move_number, f->arena, &control))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  const limpet_column_series forces = series_of(f, &force, model->nv, f->differs.force,
                                                columns->force, columns->kinked_force),
                             controls = series_of(f, &control, model->nu, f->differs.control,
                                                  columns->control, columns->kinked_control);
  if (columns->force) outcome = limpet_force_differences(&forces, e);
  if (outcome == LIMPET_RESIDUAL_DONE && columns->control)
    outcome = limpet_control_differences(
        &controls, f->probe->residual->smooth ? LIMPET_SMOOTH_DIFFERENCE * e : e, e);
  return outcome;
}

// The kinematics of the world, which differences leave where they moved it last.
static void look_back(const filler *f) {
  const limpet_model *model = f->probe->model;
  if (!any(f->differs.state, model->nv) && !any(f->differs.force, model->nv) &&
      !any(f->differs.control, model->nu))
    return;
  limpet_kinematics(model, f->probe->data);
  limpet_geom_kinematics(model, f->probe->data, false);
  limpet_velocity_kinematics(model, f->probe->data);
}

limpet_residual_outcome limpet_columns_fill(limpet_probe *probe,
                                            const limpet_gradient_settings *settings,
                                            bool by_change, limpet_arena *arena,
                                            limpet_columns *columns) {
  if (take(probe, settings, by_change, arena, columns)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  filler f = {.probe = probe,
              .settings = settings,
              .arena = arena,
              .columns = columns,
              .other = LIMPET_TAKE(arena, double, 3 * probe->residual->size),
              .rest = LIMPET_TAKE(arena, double, probe->residual->size),
              .differs = {.state = columns->by_differences,
                          .force = LIMPET_TAKE(arena, bool, probe->model->nv),
                          .control = LIMPET_TAKE(arena, bool, probe->model->nu)}};
  if (!f.other || !f.rest || !f.differs.force || !f.differs.control || closed_forms(&f))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  const bool differs = any(f.differs.state, probe->model->nv);
  limpet_residual_outcome outcome =
      differs ? limpet_probe_evaluate(probe, arena, f.rest) : LIMPET_RESIDUAL_DONE;
  if (outcome == LIMPET_RESIDUAL_DONE && columns->stiffness &&
      stiffness_columns(probe, arena, columns))
    outcome = LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = fill_state(&f);
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = fill_inputs(&f);
  if (outcome == LIMPET_RESIDUAL_DONE) look_back(&f);
  limpet_arena_release(arena, mark);
  return outcome;
}
