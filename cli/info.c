/* cli/info.c: `limpet info`: what a model consists of, as tables for people or as JSON for
 * programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "fields.h"
#include "controls.h"
#include "effects.h"
#include "info_json.h"
#include "json.h"
#include "loading.h"
#include "options.h"
#include "quantity.h"

static const char *name_or_dash(const limpet_model *model, limpet_object object, int index) {
  const char *name = index < 0 ? NULL : limpet_model_name(model, object, index);
  return name ? name : "-";
}

// Width of the longest name of a kind of object, between 4 and 48: a column of a table.
static int name_width(const limpet_model *model, limpet_object object) {
  int width = 4;
  for (int i = 0; i < limpet_model_count(model, object); ++i) {
    const int length = (int)strlen(name_or_dash(model, object, i));
    if (length > width) width = length;
  }
  return width < 48 ? width : 48;
}

enum { TARGET_SIZE = 128 };

// "joint knee": what an actuator acts on; returns its length.
static int target_text(char text[TARGET_SIZE], const limpet_model *model, int actuator) {
  const limpet_transmission transmission = model->actuator_transmission[actuator];
  return snprintf(text, TARGET_SIZE, "%s %.80s", limpet_transmission_word(transmission),
                  name_or_dash(model, limpet_transmission_object(transmission),
                               model->actuator_target[actuator]));
}

// "3 bodies (...)": the title of a table; `one` and `many` are what it counts, `rest` may be "".
static void table_title(int count, const char *one, const char *many, const char *rest) {
  printf("\n%d %s%s\n", count, count == 1 ? one : many, rest);
}

// "[-1.5, 2]", or "-" where nothing is limited.
static const char *range_text(char text[64], bool limited, const double *range) {
  if (limited) snprintf(text, 64, "[%.5g, %.5g]", range[0], range[1]);
  else snprintf(text, 64, "-");
  return text;
}

static void head_print(const limpet_model *model, const char *path) {
  const double *g = model->options.gravity;
  char mass[LIMPET_QUANTITY_TEXT_SIZE], step[LIMPET_QUANTITY_TEXT_SIZE];
  limpet_quantity_text(mass, 1e3 * model->total_mass, "g");
  printf("%s: model \"%s\"\n", path, model->name ? model->name : "");
  printf("coordinates q %d, velocities v %d, controls %d, activations %d; %d tree%s, mass %s\n",
         model->nq, model->nv, model->nu, model->na, model->tree_count,
         model->tree_count == 1 ? "" : "s", mass);
  printf("time step %s, gravity (%g, %g, %g) m/s^2, %d of %d geoms can collide\n",
         limpet_quantity_text(step, model->options.time_step, "s"), g[0], g[1], g[2],
         model->collider_count, model->geom_count);
}

// Bodies as a tree, each with its joints and where they can go.
static void tree_print(const limpet_model *model) {
  enum { DEEPEST = 24 };  // levels that are indented
  int *depth = calloc((size_t)model->body_count, sizeof *depth);
  table_title(model->body_count, "body", "bodies",
              " as a tree (joints in brackets, with their range in m or rad)");
  for (int b = 0; depth && b < model->body_count; ++b) {
    if (b > 0) depth[b] = depth[model->body_parent[b]] + 1;
    printf("  %*s%s", 2 * (depth[b] < DEEPEST ? depth[b] : DEEPEST), "",
           b ? name_or_dash(model, LIMPET_OBJECT_BODY, b) : "world");
    for (int j = model->body_joint[b]; j < model->body_joint[b] + model->body_joint_count[b]; ++j) {
      char range[64];
      printf("  [%s %s%s%s]", limpet_joint_kind_word(model->joint_kind[j]),
             name_or_dash(model, LIMPET_OBJECT_JOINT, j), model->joint_limited[j] ? " " : "",
             model->joint_limited[j] ? range_text(range, true, model->joint_range + 2 * j) : "");
    }
    if (b > 0 && model->body_joint_count[b] == 0)
      printf("  %s", model->body_mocap[b] >= 0 ? "[moved from outside]" : "[fixed]");
    printf("\n");
  }
  free(depth);
}

// What a geom is made of, as it was understood.
static const char *material_text(char text[64], const limpet_material *material) {
  if (isfinite(material->elastic_modulus))
    snprintf(text, 64, "%.3g Pa, %.3g s/m", material->elastic_modulus, material->dissipation);
  else if (isfinite(material->stiffness))
    snprintf(text, 64, "%.3g N/m, %.3g s/m", material->stiffness, material->dissipation);
  else if (material->has_impedance) snprintf(text, 64, "solref, solimp");
  else snprintf(text, 64, "near-rigid");
  return text;
}

static void bodies_print(const limpet_model *model) {
  const int width = name_width(model, LIMPET_OBJECT_BODY);
  table_title(model->body_count, "body", "bodies",
              " (mass; centre of mass in the body; inertia about it, body axes: xx yy zz)");
  printf("%5s  %-*s  %-*s  %10s  %-28s  %s\n", "", width, "name", width, "parent", "mass kg",
         "centre of mass m", "inertia kg m^2");
  for (int i = 0; i < model->body_count; ++i) {
    const double *com = model->body_com + 3 * i, *inertia = model->body_inertia + 9 * i;
    char centre[96];
    snprintf(centre, sizeof centre, "%.4g %.4g %.4g", com[0], com[1], com[2]);
    printf("%5d  %-*s  %-*s  %10.5g  %-28s  %.4g %.4g %.4g\n", i, width,
           name_or_dash(model, LIMPET_OBJECT_BODY, i), width,
           i ? name_or_dash(model, LIMPET_OBJECT_BODY, model->body_parent[i]) : "",
           model->body_mass[i], centre, inertia[0], inertia[4], inertia[8]);
  }
}

static void joints_print(const limpet_model *model) {
  const int width = name_width(model, LIMPET_OBJECT_JOINT),
            bodies = name_width(model, LIMPET_OBJECT_BODY);
  table_title(model->joint_count, "joint", "joints",
              " (q, v: where its coordinates and velocities begin; range in m or rad)");
  if (model->joint_count)
    printf("%5s  %-*s  %-9s  %-*s  %4s  %4s  %s\n", "", width, "name", "kind", bodies, "body", "q",
           "v", "range");
  for (int i = 0; i < model->joint_count; ++i) {
    char range[64];
    printf(
        "%5d  %-*s  %-9s  %-*s  %4d  %4d  %s\n", i, width,
        name_or_dash(model, LIMPET_OBJECT_JOINT, i), limpet_joint_kind_word(model->joint_kind[i]),
        bodies, name_or_dash(model, LIMPET_OBJECT_BODY, model->joint_body[i]), model->joint_q[i],
        model->joint_v[i], range_text(range, model->joint_limited[i], model->joint_range + 2 * i));
  }
}

static void geoms_print(const limpet_model *model) {
  const int width = name_width(model, LIMPET_OBJECT_GEOM),
            bodies = name_width(model, LIMPET_OBJECT_BODY);
  table_title(model->collider_count, "geom", "geoms",
              " (those that collide; the others are only drawn)");
  if (model->collider_count)
    printf("%5s  %-*s  %-9s  %-*s  %8s  %-20s  %s\n", "", width, "name", "kind", bodies, "body",
           "friction", "stiffness, loss", "size m, mesh or cloud");
  for (int k = 0; k < model->collider_count; ++k) {
    const int i = model->collider_geom[k], mesh = model->geom_mesh[i];
    const double *size = model->geom_size + 3 * i;
    char text[128];
    if (model->geom_kind[i] == LIMPET_SHAPE_MESH)
      snprintf(text, sizeof text, "%.100s", name_or_dash(model, LIMPET_OBJECT_MESH, mesh));
    else if (model->geom_kind[i] == LIMPET_SHAPE_CLOUD)
      snprintf(text, sizeof text, "%.80s, %d points",
               name_or_dash(model, LIMPET_OBJECT_CLOUD, model->geom_cloud[i]),
               model->cloud[model->geom_cloud[i]]->point_count);
    else snprintf(text, sizeof text, "%.4g %.4g %.4g", size[0], size[1], size[2]);
    char material[64];
    printf("%5d  %-*s  %-9s  %-*s  %8.4g  %-20s  %s\n", i, width,
           name_or_dash(model, LIMPET_OBJECT_GEOM, i), limpet_shape_kind_word(model->geom_kind[i]),
           bodies, name_or_dash(model, LIMPET_OBJECT_BODY, model->geom_body[i]),
           model->geom_material[i].friction, material_text(material, &model->geom_material[i]),
           text);
  }
}

static void actuators_print(const limpet_model *model) {
  const int width = name_width(model, LIMPET_OBJECT_ACTUATOR);
  char target[TARGET_SIZE], control[64], force[64];
  int targets = 8;
  for (int i = 0; i < model->nu; ++i) {
    const int length = target_text(target, model, i);
    if (length > targets) targets = length;
  }
  table_title(model->nu, "actuator", "actuators",
              " (control in the unit shown, 1: a plain number; force in N or N m)");
  if (model->nu)
    printf("%5s  %-*s  %-*s  %-5s  %-20s  %s\n", "", width, "name", targets, "acts on", "unit",
           "control range", "force range");
  for (int i = 0; i < model->nu; ++i) {
    target_text(target, model, i);
    printf(
        "%5d  %-*s  %-*s  %-5s  %-20s  %s\n", i, width,
        name_or_dash(model, LIMPET_OBJECT_ACTUATOR, i), targets, target,
        limpet_control_unit(model, i),
        range_text(control, model->actuator_control_limited[i],
                   model->actuator_control_range + 2 * i),
        range_text(force, model->actuator_force_limited[i], model->actuator_force_range + 2 * i));
  }
}

static void sensors_print(const limpet_model *model) {
  if (model->sensor_count == 0) return;
  const int width = name_width(model, LIMPET_OBJECT_SENSOR);
  table_title(model->sensor_count, "sensor", "sensors",
              " (first: where its numbers begin in data->sensor and in a log)");
  printf("%5s  %-*s  %-16s  %5s  %5s  %-10s  %s\n", "", width, "name", "kind", "first", "count",
         "unit", "of");
  for (int i = 0; i < model->sensor_count; ++i) {
    const limpet_sensor_kind *kind = model->sensor_kind[i];
    const limpet_object type = model->sensor_object_type[i];
    const bool has_object = model->sensor_object[i] != LIMPET_NONE;
    printf("%5d  %-*s  %-16s  %5d  %5d  %-10s  %s %s\n", i, width,
           name_or_dash(model, LIMPET_OBJECT_SENSOR, i), limpet_sensor_kind_descriptor(kind)->name,
           model->sensor_address[i], model->sensor_size[i], limpet_sensor_kind_unit(kind),
           has_object ? limpet_object_word(type) : "",
           has_object ? name_or_dash(model, type, model->sensor_object[i]) : "");
  }
}

static void deformables_print(const limpet_model *model) {
  if (!model->deformable_count) return;
  const int width = name_width(model, LIMPET_OBJECT_DEFORMABLE);
  table_title(model->deformable_count, "deformable body", "deformable bodies", "");
  printf("%5s  %-*s %8s %10s %9s %9s %6s %10s %5s %10s  %s\n", "", width, "name", "vertices",
         "tetrahedra", "worst", "mean", "ties", "mass kg", "nu", "E Pa", "law");
  for (int i = 0; i < model->deformable_count; ++i) {
    const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[i]);
    printf("%5d  %-*s %8d %10d %9.3g %9.3g %6d %10.4g %5.3g %10.4g  %s\n", i, width,
           name_or_dash(model, LIMPET_OBJECT_DEFORMABLE, i), info.node_count,
           info.tetrahedron_count, info.quality_worst, info.quality_mean,
           model->deformable_tie[i + 1] - model->deformable_tie[i], info.mass, info.poissons_ratio,
           info.youngs_modulus, limpet_elastic_law_descriptor(info.law)->name);
  }
  printf("worst, mean: quality of tetrahedra, 1 for a regular one, 0 for a flat one\n");
}

// The points of a spatial tendon, and its length in the pose of the file.
static void points_print(const limpet_model *model, int tendon) {
  const int begin = model->tendon_point_begin[tendon], end = model->tendon_point_begin[tendon + 1];
  for (int k = begin; k < end; ++k) {
    const int object = model->tendon_point_object[k], side = model->tendon_point_side[k];
    switch (model->tendon_point_kind[k]) {
      case LIMPET_TENDON_SITE:
        printf(" %s", name_or_dash(model, LIMPET_OBJECT_SITE, object));
        break;
      case LIMPET_TENDON_GEOM:
        printf(" (around %s", name_or_dash(model, LIMPET_OBJECT_GEOM, object));
        if (side != LIMPET_NONE)
          printf(" beside %s", name_or_dash(model, LIMPET_OBJECT_SITE, side));
        printf(")");
        break;
      case LIMPET_TENDON_PULLEY: printf(" | 1/%g of", model->tendon_point_divisor[k]); break;
    }
  }
  if (end > begin) printf("; %g m", model->tendon_reference_length[tendon]);
}

static void rest_print(const limpet_model *model) {
  if (model->tendon_count) table_title(model->tendon_count, "tendon", "tendons", "");
  for (int i = 0; i < model->tendon_count; ++i) {
    printf("%5d  %s =", i, name_or_dash(model, LIMPET_OBJECT_TENDON, i));
    for (int k = model->tendon_begin[i]; k < model->tendon_begin[i + 1]; ++k) {
      printf("%s %g %s", k > model->tendon_begin[i] ? " +" : "", model->tendon_coefficient[k],
             name_or_dash(model, LIMPET_OBJECT_JOINT, model->tendon_joint[k]));
    }
    points_print(model, i);
    printf("\n");
  }
  if (model->keyframe_count)
    table_title(model->keyframe_count, "keyframe", "keyframes", " (limpet run --keyframe NAME)");
  for (int i = 0; i < model->keyframe_count; ++i)
    printf("%5d  %s\n", i, name_or_dash(model, LIMPET_OBJECT_KEYFRAME, i));
  const struct {
    int count;
    const char *one, *many;
  } others[] = {{model->site_count, "site", "sites"},
                {model->mesh_count, "mesh", "meshes"},
                {model->cloud_count, "point cloud", "point clouds"},
                {model->coupler_count, "coupler", "couplers"},
                {model->loop_count, "loop", "loops"},
                {model->note_count, "note", "notes"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    printf("%s%d %s", i ? ", " : "\n", others[i].count,
           others[i].count == 1 ? others[i].one : others[i].many);
  printf(" (limpet check shows them)\n");
}

// Which contact models ignore something that materials ask for.
static void effects_print(const limpet_model *model) {
  for (int e = 0; e < LIMPET_EFFECT_COUNT; ++e) {
    const limpet_contact_effect effect = (limpet_contact_effect)e;
    const limpet_effect_count asked = limpet_effect_count_of(model, effect);
    if (!limpet_effect_asked(asked)) continue;
    char text[LIMPET_EFFECT_TEXT_SIZE];
    const char *separator = "";
    printf("%s of %s: contact models that ignore it: ", limpet_effect_word(effect),
           limpet_effect_count_text(text, asked));
    for (const limpet_contact_model *const *m = limpet_contact_models(); *m; ++m) {
      if (limpet_contact_model_has(*m, effect)) continue;
      printf("%s%s", separator, limpet_contact_model_descriptor(*m)->name);
      separator = ", ";
    }
    printf("\n");
  }
}

static int run(const limpet_command *command, int argc, char **argv) {
  bool json = false;
  limpet_text_list arguments;
  limpet_loading loading;
  limpet_option table[1 + LIMPET_LOADING_OPTION_COUNT] = {
      {"--json", LIMPET_OPTION_FLAG, &json, NULL, "everything, as JSON", 0, 0, 0}};
  const int count = 1 + limpet_loading_options(&loading, table + 1);
  int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 1) return limpet_options_misused(command);
  const char *path = arguments.text[0];
  limpet_model *model = limpet_model_open_shown(path, &loading, &code);
  if (!model) return code;
  if (json) {
    json_t *root = limpet_info_json(model, path);
    limpet_json_print(root, stdout, true);
    json_decref(root);
  } else {
    head_print(model, path);
    tree_print(model);
    bodies_print(model);
    joints_print(model);
    geoms_print(model);
    limpet_fields_print(model);
    actuators_print(model);
    sensors_print(model);
    deformables_print(model);
    rest_print(model);
    effects_print(model);
  }
  limpet_model_destroy(model);
  return LIMPET_EXIT_FINE;
}

const limpet_command limpet_command_info = {
    .name = "info",
    .synopsis = "info FILE [--json]",
    .summary = "bodies, joints, geoms, actuators of a file",
    .text =
        "Tables of what the model consists of after all defaults, with the offsets of each joint "
        "in q and v.\n"
        "--json gives everything, with full inertia matrices, for programs; docs/cli.md explains "
        "the keys.\n",
    .examples =
        "  limpet info robot.xml\n"
        "  limpet info robot.xml --json\n",
    .run = run,
};
