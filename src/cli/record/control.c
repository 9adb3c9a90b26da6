/* SPDX-License-Identifier: MIT */
#include "cli/record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/record/words.h"

#define WINDOWS_MAX 1024
#define DELAY_MAX   1000000000
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sonde_perf_recorder_opts *const opts = &record_words.opts;

/* "10-20": a window after @last. NULL if it is none, else where the text goes on. */
static const char *parse_window(const char *text, uint64_t last, struct sonde_perf_window *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	out->from_ms = strtoull(text, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return NULL;
	out->to_ms = strtoull(end + 1, &end, 10);
	if (out->from_ms < last || out->to_ms <= out->from_ms || out->to_ms > DELAY_MAX || (*end && *end != ','))
		return NULL;
	return *end ? end + 1 : end;
}

static int set_windows(const char *arg)
{
	static struct sonde_perf_window windows[WINDOWS_MAX];
	uint64_t last = 0;
	size_t n = 0;

	for (const char *p = arg; p && *p; last = windows[n++].to_ms) {
		p = n < WINDOWS_MAX ? parse_window(p, last, &windows[n]) : NULL;
		if (!p) {
			say_usage("-D: '%s' is not a list of times such as 10-20,30-40 in milliseconds, one after "
				  "the other", arg);
			return -SONDE_USAGE;
		}
	}
	opts->when.windows = windows;
	opts->when.nr_windows = n;
	return 0;
}

int record_set_delay(const char *arg)
{
	char *end;

	opts->when.delay_ms = 0;
	opts->when.nr_windows = 0;
	opts->when.start_disabled = !strcmp(arg, "-1");
	if (opts->when.start_disabled)
		return 0;
	if (strchr(arg, '-') && *arg != '-')
		return set_windows(arg);
	opts->when.delay_ms = strtoll(arg, &end, 10);
	if (end == arg || *end || opts->when.delay_ms < 0 || opts->when.delay_ms > DELAY_MAX) {
		say_usage("-D: '%s' is not a number of milliseconds, a list of times such as 10-20,30-40, or -1", arg);
		return -SONDE_USAGE;
	}
	return 0;
}

/* A fifo that others open and close as they like: writing and reading ends stay open here. */
static int open_end(const char *kind, const char *text, int *fd)
{
	char *end;
	long v;

	if (!strcmp(kind, "fifo")) {
		*fd = open(text, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (*fd < 0)
			say("--control: cannot open %s: %s", text, strerror(errno));
		return *fd < 0 ? -SONDE_USAGE : 0;
	}
	v = strtol(text, &end, 10);
	if (end == text || *end || v < 0 || v > INT_MAX || fcntl((int)v, F_GETFD) < 0) {
		say_usage("--control: '%s' is not an open file descriptor", text);
		return -SONDE_USAGE;
	}
	*fd = (int)v;
	return 0;
}

int record_set_control(const char *arg)
{
	const char *kind = !strncmp(arg, "fd:", 3) ? "fd" : !strncmp(arg, "fifo:", 5) ? "fifo" : NULL;
	char control[PATH_MAX];
	const char *from, *comma;
	int e;

	from = kind ? arg + strlen(kind) + 1 : arg;
	comma = strchrnul(from, ',');
	if (!kind || comma == from || (size_t)(comma - from) >= sizeof(control) || (*comma && !comma[1])) {
		say_usage("--control: '%s' is not fd:CONTROL[,ACK] or fifo:CONTROL[,ACK]", arg);
		return -SONDE_USAGE;
	}
	snprintf(control, sizeof(control), "%.*s", (int)(comma - from), from);
	opts->when.ack_fd = -1;
	e = open_end(kind, control, &opts->when.control_fd);
	if (e == 0 && *comma)
		e = open_end(kind, comma + 1, &opts->when.ack_fd);
	opts->when.control = e == 0;
	return e;
}

/* "10s": milliseconds; false if it is none. */
static bool parse_time(const char *text, uint64_t *ms)
{
	static const struct {
		char letter;
		uint64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };
	char *end;
	uint64_t v = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;

	for (size_t i = 0; v && v < UINT32_MAX && i < COUNT(units); i++)
		if (end[0] == units[i].letter && !end[1]) {
			*ms = v * units[i].ms;
			return true;
		}
	return false;
}

int record_set_switch(const char *arg)
{
	bool suffixed = false;

	opts->switching.switch_output = true;
	opts->switching.switch_bytes = opts->switching.switch_ms = 0;
	if (!arg || !strcmp(arg, "signal") || parse_time(arg, &opts->switching.switch_ms))
		return 0;
	if (!record_parse_size(arg, &opts->switching.switch_bytes, &suffixed) || !suffixed ||
	    !opts->switching.switch_bytes) {
		say_usage("--switch-output: '%s' is not signal, a size in B, K, M or G, or a time in s, m, h or d",
			  arg);
		return -SONDE_USAGE;
	}
	return 0;
}

int record_set_switch_max(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!record_parse_size(arg, &v, &suffixed) || suffixed || !v || v > UINT32_MAX) {
		say_usage("--switch-max-files: '%s' is not a number of files", arg);
		return -SONDE_USAGE;
	}
	opts->switching.switch_max_files = (uint32_t)v;
	return 0;
}

int record_set_snapshot(const char *arg)
{
	/* perf's only word: one more snapshot at the end */
	if (arg && strcmp(arg, "e") != 0) {
		say_usage("--snapshot: '%s' is not e", arg);
		return -SONDE_USAGE;
	}
	opts->rings.overwrite = true;
	opts->rings.snapshot = !arg;
	return 0;
}
