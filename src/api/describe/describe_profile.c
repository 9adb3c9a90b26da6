/* SPDX-License-Identifier: MIT */
#include "api/describe/describe_profile.h"

#include <inttypes.h>

#include "analyze/tables/profile.h"
#include "api/describe/describe.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "export/weights.h"

/* The rows of the tables of a profile. The stack 0 is empty. */
struct table_sizes {
	struct { const char *name; size_t n; } at[4];
};

static struct table_sizes sizes_of(const struct sonde_profile *p)
{
	return (struct table_sizes){ { { "threads", p->who.n }, { "functions", p->frames.list.n },
				       { "binaries", p->tasks->binaries.list.n },
				       { "stacks", p->stacks.list.n - 1 } } };
}

static const char *unit_of(const struct sonde_profile_event *e)
{
	return weight_is_ns(e) ? "ns" : "";
}

static void put_text(struct buf *out, const struct sonde_trace *t, const struct sonde_profile *p)
{
	const struct table_sizes sizes = sizes_of(p);

	buf_printf(out, "# format         : %s profile\n", sonde_trace_profile_format(t));
	for (size_t i = 0; i < p->events.n; i++) {
		const struct sonde_profile_event *e = &p->events.at[i];

		buf_str(out, "# event          : ");
		buf_text(out, e->name, strlen(e->name));
		buf_printf(out, ", %" PRIu64 " sample%s, period %" PRIu64 "%s%s\n", e->samples,
			   e->samples == 1 ? "" : "s", e->period, *unit_of(e) ? " " : "", unit_of(e));
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes.at); i++)
		buf_printf(out, "# %-14s : %zu\n", sizes.at[i].name, sizes.at[i].n);
	if (p->times.first == SONDE_NONE)
		buf_str(out, "# times          : none\n");
	else
		buf_printf(out, "# times          : from %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 "\n",
			   p->times.first / 1000000000, p->times.first % 1000000000, p->times.last / 1000000000,
			   p->times.last % 1000000000);
	buf_str(out, "#\n");
}

static void put_json(struct buf *out, const struct sonde_trace *t, const struct sonde_profile *p)
{
	const struct table_sizes sizes = sizes_of(p);
	struct json j = json_new(out);

	json_object(&j);
	json_member_u64(&j, "schema", INFO_JSON_SCHEMA);
	json_member_text(&j, "path", t->path);
	json_member_text(&j, "format", sonde_trace_profile_format(t));
	json_key(&j, "events");
	json_array(&j);
	for (size_t i = 0; i < p->events.n; i++) {
		json_object(&j);
		json_member_text(&j, "name", p->events.at[i].name);
		json_member_u64(&j, "samples", p->events.at[i].samples);
		json_member_u64(&j, "period", p->events.at[i].period);
		json_member_text(&j, "unit", unit_of(&p->events.at[i]));
		json_end(&j);
	}
	json_end(&j);
	for (size_t i = 0; i < ARRAY_SIZE(sizes.at); i++)
		json_member_u64(&j, sizes.at[i].name, sizes.at[i].n);
	json_key(&j, "time");
	json_object(&j);
	describe_u64(&j, "min_ns", p->times.first);
	describe_u64(&j, "max_ns", p->times.last);
	json_end(&j);
	json_end(&j);
	buf_char(out, '\n');
}

int describe_profile(struct sonde_trace *t, struct buf *out, bool json, struct sonde_error *err)
{
	const struct sonde_symbols_opts nowhere = { .sz = sizeof(nowhere), .symfs = "/dev/null" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &nowhere, .mode = SONDE_PROFILE_STACKS,
						 .inlined = true };
	struct sonde_profile *p = sonde_profile_new(&opts);
	int r;

	if (!p)
		return err_nomem(err);
	r = sonde_profile_import(p, t, NULL);
	if (r < 0)
		*err = *sonde_trace_error(t);
	if (r != -SONDE_NOMEM)
		(json ? put_json : put_text)(out, t, p);
	sonde_profile_free(p);
	return r;
}
