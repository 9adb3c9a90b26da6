/* SPDX-License-Identifier: MIT */
#include "analyze/tables/profile.h"

#include <stdlib.h>

#include "analyze/tables/annotated_functions.h"

void profile_tables_free(struct sonde_profile *p)
{
	annotated_functions_drop(p);
	frames_free(&p->frames);
	stacks_free(&p->stacks);
	data_types_free(p->data_types);
	source_lines_free(p->lines);
	symbols_free(p->symbols);
	details_free(&p->details);
	basic_blocks_free(&p->blocks);
	code_changes_free(&p->code_changes);
	trace_fields_free(&p->trace_fields);
	timed_samples_free(&p->timed);
	tracks_free(&p->tracks);
	field_counts_free(&p->field_counts);
	u64map_free(&p->last_comms);
	strpool_free(&p->names);
	vec_free(&p->events);
	vec_free(&p->who);
	vec_free(&p->hosts);
	vec_free(&p->spans);
	vec_free(&p->cells);
	vec_free(&p->dso_names);
	vec_free(&p->kept.comms);
	vec_free(&p->ipc);
	vec_free(&p->inputs);
	vec_free(&p->found.block_rows);
	vec_free(&p->found.dso_notes);
	vec_free(&p->found.binaries);
	arena_free(&p->found.binary_texts);
	free(p->found.samples_of_binary);
}

uint64_t sonde_profile_wall_ns(const struct sonde_profile *p)
{
	struct times now = p->times;
	uint64_t wall = 0;

	for (size_t i = 0; i < p->spans.n; i++) {
		const struct times *span = &p->spans.at[i];

		if (now.first == SONDE_NONE || !times_overlap(span, &now)) {
			wall += span->last - span->first;
			continue;
		}
		times_note(&now, span->first);  /* spans are apart from each other: now grows into no other one */
		times_note(&now, span->last);
	}
	return now.first == SONDE_NONE ? wall : wall + now.last - now.first;
}

bool sonde_profile_has_branches(const struct sonde_profile *p)
{
	return p->kept.branches;
}

bool sonde_profile_has_latency(const struct sonde_profile *p)
{
	return p->parallelism.known;
}

bool sonde_profile_has_callchains(const struct sonde_profile *p)
{
	return p->kept.callchains;
}

const char *sonde_profile_unknown_field(const struct sonde_profile *p)
{
	return p->kept.by & SONDE_BY_TRACE_FIELDS ? trace_fields_unknown(&p->trace_fields) : NULL;
}

bool sonde_profile_fields_left_out(const struct sonde_profile *p, size_t i)
{
	const struct trace_columns *columns = i < p->events.n ? trace_fields_columns(&p->trace_fields, (uint32_t)i) :
								NULL;

	return columns && columns->left_out;
}

const char *profile_last_comm(const struct sonde_profile *p, const struct sonde_profile_task *task)
{
	uint32_t name = u64map_get(&p->last_comms, profile_thread_key(task->host, task->machine_pid, task->tid));

	return name == U64MAP_NONE || !task->tid ? task->comm : strpool_get(&p->names, name);
}

void profile_frame(const struct sonde_profile *p, size_t number, struct sonde_profile_frame *out)
{
	const struct frame *f = &p->frames.list.at[number];
	bool is_kernel = f->name && f->cpumode == CPUMODE_KERNEL;

	*out = (struct sonde_profile_frame){ .symbol = frame_symbol(f),
					     .dso_name = is_kernel ? "[kernel.kallsyms]" : "[unknown]",
					     .addr = f->addr,
					     .size = frame_size(f),
					     .mapping_size = f->mapping_size,
					     .kind = is_kernel ? SONDE_BINARY_KERNEL : SONDE_BINARY_OTHER,
					     .level = frame_level(f),
					     .inlined = f->inlined,
					     .file = f->file,
					     .line = f->line };
	if (!f->binary)
		return;
	out->dso = f->binary->name;
	out->dso_name = f->binary->index < p->dso_names.n ? p->dso_names.at[f->binary->index] : f->binary->name;
	out->kind = binary_public_kind(f->binary);
}
