/* SPDX-License-Identifier: MIT */
/* grid_draw.h - draws a grid */
#ifndef CLI_ROWS_GRID_DRAW_H
#define CLI_ROWS_GRID_DRAW_H

#include "cli/rows/grid.h"

/* Draws the grid with its heading and state. */
void grid_draw(struct grid *t);

#endif
