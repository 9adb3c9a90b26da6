/* SPDX-License-Identifier: MIT */
/* profile.c - the tables of a profile, row by row */
#include <sonde/profile.h>

#include "analyze/needs/missing_symbols.h"
#include "analyze/needs/needed_binaries.h"
#include "analyze/profile/gathering.h"
#include "analyze/tables/annotated_functions.h"
#include "base/err.h"

/* A table of the profile: the number of rows, and the i-th row. */
#define TABLE(noun, list) \
	size_t sonde_profile_##noun##_count(const struct sonde_profile *p) \
	{ \
		return (list).n; \
	} \
	\
	const struct sonde_profile_##noun *sonde_profile_##noun##_at(const struct sonde_profile *p, size_t i) \
	{ \
		return i < (list).n ? &(list).at[i] : NULL; \
	}

TABLE(event, p->events)
TABLE(task, p->who)
TABLE(stack, p->stacks.list)
TABLE(cell, p->cells)
TABLE(sample, p->timed.list)
TABLE(detail, p->details.list)

const struct sonde_data_type *sonde_profile_data_type_at(const struct sonde_profile *p, size_t i)
{
	return p->data_types && i < UINT32_MAX ? data_types_at(p->data_types, (uint32_t)i) : NULL;
}

size_t sonde_profile_frame_count(const struct sonde_profile *p)
{
	return p->frames.list.n;
}

const struct sonde_profile_frame *sonde_profile_frame_at(struct sonde_profile *p, size_t i)
{
	if (i >= p->frames.list.n)
		return NULL;
	profile_frame(p, i, &p->found.frame);
	return &p->found.frame;
}

const struct sonde_profile_nameless *sonde_profile_nameless(struct sonde_profile *p)
{
	return profile_nameless(p, &p->found.nameless) ? &p->found.nameless : NULL;
}

int sonde_profile_find_binaries(struct sonde_profile *p, bool all)
{
	annotated_functions_drop(p);
	if (profile_binaries(p, all) == 0)
		return 0;
	p->out_of_memory = true;
	return err_nomem(&gathering_of(p)->err);
}

const struct sonde_profile_binary *sonde_profile_binary_at(const struct sonde_profile *p, size_t i)
{
	return i < p->found.binaries.n ? &p->found.binaries.at[i] : NULL;
}

const struct sonde_profile_dso_note *sonde_profile_dso_note_at(struct sonde_profile *p, size_t i)
{
	if (i == 0 && profile_dso_notes(p) < 0)
		return NULL;
	return i < p->found.dso_notes.n ? &p->found.dso_notes.at[i] : NULL;
}
