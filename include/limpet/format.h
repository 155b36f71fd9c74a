/* limpet/format.h: reading robots and scenes from files. Floor 10. */
#ifndef LIMPET_FORMAT_H
#define LIMPET_FORMAT_H

#include "limpet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_load_options {
  bool strict;          // what changes physics and is not simulated is an error, not a note; false
  bool discard_visual;  // leave out geoms that cannot collide (they still count for inertia); false
  bool fix_base;        // URDF, SDFormat: links that no joint holds are welded to the world; false
  bool exclude_overlaps;  // links that overlap in the reference pose do not touch; false
  const char *packages;   // "NAME=folder" or a folder of packages, ':' between; NULL: none
} limpet_load_options;

LIMPET_API limpet_load_options limpet_load_options_default(void);
LIMPET_API const limpet_field_table *limpet_load_options_fields(void);

/* Reads a model by the root element of the file: MJCF (<mujoco>), URDF (<robot>), SDFormat (<sdf>).
 * NULL on failure. `options` NULL: defaults. What the file asks and Limpet does not simulate stands
 * in model->note. */
LIMPET_API limpet_model *limpet_load(const char *path, const limpet_load_options *options,
                                     limpet_error *error);

/* Adds the content of such a file to a builder, which can be changed before it is compiled. */
LIMPET_API limpet_status limpet_builder_read(limpet_builder *builder, const char *path,
                                             const limpet_load_options *options,
                                             limpet_error *error);

/* Links of one robot (all that one body below the world carries) that overlap by more than 0.01 mm
 * in the reference pose, with joints moved into their limits, do not touch each other from here on,
 * and a note of the model says so: contact is with convex hulls of meshes, and those of near links
 * often overlap in every pose. Compiles the builder for it. `excluded` (may be NULL): how many
 * pairs of bodies. */
LIMPET_API limpet_status limpet_builder_exclude_overlaps(limpet_builder *builder, int *excluded,
                                                         limpet_error *error);

/* Adds the content of an MJCF file to a builder. `path` names the file; meshes and includes are
 * found relative to it. */
LIMPET_API limpet_status limpet_mjcf_read(limpet_builder *builder, const char *path,
                                          const limpet_load_options *options, limpet_error *error);
/* The same from a text in memory; `path` is for messages and for finding other files, and may be
 * NULL. */
LIMPET_API limpet_status limpet_mjcf_read_text(limpet_builder *builder, const char *text,
                                               size_t length, const char *path,
                                               const limpet_load_options *options,
                                               limpet_error *error);

/* The same for URDF, with Drake's tags. Links that nothing holds to the world float, unless
 * options->fix_base. */
LIMPET_API limpet_status limpet_urdf_read(limpet_builder *builder, const char *path,
                                          const limpet_load_options *options, limpet_error *error);
LIMPET_API limpet_status limpet_urdf_read_text(limpet_builder *builder, const char *text,
                                               size_t length, const char *path,
                                               const limpet_load_options *options,
                                               limpet_error *error);

/* The same for SDFormat 1.7 and later, with Drake's tags: a model, or the first world of the file
 * with its gravity and time step. */
LIMPET_API limpet_status limpet_sdformat_read(limpet_builder *builder, const char *path,
                                              const limpet_load_options *options,
                                              limpet_error *error);
LIMPET_API limpet_status limpet_sdformat_read_text(limpet_builder *builder, const char *text,
                                                   size_t length, const char *path,
                                                   const limpet_load_options *options,
                                                   limpet_error *error);

// Told what a format cannot hold, in words, one thing at a time.
typedef void limpet_left_out(void *context, const char *text);

/* Writes a model as MJCF that MuJoCo reads: poses, masses and mass matrices are the same. What MJCF
 * cannot hold is left out and told to `left_out` (may be NULL). Deformable bodies are elements of
 * Limpet's own, <limpet:deformable>, which hold them whole and which MuJoCo refuses. */
LIMPET_API limpet_status limpet_mjcf_write(const limpet_model *model, const char *path,
                                           limpet_left_out *left_out, void *context,
                                           limpet_error *error);
// The same without deformable bodies.
LIMPET_API limpet_status limpet_mjcf_write_rigid(const limpet_model *model, const char *path,
                                                 limpet_left_out *left_out, void *context,
                                                 limpet_error *error);

/* Writes a model as URDF 1.2 with Drake's tags: poses, masses and mass matrices at the same
 * coordinates are the same. Meshes are files (OBJ; VTK of tetrahedra) in the folder `meshes`, a
 * path from that of the file, which is made where it is needed. What URDF cannot say (loops,
 * tendons, springs, planes...) is told to `left_out` (may be NULL), each kind once with its count.
 */
LIMPET_API limpet_status limpet_urdf_write(const limpet_model *model, const char *path,
                                           const char *meshes, limpet_left_out *left_out,
                                           void *context, limpet_error *error);

// A triangle mesh as it stands in a file; arrays by malloc, freed by limpet_mesh_file_free.
typedef struct limpet_mesh_file {
  int vertex_count, face_count;
  double *vertices;  // (vertex_count x 3)  units of the file
  int *faces;        // (face_count x 3); NULL with face_count 0
  int tetrahedron_count;
  int *tetrahedra;  // (tetrahedron_count x 4)  of positive volume; `faces` is their boundary
  // tetrahedra whose vertices the file gives the other way round: the volume is negative in that
  // order. They were turned; turned_first: the first of them
  int turned_count, turned_first;
  double *field;  // (vertex_count)  [-]  pressure over modulus; NULL: the file has none
  // (face_count x 3 x 2)  [-]  of each corner: u to the right, v up, 0 to 1 across the picture;
  // NULL: the file has none
  float *texture_coordinates;
  unsigned char *image;  // a PNG or JPEG file, of the material with most triangles; NULL: none
  size_t image_size;     // [bytes]
  bool image_outside;    // the picture is a file outside of the folder of the mesh
  bool image_missing;    // a picture is named that is neither PNG nor JPEG, or cannot be read
  bool has_rgba;         // the file has a material (DAE, glTF, GLB)
  float rgba[4];         // of the material with most triangles
} limpet_mesh_file;

/* Reads STL (binary, ASCII), OBJ (polygons are fanned), MSH (MuJoCo's, or Gmsh's with
 * tetrahedra, text and binary) or VTK (legacy, tetrahedra) by the ending of `path`; DAE, PLY, glTF
 * and GLB with the library assimp, in metres, node transforms applied, glTF turned from y-up to
 * z-up. Repeated vertices are merged, but those of OBJ and MSH. */
LIMPET_API limpet_status limpet_mesh_file_read(limpet_mesh_file *mesh, const char *path,
                                               limpet_error *error);
LIMPET_API void limpet_mesh_file_free(limpet_mesh_file *mesh);

// A point cloud as it stands in a file; the array by malloc, freed by limpet_cloud_file_free.
typedef struct limpet_cloud_file {
  int point_count;
  double *points;  // (point_count x 3)  units of the file
} limpet_cloud_file;

/* Reads PLY (ASCII, binary of both byte orders), PCD (ASCII, binary, compressed), XYZ (three
 * numbers in a line) or NPY (float32 or float64, N x 3) by the ending of `path`. A coordinate that
 * is not a finite number is an error that names the point, counted from 0, and its line. */
LIMPET_API limpet_status limpet_cloud_file_read(limpet_cloud_file *cloud, const char *path,
                                                limpet_error *error);
LIMPET_API void limpet_cloud_file_free(limpet_cloud_file *cloud);

#ifdef __cplusplus
}
#endif
#endif
