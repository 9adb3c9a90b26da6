/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/record/symbol_offset.h"
#include "base/fd_io.h"
#include "record/event/event.h"
#include "record/ftrace/events.h"
#include "record/ftrace/extract.h"
#include "record/host/tracefs.h"
#include "tracedat/write/recording.h"

struct sonde_ftrace_recorder *sonde_ftrace_recorder_new(void)
{
	struct sonde_ftrace_recorder *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	err_clear(&t->err);
	t->tracefs = tracefs_find();
	t->child = CHILD_NONE;
	t->names = THREAD_NAMES_NONE;
	t->meta.names = BUF_MEMORY;
	t->stats.wait_status = -1;
	t->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->failed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return t;
}

void sonde_ftrace_recorder_free(struct sonde_ftrace_recorder *t)
{
	if (t)
		ftrace_recorder_release(t);
	free(t);
}

/* Copies a text of the caller's; it lives as long as the recorder. */
static const char *keep(struct sonde_ftrace_recorder *t, const char *text)
{
	return arena_strndup(&t->arena, text, strlen(text));
}

/* Begins every call that comes before sonde_ftrace_recorder_open(). */
static int check_closed(struct sonde_ftrace_recorder *t)
{
	err_clear(&t->err);
	if (!t->opened)
		return 0;
	return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "events and settings are added before the recorder is opened");
}

int sonde_ftrace_recorder_set_tracefs(struct sonde_ftrace_recorder *t, const char *dir)
{
	char path[TRACEFS_PATH];

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	snprintf(path, sizeof(path), "%s/events", dir);
	if (strlen(dir) > TRACEFS_DIR_MAX || (access(path, F_OK) < 0 && errno != EACCES))
		return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "there is no tracefs at %s", dir);
	t->tracefs = keep(t, dir);
	return t->tracefs ? 0 : err_nomem(&t->err);
}

int sonde_ftrace_recorder_add_instance(struct sonde_ftrace_recorder *t, const char *name)
{
	struct ftrace_instance in = { .name = keep(t, name) };

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (*name == '.' || strchr(name, '/') || strlen(name) > 255)
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "'%.60s' cannot be the name of a tracing instance",
			       name);
	for (size_t i = 0; i < t->instances.n; i++)
		if (!strcmp(t->instances.at[i].name, name))
			return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "the tracing instance %s is named twice",
				       name);
	return !in.name || vec_push(&t->instances, in) < 0 ? err_nomem(&t->err) : 0;
}

size_t sonde_ftrace_recorder_count_events(struct sonde_ftrace_recorder *t, const char *text)
{
	struct ftrace_instance none = { 0 };
	struct arena scratch = { 0 };
	size_t n = t->tracefs ? ftrace_events_select(&none, &scratch, t->tracefs, text, false) : 0;

	arena_free(&scratch);
	return n;
}

/* The probes of @list belong to the recorder from now on, and are events of the instance. */
static int take_probes(struct sonde_ftrace_recorder *t, struct ftrace_instance *in, struct events *list)
{
	while (list->probes.n) {
		struct probe *p = &list->probes.at[list->probes.n - 1];
		struct ftrace_event ev = { .system = keep(t, p->group), .name = keep(t, p->event) };

		if (!ev.system || !ev.name || vec_push(&t->probes, *p) < 0)
			return err_nomem(&t->err);
		list->probes.n--;
		if (vec_push(&in->events, ev) < 0)
			return err_nomem(&t->err);
	}
	return 0;
}

/* "probe:FUNCTION ARGUMENT", "uprobe:FILE:FUNCTION" */
static int add_probes(struct sonde_ftrace_recorder *t, struct ftrace_instance *in, const char *text)
{
	struct event_roots roots = { "/sys", t->tracefs, .symbol_offset = symbol_offset_of_file,
				     .kernel_symbol = symbol_address_in_kernel,
				     .sdt_place = sdt_place_of_file };
	struct events list = { 0 };
	int e = events_parse(&list, text, &roots, &t->err), n = (int)list.n;

	in->first_of_last_add = in->events.n;
	if (e == 0 && list.n != list.probes.n)
		e = err_set(&t->err, SONDE_USAGE, SONDE_NONE, "a probe and another event: each has an -e of its own");
	if (e == 0)
		e = take_probes(t, in, &list);
	events_free(&list);
	return e < 0 ? e : n;
}

static bool is_probe(const char *text)
{
	return !strncmp(text, "probe:", 6) || !strncmp(text, "uprobe:", 7) || !strncmp(text, "sdt:", 4);
}

int sonde_ftrace_recorder_add_event(struct sonde_ftrace_recorder *t, const char *text)
{
	struct ftrace_instance *in = ftrace_current(t);
	char path[TRACEFS_PATH];
	size_t n;
	int fd;

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (!in)
		return err_nomem(&t->err);
	n = t->tracefs ? ftrace_events_select(in, &t->arena, t->tracefs, text, true) : 0;
	if (n)
		return (int)n;
	if (is_probe(text) && t->tracefs)
		return add_probes(t, in, text);
	/* Without free descriptors, tracefs would not be found either. */
	snprintf(path, sizeof(path), "%s/%s", t->tracefs ? t->tracefs : "", t->tracefs ? "events" : "");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !t->tracefs) {
		close(fd);
		return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "no event '%.100s': " TRACEFS_NOT_MOUNTED, text);
	}
	if (fd < 0 && errno == EACCES && t->tracefs)
		return err_set(&t->err, SONDE_DENIED, SONDE_NONE, "no event '%.100s': " TRACEFS_NOT_PERMITTED, text,
			       t->tracefs, t->tracefs);
	if (fd < 0)
		return err_sys(&t->err, errno, "cannot look for the event '%.100s' in %s", text, path);
	close(fd);
	return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "there is no event '%.100s'", text);
}

static int add_to_events(struct sonde_ftrace_recorder *t, const char *text, bool trigger)
{
	struct ftrace_instance *in = ftrace_current(t);
	const char *copy = keep(t, text);

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (!in || !copy)
		return err_nomem(&t->err);
	if (in->first_of_last_add >= in->events.n)
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "a %s follows the events that it is for",
			       trigger ? "trigger" : "filter");
	for (size_t i = in->first_of_last_add; i < in->events.n; i++)
		if (vec_push(trigger ? &in->events.at[i].triggers : &in->events.at[i].filters, copy) < 0)
			return err_nomem(&t->err);
	return 0;
}

int sonde_ftrace_recorder_add_filter(struct sonde_ftrace_recorder *t, const char *text)
{
	return add_to_events(t, text, false);
}

int sonde_ftrace_recorder_add_trigger(struct sonde_ftrace_recorder *t, const char *text)
{
	return add_to_events(t, text, true);
}

int sonde_ftrace_recorder_set_tracer(struct sonde_ftrace_recorder *t, const char *name)
{
	struct ftrace_instance *in = ftrace_current(t);

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (!in || !(in->tracer = keep(t, name)))
		return err_nomem(&t->err);
	return 0;
}

int sonde_ftrace_recorder_add_option(struct sonde_ftrace_recorder *t, const char *name)
{
	struct ftrace_instance *in = ftrace_current(t);
	const char *copy = keep(t, name);

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (strchr(name, '/'))
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "'%.60s' is no option", name);
	return !in || !copy || vec_push(&in->options, copy) < 0 ? err_nomem(&t->err) : 0;
}

int sonde_ftrace_recorder_set(struct sonde_ftrace_recorder *t, const char *file, const char *value)
{
	struct ftrace_instance *in = ftrace_current(t);
	struct ftrace_setting s = { keep(t, file), keep(t, value) };

	if (check_closed(t) < 0)
		return -SONDE_USAGE;
	if (strstr(file, "..") || *file == '/')
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "'%.60s' is no file of a tracing instance", file);
	return !in || !s.file || !s.value || vec_push(&in->settings, s) < 0 ? err_nomem(&t->err) : 0;
}

int sonde_ftrace_recorder_open(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts)
{
	err_clear(&t->err);
	return ftrace_recorder_open(t, opts, dat_recording_new);
}

int sonde_ftrace_recorder_start(struct sonde_ftrace_recorder *t)
{
	err_clear(&t->err);
	return ftrace_recorder_start(t);
}

int sonde_ftrace_recorder_run(struct sonde_ftrace_recorder *t)
{
	err_clear(&t->err);
	return ftrace_recorder_run(t);
}

int sonde_ftrace_recorder_extract(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts)
{
	err_clear(&t->err);
	return ftrace_recorder_extract(t, opts, dat_recording_new);
}

void sonde_ftrace_recorder_stop(struct sonde_ftrace_recorder *t)
{
	atomic_store(&t->stopping, true);
	fd_wake(t->stop_fd);
}

const struct sonde_ftrace_recorder_stats *sonde_ftrace_recorder_stats(const struct sonde_ftrace_recorder *t)
{
	return &t->stats;
}

const struct sonde_error *sonde_ftrace_recorder_error(const struct sonde_ftrace_recorder *t)
{
	return &t->err;
}
