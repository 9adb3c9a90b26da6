/* SPDX-License-Identifier: MIT */
#include "cli/record/words.h"

#include <sonde/symbol.h>

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/base/command.h"
#include "cli/record/bits.h"
#include "cli/record/ftrace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LEVEL_MAX 22                     /* of zstd */

struct record_words record_words;
static struct sonde_perf_recorder_opts *const opts = &record_words.opts;

int record_add_event(const char *arg)
{
	return request_add(REQUEST_EVENT, arg);
}

int record_add_pfm_events(const char *arg)
{
	return request_add(REQUEST_PFM, arg);
}

int record_add_filter(const char *arg)
{
	return request_add(REQUEST_FILTER, arg);
}

int record_add_cgroups(const char *arg)
{
	return request_add(REQUEST_CGROUP, arg);
}

bool record_parse_size(const char *text, uint64_t *out, bool *suffixed)
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

int record_set_freq(const char *arg)
{
	bool suffixed;
	char first[32];
	size_t len = strcspn(arg, ",");

	if (!strcmp(arg, "max")) {
		opts->rate.freq_max = true;
		return 0;
	}
	snprintf(first, sizeof(first), "%.*s", (int)len, arg);
	if (!record_parse_size(first, &opts->rate.freq_hz, &suffixed) || suffixed || !opts->rate.freq_hz ||
	    len >= sizeof(first)) {
		say_usage("-F: '%s' is neither a frequency in Hz nor max", arg);
		return -SONDE_USAGE;
	}
	record_words.freq_list = arg[len] ? arg : NULL;
	return 0;
}

int record_set_period(const char *arg)
{
	bool suffixed;

	if (!record_parse_size(arg, &opts->rate.period, &suffixed) || suffixed || !opts->rate.period) {
		say_usage("-c: '%s' is not a number of events", arg);
		return -SONDE_USAGE;
	}
	return 0;
}

int record_set_frame_pointers(const char *arg)
{
	(void)arg;
	if (!opts->stack.callgraph)
		opts->stack.callgraph = SONDE_CALLGRAPH_FP;
	return 0;
}

int record_set_no_callgraph(const char *arg)
{
	(void)arg;
	opts->stack.callgraph = SONDE_CALLGRAPH_NONE;
	return 0;
}

/* "defer", "100", "100,defer" after fp */
static bool set_frames(const char *text)
{
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, ",");
		char word[32];
		uint64_t v;
		bool suffixed;

		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		if (!strcmp(word, "defer"))
			opts->stack.defer_callchains = true;
		else if (len < sizeof(word) && record_parse_size(word, &v, &suffixed) && v > 0 && v <= UINT16_MAX)
			opts->stack.max_stack = (uint16_t)v;
		else
			return false;
		if (p[len] == ',' && !p[len + 1])
			return false;
		p += len + (p[len] == ',');
	}
	return true;
}

/* "8192", "fp", "8192,fp" after dwarf */
static bool set_copies(const char *text)
{
	const char *comma = strchr(text, ',');
	size_t len = comma ? (size_t)(comma - text) : strlen(text);
	char word[32];
	uint64_t v;
	bool suffixed;

	if (!strcmp(comma ? comma + 1 : text, "fp"))
		opts->stack.copies_and_chains = true;
	else if (comma)
		return false;
	if (!comma && opts->stack.copies_and_chains)
		return true;
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	if (len >= sizeof(word) || !record_parse_size(word, &v, &suffixed) || !v || v > SONDE_STACK_BYTES_MOST)
		return false;
	opts->stack.stack_bytes = (uint32_t)((v + 7) & ~UINT64_C(7));
	return true;
}

int record_set_callgraph(const char *arg)
{
	static const char *const names[] = { "no", "fp", "dwarf", "lbr" };
	size_t len = strcspn(arg, ",");
	const char *rest = arg + len + 1;

	opts->stack.defer_callchains = opts->stack.copies_and_chains = false;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strlen(names[i]) != len || strncmp(arg, names[i], len) != 0)
			continue;
		opts->stack.callgraph = (enum sonde_callgraph)i;
		if (!arg[len] || (*rest && ((i == SONDE_CALLGRAPH_DWARF && set_copies(rest)) ||
					    (i == SONDE_CALLGRAPH_FP && set_frames(rest)))))
			return 0;
		break;
	}
	say_usage("--call-graph: '%s' is not fp[,FRAMES][,defer], dwarf[,BYTES up to 65528][,fp], lbr or no", arg);
	return -SONDE_USAGE;
}

static int parse_tasks(const char *option, const char *arg, int32_t list[RECORD_TASKS_MAX], size_t *n)
{
	for (const char *p = arg; *p;) {
		char *end;
		long v = strtol(p, &end, 10);

		if (end == p || v <= 0 || v > INT32_MAX || (*end && *end != ',') || *n == RECORD_TASKS_MAX) {
			say_usage("%s: '%s' is not a list of numbers, at most %d", option, arg, RECORD_TASKS_MAX);
			return -SONDE_USAGE;
		}
		list[(*n)++] = (int32_t)v;
		p = *end ? end + 1 : end;
	}
	return 0;
}

int record_add_pids(const char *arg)
{
	if (*arg < '0' || *arg > '9') {
		say_usage("-p: '%s' is not a list of numbers; --ftrace --tracer %s names a tracer of the kernel", arg,
			  arg);
		return -SONDE_USAGE;
	}
	return parse_tasks("-p", arg, record_words.pids, &opts->target.nr_pids);
}

int record_add_tids(const char *arg)
{
	return parse_tasks("-t", arg, record_words.tids, &opts->target.nr_tids);
}

int record_set_clock(const char *arg)
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

	opts->clock = SONDE_CLOCK_ID;
	if (!strncasecmp(arg, "CLOCK_", 6))
		arg += 6;
	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcasecmp(arg, names[i].name)) {
			opts->clock_id = names[i].id;
			return 0;
		}
	v = strtol(arg, &end, 0);
	if (end == arg || *end || v < 0 || v > 63) {
		say_usage("-k: '%s' is not monotonic, monotonic_raw, realtime, boottime, tai or a number", arg);
		return -SONDE_USAGE;
	}
	opts->clock_id = (int32_t)v;
	return 0;
}

int record_set_max_stack(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!record_parse_size(arg, &v, &suffixed) || suffixed || !v || v > UINT16_MAX) {
		say_usage("--max-stack: '%s' is not a number of frames", arg);
		return -SONDE_USAGE;
	}
	opts->stack.max_stack = (uint16_t)v;
	return 0;
}

int record_set_realtime(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!record_parse_size(arg, &v, &suffixed) || suffixed || v > 99) {
		say_usage("-r: '%s' is not a priority from 0 to 99", arg);
		return -SONDE_USAGE;
	}
	opts->rings.realtime_priority = (uint32_t)v;
	record_words.normal_priority = v == 0;
	return 0;
}

int record_set_off_cpu_threshold(const char *arg)
{
	bool suffixed;
	uint64_t v;

	if (!record_parse_size(arg, &v, &suffixed) || suffixed || v > UINT64_MAX / 1000000) {
		say_usage("--off-cpu-thresh: '%s' is not a number of milliseconds", arg);
		return -SONDE_USAGE;
	}
	opts->off_cpu_threshold_ns = v ? v * 1000000 : 1;
	return 0;
}

int record_set_user(const char *arg)
{
	const struct passwd *user = getpwnam(arg);
	char *end;
	unsigned long uid = strtoul(arg, &end, 10);

	if (!user && (!*arg || *end || uid > UINT32_MAX)) {
		say_usage("--uid: there is no user '%s'", arg);
		return -SONDE_USAGE;
	}
	opts->target.of_user = true;
	opts->target.uid = user ? user->pw_uid : (uint32_t)uid;
	return 0;
}

bool record_is_level(const char *word)
{
	return *word && word[strspn(word, "0123456789")] == '\0';
}

int record_set_compression(const char *arg)
{
	unsigned long level = arg ? strtoul(arg, NULL, 10) : 1;

	if (arg && (!record_is_level(arg) || level < 1 || level > LEVEL_MAX)) {
		say_usage("-z: '%s' is not a level from 1 to %d", arg, LEVEL_MAX);
		return -SONDE_USAGE;
	}
	opts->file.compression_level = (uint32_t)level;
	return 0;
}

int record_set_aux_sample(const char *arg)
{
	uint64_t bytes = 4096;
	bool suffixed;

	if ((arg && !record_parse_size(arg, &bytes, &suffixed)) || !bytes || bytes > 60 << 10) {
		say_usage("--aux-sample: '%s' is not a size of at most 60K", arg);
		return -SONDE_USAGE;
	}
	opts->rings.aux_sample_bytes = (uint32_t)bytes;
	return 0;
}

int record_set_threads(const char *arg)
{
	struct sonde_error err;

	opts->file.readers = arg ? arg : "cpu";
	if (sonde_perf_recorder_check_readers(opts->file.readers, &err) == 0)
		return 0;
	say_usage("--threads: %s", err.text);
	return -SONDE_USAGE;
}

int record_set_affinity(const char *arg)
{
	static const char *const names[] = { "sys", "cpu", "node" };  /* by enum sonde_affinity */

	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcmp(arg, names[i])) {
			opts->rings.affinity = (enum sonde_affinity)i;
			return 0;
		}
	say_usage("--affinity: '%s' is not node, cpu or sys", arg);
	return -SONDE_USAGE;
}

int record_set_synth(const char *arg)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} names[] = {
		{ "no", SONDE_SYNTH_NONE }, { "task", SONDE_SYNTH_TASKS }, { "mmap", SONDE_SYNTH_MAPS },
		{ "cgroup", SONDE_SYNTH_CGROUPS },
		{ "all", SONDE_SYNTH_TASKS | SONDE_SYNTH_MAPS | SONDE_SYNTH_CGROUPS },
	};

	opts->side.synth = SONDE_SYNTH_NONE;
	for (const char *p = arg; *p;) {
		size_t len = strcspn(p, ","), i;

		for (i = 0; i < COUNT(names); i++)
			if (strlen(names[i].name) == len && !strncmp(p, names[i].name, len))
				break;
		if (i == COUNT(names)) {
			say_usage("--synth: '%s' is not all, no, or some of task, mmap and cgroup", arg);
			return -SONDE_USAGE;
		}
		opts->side.synth |= names[i].bits;
		p += len + (p[len] == ',');
	}
	return 0;
}

int record_set_branch_any(const char *arg)
{
	(void)arg;
	return branch_bits("-b", "any", &opts->fields.branch_sample_type);
}

int record_set_branch_filter(const char *arg)
{
	return branch_bits("-j", arg, &opts->fields.branch_sample_type);
}

/* "?" lists the registers, once all options have been read. */
static int set_registers(const char *option, const char *arg, uint64_t *out)
{
	record_words.list_registers |= arg && !strcmp(arg, "?");
	return record_words.list_registers ? 0 : register_bits(option, arg, out);
}

int record_set_user_regs(const char *arg)
{
	return set_registers("--user-regs", arg, &opts->fields.user_regs);
}

int record_set_intr_regs(const char *arg)
{
	return set_registers("--intr-regs", arg, &opts->fields.intr_regs);
}
