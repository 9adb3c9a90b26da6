/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation.h"

#include <stdlib.h>

#include "analyze/annotate/annotation_branches.h"
#include "analyze/annotate/annotation_changes.h"
#include "analyze/annotate/annotation_cycles.h"
#include "analyze/annotate/annotation_rows.h"
#include "symbol/load.h"

/* Where the function begins and ends, as mapping_to_binary() gives addresses. */
static uint64_t find_extent(struct sonde_annotation *a)
{
	const struct annotated_function *f = &a->counts.function;
	const struct bpf_function *bpf;

	if (f->table) {
		a->start = symtab_start(f->table, f->symbol);
		return symtab_end(f->table, f->symbol);
	}
	a->start = f->binary->ref_addr;
	bpf = bpf_code_find(&a->profile->symbols->bpf_code, a->start);
	return a->start + (bpf ? bpf->size : 0);
}

static int note_code(struct sonde_annotation *a, uint64_t size)
{
	const struct code_bytes *c = &a->code;

	if (c->note.n && annotation_notes_add(&a->notes, "%.*s", (int)c->note.n, c->note.p) < 0)
		return -SONDE_NOMEM;
	if (size > c->size)
		return annotation_notes_add(&a->notes, "the function has %llu bytes: the first %zu are shown",
				       (unsigned long long)size, c->size);
	return 0;
}

static int find_code(struct sonde_annotation *a, struct sonde_error *err)
{
	const struct annotated_function *f = &a->counts.function;
	uint64_t end = find_extent(a);
	struct sonde_error why = { .file_offset = SONDE_NONE };
	int r = code_bytes_find(&a->code, a->profile->symbols, f->binary, a->start, end, a->profile->arch,
				&why);

	if (r == -SONDE_MISSING)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "cannot annotate %s: %s", annotated_function_name(f),
			       why.text);
	if (r < 0)
		return r;
	a->info.size = end - a->start;
	return note_code(a, a->info.size);
}

/* The lines of the profile, which are opened when somebody asks for them. */
static int open_lines(struct sonde_profile *p)
{
	if (!p->lines)
		p->lines = source_lines_new(p->symbols);
	return p->lines ? 0 : -SONDE_NOMEM;
}

static int describe(struct sonde_annotation *a)
{
	const struct annotated_function *f = &a->counts.function;
	const struct sonde_profile_event *event = &a->profile->events.at[a->counts.events.at[0]];
	size_t nr = a->counts.events.n;

	buf_char(&a->code.source, '\0');
	a->percent = calloc(nr, sizeof(*a->percent));
	a->none = calloc(nr, sizeof(*a->none));
	if (!a->percent || !a->none || a->code.source.failed)
		return -SONDE_NOMEM;
	a->info.symbol = annotated_function_name(f);
	a->info.dso = f->binary->name;
	a->info.dso_name = annotated_dso_name(a->profile, f->binary);
	a->info.source = a->code.source.p;
	a->info.machine = machine_name(a->code.code.machine, a->machine);
	a->info.start = a->code.addr;
	a->info.nr_events = nr;
	a->info.samples = a->counts.totals.at[0].samples;
	a->info.period = a->counts.totals.at[0].period;
	if (event->period)
		a->info.share = 100.0 * (double)a->info.period / (double)event->period;
	return 0;
}

int annotation_make(struct sonde_annotation *a, struct sonde_profile *p, const struct sonde_annotate_opts *opts,
		    struct sonde_error *err)
{
	int r;

	*a = (struct sonde_annotation){ .opts = *opts, .profile = p, .texts = BUF_MEMORY };
	a->sources.opts = &a->opts;
	a->sources.symbols = p->symbols;
	r = annotation_counts_make(&a->counts, p, opts, err);
	if (r == 0)
		r = find_code(a, err);
	if (r == 0)
		r = annotation_changes_apply(a);
	if (r == 0)
		r = open_lines(p);
	a->sources.lines = p->lines;
	a->sources.binary = a->counts.function.binary;
	if (r == 0)
		r = annotation_rows_make(a, err);
	if (r == 0)
		r = annotation_cycles_make(a);
	if (r == 0)
		r = annotation_branches_make(a);
	return r < 0 ? r : describe(a);
}

void annotation_free(struct sonde_annotation *a)
{
	annotation_counts_free(&a->counts);
	code_bytes_free(&a->code);
	vec_free(&a->rows);
	vec_free(&a->row_counts);
	buf_free(&a->texts);
	strpool_free(&a->files);
	source_texts_free(&a->sources);
	annotation_notes_free(&a->notes);
	free(a->cycles);
	free(a->branches);
	free(a->percent);
	free(a->none);
}

static double percent_of(const struct sonde_annotation *a, size_t event, const struct sonde_annotation_count *c)
{
	const struct sonde_profile_event *all = &a->profile->events.at[a->counts.events.at[event]];
	const struct sonde_annotation_count *own = &a->counts.totals.at[event];
	uint64_t part, whole;

	switch (a->opts.percent) {
	case SONDE_PERCENT_LOCAL_HITS:
		part = c->samples;
		whole = own->samples;
		break;
	case SONDE_PERCENT_GLOBAL_HITS:
		part = c->samples;
		whole = all->samples;
		break;
	case SONDE_PERCENT_GLOBAL_PERIOD:
		part = c->period;
		whole = all->period;
		break;
	default:
		part = c->period;
		whole = own->period;
	}
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

bool annotation_view(const struct sonde_annotation *a, size_t i, struct sonde_annotation_row *row)
{
	struct sonde_annotation_row out = { .sz = sizeof(out) };
	const struct annotation_row *from;

	if (i >= a->rows.n)
		return false;
	from = &a->rows.at[i];
	out.kind = from->kind;
	out.addr = from->addr;
	out.text = a->texts.p + from->text;
	out.flow = from->flow;
	out.target = from->target == NO_ANNOTATION_ROW ? SONDE_NO_ROW : from->target;
	out.is_target = from->is_target;
	out.target_at = from->target_at;
	if (from->callee != SYMTAB_NONE) {
		out.callee = symtab_name(a->counts.function.table, from->callee);
		out.callee_offset = from->callee_offset;
	}
	out.file = from->file ? strpool_get(&a->files, from->file) : NULL;
	out.line = from->line;
	if (from->kind == SONDE_ANNOTATION_INSN) {
		out.bytes = a->code.bytes + (from->addr - a->code.addr);
		out.size = from->size;
		out.counts = from->counts ? a->row_counts.at + from->counts : a->none;
		out.samples = out.counts[0].samples;
		out.period = out.counts[0].period;
		out.percent = a->percent;
		out.nr_percent = a->counts.events.n;
		for (size_t k = 0; k < out.nr_percent; k++)
			a->percent[k] = percent_of(a, k, &out.counts[k]);
	}
	if (a->cycles) {
		out.cycles = a->cycles[i].average;
		out.min_cycles = a->cycles[i].min;
		out.max_cycles = a->cycles[i].max;
		out.ipc = a->cycles[i].ipc;
	}
	if (a->branches) {
		out.joined = a->branches[i].joined;
		out.left = a->branches[i].left;
		out.predicted = a->branches[i].predicted;
	}
	*row = out;
	return true;
}
