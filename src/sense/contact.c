/* sense/contact.c: contact: the contacts between two sides, some of them or their resultant.
 *
 * A side is a geom, the geoms of a body, those of a body's subtree, or, for the first side, the
 * volume of a site in which the contact lies; a side that is not given is everything. Contacts
 * count that press or overlap, not those that are merely near. A contact whose geoms match the
 * other way round is turned: normal and first tangent change sign, the second tangent stays, and
 * the force is that on the second side. Source: MJCF reference, sensor/contact. */
#include <string.h>

#include "geometry/ray.h"
#include "dynamics/body_forces.h"
#include "math/vec3.h"
#include "sense/kinds.h"

typedef struct matcher {
  const limpet_sensor_reading *reading;
  int sensor;
  bool has_site;
  bool moves;  // velocities are asked for
  limpet_sense_frame site;
} matcher;

// Whether a geom is on a side; one that is not given holds everything.
static bool on_side(const limpet_model *model, limpet_object type, int index, bool subtree,
                    int geom) {
  if (index == LIMPET_NONE || type == LIMPET_OBJECT_SITE) return true;
  if (type == LIMPET_OBJECT_GEOM) return geom == index;
  const int body = model->geom_body[geom];
  return subtree ? body >= index && body < model->body_subtree_end[index] : body == index;
}

// 1: geom A is on the first side and B on the second; -1: the other way round; 0: the contact does
// not count
static int match(const matcher *m, int contact) {
  const limpet_model *model = m->reading->model;
  const limpet_data *data = m->reading->data;
  const int s = m->sensor, *geom = data->contact_geom + 2 * contact;
  const limpet_contact_sensor *spec = &model->sensor_contact[s];
  if (!(data->contact_force[3 * contact + 2] > 0.0 || data->contact_distance[contact] < 0.0))
    return 0;
  if (m->has_site) {
    const limpet_shape volume = limpet_sense_site_volume(model, model->sensor_object[s], &m->site);
    if (!limpet_shape_holds(&volume, data->contact_position + 3 * contact)) return 0;
  }
  for (int side = 0; side < 2; ++side)
    if (on_side(model, model->sensor_object_type[s], model->sensor_object[s], spec->object_subtree,
                geom[side]) &&
        on_side(model, model->sensor_reference_type[s], model->sensor_reference[s],
                spec->reference_subtree, geom[1 - side]))
      return side == 0 ? 1 : -1;
  return 0;
}

static double rank_of(const limpet_data *data, limpet_contact_reduction reduction, int contact) {
  if (reduction == LIMPET_CONTACT_NEAREST) return data->contact_distance[contact];
  return reduction == LIMPET_CONTACT_STRONGEST
             ? -limpet_vec3_norm(data->contact_force + 3 * contact)
             : 0.0;
}

/* The contact that comes after `last` (-1: the first one) in the order of ranks, of equals in that
 * of the list; -1: none. */
static int next_contact(const matcher *m, limpet_contact_reduction reduction, int last) {
  const limpet_data *data = m->reading->data;
  const double passed = last < 0 ? -INFINITY : rank_of(data, reduction, last);
  int best = -1;
  for (int c = 0; c < data->contact_count; ++c) {
    const double rank = rank_of(data, reduction, c);
    const bool later = last < 0 || rank > passed || (rank == passed && c > last);
    if (later && (best < 0 || rank < rank_of(data, reduction, best)) && match(m, c) != 0) best = c;
  }
  return best;
}

// What one slot can say, in the order of the fields.
typedef struct slot {
  double found[1], force[3], torque[3], distance[1], position[3], normal[3], tangent[3];
  double velocity[3], turning[3];
} slot;

static double *write_slot(const slot *filled, unsigned fields, double *value) {
  const struct {
    const double *from;
    int count;
  } parts[] = {{filled->found, 1},    {filled->force, 3},    {filled->torque, 3},
               {filled->distance, 1}, {filled->position, 3}, {filled->normal, 3},
               {filled->tangent, 3},  {filled->velocity, 3}, {filled->turning, 3}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!(fields >> i & 1u)) continue;
    memcpy(value, parts[i].from, (size_t)parts[i].count * sizeof *value);
    value += parts[i].count;
  }
  return value;
}

// Velocities of the second side relative to the first, in the frame of the contact as it is turned.
static void fill_motion(const matcher *m, int contact, double sign, slot *filled) {
  const limpet_data *data = m->reading->data;
  const limpet_model *model = m->reading->model;
  const double *frame = data->contact_frame + 9 * contact;
  const int *geom = data->contact_geom + 2 * contact;
  const int a = model->geom_body[geom[0]], b = model->geom_body[geom[1]];
  const double *x = data->contact_position + 3 * contact;
  double of_a[3], v[3], w[3], local[3];
  limpet_point_velocity(model, data, a, x, of_a);
  limpet_point_velocity(model, data, b, x, v);
  limpet_vec3_sub(v, v, of_a);
  limpet_vec3_sub(w, data->body_velocity + 6 * b, data->body_velocity + 6 * a);
  limpet_mat3_mul_vec(local, frame, v);
  limpet_vec3_set(filled->velocity, local[2], local[0], sign * local[1]);
  limpet_mat3_mul_vec(local, frame, w);
  limpet_vec3_set(filled->turning, local[2], local[0], sign * local[1]);
}

static slot slot_of_contact(const matcher *m, int contact, int found) {
  const limpet_data *data = m->reading->data;
  const double *frame = data->contact_frame + 9 * contact,
               *force = data->contact_force + 3 * contact, sign = match(m, contact);
  slot filled = {.found = {found}, .distance = {data->contact_distance[contact]}};
  const double *rolling = data->contact_rolling + 2 * contact;
  limpet_vec3_set(filled.force, force[2], force[0], sign * force[1]);
  limpet_vec3_set(filled.torque, data->contact_torsion[contact], rolling[0], sign * rolling[1]);
  limpet_vec3_copy(filled.position, data->contact_position + 3 * contact);
  limpet_vec3_scale(filled.normal, sign, frame + 6);
  limpet_vec3_scale(filled.tangent, sign, frame);
  if (m->moves) fill_motion(m, contact, sign, &filled);
  return filled;
}

// Torsion and rolling resistance on B [N m], world.
static void own_torque(const limpet_data *data, int contact, double torque[3]) {
  const double *rolling = data->contact_rolling + 2 * contact;
  const double local[3] = {rolling[0], rolling[1], data->contact_torsion[contact]};
  limpet_mat3_tmul_vec(torque, data->contact_frame + 9 * contact, local);
}

// Resultant of all matching contacts, about the centre of their forces.
static slot slot_of_resultant(const matcher *m, int found) {
  const limpet_data *data = m->reading->data;
  slot filled = {.found = {found}, .normal = {1.0, 0.0, 0.0}, .tangent = {0.0, 1.0, 0.0}};
  double weight = 0.0;
  for (int c = 0; c < data->contact_count; ++c)
    if (match(m, c) != 0) weight += limpet_vec3_norm(data->contact_force + 3 * c);
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < data->contact_count; ++c) {
      const int sign = match(m, c);
      const double *force = data->contact_force + 3 * c, *point = data->contact_position + 3 * c;
      double world[3], lever[3], moment[3];
      if (sign == 0) continue;
      limpet_mat3_tmul_vec(world, data->contact_frame + 9 * c, force);
      if (pass == 0) {
        const double share = weight > 0.0 ? limpet_vec3_norm(force) / weight : 1.0 / found;
        limpet_vec3_addmul(filled.position, filled.position, share, point);
        limpet_vec3_addmul(filled.force, filled.force, sign, world);
      } else {
        limpet_vec3_sub(lever, point, filled.position);
        limpet_vec3_cross(moment, lever, world);
        limpet_vec3_addmul(filled.torque, filled.torque, sign, moment);
        own_torque(data, c, moment);
        limpet_vec3_addmul(filled.torque, filled.torque, sign, moment);
      }
    }
  }
  return filled;
}

static void read_contact(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_contact_sensor *spec = &model->sensor_contact[sensor];
  memset(value, 0, (size_t)model->sensor_size[sensor] * sizeof *value);
  if (!reading->contact) return;
  matcher m = {.reading = reading, .sensor = sensor};
  m.has_site = model->sensor_object_type[sensor] == LIMPET_OBJECT_SITE &&
               model->sensor_object[sensor] != LIMPET_NONE;
  m.moves =
      (spec->fields & (LIMPET_CONTACT_LINEAR_VELOCITY | LIMPET_CONTACT_ANGULAR_VELOCITY)) != 0;
  if (m.has_site) m.site = limpet_sense_object(reading, sensor);
  int found = 0;
  for (int c = 0; c < reading->data->contact_count; ++c) found += match(&m, c) != 0;
  if (found == 0) return;
  if (spec->reduction == LIMPET_CONTACT_NET) {
    const slot filled = slot_of_resultant(&m, found);
    write_slot(&filled, spec->fields, value);
    return;
  }
  for (int i = 0, last = -1; i < spec->slots && i < found; ++i) {
    last = next_contact(&m, spec->reduction, last);
    const slot filled = slot_of_contact(&m, last, found);
    value = write_slot(&filled, spec->fields, value);
  }
}

static int size_of(const limpet_sensor_description *sensor,
                   const limpet_camera_description *camera) {
  static const int sizes[] = {1, 3, 3, 1, 3, 3, 3, 3, 3};
  (void)camera;
  int size = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (sensor->contact.fields >> i & 1u) size += sizes[i];
  return size * sensor->contact.slots;
}

const limpet_sensor_kind limpet_sensor_contact = {
    .descriptor = {.name = "contact",
                   .text = "Contacts between two geoms, bodies or subtrees, or in the volume of a "
                           "site: how many press or overlap, "
                           "and of as many as have a slot force, torque, distance, position, "
                           "normal, tangent, velocities, or those of "
                           "their resultant. Forces are means over the step."},
    .unit = "by field",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .range = LIMPET_SENSOR_UNCUT,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .object_optional = true,
    .size_of = size_of,
    .read = read_contact};
