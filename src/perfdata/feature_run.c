/* SPDX-License-Identifier: MIT */
/* feature_run.c - features that describe the recording itself: times and clocks, compression, where its parts lie. */
#include "perfdata/feature_rows.h"

/* perf writes a count and the entries, simpleperf the entries alone; an entry has 16 bytes. */
int auxtrace_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
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

int auxtrace_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, meta->nr_auxtrace);
	for (size_t i = 0; i < meta->nr_auxtrace; i++) {
		enc_u64(e, meta->auxtrace[i].file_offset);
		enc_u64(e, meta->auxtrace[i].size);
	}
	return 0;
}

int sample_time_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t first = cur_u64(c), last = cur_u64(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	meta->sample_time_first = first;
	meta->sample_time_last = last;
	return 0;
}

int sample_time_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, meta->sample_time_first);
	enc_u64(e, meta->sample_time_last);
	return 0;
}

int clockid_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t res_ns = cur_u64(c);

	(void)a;
	if (cur_ok(c))
		meta->clockid_res_ns = res_ns;
	return feat_status(c);
}

int clockid_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, meta->clockid_res_ns);
	return 0;
}

int dir_format_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t version = cur_u64(c);

	(void)a;
	if (cur_ok(c))
		meta->dir_version = version;
	return feat_status(c);
}

int dir_format_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, meta->dir_version);
	return 0;
}

int compressed_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	__typeof__(meta->compressed) v = { 0 };

	(void)a;
	v.version = cur_u32(c);
	v.type = cur_u32(c);
	v.level = cur_u32(c);
	v.ratio = cur_u32(c);
	v.mmap_len = cur_u32(c);
	if (cur_ok(c))
		meta->compressed = v;
	return feat_status(c);
}

int compressed_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, meta->compressed.version);
	enc_u32(e, meta->compressed.type);
	enc_u32(e, meta->compressed.level);
	enc_u32(e, meta->compressed.ratio);
	enc_u32(e, meta->compressed.mmap_len);
	return 0;
}

#define CLOCK_DATA_VERSION 1

int clock_data_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t version = cur_u32(c);
	__typeof__(meta->clock_data) v = { 0 };

	(void)a;
	if (cur_ok(c) && version != CLOCK_DATA_VERSION)
		return err_set(c->err, SONDE_UNSUPPORTED, c->at - 4, "version %" PRIu32 ", expected %d", version,
			       CLOCK_DATA_VERSION);
	v.clockid = cur_u32(c);
	v.tod_ns = cur_u64(c);
	v.clockid_ns = cur_u64(c);
	if (cur_ok(c))
		meta->clock_data = v;
	return feat_status(c);
}

int clock_data_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, CLOCK_DATA_VERSION);
	enc_u32(e, meta->clock_data.clockid);
	enc_u64(e, meta->clock_data.tod_ns);
	enc_u64(e, meta->clock_data.clockid_ns);
	return 0;
}
