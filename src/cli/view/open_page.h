/* SPDX-License-Identifier: MIT */
/*
 * open_page.h - a browser for an address with a secret
 *
 * Other users see the words of a command line, so the browser gets a file that only its owner reads, and which leads to
 * the address.
 */
#ifndef CLI_VIEW_OPEN_PAGE_H
#define CLI_VIEW_OPEN_PAGE_H

#include <sonde/types.h>

struct opened_page {
	char path[512];                /* "": there is no file */
};

/* Starts xdg-open. 0, or the negative errno. */
int open_page(struct opened_page *page, const char *url);

/* Removes the file. */
void open_page_end(struct opened_page *page);

/* Whether there is a screen for a browser: of X or Wayland. */
bool open_page_is_likely(void);

#endif
