/* format/mjcf/element.h: elements of the kinematic tree. The walk (tree.c) calls their readers;
 * what is inside of a body, a frame, a copy or an attached model is the business of the walk. */
#ifndef LIMPET_FORMAT_MJCF_ELEMENT_H
#define LIMPET_FORMAT_MJCF_ELEMENT_H

#include "format/mjcf/scope.h"

typedef void limpet_mjcf_element_reader(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                        const limpet_xml_element *e, int body);
limpet_mjcf_element_reader limpet_mjcf_joint_read, limpet_mjcf_freejoint_read,
    limpet_mjcf_geom_read, limpet_mjcf_site_read, limpet_mjcf_camera_read;

// Adds a body below `parent` and returns its handle; `inside` gets the scope of its children.
int limpet_mjcf_body_add(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                         const limpet_xml_element *e, int parent, limpet_mjcf_scope *inside);

// What kind of joint an element <joint> or <freejoint> makes.
limpet_joint_kind limpet_mjcf_joint_kind(limpet_reader *reader, const limpet_mjcf_source *source,
                                         const limpet_mjcf_class *childclass,
                                         const limpet_xml_element *e);

#endif
