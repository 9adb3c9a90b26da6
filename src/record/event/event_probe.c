/* SPDX-License-Identifier: MIT */
#include "record/event/event_probe.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/event/event_list.h"

#define ARGS_MAX 1024

/* A place in the text of an event. */
struct definition {
	char file[PATH_MAX];         /* of a uprobe */
	char function[NAME_MAX_BYTES + 1];
	uint64_t offset;             /* from the function on; without one, in the file */
	bool on_return;
	char args[ARGS_MAX];
};

/* FILE: up to the last colon before a blank, a comma or a brace; a name of a file has none of these. */
static int take_file(struct event_scan *s, struct definition *d)
{
	size_t end = strcspn(s->p, " \t,}"), colon = 0;
	char path[PATH_MAX];

	for (size_t i = 0; i < end; i++)
		if (s->p[i] == ':')
			colon = i;
	if (colon == 0 || colon >= sizeof(path))
		return scan_bad(s, s->p, SONDE_USAGE, "expected FILE:FUNCTION, as in uprobe:./a.out:main");
	memcpy(path, s->p, colon);
	path[colon] = '\0';
	/* The kernel opens the file: by a path that does not depend on our directory. */
	if (!realpath(path, d->file))
		return scan_bad(s, s->p, SONDE_MISSING, "there is no file '%.100s'", path);
	if (strpbrk(d->file, " \t\n:"))
		return scan_bad(s, s->p, SONDE_UNSUPPORTED, "the kernel takes no file name with a blank or a colon");
	s->p += colon + 1;
	return 0;
}

static bool take_number(struct event_scan *s, uint64_t *out)
{
	char word[NAME_MAX_BYTES + 1];
	size_t n = strspn(s->p, "0123456789abcdefABCDEFx");

	if (n == 0 || n > NAME_MAX_BYTES)
		return false;
	memcpy(word, s->p, n);
	word[n] = '\0';
	s->p += n;
	return scan_number(word, out);
}

/* FUNCTION[+OFFSET][%return]; names of C++ are those of the symbol table. */
static int take_place(struct event_scan *s, struct definition *d, bool user)
{
	const char *at = s->p;
	size_t n = strcspn(s->p, "+%, \t}:");

	if (n > NAME_MAX_BYTES || n == 0)
		return scan_bad(s, at, SONDE_USAGE, "expected the name of a function");
	if (user && *s->p >= '0' && *s->p <= '9') {
		if (!take_number(s, &d->offset))
			return scan_bad(s, at, SONDE_USAGE, "expected an offset in the file, as 0x1139");
	} else {
		memcpy(d->function, s->p, n);
		s->p += n;
		if (*s->p == '+' && (s->p++, !take_number(s, &d->offset)))
			return scan_bad(s, s->p, SONDE_USAGE, "expected an offset from the function on, as +4");
	}
	if (*s->p != '%')
		return 0;
	if (strncmp(s->p, "%return", 7) != 0)
		return scan_bad(s, s->p, SONDE_USAGE, "expected %%return");
	s->p += 7;
	d->on_return = true;
	return 0;
}

/* The kernel's own words, up to the next event: blanks set them apart, and brackets may hold a comma. */
static int take_args(struct event_scan *s, struct definition *d)
{
	size_t n = 0;
	int depth = 0;

	scan_blanks(s);
	for (; *s->p && (depth > 0 || !strchr(",}", *s->p)); s->p++) {
		depth += *s->p == '(' ? 1 : *s->p == ')' ? -1 : 0;
		if (n == sizeof(d->args) - 1 || (unsigned char)*s->p < ' ' || *s->p == ';' || *s->p == '#')
			return scan_bad(s, s->p, SONDE_USAGE, "the arguments of the probe have no such form");
		d->args[n++] = *s->p;
	}
	while (n > 0 && d->args[n - 1] == ' ')
		n--;
	d->args[n] = '\0';
	return 0;
}

/* "FILE:0xOFFSET" or "FUNCTION+OFFSET" */
static int find_place(const struct event_scan *s, const char *at, const struct definition *d, bool user, char *out,
		      size_t size)
{
	uint64_t offset = d->offset, function = 0, length;
	int r;

	if (user && *d->function) {
		if (!s->roots->symbol_offset)
			return scan_bad(s, at, SONDE_UNSUPPORTED, "the symbols of files are not at hand here");
		r = s->roots->symbol_offset(d->file, d->function, &function, &length);
		if (r < 0)
			return scan_bad(s, at, SONDE_MISSING, "'%.80s' has no function '%.60s'", d->file, d->function);
		offset += function;
	}
	if (user)
		snprintf(out, size, "%s:0x%llx", d->file, (unsigned long long)offset);
	else
		snprintf(out, size, d->offset ? "%s+%llu" : "%s", d->function, (unsigned long long)d->offset);
	return 0;
}

void event_probe_name(struct probe *p, const char *name)
{
	snprintf(p->event, sizeof(p->event) - 5, "%s%s", *name >= '0' && *name <= '9' ? "_" : "", name);
	for (char *c = p->event; *c; c++)
		if (!((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && !(*c >= '0' && *c <= '9'))
			*c = '_';
}

static void name_event(struct probe *p, const struct definition *d)
{
	char name[PROBE_NAME_MAX - 5];

	if (*d->function)
		snprintf(name, sizeof(name), "%.40s%s", d->function, d->on_return ? "__return" : "");
	else
		snprintf(name, sizeof(name), "abs_%llx%s", (unsigned long long)d->offset,
			 d->on_return ? "__return" : "");
	event_probe_name(p, name);
}

/* "uprobe:main__return": the place of the file is in the format of the event. */
static int show_as(struct event_scan *s, const char *system, const struct probe *p)
{
	struct event *e = &s->list->at[s->list->n - 1];
	char name[NAME_MAX_BYTES + PROBE_NAME_MAX + 16];

	snprintf(name, sizeof(name), "%s:%s", system, p->event);
	e->name = scan_keep(s, name, strlen(name));
	return e->name ? 0 : err_nomem(s->err);
}

int event_probe_add(struct event_scan *s, const char *start, struct probe *p, const struct probe_place *at)
{
	struct event e = event_blank(PERF_TYPE_TRACEPOINT, 0);
	struct sonde_error why = { 0 };
	int r = probe_add(p, s->roots->tracefs, at->on_return, at->place, at->args, &why);

	if (r < 0)
		return scan_bad(s, start, why.code, "%s", why.text);
	if (vec_push(&s->list->probes, *p) < 0) {
		probe_remove(p, s->roots->tracefs);
		return err_nomem(s->err);
	}
	if (!sysfile_u64(&e.attr.config, "%s/events/%s/%s/id", s->roots->tracefs, p->group, p->event))
		return scan_bad(s, start, SONDE_SYSTEM, "the kernel does not show the new probe");
	e.system = scan_keep(s, p->group, strlen(p->group));
	e.tracepoint = scan_keep(s, p->event, strlen(p->event));
	if (!e.system || !e.tracepoint)
		return err_nomem(s->err);
	r = event_list_add(s, &e, "");
	return r < 0 ? r : show_as(s, at->system, p);
}

static int add_probe(struct event_scan *s, const char *start, const struct definition *d, bool user)
{
	struct probe p = { .user = user };
	char place[PATH_MAX + 32];
	int r = find_place(s, start, d, user, place, sizeof(place));

	if (r < 0)
		return r;
	name_event(&p, d);
	return event_probe_add(s, start, &p, &(struct probe_place){ place, d->args, user ? "uprobe" : "probe",
								    d->on_return });
}

int event_probe(struct event_scan *s, const char *start, bool user)
{
	struct definition d = { 0 };
	int r;

	if (!s->roots->tracefs)
		return scan_bad(s, start, SONDE_MISSING, "a probe needs tracefs: "
				"mount -t tracefs nodev /sys/kernel/tracing");
	r = user ? take_file(s, &d) : 0;
	r = r < 0 ? r : take_place(s, &d, user);
	r = r < 0 ? r : take_args(s, &d);
	return r < 0 ? r : add_probe(s, start, &d, user);
}
