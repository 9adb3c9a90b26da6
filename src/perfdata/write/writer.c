/* SPDX-License-Identifier: MIT */
/*
 * A perf.data file that grows and is valid at every moment:
 *
 *	header, ids, attrs, payloads of the features known at the start, data, feature table, payloads known at the end
 *
 * The table has to lie after the data, so each flush moves it. The bytes it lay on are written last, between two
 * writes of the header: the first takes the features out, the second brings them back together with the new size of the
 * data. A recorder killed between the two leaves a file without features, killed at any other moment one with the
 * feature UNFINISHED, which only finishing takes out.
 */
#include "perfdata/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "base/put.h"
#include "io/recfile.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"
#include "perfdata/format/stream_record.h"

#define SECTION_BYTES 16
#define BITMAP_WORDS (SONDE_FEAT_BITS / 64)

struct writer {
	struct sink sink;
	struct recfile file;         /* of a stream: without a name */
	struct header head;
	struct section payloads[SONDE_FEAT_BITS];
	VEC(struct sonde_auxtrace_index) traces;  /* parts of a hardware trace */
};

static struct writer *of(struct sink *s)
{
	return (struct writer *)s;
}

static int write_at(struct writer *w, const void *bytes, size_t n, uint64_t at, struct sonde_error *err)
{
	int bad = fd_write_at(w->file.fd, bytes, n, at);

	if (bad)
		return err_sys(err, bad, "cannot write the recording");
	if (at + n > w->sink.bytes)
		w->sink.bytes = at + n;
	return 0;
}

static bool bit(const uint64_t *bitmap, uint32_t n)
{
	return bitmap[n / 64] >> (n % 64) & 1;
}

static int write_buf(struct writer *w, const struct buf *b, uint64_t at, struct sonde_error *err)
{
	return b->failed ? b->failed : write_at(w, b->p, b->n, at, err);
}

/* The header with or without the features. */
static int write_header(struct writer *w, bool with_features, struct sonde_error *err)
{
	struct header h = w->head;
	struct buf b = BUF_MEMORY;
	int r;

	b.err = err;
	if (!with_features)
		memset(h.features, 0, sizeof(h.features));
	header_encode(&b, &h);
	r = write_buf(w, &b, 0, err);
	buf_free(&b);
	return r;
}

static void encode_table(const struct writer *w, struct buf *b)
{
	for (uint32_t i = 0; i < SONDE_FEAT_BITS; i++)
		if (bit(w->head.features, i)) {
			put_u64(b, w->payloads[i].offset, false);
			put_u64(b, w->payloads[i].size, false);
		}
}

/*
 * Encodes the features that meta has, as they will lie from `at` on, and notes where. One that cannot be encoded is
 * left out: half a feature would make readers refuse the file.
 */
static int encode_payloads(struct buf *b, const struct meta *meta, uint64_t at, uint64_t *features,
			   struct section *payloads)
{
	for (uint32_t i = 0; i < SONDE_FEAT_BITS; i++) {
		size_t start = b->n;
		int r;

		if (!bit(meta->features, i))
			continue;
		r = feature_encode(b, i, false, meta);
		if (r == -SONDE_NOMEM || b->failed)
			return -SONDE_NOMEM;
		if (r < 0) {
			b->n = start;
			continue;
		}
		features[i / 64] |= UINT64_C(1) << (i % 64);
		payloads[i] = (struct section){ at + start, b->n - start };
	}
	return 0;
}

static uint32_t common_attr_size(const struct sonde_evsel *evlist, size_t nr)
{
	uint32_t size = ATTR_SIZE_VER0;

	for (size_t i = 0; i < nr; i++)
		if (evlist[i].attr->size > size)
			size = evlist[i].attr->size;
	return size;
}

static int file_start(struct sink *s, const struct sonde_evsel *evlist, size_t nr, const struct meta *meta,
		      struct sonde_error *err)
{
	uint32_t attr_size = common_attr_size(evlist, nr);
	struct meta growing = *meta;
	struct writer *w = of(s);
	struct buf b = BUF_MEMORY;
	uint64_t ids_at = PERFDATA_HEADER_BYTES;
	int r;

	b.err = err;
	for (size_t i = 0; i < nr; i++)
		buf_put(&b, evlist[i].ids, evlist[i].nr_ids * sizeof(uint64_t));
	w->head.attr_size = attr_size + SECTION_BYTES;
	w->head.attrs = (struct section){ PERFDATA_HEADER_BYTES + b.n, nr * w->head.attr_size };
	for (size_t i = 0; i < nr; i++) {
		struct sonde_attr attr = *evlist[i].attr;

		attr.size = attr_size;  /* readers step by it: all entries are alike */
		attr_encode(&b, &attr, false);
		put_u64(&b, ids_at, false);
		put_u64(&b, evlist[i].nr_ids * sizeof(uint64_t), false);
		ids_at += evlist[i].nr_ids * sizeof(uint64_t);
	}
	feature_set(&growing, SONDE_FEAT_UNFINISHED);
	r = encode_payloads(&b, &growing, PERFDATA_HEADER_BYTES, w->head.features, w->payloads);
	if (r == 0) {
		buf_pad(&b, 0, ALIGN_UP(b.n, (size_t)8) - b.n);
		w->head.data.offset = PERFDATA_HEADER_BYTES + b.n;
		r = write_buf(w, &b, PERFDATA_HEADER_BYTES, err);
	} else {
		err_nomem(err);
	}
	buf_free(&b);
	return r < 0 ? r : write_header(w, false, err);
}

/* The record of a part of a hardware trace comes alone, with the trace. */
static int note_trace(struct writer *w, const void *bytes, uint64_t at, struct sonde_error *err)
{
	struct sonde_auxtrace_index place = { at, load_u16((const uint8_t *)bytes + 6, false) };

	if (load_u32(bytes, false) != RECORD_AUXTRACE)
		return 0;
	return vec_push(&w->traces, place) < 0 ? err_nomem(err) : 0;
}

static int file_records(struct sink *s, const void *bytes, size_t n, struct sonde_error *err)
{
	struct writer *w = of(s);
	uint64_t end = w->head.data.offset + w->head.data.size;
	struct buf table = BUF_MEMORY;
	size_t covered;
	int r = 0;

	if (n == 0)
		return 0;
	table.err = err;
	encode_table(w, &table);
	covered = table.n < n ? table.n : n;
	if (n > covered)
		r = write_at(w, (const char *)bytes + covered, n - covered, end + covered, err);
	/* A table that reaches into the old one can only be written once the header has let go of that. */
	if (r == 0 && n >= table.n)
		r = write_buf(w, &table, end + n, err);
	if (r == 0)
		r = write_header(w, false, err);
	if (r == 0)
		r = write_at(w, bytes, covered, end, err);
	if (r == 0 && n < table.n)
		r = write_buf(w, &table, end + n, err);
	if (r == 0) {
		w->head.data.size += n;
		r = write_header(w, true, err);
	}
	if (r == 0)
		r = note_trace(w, bytes, end, err);
	buf_free(&table);
	return r;
}

/*
 * A feature that was known at the start and has changed is written where it lies, if it is as long as it was; @late is
 * without it then.
 */
static int rewrite_payloads(struct writer *w, struct meta *late, struct sonde_error *err)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < SONDE_FEAT_BITS; i++) {
		struct buf b = BUF_MEMORY;

		if (!bit(late->features, i) || !bit(w->head.features, i))
			continue;
		b.err = err;
		if (feature_encode(&b, i, false, late) == 0 && b.n == w->payloads[i].size && b.n) {
			r = write_buf(w, &b, w->payloads[i].offset, err);
			late->features[i / 64] &= ~(UINT64_C(1) << (i % 64));
		}
		buf_free(&b);
	}
	return r;
}

static int file_finish(struct sink *s, const struct meta *meta, struct sonde_error *err)
{
	struct meta last = *meta;
	struct writer *w = of(s);
	uint64_t end = w->head.data.offset + w->head.data.size, room = 0;
	uint64_t features[BITMAP_WORDS];
	struct section payloads[SONDE_FEAT_BITS];
	struct buf late = BUF_MEMORY, table = BUF_MEMORY;
	int r;

	if (w->head.data.size == 0)  /* by the rules of the format there are no features then */
		return 0;
	last.auxtrace = w->traces.at;
	last.nr_auxtrace = w->traces.n;
	if (w->traces.n)
		feature_set(&last, SONDE_FEAT_AUXTRACE);
	late.err = table.err = err;
	memcpy(features, w->head.features, sizeof(features));
	features[SONDE_FEAT_UNFINISHED / 64] &= ~(UINT64_C(1) << (SONDE_FEAT_UNFINISHED % 64));
	memcpy(payloads, w->payloads, sizeof(payloads));
	for (uint32_t i = 0; i < SONDE_FEAT_BITS; i++)
		room += bit(features, i) || bit(last.features, i) ? SECTION_BYTES : 0;
	r = rewrite_payloads(w, &last, err);
	if (r == 0)
		r = encode_payloads(&late, &last, end + room, features, payloads);
	if (r == 0)
		r = write_buf(w, &late, end + room, err);
	if (r == 0)
		r = write_header(w, false, err);
	if (r == 0) {
		memcpy(w->head.features, features, sizeof(features));
		memcpy(w->payloads, payloads, sizeof(payloads));
		encode_table(w, &table);
		r = write_buf(w, &table, end, err);
	}
	if (r == 0)
		r = write_header(w, true, err);
	buf_free(&late);
	buf_free(&table);
	return r;
}

static void writer_discard(struct sink *s)
{
	recfile_discard(&of(s)->file);
}

static void writer_free(struct sink *s)
{
	vec_free(&of(s)->traces);
	recfile_close(&of(s)->file);
	free(of(s));
}

static const struct sink_ops file_ops = {
	.start = file_start, .records = file_records, .finish = file_finish, .discard = writer_discard,
	.free = writer_free,
};

/* ---- pipe mode ---- */

static int write_stream(struct writer *w, const void *bytes, size_t n, struct sonde_error *err)
{
	int bad = fd_write(w->file.fd, bytes, n);

	if (bad)
		return err_sys(err, bad, "cannot write the recording");
	w->sink.bytes += n;
	return 0;
}

static void put_attr_record(struct buf *b, const struct sonde_evsel *source)
{
	size_t size = 8 + source->attr->size + source->nr_ids * sizeof(uint64_t), nr = source->nr_ids;

	if (size > UINT16_MAX)
		nr = (UINT16_MAX - 8 - source->attr->size) / sizeof(uint64_t);
	stream_put_header(b, RECORD_HEADER_ATTR, 8 + source->attr->size + nr * sizeof(uint64_t), false);
	attr_encode(b, source->attr, false);
	buf_put(b, source->ids, nr * sizeof(uint64_t));
}

static int put_feature_record(struct buf *b, uint32_t id, const struct meta *meta)
{
	struct buf payload = BUF_MEMORY;
	int r = feature_encode(&payload, id, false, meta);

	if (r == 0)
		stream_put_feature(b, id, payload.p, payload.n, false);
	r = payload.failed;
	buf_free(&payload);
	return r;
}

/*
 * The mark that tells a finished stream from one whose recorder was killed: SAMPLE_TIME of zeros when it begins, and
 * again, with the times if there are samples, as its last record. Readers take the feature that comes last.
 */
static int put_sample_time(struct buf *b, const struct meta *meta)
{
	return put_feature_record(b, SONDE_FEAT_SAMPLE_TIME, meta);
}

static int stream_start(struct sink *s, const struct sonde_evsel *evlist, size_t nr, const struct meta *meta,
			struct sonde_error *err)
{
	struct writer *w = of(s);
	struct buf b = BUF_MEMORY;
	int r = 0;

	b.err = err;
	header_encode(&b, &(struct header){ .pipe = true });
	for (size_t i = 0; i < nr; i++)
		put_attr_record(&b, &evlist[i]);
	/* At a feature that it does not know perf stops, in a stream; 6.1 knows those up to PMU_CAPS. */
	for (uint32_t i = 0; r == 0 && i <= SONDE_FEAT_PMU_CAPS; i++)
		if (bit(meta->features, i))
			r = put_feature_record(&b, i, meta);
	for (size_t i = 0; i < nr; i++)
		if (evlist[i].nr_ids)
			stream_put_event_name(&b, evlist[i].ids[0], evlist[i].name, false);
	if (r == 0)
		r = put_sample_time(&b, &(struct meta){ 0 });
	/* No end mark: each version of perf takes another number for it, and warns of those of the others. */
	if (r < 0 || b.failed)
		r = err_nomem(err);
	else
		r = write_stream(w, b.p, b.n, err);
	buf_free(&b);
	return r;
}

static int stream_records(struct sink *s, const void *bytes, size_t n, struct sonde_error *err)
{
	return write_stream(of(s), bytes, n, err);
}

/* Nothing else that is known only at the end has a place in a stream, which has been read by then. */
static int stream_finish(struct sink *s, const struct meta *meta, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	int r = bit(meta->features, SONDE_FEAT_UNFINISHED) ? 0 : put_sample_time(&b, meta);

	b.err = err;
	r = r < 0 || b.failed ? err_nomem(err) : write_stream(of(s), b.p, b.n, err);
	buf_free(&b);
	return r;
}

static const struct sink_ops stream_ops = {
	.start = stream_start, .records = stream_records, .finish = stream_finish, .discard = writer_discard,
	.free = writer_free,
};

/* ---- records beside the file `data` of a directory, which has all else ---- */

static int part_start(struct sink *s, const struct sonde_evsel *evlist, size_t nr, const struct meta *meta,
		      struct sonde_error *err)
{
	(void)s;
	(void)evlist;
	(void)nr;
	(void)meta;
	(void)err;
	return 0;
}

static int part_finish(struct sink *s, const struct meta *meta, struct sonde_error *err)
{
	(void)s;
	(void)meta;
	(void)err;
	return 0;
}

static const struct sink_ops part_ops = {
	.start = part_start, .records = stream_records, .finish = part_finish, .discard = writer_discard,
	.free = writer_free,
};

/* Takes the file over, also when it fails. */
static int new_writer(struct recfile *f, const struct sink_ops *ops, struct sink **out, struct sonde_error *err)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w) {
		recfile_discard(f);
		return err_nomem(err);
	}
	w->sink.ops = ops;
	w->file = *f;
	*out = &w->sink;
	return 0;
}

int writer_stream(int fd, struct sink **out, struct sonde_error *err)
{
	struct recfile f = { .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0) };

	if (f.fd < 0)
		return err_sys(err, errno, "cannot write to the standard output");
	return new_writer(&f, &stream_ops, out, err);
}

int writer_file(const char *path, struct sink **out, struct sonde_error *err)
{
	struct recfile f = RECFILE_NONE;
	struct stat st;
	int e;

	if (lstat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))) {
		f.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
		return f.fd < 0 ? err_sys(err, errno, "cannot write to %s", path) :
				  new_writer(&f, &stream_ops, out, err);
	}
	e = recfile_create(&f, path, O_WRONLY, err);
	return e < 0 ? e : new_writer(&f, &file_ops, out, err);
}

int writer_part(const char *path, struct sink **out, struct sonde_error *err)
{
	struct recfile f = RECFILE_NONE;
	int e = recfile_create(&f, path, O_WRONLY, err);

	return e < 0 ? e : new_writer(&f, &part_ops, out, err);
}
