/* SPDX-License-Identifier: MIT */
#include "cli/code/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take_row(struct code_row *to, const struct sonde_annotation_row *from)
{
	*to = (struct code_row){ .text = strdup(from->text ? from->text : ""), .kind = from->kind, .flow = from->flow,
				 .addr = from->addr, .samples = from->samples, .period = from->period,
				 .percent = from->nr_percent ? from->percent[0] : 0, .target = from->target,
				 .line = from->line, .cycles = from->cycles, .ipc = from->ipc };
	if (from->callee)
		to->callee = strdup(from->callee);
	return to->text && (to->callee || !from->callee) ? 0 : -SONDE_NOMEM;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static int take_info(struct code *code, const struct sonde_annotation *a)
{
	const struct sonde_annotation_info *info = sonde_annotation_info(a);

	code->symbol = copy(info->symbol);
	code->dso = copy(info->dso);
	code->dso_name = copy(info->dso_name);
	code->file = copy(info->source);
	code->note = copy(sonde_annotation_note_at(a, 0));
	code->start = info->start;
	code->samples = info->samples;
	code->share = info->share;
	code->has_cycles = info->has_cycles;
	return code->symbol && code->dso && code->dso_name && code->file && code->note ? 0 : -SONDE_NOMEM;
}

static int take_rows(struct code *code, const struct sonde_annotation *a)
{
	struct sonde_annotation_row row = { .sz = sizeof(row) };
	int r = 0;

	code->rows = calloc(sonde_annotation_rows(a) + 1, sizeof(*code->rows));
	if (!code->rows)
		return -SONDE_NOMEM;
	for (size_t i = 0; r == 0 && sonde_annotation_row(a, i, &row); i++) {
		r = take_row(&code->rows[i], &row);
		code->nr_rows = i + 1;
	}
	return r;
}

int code_take(struct code *code, const struct code_source *source, const struct sonde_annotate_opts *opts, char *why,
	      size_t size)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_annotation *a;
	int r = 0;

	*code = (struct code){ 0 };
	if (source->lock) {
		pthread_mutex_lock(source->lock);
		r = sonde_profile_settle(source->profile);
	}
	a = r == 0 ? sonde_annotate(source->profile, opts, &err) : NULL;
	if (!a) {
		if (err.code == SONDE_MISSING && opts->symbol)
			snprintf(why, size, "no sample is in %s itself", opts->symbol);
		else
			snprintf(why, size, "%s", err.text);
		r = r < 0 || err.code == SONDE_NOMEM ? -SONDE_NOMEM : -SONDE_UNSUPPORTED;
	}
	if (r == 0)
		r = take_info(code, a);
	if (r == 0)
		r = take_rows(code, a);
	sonde_annotation_free(a);
	if (source->lock)
		pthread_mutex_unlock(source->lock);
	return r;
}

size_t code_hottest(const struct code *code)
{
	size_t best = 0;

	for (size_t i = 0; i < code->nr_rows; i++)
		if (code->rows[i].samples > code->rows[best].samples)
			best = i;
	return best;
}

/* Whether row @a comes before row @b in the order of heat. */
static bool is_hotter(const struct code *code, size_t a, size_t b)
{
	uint64_t x = code->rows[a].samples, y = code->rows[b].samples;

	return x > y || (x == y && a < b);
}

size_t code_next_hot(const struct code *code, size_t from, bool back)
{
	size_t best = from;

	for (size_t i = 0; i < code->nr_rows; i++) {
		bool beyond = back ? is_hotter(code, i, from) : is_hotter(code, from, i);

		if (!code->rows[i].samples || !beyond || i == from)
			continue;
		if (best == from || (back ? is_hotter(code, best, i) : is_hotter(code, i, best)))
			best = i;
	}
	return best;
}

void code_free(struct code *code)
{
	for (size_t i = 0; i < code->nr_rows; i++) {
		free(code->rows[i].text);
		free(code->rows[i].callee);
	}
	free(code->rows);
	free(code->symbol);
	free(code->dso);
	free(code->dso_name);
	free(code->file);
	free(code->note);
	*code = (struct code){ 0 };
}
