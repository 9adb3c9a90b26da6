/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <limits.h>
#include <signal.h>
#include <sonde/perf_recorder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/record_bits.h"
#include "cli/record_ftrace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TASKS_MAX 4096
#define LEVEL_MAX 22                     /* of zstd */
#define SIZE_LIMIT (UINT64_C(1) << 40)

static struct sonde_perf_recorder *recorder;  /* events are added to it while the options are read */
static struct sonde_perf_recorder_opts opts;
static const char *output, *cpus, *max_size, *ring_size, *freq_list;
static const char *threads;              /* accepted: nothing to change */
static bool quiet, verbose, dry_run, timestamp_filename, list_registers, latency;
static bool accepted;                    /* options that have nothing to change here */
static int32_t pids[TASKS_MAX], tids[TASKS_MAX];
static volatile sig_atomic_t caught;

static int add_event(const char *arg)
{
	return wish_add(WISH_EVENT, arg);
}

static int add_filter(const char *arg)
{
	return wish_add(WISH_FILTER, arg);
}

/* What was asked for, in order; without --ftrace there are only perf's events and their filters. */
static int take_wishes(void)
{
	for (size_t i = 0; i < nr_wishes; i++) {
		const struct wish *w = &wishes[i];

		if (w->kind == WISH_EVENT && sonde_perf_recorder_add_event(recorder, w->text) < 0)
			return say_usage("%s", sonde_perf_recorder_error(recorder)->text);
		if (w->kind == WISH_FILTER && sonde_perf_recorder_add_filter(recorder, w->text) < 0)
			return say_usage("--filter: %s", sonde_perf_recorder_error(recorder)->text);
		if (w->kind != WISH_EVENT && w->kind != WISH_FILTER)
			return say_usage("%s: this is for --ftrace only", wish_option(w->kind));
	}
	return 0;
}

/* "128", "0x80"; with suffixes also 64K, 1M, 2G and 512B. */
static bool parse_size(const char *text, uint64_t *out, bool *suffixed)
{
	static const char letters[] = "BKMG";
	const char *letter;
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *text == '-')
		return false;
	*suffixed = *end != '\0';
	if (*end) {
		letter = strchr(letters, *end >= 'a' ? *end - 32 : *end);
		if (!letter || end[1] || v > UINT64_MAX >> 30)
			return false;
		v <<= 10 * (letter - letters);
	}
	*out = v;
	return true;
}

static int set_freq(const char *arg)
{
	bool suffixed;

	char first[32];
	size_t len = strcspn(arg, ",");

	if (!strcmp(arg, "max")) {
		opts.freq_max = true;
		return 0;
	}
	snprintf(first, sizeof(first), "%.*s", (int)len, arg);
	if (!parse_size(first, &opts.freq_hz, &suffixed) || suffixed || !opts.freq_hz || len >= sizeof(first)) {
		say_usage("-F: '%s' is neither a frequency in Hz nor max", arg);
		return -SONDE_USAGE;
	}
	freq_list = arg[len] ? arg : NULL;
	return 0;
}

static int set_period(const char *arg)
{
	bool suffixed;

	if (!parse_size(arg, &opts.period, &suffixed) || suffixed || !opts.period) {
		say_usage("-c: '%s' is not a number of events", arg);
		return -SONDE_USAGE;
	}
	return 0;
}

static int set_frame_pointers(const char *arg)
{
	(void)arg;
	if (!opts.callgraph)
		opts.callgraph = SONDE_CALLGRAPH_FP;
	return 0;
}

static int set_callgraph(const char *arg)
{
	static const char *const names[] = { "no", "fp", "dwarf", "lbr" };
	size_t len = strcspn(arg, ",");
	uint64_t v = 0;
	bool suffixed;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strlen(names[i]) != len || strncmp(arg, names[i], len) != 0)
			continue;
		opts.callgraph = (enum sonde_callgraph)i;
		if (!arg[len])
			return 0;
		if (!parse_size(arg + len + 1, &v, &suffixed))
			break;
		if (i == SONDE_CALLGRAPH_DWARF && v > 0 && v <= 65528)
			opts.stack_bytes = (uint32_t)((v + 7) & ~UINT64_C(7));
		else if (i == SONDE_CALLGRAPH_FP && v > 0 && v <= UINT16_MAX)
			opts.max_stack = (uint16_t)v;
		else
			break;
		return 0;
	}
	say_usage("--call-graph: '%s' is not fp[,FRAMES], dwarf[,BYTES up to 65528], lbr or no", arg);
	return -SONDE_USAGE;
}

static int parse_tasks(const char *option, const char *arg, int32_t list[TASKS_MAX], size_t *n)
{
	for (const char *p = arg; *p;) {
		char *end;
		long v = strtol(p, &end, 10);

		if (end == p || v <= 0 || v > INT32_MAX || (*end && *end != ',') || *n == TASKS_MAX) {
			say_usage("%s: '%s' is not a list of numbers, at most %d", option, arg, TASKS_MAX);
			return -SONDE_USAGE;
		}
		list[(*n)++] = (int32_t)v;
		p = *end ? end + 1 : end;
	}
	return 0;
}

static int add_pids(const char *arg)
{
	if (*arg < '0' || *arg > '9') {
		say_usage("-p: '%s' is not a list of numbers; a tracer of the kernel is named by --ftrace --tracer %s", arg, arg);
		return -SONDE_USAGE;
	}
	return parse_tasks("-p", arg, pids, &opts.nr_pids);
}

static int add_tids(const char *arg)
{
	return parse_tasks("-t", arg, tids, &opts.nr_tids);
}

static int set_clock(const char *arg)
{
	static const struct {
		const char *name;
		clockid_t id;
	} names[] = {
		{ "monotonic", CLOCK_MONOTONIC }, { "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME }, { "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME }, { "boot", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
	};
	char *end;
	long v;

	opts.clock = SONDE_CLOCK_ID;
	if (!strncasecmp(arg, "CLOCK_", 6))
		arg += 6;
	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcasecmp(arg, names[i].name)) {
			opts.clock_id = names[i].id;
			return 0;
		}
	v = strtol(arg, &end, 0);
	if (end == arg || *end || v < 0 || v > 63) {
		say_usage("-k: '%s' is not monotonic, monotonic_raw, realtime, boottime, tai or a number", arg);
		return -SONDE_USAGE;
	}
	opts.clock_id = (int32_t)v;
	return 0;
}

static int set_delay(const char *arg)
{
	char *end;

	opts.delay_ms = strtoll(arg, &end, 10);
	if (end == arg || *end || opts.delay_ms < 0 || opts.delay_ms > 1000000000) {
		say_usage("-D: '%s' is not a number of milliseconds", arg);
		return -SONDE_USAGE;
	}
	return 0;
}

static int set_max_stack(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!parse_size(arg, &v, &suffixed) || suffixed || !v || v > UINT16_MAX) {
		say_usage("--max-stack: '%s' is not a number of frames", arg);
		return -SONDE_USAGE;
	}
	opts.max_stack = (uint16_t)v;
	return 0;
}

static int set_realtime(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!parse_size(arg, &v, &suffixed) || suffixed || v < 1 || v > 99) {
		say_usage("-r: '%s' is not a priority from 1 to 99", arg);
		return -SONDE_USAGE;
	}
	opts.realtime_priority = (uint32_t)v;
	return 0;
}

static int set_user(const char *arg)
{
	const struct passwd *user = getpwnam(arg);
	char *end;
	unsigned long uid = strtoul(arg, &end, 10);

	if (!user && (!*arg || *end || uid > UINT32_MAX)) {
		say_usage("--uid: there is no user '%s'", arg);
		return -SONDE_USAGE;
	}
	opts.of_user = true;
	opts.uid = user ? user->pw_uid : (uint32_t)uid;
	return 0;
}

static bool is_level(const char *word)
{
	return *word && word[strspn(word, "0123456789")] == '\0';
}

static int set_compression(const char *arg)
{
	unsigned long level = arg ? strtoul(arg, NULL, 10) : 1;

	if (arg && (!is_level(arg) || level < 1 || level > LEVEL_MAX)) {
		say_usage("-z: '%s' is no level from 1 to %d", arg, LEVEL_MAX);
		return -SONDE_USAGE;
	}
	opts.compression_level = (uint32_t)level;
	return 0;
}

static int set_synth(const char *arg)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} names[] = {
		{ "no", SONDE_SYNTH_NONE }, { "task", SONDE_SYNTH_TASKS }, { "mmap", SONDE_SYNTH_MAPS },
		{ "cgroup", SONDE_SYNTH_CGROUPS }, { "all", SONDE_SYNTH_TASKS | SONDE_SYNTH_MAPS | SONDE_SYNTH_CGROUPS },
	};

	opts.synth = SONDE_SYNTH_NONE;
	for (const char *p = arg; *p;) {
		size_t len = strcspn(p, ","), i;

		for (i = 0; i < COUNT(names); i++)
			if (strlen(names[i].name) == len && !strncmp(p, names[i].name, len))
				break;
		if (i == COUNT(names)) {
			say_usage("--synth: '%s' is not all, no, or some of task, mmap and cgroup", arg);
			return -SONDE_USAGE;
		}
		opts.synth |= names[i].bits;
		p += len + (p[len] == ',');
	}
	return 0;
}

/* -n is perf's; after --ftrace it is trace-cmd's -n PATTERN. */
static int set_branch_any(const char *arg)
{
	(void)arg;
	return branch_bits("-b", "any", &opts.branch_sample_type);
}

static int set_branch_filter(const char *arg)
{
	return branch_bits("-j", arg, &opts.branch_sample_type);
}

/* "?" is a question, answered once all options are read. */
static int set_registers(const char *option, const char *arg, uint64_t *out)
{
	list_registers |= arg && !strcmp(arg, "?");
	return list_registers ? 0 : register_bits(option, arg, out);
}

static int set_user_regs(const char *arg)
{
	return set_registers("--user-regs", arg, &opts.user_regs);
}

static int set_intr_regs(const char *arg)
{
	return set_registers("--intr-regs", arg, &opts.intr_regs);
}

static const struct option_row record_options[] = {
	{ .kind = OPTION_HEADING, .help = "What to record" },
	{ "event", 'e', OPTION_CALL, .call = add_event, .arg = "EVENT",
	  .help = "events, separated by commas: names, rHEX, type:config, pmu/term=value/, mem:ADDR[/LEN][:rwx], "
		  "system:tracepoint, {groups}, with modifiers behind a colon" },
	{ "filter", 'f', OPTION_CALL, .call = add_filter, .arg = "FILTER",
	  .help = "kernel filter for the tracepoints of the -e before it, as 'prev_pid == 1'" },
	{ "freq", 'F', OPTION_CALL, .call = set_freq, .arg = "HZ", .help = "samples a second, or max (default: 4000)" },
	{ "strict-freq", 0, OPTION_FLAG, &opts.strict_freq, .help = "fail if the kernel permits less than -F" },
	{ "count", 'c', OPTION_CALL, .call = set_period, .arg = "N", .help = "a sample each N events" },
	{ "all-user", 0, OPTION_FLAG, &opts.user_only, .help = "leave out the kernel" },
	{ "all-kernel", 0, OPTION_FLAG, &opts.kernel_only, .help = "leave out user space" },
	{ "exclude-perf", 0, OPTION_FLAG, &opts.exclude_self, .help = "leave the recorder out of tracepoints" },
	{ "no-samples", 'n', OPTION_FLAG, &opts.no_samples, .help = "no samples, only what comes beside them" },
	{ "group", 0, OPTION_FLAG, &opts.group_all, .help = "all events are one group" },
	{ .kind = OPTION_HEADING, .help = "Where" },
	{ "all-cpus", 'a', OPTION_FLAG, &opts.all_cpus, .help = "all CPUs, whoever runs there" },
	{ "cpu", 'C', OPTION_STRING, &cpus, .arg = "LIST", .help = "these CPUs, as 0-3,8" },
	{ "pid", 'p', OPTION_CALL, .call = add_pids, .arg = "PID", .help = "running processes, separated by commas" },
	{ "tid", 't', OPTION_CALL, .call = add_tids, .arg = "TID", .help = "running threads, separated by commas" },
	{ "uid", 'u', OPTION_CALL, .call = set_user, .arg = "USER",
	  .help = "what this user, a name or a number, has running, and what that starts" },
	{ "no-inherit", 'i', OPTION_FLAG, &opts.no_inherit, .help = "leave out threads and processes that are started later" },
	{ "per-thread", 0, OPTION_FLAG, &opts.per_thread, .help = "one buffer per thread instead of one per CPU" },
	{ .kind = OPTION_HEADING, .help = "What comes with each sample" },
	{ NULL, 'g', OPTION_CALL, .call = set_frame_pointers, .help = "call chains by frame pointers" },
	{ "call-graph", 0, OPTION_CALL, .call = set_callgraph, .arg = "HOW",
	  .help = "call chains: fp[,FRAMES], dwarf[,BYTES of stack], lbr, or no" },
	{ "user-callchains", 0, OPTION_FLAG, &opts.user_callchains, .help = "call chains of user space only" },
	{ "kernel-callchains", 0, OPTION_FLAG, &opts.kernel_callchains, .help = "call chains of the kernel only" },
	{ "max-stack", 0, OPTION_CALL, .call = set_max_stack, .arg = "N", .help = "frames of a call chain at most" },
	{ "data", 'd', OPTION_FLAG, &opts.data_addresses, .help = "addresses of data, and where data is mapped" },
	{ "data-mmap", 0, OPTION_FLAG, &opts.data_maps, .help = "where data is mapped" },
	{ "phys-data", 0, OPTION_FLAG, &opts.phys_addresses, .help = "physical addresses of data" },
	{ "data-page-size", 0, OPTION_FLAG, &opts.data_page_size, .help = "size of the page that was touched" },
	{ "code-page-size", 0, OPTION_FLAG, &opts.code_page_size, .help = "size of the page of the code" },
	{ "weight", 'W', OPTION_FLAG, &opts.weight, .help = "latency of memory accesses" },
	{ "transaction", 0, OPTION_FLAG, &opts.transaction, .help = "flags of transactions" },
	{ "branch-any", 'b', OPTION_CALL, .call = set_branch_any, .help = "taken branches" },
	{ "branch-filter", 'j', OPTION_CALL, .call = set_branch_filter, .arg = "LIST",
	  .help = "branches: any, any_call, any_ret, ind_call, ind_jmp, call, cond, u, k, ..." },
	{ "user-regs", 0, OPTION_CALL, .call = set_user_regs, .arg = "LIST", .help = "registers of user space (? lists them)",
	  .optional = true },
	{ "intr-regs", 'I', OPTION_CALL, .call = set_intr_regs, .arg = "LIST", .help = "registers at the sample (? lists them)",
	  .optional = true },
	{ "raw-samples", 'R', OPTION_FLAG, &opts.raw, .help = "raw data of every event that has some" },
	{ "period", 'P', OPTION_FLAG, &opts.period_too, .help = "the period also where it is fixed" },
	{ "sample-cpu", 0, OPTION_FLAG, &opts.cpu, .help = "the CPU also when not all CPUs are recorded" },
	{ "sample-identifier", 0, OPTION_FLAG, &accepted, .help = "the id of the event (always there)" },
	{ "timestamp", 'T', OPTION_FLAG, &accepted, .help = "the time (always there)" },
	{ "clockid", 'k', OPTION_CALL, .call = set_clock, .arg = "CLOCK",
	  .help = "time by monotonic, monotonic_raw, realtime, boottime or tai" },
	{ .kind = OPTION_HEADING, .help = "What comes beside the samples" },
	{ "switch-events", 0, OPTION_FLAG, &opts.switch_events, .help = "context switches" },
	{ "latency", 0, OPTION_FLAG, &latency, .help = "the same, of a command or processes: for report --latency" },
	{ "namespaces", 0, OPTION_FLAG, &opts.namespaces, .help = "namespaces of tasks" },
	{ "all-cgroups", 0, OPTION_FLAG, &opts.all_cgroups, .help = "control groups" },
	{ "no-bpf-event", 0, OPTION_FLAG, &opts.no_bpf_events, .help = "leave out BPF programs that come and go" },
	{ "stat", 's', OPTION_FLAG, &opts.task_counts, .help = "counts of each task that ends" },
	{ "synth", 0, OPTION_CALL, .call = set_synth, .arg = "WHAT",
	  .help = "of what was there before: all (default), no, or some of task,mmap,cgroup" },
	{ "timestamp-boundary", 0, OPTION_FLAG, &accepted, .help = "times of the first and the last sample (always there)" },
	{ "no-buildid", 'B', OPTION_FLAG, &opts.no_build_ids, .help = "leave out the list of build ids at the end" },
	{ "buildid-mmap", 0, OPTION_FLAG, &accepted, .help = "build ids where files are mapped (always done)" },
	{ "no-buildid-cache", 'N', OPTION_FLAG, &accepted, .help = "keep no copies of binaries (never done)" },
	{ "buildid-all", 0, OPTION_FLAG, &accepted, .help = "build ids of all binaries (always done)" },
	{ .kind = OPTION_HEADING, .help = "The kernel's own trace events, into a trace.dat" },
	{ "ftrace", 0, OPTION_FLAG, &ftrace.wanted,
	  .help = "record through tracefs: -e takes SYSTEM:EVENT, SYSTEM or EVENT with wildcards, or all; what tracefs does not have is "
		  "an event of perf, recorded at the same time by the same clock into a perf.data" },
	FTRACE_OPTIONS,
	FTRACE_LETTERS,
	{ NULL, 'P', OPTION_CALL, .call = add_pids, .arg = "PID", .applies = ftrace_applies_to_number, .help = "this process (--pid)" },
	{ .kind = OPTION_HEADING, .help = "How" },
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "where to (default: perf.data, trace.dat with --ftrace; - is standard output)" },
	{ "timestamp-filename", 0, OPTION_FLAG, &timestamp_filename, .help = "append the time of the start to the name of the file" },
	{ "force", 0, OPTION_FLAG, &accepted, .help = "record although there is a recording (always done; it is renamed)" },
	{ "mmap-pages", 'm', OPTION_STRING, &ring_size, .arg = "PAGES[,AUX]",
	  .help = "buffer per CPU: a number of pages, or bytes with B, K, M or G behind; one for AUX data is not used yet" },
	{ "compression-level", 'z', OPTION_CALL, .call = set_compression, .arg = "LEVEL", .optional = true, .takes = is_level,
	  .help = "compress the records with zstd; 1 (default) is fastest, 22 smallest" },
	{ "max-size", 0, OPTION_STRING, &max_size, .arg = "SIZE", .help = "end when the file is as large; B, K, M, G" },
	{ "delay", 'D', OPTION_CALL, .call = set_delay, .arg = "MS", .help = "begin so many milliseconds later" },
	{ "threads", 0, OPTION_STRING, &threads, .arg = "SPEC", .optional = true,
	  .help = "accepted: one thread empties the buffers, another one writes, into one file" },
	{ "realtime", 'r', OPTION_CALL, .call = set_realtime, .arg = "PRIO", .help = "empty the buffers at this real-time priority" },
	{ "no-buffering", 0, OPTION_FLAG, &opts.no_buffering, .help = "write every sample at once" },
	{ "dry-run", 0, OPTION_FLAG, &dry_run, .help = "check the command line and record nothing" },
	{ "verbose", 'v', OPTION_FLAG, &verbose, .help = "say what is opened" },
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "say nothing but errors" },
	{ 0 },
};

static void print_message(void *ctx, const char *text)
{
	(void)ctx;
	progress_clear();
	if (!quiet)
		say("%s", text);
}

static void on_signal(int sig)
{
	caught = sig;
	sonde_perf_recorder_stop(recorder);
	ftrace_record_stop();
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;

	/* A shell without job control ignores SIGINT for what it starts with &, and a script ends recordings by it nevertheless. */
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)    /* nohup */
		sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);    /* the reader of a stream went away: the error ends the recording */
}

static void print_opened(const struct sonde_perf_recorder_stats *s)
{
	if (verbose)
		say("%" PRIu32 " %s, %" PRIu32 " file descriptors, %" PRIu32 " buffers, those of samples of %" PRIu64 " KiB",
		    s->nr_events, s->nr_events == 1 ? "event" : "events", s->nr_fds, s->nr_rings, s->ring_bytes >> 10);
}

static void print_summary(const struct sonde_perf_recorder_stats *s)
{
	if (!quiet && s->bytes) {    /* 0: nothing has begun */
		say_done("Woken up %" PRIu64 " %s to write data", s->wakeups, s->wakeups == 1 ? "time" : "times");
		say_done("Captured and wrote %.3f MB %s (%" PRIu64 " samples)", (double)s->bytes / 1048576,
			 output && !strcmp(output, "-") ? "to standard output" : output ? output : "perf.data",
			 s->samples);
	}
	if (s->full)
		say("ended because the file has reached --max-size");
	if (s->lost)
		warn("%" PRIu64 " records were lost: %" PRIu64 " of %" PRIu32 " buffers of %" PRIu64 " KiB ran full; "
		    "record less (-F, -c, --filter), give them more room (-m), or empty them sooner (-r 1)", s->lost,
		    s->lost_rings, s->nr_rings, s->ring_bytes >> 10);
	if (s->throttled)
		warn("the kernel stopped events %" PRIu64 " times for a moment because they came too often: lower -F, or raise "
		    "kernel.perf_event_max_sample_rate", s->throttled);
}

/* "128", "1M", "128,64": the buffer of events, and the one of AUX data, of which nothing is recorded. */
static bool set_ring_size(void)
{
	size_t len = strcspn(ring_size, ",");
	char data[32];
	bool suffixed;
	uint64_t aux;

	snprintf(data, sizeof(data), "%.*s", (int)len, ring_size);
	if (len >= sizeof(data) || (ring_size[len] && !parse_size(ring_size + len + 1, &aux, &suffixed)))
		return false;
	if (!*data)
		return ring_size[len];
	if (!parse_size(data, &opts.ring_bytes, &suffixed))
		return false;
	if (!suffixed && opts.ring_bytes <= SIZE_LIMIT)
		opts.ring_bytes *= (uint64_t)sysconf(_SC_PAGESIZE);
	opts.ring_bytes += !opts.ring_bytes;
	return opts.ring_bytes <= SIZE_LIMIT;
}

static int set_sizes(void)
{
	bool suffixed;

	if (ring_size && !set_ring_size())
		return say_usage("-m: '%s' is neither pages nor a size, at most 1024G", ring_size);
	if (max_size && (!parse_size(max_size, &opts.max_bytes, &suffixed) || !opts.max_bytes))
		return say_usage("--max-size: '%s' is not a size", max_size);
	if (opts.period && (opts.freq_hz || opts.freq_max))
		return say_usage("-F and -c exclude each other");
	return 0;
}

#define CMDLINE_BYTES 65536
#define CMDLINE_WORDS 4096

/* The words of this process, as the kernel keeps them: the parser of options has reordered ours. Views of @text. */
static size_t command_line(char text[CMDLINE_BYTES], const char *words[CMDLINE_WORDS])
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(text, 1, CMDLINE_BYTES - 1, f) : 0, nr = 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	for (char *p = text; p < text + n && nr < CMDLINE_WORDS; p += strlen(p) + 1)
		words[nr++] = p;
	return nr;
}

/* "perf.data.2026112210213912": as perf names it, but by the time of the start, which a recorder that is killed knows too. */
static const char *stamped_name(const char *name)
{
	static char stamped[PATH_MAX];
	struct timespec now;
	char date[32];
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
	snprintf(stamped, sizeof(stamped), "%s.%s%02ld", name, date, now.tv_nsec / 10000000);
	return stamped;
}

/* The library leaves limits alone. The command to be recorded has been started by then and keeps its own. */
static bool raise_file_limit(void *ctx)
{
	struct rlimit limit;

	(void)ctx;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* What contradicts itself or the other options; 0 or the exit status. */
static int settle_options(void)
{
	int status = set_sizes();

	if (status)
		return status;
	if (dry_run && ftrace.wanted)
		return say_usage("--dry-run: this is not for --ftrace");
	if (opts.compression_level && ftrace.wanted)
		return say_usage("-z: this is not for --ftrace: 'sonde convert -z' compresses a trace.dat");
	if (latency && (opts.all_cpus || cpus))
		return say_usage("--latency: this is not for -a and -C, which record unrelated threads");
	opts.switch_events |= latency;
	if (timestamp_filename && output && !strcmp(output, "-"))
		return say_usage("--timestamp-filename: standard output has no name");
	if (timestamp_filename)
		output = stamped_name(output ? output : ftrace.wanted ? "trace.dat" : "perf.data");
	if (freq_list && !quiet)     /* perf, too, reads up to the comma */
		say("-F %s: the first number is for all events; -e cpu-clock/freq=200/ gives an event its own", freq_list);
	return 0;
}

static int record_run(int argc, char **argv)
{
	static char text[CMDLINE_BYTES];
	static const char *words[CMDLINE_WORDS];
	int status, r;

	if (list_registers) {
		puts(register_list());
		return 0;
	}
	status = settle_options();
	if (status)
		return status;
	recorder = sonde_perf_recorder_new();
	if (!recorder)
		return 1;
	if (output && !strcmp(output, "-") && isatty(STDOUT_FILENO))
		return say_usage("-o -: a recording is not for a terminal");
	opts.sz = sizeof(opts);
	opts.output = output;
	opts.cpus = cpus;
	opts.pids = pids;
	opts.tids = tids;
	opts.message = print_message;
	opts.progress = progress_show;
	progress_begin(quiet, argc > 0);
	opts.more_files = raise_file_limit;
	if (argc > 0)
		opts.command = (const char *const *)argv;
	opts.cmdline = words;
	opts.nr_cmdline = command_line(text, words);
	catch_signals();
	if (ftrace.wanted) {
		status = ftrace_record(recorder, &opts, quiet, &caught);
		sonde_perf_recorder_free(recorder);
		return status;
	}
	status = take_wishes();
	if (status || dry_run)
		return status;
	r = sonde_perf_recorder_open(recorder, &opts);
	if (r == 0) {
		print_opened(sonde_perf_recorder_stats(recorder));
		r = sonde_perf_recorder_run(recorder);
		progress_clear();
		print_summary(sonde_perf_recorder_stats(recorder));
	}
	if (r < 0)
		status = say_error(NULL, sonde_perf_recorder_error(recorder));
	else
		status = follow_command(sonde_perf_recorder_stats(recorder)->wait_status, caught);
	sonde_perf_recorder_free(recorder);
	recorder = NULL;
	return status;
}

const struct command cmd_record = {
	.name = "record", .args = "[COMMAND [ARGUMENT...]]", .help = "record a command, processes or the whole system",
	.details = "Without a command and without -p, -t, -a or -C all CPUs are recorded until Ctrl-C. A command together with one of "
		   "them measures that while the command runs, as in `sonde record -a sleep 10`.\n"
		   "The file can be read at every moment: what was flushed, at the latest every half second, survives even when the "
		   "recorder is killed.\n"
		   "The exit status is that of the command.",
	.options = record_options, .reads_no_trace = true, .options_first = true, .run = record_run,
};
