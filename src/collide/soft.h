/* collide/soft.h: contact points of deformable bodies with rigid geoms, with each other and with
 * themselves.
 *
 * Two ways, chosen for each pair:
 *   points     vertices of the surface against signed distances of the geom, and the deepest points
 *              of triangles where the geom is more curved than the triangle is small: soft_points.c
 *   polygons   triangles of the surface clipped by the pressure field of a compliant geom; the
 *              surface has a stiffness per depth of its own: soft_field.c
 *   meeting    vertices against triangles of soft surfaces: soft_meet.c
 * Points come with a link: which vertices they hang on. The pairs name the geom of the deformable
 * body (model->deformable_geom), so materials, sensors and results find it as any other geom. */
#ifndef LIMPET_COLLIDE_SOFT_H
#define LIMPET_COLLIDE_SOFT_H

#include "collide/collide.h"

enum { LIMPET_SOFT_LINKS = 6 };  // two triangles

// Velocity of B less that of A at a contact, as far as deformable bodies make it: sum weight_i v_i.
typedef struct limpet_soft_link {
  int count;
  int vertex[LIMPET_SOFT_LINKS];     // into data->vertex_*
  double weight[LIMPET_SOFT_LINKS];  // [-]  of B's vertices positive, of A's negative
} limpet_soft_link;

typedef struct limpet_soft_request {
  const double *v_free;          // (vertex_count x 3)  [m/s]  without contact, end of the step
  double dt;                     // [s]
  double speculative;            // [m]  closer points always come
  const limpet_reach *reach;     // of rigid bodies
  limpet_surface_kind surfaces;  // of geoms with pressure fields
} limpet_soft_request;

/* Appends the pairs and points of all deformable bodies, in the order of geoms. After
 * limpet_geom_kinematics. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_contacts(const limpet_model *model, limpet_data *data,
                                   const limpet_soft_request *request, limpet_arena *arena,
                                   limpet_collision *collision);

// What is looked for on the ways of a step.
typedef struct limpet_soft_sweep_request {
  const double *end;  // (vertex_count x 3)  [m]  where the vertices end
  // (geom_count x 3), (x 9)  [m]  where geoms end; read where limpet_soft_nears_geoms says so
  const double *geom_position, *geom_rotation;
  const double *twist;  // (body_count x 6)  of bodies on the way, W, about their tree's origin
  double dt;            // [s]
  const limpet_reach *reach;  // how far bodies may get
  double allowed;             // [m]  depth within closed surfaces that is left as it is
  int round;                  // of the step, below 8: contacts of different rounds are different
  bool adds;                  // contacts against what passes; false: it is counted
} limpet_soft_sweep_request;

// What passes through a surface on these ways.
typedef struct limpet_soft_passes {
  int count;     // of vertices and triangles, and of edges
  double depth;  // [m]  most that one ends beyond the other
  int vertex;    // of that one, into data->vertex_*
  int left;      // of `count` those that no contact is made against, as none would part them
} limpet_soft_passes;

// Whether a deformable body comes near a rigid geom, other than planes, on its way.
bool limpet_soft_nears_geoms(const limpet_model *model, limpet_data *data,
                             const limpet_soft_sweep_request *request);
/* Appends the pairs and points of deformable bodies that pass through each other, themselves or
 * rigid geoms with corners on their way, or planes: soft_sweep.c, soft_plane.c. After
 * limpet_soft_contacts at the same state. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_sweep(const limpet_model *model, limpet_data *data,
                                const limpet_soft_sweep_request *request, limpet_arena *arena,
                                limpet_collision *collision, limpet_soft_passes *passes);

// Before limpet_soft_near at a state: how fast surfaces are, and their boxes.
void limpet_soft_near_begin(const limpet_model *model, limpet_data *data);
/* Whether something that deformable body `d` may touch comes near within two steps of dt, by boxes
 * and velocities of the start. */
bool limpet_soft_near(const limpet_model *model, limpet_data *data, int d, double dt,
                      double speculative);

#endif
