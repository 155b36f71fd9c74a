/* format/mjcf/option.c: <option> and its flags. Cone, solver, integrator, iterations and the like
 * choose MuJoCo's method: docs/mjcf.md says why each is passed over. Of several elements the later
 * ones win, attribute by attribute. */
#include <math.h>
#include <string.h>

#include "format/mjcf/option.h"
#include "format/read/value.h"

static const struct {
  const char *name;
  unsigned bits;
} flags[] = {{"constraint", LIMPET_DISABLE_CONTACT | LIMPET_DISABLE_LIMIT |
                                LIMPET_DISABLE_DRY_FRICTION | LIMPET_DISABLE_EQUALITY},
             {"equality", LIMPET_DISABLE_EQUALITY},
             {"frictionloss", LIMPET_DISABLE_DRY_FRICTION},
             {"limit", LIMPET_DISABLE_LIMIT},
             {"contact", LIMPET_DISABLE_CONTACT},
             {"passive", LIMPET_DISABLE_SPRING | LIMPET_DISABLE_DAMPER},
             {"spring", LIMPET_DISABLE_SPRING},
             {"damper", LIMPET_DISABLE_DAMPER},
             {"gravity", LIMPET_DISABLE_GRAVITY},
             {"clampctrl", LIMPET_DISABLE_CLAMP_CONTROL},
             {"filterparent", LIMPET_DISABLE_PARENT_FILTER},
             {"actuation", LIMPET_DISABLE_ACTUATION}};

static const char *const switches[] = {"enable", "disable", NULL};

// Each flag is one choice; those that stay switched off at the end are disabled.
static void read_flags(limpet_mjcf *m, const limpet_mjcf_source *source, limpet_options *options) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
    int off = 0;
    for (const limpet_xml_element *e = source->root->first; e; e = e->next)
      for (const limpet_xml_element *flag = strcmp(e->name, "option") == 0 ? e->first : NULL; flag;
           flag = flag->next)
        limpet_read_choice(m->reader, flag, flags[i].name, switches, &off);
    if (off) options->disabled |= flags[i].bits;
  }
}

static void read_groups(limpet_mjcf *m, const limpet_xml_element *e, limpet_options *options) {
  double group[31];
  const int count = limpet_read_numbers(m->reader, e, "actuatorgroupdisable", group, 0, 31);
  if (limpet_xml_find(e, "actuatorgroupdisable")) options->disabled_actuator_groups = 0;
  for (int i = 0; i < count; ++i) {
    if (!(group[i] >= 0.0 && group[i] <= 30.0) || group[i] != floor(group[i]))
      limpet_reader_fail(m->reader, e, "actuatorgroupdisable",
                         "actuator groups are whole numbers from 0 to 30, not %g", group[i]);
    options->disabled_actuator_groups |= 1u << (unsigned)group[i];
  }
}

static void read_values(limpet_mjcf *m, const limpet_mjcf_source *source, limpet_options *options) {
  for (const limpet_xml_element *e = source->root->first; e; e = e->next) {
    if (strcmp(e->name, "option") != 0) continue;
    limpet_read_numbers(m->reader, e, "gravity", options->gravity, 3, 3);
    limpet_read_numbers(m->reader, e, "magnetic", options->magnetic_field, 3, 3);
    limpet_read_numbers(m->reader, e, "wind", options->wind, 3, 3);
    limpet_read_number(m->reader, e, "density", &options->density);
    limpet_read_number(m->reader, e, "viscosity", &options->viscosity);
    limpet_read_number(m->reader, e, "timestep", &options->time_step);
    if (!(options->time_step > 0.0) || !isfinite(options->time_step))
      limpet_reader_fail(m->reader, e, "timestep", "'timestep' is %g s; it must be positive",
                         options->time_step);
    limpet_read_integer(m->reader, e, "limpet:anchors", &options->anchor_count);
    if (options->anchor_count < LIMPET_ANCHORS_AUTOMATIC ||
        options->anchor_count > LIMPET_ANCHOR_LIMIT)
      limpet_reader_fail(m->reader, e, "limpet:anchors",
                         "'limpet:anchors' is %d; it must be from 0 to %d, or -1",
                         options->anchor_count, LIMPET_ANCHOR_LIMIT);
    read_groups(m, e, options);
  }
}

void limpet_mjcf_options_read(limpet_mjcf *m) {
  limpet_options *options = limpet_builder_options(m->reader->builder);
  const limpet_mjcf_compiler *c = &m->main->compiler;
  read_values(m, m->main, options);
  read_flags(m, m->main, options);
  options->inertia_source = c->inertia_source;
  options->inertia_group_first = c->inertia_group[0];
  options->inertia_group_last = c->inertia_group[1];
  options->bound_mass = c->bound_mass;
  options->bound_inertia = c->bound_inertia;
  options->balance_inertia = c->balance_inertia;
  options->total_mass = c->total_mass;
  options->fit_box_to_aabb = c->fit_to_aabb;
  options->friction_rule = LIMPET_FRICTION_MAXIMUM;
  if (m->main->model_name) limpet_builder_name(m->reader->builder, m->main->model_name);
}

// --------------------------------------------------------------------- options of attached files

// the last element <option> (or <flag>) of a source that has the attribute
static const limpet_xml_element *last_with(const limpet_mjcf_source *source, const char *tag,
                                           const char *name) {
  const limpet_xml_element *found = NULL;
  for (const limpet_xml_element *e = source->root->first; e; e = e->next) {
    if (strcmp(e->name, "option") != 0) continue;
    if (strcmp(tag, "option") == 0 && limpet_xml_find(e, name)) found = e;
    for (const limpet_xml_element *flag = strcmp(tag, "flag") == 0 ? e->first : NULL; flag;
         flag = flag->next)
      if (limpet_xml_find(flag, name)) found = flag;
  }
  return found;
}

static bool same_value(limpet_mjcf *m, const limpet_xml_element *a, const limpet_xml_element *b,
                       const char *name) {
  if (strcmp(limpet_xml_value(a, name), limpet_xml_value(b, name)) == 0) return true;
  if (strspn(limpet_xml_value(a, name), "+-.0123456789eE \t") != strlen(limpet_xml_value(a, name)))
    return false;
  int na, nb;
  const double *va = limpet_read_array(m->reader, a, name, &na),
               *vb = limpet_read_array(m->reader, b, name, &nb);
  return na == nb && memcmp(va, vb, (size_t)na * sizeof *va) == 0;
}

// physics of the child, where policy and options allow it, goes to the builder
static void take_over(limpet_mjcf *m, const limpet_xml_element *e, const char *name) {
  limpet_options *options = limpet_builder_options(m->reader->builder);
  if (strcmp(name, "gravity") == 0) limpet_read_numbers(m->reader, e, name, options->gravity, 3, 3);
  else if (strcmp(name, "magnetic") == 0)
    limpet_read_numbers(m->reader, e, name, options->magnetic_field, 3, 3);
  else if (strcmp(name, "wind") == 0) limpet_read_numbers(m->reader, e, name, options->wind, 3, 3);
  else if (strcmp(name, "density") == 0) limpet_read_number(m->reader, e, name, &options->density);
  else if (strcmp(name, "viscosity") == 0)
    limpet_read_number(m->reader, e, name, &options->viscosity);
  else if (strcmp(name, "timestep") == 0)
    limpet_read_number(m->reader, e, name, &options->time_step);
}

static void take_smaller_step(limpet_mjcf *m, const limpet_xml_element *e) {
  limpet_options *options = limpet_builder_options(m->reader->builder);
  double step = options->time_step;
  limpet_read_number(m->reader, e, "timestep", &step);
  if (step < options->time_step) options->time_step = step;
}

enum { POLICY_WARNING, POLICY_MERGE, POLICY_ERROR };

// attributes for which MuJoCo's merge takes the smaller or the larger value; all others must agree
static bool mergeable(const char *name) {
  static const char *const names[] = {"timestep",
                                      "iterations",
                                      "ls_iterations",
                                      "noslip_iterations",
                                      "ccd_iterations",
                                      "sdf_iterations",
                                      "sdf_initpoints",
                                      "tolerance",
                                      "ls_tolerance",
                                      "noslip_tolerance",
                                      "ccd_tolerance",
                                      "sleep_tolerance",
                                      "actuatorgroupdisable"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static void merge_attribute(limpet_mjcf *m, const limpet_mjcf_source *child,
                            const limpet_xml_element *e, const char *name,
                            const limpet_xml_element *attach) {
  const limpet_mjcf_source *parent = child->parent;
  const limpet_xml_element *own = last_with(parent, e->name, name);
  const int policy = parent->compiler.conflict;
  if (!own) {
    if (policy == POLICY_MERGE) take_over(m, e, name);
    else
      limpet_reader_note(m->reader, attach, NULL, "attached options",
                         "options of attached models are not taken over ('%s' of %s:%d:%d)", name,
                         e->file, e->line, e->column);
    return;
  }
  if (same_value(m, own, e, name)) return;
  if (policy == POLICY_ERROR || (policy == POLICY_MERGE && !mergeable(name)))
    limpet_reader_fail(m->reader, attach, NULL,
                       "the attached model disagrees: '%s' is '%s' here (line %d) and '%s' there "
                       "(%s:%d:%d); conflict=\"%s\"",
                       name, limpet_xml_value(own, name), own->line, limpet_xml_value(e, name),
                       e->file, e->line, e->column, policy == POLICY_ERROR ? "error" : "merge");
  if (policy == POLICY_MERGE && strcmp(name, "timestep") == 0) take_smaller_step(m, e);
  if (policy == POLICY_WARNING)
    limpet_reader_note(
        m->reader, attach, NULL, name,
        "the attached model has another '%s' (%s, in %s:%d:%d); that of the main file is kept",
        name, limpet_xml_value(e, name), e->file, e->line, e->column);
}

static void merge_flag(limpet_mjcf *m, const limpet_mjcf_source *child, const limpet_xml_element *e,
                       const char *name) {
  if (child->parent->compiler.conflict != POLICY_MERGE || last_with(child->parent, "flag", name))
    return;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (strcmp(flags[i].name, name) == 0 && strcmp(limpet_xml_value(e, name), "disable") == 0)
      limpet_builder_options(m->reader->builder)->disabled |= flags[i].bits;
}

void limpet_mjcf_options_merge(limpet_mjcf *m, limpet_mjcf_source *child,
                               const limpet_xml_element *attach) {
  if (child->merged || !child->parent) return;
  child->merged = true;
  for (const limpet_xml_element *e = child->root->first; e; e = e->next) {
    if (strcmp(e->name, "option") != 0) continue;
    for (int i = 0; i < e->attribute_count; ++i)
      if (last_with(child, "option", e->attribute[i].name) == e)
        merge_attribute(m, child, e, e->attribute[i].name, attach);
    for (const limpet_xml_element *flag = e->first; flag; flag = flag->next)
      for (int i = 0; i < flag->attribute_count; ++i)
        merge_flag(m, child, flag, flag->attribute[i].name);
  }
}
