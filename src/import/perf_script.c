/* SPDX-License-Identifier: MIT */
/*
 * perf_script.c - the text of `perf script`, of all versions and with other fields than the default ones (-F)
 *
 * A sample is a head and its frames up to an empty line or the next head. Its weight is the period, as in reports of
 * the recording; 1 where no period is printed, as flame graph tools count.
 */
#include "import/perf_script.h"

#include "analyze/profile/profile_tasks.h"
#include "base/str.h"
#include "import/path.h"
#include "import/perf_script_line.h"

enum { LINES_PROBED = 200, SHOWN = 60 };

struct perf_script {
	struct import *im;
	struct script_sample sample; /* the one at hand */
	uint64_t at;                 /* its place */
	bool open;                   /* there is one */
	VEC(struct script_frame) frames;  /* the innermost first */
	struct path path;
};

/* The next line, without its end. */
static struct sonde_str next_line(struct sonde_str *rest)
{
	struct sonde_str line = str_take(rest, '\n');

	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	return line;
}

static bool is_empty(struct sonde_str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t')
			return false;
	return true;
}

/* Heads of samples may begin with blanks too: names of tasks are aligned to the right. */
static bool is_indented(struct sonde_str line)
{
	return line.len && (line.p[0] == ' ' || line.p[0] == '\t');
}

static bool is_comment(struct sonde_str line)
{
	return str_begins(line, "#") || script_is_record(line);
}

/* ---- samples ---- */

static bool is_kernel_image(struct sonde_str dso)
{
	const char *slash = dso.len ? memrchr(dso.p, '/', dso.len) : NULL;
	struct sonde_str name = slash ? (struct sonde_str){ slash + 1, (size_t)(dso.p + dso.len - slash - 1) } : dso;

	return str_begins(name, "vmlinux") || str_is(dso, "[kernel]") || str_begins(dso, "[guest.kernel");
}

/* @outer: the binary of the frame around it; an inlined function is a part of it. */
static int push_frame(struct perf_script *s, const struct script_frame *f, const struct binary **outer)
{
	struct sonde_str dso = is_kernel_image(f->dso) ? (struct sonde_str){ "[kernel.kallsyms]", 17 } : f->dso;
	struct named_frame frame = { .name = f->name, .addr = f->name.len ? 0 : f->addr, .cpumode = CPUMODE_USER,
				     .inlined = f->inlined, .file = f->file, .line = f->line };

	if (dso.len) {
		*outer = import_binary(s->im, dso, (struct sonde_str){ "", 0 });
		if (!*outer)
			return -SONDE_NOMEM;
	} else if (!f->inlined) {
		*outer = NULL;
	}
	frame.binary = *outer;
	if (import_is_kernel(*outer) || (!*outer && f->addr >> 63))
		frame.cpumode = CPUMODE_KERNEL;
	return path_push(&s->path, s->im->profile, import_frame(s->im, &frame));
}

static bool is_clock(struct sonde_str event)
{
	struct sonde_str name = str_take(&event, ':');

	return str_is(name, "cpu-clock") || str_is(name, "task-clock");
}

static uint32_t add_event(struct perf_script *s)
{
	struct sonde_str name = s->sample.event;

	if (!name.len)
		name = (struct sonde_str){ "samples", 7 };
	return imported_event(s->im->profile, name, s->sample.has_period && is_clock(name));
}

static uint32_t add_task(struct perf_script *s)
{
	struct sonde_str comm = s->sample.comm;

	if (!comm.len)
		comm = (struct sonde_str){ "[unknown]", 9 };
	return profile_task_add(s->im->profile, comm, 0, s->sample.pid, s->sample.tid);
}

/* The sample at hand is complete. */
static int finish_sample(struct perf_script *s)
{
	const struct binary *outer = NULL;
	struct imported_sample out = { .samples = 1, .period = s->sample.period, .time = s->sample.time };
	int r = 0;

	if (!s->open)
		return 0;
	s->open = false;
	path_cut(&s->path, 0);
	for (size_t i = s->frames.n; i-- > 0 && r == 0;) {
		struct script_frame *f = &s->frames.at[i];

		/* perf 6.1 calls the function that has the code inlined too */
		f->inlined = f->inlined && i + 1 < s->frames.n && f[1].addr == f->addr;
		r = push_frame(s, f, &outer);
	}
	s->frames.n = 0;
	if (r < 0)
		return r;
	out.event = add_event(s);
	out.task = add_task(s);
	if (out.event == UINT32_MAX || out.task == NO_TASK || path_stack(&s->path, s->im->profile, &out.stack) < 0)
		return -SONDE_NOMEM;
	return import_sample(s->im, &out, s->at);
}

/* ---- lines ---- */

static int begin_sample(struct perf_script *s, const struct script_sample *sample, uint64_t at)
{
	int r = finish_sample(s);

	s->sample = *sample;
	s->at = at;
	s->open = true;
	return r == 0 && sample->has_frame ? vec_push(&s->frames, sample->frame) : r;
}

/* Other fields of a sample, as its registers and branches, stand in lines of their own. */
static int take_line(struct perf_script *s, struct sonde_str line, uint64_t at)
{
	struct script_sample sample;
	struct script_frame frame;

	if (is_empty(line))
		return finish_sample(s);
	if (is_comment(line))
		return 0;
	if (!(s->open && line.p[0] == '\t') && script_take_sample(line, &sample))   /* frames have tabs */
		return begin_sample(s, &sample, at);
	if (s->open && is_indented(line)) {
		if (script_take_frame(line, &frame))
			return vec_push(&s->frames, frame);
		if (s->frames.n)
			script_take_source(line, &s->frames.at[s->frames.n - 1]);
		return 0;
	}
	import_bad(s->im, SONDE_CORRUPT, at, "expected a sample or its frames, found '%.*s'",
		   (int)(line.len < SHOWN ? line.len : SHOWN), line.p);
	return 0;
}

static int read_perf_script(struct import *im)
{
	struct perf_script s = { .im = im };
	struct sonde_str rest = { im->text, im->size };
	int r = 0;

	while (r == 0 && rest.len) {
		uint64_t at = (uint64_t)(rest.p - im->text);

		r = take_line(&s, next_line(&rest), at);
	}
	if (r == 0)
		r = finish_sample(&s);
	path_free(&s.path);
	vec_free(&s.frames);
	return r;
}

/* Without call chains, each sample is a line. */
static bool has_chains(const char *text, size_t size)
{
	struct sonde_str rest = { text, size };
	struct script_sample sample;
	bool in_sample = false;

	while (rest.len) {
		struct sonde_str line = next_line(&rest);

		if (is_empty(line) || is_comment(line))
			continue;
		if (in_sample && line.p[0] == '\t')
			return true;
		if (script_take_sample(line, &sample))
			in_sample = !sample.has_frame;
		else if (in_sample && is_indented(line))
			return true;
	}
	return false;
}

/* A head with a time and an event, or one with a frame in or behind it. */
static bool is_perf_script(const char *text, size_t size, bool whole)
{
	struct sonde_str rest = { text, size };
	struct script_sample sample;
	struct script_frame frame;
	struct sonde_str line;

	(void)whole;
	for (size_t n = 0; n < LINES_PROBED && rest.len; n++) {
		line = next_line(&rest);
		if (is_empty(line) || is_comment(line))
			continue;
		if (memchr(line.p, '\0', line.len) || !script_take_sample(line, &sample))
			return false;
		if (sample.has_frame || (sample.event.len && sample.time != SONDE_NONE))
			return true;
		line = next_line(&rest);
		return is_indented(line) && script_take_frame(line, &frame);
	}
	return false;
}

const struct import_format import_perf_script = {
	.name = "perf script", .recognise = is_perf_script, .has_chains = has_chains, .read = read_perf_script,
	.has_times = true,
};
