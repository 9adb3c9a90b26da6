/* SPDX-License-Identifier: MIT */
/*
 * grid.h - a report on a screen: rows that open, filters, sort keys, other events
 *
 * `sonde report` and `sonde top` share the grid. The program has the profile, the first line of the screen and a loop
 * that waits for keys.
 */
#ifndef CLI_ROWS_GRID_H
#define CLI_ROWS_GRID_H

#include <pthread.h>
#include <sonde/annotate.h>
#include <sonde/report.h>

#include "cli/base/keys.h"
#include "cli/rows/layout.h"
#include "cli/rows/rows.h"
#include "cli/rows/zoom.h"
#include "cli/screen/list.h"

/* The sort keys of a report without --sort; "" stands for them in struct grid. */
#define GRID_USUAL_SORT "comm,dso,sym"

struct grid {
	/* the program's */
	struct sonde_profile *profile;
	pthread_mutex_t *lock;       /* of a profile that changes: held while it is looked at; NULL: nothing changes */
	int wake_fd;                 /* readable: a question to the user is over */
	enum key_view keys;
	const char *title;           /* of the help */
	/* as the command line has them; the keys change some of the report */
	struct sonde_export_opts opts;
	struct sonde_report_opts report;
	bool trees;                  /* show call trees, if there are stacks */
	struct sonde_annotate_opts code;     /* how the code of a function is shown */
	uint32_t by;                 /* the profile keeps these values */
	/*
	 * Gathers the samples of a range of time anew, NULL: all, and keeps more values. Sets `profile` and `by`.
	 * 0, or negative with a notice. NULL: the program cannot.
	 */
	int (*gather)(struct grid *t, uint32_t by, const char *time);
	void *ctx;
	const char *empty;           /* shown if there are no samples */
	const char *heading;         /* the first line */
	const char *state;           /* words at the bottom before all others, "" for none */

	/* the grid's */
	size_t event;
	const char *first_sort;
	char sort[256];
	struct zoom zoom;
	bool no_titles;
	bool binaries;               /* call trees have the names of binaries too */
	struct rows rows;
	struct row_layout layout;
	struct list list;
	char notice[512];            /* shown once at the bottom */
	/* long work: Escape ends it, and what was shown before stays */
	uint64_t work_from_ms;       /* when it began, by the time of the CPU */
	int percent;                 /* that is shown */
	bool stopped;
	bool begun;                  /* there were rows */
	bool quit;
	int failed;                  /* 0 or -SONDE_NOMEM, which ends the view */
};

/* After the program's members are set. */
void grid_begin(struct grid *t);

/*
 * Makes the rows anew; the selection stays on its row. If Escape ends that, `stopped` is set and the rows stay; the
 * first rows end the view then.
 */
void grid_make(struct grid *t);

/* Makes the lines anew, after rows were opened or closed. `stopped`: grid_return() is due. */
void grid_relist(struct grid *t);

/* The state that a key may change, so that stopped work leaves no trace. */
struct grid_state {
	struct sonde_report_opts report;
	char sort[256];
	struct zoom zoom;
	struct list list;
	struct folds folds;
	size_t event;
	bool all_open;
};

/* A copy of the state, to be freed; or to be returned to. 0 or -SONDE_NOMEM */
int grid_remember(const struct grid *t, struct grid_state *s);
void grid_return(struct grid *t, struct grid_state *s);
void grid_forget(struct grid_state *s);

/* The event that is shown; NULL if there is none. The lock is held. */
const struct sonde_profile_event *grid_event(const struct grid *t);

/* How many events from this one on are side by side in its table, also those without samples. The lock is held. */
size_t grid_group_size(const struct grid *t, size_t event);

/* The options of the report that is shown: views of the grid, and of @report. The lock is held. */
struct sonde_export_opts grid_opts(const struct grid *t, struct sonde_report_opts *report);

/* Whether the sort keys have one of these words; of a row in a hierarchy, its keys. */
bool grid_row_has(const struct grid *t, const struct row *row, const char *word, const char *other);

/* The selected line; NULL if there is none. */
const struct rows_line *grid_selected(const struct grid *t);

/* Whether rows can be opened; else the reason is shown. */
bool grid_has_trees(struct grid *t);

/* Shows a sentence at the bottom until a key is pressed. */
#define grid_tell(t, ...) snprintf((t)->notice, sizeof((t)->notice), __VA_ARGS__)

enum { GRID_ANSWER = 256 };          /* bytes of most answers */

/* Asks for a line of text at the bottom; @answer has the text to begin with. False if the user wants none. */
bool grid_ask(struct grid *t, const char *question, char *answer, size_t size);

void grid_lock(struct grid *t);
void grid_unlock(struct grid *t);

void grid_free(struct grid *t);

#endif
