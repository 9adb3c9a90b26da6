/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_filter.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"

#define WORD_MAX 256

struct filter {
	char action[WORD_MAX], from[WORD_MAX], to[WORD_MAX];  /* to: empty without a size */
	char file[PATH_MAX];         /* absolute; empty: the kernel */
};

struct filter_place {
	uint64_t at, size;           /* size 0: not known */
};

static void skip(const char **p, const char *set)
{
	*p += strspn(*p, set);
}

/* Takes a word up to one of @end. */
static int take_word(const char **p, const char *end, char *out, size_t max, const char *what, struct sonde_error *err)
{
	size_t n;

	skip(p, " \t");
	n = strcspn(*p, end);
	if (n == 0 || n >= max)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the filter lacks %s at '%.40s'", what, *p);
	memcpy(out, *p, n);
	out[n] = '\0';
	*p += n;
	skip(p, " \t");
	return 0;
}

static int take_filter(const char **p, struct filter *f, struct sonde_error *err)
{
	static const char *const actions[] = { "filter", "start", "stop", "tracestop" };
	char path[PATH_MAX];
	bool known = false;
	int e = take_word(p, " \t", f->action, sizeof(f->action), "its action", err);

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		known |= !strcmp(f->action, actions[i]);
	if (e == 0 && !known)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "'%.40s' is not filter, start, stop or tracestop",
			       f->action);
	if (e == 0)
		e = take_word(p, " \t,/@", f->from, sizeof(f->from), "an address or a function", err);
	if (e == 0 && **p == '/') {
		++*p;
		e = take_word(p, " \t,@", f->to, sizeof(f->to), "a size or a function", err);
	}
	if (e < 0 || **p != '@')
		return e;
	++*p;
	e = take_word(p, " \t,", path, sizeof(path), "a file", err);
	if (e == 0 && !realpath(path, f->file))
		return err_set(err, SONDE_MISSING, SONDE_NONE, "there is no file '%.200s'", path);
	return e;
}

static bool is_number(const char *word, uint64_t *out)
{
	char *end;

	*out = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && !*end;
}

static int find_place(const struct filter *f, const char *word, const struct event_roots *roots,
		      struct filter_place *out, struct sonde_error *err)
{
	struct stat st;

	*out = (struct filter_place){ 0 };
	if (is_number(word, &out->at))
		return 0;
	if (!strcmp(word, "*") && *f->file && stat(f->file, &st) == 0) {
		out->size = (uint64_t)st.st_size;
		return 0;
	}
	if (*f->file && roots->symbol_offset && roots->symbol_offset(f->file, word, &out->at, &out->size) < 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "'%.200s' has no function '%.60s'", f->file, word);
	if (!*f->file && roots->kernel_symbol && roots->kernel_symbol(word, &out->at) < 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE,
			       "the kernel shows no function '%.60s'; a file is named by @ FILE", word);
	return 0;
}

static int put_filter(const struct filter *f, const struct event_roots *roots, struct buf *out, struct sonde_error *err)
{
	bool range = !strcmp(f->action, "filter") || !strcmp(f->action, "tracestop");
	struct filter_place from, to = { 0 };
	uint64_t size;
	int e = find_place(f, f->from, roots, &from, err);

	if (e == 0 && *f->to)
		e = find_place(f, f->to, roots, &to, err);
	if (e < 0)
		return e;
	size = !*f->to ? from.size : is_number(f->to, &size) ? size : to.at + to.size - from.at;
	if (range && (size == 0 || size > INT64_MAX))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s %.60s has no size: it follows a slash", f->action,
			       f->from);
	buf_printf(out, "%s%s 0x%llx", out->n ? "," : "", f->action, (unsigned long long)from.at);
	if (range)
		buf_printf(out, "/0x%llx", (unsigned long long)size);
	if (*f->file)
		buf_printf(out, "@%s", f->file);
	return 0;
}

int aux_filter_resolve(const char *text, const struct event_roots *roots, struct buf *out, struct sonde_error *err)
{
	int e = 0;

	for (skip(&text, " \t,"); e == 0 && *text; skip(&text, " \t,")) {
		struct filter f = { 0 };

		e = take_filter(&text, &f, err);
		if (e == 0)
			e = put_filter(&f, roots, out, err);
	}
	if (e == 0 && !out->n)
		e = err_set(err, SONDE_USAGE, SONDE_NONE, "the filter is empty");
	buf_char(out, '\0');
	return e == 0 && out->failed ? err_nomem(err) : e;
}
