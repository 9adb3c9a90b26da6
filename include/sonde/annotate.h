/* SPDX-License-Identifier: MIT */
/**
 * annotate.h - the instructions of a function, with the samples at each, and the lines of its source between them
 *
 *	struct sonde_profile_opts by_offset = { .sz = sizeof(by_offset), .by = SONDE_BY_SYMBOL_OFFSET };
 *	struct sonde_annotate_opts opts = { .sz = sizeof(opts), .symbol = "main", .source = true };
 *	struct sonde_annotation_row row = { .sz = sizeof(row) };
 *	struct sonde_profile *p = sonde_profile_new(&by_offset);
 *
 *	if (sonde_profile_add(p, t, NULL) == 0) {
 *		struct sonde_annotation *a = sonde_annotate(p, &opts, NULL);
 *
 *		for (size_t i = 0; sonde_annotation_row(a, i, &row); i++)
 *			printf("%6.2f %" PRIx64 " %s\n", row.nr_percent ? row.percent[0] : 0, row.addr, row.text);
 *		sonde_annotation_free(a);
 *	}
 *	sonde_profile_free(p);
 */
#ifndef SONDE_ANNOTATE_H
#define SONDE_ANNOTATE_H

#include <sonde/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_annotation;

/** The whole of a percentage. */
enum sonde_annotate_percent {
	SONDE_PERCENT_LOCAL_PERIOD,         /* of the function's period */
	SONDE_PERCENT_LOCAL_HITS,           /* of its samples */
	SONDE_PERCENT_GLOBAL_PERIOD,        /* of the period of all samples of the event */
	SONDE_PERCENT_GLOBAL_HITS,
};

/** Fields left 0 mean the usual. Pointers need to live as long as the call. */
struct sonde_annotate_opts {
	size_t sz;
	uint32_t event;                     /* number of the event in the profile */
	const char *symbol;                 /* name of the function; NULL: any */
	const char *dso;                    /* its binary, by path or by name; NULL: any */
	size_t nth;                         /* its place among such functions, by period; 0: the hottest one */
	bool source;                        /* lines of the source between the instructions */
	bool intel;                         /* x86: Intel's syntax, not AT&T's */
	enum sonde_annotate_percent percent;
	/* Further events, each with a percentage of its own: the other members of a group. */
	const uint32_t *events;             size_t nr_events;
	/* Directories in which source files are looked for first. */
	const char *const *source_dirs;     size_t nr_source_dirs;
	const char *source_prefix;          /* put before paths of source files, after source_prefix_strip */
	uint32_t source_prefix_strip;       /* directories to take off paths of source files */
	bool full_source_path;              /* show whole paths of source files, not their last part */
	/* Functions with less than this share of their event's period are left out. */
	double percent_limit;
	/*
	 * The annotation goes into a file that travels: the text of a source is taken only if it is of the program's
	 * build or below a directory of source_dirs; of others a note says why not (docs/embedded-sources.md).
	 */
	bool embedded;
};

enum sonde_annotation_kind {
	SONDE_ANNOTATION_LABEL,             /* the name of a file and a line whose text is not known */
	SONDE_ANNOTATION_SOURCE,            /* a line of the source: the next instruction is of it */
	SONDE_ANNOTATION_INSN,              /* an instruction, or bytes that are none */
};

/** Where an instruction goes. */
enum sonde_annotation_flow {
	SONDE_FLOW_NEXT,
	SONDE_FLOW_JUMP,                    /* always or under a condition */
	SONDE_FLOW_CALL,                    /* a call, or a jump to another function */
	SONDE_FLOW_RETURN,
};

#define SONDE_NO_ROW SIZE_MAX

/** The samples of an event from the first byte of an instruction up to the next one. */
struct sonde_annotation_count { uint64_t samples, period; };

struct sonde_annotation_row {
	size_t sz;                          /* set by the caller */
	enum sonde_annotation_kind kind;
	uint64_t addr;                      /* of the instruction, or of the next one; as the file states addresses */
	const char *text;                   /* without control bytes */
	const double *percent;              size_t nr_percent;  /* of an instruction, by event; else none */
	uint64_t samples, period;           /* of the first event */
	const struct sonde_annotation_count *counts;            /* nr_percent of them, by event */
	enum sonde_annotation_flow flow;
	size_t target;                      /* the row that a jump goes to, in this function; else SONDE_NO_ROW */
	bool is_target;                     /* a jump in this function goes here */
	const uint8_t *bytes;               size_t size;        /* of the instruction */
	const char *file;                   /* of the source; NULL if not known */
	uint32_t line;
	/* where in `text` the fixed address of a jump or call begins; else 0 */
	size_t target_at;
	const char *callee;                 /* the function that a call goes to, may hold control bytes; or NULL */
	uint64_t callee_offset;             /* how far behind its start */
	/* Clock cycles from the branch before up to this one, of a profile with basic_blocks; 0: not recorded. */
	uint64_t cycles;                    /* on average */
	uint64_t min_cycles, max_cycles;
	double ipc;                         /* instructions in a cycle, of the longest of these blocks; 0: not known */
	/* Shares in percent of runs from branch to branch, of such a profile; 0: none. */
	double joined;                      /* a branch came here: of the runs that come to the next branch */
	double left;                        /* the branch here was taken: of the runs that come to it */
	double predicted;                   /* of these: as the processor had predicted */
};

/** The function that is annotated. Its names may hold control bytes. */
struct sonde_annotation_info {
	const char *symbol;
	const char *dso, *dso_name;         /* as in struct sonde_profile_frame */
	const char *source;                 /* the file that has the code, or "the recording" */
	const char *machine;                /* "x86-64" */
	uint64_t start, size;               /* of the function */
	size_t nr_events;
	uint64_t samples, period;           /* of the function; of the first event */
	double share;                       /* of the period of the first event, in percent */
	bool has_cycles;                    /* rows have cycles */
	double ipc;                         /* instructions in a cycle, over all blocks with an IPC */
	double ipc_coverage;                /* instructions in these blocks, in percent of all */
};

/**
 * sonde_annotate - the annotation of a function that samples interrupted
 * @p: made with SONDE_BY_SYMBOL_OFFSET; must not change or be freed before the annotation
 * @opts, @err: may be NULL
 * NULL if it fails, with the reason in @err: SONDE_MISSING: there is no such function with samples, or not so many;
 * SONDE_UNSUPPORTED: the code is not here, is of another build, or is of a machine that is not known; SONDE_USAGE,
 * SONDE_NOMEM.
 */
SONDE_API struct sonde_annotation *sonde_annotate(struct sonde_profile *p, const struct sonde_annotate_opts *opts,
						  struct sonde_error *err);

/** sonde_annotation_free - NULL is accepted */
SONDE_API void sonde_annotation_free(struct sonde_annotation *a);

/** sonde_annotation_rows - how many rows there are; 0 for NULL */
SONDE_API size_t sonde_annotation_rows(const struct sonde_annotation *a);

/**
 * sonde_annotation_row - the i-th row; false beyond the last, and for NULL
 * @row: its sz is set by the caller. `percent` and `counts` are valid until the next call, the rest as long as @a.
 */
SONDE_API bool sonde_annotation_row(const struct sonde_annotation *a, size_t i, struct sonde_annotation_row *row);

/** sonde_annotation_info - the function that is annotated; lives as long as @a */
SONDE_API const struct sonde_annotation_info *sonde_annotation_info(const struct sonde_annotation *a);

/** sonde_annotation_note_at - the i-th reason to doubt code or source, a sentence; NULL beyond the last */
SONDE_API const char *sonde_annotation_note_at(const struct sonde_annotation *a, size_t i);

/**
 * sonde_annotation_write_page - write annotations as one page, with links from jumps to where they go
 * @path, the result: as of sonde_export_file(); the page needs no network and runs no script
 */
SONDE_API int sonde_annotation_write_page(struct sonde_annotation *const *list, size_t n, const char *path,
					  struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
