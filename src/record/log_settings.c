/* record/log_settings.c: the fields of limpet_step_settings that decide results: what a log stores
 * of them, by the table of the fields. Left out are those that change nothing, so that logs of
 * equal runs are equal. A field of a group goes by its last name, an element of an array by its
 * number: "single_point", "normal_parameter_2". */
#include <stdio.h>
#include <string.h>

#include "record/log.h"

bool limpet_log_setting_next(limpet_log_setting_place *place) {
  const limpet_field_table *table = limpet_step_settings_fields();
  if (place->field && ++place->element < place->count) return true;
  const limpet_field *field = place->field ? place->field + 1 : table->fields;
  while (field < table->fields + table->count && !(field->uses & LIMPET_FIELD_RESULT)) ++field;
  if (field == table->fields + table->count) return false;
  *place = (limpet_log_setting_place){field, 0, (int)limpet_field_count(field, NULL, 0)};
  return true;
}

const char *limpet_log_setting_name(const limpet_log_setting_place *place,
                                    char name[LIMPET_LOG_SETTING_NAME]) {
  const char *last = limpet_field_last_name(place->field);
  if (*place->field->shape) snprintf(name, LIMPET_LOG_SETTING_NAME, "%s_%d", last, place->element);
  else snprintf(name, LIMPET_LOG_SETTING_NAME, "%s", last);
  return name;
}

bool limpet_log_setting_find(limpet_log_setting_place *place, const char *wanted) {
  char name[LIMPET_LOG_SETTING_NAME];
  *place = (limpet_log_setting_place){0};
  while (limpet_log_setting_next(place))
    if (strcmp(limpet_log_setting_name(place, name), wanted) == 0) return true;
  return false;
}
