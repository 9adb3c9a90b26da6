/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sonde/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/record_ftrace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TASKS_MAX 4096

static struct sonde_recorder *recorder;  /* events are added to it while the options are read */
static struct sonde_record_opts opts;
static const char *output, *cpus, *max_size, *ring_size;
static bool quiet, accepted;             /* accepted: options that have nothing to change here */
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

		if (w->kind == WISH_EVENT && sonde_recorder_add_event(recorder, w->text) < 0)
			return say_usage("%s", sonde_recorder_error(recorder)->text);
		if (w->kind == WISH_FILTER && sonde_recorder_add_filter(recorder, w->text) < 0)
			return say_usage("--filter: %s", sonde_recorder_error(recorder)->text);
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

	if (!strcmp(arg, "max")) {
		opts.freq_max = true;
		return 0;
	}
	if (!parse_size(arg, &opts.freq_hz, &suffixed) || suffixed || !opts.freq_hz) {
		say_usage("-F: '%s' is neither a frequency in Hz nor max", arg);
		return -SONDE_USAGE;
	}
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

/* A word of a comma-separated list to its bit; 64 bits at most. */
struct bit_name {
	const char *name;
	uint8_t bit;
};

static int parse_bits(const char *option, const char *arg, const struct bit_name *names, size_t nr, uint64_t *out)
{
	for (const char *p = arg; *p;) {
		size_t len = strcspn(p, ","), i;

		for (i = 0; i < nr; i++)
			if (strlen(names[i].name) == len && !strncasecmp(p, names[i].name, len))
				break;
		if (i == nr) {
			say_usage("%s: there is no '%.*s' here", option, (int)len, p);
			return -SONDE_USAGE;
		}
		*out |= UINT64_C(1) << names[i].bit;
		p += len + (p[len] == ',');
	}
	return 0;
}

/* PERF_SAMPLE_BRANCH_* */
#define BRANCH_PRIVILEGES 7
#define BRANCH_ANY        3
static const struct bit_name branch_names[] = {
	{ "u", 0 }, { "k", 1 }, { "hv", 2 }, { "any", BRANCH_ANY }, { "any_call", 4 }, { "any_ret", 5 }, { "ind_call", 6 },
	{ "abort_tx", 7 }, { "in_tx", 8 }, { "no_tx", 9 }, { "cond", 10 }, { "call_stack", 11 }, { "ind_jmp", 12 },
	{ "call", 13 }, { "no_flags", 14 }, { "no_cycles", 15 }, { "save_type", 16 }, { "hw_index", 17 }, { "priv", 18 },
	{ "counter", 19 },
};

static int set_branch_any(const char *arg)
{
	(void)arg;
	opts.branch_sample_type |= UINT64_C(1) << BRANCH_ANY;
	return 0;
}

static int set_branch_filter(const char *arg)
{
	int r = parse_bits("-j", arg, branch_names, COUNT(branch_names), &opts.branch_sample_type);

	if (r == 0 && !(opts.branch_sample_type & ~(uint64_t)BRANCH_PRIVILEGES))
		opts.branch_sample_type |= UINT64_C(1) << BRANCH_ANY;
	return r;
}

/* Numbers of <asm/perf_regs.h>. */
static const struct bit_name register_names[] = {
#if defined(__x86_64__) || defined(__i386__)
	{ "AX", 0 }, { "BX", 1 }, { "CX", 2 }, { "DX", 3 }, { "SI", 4 }, { "DI", 5 }, { "BP", 6 }, { "SP", 7 }, { "IP", 8 },
	{ "FLAGS", 9 }, { "CS", 10 }, { "SS", 11 }, { "R8", 16 }, { "R9", 17 }, { "R10", 18 }, { "R11", 19 }, { "R12", 20 },
	{ "R13", 21 }, { "R14", 22 }, { "R15", 23 },
#elif defined(__aarch64__)
	{ "X0", 0 }, { "X1", 1 }, { "X2", 2 }, { "X3", 3 }, { "X4", 4 }, { "X5", 5 }, { "X6", 6 }, { "X7", 7 }, { "X8", 8 },
	{ "X9", 9 }, { "X10", 10 }, { "X11", 11 }, { "X12", 12 }, { "X13", 13 }, { "X14", 14 }, { "X15", 15 }, { "X16", 16 },
	{ "X17", 17 }, { "X18", 18 }, { "X19", 19 }, { "X20", 20 }, { "X21", 21 }, { "X22", 22 }, { "X23", 23 }, { "X24", 24 },
	{ "X25", 25 }, { "X26", 26 }, { "X27", 27 }, { "X28", 28 }, { "X29", 29 }, { "LR", 30 }, { "SP", 31 }, { "PC", 32 },
#else
	{ "", 0 },
#endif
};

static int set_registers(const char *option, const char *arg, uint64_t *out)
{
	if (arg)
		return parse_bits(option, arg, register_names, COUNT(register_names), out);
	for (size_t i = 0; i < COUNT(register_names); i++)
		*out |= UINT64_C(1) << register_names[i].bit;
	return 0;
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
	{ "count", 'c', OPTION_CALL, .call = set_period, .arg = "N", .help = "a sample each N events" },
	{ "all-user", 0, OPTION_FLAG, &opts.user_only, .help = "leave out the kernel" },
	{ "all-kernel", 0, OPTION_FLAG, &opts.kernel_only, .help = "leave out user space" },
	{ "exclude-perf", 0, OPTION_FLAG, &opts.exclude_self, .help = "leave the recorder out of tracepoints" },
	{ .kind = OPTION_HEADING, .help = "Where" },
	{ "all-cpus", 'a', OPTION_FLAG, &opts.all_cpus, .help = "all CPUs, whoever runs there" },
	{ "cpu", 'C', OPTION_STRING, &cpus, .arg = "LIST", .help = "these CPUs, as 0-3,8" },
	{ "pid", 'p', OPTION_CALL, .call = add_pids, .arg = "PID", .help = "running processes, separated by commas" },
	{ "tid", 't', OPTION_CALL, .call = add_tids, .arg = "TID", .help = "running threads, separated by commas" },
	{ "no-inherit", 'i', OPTION_FLAG, &opts.no_inherit, .help = "leave out threads and processes that are started later" },
	{ "per-thread", 0, OPTION_FLAG, &opts.per_thread, .help = "one buffer per thread instead of one per CPU" },
	{ .kind = OPTION_HEADING, .help = "What comes with each sample" },
	{ NULL, 'g', OPTION_CALL, .call = set_frame_pointers, .help = "call chains by frame pointers" },
	{ "call-graph", 0, OPTION_CALL, .call = set_callgraph, .arg = "HOW",
	  .help = "call chains: fp[,FRAMES], dwarf[,BYTES of stack], lbr, or no" },
	{ "max-stack", 0, OPTION_CALL, .call = set_max_stack, .arg = "N", .help = "frames of a call chain at most" },
	{ "data", 'd', OPTION_FLAG, &opts.data_addresses, .help = "addresses of data, and where data is mapped" },
	{ "phys-data", 0, OPTION_FLAG, &opts.phys_addresses, .help = "physical addresses of data" },
	{ "data-page-size", 0, OPTION_FLAG, &opts.data_page_size, .help = "size of the page that was touched" },
	{ "code-page-size", 0, OPTION_FLAG, &opts.code_page_size, .help = "size of the page of the code" },
	{ "weight", 'W', OPTION_FLAG, &opts.weight, .help = "latency of memory accesses" },
	{ "transaction", 0, OPTION_FLAG, &opts.transaction, .help = "flags of transactions" },
	{ "branch-any", 'b', OPTION_CALL, .call = set_branch_any, .help = "taken branches" },
	{ "branch-filter", 'j', OPTION_CALL, .call = set_branch_filter, .arg = "LIST",
	  .help = "branches: any, any_call, any_ret, ind_call, ind_jmp, call, cond, u, k, ..." },
	{ "user-regs", 0, OPTION_CALL, .call = set_user_regs, .arg = "LIST", .help = "registers of user space", .optional = true },
	{ "intr-regs", 'I', OPTION_CALL, .call = set_intr_regs, .arg = "LIST", .help = "registers at the sample",
	  .optional = true },
	{ "raw-samples", 'R', OPTION_FLAG, &opts.raw, .help = "raw data of every event that has some" },
	{ "period", 'P', OPTION_FLAG, &opts.period_too, .help = "the period also where it is fixed" },
	{ "sample-cpu", 0, OPTION_FLAG, &opts.cpu, .help = "the CPU also when not all CPUs are recorded" },
	{ "timestamp", 'T', OPTION_FLAG, &accepted, .help = "the time (always there)" },
	{ "clockid", 'k', OPTION_CALL, .call = set_clock, .arg = "CLOCK",
	  .help = "time by monotonic, monotonic_raw, realtime, boottime or tai" },
	{ .kind = OPTION_HEADING, .help = "What comes beside the samples" },
	{ "switch-events", 0, OPTION_FLAG, &opts.switch_events, .help = "context switches" },
	{ "namespaces", 0, OPTION_FLAG, &opts.namespaces, .help = "namespaces of tasks" },
	{ "all-cgroups", 0, OPTION_FLAG, &opts.all_cgroups, .help = "control groups" },
	{ "no-buildid", 'B', OPTION_FLAG, &opts.no_build_ids, .help = "leave out the list of build ids at the end" },
	{ "no-buildid-cache", 'N', OPTION_FLAG, &accepted, .help = "keep no copies of binaries (never done)" },
	{ "buildid-all", 0, OPTION_FLAG, &accepted, .help = "build ids of all binaries (always done)" },
	{ .kind = OPTION_HEADING, .help = "The kernel's own trace events, into a trace.dat" },
	{ "ftrace", 0, OPTION_FLAG, &ftrace.wanted,
	  .help = "record through tracefs: -e takes SYSTEM:EVENT, SYSTEM or EVENT with wildcards, or all; what tracefs does not have is "
		  "an event of perf, recorded at the same time by the same clock into a perf.data" },
	FTRACE_OPTIONS,
	{ .kind = OPTION_HEADING, .help = "How" },
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "where to (default: perf.data, trace.dat with --ftrace; - is standard output)" },
	{ "mmap-pages", 'm', OPTION_STRING, &ring_size, .arg = "PAGES",
	  .help = "buffer per CPU: a number of pages, or bytes with B, K, M or G behind" },
	{ "max-size", 0, OPTION_STRING, &max_size, .arg = "SIZE", .help = "end when the file is as large; B, K, M, G" },
	{ "delay", 'D', OPTION_CALL, .call = set_delay, .arg = "MS", .help = "begin so many milliseconds later" },
	{ "realtime", 'r', OPTION_CALL, .call = set_realtime, .arg = "PRIO", .help = "empty the buffers at this real-time priority" },
	{ "no-buffering", 0, OPTION_FLAG, &opts.no_buffering, .help = "write every sample at once" },
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
	sonde_recorder_stop(recorder);
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

static void print_summary(const struct sonde_record_stats *s)
{
	if (!quiet && s->bytes)      /* 0: nothing has begun */
		fprintf(stderr, "[ sonde record: Captured and wrote %.3f MB %s (%" PRIu64 " samples) ]\n", (double)s->bytes / 1048576,
			output && !strcmp(output, "-") ? "to standard output" : output ? output : "perf.data", s->samples);
	if (s->full)
		say("ended because the file has reached --max-size");
	if (s->lost)
		say("%" PRIu64 " records were lost: %" PRIu64 " of %" PRIu32 " buffers of %" PRIu64 " KiB ran full; "
		    "record less (-F, -c, --filter), give them more room (-m), or empty them sooner (-r 1)", s->lost,
		    s->lost_rings, s->nr_rings, s->ring_bytes >> 10);
	if (s->throttled)
		say("the kernel stopped events %" PRIu64 " times for a moment because they came too often: lower -F, or raise "
		    "kernel.perf_event_max_sample_rate", s->throttled);
}

static int set_sizes(void)
{
	bool suffixed;

	if (ring_size) {
		if (!parse_size(ring_size, &opts.ring_bytes, &suffixed))
			return say_usage("-m: '%s' is neither pages nor a size", ring_size);
		if (!suffixed)
			opts.ring_bytes *= (uint64_t)sysconf(_SC_PAGESIZE);
		if (opts.ring_bytes > UINT64_C(1) << 40)
			return say_usage("-m: '%s' is too large", ring_size);
		if (!opts.ring_bytes)
			opts.ring_bytes = 1;
	}
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

static int record_run(int argc, char **argv)
{
	static char text[CMDLINE_BYTES];
	static const char *words[CMDLINE_WORDS];
	int status = set_sizes(), r;

	if (status)
		return status;
	recorder = sonde_recorder_new();
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
	if (argc > 0)
		opts.command = (const char *const *)argv;
	opts.cmdline = words;
	opts.nr_cmdline = command_line(text, words);
	catch_signals();
	if (ftrace.wanted) {
		status = ftrace_record(recorder, &opts, quiet, &caught);
		sonde_recorder_free(recorder);
		return status;
	}
	status = take_wishes();
	if (status)
		return status;
	r = sonde_recorder_open(recorder, &opts);
	if (r == 0) {
		r = sonde_recorder_run(recorder);
		progress_clear();
		print_summary(sonde_recorder_stats(recorder));
	}
	if (r < 0)
		status = say_error(NULL, sonde_recorder_error(recorder));
	else
		status = follow_command(sonde_recorder_stats(recorder)->wait_status, caught);
	sonde_recorder_free(recorder);
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
