/* SPDX-License-Identifier: MIT */
#include "symbol/table/demangle_ocaml.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool demangle_ocaml(struct buf *out, const char *name)
{
	size_t begin = out->n;
	const char *p = name + 4;

	/* functions of the run time system begin with "caml_" */
	if (strncmp(name, "caml", 4) != 0 || *p < 'A' || *p > 'Z')
		return false;
	while (*p) {
		int high = p[0] == '$' ? hex_digit(p[1]) : -1, low = high >= 0 ? hex_digit(p[2]) : -1;

		if (p[0] == '_' && p[1] == '_') {
			buf_char(out, '.');
			p += 2;
		} else if (low >= 0 && (high || low)) {
			buf_char(out, (char)(high << 4 | low));
			p += 3;
		} else {
			buf_char(out, *p++);
		}
	}
	if (!out->failed)
		return true;
	out->n = begin;
	return false;
}
