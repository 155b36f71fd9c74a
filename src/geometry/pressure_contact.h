/* geometry/pressure_contact.h: a contact surface while it is made.
 *
 * Faces (polygons of linear fields) and samples (points of curved ones) are collected in the
 * workspace in the frame W, with their shares of the integrals; limpet_pressure_faces_finish makes
 * points of them. Moments are summed about `origin`, a place near the contact, for digits. */
#ifndef LIMPET_GEOMETRY_PRESSURE_CONTACT_H
#define LIMPET_GEOMETRY_PRESSURE_CONTACT_H

#include "geometry/pressure.h"

enum { LIMPET_PRESSURE_CORNERS = 80 };  // of a polygon: two cells of most sides, cut by each other

typedef struct limpet_pressure_polygon {
  int count;
  double vertex[LIMPET_PRESSURE_CORNERS][3];  // [m]
} limpet_pressure_polygon;

// Keeps the part with a.x + b >= 0.
void limpet_pressure_clip(limpet_pressure_polygon *polygon, const double a[3], double b);

/* The edges of a tetrahedron along which D, given at its vertices, changes sign: none, three or
 * four, from `start` to `end`, in the order of a walk around the slice; of three the last one
 * again. By which vertices have D >= 0 (bit k). */
typedef struct limpet_pressure_slice_edges {
  unsigned char count, start[4], end[4];
} limpet_pressure_slice_edges;
extern const limpet_pressure_slice_edges limpet_pressure_slices[16];
// Where D = 0 in a tetrahedron with corners x and values D: none, three or four corners.
void limpet_pressure_slice(limpet_pressure_polygon *polygon, const double *const x[4],
                           const double D[4]);

// A face: corners are vertex[begin .. begin + count) of the surface.
typedef struct limpet_pressure_face {
  double normal[3], centroid[3];  // [-], [m]  W
  double area, pressure;          // [m^2], [Pa]  at the centroid
  double gradient_a, gradient_b;  // [Pa/m]  along the normal, as limpet_pressure_point has them
  int element_a, element_b, begin, count;
  uint64_t feature;
} limpet_pressure_face;

// A tetrahedron of B in the frame of A.
typedef struct limpet_pressure_turned {
  double share[16];    // of vertex k at x: share[4 k ...] . (x, 1)
  double gradient[4];  // [Pa/m], [Pa]  its pressure: gradient . (x, 1)
  double quad[16];     // [m], [Pa]  x, y, z, pressure of its vertices, each for all four
  uint64_t query;      // that it was turned for
} limpet_pressure_turned;

// A face of a rigid boundary in the frame of the compliant body.
typedef struct limpet_pressure_turned_face {
  double corner[12];  // [m]  x, y, z of up to four, the last one again up to four
  double plane[4];    // [-], [m]  outward normal n and d: n.x + d = 0
  uint64_t query;     // that it was turned for
} limpet_pressure_turned_face;

/* A box of a tree along the axes of A and of B, in floats that are rounded outwards: its least
 * coordinates, and its largest ones with the other sign; those of B the other way round, so that
 * boxes meet where every sum is below zero. */
enum { LIMPET_PRESSURE_BOX_SIDES = 12 };
typedef struct limpet_pressure_box {
  float side[LIMPET_PRESSURE_BOX_SIDES];  // [m]
  uint64_t query;                         // that it was made for
} limpet_pressure_box;

struct limpet_pressure_workspace {
  const limpet_pressure_body *a, *b;
  const limpet_pressure_query *query;
  double origin[3];       // [m, W]
  double least_pressure;  // [Pa]  what lies deeper outside is cut away
  double slope;           // [Pa/m]  see limpet_pressure_slope
  bool meshed;            // one of the fields has tetrahedra
  bool swallowed;         // limpet_pressure_is_swallowed
  bool folded;            // a ray leaves a sheet of the surface out
  double no_pressure;     // [Pa]  faces with less all over are none
  double moment[3];       // [N m]  about origin
  double first[3];        // [m^3]  integral of x - origin dA
  double pressed[3];      // [N m]  integral of p (x - origin) dA
  bool failed;            // no memory
  limpet_pressure_face *face;
  limpet_pressure_turned *turned;            // (turned_room)  tetrahedra of B
  limpet_pressure_turned_face *turned_face;  // (turned_face_room)
  limpet_pressure_box *box[2];               // (box_room)  of the trees of A and B
  uint64_t queries;                          // pairs of linear fields so far
  int turned_room, turned_face_room, box_room[2];
  struct limpet_pressure_memory *memory;  // (memory_room)  of pairs, pressure_memory.h
  int memory_count, memory_room;
  int vertex_count;  // of the faces so far
  int face_count, face_room, point_room, vertex_room, pressure_room, begin_room, owner_room;
};

typedef struct limpet_pressure_workspace limpet_pressure_workspace;

// Pose of B in the frame of A.
typedef struct limpet_pressure_frame {
  double rotation[9], offset[3];
} limpet_pressure_frame;

limpet_pressure_frame limpet_pressure_frame_of(const limpet_pressure_body *b,
                                               const limpet_pressure_body *a);
// x of the body's frame in W.
void limpet_pressure_to_world(double y[3], const limpet_pressure_body *body, const double x[3]);
void limpet_pressure_from_world(double y[3], const limpet_pressure_body *body, const double x[3]);

/* A new polygon in W, as it stands: cuts it at p = 0, adds its integrals. slope . x + offset: its
 * pressure; gradients as a face has them, element and feature filled by the caller. */
void limpet_pressure_add_face(limpet_pressure_surface *surface,
                              const limpet_pressure_polygon *polygon,
                              const limpet_pressure_face *face, const double slope[3],
                              double offset);
/* A new polygon in W, whose pressures are linear, by its corners (count of them, at most
 * LIMPET_PRESSURE_CORNERS). */
void limpet_pressure_add_corners(limpet_pressure_surface *surface, const double (*corners)[3],
                                 const double *pressures, int count,
                                 const limpet_pressure_face *face);
/* A point of a curved surface with its own share of the area; adds its integrals. Returns its
 * number, or -1 without memory. */
int limpet_pressure_add_point(limpet_pressure_surface *surface, const limpet_pressure_point *point);
// A polygon that shows where a point's share of the area lies: count corners in W.
void limpet_pressure_add_outline(limpet_pressure_surface *surface, int point, const double *corners,
                                 const double *pressures, int count);
// Points of all faces, by the rule of the query.
void limpet_pressure_faces_finish(limpet_pressure_surface *surface);

/* The engines. Each takes the pairs it is for and adds what it finds. */
void limpet_pressure_linear(limpet_pressure_surface *surface);  // cells and faces alone
void limpet_pressure_flat(limpet_pressure_surface *surface);    // rigid faces in a curved field
bool limpet_pressure_closed(
    limpet_pressure_surface *surface);  // false: no closed form, nothing done
void limpet_pressure_graded(limpet_pressure_surface *surface);  // tetrahedra in a curved field
void limpet_pressure_swept(limpet_pressure_surface *surface);   // any other curved pair
// Whether rays start in A: in a rigid body, or else in the steeper one of those that are convex and
// bounded.
bool limpet_pressure_starts_in_a(const limpet_pressure_field *a, const limpet_pressure_field *b);
// The point of the core of a convex bounded field that is nearest to x, in its frame.
void limpet_pressure_core_point(const limpet_pressure_field *field, const double x[3], double o[3]);
/* Whether a core of T lies in a compliant S: without that a ray from the core of S that has entered
 * T leaves S before T. Or whether T presses harder in the core of S: its surface may be in two
 * parts then. `frame`: of T in S. */
bool limpet_pressure_may_fold(const limpet_pressure_field *s, const limpet_pressure_field *t,
                              const limpet_pressure_frame *frame);
/* Convex compliant S and T of which T may lie through S: whether rays from `origin` (frame of S)
 * cross the surface more than once. */
bool limpet_pressure_folded(limpet_pressure_surface *surface, const limpet_pressure_body *s,
                            const limpet_pressure_body *t, const double origin[3]);
// Convex compliant S and T, of which T may be a half space: the surface by plane parts.
void limpet_pressure_parts(limpet_pressure_surface *surface, const limpet_pressure_body *s,
                           const limpet_pressure_body *t);
/* Begins a query: what the surface had is dropped, what depends on both bodies alone is found. Or
 * begins the same query again. */
void limpet_pressure_begin(limpet_pressure_surface *surface, const limpet_pressure_body *a,
                           const limpet_pressure_body *b, const limpet_pressure_query *query);
void limpet_pressure_restart(limpet_pressure_surface *surface);

/* [Pa]  What curved surfaces are cut at: least_pressure, or, of bodies that only touch, just enough
 * to leave out where the boundary of one lies in that of the other. */
double limpet_pressure_least(const limpet_pressure_workspace *work);

// Whether Drake's face filter drops a face: its slope along the normal, of a gradient.
bool limpet_pressure_looks_away(double slope, const double gradient[3]);
// 1/(1/a + 1/b); INFINITY: that one is rigid.
double limpet_pressure_series(double a, double b);
/* Room for `needed` elements, of which new ones are zero; counts growth and notes failure. */
bool limpet_pressure_zeroed_room(limpet_pressure_surface *surface, void *array, int *room,
                                 int needed, size_t element);

// Whether the field's cells or faces say all about it.
bool limpet_pressure_is_linear(const limpet_pressure_field *field);

#endif
