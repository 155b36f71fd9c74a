/* format/mjcf/camera.c: cameras, which sensors use: where they are and how they see.
 *
 *   focal length in pixels  f/s n where the size s of the image sensor is given, else
 *                           (rows/2)/tan(fovy/2) both ways; orthographic: n/fovy [pixels/m], so
 * that the image is square in metres whatever its resolution, as in MuJoCo centre half the
 * resolution and the offset of the principal point f [m] focal length, n pixels. Here all sensors
 * see through the same camera. MuJoCo 4.0.1 leaves the offset out of camprojection, where it
 * projects through orthographic cameras as through others, and counts it from the corner of the
 * image in rangefinders, against its documentation. */
#include <math.h>
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/element.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/read/value.h"
#include "math/vec3.h"

typedef struct camera_record {
  limpet_camera_description d;
  double field_of_view;  // [degrees], orthographic [m]
  double sensor[2];      // [m]
  double focal[2], principal[2], focal_pixel[2], principal_pixel[2];
  int mode, projection;
} camera_record;

enum { MODE_FIXED, PERSPECTIVE = 0, ORTHOGRAPHIC = 1 };

static void camera_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                         const limpet_xml_element *e, void *record) {
  static const char *const modes[] = {"fixed",      "track",         "trackcom",
                                      "targetbody", "targetbodycom", NULL};
  static const char *const projections[] = {"perspective", "orthographic", NULL};
  camera_record *r = record;
  limpet_read_numbers(reader, e, "pos", r->d.position, 3, 3);
  limpet_mjcf_orientation(reader, source, e, r->d.quaternion);
  limpet_read_choice(reader, e, "mode", modes, &r->mode);
  limpet_read_choice(reader, e, "projection", projections, &r->projection);
  bool orthographic = false;
  if (limpet_read_boolean(reader, e, "orthographic", &orthographic))
    r->projection = orthographic ? ORTHOGRAPHIC : PERSPECTIVE;
  limpet_read_number(reader, e, "fovy", &r->field_of_view);
  double resolution[2];
  if (limpet_read_numbers(reader, e, "resolution", resolution, 2, 2))
    for (int k = 0; k < 2; ++k) {
      if (!(resolution[k] >= 1.0 && resolution[k] <= 16384.0))
        limpet_reader_fail(reader, e, "resolution",
                           "'resolution' is %g x %g pixels; give 1 to 16384 of each", resolution[0],
                           resolution[1]);
      r->d.resolution[k] = (int)resolution[k];
    }
  limpet_read_numbers(reader, e, "sensorsize", r->sensor, 2, 2);
  limpet_read_numbers(reader, e, "focal", r->focal, 2, 2);
  limpet_read_numbers(reader, e, "principal", r->principal, 2, 2);
  limpet_read_numbers(reader, e, "focalpixel", r->focal_pixel, 2, 2);
  limpet_read_numbers(reader, e, "principalpixel", r->principal_pixel, 2, 2);
}

static void take_optics(limpet_reader *reader, const limpet_xml_element *e, camera_record *r) {
  limpet_camera_description *d = &r->d;
  const bool flat = r->projection == ORTHOGRAPHIC, sized = r->sensor[0] > 0.0 && r->sensor[1] > 0.0;
  d->orthographic = flat;
  if (!(r->field_of_view > 0.0) || (!flat && !(r->field_of_view < 180.0)))
    limpet_reader_fail(reader, e, "fovy", "'fovy' is %g; give %s", r->field_of_view,
                       flat ? "a positive length in m" : "more than 0 and less than 180 degrees");
  double height = r->field_of_view;  // [-] of the image at distance 1; orthographic [m]
  if (!flat) height = 2.0 * tan(0.5 * LIMPET_PI / 180.0 * r->field_of_view);
  for (int k = 0; k < 2; ++k) {
    const double pixels = d->resolution[k];
    d->focal[k] = (flat ? pixels : d->resolution[1]) / height;
    double offset = 0.0;
    if (sized) {
      const double focal =
          r->focal_pixel[k] > 0.0 ? r->focal_pixel[k] : r->focal[k] / r->sensor[k] * pixels;
      if (!flat && focal > 0.0) d->focal[k] = focal;
      offset = r->principal_pixel[k] != 0.0 ? r->principal_pixel[k]
                                            : r->principal[k] / r->sensor[k] * pixels;
    }
    d->centre[k] = 0.5 * pixels + offset;
  }
}

void limpet_mjcf_camera_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                             const limpet_xml_element *e, int body) {
  static const char *const tags[] = {"camera", NULL};
  camera_record r = {.d = limpet_camera_description_default(), .field_of_view = 45.0};
  r.d.name = limpet_mjcf_full_name(m, scope->space, e);
  r.d.body = body;
  r.d.place = limpet_xml_place(e, NULL);
  limpet_mjcf_apply(m->reader, scope->space->source, scope->childclass, e, tags, camera_layer, &r);
  take_optics(m->reader, e, &r);
  limpet_mjcf_place_in_scope(scope, r.d.position, r.d.quaternion);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_camera(m->reader->builder, &r.d));
  // one that follows something stays on its body here: what measures it is noted
  limpet_mjcf_name_add(m, LIMPET_OBJECT_CAMERA, r.d.name,
                       r.mode == MODE_FIXED ? handle : LIMPET_NONE, scope->space, e);
}
