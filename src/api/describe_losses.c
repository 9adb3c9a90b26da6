/* SPDX-License-Identifier: MIT */
/* describe_losses.c - the rows of the loss ledger, for traces of every format */
#include <inttypes.h>

#include "api/describe.h"

static const char *const loss_names[] = {
	[SONDE_LOSS_RECORDER] = "recorder", [SONDE_LOSS_SAMPLES] = "samples", [SONDE_LOSS_THROTTLED] = "throttled",
	[SONDE_LOSS_TRUNCATED] = "truncated", [SONDE_LOSS_CORRUPT] = "corrupt", [SONDE_LOSS_FEATURE] = "feature",
	[SONDE_LOSS_UNKNOWN_ID] = "unknown_id", [SONDE_LOSS_ORDER] = "order", [SONDE_LOSS_UNSUPPORTED] = "unsupported",
};

void describe_losses(struct buf *out, const struct sonde_trace *t, bool counted)
{
	const struct sonde_loss *losses;
	size_t nr = sonde_trace_losses(t, &losses);

	if (nr == 0)
		buf_printf(out, "# losses         : none%s\n", counted ? "" : " known (--count reads the records)");
	for (size_t i = 0; i < nr; i++) {
		buf_printf(out, "# losses         : %" PRIu64 " ", losses[i].count);
		buf_text(out, losses[i].text, strlen(losses[i].text));
		if (losses[i].file_offset != SONDE_NONE)
			buf_printf(out, " (first at offset 0x%" PRIx64 ")", losses[i].file_offset);
		buf_char(out, '\n');
	}
}

void describe_losses_json(struct json *j, const struct sonde_trace *t)
{
	const struct sonde_loss *losses;
	size_t nr = sonde_trace_losses(t, &losses);

	json_key(j, "losses");
	json_array(j);
	for (size_t i = 0; i < nr; i++) {
		json_object(j);
		json_member_text(j, "kind", loss_names[losses[i].kind]);
		describe_u64(j, "count", losses[i].count);
		describe_u64(j, "file_offset", losses[i].file_offset);
		describe_u64(j, "time_first_ns", losses[i].time_first);
		describe_u64(j, "time_last_ns", losses[i].time_last);
		json_key(j, "cpu");
		json_i64(j, losses[i].cpu);
		json_member_text(j, "text", losses[i].text);
		json_end(j);
	}
	json_end(j);
}
