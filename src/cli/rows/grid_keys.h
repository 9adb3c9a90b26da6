/* SPDX-License-Identifier: MIT */
/* grid_keys.h - the keys that every grid has */
#ifndef CLI_ROWS_GRID_KEYS_H
#define CLI_ROWS_GRID_KEYS_H

#include "cli/rows/grid.h"

/* Obeys a key of screen.h; false if it is not one of every grid. */
bool grid_obey(struct grid *t, int key);

#endif
