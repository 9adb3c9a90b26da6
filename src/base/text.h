/* SPDX-License-Identifier: MIT */
/* text.h - text of unknown origin: UTF-8, and what must not reach a terminal */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 sequence at s, 0 if there is none (RFC 3629: no surrogates, nothing overlong). */
size_t utf8_length(const uint8_t *s, size_t left);

/* The character of a sequence of that length. */
uint32_t utf8_code(const uint8_t *s, size_t length);

/* Whether a character drives a terminal or turns text around: C0, DEL, C1, bidirectional controls, line and
 * paragraph separators. */
bool utf8_is_control(uint32_t c);

/* Whether it is a name of ASCII letters, digits and underscores, as C and SQL have them. */
bool text_is_identifier(const char *s);

/**
 * text_clean - make '.' of every byte that is not plain text: control bytes, DEL, what is no UTF-8, controls written in
 * UTF-8
 * The length stays, so columns keep their width.
 */
void text_clean(char *s, size_t n);

/* The same for what is not ASCII, where ASCII has been looked at. */
void text_clean_wide(char *s, size_t n);

#endif
