/* SPDX-License-Identifier: MIT */
/* feature_run.c - features that describe the recording itself: times and clocks, compression, where its parts lie. */
#include "perfdata/format/feature_run.h"

#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* perf writes a count and the entries, simpleperf the entries alone; an entry has 16 bytes. */
int auxtrace_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_left(c) % 16 ? cur_u64(c) : cur_left(c) / 16, 16);
	struct sonde_auxtrace_index *index = feat_array(c, a, nr, sizeof(*index));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		index[i].file_offset = cur_u64(c);
		index[i].size = cur_u64(c);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->auxtrace = index;
	meta->nr_auxtrace = nr;
	return 0;
}

static void print_seconds(struct buf *out, uint64_t ns)
{
	buf_printf(out, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_S, ns % NS_PER_S / 1000);
}

void sample_time_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# time of first sample : ");
	print_seconds(out, meta->sample_time_first);
	buf_str(out, "\n# time of last sample : ");
	print_seconds(out, meta->sample_time_last);
	buf_printf(out, "\n# sample duration : %10.3f ms\n",
		   (double)(meta->sample_time_last - meta->sample_time_first) / 1e6);
}

void clockid_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# clockid frequency: %g MHz\n",
		   meta->clockid_res_ns ? 1e3 / (double)meta->clockid_res_ns : 0.0);
}

void dir_format_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# directory data version : %" PRIu64 "\n", meta->dir_version);
}

#define COMPRESSED_ZSTD 1

void compressed_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
		   meta->compressed.type == COMPRESSED_ZSTD ? "Zstd" : "Unknown", meta->compressed.level,
		   meta->compressed.ratio);
}

/* CLOCK_* of <linux/time.h> that perf can record with, in perf's spelling. */
static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case 0: return "realtime";
	case 1: return "monotonic";
	case 4: return "monotonic_raw";
	case 7: return "boottime";
	case 11: return "tai";
	default: return "unknown";
	}
}

void clock_data_print(struct buf *out, const struct meta *meta)
{
	time_t tod = (time_t)(meta->clock_data.tod_ns / NS_PER_S);
	const char *clock = clock_name(meta->clock_data.clockid);
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&tod, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	buf_printf(out, "# clockid: %s (%" PRIu32 ")\n", clock, meta->clock_data.clockid);
	buf_printf(out, "# reference time: %s.%06" PRIu64 " = ", date, meta->clock_data.tod_ns % NS_PER_S / 1000);
	print_seconds(out, meta->clock_data.tod_ns);
	buf_printf(out, " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n", meta->clock_data.clockid_ns / NS_PER_S,
		   meta->clock_data.clockid_ns % NS_PER_S, clock);
}

void clock_data_json(struct json *j, const struct meta *meta)
{
	json_object(j);
	json_member_u64(j, "clockid", meta->clock_data.clockid);
	json_member_text(j, "clock", clock_name(meta->clock_data.clockid));
	json_member_u64(j, "tod_ns", meta->clock_data.tod_ns);
	json_member_u64(j, "clockid_ns", meta->clock_data.clockid_ns);
	json_end(j);
}
