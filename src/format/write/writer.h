/* format/write/writer.h: writing a model as XML: elements, attributes, names that every object has.
 *
 * Numbers are written with as few digits as give them back exactly. */
#ifndef LIMPET_FORMAT_WRITE_WRITER_H
#define LIMPET_FORMAT_WRITE_WRITER_H

#include <stdio.h>

#include "limpet/format.h"

enum { LIMPET_WRITER_NAME_SIZE = 512 };

typedef struct limpet_writer {
  const limpet_model *model;
  FILE *file;
  int depth;       // elements that are open
  bool head_open;  // the tag of the innermost element is not closed yet
  limpet_left_out *left_out;
  void *context;  // of left_out
  // (deformable_count)  body in whose frame each deformable body is; NULL: they are left out
  const int *deformable_frame;
} limpet_writer;

// ------------------------------------------------------------------------------------- XML

void limpet_write_begin(limpet_writer *w, const char *element);
void limpet_write_end(limpet_writer *w, const char *element);

// An element with nothing but a text, in which nothing needs to be escaped.
void limpet_write_content(limpet_writer *w, const char *element, const char *text);

void limpet_write_text(limpet_writer *w, const char *attribute, const char *value);
void limpet_write_numbers(limpet_writer *w, const char *attribute, const double *value, int count);
void limpet_write_number(limpet_writer *w, const char *attribute, double value);
void limpet_write_integer(limpet_writer *w, const char *attribute, int value);
void limpet_write_flag(limpet_writer *w, const char *attribute, bool value);
// The same unless the value is that which the format takes without the attribute.
void limpet_write_unless(limpet_writer *w, const char *attribute, double value, double standard);

// --------------------------------------------------------------------------------- the model

// A coefficient and how it grows, three numbers; nothing where all are 0.
void limpet_write_polynomial(limpet_writer *w, const char *attribute, double value,
                             const double growth[2]);

// `delay`, `nsample`, `interp`.
void limpet_write_delay(limpet_writer *w, double delay, int samples, limpet_interpolation by);

/* The name of an object: its own, or one of its kind and number that no other object has. */
const char *limpet_writer_name(const limpet_writer *w, limpet_object object, int index,
                               char text[LIMPET_WRITER_NAME_SIZE]);
void limpet_write_name(limpet_writer *w, const char *attribute, limpet_object object, int index);

// Tells the caller that something is left out, in words.
void limpet_writer_leave_out(const limpet_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The two attributes of an impedance of MJCF, where its author gave it.
void limpet_write_impedance(limpet_writer *w, const char *reference, const char *impedance,
                            bool given, const limpet_impedance *value);
// The name of the slide that carries the way of a screw.
const char *limpet_writer_slide_name(int joint, char text[LIMPET_WRITER_NAME_SIZE]);
// In mjcf_relations.c: what refers to names.
void limpet_write_mjcf_relations(limpet_writer *w);
/* In mjcf_deformables.c: the body in whose frame each deformable body has its shape at rest
 * (deformable_count), by malloc; NULL: no memory. And all of them as elements, in their order. */
int *limpet_writer_deformable_frames(const limpet_model *model);
void limpet_write_mjcf_deformables(limpet_writer *w);
// In mjcf_sensors.c.
void limpet_write_mjcf_camera(limpet_writer *w, int camera);
void limpet_write_mjcf_sensors(limpet_writer *w);

// Pose of a geom as a file gives it: that of a mesh is not the pose of its inertial frame.
void limpet_writer_geom_pose(const limpet_model *model, int geom, double position[3],
                             double quaternion[4]);
// A vertex of a mesh [m] in the frame of its file, after scale.
void limpet_writer_vertex(const limpet_mesh *mesh, int vertex, double x[3]);
// Moments about the principal axes of a body [kg m^2].
void limpet_writer_moments(const limpet_model *model, int body, double moment[3]);

/* Opens the file, calls `write`, closes the file. */
limpet_status limpet_writer_run(limpet_writer *w, const char *path, void (*write)(limpet_writer *w),
                                limpet_error *error);

#endif
