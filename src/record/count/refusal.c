/* SPDX-License-Identifier: MIT */
#include "record/count/refusal.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/bytes.h"
#include "record/event/advice.h"

static bool is_breakpoint(const struct refused *r) { return r->event->attr.type == PERF_TYPE_BREAKPOINT; }
static bool is_in_group(const struct refused *r) { return r->member && !is_breakpoint(r); }
static bool samples(const struct refused *r) { return r->event->attr.sample_period; }
static bool has_cgroup(const struct refused *r) { return r->cgroup; }

static bool is_hardware(const struct refused *r)
{
	uint32_t type = r->event->attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

struct refusal_row {
	int sys_errno;
	bool (*when)(const struct refused *r);  /* NULL: always */
	enum sonde_code code;
	const char *text;
};

/* Reasons that differ from those of a recording; the first row of an errno whose condition holds is used. */
static const struct refusal_row rows[] = {
	{ ENOENT, is_hardware, SONDE_UNSUPPORTED,
	  "this machine has no such hardware event (virtual machines often expose none)" },
	{ ENOMEM, NULL, SONDE_NOMEM, "the kernel is out of memory" },
	{ EOPNOTSUPP, samples, SONDE_UNSUPPORTED, "this event can be counted, but has no overflows" },
	{ EOPNOTSUPP, NULL, SONDE_UNSUPPORTED, "this machine lacks a feature that the event asks for" },
	{ EINVAL, is_in_group, SONDE_UNSUPPORTED,
	  "the group does not fit: its events need more counters than the machine has, or two kinds of hardware; "
	  "use a smaller group, or `:W` after its brace" },
	{ E2BIG, is_in_group, SONDE_UNSUPPORTED, "the group is too large: a read(2) of it would exceed 16 KiB" },
	{ EBADF, has_cgroup, SONDE_MISSING, "its cgroup is not one of the hierarchy in which events are counted" },
};

bool refusal_is_absence(int sys_errno)
{
	return sys_errno == EINVAL || sys_errno == ENOSYS || sys_errno == ENOENT || sys_errno == ENXIO ||
	       sys_errno == EOPNOTSUPP || sys_errno == ENODEV || sys_errno == E2BIG;
}

int refusal(struct sonde_error *err, const struct refused *r, int sys_errno)
{
	const char *name = r->event->name;

	if (sys_errno == EMFILE || sys_errno == ENFILE) {
		err_set(err, SONDE_SYSTEM, SONDE_NONE,
			"cannot count %.80s: too many open files: this counter needs %zu (one for each event, thread "
			"and CPU); raise `ulimit -n`", name, r->nr_fds);
		err->sys_errno = sys_errno;
		return -(int)err->code;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].sys_errno == sys_errno && (!rows[i].when || rows[i].when(r))) {
			err_set(err, rows[i].code, SONDE_NONE, "cannot count %.80s: %s", name, rows[i].text);
			err->sys_errno = sys_errno;
			return -(int)err->code;
		}
	return advice_open(err, "count", r->event, sys_errno, r->target);
}
