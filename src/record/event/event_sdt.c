/* SPDX-License-Identifier: MIT */
#include "record/event/event_sdt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/event/event_probe.h"
#include "record/event/sdt_args.h"

#define ARGS_MAX 1024
#define PLACES_MAX 128               /* of one probe */

struct sdt_definition {
	char file[PATH_MAX];
	char provider[NAME_MAX_BYTES + 1], name[NAME_MAX_BYTES + 1];
};

static bool take_name(char out[NAME_MAX_BYTES + 1], const char *p, size_t n)
{
	if (n == 0 || n > NAME_MAX_BYTES)
		return false;
	memcpy(out, p, n);
	out[n] = '\0';
	return true;
}

/* FILE:PROVIDER:NAME: the last two colons set the names apart. */
static int take_definition(struct event_scan *s, struct sdt_definition *d)
{
	size_t end = strcspn(s->p, " \t,}"), last = 0, before = 0;
	char path[PATH_MAX];

	for (size_t i = 0; i < end; i++)
		if (s->p[i] == ':') {
			before = last;
			last = i;
		}
	if (before == 0 || before >= sizeof(path) || !take_name(d->provider, s->p + before + 1, last - before - 1) ||
	    !take_name(d->name, s->p + last + 1, end - last - 1))
		return scan_bad(s, s->p, SONDE_USAGE, "expected FILE:PROVIDER:NAME, as in sdt:./a.out:app:request");
	memcpy(path, s->p, before);
	path[before] = '\0';
	if (!realpath(path, d->file))
		return scan_bad(s, s->p, SONDE_MISSING, "there is no file '%.100s'", path);
	if (strpbrk(d->file, " \t\n:"))
		return scan_bad(s, s->p, SONDE_UNSUPPORTED, "the kernel takes no file name with a blank or a colon");
	s->p += end;
	return 0;
}

static int add_place(struct event_scan *s, const char *start, const struct sdt_definition *d,
		     const struct sdt_place *at)
{
	char place[PATH_MAX + 64], args[ARGS_MAX], system[NAME_MAX_BYTES + 8];
	struct probe p = { .user = true };
	int n = snprintf(place, sizeof(place), "%s:0x%llx", d->file, (unsigned long long)at->offset);

	if (at->semaphore)
		snprintf(place + n, sizeof(place) - (size_t)n, "(0x%llx)", (unsigned long long)at->semaphore);
	sdt_args(at->args, args, sizeof(args));
	snprintf(system, sizeof(system), "sdt_%s", d->provider);
	event_probe_name(&p, d->name);
	return event_probe_add(s, start, &p, &(struct probe_place){ place, args, system, false });
}

int event_sdt(struct event_scan *s, const char *start)
{
	struct sdt_definition d;
	size_t n = 0;
	int r;

	if (!s->roots->tracefs)
		return scan_bad(s, start, SONDE_MISSING, "a probe needs tracefs: "
				"mount -t tracefs nodev /sys/kernel/tracing");
	if (!s->roots->sdt_place)
		return scan_bad(s, start, SONDE_UNSUPPORTED, "the probes of files are not at hand here");
	r = take_definition(s, &d);
	for (; r == 0 && n < PLACES_MAX; n++) {
		struct sdt_place at;

		if (s->roots->sdt_place(d.file, d.provider, d.name, n, &at) < 0)
			break;
		r = add_place(s, start, &d, &at);
	}
	if (r == 0 && n == 0)
		return scan_bad(s, start, SONDE_MISSING, "'%.80s' has no probe %.60s:%.60s (sonde list sdt FILE)",
				d.file, d.provider, d.name);
	return r;
}
