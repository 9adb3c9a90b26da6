/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a line program: every row and every path that comes of it.
 *
 * Byte order, the length of .debug_line_str in two bytes, .debug_line_str, .debug_line.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct line_table *t, size_t size)
{
	size_t sum = 0;

	if (t->rows.n > size)
		abort();
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct line_row *r = &t->rows.at[i];
		const char *path = line_table_path(t, r->file);

		if (i && r[-1].address >= r->address)
			abort();
		if (!r->end != (line_table_find(t, r->address) == r))
			abort();
		sum += path ? strlen(path) : 0;
	}
	if (t->rows.n && (!t->rows.at[t->rows.n - 1].end || sum == SIZE_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unit_lines lines = { .address_size = 8, .comp_dir = "/home" };
	struct debug_sections of = { 0 };
	struct line_table t;
	size_t strings;
	char *text;

	if (size < 3)
		return 0;
	lines.swap = data[0] & 1;
	strings = load_u16(data + 1, false);
	if (strings > size - 3)
		return 0;
	text = malloc(strings + 1);
	if (!text)
		return 0;
	memcpy(text, data + 3, strings);
	text[strings] = '\0';                /* as the reader of sections has it */
	of.sections[DEBUG_STR] = of.sections[DEBUG_LINE_STR] = (struct debug_section_state){
		.size = strings, .read = true, .bytes = { (const uint8_t *)text, strings } };
	lines.strings = &of;
	lines.line = (struct debug_bytes){ data + 3 + strings, size - 3 - strings };
	line_table_read(&t, &lines, NULL);
	use(&t, size);
	line_table_free(&t);
	free(text);
	return 0;
}
