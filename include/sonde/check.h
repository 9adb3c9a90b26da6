/* SPDX-License-Identifier: MIT */
/**
 * check.h - does a trace keep the rules of its format?
 *
 * Each rule is a row of a table; a finding is a place where a rule is broken. The records are read once, through a
 * window of fixed size. Records within a compressed record of a perf.data are checked too: a finding there has the
 * place of the compressed record.
 */
#ifndef SONDE_CHECK_H
#define SONDE_CHECK_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sonde_severity {
	SONDE_SEVERITY_NOTE,      /* unusual, harms no reader */
	SONDE_SEVERITY_WARNING,   /* readers will disagree about it */
	SONDE_SEVERITY_ERROR,     /* something cannot be read, or will be read wrongly */
};

struct sonde_check_rule {
	const char *name;         /* "record-size": stays the same from version to version */
	enum sonde_severity severity;
	const char *text;         /* the defect: "a record is smaller than its header" */
};

/** sonde_check_rule_at - the i-th rule, NULL beyond the last; a view that lives for ever */
SONDE_API const struct sonde_check_rule *sonde_check_rule_at(size_t i);

/** One finding. Its texts last as long as the call that shows it. */
struct sonde_finding {
	const struct sonde_check_rule *rule;
	uint64_t file_offset;     /* SONDE_NONE if the finding has no place */
	const char *where;        /* "MMAP2", "CPU_TOPOLOGY", "header" */
	const char *expected;
	const char *found;
};
/** Called on the thread that called sonde_check(); a value other than 0 ends the check and is returned. */
typedef int (*sonde_finding_fn)(void *ctx, const struct sonde_finding *finding);

struct sonde_check_opts {
	size_t sz;
	sonde_finding_fn fn;      /* NULL: only count */
	void *ctx;
	/* as that of sonde_rewrite_set_progress() */
	void (*progress)(void *ctx, double share);
	void *progress_ctx;
};

struct sonde_check_result {
	size_t sz;
	uint64_t severities[3];   /* findings of each enum sonde_severity */
	uint64_t records;         /* whole records in the data section or stream; events of a trace.dat */
	uint64_t bytes;           /* of the file */
};

/**
 * sonde_check - check the perf.data or trace.dat at @path, "-" for the standard input
 * @out: NULL: not wanted
 * Returns 0 whatever was found, also for a file that is no trace at all (rule header-magic); negative when it could
 * not be read; or what fn returned.
 */
SONDE_API int sonde_check(const char *path, const struct sonde_check_opts *opts, struct sonde_check_result *out,
			  struct sonde_error *err);

/** sonde_check_memory - as above, of @size bytes in memory */
SONDE_API int sonde_check_memory(const void *data, size_t size, const struct sonde_check_opts *opts,
				 struct sonde_check_result *out, struct sonde_error *err);

struct sonde_check_print_opts {
	size_t sz;
	bool json;                /* one object on one line (docs/check-json.md), not one line for each finding */
	uint64_t max_per_rule;    /* findings of one rule that are shown; 0: all */
	void (*progress)(void *ctx, double share);  /* as above; it comes to 1 before the sums are written */
	void *progress_ctx;
};

/** sonde_check_print - check @path as sonde_check() does and write the findings as text or JSON */
SONDE_API int sonde_check_print(const char *path, const struct sonde_output *to,
				const struct sonde_check_print_opts *opts, struct sonde_check_result *out,
				struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
