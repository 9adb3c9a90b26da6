/* SPDX-License-Identifier: MIT */
#include "cli/base/event_error.h"

#include <sonde/text.h>

#include <stdio.h>
#include <string.h>

#include "cli/base/command.h"

#define WIDTH 76                     /* of the shown part of a long text */

int say_bad_event(const char *text, const struct sonde_error *e)
{
	size_t len = strlen(text), first = 0, shown;
	char part[WIDTH + 1], lines[3 * WIDTH];

	if (e->file_offset > len)
		return say_usage("%s", e->text);
	if (len > WIDTH && e->file_offset > WIDTH / 2)
		first = e->file_offset - WIDTH / 2;
	shown = len - first < WIDTH ? len - first : WIDTH;
	memcpy(part, text + first, shown);
	part[shown] = '\0';
	sonde_text_clean(part, shown);
	snprintf(lines, sizeof(lines), "  %s%s%s\n  %*s^\n", first ? ".." : "", part,
		 first + shown < len ? ".." : "", (int)(e->file_offset - first + (first ? 2 : 0)), "");
	return say_usage_lines(e->text, lines);
}
