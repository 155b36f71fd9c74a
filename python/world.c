/* python/world.c: limpet._world, the part of a world that every step of a loop goes through.
 *
 * World is the base of limpet.Data: it keeps the three pointers of limpet_step, so that a step
 * finds them without the interpreter. make_step gives the function limpet.step. It takes the usual
 * case, step(model, data) or step(model, data, count), in a few hundred instructions; everything
 * else, and every mistake, goes to the function of Python that it was made of.
 *
 * The library itself is in limpet._native; make_step is told where limpet_step is. Only Python's
 * stable ABI is used. */
#include <Python.h>
#include <stdint.h>
#include <structmember.h>

#include "limpet/step.h"

typedef limpet_outcome limpet_step_function(const limpet_model *model, limpet_data *data,
                                            const limpet_step_settings *settings);

typedef struct world {
  PyObject_HEAD PyObject *model;  // limpet.Model that it is of
  PyObject *live;                 // view that shows it; NULL or None: none does
  unsigned long stepper;          // thread that steps it; 0: none
  const limpet_model *of;         // what limpet_step takes; NULL: not known yet
  limpet_data *data;
  const limpet_step_settings *settings;
} world;

typedef struct module_state {
  limpet_step_function *run;  // limpet_step
  PyObject *type;             // limpet.Data
  PyObject *outcomes;         // tuple of limpet.Outcome
  PyObject *general;          // step, for what is not the usual case
  PyObject *documentation;    // bytes, which `method` points into
  PyMethodDef method;
} module_state;

// ------------------------------------------------------------------------------------- World

static int world_traverse(PyObject *self, visitproc visit, void *arg) {
  world *w = (world *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(w->model);
  Py_VISIT(w->live);
  return 0;
}

static int world_clear(PyObject *self) {
  world *w = (world *)self;
  Py_CLEAR(w->model);
  Py_CLEAR(w->live);
  return 0;
}

static void world_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  world_clear(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

// Addresses of model, data and settings, in this order; zeros forget them.
static PyObject *world_set_call(PyObject *self, PyObject *const *addresses, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "three addresses, not %zd", count);
  void *pointers[3];
  for (int i = 0; i < 3; ++i) {
    pointers[i] = PyLong_AsVoidPtr(addresses[i]);
    if (PyErr_Occurred()) return NULL;
  }
  world *w = (world *)self;
  w->of = pointers[0];
  w->data = pointers[1];
  w->settings = pointers[2];
  return Py_NewRef(Py_None);
}

/* Sets an attribute. One that there is not is told by the method _unknown of the class, which
 * raises an error with the names that are near. */
static int world_set(PyObject *self, PyObject *name, PyObject *value) {
  const int status = PyObject_GenericSetAttr(self, name, value);
  if (status == 0 || !PyErr_ExceptionMatches(PyExc_AttributeError)) return status;
  PyObject *type, *reason, *trace;
  PyErr_Fetch(&type, &reason, &trace);
  PyObject *known = PyObject_GetAttr((PyObject *)Py_TYPE(self), name);
  if (!known) {
    PyErr_Clear();
    PyObject *said = PyObject_CallMethod(self, "_unknown", "O", name);
    Py_XDECREF(said);
    if (!said) {
      Py_XDECREF(type), Py_XDECREF(reason), Py_XDECREF(trace);
      return -1;
    }
  }
  Py_XDECREF(known);
  PyErr_Restore(type, reason, trace);
  return -1;
}

static PyMethodDef world_methods[] = {
    {"_set_call", (PyCFunction)(void (*)(void))world_set_call, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef world_members[] = {
    {"model", T_OBJECT_EX, offsetof(world, model), READONLY, "the model that this world is of"},
    {"_model", T_OBJECT_EX, offsetof(world, model), 0, NULL},
    {"_live", T_OBJECT, offsetof(world, live), 0, NULL},
    {"_stepper", T_ULONG, offsetof(world, stepper), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot world_slots[] = {
    {Py_tp_traverse, (void *)world_traverse},
    {Py_tp_clear, (void *)world_clear},
    {Py_tp_dealloc, (void *)world_free},
    {Py_tp_methods, world_methods},
    {Py_tp_members, world_members},
    {Py_tp_setattro, (void *)world_set},
    {0, NULL},
};

static PyType_Spec world_spec = {
    .name = "limpet._world.World",
    .basicsize = sizeof(world),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = world_slots,
};

// -------------------------------------------------------------------------------------- step

/* The world of the usual case: step(model, data) or step(model, data, count), of a world that knows
 * its pointers, that nobody looks at and no thread steps. NULL: another case, or a mistake. */
static world *usual_world(const module_state *state, PyObject *const *values, Py_ssize_t count,
                          long *steps) {
  if (count < 2 || count > 3 || (PyObject *)Py_TYPE(values[1]) != state->type) return NULL;
  world *w = (world *)values[1];
  if (!w->of || w->model != values[0] || w->stepper) return NULL;
  if (w->live && w->live != Py_None) return NULL;
  *steps = 1;
  if (count < 3) return w;
  if (!PyLong_CheckExact(values[2])) return NULL;
  *steps = PyLong_AsLong(values[2]);
  if (*steps == -1 && PyErr_Occurred()) PyErr_Clear();
  return *steps >= 0 ? w : NULL;
}

/* The worst outcome of so many steps; -1: an exception was raised. Other threads run during each
 * step, and Ctrl-C is seen between two of them. */
static int run_steps(const module_state *state, const world *w, long steps) {
  int worst = 0;
  for (long i = 0; i < steps; ++i) {
    if (i && PyErr_CheckSignals() < 0) return -1;
    PyThreadState *thread = PyEval_SaveThread();
    const int outcome = (int)state->run(w->of, w->data, w->settings);
    PyEval_RestoreThread(thread);
    if (outcome > worst) worst = outcome;
  }
  return worst;
}

// What the function of Python gives for the same arguments.
static PyObject *general_step(const module_state *state, PyObject *const *values, Py_ssize_t count,
                              PyObject *names) {
  if (!state->general) return PyErr_Format(PyExc_RuntimeError, "limpet is being unloaded");
  const Py_ssize_t name_count = names ? PyTuple_Size(names) : 0;
  PyObject *tuple = PyTuple_New(count);
  PyObject *words = PyDict_New();
  PyObject *result = NULL;
  if (!tuple || !words) goto end;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(tuple, i, Py_NewRef(values[i]));
  for (Py_ssize_t i = 0; i < name_count; ++i)
    if (PyDict_SetItem(words, PyTuple_GetItem(names, i), values[count + i]) < 0) goto end;
  result = PyObject_Call(state->general, tuple, words);
end:
  Py_XDECREF(tuple);
  Py_XDECREF(words);
  return result;
}

static PyObject *step(PyObject *module, PyObject *const *values, Py_ssize_t count,
                      PyObject *names) {
  const module_state *state = PyModule_GetState(module);
  long steps;
  world *w = names ? NULL : usual_world(state, values, count, &steps);
  if (!w) return general_step(state, values, count, names);
  w->stepper = PyThread_get_thread_ident();
  const int worst = run_steps(state, w, steps);
  w->stepper = 0;
  return worst < 0 ? NULL : Py_XNewRef(PyTuple_GetItem(state->outcomes, worst));
}

// ------------------------------------------------------------------------------------ module

static void keep(PyObject **place, PyObject *value) {
  PyObject *before = *place;
  *place = Py_NewRef(value);
  Py_XDECREF(before);
}

/* make_step(address, type, outcomes, general, documentation): the function limpet.step, from the
 * address of limpet_step, the class of worlds, the outcomes by their numbers, a function of Python
 * for all that is not the usual case, and bytes: signature and text, as inspect reads them. */
static PyObject *make_step(PyObject *module, PyObject *const *values, Py_ssize_t count) {
  module_state *state = PyModule_GetState(module);
  if (count != 5) return PyErr_Format(PyExc_TypeError, "five arguments, not %zd", count);
  void *address = PyLong_AsVoidPtr(values[0]);
  const char *text = PyErr_Occurred() ? NULL : PyBytes_AsString(values[4]);
  if (!text) return NULL;
  state->run = (limpet_step_function *)(uintptr_t)address;
  keep(&state->type, values[1]);
  keep(&state->outcomes, values[2]);
  keep(&state->general, values[3]);
  keep(&state->documentation, values[4]);
  state->method =
      (PyMethodDef){"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS, text};
  PyObject *name = PyUnicode_FromString("limpet");
  if (!name) return NULL;
  PyObject *made = PyCFunction_NewEx(&state->method, module, name);
  Py_DECREF(name);
  return made;
}

static PyMethodDef module_methods[] = {
    {"make_step", (PyCFunction)(void (*)(void))make_step, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static int module_start(PyObject *module) {
  PyObject *type = PyType_FromSpec(&world_spec);
  if (!type) return -1;
  const int status = PyModule_AddObjectRef(module, "World", type);
  Py_DECREF(type);
  return status;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  const module_state *state = PyModule_GetState(module);
  Py_VISIT(state->type);
  Py_VISIT(state->outcomes);
  Py_VISIT(state->general);
  return 0;
}

static int module_clear(PyObject *module) {
  module_state *state = PyModule_GetState(module);
  Py_CLEAR(state->type);
  Py_CLEAR(state->outcomes);
  Py_CLEAR(state->general);
  return 0;
}

static void module_free(void *module) {
  module_clear(module);
  module_state *state = PyModule_GetState(module);
  Py_CLEAR(state->documentation);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)module_start}, {0, NULL}};

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,       .m_name = "limpet._world", .m_size = sizeof(module_state),
    .m_methods = module_methods, .m_slots = module_slots,   .m_traverse = module_traverse,
    .m_clear = module_clear,     .m_free = module_free,
};

PyMODINIT_FUNC PyInit__world(void);
PyMODINIT_FUNC PyInit__world(void) { return PyModuleDef_Init(&module_definition); }
