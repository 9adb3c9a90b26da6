/* SPDX-License-Identifier: MIT */
/* grid_draw.h - draws a grid */
#ifndef CLI_ROWS_GRID_DRAW_H
#define CLI_ROWS_GRID_DRAW_H

#include "cli/rows/grid.h"

/* @heading: the first line; @state: words at the bottom before all others, "" for none */
void grid_draw(struct grid *t, const char *heading, const char *state);

#endif
