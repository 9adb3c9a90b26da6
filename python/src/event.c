/* SPDX-License-Identifier: MIT */
/* event.c - sonde.Event: one event of a trace */
#include "events.h"

#include <linux/perf_event.h>
#include <string.h>

static bool copy_sample(struct event_object *o, const struct sonde_event *ev)
{
	const struct sonde_sample *s = NULL;

	sonde_event_sample(ev, &s);      /* fields after a wrong length are missing, the others are good */
	if (!s)
		return true;
	o->has_ip = s->present & PERF_SAMPLE_IP;
	o->has_chain = s->nr_callchain || s->present & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK);
	o->raw = s->raw.len ? PyMem_Malloc(s->raw.len) : NULL;
	if (s->raw.len && !o->raw)
		return false;
	if (o->raw)
		memcpy(o->raw, s->raw.p, s->raw.len);
	o->raw_len = s->raw.len;
	return true;
}

static PyObject *record_fields(const struct sonde_event *ev);

PyObject *event_new(struct events_object *events, const struct sonde_event *ev)
{
	struct event_object *o = (struct event_object *)PyType_GenericAlloc(types.event, 0);

	if (!o)
		return NULL;
	o->events = (struct events_object *)Py_NewRef((PyObject *)events);
	o->serial = events->serial;
	o->evsel = ev->evsel;
	o->time = ev->time;
	o->ip = ev->ip;
	o->addr = ev->addr;
	o->period = ev->period;
	o->file_offset = ev->file_offset;
	o->type = ev->type;
	o->cpumode = ev->cpumode;
	o->kind = ev->kind;
	o->pid = ev->pid;
	o->tid = ev->tid;
	o->cpu = ev->cpu;
	o->comm = name_object(sonde_tasks_comm_of(events->tasks, ev));
	if (ev->kind == SONDE_KIND_SAMPLE && ev->evsel) {
		o->tracepoint = sonde_trace_tracepoint(events->trace->t, ev->evsel);
		if (!copy_sample(o, ev))
			PyErr_NoMemory();
	} else if (ev->kind != SONDE_KIND_SAMPLE) {
		o->fields = record_fields(ev);
	}
	if (!PyErr_Occurred())
		return (PyObject *)o;
	Py_DECREF((PyObject *)o);
	return NULL;
}

static void event_dealloc(PyObject *self)
{
	struct event_object *o = (struct event_object *)self;

	PyMem_Free(o->raw);
	Py_XDECREF(o->comm);
	Py_XDECREF(o->callchain);
	Py_XDECREF(o->fields);
	Py_XDECREF((PyObject *)o->events);
	free_object(self);
}

/* ---- fields of tracepoints ---- */

static bool is_integer_array(const struct sonde_tracepoint_field *f)
{
	if (f->flags & SONDE_TRACEPOINT_BITMASK && f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC))
		return false;
	return f->flags & SONDE_TRACEPOINT_ARRAY && !(f->flags & SONDE_TRACEPOINT_STRING) &&
	       (f->elem_size == 2 || f->elem_size == 4 || f->elem_size == 8);
}

static PyObject *integer(const struct sonde_tracepoint_field *f, uint64_t v)
{
	return f->flags & SONDE_TRACEPOINT_SIGNED ? PyLong_FromLongLong((int64_t)v) : PyLong_FromUnsignedLongLong(v);
}

static PyObject *array(const struct event_object *o, const struct sonde_tracepoint_field *f,
		       const struct sonde_bytes *raw, size_t n)
{
	PyObject *list = PyList_New((Py_ssize_t)n);

	for (size_t i = 0; list && i < n; i++) {
		uint64_t v = 0;
		PyObject *element;

		sonde_tracepoint_element(o->tracepoint, f, raw, i, &v);
		element = integer(f, v);
		if (!element || PyList_SetItem(list, (Py_ssize_t)i, element) < 0)
			Py_CLEAR(list);
	}
	return list;
}

/* None: the record has not the whole field. */
static PyObject *field_value(const struct event_object *o, const struct sonde_tracepoint_field *f)
{
	struct sonde_bytes raw = { o->raw, o->raw_len }, bytes;
	struct sonde_str text;
	uint64_t v;

	if (!(f->flags & SONDE_TRACEPOINT_ARRAY) && sonde_tracepoint_u64(o->tracepoint, f, &raw, &v))
		return integer(f, v);
	if (f->flags & SONDE_TRACEPOINT_STRING) {
		if (sonde_tracepoint_string(o->tracepoint, f, &raw, &text))
			return text_object(text.p, text.len);
		Py_RETURN_NONE;
	}
	if (!sonde_tracepoint_bytes(o->tracepoint, f, &raw, &bytes))
		Py_RETURN_NONE;
	if (is_integer_array(f))
		return array(o, f, &raw, bytes.len / f->elem_size);
	return PyBytes_FromStringAndSize((const char *)bytes.p, (Py_ssize_t)bytes.len);
}

/* Takes @value. */
static int add(PyObject *dict, PyObject *name, PyObject *value)
{
	int r = name && value ? PyDict_SetItem(dict, name, value) : -1;

	Py_XDECREF(name);
	Py_XDECREF(value);
	return r;
}

static PyObject *tracepoint_fields(const struct event_object *o)
{
	PyObject *dict = PyDict_New();
	const struct sonde_tracepoint_field *f;

	for (size_t i = 0; dict && o->tracepoint && (f = sonde_tracepoint_field_at(o->tracepoint, i)); i++)
		if (!(f->flags & SONDE_TRACEPOINT_COMMON) && add(dict, name_object(f->name), field_value(o, f)) < 0)
			Py_CLEAR(dict);
	return dict;
}

/* ---- fields of records ---- */

static int take_field(void *ctx, const struct sonde_field *f)
{
	PyObject *name, *value = NULL;

	name = f->index == SONDE_NONE ? name_object(f->name) :
	       PyUnicode_FromFormat("%s.%llu", f->name, (unsigned long long)f->index);
	switch (f->kind) {
	case SONDE_FIELD_U64:
	case SONDE_FIELD_HEX:
	case SONDE_FIELD_TIME:
		value = PyLong_FromUnsignedLongLong(f->u);
		break;
	case SONDE_FIELD_I64:
		value = PyLong_FromLongLong((int64_t)f->u);
		break;
	case SONDE_FIELD_DOUBLE:
		value = PyFloat_FromDouble(f->d);
		break;
	case SONDE_FIELD_NAMED:
	case SONDE_FIELD_TEXT:
		value = text_object(f->text.p, f->text.len);
		break;
	case SONDE_FIELD_BYTES:
		value = PyBytes_FromStringAndSize((const char *)f->bytes.p, (Py_ssize_t)f->bytes.len);
		break;
	}
	return add(ctx, name, value);
}

/* Of a record that is cut: its whole fields. */
static PyObject *record_fields(const struct sonde_event *ev)
{
	PyObject *dict = PyDict_New();

	if (dict)
		sonde_event_fields(ev, take_field, dict);
	if (PyErr_Occurred())
		Py_CLEAR(dict);
	return dict;
}

static PyObject *event_fields(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;

	(void)unused;
	if (!o->fields)
		o->fields = tracepoint_fields(o);
	return Py_XNewRef(o->fields);
}

/* event["next_pid"]: one field, without the others */
static PyObject *event_field(PyObject *self, PyObject *key)
{
	struct event_object *o = (struct event_object *)self;
	const struct sonde_tracepoint_field *f;
	PyObject *dict, *value;
	const char *name;

	if (!o->tracepoint) {
		dict = event_fields(self, NULL);
		value = dict ? PyObject_GetItem(dict, key) : NULL;
		Py_XDECREF(dict);
		return value;
	}
	name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
	f = name ? sonde_tracepoint_field(o->tracepoint, name) : NULL;
	if (f)
		return field_value(o, f);
	if (!PyErr_Occurred())
		PyErr_SetObject(PyExc_KeyError, key);
	return NULL;
}

/* ---- functions ---- */

static PyObject *frame_object(const struct sonde_frame *f)
{
	PyObject *frame = PyStructSequence_New(types.frame);
	PyObject *values[4];

	if (!frame)
		return NULL;
	values[0] = PyLong_FromUnsignedLongLong(f->ip);
	values[1] = name_object(f->symbol);
	values[2] = f->symbol ? PyLong_FromUnsignedLongLong(f->symbol_offset) : Py_NewRef(Py_None);
	values[3] = name_object(f->dso);
	for (int i = 0; i < 4; i++)
		PyStructSequence_SetItem(frame, i, values[i]);
	if (PyErr_Occurred())
		Py_CLEAR(frame);
	return frame;
}

/* That of the walk; NULL with an exception. */
static struct sonde_symbols *symbols_of(struct events_object *e)
{
	if (!e->symbols)
		e->symbols = sonde_symbols_new(NULL);
	if (!e->symbols)
		PyErr_NoMemory();
	return e->symbols;
}

static PyObject *look_up(const struct event_object *o)
{
	struct events_object *e = o->events;
	struct sonde_symbols *symbols = symbols_of(e);
	const struct sonde_frame *f;

	if (!symbols)
		return NULL;
	if (sonde_symbols_resolve_of(symbols, e->tasks, e->now, o->cpumode, o->ip, &f) < 0)
		return raise_error(sonde_symbols_error(symbols), e->trace->path);
	return frame_object(f);
}

/* A copy of a stack is unwound, which may read files: without the GIL. */
static PyObject *make_callchain(const struct event_object *o)
{
	struct events_object *e = o->events;
	struct sonde_symbols *symbols = symbols_of(e);
	PyObject *list;
	int n;

	if (!symbols)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	n = sonde_symbols_chain_of(symbols, e->tasks, e->now, 0);
	Py_END_ALLOW_THREADS
	if (n < 0)
		return raise_error(sonde_symbols_error(symbols), e->trace->path);
	list = PyList_New(n);
	for (int i = 0; list && i < n; i++) {
		PyObject *frame = frame_object(sonde_symbols_chain_at(symbols, (size_t)i));

		if (!frame || PyList_SetItem(list, i, frame) < 0)
			Py_CLEAR(list);
	}
	return list;
}

/* Functions are looked up in the mappings of this moment: the walk must not have gone on. */
static bool at_hand(struct event_object *o)
{
	if (!trace_enter(o->events->trace))
		return false;
	if (o->events->now && o->events->serial == o->serial)
		return true;
	trace_leave(o->events->trace);
	PyErr_SetString(PyExc_RuntimeError, "the walk has gone on: ask for functions before the next event");
	return false;
}

static PyObject *event_callchain(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;

	(void)unused;
	if (!o->callchain && !o->has_chain)
		o->callchain = PyList_New(0);
	if (!o->callchain && at_hand(o)) {
		o->callchain = make_callchain(o);
		trace_leave(o->events->trace);
	}
	return Py_XNewRef(o->callchain);
}

static PyObject *event_function(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;
	PyObject *frame;

	(void)unused;
	if (!o->has_ip)
		Py_RETURN_NONE;
	if (!at_hand(o))
		return NULL;
	frame = look_up(o);
	trace_leave(o->events->trace);
	return frame;
}

/* ---- the rest ---- */

static bool name_kernel_address(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset)
{
	const struct event_object *o = ctx;
	struct events_object *e = o->events;
	const struct sonde_frame *f;

	if (sonde_symbols_resolve_of(e->symbols, e->tasks, e->now, PERF_RECORD_MISC_KERNEL, address, &f) < 0 ||
	    !f->symbol)
		return false;
	*name = (struct sonde_str){ f->symbol, strlen(f->symbol) };
	*offset = f->symbol_offset;
	return true;
}

/* NULL with an exception. */
static PyObject *make_text(const struct event_object *o, const struct sonde_tracepoint_print_opts *opts)
{
	struct sonde_bytes raw = { o->raw, o->raw_len };
	char small[512], *large = NULL;
	int n = sonde_tracepoint_print(o->tracepoint, &raw, opts, small, sizeof(small));
	PyObject *text;

	if (n >= (int)sizeof(small)) {
		large = PyMem_Malloc((size_t)n + 1);
		n = large ? sonde_tracepoint_print(o->tracepoint, &raw, opts, large, (size_t)n + 1) : -1;
	}
	text = n < 0 ? PyErr_NoMemory() : text_object(large ? large : small, (size_t)n);
	PyMem_Free(large);
	return text;
}

/* Addresses of the kernel have their names while the event is at hand. */
static PyObject *event_text(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;
	struct sonde_tracepoint_print_opts named = { .sz = sizeof(named), .symbol = name_kernel_address, .ctx = o };
	PyObject *text;

	(void)unused;
	if (!o->tracepoint)
		Py_RETURN_NONE;
	if (!at_hand(o)) {
		PyErr_Clear();
		return make_text(o, NULL);
	}
	text = symbols_of(o->events) ? make_text(o, &named) : NULL;
	trace_leave(o->events->trace);
	return text;
}

static PyObject *event_name(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;

	(void)unused;
	if (o->tracepoint && !strchr(o->evsel->name, ':'))
		return name_object(sonde_tracepoint_name(o->tracepoint));
	return name_object(o->evsel ? o->evsel->name : NULL);
}

static PyObject *event_type(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;
	const char *name = sonde_event_type_name(o->type);

	(void)unused;
	return name ? name_object(name) : PyUnicode_FromFormat("%u", o->type);
}

static PyObject *event_comm(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((struct event_object *)self)->comm);
}

static PyObject *event_raw(PyObject *self, void *unused)
{
	struct event_object *o = (struct event_object *)self;

	(void)unused;
	return PyBytes_FromStringAndSize((const char *)o->raw, (Py_ssize_t)o->raw_len);
}

enum number { TIME, IP, ADDR, PERIOD, OFFSET };

static PyObject *event_number(PyObject *self, void *which)
{
	struct event_object *o = (struct event_object *)self;

	switch ((enum number)(uintptr_t)which) {
	case TIME:
		return u64_object(o->time);
	case IP:
		return u64_object(o->has_ip ? o->ip : SONDE_NONE);
	case ADDR:
		return PyLong_FromUnsignedLongLong(o->addr);
	case PERIOD:
		return PyLong_FromUnsignedLongLong(o->period);
	case OFFSET:
		return u64_object(o->file_offset);
	}
	Py_RETURN_NONE;
}

enum place { PID, TID, CPU };

static PyObject *event_place(PyObject *self, void *which)
{
	struct event_object *o = (struct event_object *)self;
	int32_t v = (uintptr_t)which == PID ? o->pid : (uintptr_t)which == TID ? o->tid : o->cpu;

	if (v < 0)
		Py_RETURN_NONE;
	return PyLong_FromLong(v);
}

static PyObject *event_repr(PyObject *self)
{
	struct event_object *o = (struct event_object *)self;
	PyObject *name = o->evsel ? event_name(self, NULL) : event_type(self, NULL), *text = NULL;

	if (name)
		text = PyUnicode_FromFormat("<sonde.Event %U time=%llu cpu=%d tid=%d>", name,
					    (unsigned long long)o->time, o->cpu, o->tid);
	Py_XDECREF(name);
	return text;
}

static PyGetSetDef members[] = {
	{ "time", event_number, NULL, "Nanoseconds by the clock of the trace; None if the record has none.",
	  (void *)TIME },
	{ "ip", event_number, NULL, "Address of the instruction.", (void *)IP },
	{ "addr", event_number, NULL, "Address of the data; 0 if not recorded.", (void *)ADDR },
	{ "period", event_number, NULL, "Events that the sample stands for.", (void *)PERIOD },
	{ "file_offset", event_number, NULL, "Where the record is in the file.", (void *)OFFSET },
	{ "pid", event_place, NULL, NULL, (void *)PID },
	{ "tid", event_place, NULL, NULL, (void *)TID },
	{ "cpu", event_place, NULL, NULL, (void *)CPU },
	{ "comm", event_comm, NULL, "Name of the thread at that time; None if no record named it.", NULL },
	{ "name", event_name, NULL, "Name of the event: sched:sched_switch.", NULL },
	{ "type", event_type, NULL, "Type of the record: SAMPLE, MMAP2.", NULL },
	{ "fields", event_fields, NULL, "Fields of the tracepoint or record by name.", NULL },
	{ "text", event_text, NULL, "The text that the kernel prints for a tracepoint; None for other events.", NULL },
	{ "raw", event_raw, NULL, "Raw bytes of a tracepoint.", NULL },
	{ "function", event_function, NULL, "The function at ip.", NULL },
	{ "callchain", event_callchain, NULL, "Functions of the call chain, the innermost first.", NULL },
	{ 0 },
};

static PyType_Slot slots[] = {
	{ Py_tp_dealloc, event_dealloc }, { Py_tp_getset, members }, { Py_mp_subscript, event_field },
	{ Py_tp_repr, event_repr }, { 0, NULL },
};

PyType_Spec event_spec = { "sonde.Event", sizeof(struct event_object), 0,
			   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };

static PyStructSequence_Field frame_fields[] = {
	{ "ip", "the address as recorded" }, { "symbol", "name of the function, or None" },
	{ "offset", "of ip in the function, or None" }, { "module", "the binary as recorded, or None" }, { 0 },
};

PyStructSequence_Desc frame_desc = { "sonde.Frame", "A function at an address.", frame_fields, 4 };
