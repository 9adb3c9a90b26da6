/* SPDX-License-Identifier: MIT */
/* import_test.h - for tests: a text becomes a profile, and its cells become lines of text */
#ifndef IMPORT_IMPORT_TEST_H
#define IMPORT_IMPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "import/formats.h"
#include "symbol/symbols.h"

struct imported {
	struct gathering p;
	struct sonde_error err;
	int r;                       /* of import_file(); 1: the format was not recognised */
};

static inline struct imported import_bytes_with(const void *bytes, size_t n, const char *path,
						const struct sonde_profile_opts *opts, const struct sonde_query *query)
{
	struct symbols_opts none = { .cache_dir = "", .symfs = "/dev/null" };
	struct imported i = { .err = { .sz = sizeof(i.err), .file_offset = SONDE_NONE }, .r = 1 };
	const struct import_format *format = import_recognise(bytes, n, true, path);
	struct import im = { .query = query, .path = path, .err = &i.err };

	assert_int_equal(gathering_init(&i.p, opts, symbols_new(&none)), 0);
	im.profile = &i.p;
	if (format)
		i.r = import_file(&im, format, bytes, n);
	assert_int_equal(profile_end_trace(&i.p), 0);
	return i;
}

static inline struct imported import_bytes(const void *bytes, size_t n, const char *path)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .inlined = true,
						 .timed = true };
	const struct sonde_query all = { .sz = sizeof(all) };

	return import_bytes_with(bytes, n, path, &opts, &all);
}

static inline struct imported import_text(const char *text)
{
	return import_bytes(text, strlen(text), "file");
}

static inline void put_function(struct buf *b, const struct sonde_profile *p, uint32_t number)
{
	struct sonde_profile_frame f;

	profile_frame(p, number, &f);
	if (f.symbol)
		buf_str(b, f.symbol);
	else
		buf_printf(b, "0x%llx", (unsigned long long)f.addr);
	if (f.dso)
		buf_printf(b, "@%s", f.dso_name);
	if (f.file)
		buf_printf(b, " %s:%u", f.file, f.line);
	buf_str(b, f.inlined ? "(i)" : f.level == 'k' ? "[k]" : "");
}

static inline void put_stack(struct buf *b, const struct sonde_profile *p, uint32_t stack)
{
	const struct sonde_profile_stack *s = &p->stacks.list.at[stack];

	if (s->parent) {
		put_stack(b, p, s->parent);
		buf_char(b, ';');
	}
	put_function(b, p, s->frame);
}

/* "event: comm pid/tid: outer;inner function samples period"; the caller frees it. */
static inline char *rows_of(const struct imported *i)
{
	struct buf b = BUF_MEMORY;

	for (size_t k = 0; k < i->p.cells.n; k++) {
		const struct sonde_profile_cell *c = &i->p.cells.at[k];
		const struct sonde_profile_task *t = &i->p.who.at[c->task];

		buf_printf(&b, "%s: %s %d/%d: ", i->p.events.at[c->event].name, t->comm, t->pid, t->tid);
		if (c->stack)
			put_stack(&b, &i->p.profile, c->stack);
		buf_str(&b, " = ");
		put_function(&b, &i->p.profile, c->frame);
		buf_printf(&b, " %llu %llu\n", (unsigned long long)c->samples, (unsigned long long)c->period);
	}
	buf_char(&b, '\0');
	return b.p;
}

static inline void assert_rows(const struct imported *i, const char *rows)
{
	char *got = rows_of(i);

	assert_string_equal(got, rows);
	free(got);
}

/* Imports a sound text, and compares. */
static inline void check_text(const char *text, const char *rows)
{
	struct imported i = import_text(text);

	assert_string_equal(i.err.text, "");
	assert_int_equal(i.r, 0);
	assert_rows(&i, rows);
	gathering_free(&i.p);
}

/*
 * The same of a damaged text: what makes sense is there, and the message, with the place where @at begins in the text;
 * "": its end, NULL: none.
 */
static inline void check_bad_text(const char *text, const char *rows, enum sonde_code code, const char *at,
				  const char *message)
{
	uint64_t place = !at ? SONDE_NONE : *at ? (uint64_t)(strstr(text, at) - text) : strlen(text);
	struct imported i = import_text(text);

	assert_string_equal(i.err.text, message);
	assert_int_equal(i.r, -(int)code);
	assert_int_equal(i.err.file_offset, place);
	assert_rows(&i, rows);
	gathering_free(&i.p);
}

#endif
