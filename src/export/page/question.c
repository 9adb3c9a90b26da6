/* SPDX-License-Identifier: MIT */
#include "export/page/question.h"

#include <string.h>

#include "base/bytes.h"

enum { OTHERS = -2 };

/* Takes a whole number up to @most; false: there is none. */
static bool take_number(const char **p, uint64_t most, uint64_t *value)
{
	const char *at = *p;

	*value = 0;
	for (; *at >= '0' && *at <= '9'; at++) {
		*value = *value * 10 + (uint64_t)(*at - '0');
		if (*value > most)
			return false;
	}
	if (at == *p)
		return false;
	*p = at;
	return true;
}

static bool take_signed(const char **p, int32_t *value)
{
	bool negative = **p == '-';
	uint64_t v;

	*p += negative;
	if (!take_number(p, (uint64_t)INT32_MAX + negative, &v))
		return false;
	*value = (int32_t)(negative ? -(int64_t)v : (int64_t)v);
	return true;
}

static bool take_char(const char **p, char c)
{
	bool is_next = **p == c;

	*p += is_next;
	return is_next;
}

static bool take_steps(const char **p, double *value)
{
	static const double units[] = { 1, 10, 100, 1000 };
	uint64_t whole, part = 0;
	const char *begin;

	if (!take_number(p, UINT64_C(1) << 40, &whole))
		return false;
	if (take_char(p, '.')) {
		begin = *p;
		if (!take_number(p, 999, &part) || *p - begin > 3)
			return false;
		*value = (double)whole + (double)part / units[*p - begin];
	} else {
		*value = (double)whole;
	}
	return true;
}

static bool take_task(const char **p, struct question_task *task)
{
	uint64_t machine;

	*task = (struct question_task){ .has_pid = true };
	if (!take_signed(p, &task->pid))
		return false;
	task->has_tid = take_char(p, '/');
	if (task->has_tid && !take_signed(p, &task->tid))
		return false;
	if (!take_char(p, '@'))
		return true;
	if (!take_number(p, UINT32_MAX, &machine))
		return false;
	task->machine = (uint32_t)machine;
	return true;
}

static bool take_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool ends(const char *p)
{
	return *p == '\0' || *p == '&';
}

static bool take_rows(const char **p, struct question *q)
{
	q->rows_of = take_word(p, "threads:") ? QUESTION_THREADS : take_word(p, "cpus:") ? QUESTION_CPUS : 0;
	if (q->rows_of == QUESTION_NO_ROWS)
		return false;
	for (q->nr_rows = 0; q->nr_rows < QUESTION_MOST_ROWS;) {
		uint32_t row = q->nr_rows++;

		q->cpus[row] = OTHERS;
		q->threads[row] = (struct question_task){ 0 };
		if (!ends(*p) && **p != ',' && !(q->rows_of == QUESTION_CPUS ? take_signed(p, &q->cpus[row]) :
									       take_task(p, &q->threads[row])))
			return false;
		if (!take_char(p, ','))
			return true;
	}
	return false;
}

/* Takes "NAME=VALUE". */
static bool take_part(const char **p, struct question *q)
{
	uint64_t v;

	if (take_word(p, "event=")) {
		if (!take_number(p, UINT32_MAX, &v))
			return false;
		q->event = (uint32_t)v;
		return true;
	}
	if (take_word(p, "columns=")) {
		if (!take_number(p, QUESTION_MOST_COLUMNS, &v))
			return false;
		q->columns = (uint32_t)v;
		return v > 0;
	}
	if (take_word(p, "from="))
		return take_steps(p, &q->from);
	if (take_word(p, "to=")) {
		q->has_range = true;
		return take_steps(p, &q->to);
	}
	if (take_word(p, "cpu="))
		return take_signed(p, &q->cpu);
	if (take_word(p, "task="))
		return take_task(p, &q->task);
	if (take_word(p, "idle=hide"))
		return q->hides_idle = true;
	if (take_word(p, "count=samples"))
		return q->counts_samples = true;
	return take_word(p, "rows=") && take_rows(p, q);
}

int question_parse(struct question *q, const char *text)
{
	static const char *const kinds[] = { "profile", "sums", "tracks", "samples" };
	size_t n = strcspn(text, "?"), kind = 0;

	*q = (struct question){ .cpu = -1 };
	while (kind < ARRAY_SIZE(kinds) && (strlen(kinds[kind]) != n || memcmp(text, kinds[kind], n) != 0))
		kind++;
	if (kind == ARRAY_SIZE(kinds))
		return -SONDE_USAGE;
	q->kind = (enum question_kind)kind;
	for (const char *p = text + n; *p;) {
		p++;    /* '?' or '&' */
		if (!take_part(&p, q) || !ends(p))
			return -SONDE_USAGE;
	}
	if (q->has_range && !(q->from < q->to))
		return -SONDE_USAGE;
	if (q->kind == QUESTION_TRACKS &&
	    (!q->has_range || !q->columns || (uint64_t)q->columns * (q->nr_rows + 1) > QUESTION_MOST_VALUES))
		return -SONDE_USAGE;
	return 0;
}
