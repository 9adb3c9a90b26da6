/* SPDX-License-Identifier: MIT */
#include "perfdata/read/losses.h"

#include <stdio.h>

#include "perfdata/format/record.h"

/*
 * A rule without a row costs nothing. The first row that fits counts. A text that ends with a space goes on
 * with what was found.
 */
static const struct loss {
	enum check_rule rule;
	const char *where;           /* NULL: anywhere */
	uint64_t at;                 /* 0: anywhere */
	enum sonde_loss_kind kind;
	const char *text;
} losses[] = {
	{ CHECK_UNFINISHED, NULL, FEATURES_AT, SONDE_LOSS_TRUNCATED,
	  "recording was never finished (killed, or still recording): build ids, the times of the first and the "
	  "last sample and up to half a second of records are missing" },
	{ CHECK_UNFINISHED, NULL, 0, SONDE_LOSS_TRUNCATED,
	  "recording was never finished: header features are missing, records are read up to the end of the file" },
	{ CHECK_SECTION_OUTSIDE, "data", 0, SONDE_LOSS_TRUNCATED, LAYOUT_DATA_CUT },
	{ CHECK_SECTION_OUTSIDE, "attrs", 0, SONDE_LOSS_TRUNCATED,
	  "{byte|bytes} of the attrs section {is|are} missing" },
	{ CHECK_SECTION_OUTSIDE, "ids", 0, SONDE_LOSS_CORRUPT,
	  "{byte|bytes} of event ids {lies|lie} outside the file, or {is|are} more than it can hold" },
	{ CHECK_SECTION_OUTSIDE, NULL, 0, SONDE_LOSS_FEATURE,
	  "header {feature|features} that {lies|lie} outside the file" },
	{ CHECK_IDS_SHARED, NULL, 0, SONDE_LOSS_CORRUPT,
	  "{byte|bytes} of event ids {lies|lie} outside the file, or {is|are} more than it can hold" },
	{ CHECK_ATTR_ZERO, NULL, 0, SONDE_LOSS_CORRUPT, "{attr|attrs} of zeros, which {describes|describe} no event" },
	{ CHECK_BUNDLE_CUT, NULL, 0, SONDE_LOSS_TRUNCATED,
	  "bundle {is|are} cut: names and lines are looked for on this machine" },
	{ CHECK_FEATURE_TABLE, NULL, 0, SONDE_LOSS_FEATURE,
	  "header {feature|features} {is|are} missing: the file ends before their table does" },
	{ CHECK_FEATURE_SIZE, NULL, 0, SONDE_LOSS_FEATURE,
	  "header {feature|features} that {is|are} larger than 256 MiB, or than what the file holds" },
	{ CHECK_FEATURE_CORRUPT, NULL, 0, SONDE_LOSS_FEATURE, "header feature not read: " },
	{ CHECK_FEATURE_NEEDS, NULL, 0, SONDE_LOSS_FEATURE, "header feature not read: " },
};

static bool fits(const struct loss *row, const struct sonde_finding *finding)
{
	return finding->rule == &check_rules[row->rule] && (!row->where || strcmp(row->where, finding->where) == 0) &&
	       (!row->at || row->at == finding->file_offset);
}

int perfdata_losses_take(void *ctx, const struct sonde_finding *finding)
{
	const struct losses *to = ctx;
	const struct loss *row = losses;

	while (row < losses + ARRAY_SIZE(losses) && !fits(row, finding))
		row++;
	if (row < losses + ARRAY_SIZE(losses))
		ledger_add(to->ledger, row->kind, to->layout->lost.count, to->layout->lost.at, SONDE_NONE, -1, "%s%s",
			   row->text, row->text[strlen(row->text) - 1] == ' ' ? finding->found : "");
	return 0;
}

/* Their text is the name of the damage. */
static enum sonde_loss_kind kind_of(enum check_rule rule)
{
	return rule == CHECK_RECORD_CUT         ? SONDE_LOSS_TRUNCATED :
		rule == CHECK_RECORD_COMPRESSED ? SONDE_LOSS_UNSUPPORTED :
						  SONDE_LOSS_CORRUPT;
}

/* Where the damage begins with the header of a record of a known type: its name and number, and what its size says. */
static void describe_header(struct ledger *l, const struct scanned *damage)
{
	const struct record_type *row = record_type_find(damage->h.type);
	char text[96];
	int n;

	if (!row)
		return;
	n = snprintf(text, sizeof(text), "%s (%u) of %u bytes", row->name, damage->h.type, damage->h.size);
	if (damage->h.size < row->min_size)
		snprintf(text + n, sizeof(text) - (size_t)n, ", where %u or more are needed", row->min_size);
	ledger_describe_first(l, damage->at, text);
}

void losses_add_damage(struct ledger *l, const struct scanned *damage, const char *part)
{
	bool zeros = damage->rule == CHECK_RECORD_UNWRITTEN;

	losses_add(l, kind_of(damage->rule), damage->bytes, damage->at,
		   zeros ? "{byte|bytes} that {is|are} no {record|records}" : damage->name, part);
	if (damage->rule == CHECK_RECORD_GARBAGE && damage->bytes >= RECORD_HEADER_BYTES)
		describe_header(l, damage);
}

void losses_add(struct ledger *l, enum sonde_loss_kind kind, uint64_t count, uint64_t place, const char *name,
		const char *part)
{
	if (part)
		ledger_add(l, kind, count, place, SONDE_NONE, -1, "%s (in %s)", name, part);
	else
		ledger_add(l, kind, count, place, SONDE_NONE, -1, "%s", name);
}
