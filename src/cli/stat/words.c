/* SPDX-License-Identifier: MIT */
#include "cli/stat/words.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL_SHORT_MS 100  /* with the overhead of reading */
#define TIMEOUT_MIN_MS 10
#define RUNS_MAX 100
#define TOPDOWN_LEVEL_MAX 9
#define TIME_MAX_MS 1000000000

struct stat_words stat_words = { .runs = 1 };

static int add_request(const char *text, enum stat_request_kind kind)
{
	struct stat_request *more = realloc(stat_words.requests, (stat_words.nr_requests + 1) * sizeof(*more));

	if (!more) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	stat_words.requests = more;
	more[stat_words.nr_requests++] = (struct stat_request){ text, kind };
	return 0;
}

int stat_add_event(const char *arg) { return add_request(arg, STAT_REQUEST_EVENT); }
int stat_add_pfm_events(const char *arg) { return add_request(arg, STAT_REQUEST_PFM); }
int stat_add_filter(const char *arg) { return add_request(arg, STAT_REQUEST_FILTER); }

/* Words between commas, of which some may be empty. */
static int add_places(struct strings *list, const char *arg)
{
	char *copy = strdup(arg), *next = copy;

	while (next) {
		char *word = strsep(&next, ",");

		if (list_add(list, word) < 0)
			return -SONDE_NOMEM;
	}
	return copy ? 0 : -SONDE_NOMEM;      /* the list has views of it until the end */
}

int stat_add_cgroups(const char *arg)
{
	if (stat_words.nr_requests == 0) {
		say_usage("-G: the events of the cgroups come before it, by -e");
		return -SONDE_USAGE;
	}
	return add_places(&stat_words.cgroups, arg);
}

int stat_add_each_cgroup(const char *arg) { return list_add_words(&stat_words.each_cgroup, arg); }

int stat_add_metrics(const char *arg) { return list_add_words(&stat_words.metrics, arg); }
int stat_add_pids(const char *arg) { return list_add_numbers(&stat_words.pids, arg, "-p"); }
int stat_add_tids(const char *arg) { return list_add_numbers(&stat_words.tids, arg, "-t"); }

static int take_number(const char *option, const char *arg, const char *unit, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long v = strtoll(arg, &end, 10);

	if (end == arg || *end || v < min || v > max) {
		say_usage("%s: '%s' is not a number of %s from %lld to %lld", option, arg, unit, (long long)min,
			  (long long)max);
		return -SONDE_USAGE;
	}
	*out = v;
	return 0;
}

int stat_set_delay(const char *arg)
{
	return take_number("-D", arg, "milliseconds", -1, TIME_MAX_MS, &stat_words.delay_ms);
}

int stat_set_interval(const char *arg)
{
	int64_t v;
	int r = take_number("-I", arg, "milliseconds", 1, TIME_MAX_MS, &v);

	if (r == 0 && v < INTERVAL_SHORT_MS && stat_words.interval_ms == 0)
		say("intervals below %d ms: reading the counts takes a share of the time", INTERVAL_SHORT_MS);
	stat_words.interval_ms = r == 0 ? (uint64_t)v : 0;
	return r;
}

int stat_set_runs(const char *arg)
{
	int64_t v;
	int r = take_number("-r", arg, "runs", 0, RUNS_MAX, &v);

	stat_words.runs = r == 0 ? (uint64_t)v : 1;
	return r;
}

int stat_set_timeout(const char *arg)
{
	int64_t v;
	int r = take_number("--timeout", arg, "milliseconds", TIMEOUT_MIN_MS, TIME_MAX_MS, &v);

	stat_words.timeout_ms = r == 0 ? (uint64_t)v : 0;
	return r;
}

/* "\t" as perf and cut(1) users write it */
int stat_set_separator(const char *arg)
{
	stat_words.separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return 0;
}

int stat_add_detail(const char *arg)
{
	(void)arg;
	stat_words.detail++;
	return 0;
}

int stat_add_verbose(const char *arg)
{
	(void)arg;
	stat_words.verbose++;
	return 0;
}

static int set_by(enum sonde_stat_by by)
{
	stat_words.by = by;
	return 0;
}

int stat_by_cpu(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_CPU); }
int stat_by_core(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_CORE); }
int stat_by_cluster(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_CLUSTER); }
int stat_by_die(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_DIE); }
int stat_by_socket(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_SOCKET); }
int stat_by_node(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_NODE); }
int stat_by_thread(const char *arg) { (void)arg; return set_by(SONDE_STAT_BY_THREAD); }

int stat_refuse_iostat(const char *arg)
{
	(void)arg;
	say_usage("--iostat: the counters of PCIe ports have other numbers in each server: count the events of the "
		  "PMUs uncore_iio_* by -e");
	return -SONDE_USAGE;
}

int stat_refuse_smi_cost(const char *arg)
{
	(void)arg;
	say_usage("--smi-cost: sonde stat changes no setting of the processor: write 1 to "
		  "/sys/devices/cpu/freeze_on_smi, and count -e '{msr/aperf/,msr/smi/,cycles}'");
	return -SONDE_USAGE;
}

int stat_refuse_tpebs(const char *arg)
{
	(void)arg;
	say_usage("--record-tpebs and --tpebs-mode: retire latencies come from samples, and sonde stat takes none: "
		  "record them by `sonde record -W -e EVENT:p`");
	return -SONDE_USAGE;
}

/* "l2", "L3" */
int stat_by_cache(const char *arg)
{
	if (arg && *arg) {
		if ((*arg != 'l' && *arg != 'L') || arg[1] < '1' || arg[1] > '9' || arg[2]) {
			say_usage("--per-cache: '%s' is not a level as l2", arg);
			return -SONDE_USAGE;
		}
		stat_words.cache_level = (uint64_t)(arg[1] - '0');
	}
	return set_by(SONDE_STAT_BY_CACHE);
}

int stat_settle(bool command)
{
	struct stat_words *w = &stat_words;
	bool tasks = w->pids.n || w->tids.n;

	if (w->output && w->log_fd)
		return say_usage("--output and --log-fd exclude each other");
	if (w->separator && w->json)
		return say_usage("-x and -j exclude each other");
	if (w->separator && !*w->separator)
		return say_usage("-x: the separator is empty");
	if (w->cgroups.n && w->each_cgroup.n)
		return say_usage("-G and --for-each-cgroup exclude each other");
	if (w->by == SONDE_STAT_BY_THREAD && !tasks && !w->all_cpus)
		return say_usage("--per-thread needs -p, -t or -a");
	if ((w->cgroups.n || w->each_cgroup.n) && !w->all_cpus && !w->cpus)
		return say_usage("cgroups are counted on CPUs: use -a or -C");
	if (w->by != SONDE_STAT_BY_EVENT && w->by != SONDE_STAT_BY_THREAD && !w->all_cpus && !w->cpus) {
		if (tasks || command)
			return say_usage("CPUs, cores, sockets and nodes are told apart with -a or -C only");
		w->all_cpus = true;
	}
	if ((w->interval_count || w->interval_clear || w->summary) && !w->interval_ms)
		return say_usage("--interval-count, --interval-clear and --summary go with -I");
	if (w->runs != 1 && !command)
		return say_usage("-r repeats a command: name it");
	if (w->runs != 1 && (tasks || w->interval_ms))
		return say_usage("-r does not go with -p, -t and -I");
	if (w->topdown_level && (!w->topdown || w->topdown_level > TOPDOWN_LEVEL_MAX))
		return say_usage("--td-level is a number from 1 to %d, and goes with --topdown", TOPDOWN_LEVEL_MAX);
	if (w->record && (w->runs != 1 || w->null_run))
		return say_usage("the counts of -r and -n cannot be recorded");
	if (w->delay_ms < 0 && !w->control)
		return say_usage("-D -1 waits for 'enable': use --control");
	if (!command && !tasks && !w->cpus)
		w->all_cpus = true;
	return 0;
}
