/* SPDX-License-Identifier: MIT */
/* ksyms.c - "ffffffff81000000 T _text", or "ffffffffc0000000 t name\t[module]" */
#include "tracefmt/ksyms.h"

#include <string.h>

#include "base/sorted.h"
#include "base/str.h"

#define MAX_SYMBOLS (16u << 20)      /* ten times those of the largest kernels */

void ksyms_free(struct ksyms *s)
{
	vec_free(&s->at);
}

/* Absolute symbols are no addresses of functions, and names with a '$' mark kinds of instructions on ARM. */
static bool parse_line(struct sonde_str line, const char *text, struct ksym *out)
{
	size_t n = 0;

	if (!str_take_hex(&line, &out->address) || line.len < 4 || line.p[0] != ' ' || line.p[2] != ' ')
		return false;
	if ((line.p[1] | 0x20) == 'a' || line.p[3] == '$')
		return false;
	str_skip(&line, 3);
	while (n < line.len && (uint8_t)line.p[n] > ' ')
		n++;
	out->name = (uint32_t)(line.p - text);
	out->len = (uint32_t)n;
	return n > 0;
}

static void note_bounds(struct ksyms *s, const struct ksym *symbol)
{
	const char *name = s->text.p + symbol->name;

	if (symbol->len == 5 && !memcmp(name, "_text", 5))
		s->text_start = symbol->address;
	else if (symbol->len == 4 && !memcmp(name, "_end", 4))
		s->text_end = symbol->address;
}

static bool is_before(const struct ksym *a, const struct ksym *b)
{
	return a->address < b->address;
}

/* Runs that are in order are merged: the text is almost sorted. Of equal addresses, the first one of the
 * text stays in front. */
static void merge(struct ksym *to, const struct ksym *a, size_t na, const struct ksym *b, size_t nb)
{
	while (na && nb) {
		if (is_before(b, a)) {
			*to++ = *b++;
			nb--;
		} else {
			*to++ = *a++;
			na--;
		}
	}
	memcpy(to, na ? a : b, (na ? na : nb) * sizeof(*to));
}

static size_t run_length(const struct ksym *a, size_t n)
{
	size_t i = 1;

	while (i < n && !is_before(&a[i], &a[i - 1]))
		i++;
	return i < n ? i : n;
}

/* Merges neighbouring runs of @from into @to; how many runs are left. */
static size_t merge_runs(struct ksym *to, const struct ksym *from, size_t n)
{
	size_t at = 0, runs = 0, first, second;

	for (; at < n; at += first + second, runs++) {
		first = run_length(from + at, n - at);
		second = at + first < n ? run_length(from + at + first, n - at - first) : 0;
		merge(to + at, from + at, first, from + at + first, second);
	}
	return runs;
}

static int sort(struct ksyms *s)
{
	struct ksym *other = malloc(s->at.n * sizeof(*other) + 1), *from = s->at.at;
	size_t runs = s->at.n;

	if (!other)
		return -SONDE_NOMEM;
	while (runs > 1) {
		struct ksym *to = from == s->at.at ? other : s->at.at;

		runs = merge_runs(to, from, s->at.n);
		from = to;
	}
	if (from == other)
		memcpy(s->at.at, other, s->at.n * sizeof(*other));
	free(other);
	return 0;
}

/* An address with several names keeps the first one of the text. */
static void drop_doubles(struct ksyms *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->at.n; i++)
		if (kept == 0 || s->at.at[kept - 1].address != s->at.at[i].address)
			s->at.at[kept++] = s->at.at[i];
	s->at.n = kept;
}

int ksyms_parse(struct ksyms *s, struct sonde_str text)
{
	struct sonde_str rest = text;
	struct ksym symbol;

	s->text = text;
	while (rest.len && (size_t)(rest.p - text.p) < UINT32_MAX && s->at.n < MAX_SYMBOLS) {
		if (!parse_line(str_take(&rest, '\n'), text.p, &symbol))
			continue;
		note_bounds(s, &symbol);
		if (vec_push(&s->at, symbol) < 0)
			return -SONDE_NOMEM;
	}
	if (s->at.n && sort(s) < 0)
		return -SONDE_NOMEM;
	drop_doubles(s);
	return 0;
}

bool ksyms_find(const struct ksyms *s, uint64_t address, struct sonde_str *name, uint64_t *offset)
{
	size_t n = sorted_nr_at_most(s->at.at, s->at.n, address, address);
	const struct ksym *at;

	if (n == 0)
		return false;
	at = &s->at.at[n - 1];
	if (n == s->at.n && at->address != address)
		return false;
	*name = (struct sonde_str){ s->text.p + at->name, at->len };
	*offset = address - at->address;
	return true;
}
