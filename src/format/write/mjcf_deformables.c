/* format/write/mjcf_deformables.c: deformable bodies as <limpet:deformable type="direct">: vertices
 * at rest, elements and numbers as they were understood, so that reading gives the same bits.
 *
 * The shape at rest is written in the frame of the body that it was given in: elements turned with
 * it would differ by round-off. The model does not know that frame; it is the body whose pose at
 * the reference takes the shape at rest to where the vertices are. */
#include <math.h>
#include <stdlib.h>

#include "fem/body.h"
#include "format/write/writer.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------- frames

// [m]  farthest vertex of a body from where the frame takes its shape at rest
static double distance_from(const limpet_model *model, const limpet_data *data, int d, int frame) {
  const double *rest = model->deformable_body[d]->rest;
  const int first = model->deformable_vertex[d];
  double most = 0.0;
  for (int i = 0; i < model->deformable_vertex[d + 1] - first; ++i) {
    double x[3];
    limpet_mat3_mul_vec(x, data->body_rotation + 9 * frame, rest + 3 * i);
    limpet_vec3_add(x, x, data->body_position + 3 * frame);
    most = fmax(most, limpet_vec3_distance(x, model->vertex_reference + 3 * (first + i)));
  }
  return most;
}

static int frame_of(const limpet_model *model, const limpet_data *data, int d) {
  int best = 0;
  double least = INFINITY;
  for (int b = 0; b < model->body_count; ++b) {
    const double distance = distance_from(model, data, d, b);
    if (distance < least) least = distance, best = b;
  }
  return best;
}

int *limpet_writer_deformable_frames(const limpet_model *model) {
  int *frame = calloc((size_t)model->deformable_count + 1, sizeof *frame);
  limpet_data *data = frame && model->deformable_count > 0 ? limpet_data_create(model) : NULL;
  if (!data && model->deformable_count > 0) {
    free(frame);
    return NULL;
  }
  if (data) {
    for (int i = 0; i < model->nq; ++i) data->q[i] = model->q_reference[i];
    limpet_kinematics(model, data);
  }
  for (int d = 0; d < model->deformable_count; ++d) frame[d] = frame_of(model, data, d);
  limpet_data_destroy(data);
  return frame;
}

// ---------------------------------------------------------------------------------- attributes

static void write_integers(limpet_writer *w, const char *attribute, const int *value, int count) {
  if (count == 0) return;
  fprintf(w->file, " %s=\"", attribute);
  for (int i = 0; i < count; ++i) fprintf(w->file, "%s%d", i ? " " : "", value[i]);
  fputc('"', w->file);
}

static void write_mesh(limpet_writer *w, const limpet_fem_body *body) {
  const limpet_fem_body_info *info = &body->info;
  const bool solid = info->tetrahedron_count > 0;
  limpet_write_text(w, "type", "direct");
  limpet_write_numbers(w, "point", body->rest, 3 * info->vertex_count);
  write_integers(w, "tetrahedra", body->tetrahedra, 4 * info->tetrahedron_count);
  if (!solid) write_integers(w, "faces", body->faces, 3 * info->face_count);
  if (!solid) write_integers(w, "segments", body->segments, 2 * info->segment_count);
}

static void write_thin(limpet_writer *w, const limpet_fem_body *body) {
  const limpet_fem_body_info *info = &body->info;
  if (info->face_count > 0) limpet_write_flag(w, "shell", true);
  limpet_write_number(w, "thickness", info->thickness);
  if (!body->thin.membrane) limpet_write_flag(w, "membrane", false);
  if (!body->thin.bending) limpet_write_flag(w, "bending", false);
  limpet_write_unless(w, "edge_stiffness", body->thin.edge_stiffness, 0.0);
  limpet_write_unless(w, "edge_damping", body->thin.edge_damping, 0.0);
  if (!body->gas.present) return;
  limpet_write_number(w, "pressure", body->gas.pressure);
  limpet_write_number(w, "outside_pressure", body->gas.outside);
  limpet_write_number(w, "gas_exponent", body->gas.exponent);
}

static void write_material(limpet_writer *w, int d, const limpet_fem_body *body) {
  const limpet_fem_body_info *info = &body->info;
  if (info->tetrahedron_count > 0) {
    limpet_write_text(w, "law", info->law->descriptor.name);
    if (body->element_nodes > 4) limpet_write_text(w, "element", "quadratic");
  } else {
    write_thin(w, body);
  }
  limpet_write_number(w, "young", info->youngs_modulus);
  limpet_write_number(w, "poisson", info->poissons_ratio);
  limpet_write_number(w, "density", info->density);
  limpet_write_unless(w, "mass_damping", info->mass_damping, 0.0);
  limpet_write_unless(w, "damping", info->stiffness_damping, 0.0);
  if (!w->model->deformable_gravity[d]) limpet_write_flag(w, "gravity", false);
  if (w->model->deformable_self_contact[d]) limpet_write_flag(w, "self_contact", true);
  limpet_write_number(w, "surface_stiffness", w->model->deformable_surface_stiffness[d]);
}

// Numbers of the surface that MJCF has no words for.
static void write_surface(limpet_writer *w, const limpet_material *m) {
  const limpet_material own = limpet_material_default();
  const struct {
    const char *name;
    double value, standard;
  } numbers[] = {{"adhesion", m->adhesion, own.adhesion},
                 {"limpet:stiffness", m->stiffness, own.stiffness},
                 {"limpet:dissipation", m->dissipation, own.dissipation},
                 {"limpet:relaxation_time", m->relaxation_time, own.relaxation_time},
                 {"limpet:friction_static", m->friction_static, own.friction_static},
                 {"limpet:friction_ratio", m->friction_ratio, own.friction_ratio},
                 {"limpet:restitution", m->restitution, own.restitution},
                 {"limpet:elastic_modulus", m->elastic_modulus, own.elastic_modulus},
                 {"limpet:slab_thickness", m->slab_thickness, own.slab_thickness},
                 {"limpet:field_size", m->field_size, own.field_size},
                 {"limpet:field_error", m->field_error, own.field_error},
                 {"limpet:field_margin", m->field_margin, own.field_margin}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!isnan(numbers[i].value))
      limpet_write_unless(w, numbers[i].name, numbers[i].value, numbers[i].standard);
  limpet_write_numbers(w, "limpet:friction_axis", m->friction_axis, 3);
  double velocity[6];
  limpet_vec3_copy(velocity, m->surface_velocity);
  limpet_vec3_copy(velocity + 3, m->surface_angular_velocity);
  if (limpet_vec3_norm(velocity) > 0.0 || limpet_vec3_norm(velocity + 3) > 0.0)
    limpet_write_numbers(w, "surfacevel", velocity, 6);
}

static void write_contact(limpet_writer *w, int g) {
  const limpet_model *m = w->model;
  const limpet_material *material = &m->geom_material[g];
  const double friction[3] = {material->friction, material->friction_torsional,
                              material->friction_rolling};
  double rgba[4];
  char name[LIMPET_WRITER_NAME_SIZE];
  limpet_write_numbers(w, "friction", friction, 3);
  limpet_write_integer(w, "contype", (int)m->geom_contype[g]);
  limpet_write_integer(w, "conaffinity", (int)m->geom_conaffinity[g]);
  limpet_write_integer(w, "condim", m->geom_condim[g]);
  limpet_write_integer(w, "priority", m->geom_priority[g]);
  limpet_write_integer(w, "group", m->geom_group[g]);
  limpet_write_unless(w, "margin", m->geom_margin[g], 0.0);
  for (int k = 0; k < 4; ++k) rgba[k] = (double)m->geom_rgba[4 * g + k];
  limpet_write_numbers(w, "rgba", rgba, 4);
  write_surface(w, material);
  if (material->has_impedance)
    limpet_writer_leave_out(w, "impedance of deformable body %s: its element has none",
                            limpet_writer_name(w, LIMPET_OBJECT_GEOM, g, name));
}

// ---------------------------------------------------------------------------------- ties

// The vertices that are tied to a body, the first of them being tie `from`.
static void write_tie(limpet_writer *w, int d, int from) {
  const limpet_model *m = w->model;
  limpet_write_begin(w, "limpet:tie");
  limpet_write_name(w, "body", LIMPET_OBJECT_BODY, m->tie_body[from]);
  fputs(" vertices=\"", w->file);
  for (int t = from; t < m->deformable_tie[d + 1]; ++t)
    if (m->tie_body[t] == m->tie_body[from])
      fprintf(w->file, "%s%d", t > from ? " " : "", m->tie_vertex[t] - m->deformable_vertex[d]);
  fputc('"', w->file);
  limpet_write_end(w, "limpet:tie");
}

static void write_ties(limpet_writer *w, int d) {
  const limpet_model *m = w->model;
  const int first = m->deformable_tie[d];
  for (int t = first; t < m->deformable_tie[d + 1]; ++t) {
    bool known = false;
    for (int k = first; k < t && !known; ++k) known = m->tie_body[k] == m->tie_body[t];
    if (!known) write_tie(w, d, t);
  }
}

static void write_deformable(limpet_writer *w, int d) {
  const limpet_fem_body *body = w->model->deformable_body[d];
  char name[LIMPET_WRITER_NAME_SIZE];
  limpet_write_begin(w, "limpet:deformable");
  limpet_write_name(w, "name", LIMPET_OBJECT_DEFORMABLE, d);
  if (w->deformable_frame[d] > 0)
    limpet_write_name(w, "body", LIMPET_OBJECT_BODY, w->deformable_frame[d]);
  write_mesh(w, body);
  write_material(w, d, body);
  write_contact(w, w->model->deformable_geom[d]);
  if (body->damping != LIMPET_FEM_DAMPING_STRAIN && body->info.stiffness_damping > 0.0)
    limpet_writer_leave_out(w, "another damping of deformable body %s: it is by strain",
                            limpet_writer_name(w, LIMPET_OBJECT_DEFORMABLE, d, name));
  write_ties(w, d);
  limpet_write_end(w, "limpet:deformable");
}

void limpet_write_mjcf_deformables(limpet_writer *w) {
  for (int d = 0; d < w->model->deformable_count && w->deformable_frame; ++d)
    write_deformable(w, d);
}
