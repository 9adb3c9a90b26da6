/* SPDX-License-Identifier: MIT */
/*
 * tracefmt_filter.c - the text of a filter, a NUL, and the raw bytes of a record it is applied to, in both byte orders
 *
 * Texts in which what is repeated may be repeated, as in regular expressions, are passed over: those are the C
 * library's, which takes its time and memory for them.
 */
#include <stdlib.h>

#include "tracefmt/filter/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char format[] =
	"name: fuzz\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:s64 number;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 list[2];\toffset:40;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->number\n";

static void apply(const char *text, struct sonde_bytes raw, bool big_endian)
{
	struct tracefmt *t = tracefmt_new(big_endian, 8);
	struct tracefmt_filter *f = NULL;
	struct sonde_error err = { 0 };

	if (t && tracefmt_add_format(t, "fuzz", (struct sonde_str){ format, sizeof(format) - 1 }, NULL) == 0 &&
	    tracefmt_filter_new(&f, text, &err) == 0) {
		struct tracefmt_candidate record = {
			.event = tracefmt_event_at(t, 0), .raw = raw, .comm = "fuzz", .cpu = 1
		};

		if (tracefmt_filter_names(f, record.event) &&
		    tracefmt_filter_match(f, &record) != tracefmt_filter_match(f, &record))
			abort();
	} else if (t && !err.text[0]) {
		abort();  /* refused without a word */
	}
	tracefmt_filter_free(f);
	tracefmt_free(t);
}

static bool has_nested_repetition(const char *text)
{
	for (; *text; text++)
		if (*text == '{' || (strchr("*+?)", *text) && text[1] && strchr("*+?", text[1])))
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t left = nul ? size - (size_t)(nul - data) - 1 : 0;
	uint8_t *raw;

	if (!nul || has_nested_repetition((const char *)data))
		return 0;
	raw = malloc(left + !left);   /* a copy of its own, so that a read beyond it is seen */
	if (!raw)
		return 0;
	memcpy(raw, nul + 1, left);
	for (int big_endian = 0; big_endian < 2; big_endian++)
		apply((const char *)data, (struct sonde_bytes){ raw, left }, big_endian);
	free(raw);
	return 0;
}
