/* SPDX-License-Identifier: MIT */
/* ascii.h - kinds of characters in the texts of kernels and recorders, whatever a byte above 127 means in
 * the program's locale */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool is_alnum(char c)
{
	return is_alpha(c) || is_digit(c);
}

static inline bool is_xdigit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The value of a hexadecimal digit of either case; -1: it is none. */
static inline int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Blank, tab, and what breaks lines and pages. */
static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_print(char c)
{
	return c >= ' ' && c <= '~';
}

#endif
