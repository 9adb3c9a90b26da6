/* SPDX-License-Identifier: MIT */
/* cmd_buildid_list.c - the binaries of a trace and their build ids */
#include <sonde/symbol.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"

#define ID_COLUMN 40                 /* digits of a SHA-1 */
#define NOTES "/sys/kernel/notes"
#define NT_GNU_BUILD_ID 3

static const char *input;
static bool with_hits, kernel;

static const struct option_row buildid_list_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "with-hits", 'H', OPTION_FLAG, &with_hits, .help = "list only binaries with samples" },
	{ "kernel", 'k', OPTION_FLAG, &kernel, .help = "print the build id of the running kernel" },
	ACCEPTED_FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* The name lives as long as the trace and the tasks. */
struct hit_binary {
	const char *name;
	uint8_t id[20], size;
};

struct hit_binaries {
	struct hit_binary *at;
	size_t n, cap;
	const char *last;            /* the name of the last binary: most frames are in the same one */
};

static void print_id(const uint8_t *id, size_t size, const char *name)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
	printf("%*s", size * 2 < ID_COLUMN ? (int)(ID_COLUMN - size * 2) : 0, "");
	if (name) {
		putchar(' ');
		print_trace_text(name);
	}
	putchar('\n');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct hit_binary *)a)->name, ((const struct hit_binary *)b)->name);
}

/* Sorts the list and keeps one element of each name. */
static void unique(struct hit_binaries *b)
{
	size_t n = 0;

	if (b->n == 0)
		return;
	qsort(b->at, b->n, sizeof(*b->at), by_name);
	for (size_t i = 1; i < b->n; i++)
		if (strcmp(b->at[i].name, b->at[n].name) != 0)
			b->at[++n] = b->at[i];
	b->n = n + 1;
}

static int make_room(struct hit_binaries *b)
{
	size_t cap = b->cap ? 2 * b->cap : 64;
	struct hit_binary *at;

	unique(b);
	if (b->n < b->cap / 2)
		return 0;
	at = realloc(b->at, cap * sizeof(*at));
	if (!at)
		return -SONDE_NOMEM;
	b->at = at;
	b->cap = cap;
	return 0;
}

static int add(struct hit_binaries *b, const char *name, const uint8_t *id, uint8_t size)
{
	if (!name || name == b->last)
		return 0;
	b->last = name;
	if (b->n == b->cap && make_room(b) < 0)
		return -SONDE_NOMEM;
	b->at[b->n] = (struct hit_binary){ .name = name, .size = size };
	if (size)
		memcpy(b->at[b->n].id, id, size);
	b->n++;
	return 0;
}

struct hits_walk {
	struct sonde_tasks *tasks;
	struct sonde_symbols *symbols;
	struct hit_binaries *hits;
};

static int add_sample(struct hits_walk *w, const struct sonde_event *ev)
{
	const struct sonde_sample *sample;
	const struct sonde_frame *f;
	uint8_t cpumode = ev->cpumode;
	size_t at = 0;
	uint64_t ip;
	int r, decoded;

	r = sonde_symbols_resolve_of(w->symbols, w->tasks, ev, ev->cpumode, ev->ip, &f);
	if (r == 0)
		r = add(w->hits, f->dso, f->build_id, f->build_id_size);
	decoded = sonde_event_sample(ev, &sample);
	if (decoded < 0 && decoded != -SONDE_CORRUPT)  /* a cut sample is in the ledger */
		return decoded == -SONDE_USAGE ? r : decoded;
	while (r == 0 && sonde_chain_next(sample->callchain, sample->nr_callchain, &at, &cpumode, &ip) > 0) {
		r = sonde_symbols_resolve_of(w->symbols, w->tasks, ev, cpumode, ip, &f);
		if (r == 0)
			r = add(w->hits, f->dso, f->build_id, f->build_id_size);
	}
	return r;
}

static int walk_samples(struct hits_walk *w, struct sonde_trace *t)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	int r = it ? 1 : -SONDE_NOMEM;

	while (r > 0) {
		r = sonde_iter_next(it, &ev);
		if (r > 0 && ev->kind == SONDE_KIND_SAMPLE && add_sample(w, ev) < 0)
			r = -SONDE_NOMEM;
		else if (r > 0 && sonde_tasks_apply(w->tasks, ev) < 0)
			r = -SONDE_NOMEM;
	}
	sonde_iter_free(it);
	return r;
}

static void print_list(struct hit_binaries *b)
{
	unique(b);
	for (size_t i = 0; i < b->n; i++)
		print_id(b->at[i].id, b->at[i].size, b->at[i].name);
	free(b->at);
}

static int list_hits(struct sonde_trace *t, const char *path)
{
	struct hit_binaries hits = { 0 };
	struct hits_walk w = { .tasks = sonde_tasks_new(t),
			       .symbols = sonde_symbols_new(&symbol_options),
			       .hits = &hits };
	int r = w.tasks && w.symbols ? walk_samples(&w, t) : -SONDE_NOMEM, status = 0;

	if (r == -SONDE_NOMEM) {
		say("out of memory");
		status = 1;
	} else if (r < 0) {
		status = say_error(path, sonde_trace_error(t));
	}
	print_list(&hits);
	sonde_symbols_free(w.symbols);
	sonde_tasks_free(w.tasks);
	return status;
}

static int list_recorded(const struct sonde_trace *t)
{
	struct hit_binaries list = { 0 };
	const struct sonde_build_id *b;
	int r = 0;

	for (size_t i = 0; r == 0 && (b = sonde_trace_build_id_at(t, i)); i++)
		r = add(&list, b->filename, b->id, b->size);
	print_list(&list);
	if (r < 0)
		say("out of memory");
	return r < 0;
}

static int list_file(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	int status;

	if (!t) {
		say("out of memory");
		return 1;
	}
	if (sonde_trace_open(t, path, open_options()) < 0) {
		status = say_error(path, sonde_trace_error(t));
	} else {
		/* As perf: a file without a list, such as a stream, has the binaries of its samples only. */
		status = with_hits || !sonde_trace_build_id_count(t) ? list_hits(t, path) : list_recorded(t);
		status |= ledger_print(t);
	}
	sonde_trace_free(t);
	return status;
}

static uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The notes of the running kernel: sizes of name and content, type, name, content; the last two are padded to words. */
static int list_kernel(void)
{
	uint8_t notes[8192];
	int fd = open(NOTES, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

	if (n < 0) {
		say("%s: cannot read: %s", NOTES, strerror(errno));
		if (fd >= 0)
			close(fd);
		return 1;
	}
	close(fd);
	for (size_t at = 0, left = (size_t)n; left >= 12;) {
		uint64_t name = ((uint64_t)load_u32(notes + at) + 3) & ~UINT64_C(3), size = load_u32(notes + at + 4);
		uint64_t whole = 12 + name + ((size + 3) & ~UINT64_C(3));

		if (12 + name + size > left)
			break;
		if (load_u32(notes + at + 8) == NT_GNU_BUILD_ID && name == 4 &&
		    memcmp(notes + at + 12, "GNU", 4) == 0) {
			print_id(notes + at + 12 + name, size, NULL);
			return 0;
		}
		at += whole < left ? whole : left;
		left -= whole < left ? whole : left;
	}
	say("%s: there is no build id", NOTES);
	return 1;
}

static int buildid_list_run(int argc, char **argv)
{
	const char *path = input_path(input, argc, argv);

	if (!path)
		return 2;
	if (kernel)
		return argc || input ? say_usage("-k takes no trace") : list_kernel();
	return list_file(path);
}

static const struct example buildid_list_examples[] = {
	{ "sonde buildid-list -H", "list the binaries that samples are in, with their build ids" },
	{ 0 },
};

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.args = "[FILE]",
	.help = "list the binaries of a trace and their build ids, as perf buildid-list does",
	.details = "Prints the list of the file. If the file has none, or with -H, it lists the binaries of samples "
		   "and their callchains.",
	.options = buildid_list_options,
	.examples = buildid_list_examples,
	.prints_a_lot = true,
	.run = buildid_list_run,
};
