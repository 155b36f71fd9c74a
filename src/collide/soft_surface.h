/* collide/soft_surface.h: what a world keeps of the surfaces of its deformable bodies, and how
 * contact points of them are collected. */
#ifndef LIMPET_COLLIDE_SOFT_SURFACE_H
#define LIMPET_COLLIDE_SOFT_SURFACE_H

#include "collide/soft.h"
#include "geometry/pressure_skin.h"
#include "geometry/shape.h"

typedef struct limpet_soft_surface {
  int vertex_count;  // on the surface
  int *vertex;       // (vertex_count)  into data->vertex_*
  int face_count;
  int *face;         // (face_count x 3)  into data->vertex_*
  int *around;       // (vertex_count + 1)  where the faces around each vertex begin
  int *around_face;  // (around[vertex_count])
  int edge_count;
  int *edge_end;   // (edge_count x 2)  into data->vertex_*
  int *edge_face;  // (edge_count x 2)  faces at its sides, the one that runs along it first; the
                   // same twice where it is the rim of a shell, LIMPET_NONE: a rope
  bool two_sided;  // a shell or rope: outside on both sides
  bool hollow;     // a shell that holds gas: with itself it has two sides, too
  int geom_count;
  int *geom;                   // (geom_count)  rigid geoms that it may touch, ascending
  limpet_pressure_skin *skin;  // its triangles for pressure fields; NULL: no geom has one
  double low[3], high[3];      // [m]  W  box of the surface now
  double speed;                // [m/s]  of its fastest vertex
  double mean[3], spread;      // [m/s]  of limpet_soft_near_begin: mean velocity of its vertices,
                               // and of the fastest one against it
  double edge, shortest;       // [m]  longest and shortest edge at rest
} limpet_soft_surface;

typedef struct limpet_soft_surfaces {
  int count;
  limpet_soft_surface *surface;  // (count)
  int contact_room;              // what the last step needed
  double *distance, *gradient;   // (most vertices), (x 3)  scratch of queries
  double *point;                 // (most vertices x 3)  [m]
  int *found;                    // (most vertices)
  int *slot;                     // (most vertices)  place in the scratch above, or LIMPET_NONE
  unsigned char *side;           // (most vertices)  limpet_soft_sides of the geom at hand
} limpet_soft_surfaces;

// Whether a surface has two sides for another one, or for itself (`own`).
static inline bool limpet_soft_has_two_sides(const limpet_soft_surface *surface, bool own) {
  return surface->two_sided || (own && surface->hollow);
}

// The object of the world's workspace, made on first use. NULL: no memory.
limpet_soft_surfaces *limpet_soft_surfaces_of(const limpet_model *model, limpet_data *data);
// Boxes and speeds now; v_free as in the request, NULL: none.
void limpet_soft_surface_update(limpet_soft_surface *surface, const limpet_data *data,
                                const double *v_free);
// Normal of a triangle of a surface, out of it; false: it has no area.
bool limpet_soft_face_normal(const limpet_data *data, const int *face, double n[3]);

// Whether the boxes of two surfaces, one grown by `more` [m], meet.
bool limpet_soft_boxes_meet(const limpet_soft_surface *a, const limpet_soft_surface *b,
                            double more);
// Whether two deformable bodies may touch by the filters; one with itself if it says so.
bool limpet_soft_bodies_allowed(const limpet_model *model, int d, int e);
// Margin of two deformable bodies [m], of shells half a thickness each at least.
double limpet_soft_margin(const limpet_model *model, const limpet_soft_surfaces *surfaces, int d,
                          int e);

// Where points go, and what they are found for.
typedef struct limpet_soft_search {
  const limpet_model *model;
  limpet_data *data;
  const limpet_soft_request *request;
  limpet_soft_surfaces *surfaces;
  limpet_arena *arena;
  limpet_collision *collision;
  int room;  // of collision->contact
  bool failed;
} limpet_soft_search;

// The next contact and its link, for the last pair of the collision; NULL: no memory.
limpet_collision_contact *limpet_soft_append(limpet_soft_search *search, limpet_soft_link **link);
/* Box of a geom that is not a plane, W [m]: all of it is between low and high. */
void limpet_soft_geom_box(const limpet_model *model, limpet_data *data, int geom, double low[3],
                          double high[3]);
// Whether the box of a surface, grown by `more` [m], meets a geom's box, or a plane.
bool limpet_soft_meets(const limpet_model *model, limpet_data *data,
                       const limpet_soft_surface *surface, int geom, double more);
/* How far [m] the body of a geom may come towards a vertex within the step. */
double limpet_soft_reach(const limpet_soft_search *search, int geom);

// A rigid geom that points of a deformable body are found for, in the last pair of the collision.
typedef struct limpet_soft_against {
  int d, geom;
  limpet_shape shape;      // the geom where it is
  double low[3], high[3];  // [m]  W  its box; not of a plane
  double base;             // [m]  nearer points take part, whatever their speed
  double most;             // [m]  and none that is farther
} limpet_soft_against;

// A point x [m, W] of the surface: weights of `count` vertices.
typedef struct limpet_soft_point {
  double x[3];
  double phi;        // [m]  distance from the geom
  double normal[3];  // out of the geom
  uint64_t feature;
  int count;
  const int *vertex;  // (count)  into data->vertex_*
  double weight[3];   // [-]
} limpet_soft_point;

/* Largest speed [m/s] of a vertex of deformable body `d` against the body of a geom, now and in
 * free motion: the same however fast both move together. */
double limpet_soft_speed_against(const limpet_soft_search *search, int d, int geom);

/* How far [m] a point of the surface may come along -normal within the step, by its own velocity: 2
 * dt times the faster of v now and v free. */
double limpet_soft_closing(const limpet_soft_search *search, const double normal[3], int count,
                           const int *vertex, const double *weight);
/* The same for points of two surfaces, the second one with negative weights from `first` on: the
 * larger of how far they approach each other and how far each may come by itself, since what it
 * moves along with may be stopped within the step, also by what another part of its own surface
 * lands on. */
double limpet_soft_closing_pair(const limpet_soft_search *search, const double normal[3], int first,
                                int count, const int *vertex, const double *weight);
// Whether a point can touch within the step: phi < base + closing.
bool limpet_soft_may_touch(const limpet_soft_search *search, const limpet_soft_against *against,
                           const limpet_soft_point *point);
// Appends the point if it can.
void limpet_soft_take(limpet_soft_search *search, const limpet_soft_against *against,
                      const limpet_soft_point *point);
/* Sides of a box, grown by `more` [m], that a point is beyond: bit k for low[k], 3 + k for high[k].
 */
unsigned limpet_soft_sides(const double x[3], const double low[3], const double high[3],
                           double more);

// Points of deformable body `d` with a rigid geom, for the last pair of the collision.
void limpet_soft_points(limpet_soft_search *search, int d, int geom);
/* Of these, those where the geom is lowest between the ends of an edge, and those where it looks
 * into a triangle. After the distances of vertices are in the scratch of the surfaces. */
void limpet_soft_edges(limpet_soft_search *search, const limpet_soft_against *against);
void limpet_soft_corners(limpet_soft_search *search, const limpet_soft_against *against);
void limpet_soft_polygons(limpet_soft_search *search, int d, int geom);
// Points of two deformable bodies, or of one with itself: corners in faces, and edges that cross.
void limpet_soft_meet(limpet_soft_search *search, int d, int other);
void limpet_soft_cross(limpet_soft_search *search, int d, int other);
/* What of two bodies passes through the other, or of one through itself: counted, and where that is
 * asked for points against it. */
void limpet_soft_sweep_pair(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int other, limpet_soft_passes *passes);
// Likewise of a body and a rigid geom with corners: soft_hull.h.
void limpet_soft_sweep_geom(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int geom, limpet_soft_passes *passes);
/* Likewise of a body and the axis of a capsule that is thinner than the body's longest edge: what
 * passes the axis ends where its signed distance is on the wrong side. Whether anything does. */
bool limpet_soft_sweep_axis(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int geom, limpet_soft_passes *passes);
// Triangles and segments that end in a rigid geom without corners: soft_round.c.
void limpet_soft_sweep_round(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                             int d, int geom, limpet_soft_passes *passes);
// Whether a geom is such a thing, unless it has few corners (soft_hull.h).
bool limpet_soft_is_round(const limpet_model *model, int geom);
// Velocity [m/s] of a point of a rigid geom, W, by twists as in the request of a sweep.
void limpet_soft_velocity_of_geom(const limpet_soft_search *search, const double *twist, int geom,
                                  const double point[3], double v[3]);
// Vertices that pass through a plane that does not move: soft_plane.c.
void limpet_soft_sweep_plane(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                             int d, int geom, limpet_soft_passes *passes);

#endif
