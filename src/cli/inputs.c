/* SPDX-License-Identifier: MIT */
#include "cli/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"

int inputs_add(struct inputs *in, const char *path)
{
	const char **paths = realloc(in->paths, (in->n + 1) * sizeof(*paths));
	struct input_times *times = paths ? realloc(in->times, (in->n + 1) * sizeof(*times)) : NULL;

	in->paths = paths ? paths : in->paths;
	in->times = times ? times : in->times;
	if (!times) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	paths[in->n] = path;
	times[in->n++] = (struct input_times){ 0 };
	return 0;
}

int inputs_set_offset(struct inputs *in, const char *arg)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(arg, &end, 10);
	if (end == arg || *end || errno) {
		say_usage("--ts-offset takes nanoseconds, as 1000 or -1000, not '%s'", arg);
		return -SONDE_USAGE;
	}
	if (!in->n) {
		say_usage("--ts-offset is for the trace before it: put it after -i FILE");
		return -SONDE_USAGE;
	}
	in->times[in->n - 1].offset_ns = v;
	return 0;
}

int inputs_set_hz(struct inputs *in, const char *arg)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !v) {
		say_usage("--ts2secs takes ticks per second, as 2400000000, not '%s'", arg);
		return -SONDE_USAGE;
	}
	if (in->n)
		in->times[in->n - 1].stamps_per_second = v;
	else
		in->stamps_per_second = v;
	return 0;
}

int inputs_end(struct inputs *in, int argc, char **argv)
{
	int r = 0;

	for (int i = 0; i < argc && r == 0; i++)
		r = inputs_add(in, argv[i]);
	return r == 0 && !in->n ? inputs_add(in, "perf.data") : r;
}

static int open_one(const struct inputs *in, size_t i, struct sonde_trace *t)
{
	struct sonde_open_opts opts = *open_options();
	uint64_t hz = in->times[i].stamps_per_second;

	opts.max_memory /= in->n;
	opts.raw_stamps = in->raw_stamps;
	opts.no_date = in->no_date;
	opts.stamps_per_second = hz ? hz : in->stamps_per_second;
	opts.offset_ns = in->times[i].offset_ns;
	return sonde_trace_open(t, in->paths[i], &opts);
}

int inputs_open(struct inputs *in)
{
	in->traces = calloc(in->n, sizeof(*in->traces));
	for (; in->traces && in->nr_traces < in->n; in->nr_traces++) {
		struct sonde_trace *t = in->traces[in->nr_traces] = sonde_trace_new();

		if (!t)
			break;
		if (open_one(in, in->nr_traces, t) < 0) {
			in->nr_traces++;
			return say_error(in->paths[in->nr_traces - 1], sonde_trace_error(t));
		}
	}
	if (in->nr_traces == in->n)
		return 0;
	say_out_of_memory();
	return 1;
}

void inputs_free(struct inputs *in)
{
	for (size_t i = 0; i < in->nr_traces; i++)
		sonde_trace_free(in->traces[i]);
	free(in->traces);
	free(in->paths);
	free(in->times);
	*in = (struct inputs){ 0 };
}
