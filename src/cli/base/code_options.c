/* SPDX-License-Identifier: MIT */
#include "cli/base/code_options.h"

#include <string.h>

#include "cli/base/message.h"

struct code_words code_words;

static const struct { const char *word; enum sonde_annotate_percent type; } percent_types[] = {
	{ "local-period", SONDE_PERCENT_LOCAL_PERIOD }, { "local-hits", SONDE_PERCENT_LOCAL_HITS },
	{ "global-period", SONDE_PERCENT_GLOBAL_PERIOD }, { "global-hits", SONDE_PERCENT_GLOBAL_HITS },
};

static int read_percent_type(struct sonde_annotate_opts *opts)
{
	const char *word = code_words.percent_type;

	for (size_t i = 0; i < sizeof(percent_types) / sizeof(*percent_types); i++)
		if (!word || strcmp(percent_types[i].word, word) == 0) {
			opts->percent = percent_types[i].type;
			return 0;
		}
	return say_usage("--percent-type takes local-period, local-hits, global-period or global-hits, not '%s'", word);
}

int code_options_read(struct sonde_annotate_opts *opts)
{
	const char *style = code_words.style;
	int status = read_percent_type(opts);

	if (status)
		return status;
	if (style && strcmp(style, "att") != 0 && strcmp(style, "intel") != 0)
		return say_usage("-M takes att or intel, not '%s'", style);
	if (code_words.prefix_strip > UINT32_MAX)
		return say_usage("--prefix-strip takes a number below 4294967296");
	opts->sz = sizeof(*opts);
	opts->intel = style && strcmp(style, "intel") == 0;
	opts->source_prefix = code_words.prefix;
	opts->source_prefix_strip = (uint32_t)code_words.prefix_strip;
	opts->source_dirs = code_words.source_dirs.at;
	opts->nr_source_dirs = code_words.source_dirs.n;
	return 0;
}
