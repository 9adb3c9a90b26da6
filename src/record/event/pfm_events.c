/* SPDX-License-Identifier: MIT */
/*
 * pfm_events.c - events by the names of libpfm4
 *
 * The library is loaded when somebody asks for it, so that sonde needs it neither to be built nor to be installed.
 */
#include "record/event/pfm_events.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "record/event/event_group.h"
#include "record/event/event_list.h"

#define LIBRARY "libpfm.so.4"
#define SUCCESS 0
#define LEVELS (1 | 8)         /* kernel and user, for an event that names no privilege level */
#define OS_PERF_EVENT_EXT 2    /* with the modifiers of perf_event: period, precise, ... */

/* The argument of pfm_get_os_event_encoding(): pfm_perf_encode_arg_t of <perfmon/pfmlib_perf_event.h>. */
struct pfm_encoding {
	struct perf_event_attr *attr;
	char **fstr;
	size_t size;
	int idx, cpu, flags, pad;
};

struct pfm {
	int (*encode)(const char *name, int levels, int os, void *args);
	const char *(*text_of)(int code);
};

static int pfm_open(struct pfm *p, struct sonde_error *err)
{
	int (*initialize)(void);
	bool whole;
	int e;
	/* It stays loaded: it finds out once which processor this is. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "%s is not installed (Debian: libpfm4)", LIBRARY);
	whole = library_function(library, "pfm_initialize", &initialize) &&
		library_function(library, "pfm_get_os_event_encoding", &p->encode) &&
		library_function(library, "pfm_strerror", &p->text_of);
	e = whole ? initialize() : -1;
	if (e == SUCCESS)
		return 0;
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "%s cannot be used: %.80s", LIBRARY,
		       whole ? p->text_of(e) : "it lacks a function");
}

/* Copies the members of the attr that are not the recorder's. */
static struct event event_of(const struct perf_event_attr *k)
{
	struct event e = event_blank(k->type, k->config);

	e.attr.config1 = k->config1;
	e.attr.config2 = k->config2;
	e.attr.flags = (k->pinned ? ATTR_PINNED : 0) | (k->exclusive ? ATTR_EXCLUSIVE : 0) |
		(k->exclude_user ? SONDE_ATTR_EXCLUDE_USER : 0) | (k->exclude_kernel ? SONDE_ATTR_EXCLUDE_KERNEL : 0) |
		(k->exclude_hv ? SONDE_ATTR_EXCLUDE_HV : 0) | (k->exclude_idle ? ATTR_EXCLUDE_IDLE : 0) |
		(k->exclude_host ? ATTR_EXCLUDE_HOST : 0) | (k->exclude_guest ? ATTR_EXCLUDE_GUEST : 0) |
		(uint64_t)k->precise_ip << ATTR_PRECISE_SHIFT;
	*(k->freq ? &e.freq : &e.period) = k->sample_period;
	return e;
}

static int add_one(struct pfm *p, struct events *list, const char *name, struct sonde_error *err)
{
	struct perf_event_attr attr;
	struct pfm_encoding args = { .attr = &attr, .size = sizeof(args), .cpu = -1 };
	struct event e;
	int r;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	r = p->encode(name, LEVELS, OS_PERF_EVENT_EXT, &args);
	if (r != SUCCESS)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "libpfm4 does not know '%.80s' on this processor: %.80s",
			       name, p->text_of(r));
	e = event_of(&attr);
	e.leader = (uint32_t)list->n;
	e.name = arena_strndup(&list->arena, name, strlen(name));
	return !e.name || vec_push(list, e) < 0 ? err_nomem(err) : 0;
}

/* @text is cut into names. */
static int add_all(struct pfm *p, struct events *list, char *text, struct sonde_error *err)
{
	size_t group = SIZE_MAX;     /* index of the leader, within braces */

	for (int r; *text;) {
		size_t n;

		if (*text == '{' && group == SIZE_MAX) {
			group = list->n;
			text++;
		}
		n = strcspn(text, ",{}");
		if (n > 0) {
			char end = text[n];

			text[n] = '\0';
			r = add_one(p, list, text, err);
			text[n] = end;
			if (r < 0)
				return r;
		}
		text += n;
		if (*text == '}' && group < list->n) {
			if (event_group_form(list, group, "") < 0)
				return err_nomem(err);
			group = SIZE_MAX;
			text++;
		}
		if (*text && *text != ',')
			return err_set(err, SONDE_USAGE, SONDE_NONE, "'%.80s': the braces of groups do not match",
				       text);
		text += *text == ',';
	}
	return group == SIZE_MAX ? 0 : err_set(err, SONDE_USAGE, SONDE_NONE, "a brace of a group is not closed");
}

int pfm_events_add(struct events *list, const char *text, struct sonde_error *err)
{
	char *copy = strdup(text);
	size_t first = list->n;
	struct pfm p = { 0 };
	int r = copy ? pfm_open(&p, err) : err_nomem(err);

	if (r == 0)
		r = add_all(&p, list, copy, err);
	if (r < 0)
		list->n = first;
	free(copy);
	return r;
}
