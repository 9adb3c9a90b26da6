/* SPDX-License-Identifier: MIT */
/* losses.c - what scan/ finds wrong with a file becomes rows of the reader's ledger */
#include "tracedat/read/losses.h"

#include "tracedat/scan/rules.h"

/* A rule without a row loses nothing, or another file adds the loss: metadata.c for metadata, extents.c for pages. */
static const struct {
	enum sonde_loss_kind kind;
	const char *text;
} losses[NR_DAT_RULES] = {
	[DAT_CHECK_UNFINISHED] = { SONDE_LOSS_TRUNCATED,
		"recording was never finished: its sections are searched for" },
	[DAT_CHECK_SECTION_CUT] = { SONDE_LOSS_TRUNCATED,
		"{section|sections} {ends|end} past the end of the file: it was cut, or what they say about their "
		"size is wrong" },
	[DAT_CHECK_SECTION_PACKED] = { SONDE_LOSS_TRUNCATED,
		"options {section|sections} that {is|are} cut or damaged" },
	[DAT_CHECK_OPTIONS_CHAIN] = { SONDE_LOSS_TRUNCATED,
		"options {section|sections} {is|are} missing: the file was cut, or what it says about them is wrong" },
	[DAT_CHECK_OPTIONS_CIRCLE] = { SONDE_LOSS_CORRUPT,
		"options {section|sections} that {names|name} one before them as the next" },
	[DAT_CHECK_OPTIONS_END] = { SONDE_LOSS_TRUNCATED,
		"{list|lists} of options that {ends|end} without an end mark" },
	[DAT_CHECK_OPTION_SIZE] = { SONDE_LOSS_FEATURE,
		"{option|options} that {is|are} smaller than what {it|they} {holds|hold}" },
	[DAT_CHECK_OPTION_POINTER] = { SONDE_LOSS_TRUNCATED,
		"{section|sections} that options point to {is|are} not there" },
	[DAT_CHECK_DATA_MARK] = { SONDE_LOSS_TRUNCATED, "no mark where the data of the buffers should begin" },
	[DAT_CHECK_TABLE] = { SONDE_LOSS_TRUNCATED,
		"{table|tables} of where the pages of the CPUs are {ends|end} too early" },
	[DAT_CHECK_TABLE_PLACE] = { SONDE_LOSS_CORRUPT,
		"{buffer|buffers} of instances {is|are} not where {its|their} options say" },
};

int dat_losses_take(void *ctx, const struct sonde_finding *finding)
{
	size_t rule = (size_t)(finding->rule - dat_check_rules);

	if (losses[rule].text)
		ledger_add(ctx, losses[rule].kind, 1, finding->file_offset, SONDE_NONE, -1, "%s", losses[rule].text);
	return 0;
}
