/* model/compile_inertia.c: mass, centre of mass and inertia of every body.
 *
 * Given with the body, or summed over its geoms (mass m_i, centre p_i, inertia I_i about p_i, body
 * axes):
 *   m = sum m_i,  c = sum m_i p_i / m,  I = sum I_i + m_i (|d_i|^2 1 - d_i d_i'),  d_i = p_i - c
 * Then as MuJoCo's compiler does: lower bounds on mass and principal inertias, and the triangle
 * inequality A + B >= C (the mean of the three in its place, if asked for).
 * Of a body with `repair_inertia` the nearest inertia that a body can have takes the place of one
 * that none can: in principal axes, with second moments s_k = integral of x_k^2 dm,
 *   s_k = (w_0 + w_1 + w_2) / 2 - w_k,  w_k = sum of max(s_j, 0) over j != k
 * which keeps its axes and whatever moments are possible; nearest in the norm of diag(s). The mean
 * of the three would make a ball of every flat or long body. */
#include <math.h>

#include "geometry/mesh_geometry.h"
#include "geometry/principal_axes.h"
#include "math/quaternion.h"
#include "model/compile.h"

static const double LEAST = 1e-15;  // [kg m^2]  below it a moment is round-off

// The height field of a geom; NULL: it is none.
static const limpet_height_field *heights_of(const limpet_model *model, int g) {
  return model->geom_mesh[g] == LIMPET_NONE ? NULL : model->mesh[model->geom_mesh[g]].heights;
}

/* A height field counts as a box on its frame, as in MuJoCo: its sides, and half of base and
 * highest point together. */
static void heights_mass(const limpet_height_field *heights, double *volume, double inertia[3]) {
  const double box[3] = {heights->half[0], heights->half[1],
                         0.5 * (0.5 * heights->highest + heights->base)};
  limpet_shape_mass(volume, inertia, LIMPET_SHAPE_BOX, box, NULL, false);
}

// Mass [kg] of a geom and its inertia about its origin in its own axes (diagonal, [kg m^2]).
static double geom_mass(const limpet_compiler *compiler, int g, double inertia[3]) {
  const limpet_model *model = compiler->model;
  const limpet_geom_description *geom =
      limpet_builder_geoms(compiler->builder) + compiler->geom.handle[g];
  // inertia of a cloud is not diagonal: see add_geom; deformable bodies have their own mass
  if (geom->kind == LIMPET_SHAPE_CLOUD || geom->kind == LIMPET_SHAPE_SOFT) {
    limpet_vec3_zero(inertia);
    return isnan(geom->mass) ? 0.0 : geom->mass;
  }
  const limpet_mesh *mesh =
      model->geom_mesh[g] == LIMPET_NONE ? NULL : &model->mesh[model->geom_mesh[g]];
  double volume;
  if (heights_of(model, g)) heights_mass(heights_of(model, g), &volume, inertia);
  else limpet_shape_mass(&volume, inertia, geom->kind, model->geom_size + 3 * g, mesh, geom->shell);
  const double mass = isnan(geom->mass) ? geom->density * volume : geom->mass;
  const double scale = volume > 0.0 ? mass / volume : 0.0;
  limpet_vec3_scale(inertia, scale, inertia);
  return volume > 0.0 ? mass : 0.0;
}

// I += R diag(d) R'
static void add_rotated(double I[9], const double R[9], const double d[3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) I[3 * i + j] += R[3 * i + k] * d[k] * R[3 * j + k];
}

// I += m (|d|^2 1 - d d')
static void add_parallel_axis(double I[9], double m, const double d[3]) {
  const double square = limpet_vec3_dot(d, d);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) I[3 * i + j] += m * ((i == j ? square : 0.0) - d[i] * d[j]);
}

// Centre of mass of a geom in the body frame  [m]: its origin, but of a cloud the mean of the
//                                             points, of a height field that of its frame.
static void geom_com(double com[3], const limpet_model *model, int g) {
  const limpet_height_field *heights = heights_of(model, g);
  limpet_vec3_copy(com, model->geom_position + 3 * g);
  if (model->geom_cloud[g] == LIMPET_NONE && !heights) return;
  double offset[3];
  limpet_mat3_mul_vec(offset, model->geom_rotation + 9 * g,
                      heights ? heights->position : model->cloud[model->geom_cloud[g]]->centroid);
  limpet_vec3_add(com, com, offset);
}

// I += inertia of a geom of mass m about its own centre of mass, in body axes; `diagonal` in its
// own axes.
static void add_geom(double I[9], const limpet_model *model, int g, double m,
                     const double diagonal[3]) {
  const double *R = model->geom_rotation + 9 * g;
  const limpet_height_field *heights = heights_of(model, g);
  double RI[9], turned[9];
  if (heights) {
    limpet_mat3_mul(turned, R, heights->rotation);
    add_rotated(I, turned, diagonal);
    return;
  }
  if (model->geom_cloud[g] == LIMPET_NONE) {
    add_rotated(I, R, diagonal);
    return;
  }
  limpet_mat3_mul(RI, R, model->cloud[model->geom_cloud[g]]->inertia);
  limpet_mat3_mul_t(turned, RI, R);
  for (int k = 0; k < 9; ++k) I[k] += m * turned[k];
}

// Whether a geom takes part: its group is wanted and it has mass.
static bool geom_counts(const limpet_compiler *compiler, int g) {
  const limpet_model *model = compiler->model;
  double unused[3];
  return model->geom_group[g] >= model->options.inertia_group_first &&
         model->geom_group[g] <= model->options.inertia_group_last &&
         geom_mass(compiler, g, unused) > 0.0;
}

int limpet_compile_inertia_of_geoms(limpet_compiler *compiler, int b) {
  limpet_model *model = compiler->model;
  const int begin = model->body_geom[b], end = begin + model->body_geom_count[b];
  double *com = model->body_com + 3 * b, *I = model->body_inertia + 9 * b, inertia[3],
         moment[3] = {0}, mass = 0.0;
  int counted = 0;
  bool plain = true;  // axes of one geom are those of its frame
  for (int g = begin; g < end; ++g) {
    if (!geom_counts(compiler, g)) continue;
    const double m = geom_mass(compiler, g, inertia);
    geom_com(com, model, g);
    limpet_vec3_addmul(moment, moment, m, com);
    mass += m;
    ++counted;
  }
  if (counted > 1) limpet_vec3_scale(com, 1.0 / mass, moment);
  if (counted > 0) model->body_mass[b] = mass;

  // about the common centre of mass
  for (int g = begin; g < end; ++g) {
    if (!geom_counts(compiler, g)) continue;
    double d[3];
    const double m = geom_mass(compiler, g, inertia);
    geom_com(d, model, g);
    limpet_vec3_sub(d, d, com);
    add_geom(I, model, g, m, inertia);
    add_parallel_axis(I, m, d);
    plain = plain && !heights_of(model, g);
    if (counted == 1)
      limpet_quaternion_copy(model->body_inertia_quaternion + 4 * b,
                             model->geom_quaternion + 4 * g);
  }
  if (counted > 1 || !plain)
    limpet_principal_axes(moment, model->body_inertia_quaternion + 4 * b, I);
  return counted;
}

static limpet_status inertia_given(limpet_compiler *compiler, int b) {
  limpet_model *model = compiler->model;
  const int handle = compiler->body.handle[b];
  const limpet_body_description *body = limpet_builder_bodies(compiler->builder) + handle;
  double unit[4], R[9], RI[9];
  const limpet_status status =
      limpet_compile_quaternion(compiler, LIMPET_OBJECT_BODY, handle, "quaternion of the inertia",
                                body->inertia_quaternion, unit);
  if (status) return status;
  const double *i = body->inertia, I[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
  model->body_mass[b] = body->mass;
  limpet_vec3_copy(model->body_com + 3 * b, body->com);
  limpet_quaternion_to_matrix(R, unit);
  limpet_mat3_mul(RI, R, I);
  limpet_mat3_mul_t(model->body_inertia + 9 * b, RI, R);

  // axes that were given are kept, whatever the order of the moments
  double moment[3], *axes = model->body_inertia_quaternion + 4 * b;
  if (i[3] == 0.0 && i[4] == 0.0 && i[5] == 0.0) {
    limpet_quaternion_copy(axes, unit);
  } else {
    double inner[4];
    limpet_principal_axes(moment, inner, I);
    limpet_quaternion_mul(axes, unit, inner);
  }
  return LIMPET_OK;
}

// The nearest inertia that a body can have; w, V: what was given, the largest first. See the head.
static limpet_status repair_inertia(limpet_compiler *compiler, int b, const double w[3],
                                    const double V[9]) {
  double *I = compiler->model->body_inertia + 9 * b, near[3] = {0}, below = 0.0;
  const double half = 0.5 * (w[0] + w[1] + w[2]);
  const int handle = compiler->body.handle[b], list = LIMPET_OBJECT_BODY;
  if (half < -LEAST)
    return limpet_compile_error(compiler, list, handle,
                                ": its inertia has the principal values %g, %g, %g kg m^2, less "
                                "than none; give positive ones",
                                w[0], w[1], w[2]);
  for (int k = 0; k < 3; ++k) {
    const double s = half - w[k];
    below = fmax(below, -s);
    for (int i = 0; i < 3; ++i)
      if (i != k) near[i] += fmax(s, 0.0);
  }
  for (int k = 0; k < 9; ++k) I[k] = 0.0;
  add_rotated(I, V, near);
  if (below < LEAST || below < 1e-6 * w[0]) return LIMPET_OK;
  limpet_compile_doubt(compiler, limpet_builder_item_place(compiler->builder, list, handle),
                       "%s: its principal inertias %g, %g, %g kg m^2 belong to no body (A + B >= C "
                       "is violated); simulated with the nearest that do, %g, %g, %g kg m^2",
                       limpet_compile_label(compiler, list, handle).text, w[0], w[1], w[2], near[0],
                       near[1], near[2]);
  return LIMPET_OK;
}

/* Bounds and physical sense of one body's inertia. */
static limpet_status check_inertia(limpet_compiler *compiler, int b) {
  limpet_model *model = compiler->model;
  const limpet_options *options = &model->options;
  const int handle = compiler->body.handle[b], list = LIMPET_OBJECT_BODY;
  double *I = model->body_inertia + 9 * b, w[3], V[9];
  if (model->body_mass[b] < 0.0)
    return limpet_compile_error(compiler, list, handle, " has mass %g kg; give a positive one",
                                model->body_mass[b]);
  model->body_mass[b] = fmax(model->body_mass[b], options->bound_mass);

  // principal inertias below the bound are raised to it
  limpet_mat3_eigen(I, w, V);
  if (options->bound_inertia > 0.0 && w[2] < options->bound_inertia) {
    for (int k = 0; k < 3; ++k) w[k] = fmax(w[k], options->bound_inertia);
    for (int k = 0; k < 9; ++k) I[k] = 0.0;
    add_rotated(I, V, w);
  }
  // w[0] is the largest; a millionth is what rounding in a file does
  const bool negative = w[2] < -1e-12 * fabs(w[0]),
             impossible = !(w[1] + w[2] >= w[0] * (1.0 - 1e-6));
  if (!negative && !impossible) return LIMPET_OK;
  if (limpet_builder_bodies(compiler->builder)[handle].repair_inertia)
    return repair_inertia(compiler, b, w, V);
  if (negative)
    return limpet_compile_error(
        compiler, list, handle,
        ": its inertia has the principal values %g, %g, %g kg m^2; none may be negative", w[0],
        w[1], w[2]);

  if (!options->balance_inertia)
    return limpet_compile_error(compiler, list, handle,
                                ": its principal inertias %g, %g, %g kg m^2 belong to no body (A + "
                                "B >= C is violated); correct "
                                "them, or use balanceinertia to repair them",
                                w[0], w[1], w[2]);
  limpet_mat3_identity(I);
  for (int k = 0; k < 9; ++k) I[k] *= (w[0] + w[1] + w[2]) / 3.0;
  return LIMPET_OK;
}

static limpet_status fill_body(limpet_compiler *compiler, int b) {
  const limpet_options *options = &compiler->model->options;
  const limpet_body_description *body =
      limpet_builder_bodies(compiler->builder) + compiler->body.handle[b];
  int counted = 0;
  limpet_quaternion_identity(compiler->model->body_inertia_quaternion + 4 * b);
  if (options->inertia_source == LIMPET_INERTIA_FROM_GEOMS ||
      (options->inertia_source == LIMPET_INERTIA_AUTO && !body->has_inertial))
    counted = limpet_compile_inertia_of_geoms(compiler, b);
  limpet_status status = LIMPET_OK;
  if (counted == 0 && body->has_inertial) status = inertia_given(compiler, b);
  else if (counted == 0 && options->bound_mass > 0.0)
    limpet_vec3_copy(compiler->model->body_com + 3 * b, body->com);
  return status ? status : check_inertia(compiler, b);
}

limpet_status limpet_compile_inertia(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  limpet_quaternion_identity(model->body_inertia_quaternion);
  for (int b = 1; b < model->body_count; ++b) {
    const limpet_status status = fill_body(compiler, b);
    if (status) return status;
  }
  return LIMPET_OK;
}
