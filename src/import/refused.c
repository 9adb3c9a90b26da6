/* SPDX-License-Identifier: MIT */
#include "import/refused.h"

#include "base/bytes.h"
#include "base/str.h"

/* "go 1.22 trace" and zeros */
static bool is_go_trace(const char *text, size_t size, bool whole)
{
	struct sonde_str head = { text, size < 32 ? size : 32 };

	(void)whole;
	return str_skip_prefix(&head, "go 1.") && memmem(head.p, head.len, " trace\0", 7);
}

static int refuse_go_trace(struct import *im)
{
	return import_bad(im, SONDE_UNSUPPORTED, 0, "is an execution trace of Go: open it with `go tool trace`; "
			  "`go test -cpuprofile` and net/http/pprof write profiles");
}

/* Words of 8 bytes: 0, 3, 0, the period in us, 0; then count, depth and addresses of each stack. */
static bool is_pprof_words(const char *text, size_t size, bool whole)
{
	const uint8_t *p = (const uint8_t *)text;

	(void)whole;
	return size >= 40 && load_u64(p, false) == 0 && load_u64(p + 8, false) == 3 && load_u64(p + 16, false) == 0 &&
	       load_u64(p + 24, false) - 1 < 10000000 && load_u64(p + 32, false) == 0;
}

static int refuse_words(struct import *im)
{
	return import_bad(im, SONDE_UNSUPPORTED, 0, "is a CPU profile in the old binary form of Go and gperftools, "
			  "without names: `pprof -proto PROGRAM FILE` writes the form that is read");
}

static bool is_pprof_text(const char *text, size_t size, bool whole)
{
	struct sonde_str head = { text, size };

	(void)whole;
	return str_begins(head, "heap profile: ") || str_begins(head, "goroutine profile: total ") ||
	       str_begins(head, "threadcreate profile: total ") || str_begins(head, "--- contention:") ||
	       str_begins(head, "--- mutex:");
}

static int refuse_text(struct import *im)
{
	return import_bad(im, SONDE_UNSUPPORTED, 0, "is a profile in the old text form of Go (debug=1): without "
			  "debug=1 it has the form that is read");
}

const struct import_format import_go_trace = {
	.name = "Go execution trace", .recognise = is_go_trace, .read = refuse_go_trace,
};
const struct import_format import_pprof_words = {
	.name = "pprof, old binary form", .recognise = is_pprof_words, .read = refuse_words,
};
const struct import_format import_pprof_text = {
	.name = "pprof, old text form", .recognise = is_pprof_text, .read = refuse_text,
};
