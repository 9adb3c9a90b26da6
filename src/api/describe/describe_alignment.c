/* SPDX-License-Identifier: MIT */
#include "api/describe/describe_alignment.h"

#include <inttypes.h>

#define NS_PER_SECOND 1000000000

void describe_alignment(struct buf *out, const struct sonde_trace *t)
{
	const struct sonde_alignment *a = sonde_trace_alignment(t);
	uint64_t ns;

	if (!a)
		return;
	ns = a->offset_ns < 0 ? -(uint64_t)a->offset_ns : (uint64_t)a->offset_ns;
	buf_printf(out, "# clock offset   : %s%" PRIu64 ".%09" PRIu64 " s: %s\n", a->offset_ns < 0 ? "-" : "",
		   ns / NS_PER_SECOND, ns % NS_PER_SECOND, a->text);
}

void describe_alignment_json(struct json *j, const struct sonde_trace *t)
{
	static const char *const words[] = {
		[SONDE_ALIGNED_NOT] = "none", [SONDE_ALIGNED_FIRST] = "first", [SONDE_ALIGNED_GIVEN] = "given",
		[SONDE_ALIGNED_SESSION] = "session", [SONDE_ALIGNED_GUEST] = "guest",
		[SONDE_ALIGNED_SAME_CLOCK] = "same_clock", [SONDE_ALIGNED_SCHEDULER] = "scheduler",
		[SONDE_ALIGNED_WALL] = "wall_clock",
	};
	const struct sonde_alignment *a = sonde_trace_alignment(t);

	if (!a)
		return;
	json_key(j, "clock_offset");
	json_object(j);
	json_key(j, "ns");
	json_i64(j, a->offset_ns);
	json_member_text(j, "fact", words[a->fact]);
	json_end(j);
}
