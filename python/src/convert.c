/* SPDX-License-Identifier: MIT */
/* convert.c - values of libsonde as objects, and arguments as values of libsonde */
#include "module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

PyObject *text_object(const char *s, size_t len)
{
	PyObject *text;

	if (len > PY_SSIZE_T_MAX)
		return PyErr_NoMemory();
	text = PyUnicode_DecodeUTF8(s, (Py_ssize_t)len, "sonde.replace");
	return text;
}

PyObject *name_object(const char *s)
{
	if (!s)
		Py_RETURN_NONE;
	return text_object(s, strlen(s));
}

PyObject *u64_object(uint64_t v)
{
	if (v == SONDE_NONE)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(v);
}

/* ---- errors ---- */

static PyObject *exception_of(const struct sonde_error *e, PyObject *path, PyObject *text)
{
	PyObject *x, *message, *offset = u64_object(e->file_offset);
	char place[40] = "";
	bool failed;

	if (e->file_offset != SONDE_NONE)
		snprintf(place, sizeof(place), " (at offset 0x%" PRIx64 ")", e->file_offset);
	message = PyUnicode_FromFormat("%S: %U%s", path, text, place);
	x = message && offset ? PyObject_CallFunctionObjArgs(types.error, message, NULL) : NULL;
	failed = !x || PyObject_SetAttrString(x, "path", path) < 0 ||
		 PyObject_SetAttrString(x, "offset", offset) < 0 || PyObject_SetAttrString(x, "text", text) < 0;
	Py_XDECREF(message);
	Py_XDECREF(offset);
	if (failed)
		Py_CLEAR(x);
	return x;
}

static void raise_with(const struct sonde_error *e, PyObject *path, PyObject *text)
{
	PyObject *x;

	switch (e->code) {
	case SONDE_NOMEM:
		PyErr_NoMemory();
		return;
	case SONDE_USAGE:
		PyErr_SetObject(PyExc_ValueError, text);
		return;
	case SONDE_SYSTEM:
	case SONDE_DENIED:
		x = PyObject_CallFunction(PyExc_OSError, "iOO", e->sys_errno, text, path);
		break;
	default:
		x = exception_of(e, path, text);
	}
	if (x)
		PyErr_SetObject((PyObject *)Py_TYPE(x), x);
	Py_XDECREF(x);
}

PyObject *raise_error(const struct sonde_error *e, PyObject *path)
{
	PyObject *text = text_object(e->text, strlen(e->text));

	if (text)
		raise_with(e, path, text);
	Py_XDECREF(text);
	return NULL;
}

static bool is_damage(const struct sonde_loss *loss)
{
	return loss->kind == SONDE_LOSS_TRUNCATED || loss->kind == SONDE_LOSS_CORRUPT ||
	       loss->kind == SONDE_LOSS_UNSUPPORTED;
}

bool trace_is_whole(struct trace_object *trace)
{
	struct sonde_error e = { .sz = sizeof(e), .code = SONDE_CORRUPT, .file_offset = SONDE_NONE };
	const struct sonde_loss *loss;
	size_t n = 0;

	for (size_t i = 0; trace->strict && (loss = sonde_trace_loss_at(trace->t, i)); i++) {
		if (!is_damage(loss) || n++ > 0)
			continue;
		e.file_offset = loss->file_offset;
		snprintf(e.text, sizeof(e.text), "%s", loss->text);
	}
	if (n)
		raise_error(&e, trace->path);
	return n == 0;
}

/* ---- a choice of samples ---- */

static int32_t number_of(PyObject *number)
{
	long v = PyLong_AsLong(number);

	if (v != (int32_t)v)
		PyErr_SetString(PyExc_OverflowError, "a CPU, process or thread has a number of 32 bits");
	return (int32_t)v;
}

/* The numbers of a sequence; NULL and 0 of None. False with an exception. */
static bool parse_numbers(PyObject *from, int32_t **to, const int32_t **view, size_t *n)
{
	PyObject *list;
	Py_ssize_t nr;

	if (from == Py_None)
		return true;
	list = PySequence_List(from);
	nr = list ? PyList_Size(list) : -1;
	if (nr >= 0)
		*to = PyMem_Calloc((size_t)nr + 1, sizeof(**to));
	for (Py_ssize_t i = 0; i < nr && *to && !PyErr_Occurred(); i++)
		(*to)[i] = number_of(PyList_GetItem(list, i));
	Py_XDECREF(list);
	if (nr >= 0 && !*to)
		PyErr_NoMemory();
	*view = *to;
	*n = nr > 0 ? (size_t)nr : 0;
	return !PyErr_Occurred();
}

/* The same of a tuple of strings, whose texts live as long as the tuple. */
static bool parse_names(PyObject *from, const char ***to, size_t *n)
{
	Py_ssize_t nr;

	if (from == Py_None)
		return true;
	if (!PyTuple_Check(from)) {
		PyErr_SetString(PyExc_TypeError, "names must be a tuple of strings");
		return false;
	}
	nr = PyTuple_Size(from);
	*to = PyMem_Calloc((size_t)nr + 1, sizeof(**to));
	if (!*to)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < nr && !PyErr_Occurred(); i++)
		(*to)[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(from, i), NULL);
	*n = (size_t)nr;
	return !PyErr_Occurred();
}

int u32_argument(PyObject *number, void *to)
{
	unsigned long long v = PyLong_AsUnsignedLongLong(number);

	if (PyErr_Occurred())
		return 0;
	if (v > UINT32_MAX) {
		PyErr_SetString(PyExc_OverflowError, "a number of 32 bits without a sign is expected");
		return 0;
	}
	*(uint32_t *)to = (uint32_t)v;
	return 1;
}

int u64_argument(PyObject *number, void *to)
{
	unsigned long long v = PyLong_AsUnsignedLongLong(number);

	if (PyErr_Occurred())
		return 0;
	*(uint64_t *)to = v;
	return 1;
}

static bool parse_time(PyObject *time, struct sonde_query *q)
{
	static const char words[] = "time is a pair of nanoseconds, or of None";
	PyObject *min, *max;
	Py_ssize_t n = PyList_Check(time) ? PyList_Size(time) : PyTuple_Check(time) ? PyTuple_Size(time) : -1;

	if (time == Py_None)
		return true;
	if (n != 2) {
		PyErr_SetString(n < 0 ? PyExc_TypeError : PyExc_ValueError, words);
		return false;
	}
	min = PyList_Check(time) ? PyList_GetItem(time, 0) : PyTuple_GetItem(time, 0);
	max = PyList_Check(time) ? PyList_GetItem(time, 1) : PyTuple_GetItem(time, 1);
	if (min != Py_None)
		q->time_min = PyLong_AsUnsignedLongLong(min);
	if (max != Py_None && !PyErr_Occurred())
		q->time_max = PyLong_AsUnsignedLongLong(max);
	return !PyErr_Occurred();
}

bool choice_parse(struct choice *c, PyObject *events, PyObject *cpus, PyObject *pids, PyObject *tids, PyObject *comms,
		  PyObject *time)
{
	struct sonde_query *q = &c->query;

	*c = (struct choice){ .query = { .sz = sizeof(*q), .order = SONDE_ORDER_TIME, .split_reads = true } };
	if (!parse_names(events, &c->events, &q->nr_events) || !parse_names(comms, &c->comms, &c->nr_comms) ||
	    !parse_numbers(cpus, &c->cpus, &q->cpus, &q->nr_cpus) ||
	    !parse_numbers(pids, &c->pids, &q->pids, &q->nr_pids) ||
	    !parse_numbers(tids, &c->tids, &q->tids, &q->nr_tids))
		return false;
	q->events = c->events;
	return parse_time(time, q);
}

void choice_free(struct choice *c)
{
	PyMem_Free(c->cpus);
	PyMem_Free(c->pids);
	PyMem_Free(c->tids);
	PyMem_Free((void *)c->events);
	PyMem_Free((void *)c->comms);
}
