/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_notes.h"

#include <sonde/types.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

int annotation_notes_add(struct annotation_notes *notes, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -SONDE_NOMEM;
	text_clean(text, (size_t)n);
	for (size_t i = 0; i < notes->list.n; i++)
		if (strcmp(notes->list.at[i], text) == 0) {
			free(text);
			return 0;
		}
	if (vec_push(&notes->list, text) < 0) {
		free(text);
		return -SONDE_NOMEM;
	}
	return 0;
}

void annotation_notes_free(struct annotation_notes *n)
{
	for (size_t i = 0; i < n->list.n; i++)
		free(n->list.at[i]);
	vec_free(&n->list);
}
