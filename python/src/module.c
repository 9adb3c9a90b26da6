/* SPDX-License-Identifier: MIT */
/* module.c - sonde._sonde, the extension: its types, its exception, its version */
#include "module.h"

struct types types;

/* Resumes after one byte: the same number of U+FFFD as in the texts that libsonde writes. */
static PyObject *replace_byte(PyObject *self, PyObject *error)
{
	PyObject *start = PyObject_GetAttrString(error, "start"), *result = NULL;

	(void)self;
	if (start)
		result = Py_BuildValue("(sn)", "\xef\xbf\xbd", PyLong_AsSsize_t(start) + 1);
	Py_XDECREF(start);
	return result;
}

static PyMethodDef replace_method = { "replace_byte", replace_byte, METH_O, NULL };

static bool register_replacement(void)
{
	PyObject *handler = PyCFunction_New(&replace_method, NULL);
	bool done = handler && PyCodec_RegisterError("sonde.replace", handler) == 0;

	Py_XDECREF(handler);
	return done;
}

static bool make_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **to)
{
	*to = (PyTypeObject *)PyType_FromSpec(spec);
	return *to && PyModule_AddObjectRef(module, name, (PyObject *)*to) == 0;
}

static bool make_error(PyObject *module)
{
	PyObject *members = Py_BuildValue("{sOsOsOsO}", "path", Py_None, "offset", Py_None, "text", Py_None, "partial",
					  Py_None);

	if (!members)
		return false;
	types.error = PyErr_NewExceptionWithDoc("sonde.Error", "A trace that cannot be read: path, offset, text.", NULL,
						members);
	Py_DECREF(members);
	return types.error && PyModule_AddObjectRef(module, "Error", types.error) == 0;
}

static bool fill(PyObject *module)
{
	types.frame = PyStructSequence_NewType(&frame_desc);
	return register_replacement() && make_error(module) && types.frame &&
	       PyModule_AddObjectRef(module, "Frame", (PyObject *)types.frame) == 0 &&
	       make_type(module, "Trace", &trace_spec, &types.trace) &&
	       make_type(module, "Events", &events_spec, &types.events) &&
	       make_type(module, "Event", &event_spec, &types.event) &&
	       make_type(module, "Profile", &profile_spec, &types.profile) &&
	       make_type(module, "Table", &table_spec, &types.table) &&
	       make_type(module, "Batches", &batches_spec, &types.batches) &&
	       make_type(module, "Batch", &batch_spec, &types.batch) &&
	       make_type(module, "Column", &column_spec, &types.column) &&
	       PyModule_AddStringConstant(module, "version", sonde_version()) == 0;
}

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, .m_name = "sonde._sonde", .m_size = -1 };

PyMODINIT_FUNC PyInit__sonde(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module && !fill(module))
		Py_CLEAR(module);
	return module;
}
