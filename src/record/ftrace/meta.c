/* SPDX-License-Identifier: MIT */
#include "record/ftrace/meta.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fmap.h"
#include "record/host/ticks.h"

/* A file of any length; one that is not there, or may not be read, is empty. Behind it is a NUL. */
static int keep_file(struct ftrace_meta *meta, struct sonde_str *out, const char *dir, const char *file,
		     struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	char *p;

	*out = (struct sonde_str){ "", 0 };
	if (tracefs_read(&b, dir, file) == 0 && b.n) {
		p = arena_strndup(&meta->arena, b.p, b.n);
		if (!p || b.failed) {
			buf_free(&b);
			return err_nomem(err);
		}
		*out = (struct sonde_str){ p, b.n };
	}
	buf_free(&b);
	return 0;
}

static int add_format(struct ftrace_meta *meta, const char *tracefs, const char *system, const char *name,
		      struct sonde_error *err)
{
	struct page_format f = { .system = system };
	char dir[TRACEFS_PATH];
	int e;

	snprintf(dir, sizeof(dir), "%s/events/%.255s/%.255s", tracefs, system, name);
	e = keep_file(meta, &f.text, dir, "format", err);
	if (e < 0 || !f.text.len)
		return e;
	return vec_push(&meta->formats, f) < 0 ? err_nomem(err) : 0;
}

static int add_system(struct ftrace_meta *meta, const char *tracefs, const char *system, struct sonde_error *err)
{
	struct names all = { 0 };
	char path[TRACEFS_PATH];
	int e = 0;

	snprintf(path, sizeof(path), "%s/events/%.255s", tracefs, system);
	if (sysfile_list(&meta->arena, path, &all) < 0)
		all.n = 0;
	for (size_t i = 0; i < all.n && e == 0; i++)
		e = add_format(meta, tracefs, system, all.at[i], err);
	vec_free(&all);
	return e;
}

static int add_all_systems(struct ftrace_meta *meta, const char *tracefs, struct sonde_error *err)
{
	struct names systems = { 0 };
	char path[TRACEFS_PATH];
	int e = 0;

	snprintf(path, sizeof(path), "%s/events", tracefs);
	if (sysfile_list(&meta->arena, path, &systems) < 0)
		systems.n = 0;
	for (size_t i = 0; i < systems.n && e == 0; i++)
		if (strcmp(systems.at[i], "ftrace") != 0)
			e = add_system(meta, tracefs, systems.at[i], err);
	vec_free(&systems);
	return e;
}

static int by_name(const void *a, const void *b)
{
	const struct ftrace_event *const *x = a, *const *y = b;
	int order = strcmp((*x)->system, (*y)->system);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

/* The selected events, each once, system by system. */
static int add_selected(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr,
			const char *tracefs, struct sonde_error *err)
{
	VEC(const struct ftrace_event *) all = { 0 };
	int e = 0;

	for (size_t i = 0; i < nr && e == 0; i++)
		for (size_t k = 0; k < instances[i].events.n && e == 0; k++)
			e = vec_push(&all, &instances[i].events.at[k]) < 0 ? err_nomem(err) : 0;
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_name);
	for (size_t i = 0; i < all.n && e == 0; i++)
		if (i == 0 || by_name(&all.at[i - 1], &all.at[i]) != 0)
			e = add_format(meta, tracefs, all.at[i]->system, all.at[i]->name, err);
	vec_free(&all);
	return e;
}

static int describe_kernel(struct ftrace_meta *meta, const char *tracefs, const struct messenger *m,
			   struct sonde_error *err)
{
	char text[512];
	struct utsname u;
	int e = keep_file(meta, &meta->page.kallsyms, "/proc", "kallsyms", err);

	if (e == 0)
		e = keep_file(meta, &meta->page.printk, tracefs, "printk_formats", err);
	if (e < 0)
		return e;
	if (meta->page.kallsyms.len && strspn(meta->page.kallsyms.p, "0") >= 8 && !strstr(meta->page.kallsyms.p, "\nf"))
		messenger_say(m, "kernel.kptr_restrict hides where the kernel's functions are: "
			      "addresses will have no names");
	if (uname(&u) == 0)
		snprintf(text, sizeof(text), "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	else
		*text = '\0';
	meta->page.uname = arena_strndup(&meta->arena, text, strlen(text));
	meta->page.version = "sonde " SONDE_VERSION;
	if (getrandom(&meta->page.trace_id, sizeof(meta->page.trace_id), 0) < 0)
		meta->page.trace_id = (uint64_t)getpid();
	return meta->page.uname ? 0 : err_nomem(err);
}

/* How this kernel's pages begin, which has been so since they have a text that says it. */
static int make_header_page(struct ftrace_meta *meta, uint32_t page_size, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	size_t begin = 8 + sizeof(long);

	buf_printf(&b,
		   "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		   "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
		   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		   "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
		   sizeof(long), begin, page_size - begin);
	meta->page.header_page.p = b.failed ? NULL : arena_strndup(&meta->arena, b.p, b.n);
	meta->page.header_page.len = b.n;
	buf_free(&b);
	return meta->page.header_page.p ? 0 : err_nomem(err);
}

/* Without it, readers show ticks of the processor, not seconds. */
static int describe_ticks(struct ftrace_meta *meta, const char *clock, struct sonde_error *err)
{
	bool as_ns = !strcmp(clock, CLOCK_TICKS_AS_NS);

	if ((!as_ns && strcmp(clock, CLOCK_TICKS) != 0) ||
	    host_ticks(&meta->page.tick_mult, &meta->page.tick_shift) || !as_ns)
		return 0;
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
		       "the clock " CLOCK_TICKS_AS_NS " cannot be used: the kernel does not say how long a tick is");
}

int ftrace_meta_make(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, const char *tracefs,
		     bool all_events, const struct messenger *m, struct sonde_error *err)
{
	struct sonde_str clock;
	int e = keep_file(meta, &meta->page.header_page, instances[0].dir, "events/header_page", err);

	if (e == 0 && !meta->page.header_page.len)
		e = keep_file(meta, &meta->page.header_page, tracefs, "events/header_page", err);
	if (e == 0 && !meta->page.header_page.len) {
		messenger_say(m, "there is no events/header_page: pages are taken for those of a kernel like others");
		e = make_header_page(meta, instances[0].page_size, err);
	}
	if (e == 0)
		e = keep_file(meta, &meta->page.header_event, tracefs, "events/header_event", err);
	if (e == 0)
		e = add_system(meta, tracefs, "ftrace", err);
	if (e == 0)
		e = all_events ? add_all_systems(meta, tracefs, err) : add_selected(meta, instances, nr, tracefs, err);
	if (e == 0)
		e = describe_kernel(meta, tracefs, m, err);
	if (e == 0)
		e = keep_file(meta, &clock, instances[0].dir, "trace_clock", err);
	if (e == 0)
		e = describe_ticks(meta, instances[0].clock, err);
	if (e < 0)
		return e;
	meta->buffers = arena_calloc(&meta->arena, nr, sizeof(*meta->buffers));
	if (!meta->buffers)
		return err_nomem(err);
	for (size_t i = 0; i < nr; i++) {
		const struct ftrace_instance *in = &instances[i];

		meta->buffers[i] = (struct page_buffer){ .name = in->name,
							 .clock = in->clock,
							 .page_size = in->page_size,
							 .cpus = in->cpus.at,
							 .nr_cpus = in->cpus.n };
		if ((uint32_t)in->nr_cpus > meta->page.nr_cpus)
			meta->page.nr_cpus = (uint32_t)in->nr_cpus;
	}
	meta->page.trace_clock = clock.p;
	meta->page.formats = meta->formats.at;
	meta->page.nr_formats = meta->formats.n;
	meta->page.buffers = meta->buffers;
	meta->page.nr_buffers = nr;
	return 0;
}

static int add_note(struct ftrace_meta *meta, enum page_note_id id, const struct buf *text, struct sonde_error *err)
{
	struct page_note note = { .id = id,
				  .text = text->failed ? NULL : arena_strndup(&meta->arena, text->p, text->n) };

	if (!note.text || vec_push(&meta->notes, note) < 0)
		return err_nomem(err);
	meta->page.notes = meta->notes.at;
	meta->page.nr_notes = meta->notes.n;
	return 0;
}

/* "overrun: 12" */
static uint64_t statistic(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p && (p == text || p[-1] == '\n') ? strtoull(p + strlen(name), NULL, 10) : 0;
}

/* *events: those that were read and, of a recording that has failed, those that are left. */
static int finish_cpu(struct ftrace_meta *meta, const struct ftrace_instance *in, int32_t cpu, bool failed,
		      struct sonde_ftrace_recorder_stats *stats, uint64_t *events, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	char file[64];
	uint64_t lost;
	int e;

	buf_printf(&b, "CPU: %d\n", cpu);
	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	if (tracefs_read(&b, in->dir, file) < 0) {
		buf_free(&b);
		return 0;
	}
	e = add_note(meta, PAGE_NOTE_CPUSTAT, &b, err);
	buf_free(&b);
	if (e == 0) {
		const char *text = meta->notes.at[meta->notes.n - 1].text;

		lost = statistic(text, "overrun: ") + statistic(text, "commit overrun: ") +
			statistic(text, "dropped events: ");
		*events = statistic(text, "read events: ") + (failed ? statistic(text, "entries: ") : 0);
		stats->events += *events;
		stats->lost += lost;
		stats->lost_cpus += lost > 0;
	}
	return e;
}

uint64_t ftrace_read_before(const struct ftrace_instance *instances, size_t nr)
{
	uint64_t n = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t c = 0; c < instances[i].cpus.n; c++) {
			char text[1024];

			if (sysfile_read(text, sizeof(text), "%s/per_cpu/cpu%d/stats", instances[i].dir,
					 instances[i].cpus.at[c]) > 0)
				n += statistic(text, "read events: ");
		}
	return n;
}

int ftrace_meta_finish(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, bool failed,
		       struct sonde_ftrace_recorder_stats *stats, struct sonde_error *err)
{
	int e = 0;

	for (size_t i = 0; i < nr && e == 0; i++) {
		uint64_t *events = arena_calloc(&meta->arena, instances[i].cpus.n, sizeof(*events));

		if (!events)
			return err_nomem(err);
		if (failed && instances[i].created)
			meta->buffers[i].events = events;
		if (*instances[i].name) {
			struct buf b = BUF_MEMORY;

			buf_printf(&b, "\nBuffer: %s\n\n", instances[i].name);
			e = add_note(meta, PAGE_NOTE_CPUSTAT, &b, err);
			buf_free(&b);
		}
		for (size_t c = 0; c < instances[i].cpus.n && e == 0; c++)
			e = finish_cpu(meta, &instances[i], instances[i].cpus.at[c], failed, stats, &events[c], err);
	}
	return e;
}

/* Since it has been written to it is one of this boot: "# Current". */
static bool is_of_last_boot(const struct buf *b)
{
	return !b->failed && (memmem(b->p, b->n, "[kernel]", 8) || memmem(b->p, b->n, "text delta:", 11));
}

int ftrace_meta_last_boot(struct ftrace_meta *meta, const struct ftrace_instance *instances, size_t nr, size_t *nr_old,
			  struct sonde_error *err)
{
	int e = 0;

	*nr_old = 0;
	for (size_t i = 0; i < nr && e == 0; i++) {
		struct buf b = BUF_MEMORY;

		buf_printf(&b, "%s:", instances[i].name);
		if (tracefs_read(&b, instances[i].dir, "last_boot_info") == 0) {
			*nr_old += is_of_last_boot(&b);
			e = add_note(meta, PAGE_NOTE_LAST_BOOT, &b, err);
			if (e == 0 && !meta->page.modules.len)
				e = keep_file(meta, &meta->page.modules, "/proc", "modules", err);
		}
		buf_free(&b);
	}
	return e;
}

void ftrace_meta_free(struct ftrace_meta *meta)
{
	vec_free(&meta->formats);
	vec_free(&meta->notes);
	buf_free(&meta->names);
	arena_free(&meta->arena);
}
