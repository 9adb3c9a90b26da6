/* SPDX-License-Identifier: MIT */
#include "record/count/refusal.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/bytes.h"
#include "record/perf/advice.h"

static bool is_member(const struct refused *r) { return r->member; }
static bool samples(const struct refused *r) { return r->event->attr.sample_period; }
static bool is_breakpoint(const struct refused *r) { return r->event->attr.type == PERF_TYPE_BREAKPOINT; }
static bool is_tracepoint(const struct refused *r) { return r->event->attr.type == PERF_TYPE_TRACEPOINT; }
static bool is_of_kernel(const struct refused *r) { return is_breakpoint(r) && r->event->attr.config1 >> 63; }
static bool is_system_wide(const struct refused *r) { return r->target->system_wide || r->event->system_wide; }
static bool has_kernel(const struct refused *r) { return !(r->event->attr.flags & SONDE_ATTR_EXCLUDE_KERNEL); }
static bool has_cgroup(const struct refused *r) { return r->cgroup; }

static bool is_hardware(const struct refused *r)
{
	uint32_t type = r->event->attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

struct row {
	int sys_errno;
	bool (*when)(const struct refused *r);  /* NULL: always */
	enum sonde_code code;
	const char *text;
};

/* The first row of an errno whose condition holds is used. */
static const struct row rows[] = {
	{ ENOENT, is_hardware, SONDE_UNSUPPORTED,
	  "this machine has no such hardware event (virtual machines often expose none)" },
	{ ENOENT, NULL, SONDE_UNSUPPORTED, "this kernel has no such event" },
	{ ENXIO, NULL, SONDE_UNSUPPORTED, "this machine has no such event" },
	{ ENODEV, NULL, SONDE_MISSING, "a CPU is out of range or offline, or the event is not of this machine" },
	{ ENOMEM, NULL, SONDE_NOMEM, "the kernel is out of memory" },
	{ EOPNOTSUPP, samples, SONDE_UNSUPPORTED, "this event can be counted, but has no overflows" },
	{ EOPNOTSUPP, NULL, SONDE_UNSUPPORTED, "this machine lacks a feature that the event asks for" },
	{ EBUSY, NULL, SONDE_SYSTEM, "somebody else uses the hardware that it needs (another profiler?)" },
	{ EINVAL, is_breakpoint, SONDE_UNSUPPORTED,
	  "this machine has no such breakpoint (try rw access, or another length)" },
	{ EINVAL, is_member, SONDE_UNSUPPORTED,
	  "the group does not fit: its events need more counters than the machine has, or two kinds of hardware; "
	  "use a smaller group, or `:W` behind its brace" },
	{ EINVAL, NULL, SONDE_UNSUPPORTED,
	  "the kernel refuses the event; one that belongs to CPUs needs -a, one that cannot tell user from kernel no "
	  "modifiers" },
	{ E2BIG, is_member, SONDE_UNSUPPORTED, "the group is too large: a read(2) of it would exceed 16 KiB" },
	{ E2BIG, NULL, SONDE_UNSUPPORTED, "the kernel is too old for a field of the event" },
	{ ESRCH, NULL, SONDE_MISSING, "the task has ended" },
	{ EBADF, has_cgroup, SONDE_MISSING, "its cgroup is not one of the hierarchy in which events are counted" },
	{ ENOSPC, NULL, SONDE_SYSTEM, "no hardware register is left (x86 has four breakpoints)" },
	{ ENOSYS, NULL, SONDE_UNSUPPORTED, "this kernel was built without performance events" },
};

static const struct row permissions[] = {
	{ 0, is_of_kernel, SONDE_DENIED, "a breakpoint in the kernel needs CAP_SYS_ADMIN" },
	{ 0, is_system_wide, SONDE_DENIED,
	  "whole CPUs need root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=0`" },
	{ 0, is_tracepoint, SONDE_DENIED,
	  "tracepoints need root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=1`" },
	{ 0, has_kernel, SONDE_DENIED,
	  "try `:u` after the event, root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=1`" },
	{ 0, NULL, SONDE_DENIED, "a security module may deny it: try root or CAP_PERFMON" },
};

static const struct row *find(const struct row *table, size_t n, int sys_errno, const struct refused *r)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].sys_errno == sys_errno && (!table[i].when || table[i].when(r)))
			return &table[i];
	return NULL;
}

bool refusal_is_absence(int sys_errno)
{
	return sys_errno == EINVAL || sys_errno == ENOSYS || sys_errno == ENOENT || sys_errno == ENXIO ||
	       sys_errno == EOPNOTSUPP || sys_errno == ENODEV || sys_errno == E2BIG;
}

int refusal(struct sonde_error *err, const struct refused *r, int sys_errno)
{
	const char *name = r->event->name;
	const struct row *row;
	int32_t tid;
	uint32_t uid;

	if (sys_errno == EMFILE || sys_errno == ENFILE) {
		err_set(err, SONDE_SYSTEM, SONDE_NONE,
			"cannot count %.80s: too many open files: this counter needs %zu (one for each event, thread "
			"and CPU); raise `ulimit -n`", name, r->nr_fds);
	} else if (sys_errno == EACCES || sys_errno == EPERM) {
		tid = advice_foreign_task(r->target, &uid);
		row = find(permissions, ARRAY_SIZE(permissions), 0, r);
		if (tid > 0)
			err_set(err, SONDE_DENIED, SONDE_NONE,
				"cannot count task %d: it belongs to another user (uid %u): that user, root, or "
				"CAP_PERFMON is needed", tid, uid);
		else
			err_set(err, SONDE_DENIED, SONDE_NONE, "cannot count %.80s: permission denied (%s): %s", name,
				advice_paranoid(), row->text);
	} else {
		row = find(rows, ARRAY_SIZE(rows), sys_errno, r);
		if (!row)
			return err_sys(err, sys_errno, "cannot count %.80s (dmesg may say why)", name);
		err_set(err, row->code, SONDE_NONE, "cannot count %.80s: %s", name, row->text);
	}
	err->sys_errno = sys_errno;
	return -(int)err->code;
}
