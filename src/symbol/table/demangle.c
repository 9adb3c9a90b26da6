/* SPDX-License-Identifier: MIT */
#include "symbol/table/demangle.h"

#include <setjmp.h>
#include <stdlib.h>
#include <libiberty/demangle.h>

#include "symbol/table/demangle_java.h"
#include "symbol/table/demangle_ocaml.h"

/*
 * A mangled name can refer back to its own parts, so a short one may stand for exabytes. The output is cut off by
 * leaving the demangler with longjmp(): it holds no memory but its stack while it calls back (a Rust identifier in
 * punycode excepted, which is at most as long as the name).
 */
#define TEXT_MAX 65536

/* The demanglers recurse once for each byte at worst. */
#define MANGLED_MAX 8192

struct demangle_sink {
	struct buf *out;
	size_t begin;
	jmp_buf too_long;
};

static void put(const char *s, size_t n, void *ctx)
{
	struct demangle_sink *k = ctx;

	if (n > TEXT_MAX - (k->out->n - k->begin))
		longjmp(k->too_long, 1);
	buf_put(k->out, s, n);
}

static bool by_callback(struct buf *out, const char *name,
			int (*demangler)(const char *, int, demangle_callbackref, void *), int options)
{
	struct demangle_sink k = { .out = out, .begin = out->n };

	if (!setjmp(k.too_long) && demangler(name, options, put, &k) && !out->failed && out->n > k.begin)
		return true;
	out->n = k.begin;
	return false;
}

/* The demangler of D has no callback; every back reference is a Q, and each can at best double the text. */
static bool by_dlang(struct buf *out, const char *name)
{
	size_t n, begin = out->n, references = 0;
	char *text;

	for (n = 0; name[n]; n++)
		references += name[n] == 'Q';
	if (n > 1024 || references > 24)
		return false;
	text = dlang_demangle(name, DMGL_NO_OPTS);
	if (!text)
		return false;
	buf_put(out, text, strnlen(text, TEXT_MAX));
	free(text);
	return !out->failed && out->n > begin;
}

bool demangle(struct buf *out, const char *name)
{
	if (!demangle_may_know(name) || strnlen(name, MANGLED_MAX) == MANGLED_MAX)
		return false;
	if (name[0] == 'c')
		return demangle_ocaml(out, name);
	if (name[0] == 'L')
		return demangle_java(out, name);
	/* Rust's first scheme looks like C++ with a hash at the end, so it goes first. */
	if (name[1] == 'R' || (name[1] == 'Z' && name[2] == 'N'))
		if (by_callback(out, name, rust_demangle_callback, DMGL_NO_OPTS))
			return true;
	if (name[1] == 'R')
		return false;
	if (name[1] == 'D')
		return by_dlang(out, name);
	return by_callback(out, name, cplus_demangle_v3_callback, DMGL_NO_OPTS);
}
