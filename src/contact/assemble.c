/* contact/assemble.c: contact points grouped into patches, with Jacobians, frames, Delassus estimates and laws.
 *
 *   patch      all contacts between two rigid units; its point is their mean
 *   column     motion of the point per unit of velocity, S = [w; v + w x (point - origin)], + for B, - for A
 *   W          [r x e, e], e = t1, t2, n; r from the patch's point to the contact point
 *   Delassus   w = ||W (sum S S'/A_ii) W'||_F / 3                                     (shared golden contact README, "A step")
 *   near-rigid k = 4 pi^2/(beta^2 dt^2 w): the contact's period is beta steps
 * Cost: 6 numbers a column, 40 a contact; the 6 x 6 sum once per patch. */
#include "contact/assemble.h"

#include <math.h>
#include <string.h>

#include "contact/curved_path.h"
#include "contact/impedance.h"
#include "contact/material.h"
#include "math/spatial.h"

static const double standard_gravity = 9.80665;  // [m/s^2]

// Patches by first appearance: where each contact goes, and how many each patch has.
typedef struct grouping {
  int patch_count;
  int *unit;      // (patches x 2)
  int *count;     // (patches)
  int *patch_of;  // (collision contacts)
} grouping;

static uint32_t slot_of(int a, int b, uint32_t mask) {
  return (uint32_t)(((uint64_t)(uint32_t)a * 0x9e3779b97f4a7c15ull + (uint64_t)(uint32_t)b * 0xc2b2ae3d27d4eb4full) >> 33) &
         mask;
}

static int group_contacts(const limpet_model *model, const limpet_collision *collision, limpet_arena *arena, grouping *g) {
  const int n = collision->contact_count;
  uint32_t size = 16;
  while (size < 2u * (uint32_t)n) size *= 2;
  int *table = LIMPET_TAKE(arena, int, size);
  g->unit = LIMPET_TAKE(arena, int, 2 * n);
  g->count = LIMPET_TAKE(arena, int, n);
  g->patch_of = LIMPET_TAKE(arena, int, n);
  g->patch_count = 0;
  if (!table || !g->unit || !g->count || !g->patch_of) return 1;
  memset(table, 0xff, size * sizeof *table);

  for (int i = 0; i < n; ++i) {
    const limpet_collision_pair *pair = &collision->pair[collision->contact[i].pair];
    const int a = model->body_weld[model->geom_body[pair->geom_a]], b = model->body_weld[model->geom_body[pair->geom_b]];
    uint32_t slot = slot_of(a, b, size - 1);
    int patch;
    while ((patch = table[slot]) >= 0 && (g->unit[2 * patch] != a || g->unit[2 * patch + 1] != b))
      slot = (slot + 1) & (size - 1);
    if (patch < 0) {
      patch = table[slot] = g->patch_count++;
      g->unit[2 * patch] = a, g->unit[2 * patch + 1] = b;
      g->count[patch] = 0;
    }
    g->patch_of[i] = patch;
    ++g->count[patch];
  }
  return 0;
}

// Column of velocity `dof` for a point: motion about the point, times sign.
static void column_of(const limpet_data *data, int dof, const double lever[3], double sign, double column[6]) {
  const double *S = data->dof_axis + 6 * dof;
  double turn[3];
  limpet_vec3_cross(turn, S, lever);
  for (int i = 0; i < 3; ++i) column[i] = sign * S[i], column[3 + i] = sign * (S[3 + i] + turn[i]);
}

static int path_length(const limpet_model *model, int unit) {
  int length = 0;
  for (int dof = model->body_last_dof[unit]; dof >= 0; dof = model->dof_parent[dof]) ++length;
  return length;
}

// Appends the columns of the path from `dof` up to (not including) `stop`, in ascending order.
static void append_path(const limpet_model *model, const limpet_data *data, limpet_patch_side *side, int dof, int stop,
                        const double point[3], double sign) {
  int count = 0;
  for (int d = dof; d != stop; d = model->dof_parent[d]) ++count;
  double lever[3];
  if (count > 0) limpet_vec3_sub(lever, point, data->tree_origin + 3 * side->tree);
  int k = side->count + count;
  for (int d = dof; d != stop; d = model->dof_parent[d]) {
    --k;
    side->dof[k] = d;
    column_of(data, d, lever, sign, side->column + 6 * k);
  }
  side->count += count;
}

static int common_dof(const limpet_model *model, int a, int b) {
  while (a != b) {
    if (a > b) a = model->dof_parent[a];
    else b = model->dof_parent[b];
  }
  return a;
}

// Sides and columns of the patch between two rigid units.
static int patch_columns(const limpet_model *model, const limpet_data *data, int unit_a, int unit_b, limpet_arena *arena,
                         limpet_patch *patch) {
  const int units[2] = {unit_a, unit_b};
  int last[2], tree[2];
  for (int i = 0; i < 2; ++i) {
    last[i] = model->body_last_dof[units[i]];
    tree[i] = last[i] >= 0 ? model->dof_tree[last[i]] : -1;
  }
  const int same = tree[0] == tree[1];
  const int stop = same ? common_dof(model, last[0], last[1]) : -1;
  const int room = path_length(model, unit_a) + path_length(model, unit_b);
  int *dof = LIMPET_TAKE(arena, int, room);
  double *column = LIMPET_TAKE(arena, double, 6 * room);
  if (!dof || !column) return 1;

  patch->side_count = 0;
  limpet_patch_side *side = NULL;
  for (int i = 0; i < 2; ++i) {
    if (tree[i] < 0) continue;
    if (!side || !same) {
      side = &patch->side[patch->side_count++];
      *side = (limpet_patch_side){.tree = tree[i], .dof = dof, .column = column};
    }
    append_path(model, data, side, last[i], stop, patch->point, i == 0 ? -1.0 : 1.0);
    dof = side->dof + side->count, column = side->column + 6 * side->count;
  }
  return 0;
}

static void add_outer(double D[36], double factor, const double S[6]) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) D[6 * i + j] += factor * S[i] * S[j];
}

static bool turns_free(const limpet_model *model, int dof) {
  const int joint = model->dof_joint[dof];
  return model->joint_kind[joint] == LIMPET_JOINT_FREE && dof - model->joint_v[joint] == 3;
}

/* D (6 x 6) = sum S S'/A_ii, and the patch's spatial velocities for v0 and v*. Rotations of a free joint count in world axes,
 * so that the estimate does not turn with the body. */
static void patch_sums(const limpet_model *model, const limpet_data *data, const limpet_patch *patch,
                       const double *inverse_diagonal, const double *v_free, double D[36], double V0[6], double V_free[6]) {
  memset(D, 0, 36 * sizeof *D);
  limpet_spatial_zero(V0);
  limpet_spatial_zero(V_free);
  for (int s = 0; s < patch->side_count; ++s) {
    const limpet_patch_side *side = &patch->side[s];
    for (int k = 0; k < side->count; ++k) {
      limpet_spatial_addmul(V0, data->v[side->dof[k]], side->column + 6 * k);
      limpet_spatial_addmul(V_free, v_free[side->dof[k]], side->column + 6 * k);
    }
    for (int k = 0; k < side->count; ++k) {
      const double *S = side->column + 6 * k;
      const int dof = side->dof[k];
      if (!turns_free(model, dof)) {
        add_outer(D, inverse_diagonal[dof], S);
        continue;
      }
      const double *R = data->body_rotation + 9 * model->dof_body[dof];
      for (int i = 0; i < 3; ++i) {
        double turned[6] = {0};
        for (int j = 0; j < 3; ++j) limpet_spatial_addmul(turned, R[3 * i + j], S + 6 * j);
        add_outer(D, inverse_diagonal[dof + i], turned);
      }
      k += 2;
    }
  }
}

// 1/A_ii, with the rotations of free joints in world axes.
static void diagonal_inverse(const limpet_model *model, const limpet_data *data, const double *A, double *inverse) {
  for (int t = 0; t < model->tree_count; ++t) {
    const int first = model->tree_dof[t], n = model->tree_dof_count[t];
    const double *block = A + model->tree_mass[t];
    for (int k = 0; k < n; ++k) inverse[first + k] = 1.0 / block[k * n + k];
    if (model->joint_kind[model->dof_joint[first]] != LIMPET_JOINT_FREE) continue;
    const double *R = data->body_rotation + 9 * model->dof_body[first];
    for (int i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) sum += R[3 * i + j] * block[(3 + j) * n + 3 + k] * R[3 * i + k];
      inverse[first + 3 + i] = 1.0 / sum;
    }
  }
}

// Rows W of a contact frame at a point r away from the patch's point.
static void contact_rows(double W[18], const double frame[9], const double r[3]) {
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(W + 6 * e, r, frame + 3 * e);
    limpet_vec3_copy(W + 6 * e + 3, frame + 3 * e);
  }
}

static double delassus_of(const double W[18], const double D[36]) {
  double T[18], sum = 0.0;
  for (int e = 0; e < 3; ++e)
    for (int j = 0; j < 6; ++j) {
      double t = 0.0;
      for (int i = 0; i < 6; ++i) t += W[6 * e + i] * D[6 * i + j];
      T[6 * e + j] = t;
    }
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) {
      const double x = limpet_spatial_dot(T + 6 * e, W + 6 * f);
      sum += x * x;
    }
  return sqrt(sum) / 3.0;
}

/* Stiffness and dissipation of a contact. An impedance that an author set becomes its static stiffness, and the dissipation
 * that gives MuJoCo's damping at the depth where the contact carries its effective mass; both at most near-rigid: more
 * dissipation would cut friction off at the first trembling of the normal velocity. */
static void law_stiffness(const limpet_model *model, const limpet_assembly_settings *settings,
                          const limpet_collision_pair *pair, const limpet_pair_material *material, double phi,
                          limpet_contact_law *law) {
  const double beta = settings->near_rigid_ratio, dt = settings->dt;
  const double near_rigid = 4.0 * LIMPET_PI * LIMPET_PI / (beta * beta * dt * dt * law->delassus);
  law->stiffness = material->stiffness;
  law->dissipation = material->dissipation;
  if (material->has_impedance) {
    const double weight = model->body_inverse_weight[2 * model->geom_body[pair->geom_a]] +
                          model->body_inverse_weight[2 * model->geom_body[pair->geom_b]];
    double K, C;
    limpet_impedance_stiffness(&material->impedance, fmin(phi, 0.0), dt, weight, &K, &C);
    if (K < near_rigid && weight > 0.0) {
      law->stiffness = K;
      law->dissipation = fmin(law->dissipation, C * weight / standard_gravity);  // C/(K x) at the depth x = g/(weight K)
    }
  }
  if (isinf(law->stiffness)) law->stiffness = near_rigid;
}

// Frame, rows and law of one contact; returns 0 when it cannot close within the step and is left out.
static int contact_law(const limpet_model *model, const limpet_assembly_settings *settings, const limpet_collision_pair *pair,
                       const limpet_contact_point *point, const double patch_point[3], const double D[36], const double V0[6],
                       const double V_free[6], double W[18], limpet_contact_law *law) {
  const limpet_pair_material material =
      limpet_material_combine(model, settings->rigid_stiffness, pair->geom_a, pair->geom_b, pair->pair);
  double frame[9], r[3];
  limpet_vec3_copy(frame + 6, point->normal);
  limpet_vec3_tangents(frame, frame + 3, frame + 6);
  for (int i = 0; i < 3; ++i)
    r[i] = material.share_a * point->on_a[i] + (1.0 - material.share_a) * point->on_b[i] - patch_point[i];
  contact_rows(W, frame, r);

  // margins let a contact act before it touches; what lies in the gap beyond is only reported
  const double phi = point->distance - pair->margin;
  const double speed = limpet_spatial_dot(W + 12, V0), speed_free = limpet_spatial_dot(W + 12, V_free);
  if (phi > settings->speculative_distance &&
      phi + 2.0 * settings->dt * fmin(speed, speed_free) > settings->speculative_distance)
    return 0;

  *law = (limpet_contact_law){.dt = settings->dt, .friction = material.friction, .normal_speed = speed};
  law->delassus = delassus_of(W, D);
  law_stiffness(model, settings, pair, &material, phi, law);
  law->elastic_force = -law->stiffness * phi;
  law->distance = phi;
  law->relaxation_time = material.relaxation_time;
  return 1;
}

int limpet_contacts_assemble(const limpet_model *model, const limpet_data *data, const limpet_assembly_settings *settings,
                             const limpet_collision *collision, limpet_arena *arena, limpet_contact_problem *problem) {
  const int n = collision->contact_count;
  grouping g;
  double *inverse_diagonal = LIMPET_TAKE(arena, double, model->nv);
  int *order = LIMPET_TAKE(arena, int, n);
  if (!inverse_diagonal || !order || group_contacts(model, collision, arena, &g)) return 1;
  problem->patch = LIMPET_TAKE(arena, limpet_patch, g.patch_count);
  problem->law = LIMPET_TAKE(arena, limpet_contact_law, n);
  problem->contact_row = LIMPET_TAKE(arena, double, 18 * n);
  problem->contact_source = LIMPET_TAKE(arena, int, n);
  problem->contact_bias = settings->curved_paths ? LIMPET_TAKE(arena, double, 2 * n) : NULL;
  problem->patch_count = problem->contact_count = 0;
  if (!problem->patch || !problem->law || !problem->contact_row || !problem->contact_source ||
      (settings->curved_paths && !problem->contact_bias))
    return 1;
  diagonal_inverse(model, data, problem->A, inverse_diagonal);

  // contacts in the order of their patches
  int begin = 0;
  for (int i = 0; i < g.patch_count; ++i) {
    const int count = g.count[i];
    g.count[i] = begin;
    begin += count;
  }
  for (int i = 0; i < n; ++i) order[g.count[g.patch_of[i]]++] = i;

  for (int i = 0, first = 0; i < g.patch_count; first = g.count[i++]) {
    const int end = g.count[i];
    limpet_patch *patch = &problem->patch[problem->patch_count];
    limpet_vec3_zero(patch->point);
    for (int k = first; k < end; ++k) {
      const limpet_contact_point *point = &collision->contact[order[k]].point;
      for (int j = 0; j < 3; ++j) patch->point[j] += 0.5 / (end - first) * (point->on_a[j] + point->on_b[j]);
    }
    if (patch_columns(model, data, g.unit[2 * i], g.unit[2 * i + 1], arena, patch)) return 1;
    double D[36], V0[6], V_free[6];
    patch_sums(model, data, patch, inverse_diagonal, problem->v_free, D, V0, V_free);

    double bias[6];
    if (problem->contact_bias)
      limpet_curved_path_bias(model, data, g.unit[2 * i], g.unit[2 * i + 1], patch->point, settings->dt, bias);

    patch->contact = problem->contact_count;
    for (int k = first; k < end; ++k) {
      const limpet_collision_contact *contact = &collision->contact[order[k]];
      const int to = problem->contact_count;
      if (!contact_law(model, settings, &collision->pair[contact->pair], &contact->point, patch->point, D, V0, V_free,
                       problem->contact_row + 18 * to, &problem->law[to]))
        continue;
      problem->model->prepare(&problem->law[to], &settings->constants);
      problem->contact_source[to] = order[k];
      if (problem->contact_bias)
        for (int e = 0; e < 2; ++e)
          problem->contact_bias[2 * to + e] = limpet_spatial_dot(problem->contact_row + 18 * to + 6 * e, bias);
      ++problem->contact_count;
    }
    patch->contact_count = problem->contact_count - patch->contact;
    if (patch->contact_count > 0 && patch->side_count > 0) ++problem->patch_count;
    else problem->contact_count = patch->contact;
  }
  return 0;
}
