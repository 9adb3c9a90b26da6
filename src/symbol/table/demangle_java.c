/* SPDX-License-Identifier: MIT */
#include "symbol/table/demangle_java.h"

#include <string.h>

#define DIMENSIONS_MOST 255          /* of an array, by the specification of the JVM */

/* "java/lang/String;": the name of a class in Java; what follows it, or NULL. */
static const char *put_class(struct buf *out, const char *p)
{
	const char *begin = p;

	for (; *p && *p != ';'; p++) {
		if (*p == '(' || *p == ')' || *p == '[')
			return NULL;
		buf_char(out, *p == '/' ? '.' : *p);
	}
	return *p == ';' && p > begin ? p + 1 : NULL;
}

/* A type of an argument, as in "I" or "[Ljava/lang/String;". */
static const char *put_type(struct buf *out, const char *p)
{
	static const char *const names[] = {
		['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float", ['I'] = "int", ['J'] = "long",
		['S'] = "short", ['V'] = "void", ['Z'] = "boolean",
	};
	unsigned char letter;
	int dimensions = 0;

	for (; *p == '[' && dimensions < DIMENSIONS_MOST; p++)
		dimensions++;
	letter = (unsigned char)*p;
	if (letter == 'L') {
		p = put_class(out, p + 1);
	} else {
		p = letter < sizeof(names) / sizeof(names[0]) && names[letter] ? p + 1 : NULL;
		if (p)
			buf_str(out, names[letter]);
	}
	for (; p && dimensions > 0; dimensions--)
		buf_str(out, "[]");
	return p;
}

static const char *put_method(struct buf *out, const char *p)
{
	size_t n = strcspn(p, "(");

	if (!n || p[n] != '(' || memchr(p, ';', n))
		return NULL;
	buf_char(out, '.');
	buf_put(out, p, n);
	return p + n + 1;
}

static bool put(struct buf *out, const char *name)
{
	const char *p = name[0] == 'L' ? put_class(out, name + 1) : NULL;
	size_t begin;

	p = p ? put_method(out, p) : NULL;
	if (!p)
		return false;
	buf_char(out, '(');
	for (bool first = true; p && *p && *p != ')'; first = false) {
		if (!first)
			buf_str(out, ", ");
		p = put_type(out, p);
	}
	if (!p || *p != ')')
		return false;
	buf_char(out, ')');
	begin = out->n;
	p = put_type(out, p + 1);  /* what it returns is not shown */
	out->n = begin;
	return p && !*p && !out->failed;
}

bool demangle_java(struct buf *out, const char *name)
{
	size_t begin = out->n;

	if (put(out, name))
		return true;
	out->n = begin;
	return false;
}
