/* SPDX-License-Identifier: MIT */
/*
 * layout.h - what lies where in a perf.data: header, attrs, ids, records, features
 *
 * Reads as much as makes sense and tells what does not: check shows that, the reader counts it as lost.
 */
#ifndef PERFDATA_SCAN_LAYOUT_H
#define PERFDATA_SCAN_LAYOUT_H

#include "io/image.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/evlist.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"
#include "perfdata/scan/rules.h"
#include "perfdata/scan/stream_mark.h"

/* Payloads beyond this are refused, as the newest perf does with its largest one. */
#define FEATURE_BYTES_MAX (256 * 1024 * 1024)

/* The loss of records that the header counts and the file does not have. */
#define LAYOUT_DATA_CUT "{byte|bytes} of records {is|are} missing: the file was cut"

/* Whether entries of the attrs section are of a size that can be read. */
static inline bool layout_has_entries(const struct header *h)
{
	return h->attr_size >= ATTR_SIZE_VER0 + sizeof(struct section) && h->attr_size <= ATTR_ENTRY_MAX;
}

/* Where an event is described; its attr and ids are in `evsels`, at the same index. */
struct layout_event {
	struct section attr, ids;
};

struct layout {
	struct image *image;
	struct header header;
	struct section data;         /* what there is of it: cut at the end of the file; of a stream: all of it */
	bool unfinished;  /* a file whose header says that there are no records, with bytes where they belong */
	VEC(struct layout_event) events;
	struct section features[SONDE_FEAT_BITS];
	bool has[SONDE_FEAT_BITS];   /* the table names it and it lies within the file */
	struct meta meta;      /* decoded; of a stream empty */
	struct reader holder;        /* of the evlist and the arena */
	struct evlist evlist;
	struct stream_mark mark;     /* of a stream, as far as its records were taken */
	uint64_t memory_left;        /* of what ids and features may take */
	struct {
		uint64_t count, at;
	} lost;                      /* by the finding that is told: for whoever reads on in spite of it */
	uint8_t *room;               /* while attrs are read */
	uint64_t cut_bundle;         /* where a bundle begins whose end is missing; 0: there is none */
};

/**
 * layout_read - read all but the records
 * @f: where broken rules are told; may be NULL
 * Returns 0, -SONDE_FORMAT when it is no perf.data, -SONDE_CORRUPT or -SONDE_TRUNCATED when the header cannot be used,
 * -SONDE_NOMEM, -SONDE_SYSTEM. layout_free() in any case.
 */
int layout_read(struct layout *l, struct image *im, struct findings *f, struct sonde_error *err);

/* The part of a section that is in the file. */
struct section layout_clamp(const struct layout *l, struct section s);

/* Adds the event of a HEADER_ATTR record; 0, -SONDE_CORRUPT, -SONDE_NOMEM. */
int layout_add_attr_record(struct layout *l, const uint8_t *p, uint64_t at, struct findings *f);

/*
 * Takes what a record of a stream says of the file: an attr, a feature; 0, -SONDE_CORRUPT, -SONDE_NOMEM, -SONDE_SYSTEM.
 */
int layout_take_record(struct layout *l, const uint8_t *p, const struct record_header *h, uint64_t at, uint64_t payload,
		       struct findings *f, struct sonde_error *err);

/* Adds an event that was found anywhere else; 0 or -SONDE_NOMEM. */
int layout_add_event(struct layout *l, const struct sonde_attr *attr, const uint64_t *ids, size_t nr_ids);

/* Forgets all events, or the events that @keep does not name by index. */
int layout_keep_events(struct layout *l, const bool *keep);

/* Whether records of two events have their ids at the same place, so that readers can find it. */
bool layout_events_agree(const struct layout *l, size_t i, size_t k);

void layout_free(struct layout *l);

#endif
