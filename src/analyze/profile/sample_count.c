/* SPDX-License-Identifier: MIT */
#include "analyze/profile/sample_count.h"

#include "analyze/branches/branch_history.h"
#include "analyze/profile/cells.h"

struct late_counts *late_counts_of(struct gathering *p, uint32_t event)
{
	while (p->trace.late.n <= event)
		if (vec_push(&p->trace.late, ((struct late_counts){ 0 })) < 0)
			return NULL;
	return &p->trace.late.at[event];
}

int sample_leave_out(struct gathering *p, uint32_t event, uint64_t period, uint64_t latency)
{
	struct late_counts *late = late_counts_of(p, event);

	if (!late)
		return -SONDE_NOMEM;
	late->samples++;
	late->period += period;
	late->latency += latency;
	return 0;
}

/* Sets the detail of a cell if the address alone decides on it. 0 or -SONDE_NOMEM. */
static int find_detail(struct gathering *p, uint8_t cpumode, const struct frame_slot *found,
		       struct sonde_profile_cell *cell)
{
	struct sonde_profile_detail offset = { .code_moment = profile_code_moment(p, cpumode) };

	if (!(p->kept.by & SONDE_BY_SYMBOL_OFFSET) || profile_has_details(p))
		return 0;
	offset.symbol_offset = found->offset;
	cell->detail = details_number(&p->details, &offset);
	return cell->detail == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

/* The stack of a sample. @branches: that belong to it; NULL: none. HASH_INDEX_NONE when out of memory. */
static uint32_t find_stack(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
			   const struct branches *branches)
{
	uint64_t skip = branches ? branch_history_overlap(branches, chain) : 0;
	uint32_t stack = stacks_of_chain(&p->stacks, &p->frames, &s->roots, s->cpumode, chain, s->unwound, skip);

	return branches && stack != HASH_INDEX_NONE ?
		branch_history_push(&p->stacks, &p->frames, &s->roots, stack, branches) : stack;
}

/* The cell of a sample, HASH_INDEX_NONE if it is left out. 0 or -SONDE_NOMEM. */
static int find_cell(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
		     const struct branches *branches, uint32_t *number)
{
	struct sonde_profile_cell cell = { .event = s->event, .task = s->task, .cpu = s->cpu, .detail = s->detail };
	uint64_t ip = !s->ip && chain->nr ? u64s_at(chain, 0) : s->ip;  /* a trace.dat has stacks, and no address */
	maps_root root = task_roots_get(&s->roots, s->cpumode, ip);
	const struct frame_slot *found = frames_get(&p->frames, root, s->cpumode, ip, false);

	*number = HASH_INDEX_NONE;
	if (!found || find_detail(p, s->cpumode, found, &cell) < 0)
		return -SONDE_NOMEM;
	cell.frame = found->interrupted;
	if (p->wants.named_only && !frame_symbol(&p->frames.list.at[cell.frame]))
		return 0;
	if (p->kept.callchains) {
		cell.stack = find_stack(p, s, chain, branches);
		if (cell.stack == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	}
	*number = cells_find(p, &cell);
	return *number == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

int sample_cell(struct gathering *p, const struct profile_sample *s, uint32_t *cell)
{
	static const struct u64s no_chain;

	return find_cell(p, s, &no_chain, NULL, cell);
}

/* Adds a sample to the cell of find_cell(). 0 or -SONDE_NOMEM. */
static int add_to_cell(struct gathering *p, uint32_t cell, const struct profile_sample *s)
{
	if (cell == HASH_INDEX_NONE)
		return sample_leave_out(p, s->event, s->period, s->latency);
	cells_add(p, cell, s);
	return p->timed.on ? timed_samples_add(&p->timed, &(const struct sonde_profile_sample){
								.time = s->time, .period = s->period, .cell = cell,
								.cpu = s->ran_on < 0 ? UINT32_MAX :
										       (uint32_t)s->ran_on }) : 0;
}

int sample_count_in(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
		    struct cell_slot *slot)
{
	uint32_t cell = slot->cell;

	if (!cell_slot_is(slot, s, chain)) {
		if (find_cell(p, s, chain, NULL, &cell) < 0)
			return -SONDE_NOMEM;
		cell_slot_set(slot, s, chain, cell);
	}
	return add_to_cell(p, cell, s);
}

int sample_count_history(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
			 const struct branches *branches)
{
	uint32_t cell;

	return find_cell(p, s, chain, branches, &cell) < 0 ? -SONDE_NOMEM : add_to_cell(p, cell, s);
}

int sample_count(struct gathering *p, const struct profile_sample *s, const struct u64s *chain)
{
	struct cell_slot *slot = cell_memo_slot(&p->memo, s, chain);

	return slot ? sample_count_in(p, s, chain, slot) : -SONDE_NOMEM;
}
