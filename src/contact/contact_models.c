/* contact/contact_models.c: the table of contact models. */
#include <string.h>

#include "contact/contact_model.h"

static const limpet_contact_model *const models[] = {
    &limpet_contact_model_lagged,
    NULL,
};

const limpet_contact_model *const *limpet_contact_models(void) { return models; }

const limpet_contact_model *limpet_contact_model_find(const char *name) {
  for (int i = 0; models[i]; ++i)
    if (strcmp(models[i]->descriptor.name, name) == 0) return models[i];
  return NULL;
}

const limpet_descriptor *limpet_contact_model_descriptor(const limpet_contact_model *model) { return &model->descriptor; }
