/* SPDX-License-Identifier: MIT */
/*
 * redact_verify.c - is anything that was replaced still there?
 *
 * Paths are searched for in every byte of the output, and in what its compressed records expand to. Other names can be
 * words of any kind: they are searched for in all records and features but those whose texts are kept on purpose.
 */
#include "perfdata/rewrite/redact_verify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/read/perfdata.h"
#include "tracefmt/redact/search.h"

/* Records with texts that were kept: names of events, functions of the kernel and its modules. */
static bool keeps_texts(const struct sonde_event *ev)
{
	struct sonde_mmap mmap;
	uint16_t mode;

	switch (ev->type) {
	case RECORD_KSYMBOL:
	case RECORD_TEXT_POKE:
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_FEATURE:
	case RECORD_EVENT_UPDATE:
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return true;
	case RECORD_HEADER_BUILD_ID:  /* of modules, too */
		return true;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		mode = ev->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		return event_mmap(ev, &mmap) == 0 &&
		       pseudonym_keeps_mapping(mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL,
					       mmap.filename.p, mmap.filename.len);
	}
	return false;
}

static const struct evsel *perf_evsel_of(const struct sonde_event *ev)
{
	return (const struct evsel *)ev->evsel;
}

/* Where in a record text can begin; past its end where all are numbers. */
static size_t text_at(const struct sonde_event *ev)
{
	const struct record_type *row = record_type_find(ev->type);

	/* an error has a message, and the words of AUXTRACE_INFO can be text */
	if (!row || !row->fields || ev->type == RECORD_AUXTRACE_INFO || ev->type == RECORD_AUXTRACE_ERROR)
		return RECORD_HEADER_BYTES;
	for (const struct record_field *f = row->fields; f->name; f++)
		if (f->kind >= FIELD_CHARS16)
			return f->at;
	for (const struct record_field *f = row->array.fields; f && f->name; f++)
		if (f->kind >= FIELD_CHARS16)
			return row->array.at;
	return SIZE_MAX / 2;
}

/*
 * Numbers are no text, even where their bytes spell a name by chance, as a period of 1818845556 spells "tail": of a
 * record that is searched are the bytes that can hold text. Of samples that is the raw data; chains, registers and
 * stacks have been cleared word by word.
 */
static struct sonde_bytes text_part(const struct sonde_event *ev)
{
	size_t from = text_at(ev),
	       trailer = ev->type < RECORD_USER && ev->evsel ? perf_evsel_of(ev)->layout.trailer_bytes : 0;
	struct sample sample;

	if (ev->type == RECORD_SAMPLE)
		return event_sample(ev, &sample) == 0 ? sample.raw :
							      (struct sonde_bytes){ ev->raw, ev->raw_size };
	if (from + trailer >= ev->raw_size)
		return (struct sonde_bytes){ NULL, 0 };
	return (struct sonde_bytes){ ev->raw + from, ev->raw_size - from - trailer };
}

static int search_records(const struct multi_search *removed, struct reader *reader, struct sonde_error *err)
{
	struct record_ref ref;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct sonde_bytes text;
	struct walk *walk;
	int r = reader->ops->walk_new(reader, &walk, err);

	if (r < 0)
		return r;
	while ((r = reader->ops->walk_next(walk, &ref, err)) > 0) {
		reader->ops->load(reader, &ref, &e);
		text = text_part(ev);
		if (ev->unpacked)
			r = redact_search(removed, SEARCH_ANYWHERE, ev->raw, ev->raw_size, ev->file_offset, err);
		else
			r = 0;
		if (r == 0 && text.len && !keeps_texts(ev))
			r = redact_search(removed, SEARCH_WORD | SEARCH_STRING, text.p, text.len,
				   ev->file_offset + (ev->unpacked ? 0 : (uint64_t)(text.p - ev->raw)), err);
		if (r < 0)
			break;
	}
	reader->ops->walk_free(walk);
	return r;
}

static int search_features(const struct multi_search *removed, const struct meta *meta, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < meta->nr_raw; i++) {
		const struct sonde_raw_feature *f = &meta->raw[i];

		if (f->id == SONDE_FEAT_HOSTNAME || f->id == SONDE_FEAT_CMDLINE)
			r = redact_search(removed, SEARCH_WORD | SEARCH_STRING, f->payload.p, f->payload.len,
					  f->file_offset, err);
	}
	return r;
}

static int search_trace(const struct multi_search *removed, const char *path, struct sonde_error *err)
{
	struct input in = INPUT_NONE;
	struct reader *reader;
	struct stat st;
	int64_t n;
	int r;

	in.path = path;
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in.fd < 0 || fstat(in.fd, &st) < 0) {
		input_close(&in);
		return err_sys(err, errno, "cannot read again what was written");
	}
	in.size = (uint64_t)st.st_size;
	n = input_read(in.fd, 0, in.head, sizeof(in.head), err);
	if (n < 0) {
		input_close(&in);
		return (int)n;
	}
	in.nr_head = (size_t)n;
	r = perfdata_format.open(&in, &reader, err);
	if (r < 0)
		return r;
	r = search_records(removed, reader, err);
	if (r == 0)
		r = search_features(removed, &reader->meta, err);
	reader->ops->free(reader);
	return r;
}

int redact_verify(const struct multi_search *removed, const char *path, struct sonde_error *err)
{
	struct image im;
	int r = image_open(&im, path, err);

	if (r < 0)
		return r;
	r = redact_search_file(removed, &im, err);
	image_close(&im);
	return r < 0 ? r : search_trace(removed, path, err);
}
