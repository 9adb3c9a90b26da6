/* SPDX-License-Identifier: MIT */
#include "record/ftrace/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/ftrace/events.h"
#include "record/ftrace/undo.h"
#include "record/host/process_id.h"

#define OWN_PREFIX "sonde-"
#define BUFFERS_KB (UINT64_C(256) << 10)     /* of all CPUs, where that is at least what the kernel itself takes */
#define BUFFER_MAX_KB (UINT64_C(8) << 10)
#define BUFFER_MIN_KB UINT64_C(1408)         /* the kernel's own size */

/* ---- names of instances: sonde-PID-START-NAMESPACE, so that it can be told whose they are ---- */

void ftrace_remove_leftovers(const char *tracefs, const struct messenger *m)
{
	struct names all = { 0 };
	struct arena a = { 0 };
	char path[TRACEFS_PATH];

	snprintf(path, sizeof(path), "%s/instances", tracefs);
	if (sysfile_list(&a, path, &all) < 0)
		all.n = 0;
	for (size_t i = 0; i < all.n; i++) {
		struct process_id owner;
		int end = 0;

		if (sscanf(all.at[i], OWN_PREFIX "%ld-%llx-%llx%n", &owner.pid, &owner.start, &owner.namespace,
			   &end) != 3 || all.at[i][end] != '\0' || !process_id_is_dead(&owner))
			continue;
		snprintf(path, sizeof(path), "%s/instances/%s", tracefs, all.at[i]);
		/* the kernel does not remove one that somebody reads */
		if (rmdir(path) == 0)
			messenger_say(m, "removed the tracing instance that a killed recorder had left (process %ld)",
				      owner.pid);
	}
	vec_free(&all);
	arena_free(&a);
}

static void clock_of(struct ftrace_instance *in)
{
	char text[512], *open, *close;

	snprintf(in->clock, sizeof(in->clock), "local");
	if (sysfile_read(text, sizeof(text), "%s/trace_clock", in->dir) <= 0)
		return;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(in->clock, sizeof(in->clock), "%.*s", (int)(close - open - 1), open + 1);
}

int ftrace_instance_create(struct ftrace_instance *in, struct arena *a, const char *tracefs, struct sonde_error *err)
{
	struct process_id self = process_id_own();
	char path[TRACEFS_PATH], own[128];

	snprintf(own, sizeof(own), OWN_PREFIX "%ld-%llx-%llx", self.pid, self.start, self.namespace);
	snprintf(path, sizeof(path), "%s/instances/%.255s", tracefs, *in->name ? in->name : own);
	in->dir = arena_strndup(a, path, strlen(path));
	if (!in->dir)
		return err_nomem(err);
	if (mkdir(path, 0700) == 0) {
		in->created = true;
		return 0;
	}
	if (errno == EEXIST && *in->name)
		return ftrace_events_take_over(in, a) < 0 ? err_nomem(err) : 0;
	if (errno == EEXIST)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "one recorder per process: %s is there already", path);
	if (errno == EACCES || errno == EPERM || errno == EROFS)
		return err_sys(err, errno, "cannot trace: " TRACEFS_NOT_PERMITTED, tracefs, tracefs);
	return err_sys(err, errno, "cannot make a tracing instance in %s/instances", tracefs);
}

/* ---- what an instance is like ---- */

/* "field: char data; offset:16; size:4080; ...": a page ends where its data ends. */
static uint32_t page_size_of(const struct ftrace_instance *in)
{
	struct buf b = BUF_MEMORY;
	unsigned offset, size;
	uint64_t kb;
	const char *p;
	uint32_t bytes = 0;

	if (tracefs_read(&b, in->dir, "events/header_page") == 0) {
		buf_char(&b, '\0');
		p = b.failed ? NULL : strstr(b.p, " data;");
		if (p && sscanf(p, " data; offset:%u; size:%u;", &offset, &size) == 2 && size < 1u << 24)
			bytes = offset + size;
	}
	buf_free(&b);
	/* it may be that of the main buffer */
	if (sysfile_u64(&kb, "%s/buffer_subbuf_size_kb", in->dir) && kb && kb < 16384)
		bytes = (uint32_t)kb * 1024;
	return bytes ? bytes : (uint32_t)sysconf(_SC_PAGESIZE);
}

static int find_cpus(struct ftrace_instance *in, const char *only, struct sonde_error *err)
{
	struct names all = { 0 };
	struct arena a = { 0 };
	struct cpus wanted = { 0 };
	char path[TRACEFS_PATH];
	int e = 0;

	if (only && cpus_parse(&wanted, only) < 0)
		e = err_set(err, SONDE_USAGE, SONDE_NONE, "'%.100s' is not a list of CPUs like 0-3,8", only);
	snprintf(path, sizeof(path), "%s/per_cpu", in->dir);
	if (e == 0 && sysfile_list(&a, path, &all) < 0)
		e = err_set(err, SONDE_MISSING, SONDE_NONE, "there is no ring buffer at %s", path);
	for (size_t i = 0; i < all.n && e == 0; i++) {
		bool take = !only;
		int cpu;

		if (sscanf(all.at[i], "cpu%d", &cpu) != 1 || cpu < 0)
			continue;
		if (cpu >= in->nr_cpus)
			in->nr_cpus = cpu + 1;
		for (size_t k = 0; k < wanted.n; k++)
			take |= wanted.at[k] == cpu;
		if (take && vec_push(&in->cpus, cpu) < 0)
			e = err_nomem(err);
	}
	if (e == 0 && in->cpus.n == 0)
		e = err_set(err, SONDE_MISSING, SONDE_NONE, "none of the CPUs %s has a ring buffer", only ? only : "");
	vec_free(&all);
	vec_free(&wanted);
	arena_free(&a);
	return e;
}

int ftrace_instance_look(struct ftrace_instance *in, const char *cpus, struct sonde_error *err)
{
	char text[64];

	clock_of(in);
	in->page_size = page_size_of(in);
	in->buffer_kb = 0;
	if (sysfile_read(text, sizeof(text), "%s/buffer_size_kb", in->dir) > 0)
		in->buffer_kb = strtoull(text, NULL, 10);
	return find_cpus(in, cpus, err);
}

/* ---- settings ---- */

static int set_clock(struct ftrace_instance *in, const char *clock, struct sonde_error *err)
{
	char text[512] = "";
	bool as_ns = !strcmp(clock, CLOCK_TICKS_AS_NS);
	int e = ftrace_instance_write(in, "trace_clock", as_ns ? CLOCK_TICKS : clock, false);

	if (e == 0)
		return 0;
	sysfile_read(text, sizeof(text), "%s/trace_clock", in->dir);
	return err_set(err, SONDE_USAGE, SONDE_NONE, "the clock '%.40s' cannot be used: %s (there are: %s)", clock,
		       strerror(-e), text);
}

/* Pages first: the size of the buffer is then a multiple of theirs. */
static void set_sizes(struct ftrace_instance *in, const struct sonde_ftrace_recorder_opts *opts,
		      const struct messenger *m)
{
	uint64_t kb = opts->buffer_kb, wanted;
	char text[32];
	int e = -EINVAL;

	if (opts->subbuf_kb) {
		snprintf(text, sizeof(text), "%u", opts->subbuf_kb);
		e = ftrace_instance_write(in, "buffer_subbuf_size_kb", text, false);
		if (e < 0)
			messenger_say(m, "pages of %u KiB are not possible here: %s", opts->subbuf_kb, strerror(-e));
	}
	if (!in->created && !kb)
		return;              /* somebody has chosen */
	if (!kb) {
		kb = BUFFERS_KB / (uint64_t)(in->nr_cpus ? in->nr_cpus : 1);
		kb = kb > BUFFER_MAX_KB ? BUFFER_MAX_KB : kb < BUFFER_MIN_KB ? BUFFER_MIN_KB : kb;
	}
	for (wanted = kb; kb >= 64; kb /= 2) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)kb);
		e = ftrace_instance_write(in, "buffer_size_kb", text, false);
		if (e == 0)
			break;
	}
	if (e < 0 || (opts->buffer_kb && kb < wanted))
		messenger_say(m, "a ring buffer of %llu KiB for each CPU is not possible: it has %llu KiB",
			      (unsigned long long)wanted, (unsigned long long)(e < 0 ? 0 : kb));
}

/* The mask in words of 32 bits, the highest first. */
static void set_cpumask(struct ftrace_instance *in, const struct messenger *m)
{
	struct buf b = BUF_MEMORY;
	int e;

	for (int32_t word = (in->nr_cpus + 31) / 32 - 1; word >= 0; word--) {
		uint32_t bits = 0;

		for (size_t i = 0; i < in->cpus.n; i++)
			if (in->cpus.at[i] / 32 == word)
				bits |= 1u << in->cpus.at[i] % 32;
		buf_printf(&b, "%x%s", bits, word ? "," : "");
	}
	buf_char(&b, '\0');
	e = b.failed ? -ENOMEM : ftrace_instance_write(in, "tracing_cpumask", b.p, false);
	if (e < 0)
		messenger_say(m, "other CPUs go on tracing, but are not read (tracing_cpumask: %s)", strerror(-e));
	buf_free(&b);
}

static int follow_tasks(struct ftrace_instance *in, const struct cpus *tids, bool inherit, const struct messenger *m,
			struct sonde_error *err)
{
	char text[32];
	int e;

	if (inherit) {
		e = ftrace_instance_write(in, "options/event-fork", "1", false);
		if (e < 0)
			messenger_say(m, "tasks that are started later are left out (options/event-fork: %s)",
				      strerror(-e));
		ftrace_instance_write(in, "options/function-fork", "1", false);
	}
	for (size_t i = 0; i < tids->n; i++) {
		snprintf(text, sizeof(text), "%d", tids->at[i]);
		e = ftrace_instance_write(in, "set_event_pid", text, i > 0);
		if (e < 0)
			return err_sys(err, -e, "this kernel cannot trace single tasks (set_event_pid): use -a");
		e = ftrace_instance_write(in, "set_ftrace_pid", text, i > 0);
		if (e < 0 && in->tracer && i == 0)
			messenger_say(m, "the tracer follows everybody (set_ftrace_pid: %s)", strerror(-e));
	}
	return 0;
}

static int set_option(struct ftrace_instance *in, const char *name, struct sonde_error *err)
{
	char path[300];
	bool off = !strncmp(name, "no", 2);
	int e;

	snprintf(path, sizeof(path), "options/%.255s", name);
	e = ftrace_instance_write(in, path, "1", false);
	if (e == -ENOENT && off) {   /* "no-func": an option may itself begin so */
		snprintf(path, sizeof(path), "options/%.255s", name + 2);
		e = ftrace_instance_write(in, path, "0", false);
	}
	if (e < 0)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the option '%.60s' cannot be set: %s", name,
			       strerror(-e));
	return 0;
}

static int set_tracer(struct ftrace_instance *in, struct sonde_error *err)
{
	char text[512] = "";
	int e = ftrace_instance_write(in, "current_tracer", in->tracer, false);

	if (e == 0)
		return 0;
	sysfile_read(text, sizeof(text), "%s/available_tracers", in->dir);
	return err_set(err, e == -EPERM || e == -EACCES ? SONDE_DENIED : SONDE_UNSUPPORTED, SONDE_NONE,
		       "the tracer '%.40s' cannot be used here: %s%s (there are: %s)", in->tracer, strerror(-e),
		       e == -EPERM ? ": this kernel does not permit it, not even to root (lockdown?)" : "", text);
}

static int apply_settings(struct ftrace_instance *in, const struct messenger *m, struct sonde_error *err)
{
	int e = 0;

	for (size_t i = 0; i < in->options.n && e == 0; i++)
		e = set_option(in, in->options.at[i], err);
	for (size_t i = 0; i < in->settings.n && e == 0; i++) {
		const struct ftrace_setting *s = &in->settings.at[i];
		bool again = false;
		int r;

		for (size_t k = 0; k < i; k++)
			again |= !strcmp(in->settings.at[k].file, s->file);
		r = ftrace_instance_write(in, s->file, s->value, again);
		if (r == -ENOENT || r == -EPERM || r == -EACCES)
			messenger_say(m, "'%s' is not written to %s: %s", s->value, s->file, strerror(-r));
		else if (r < 0)
			e = err_set(err, SONDE_USAGE, SONDE_NONE, "%s does not take '%.200s': %s", s->file, s->value,
				    strerror(-r));
	}
	return e;
}

int ftrace_instance_configure(struct ftrace_instance *in, const struct sonde_ftrace_recorder_opts *opts,
			      const struct cpus *tids, const struct messenger *m, struct sonde_error *err)
{
	int e = ftrace_instance_write(in, "tracing_on", "0", false);

	if (e < 0)
		return err_sys(err, -e, "cannot control the tracing instance %s", in->dir);
	if (opts->clock && (e = set_clock(in, opts->clock, err)) < 0)
		return e;
	e = find_cpus(in, opts->cpus, err);
	if (e < 0)
		return e;
	set_sizes(in, opts, m);
	in->cpus.n = 0;
	e = ftrace_instance_look(in, opts->cpus, err);
	if (opts->clock && !strcmp(opts->clock, CLOCK_TICKS_AS_NS))
		memcpy(in->clock, CLOCK_TICKS_AS_NS, sizeof(CLOCK_TICKS_AS_NS));
	if (e == 0 && opts->cpus)
		set_cpumask(in, m);
	if (e == 0 && opts->stacktrace)
		e = set_option(in, "stacktrace", err);
	if (e == 0)
		e = apply_settings(in, m, err);
	if (e == 0 && tids->n)
		e = follow_tasks(in, tids, !opts->no_inherit, m, err);
	if (e == 0 && in->tracer)
		e = set_tracer(in, err);
	return e < 0 ? e : ftrace_events_enable(in, m, err);
}

void ftrace_instance_leave_out(struct ftrace_instance *in, const struct names *tids)
{
	for (size_t i = 0; i < tids->n; i++) {
		ftrace_instance_write(in, "set_event_notrace_pid", tids->at[i], true);
		if (in->tracer)
			ftrace_instance_write(in, "set_ftrace_notrace_pid", tids->at[i], true);
	}
}

void ftrace_instance_remove(struct ftrace_instance *in, const struct messenger *m)
{
	if (!in->dir)
		return;
	if (in->created) {
		/* takes everything with it that belongs to it */
		if (in->tracer)
			tracefs_write(in->dir, "current_tracer", "nop", false);
		if (rmdir(in->dir) < 0 && errno != ENOENT)
			messenger_say(m, "%s could not be removed: %s", in->dir, strerror(errno));
	} else {
		ftrace_instance_restore(in, m);
	}
	in->dir = NULL;
}

void ftrace_instance_free(struct ftrace_instance *in)
{
	for (size_t i = 0; i < in->events.n; i++) {
		vec_free(&in->events.at[i].filters);
		vec_free(&in->events.at[i].triggers);
	}
	for (size_t i = 0; i < in->undo.n; i++) {
		free(in->undo.at[i].file);
		free(in->undo.at[i].text);
	}
	vec_free(&in->undo);
	vec_free(&in->events);
	vec_free(&in->options);
	vec_free(&in->settings);
	vec_free(&in->cpus);
}
