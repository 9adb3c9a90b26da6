/* SPDX-License-Identifier: MIT */
/* list.h - the selected line of a list that is longer than the screen */
#ifndef CLI_SCREEN_LIST_H
#define CLI_SCREEN_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	size_t n;                    /* lines */
	size_t selected, top;        /* top: the first one on the screen */
	size_t height;               /* lines on the screen */
};

/* Obeys a key that moves the selection; false for other keys. */
bool list_move(struct list *l, int key);

/* Keeps the selection in the list, and on the screen; after any change of the list. */
void list_settle(struct list *l);

#endif
