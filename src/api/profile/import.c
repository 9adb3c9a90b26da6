/* SPDX-License-Identifier: MIT */
/* import.c - profiles that other tools wrote, in a profile */
#include <sonde/profile.h>

#include "analyze/profile/gathering.h"
#include "analyze/tables/annotated_functions.h"
#include "api/base/query.h"
#include "api/trace/trace.h"
#include "api/trace/unread_profile.h"
#include "base/err.h"
#include "base/opts.h"

const char *sonde_trace_profile_format(const struct sonde_trace *t)
{
	return t->profile ? t->profile->format->name : NULL;
}

/* Whether the profile tells what the query asks for. */
static int check_query(const struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *q)
{
	bool times = q->time_min || q->time_max || q->nr_times;

	if (q->nr_cpus)
		return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "a %s profile does not tell the CPUs of samples",
			       t->profile->format->name);
	if ((times || p->kept.by & SONDE_BY_TIME) && !t->profile->format->has_times)
		return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "a %s profile does not tell the times of samples",
			       t->profile->format->name);
	return 0;
}

static int import(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *q)
{
	struct import im = { .profile = gathering_of(p), .query = q, .path = t->path, .err = &t->err };
	const uint8_t *bytes;
	size_t n;
	int r = check_query(p, t, q);

	for (size_t i = 0; i < t->nr_files && r == 0; i++)
		r = vec_push(&p->inputs, t->files[i]);
	if (r == 0)
		r = unread_profile_bytes(t->profile, &bytes, &n, &t->err);
	if (r == 0)
		r = import_file(&im, t->profile->format, bytes, n);
	return profile_end_trace(gathering_of(p)) < 0 ? -SONDE_NOMEM : r;
}

int sonde_profile_import(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query)
{
	struct gathering *g = gathering_of(p);
	int r;

	t->err = g->refusal;
	r = -(int)g->refusal.code;
	if (r == 0)
		r = OPTS_CHECK(sonde_query, query, &t->err);
	if (r == 0 && !t->profile)
		r = err_set(&t->err, SONDE_USAGE, SONDE_NONE,
			    "this is not a profile that sonde_trace_open() recognised");
	if (r == 0) {
		const struct sonde_query q = query_of(query);

		r = import(p, t, &q);
	}
	if (r == -SONDE_NOMEM) {
		p->out_of_memory = true;
		err_nomem(&t->err);
	}
	g->err = t->err;
	annotated_functions_drop(p);
	return r;
}
