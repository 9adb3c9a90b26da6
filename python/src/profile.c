/* SPDX-License-Identifier: MIT */
/* profile.c - the handle of a profile: gathering, export, tables */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include <sonde/export.h>

static void profile_dealloc(PyObject *self)
{
	struct profile_object *o = (struct profile_object *)self;

	sonde_profile_free(o->p);
	if (o->trace)
		trace_unuse(o->trace);
	free_object(self);
}

/* False with an exception: the profile has the samples before the failure then. */
static bool gather(struct profile_object *o, const struct sonde_query *query)
{
	struct trace_object *trace = o->trace;
	int r;

	if (!trace_enter(trace))
		return false;
	trace->adding = o->p;
	Py_BEGIN_ALLOW_THREADS
	r = sonde_profile_add(o->p, trace->t, query);
	Py_END_ALLOW_THREADS
	trace->adding = NULL;
	trace_leave(trace);
	if (r < 0 && !PyErr_Occurred())  /* Ctrl-C is one already */
		raise_error(sonde_profile_error(o->p), trace->path);
	return !PyErr_Occurred() && trace_is_whole(trace);
}

static bool parse_profile(PyObject *args, PyObject *kwargs, struct sonde_profile_opts *opts, struct choice *c,
			  PyObject **trace)
{
	static char *names[] = { "trace", "events", "cpus", "pids", "tids", "comms", "time", "callchains", "inlined",
				 "timed", "max_stack", "by_cpu", NULL };
	PyObject *events = Py_None, *cpus = Py_None, *pids = Py_None, *tids = Py_None, *comms = Py_None;
	PyObject *time = Py_None;
	int callchains = 1, inlined = 1, timed = 0, by_cpu = 0;

	*c = (struct choice){ 0 };
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$OOOOOOpppO&p", names, types.trace, trace, &events, &cpus,
					 &pids, &tids, &comms, &time, &callchains, &inlined, &timed,
					 u32_argument, &opts->max_stack, &by_cpu))
		return false;
	opts->mode = callchains ? SONDE_PROFILE_STACKS : SONDE_PROFILE_FUNCTIONS;
	opts->inlined = inlined;
	opts->timed = timed;
	opts->by = by_cpu ? SONDE_BY_CPU : 0;
	if (!choice_parse(c, events, cpus, pids, tids, comms, time))
		return false;
	opts->comms = c->comms;
	opts->nr_comms = c->nr_comms;
	return true;
}

/* The samples before a failure go with its exception. */
static void give_partial(struct profile_object *o)
{
	PyObject *kind, *x, *traceback;

	PyErr_Fetch(&kind, &x, &traceback);
	PyErr_NormalizeException(&kind, &x, &traceback);
	PyObject_SetAttrString(x, "partial", (PyObject *)o);
	PyErr_Restore(kind, x, traceback);
}

static PyObject *profile_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct sonde_profile_opts opts = { .sz = sizeof(opts) };
	struct profile_object *o = NULL;
	struct choice c;
	PyObject *trace;

	(void)type;
	if (parse_profile(args, kwargs, &opts, &c, &trace))
		o = (struct profile_object *)PyType_GenericAlloc(types.profile, 0);
	if (o) {
		o->trace = (struct trace_object *)trace;
		trace_use(o->trace);
		o->p = sonde_profile_new(&opts);
		if (!o->p)
			PyErr_NoMemory();
		else if (!gather(o, &c.query) && PyErr_ExceptionMatches(types.error))
			give_partial(o);
	}
	choice_free(&c);
	if (PyErr_Occurred())
		Py_CLEAR(o);
	return (PyObject *)o;
}

/* ---- export ---- */

struct text {
	char *p;
	size_t n, cap;
};

/* Called without the GIL. */
static int take_text(void *ctx, const void *bytes, size_t n)
{
	struct text *t = ctx;

	if (t->cap - t->n < n) {
		size_t cap = (t->n + n) * 2;
		char *p = cap > n ? realloc(t->p, cap) : NULL;

		if (!p)
			return -1;
		t->p = p;
		t->cap = cap;
	}
	if (n)
		memcpy(t->p + t->n, bytes, n);
	t->n += n;
	return 0;
}

static PyObject *profile_export(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "format", "event", "sort", "by_period", "children", NULL };
	struct profile_object *o = (struct profile_object *)self;
	struct sonde_report_opts report = { .sz = sizeof(report) };
	struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	struct sonde_error err = { .sz = sizeof(err) };
	struct text text = { 0 };
	const struct sonde_output to = { .sz = sizeof(to), .write = take_text, .ctx = &text };
	int by_period = 0, children = 0, r;
	const char *format;
	PyObject *bytes;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|$zzpp", names, &format, &opts.event, &report.sort,
					 &by_period, &children) ||
	    !trace_enter_used(o->trace))
		return NULL;
	opts.weight = by_period ? SONDE_WEIGHT_PERIOD : SONDE_WEIGHT_OF_FORMAT;
	report.children = children;
	opts.trace = o->trace->t;
	Py_BEGIN_ALLOW_THREADS
	r = sonde_export(o->p, format, &to, &opts, &err);
	Py_END_ALLOW_THREADS
	trace_leave(o->trace);
	bytes = r < 0 ? raise_error(&err, o->trace->path) :
			PyBytes_FromStringAndSize(text.p, (Py_ssize_t)text.n);
	free(text.p);
	return bytes;
}

static PyObject *profile_table(PyObject *self, PyObject *args)
{
	static const char *const names[] = { "events", "tasks", "functions", "stacks", "cells", "samples" };
	const char *name;

	if (!PyArg_ParseTuple(args, "s", &name))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return table_of_profile(self, (enum sonde_arrow_table)i);
	return PyErr_Format(PyExc_ValueError, "a profile has no table '%s'", name);
}

static PyMethodDef methods[] = {
	{ "export", (PyCFunction)(void (*)(void))profile_export, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "table", profile_table, METH_VARARGS, NULL },
	{ 0 },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, profile_new }, { Py_tp_dealloc, profile_dealloc }, { Py_tp_methods, methods }, { 0, NULL },
};

PyType_Spec profile_spec = { "sonde._sonde.Profile", sizeof(struct profile_object), 0, Py_TPFLAGS_DEFAULT, slots };
