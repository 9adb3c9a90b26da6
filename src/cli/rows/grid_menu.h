/* SPDX-License-Identifier: MIT */
/* grid_menu.h - the menu of a line: the keys that make sense there, with the names that they are about */
#ifndef CLI_ROWS_GRID_MENU_H
#define CLI_ROWS_GRID_MENU_H

#include "cli/rows/grid.h"

/* Shows the menu until a line or key of it is chosen. Returns that key; SCREEN_NO_KEY: none. */
int grid_menu(struct grid *t);

#endif
