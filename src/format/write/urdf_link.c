/* format/write/urdf_link.c: links with their inertia, what is drawn and what touches, and the files
 * of their meshes. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "format/write/urdf.h"
#include "math/quaternion.h"

enum { PATH_SIZE = 4096, DRAWN_GROUPS = 3 };  // groups from 3 on are not for the eye

/* Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll). Pitch and roll are those of Rz(-yaw) R, so
 * that near pitch = +-90 degrees, where yaw is hardly known, their product is still R. */
static void rpy_of(const double q[4], double rpy[3]) {
  double R[9];
  limpet_quaternion_to_matrix(R, q);
  const double flat = hypot(R[0], R[3]), yaw = flat > 1e-12 ? atan2(R[3], R[0]) : 0.0;
  const double c = cos(yaw), s = sin(yaw);
  rpy[0] = atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]);
  rpy[1] = atan2(0.0 - R[6], c * R[0] + s * R[3]);
  rpy[2] = yaw;
}

void limpet_urdf_write_pose(limpet_writer *w, const limpet_urdf_pose *pose) {
  double rpy[3];
  rpy_of(pose->quaternion, rpy);
  limpet_write_numbers(w, "xyz", pose->position, 3);
  limpet_write_numbers(w, "rpy", rpy, 3);
}

void limpet_urdf_write_origin(limpet_writer *w, const limpet_urdf_pose *pose) {
  limpet_write_begin(w, "origin");
  limpet_urdf_write_pose(w, pose);
  limpet_write_end(w, "origin");
}

static void write_value(limpet_writer *w, const char *element, double value) {
  limpet_write_begin(w, element);
  limpet_write_number(w, "value", value);
  limpet_write_end(w, element);
}

static void write_inertial(limpet_writer *w, int b) {
  static const struct {
    const char *name;
    int entry;
  } moments[] = {{"ixx", 0}, {"iyy", 4}, {"izz", 8}, {"ixy", 1}, {"ixz", 2}, {"iyz", 5}};
  const limpet_model *m = w->model;
  if (!(m->body_mass[b] > 0.0)) return;
  limpet_urdf_pose com = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
  limpet_vec3_copy(com.position, m->body_com + 3 * b);
  limpet_write_begin(w, "inertial");
  limpet_urdf_write_origin(w, &com);
  write_value(w, "mass", m->body_mass[b]);
  limpet_write_begin(w, "inertia");
  for (int k = 0; k < 6; ++k)
    limpet_write_number(w, moments[k].name, m->body_inertia[9 * b + moments[k].entry]);
  limpet_write_end(w, "inertia");
  limpet_write_end(w, "inertial");
}

// ----------------------------------------------------------------------------------- shapes

static const char *mesh_file(const limpet_urdf_writer *u, int mesh, char path[PATH_SIZE]) {
  char name[LIMPET_WRITER_NAME_SIZE];
  const char *own = limpet_writer_name(&u->writer, LIMPET_OBJECT_MESH, mesh, name);
  const int length = snprintf(path, PATH_SIZE, "%s/%s", u->folder, own);
  // a name may hold what no file may be called
  for (char *c = path + strlen(u->folder) + 1; *c; ++c)
    if (*c == '/' || *c == '\\' || *c == ':') *c = '_';
  const char *ending = u->writer.model->mesh[mesh].tetrahedron_count > 0 ? "vtk" : "obj";
  if (length > 0 && length < PATH_SIZE - 20) snprintf(path + length, 20, "_%d.%s", mesh, ending);
  return path;
}

static void write_round(limpet_writer *w, const char *element, const double *size) {
  limpet_write_begin(w, element);
  limpet_write_number(w, "radius", size[0]);
  limpet_write_number(w, "length", 2.0 * size[1]);
  limpet_write_end(w, element);
}

static void write_ellipsoid(limpet_writer *w, const double *size) {
  static const char *const names[] = {"a", "b", "c"};
  limpet_write_begin(w, "drake:ellipsoid");
  for (int k = 0; k < 3; ++k) limpet_write_number(w, names[k], size[k]);
  limpet_write_end(w, "drake:ellipsoid");
}

// whether URDF, or Drake's tags, have the shape
static bool has_shape(const limpet_model *m, int g) {
  switch (m->geom_kind[g]) {
    case LIMPET_SHAPE_SPHERE:
    case LIMPET_SHAPE_BOX:
    case LIMPET_SHAPE_CYLINDER:
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_ELLIPSOID: return true;
    case LIMPET_SHAPE_MESH: return !m->mesh[m->geom_mesh[g]].heights;
    default: return false;
  }
}

static void write_geometry(limpet_urdf_writer *u, int g) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  const double *size = m->geom_size + 3 * g;
  char path[PATH_SIZE];
  double edges[3];
  limpet_write_begin(w, "geometry");
  switch (m->geom_kind[g]) {
    case LIMPET_SHAPE_SPHERE:
      limpet_write_begin(w, "sphere");
      limpet_write_number(w, "radius", size[0]);
      limpet_write_end(w, "sphere");
      break;
    case LIMPET_SHAPE_BOX:
      limpet_vec3_scale(edges, 2.0, size);
      limpet_write_begin(w, "box");
      limpet_write_numbers(w, "size", edges, 3);
      limpet_write_end(w, "box");
      break;
    case LIMPET_SHAPE_CYLINDER: write_round(w, "cylinder", size); break;
    case LIMPET_SHAPE_CAPSULE: write_round(w, "capsule", size); break;
    case LIMPET_SHAPE_ELLIPSOID: write_ellipsoid(w, size); break;
    default:
      limpet_write_begin(w, "mesh");
      limpet_write_text(w, "filename", mesh_file(u, m->geom_mesh[g], path));
      if (!m->mesh[m->geom_mesh[g]].concave) {  // else a pressure field takes its faces
        limpet_write_begin(w, "drake:declare_convex");
        limpet_write_end(w, "drake:declare_convex");
      }
      limpet_write_end(w, "mesh");
  }
  limpet_write_end(w, "geometry");
}

// friction, stiffness and pressure field, by Drake's tags
static void write_proximity(limpet_writer *w, const limpet_material *material) {
  limpet_write_begin(w, "drake:proximity_properties");
  write_value(w, "drake:mu_dynamic", material->friction);
  if (!isnan(material->friction_static))
    write_value(w, "drake:mu_static", material->friction_static);
  if (isfinite(material->stiffness))
    write_value(w, "drake:point_contact_stiffness", material->stiffness);
  if (isfinite(material->stiffness) || isfinite(material->elastic_modulus)) {
    write_value(w, "drake:hunt_crossley_dissipation", material->dissipation);
    write_value(w, "drake:relaxation_time", material->relaxation_time);
  }
  if (isfinite(material->elastic_modulus)) {
    limpet_write_begin(w, "drake:compliant_hydroelastic");
    limpet_write_end(w, "drake:compliant_hydroelastic");
    write_value(w, "drake:hydroelastic_modulus", material->elastic_modulus);
    if (material->field_size > 0.0)
      write_value(w, "drake:mesh_resolution_hint", material->field_size);
    if (material->field_margin > 0.0)
      write_value(w, "drake:hydroelastic_margin", material->field_margin);
  }
  limpet_write_end(w, "drake:proximity_properties");
}

static void write_colour(limpet_writer *w, int g) {
  char name[32];
  double rgba[4];
  snprintf(name, sizeof name, "colour_%d", g);
  for (int k = 0; k < 4; ++k) rgba[k] = (double)w->model->geom_rgba[4 * g + k];
  limpet_write_begin(w, "material");
  limpet_write_text(w, "name", name);
  limpet_write_begin(w, "color");
  limpet_write_numbers(w, "rgba", rgba, 4);
  limpet_write_end(w, "color");
  limpet_write_end(w, "material");
}

static void write_part(limpet_urdf_writer *u, int g, const char *element, const char *suffix) {
  limpet_writer *w = &u->writer;
  char own[LIMPET_WRITER_NAME_SIZE], name[LIMPET_WRITER_NAME_SIZE + 16];
  limpet_urdf_pose pose;
  limpet_writer_geom_pose(w->model, g, pose.position, pose.quaternion);
  snprintf(name, sizeof name, "%s%s", limpet_writer_name(w, LIMPET_OBJECT_GEOM, g, own), suffix);
  limpet_write_begin(w, element);
  limpet_write_text(w, "name", name);
  limpet_urdf_write_origin(w, &pose);
  write_geometry(u, g);
}

// what touches is a collision, what is for the eye a visual; one geom may be both
static void write_geom(limpet_urdf_writer *u, int g) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  const bool touches = m->geom_contype[g] || m->geom_conaffinity[g];
  const bool drawn = !touches || m->geom_group[g] < DRAWN_GROUPS;
  if (!has_shape(m, g)) {
    u->lost[LIMPET_URDF_SHAPES]++;
    return;
  }
  u->lost[LIMPET_URDF_ELLIPSOIDS] += m->geom_kind[g] == LIMPET_SHAPE_ELLIPSOID;
  if (drawn) {
    write_part(u, g, "visual", touches ? "_visual" : "");
    write_colour(w, g);
    limpet_write_end(w, "visual");
  }
  if (touches) {
    u->lost[LIMPET_URDF_FILTERS] += m->geom_contype[g] != 1 || m->geom_conaffinity[g] != 1;
    write_part(u, g, "collision", "");
    write_proximity(w, &m->geom_material[g]);
    limpet_write_end(w, "collision");
  }
}

void limpet_urdf_write_link(limpet_urdf_writer *u, int body) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  limpet_write_begin(w, "link");
  limpet_write_name(w, "name", LIMPET_OBJECT_BODY, body);
  if (body > 0) write_inertial(w, body);
  for (int k = 0; k < m->body_geom_count[body]; ++k) write_geom(u, m->body_geom[body] + k);
  limpet_write_end(w, "link");
}

// ----------------------------------------------------------------------------------- meshes

static bool is_used(const limpet_model *m, int mesh) {
  for (int g = 0; g < m->geom_count; ++g)
    if (m->geom_kind[g] == LIMPET_SHAPE_MESH && m->geom_mesh[g] == mesh && has_shape(m, g))
      return true;
  return false;
}

static void write_vertices(const limpet_mesh *mesh, const char *before, FILE *file) {
  for (int i = 0; i < mesh->vertex_count; ++i) {
    double x[3];
    limpet_writer_vertex(mesh, i, x);
    fprintf(file, "%s%.17g %.17g %.17g\n", before, x[0], x[1], x[2]);
  }
}

static void write_obj(const limpet_mesh *mesh, FILE *file) {
  write_vertices(mesh, "v ", file);
  for (int f = 0; f < mesh->face_count; ++f)
    fprintf(file, "f %d %d %d\n", mesh->faces[3 * f] + 1, mesh->faces[3 * f + 1] + 1,
            mesh->faces[3 * f + 2] + 1);
}

// tetrahedra, as legacy VTK
static void write_vtk(const limpet_mesh *mesh, FILE *file) {
  const int count = mesh->tetrahedron_count;
  fprintf(file, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
  fprintf(file, "POINTS %d double\n", mesh->vertex_count);
  write_vertices(mesh, "", file);
  fprintf(file, "CELLS %d %d\n", count, 5 * count);
  for (const int *t = mesh->tetrahedra; t < mesh->tetrahedra + 4 * count; t += 4)
    fprintf(file, "4 %d %d %d %d\n", t[0], t[1], t[2], t[3]);
  fprintf(file, "CELL_TYPES %d\n", count);
  for (int i = 0; i < count; ++i) fputs("10\n", file);
}

static bool write_file(const limpet_mesh *mesh, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  if (mesh->tetrahedron_count > 0) write_vtk(mesh, file);
  else write_obj(mesh, file);
  const bool good = !ferror(file);
  return fclose(file) == 0 && good;
}

static void fail(limpet_urdf_writer *u, const char *path) {
  u->status = limpet_error_fill_at(u->error, LIMPET_ERROR_FILE, path, 0, 0,
                                   "the mesh cannot be written: %s", strerror(errno));
}

void limpet_urdf_write_meshes(limpet_urdf_writer *u) {
  const limpet_model *m = u->writer.model;
  const char *slash = strrchr(u->path, '/');
  const int beside = slash ? (int)(slash - u->path) + 1 : 0;
  char file[PATH_SIZE], path[2 * PATH_SIZE];
  bool made = false;
  for (int i = 0; i < m->mesh_count && u->status == LIMPET_OK; ++i) {
    if (!is_used(m, i)) continue;
    snprintf(path, sizeof path, "%.*s%s", beside, u->path, u->folder);
    if (!made && mkdir(path, 0777) && errno != EEXIST) {
      fail(u, path);
      return;
    }
    made = true;
    snprintf(path, sizeof path, "%.*s%s", beside, u->path, mesh_file(u, i, file));
    if (!write_file(&m->mesh[i], path)) fail(u, path);
  }
}
