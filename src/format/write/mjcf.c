/* format/write/mjcf.c: a model as MJCF that MuJoCo reads.
 *
 * Everything is written as it was understood: no default classes, angles in radians, inertias of
 * all bodies, meshes with their vertices. Poses, masses and mass matrices are the same; contacts
 * obey MuJoCo's laws there, so materials beyond friction and impedance are left out. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/write/writer.h"
#include "math/quaternion.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------- options

static void write_flags(limpet_writer *w, unsigned disabled) {
  static const struct {
    unsigned bit;
    const char *name;
  } flags[] = {{LIMPET_DISABLE_CONTACT, "contact"},
               {LIMPET_DISABLE_LIMIT, "limit"},
               {LIMPET_DISABLE_DRY_FRICTION, "frictionloss"},
               {LIMPET_DISABLE_EQUALITY, "equality"},
               {LIMPET_DISABLE_SPRING, "spring"},
               {LIMPET_DISABLE_DAMPER, "damper"},
               {LIMPET_DISABLE_GRAVITY, "gravity"},
               {LIMPET_DISABLE_ACTUATION, "actuation"},
               {LIMPET_DISABLE_CLAMP_CONTROL, "clampctrl"},
               {LIMPET_DISABLE_PARENT_FILTER, "filterparent"}};
  if (!disabled) return;
  limpet_write_begin(w, "flag");
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (disabled & flags[i].bit) limpet_write_text(w, flags[i].name, "disable");
  limpet_write_end(w, "flag");
}

static void write_options(limpet_writer *w) {
  const limpet_options *o = &w->model->options;
  limpet_write_begin(w, "compiler");
  limpet_write_text(w, "angle", "radian");
  limpet_write_text(w, "autolimits", "true");  // an orientation servo has no other way
  limpet_write_text(w, "inertiafromgeom", "false");
  limpet_write_end(w, "compiler");
  limpet_write_begin(w, "option");
  limpet_write_number(w, "timestep", o->time_step);
  limpet_write_numbers(w, "gravity", o->gravity, 3);
  limpet_write_numbers(w, "wind", o->wind, 3);
  limpet_write_unless(w, "density", o->density, 0.0);
  limpet_write_unless(w, "viscosity", o->viscosity, 0.0);
  limpet_write_numbers(w, "magnetic", o->magnetic_field, 3);
  char groups[160] = "";
  for (int g = 0; g < 31; ++g)
    if (o->disabled_actuator_groups >> g & 1u)
      snprintf(groups + strlen(groups), sizeof groups - strlen(groups), "%s%d", *groups ? " " : "",
               g);
  if (*groups) limpet_write_text(w, "actuatorgroupdisable", groups);
  write_flags(w, o->disabled);
  limpet_write_end(w, "option");
  if (o->friction_rule == LIMPET_FRICTION_HARMONIC_MEAN && w->model->collider_count)
    limpet_writer_leave_out(w,
                            "friction of two geoms: MuJoCo takes the larger coefficient, this "
                            "model their harmonic mean");
}

// ----------------------------------------------------------------------------------- meshes

static void write_mesh(limpet_writer *w, int m) {
  const limpet_mesh *mesh = &w->model->mesh[m];
  limpet_write_begin(w, "mesh");
  limpet_write_name(w, "name", LIMPET_OBJECT_MESH, m);
  limpet_write_text(w, "inertia", "shell");  // weighs nothing here, and takes open surfaces
  fputs(" vertex=\"", w->file);
  for (int i = 0; i < mesh->vertex_count; ++i) {
    double x[3];
    limpet_writer_vertex(mesh, i, x);
    fprintf(w->file, "%s%.9g %.9g %.9g", i ? " " : "", x[0], x[1], x[2]);  // MuJoCo keeps floats
  }
  fputs("\" face=\"", w->file);
  for (int i = 0; i < 3 * mesh->face_count; ++i)
    fprintf(w->file, "%s%d", i ? " " : "", mesh->faces[i]);
  fputc('"', w->file);
  limpet_write_end(w, "mesh");
}

static void write_height_field(limpet_writer *w, int m) {
  const limpet_height_field *field = w->model->mesh[m].heights;
  const double size[4] = {field->half[0], field->half[1],
                          field->highest > 0.0 ? field->highest : 1.0, field->base};
  limpet_write_begin(w, "hfield");
  limpet_write_name(w, "name", LIMPET_OBJECT_MESH, m);
  limpet_write_integer(w, "nrow", field->rows);
  limpet_write_integer(w, "ncol", field->columns);
  limpet_write_numbers(w, "size", size, 4);
  fputs(" elevation=\"", w->file);
  for (int r = field->rows - 1; r >= 0; --r)  // MJCF begins at +y
    for (int c = 0; c < field->columns; ++c)
      fprintf(w->file, "%.9g ", field->height[r * field->columns + c]);
  fputc('"', w->file);
  limpet_write_end(w, "hfield");
}

static void write_meshes(limpet_writer *w) {
  if (w->model->mesh_count == 0) return;
  limpet_write_begin(w, "asset");
  for (int m = 0; m < w->model->mesh_count; ++m) {
    if (w->model->mesh[m].heights) write_height_field(w, m);
    else write_mesh(w, m);
  }
  limpet_write_end(w, "asset");
}

// ----------------------------------------------------------------------------------- joints

// the way of a screw, which write_screw_couplers ties to its turn
static void write_screw_slide(limpet_writer *w, int j) {
  char name[LIMPET_WRITER_NAME_SIZE];
  limpet_writer_leave_out(w,
                          "screw %s: MJCF has none; it is a hinge and a slide that an equality "
                          "couples, so M has one row more",
                          limpet_writer_name(w, LIMPET_OBJECT_JOINT, j, name));
  limpet_write_begin(w, "joint");
  limpet_write_text(w, "name", limpet_writer_slide_name(j, name));
  limpet_write_text(w, "type", "slide");
  limpet_write_numbers(w, "axis", w->model->joint_axis + 3 * j, 3);
  limpet_write_end(w, "joint");
}

static void write_joint(limpet_writer *w, int j) {
  static const char *const types[] = {[LIMPET_JOINT_FREE] = "free",
                                      [LIMPET_JOINT_BALL] = "ball",
                                      [LIMPET_JOINT_PRISMATIC] = "slide",
                                      [LIMPET_JOINT_REVOLUTE] = "hinge",
                                      [LIMPET_JOINT_SCREW] = "hinge"};
  const limpet_model *m = w->model;
  const limpet_joint_kind kind = m->joint_kind[j];
  const int v = m->joint_v[j];
  const bool scalar = limpet_joint_kind_nv(kind) == 1;
  limpet_write_begin(w, "joint");
  limpet_write_name(w, "name", LIMPET_OBJECT_JOINT, j);
  limpet_write_text(w, "type", types[kind]);
  if (kind != LIMPET_JOINT_FREE) limpet_write_numbers(w, "pos", m->joint_position + 3 * j, 3);
  if (scalar) {
    limpet_write_numbers(w, "axis", m->joint_axis + 3 * j, 3);
    limpet_write_unless(w, "ref", m->q_reference[m->joint_q[j]], 0.0);
    limpet_write_unless(w, "springref", m->q_spring[m->joint_q[j]], 0.0);
  }
  if (m->joint_limited[j]) {
    const double wide = 1e6;  // [rad, m]  stands for a side without a bound
    const double range[2] = {fmax(m->joint_range[2 * j], -wide),
                             fmin(m->joint_range[2 * j + 1], wide)};
    limpet_write_flag(w, "limited", true);
    limpet_write_numbers(w, "range", range, 2);
    limpet_write_unless(w, "margin", m->joint_limit_margin[j], 0.0);
    limpet_write_impedance(w, "solreflimit", "solimplimit", m->joint_has_limit_impedance[j],
                           &m->joint_limit_impedance[j]);
  }
  limpet_write_polynomial(w, "stiffness", m->joint_stiffness[j], m->joint_stiffness_growth + 2 * j);
  limpet_write_polynomial(w, "damping", m->dof_damping[v], m->dof_damping_growth + 2 * v);
  limpet_write_unless(w, "armature", m->dof_armature[v], 0.0);
  limpet_write_unless(w, "frictionloss", m->dof_dry_friction[v], 0.0);
  limpet_write_impedance(
      w, "solreffriction", "solimpfriction",
      m->dof_dry_friction[v] > 0.0 && m->dof_dry_friction_kind[v] == LIMPET_DRY_FRICTION_SOFT,
      &m->dof_dry_friction_impedance[v]);
  if (m->joint_effort_limited[j] && scalar) {
    limpet_write_flag(w, "actuatorfrclimited", true);
    limpet_write_numbers(w, "actuatorfrcrange", m->joint_effort_range + 2 * j, 2);
  }
  if (m->joint_actuator_gravity_compensation[j]) limpet_write_flag(w, "actuatorgravcomp", true);
  limpet_write_end(w, "joint");
  if (kind == LIMPET_JOINT_SCREW) write_screw_slide(w, j);
}

// ------------------------------------------------------------------------------------ geoms

static void write_size(limpet_writer *w, const char *attribute, limpet_shape_kind kind,
                       const double *size) {
  double kept[3] = {size[0], size[1], size[2]};
  if (kind == LIMPET_SHAPE_PLANE) {
    for (int k = 0; k < 2; ++k)
      if (!(kept[k] > 0.0) || isinf(kept[k])) kept[k] = 0.0;
    if (!(kept[2] > 0.0)) kept[2] = 1.0;
  }
  limpet_write_numbers(w, attribute, kept, 3);
}

static const char *shape_type(limpet_shape_kind kind) { return limpet_shape_kind_word(kind); }

// the velocity of a surface, in the frame in which the geom is written
static void write_surface(limpet_writer *w, int g, const double position[3],
                          const double quaternion[4]) {
  const limpet_material *material = &w->model->geom_material[g];
  const double *v = material->surface_velocity, *u = material->surface_angular_velocity;
  if (limpet_vec3_norm(v) == 0.0 && limpet_vec3_norm(u) == 0.0) return;
  double back[4], turn[4], shift[3], velocity[6], swept[3];
  limpet_quaternion_conjugate(back, quaternion);
  limpet_quaternion_mul(turn, back, w->model->geom_quaternion + 4 * g);
  limpet_quaternion_rotate(velocity, turn, v);
  limpet_quaternion_rotate(velocity + 3, turn, u);
  limpet_vec3_sub(swept, position, w->model->geom_position + 3 * g);
  limpet_quaternion_rotate(shift, back, swept);
  limpet_vec3_cross(swept, velocity + 3, shift);
  limpet_vec3_add(velocity, velocity, swept);
  limpet_write_numbers(w, "surfacevel", velocity, 6);
}

static void write_geom(limpet_writer *w, int g) {
  const limpet_model *m = w->model;
  const limpet_shape_kind kind = m->geom_kind[g];
  const limpet_material *material = &m->geom_material[g];
  double position[3], quaternion[4], rgba[4], n[3];
  char name[LIMPET_WRITER_NAME_SIZE];
  if (kind == LIMPET_SHAPE_SOFT) {
    if (!w->deformable_frame)
      limpet_writer_leave_out(w, "deformable body %s",
                              limpet_writer_name(w, LIMPET_OBJECT_GEOM, g, name));
    return;
  }
  if (kind == LIMPET_SHAPE_CLOUD) {
    limpet_writer_leave_out(w, "geom %s: MJCF has no point clouds",
                            limpet_writer_name(w, LIMPET_OBJECT_GEOM, g, name));
    return;
  }
  if (isfinite(material->stiffness) || isfinite(material->elastic_modulus))
    limpet_writer_leave_out(w,
                            "stiffness and pressure field of geom %s: MuJoCo has no such "
                            "materials",
                            limpet_writer_name(w, LIMPET_OBJECT_GEOM, g, name));
  limpet_writer_geom_pose(m, g, position, quaternion);
  limpet_write_begin(w, "geom");
  limpet_write_name(w, "name", LIMPET_OBJECT_GEOM, g);
  const bool heights = kind == LIMPET_SHAPE_MESH && m->mesh[m->geom_mesh[g]].heights;
  limpet_write_text(w, "type", heights ? "hfield" : shape_type(kind));
  if (heights) limpet_write_name(w, "hfield", LIMPET_OBJECT_MESH, m->geom_mesh[g]);
  else if (kind == LIMPET_SHAPE_MESH)
    limpet_write_name(w, "mesh", LIMPET_OBJECT_MESH, m->geom_mesh[g]);
  else write_size(w, "size", kind, m->geom_size + 3 * g);
  limpet_write_numbers(w, "pos", position, 3);
  limpet_write_numbers(w, "quat", quaternion, 4);
  limpet_write_integer(w, "contype", (int)m->geom_contype[g]);
  limpet_write_integer(w, "conaffinity", (int)m->geom_conaffinity[g]);
  limpet_write_integer(w, "condim", m->geom_condim[g]);
  limpet_write_integer(w, "group", m->geom_group[g]);
  if (m->geom_priority[g]) limpet_write_integer(w, "priority", m->geom_priority[g]);
  n[0] = material->friction, n[1] = material->friction_torsional, n[2] = material->friction_rolling;
  limpet_write_numbers(w, "friction", n, 3);
  write_surface(w, g, position, quaternion);
  limpet_write_unless(w, "adhesion", material->adhesion, 0.0);
  limpet_write_unless(w, "solmix", m->geom_impedance_mix[g], 1.0);
  limpet_write_impedance(w, "solref", "solimp", material->has_impedance, &material->impedance);
  limpet_write_unless(w, "margin", m->geom_margin[g], 0.0);
  limpet_write_unless(w, "gap", m->geom_gap[g], 0.0);
  if (m->geom_fluid_ellipsoid[g]) {
    limpet_write_text(w, "fluidshape", "ellipsoid");
    limpet_write_numbers(w, "fluidcoef", m->geom_fluid_coefficients + 5 * g, 5);
  }
  for (int k = 0; k < 4; ++k) rgba[k] = (double)m->geom_rgba[4 * g + k];
  limpet_write_numbers(w, "rgba", rgba, 4);
  limpet_write_end(w, "geom");
}

static void write_site(limpet_writer *w, int s) {
  const limpet_model *m = w->model;
  limpet_write_begin(w, "site");
  limpet_write_name(w, "name", LIMPET_OBJECT_SITE, s);
  limpet_write_text(w, "type", shape_type(m->site_kind[s]));
  limpet_write_numbers(w, "size", m->site_size + 3 * s, 3);
  limpet_write_numbers(w, "pos", m->site_position + 3 * s, 3);
  limpet_write_numbers(w, "quat", m->site_quaternion + 4 * s, 4);
  limpet_write_end(w, "site");
}

// the ends of loops that this body carries, as sites: MuJoCo then needs no reference pose
static void write_loop_sites(limpet_writer *w, int body) {
  const limpet_model *m = w->model;
  for (int l = 0; l < m->loop_count; ++l) {
    if (m->loop_kind[l] == LIMPET_LOOP_DISTANCE) continue;
    for (int k = 0; k < 2; ++k) {
      if (m->loop_body[2 * l + k] != body) continue;
      char name[64];
      snprintf(name, sizeof name, "limpet_loop_%d_%c", l, "ab"[k]);
      limpet_write_begin(w, "site");
      limpet_write_text(w, "name", name);
      limpet_write_numbers(w, "pos", m->loop_position + 3 * (2 * l + k), 3);
      limpet_write_numbers(w, "quat", m->loop_quaternion + 4 * (2 * l + k), 4);
      limpet_write_end(w, "site");
    }
  }
}

// ----------------------------------------------------------------------------------- bodies

// Whether a body that is welded to this one, through any number of others, has mass.
static bool welded_mass(const limpet_model *m, int b) {
  for (int k = b + 1; k < m->body_subtree_end[b]; ++k)
    if (m->body_weld[k] == m->body_weld[b] && m->body_mass[k] > 0.0) return true;
  return false;
}

/* What joints move must have mass and inertia in MJCF, of its own or welded to it. Frames between
 * joints get little. */
static void write_inertial(limpet_writer *w, int b) {
  const double enough = 1e-15,
               little = 1e-14;  // [kg, kg m^2]  MuJoCo takes what is above the first
  const limpet_model *m = w->model;
  const bool moves = m->body_joint_count[b] > 0;
  double moment[3], mass = m->body_mass[b];
  if (!(mass > 0.0) && (!moves || welded_mass(m, b))) return;
  limpet_writer_moments(m, b, moment);
  if (moves && !(mass > enough)) mass = little;
  for (int k = 0; k < 3; ++k)
    if (moves && !(moment[k] > enough)) moment[k] = little;
  limpet_write_begin(w, "inertial");
  limpet_write_number(w, "mass", mass);
  limpet_write_numbers(w, "pos", m->body_com + 3 * b, 3);
  limpet_write_numbers(w, "quat", m->body_inertia_quaternion + 4 * b, 4);
  limpet_write_numbers(w, "diaginertia", moment, 3);
  limpet_write_end(w, "inertial");
}

static void write_contents(limpet_writer *w, int b) {
  const limpet_model *m = w->model;
  for (int j = 0; j < m->body_joint_count[b]; ++j) write_joint(w, m->body_joint[b] + j);
  for (int g = 0; g < m->body_geom_count[b]; ++g) write_geom(w, m->body_geom[b] + g);
  for (int s = 0; s < m->site_count; ++s)
    if (m->site_body[s] == b) write_site(w, s);
  for (int c = 0; c < m->camera_count; ++c)
    if (m->camera_body[c] == b) limpet_write_mjcf_camera(w, c);
  write_loop_sites(w, b);
}

// opens the element of a body; its children follow
static void begin_body(limpet_writer *w, int b) {
  const limpet_model *m = w->model;
  limpet_write_begin(w, "body");
  limpet_write_name(w, "name", LIMPET_OBJECT_BODY, b);
  limpet_write_numbers(w, "pos", m->body_position + 3 * b, 3);
  limpet_write_numbers(w, "quat", m->body_quaternion + 4 * b, 4);
  limpet_write_unless(w, "gravcomp", m->body_gravity_compensation[b], 0.0);
  if (m->body_mocap[b] >= 0) limpet_write_flag(w, "mocap", true);
  write_inertial(w, b);
  write_contents(w, b);
}

// bodies are numbered depth first: those that end before the next one are closed
static void write_tree(limpet_writer *w) {
  const limpet_model *m = w->model;
  limpet_write_begin(w, "worldbody");
  write_contents(w, 0);
  int open = 0;
  for (int b = 1; b < m->body_count; ++b) {
    for (; open != m->body_parent[b]; open = m->body_parent[open]) limpet_write_end(w, "body");
    begin_body(w, b);
    open = b;
  }
  for (; open != 0; open = m->body_parent[open]) limpet_write_end(w, "body");
  limpet_write_mjcf_deformables(w);
  limpet_write_end(w, "worldbody");
}

static void write_model(limpet_writer *w) {
  limpet_write_begin(w, "mujoco");
  if (w->model->name) limpet_write_text(w, "model", w->model->name);
  write_options(w);
  write_meshes(w);
  write_tree(w);
  limpet_write_mjcf_relations(w);
  limpet_write_end(w, "mujoco");
}

limpet_status limpet_mjcf_write(const limpet_model *model, const char *path,
                                limpet_left_out *left_out, void *context, limpet_error *error) {
  assert(model && path);
  int *frame = limpet_writer_deformable_frames(model);
  if (!frame) return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the model");
  limpet_writer w = {
      .model = model, .left_out = left_out, .context = context, .deformable_frame = frame};
  const limpet_status status = limpet_writer_run(&w, path, write_model, error);
  free(frame);
  return status;
}

limpet_status limpet_mjcf_write_rigid(const limpet_model *model, const char *path,
                                      limpet_left_out *left_out, void *context,
                                      limpet_error *error) {
  assert(model && path);
  limpet_writer w = {.model = model, .left_out = left_out, .context = context};
  return limpet_writer_run(&w, path, write_model, error);
}
