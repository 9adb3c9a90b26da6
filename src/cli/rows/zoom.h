/* SPDX-License-Identifier: MIT */
/* zoom.h - the part of a profile that a screen shows, narrowed step by step; Escape undoes the last step */
#ifndef CLI_ROWS_ZOOM_H
#define CLI_ROWS_ZOOM_H

#include <sonde/export.h>

enum zoom_kind { ZOOM_NAME, ZOOM_THREAD, ZOOM_COMMAND, ZOOM_DSO, ZOOM_FUNCTION, ZOOM_TIME, NR_ZOOM_KINDS };

struct zoom_step {
	enum zoom_kind kind;
	char *text;                  /* shown, and looked for */
	int32_t tid;                 /* of a thread */
};

struct zoom {
	struct zoom_step steps[NR_ZOOM_KINDS];  /* at most one of a kind; the last one is undone first */
	size_t n;
};

/* Narrows further, or otherwise: a step of the same kind goes. 0 or -SONDE_NOMEM */
int zoom_add(struct zoom *z, enum zoom_kind kind, const char *text, int32_t tid);

/* 0 or -SONDE_NOMEM; to be freed in either case */
int zoom_copy(struct zoom *to, const struct zoom *from);

/* Undoes a step. */
void zoom_drop(struct zoom *z, enum zoom_kind kind);

/* NULL: there is no such step. */
const struct zoom_step *zoom_find(const struct zoom *z, enum zoom_kind kind);

/* Sets the filters of a report; they point into @z. Steps of time are the reader's. */
void zoom_apply(const struct zoom *z, struct sonde_export_opts *opts, struct sonde_report_opts *report);

/* "  binary: libc.so.6  function: mem": every step, in order */
void zoom_describe(const struct zoom *z, char *text, size_t size);

void zoom_free(struct zoom *z);

#endif
