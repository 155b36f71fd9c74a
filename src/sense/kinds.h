/* sense/kinds.h: the rows of the table of sensor kinds, by the file that holds them, and what those
 * files share. */
#ifndef LIMPET_SENSE_KINDS_H
#define LIMPET_SENSE_KINDS_H

#include "geometry/shape.h"
#include "limpet/sense.h"
#include "model/sensor_kind.h"

// site.c: instruments that are mounted on a site
extern const limpet_sensor_kind limpet_sensor_accelerometer, limpet_sensor_velocimeter,
    limpet_sensor_gyro, limpet_sensor_force, limpet_sensor_torque, limpet_sensor_magnetometer;
// contact.c
extern const limpet_sensor_kind limpet_sensor_contact;
// touch.c
extern const limpet_sensor_kind limpet_sensor_touch;
// tactile.c
extern const limpet_sensor_kind limpet_sensor_tactile;
// taxels.c
extern const limpet_sensor_kind limpet_sensor_taxels;
// joint.c
extern const limpet_sensor_kind limpet_sensor_jointpos, limpet_sensor_jointvel,
    limpet_sensor_jointactuatorfrc, limpet_sensor_ballquat, limpet_sensor_ballangvel;
// tendon.c
extern const limpet_sensor_kind limpet_sensor_tendonpos, limpet_sensor_tendonvel,
    limpet_sensor_tendonactuatorfrc;
// actuator.c
extern const limpet_sensor_kind limpet_sensor_actuatorpos, limpet_sensor_actuatorvel,
    limpet_sensor_actuatorfrc;
// limit.c
extern const limpet_sensor_kind limpet_sensor_jointlimitpos, limpet_sensor_jointlimitvel,
    limpet_sensor_jointlimitfrc, limpet_sensor_tendonlimitpos, limpet_sensor_tendonlimitvel,
    limpet_sensor_tendonlimitfrc;
// frame.c
extern const limpet_sensor_kind limpet_sensor_framepos, limpet_sensor_framequat,
    limpet_sensor_framexaxis, limpet_sensor_frameyaxis, limpet_sensor_framezaxis,
    limpet_sensor_framelinvel, limpet_sensor_frameangvel, limpet_sensor_framelinacc,
    limpet_sensor_frameangacc;
// subtree.c
extern const limpet_sensor_kind limpet_sensor_subtreecom, limpet_sensor_subtreelinvel,
    limpet_sensor_subtreeangmom;
// range.c, camera.c
extern const limpet_sensor_kind limpet_sensor_rangefinder, limpet_sensor_camprojection;
// space.c: where things are with respect to each other
extern const limpet_sensor_kind limpet_sensor_insidesite, limpet_sensor_distance,
    limpet_sensor_normal, limpet_sensor_fromto;
// world.c
extern const limpet_sensor_kind limpet_sensor_e_potential, limpet_sensor_e_kinetic,
    limpet_sensor_clock, limpet_sensor_zeros;

// A frame fixed to a body.
typedef struct limpet_sense_frame {
  int body;
  double position[3];    // [m]  W
  double quaternion[4];  // frame axes to W
  double rotation[9];
} limpet_sense_frame;

// The frame of what a sensor is of.
limpet_sense_frame limpet_sense_object(const limpet_sensor_reading *reading, int sensor);
// The reference frame of a sensor that has one.
limpet_sense_frame limpet_sense_reference(const limpet_sensor_reading *reading, int sensor);

// Frame and shape of a geom; `shape` borrows the frame.
limpet_sense_frame limpet_sense_geom_frame(const limpet_sensor_reading *reading, int geom);
limpet_shape limpet_sense_geom_shape(const limpet_model *model, int geom,
                                     const limpet_sense_frame *frame);

// Where the ray of a pixel of a camera begins [m], and its unit direction; W.
void limpet_sense_pixel_ray(const limpet_model *model, int camera, const limpet_sense_frame *frame,
                            int column, int row, double from[3], double direction[3]);

/* The volume of a site; `shape` borrows the frame. */
limpet_shape limpet_sense_site_volume(const limpet_model *model, int site,
                                      const limpet_sense_frame *frame);

#endif
