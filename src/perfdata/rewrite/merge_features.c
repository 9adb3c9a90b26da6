/* SPDX-License-Identifier: MIT */
/*
 * merge_features.c - the features of a merged file: those of the first input, and what can be joined with those of the
 * others.
 */
#include "perfdata/rewrite/merge_features.h"

#include <stdio.h>

#include "perfdata/format/feature.h"
#include "perfdata/rewrite/feature_order.h"
#include "perfdata/rewrite/tracing_union.h"

#define LIST_BYTES 192

static int put_bytes(struct merge *m, uint32_t id, const void *p, size_t n)
{
	return compose_feature(m->out, id, p, n) < 0 ? err_nomem(&m->handle->err) : 0;
}

/* Made of fields that @meta has. */
static int put_fields(struct merge *m, uint32_t id, struct meta *meta)
{
	int r = compose_fields(m->out, id, meta);

	return r == -SONDE_NOMEM ? err_nomem(&m->handle->err) : r;
}

static bool any_has(const struct merge *m, uint32_t id)
{
	for (size_t i = 0; i < m->nr_in; i++)
		if (feature_has(&m->in[i].reader->meta, id))
			return true;
	return false;
}

/* ---- features that are joined ---- */

static int put_events(struct merge *m)
{
	struct event_desc *descs = calloc(m->events.n, sizeof(*descs));
	struct meta meta = { .event_descs = descs, .nr_event_descs = m->events.n };
	int r;

	if (!descs)
		return err_nomem(&m->handle->err);
	for (size_t i = 0; i < m->events.n; i++) {
		const struct merged_event *e = &m->events.at[i];

		descs[i] = (struct event_desc){ e->attr, e->name, e->ids.at, e->ids.n };
	}
	r = put_fields(m, SONDE_FEAT_EVENT_DESC, &meta);
	free(descs);
	return r;
}

/* The name that the input gives to the group of its event. */
static const char *group_name(const struct merge *m, uint32_t leader)
{
	for (size_t i = 0; i < m->nr_in; i++) {
		const struct meta *meta = &m->in[i].reader->meta;

		for (size_t g = 0; g < meta->nr_groups; g++)
			if (meta->groups[g].leader < m->in[i].nr_events &&
			    m->in[i].events[meta->groups[g].leader] == leader)
				return meta->groups[g].name;
	}
	return "{anon_group}";
}

static int put_groups(struct merge *m)
{
	VEC(struct sonde_group_desc) groups = { 0 };
	struct meta meta = { 0 };
	int r = 0;

	for (uint32_t i = 0, n; r == 0 && i < m->events.n; i += n) {
		for (n = 1; i + n < m->events.n && m->events.at[i + n].leader == i; n++)
			;
		if (n > 1)
			r = vec_push(&groups, ((struct sonde_group_desc){ group_name(m, i), i, n }));
	}
	meta.groups = groups.at;
	meta.nr_groups = groups.n;
	if (r == 0 && groups.n)
		r = put_fields(m, SONDE_FEAT_GROUP_DESC, &meta);
	vec_free(&groups);
	return r == -SONDE_NOMEM ? err_nomem(&m->handle->err) : r;
}

static void lose(struct merge *m, const char *what, const struct merge_input *in)
{
	ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1, "%s, in %s", what,
		   in->name);
}

static int put_pmus(struct merge *m)
{
	VEC(struct sonde_pmu_mapping) pmus = { 0 };
	struct u64map by_type = { 0 };
	struct meta meta = { 0 };
	int r = 0;

	for (size_t i = 0; i < m->nr_in; i++) {
		const struct meta *in = &m->in[i].reader->meta;

		for (size_t k = 0; r == 0 && k < in->nr_pmus; k++) {
			uint32_t at = u64map_get(&by_type, in->pmus[k].type);

			if (at != U64MAP_NONE) {
				if (strcmp(pmus.at[at].name, in->pmus[k].name) != 0)
					lose(m, "PMU {number|numbers} that {means|mean} another PMU", &m->in[i]);
				continue;
			}
			r = u64map_set(&by_type, in->pmus[k].type, (uint32_t)pmus.n);
			if (r == 0)
				r = vec_push(&pmus, in->pmus[k]);
		}
	}
	meta.pmus = pmus.at;
	meta.nr_pmus = pmus.n;
	if (r == 0)
		r = put_fields(m, SONDE_FEAT_PMU_MAPPINGS, &meta);
	vec_free(&pmus);
	u64map_free(&by_type);
	return r == -SONDE_NOMEM ? err_nomem(&m->handle->err) : r;
}

static bool is_same_build_id(const struct sonde_build_id *a, const struct sonde_build_id *b)
{
	return a->pid == b->pid && a->cpumode == b->cpumode && strcmp(a->filename, b->filename) == 0;
}

static int put_build_ids(struct merge *m)
{
	VEC(struct sonde_build_id) ids = { 0 };
	struct u64map by_name = { 0 };
	struct meta meta = { 0 };
	int r = 0;

	for (size_t i = 0; i < m->nr_in; i++) {
		const struct meta *in = &m->in[i].reader->meta;

		for (size_t k = 0; r == 0 && k < in->nr_build_ids; k++) {
			const struct sonde_build_id *id = &in->build_ids[k];
			uint64_t key = hash_bytes(id->filename, strlen(id->filename)) + id->cpumode +
				((uint64_t)(uint32_t)id->pid << 8);
			uint32_t at = u64map_get(&by_name, key);

			if (at != U64MAP_NONE && is_same_build_id(&ids.at[at], id)) {
				if (memcmp(ids.at[at].id, id->id, sizeof(id->id)) != 0)
					lose(m, "{binary|binaries} whose build id is another one than that in the "
						"inputs before",
					     &m->in[i]);
				continue;
			}
			r = u64map_set(&by_name, key, (uint32_t)ids.n);
			if (r == 0)
				r = vec_push(&ids, *id);
		}
	}
	meta.build_ids = ids.at;
	meta.nr_build_ids = ids.n;
	if (r == 0)
		r = put_fields(m, SONDE_FEAT_BUILD_ID, &meta);
	vec_free(&ids);
	u64map_free(&by_name);
	return r == -SONDE_NOMEM ? err_nomem(&m->handle->err) : r;
}

/* The raw bytes of feature @id; false if the input does not have it, only as records, or one that cannot be read. */
static bool bytes_of(const struct merge_input *in, uint32_t id, struct sonde_bytes *out)
{
	const struct sonde_raw_feature *raw = feature_raw(&in->reader->meta, id);

	if (!raw || !feature_has(&in->reader->meta, id))
		return false;
	*out = raw->payload;
	return true;
}

/* A feature as it lies in its input, in the byte order of the new file. */
static int put_raw(struct merge *m, const struct merge_input *in, uint32_t id, struct sonde_bytes raw)
{
	const char *stays;
	uint8_t *p;
	int r;

	if (in->file->header.swap == m->swap)
		return put_bytes(m, id, raw.p, raw.len);
	p = malloc(raw.len ? raw.len : 1);
	if (!p)
		return err_nomem(&m->handle->err);
	if (raw.len)
		memcpy(p, raw.p, raw.len);
	stays = swap_feature(id, p, raw.len, in->file->header.swap, in->reader->meta.nr_cpus_available);
	if (stays)
		lose(m, stays, in);
	r = stays ? 0 : put_bytes(m, id, p, raw.len);
	free(p);
	return r;
}

static int put_tracing(struct merge *m)
{
	struct sonde_bytes all = { NULL, 0 }, one;
	struct buf joined = BUF_MEMORY;
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->nr_in; i++) {
		struct buf next = BUF_MEMORY;
		struct sonde_error err = { .file_offset = SONDE_NONE };

		if (!bytes_of(&m->in[i], SONDE_FEAT_TRACING_DATA, &one))
			continue;
		if (!all.p)
			all = one;
		if (all.len == one.len && memcmp(all.p, one.p, one.len) == 0)
			continue;
		r = tracing_union(&next, all, one, &err);
		if (r < 0) {
			buf_free(&next);
			err_set(&m->handle->err, err.code, SONDE_NONE, "%s: %s", m->in[i].name, err.text);
			break;
		}
		buf_free(&joined);
		joined = next;
		all = (struct sonde_bytes){ (const uint8_t *)joined.p, joined.n };
	}
	if (r == 0)
		r = put_bytes(m, SONDE_FEAT_TRACING_DATA, all.p, all.len);
	buf_free(&joined);
	return r;
}

/* ---- features that a file has once ---- */

/* Features that are joined above, that hold places in the old file, or that are made anew after the records. */
static bool is_special(uint32_t id)
{
	switch (id) {
	case SONDE_FEAT_TRACING_DATA:
	case SONDE_FEAT_BUILD_ID:
	case SONDE_FEAT_EVENT_DESC:
	case SONDE_FEAT_PMU_MAPPINGS:
	case SONDE_FEAT_GROUP_DESC:
	case SONDE_FEAT_AUXTRACE:
	case SONDE_FEAT_SAMPLE_TIME:
	case SONDE_FEAT_DIR_FORMAT:
	case SONDE_FEAT_COMPRESSED:
		return true;
	}
	return false;
}

/* The list of what one input says differently: "CMDLINE, NUMA_TOPOLOGY". */
static void add_name(char list[LIST_BYTES], uint32_t id)
{
	const char *name = sonde_feature_name(id);
	size_t n = strlen(list);

	snprintf(list + n, LIST_BYTES - n, "%s%s", n ? ", " : "", name ? name : "unknown");
}

static void name_command(struct merge *m, const struct merge_input *in)
{
	const struct meta *meta = &in->reader->meta;
	struct buf b = BUF_MEMORY;

	for (size_t i = 0; i < meta->nr_cmdline; i++) {
		buf_str(&b, i ? " " : "");
		buf_text(&b, meta->cmdline[i], strlen(meta->cmdline[i]));
	}
	buf_char(&b, '\0');
	if (!b.failed)
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
			   "command line of %s: %.160s", in->name, b.p);
	buf_free(&b);
}

/* Whether feature @id of an input means the same beside what the first input says, as CPU_TOPOLOGY does by NRCPUS. */
static bool fits_first(const struct merge *m, const struct merge_input *in, uint32_t id)
{
	const struct feature *row = feature_find(id);
	struct sonde_bytes own, other;

	if (!row || !row->needs)
		return true;
	if (!bytes_of(in, row->needs, &other))
		return false;
	return !bytes_of(&m->in[0], row->needs, &own) || (own.len == other.len && memcmp(own.p, other.p, own.len) == 0);
}

/* The features of the first input are kept, and those of the others that it lacks, if they are of the same machine. */
static int put_singles(struct merge *m)
{
	struct sonde_bytes own, other;

	for (size_t i = 0; i < m->nr_in; i++) {
		bool same_host = i == 0 || !clocks_hosts_differ(m->in[0].reader, m->in[i].reader);
		char differ[LIST_BYTES] = "";

		for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
			if (is_special(id) || !bytes_of(&m->in[i], id, &other))
				continue;
			if (i == 0 || (same_host && !bytes_of(&m->in[0], id, &own))) {
				if (fits_first(m, &m->in[i], id) && put_raw(m, &m->in[i], id, other) < 0)
					return -SONDE_NOMEM;
				continue;
			}
			if (bytes_of(&m->in[0], id, &own) && own.len == other.len &&
			    memcmp(own.p, other.p, own.len) == 0)
				continue;
			add_name(differ, id);
			if (id == SONDE_FEAT_CMDLINE)
				name_command(m, &m->in[i]);
		}
		if (*differ)
			ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
				   "input whose header says something else than the first, which is kept: %s, in %s",
				   differ, m->in[i].name);
	}
	return 0;
}

int merge_features(struct merge *m)
{
	int r = put_singles(m);

	if (r == 0)
		r = put_events(m);
	if (r == 0)
		r = put_groups(m);
	if (r == 0 && any_has(m, SONDE_FEAT_PMU_MAPPINGS))
		r = put_pmus(m);
	if (r == 0 && any_has(m, SONDE_FEAT_BUILD_ID))
		r = put_build_ids(m);
	if (r == 0 && any_has(m, SONDE_FEAT_TRACING_DATA))
		r = put_tracing(m);
	return r;
}

int merge_late_features(struct merge *m)
{
	struct meta meta = { .sample_time_first = m->first,
				   .sample_time_last = m->last,
				   .auxtrace = m->auxtrace.at,
				   .nr_auxtrace = m->auxtrace.n };
	int r = 0;

	if (m->opts.pipe)
		return 0;
	if (m->first <= m->last && any_has(m, SONDE_FEAT_SAMPLE_TIME))
		r = put_fields(m, SONDE_FEAT_SAMPLE_TIME, &meta);
	if (r == 0 && m->auxtrace.n)
		r = put_fields(m, SONDE_FEAT_AUXTRACE, &meta);
	return r;
}
