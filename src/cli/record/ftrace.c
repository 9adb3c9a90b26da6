/* SPDX-License-Identifier: MIT */
#include "cli/record/ftrace.h"
#include "cli/record/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/base/progress.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sonde_ftrace_recorder *tracer;
static bool silent;

/* ---- options ---- */

int ftrace_parse_reader(const char *word, enum sonde_ftrace_reader *out)
{
	static const char *const names[] = { "auto", "mapped", "splice", "read" };

	*out = SONDE_FTRACE_AUTO;
	for (size_t i = 0; word && i < COUNT(names); i++)
		if (!strcmp(word, names[i])) {
			*out = (enum sonde_ftrace_reader)i;
			return 0;
		}
	return word ? say_usage("--reader: '%s' is not auto, mapped, splice or read", word) : 0;
}

int ftrace_parse_compression(const char *word, enum sonde_compression *out)
{
	static const char *const names[] = { "any", "none", "zlib", "zstd" };  /* by enum sonde_compression */

	*out = SONDE_COMPRESSION_SAME;
	for (size_t i = 0; word && i < COUNT(names); i++)
		if (!strcmp(word, names[i])) {
			*out = (enum sonde_compression)i;
			return 0;
		}
	return word ? say_usage("--compression: '%s' is not any, none, zlib or zstd", word) : 0;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-' && *out && *out <= max;
}

/* "f0" to "4-7". Masks of more than 32 CPUs have commas between their words. */
static bool mask_to_list(const char *mask, char *out, size_t cap)
{
	size_t digits = 0, at = 0;
	unsigned cpu = 0;

	for (const char *p = mask; *p; p++)
		digits += *p != ',';
	out[0] = '\0';
	for (const char *p = mask + strlen(mask); p > mask;) {
		static const char hex[] = "0123456789abcdef";
		const char *digit;

		if (*--p == ',')
			continue;
		digit = strchr(hex, *p >= 'A' && *p <= 'F' ? *p + 32 : *p);
		if (!digit || digits > 2048)
			return false;
		for (unsigned bit = 0; bit < 4; bit++, cpu++)
			if ((unsigned)(digit - hex) >> bit & 1)
				at += (size_t)snprintf(out + at, cap - at, "%s%u", at ? "," : "", cpu);
	}
	return at > 0;
}

static const struct {
	const char *name;            /* of tracefs */
	clockid_t id;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

/* perf and tracefs use one clock: perf has its number, tracefs its name. */
static int choose_clock(struct sonde_ftrace_recorder_opts *o, struct sonde_perf_recorder_opts *record, bool both)
{
	const char *name = ftrace.clock;

	if (!name && record->clock == SONDE_CLOCK_ID) {
		for (size_t i = 0; i < COUNT(clocks); i++)
			if (clocks[i].id == record->clock_id)
				name = clocks[i].name;
		if (!name)
			return say_usage(
				"-k: tracefs has no such clock; there are monotonic, monotonic_raw, boottime and tai");
	}
	if (!name && both)
		name = "mono";
	o->clock = name;
	if (!both)
		return name && strcmp(name, "tsc2nsec") != 0 ?
			ftrace_check_name(tracer, SONDE_FTRACE_CLOCKS, "clock", name) :
			0;
	for (size_t i = 0; i < COUNT(clocks); i++)
		if (!strcmp(clocks[i].name, name)) {
			record->clock = SONDE_CLOCK_ID;
			record->clock_id = clocks[i].id;
			return 0;
		}
	return say_usage("--clock: events of perf can have the time of mono, mono_raw, boot and tai, not of '%s'",
			 name);
}

/* ---- running ---- */

static void print_message(void *ctx, const char *text)
{
	(void)ctx;
	progress_clear();
	if (!silent)
		say("%s", text);
}

static int set_opts(struct sonde_ftrace_recorder_opts *o, const struct sonde_perf_recorder_opts *record)
{
	static char list[16384];
	uint64_t v;
	int status;

	o->output = record->output ? record->output : "trace.dat";
	o->command = record->target.command;
	o->pids = record->target.pids;
	o->nr_pids = record->target.nr_pids;
	o->all_cpus = record->target.all_cpus || record->target.cpus || ftrace.cpumask;
	o->no_inherit = record->target.no_inherit;
	o->cpus = record->target.cpus;
	o->buffer_kb = record->rings.ring_bytes >> 10;
	o->stacktrace = ftrace.stacktrace;
	o->include_self = ftrace.include_self;
	o->realtime_priority = record->rings.realtime_priority;
	o->max_bytes = record->file.max_bytes;
	o->message = print_message;
	o->progress = record->calls.progress;
	o->more_files = record->calls.more_files;
	if (record->target.nr_tids)
		return say_usage("-t: tracefs follows whole processes: use -p");
	if (ftrace.buffer_size) {
		if (!parse_number(ftrace.buffer_size, UINT64_C(1) << 32, &o->buffer_kb))
			return say_usage("--buffer-size: '%s' is not a number of KiB", ftrace.buffer_size);
	}
	if (ftrace.subbuf_size) {
		if (!parse_number(ftrace.subbuf_size, 16384, &v))
			return say_usage("--subbuf-size: '%s' is not a number of KiB", ftrace.subbuf_size);
		o->subbuf_kb = (uint32_t)v;
	}
	if (ftrace.file_version) {
		if (!parse_number(ftrace.file_version, 7, &v) || v < 6)
			return say_usage("--file-version: '%s' is not 6 or 7", ftrace.file_version);
		o->file_version = (uint32_t)v;
	}
	status = ftrace_parse_compression(ftrace.compression, &o->compression);
	if (status)
		return status;
	if (ftrace.cpumask) {
		if (!mask_to_list(ftrace.cpumask, list, sizeof(list)))
			return say_usage("-M: '%s' is not a mask of CPUs", ftrace.cpumask);
		o->cpus = list;
	}
	if (ftrace.duration) {
		char *end;
		double seconds = strtod(ftrace.duration, &end);

		if (end == ftrace.duration || *end || !(seconds > 0 && seconds < 1e9))
			return say_usage("--duration: '%s' is not a number of seconds", ftrace.duration);
		o->duration_ms = (uint64_t)(seconds * 1000);
		if (!o->duration_ms)
			o->duration_ms = 1;
	}
	status = ftrace_parse_reader(ftrace.reader, &o->reader);
	return status;
}

static void print_summary(const struct sonde_ftrace_recorder_opts *o, bool failed)
{
	const struct sonde_ftrace_recorder_stats *s = sonde_ftrace_recorder_stats(tracer);

	progress_clear();
	if (!silent && s->bytes)     /* 0: the recording has not begun */
		say_done("Captured and wrote %.3f MB %s (%" PRIu64 " events)",
			 record_mb(o->output, s->bytes, failed || s->unwritten), o->output,
			 s->events - (s->unwritten < s->events ? s->unwritten : s->events));
	if (!silent && s->bytes && !s->events && !s->lost)
		ftrace_requests_tell_empty(tracer, !o->all_cpus && (o->command || o->nr_pids) ?
					   " in the tasks that were recorded" : "");
	if (s->full)
		say("the recording has ended: the file has reached --max-size");
	if (s->unwritten)
		warn("%" PRIu64 " %s missing: there was no room to write %s", s->unwritten,
		     s->unwritten == 1 ? "event is" : "events are", s->unwritten == 1 ? "it" : "them");
	if (s->lost)
		warn("%" PRIu64 " events were lost: the buffers of %" PRIu32 " of %" PRIu32 " CPUs, %" PRIu64
		     " KiB each, ran full; record less "
		     "(-e, -f), give them more room (--buffer-size), or empty them sooner (-r 1)",
		     s->lost, s->lost_cpus, s->nr_cpus, s->buffer_kb);
}

int follow_command(int wait_status, int sig)
{
	if (!sig && wait_status != -1 && WIFSIGNALED(wait_status))
		sig = WTERMSIG(wait_status);
	if (sig) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });  /* it would be of this process, not of the command */
		signal(sig, SIG_DFL);
		fflush(NULL);
		raise(sig);
	}
	return wait_status != -1 && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
}

/* The output of perf: "x.data" if that of ftrace is "x.dat". */
static const char *perf_output(const char *output)
{
	static char name[4096];
	size_t n;

	if (!output)
		return "perf.data";
	n = strlen(output);
	if (n > 4 && !strcmp(output + n - 4, ".dat"))
		n -= 4;
	snprintf(name, sizeof(name), "%.*s.data", (int)n, output);
	return name;
}

struct both {
	struct sonde_perf_recorder *recorder;
	int result;
};

static void *run_tracer(void *arg)
{
	struct both *b = arg;

	b->result = sonde_ftrace_recorder_run(tracer);
	sonde_perf_recorder_stop(b->recorder);
	return NULL;
}

/* The recorder of perf starts the command; tracing begins before the command and ends after it. */
static int record_both(struct sonde_perf_recorder *recorder, struct sonde_perf_recorder_opts *record,
		       struct sonde_ftrace_recorder_opts *o, int *wait_status)
{
	const char *output = record->output;
	struct both b = { .recorder = recorder };
	pthread_t thread;
	int32_t pid;
	int r, e;

	record->output = perf_output(output);
	record->file.max_bytes = 0;
	record->calls.progress = NULL;     /* the tracer shows its own line */
	if (sonde_perf_recorder_open(recorder, record) < 0)
		return say_error(NULL, sonde_perf_recorder_error(recorder));
	pid = sonde_perf_recorder_command_pid(recorder);
	o->command = NULL;
	if (pid > 0 && !o->nr_pids) {
		o->pids = &pid;
		o->nr_pids = 1;
	}
	if (sonde_ftrace_recorder_open(tracer, o) < 0 || sonde_ftrace_recorder_start(tracer) < 0)
		return say_error(NULL, sonde_ftrace_recorder_error(tracer));
	e = pthread_create(&thread, NULL, run_tracer, &b);
	if (e) {
		say("cannot start a thread: %s", strerror(e));
		return 1;
	}
	r = sonde_perf_recorder_run(recorder);
	sonde_ftrace_recorder_stop(tracer);
	pthread_join(thread, NULL);
	*wait_status = sonde_perf_recorder_stats(recorder)->wait_status;
	print_summary(o, b.result < 0);
	if (!silent)
		say_done("Captured and wrote %.3f MB %s (%" PRIu64 " samples)",
			 record_mb(record->output, sonde_perf_recorder_stats(recorder)->bytes, r < 0), record->output,
			 sonde_perf_recorder_stats(recorder)->samples);
	if (!silent && r == 0 && sonde_perf_recorder_stats(recorder)->why_empty)
		warn("there are no samples: %s", sonde_perf_recorder_stats(recorder)->why_empty);
	if (r < 0)
		return say_error(NULL, sonde_perf_recorder_error(recorder));
	return b.result < 0 ? say_error(NULL, sonde_ftrace_recorder_error(tracer)) : 0;
}

static int record_alone(const struct sonde_ftrace_recorder_opts *o, int *wait_status)
{
	int r = sonde_ftrace_recorder_open(tracer, o);

	if (r == 0) {
		r = sonde_ftrace_recorder_run(tracer);
		*wait_status = sonde_ftrace_recorder_stats(tracer)->wait_status;
		print_summary(o, r < 0);
	}
	return r < 0 ? say_error(NULL, sonde_ftrace_recorder_error(tracer)) : 0;
}

/* A signal may come meanwhile. */
static void free_tracer(void)
{
	struct sonde_ftrace_recorder *t = tracer;

	tracer = NULL;
	sonde_ftrace_recorder_free(t);
}

int ftrace_record(struct sonde_perf_recorder *recorder, struct sonde_perf_recorder_opts *record, bool quiet,
		  int *wait_status)
{
	struct sonde_ftrace_recorder_opts o = { .sz = sizeof(o) };
	size_t nr_perf = 0;
	int status = 0;

	silent = quiet;
	tracer = sonde_ftrace_recorder_new();
	if (!tracer)
		return 1;
	if (ftrace.tracefs && sonde_ftrace_recorder_set_tracefs(tracer, ftrace.tracefs) < 0)
		status = say_usage("--tracefs: %s", sonde_ftrace_recorder_error(tracer)->text);
	if (status == 0)
		status = ftrace_requests_take(tracer, recorder, &nr_perf);
	if (status == 0)
		status = set_opts(&o, record);
	if (status == 0)
		status = choose_clock(&o, record, nr_perf > 0);
	if (status == 0)
		status = nr_perf ? record_both(recorder, record, &o, wait_status) : record_alone(&o, wait_status);
	free_tracer();
	return status;
}

void ftrace_record_stop(void)
{
	if (tracer)
		sonde_ftrace_recorder_stop(tracer);
}
