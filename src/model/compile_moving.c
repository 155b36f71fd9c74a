/* model/compile_moving.c: what joints move must have mass.
 *
 * A body that moves has mass and rotational inertia itself, or of what is welded to it: else it is
 * an error, as in MuJoCo. Bodies with `repair_inertia`, those of robot files, may also be empty
 * frames between joints. There the mass matrix M of the tree decides, at the reference pose and
 * without armature: M = L' D L, and the pivot D_k is the inertia that velocity k feels when all
 * further out is free to follow. Where a pivot vanishes, some motion of the body of k moves no
 * mass: the outermost such body of each tree gets some, until M is regular. det M is analytic in
 * the coordinates, so a matrix that is regular at one pose is regular at almost all. Robots of
 * which no body has mass get that of their geoms first, body by body. Then, in this order, a body
 * with mass gets the inertia of its geoms, scaled to its mass, where it has such, or that of a ball
 * of water with the mass that it and what is welded to it have; one without mass mass and inertia
 * of its geoms, where it has geoms with mass, or those of a ball of water of 1 g at its origin, and
 * the model a note. */
#include <math.h>

#include "math/vec3.h"
#include "model/compile.h"
#include "model/reference_mass.h"

static const double LEAST = 1e-15;        // [kg, kg m^2]  what moves must have more
static const double LEAST_SHARE = 1e-10;  // of a pivot in its entry of M: below it is round-off
static const double BALL_MASS = 1e-3;     // [kg]
static const double WATER = 1000.0;       // [kg/m^3]

typedef struct unit {
  double given;    // [kg]  of the body and of what is welded to it
  double mass;     // [kg]  of it, what counts: a body below LEAST does not
  double inertia;  // [kg m^2]  largest principal one of all that counts
  bool lacking;    // moves, and has not enough by itself
} unit;

static void fill_units(const limpet_model *model, unit *units) {
  for (int b = model->body_count - 1; b > 0; --b) {
    double w[3], V[9];
    limpet_mat3_eigen(model->body_inertia + 9 * b, w, V);
    units[b].given += model->body_mass[b];
    if (model->body_mass[b] >= LEAST) {
      units[b].mass += model->body_mass[b];
      units[b].inertia = fmax(units[b].inertia, w[2]);
    }
    const bool turns = units[b].inertia >= LEAST;
    units[b].lacking = model->body_joint_count[b] > 0 && !turns;
    if (model->body_joint_count[b] > 0) continue;
    unit *parent = &units[model->body_parent[b]];
    parent->given += units[b].given;
    parent->mass += units[b].mass;
    parent->inertia = fmax(parent->inertia, units[b].inertia);
  }
}

static limpet_status refuse(limpet_compiler *compiler, int b, const unit *u) {
  const int handle = compiler->body.handle[b], list = LIMPET_OBJECT_BODY;
  if (u->given == 0.0)
    return limpet_compile_error(compiler, list, handle,
                                " moves but has mass 0; give it a geom with density or an "
                                "inertial (a point cloud needs a mass)");
  if (u->mass == 0.0)
    return limpet_compile_error(compiler, list, handle,
                                " moves but weighs only %g kg: what moves needs %g kg, since less "
                                "is lost in round-off; masses are kilograms, lengths metres",
                                u->given, LEAST);
  if (u->inertia > 0.0)
    return limpet_compile_error(compiler, list, handle,
                                " moves, but its largest principal inertia is only %g kg m^2: what "
                                "moves needs %g kg m^2, since less is lost in round-off; masses "
                                "are kilograms, lengths metres",
                                u->inertia, LEAST);
  return limpet_compile_error(compiler, list, handle,
                              " moves but has no rotational inertia; give it a geom with "
                              "density, or an inertial with three positive "
                              "principal values");
}

// ----------------------------------------------------------------------------------- repair

// I += that of a ball of water.  [kg m^2]
static double add_ball(double I[9], double mass) {
  const double radius = cbrt(mass * 3.0 / (4.0 * LIMPET_PI * WATER)),
               moment = 0.4 * mass * radius * radius;
  for (int k = 0; k < 9; k += 4) I[k] += moment;
  return moment;
}

// Inertia of the geoms about their own centre of mass, scaled to the mass of the body, whose own
// centre stays; false: the body has no mass, or no geoms that have some.
static bool take_inertia_of_geoms(limpet_compiler *compiler, int b) {
  limpet_model *model = compiler->model;
  const double mass = model->body_mass[b];
  double com[3], given[9], *I = model->body_inertia + 9 * b;
  if (!(mass >= LEAST)) return false;
  limpet_vec3_copy(com, model->body_com + 3 * b);
  limpet_mat3_copy(given, I);
  for (int k = 0; k < 9; ++k) I[k] = 0.0;
  const bool counted = limpet_compile_inertia_of_geoms(compiler, b) > 0;
  for (int k = 0; k < 9; ++k) I[k] = counted ? I[k] * mass / model->body_mass[b] : given[k];
  model->body_mass[b] = mass;
  limpet_vec3_copy(model->body_com + 3 * b, com);
  return counted;
}

static void repair(limpet_compiler *compiler, int b, const unit *u) {
  limpet_model *model = compiler->model;
  const int handle = compiler->body.handle[b], list = LIMPET_OBJECT_BODY;
  const limpet_place place = limpet_builder_item_place(compiler->builder, list, handle);
  const limpet_label label = limpet_compile_label(compiler, list, handle);
  double *I = model->body_inertia + 9 * b;
  if (u->mass > 0.0 && take_inertia_of_geoms(compiler, b)) {
    limpet_compile_doubt(compiler, place,
                         "%s moves but has no rotational inertia: simulated with that of its "
                         "collision geometry, scaled to its mass; give it an inertia",
                         label.text);
    return;
  }
  if (u->mass > 0.0) {
    const double moment = add_ball(I, u->mass);
    limpet_compile_doubt(compiler, place,
                         "%s moves but has no rotational inertia: %g kg m^2 are added, those of a "
                         "ball of water of its mass; give it an inertia",
                         label.text, moment);
    return;
  }
  for (int k = 0; k < 9; ++k) I[k] = 0.0;
  if (limpet_compile_inertia_of_geoms(compiler, b) > 0) {
    limpet_compile_doubt(compiler, place,
                         "%s moves but has no mass: simulated with %g kg, those of its collision "
                         "geometry in water; give it a mass and an inertia",
                         label.text, model->body_mass[b]);
    return;
  }
  const bool floats = model->joint_kind[model->body_joint[b]] == LIMPET_JOINT_FREE;
  model->body_mass[b] = BALL_MASS;
  limpet_vec3_zero(model->body_com + 3 * b);
  add_ball(I, BALL_MASS);
  limpet_compile_doubt(compiler, place,
                       "%s moves but has no mass, nor is there enough behind its joints: simulated "
                       "as a ball of water of %g kg; give it a mass and an inertia%s",
                       label.text, BALL_MASS, floats ? ", or weld it to the world" : "");
}

// The outermost body of a tree that lacks mass and whose pivot vanishes; LIMPET_NONE: none does.
static int find_singular(const limpet_reference_mass *mass, int tree, const unit *units) {
  const limpet_model *model = mass->model;
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  const double *factor = mass->factor + model->tree_mass[tree];
  for (int k = n - 1; k >= 0; --k) {
    const double pivot = factor[(size_t)k * (size_t)n + (size_t)k];
    const int b = model->dof_body[first + k];
    if (units[b].lacking &&
        !(pivot > 2.0 * LEAST && pivot > LEAST_SHARE * mass->diagonal[first + k]))
      return b;
  }
  return LIMPET_NONE;
}

// Each round gives mass to one body of every tree that needs it.
static limpet_status repair_all(limpet_compiler *compiler, unit *units) {
  const limpet_model *model = compiler->model;
  for (bool again = true; again;) {
    again = false;
    const limpet_arena_mark mark = limpet_arena_mark_now(&compiler->scratch);
    limpet_reference_mass mass;
    const limpet_status status = limpet_reference_mass_of_bodies(&mass, compiler);
    if (status) return status;
    for (int t = 0; t < model->tree_count; ++t) {
      const int b = find_singular(&mass, t, units);
      if (b == LIMPET_NONE) continue;
      repair(compiler, b, &units[b]);
      units[b].lacking = false;
      again = true;
    }
    limpet_arena_release(&compiler->scratch, mark);
  }
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------ whole robots

// Whether the bodies of a tree, all of which may be repaired, have no mass at all.
static bool is_weightless(const limpet_compiler *compiler, int tree) {
  const limpet_model *model = compiler->model;
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  for (int b = 1; b < model->body_count; ++b)
    if (model->body_tree[b] == tree &&
        (model->body_mass[b] > 0.0 || !bodies[compiler->body.handle[b]].repair_inertia))
      return false;
  return true;
}

/* A robot without any mass, as files of objects with joints are, has that of its geometry in water,
 * link by link. */
static void fill_weightless(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int t = 0; t < model->tree_count; ++t) {
    int first = LIMPET_NONE;
    double mass = 0.0;
    if (!is_weightless(compiler, t)) continue;
    for (int b = 1; b < model->body_count; ++b) {
      if (model->body_tree[b] != t) continue;
      for (int k = 0; k < 9; ++k) model->body_inertia[9 * b + k] = 0.0;
      if (limpet_compile_inertia_of_geoms(compiler, b) == 0) continue;
      if (first == LIMPET_NONE) first = b;
      mass += model->body_mass[b];
    }
    if (first == LIMPET_NONE) continue;
    const int handle = compiler->body.handle[first], list = LIMPET_OBJECT_BODY;
    limpet_compile_doubt(compiler, limpet_builder_item_place(compiler->builder, list, handle),
                         "%s moves, and no link of its robot has a mass: simulated with %g kg in "
                         "all, those of their collision geometry in water; give each a mass and an "
                         "inertia",
                         limpet_compile_label(compiler, list, handle).text, mass);
  }
}

// ------------------------------------------------------------------------------- all bodies

// The sum of all masses, scaled to the one that was asked for.
static void fill_total(limpet_model *model) {
  for (int b = 1; b < model->body_count; ++b) model->total_mass += model->body_mass[b];
  if (!(model->options.total_mass > 0.0 && model->total_mass > 0.0)) return;
  const double scale = model->options.total_mass / model->total_mass;
  for (int b = 1; b < model->body_count; ++b) {
    model->body_mass[b] *= scale;
    for (int k = 0; k < 9; ++k) model->body_inertia[9 * b + k] *= scale;
  }
  model->total_mass = model->options.total_mass;
}

limpet_status limpet_compile_moving(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  unit *units = LIMPET_TAKE_ZERO(&compiler->scratch, unit, model->body_count);
  if (!units) return limpet_compile_no_memory(compiler);
  fill_weightless(compiler);
  fill_units(model, units);
  bool lacking = false;
  for (int b = 1; b < model->body_count; ++b) {
    if (!units[b].lacking) continue;
    if (!bodies[compiler->body.handle[b]].repair_inertia) return refuse(compiler, b, &units[b]);
    lacking = true;
  }
  const limpet_status status = lacking ? repair_all(compiler, units) : LIMPET_OK;
  if (!status) fill_total(model);
  return status;
}
