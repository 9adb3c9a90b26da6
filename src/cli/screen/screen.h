/* SPDX-License-Identifier: MIT */
/*
 * screen.h - a screen of lines on a terminal, and keys: what every view of sonde on a terminal shares
 *
 * The terminal is restored after a crash, too. A build without ncurses has no screen.
 */
#ifndef CLI_SCREEN_SCREEN_H
#define CLI_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* How a part of the screen looks: theme.h. */
enum screen_style {
	SCREEN_PLAIN,
	SCREEN_TITLE,                /* titles of columns, and the line at the bottom */
	SCREEN_SELECTED,
	SCREEN_HOT,                  /* a share from 5 percent on */
	SCREEN_WARM,                 /* from 0.5 percent on */
	SCREEN_FAINT,
	SCREEN_WARNING,
	SCREEN_STYLES,
};

/* Keys; others are the characters themselves. */
enum screen_key {
	SCREEN_NO_KEY = -1,
	SCREEN_UP = 1000, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_FIRST, SCREEN_LAST,
	SCREEN_LEFT, SCREEN_RIGHT, SCREEN_TAB, SCREEN_BACK_TAB,
	SCREEN_ENTER, SCREEN_ESCAPE, SCREEN_BACKSPACE, SCREEN_HELP, SCREEN_RESIZED,
};

/* Takes the terminal over. False if the terminal is not known; it is as before then. */
bool screen_begin(void);
void screen_end(void);

int screen_rows(void);
int screen_columns(void);

/* One line, cut at the right; control bytes and bytes that are no text become '?'. */
void screen_line(int row, enum screen_style style, const char *text);

/* The same, with another style for the first @n bytes. */
void screen_line_with_head(int row, enum screen_style head, size_t n, enum screen_style style, const char *text);

/* Empties the screen; it is drawn anew. */
void screen_clear(void);

/* Shows what was drawn. */
void screen_show(void);

/* Waits for a key, at most @ms, or until @wake_fd is readable. SCREEN_NO_KEY: none came. */
int screen_key(int ms, int wake_fd);

/* Whether Escape was pressed. Other keys stay for screen_key(), in their order. */
bool screen_escaped(int wake_fd);

/*
 * Asks for a line of text at the bottom. @redraw draws the lines above, when the terminal has another size. False if
 * Escape was pressed, or @wake_fd became readable.
 */
bool screen_ask(const char *question, char *text, size_t size, int wake_fd, void (*redraw)(void *ctx), void *ctx);

#endif
