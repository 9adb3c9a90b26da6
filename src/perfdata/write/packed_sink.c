/* SPDX-License-Identifier: MIT */
#include "perfdata/write/packed_sink.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"
#include "perfdata/write/part_writer.h"

struct packed_sink {
	struct sink sink;
	struct sink *to;
	struct part_writer part;
	struct output memory;        /* where the part is written, before it goes to the other sink */
	struct packing how;
};

static struct packed_sink *of(struct sink *s)
{
	return (struct packed_sink *)s;
}

/* Other features of the file. The ratio of compression is known at the end. */
static struct meta with_compression(const struct packed_sink *p, const struct meta *meta)
{
	struct meta new = *meta;

	feature_set(&new, SONDE_FEAT_COMPRESSED);
	new.compressed.type = COMPRESSED_ZSTD;
	new.compressed.level = p->how.level;
	new.compressed.mmap_len = PART_GATHER_BYTES;
	new.compressed.ratio = p->how.nr_packed ?
		(uint32_t)((p->how.nr_plain + p->how.nr_packed / 2) / p->how.nr_packed) :
		1;
	return new;
}

static int packed_start(struct sink *s, const struct sonde_evsel *evlist, size_t nr, const struct meta *meta,
			struct sonde_error *err)
{
	struct packed_sink *p = of(s);
	struct meta new = with_compression(p, meta);
	int r = p->to->ops->start(p->to, evlist, nr, &new, err);

	s->bytes = p->to->bytes;
	return r;
}

static int packed_records(struct sink *s, const void *bytes, size_t n, struct sonde_error *err)
{
	struct packed_sink *p = of(s);
	const uint8_t *record = bytes, *end = record + n;
	int r = 0;

	/* a hardware trace is not compressed: its record comes alone */
	if (n >= 8 && load_u32(record, false) == RECORD_AUXTRACE) {
		r = p->to->ops->records(p->to, bytes, n, err);
		s->bytes = p->to->bytes;
		return r;
	}
	while (r == 0 && record < end) {
		size_t size = load_u16(record + 6, false);

		r = part_writer_record(&p->part, &p->how, record, size, err);
		record += size;
	}
	if (r == 0)
		r = part_writer_pack(&p->part, &p->how, 0, err);
	if (r == 0)
		r = p->to->ops->records(p->to, p->memory.buf.p, p->memory.buf.n, err);
	p->memory.buf.n = 0;
	s->bytes = p->to->bytes;
	return r;
}

static int packed_finish(struct sink *s, const struct meta *meta, struct sonde_error *err)
{
	struct packed_sink *p = of(s);
	struct meta new = with_compression(p, meta);
	int r = p->to->ops->finish(p->to, &new, err);

	s->bytes = p->to->bytes;
	return r;
}

static void packed_discard(struct sink *s)
{
	of(s)->to->ops->discard(of(s)->to);
}

static void packed_free(struct sink *s)
{
	struct packed_sink *p = of(s);

	p->to->ops->free(p->to);
	part_writer_free(&p->part);
	output_close(&p->memory);
	free(p);
}

static const struct sink_ops packed_ops = {
	.start = packed_start,
	.records = packed_records,
	.finish = packed_finish,
	.discard = packed_discard,
	.free = packed_free,
};

int packed_sink_new(struct sink *to, uint32_t level, bool aligned, struct sink **out, struct sonde_error *err)
{
	struct packed_sink *p = calloc(1, sizeof(*p));

	if (!p) {
		to->ops->discard(to);
		to->ops->free(to);
		return err_nomem(err);
	}
	p->sink = (struct sink){ .ops = &packed_ops, .bytes = to->bytes };
	p->to = to;
	p->how.level = level;
	p->how.aligned = aligned;
	p->memory.buf = BUF_MEMORY;
	p->part.own.buf = BUF_MEMORY;
	p->part.to = &p->memory;
	*out = &p->sink;
	return 0;
}
