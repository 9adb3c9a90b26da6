/* SPDX-License-Identifier: MIT */
/* grid_zoom.h - the keys by which a grid shows some of the rows only */
#ifndef CLI_ROWS_GRID_ZOOM_H
#define CLI_ROWS_GRID_ZOOM_H

#include "cli/rows/grid.h"

void grid_ask_name(struct grid *t);

/* Of the selected line. */
void grid_zoom_to_task(struct grid *t);
void grid_zoom_to_dso(struct grid *t);
void grid_zoom_to_kernel(struct grid *t);
void grid_zoom_to_function(struct grid *t);

/* For a grid whose program can gather samples anew. */
void grid_ask_time(struct grid *t);

/* Undoes the last step. */
void grid_go_back(struct grid *t);

void grid_ask_limit(struct grid *t);
void grid_turn_share(struct grid *t);

#endif
