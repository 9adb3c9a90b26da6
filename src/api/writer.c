/* SPDX-License-Identifier: MIT */
#include <sonde/writer.h>

#include <stdlib.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "perfdata/compose.h"
#include "perfdata/feature.h"

struct sonde_writer {
	struct sonde_error err;
	struct output to;
	struct compose *compose;     /* NULL: not open */
	bool swap, begun, finished, has_names, has_event_desc;
	VEC(struct sonde_event_desc) descs;  /* names and ids are owned */
};

struct sonde_writer *sonde_writer_new(void)
{
	struct sonde_writer *w = calloc(1, sizeof(*w));

	if (w) {
		err_clear(&w->err);
		w->to.buf.fd = -1;
	}
	return w;
}

void sonde_writer_free(struct sonde_writer *w)
{
	if (!w)
		return;
	compose_free(w->compose);
	output_close(&w->to);
	for (size_t i = 0; i < w->descs.n; i++) {
		free((char *)(uintptr_t)w->descs.at[i].name);
		free((uint64_t *)(uintptr_t)w->descs.at[i].ids);
	}
	vec_free(&w->descs);
	free(w);
}

const struct sonde_error *sonde_writer_error(const struct sonde_writer *w)
{
	return &w->err;
}

int sonde_writer_open(struct sonde_writer *w, const char *path, const struct sonde_writer_opts *opts)
{
	enum sonde_rewrite_endian endian = OPT(opts, endian, SONDE_ENDIAN_SAME);
	struct compose_opts how = { .pipe = OPT(opts, form, SONDE_FORM_FILE) == SONDE_FORM_PIPE,
				    .attr_size = OPT(opts, attr_size, 0) };
	int r;

	if (w->compose || w->err.code)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer has been opened before");
	how.swap = endian != SONDE_ENDIAN_SAME && (endian == SONDE_ENDIAN_BIG) != host_is_big_endian();
	w->swap = how.swap;
	r = output_open(&w->to, path, NULL, &w->err);
	if (r < 0)
		return r;
	w->compose = compose_new(&w->to, &how, NULL, NULL);
	return w->compose ? 0 : err_nomem(&w->err);
}

/* What every call but open needs: an open writer that has not failed; @begun: whether records may have come. */
static int check_state(struct sonde_writer *w, bool may_have_begun)
{
	if (w->err.code)
		return -(int)w->err.code;
	if (!w->compose || w->finished)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer is not open");
	if (w->begun && !may_have_begun)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "events and features come before the first record");
	return 0;
}

/* Passes on what the rooms below return without a text. */
static int note(struct sonde_writer *w, int r)
{
	return r == -SONDE_NOMEM ? err_nomem(&w->err) : r;
}

int sonde_writer_add_event(struct sonde_writer *w, const struct sonde_attr *attr, const char *name, const uint64_t *ids,
			   size_t nr_ids)
{
	struct sonde_event_desc d = { .attr = *attr, .nr_ids = nr_ids };
	char *name_copy;
	uint64_t *ids_copy;
	int r = check_state(w, false);

	if (r < 0)
		return r;
	name_copy = strdup(name ? name : "");
	ids_copy = malloc((nr_ids + 1) * sizeof(*ids));
	if (ids_copy && nr_ids)
		memcpy(ids_copy, ids, nr_ids * sizeof(*ids));
	d.name = name_copy;
	d.ids = ids_copy;
	if (!name_copy || !ids_copy || vec_push(&w->descs, d) < 0) {
		free(name_copy);
		free(ids_copy);
		return err_nomem(&w->err);
	}
	w->has_names |= name != NULL;
	return note(w, compose_event(w->compose, attr, NULL, 0, ids, nr_ids));
}

int sonde_writer_set_feature(struct sonde_writer *w, uint32_t feature, const void *payload, size_t n)
{
	int r = check_state(w, false);

	if (r < 0)
		return r;
	if (feature == 0 || feature >= SONDE_FEAT_BITS)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "there is no feature %u", feature);
	w->has_event_desc |= feature == SONDE_FEAT_EVENT_DESC;
	return note(w, compose_feature(w->compose, feature, payload, n));
}

int sonde_writer_set_meta(struct sonde_writer *w, const struct sonde_meta *meta)
{
	int r = check_state(w, false);

	for (uint32_t id = 1; r == 0 && id < SONDE_FEAT_BITS; id++) {
		struct buf b = BUF_MEMORY;

		if (!feature_has(meta, id) || id == SONDE_FEAT_AUXTRACE)
			continue;
		r = feature_encode(&b, id, w->swap, meta);
		if (r == 0)
			r = sonde_writer_set_feature(w, id, b.p, b.n);
		else if (r == -SONDE_MISSING)
			r = 0;
		buf_free(&b);
	}
	return note(w, r);
}

/* EVENT_DESC of the names that were given. */
static int describe_events(struct sonde_writer *w)
{
	struct sonde_meta meta = { .event_descs = w->descs.at, .nr_event_descs = w->descs.n };
	struct buf b = BUF_MEMORY;
	int r;

	if (!w->has_names || w->has_event_desc)
		return 0;
	feature_set(&meta, SONDE_FEAT_EVENT_DESC);
	r = feature_encode(&b, SONDE_FEAT_EVENT_DESC, w->swap, &meta);
	if (r == 0)
		r = compose_feature(w->compose, SONDE_FEAT_EVENT_DESC, b.p, b.n);
	buf_free(&b);
	return note(w, r);
}

static int begin(struct sonde_writer *w)
{
	int r = check_state(w, true);

	if (r < 0 || w->begun)
		return r;
	if (w->descs.n == 0)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "a trace needs an event");
	r = describe_events(w);
	w->begun = true;
	return r < 0 ? r : compose_begin(w->compose, &w->err);
}

int sonde_writer_write(struct sonde_writer *w, const void *records, size_t n)
{
	int r = begin(w);

	return r < 0 ? r : compose_record(w->compose, 0, records, n);
}

int sonde_writer_finish(struct sonde_writer *w)
{
	int r = begin(w);

	if (r == 0)
		r = compose_finish(w->compose, &w->err);
	if (r == 0)
		r = output_finish(&w->to, &w->err);
	w->finished = r == 0;
	return r;
}
