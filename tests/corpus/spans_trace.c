/* SPDX-License-Identifier: MIT */
/*
 * spans_trace.c - every trace.dat of a folder: what a query of a span of time gives is what the whole trace has of that
 * span
 *
 *	spans_trace FOLDER
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sonde/trace.h>

enum { SPANS = 8, EXIT_SKIP = 77 };

struct seen {
	uint64_t time, hash;
};

struct all {
	struct seen *at;
	size_t n, cap;
};

static uint64_t hash_of(const struct sonde_event *ev)
{
	uint64_t h = ev->file_offset * 31 + (uint32_t)ev->cpu * 7 + ev->kind;

	for (uint32_t i = 0; i < ev->raw_size && ev->kind == SONDE_KIND_SAMPLE; i++)
		h = (h ^ ev->raw[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Samples and losses: what the span is for. Their number, or -1. */
static int collect(struct sonde_trace *t, enum sonde_order order, uint64_t min, uint64_t max, struct all *out)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = order, .time_min = min, .time_max = max };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	int r;

	out->n = 0;
	while (it && (r = sonde_iter_next(it, &ev)) > 0) {
		if (ev->kind != SONDE_KIND_SAMPLE && ev->kind != SONDE_KIND_LOSS)
			continue;
		if (out->n == out->cap) {
			out->cap = out->cap ? out->cap * 2 : 1024;
			out->at = realloc(out->at, out->cap * sizeof(*out->at));
			if (!out->at)
				abort();
		}
		out->at[out->n++] = (struct seen){ ev->time, hash_of(ev) };
	}
	sonde_iter_free(it);
	return it ? 0 : -1;
}

static bool same(const struct all *whole, const struct all *part, uint64_t min, uint64_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < whole->n; i++) {
		if (whole->at[i].time < min || whole->at[i].time > max)
			continue;
		if (n == part->n || part->at[n].time != whole->at[i].time || part->at[n].hash != whole->at[i].hash)
			return false;
		n++;
	}
	return n == part->n;
}

/* Spans from one share of the events to another, and of the first and last moment. */
static int check(const char *path, struct sonde_trace *t, enum sonde_order order)
{
	struct all whole = { 0 }, part = { 0 };
	int failed = collect(t, order, 0, 0, &whole);

	for (size_t i = 0; i <= SPANS && whole.n && failed == 0; i++)
		for (size_t k = 0; k <= SPANS; k++) {
			uint64_t min = whole.at[i * (whole.n - 1) / SPANS].time,
				 max = whole.at[k * (whole.n - 1) / SPANS].time;

			if (max == 0 || min > max)
				continue;
			if (collect(t, order, min, max, &part) < 0 || !same(&whole, &part, min, max)) {
				printf("%s: order %d, from %llu to %llu: not what the whole trace has\n", path,
				       (int)order, (unsigned long long)min, (unsigned long long)max);
				failed = -1;
			}
		}
	free(whole.at);
	free(part.at);
	return failed;
}

static int check_file(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	int r = 0;

	if (sonde_trace_open(t, path, NULL) == 0)
		r = check(path, t, SONDE_ORDER_FILE) | check(path, t, SONDE_ORDER_TIME);
	sonde_trace_free(t);
	return r;
}

int main(int argc, char **argv)
{
	DIR *d = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	char path[PATH_MAX];
	int n = 0, failed = 0;

	if (!d) {
		printf("%s: %s\n", argc > 1 ? argv[1] : "no folder", strerror(errno));
		return EXIT_SKIP;
	}
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len < 4 || strcmp(entry->d_name + len - 4, ".dat") != 0 ||
		    snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name) >= (int)sizeof(path))
			continue;
		n++;
		failed += check_file(path) < 0;
	}
	closedir(d);
	printf("%d files, %d with another answer\n", n, failed);
	return failed || n == 0;
}
