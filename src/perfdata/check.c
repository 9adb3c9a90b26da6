/* SPDX-License-Identifier: MIT */
/* check.c - the rules that hold between records: order, metadata in records, the index of AUX data. */
#include "perfdata/check.h"

#include "perfdata/feature.h"
#include "perfdata/layout.h"
#include "perfdata/scan.h"

struct check {
	struct layout layout;
	struct findings *f;
	uint64_t records;
	bool events_checked;         /* of a stream: the attrs came and agree, or do not */
	bool compressed;             /* has been told */
	/* What FINISHED_ROUND promises: nothing older than what was the newest at the mark before will come. */
	uint64_t newest, newest_at_mark, allowed_from;
	size_t next_auxtrace;        /* in the index */
};

static void check_time(struct check *c, const struct scanned *r)
{
	uint64_t time = record_time(&c->layout.sources, r->p, c->layout.header.swap);
	char text[RECORD_NAME_BYTES];

	if (time == SONDE_NONE || time == 0)
		return;
	if (time > c->newest)
		c->newest = time;
	if (time < c->allowed_from)
		found(c->f, CHECK_RECORD_TIME, r->at, record_name(r->h.type, text), "no time before the round mark's promise",
		      "%" PRIu64 ", promised %" PRIu64, time, c->allowed_from);
}

/* Features of a stream are decoded one by one: those that need another one are looked at when the file is opened for real. */
static int check_feature_record(struct check *c, const struct scanned *r)
{
	bool swap = c->layout.header.swap;
	uint64_t id = load_u64(r->p + 8, swap);
	const struct feature *row = id < SONDE_FEAT_BITS ? feature_find((uint32_t)id) : NULL;
	struct sonde_error why = { .file_offset = SONDE_NONE };
	struct sonde_meta meta = { 0 };
	struct arena arena = { 0 };
	int failed;

	if (r->h.size == 16)  /* the mark of the end */
		return 0;
	if (!row) {
		found(c->f, CHECK_FEATURE_UNKNOWN, r->at + 8, "HEADER_FEATURE", "a feature that is known", "%" PRIu64, id);
		return 0;
	}
	failed = feature_decode((uint32_t)id, r->p + 16, r->h.size - 16U, r->at + 16, swap, &meta, &arena, &why);
	if (failed < 0 && failed != -SONDE_NOMEM)
		found(c->f, CHECK_FEATURE_CORRUPT, why.file_offset == SONDE_NONE ? r->at : why.file_offset, row->name, "a whole payload",
		      "%s", why.text);
	arena_free(&arena);
	return failed == -SONDE_NOMEM ? failed : 0;
}

static void check_auxtrace(struct check *c, const struct scanned *r)
{
	const struct sonde_meta *m = &c->layout.meta;

	if (!feature_has(m, SONDE_FEAT_AUXTRACE))
		return;
	if (c->next_auxtrace >= m->nr_auxtrace)
		found(c->f, CHECK_AUXTRACE_INDEX, r->at, "AUXTRACE", "a row of the index", "none");
	else if (m->auxtrace[c->next_auxtrace].file_offset != r->at)
		found(c->f, CHECK_AUXTRACE_INDEX, r->at, "AUXTRACE", "the offset in the index", "0x%" PRIx64,
		      m->auxtrace[c->next_auxtrace].file_offset);
	c->next_auxtrace++;
}

static int check_record(struct check *c, const struct scanned *r)
{
	int failed = 0;

	c->records++;
	if (r->h.type < RECORD_USER && !c->events_checked && c->layout.header.pipe) {
		c->events_checked = true;
		layout_check_events(&c->layout, c->f);
	}
	record_check(&c->layout.sources, r->p, &r->h, c->layout.header.swap, r->at, c->f);
	switch (r->h.type) {
	case RECORD_HEADER_ATTR:
		failed = layout_add_attr_record(&c->layout, r->p, r->at, c->f);
		return failed == -SONDE_NOMEM ? failed : 0;  /* a corrupt one has been told */
	case RECORD_HEADER_FEATURE:
		return r->h.size >= 16 ? check_feature_record(c, r) : 0;
	case RECORD_FINISHED_ROUND:
		c->allowed_from = c->newest_at_mark;
		c->newest_at_mark = c->newest;
		break;
	case RECORD_AUXTRACE:
		check_auxtrace(c, r);
		break;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (!c->compressed)
			found(c->f, CHECK_RECORD_COMPRESSED, r->at, "COMPRESSED", "plain records", "compressed ones");
		c->compressed = true;
		break;
	}
	if (r->h.type < RECORD_USER)
		check_time(c, r);
	return 0;
}

static int check_records(struct check *c, struct image *im)
{
	struct scan s = { im, &c->layout.sources, c->layout.header.swap, c->layout.data.offset, 0 };
	struct scanned r;
	int failed = 0;

	s.end = c->layout.data.offset + c->layout.data.size;
	while (failed == 0 && !c->f->stopped) {
		switch (scan_next(&s, &r)) {
		case SCAN_END:
			if (c->layout.header.pipe && c->layout.events.n == 0)
				found(c->f, CHECK_ATTRS_EMPTY, c->layout.data.offset, "stream", "a HEADER_ATTR record", "none");
			return 0;
		case SCAN_RECORD:
			failed = check_record(c, &r);
			break;
		case SCAN_GARBAGE:
			found(c->f, CHECK_RECORD_GARBAGE, r.at, "data", "a record", "%" PRIu64 " bytes that are none", r.bytes);
			break;
		case SCAN_CUT:
			found(c->f, CHECK_RECORD_CUT, r.at, "data", "a whole record", "%" PRIu64 " bytes of one", r.bytes);
			break;
		case SCAN_ZEROS:
			found(c->f, CHECK_RECORD_UNWRITTEN, r.at, "data", "the end", "%" PRIu64 " bytes of zeros", r.bytes);
			break;
		}
	}
	return failed;
}

int perfdata_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err)
{
	struct sonde_error why = { 0 };
	struct check c = { .f = f };
	int r = layout_read(&c.layout, im, f, &why);

	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM) {
		if (err)
			*err = why;
	} else {
		/* a header that cannot be used has been told, and leads nowhere */
		r = r < 0 ? 0 : check_records(&c, im);
		if (r < 0)
			err_nomem(err);
		else
			r = image_failed(im, err);
	}
	*records = c.records;
	layout_free(&c.layout);
	return r < 0 ? r : f->stopped;
}
