/* SPDX-License-Identifier: MIT */
/**
 * export.h - a profile written in the formats of other tools, and as a report
 */
#ifndef SONDE_EXPORT_H
#define SONDE_EXPORT_H

#include <sonde/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fields left 0 mean what the format does by itself. */
struct sonde_export_opts {
	size_t sz;
	const char *event;                  /* only this one, by name; where a format holds one event: default the first */
	bool by_period;                     /* weigh by period, where the format counts samples by itself */
	const struct sonde_meta *meta;      /* of a page: what was recorded, and where */
	const struct sonde_loss *losses;    size_t nr_losses;
	int64_t recorded_s;                 /* of a page: when, in seconds since 1970, if @meta does not say; 0: not known */
	/* reports */
	const char *sort;                   /* columns that make a row: "comm,dso,sym" */
	const char *fields;                 /* columns to show, in this order; default: those of percentages, then `sort` */
	bool children;                      /* count a function also while it waits for those it calls */
	bool graph;                         /* show call trees below the rows */
	bool callee;                        /* from the function outwards to its callers, not inwards */
	bool relative;                      /* percentages of a tree are of the branch above, not of all */
	bool show_samples;                  /* a column with the number of samples */
	bool of_shown;                      /* percentages are of the samples that pass the filters, not of all */
	double percent_limit;               /* hide rows below */
	double graph_limit;                 /* hide branches below; 0 means 0.5, negative: show all */
	const char *const *dsos;            size_t nr_dsos;     /* rows to show */
	const char *const *symbols;         size_t nr_symbols;
};

struct sonde_export_format {
	const char *name;
	const char *help;                   /* one line */
};
/** sonde_export_formats - every format; a view that lives for ever */
SONDE_API size_t sonde_export_formats(const struct sonde_export_format **out);

/**
 * sonde_export - write @p to @fd
 * @opts, @err: may be NULL
 * Returns 1, 0 when no sample was left to write (the frame of the format is written all the same), -SONDE_USAGE for a format, event or column
 * that there is not, -SONDE_SYSTEM when writing failed, -SONDE_NOMEM also when memory was too short to gather all samples of @p.
 */
SONDE_API int sonde_export(const struct sonde_profile *p, const char *format, int fd, const struct sonde_export_opts *opts,
			   struct sonde_error *err);

/**
 * sonde_export_file - write @p to a new file at @path
 * The file has its name only once it is whole, and what was there before stays until then. It never replaces a trace that was added
 * to @p, under whatever name, nor is it written through a symbolic link. FIFOs and devices are written as they are; "-" and /dev/stdout are the
 * standard output.
 * Returns as sonde_export().
 */
SONDE_API int sonde_export_file(const struct sonde_profile *p, const char *format, const char *path, const struct sonde_export_opts *opts,
				struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
