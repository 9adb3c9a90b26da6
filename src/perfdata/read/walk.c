/* SPDX-License-Identifier: MIT */
/* walk.c - from record to record, in a file, in memory or in a stream that is still being written. */
#include "perfdata/read/walk.h"
#include "perfdata/read/event.h"
#include "perfdata/read/metadata.h"
#include "perfdata/read/recovered_ids.h"
#include "perfdata/read/unpacked_bytes.h"
#include "perfdata/read/walk_bytes.h"
#include "perfdata/read/walk_loss.h"

#define STREAM_AUX_BYTES (1 << 20)   /* of a stream: trace after a record that is kept at hand; more is passed over */
#define TRACE_DATA_MISSING "{byte|bytes} of trace data after a record {is|are} missing"

static int walk_start(struct perfdata *f, uint32_t part, uint32_t last_part, struct walk **out, struct sonde_error *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return err_nomem(err);
	w->f = f;
	w->turn = part ? f->ledger_turn : ++f->ledger_turn;
	w->part = part;
	w->last_part = last_part;
	w->last_cpu = -1;
	r = walk_begin(w, err);
	if (r < 0)
		free(w);
	else
		*out = w;
	return r;
}

int walk_quietly(struct perfdata *f, struct walk **out, struct sonde_error *err)
{
	uint64_t turn = f->ledger_turn;
	int r = walk_start(f, 0, 0, out, err);

	f->ledger_turn = turn;
	if (r == 0)
		(*out)->turn = SONDE_NONE;
	return r;
}

static void restart_ledger(struct perfdata *f)
{
	ledger_restart(&f->base.ledger);
	f->lost_by_records = f->lost_by_counts = 0;
}

int perfdata_walk_new(struct reader *r, struct walk **out, struct sonde_error *err)
{
	struct perfdata *f = perfdata_of(r);

	if (f->input.stream) {
		if (!f->stream_walk)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "a stream can be read once");
		*out = f->stream_walk;
		f->stream_walk = NULL;
		return 0;
	}
	restart_ledger(f);
	return walk_start(f, 0, f->parts.n ? (uint32_t)f->parts.n - 1 : 0, out, err);
}

int perfdata_walk_part(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err)
{
	if (part == 0)
		restart_ledger(perfdata_of(r));
	return walk_start(perfdata_of(r), part, part, out, err);
}

/*
 * The metadata of a pipe stands before the events. It is taken at open, so that the events of an open trace are known.
 * A stream keeps the records for the walk; of a file the walk comes by them again, and then tells of damage.
 */
int perfdata_read_ahead(struct perfdata *f, struct sonde_error *err)
{
	struct record_refs passed = { 0 };
	struct record_ref ref;
	struct walk *w;
	int r = f->input.stream ? walk_start(f, 0, 0, &w, err) : walk_quietly(f, &w, err);

	if (r < 0)
		return r;
	while ((r = perfdata_walk_next(w, &ref, err)) > 0) {
		bool metadata = record_header(ref.p, f->header.swap).type >= RECORD_USER;

		if (f->input.stream) {
			if (vec_push(&passed, ref) < 0) {
				r = err_nomem(err);
				break;
			}
			perfdata_pin(&f->base, &ref);
		}
		if (!metadata)
			break;
	}
	w->replay = passed;
	if (f->input.stream)
		f->stream_walk = w;
	else
		perfdata_walk_free(w);
	return r < 0 ? r : perfdata_finish_features(f, err);  /* a killed recorder sends no end mark */
}

void perfdata_walk_free(struct walk *w)
{
	if (!w)
		return;
	for (size_t i = w->nr_replayed ? w->nr_replayed - 1 : 0; i < w->replay.n; i++)
		block_unpin(&w->f->blocks, w->replay.at[i].block);
	vec_free(&w->replay);
	u64map_free(&w->passes);
	read_ahead_drop(&w->ahead, &w->f->base, &w->f->blocks);
	block_unpin(&w->f->blocks, w->file.block);
	walk_unpack_end(w);
	blocks_drop_spare(&w->f->blocks);
	free(w);
}

uint64_t perfdata_walk_passed(const struct walk *w)
{
	return w->passed + w->file.scan.at - w->began;
}

uint64_t perfdata_held(const struct reader *r)
{
	return ((const struct perfdata *)r)->blocks.held_bytes;
}

void perfdata_pin(struct reader *r, const struct record_ref *ref)
{
	block_pin(&perfdata_of(r)->blocks, ref->block);
}

void perfdata_unpin(struct reader *r, const struct record_ref *refs, size_t n)
{
	struct blocks *blocks = &perfdata_of(r)->blocks;

	for (size_t i = 0; i < n; i++)
		block_unpin(blocks, refs[i].block);
}

#define MISC_LOST_BY_BPF (1u << 15)
#define READ_FORMAT_LOST (1u << 4)

/*
 * Events that found a ring full are told twice: by a LOST record in the ring, and by the kernel's count, which perf
 * reads at the end and writes as LOST_SAMPLES without a time. A count has what no LOST record could tell any more too.
 * Events that one has told of are not added by the other.
 */
static void note_full_ring(struct perfdata *f, const struct sonde_event *ev, uint64_t lost, uint64_t *own,
			   uint64_t *other)
{
	uint64_t told = lost < *other ? lost : *other;

	*other -= told;
	*own += lost - told;
	if (lost > told)
		ledger_add(&f->base.ledger, SONDE_LOSS_RECORDER, lost - told, ev->file_offset,
			   ev->time ? ev->time : SONDE_NONE, ev->cpu,
			   "{event|events} lost because the ring buffer was full (larger -m, or lower -F, helps)");
}

static bool is_count(const struct sonde_event *ev)
{
	return (ev->time == 0 || ev->time == SONDE_NONE) && ev->evsel &&
		ev->evsel->attr->read_format & READ_FORMAT_LOST;
}

static void note_loss(struct walk *w, const struct record_header *h, const struct record_ref *ref)
{
	struct perfdata *f = w->f;
	struct ledger *l = &f->base.ledger;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct sonde_lost lost;

	perfdata_load(&f->base, ref, &e);
	if (h->type == RECORD_THROTTLE)
		ledger_add(l, SONDE_LOSS_THROTTLED, 1, ev->file_offset, ev->time, ev->cpu,
			   "{time|times} the kernel stopped %s for the rest of a tick",
			   ev->evsel ? ev->evsel->name : "an event");
	else if (perfdata_body(&f->base, ev, BODY_LOST, &lost) < 0)
		return;
	else if (h->type == RECORD_LOST)
		note_full_ring(f, ev, lost.lost, &f->lost_by_records, &f->lost_by_counts);
	else if (h->misc & MISC_LOST_BY_BPF)
		ledger_add(l, SONDE_LOSS_SAMPLES, lost.lost, ev->file_offset, SONDE_NONE, ev->cpu,
			   "{sample|samples} dropped by the BPF program of %s",
			   ev->evsel ? ev->evsel->name : "an event");
	else if (is_count(ev))
		note_full_ring(f, ev, lost.lost, &f->lost_by_counts, &f->lost_by_records);
	else
		ledger_add(l, SONDE_LOSS_SAMPLES, lost.lost, ev->file_offset, ev->time, ev->cpu,
			   "{sample|samples} lost");
}

/*
 * Files of a directory have no round marks. Their recorder goes from ring to ring, always in the same order, and each
 * ring is one CPU's: when a CPU comes up again after others, all rings have been read since its last turn.
 */
static int note_pass(struct walk *w, int32_t cpu, struct record_ref *ref, struct sonde_error *err)
{
	if (cpu == w->last_cpu)
		return 0;
	w->last_cpu = cpu;
	if (u64map_get(&w->passes, (uint32_t)cpu) == w->pass_number) {
		w->pass_number++;
		ref->mark = MARK_PASS;
	}
	return u64map_set(&w->passes, (uint32_t)cpu, w->pass_number) < 0 ? err_nomem(err) : 0;
}

/* The time of a record of the kernel, for ordering: from the sample or from its sample_id trailer. */
static int note_time(struct walk *w, const struct walk_bytes *b, const struct record_header *h, struct record_ref *ref,
		     struct sonde_error *err)
{
	const uint8_t *p = b->scan.p;
	bool sample = h->type == RECORD_SAMPLE, swap = w->f->header.swap;
	uint64_t id;
	struct evsel *s = evlist_find(&w->f->evlist, p, h->size, sample, swap, &id);
	const uint8_t *time, *cpu;

	if (!s && perfdata_lacks_ids(w->f)) {
		int r = perfdata_settle_ids(w->f, err);

		if (r < 0)
			return r;
		s = r ? evlist_find(&w->f->evlist, p, h->size, sample, swap, &id) : NULL;
	}
	if (!s) {
		walk_lose(w, walk_place(b), SONDE_LOSS_UNKNOWN_ID, 1,
			  "{record|records} of an event that the file does not describe");
		return 0;
	}
	time = evsel_field(s, p, h->size, sample, AT_TIME);
	if (!time)
		return 0;
	ref->time = load_u64(time, swap);
	cpu = w->part && ref->time ? evsel_field(s, p, h->size, sample, AT_CPU) : NULL;
	return cpu ? note_pass(w, (int32_t)load_u32(cpu, swap), ref, err) : 0;
}

/* Records that describe the file itself are taken once, however often they are walked over. */
static int take_metadata(struct walk *w, const struct scanned *r, struct sonde_error *err)
{
	struct scan *s = &w->file.scan;
	size_t after = 0;
	int failed;

	if (w->part || s->at < w->f->metadata_until)
		return 0;
	if (r->h.type == RECORD_HEADER_TRACING_DATA && r->payload) {
		failed = scan_fill(s, r->bytes, err);
		if (failed < 0)
			return failed;
		after = at_hand(s) - r->h.size;
		if (after > r->payload)
			after = (size_t)r->payload;
	}
	failed = perfdata_note_metadata(w->f, s->p, after, s->at, err);
	w->f->metadata_until = s->at + 1;
	return failed;
}

/* The records that were read ahead at open: 1 and a record, or 0 when all of them have been given out. */
static int replay(struct walk *w, struct record_ref *out)
{
	if (w->nr_replayed > 0)
		perfdata_unpin(&w->f->base, &w->replay.at[w->nr_replayed - 1], 1);
	if (w->nr_replayed < w->replay.n) {
		*out = w->replay.at[w->nr_replayed++];
		return 1;
	}
	vec_free(&w->replay);
	w->nr_replayed = 0;
	return 0;
}

static int skip_payload(struct walk *w, struct sonde_error *err)
{
	uint64_t skip = w->skip, place = w->file.scan.at;
	int64_t n = walk_skip(w, skip, err);

	w->skip = 0;
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < skip)
		walk_lose(w, place, SONDE_LOSS_TRUNCATED, skip - (uint64_t)n, TRACE_DATA_MISSING);
	return 0;
}

/* Flags of an AUX record: PERF_AUX_FLAG_* in <linux/perf_event.h>. */
static const struct {
	uint64_t flag;
	enum sonde_loss_kind kind;
	const char *text;
} aux_losses[] = {
	{ 1, SONDE_LOSS_RECORDER, "{time|times} hardware trace was cut because its buffer was full (larger -m ,PAGES "
				  "helps)" },
	{ 4, SONDE_LOSS_RECORDER, "{piece|pieces} of hardware trace with gaps" },
	{ 8, SONDE_LOSS_SAMPLES, "{piece|pieces} of hardware trace in which samples collided" },
};

static void note_aux_loss(struct walk *w, const struct record_header *h, const struct record_ref *ref)
{
	uint64_t flags = h->size >= 32 ? load_u64(ref->p + 24, w->f->header.swap) : 0;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;

	for (size_t i = 0; i < ARRAY_SIZE(aux_losses); i++) {
		if (!(flags & aux_losses[i].flag))
			continue;
		perfdata_load(&w->f->base, ref, &e);
		ledger_add(&w->f->base.ledger, aux_losses[i].kind, 1, ev->file_offset, ev->time, ev->cpu, "%s",
			   aux_losses[i].text);
	}
}

/* Takes the record at which the scan stands as the next one: 1, or negative. */
static int take_record(struct walk *w, struct walk_bytes *b, const struct record_header *h, struct record_ref *out,
		       struct sonde_error *err)
{
	int r = 0;

	*out = (struct record_ref){
		.time = SONDE_NONE, .p = b->scan.p, .block = b->block, .mark = MARK_NOW, .size = h->size,
	};
	if (h->type == RECORD_FINISHED_ROUND) {
		out->mark = MARK_ROUND;
	} else if (h->type < RECORD_USER) {
		out->mark = MARK_NONE;
		r = note_time(w, b, h, out, err);
		if (h->type == RECORD_LOST || h->type == RECORD_LOST_SAMPLES || h->type == RECORD_THROTTLE)
			if (walk_owns_ledger(w))
				note_loss(w, h, out);
		if (h->type == RECORD_AUX && walk_owns_ledger(w))
			note_aux_loss(w, h, out);
	}
	scan_pass(&b->scan, h->size);
	return r < 0 ? r : 1;
}

/* The next record, after damage that is lost: 1, 0 if there is none, or negative. */
static int find_record(struct walk_bytes *b, struct scanned *r, struct sonde_error *err)
{
	int step;

	while ((step = scan_next(&b->scan, r, err)) == SCAN_DAMAGE)
		walk_lose_damage(b, r);
	return step;
}

static int next_in_file(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	struct scan *s = &w->file.scan;
	struct scanned found;
	int r = w->skip ? skip_payload(w, err) : 0;

	if (r == 0)
		r = find_record(&w->file, &found, err);
	if (r <= 0)
		return r;
	if (found.missing)
		walk_lose(w, found.at, SONDE_LOSS_TRUNCATED, found.missing, TRACE_DATA_MISSING);
	if (found.h.type == RECORD_COMPRESSED || found.h.type == RECORD_COMPRESSED2)
		r = walk_take_compressed(w, &found, err);
	else if (found.h.type >= RECORD_USER)
		r = take_metadata(w, &found, err);
	if (r < 0)
		return r;
	if (found.h.type == RECORD_AUXTRACE && s->live) {
		r = found.payload <= STREAM_AUX_BYTES ? scan_fill(s, found.bytes, err) : 0;
		if (r < 0)
			return r;
		w->f->stream_aux = (struct sonde_bytes){ s->p, r ? found.bytes : 0 };
	}
	w->skip = found.payload;
	return take_record(w, &w->file, &found.h, out, err);
}

/* From one file of a directory to the next: each is a stream of its own. 1, or negative. */
static int next_part(struct walk *w, struct sonde_error *err)
{
	uint32_t old = w->file.block;
	int r;

	w->passed += w->file.scan.at - w->began;
	walk_unpack_end(w);
	w->part++;
	w->skip = 0;
	r = walk_begin(w, err);
	if (r < 0)
		return r;
	block_unpin(&w->f->blocks, old);
	return 1;
}

static int next_record(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	struct scan *s = &w->unpacked.scan;
	struct scanned found;
	int r = 0;

	if (w->unpacker.waiting || at_hand(s)) {
		r = find_record(&w->unpacked, &found, err);
		if (r > 0)
			return take_record(w, &w->unpacked, &found.h, out, err);
	}
	if (r == 0)
		r = next_in_file(w, out, err);
	if (r == 0 && scan_cut(s, &found))
		walk_lose_damage(&w->unpacked, &found);
	return r;
}

int perfdata_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	int r;

	if (w->replay.n && replay(w, out))
		return 1;
	do
		r = next_record(w, out, err);
	while (r == 0 && w->part < w->last_part && (r = next_part(w, err)) > 0);
	if (r == 0 && w->f->input.stream && w->f->mark.unfinished && !w->ended) {
		walk_lose(w, SONDE_NONE, SONDE_LOSS_TRUNCATED, 1, STREAM_UNFINISHED);
		w->ended = true;
	}
	return r;
}
