/* SPDX-License-Identifier: MIT */
/* batch.c - sonde.Batch and sonde.Column: the memory of an Arrow array as objects and as buffers */
#include "batch.h"

#include <string.h>

struct batch_object {
	PyObject ob_base;
	struct ArrowSchema schema;
	struct ArrowArray array;
};

struct column_object {
	PyObject ob_base;
	PyObject *batch;             /* owns what follows */
	const struct ArrowSchema *schema;
	const struct ArrowArray *array;
	const void *values;          /* of the buffer protocol; NULL: it has none */
	Py_ssize_t n, stride;
	PyObject *dictionary;        /* a tuple; NULL: not made yet */
};

/* ---- types: a copy of a schema, without the dictionary of another type than text ---- */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++) {
		s->children[i]->release(s->children[i]);
		PyMem_Free(s->children[i]);
	}
	PyMem_Free(s->children);
	if (s->dictionary) {
		s->dictionary->release(s->dictionary);
		PyMem_Free(s->dictionary);
	}
	PyMem_Free((void *)s->name);
	s->release = NULL;
}

static int copy_schema(const struct ArrowSchema *from, struct ArrowSchema *to);

static struct ArrowSchema *copied(const struct ArrowSchema *from)
{
	struct ArrowSchema *to = PyMem_Calloc(1, sizeof(*to));

	if (to && copy_schema(from, to) < 0) {
		PyMem_Free(to);
		to = NULL;
	}
	return to;
}

static int copy_parts(const struct ArrowSchema *from, struct ArrowSchema *to)
{
	to->children = from->n_children ? PyMem_Calloc((size_t)from->n_children, sizeof(*to->children)) : NULL;
	if (from->n_children && !to->children)
		return -1;
	for (; to->n_children < from->n_children; to->n_children++) {
		to->children[to->n_children] = copied(from->children[to->n_children]);
		if (!to->children[to->n_children])
			return -1;
	}
	if (from->dictionary) {
		to->dictionary = copied(from->dictionary);
		return to->dictionary ? 0 : -1;
	}
	return 0;
}

/* Formats of libsonde live for ever. */
static int copy_schema(const struct ArrowSchema *from, struct ArrowSchema *to)
{
	size_t len = strlen(from->name) + 1;
	char *name = PyMem_Malloc(len);

	*to = (struct ArrowSchema){ .format = from->format, .flags = from->flags, .release = release_schema };
	if (!name)
		return -1;
	memcpy(name, from->name, len);
	to->name = name;
	if (copy_parts(from, to) == 0)
		return 0;
	release_schema(to);
	return -1;
}

/* ---- batches ---- */

PyObject *batch_new(struct ArrowSchema *schema, struct ArrowArray *array)
{
	struct batch_object *b = (struct batch_object *)PyType_GenericAlloc(types.batch, 0);

	if (!b || copy_schema(schema, &b->schema) < 0) {
		if (array->release)
			array->release(array);
		Py_XDECREF((PyObject *)b);
		return PyErr_NoMemory();
	}
	b->array = *array;
	return (PyObject *)b;
}

static void batch_dealloc(PyObject *self)
{
	struct batch_object *b = (struct batch_object *)self;

	if (b->array.release)
		b->array.release(&b->array);
	if (b->schema.release)
		b->schema.release(&b->schema);
	free_object(self);
}

static PyObject *new_column(PyObject *batch, const struct ArrowSchema *schema, const struct ArrowArray *array)
{
	struct column_object *c = (struct column_object *)PyType_GenericAlloc(types.column, 0);
	char f = schema->format[0];

	if (!c)
		return NULL;
	c->batch = Py_NewRef(batch);
	c->schema = schema;
	c->array = array;
	c->n = array ? (Py_ssize_t)array->length : 0;
	c->stride = f == 'l' || f == 'L' ? 8 : 4;
	if (strchr("iIlL", f))
		c->values = array ? array->buffers[1] : "";
	return (PyObject *)c;
}

/* The column of that name in a struct, or in a batch. */
static PyObject *child_of(PyObject *batch, const struct ArrowSchema *schema, const struct ArrowArray *array,
			  PyObject *key)
{
	const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;

	for (int64_t i = 0; name && i < schema->n_children; i++)
		if (strcmp(schema->children[i]->name, name) == 0)
			return new_column(batch, schema->children[i],
					  array && array->release ? array->children[i] : NULL);
	if (!PyErr_Occurred())
		PyErr_SetObject(PyExc_KeyError, key);
	return NULL;
}

static PyObject *batch_column(PyObject *self, PyObject *key)
{
	struct batch_object *b = (struct batch_object *)self;

	return child_of(self, &b->schema, &b->array, key);
}

static PyObject *names_of(const struct ArrowSchema *schema)
{
	PyObject *list = PyList_New((Py_ssize_t)schema->n_children);

	for (int64_t i = 0; list && i < schema->n_children; i++) {
		PyObject *name = name_object(schema->children[i]->name);

		if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *batch_names(PyObject *self, void *unused)
{
	(void)unused;
	return names_of(&((struct batch_object *)self)->schema);
}

static Py_ssize_t batch_length(PyObject *self)
{
	return (Py_ssize_t)((struct batch_object *)self)->array.length;
}

static PyGetSetDef batch_members[] = {
	{ "names", batch_names, NULL, "Names of the columns.", NULL },
	{ 0 },
};

static PyType_Slot batch_slots[] = {
	{ Py_tp_dealloc, batch_dealloc }, { Py_tp_getset, batch_members }, { Py_mp_subscript, batch_column },
	{ Py_mp_length, batch_length }, { 0, NULL },
};

PyType_Spec batch_spec = { "sonde.Batch", sizeof(struct batch_object), 0,
			   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, batch_slots };

/* ---- values ---- */

static bool has_bit(const void *bits, int64_t i)
{
	return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1;
}

static PyObject *value_of(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i);

static PyObject *text_of(const struct ArrowArray *a, int64_t i, bool is_text)
{
	const int32_t *ends = a->buffers[1];
	const char *p = (const char *)a->buffers[2] + ends[i];
	Py_ssize_t len = ends[i + 1] - ends[i];

	return is_text ? PyUnicode_DecodeUTF8(p, len, NULL) : PyBytes_FromStringAndSize(p, len);
}

static PyObject *list_of(const struct ArrowSchema *schema, const struct ArrowArray *a, int64_t i)
{
	const int32_t *ends = a->buffers[1];
	PyObject *list = PyList_New(ends[i + 1] - ends[i]);

	for (int32_t k = ends[i]; list && k < ends[i + 1]; k++) {
		PyObject *v = value_of(schema->children[0], a->children[0], k);

		if (!v || PyList_SetItem(list, k - ends[i], v) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *struct_of(const struct ArrowSchema *schema, const struct ArrowArray *a, int64_t i)
{
	PyObject *dict = PyDict_New();

	for (int64_t k = 0; dict && k < schema->n_children; k++) {
		PyObject *name = name_object(schema->children[k]->name);
		PyObject *v = name ? value_of(schema->children[k], a->children[k], i) : NULL;

		if (!v || PyDict_SetItem(dict, name, v) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(name);
		Py_XDECREF(v);
	}
	return dict;
}

static PyObject *value_of(const struct ArrowSchema *schema, const struct ArrowArray *a, int64_t i)
{
	if (a->buffers[0] && !has_bit(a->buffers[0], i))
		Py_RETURN_NONE;
	switch (schema->format[0]) {
	case 'i':
		if (schema->dictionary)
			return text_of(a->dictionary, ((const int32_t *)a->buffers[1])[i], true);
		return PyLong_FromLong(((const int32_t *)a->buffers[1])[i]);
	case 'I':
		return PyLong_FromUnsignedLong(((const uint32_t *)a->buffers[1])[i]);
	case 'l':
		return PyLong_FromLongLong(((const int64_t *)a->buffers[1])[i]);
	case 'L':
		return PyLong_FromUnsignedLongLong(((const uint64_t *)a->buffers[1])[i]);
	case 'b':
		return PyBool_FromLong(has_bit(a->buffers[1], i));
	case 'u':
	case 'z':
		return text_of(a, i, schema->format[0] == 'u');
	}
	return schema->format[1] == 'l' ? list_of(schema, a, i) : struct_of(schema, a, i);
}

/* ---- columns ---- */

static void column_dealloc(PyObject *self)
{
	struct column_object *c = (struct column_object *)self;

	Py_XDECREF(c->dictionary);
	Py_XDECREF(c->batch);
	free_object(self);
}

static Py_ssize_t column_length(PyObject *self)
{
	return ((struct column_object *)self)->n;
}

static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
	struct column_object *c = (struct column_object *)self;

	if (i >= 0 && i < c->n)
		return value_of(c->schema, c->array, i);
	PyErr_SetString(PyExc_IndexError, "there is no such row");
	return NULL;
}

/* A row by its number, or a field of a struct by its name. */
static PyObject *column_subscript(PyObject *self, PyObject *key)
{
	struct column_object *c = (struct column_object *)self;
	Py_ssize_t i;

	if (PyUnicode_Check(key))
		return child_of(c->batch, c->schema, c->array, key);
	i = PyNumber_AsSsize_t(key, PyExc_IndexError);
	if (i == -1 && PyErr_Occurred())
		return NULL;
	return column_item(self, i < 0 ? i + c->n : i);
}

static int column_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column_object *c = (struct column_object *)self;
	char *formats[] = { "i", "I", "q", "Q" };

	view->obj = NULL;
	if (!c->values) {
		PyErr_SetString(PyExc_BufferError, "only columns of numbers and of dictionaries are buffers");
		return -1;
	}
	if (PyBuffer_FillInfo(view, self, (void *)c->values, c->n * c->stride, 1, flags) < 0)
		return -1;
	view->itemsize = c->stride;
	if (flags & PyBUF_FORMAT)
		view->format = formats[(c->stride == 8) * 2 + (strchr("IL", c->schema->format[0]) != NULL)];
	if (view->shape)
		view->shape = &c->n;
	if (view->strides)
		view->strides = &c->stride;
	return 0;
}

static PyObject *column_dictionary(PyObject *self, void *unused)
{
	struct column_object *c = (struct column_object *)self;
	const struct ArrowArray *words = c->array ? c->array->dictionary : NULL;

	(void)unused;
	if (!c->schema->dictionary)
		Py_RETURN_NONE;
	if (c->dictionary)
		return Py_NewRef(c->dictionary);
	c->dictionary = PyTuple_New(words ? (Py_ssize_t)words->length : 0);
	for (int64_t i = 0; c->dictionary && words && i < words->length; i++) {
		PyObject *word = text_of(words, i, true);

		if (!word || PyTuple_SetItem(c->dictionary, (Py_ssize_t)i, word) < 0)
			Py_CLEAR(c->dictionary);
	}
	return Py_XNewRef(c->dictionary);
}

static PyObject *column_null_count(PyObject *self, void *unused)
{
	struct column_object *c = (struct column_object *)self;

	(void)unused;
	return PyLong_FromLongLong(c->array ? c->array->null_count : 0);
}

static PyObject *column_names(PyObject *self, void *unused)
{
	(void)unused;
	return names_of(((struct column_object *)self)->schema);
}

static PyObject *column_to_list(PyObject *self, PyObject *unused)
{
	struct column_object *c = (struct column_object *)self;
	PyObject *list = PyList_New(c->n);

	(void)unused;
	for (Py_ssize_t i = 0; list && i < c->n; i++) {
		PyObject *v = value_of(c->schema, c->array, i);

		if (!v || PyList_SetItem(list, i, v) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyMethodDef column_methods[] = {
	{ "to_list", column_to_list, METH_NOARGS, "The values as objects." },
	{ 0 },
};

static PyGetSetDef column_members[] = {
	{ "dictionary", column_dictionary, NULL, "Texts that the numbers in the buffer stand for, or None.", NULL },
	{ "null_count", column_null_count, NULL, "How many rows have no value; the buffer has 0 for them.", NULL },
	{ "names", column_names, NULL, "Of a column of structs: the fields.", NULL },
	{ 0 },
};

static PyType_Slot column_slots[] = {
	{ Py_tp_dealloc, column_dealloc }, { Py_tp_methods, column_methods }, { Py_tp_getset, column_members },
	{ Py_sq_length, column_length }, { Py_sq_item, column_item }, { Py_mp_length, column_length },
	{ Py_mp_subscript, column_subscript }, { Py_bf_getbuffer, column_buffer }, { 0, NULL },
};

PyType_Spec column_spec = { "sonde.Column", sizeof(struct column_object), 0,
			    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots };
