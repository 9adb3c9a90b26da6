/* SPDX-License-Identifier: MIT */
#include "import/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile_tasks.h"
#include "base/bytes.h"
#include "base/str.h"
#include "model/selection.h"

int import_bad(struct import *im, enum sonde_code code, uint64_t at, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	im->nr_bad++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(im->err, code, at, "%s", text);
}

static bool is_wanted(const struct import *im, const struct imported_sample *s)
{
	const struct sonde_query *q = im->query;
	const struct sonde_profile_task *task;

	if (!q->nr_pids && !q->nr_tids && !q->time_min && !q->time_max && !q->nr_times)
		return true;
	if (s->time < q->time_min || (q->time_max && s->time > q->time_max) ||
	    !selects_time(q->times, q->nr_times, s->time) || s->task == TASK_LEFT_OUT)
		return false;
	task = &im->profile->who.at[s->task];
	return selects_number(q->pids, q->nr_pids, task->pid) && selects_number(q->tids, q->nr_tids, task->tid);
}

int import_sample(struct import *im, const struct imported_sample *s, uint64_t at)
{
	int r = is_wanted(im, s) ? imported_sample(im->profile, s) : 0;

	if (r == -SONDE_CORRUPT) {
		import_bad(im, SONDE_CORRUPT, at, "the sum of weights is 2^64 or more: expected less");
		r = 0;
	}
	return r;
}

bool import_weight(struct import *im, double weight, double factor, uint64_t at, uint64_t *out)
{
	double v = round(weight * factor);

	if (v >= 0 && v < 0x1p63) {
		*out = (uint64_t)v;
		return true;
	}
	import_bad(im, SONDE_CORRUPT, at, "weight %g: expected a number from 0 to 2^63", weight);
	return false;
}

/* "0x3fb10" */
static bool is_address(struct sonde_str name, uint64_t *addr)
{
	if (name.len < 3 || name.len > 18 || !str_begins(name, "0x"))
		return false;
	str_skip(&name, 2);
	return str_take_hex(&name, addr) && name.len == 0;
}

uint32_t import_frame(struct import *im, struct named_frame *f)
{
	if (str_is(f->name, "[unknown]") || is_address(f->name, &f->addr))
		f->name.len = 0;
	return frames_add_named(&im->profile->frames, f);
}

/* Names in brackets are modules, except for these. */
static bool is_module(struct sonde_str name)
{
	static const char *const others[] = { "[vdso", "[heap]", "[stack", "[vsyscall]", "[vvar", "[anon", "[unknown]",
					      "[JIT]" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_begins(name, others[i]))
			return false;
	return str_begins(name, "[") || str_ends(name, ".ko") || str_ends(name, ".ko.gz") ||
	       str_ends(name, ".ko.xz") || str_ends(name, ".ko.zst");
}

bool import_take_id(struct sonde_str *comm, char before, int32_t *id)
{
	size_t n = comm->len;
	int64_t v = 0, place = 1;

	for (; n && comm->p[n - 1] >= '0' && comm->p[n - 1] <= '9' && place < INT32_MAX; n--, place *= 10)
		v += place * (comm->p[n - 1] - '0');
	if (n == comm->len || n < 2 || comm->p[n - 1] != before || v > INT32_MAX)
		return false;
	*id = (int32_t)v;
	comm->len = n - 1;
	return true;
}

/* The bytes of a build id in hexadecimal digits; 0: it is none. */
static uint8_t read_build_id(struct sonde_str text, uint8_t *id, size_t most)
{
	size_t n = text.len / 2;

	if (text.len % 2 || n > most)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct sonde_str digits = { text.p + 2 * i, 2 };
		uint64_t byte;

		if (!str_take_hex(&digits, &byte) || digits.len)
			return 0;
		id[i] = (uint8_t)byte;
	}
	return (uint8_t)n;
}

/* Code that a process made, by the name that the profile has for it: "/tmp/perf-12.map". */
static bool is_perf_map(struct sonde_str name, int32_t *pid)
{
	char text[32];
	int n = 0;

	if (name.len >= sizeof(text) || !str_begins(name, "/tmp/perf-"))
		return false;
	memcpy(text, name.p, name.len);
	text[name.len] = '\0';
	return sscanf(text, "/tmp/perf-%9" SCNd32 ".map%n", pid, &n) == 1 && (size_t)n == name.len;
}

const struct binary *import_binary(struct import *im, struct sonde_str name, struct sonde_str build_id)
{
	struct binary_hint hint = { .name = name, .kernel = is_module(name), .pid = -1 };
	uint8_t id[20];

	hint.build_id = id;
	hint.build_id_size = read_build_id(build_id, id, sizeof(id));
	if (is_perf_map(name, &hint.pid)) {
		hint.name = (struct sonde_str){ "//anon", 6 };
		hint.exec = true;
	}
	return binaries_intern(&im->profile->moment.tasks.binaries, &hint);
}

bool import_is_kernel(const struct binary *b)
{
	return b && (b->kind == BINARY_KERNEL || b->kind == BINARY_MODULE);
}
