/* format/mjcf/section.h: sections that refer to names. Each is read once for each space; the table
 * is in mjcf.c. */
#ifndef LIMPET_FORMAT_MJCF_SECTION_H
#define LIMPET_FORMAT_MJCF_SECTION_H

#include "format/mjcf/name.h"

// Reads an element; `number` counts the elements of that section in the file, from 0.
typedef void limpet_mjcf_section_reader(limpet_mjcf *m, limpet_mjcf_space *space,
                                        const limpet_xml_element *element, int number);
limpet_mjcf_section_reader limpet_mjcf_contact_read, limpet_mjcf_tendon_read,
    limpet_mjcf_equality_read, limpet_mjcf_actuator_read, limpet_mjcf_sensor_read,
    limpet_mjcf_keyframe_read;

// Fills in what only the compiled model knows: complete.c.
void limpet_mjcf_complete(limpet_mjcf *m);
// Names the actuators that were read and adds them to the builder.
void limpet_mjcf_actuators_add(limpet_mjcf *m);
/* Copies the first controls of an attached file to those of its actuators that came into the
 * space. */
void limpet_mjcf_controls_take(const limpet_mjcf *m, const limpet_mjcf_space *space,
                               const double *key, int key_count, double *control);
/* Activations of a keyframe in the order of the file to those of the actuators, whose order is
 * another where motors have no inputs. */
void limpet_mjcf_activations_order(const limpet_mjcf *m, const double *key, int count,
                                   double *activation);

#endif
