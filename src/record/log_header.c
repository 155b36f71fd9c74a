/* record/log_header.c: what a log says about its run: attributes of the root, settings,
 * start state, names, text of the model. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/log.h"

// every HDF5 identifier and status is negative on failure
static hid_t checked(hid_t id, bool *failed) {
  if (id < 0) *failed = true;
  return id;
}

// --------------------------------------------------------------------------------- attributes

// strings have variable length: h5py then gives str
static hid_t text_type(bool *failed) {
  const hid_t type = checked(H5Tcopy(H5T_C_S1), failed);
  checked(H5Tset_size(type, H5T_VARIABLE), failed);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), failed);
  return type;
}

void limpet_log_attribute_text(hid_t place, bool *failed, const char *name, const char *text) {
  const char *value = text ? text : "";
  const hid_t type = text_type(failed), space = checked(H5Screate(H5S_SCALAR), failed);
  const hid_t attribute =
      checked(H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT), failed);
  checked(H5Awrite(attribute, type, &value), failed);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

// a text that is read back
static void write_text(hid_t place, bool *failed, limpet_log_texts *texts, const char *name,
                       const char *text) {
  const char *slash = strrchr(name, '/'), *value = text ? text : "";
  limpet_log_attribute_text(place, failed, slash ? slash + 1 : name, value);
  limpet_log_texts_add(texts, failed, name, value);
}

static void attribute_numbers(hid_t place, bool *failed, const char *name, const double *values,
                              int count) {
  const hsize_t size = (hsize_t)count;
  const hid_t space =
      checked(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL), failed);
  const hid_t attribute =
      checked(H5Acreate2(place, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), failed);
  checked(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values), failed);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void attribute_whole(hid_t place, bool *failed, const char *name, int64_t value) {
  const hid_t space = checked(H5Screate(H5S_SCALAR), failed);
  const hid_t attribute =
      checked(H5Acreate2(place, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), failed);
  checked(H5Awrite(attribute, H5T_NATIVE_INT64, &value), failed);
  H5Aclose(attribute);
  H5Sclose(space);
}

// ----------------------------------------------------------------------------------- datasets

// no time stamps: two logs of equal runs are equal files
static hid_t dataset_create(hid_t place, bool *failed, const char *name, hid_t type, hid_t space) {
  const hid_t properties = checked(H5Pcreate(H5P_DATASET_CREATE), failed);
  checked(H5Pset_obj_track_times(properties, false), failed);
  const hid_t dataset =
      checked(H5Dcreate2(place, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), failed);
  H5Pclose(properties);
  return dataset;
}

hid_t limpet_log_group_create(hid_t place, bool *failed, const char *name) {
  const hid_t properties = checked(H5Pcreate(H5P_GROUP_CREATE), failed);
  checked(H5Pset_obj_track_times(properties, false), failed);
  const hid_t group =
      checked(H5Gcreate2(place, name, H5P_DEFAULT, properties, H5P_DEFAULT), failed);
  H5Pclose(properties);
  return group;
}

static void write_state(hid_t file, bool *failed, const limpet_model *model,
                        const limpet_data *data) {
  const int size = limpet_data_state_size(model);
  double *state = malloc((size_t)size * sizeof *state);
  if (!state) {
    *failed = true;
    return;
  }
  limpet_data_state_read(model, data, state);
  const hsize_t shape = (hsize_t)size;
  const hid_t space = checked(H5Screate_simple(1, &shape, NULL), failed);
  const hid_t dataset = dataset_create(file, failed, "start_state", H5T_IEEE_F64LE, space);
  checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, state), failed);
  limpet_log_attribute_text(dataset, failed, "unit", "s, m, rad, m/s, rad/s or 1, by entry");
  limpet_log_attribute_text(dataset, failed, "description",
                            "time, q, v, activation, warm start, mocap poses at the start");
  H5Dclose(dataset);
  H5Sclose(space);
  free(state);
}

// names of one kind as a dataset of strings of fixed length; unnamed objects have an empty one
static void write_names(hid_t group, bool *failed, const limpet_model *model,
                        limpet_object object) {
  const int count = limpet_model_count(model, object);
  if (count <= 0) return;
  size_t longest = 1;
  for (int i = 0; i < count; ++i) {
    const char *name = limpet_model_name(model, object, i);
    if (name && strlen(name) > longest) longest = strlen(name);
  }
  char *names = calloc((size_t)count, longest);
  if (!names) {
    *failed = true;
    return;
  }
  for (int i = 0; i < count; ++i) {
    const char *name = limpet_model_name(model, object, i);
    if (name) memcpy(&names[(size_t)i * longest], name, strlen(name));
  }

  const hid_t type = checked(H5Tcopy(H5T_C_S1), failed);
  checked(H5Tset_size(type, longest), failed);
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD), failed);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), failed);
  const hsize_t shape = (hsize_t)count;
  const hid_t space = checked(H5Screate_simple(1, &shape, NULL), failed);
  const hid_t dataset = dataset_create(group, failed, limpet_object_word(object), type, space);
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names), failed);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  free(names);
}

// ------------------------------------------------------------------------------------- header

static void write_settings(hid_t file, bool *failed, limpet_log_texts *texts,
                           const limpet_step_settings *settings) {
  const hid_t group = limpet_log_group_create(file, failed, "settings");
  char name[LIMPET_LOG_SETTING_NAME], text_name[LIMPET_LOG_SETTING_NAME + 16];
  limpet_log_setting_place place = {0};
  while (limpet_log_setting_next(&place)) {
    limpet_log_setting_name(&place, name);
    if (place.field->type == LIMPET_FIELD_DESCRIPTOR) {
      const limpet_descriptor *const *descriptor = limpet_field_elements(place.field, settings);
      snprintf(text_name, sizeof text_name, "settings/%s", name);
      write_text(group, failed, texts, text_name, *descriptor ? (*descriptor)->name : "");
    } else {
      const double value = limpet_field_number(place.field, settings, place.element);
      attribute_numbers(group, failed, name, &value, 1);
    }
  }
  H5Gclose(group);
}

// where the numbers of each sensor begin in a row of `sensor`, and the end of the last one
static void write_sensors(hid_t file, bool *failed, const limpet_model *model) {
  if (model->nsensor == 0) return;
  const size_t count = (size_t)model->sensor_count;
  int *begin = malloc((count + 1) * sizeof *begin);
  if (!begin) {
    *failed = true;
    return;
  }
  memcpy(begin, model->sensor_address, count * sizeof *begin);
  begin[count] = model->nsensor;
  const hsize_t shape = (hsize_t)count + 1;
  const hid_t space = checked(H5Screate_simple(1, &shape, NULL), failed);
  const hid_t dataset = dataset_create(file, failed, "sensor_begin", H5T_STD_I32LE, space);
  checked(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, begin), failed);
  limpet_log_attribute_text(dataset, failed, "unit", "1");
  limpet_log_attribute_text(
      dataset, failed, "description",
      "sensor i is columns sensor_begin[i] to sensor_begin[i + 1] - 1 of sensor");
  H5Dclose(dataset);
  H5Sclose(space);
  free(begin);
}

static void write_texts(hid_t file, bool *failed, const limpet_log_texts *texts) {
  const hsize_t shape = (hsize_t)texts->size;
  const hid_t space = checked(H5Screate_simple(1, &shape, NULL), failed);
  const hid_t dataset = dataset_create(file, failed, LIMPET_LOG_TEXTS, H5T_STD_U8LE, space);
  checked(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts->bytes), failed);
  limpet_log_attribute_text(dataset, failed, "unit", "1");
  limpet_log_attribute_text(dataset, failed, "description",
                            "texts among the attributes once more, for limpet: name=text");
  H5Dclose(dataset);
  H5Sclose(space);
}

bool limpet_log_mark_complete(hid_t file) {
  const int64_t yes = 1;
  const hid_t attribute = H5Aopen(file, LIMPET_LOG_COMPLETE, H5P_DEFAULT);
  const bool marked = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &yes) >= 0;
  H5Aclose(attribute);
  return marked;
}

void limpet_log_header_write(hid_t file, bool *failed, const limpet_model *model,
                             const limpet_data *data, const limpet_step_settings *settings,
                             const limpet_log_options *options) {
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, model->hash);
  limpet_log_texts texts = {0};
  write_text(file, failed, &texts, "format", "limpet log");
  attribute_whole(file, failed, "revision", LIMPET_LOG_REVISION);
  write_text(file, failed, &texts, "version", limpet_version());
  write_text(file, failed, &texts, "command", options->command);
  write_text(file, failed, &texts, "model_name", model->name);
  write_text(file, failed, &texts, "model_path", options->model_path);
  write_text(file, failed, &texts, "model_text", options->model_text);
  write_text(file, failed, &texts, "controller_text", options->controller_text);
  write_text(file, failed, &texts, "model_hash", hash);
  attribute_numbers(file, failed, "gravity", model->options.gravity, 3);
  attribute_numbers(file, failed, "interval", &options->interval, 1);
  attribute_whole(file, failed, "start_step", data->step_count);
  attribute_whole(file, failed, LIMPET_LOG_COMPLETE, 0);

  write_settings(file, failed, &texts, settings);
  write_texts(file, failed, &texts);
  limpet_log_texts_free(&texts);
  write_state(file, failed, model, data);
  write_sensors(file, failed, model);
  const hid_t group = limpet_log_group_create(file, failed, "names");
  write_names(group, failed, model, LIMPET_OBJECT_BODY);
  write_names(group, failed, model, LIMPET_OBJECT_JOINT);
  write_names(group, failed, model, LIMPET_OBJECT_GEOM);
  write_names(group, failed, model, LIMPET_OBJECT_ACTUATOR);
  write_names(group, failed, model, LIMPET_OBJECT_SENSOR);
  H5Gclose(group);
}
