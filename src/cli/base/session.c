/* SPDX-License-Identifier: MIT */
#include "cli/base/session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/base/memory.h"

#define OFFSETS_MAX 1024
#define SECONDS_MAX 4000000000       /* so that nanoseconds fit into 64 bits */
#define NS_PER_SECOND 1000000000
#define DIGITS 9

static int64_t offsets[OFFSETS_MAX];
static struct sonde_several_opts several = { .sz = sizeof(several), .offsets_ns = offsets };

/* "-1.5": seconds as nanoseconds; no digit before a comma or the end: the clock says. False if it is not a number. */
static bool parse_seconds(const char *word, const char **end, int64_t *ns)
{
	bool negative = *word == '-';
	int64_t seconds = 0, part = 0;
	int digits = 0;

	*end = word;
	*ns = SONDE_OFFSET_BY_CLOCK;
	if (!*word || *word == ',')
		return true;
	word += *word == '-' || *word == '+';
	if (*word < '0' || *word > '9')
		return false;
	for (; *word >= '0' && *word <= '9' && seconds < SECONDS_MAX; word++)
		seconds = 10 * seconds + (*word - '0');
	if (*word == '.')
		for (word++; *word >= '0' && *word <= '9' && digits < DIGITS; word++, digits++)
			part = 10 * part + (*word - '0');
	for (; digits < DIGITS; digits++)
		part *= 10;
	if (seconds >= SECONDS_MAX)
		return false;
	*end = word;
	*ns = (negative ? -1 : 1) * (seconds * NS_PER_SECOND + part);
	return true;
}

int session_set_offsets(const char *arg)
{
	const char *at = arg;

	for (several.nr_offsets = 0; *arg && several.nr_offsets < OFFSETS_MAX; at++) {
		if (!parse_seconds(at, &at, &offsets[several.nr_offsets]))
			break;
		several.nr_offsets++;
		if (!*at)
			return 0;
		if (*at != ',')
			break;
	}
	say_usage("--offset takes seconds for each input, as 0,-1.5, not '%s'", arg);
	return -SONDE_USAGE;
}

const struct sonde_several_opts *session_offsets(void)
{
	return &several;
}

/* An offset, or a clock that may be another one: both must be known to whoever looks at the times. */
static void say_alignment(const struct sonde_trace *t)
{
	const struct sonde_alignment *a = sonde_trace_alignment(t);
	uint64_t ns = a->offset_ns < 0 ? -(uint64_t)a->offset_ns : (uint64_t)a->offset_ns;
	const char *path = sonde_trace_info(t)->path;

	if (a->offset_ns)
		say("%s: %s%" PRIu64 ".%09" PRIu64 " s added to its times: %s", path, a->offset_ns < 0 ? "-" : "",
		    ns / NS_PER_SECOND, ns % NS_PER_SECOND, a->text);
	else if (a->fact == SONDE_ALIGNED_SCHEDULER)
		warn("%s: %s: record both with one clock (-k mono, -C mono) for exact times", path, a->text);
}

void session_align(const struct session *s)
{
	if (s->n > 1 || several.nr_offsets)
		sonde_traces_align(s->traces, s->n, &several);
}

void session_say_offsets(const struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (session_has(s, i) && sonde_trace_alignment(s->traces[i]))
			say_alignment(s->traces[i]);
}

int session_add(struct session *s, const char *path, const struct sonde_open_opts *opts)
{
	struct sonde_trace **traces = realloc(s->traces, (s->n + 1) * sizeof(*traces));
	struct sonde_trace *t = traces ? sonde_trace_new() : NULL;

	s->traces = traces ? traces : s->traces;
	if (!t) {
		s->out_of_memory = true;
		return say_out_of_memory();
	}
	traces[s->n++] = t;
	if (sonde_trace_open(t, path, opts) == 0 || session_has_profile(s, s->n - 1))
		return 0;
	return say_error(path, sonde_trace_error(t));
}

static int open_all(struct session *s, const char *const *paths, size_t n, const struct sonde_open_opts *opts)
{
	int status = 0;

	for (size_t i = 0; i < n && !s->out_of_memory; i++)
		status |= session_add(s, paths[i], opts);
	if (s->out_of_memory)
		return status;
	session_align(s);
	session_say_offsets(s);
	return status;
}

int session_open(struct session *s, const char *const *paths, size_t n)
{
	return open_all(s, paths, n, open_options());
}

int session_open_at_once(struct session *s, const char *const *paths, size_t n)
{
	struct sonde_open_opts opts = *open_options();
	int status;

	opts.max_memory /= n ? n : 1;
	status = open_all(s, paths, n, &opts);
	session_keep_open_ones(s);
	return status;
}

void session_keep_open_ones(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (session_has(s, i) || session_has_profile(s, i))
			s->traces[kept++] = s->traces[i];
		else
			sonde_trace_free(s->traces[i]);
	s->n = kept;
}

void session_close(struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		sonde_trace_free(s->traces[i]);
	free(s->traces);
	*s = (struct session){ 0 };
}
