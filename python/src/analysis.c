/* SPDX-License-Identifier: MIT */
/* analysis.c - the tables of an analysis as tuples, of which sonde._analysis makes objects */
#include "module.h"

#include <string.h>

#include <sonde/analysis.h>

static PyObject *value_object(const struct sonde_table_value *v)
{
	if (!v->known)
		return Py_NewRef(Py_None);
	switch (v->kind) {
	case SONDE_TABLE_SHARE:
		return PyFloat_FromDouble(v->share);
	case SONDE_TABLE_REAL:
		return PyFloat_FromDouble(v->real);
	case SONDE_TABLE_TEXT:
		return name_object(v->text);
	case SONDE_TABLE_TASK:
		return v->pid < 0 ? Py_BuildValue("(NiO)", name_object(v->text), v->tid, Py_None) :
				    Py_BuildValue("(Nii)", name_object(v->text), v->tid, v->pid);
	default:
		return PyLong_FromLongLong(v->number);
	}
}

/* A tuple of @n objects that @at() makes; NULL with an exception. */
static PyObject *tuple_of(size_t n, PyObject *(*at)(struct sonde_table *t, size_t row, size_t i),
			  struct sonde_table *t, size_t row)
{
	PyObject *tuple = PyTuple_New((Py_ssize_t)n);

	for (size_t i = 0; tuple && i < n; i++) {
		PyObject *item = at(t, row, i);

		if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) < 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *value_at(struct sonde_table *t, size_t row, size_t i)
{
	return value_object(sonde_table_value_at(t, row, i));
}

static PyObject *column_at(struct sonde_table *t, size_t row, size_t i)
{
	const struct sonde_table_column *c = sonde_table_column_at(t, i);

	(void)row;
	return Py_BuildValue("(sss)", c->name, sonde_table_kind_name(c->kind), c->help);
}

static PyObject *table_object(struct sonde_table *t)
{
	const struct sonde_table_info *info = sonde_table_info(t);
	PyObject *rows = PyList_New(0), *columns = tuple_of(info->columns, column_at, t, 0);

	for (size_t i = 0; rows && columns && i < info->rows; i++) {
		PyObject *row = tuple_of(info->columns, value_at, t, i);

		if (!row || PyList_Append(rows, row) < 0)
			Py_CLEAR(rows);
		Py_XDECREF(row);
	}
	if (!rows || !columns) {
		Py_XDECREF(rows);
		Py_XDECREF(columns);
		return NULL;
	}
	return Py_BuildValue("(ssKKNN)", info->name, info->title, (unsigned long long)info->events,
			     (unsigned long long)info->events_left_out, columns, rows);
}

/* The note, and a list of tables. */
static PyObject *result_object(struct sonde_analysis *a)
{
	PyObject *tables = PyList_New(0);
	struct sonde_table *t;

	for (size_t i = 0; tables && (t = sonde_analysis_table_at(a, i)); i++) {
		PyObject *table = table_object(t);

		if (!table || PyList_Append(tables, table) < 0)
			Py_CLEAR(tables);
		Py_XDECREF(table);
	}
	return tables ? Py_BuildValue("(NN)", name_object(sonde_analysis_note(a)), tables) : NULL;
}

static PyObject *run(struct trace_object *trace, struct sonde_analysis *a, const struct sonde_query *query)
{
	int r;

	if (sonde_analysis_error(a)->code)
		return raise_error(sonde_analysis_error(a), trace->path);
	if (!trace_enter(trace))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = sonde_analysis_run(a, trace->t, query);
	Py_END_ALLOW_THREADS
	trace_leave(trace);
	if (r < 0 && sonde_analysis_error(a)->code == SONDE_MISSING) {
		PyErr_SetString(PyExc_ValueError, sonde_analysis_error(a)->text);
		return NULL;
	}
	if (r < 0 && (trace->strict || sonde_analysis_error(a)->code == SONDE_USAGE))
		return raise_error(sonde_analysis_error(a), trace->path);
	return trace_is_whole(trace) ? result_object(a) : NULL;
}

/* Views of a tuple of str, NULL at the end; NULL with an exception. */
static const char **words_of(PyObject *tuple)
{
	const Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : 0;
	const char **words = PyMem_Calloc((size_t)n + 1, sizeof(*words));

	for (Py_ssize_t i = 0; words && i < n; i++) {
		words[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
		if (!words[i]) {
			PyMem_Free(words);
			return NULL;
		}
	}
	if (!words)
		PyErr_NoMemory();
	return words;
}

PyObject *analysis_of_trace(struct trace_object *trace, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "name", "options", "cpus", "pids", "tids", "time", NULL };
	PyObject *options, *cpus = Py_None, *pids = Py_None, *tids = Py_None, *time = Py_None, *result = NULL;
	struct sonde_analysis *a = NULL;
	struct choice choice = { 0 };
	const char *name, **words;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sO|$OOOO", names, &name, &options, &cpus, &pids, &tids, &time))
		return NULL;
	words = words_of(options);
	if (words && choice_parse(&choice, Py_None, cpus, pids, tids, Py_None, time)) {
		a = sonde_analysis_new(name, words);
		result = a ? run(trace, a, &choice.query) : PyErr_NoMemory();
	}
	sonde_analysis_free(a);
	choice_free(&choice);
	PyMem_Free(words);
	return result;
}
