/* SPDX-License-Identifier: MIT */
#include "cli/script/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

int inputs_add(struct inputs *in, const char *path)
{
	const char **paths = realloc(in->paths, (in->nr_paths + 1) * sizeof(*paths));
	struct input_times *times = paths ? realloc(in->times, (in->nr_paths + 1) * sizeof(*times)) : NULL;

	in->paths = paths ? paths : in->paths;
	in->times = times ? times : in->times;
	if (!times) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	paths[in->nr_paths] = path;
	times[in->nr_paths++] = (struct input_times){ 0 };
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
	if (!in->nr_paths) {
		say_usage("--ts-offset is for the trace before it: put it after -i FILE");
		return -SONDE_USAGE;
	}
	in->times[in->nr_paths - 1].offset_ns = v;
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
	if (in->nr_paths)
		in->times[in->nr_paths - 1].stamps_per_second = v;
	else
		in->stamps_per_second = v;
	return 0;
}

int inputs_end(struct inputs *in, int argc, char **argv)
{
	int r = 0;

	for (int i = 0; i < argc && r == 0; i++)
		r = inputs_add(in, argv[i]);
	return r == 0 && !in->nr_paths ? inputs_add(in, "perf.data") : r;
}

int inputs_open(struct inputs *in)
{
	struct sonde_open_opts opts = *open_options();
	int status = 0;

	opts.max_memory /= in->nr_paths;
	opts.raw_stamps = in->raw_stamps;
	opts.no_date = in->no_date;
	for (size_t i = 0; i < in->nr_paths && !in->out_of_memory; i++) {
		const struct input_times *times = &in->times[i];

		opts.stamps_per_second = times->stamps_per_second ? times->stamps_per_second : in->stamps_per_second;
		opts.offset_ns = times->offset_ns;
		status |= session_add(&in->session, in->paths[i], &opts);
	}
	session_align(&in->session);
	session_say_offsets(&in->session);
	session_keep_open_ones(&in->session);
	return status;
}

void inputs_free(struct inputs *in)
{
	session_close(&in->session);
	free(in->paths);
	free(in->times);
	*in = (struct inputs){ 0 };
}
