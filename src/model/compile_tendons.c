/* model/compile_tendons.c: tendons, fixed and spatial: their terms or points, the velocities that
 * change their lengths, and their lengths in the pose of the file and where the joint springs rest.
 *
 * A piece of a spatial tendon between two bodies changes its length with the velocities on the
 * paths from each body up to, but without, their nearest common ancestor. */
#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/body_pose.h"
#include "model/compile.h"
#include "model/tendon_path.h"

static bool one_coordinate(limpet_joint_kind kind) { return limpet_joint_kind_nv(kind) == 1; }

static limpet_status check_terms(const limpet_compiler *compiler, int t) {
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  const int list = LIMPET_OBJECT_TENDON;
  for (int k = 0; k < tendon->term_count; ++k) {
    const int joint = tendon->terms[k].joint;
    const double coefficient = tendon->terms[k].coefficient;
    if (!(fabs(coefficient) <= LIMPET_LARGEST_NUMBER))
      return limpet_compile_error(
          compiler, list, t, ": coefficient %d is %s; give a number", k,
          isfinite(coefficient) ? "too large to reckon with" : "not finite");
    if (!one_coordinate(joints[joint].kind))
      return limpet_compile_error(
          compiler, list, t, " names the %s %s; a fixed tendon needs joints with one coordinate",
          limpet_joint_kind_word(joints[joint].kind),
          limpet_compile_label(compiler, LIMPET_OBJECT_JOINT, joint).text);
  }
  return LIMPET_OK;
}

// A branch is site, [geom], site, [geom], ... site.
static limpet_status check_points(const limpet_compiler *compiler, int t) {
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  const limpet_geom_description *geoms = limpet_builder_geoms(compiler->builder);
  const int list = LIMPET_OBJECT_TENDON;
  int sites = 0;  // of the branch so far
  for (int k = 0; k < tendon->point_count; ++k) {
    const limpet_tendon_point *point = &tendon->points[k];
    const bool last = k + 1 == tendon->point_count,
               site_follows = !last && point[1].kind == LIMPET_TENDON_SITE;
    if (point->kind == LIMPET_TENDON_SITE) {
      ++sites;
      continue;
    }
    if (point->kind == LIMPET_TENDON_GEOM) {
      const limpet_shape_kind kind = geoms[point->object].kind;
      if (kind != LIMPET_SHAPE_SPHERE && kind != LIMPET_SHAPE_CYLINDER)
        return limpet_compile_error(
            compiler, list, t, " wraps around the %s %s; it can wrap around spheres and cylinders",
            limpet_shape_kind_word(kind),
            limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, point->object).text);
      if (k == 0 || point[-1].kind != LIMPET_TENDON_SITE || !site_follows)
        return limpet_compile_error(
            compiler, list, t,
            ": %s does not stand between two sites; put a site before and after it",
            limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, point->object).text);
      continue;
    }
    if (!(point->divisor > 0.0) || isinf(point->divisor))
      return limpet_compile_error(
          compiler, list, t, ": a pulley divides by %g; give a positive number", point->divisor);
    if ((k > 0 && sites < 2) || !site_follows)
      return limpet_compile_error(compiler, list, t,
                                  ": a pulley needs two sites before and after it");
    sites = 0;
  }
  if (tendon->point_count > 0 && sites < 2)
    return limpet_compile_error(compiler, list, t,
                                " has a branch with %d site%s; give it two or more", sites,
                                sites == 1 ? "" : "s");
  return LIMPET_OK;
}

static limpet_status check_tendon(const limpet_compiler *compiler, int t) {
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  const int list = LIMPET_OBJECT_TENDON;
  limpet_status status = check_terms(compiler, t);
  if (!status) status = check_points(compiler, t);
  if (status) return status;
  if (tendon->stiffness < 0.0 || tendon->damping < 0.0 || tendon->armature < 0.0 ||
      tendon->dry_friction < 0.0)
    return limpet_compile_error(
        compiler, list, t,
        ": stiffness %g, damping %g, armature %g, dry friction %g; give 0 or more",
        tendon->stiffness, tendon->damping, tendon->armature, tendon->dry_friction);
  if (!(tendon->limit_stiffness > 0.0) || tendon->limit_damping < 0.0)
    return limpet_compile_error(compiler, list, t,
                                ": its limits have the stiffness %g N/m and the damping %g N s/m; "
                                "give a positive stiffness "
                                "(infinity: near-rigid) and 0 or more damping",
                                tendon->limit_stiffness, tendon->limit_damping);
  status = tendon->limited ? limpet_compile_range(compiler, list, t, "its range", tendon->range)
                           : LIMPET_OK;
  if (!status && tendon->effort_limited)
    status = limpet_compile_range(compiler, list, t, "its effort range", tendon->effort_range);
  if (!status)
    status = limpet_compile_range(compiler, list, t, "its spring length", tendon->spring_range);
  return status;
}

static void fill_tendon(limpet_compiler *compiler, int t) {
  limpet_model *model = compiler->model;
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  model->tendon_limited[t] = tendon->limited;
  model->tendon_range[2 * t] = tendon->limited ? tendon->range[0] : -INFINITY;
  model->tendon_range[2 * t + 1] = tendon->limited ? tendon->range[1] : INFINITY;
  model->tendon_limit_margin[t] = tendon->limit_margin;
  model->tendon_limit_stiffness[t] = tendon->limit_stiffness;
  model->tendon_limit_damping[t] = tendon->limit_damping;
  model->tendon_has_limit_impedance[t] = tendon->has_limit_impedance;
  model->tendon_limit_impedance[t] = tendon->limit_impedance;
  model->tendon_stiffness[t] = tendon->stiffness;
  model->tendon_damping[t] = tendon->damping;
  for (int k = 0; k < 2; ++k) {
    model->tendon_stiffness_growth[2 * t + k] = tendon->stiffness_growth[k];
    model->tendon_damping_growth[2 * t + k] = tendon->damping_growth[k];
  }
  model->tendon_armature[t] = tendon->armature;
  model->tendon_dry_friction[t] = tendon->dry_friction;
  model->tendon_dry_friction_impedance[t] = tendon->dry_friction_impedance;
  model->tendon_effort_limited[t] = tendon->effort_limited;
  model->tendon_effort_range[2 * t] = tendon->effort_limited ? tendon->effort_range[0] : -INFINITY;
  model->tendon_effort_range[2 * t + 1] =
      tendon->effort_limited ? tendon->effort_range[1] : INFINITY;
}

// -------------------------------------------------------------------------------- velocities

static int body_of_point(const limpet_compiler *compiler, const limpet_tendon_point *point) {
  const limpet_builder *builder = compiler->builder;
  return point->kind == LIMPET_TENDON_SITE ? limpet_builder_sites(builder)[point->object].body
                                           : limpet_builder_geoms(builder)[point->object].body;
}

// Marks the bodies (by handle) on the paths between two bodies, their common ancestor excepted.
static void mark_between(const limpet_compiler *compiler, int a, int b, int mark, int *marks) {
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  while (a != b) {
    int *later = compiler->body.index[a] > compiler->body.index[b] ? &a : &b;
    marks[*later] = mark;
    *later = bodies[*later].parent;
  }
}

// Marks all bodies (by handle) whose joints change the length of a spatial tendon.
static void mark_bodies(const limpet_compiler *compiler, int t, int *marks) {
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  for (int k = 1; k < tendon->point_count; ++k) {
    const limpet_tendon_point *point = &tendon->points[k];
    if (point[0].kind == LIMPET_TENDON_PULLEY || point[-1].kind == LIMPET_TENDON_PULLEY) continue;
    mark_between(compiler, body_of_point(compiler, point - 1), body_of_point(compiler, point),
                 t + 1, marks);
  }
}

static int *take_marks(limpet_compiler *compiler) {
  return limpet_arena_take_zero(&compiler->scratch,
                                (size_t)compiler->sizes.body_count * sizeof(int));
}

int limpet_compile_tendon_dofs(limpet_compiler *compiler) {
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  const limpet_arena_mark mark = limpet_arena_mark_now(&compiler->scratch);
  int *marks = take_marks(compiler), count = compiler->sizes.tendon_term_count;
  for (int t = 0; marks && t < compiler->sizes.tendon_count; ++t) {
    if (limpet_builder_tendons(compiler->builder)[t].point_count == 0) continue;
    mark_bodies(compiler, t, marks);
    for (int j = 0; j < compiler->sizes.joint_count; ++j)
      if (marks[joints[j].body] == t + 1) count += limpet_joint_kind_nv(joints[j].kind);
  }
  limpet_arena_release(&compiler->scratch, mark);
  return count;
}

static void fill_terms(limpet_compiler *compiler, int t) {
  limpet_model *model = compiler->model;
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  int term = model->tendon_begin[t], entry = model->tendon_dof_begin[t];
  for (int k = 0; k < tendon->term_count; ++k, ++term) {
    const int joint = compiler->joint.index[tendon->terms[k].joint];
    model->tendon_joint[term] = joint;
    model->tendon_coefficient[term] = tendon->terms[k].coefficient;
    model->tendon_dof[entry++] = model->joint_v[joint];
  }
  model->tendon_begin[t + 1] = term;
  model->tendon_dof_begin[t + 1] = entry;
}

static void fill_points(limpet_compiler *compiler, int t, int *marks) {
  limpet_model *model = compiler->model;
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  int at = model->tendon_point_begin[t], entry = model->tendon_dof_begin[t + 1];
  for (int k = 0; k < tendon->point_count; ++k, ++at) {
    const limpet_tendon_point *point = &tendon->points[k];
    const bool geom = point->kind == LIMPET_TENDON_GEOM;
    const int *index = geom ? compiler->geom.index : compiler->site.index;
    model->tendon_point_kind[at] = point->kind;
    model->tendon_point_object[at] =
        point->kind == LIMPET_TENDON_PULLEY ? LIMPET_NONE : index[point->object];
    model->tendon_point_side[at] = geom && point->side_site != LIMPET_NONE
                                       ? compiler->site.index[point->side_site]
                                       : LIMPET_NONE;
    model->tendon_point_divisor[at] = point->divisor;
  }
  model->tendon_point_begin[t + 1] = at;
  if (tendon->point_count == 0) return;
  mark_bodies(compiler, t, marks);
  for (int d = 0; d < model->nv; ++d)
    if (marks[compiler->body.handle[model->dof_body[d]]] == t + 1) model->tendon_dof[entry++] = d;
  model->tendon_dof_begin[t + 1] = entry;
}

// ----------------------------------------------------------------------------------- lengths

/* Poses of all bodies at the coordinates q, in step memory; false: no memory. */
static bool poses_at(limpet_compiler *compiler, double *q, limpet_tendon_frames *frames) {
  const limpet_model *model = compiler->model;
  limpet_arena *arena = &compiler->scratch;
  limpet_data data = {.model = model,
                      .q = q,
                      .mocap_position = LIMPET_TAKE(arena, double, 3 * model->mocap_count),
                      .mocap_quaternion = LIMPET_TAKE(arena, double, 4 * model->mocap_count),
                      .body_position = LIMPET_TAKE_ZERO(arena, double, 3 * model->body_count),
                      .body_quaternion = LIMPET_TAKE(arena, double, 4 * model->body_count),
                      .body_rotation = LIMPET_TAKE(arena, double, 9 * model->body_count),
                      .dof_axis = LIMPET_TAKE(arena, double, 6 * model->nv)};
  if (arena->failed) return false;
  for (int b = 0; b < model->body_count; ++b) {
    const int m = model->body_mocap[b];
    if (m < 0) continue;
    limpet_vec3_copy(data.mocap_position + 3 * m, model->body_position + 3 * b);
    limpet_quaternion_copy(data.mocap_quaternion + 4 * m, model->body_quaternion + 4 * b);
  }
  limpet_quaternion_identity(data.body_quaternion);
  limpet_mat3_identity(data.body_rotation);
  for (int b = 1; b < model->body_count; ++b) limpet_body_pose(model, &data, b);
  *frames = (limpet_tendon_frames){.body_position = data.body_position,
                                   .body_rotation = data.body_rotation};
  return true;
}

static double length_at(const limpet_model *model, const double *q,
                        const limpet_tendon_frames *frames, int t) {
  if (limpet_tendon_is_spatial(model, t)) return limpet_tendon_path(model, frames, t, NULL);
  double length = 0.0;
  for (int i = model->tendon_begin[t]; i < model->tendon_begin[t + 1]; ++i)
    length += model->tendon_coefficient[i] * q[model->joint_q[model->tendon_joint[i]]];
  return length;
}

// Lengths in the pose of the file, and, where the rest of a spring is not given, in that of the
// joint springs.
static limpet_status fill_lengths(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  limpet_tendon_frames file = {0}, rest = {0};
  if (model->tendon_point_count > 0 && (!poses_at(compiler, model->q_reference, &file) ||
                                        !poses_at(compiler, model->q_spring, &rest)))
    return limpet_compile_no_memory(compiler);
  for (int t = 0; t < model->tendon_count; ++t) {
    const double *given = limpet_builder_tendons(compiler->builder)[t].spring_range;
    const bool unknown = given[0] == -1.0 && given[1] == -1.0;
    const double length = length_at(model, model->q_spring, &rest, t);
    model->tendon_reference_length[t] = length_at(model, model->q_reference, &file, t);
    for (int k = 0; k < 2; ++k) model->tendon_spring_range[2 * t + k] = unknown ? length : given[k];
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_tendons(limpet_compiler *compiler) {
  int *marks = take_marks(compiler);
  if (!marks) return limpet_compile_no_memory(compiler);
  for (int t = 0; t < compiler->model->tendon_count; ++t) {
    const limpet_status status = check_tendon(compiler, t);
    if (status) return status;
    fill_tendon(compiler, t);
    fill_terms(compiler, t);
    fill_points(compiler, t, marks);
  }
  return fill_lengths(compiler);
}
