/* model/reference_mass.c: mass matrix at the reference pose, factored tree by tree.
 *
 *   composite inertias:  I^c_b = I_b + sum over children I^c          (6 x 6 as ten numbers, about
 *                        the tree's origin O, in W)
 *   mass matrix:         M_jk = s_k' I^c_{b(j)} s_j, k on the path from j to the world; + armature
 *                        of joints; + a a' armature of tendons
 *   factor:              M = L' D L, L unit lower triangular: keeps the zeros between branches
 *                        (Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.5); zeros are
 *                        skipped entry by entry, so tendons between branches of a tree fill in as
 *                        needed
 *   product:             a M^-1 a' = y' D^-1 y with L' y = a'
 * s = [axis; velocity of the body point at O] per unit of velocity (6). Joints stand at their
 * reference, where they displace nothing, so a body's pose is that of the file. Departure: armature
 * of tendons that couples two trees is left out (M is block diagonal by tree), and a pivot that
 * vanishes becomes 1e-15, both as in MuJoCo; each is noted in the model.
 * Cost: O(n d^2) for n velocities and depth d, n^2 numbers for each tree. */
#include "model/reference_mass.h"

#include <string.h>

#include "math/quaternion.h"
#include "math/spatial.h"
#include "model/tendon_path.h"

static const double LEAST_PIVOT = 1e-15;

static void com_of(const limpet_reference_mass *mass, int b, double com[3]) {
  limpet_quaternion_rotate(com, mass->body_quaternion + 4 * b, mass->model->body_com + 3 * b);
  limpet_vec3_add(com, com, mass->body_position + 3 * b);
}

static void fill_composites(limpet_reference_mass *mass) {
  const limpet_model *model = mass->model;
  for (int t = 0; t < model->tree_count; ++t)
    com_of(mass, model->tree_body[t], mass->origin + 3 * t);
  for (int b = 0; b < model->body_count; ++b) {
    if (model->body_tree[b] < 0) continue;
    double R[9], RI[9], I[9], c[3];
    limpet_quaternion_to_matrix(R, mass->body_quaternion + 4 * b);
    limpet_mat3_mul(RI, R, model->body_inertia + 9 * b);
    limpet_mat3_mul_t(I, RI, R);
    com_of(mass, b, c);
    limpet_vec3_sub(c, c, mass->origin + 3 * model->body_tree[b]);
    limpet_spatial_inertia(mass->composite + 10 * b, model->body_mass[b], c, I);
  }
  for (int b = model->body_count - 1; b > 0; --b) {
    const int parent = model->body_parent[b];
    if (model->body_tree[b] < 0 || model->body_tree[parent] < 0) continue;
    for (int k = 0; k < 10; ++k) mass->composite[10 * parent + k] += mass->composite[10 * b + k];
  }
}

static void fill_axes(limpet_reference_mass *mass) {
  const limpet_model *model = mass->model;
  for (int v = 0; v < model->nv; ++v) {
    const int j = model->dof_joint[v], b = model->dof_body[v], k = v - model->joint_v[j];
    const double *Q = mass->body_quaternion + 4 * b;
    const limpet_joint_kind kind = model->joint_kind[j];
    double *axis = mass->axis + 6 * v, R[9], anchor[3], arm[3];
    limpet_quaternion_to_matrix(R, Q);
    limpet_spatial_zero(axis);
    if (kind == LIMPET_JOINT_PRISMATIC) {
      limpet_mat3_mul_vec(axis + 3, R, model->joint_axis + 3 * j);
      continue;
    }
    if (kind == LIMPET_JOINT_FREE && k < 3) {
      axis[3 + k] = 1.0;
      continue;
    }

    // rotation about an axis through the anchor: of the joint, or an axis of the child
    const bool turns = kind == LIMPET_JOINT_REVOLUTE || kind == LIMPET_JOINT_SCREW;
    if (turns) limpet_mat3_mul_vec(axis, R, model->joint_axis + 3 * j);
    else limpet_vec3_set(axis, R[k % 3], R[3 + k % 3], R[6 + k % 3]);
    limpet_mat3_mul_vec(anchor, R, model->joint_position + 3 * j);
    limpet_vec3_add(anchor, anchor, mass->body_position + 3 * b);
    limpet_vec3_sub(arm, mass->origin + 3 * model->body_tree[b], anchor);
    limpet_vec3_cross(axis + 3, axis, arm);
    limpet_vec3_addmul(axis + 3, axis + 3, model->joint_advance[j], axis);
  }
}

// Lower triangles; row v of the block of its tree.
static double *row_of(const limpet_reference_mass *mass, int v) {
  const limpet_model *model = mass->model;
  const int t = model->dof_tree[v];
  return mass->factor + model->tree_mass[t] +
         (size_t)(v - model->tree_dof[t]) * (size_t)model->tree_dof_count[t];
}

static void fill_tendon_rows(limpet_reference_mass *mass, double *rotation) {
  const limpet_model *model = mass->model;
  const limpet_tendon_frames frames = {.body_position = mass->body_position,
                                       .body_rotation = rotation,
                                       .tree_origin = mass->origin,
                                       .dof_axis = mass->axis};
  for (int b = 0; b < model->body_count; ++b)
    limpet_quaternion_to_matrix(rotation + 9 * b, mass->body_quaternion + 4 * b);
  for (int t = 0; t < model->tendon_count; ++t) {
    double *row = mass->tendon_row + model->tendon_dof_begin[t];
    if (limpet_tendon_is_spatial(model, t)) limpet_tendon_path(model, &frames, t, row);
    else
      for (int i = model->tendon_begin[t]; i < model->tendon_begin[t + 1]; ++i)
        *row++ = model->tendon_coefficient[i];
  }
}

static void fill_mass(limpet_reference_mass *mass) {
  const limpet_model *model = mass->model;
  for (int v = 0; v < model->nv; ++v) {
    double *row = row_of(mass, v), force[6];
    const int first = model->tree_dof[model->dof_tree[v]];
    limpet_spatial_inertia_mul(force, mass->composite + 10 * model->dof_body[v],
                               mass->axis + 6 * v);
    for (int k = v; k >= 0; k = model->dof_parent[k])
      row[k - first] = limpet_spatial_dot(mass->axis + 6 * k, force);
    if (!mass->bodies_only) row[v - first] += model->dof_armature[v];
    mass->diagonal[v] = row[v - first];
  }

  // armature of tendons, tree by tree
  if (mass->bodies_only) return;
  for (int t = 0; t < model->tendon_count; ++t) {
    if (model->tendon_armature[t] == 0.0) continue;
    const int begin = model->tendon_dof_begin[t], end = model->tendon_dof_begin[t + 1];
    for (int i = begin; i < end; ++i) {
      for (int k = begin; k < end; ++k) {
        const int a = model->tendon_dof[i], b = model->tendon_dof[k];
        if (b > a || model->dof_tree[a] != model->dof_tree[b]) continue;
        row_of(mass, a)[b - model->tree_dof[model->dof_tree[b]]] +=
            model->tendon_armature[t] * mass->tendon_row[i] * mass->tendon_row[k];
      }
    }
  }
}

// M = L' D L in place, from the last row up. `entries` (n) holds the columns of a row that are not
// zero.
static void factor_tree(limpet_reference_mass *mass, int t, int *entries) {
  const limpet_model *model = mass->model;
  const int n = model->tree_dof_count[t];
  double *M = mass->factor + model->tree_mass[t];
  for (int k = n - 1; k >= 0; --k) {
    double *row = M + (size_t)k * (size_t)n;
    if (!(row[k] > LEAST_PIVOT + 1e-14 * mass->diagonal[model->tree_dof[t] + k])) {
      row[k] = LEAST_PIVOT;
      mass->singular_dof = model->tree_dof[t] + k;
    }
    int count = 0;
    for (int i = 0; i < k; ++i)
      if (row[i] != 0.0) entries[count++] = i;
    for (int e = 0; e < count; ++e) {
      const double factor = row[entries[e]] / row[k];
      double *target = M + (size_t)entries[e] * (size_t)n;
      for (int f = 0; f <= e; ++f) target[entries[f]] -= factor * row[entries[f]];
    }
    for (int e = 0; e < count; ++e) row[entries[e]] /= row[k];
  }
}

static limpet_status create(limpet_reference_mass *mass, limpet_compiler *compiler,
                            bool bodies_only) {
  const limpet_model *model = compiler->model;
  limpet_arena *arena = &compiler->scratch;
  *mass =
      (limpet_reference_mass){.model = model,
                              .body_position = compiler->body_world_position,
                              .body_quaternion = compiler->body_world_quaternion,
                              .origin = LIMPET_TAKE(arena, double, 3 * model->tree_count),
                              .composite = LIMPET_TAKE_ZERO(arena, double, 10 * model->body_count),
                              .axis = LIMPET_TAKE(arena, double, 6 * model->nv),
                              .diagonal = LIMPET_TAKE(arena, double, model->nv),
                              .factor = LIMPET_TAKE_ZERO(arena, double, model->mass_size),
                              .scratch = LIMPET_TAKE(arena, double, model->nv),
                              .tendon_row = LIMPET_TAKE(arena, double, model->tendon_dof_count),
                              .bodies_only = bodies_only,
                              .singular_dof = -1};
  double *rotation = LIMPET_TAKE(arena, double, 9 * model->body_count);
  int *entries = LIMPET_TAKE(arena, int, model->nv);
  if (arena->failed) return limpet_compile_no_memory(compiler);
  fill_composites(mass);
  fill_axes(mass);
  if (!bodies_only) fill_tendon_rows(mass, rotation);
  fill_mass(mass);
  for (int t = 0; t < model->tree_count; ++t) factor_tree(mass, t, entries);
  return LIMPET_OK;
}

limpet_status limpet_reference_mass_create(limpet_reference_mass *mass, limpet_compiler *compiler) {
  return create(mass, compiler, false);
}

limpet_status limpet_reference_mass_of_bodies(limpet_reference_mass *mass,
                                              limpet_compiler *compiler) {
  return create(mass, compiler, true);
}

double limpet_reference_mass_product(const limpet_reference_mass *mass, const double *a,
                                     int tree_first, int tree_last) {
  const limpet_model *model = mass->model;
  double sum = 0.0;
  for (int t = tree_first; t <= tree_last; ++t) {
    const int n = model->tree_dof_count[t];
    const double *L = mass->factor + model->tree_mass[t];
    double *y = mass->scratch;
    memcpy(y, a + model->tree_dof[t], (size_t)n * sizeof *y);
    for (int k = n - 1; k >= 0; --k) {
      if (y[k] == 0.0) continue;
      const double *row = L + (size_t)k * (size_t)n;
      for (int i = 0; i < k; ++i) y[i] -= row[i] * y[k];
      sum += y[k] * y[k] / row[k];
    }
  }
  return sum;
}

void limpet_reference_mass_solve(const limpet_reference_mass *mass, const double *a, int tree_first,
                                 int tree_last, double *x) {
  const limpet_model *model = mass->model;
  for (int t = tree_first; t <= tree_last; ++t) {
    const int n = model->tree_dof_count[t];
    const double *L = mass->factor + model->tree_mass[t];
    double *y = x + model->tree_dof[t];
    memcpy(y, a + model->tree_dof[t], (size_t)n * sizeof *y);
    for (int k = n - 1; k >= 0; --k)
      for (int i = 0; i < k; ++i) y[i] -= L[(size_t)k * (size_t)n + (size_t)i] * y[k];
    for (int k = 0; k < n; ++k) {
      const double *row = L + (size_t)k * (size_t)n;
      y[k] /= row[k];
      for (int i = 0; i < k; ++i) y[k] -= row[i] * y[i];
    }
  }
}

void limpet_reference_point_velocity(const limpet_reference_mass *mass, int dof,
                                     const double point[3], double velocity[3]) {
  const double *axis = mass->axis + 6 * dof;
  double arm[3], turned[3];
  limpet_vec3_sub(arm, point, mass->origin + 3 * mass->model->dof_tree[dof]);
  limpet_vec3_cross(turned, axis, arm);
  limpet_vec3_add(velocity, axis + 3, turned);
}
