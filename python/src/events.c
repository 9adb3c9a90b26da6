/* SPDX-License-Identifier: MIT */
/* events.c - a walk through the events of a trace, in order of time */
#include "events.h"

#include <string.h>

static void end_walk(struct events_object *e)
{
	bool taken = e->trace && trace_wait(e->trace);

	e->now = NULL;
	e->serial++;
	sonde_iter_free(e->it);
	sonde_symbols_free(e->symbols);
	sonde_tasks_free(e->tasks);
	e->it = NULL;
	e->symbols = NULL;
	e->tasks = NULL;
	if (taken)
		trace_leave(e->trace);
}

static void events_dealloc(PyObject *self)
{
	struct events_object *e = (struct events_object *)self;

	end_walk(e);
	choice_free(&e->choice);
	Py_XDECREF(e->arguments);
	if (e->trace)
		trace_unuse(e->trace);
	free_object(self);
}

/* Tasks are known only if records of the side band pass: they are left out after the walk has seen them. */
static bool begin_walk(struct events_object *e)
{
	if (!trace_enter(e->trace))
		return false;
	e->it = sonde_iter_new(e->trace->t, &e->choice.query);
	e->tasks = sonde_tasks_new(e->trace->t);
	trace_leave(e->trace);
	if (e->it && e->tasks)
		return true;
	PyErr_NoMemory();
	return false;
}

PyObject *events_new(struct trace_object *trace, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "events", "cpus", "pids", "tids", "time", "records", NULL };
	PyObject *events = Py_None, *cpus = Py_None, *pids = Py_None, *tids = Py_None, *time = Py_None;
	struct events_object *e;
	int records = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOOOp", names, &events, &cpus, &pids, &tids, &time,
					 &records))
		return NULL;
	e = (struct events_object *)PyType_GenericAlloc(types.events, 0);
	if (!e)
		return NULL;
	e->records = records;
	e->arguments = Py_NewRef(events);
	e->trace = trace;
	trace_use(trace);
	if (choice_parse(&e->choice, events, cpus, pids, tids, Py_None, time) && begin_walk(e))
		return (PyObject *)e;
	Py_DECREF((PyObject *)e);
	return NULL;
}

/*
 * A file is read in large steps, and the first event waits for its order: without the GIL. Later steps keep it, because
 * a thread that wants it back for each event waits for others each time. A stream may have to wait at every event.
 */
static int step(struct events_object *e)
{
	int r;

	if (e->begun && !e->trace->is_stream)
		return sonde_iter_next(e->it, &e->now);
	e->begun = true;
	Py_BEGIN_ALLOW_THREADS
	r = sonde_iter_next(e->it, &e->now);
	Py_END_ALLOW_THREADS
	return r;
}

/* 1 with a wanted event at hand, 0 at the end, -1 with an exception. */
static int next_wanted(struct events_object *e)
{
	unsigned skipped = 0;
	int r;

	while ((r = step(e)) > 0) {
		if (sonde_tasks_apply(e->tasks, e->now) < 0) {
			PyErr_NoMemory();
			return -1;
		}
		if (e->records || e->now->kind == SONDE_KIND_SAMPLE)
			return 1;
		if (++skipped % 4096 == 0 && PyErr_CheckSignals() < 0)
			return -1;
	}
	if (r < 0)
		raise_error(sonde_iter_error(e->it), e->trace->path);
	return r < 0 || trace_is_whole(e->trace) ? r : -1;
}

static PyObject *events_next(PyObject *self)
{
	struct events_object *e = (struct events_object *)self;
	PyObject *event = NULL;
	int r;

	if (!trace_enter(e->trace)) {
		if (e->trace->closed)
			end_walk(e);
		return NULL;
	}
	e->serial++;
	r = e->it ? next_wanted(e) : 0;
	if (r > 0)
		event = event_new(e, e->now);
	else if (e->it)
		end_walk(e);
	trace_leave(e->trace);
	return event;
}

static PyObject *events_self(PyObject *self)
{
	return Py_NewRef(self);
}

static PyType_Slot slots[] = {
	{ Py_tp_dealloc, events_dealloc }, { Py_tp_iter, events_self }, { Py_tp_iternext, events_next }, { 0, NULL },
};

PyType_Spec events_spec = { "sonde._sonde.Events", sizeof(struct events_object), 0,
			    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
