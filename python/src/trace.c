/* SPDX-License-Identifier: MIT */
/* trace.c - sonde.Trace: an open recording */
#include "module.h"

#include <string.h>
#include <unistd.h>

bool trace_try(struct trace_object *trace)
{
	if (__atomic_exchange_n(&trace->busy, 1, __ATOMIC_ACQUIRE))
		return false;
	__atomic_store_n(&trace->in_thread, PyThread_get_thread_ident(), __ATOMIC_RELAXED);
	return true;
}

bool trace_wait(struct trace_object *trace)
{
	while (!trace_try(trace)) {
		if (__atomic_load_n(&trace->in_thread, __ATOMIC_RELAXED) == PyThread_get_thread_ident())
			return false;
		Py_BEGIN_ALLOW_THREADS
		usleep(1000);
		Py_END_ALLOW_THREADS
	}
	return true;
}

bool trace_enter_used(struct trace_object *trace)
{
	if (trace_try(trace))
		return true;
	PyErr_SetString(PyExc_RuntimeError, "this trace is being read by another thread");
	return false;
}

bool trace_enter(struct trace_object *trace)
{
	if (!trace_enter_used(trace))
		return false;
	if (trace->t && !trace->closed)
		return true;
	trace_leave(trace);
	PyErr_SetString(PyExc_ValueError, "this trace is closed");
	return false;
}

void trace_leave(struct trace_object *trace)
{
	__atomic_store_n(&trace->in_thread, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&trace->busy, 0, __ATOMIC_RELEASE);
}

void trace_use(struct trace_object *trace)
{
	trace->users++;
	Py_INCREF((PyObject *)trace);
}

static void free_handle(struct trace_object *trace)
{
	sonde_trace_free(trace->t);
	trace->t = NULL;
}

void trace_unuse(struct trace_object *trace)
{
	trace->users--;
	if (trace->closed && !trace->users)
		free_handle(trace);
	Py_DECREF((PyObject *)trace);
}

static PyObject *trace_close(PyObject *self, PyObject *unused)
{
	struct trace_object *trace = (struct trace_object *)self;

	(void)unused;
	if (trace->closed)
		Py_RETURN_NONE;
	if (!trace_enter(trace))
		return NULL;
	trace->closed = true;
	trace_leave(trace);
	if (!trace->users)
		free_handle(trace);
	Py_RETURN_NONE;
}

/* Called on the thread that reads, without the GIL: Ctrl-C ends what takes long. */
static void check_signals(void *ctx, double share)
{
	struct trace_object *trace = ctx;
	PyGILState_STATE state;

	(void)share;
	if (!trace->adding)
		return;
	state = PyGILState_Ensure();
	if (!PyErr_Occurred() && PyErr_CheckSignals() < 0)
		sonde_profile_stop(trace->adding);
	PyGILState_Release(state);
}

static int open_trace(struct trace_object *trace, unsigned long long max_memory)
{
	struct sonde_open_opts opts = { .sz = sizeof(opts), .max_memory = max_memory, .progress = check_signals,
					.progress_ctx = trace };
	PyObject *bytes;
	int r;

	if (!PyUnicode_FSConverter(trace->path, &bytes))
		return -1;
	if (!trace_enter(trace)) {
		Py_DECREF(bytes);
		return -1;
	}
	Py_BEGIN_ALLOW_THREADS
	r = sonde_trace_open(trace->t, PyBytes_AsString(bytes), &opts);
	Py_END_ALLOW_THREADS
	trace_leave(trace);
	Py_DECREF(bytes);
	if (r < 0)
		raise_error(sonde_trace_error(trace->t), trace->path);
	else
		trace->is_stream = sonde_trace_info(trace->t)->data_size == SONDE_NONE;
	return r;
}

static int trace_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "path", "strict", "max_memory", NULL };
	struct trace_object *trace = (struct trace_object *)self;
	uint64_t max_memory = 0;
	PyObject *path;
	int strict = 1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$pO&", names, &path, &strict, u64_argument,
					 &max_memory))
		return -1;
	if (trace->t || trace->closed) {
		PyErr_SetString(PyExc_ValueError, "this trace is open already");
		return -1;
	}
	trace->strict = strict;
	trace->path = PyOS_FSPath(path);
	if (!trace->path)
		return -1;
	trace->t = sonde_trace_new();
	if (!trace->t) {
		PyErr_NoMemory();
		return -1;
	}
	if (open_trace(trace, max_memory) == 0)
		return 0;
	trace->closed = true;
	free_handle(trace);
	return -1;
}

static void trace_dealloc(PyObject *self)
{
	struct trace_object *trace = (struct trace_object *)self;

	free_handle(trace);
	Py_XDECREF(trace->path);
	free_object(self);
}

/* ---- about the recording ---- */

static PyObject *trace_info(PyObject *self, void *unused)
{
	struct trace_object *trace = (struct trace_object *)self;
	const struct sonde_trace_info *info;
	PyObject *dict = NULL;

	(void)unused;
	if (!trace_enter(trace))
		return NULL;
	info = sonde_trace_info(trace->t);
	dict = Py_BuildValue("{sssIsOsIsN}", "format", info->format, "version", info->version, "big_endian",
			     info->big_endian ? Py_True : Py_False, "long_size", info->long_size, "size",
			     u64_object(info->size_bytes));
	trace_leave(trace);
	return dict;
}

/* "sched:sched_switch", also of a recording that has the number of a tracepoint and its format, but no name. */
static const char *event_name(struct trace_object *trace, const struct sonde_evsel *evsel)
{
	const struct sonde_tracepoint *tp;

	if (strchr(evsel->name, ':'))
		return evsel->name;
	tp = sonde_trace_tracepoint(trace->t, evsel);
	return tp ? sonde_tracepoint_name(tp) : evsel->name;
}

/* The name by which libsonde knows the event of that name. */
static PyObject *trace_recorded_name(PyObject *self, PyObject *name)
{
	struct trace_object *trace = (struct trace_object *)self;
	const struct sonde_evsel *evsel;
	const char *wanted;

	if (!trace_enter(trace))
		return NULL;
	wanted = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
	for (size_t i = 0; wanted && (evsel = sonde_trace_evsel_at(trace->t, i)); i++)
		if (strcmp(event_name(trace, evsel), wanted) == 0)
			break;
	trace_leave(trace);
	if (wanted && evsel)
		return name_object(evsel->name);
	return PyErr_Occurred() ? NULL : Py_NewRef(name);
}

static PyObject *trace_evlist(PyObject *self, void *unused)
{
	struct trace_object *trace = (struct trace_object *)self;
	const struct sonde_evsel *evsel;
	PyObject *list;

	(void)unused;
	if (!trace_enter(trace))
		return NULL;
	list = PyList_New(0);
	for (size_t i = 0; list && (evsel = sonde_trace_evsel_at(trace->t, i)); i++) {
		PyObject *name = name_object(event_name(trace, evsel));

		if (!name || PyList_Append(list, name) < 0)
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	trace_leave(trace);
	return list;
}

/* Tuples of kind, count, file offset, first and last time, CPU, text. */
static PyObject *trace_loss_rows(PyObject *self, PyObject *unused)
{
	struct trace_object *trace = (struct trace_object *)self;
	const struct sonde_loss *loss;
	PyObject *list;

	(void)unused;
	if (!trace_enter(trace))
		return NULL;
	list = PyList_New(0);
	for (size_t i = 0; list && (loss = sonde_trace_loss_at(trace->t, i)); i++) {
		PyObject *row = Py_BuildValue("(iKNNNiN)", (int)loss->kind, (unsigned long long)loss->count,
					      u64_object(loss->file_offset), u64_object(loss->time_first),
					      u64_object(loss->time_last), loss->cpu, name_object(loss->text));

		if (!row || PyList_Append(list, row) < 0)
			Py_CLEAR(list);
		Py_XDECREF(row);
	}
	trace_leave(trace);
	return list;
}

static PyObject *trace_time_span(PyObject *self, PyObject *unused)
{
	struct trace_object *trace = (struct trace_object *)self;
	uint64_t first = 0, last = 0;
	int r;

	(void)unused;
	if (!trace_enter(trace))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = sonde_trace_time_span(trace->t, &first, &last);
	Py_END_ALLOW_THREADS
	trace_leave(trace);
	if (r < 0)
		return raise_error(sonde_trace_error(trace->t), trace->path);
	return Py_BuildValue("(KK)", (unsigned long long)first, (unsigned long long)last);
}

static PyObject *trace_path(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((struct trace_object *)self)->path ? ((struct trace_object *)self)->path : Py_None);
}

static PyObject *trace_closed(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct trace_object *)self)->closed);
}

static PyObject *trace_iter(PyObject *self)
{
	PyObject *none = PyTuple_New(0), *events;

	if (!none)
		return NULL;
	events = events_new((struct trace_object *)self, none, NULL);
	Py_DECREF(none);
	return events;
}

static PyObject *trace_events(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return events_new((struct trace_object *)self, args, kwargs);
}

static PyObject *trace_table(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return table_of_events((struct trace_object *)self, args, kwargs);
}

static PyObject *trace_analysis(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return analysis_of_trace((struct trace_object *)self, args, kwargs);
}

static PyMethodDef methods[] = {
	{ "close", trace_close, METH_NOARGS, "Close the trace; objects made from it keep what they have read." },
	{ "time_span", trace_time_span, METH_NOARGS, "Times of the first and the last sample, in nanoseconds." },
	{ "_recorded_name", trace_recorded_name, METH_O, NULL },
	{ "_loss_rows", trace_loss_rows, METH_NOARGS, NULL },
	{ "_events", (PyCFunction)(void (*)(void))trace_events, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "_table", (PyCFunction)(void (*)(void))trace_table, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "_analysis", (PyCFunction)(void (*)(void))trace_analysis, METH_VARARGS | METH_KEYWORDS, NULL },
	{ 0 },
};

static PyGetSetDef members[] = {
	{ "info", trace_info, NULL, "Format, version, byte order and size of the recording.", NULL },
	{ "evlist", trace_evlist, NULL, "Names of the recorded events.", NULL },
	{ "path", trace_path, NULL, "The path as it was given.", NULL },
	{ "closed", trace_closed, NULL, NULL, NULL },
	{ 0 },
};

static PyType_Slot slots[] = {
	{ Py_tp_init, trace_init }, { Py_tp_dealloc, trace_dealloc }, { Py_tp_iter, trace_iter },
	{ Py_tp_methods, methods }, { Py_tp_getset, members }, { 0, NULL },
};

PyType_Spec trace_spec = { "sonde._sonde.Trace", sizeof(struct trace_object), 0,
			   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
