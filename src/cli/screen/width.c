/* SPDX-License-Identifier: MIT */
#include "cli/screen/width.h"

#include <stdint.h>

size_t width_next(const char *text, size_t left, wchar_t *out)
{
	mbstate_t state = { 0 };
	size_t n;

	if (*text >= ' ' && *text <= '~') {  /* most text, and much faster */
		*out = *text;
		return 1;
	}
	n = mbrtowc(out, text, left, &state);
	if (n == 0 || n > left || wcwidth(*out) < 0) {
		*out = L'?';
		n = 1;
	}
	return n;
}

size_t width_cut(const char *text, size_t n, size_t room, size_t *used)
{
	size_t at = 0, bytes;
	wchar_t c;

	for (*used = 0; at < n; at += bytes) {
		bytes = width_next(text + at, n - at, &c);
		if (*used + (size_t)wcwidth(c) > room)
			break;
		*used += (size_t)wcwidth(c);
	}
	return at;
}

size_t width_of(const char *text, size_t n)
{
	size_t used;

	width_cut(text, n, SIZE_MAX, &used);
	return used;
}
