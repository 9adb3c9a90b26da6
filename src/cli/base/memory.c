/* SPDX-License-Identifier: MIT */
#include "cli/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/base/message.h"

#define LEAST ((uint64_t)16 << 20)

static struct sonde_open_opts opts = { .sz = sizeof(opts) };

/*
 * The library bounds its windows. Other memory grows with the number of different tasks, stacks and the like; the
 * kernel refuses it beyond the limit. RLIMIT_DATA counts private writable memory: the heap and the stacks of threads.
 */
static int limit_memory(const char *arg)
{
	static const char letters[] = "KMG";
	struct rlimit limit;
	const char *letter;
	char *end = NULL;
	uint64_t v;

	errno = 0;
	v = *arg >= '0' && *arg <= '9' ? strtoull(arg, &end, 10) : 0;
	letter = end && *end ? strchr(letters, *end >= 'a' ? *end - 32 : *end) : NULL;
	if (!end || errno || (*end && (!letter || end[1])) || v > UINT64_MAX >> 30)
		return say_usage("--max-memory takes a number of bytes, as 64M or 2G, not '%s'", arg), -SONDE_USAGE;
	v <<= letter ? 10 * (letter - letters + 1) : 0;
	if (v < LEAST)
		return say_usage("--max-memory takes 16M or more"), -SONDE_USAGE;
	if (getrlimit(RLIMIT_DATA, &limit) < 0)
		return say_usage("--max-memory: %s", strerror(errno)), -SONDE_USAGE;
	if (limit.rlim_max == RLIM_INFINITY || v < limit.rlim_max)
		limit.rlim_cur = v;
	if (setrlimit(RLIMIT_DATA, &limit) < 0)
		return say_usage("--max-memory: %s", strerror(errno)), -SONDE_USAGE;
	opts.max_memory = v;
	message_memory_limit(v);
	return 0;
}

const struct option_row memory_rows[] = {
	{ .kind = OPTION_HEADING, .help = "Limits" },
	{ "max-memory", 0, OPTION_CALL, .call = limit_memory, .arg = "SIZE",
	  .help = "use at most this memory: 64M, 2G; fail rather than use more" },
	{ 0 },
};

size_t memory_page_samples(void)
{
	enum { BYTES = 256 /* of a sample, at most */, UNLIMITED = 16000000 };

	return opts.max_memory ? (size_t)(opts.max_memory / BYTES) : UNLIMITED;
}

size_t memory_view_samples(void)
{
	enum { BYTES = 128 /* 24 of a sample in an array that doubles, and the tables of stacks */ };

	return opts.max_memory ? (size_t)(opts.max_memory / BYTES) : 0;
}

const struct sonde_open_opts *open_options(void)
{
	return &opts;
}

void open_options_progress(void (*progress)(void *ctx, double share))
{
	opts.progress = progress;
}
