/* contact/record.h: what the contacts of a step are: one record for each point, and once for each
 * pair of geoms what its points have in common.
 *
 * Records are in the order in which collision found them, which is that of data->contact_*: contact
 * i of data is record i, and contact k of the problem has record contact_source[k]. The problem has
 * its contacts by patch and island; record[i].contact leads there. All that is said of a contact's
 * geometry comes from here: results, sensors, gradients, logs.
 * Memory: 168 bytes a point, 24 more where friction depends on direction; 224 bytes a pair. */
#ifndef LIMPET_CONTACT_RECORD_H
#define LIMPET_CONTACT_RECORD_H

#include "collide/collide.h"
#include "law/friction_shape.h"
#include "law/material.h"

typedef struct limpet_contact_pair {
  limpet_geom_pair geoms;         // A, B and the explicit pair
  double margin;                  // [m]  at this distance of the surfaces contact begins
  limpet_pair_material material;  // of both
  double inverse_weight;  // [1/kg]  of both bodies at the reference pose, which impedances are for
  // [rad/s, m/s at W's origin]  W  of B's surface less A's while the bodies rest
  double surface_velocity[6];
  bool surface_moves;  // it is not zero for ever
  bool shaped;         // friction depends on the direction of slip
  bool surface;        // points of a contact surface: collide/pressure.h
  bool driven;         // the user moves one of the bodies: a mocap body
} limpet_contact_pair;

typedef struct limpet_contact_record {
  int pair;                             // index into limpet_contact_records.pair
  int found;                            // index into limpet_collision.contact
  int contact;                          // index into the problem's contacts; LIMPET_NONE: left out
  const struct limpet_soft_link *link;  // vertices of deformable bodies: collide/soft.h; NULL: none
  uint64_t feature;      // stays the same from step to step while the same features touch
  double position[3];    // [m]  W  where the force acts
  double frame[9];       // rows t1, t2, n in W; n from A to B
  double distance;       // [m]  of the surfaces, negative inside
  double stiffness;      // [N/m]  of the point; INFINITY: near-rigid
  double area;           // [m^2]  of a contact surface; 0: a point of two shapes
  double elastic_force;  // [N]  of a contact surface: area times pressure
  double shear;          // [N/m]  of a contact surface: area times what counts for shear
  double pull;           // [N]  of adhesion: adhesion.h
  limpet_pull_reach pull_reach;
  bool kept;    // of two deformable bodies, one of which may be stopped: far.c; or that
                // were seen to pass: collide/soft_sweep.c
  bool of_end;  // its distance is none of the surfaces: collide/collide.h
} limpet_contact_record;

typedef struct limpet_contact_records {
  int pair_count, count;
  limpet_contact_pair *pair;      // (pair_count)  those with points
  limpet_contact_record *record;  // (count)
  limpet_friction_shape *shape;   // (contacts found)  by `found`; NULL: no pair is shaped
  bool shears;                    // a surface of two rigid bodies keeps shear: shear.h
} limpet_contact_records;

/* Records of all contacts that collision found; geoms without a stiffness have `rigid_stiffness`
 * [N/m]. After limpet_geom_kinematics. Memory from `arena`. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_contact_records_make(const limpet_model *model, const limpet_data *data,
                                          double rigid_stiffness, const limpet_collision *collision,
                                          limpet_arena *arena, limpet_contact_records *records);

#endif
