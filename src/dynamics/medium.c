/* dynamics/medium.c: forces of a medium of density rho [kg/m^3], viscosity mu [Pa s] and wind.
 *
 * u [m/s], w [rad/s]: velocity relative to the medium and angular velocity, in axes of the shape.
 * A body acts as its box of equal inertia with the edges b (body_box), D the mean of b:
 *   force   -(3 pi mu D + rho/2 b_j b_k |u_i|) u_i
 *   torque  -(pi mu D^3 + rho/64 b_i (b_j^4 + b_k^4) |w_i|) w_i
 * Of a body with geoms marked fluid_ellipsoid these act instead, each by itself, as ellipsoids with
 * semi-axes d, volume V, coefficients c (blunt, slender, angular drag, Kutta, Magnus):
 *   force   -(3 pi mu D + rho |u| (c_b A + c_s (A_max - A))) u
 *           + c_M rho V w x u + c_K rho cos(a) A (n x u) x u + p x w
 *   torque  -(pi mu D^3 + rho |m|) w + p x u + l x w
 *   m_i = w_i (c_a I_i + c_s (I_max - I_i)),   I_i = 8/15 pi d_i max(d_j, d_k)^4
 * A: area across u, n: normal there (not unit), a: angle between n and u, p = rho v u, l = rho t w
 * with the added volumes v, t (compile_medium.c).
 * The drag that is proportional to u_i or u with a positive factor is what a step takes at its end.
 * Source: MuJoCo documentation, fluid forces. Cost: some 200 flops for each body; the implicit part
 * 12 for each pair of velocities on a body's path. */
#include "dynamics/medium.h"

#include <assert.h>

#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "model/semi_axes.h"

// A shape that the medium acts on, and its motion in axes of its own.
typedef struct immersed {
  int body;
  const double *size, *coefficients, *added;  // box or semi-axes; NULL: a box
  double point[3], R[9];                      // [m]  W; axes to W
  double w[3], u[3];                          // [rad/s, m/s]  relative to the medium
} immersed;

// What acts on it: drag[k] times the velocity k, against it, and the rest; turns first.
typedef struct fluid_load {
  double drag[6];  // [N m s, N s/m]
  double rest[6];  // [N m, N]
} fluid_load;

static double power(double x, int n) { return n == 2 ? x * x : x * x * x * x; }

static void box_load(const limpet_model *model, const immersed *s, fluid_load *load) {
  const double rho = model->options.density, mu = model->options.viscosity;
  const double b[3] = {2.0 * s->size[0], 2.0 * s->size[1], 2.0 * s->size[2]};
  const double D = (b[0] + b[1] + b[2]) / 3.0;
  *load = (fluid_load){0};
  for (int i = 0; i < 3; ++i) {
    const double bj = b[(i + 1) % 3], bk = b[(i + 2) % 3];
    load->drag[i] = LIMPET_PI * mu * D * D * D +
                    rho / 64.0 * b[i] * (power(bj, 4) + power(bk, 4)) * fabs(s->w[i]);
    load->drag[3 + i] = 3.0 * LIMPET_PI * mu * D + 0.5 * rho * bj * bk * fabs(s->u[i]);
  }
}

static double largest(const double d[3]) { return fmax(d[0], fmax(d[1], d[2])); }
static double smallest(const double d[3]) { return fmin(d[0], fmin(d[1], d[2])); }

// Torque of quadratic drag per angular velocity and density: |m|.
static double angular_drag(const immersed *s) {
  const double *d = s->size, *c = s->coefficients, big = largest(d);
  const double middle = d[0] + d[1] + d[2] - big - smallest(d);
  const double unit = 8.0 / 15.0 * LIMPET_PI, most = unit * middle * power(big, 4);
  double m[3];
  for (int i = 0; i < 3; ++i) {
    const double I = unit * d[i] * power(fmax(d[(i + 1) % 3], d[(i + 2) % 3]), 4);
    m[i] = s->w[i] * (c[2] * I + c[1] * (most - I));
  }
  return limpet_vec3_norm(m);
}

// Area across the flow, normal there and cosine between normal and flow.
static double area_across(const immersed *s, double normal[3], double *cosine) {
  const double *d = s->size, *u = s->u;
  double above = 0.0, below = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double a = power(d[(i + 1) % 3] * d[(i + 2) % 3], 2);
    normal[i] = a * u[i];
    below += a * u[i] * u[i];
    above += a * a * u[i] * u[i];
  }
  const double speed = limpet_vec3_norm(u);
  *cosine = speed * above > 0.0 ? below / (speed * above) : 0.0;
  return below > 0.0 ? LIMPET_PI * sqrt(above / below) : 0.0;
}

static void add_cross(double r[3], const double a[3], double scale, const double b[3]) {
  double turned[3];
  limpet_vec3_cross(turned, a, b);
  limpet_vec3_addmul(r, r, scale, turned);
}

static void ellipsoid_load(const limpet_model *model, const immersed *s, fluid_load *load) {
  const double rho = model->options.density, mu = model->options.viscosity;
  const double *d = s->size, *c = s->coefficients, *u = s->u, *w = s->w;
  const double big = largest(d), middle = d[0] + d[1] + d[2] - big - smallest(d);
  const double D = 2.0 / 3.0 * (d[0] + d[1] + d[2]), speed = limpet_vec3_norm(u);
  const double volume = 4.0 / 3.0 * LIMPET_PI * d[0] * d[1] * d[2];
  double normal[3], cosine, circulation[3], p[3], l[3];
  const double area = area_across(s, normal, &cosine), most = LIMPET_PI * big * middle;
  *load = (fluid_load){0};
  const double along =
      3.0 * LIMPET_PI * mu * D + rho * speed * (c[0] * area + c[1] * (most - area));
  const double about = LIMPET_PI * mu * D * D * D + rho * angular_drag(s);
  for (int i = 0; i < 3; ++i) load->drag[i] = about, load->drag[3 + i] = along;

  // lift, and the medium that moves along
  add_cross(load->rest + 3, w, c[4] * rho * volume, u);
  limpet_vec3_cross(circulation, normal, u);
  add_cross(load->rest + 3, circulation, c[3] * rho * cosine * area, u);
  for (int i = 0; i < 3; ++i) p[i] = rho * s->added[i] * u[i], l[i] = rho * s->added[3 + i] * w[i];
  add_cross(load->rest + 3, p, 1.0, w);
  add_cross(load->rest, p, 1.0, u);
  add_cross(load->rest, l, 1.0, w);
}

static void load_of(const limpet_model *model, const immersed *s, fluid_load *load) {
  if (s->coefficients) ellipsoid_load(model, s, load);
  else box_load(model, s, load);
}

// Velocities relative to the medium, in axes of the shape.
static void take_motion(const limpet_model *model, const limpet_data *data, immersed *s) {
  const int tree = model->body_tree[s->body];
  const double *V = data->body_velocity + 6 * s->body;
  double lever[3], u[3];
  limpet_vec3_sub(lever, s->point, data->tree_origin + 3 * tree);
  limpet_vec3_cross(u, V, lever);
  limpet_vec3_add(u, u, V + 3);
  limpet_vec3_sub(u, u, model->options.wind);
  limpet_mat3_tmul_vec(s->w, s->R, V);
  limpet_mat3_tmul_vec(s->u, s->R, u);
}

static immersed immersed_body(const limpet_model *model, const limpet_data *data, int b) {
  immersed s = {.body = b, .size = model->body_box + 3 * b};
  double R[9];
  limpet_vec3_copy(s.point, data->body_com + 3 * b);
  limpet_quaternion_to_matrix(R, model->body_inertia_quaternion + 4 * b);
  limpet_mat3_mul(s.R, data->body_rotation + 9 * b, R);
  take_motion(model, data, &s);
  return s;
}

// `axes` (3) is filled with the semi-axes.
static immersed immersed_geom(const limpet_model *model, const limpet_data *data, int g,
                              double axes[3]) {
  const int b = model->geom_body[g];
  immersed s = {.body = b,
                .size = axes,
                .coefficients = model->geom_fluid_coefficients + 5 * g,
                .added = model->geom_added_volume + 6 * g};
  limpet_geom_semi_axes(model, g, axes);
  limpet_mat3_mul_vec(s.point, data->body_rotation + 9 * b, model->geom_position + 3 * g);
  limpet_vec3_add(s.point, s.point, data->body_position + 3 * b);
  limpet_mat3_mul(s.R, data->body_rotation + 9 * b, model->geom_rotation + 9 * g);
  take_motion(model, data, &s);
  return s;
}

typedef void fluid_visit(const limpet_model *model, const limpet_data *data, const immersed *s,
                         void *context);

// Calls `visit` for all that the medium acts on in the trees.
static void for_all(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                    fluid_visit *visit, void *context) {
  for (int i = 0; i < trees.count; ++i) {
    const limpet_range bodies = limpet_tree_bodies(model, limpet_trees_at(trees, i));
    for (int b = bodies.first; b < bodies.end; ++b) {
      const int first = model->body_geom[b], end = first + model->body_geom_count[b];
      bool by_geoms = false;
      if (!(model->body_mass[b] > 0.0)) continue;
      for (int g = first; g < end; ++g) {
        if (!model->geom_fluid_ellipsoid[g]) continue;
        double axes[3];
        const immersed s = immersed_geom(model, data, g, axes);
        visit(model, data, &s, context);
        by_geoms = true;
      }
      if (by_geoms) continue;
      const immersed s = immersed_body(model, data, b);
      visit(model, data, &s, context);
    }
  }
}

static void add_force(const limpet_model *model, const limpet_data *data, const immersed *s,
                      void *context) {
  fluid_load load;
  double local[6], wrench[6];
  load_of(model, s, &load);
  for (int k = 0; k < 3; ++k) {
    local[k] = load.rest[k] - load.drag[k] * s->w[k];
    local[3 + k] = load.rest[3 + k] - load.drag[3 + k] * s->u[k];
  }
  limpet_mat3_mul_vec(wrench, s->R, local);
  limpet_mat3_mul_vec(wrench + 3, s->R, local + 3);
  limpet_wrench_to_joints(model, data, s->body, s->point, wrench, context);
}

void limpet_medium_forces(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  assert(model && data);
  for (int i = 0; i < trees.count; ++i) {
    const limpet_range dofs = limpet_tree_dofs(model, limpet_trees_at(trees, i));
    for (int d = dofs.first; d < dofs.end; ++d) data->fluid_force[d] = 0.0;
  }
  if (limpet_medium_acts(model)) for_all(model, data, trees, add_force, data->fluid_force);
}

// ---------------------------------------------------------------------------------- implicit

typedef struct implicit_part {
  double scale, *A, *force;
} implicit_part;

// Velocity of the shape per unit of a velocity, in its axes.
static void column_of(const limpet_model *model, const limpet_data *data, const immersed *s, int d,
                      double column[6]) {
  const double *S = data->dof_axis + 6 * d;
  double lever[3], u[3];
  limpet_vec3_sub(lever, s->point, data->tree_origin + 3 * model->dof_tree[d]);
  limpet_vec3_cross(u, S, lever);
  limpet_vec3_add(u, u, S + 3);
  limpet_mat3_tmul_vec(column, s->R, S);
  limpet_mat3_tmul_vec(column + 3, s->R, u);
}

static void add_implicit(const limpet_model *model, const limpet_data *data, const immersed *s,
                         void *context) {
  const implicit_part *part = context;
  const int tree = model->body_tree[s->body], first = model->tree_dof[tree],
            n = model->tree_dof_count[tree];
  double *A = part->A + model->tree_mass[tree];
  fluid_load load;
  load_of(model, s, &load);
  for (int i = model->body_last_dof[s->body]; i >= 0; i = model->dof_parent[i]) {
    double left[6];
    column_of(model, data, s, i, left);
    for (int k = 0; k < 6; ++k) left[k] *= load.drag[k];
    for (int j = model->body_last_dof[s->body]; j >= 0; j = model->dof_parent[j]) {
      double right[6];
      column_of(model, data, s, j, right);
      const double D = limpet_spatial_dot(left, right);
      A[(i - first) * n + j - first] += part->scale * D;
      part->force[i] += D * data->v[j];
    }
  }
}

void limpet_medium_implicit_add(const limpet_model *model, const limpet_data *data,
                                limpet_trees trees, double scale, double *A, double *force) {
  assert(model && data && (model->nv == 0 || (A && force)));
  implicit_part part = {scale, A, force};
  if (limpet_medium_acts(model)) for_all(model, data, trees, add_implicit, &part);
}
