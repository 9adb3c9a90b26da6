/* SPDX-License-Identifier: MIT */
#include "export/trace_report/event_choice.h"

#include <stdlib.h>

#include "base/bytes.h"

#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

int report_choice_init(struct report_choice *c, const struct sonde_script_opts *opts, struct sonde_error *err)
{
	const struct sonde_event_filter *filters = OPT(opts, filters, NULL);
	size_t n = OPT(opts, nr_filters, 0);
	int r = 0;

	*c = (struct report_choice){ .hidden_flags = (uint8_t)((OPT(opts, no_hardirq, false) ? FLAG_HARDIRQ : 0) |
							       (OPT(opts, no_softirq, false) ? FLAG_SOFTIRQ : 0)) };
	c->filters = calloc(n ? n : 1, sizeof(*c->filters));
	if (!c->filters)
		return err_nomem(err);
	for (; c->nr < n && r == 0; c->nr++) {
		struct report_filter *f = &c->filters[c->nr];
		struct sonde_error why = { .file_offset = SONDE_NONE };

		r = tracefmt_filter_new(&f->filter, filters[c->nr].text, &why);
		if (r < 0)
			err_set(err, why.code, SONDE_NONE, "filter '%.80s': %s", filters[c->nr].text, why.text);
		f->inverse = filters[c->nr].inverse;
		c->any_positive |= !f->inverse;
	}
	return r;
}

void report_choice_free(struct report_choice *c)
{
	for (size_t i = 0; i < c->nr; i++)
		tracefmt_filter_free(c->filters[i].filter);
	free(c->filters);
	u64map_free(&c->taken);
}

int report_choice_concern(const struct report_choice *c, const struct tracefmt_event *e, struct arena *arena,
			  struct report_concern *out)
{
	out->stack = strcmp(e->system, "ftrace") == 0 && strcmp(e->name, "kernel_stack") == 0;
	out->always = !c->hidden_flags && !c->any_positive;
	out->of = arena_calloc(arena, c->nr ? c->nr : 1, sizeof(*out->of));
	if (!out->of)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		out->of[i] = tracefmt_filter_names(c->filters[i].filter, e);
		out->always = out->always && !out->of[i];
	}
	return 0;
}

static bool is_about_any(const struct report_filter *f, const struct tracefmt *set)
{
	for (size_t i = 0; i < tracefmt_nr_events(set); i++)
		if (tracefmt_filter_names(f->filter, tracefmt_event_at(set, i)))
			return true;
	return false;
}

int report_choice_check(const struct report_choice *c, const struct tracefmt *const *sets, size_t nr,
			struct sonde_error *err)
{
	for (size_t i = 0; i < c->nr; i++) {
		bool found = false;

		for (size_t k = 0; k < nr && !found; k++)
			found = sets[k] && is_about_any(&c->filters[i], sets[k]);
		if (!found)
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "filter %zu is about no event of the trace: no event or system has the name "
				       "that it begins with",
				       i + 1);
	}
	return 0;
}

/* The verdict of the filters: 1 if one matches, 0 if none does, -1 if an inverse one does. */
static int ask_filters(const struct report_choice *c, const struct report_concern *concern,
		       const struct report_candidate *r)
{
	int found = 0;

	for (size_t i = 0; i < c->nr; i++) {
		if (!concern->of[i] || (found && !c->filters[i].inverse) ||
		    !tracefmt_filter_match(c->filters[i].filter, &r->record))
			continue;
		if (c->filters[i].inverse)
			return -1;
		found = 1;
	}
	return found;
}

int report_choice_takes(struct report_choice *c, const struct report_concern *concern, const struct report_candidate *r)
{
	uint64_t key = hash_two((uintptr_t)r->buffer, (uint32_t)r->record.cpu);
	int found = ask_filters(c, concern, r);

	if (!c->any_positive)
		found = found == 0;
	else if (found == 0 && concern->stack)
		found = u64map_get(&c->taken, key) == 1;
	if (found < 0 || (r->flags_at < r->record.raw.len && r->record.raw.p[r->flags_at] & c->hidden_flags))
		found = 0;
	if (c->any_positive && u64map_set(&c->taken, key, (uint32_t)found) < 0)
		return -SONDE_NOMEM;
	return found;
}
