/* SPDX-License-Identifier: MIT */
#include "cli/record/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/values.h"
#include "cli/record/control.h"
#include "cli/record/exporter.h"
#include "cli/record/ftrace.h"
#include "cli/record/words.h"

#define SIZE_LIMIT (UINT64_C(1) << 40)

static int keep_no_copies(const char *arg)
{
	(void)arg;
	record_words.opts.file.binary_cache = NULL;
	return 0;
}

const struct option_row record_options[] = {
	{ .kind = OPTION_HEADING, .help = "What to record" },
	{ "event", 'e', OPTION_CALL, .call = record_add_event, .arg = "EVENT",
	  .help = "events, separated by commas: names, rHEX, type:config, pmu/term=value/, mem:ADDR[/LEN][:rwx], "
		  "system:tracepoint, uprobe:FILE:FUNCTION, probe:FUNCTION, "
		  "sdt:FILE:PROVIDER:NAME, {groups}, with modifiers after a colon",
	  .values = { .give = give_events, .list = true } },
	{ "event-file", 0, OPTION_STRINGS, &record_words.event_files, .arg = "FILE",
	  .help = "take names of events from a JSON file of the processor's vendor, or from all in a directory" },
	{ "pfm-events", 0, OPTION_CALL, .call = record_add_pfm_events, .arg = "EVENT",
	  .help = "events by the names of libpfm4, if it is installed, separated by commas: UOPS_ISSUED:ANY:c=1" },
	{ "filter", 'f', OPTION_CALL, .call = record_add_filter, .arg = "FILTER",
	  .help = "kernel filter for the tracepoints of the -e before it, for example 'prev_pid == 1'; for intel_pt: "
		  "addresses, as 'filter 0x1040/0x20@/bin/ls'" },
	{ "freq", 'F', OPTION_CALL, .call = record_set_freq, .arg = "HZ",
	  .help = "samples per second, or max (default: 4000)",
	  .values = { .words = WORDS("max") } },
	{ "strict-freq", 0, OPTION_FLAG, &record_words.opts.rate.strict_freq,
	  .help = "fail if the kernel permits less than -F" },
	{ "count", 'c', OPTION_CALL, .call = record_set_period, .arg = "N", .help = "one sample every N events" },
	{ "all-user", 0, OPTION_FLAG, &record_words.opts.user_only, .help = "leave out the kernel" },
	{ "all-kernel", 0, OPTION_FLAG, &record_words.opts.kernel_only, .help = "leave out user space" },
	{ "exclude-perf", 0, OPTION_FLAG, &record_words.opts.exclude_self,
	  .help = "leave the recorder out of tracepoints" },
	{ "off-cpu", 0, OPTION_FLAG, &record_words.opts.off_cpu,
	  .help = "also record where threads sleep: an event offcpu-time, whose samples count nanoseconds" },
	{ "off-cpu-thresh", 0, OPTION_CALL, .call = record_set_off_cpu_threshold, .arg = "MS",
	  .help = "sleeps of at least MS milliseconds have samples of their own (default: 500); others are summed up "
		  "by thread and call chain" },
	{ "no-samples", 'n', OPTION_FLAG, &record_words.opts.side.no_samples,
	  .help = "record no samples, only the other records" },
	{ "group", 0, OPTION_FLAG, &record_words.opts.group_all, .help = "make one group of all events" },
	{ .kind = OPTION_HEADING, .help = "Where" },
	{ "all-cpus", 'a', OPTION_FLAG, &record_words.opts.target.all_cpus, .help = "record all CPUs" },
	{ "cpu", 'C', OPTION_STRING, &record_words.cpus, .arg = "LIST",
	  .help = "record these CPUs, for example 0-3,8" },
	{ "pid", 'p', OPTION_CALL, .call = record_add_pids, .arg = "PID",
	  .help = "record running processes, separated by commas",
	  .values = { .give = give_pids, .list = true } },
	{ "tid", 't', OPTION_CALL, .call = record_add_tids, .arg = "TID",
	  .help = "record running threads, separated by commas" },
	{ "uid", 'u', OPTION_CALL, .call = record_set_user, .arg = "USER",
	  .help = "record what this user (name or number) is running, and what it starts" },
	{ "cgroup", 'G', OPTION_CALL, .call = record_add_cgroups, .arg = "NAME",
	  .help = "record these control groups, separated by commas, one for each event before this option; needs -a" },
	{ "for-each-cgroup", 0, OPTION_STRING, &record_words.cgroups, .arg = "NAME",
	  .help = "record all events once for each of these control groups; needs -a" },
	{ "no-inherit", 'i', OPTION_FLAG, &record_words.opts.target.no_inherit,
	  .help = "leave out threads and processes that start later" },
	{ "per-thread", 0, OPTION_FLAG, &record_words.opts.target.per_thread,
	  .help = "use one buffer per thread instead of one per CPU" },
	{ .kind = OPTION_HEADING, .help = "With each sample" },
	{ NULL, 'g', OPTION_CALL, .call = record_set_frame_pointers, .help = "call chains by frame pointers" },
	{ "call-graph", 0, OPTION_CALL, .call = record_set_callgraph, .arg = "HOW",
	  .help = "call chains: fp[,FRAMES][,defer], dwarf[,BYTES of stack][,fp], lbr, or no; defer: walk user space "
		  "when the task returns to it, once for all samples until then (Linux 6.19); dwarf,fp: copies of "
		  "stacks and frame pointers, which go on where a copy is too short",
	  .values = { .words = WORDS("fp", "dwarf", "lbr", "no") } },
	{ "no-call-graph", 0, OPTION_CALL, .call = record_set_no_callgraph,
	  .help = "no call chains, as --call-graph no" },
	{ "user-callchains", 0, OPTION_FLAG, &record_words.opts.stack.user_callchains,
	  .help = "call chains of user space only" },
	{ "kernel-callchains", 0, OPTION_FLAG, &record_words.opts.stack.kernel_callchains,
	  .help = "call chains of the kernel only" },
	{ "max-stack", 0, OPTION_CALL, .call = record_set_max_stack, .arg = "N",
	  .help = "record at most N frames of a call chain" },
	{ "data", 'd', OPTION_FLAG, &record_words.opts.fields.data_addresses,
	  .help = "addresses of data, and where data is mapped" },
	{ "data-mmap", 0, OPTION_FLAG, &record_words.opts.side.data_maps, .help = "where data is mapped" },
	{ "phys-data", 0, OPTION_FLAG, &record_words.opts.fields.phys_addresses, .help = "physical addresses of data" },
	{ "data-page-size", 0, OPTION_FLAG, &record_words.opts.fields.data_page_size,
	  .help = "size of the page that was touched" },
	{ "code-page-size", 0, OPTION_FLAG, &record_words.opts.fields.code_page_size,
	  .help = "size of the page of the code" },
	{ "weight", 'W', OPTION_FLAG, &record_words.opts.fields.weight, .help = "latency of memory accesses" },
	{ "transaction", 0, OPTION_FLAG, &record_words.opts.fields.transaction, .help = "flags of transactions" },
	{ "branch-any", 'b', OPTION_CALL, .call = record_set_branch_any, .help = "taken branches" },
	{ "branch-filter", 'j', OPTION_CALL, .call = record_set_branch_filter, .arg = "LIST",
	  .help = "branches: any, any_call, any_ret, ind_call, ind_jmp, call, cond, u, k, ...",
	  .values = { .give = give_branch_filters, .list = true } },
	{ "user-regs", 0, OPTION_CALL, .call = record_set_user_regs, .arg = "LIST",
	  .help = "registers of user space (? lists them)",
	  .optional = true },
	{ "intr-regs", 'I', OPTION_CALL, .call = record_set_intr_regs, .arg = "LIST",
	  .help = "registers at the sample (? lists them)",
	  .optional = true },
	{ "raw-samples", 'R', OPTION_FLAG, &record_words.opts.fields.raw,
	  .help = "raw data of every event that has any" },
	{ "period", 'P', OPTION_FLAG, &record_words.opts.fields.period_too, .help = "the period, even if it is fixed" },
	{ "sample-cpu", 0, OPTION_FLAG, &record_words.opts.fields.cpu,
	  .help = "the CPU, even if not all CPUs are recorded" },
	{ "sample-identifier", 0, OPTION_FLAG, &record_words.accepted, .help = "the id of the event (always there)" },
	{ "timestamp", 'T', OPTION_FLAG, &record_words.accepted, .help = "the time (always there)" },
	{ "clockid", 'k', OPTION_CALL, .call = record_set_clock, .arg = "CLOCK",
	  .help = "time by monotonic, monotonic_raw, realtime, boottime or tai",
	  .values = { .words = WORDS("monotonic", "monotonic_raw", "realtime", "boottime", "tai") } },
	{ .kind = OPTION_HEADING, .help = "Besides the samples" },
	{ "switch-events", 0, OPTION_FLAG, &record_words.opts.side.switch_events, .help = "context switches" },
	{ "latency", 0, OPTION_FLAG, &record_words.latency,
	  .help = "context switches of a command or processes, for report --latency" },
	{ "namespaces", 0, OPTION_FLAG, &record_words.opts.side.namespaces, .help = "namespaces of tasks" },
	{ "all-cgroups", 0, OPTION_FLAG, &record_words.opts.side.all_cgroups, .help = "control groups" },
	{ "no-bpf-event", 0, OPTION_FLAG, &record_words.opts.side.no_bpf_events,
	  .help = "leave out BPF programs that are loaded or unloaded" },
	{ "stat", 's', OPTION_FLAG, &record_words.opts.side.task_counts,
	  .help = "event counts of each task that ends" },
	{ "synth", 0, OPTION_CALL, .call = record_set_synth, .arg = "WHAT",
	  .help = "describe what already exists: all (default), no, or a list of task,mmap,cgroup" },
	{ "timestamp-boundary", 0, OPTION_FLAG, &record_words.accepted,
	  .help = "times of the first and the last sample (always there)" },
	{ "no-buildid", 'B', OPTION_FLAG, &record_words.opts.file.no_build_ids,
	  .help = "leave out the list of build ids at the end" },
	{ "buildid-mmap", 0, OPTION_FLAG, &record_words.accepted,
	  .help = "build ids in the records of mappings (always done)" },
	{ "buildid-cache", 0, OPTION_STRING, &record_words.opts.file.binary_cache, .arg = "DIR", .optional = true,
	  .help = "keep a copy of each binary in this directory, without DIR in ~/.debug" },
	{ "no-buildid-cache", 'N', OPTION_CALL, .call = keep_no_copies,
	  .help = "keep no copies of binaries (the default)" },
	{ "buildid-all", 0, OPTION_FLAG, &record_words.accepted, .help = "build ids of all binaries (always done)" },
	{ .kind = OPTION_HEADING, .help = "The kernel's own trace events, into a trace.dat" },
	{ "ftrace", 0, OPTION_FLAG, &ftrace.wanted,
	  .help = "record through tracefs: -e takes SYSTEM:EVENT, SYSTEM or EVENT with wildcards, or all; perf records "
		  "the events that tracefs does not have, at the same time by the same clock, into a perf.data" },
	FTRACE_OPTIONS,
	FTRACE_LETTERS,
	{ NULL, 'P', OPTION_CALL, .call = record_add_pids, .arg = "PID", .applies = ftrace_applies_to_number,
	  .help = "record this process (--pid)" },
	{ .kind = OPTION_HEADING, .help = "How" },
	{ "output", 'o', OPTION_STRING, &record_words.output, .arg = "FILE",
	  .help = "write to FILE (default: perf.data, trace.dat with --ftrace; - is standard output)" },
	{ "kcore", 0, OPTION_FLAG, &record_words.opts.file.kcore,
	  .help = "make FILE a directory, with a copy of the kernel's code beside the recording; record changes of the "
		  "code" },
	{ "timestamp-filename", 0, OPTION_FLAG, &record_words.timestamp_filename,
	  .help = "append the start time to the file name" },
	{ "force", 0, OPTION_FLAG, &record_words.accepted,
	  .help = "overwrite an old recording (always done; the old one is renamed)" },
	{ "mmap-pages", 'm', OPTION_STRING, &record_words.ring_size, .arg = "PAGES[,AUX]",
	  .help = "buffer size per CPU: a number of pages, or a size in B, K, M or G; AUX: of the area "
		  "of a hardware trace (intel_pt, intel_bts, arm_spe_0, cs_etm)" },
	{ "compression-level", 'z', OPTION_CALL, .call = record_set_compression, .arg = "LEVEL", .optional = true,
	  .takes = record_is_level, .help = "compress the records with zstd; 1 (default) is fastest, 22 smallest" },
	{ "aligned", 0, OPTION_FLAG, &record_words.opts.file.aligned,
	  .help = "with -z: make compressed records a multiple of 8 bytes (COMPRESSED2), as perf does since 6.16; "
		  "older ones read only those of any length (COMPRESSED), the default" },
	{ "max-size", 0, OPTION_STRING, &record_words.max_size, .arg = "SIZE",
	  .help = "stop when the file reaches SIZE, in B, K, M or G" },
	{ "delay", 'D', OPTION_CALL, .call = record_set_delay, .arg = "MS",
	  .help = "measure from MS milliseconds on, in FROM-TO,FROM-TO... only, or with -1 when --control says so" },
	{ "control", 0, OPTION_CALL, .call = record_set_control, .arg = "fd:CTL[,ACK]",
	  .help = "read commands from a descriptor or fifo:CTL[,ACK]: enable [EVENT], disable [EVENT], snapshot, "
		  "evlist [-v|-g|-F], ping, stop" },
	{ "overwrite", 0, OPTION_FLAG, &record_words.opts.rings.overwrite,
	  .help = "keep the newest samples in the buffers; write them at the end and on SIGUSR2" },
	{ "aux-sample", 0, OPTION_CALL, .call = record_set_aux_sample, .arg = "SIZE", .optional = true,
	  .help = "the newest SIZE (default: 4096) bytes of the trace in samples of the group that intel_pt leads" },
	{ "snapshot", 'S', OPTION_CALL, .call = record_set_snapshot, .arg = "e", .optional = true,
	  .help = "as --overwrite, but write on SIGUSR2 only; with e at the end, too; of a hardware trace: the "
		  "newest part" },
	{ "switch-output", 0, OPTION_CALL, .call = record_set_switch, .arg = "WHEN", .optional = true,
	  .help = "go on with a new file on SIGUSR2 (signal, default), at a size (10M) or after a time (30s)" },
	{ "switch-output-event", 0, OPTION_STRINGS, &record_words.switch_events, .arg = "EVENT",
	  .help = "go on with a new file each time one of these events happens anywhere (with -p, -t or -u: in these "
		  "tasks); they are not recorded" },
	{ "switch-max-files", 0, OPTION_CALL, .call = record_set_switch_max, .arg = "N",
	  .help = "keep the newest N files of --switch-output" },
	{ "export", 0, OPTION_CALL, .call = exporter_set, .arg = "parquet:DIR",
	  .help = "add each finished file of --switch-output to a data set of profiles and remove it (with "
		  "--switch-max-files: but the newest); the clock is monotonic, unless -k is given" },
	{ "tail-synthesize", 0, OPTION_FLAG, &record_words.opts.side.tail_synthesis,
	  .help = "describe the tasks that exist at the end instead of the start" },
	{ "threads", 0, OPTION_CALL, .call = record_set_threads, .arg = "SPEC", .optional = true,
	  .help = "make FILE a directory, and let a thread for each cpu (default), core, package or numa node empty "
		  "its buffers into a file of its own; or CPUS/CPUS[:...]: whose buffers, and where the thread runs" },
	{ "realtime", 'r', OPTION_CALL, .call = record_set_realtime, .arg = "PRIO",
	  .help = "empty the buffers and write at this real-time priority; 0: at none (default: 1 if permitted)" },
	{ "affinity", 0, OPTION_CALL, .call = record_set_affinity, .arg = "MODE",
	  .help = "empty the buffer of a CPU on this CPU (cpu) or its node (node); sys (default): anywhere",
	  .values = { .words = WORDS("sys", "cpu", "node") } },
	{ "aio", 0, OPTION_STRING, &record_words.ignored, .arg = "N", .optional = true,
	  .help = "accepted: a thread of its own always writes" },
	{ "mmap-flush", 0, OPTION_STRING, &record_words.ignored, .arg = "BYTES",
	  .help = "accepted: buffers are emptied when the kernel says so" },
	{ "debuginfod", 0, OPTION_STRING, &record_words.ignored, .arg = "URLS", .optional = true,
	  .help = "accepted: servers are asked when the recording is read" },
	{ "vmlinux", 0, OPTION_STRING, &record_words.ignored, .arg = "FILE",
	  .help = "accepted: the kernel's image is looked for when the recording is read" },
	{ "num-thread-synthesize", 0, OPTION_STRING, &record_words.ignored, .arg = "N",
	  .help = "accepted: one thread describes the tasks that exist" },
	{ "proc-map-timeout", 0, OPTION_STRING, &record_words.ignored, .arg = "MS",
	  .help = "accepted: mappings are always read whole" },
	{ "no-buffering", 0, OPTION_FLAG, &record_words.opts.rings.no_buffering,
	  .help = "write every sample immediately" },
	{ "dry-run", 0, OPTION_FLAG, &record_words.dry_run,
	  .help = "check the command line and record nothing; -v prints the attrs of the events" },
	{ "verbose", 'v', OPTION_FLAG, &record_words.verbose, .help = "print what was opened" },
	{ "quiet", 'q', OPTION_FLAG, &record_words.quiet, .help = "print only errors and losses" },
	{ 0 },
};

/* "128", "1M", "128,64": the size of the ring, and that of the area of a hardware trace. */
static bool set_ring_size(struct record_words *w)
{
	size_t len = strcspn(w->ring_size, ",");
	uint64_t *bytes = &w->opts.rings.ring_bytes, *aux = &w->opts.rings.aux_bytes;
	char data[32];
	bool suffixed;

	snprintf(data, sizeof(data), "%.*s", (int)len, w->ring_size);
	if (len >= sizeof(data) || (w->ring_size[len] && !record_parse_size(w->ring_size + len + 1, aux, &suffixed)))
		return false;
	if (w->ring_size[len] && !suffixed && *aux <= SIZE_LIMIT)
		*aux *= (uint64_t)sysconf(_SC_PAGESIZE);
	if (*aux > SIZE_LIMIT)
		return false;
	if (!*data)
		return w->ring_size[len];
	if (!record_parse_size(data, bytes, &suffixed))
		return false;
	if (!suffixed && *bytes <= SIZE_LIMIT)
		*bytes *= (uint64_t)sysconf(_SC_PAGESIZE);
	*bytes += !*bytes;
	return *bytes <= SIZE_LIMIT;
}

static int set_sizes(struct record_words *w)
{
	bool suffixed;

	if (w->ring_size && !set_ring_size(w))
		return say_usage("-m: '%s' is neither pages nor a size, at most 1024G", w->ring_size);
	if (w->max_size && (!record_parse_size(w->max_size, &w->opts.file.max_bytes, &suffixed) ||
			    !w->opts.file.max_bytes))
		return say_usage("--max-size: '%s' is not a size", w->max_size);
	if (w->opts.rate.period && (w->opts.rate.freq_hz || w->opts.rate.freq_max))
		return say_usage("-F and -c exclude each other");
	return 0;
}

/*
 * "perf.data.2026112210213912": as in perf, but with the time of the start, so that a killed recorder has the name
 * too.
 */
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

/* The option that --threads cannot be combined with; NULL: there is none. */
static const char *refuser_of_threads(const struct record_words *w)
{
	const struct sonde_perf_recorder_opts *o = &w->opts;

	return w->output && !strcmp(w->output, "-") ? "standard output, which is no directory" :
	       ftrace.wanted ? "--ftrace" :
	       o->switching.switch_output ? "--switch-output" :
	       o->rings.overwrite || o->rings.snapshot ? "--overwrite and --snapshot" :
	       o->off_cpu ? "--off-cpu" :
	       o->target.per_thread ? "--per-thread" :
	       o->rings.affinity ? "--affinity" : NULL;
}

static int refuse_contradictions(const struct record_words *w)
{
	bool to_stdout = w->output && !strcmp(w->output, "-");

	if (w->opts.user_only && w->opts.kernel_only)
		return say_usage("--all-user and --all-kernel exclude each other");
	if (w->opts.stack.user_callchains && w->opts.stack.kernel_callchains)
		return say_usage("--user-callchains and --kernel-callchains exclude each other");
	if (w->dry_run && ftrace.wanted)
		return say_usage("--dry-run: this is not for --ftrace");
	if (w->opts.file.compression_level && ftrace.wanted)
		return say_usage("-z: this is not for --ftrace: 'sonde convert -z' compresses a trace.dat");
	if (w->opts.file.aligned && !w->opts.file.compression_level)
		return say_usage("--aligned needs -z");
	if (w->latency && (w->opts.target.all_cpus || w->cpus))
		return say_usage("--latency: this is not for -a and -C, which record unrelated threads");
	if (w->opts.switching.switch_output && (to_stdout || ftrace.wanted))
		return say_usage("--switch-output: this is not for %s",
				 to_stdout ? "standard output, which has no name" : "--ftrace");
	if (w->opts.file.kcore && (to_stdout || ftrace.wanted || w->opts.switching.switch_output))
		return say_usage("--kcore: this is not for %s", to_stdout ? "standard output, which is no directory" :
				 ftrace.wanted ? "--ftrace" : "--switch-output");
	if (w->opts.file.readers && refuser_of_threads(w))
		return say_usage("--threads: this is not for %s", refuser_of_threads(w));
	if (w->opts.off_cpu_threshold_ns && !w->opts.off_cpu)
		return say_usage("--off-cpu-thresh: this is for --off-cpu only");
	if (w->opts.off_cpu && (ftrace.wanted || w->opts.rings.overwrite))
		return say_usage("--off-cpu: this is not for %s", ftrace.wanted ? "--ftrace" : "--overwrite");
	if (w->opts.switching.switch_max_files && !w->opts.switching.switch_output)
		return say_usage("--switch-max-files: this is for --switch-output only");
	if ((w->opts.rings.overwrite || w->opts.when.control) && ftrace.wanted)
		return say_usage("%s: this is not for --ftrace", w->opts.when.control ? "--control" : "--overwrite");
	if (w->timestamp_filename && to_stdout)
		return say_usage("--timestamp-filename: standard output has no name");
	if (to_stdout && isatty(STDOUT_FILENO))
		return say_usage("-o -: refusing to write binary data to a terminal");
	return 0;
}

/* The option that names control groups; NULL: none does. */
static const char *option_of_cgroups(const struct record_words *w)
{
	for (size_t i = 0; i < nr_requests; i++)
		if (requests[i].kind == REQUEST_CGROUP)
			return "-G";
	return w->cgroups ? "--for-each-cgroup" : NULL;
}

/* Control groups are recorded on whole CPUs, and so is everything without a command or tasks. */
static int refuse_cgroups_of_tasks(const struct record_words *w, bool has_command)
{
	const struct sonde_perf_recorder_opts *o = &w->opts;
	bool of_tasks = o->target.nr_pids || o->target.nr_tids || o->target.of_user || (has_command &&
		!o->target.all_cpus && !w->cpus);
	const char *option = option_of_cgroups(w);

	return option && of_tasks ? say_usage("%s: control groups are recorded on whole CPUs: use -a", option) : 0;
}

int record_settle(bool has_command)
{
	struct record_words *w = &record_words;
	int status = set_sizes(w);

	w->opts.switching.switch_output |= w->switch_events.n > 0;
	if (status == 0)
		status = refuse_contradictions(w);
	if (status == 0)
		status = exporter_settle();
	if (status == 0)
		status = refuse_cgroups_of_tasks(w, has_command);
	if (status)
		return status;
	if (w->timestamp_filename)
		w->output = stamped_name(w->output ? w->output : ftrace.wanted ? "trace.dat" : "perf.data");
	if (w->freq_list && !w->quiet)       /* perf, too, reads only up to the comma */
		say("-F %s: the first number is for all events; -e cpu-clock/freq=200/ gives an event its own",
		    w->freq_list);
	w->opts.sz = sizeof(w->opts);
	w->opts.output = w->output;
	w->opts.target.cpus = w->cpus;
	w->opts.target.pids = w->pids;
	w->opts.target.tids = w->tids;
	w->opts.side.switch_events |= w->latency;
	return 0;
}
