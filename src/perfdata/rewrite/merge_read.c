/* SPDX-License-Identifier: MIT */
/*
 * merge_read.c - one read_format for all events of a merged file, and the counts of samples and READ records in it
 *
 * A count that some inputs did not measure is left out of the others, never made up. Groups decide: a single count is a
 * group of one, but the counts of a group cannot be taken apart into records that nobody wrote. An id is no
 * measurement: that of a single count is the one of its record.
 */
#include "perfdata/rewrite/merge_read.h"

#include <stdio.h>


#define READ_KNOWN (READ_ENABLED | READ_RUNNING | READ_ID | READ_GROUP | READ_LOST)

uint64_t merge_stream_id(const struct merge_input *in, uint64_t id)
{
	uint32_t at = u64map_get(&in->ids, id);

	return at != U64MAP_NONE ? in->new_ids.at[at] : id;
}

static const struct sonde_attr *attr_of(const struct merge_input *in, size_t k)
{
	return &((const struct evsel *)in->reader->evsels.at[k])->attr;
}

/* ---- the format ---- */

static bool in_samples(const struct sonde_attr *a)
{
	return (a->sample_type & SAMPLE_READ) != 0;
}

/* The read formats of some events. */
struct readings {
	uint64_t common, any;        /* bits of the formats: of all, of any */
	size_t nr;
	const struct merge_input *nameless, *unknown;  /* has groups without ids, or bits that are not known */
	uint64_t unknown_bits;
};

static void note_reading(struct readings *r, const struct merge_input *in, uint64_t format)
{
	r->common &= format;
	r->any |= format;
	r->nr++;
	if ((format & (READ_GROUP | READ_ID)) == READ_GROUP)
		r->nameless = in;
	if (format & ~(uint64_t)READ_KNOWN) {
		r->unknown = in;
		r->unknown_bits = format & ~(uint64_t)READ_KNOWN;
	}
}

/* The read formats of the events whose attr has SAMPLE_READ in sample_type, or one of @flags. */
static struct readings readings_of(const struct merge *m, uint64_t flags)
{
	struct readings r = { .common = UINT64_MAX };

	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			if (in_samples(&m->in[i].attrs[k]) || m->in[i].attrs[k].flags & flags)
				note_reading(&r, &m->in[i], m->in[i].attrs[k].read_format);
	return r;
}

/* The one before which counts are of another shape: named in what is said. */
static const char *other_than(const struct merge *m, const struct merge_input *in)
{
	return in == &m->in[0] && m->nr_in > 1 ? m->in[1].name : m->in[0].name;
}

/* The format that all can be brought to; negative if there is none. */
static int common_format(struct merge *m, uint64_t *out)
{
	struct readings samples = readings_of(m, 0), r;

	/*
	 * readers of READ records expect no groups there: where samples have some, those records have no say, see
	 * merge_record()
	 */
	r = samples.any & READ_GROUP ? samples : readings_of(m, SONDE_ATTR_INHERIT_STAT);
	if (r.nr == 0)
		*out = m->in[0].attrs[0].read_format;
	else
		*out = r.common;
	if (r.nr == 0 || r.common == r.any)
		return 0;
	if (r.unknown)
		return err_set(&m->handle->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%s: its counts are in a read_format with bits that are not known (%#llx), and cannot "
			       "be brought to that of %s: keep them "
			       "in files of their own",
			       r.unknown->name, (unsigned long long)r.unknown_bits, other_than(m, r.unknown));
	if (r.nameless)
		return err_set(&m->handle->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%s: its samples have counts of groups without ids, so that nothing says which is whose "
			       "beside those of %s: keep them in "
			       "files of their own, or record with PERF_FORMAT_ID",
			       r.nameless->name, other_than(m, r.nameless));
	*out |= r.any & READ_GROUP;
	if (samples.nr)  /* readers insist on it */
		*out |= READ_ID;
	return 0;
}

static void name_lost(char *names, size_t n, uint64_t bits)
{
	static const struct { uint64_t bit; const char *name; } rows[] = {
		{ READ_ENABLED, "time_enabled" }, { READ_RUNNING, "time_running" }, { READ_ID, "id" },
		{ READ_LOST, "lost" },
	};
	size_t at = 0;

	names[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(rows) && at < n; i++)
		if (bits & rows[i].bit)
			at += (size_t)snprintf(names + at, n - at, "%s%s", at ? ", " : "", rows[i].name);
}

/* Parts of the counts of an input that are lost. */
static void tell_lost(struct merge *m, const struct merge_input *in, uint64_t format)
{
	uint64_t lost = 0, flags = format & READ_GROUP ? 0 : SONDE_ATTR_INHERIT_STAT;
	char names[64];
	size_t nr = 0;

	for (size_t k = 0; k < in->nr_events; k++) {
		const struct sonde_attr *a = attr_of(in, k);

		if ((in_samples(a) || a->flags & flags) && a->read_format & ~format) {
			lost |= a->read_format & ~format;
			nr++;
		}
	}
	if (!nr)
		return;
	name_lost(names, sizeof(names), lost);
	ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, nr, SONDE_NONE, SONDE_NONE, -1,
		   "{event|events} whose counts were read with %s, which those of other events were not: left out, in "
		   "%s",
		   names, in->name);
}

int merge_read_format(struct merge *m)
{
	uint64_t format;
	int r = common_format(m, &format);

	for (size_t i = 0; r == 0 && i < m->nr_in; i++) {
		tell_lost(m, &m->in[i], format);
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			m->in[i].attrs[k].read_format = format;
	}
	return r;
}

/* ---- counts ---- */

static uint8_t *put(const struct merge *m, uint8_t *p, bool wanted, uint64_t v)
{
	if (!wanted)
		return p;
	v = m->swap ? bswap_64(v) : v;
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static uint8_t *put_times(const struct merge *m, uint8_t *p, uint64_t format, const struct read_counts *read)
{
	p = put(m, p, format & READ_ENABLED, read->time_enabled);
	return put(m, p, format & READ_RUNNING, read->time_running);
}

bool merge_read_fits(uint64_t from, uint64_t to)
{
	if (from & READ_GROUP && (!(to & READ_GROUP) || (to & ~from & READ_ID)))
		return false;
	return !((from | to) & ~(uint64_t)READ_KNOWN) && !(to & ~from & ~(uint64_t)(READ_GROUP | READ_ID));
}

int merge_read(const struct merge *m, const struct merge_input *in, const struct read_change *c, const uint8_t **p,
	       const uint8_t *end, uint8_t **to)
{
	struct read_counts read;
	uint64_t format = c->to;
	uint8_t *out = *to;

	if (!read_decode(p, end, c->from, m->swap, &read))
		return -SONDE_CORRUPT;
	if (format & READ_GROUP) {
		out = put(m, out, true, read.nr);
		out = put_times(m, out, format, &read);
	}
	for (uint64_t i = 0; i < read.nr; i++) {
		struct sonde_read_value v = read_value_at(&read, i);

		out = put(m, out, true, v.value);
		if (!(format & READ_GROUP))
			out = put_times(m, out, format, &read);
		out = put(m, out, format & READ_ID, v.id == SONDE_NONE ? c->id : merge_stream_id(in, v.id));
		out = put(m, out, format & READ_LOST, v.lost);
	}
	*to = out;
	return 0;
}
