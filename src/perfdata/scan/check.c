/* SPDX-License-Identifier: MIT */
/*
 * check.c - the rules that hold between records: order, metadata in records, the index of AUX data, records in
 * compressed ones.
 */
#include "perfdata/scan/check.h"

#include <stdio.h>

#include "model/ledger.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/metadata_record.h"
#include "perfdata/scan/check_features.h"
#include "perfdata/scan/check_layout.h"
#include "perfdata/scan/record_source.h"
#include "perfdata/scan/stream_mark.h"

struct check {
	struct layout layout;
	struct findings *f;          /* what is found here goes through tell() */
	struct findings telling, *outer;
	struct record_step got;              /* what is looked at */
	uint64_t nr_expanded;        /* records out of the compressed one at hand */
	uint64_t records;
	struct meta stream;          /* of a stream: features that need one another, and the version of its recorder */
	struct stream_mark mark;
	bool events_checked;         /* of a stream: the attrs came and agree, or do not */
	bool compressed;             /* has been told */
	/* FINISHED_ROUND promises that no record older than the newest at the mark before will come. */
	uint64_t newest, newest_at_mark, allowed_from;
	size_t next_auxtrace;        /* in the index */
};

/* Says which file of a directory a finding is in, and which record of a compressed one, whose place it then has. */
static int tell(void *ctx, const struct sonde_finding *f)
{
	struct check *c = ctx;
	struct sonde_finding named = *f;
	char where[128];

	if (c->got.part || c->got.expanded) {
		snprintf(where, sizeof(where), "%s%s%s", c->got.part ? c->got.part : "", c->got.part ? ": " : "",
			 f->where);
		if (c->got.expanded) {
			size_t n = strlen(where);

			snprintf(where + n, sizeof(where) - n, ", record %" PRIu64 " of COMPRESSED", c->nr_expanded);
			named.file_offset = c->got.record.at;
		}
		named.where = where;
	}
	c->outer->severities[f->rule->severity]++;
	if (c->outer->fn)
		c->outer->stopped = c->outer->fn(c->outer->ctx, &named);
	return c->outer->stopped;
}

static void check_time(struct check *c, const struct scanned *r)
{
	uint64_t time = record_time(&c->layout.evlist, r->p, c->layout.header.swap);
	char text[RECORD_NAME_BYTES];

	if (time == SONDE_NONE || time == 0)
		return;
	if (time > c->newest)
		c->newest = time;
	if (time < c->allowed_from)
		found(c->f, CHECK_RECORD_TIME, r->at, record_name(r->h.type, text),
		      "no time before the round mark's promise", "%" PRIu64 ", promised %" PRIu64, time,
		      c->allowed_from);
}

/* Features that need another one, and those that are needed. */
static bool is_kept(const struct feature *row)
{
	return row->needs || row->id == SONDE_FEAT_NRCPUS || row->id == SONDE_FEAT_VERSION ||
	       row->id == SONDE_FEAT_SAMPLE_TIME;
}

/* Decodes one feature of a stream; it is forgotten at once unless it is kept. */
static int decode_feature(struct check *c, const struct feature *row, const uint8_t *record, struct section s,
			  uint64_t at, struct sonde_error *why)
{
	bool keep = is_kept(row), swap = c->layout.header.swap;
	struct arena *arena = &c->layout.holder.arena, once = { 0 };
	struct meta meta = { 0 };
	const uint8_t *p = keep ? arena_memdup(arena, record + s.offset, (size_t)s.size) : record + s.offset;
	int failed;

	if (!p)
		return -SONDE_NOMEM;
	failed = feature_decode(row->id, p, (size_t)s.size, at + s.offset, swap, keep ? &c->stream : &meta,
				keep ? arena : &once, why);
	arena_free(&once);
	return failed;
}

static int check_feature_record(struct check *c, const struct scanned *r)
{
	struct feature_record feature = feature_record_decode(r->p, &r->h, c->layout.header.swap);
	const struct feature *row = feature.id < SONDE_FEAT_BITS ? feature_find((uint32_t)feature.id) : NULL;
	struct sonde_error why = { .file_offset = SONDE_NONE };
	int failed;

	if (feature.payload.size == 0)  /* the mark of the end */
		return 0;
	if (!row) {
		found(c->f, CHECK_FEATURE_UNKNOWN, r->at + 8, "HEADER_FEATURE", "a feature that is known", "%" PRIu64,
		      feature.id);
		return 0;
	}
	failed = decode_feature(c, row, r->p, feature.payload, r->at, &why);
	stream_mark_note(&c->mark, row->id, &c->stream, r->at);
	if (failed < 0 && failed != -SONDE_NOMEM)
		found(c->f, CHECK_FEATURE_CORRUPT, why.file_offset == SONDE_NONE ? r->at : why.file_offset, row->name,
		      "a whole payload", "%s", why.text);
	return failed == -SONDE_NOMEM ? failed : 0;
}

static void check_auxtrace(struct check *c, const struct scanned *r)
{
	const struct meta *m = &c->layout.meta;

	if (!feature_has(m, SONDE_FEAT_AUXTRACE))
		return;
	if (c->next_auxtrace >= m->nr_auxtrace)
		found(c->f, CHECK_AUXTRACE_INDEX, r->at, "AUXTRACE", "a row of the index", "none");
	else if (m->auxtrace[c->next_auxtrace].file_offset != r->at)
		found(c->f, CHECK_AUXTRACE_INDEX, r->at, "AUXTRACE", "the offset in the index", "0x%" PRIx64,
		      m->auxtrace[c->next_auxtrace].file_offset);
	c->next_auxtrace++;
}

/* Records that describe the file, in the file itself. */
static int check_metadata(struct check *c, const struct scanned *r)
{
	int failed;

	switch (r->h.type) {
	case RECORD_HEADER_ATTR:
		failed = layout_add_attr_record(&c->layout, r->p, r->at, c->f);
		return failed == -SONDE_NOMEM ? failed : 0;  /* a corrupt one has been told */
	case RECORD_HEADER_FEATURE:
		return check_feature_record(c, r);
	case RECORD_AUXTRACE:
		check_auxtrace(c, r);
		break;
	}
	return 0;
}

static int check_record(struct check *c)
{
	const struct scanned *r = &c->got.record;

	c->records += !c->got.expanded;
	c->nr_expanded = c->got.expanded ? c->nr_expanded + 1 : 0;
	if (r->h.type < RECORD_USER && !c->events_checked && c->layout.header.pipe) {
		c->events_checked = true;
		check_events(&c->layout, c->f);
	}
	record_check(&c->layout.evlist, r->p, &r->h, c->layout.header.swap, r->at, c->f);
	if (r->h.type == RECORD_FINISHED_ROUND) {
		c->allowed_from = c->newest_at_mark;
		c->newest_at_mark = c->newest;
	}
	if (r->h.type < RECORD_USER)
		check_time(c, r);
	return c->got.expanded ? 0 : check_metadata(c, r);
}

static const char *expected_at(enum check_rule rule)
{
	return rule == CHECK_RECORD_UNPACK ? "whole records" : rule == CHECK_RECORD_GARBAGE ? "a record" :
	       rule == CHECK_RECORD_CUT ? "a whole record" : "the end";
}

static void check_damage(struct check *c)
{
	const struct scanned *r = &c->got.record;
	bool unpack = r->rule == CHECK_RECORD_UNPACK;
	char text[256], words[sizeof(text)];

	if (unpack)
		c->got.expanded = false;  /* it is the compressed record that is damaged */
	if (r->rule != CHECK_RECORD_COMPRESSED) {
		snprintf(text, sizeof(text), "%s", r->name);
		ledger_words(words, text, r->bytes == 1);
		found(c->f, r->rule, r->at, unpack ? "COMPRESSED" : "data", expected_at(r->rule), "%" PRIu64 " %s",
		      r->bytes, words);
	} else if (!c->compressed) {
		found(c->f, r->rule, r->at, "COMPRESSED", "zstd", "type %u", c->layout.meta.compressed.type);
	}
	c->compressed |= r->rule == CHECK_RECORD_COMPRESSED;
}

/* Files of a directory are numbered without gaps. */
static void check_parts(struct check *c, const struct record_source *source)
{
	uint32_t next = 0;

	if (source->dir_fd < 0 || c->layout.meta.dir_version != DIR_FORMAT_PARTS)
		return;
	for (size_t i = 0; i < source->numbers.n; next = source->numbers.at[i++] + 1)
		if (source->numbers.at[i] != next)
			found(c->f, CHECK_PART_MISSING, SONDE_NONE, "directory", "all files up to the last",
			      "data.%u without data.%u", source->numbers.at[i], next);
	if (source->numbers.n == 0)
		found(c->f, CHECK_PART_MISSING, SONDE_NONE, "directory", "data.0", "no file of records");
}

/* All records of a stream have come. */
static void end_stream(struct check *c)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };

	if (c->layout.events.n == 0)
		found(c->f, CHECK_ATTRS_EMPTY, c->layout.data.offset, "stream", "a HEADER_ATTR record", "none");
	if (c->mark.unfinished)
		found(c->f, CHECK_UNFINISHED, c->mark.began_at, "stream", "a second SAMPLE_TIME at the end", "none");
	if (feature_finish(c->layout.header.swap, &c->stream, &c->layout.holder.arena, &why) < 0)
		found(c->f, CHECK_FEATURE_NEEDS, why.file_offset, "features", "the feature that it needs", "%s",
		      why.text);
}

/* Promises of rounds are made for one file. */
static void begin_part(struct check *c, size_t *part)
{
	if (c->got.part_number == *part)
		return;
	*part = c->got.part_number;
	c->newest = c->newest_at_mark = c->allowed_from = 0;
}

static int check_records(struct check *c, int dir_fd, struct sonde_error *err)
{
	struct record_source source;
	size_t part = 0;
	int failed = record_source_open(&source, &c->layout, dir_fd, true, err);

	source.show_packed = true;
	if (failed == 0)
		check_parts(c, &source);
	while (failed == 0 && !c->outer->stopped && (failed = record_source_next(&source, &c->got)) == 0 &&
	       c->got.step != SCAN_END) {
		begin_part(c, &part);
		if (c->got.step == SCAN_RECORD)
			failed = check_record(c);
		else
			check_damage(c);
		if (failed == -SONDE_NOMEM)
			err_nomem(err);
	}
	c->got = (struct record_step){ 0 };
	if (failed == 0 && !c->outer->stopped) {
		check_compression(&c->layout, source.nr_packed, c->f);
		if (c->layout.header.pipe)
			end_stream(c);
	}
	record_source_close(&source);
	return failed;
}

int perfdata_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err)
{
	struct sonde_error why = { 0 };
	struct check c = { .outer = f };
	int r = layout_read(&c.layout, im, f, &why);

	if (r == 0 && !c.layout.header.pipe)
		r = check_layout(&c.layout, f, &why);
	c.f = &c.telling;
	c.telling = (struct findings){ .fn = tell, .ctx = &c };
	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM) {
		if (err)
			*err = why;
	} else if (r < 0) {
		r = 0;  /* a header that cannot be used has been told, and leads nowhere */
	} else {
		if (!c.layout.header.pipe)
			check_features(&c.layout, c.f);
		r = check_records(&c, im->dir_fd, &why);
		if (r < 0 && err)
			*err = why;
	}
	*records = c.records;
	layout_free(&c.layout);
	return r < 0 ? r : f->stopped;
}
