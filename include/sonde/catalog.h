/* SPDX-License-Identifier: MIT */
/**
 * catalog.h - the events that this machine can count, record and trace, and the reason where it cannot
 *
 *	struct sonde_catalog_opts opts = { .sz = sizeof(opts), .try_events = true };
 *	struct sonde_catalog *c = sonde_catalog_new();
 *
 *	if (sonde_catalog_open(c, &opts) < 0)
 *		puts(sonde_catalog_error(c)->text);
 *	for (size_t i = 0; i < sonde_catalog_count(c); i++)
 *		if (!sonde_catalog_at(c, i)->unavailable)
 *			puts(sonde_catalog_at(c, i)->name);
 *	sonde_catalog_free(c);
 *
 * A name of the catalogue is an event string of sonde_perf_recorder_add_event().
 */
#ifndef SONDE_CATALOG_H
#define SONDE_CATALOG_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_catalog;

/** In the order of the catalogue. */
enum sonde_catalog_kind {
	SONDE_CATALOG_HARDWARE,
	SONDE_CATALOG_SOFTWARE,
	SONDE_CATALOG_TOOL,             /* measured by the counting program itself */
	SONDE_CATALOG_CACHE,
	SONDE_CATALOG_PMU,              /* named in sysfs, or by a file of events */
	SONDE_CATALOG_RAW,              /* a form: rNNN */
	SONDE_CATALOG_BREAKPOINT,       /* a form: mem:<addr>[/len][:access] */
	SONDE_CATALOG_TRACEPOINT,
	SONDE_CATALOG_METRIC,
	SONDE_CATALOG_SDT,              /* static probes of the files in sdt_files */
};

/** Everything lives as long as the catalogue; unknown texts are NULL. */
struct sonde_catalog_event {
	enum sonde_catalog_kind kind;
	const char *kind_name;          /* "Software event", as perf list has it */
	const char *name;
	const char *alias;              /* another name of the same event */
	const char *pmu;                /* "software", "tracepoint", "cpu" */
	const char *topic, *description, *long_description;
	const char *encoding;           /* "cpu/event=0x3c/" */
	const char *scale_unit;         /* "6.1e-5MiB" */
	const char *metric_expr, *metric_group, *metric_threshold;
	bool deprecated;
	const char *unavailable;        /* why this machine cannot count it now; NULL: it can, or it was not tried */
};

struct sonde_catalog_opts {
	size_t sz;
	const char *sysfs, *tracefs;    /* NULL: the machine's own */
	bool try_events;                /* open and close each generic event, to learn whether it can be counted */
	bool formats;                   /* the format of each tracepoint as its long description */
	/* JSON files of events, or directories of such files: sonde_perf_recorder_add_event_file() */
	const char *const *event_files; size_t nr_event_files;
	const char *const *sdt_files;   size_t nr_sdt_files;    /* ELF files, for their static probes (USDT) */
};

/** sonde_catalog_new - NULL only when out of memory */
SONDE_API struct sonde_catalog *sonde_catalog_new(void);
/** sonde_catalog_free - NULL is accepted */
SONDE_API void sonde_catalog_free(struct sonde_catalog *c);

/** sonde_catalog_open - read the names of all events. Without tracefs there are no tracepoints. Called once. */
SONDE_API int sonde_catalog_open(struct sonde_catalog *c, const struct sonde_catalog_opts *opts);

/** sonde_catalog_count - how many events the catalogue has */
SONDE_API size_t sonde_catalog_count(const struct sonde_catalog *c);
/** sonde_catalog_at - the i-th event; NULL beyond the last. A view that lives as long as @c. */
SONDE_API const struct sonde_catalog_event *sonde_catalog_at(const struct sonde_catalog *c, size_t i);

/**
 * sonde_catalog_chooses - is the event among those that a word of `perf list` chooses?
 * @word: hw, sw, tool, cache, pmu, raw, tracepoint, metric, sdt, pmu:GLOB, a glob of names, or a part of a name
 */
SONDE_API bool sonde_catalog_chooses(const struct sonde_catalog_event *e, const char *word);

/** sonde_catalog_print_json - the event as an object with the keys of perf list --json; no newline */
SONDE_API int sonde_catalog_print_json(const struct sonde_catalog_event *e, const struct sonde_output *to,
				       struct sonde_error *err);

/** sonde_catalog_error - why the last call on @c failed; never NULL */
SONDE_API const struct sonde_error *sonde_catalog_error(const struct sonde_catalog *c);

#ifdef __cplusplus
}
#endif
#endif
