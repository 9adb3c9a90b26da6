/* SPDX-License-Identifier: MIT */
/* width.h - columns of text on a screen, by the locale of the program */
#ifndef CLI_SCREEN_WIDTH_H
#define CLI_SCREEN_WIDTH_H

#include <stddef.h>
#include <wchar.h>

/* The next character of a text of @left bytes, 1 or more, and its bytes; '?' for bytes that are no text. */
size_t width_next(const char *text, size_t left, wchar_t *out);

/* Columns of @n bytes. */
size_t width_of(const char *text, size_t n);

/* Bytes that fit @room columns; a character of two columns is not split. @used: columns of these bytes */
size_t width_cut(const char *text, size_t n, size_t room, size_t *used);

#endif
