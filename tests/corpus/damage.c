/* SPDX-License-Identifier: MIT */
/*
 * damage.c - recordings with random damages: read, checked and repaired
 *
 *	damage COUNT FOLDER...
 *
 * COUNT damages are spread over all perf.data of the folders. Each is made by its number alone: flipped bits, a cut
 * end, a piece that is missing, blocks that changed places, a block of zeros or of noise. Of all records whose bytes no
 * damage touches 99 % are there after repair, and 99 % of them are read without it from a file whose header can be. No
 * run takes longer than 5 s or more memory than MEMORY_MAX, what repair writes breaks no rule, and a recording that
 * breaks none is repaired into itself.
 *
 * DAMAGE_VERBOSE in the environment: also each damage that cost more than that.
 *
 * Records in compressed ones depend on every byte that was compressed before them: those after a damage are counted
 * apart.
 */
#include <sonde/check.h>
#include <sonde/rewrite.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../../fuzz/consume.h"
#include "damages.h"

enum { EXIT_SKIP = 77, SECONDS_MAX = 5, WANTED_PERCENT = 99 };
enum { TYPE_ATTR = 64, TYPE_TRACING_DATA = 66, TYPE_FEATURE = 80, TYPE_COMPRESSED = 81, TYPE_COMPRESSED2 = 83 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_MAX ((long)1536 << 20)  /* freed memory is kept for a while, and every byte has its shadow */
#else
#define MEMORY_MAX ((long)256 << 20)
#endif

struct record {
	uint64_t hash;
	size_t at, end;              /* in the file, with what follows it; of the compressed record it came out of */
	bool unpacked, compressed;   /* it came out of a compressed record; it is one, and counts for what is in it */
};

struct records {
	struct record *at;
	size_t n, cap;
};

/* Hashes of records and how many of each are still missing. */
struct wanted {
	struct { uint64_t hash, count; } *slots;
	size_t mask;
};

struct tally {
	uint64_t damages, outside, read, repaired, behind;
	uint64_t readable_outside;   /* of files that could be opened without a repair */
	uint64_t unrepaired;         /* files of which nothing was left */
	double slowest, worst;
	char slowest_text[128], worst_text[160];
};

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = n, word;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 32;
	}
	for (; n; p++, n--)
		h = (h ^ *p) * UINT64_C(0x100000001b3);
	return h ? h : 1;
}

static void add_record(struct records *list, struct record r)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 1024;
		list->at = need(realloc(list->at, list->cap * sizeof(*list->at)));
	}
	list->at[list->n++] = r;
}

/* Metadata of a stream is written anew by repair, in its own order and padding. */
static bool is_remade(const struct sonde_event *ev)
{
	return ev->type == TYPE_ATTR || ev->type == TYPE_TRACING_DATA || ev->type == TYPE_FEATURE;
}

/* All records of an open trace; 0, or what ended the iteration. */
static int list_records(struct sonde_trace *t, struct records *out)
{
	struct sonde_iter *it = need(sonde_iter_new(t, NULL));
	const struct sonde_event *ev;
	size_t last = SIZE_MAX;
	int r;

	while ((r = sonde_iter_next(it, &ev)) > 0) {
		if (!ev->unpacked) {
			if (last != SIZE_MAX)  /* also what follows a record belongs to it */
				out->at[last].end = ev->file_offset;
			last = SIZE_MAX;
		}
		if (is_remade(ev))
			continue;
		if (!ev->unpacked)
			last = out->n;
		add_record(out,
			   (struct record){ hash_bytes(ev->raw, ev->raw_size), ev->file_offset,
					    ev->file_offset + ev->raw_size, ev->unpacked,
					    ev->type == TYPE_COMPRESSED || ev->type == TYPE_COMPRESSED2 });
	}
	sonde_iter_free(it);
	return r;
}

static struct wanted wanted_new(size_t n)
{
	struct wanted w = { .mask = 15 };

	while (w.mask < 2 * n)
		w.mask = 2 * w.mask + 1;
	w.slots = need(calloc(w.mask + 1, sizeof(*w.slots)));
	return w;
}

static size_t wanted_slot(const struct wanted *w, uint64_t hash)
{
	size_t i = (size_t)(hash >> 8) & w->mask;

	while (w->slots[i].hash && w->slots[i].hash != hash)
		i = (i + 1) & w->mask;
	return i;
}

static void wanted_add(struct wanted *w, uint64_t hash)
{
	size_t i = wanted_slot(w, hash);

	w->slots[i].hash = hash;
	w->slots[i].count++;
}

/* How many of those that are wanted are in the list. */
static uint64_t count_found(const struct records *outside, const struct records *list)
{
	struct wanted w = wanted_new(outside->n);
	uint64_t n = 0;

	for (size_t i = 0; i < outside->n; i++)
		wanted_add(&w, outside->at[i].hash);
	for (size_t i = 0; i < list->n; i++) {
		size_t slot = wanted_slot(&w, list->at[i].hash);

		if (w.slots[slot].count) {
			w.slots[slot].count--;
			n++;
		}
	}
	free(w.slots);
	return n;
}

static bool is_touched(const struct damage *d, size_t at, size_t end)
{
	for (size_t i = 0; i < d->n; i++)
		if (at < d->ranges[i].end && d->ranges[i].at < end)
			return true;
	return false;
}

/* Records that no damage touches; *behind: those in compressed records that depend on damaged ones. */
static struct records outside_of(const struct damage *d, const struct records *whole, uint64_t *behind)
{
	struct records out = { 0 };
	bool broken = false;
	size_t compressed = 0;       /* the end of the last record of the file */

	*behind = 0;
	for (size_t i = 0; i < whole->n; i++) {
		const struct record *r = &whole->at[i];

		if (!r->unpacked) {
			compressed = i;
			if (!r->compressed && !is_touched(d, r->at, r->end))
				add_record(&out, *r);
			continue;
		}
		broken |= is_touched(d, whole->at[compressed].at, whole->at[compressed].end);
		if (broken)
			(*behind)++;
		else
			add_record(&out, *r);
	}
	return out;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int show_error(void *ctx, const struct sonde_finding *f)
{
	if (f->rule->severity == SONDE_SEVERITY_ERROR)
		fprintf(stderr, "%s: repaired, and yet at 0x%llx: %s: %s: expected %s, found %s\n", (const char *)ctx,
			(unsigned long long)f->file_offset, f->rule->name, f->where, f->expected, f->found);
	return 0;
}

/* The records of bytes in memory; false if they cannot be opened. */
static bool read_memory(const struct bytes *b, struct records *out)
{
	struct sonde_trace *t = need(sonde_trace_new());
	bool opened = sonde_trace_open_memory(t, b->p, b->n, "memory", NULL) == 0;

	if (opened)
		list_records(t, out);
	sonde_trace_free(t);
	return opened;
}

/* The records of what repair makes of the bytes; false if it makes nothing. *bad: it breaks rules, or cannot be
 * read. */
static bool read_repaired(const struct bytes *b, const char *path, char *name, struct records *out, int *bad)
{
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = show_error, .ctx = name };
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_rewrite *w = need(sonde_rewrite_new());
	bool repaired = sonde_repair_memory(w, b->p, b->n, path) == 0;
	struct sonde_trace *t;

	if (repaired) {
		if (sonde_check(path, &opts, &found, NULL) < 0 || found.severities[SONDE_SEVERITY_ERROR])
			*bad = 1;
		t = need(sonde_trace_new());
		if (sonde_trace_open(t, path, NULL) < 0 || list_records(t, out) < 0) {
			fprintf(stderr, "%s: repaired, and yet: %s\n", name, sonde_trace_error(t)->text);
			*bad = 1;
		}
		sonde_trace_free(t);
		unlink(path);
	} else if (getenv("DAMAGE_VERBOSE")) {
		printf("nothing repaired: %s: %s\n", name, sonde_rewrite_error(w)->text);
	}
	sonde_rewrite_free(w);
	return repaired;
}

static int note_costs(struct tally *total, const char *name, double began)
{
	double took = now() - began;
	struct rusage usage;
	int bad = 0;

	getrusage(RUSAGE_SELF, &usage);
	if (took > total->slowest) {
		total->slowest = took;
		snprintf(total->slowest_text, sizeof(total->slowest_text), "%s", name);
	}
	if (took > SECONDS_MAX) {
		fprintf(stderr, "%s: took %.1f s\n", name, took);
		bad = 1;
	}
	if (usage.ru_maxrss > MEMORY_MAX / 1024) {
		fprintf(stderr, "%s: memory grew to %ld KiB\n", name, usage.ru_maxrss);
		bad = 1;
	}
	return bad;
}

static int run_damage(const char *file, const struct bytes *whole, const struct records *records, bool counts,
		      uint64_t number, const char *scratch, struct tally *total)
{
	struct damage d = damage_new(whole, number);
	struct records outside, read = { 0 }, repaired = { 0 };
	struct sonde_check_result found = { .sz = sizeof(found) };
	uint64_t behind, nr_read, nr_repaired;
	double began = now();
	char name[128];
	int bad = 0;
	bool opened, whole_again;

	snprintf(name, sizeof(name), "%s, damage %llu (%s at 0x%zx)", file, (unsigned long long)number, d.kind,
		 d.ranges[0].at);
	outside = outside_of(&d, records, &behind);
	consume_trace(d.bytes.p, d.bytes.n, SONDE_ORDER_TIME);
	opened = read_memory(&d.bytes, &read);
	sonde_check_memory(d.bytes.p, d.bytes.n, NULL, &found, NULL);
	whole_again = read_repaired(&d.bytes, scratch, name, &repaired, &bad);
	bad |= note_costs(total, name, began);
	total->damages++;
	if (counts) {
		nr_read = count_found(&outside, &read);
		nr_repaired = count_found(&outside, &repaired);
		total->outside += outside.n;
		total->readable_outside += opened ? outside.n : 0;
		total->read += nr_read;
		total->repaired += nr_repaired;
		total->behind += behind;
		total->unrepaired += !whole_again && outside.n;
		if (outside.n && 100.0 * (double)nr_repaired / (double)outside.n < total->worst) {
			total->worst = 100.0 * (double)nr_repaired / (double)outside.n;
			snprintf(total->worst_text, sizeof(total->worst_text), "%llu of %zu in %s",
				 (unsigned long long)nr_repaired, outside.n, name);
		}
		if (getenv("DAMAGE_VERBOSE") &&
		    (nr_repaired * 100 < outside.n * WANTED_PERCENT || nr_read * 100 < outside.n * WANTED_PERCENT))
			printf("repaired %llu, read %llu of %zu: %s\n", (unsigned long long)nr_repaired,
			       (unsigned long long)nr_read, outside.n, name);
	}
	free(outside.at);
	free(read.at);
	free(repaired.at);
	free(d.bytes.p);
	return bad;
}

/* Whether repair takes all records over; only then can be said what it should recover of a damaged copy. */
static bool is_kept_whole(const struct bytes *whole, const struct records *records, const char *file,
			  const char *scratch, int *bad)
{
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct records repaired = { 0 };
	uint64_t n = 0, packed = 0;
	char name[128];

	snprintf(name, sizeof(name), "%s", file);
	if (read_repaired(whole, scratch, name, &repaired, bad))
		n = count_found(records, &repaired);
	for (size_t i = 0; i < records->n; i++)
		packed += records->at[i].compressed;
	free(repaired.at);
	if (n + packed >= records->n && n)
		return true;
	sonde_check_memory(whole->p, whole->n, NULL, &found, NULL);
	if (records->n && !found.severities[SONDE_SEVERITY_ERROR]) {
		fprintf(stderr, "%s: without errors, and yet repair kept %llu of its %zu records\n", file,
			(unsigned long long)n, records->n);
		*bad = 1;
	}
	return false;
}

/* Number @index of @nr files has the damages index, index + nr, ... below count. */
static int run_file(const char *path, size_t index, size_t nr, uint64_t count, const char *scratch, struct tally *total)
{
	struct bytes whole = read_file(path);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct records records = { 0 };
	int bad = 0;
	bool counts;

	if (index < count) {
		counts = read_memory(&whole, &records) && is_kept_whole(&whole, &records, name, scratch, &bad);
		if (!counts)
			printf("%s: damaged already, what is recovered of it does not count\n", name);
		for (uint64_t number = index; number < count; number += nr)
			bad |= run_damage(name, &whole, &records, counts, number, scratch, total);
	}
	free(records.at);
	free(whole.p);
	return bad;
}

static bool is_perfdata(const char *path)
{
	char magic[8] = "";
	FILE *f = fopen(path, "rb");
	bool is = f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
		(memcmp(magic, "PERFILE2", 8) == 0 || memcmp(magic, "2ELIFREP", 8) == 0 ||
		 memcmp(magic, "PERFFILE", 8) == 0);

	if (f)
		fclose(f);
	return is;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100;
}

static int judge(const struct tally *total, size_t nr_files)
{
	struct rusage usage;
	int bad = 0;

	getrusage(RUSAGE_SELF, &usage);
	printf("%llu damages of %zu recordings; %llu records outside of them (and %llu after one in a compressed "
	       "stream)\n",
	       (unsigned long long)total->damages, nr_files, (unsigned long long)total->outside,
	       (unsigned long long)total->behind);
	printf("recovered by repair: %.3f %%; nothing of %llu files; at worst %.1f %%: %s\n",
	       percent(total->repaired, total->outside), (unsigned long long)total->unrepaired, total->worst,
	       total->worst_text);
	printf("read without repair: %.3f %%, of files that can be opened %.3f %%\n",
	       percent(total->read, total->outside), percent(total->read, total->readable_outside));
	printf("slowest: %.2f s: %s; most memory: %ld MiB\n", total->slowest, total->slowest_text,
	       usage.ru_maxrss / 1024);
	if (percent(total->repaired, total->outside) < WANTED_PERCENT) {
		fprintf(stderr, "less than %d %% recovered\n", WANTED_PERCENT);
		bad = 1;
	}
	if (percent(total->read, total->readable_outside) < WANTED_PERCENT) {
		fprintf(stderr, "less than %d %% read\n", WANTED_PERCENT);
		bad = 1;
	}
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	struct tally total = { .worst = 101 };
	char dir[] = "/tmp/sonde-damage-XXXXXX", scratch[sizeof(dir) + 16];
	char **paths = NULL;
	size_t n = 0;
	int bad = 0;

	for (int i = 2; i < argc; i++)
		find_files(argv[i], is_perfdata, &paths, &n);
	if (n == 0) {
		printf("skipped: no recordings in %s\n", argc > 2 ? argv[2] : "no folder");
		return EXIT_SKIP;
	}
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	snprintf(scratch, sizeof(scratch), "%s/repaired", dir);
	for (size_t i = 0; i < n; i++) {
		bad |= run_file(paths[i], i, n, count, scratch, &total);
		free(paths[i]);
	}
	free(paths);
	rmdir(dir);
	return bad | judge(&total, n);
}
