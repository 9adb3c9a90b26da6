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

/* How a part of the screen looks; with colours that colour-blind people tell apart, and bold or reverse without. */
enum screen_style {
	SCREEN_PLAIN,
	SCREEN_TITLE,                /* titles of columns, and the line at the bottom */
	SCREEN_SELECTED,
	SCREEN_HOT,                  /* a share from 5 percent on */
	SCREEN_WARM,                 /* from 0.5 percent on */
	SCREEN_FAINT,
	SCREEN_WARNING,
};

/* Keys; others are the characters themselves. */
enum screen_key {
	SCREEN_NO_KEY = -1,
	SCREEN_UP = 1000, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_FIRST, SCREEN_LAST,
	SCREEN_ENTER, SCREEN_ESCAPE, SCREEN_BACKSPACE, SCREEN_HELP, SCREEN_RESIZED,
};

/* A key of a view, for its help. */
struct screen_help {
	const char *keys, *text;
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

/* Shows what was drawn. */
void screen_show(void);

/* Waits for a key, at most @ms, or until @wake_fd is readable. SCREEN_NO_KEY: none came. */
int screen_key(int ms, int wake_fd);

/* Asks for a line of text at the bottom. False if Escape was pressed, or @wake_fd became readable. */
bool screen_ask(const char *question, char *text, size_t size, int wake_fd);

/* Shows keys and their meaning until a key is pressed. @rows ends with a row of NULLs */
void screen_explain(const char *title, const struct screen_help *rows, int wake_fd);

#endif
