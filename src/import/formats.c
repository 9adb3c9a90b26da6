/* SPDX-License-Identifier: MIT */
#include "import/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/gunzip.h"
#include "import/firefox.h"
#include "import/folded.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/refused.h"
#include "import/speedscope.h"

/* A compressed profile has at most so many bytes; what decompresses to more is made to exhaust memory. */
#define TEXT_MAX (UINT64_C(2) << 30)

/* The last one has no mark of its own: the others come first. */
static const struct import_format *const formats[] = {
	&import_speedscope, &import_firefox, &import_pprof, &import_go_trace, &import_pprof_words, &import_pprof_text,
	&import_perf_script, &import_folded,
};

static const struct import_format *format_of(const char *text, size_t size, bool whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (size && formats[i]->recognise(text, size, whole))
			return formats[i];
	return NULL;
}

static bool is_folded_name(const char *path)
{
	static const char *const endings[] = { ".folded", ".folded.gz", ".collapsed", ".collapsed.gz",
					       ".collapsedstack.txt", ".stacks" };
	size_t n = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (n > strlen(endings[i]) && strcmp(path + n - strlen(endings[i]), endings[i]) == 0)
			return true;
	return false;
}

const struct import_format *import_recognise(const uint8_t *head, size_t n, bool whole, const char *path)
{
	const struct import_format *found;
	struct buf text = BUF_MEMORY;

	if (gunzip_is(head, n)) {
		whole = gunzip(head, n, IMPORT_HEAD_BYTES, &text, NULL) == 0;
		found = format_of(text.p, text.n, whole);
	} else {
		found = format_of((const char *)head, n, whole);
	}
	buf_free(&text);
	return found || !n || !is_folded_name(path) ? found : &import_folded;
}

/* Says how much was left out, and of which text the offset is. */
static void complete_error(struct import *im, bool packed)
{
	struct sonde_error *e = im->err;
	size_t n = e ? strlen(e->text) : 0;

	if (!e || !e->code)
		return;
	if (im->nr_bad > 1)
		n += (size_t)snprintf(e->text + n, sizeof(e->text) - n, " (the first of %" PRIu64 " such places)",
				      im->nr_bad);
	if (packed && e->file_offset != SONDE_NONE && n < sizeof(e->text))
		snprintf(e->text + n, sizeof(e->text) - n, ", in the decompressed text");
}

static int read_text(struct import *im, const struct import_format *format, bool packed)
{
	bool chains = !format->has_chains || format->has_chains(im->text, im->size);
	int r = imported_begin(im->profile, chains);

	if (r == 0)
		r = format->read(im);
	if (r == -SONDE_NOMEM)
		return r;
	complete_error(im, packed);
	return -(int)im->err->code;
}

int import_file(struct import *im, const struct import_format *format, const uint8_t *bytes, size_t n)
{
	struct sonde_error unpacking = { .sz = sizeof(unpacking), .file_offset = SONDE_NONE };
	struct buf text = BUF_MEMORY;
	bool packed = gunzip_is(bytes, n);
	int r = packed ? gunzip(bytes, n, TEXT_MAX, &text, &unpacking) : 0;

	im->text = packed ? text.p : (const char *)bytes;
	im->size = packed ? text.n : n;
	if (r != -SONDE_NOMEM && im->size)
		r = read_text(im, format, packed);
	if (unpacking.code) {    /* the cause of what the reader says about the end of the text */
		*im->err = unpacking;
		r = -(int)unpacking.code;
	}
	buf_free(&text);
	return r;
}
