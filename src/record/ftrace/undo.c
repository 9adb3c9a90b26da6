/* SPDX-License-Identifier: MIT */
/*
 * undo.c - the settings of an instance that existed before the recording
 *
 * The text of each file is kept before it is written for the first time, and written back in the opposite order. Few
 * files read as they are written: a size is followed by a remark, the clock is one of a list, and empty lists have a
 * line that says so.
 */
#include "record/ftrace/undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

static bool is_trigger(const char *file)
{
	size_t n = strlen(file);

	return n > 8 && !strcmp(file + n - 8, "/trigger");
}

static int keep(struct ftrace_instance *in, const char *file, const char *text)
{
	struct ftrace_undo u = { strdup(file), strdup(text) };

	if (u.file && u.text && vec_push(&in->undo, u) == 0)
		return 0;
	free(u.file);
	free(u.text);
	return -ENOMEM;
}

/* "X": each CPU has another size. */
static int keep_sizes(struct ftrace_instance *in)
{
	struct arena a = { 0 };
	struct names cpus = { 0 };
	char path[TRACEFS_PATH], text[64];
	int e = 0;

	snprintf(path, sizeof(path), "%s/per_cpu", in->dir);
	if (sysfile_list(&a, path, &cpus) < 0)
		cpus.n = 0;
	for (size_t i = 0; i < cpus.n && e == 0; i++) {
		snprintf(path, sizeof(path), "per_cpu/%.255s/buffer_size_kb", cpus.at[i]);
		if (sysfile_read(text, sizeof(text), "%s/%s", in->dir, path) > 0)
			e = keep(in, path, text);
	}
	vec_free(&cpus);
	arena_free(&a);
	return e;
}

static int keep_file(struct ftrace_instance *in, const char *file, const char *value)
{
	struct buf b = BUF_MEMORY;
	int e;

	if (is_trigger(file)) {      /* each is taken back by itself */
		buf_printf(&b, "!%s", value);
	} else {
		for (size_t i = 0; i < in->undo.n; i++)
			if (!strcmp(in->undo.at[i].file, file))
				return 0;
		e = tracefs_read(&b, in->dir, file);
		if (e < 0) {
			buf_free(&b);
			return e == -ENOMEM ? e : 0; /* what cannot be read cannot be written either, or has no state */
		}
	}
	buf_char(&b, '\0');
	if (b.failed)
		e = -ENOMEM;
	else
		e = !strcmp(file, "buffer_size_kb") && *b.p == 'X' ? keep_sizes(in) : keep(in, file, b.p);
	buf_free(&b);
	return e;
}

int ftrace_instance_write(struct ftrace_instance *in, const char *file, const char *value, bool append)
{
	int e = in->created ? 0 : keep_file(in, file, value);

	return e < 0 ? e : tracefs_write(in->dir, file, value, append);
}

/* ---- back ---- */

/* "1408", "7 (expanded: 1408)": a buffer that has been used does not become small again. */
static void size_value(char *text)
{
	char *expanded = strstr(text, "(expanded: ");

	if (expanded)
		memmove(text, expanded + 11, strlen(expanded + 11) + 1);
	text[strspn(text, "0123456789")] = '\0';
}

/* "local [global] mono" */
static void chosen_value(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	memmove(text, open + 1, strlen(open + 1) + 1);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

/* The text that has to be written so that the file reads as it did. */
static void make_value(const char *file, char *text)
{
	size_t n = strlen(text);

	while (n && is_space(text[n - 1]))
		text[--n] = '\0';
	if (ends_with(file, "size_kb"))
		size_value(text);
	else if (!strcmp(file, "trace_clock"))
		chosen_value(text);
	else if (ends_with(file, "/enable"))
		text[1] = '\0';      /* "1*": and has a trigger */
	else if (ends_with(file, "/filter") && !strcmp(text, "none"))
		strcpy(text, "0");
	else if (*text == '#' || !strcmp(text, "no pid"))
		*text = '\0';
}

/* Files that hold a list take it line by line. */
static int write_lines(const char *dir, const char *file, char *text)
{
	int e = tracefs_write(dir, file, "", false);

	for (char *line; e == 0 && (line = strsep(&text, "\n"));)
		if (*line && *line != '#')
			e = tracefs_write(dir, file, line, true);
	return e;
}

static int put_back(const struct ftrace_instance *in, const struct ftrace_undo *u)
{
	struct buf now = BUF_MEMORY;
	int e = 0;

	if (is_trigger(u->file))
		return tracefs_write(in->dir, u->file, u->text, true);
	/* writing what is there already is not always harmless: a clock empties the buffer */
	if (tracefs_read(&now, in->dir, u->file) == 0) {
		buf_char(&now, '\0');
		if (!now.failed && !strcmp(now.p, u->text)) {
			buf_free(&now);
			return 0;
		}
	}
	buf_free(&now);
	make_value(u->file, u->text);
	if (!strncmp(u->file, "set_", 4))
		e = write_lines(in->dir, u->file, u->text);
	else
		e = tracefs_write(in->dir, u->file, u->text, false);
	return e;
}

void ftrace_instance_restore(struct ftrace_instance *in, const struct messenger *m)
{
	while (in->undo.n) {
		struct ftrace_undo *u = &in->undo.at[--in->undo.n];
		int e = put_back(in, u);

		if (e < 0 && e != -ENOENT)
			messenger_say(m, "%s/%s is not as it was: %s", in->dir, u->file, strerror(-e));
		free(u->file);
		free(u->text);
	}
}
