/* SPDX-License-Identifier: MIT */
/* annotation.h - a function as rows: instructions with their samples, and lines of the source between them */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_H
#define ANALYZE_ANNOTATE_ANNOTATION_H

#include "analyze/annotate/annotation_counts.h"
#include "analyze/annotate/annotation_notes.h"
#include "analyze/annotate/source_text.h"
#include "disasm/disasm.h"
#include "symbol/code_bytes.h"

#define NO_ANNOTATION_ROW UINT32_MAX

struct annotation_row {
	uint64_t addr;
	uint32_t text;               /* offset in texts; ends with NUL */
	uint32_t file;               /* number of a name in `files`; 0: not known */
	uint32_t line;
	uint32_t target;             /* number of a row, or NO_ANNOTATION_ROW */
	uint32_t counts;             /* index of its first count; 0: it has no samples */
	uint32_t callee;             /* symbol in the table of the function, or SYMTAB_NONE */
	uint64_t callee_offset;
	uint8_t kind, flow, size;
	uint16_t target_at;          /* in the text; 0: there is no address */
	bool is_target;
};

/* Of the basic blocks that end with an instruction: clock cycles of a run. */
struct annotation_cycles {
	uint64_t average;            /* 0: no block with cycles ends there */
	uint32_t min, max;
	double ipc;                  /* of the longest block; 0: its start is not known */
};

/* Of runs of basic blocks, in percent. */
struct annotation_branch {
	double joined;               /* of those at the next branch: began with the instruction */
	double left, predicted;      /* of those that come to the branch: left here; of these: as predicted */
};

struct sonde_annotation {
	struct sonde_annotate_opts opts;     /* its pointers are those of the call: not for later */
	struct sonde_profile *profile;
	struct annotation_counts counts;
	struct code_bytes code;
	uint64_t start;              /* of the function, as mapping_to_binary() gives addresses */
	VEC(struct annotation_row) rows;
	VEC(struct sonde_annotation_count) row_counts;   /* of each row with samples one for each event */
	struct annotation_cycles *cycles;    /* by row; NULL: no cycles were recorded */
	struct annotation_branch *branches;  /* by row; NULL: the function has no blocks */
	struct buf texts;
	struct strpool files;
	struct source_texts sources;
	struct annotation_notes notes;
	double *percent;             /* by event, of the row that was handed out last */
	struct sonde_annotation_count *none; /* for rows without samples */
	struct sonde_annotation_info info;
	char machine[MACHINE_NAME];
};

/* Fills a new annotation in. To be freed also when it fails. */
int annotation_make(struct sonde_annotation *a, struct sonde_profile *p, const struct sonde_annotate_opts *opts,
		    struct sonde_error *err);
void annotation_free(struct sonde_annotation *a);

/* The i-th row as the interface shows it; false beyond the last. */
bool annotation_view(const struct sonde_annotation *a, size_t i, struct sonde_annotation_row *row);

#endif
