/* SPDX-License-Identifier: MIT */
/*
 * module.h - what the files of the extension share
 *
 * The stable ABI of CPython 3.11, so that one build runs with every later version.
 *
 * A handle of libsonde belongs to one thread at a time. Long calls run without the GIL; while one runs, the handle is
 * busy, and a call from another thread raises an exception (trace_enter()). An object holds references to the objects
 * that its handle is made from, and counts as a user of the trace: Trace.close() frees the handle of the trace when the
 * last user is gone.
 */
#ifndef PYTHON_MODULE_H
#define PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include <sonde/arrow.h>
#include <sonde/tracepoint.h>

struct types {
	PyObject *error;             /* sonde.Error */
	PyTypeObject *trace, *events, *event, *frame, *profile, *table, *batches, *batch, *column;
};
/* Of the only interpreter that loads the module. */
extern struct types types;

/* ---- trace.c ---- */

struct trace_object {
	PyObject ob_base;
	struct sonde_trace *t;       /* NULL: freed */
	PyObject *path;              /* as it was given */
	bool closed, is_stream, strict;
	int busy;                    /* atomic: a call runs, */
	unsigned long in_thread;     /* in this thread */
	int users;                   /* objects made of it that are alive */
	struct sonde_profile *adding;    /* the profile that reads it, which Ctrl-C stops */
};

/* Another object uses the trace, which keeps its handle until trace_unuse(). */
void trace_use(struct trace_object *trace);
void trace_unuse(struct trace_object *trace);

/* Takes a trace for one call: false with an exception if another thread is in one, or the trace is closed. */
bool trace_enter(struct trace_object *trace);
/* The same of a trace that is in use, whether it is closed or not. */
bool trace_enter_used(struct trace_object *trace);
/* The same without an exception, and without the GIL. */
bool trace_try(struct trace_object *trace);
/*
 * Takes a trace to free an object of it, when no call of another thread runs. False if a call of this thread does, in
 * which the object is freed then: there is nothing to leave.
 */
bool trace_wait(struct trace_object *trace);
void trace_leave(struct trace_object *trace);

/* ---- convert.c ---- */

/* False with an exception, if the trace is strict and its ledger has damage. */
bool trace_is_whole(struct trace_object *trace);

/* Text of a trace as str: each byte that is not UTF-8 becomes U+FFFD. */
PyObject *text_object(const char *s, size_t len);
/* The same of a string; None for NULL. */
PyObject *name_object(const char *s);
/* None if the number is SONDE_NONE. */
PyObject *u64_object(uint64_t v);

/* Raises the exception for an error: sonde.Error, OSError, ValueError or MemoryError. Returns NULL. */
PyObject *raise_error(const struct sonde_error *e, PyObject *path);

/* A choice of samples, out of the arguments of a call. */
struct choice {
	struct sonde_query query;
	int32_t *cpus, *pids, *tids;
	const char **events, **comms;    /* views of the arguments */
	size_t nr_comms;
};
/* For "O&": numbers beyond their range, which "I" and "K" would cut, are exceptions. 1 or 0. */
int u32_argument(PyObject *number, void *to);
int u64_argument(PyObject *number, void *to);

/* Arguments are None or sequences; false with an exception. choice_free() also then. */
bool choice_parse(struct choice *c, PyObject *events, PyObject *cpus, PyObject *pids, PyObject *tids, PyObject *comms,
		  PyObject *time);
void choice_free(struct choice *c);

/* ---- analysis.c ---- */

/* The arguments of sonde.Trace._analysis(): a note and tables as tuples. */
PyObject *analysis_of_trace(struct trace_object *trace, PyObject *args, PyObject *kwargs);

/* ---- table.c ---- */

PyObject *table_of_events(struct trace_object *trace, PyObject *args, PyObject *kwargs);
PyObject *table_of_profile(PyObject *profile, enum sonde_arrow_table table);

/* ---- profile.c ---- */

struct profile_object {
	PyObject ob_base;
	struct sonde_profile *p;
	struct trace_object *trace;
};

/* The types of each file. */
extern PyType_Spec trace_spec, events_spec, event_spec, profile_spec, table_spec, batches_spec, batch_spec, column_spec;
extern PyStructSequence_Desc frame_desc;

PyObject *events_new(struct trace_object *trace, PyObject *args, PyObject *kwargs);

/* Deallocation of a type made from a spec. */
static inline void free_object(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

#endif
