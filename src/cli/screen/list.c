/* SPDX-License-Identifier: MIT */
#include "cli/screen/list.h"

#include "cli/screen/screen.h"

void list_settle(struct list *l)
{
	if (l->selected >= l->n)
		l->selected = l->n ? l->n - 1 : 0;
	if (l->height == 0)
		l->height = 1;
	if (l->selected < l->top)
		l->top = l->selected;
	if (l->selected >= l->top + l->height)
		l->top = l->selected - l->height + 1;
	if (l->top + l->height > l->n)
		l->top = l->n > l->height ? l->n - l->height : 0;
}

bool list_move(struct list *l, int key)
{
	size_t page = l->height > 1 ? l->height - 1 : 1;

	switch (key) {
	case SCREEN_UP:
		l->selected -= l->selected > 0;
		break;
	case SCREEN_DOWN:
		l->selected++;
		break;
	case SCREEN_PAGE_UP:
		l->selected -= l->selected < page ? l->selected : page;
		break;
	case SCREEN_PAGE_DOWN:
		l->selected += page;
		break;
	case SCREEN_FIRST:
		l->selected = 0;
		break;
	case SCREEN_LAST:
		l->selected = l->n;
		break;
	default:
		return false;
	}
	list_settle(l);
	return true;
}
