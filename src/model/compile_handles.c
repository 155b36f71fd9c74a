/* model/compile_handles.c: references between descriptions: a handle names an object that was
 * added, an enumeration has a known value, an array is there where its count says so. After this
 * part the others index without asking. */
#include "model/compile.h"

// Fails unless `target` is a handle of `kind`; LIMPET_NONE passes if it is optional.
static limpet_status check_handle(limpet_compiler *compiler, int list, int handle, const char *role,
                                  limpet_object kind, int target, bool optional) {
  const int count = compiler->builder->list[kind].count;
  if ((target >= 0 && target < count) || (optional && target == LIMPET_NONE)) return LIMPET_OK;
  if (target == LIMPET_NONE)
    return limpet_compile_error(compiler, list, handle, " has no %s; name the %s that is meant",
                                role, limpet_object_word(kind));
  return limpet_compile_error(
      compiler, list, handle,
      ": its %s is %s number %d, but there are %d; use a handle that the builder gave", role,
      limpet_object_word(kind), target, count);
}

static limpet_status check_enumeration(limpet_compiler *compiler, int list, int handle,
                                       const char *what, int value, int last) {
  if (value >= 0 && value <= last) return LIMPET_OK;
  return limpet_compile_error(compiler, list, handle,
                              ": %s %d is not known; use one of the enumeration", what, value);
}

static limpet_status check_bodies(limpet_compiler *compiler) {
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  for (int i = 1; i < compiler->builder->list[LIMPET_OBJECT_BODY].count; ++i) {
    const limpet_status status = check_handle(compiler, LIMPET_OBJECT_BODY, i, "parent",
                                              LIMPET_OBJECT_BODY, bodies[i].parent, false);
    if (status) return status;
  }
  return LIMPET_OK;
}

static limpet_status check_joints(limpet_compiler *compiler) {
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[LIMPET_OBJECT_JOINT].count && !status; ++i) {
    const int list = LIMPET_OBJECT_JOINT;
    status = check_handle(compiler, list, i, "body", LIMPET_OBJECT_BODY, joints[i].body, false);
    if (!status)
      status = check_enumeration(compiler, list, i, "joint kind", (int)joints[i].kind,
                                 LIMPET_JOINT_SCREW);
    if (!status)
      status = check_enumeration(compiler, list, i, "kind of dry friction",
                                 (int)joints[i].dry_friction_kind, LIMPET_DRY_FRICTION_SOFT);
  }
  return status;
}

static limpet_status check_geoms(limpet_compiler *compiler) {
  const limpet_geom_description *geoms = limpet_builder_geoms(compiler->builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[LIMPET_OBJECT_GEOM].count && !status; ++i) {
    const limpet_geom_description *geom = &geoms[i];
    status = check_handle(compiler, LIMPET_OBJECT_GEOM, i, "body", LIMPET_OBJECT_BODY, geom->body,
                          false);
    if (!status)
      status = check_enumeration(compiler, LIMPET_OBJECT_GEOM, i, "shape", (int)geom->kind,
                                 LIMPET_SHAPE_COUNT - 1);
    if (!status)
      status = check_handle(compiler, LIMPET_OBJECT_GEOM, i, "mesh", LIMPET_OBJECT_MESH, geom->mesh,
                            geom->kind != LIMPET_SHAPE_MESH);
    if (!status)
      status = check_handle(compiler, LIMPET_OBJECT_GEOM, i, "cloud", LIMPET_OBJECT_CLOUD,
                            geom->cloud, geom->kind != LIMPET_SHAPE_CLOUD);
    const int looks = compiler->builder->list[LIMPET_LIST_APPEARANCE].count;
    if (!status && geom->appearance != LIMPET_NONE &&
        (geom->appearance < 0 || geom->appearance >= looks))
      status = limpet_compile_error(compiler, LIMPET_OBJECT_GEOM, i,
                                    ": its appearance is number %d, but there are %d",
                                    geom->appearance, looks);
    if (!status && geom->kind == LIMPET_SHAPE_SOFT && !limpet_builder_is_soft(compiler->builder, i))
      status = limpet_compile_error(
          compiler, LIMPET_OBJECT_GEOM, i,
          " is the surface of a deformable body, but there is none; add a deformable");
    if (!status && geom->kind == LIMPET_SHAPE_CLOUD && geom->mesh != LIMPET_NONE)
      status = limpet_compile_error(compiler, LIMPET_OBJECT_GEOM, i,
                                    " is a cloud with a mesh; give it one of them");
    if (!status && geom->condim != 1 && geom->condim != 3 && geom->condim != 4 && geom->condim != 6)
      status = limpet_compile_error(compiler, LIMPET_OBJECT_GEOM, i,
                                    ": condim is %d; use 1, 3, 4 or 6", geom->condim);
  }
  return status;
}

static limpet_status check_sites(limpet_compiler *compiler) {
  const limpet_site_description *sites = limpet_builder_sites(compiler->builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[LIMPET_OBJECT_SITE].count && !status; ++i) {
    status = check_handle(compiler, LIMPET_OBJECT_SITE, i, "body", LIMPET_OBJECT_BODY,
                          sites[i].body, false);
    const limpet_shape_kind kind = sites[i].kind;
    if (!status && !(kind >= LIMPET_SHAPE_SPHERE && kind <= LIMPET_SHAPE_BOX))
      status = limpet_compile_error(
          compiler, LIMPET_OBJECT_SITE, i,
          ": its volume must be a sphere, a capsule, an ellipsoid, a cylinder or a box");
  }
  return status;
}

static limpet_status check_cameras(limpet_compiler *compiler) {
  const limpet_camera_description *cameras = limpet_builder_cameras(compiler->builder);
  const int list = LIMPET_OBJECT_CAMERA;
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[list].count && !status; ++i) {
    const limpet_camera_description *camera = &cameras[i];
    status = check_handle(compiler, list, i, "body", LIMPET_OBJECT_BODY, camera->body, false);
    const int columns = camera->resolution[0], rows = camera->resolution[1];
    if (!status && (columns < 1 || rows < 1 || columns > 1 << 14 || rows > 1 << 14))
      status = limpet_compile_error(compiler, list, i,
                                    ": its resolution is %d x %d pixels; give 1 to 16384 of each",
                                    columns, rows);
    if (!status && !(camera->focal[0] > 0.0 && camera->focal[1] > 0.0))
      status = limpet_compile_error(compiler, list, i,
                                    ": its focal length is %g x %g pixels; give positive ones",
                                    camera->focal[0], camera->focal[1]);
  }
  return status;
}

static limpet_status check_meshes(limpet_compiler *compiler) {
  const limpet_mesh_description *meshes = limpet_builder_meshes(compiler->builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[LIMPET_OBJECT_MESH].count && !status; ++i) {
    const limpet_mesh_description *mesh = &meshes[i];
    if (mesh->vertex_count < 4 || !mesh->vertices)
      status =
          limpet_compile_error(compiler, LIMPET_OBJECT_MESH, i,
                               " has %d vertices; a mesh needs at least 4", mesh->vertex_count);
    else if (mesh->face_count < 0 || (mesh->face_count > 0 && !mesh->faces))
      status = limpet_compile_error(
          compiler, LIMPET_OBJECT_MESH, i,
          " says %d faces but gives none; give them, or a face count of 0", mesh->face_count);
    else if (mesh->heights &&
             !(mesh->grid_half[0] > 0.0 && mesh->grid_half[1] > 0.0 && mesh->grid_base > 0.0))
      status = limpet_compile_error(
          compiler, LIMPET_OBJECT_MESH, i,
          " is a height field of %g m by %g m with a base of %g m; give positive lengths",
          2.0 * mesh->grid_half[0], 2.0 * mesh->grid_half[1], mesh->grid_base);
    else if (mesh->heights &&
             !(mesh->scale[0] > 0.0 && mesh->scale[1] > 0.0 && mesh->scale[2] > 0.0))
      status =
          limpet_compile_error(compiler, LIMPET_OBJECT_MESH, i,
                               " is a height field scaled by %g, %g, %g; give positive numbers",
                               mesh->scale[0], mesh->scale[1], mesh->scale[2]);
    else if (mesh->tetrahedron_count < 0 || (mesh->tetrahedron_count > 0 && !mesh->tetrahedra))
      status =
          limpet_compile_error(compiler, LIMPET_OBJECT_MESH, i,
                               " says %d tetrahedra but gives none; give them, or a count of 0",
                               mesh->tetrahedron_count);
    else
      status = check_enumeration(compiler, LIMPET_OBJECT_MESH, i, "way of computing inertia",
                                 (int)mesh->inertia, LIMPET_MESH_INERTIA_SHELL);
  }
  return status;
}

static limpet_status check_tendon_point(limpet_compiler *compiler, int tendon,
                                        const limpet_tendon_point *point) {
  const int list = LIMPET_OBJECT_TENDON;
  limpet_status status = check_enumeration(compiler, list, tendon, "kind of point",
                                           (int)point->kind, LIMPET_TENDON_PULLEY);
  if (status || point->kind == LIMPET_TENDON_PULLEY) return status;
  if (point->kind == LIMPET_TENDON_SITE)
    return check_handle(compiler, list, tendon, "point", LIMPET_OBJECT_SITE, point->object, false);
  status = check_handle(compiler, list, tendon, "point", LIMPET_OBJECT_GEOM, point->object, false);
  return status ? status
                : check_handle(compiler, list, tendon, "side site", LIMPET_OBJECT_SITE,
                               point->side_site, true);
}

static limpet_status check_tendons(limpet_compiler *compiler) {
  const limpet_tendon_description *tendons = limpet_builder_tendons(compiler->builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[LIMPET_OBJECT_TENDON].count && !status; ++i) {
    const bool fixed = tendons[i].term_count > 0 && tendons[i].terms,
               spatial = tendons[i].point_count > 0 && tendons[i].points;
    if (fixed == spatial)
      status = limpet_compile_error(compiler, LIMPET_OBJECT_TENDON, i,
                                    fixed ? " has joints and points; give it terms or points"
                                          : " has no joints and no points; give it at least one "
                                            "term, or two sites");
    for (int k = 0; spatial && k < tendons[i].point_count && !status; ++k)
      status = check_tendon_point(compiler, i, &tendons[i].points[k]);
    for (int k = 0; k < tendons[i].term_count && !status; ++k)
      status = check_handle(compiler, LIMPET_OBJECT_TENDON, i, "term", LIMPET_OBJECT_JOINT,
                            tendons[i].terms[k].joint, false);
  }
  return status;
}

static limpet_status check_actuators(limpet_compiler *compiler) {
  const limpet_actuator_description *actuators = limpet_builder_actuators(compiler->builder);
  const int list = LIMPET_OBJECT_ACTUATOR;
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[list].count && !status; ++i) {
    const limpet_actuator_description *actuator = &actuators[i];
    status = check_enumeration(compiler, list, i, "transmission", (int)actuator->transmission,
                               LIMPET_TRANSMISSION_BODY);
    if (!status)
      status = check_enumeration(compiler, list, i, "activation", (int)actuator->activation,
                                 LIMPET_ACTIVATION_MOTOR);
    if (!status)
      status = check_enumeration(compiler, list, i, "gain", (int)actuator->gain_law,
                                 LIMPET_ACTUATOR_MOTOR);
    if (!status)
      status = check_enumeration(compiler, list, i, "bias", (int)actuator->bias_law,
                                 LIMPET_ACTUATOR_MOTOR);
    if (!status)
      status =
          check_handle(compiler, list, i, "target",
                       limpet_transmission_object(actuator->transmission), actuator->target, false);
    if (!status)
      status = check_handle(compiler, list, i, "reference site", LIMPET_OBJECT_SITE,
                            actuator->reference_site,
                            actuator->transmission != LIMPET_TRANSMISSION_SLIDER_CRANK);
  }
  return status;
}

static limpet_status check_couplers(limpet_compiler *compiler) {
  const limpet_coupler_description *couplers = limpet_builder_couplers(compiler->builder);
  const int list = LIMPET_OBJECT_COUPLER;
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[list].count && !status; ++i) {
    const limpet_object kind = couplers[i].tendon ? LIMPET_OBJECT_TENDON : LIMPET_OBJECT_JOINT;
    status = check_handle(compiler, list, i, "dependent coordinate", kind, couplers[i].y, false);
    if (!status)
      status = check_handle(compiler, list, i, "independent coordinate", kind, couplers[i].x, true);
  }
  return status;
}

static limpet_status check_loops(limpet_compiler *compiler) {
  const limpet_loop_description *loops = limpet_builder_loops(compiler->builder);
  const int list = LIMPET_OBJECT_LOOP;
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < compiler->builder->list[list].count && !status; ++i) {
    status = check_enumeration(compiler, list, i, "kind of loop", (int)loops[i].kind,
                               LIMPET_LOOP_DISTANCE);
    if (!status)
      status = check_enumeration(compiler, list, i, "frame from the reference pose",
                                 (int)loops[i].from_reference, LIMPET_LOOP_FRAME_B);
    if (!status)
      status =
          check_handle(compiler, list, i, "first body", LIMPET_OBJECT_BODY, loops[i].body_a, false);
    if (!status)
      status = check_handle(compiler, list, i, "second body", LIMPET_OBJECT_BODY, loops[i].body_b,
                            false);
  }
  return status;
}

static limpet_status check_contacts(limpet_compiler *compiler) {
  const limpet_builder *builder = compiler->builder;
  const limpet_pair_description *pairs = limpet_builder_pairs(builder);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < builder->list[LIMPET_OBJECT_PAIR].count && !status; ++i) {
    status = check_handle(compiler, LIMPET_OBJECT_PAIR, i, "first geom", LIMPET_OBJECT_GEOM,
                          pairs[i].geom_a, false);
    if (!status)
      status = check_handle(compiler, LIMPET_OBJECT_PAIR, i, "second geom", LIMPET_OBJECT_GEOM,
                            pairs[i].geom_b, false);
  }
  const int bodies = builder->list[LIMPET_OBJECT_BODY].count;
  for (int i = 0; i < builder->exclude_count && !status; ++i) {
    const int *pair = builder->exclude[i];
    if (pair[0] < 0 || pair[0] >= bodies || pair[1] < 0 || pair[1] >= bodies)
      status = limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                                 "exclude %d names the bodies %d and %d, but there are %d; use "
                                 "handles that the builder gave",
                                 i, pair[0], pair[1], bodies);
  }
  return status;
}

limpet_status limpet_compile_handles(limpet_compiler *compiler) {
  static limpet_status (*const checks[])(limpet_compiler *) = {
      check_bodies,   check_joints, check_geoms,    check_sites,
      check_cameras,  check_meshes, check_tendons,  check_actuators,
      check_couplers, check_loops,  check_contacts, limpet_compile_sensor_handles};
  limpet_status status = LIMPET_OK;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && !status; ++i)
    status = checks[i](compiler);
  return status;
}
