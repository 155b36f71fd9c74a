/* control/path_read.c: Cartesian paths from JSON. */
#include <stdlib.h>

#include "control/trajectory_read.h"

enum { POSE_LIMIT = 100000 };

static const double identity[4] = {1.0, 0.0, 0.0, 0.0};

static limpet_path *line_read(const limpet_json *json, bool turns) {
  static const char *const keys[] = {"kind", "times", "positions", "quaternions", NULL};
  limpet_json times, positions, quaternions;
  limpet_error error;
  if (!limpet_json_keys(json, keys) || !limpet_json_array(&times, json, "times", POSE_LIMIT) ||
      !limpet_json_array(&positions, json, "positions", POSE_LIMIT))
    return NULL;
  if (turns && !limpet_json_array(&quaternions, json, "quaternions", POSE_LIMIT)) return NULL;
  const size_t count = json_array_size(times.value);
  if (json_array_size(positions.value) != count ||
      (turns && json_array_size(quaternions.value) != count)) {
    limpet_json_fail(json, "\"times\", \"positions\"%s must be of one length",
                     turns ? " and \"quaternions\"" : "");
    return NULL;
  }
  double *time = calloc(count, sizeof *time);
  limpet_pose *pose = calloc(count, sizeof *pose);
  bool fine = (time && pose) || limpet_json_fail(json, "no memory");
  fine = fine && limpet_json_list(&times, (int)count, time);
  for (size_t i = 0; i < count && fine; ++i) {
    const limpet_json position = limpet_json_element(&positions, i);
    fine = limpet_json_list(&position, 3, pose[i].position);
    for (int k = 0; k < 4; ++k) pose[i].quaternion[k] = identity[k];
    if (!fine || !turns) continue;
    const limpet_json quaternion = limpet_json_element(&quaternions, i);
    fine = limpet_json_list(&quaternion, 4, pose[i].quaternion);
  }
  limpet_path *path = fine ? limpet_path_line((int)count, time, pose, &error) : NULL;
  if (fine && !path) limpet_json_fail(json, "%s", error.message);
  free(time);
  free(pose);
  return path;
}

static limpet_path *circle_read(const limpet_json *json, bool turns) {
  static const char *const keys[] = {"kind",  "position", "quaternion", "centre",  "axis",
                                     "angle", "start",    "end",        "turning", NULL};
  limpet_pose pose;
  limpet_json member;
  limpet_error error;
  double centre[3], axis[3], angle, start, end;
  const double zero = 0.0;
  bool turning;
  if (!limpet_json_keys(json, keys)) return NULL;
  if (limpet_json_member(&member, json, "quaternion") && !turns) {
    limpet_json_fail(&member, "has no use where \"rotation\" is false");
    return NULL;
  }
  if (!limpet_json_numbers(json, "position", 3, NULL, pose.position) ||
      !limpet_json_numbers(json, "quaternion", 4, turns ? NULL : identity, pose.quaternion) ||
      !limpet_json_numbers(json, "centre", 3, NULL, centre) ||
      !limpet_json_numbers(json, "axis", 3, NULL, axis) ||
      !limpet_json_number(json, "angle", NULL, &angle) ||
      !limpet_json_number(json, "start", &zero, &start) ||
      !limpet_json_number(json, "end", NULL, &end) ||
      !limpet_json_boolean(json, "turning", false, &turning))
    return NULL;
  limpet_path *path = limpet_path_circle(&pose, centre, axis, angle, start, end, turning, &error);
  if (!path) limpet_json_fail(json, "%s", error.message);
  return path;
}

limpet_path *limpet_path_read(const limpet_json *object, bool turns) {
  static const char *const kinds[] = {"line", "circle", NULL};
  limpet_json json;
  int kind;
  if (!limpet_json_member(&json, object, "path")) {
    limpet_json_fail(object, "\"path\" is missing");
    return NULL;
  }
  if (!json_is_object(json.value)) {
    limpet_json_fail(&json, "must be an object {...}");
    return NULL;
  }
  if (!limpet_json_choice(&json, "kind", kinds, -1, &kind)) return NULL;
  return kind == 0 ? line_read(&json, turns) : circle_read(&json, turns);
}
