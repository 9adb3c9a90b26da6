/* SPDX-License-Identifier: MIT */
/* table.c - sonde.Table: rows that can be read again and again, as a stream of Arrow or batch by batch */
#include "batch.h"

#include <errno.h>
#include <string.h>

#include <sonde/arrow.h>

struct table_object {
	PyObject ob_base;
	PyObject *owner;             /* sonde.Trace or the profile */
	bool of_profile;
	enum sonde_arrow_table table;
	/* of events */
	PyObject *arguments;         /* of the call, which the choice has views of */
	struct choice choice;
	struct sonde_events_opts which;
	struct sonde_arrow_opts opts;
};

static struct trace_object *trace_of(PyObject *owner)
{
	if (Py_IS_TYPE(owner, types.profile))
		return ((struct profile_object *)owner)->trace;
	return (struct trace_object *)owner;
}

/* ---- a stream with its owner ---- */

/* What a consumer gets: the trace lives until it has released the stream, on whichever thread. */
struct held_stream {
	struct ArrowArrayStream inner;
	struct trace_object *trace;  /* used */
	PyObject *owner;
	const char *failure;         /* of ours; NULL: that of the inner stream */
};

/* No exception: the caller may be of another language, and has no GIL. */
static bool enter(struct held_stream *h)
{
	h->failure = NULL;
	if (!trace_try(h->trace)) {
		h->failure = "this trace is being read by another thread";
		return false;
	}
	if (h->trace->closed && h->owner == (PyObject *)h->trace) {
		trace_leave(h->trace);
		h->failure = "this trace is closed";
		return false;
	}
	return true;
}

static int held_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
	struct held_stream *h = s->private_data;
	int r;

	if (!enter(h))
		return EBUSY;
	r = h->inner.get_schema(&h->inner, out);
	trace_leave(h->trace);
	return r;
}

static int held_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
	struct held_stream *h = s->private_data;
	int r;

	if (!enter(h))
		return EBUSY;
	r = h->inner.get_next(&h->inner, out);
	trace_leave(h->trace);
	return r;
}

static const char *held_error(struct ArrowArrayStream *s)
{
	struct held_stream *h = s->private_data;

	return h->failure ? h->failure : h->inner.get_last_error(&h->inner);
}

static void held_release(struct ArrowArrayStream *s)
{
	struct held_stream *h = s->private_data;
	PyGILState_STATE state = PyGILState_Ensure();
	bool taken = trace_wait(h->trace);

	h->inner.release(&h->inner);
	if (taken)
		trace_leave(h->trace);
	trace_unuse(h->trace);
	Py_DECREF(h->owner);
	PyMem_Free(h);
	s->release = NULL;
	PyGILState_Release(state);
}

static int open_inner(struct table_object *t, const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
		      struct sonde_error *err)
{
	struct trace_object *trace = trace_of(t->owner);

	if (t->of_profile)
		return sonde_arrow_profile(((struct profile_object *)t->owner)->p, t->table, opts, out, err);
	return sonde_arrow_events(trace->t, &t->which, opts, out, err);
}

/* False with an exception. */
static bool open_stream(struct table_object *t, const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct trace_object *trace = trace_of(t->owner);
	struct held_stream *h = PyMem_Calloc(1, sizeof(*h));
	int r;

	if (!h || !(t->of_profile ? trace_enter_used(trace) : trace_enter(trace))) {
		PyMem_Free(h);
		if (!PyErr_Occurred())
			PyErr_NoMemory();
		return false;
	}
	Py_BEGIN_ALLOW_THREADS
	r = open_inner(t, opts, &h->inner, &err);
	Py_END_ALLOW_THREADS
	trace_leave(trace);
	if (r < 0) {
		PyMem_Free(h);
		raise_error(&err, trace->path);
		return false;
	}
	trace_use(trace);
	h->trace = trace;
	h->owner = Py_NewRef(t->owner);
	*out = (struct ArrowArrayStream){ held_schema, held_next, held_error, held_release, h };
	return true;
}

static void free_capsule(PyObject *capsule)
{
	struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, "arrow_array_stream");

	if (s->release)
		s->release(s);
	PyMem_Free(s);
}

static PyObject *table_stream(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "requested_schema", NULL };
	struct table_object *t = (struct table_object *)self;
	PyObject *schema = Py_None, *capsule;
	struct ArrowArrayStream *s;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &schema))
		return NULL;             /* a schema is a wish; consumers cast what they get */
	s = PyMem_Calloc(1, sizeof(*s));
	if (!s)
		return PyErr_NoMemory();
	if (!open_stream(t, &t->opts, s)) {
		PyMem_Free(s);
		return NULL;
	}
	capsule = PyCapsule_New(s, "arrow_array_stream", free_capsule);
	if (!capsule) {
		s->release(s);
		PyMem_Free(s);
	}
	return capsule;
}

/* ---- batch by batch ---- */

struct batches_object {
	PyObject ob_base;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
};

static PyObject *raise_stream(struct batches_object *b)
{
	struct held_stream *h = b->stream.private_data;
	const char *text = b->stream.get_last_error(&b->stream);

	if (PyErr_Occurred())
		return NULL;
	if (!h->failure && h->trace->t && sonde_trace_error(h->trace->t)->code)
		return raise_error(sonde_trace_error(h->trace->t), h->trace->path);
	PyErr_SetString(h->failure ? PyExc_RuntimeError : types.error, text ? text : "the stream failed");
	return NULL;
}

static struct batches_object *new_batches(struct table_object *t, const struct sonde_arrow_opts *opts)
{
	struct batches_object *b = (struct batches_object *)PyType_GenericAlloc(types.batches, 0);

	if (!b)
		return NULL;
	if (open_stream(t, opts, &b->stream)) {
		if (b->stream.get_schema(&b->stream, &b->schema) == 0)
			return b;
		raise_stream(b);
	}
	Py_DECREF((PyObject *)b);
	return NULL;
}

static PyObject *table_iter(PyObject *self)
{
	struct table_object *t = (struct table_object *)self;

	return (PyObject *)new_batches(t, &t->opts);
}

static void batches_dealloc(PyObject *self)
{
	struct batches_object *b = (struct batches_object *)self;

	if (b->schema.release)
		b->schema.release(&b->schema);
	if (b->stream.release)
		b->stream.release(&b->stream);
	free_object(self);
}

/* The next array: 1, 0 at the end, -1 with an exception. */
static int next_array(struct batches_object *b, struct ArrowArray *out)
{
	struct held_stream *h = b->stream.private_data;
	int r;

	Py_BEGIN_ALLOW_THREADS
	r = b->stream.get_next(&b->stream, out);
	Py_END_ALLOW_THREADS
	if (r != 0) {
		raise_stream(b);
		return -1;
	}
	if (PyErr_CheckSignals() < 0) {
		if (out->release)
			out->release(out);
		return -1;
	}
	if (out->release)
		return 1;
	return h->owner != (PyObject *)h->trace || trace_is_whole(h->trace) ? 0 : -1;
}

static PyObject *batches_next(PyObject *self)
{
	struct batches_object *b = (struct batches_object *)self;
	struct ArrowArray array;

	return next_array(b, &array) > 0 ? batch_new(&b->schema, &array) : NULL;
}

static PyObject *batches_self(PyObject *self)
{
	return Py_NewRef(self);
}

/* All rows in one batch. */
static PyObject *table_read(PyObject *self, PyObject *unused)
{
	struct table_object *t = (struct table_object *)self;
	struct sonde_arrow_opts opts = t->opts;
	struct batches_object *b;
	struct ArrowArray array;
	PyObject *batch = NULL;
	int r;

	(void)unused;
	opts.batch_rows = INT32_MAX;
	opts.batch_bytes = UINT64_MAX;
	b = new_batches(t, &opts);
	if (!b)
		return NULL;
	r = next_array(b, &array);
	if (r > 0) {
		batch = batch_new(&b->schema, &array);
	} else if (r == 0) {
		array = (struct ArrowArray){ 0 };
		batch = batch_new(&b->schema, &array);
	}
	if (batch && r > 0) {            /* a damaged trace fails after the rows before the damage */
		r = next_array(b, &array);
		if (r > 0) {
			array.release(&array);
			PyErr_SetString(PyExc_OverflowError, "there are more rows than one batch can have");
		}
		if (r != 0)
			Py_CLEAR(batch);
	}
	Py_DECREF((PyObject *)b);
	return batch;
}

/* ---- tables ---- */

static void table_dealloc(PyObject *self)
{
	struct table_object *t = (struct table_object *)self;

	choice_free(&t->choice);
	Py_XDECREF(t->arguments);
	Py_XDECREF(t->owner);
	free_object(self);
}

static struct table_object *new_table(PyObject *owner)
{
	struct table_object *t = (struct table_object *)PyType_GenericAlloc(types.table, 0);

	if (t) {
		t->owner = Py_NewRef(owner);
		t->opts.sz = sizeof(t->opts);
	}
	return t;
}

PyObject *table_of_profile(PyObject *profile, enum sonde_arrow_table table)
{
	struct table_object *t = new_table(profile);

	if (t) {
		t->of_profile = true;
		t->table = table;
	}
	return (PyObject *)t;
}

static bool parse_table(struct table_object *t, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "event", "cpus", "pids", "tids", "comms", "time", "fields", "records", "batch_rows",
				 "inlined", "max_stack", NULL };
	PyObject *cpus = Py_None, *pids = Py_None, *tids = Py_None, *comms = Py_None, *time = Py_None;
	int fields = 0, records = 0, inlined = 1;
	const char *event = NULL;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$zOOOOOppO&pO&", names, &event, &cpus, &pids, &tids, &comms,
					 &time, &fields, &records, u32_argument, &t->opts.batch_rows, &inlined,
					 u32_argument, &t->which.max_stack))
		return false;
	if (!choice_parse(&t->choice, Py_None, cpus, pids, tids, comms, time))
		return false;
	t->arguments = PyTuple_Pack(2, kwargs ? kwargs : Py_None, comms);
	t->opts.fields = fields;
	t->opts.records = records;
	t->which.sz = sizeof(t->which);
	t->which.event = event;
	t->which.inlined = inlined;
	t->which.query = &t->choice.query;
	t->which.comms = t->choice.comms;
	t->which.nr_comms = t->choice.nr_comms;
	return t->arguments != NULL;
}

PyObject *table_of_events(struct trace_object *trace, PyObject *args, PyObject *kwargs)
{
	struct table_object *t = new_table((PyObject *)trace);

	if (t && !parse_table(t, args, kwargs))
		Py_CLEAR(t);
	return (PyObject *)t;
}

static PyMethodDef methods[] = {
	{ "__arrow_c_stream__", (PyCFunction)(void (*)(void))table_stream, METH_VARARGS | METH_KEYWORDS,
	  "The rows as a capsule for pyarrow, polars, DuckDB and others." },
	{ "read", table_read, METH_NOARGS, "All rows as one batch." },
	{ 0 },
};

static PyType_Slot table_slots[] = {
	{ Py_tp_dealloc, table_dealloc }, { Py_tp_iter, table_iter }, { Py_tp_methods, methods }, { 0, NULL },
};

PyType_Spec table_spec = { "sonde.Table", sizeof(struct table_object), 0,
			   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, table_slots };

static PyType_Slot batches_slots[] = {
	{ Py_tp_dealloc, batches_dealloc }, { Py_tp_iter, batches_self }, { Py_tp_iternext, batches_next }, { 0, NULL },
};

PyType_Spec batches_spec = { "sonde._sonde.Batches", sizeof(struct batches_object), 0,
			     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, batches_slots };
