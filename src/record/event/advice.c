/* SPDX-License-Identifier: MIT */
#include "record/event/advice.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const paranoid_texts[] = {
	"kernel.perf_event_paranoid is -1", "kernel.perf_event_paranoid is 0", "kernel.perf_event_paranoid is 1",
	"kernel.perf_event_paranoid is 2", "kernel.perf_event_paranoid is 3", "kernel.perf_event_paranoid is 4",
};

static int paranoid_level(void)
{
	char text[32];
	long level = 2;

	if (sysfile_read(text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") > 0)
		level = strtol(text, NULL, 10);
	return level < -1 ? -1 : level > 4 ? 4 : (int)level;
}

const char *advice_paranoid(void)
{
	return paranoid_texts[paranoid_level() + 1];
}

/* /proc/TID belongs to root also where a task hides from its user, as setuid programs do: both are refused alike. */
int32_t advice_foreign_task(const struct target *t, uint32_t *uid)
{
	struct stat st;
	char path[32];

	for (size_t i = 0; i < t->tids.n; i++) {
		snprintf(path, sizeof(path), "/proc/%d", t->tids.at[i]);
		if (t->tids.at[i] > 0 && stat(path, &st) == 0 && st.st_uid != geteuid()) {
			*uid = st.st_uid;
			return t->tids.at[i];
		}
	}
	return -1;
}

static const char *for_permission(const struct event *e, const struct target *t)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT && e->attr.sample_period)
		return "tracepoints need root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=-1`";
	if (e->attr.type == PERF_TYPE_BREAKPOINT && e->attr.config1 >> 63)
		return "a breakpoint in the kernel needs CAP_SYS_ADMIN";
	if (t->system_wide || e->system_wide)
		return "whole CPUs need root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=0`";
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return "tracepoints need root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=1`";
	if (!(e->attr.flags & SONDE_ATTR_EXCLUDE_KERNEL))
		return "try `:u` after the event, root, CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=1`";
	return "a security module may deny it: try root or CAP_PERFMON";
}

/* One row per errno; the first whose condition holds is used. */
struct advice_row {
	int sys_errno;
	bool (*when)(const struct event *e);
	enum sonde_code code;
	const char *text;
};

static bool has_branches(const struct event *e) { return e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK; }
static bool is_precise(const struct event *e) { return e->attr.flags & ATTR_PRECISE_MASK; }
static bool samples(const struct event *e) { return e->attr.sample_period; }
static bool has_clock(const struct event *e) { return e->attr.flags & SONDE_ATTR_USE_CLOCKID; }
static bool has_chain(const struct event *e) { return e->attr.sample_type & PERF_SAMPLE_CALLCHAIN; }
static bool is_breakpoint(const struct event *e) { return e->attr.type == PERF_TYPE_BREAKPOINT; }
static bool has_page_size(const struct event *e) { return e->attr.sample_type >> 22 & 3; }
static bool has_regs(const struct event *e) { return e->attr.sample_regs_user || e->attr.sample_regs_intr; }
static bool is_hardware(const struct event *e)
{
	return e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_HW_CACHE ||
		e->attr.type == PERF_TYPE_RAW;
}

static const struct advice_row rows[] = {
	{ ENOENT, is_hardware, SONDE_UNSUPPORTED,
	  "this machine has no such hardware event (virtual machines often expose none); "
	  "try cpu-clock" },
	{ ENOENT, NULL, SONDE_UNSUPPORTED, "this kernel has no such event" },
	{ ENXIO, NULL, SONDE_UNSUPPORTED, "this machine has no such event" },
	{ ENODEV, NULL, SONDE_MISSING, "a CPU is out of range or offline, or the event is not of this machine" },
	{ EMFILE, NULL, SONDE_SYSTEM,
	  "too many open files: an event needs one for each thread and CPU; raise `ulimit -n` or use "
	  "--per-thread" },
	{ ENOMEM, has_chain, SONDE_SYSTEM, "no memory for call chains: lower kernel.perf_event_max_stack" },
	{ EOPNOTSUPP, has_branches, SONDE_UNSUPPORTED, "this event or machine has no branch records" },
	{ EOPNOTSUPP, is_precise, SONDE_UNSUPPORTED, "this machine cannot be that precise: leave out the p modifiers" },
	{ EOPNOTSUPP, samples, SONDE_UNSUPPORTED, "this event can be counted, but not sampled" },
	{ EBUSY, NULL, SONDE_SYSTEM, "somebody else uses the hardware it needs (another profiler?)" },
	{ EINVAL, has_clock, SONDE_UNSUPPORTED, "this kernel or event cannot use the clock of -k" },
	{ EINVAL, has_page_size, SONDE_UNSUPPORTED, "this kernel cannot record page sizes (Linux 5.11 can)" },
	{ EINVAL, is_breakpoint, SONDE_UNSUPPORTED,
	  "this machine has no such breakpoint (try rw access, or another length)" },
	{ EINVAL, has_branches, SONDE_UNSUPPORTED, "this machine cannot record such branches" },
	{ EINVAL, has_regs, SONDE_UNSUPPORTED, "this kernel does not have all of these registers" },
	{ EINVAL, NULL, SONDE_UNSUPPORTED,
	  "the kernel refuses the combination of options; an event that belongs to CPUs needs -a, "
	  "one that cannot tell user from kernel no modifiers" },
	{ EOVERFLOW, NULL, SONDE_UNSUPPORTED,
	  "the call chain is longer than kernel.perf_event_max_stack permits: raise it or lower "
	  "max-stack" },
	{ E2BIG, NULL, SONDE_UNSUPPORTED, "the kernel is too old for one of the options, or the group is too large" },
	{ ESRCH, NULL, SONDE_MISSING, "the task has ended" },
	{ ENOSPC, NULL, SONDE_SYSTEM, "no hardware register is left (x86 has four breakpoints)" },
	{ ENOSYS, NULL, SONDE_UNSUPPORTED, "this kernel was built without performance events" },
};

int advice_open(struct sonde_error *err, const char *verb, const struct event *e, int sys_errno,
		const struct target *target)
{
	uint32_t uid;
	int r;

	if (sys_errno == EACCES || sys_errno == EPERM) {
		int32_t tid = advice_foreign_task(target, &uid);

		r = tid > 0 ? err_set(err, SONDE_DENIED, SONDE_NONE,
				      "cannot %s task %d: it belongs to another user (uid %u): "
				      "that user, root, or CAP_PERFMON is needed",
				      verb, tid, uid) :
			      err_set(err, SONDE_DENIED, SONDE_NONE, "cannot %s %.80s: permission denied (%s): %s",
				      verb, e->name, advice_paranoid(), for_permission(e, target));
		err->sys_errno = sys_errno;
		return r;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].sys_errno == sys_errno && (!rows[i].when || rows[i].when(e))) {
			r = err_set(err, rows[i].code, SONDE_NONE, "cannot %s %.80s: %s", verb, e->name,
				    rows[i].text);
			err->sys_errno = sys_errno;
			return r;
		}
	return err_sys(err, sys_errno, "cannot %s %.80s (dmesg may say why)", verb, e->name);
}

int advice_map(struct sonde_error *err, int sys_errno, uint64_t bytes)
{
	if (sys_errno == EPERM)
		return err_set(err, SONDE_DENIED, SONDE_NONE,
			       "no permission to lock rings of %llu KiB: use a smaller -m, raise "
			       "kernel.perf_event_mlock_kb or `ulimit -l`, or be root",
			       (unsigned long long)bytes >> 10);
	return err_sys(err, sys_errno, "cannot map a ring of %llu KiB", (unsigned long long)bytes >> 10);
}
