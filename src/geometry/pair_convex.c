/* geometry/pair_convex.c: the pairs that go by convex distance and clipped features (convex_contact.c). */
#include "geometry/pair_list.h"

#define METHOD_REFERENCE "Gilbert, Johnson, Keerthi 1988; van den Bergh 2001; Sutherland, Hodgman 1974"

const limpet_shape_pair limpet_pair_sphere_mesh = {
    LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_MESH, limpet_convex_contact, NULL, "GJK and EPA of the centre, 1 point",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_capsule_ellipsoid = {
    LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_ELLIPSOID, limpet_convex_contact, NULL, "GJK and EPA of the segment, 1 point",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_capsule_cylinder = {
    LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER, limpet_convex_contact, NULL, "GJK and EPA of the segment, up to 2 points",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_capsule_box = {
    LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_BOX, limpet_convex_contact, NULL, "GJK and EPA of the segment, up to 2 points",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_capsule_mesh = {
    LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_MESH, limpet_convex_contact, NULL, "GJK and EPA of the segment, up to 2 points",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_ellipsoid_ellipsoid = {
    LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_ELLIPSOID, limpet_convex_contact, NULL, "GJK and EPA, 1 point", METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_ellipsoid_cylinder = {
    LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CYLINDER, limpet_convex_contact, NULL, "GJK and EPA, 1 point", METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_ellipsoid_box = {LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_BOX, limpet_convex_contact, NULL,
                                                     "GJK and EPA, 1 point", METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_ellipsoid_mesh = {LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_MESH, limpet_convex_contact, NULL,
                                                      "GJK and EPA, 1 point", METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_cylinder_cylinder = {
    LIMPET_SHAPE_CYLINDER,
    LIMPET_SHAPE_CYLINDER,
    limpet_convex_contact,
    NULL,
    "GJK and EPA, caps clipped as octagons, sides as segments, up to 8 points",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_cylinder_box = {LIMPET_SHAPE_CYLINDER,
                                                    LIMPET_SHAPE_BOX,
                                                    limpet_convex_contact,
                                                    NULL,
                                                    "GJK and EPA, caps clipped as octagons, sides as segments, up to 8 points",
                                                    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_cylinder_mesh = {LIMPET_SHAPE_CYLINDER,
                                                     LIMPET_SHAPE_MESH,
                                                     limpet_convex_contact,
                                                     NULL,
                                                     "GJK and EPA, caps clipped as octagons, sides as segments, up to 8 points",
                                                     METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_box_mesh = {
    LIMPET_SHAPE_BOX, LIMPET_SHAPE_MESH, limpet_convex_contact, NULL, "GJK and EPA, faces clipped, up to 8 points",
    METHOD_REFERENCE};
const limpet_shape_pair limpet_pair_mesh_mesh = {
    LIMPET_SHAPE_MESH, LIMPET_SHAPE_MESH, limpet_convex_contact, NULL, "GJK and EPA, faces clipped, up to 8 points",
    METHOD_REFERENCE};
