/* SPDX-License-Identifier: MIT */
#include "api/describe/describe_losses.h"

#include <inttypes.h>

#include "api/describe/describe.h"
#include "model/ledger.h"

void describe_losses(struct buf *out, const struct sonde_trace *t, bool counted)
{
	const struct sonde_loss *loss;

	if (sonde_trace_loss_count(t) == 0)
		buf_printf(out, "# losses         : none%s\n", counted ? "" : " known (--count reads the records)");
	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++) {
		buf_printf(out, "# losses         : %" PRIu64 " ", loss->count);
		buf_text(out, loss->text, strlen(loss->text));
		if (loss->file_offset != SONDE_NONE)
			buf_printf(out, " (first at offset 0x%" PRIx64 ")", loss->file_offset);
		buf_char(out, '\n');
	}
}

void describe_losses_json(struct json *j, const struct sonde_trace *t)
{
	const struct sonde_loss *loss;

	json_key(j, "losses");
	json_array(j);
	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++) {
		json_object(j);
		json_member_text(j, "kind", ledger_kind_name(loss->kind));
		describe_u64(j, "count", loss->count);
		describe_u64(j, "file_offset", loss->file_offset);
		describe_u64(j, "time_first_ns", loss->time_first);
		describe_u64(j, "time_last_ns", loss->time_last);
		json_key(j, "cpu");
		json_i64(j, loss->cpu);
		json_member_text(j, "text", loss->text);
		json_end(j);
	}
	json_end(j);
}
