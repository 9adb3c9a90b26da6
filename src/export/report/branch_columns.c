/* SPDX-License-Identifier: MIT */
/* A row of a profile of branches is the function where they end; where they begin is a detail. */
#include "export/report/branch_columns.h"

#include <string.h>

#include "analyze/annotate/function_ipc.h"
#include "base/bytes.h"
#include "export/report/column_rows.h"
#include "export/report/functions.h"

static uint64_t source_of_detail(const struct sonde_profile_detail *d)
{
	return d->source;
}

/* The function where a branch begins, and 1; 0: none is known. */
static uint32_t source_of(const struct sonde_profile *p, const struct hist_entry *row)
{
	return (uint32_t)detail_of(p, cell_of(p, row))->source;
}

static uint32_t target_of(const struct sonde_profile *p, const struct hist_entry *row)
{
	UNUSED(p);
	return row->frame + 1;
}

/* JSON: "from_symbol", "from_addr" of a function without name */
static void put_symbol_member(struct json *j, const struct sonde_profile *p, uint32_t frame, const char *name,
			      const char *address)
{
	struct sonde_profile_frame f;

	if (!frame)
		return;
	profile_frame(p, frame - 1, &f);
	json_member_text(j, name, f.symbol);
	if (!f.symbol) {
		json_key(j, address);
		json_hex(j, f.addr);
	}
}

static void put_dso_member(struct json *j, const struct sonde_profile *p, uint32_t frame, const char *name)
{
	struct sonde_profile_frame f = { 0 };

	if (frame)
		profile_frame(p, frame - 1, &f);
	json_member_text(j, name, f.dso);
}

static const char *srcline_of(const struct sonde_profile *p, uint32_t frame)
{
	const char *srcline = frame ? p->frames.list.at[frame - 1].srcline : NULL;

	return srcline ? srcline : "";
}

/* "[.] main+0x12"; an address in no function as in the column of symbols */
static void put_address(struct buf *b, const struct sonde_profile *p, uint32_t frame, uint64_t offset)
{
	if (!frame)
		return;
	function_put_symbol(b, p, frame - 1);
	if (frame_symbol(&p->frames.list.at[frame - 1]))
		buf_printf(b, "+0x%llx", (unsigned long long)offset);
}

static int order_of(const struct sonde_profile *p, uint32_t a, uint32_t b,
		    int (*order)(const struct sonde_profile *p, uint32_t a, uint32_t b))
{
	return a && b ? order(p, a - 1, b - 1) : ORDER(!a, !b);
}

static void put_end(struct buf *b, const struct sonde_profile *p, uint32_t frame,
		    void (*put)(struct buf *b, const struct sonde_profile *p, uint32_t frame))
{
	if (frame)
		put(b, p, frame - 1);
}

/* ---- where a branch begins ---- */

static int symbol_from_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			     const struct hist_entry *b)
{
	UNUSED(o);
	return order_of(p, source_of(p, a), source_of(p, b), function_order_symbols);
}

static void symbol_from_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_end(b, t->x->profile, source_of(t->x->profile, row), function_put_symbol);
}

static void symbol_from_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_symbol_member(j, t->x->profile, source_of(t->x->profile, row), "from_symbol", "from_addr");
}

static int dso_from_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	UNUSED(o);
	return order_of(p, source_of(p, a), source_of(p, b), function_order_dsos);
}

static void dso_from_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_end(b, t->x->profile, source_of(t->x->profile, row), function_put_dso);
}

static void dso_from_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_dso_member(j, t->x->profile, source_of(t->x->profile, row), "from_dso");
}

static int srcline_from_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			      const struct hist_entry *b)
{
	UNUSED(o);
	return strcmp(srcline_of(p, source_of(p, a)), srcline_of(p, source_of(p, b)));
}

static void srcline_from_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *srcline = srcline_of(t->x->profile, source_of(t->x->profile, row));

	buf_text(b, srcline, strlen(srcline));
}

static void srcline_from_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "from_line", srcline_of(t->x->profile, source_of(t->x->profile, row)));
}

static uint64_t offset_of_source(const struct sonde_profile *p, const struct hist_entry *row)
{
	return detail_of(p, cell_of(p, row))->source_offset;
}

static int addr_from_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	int r = symbol_from_first(o, p, a, b);

	return r ? r : ORDER(offset_of_source(p, a), offset_of_source(p, b));
}

static void addr_from_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_address(b, t->x->profile, source_of(t->x->profile, row), offset_of_source(t->x->profile, row));
}

static void addr_from_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	symbol_from_json(j, t, row);
	json_member_u64(j, "from_offset", offset_of_source(t->x->profile, row));
}

/* ---- where it ends ---- */

static int symbol_to_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	UNUSED(o);
	return order_of(p, target_of(p, a), target_of(p, b), function_order_symbols);
}

static void symbol_to_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_end(b, t->x->profile, target_of(t->x->profile, row), function_put_symbol);
}

static void symbol_to_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_symbol_member(j, t->x->profile, target_of(t->x->profile, row), "to_symbol", "to_addr");
}

static int dso_to_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			const struct hist_entry *b)
{
	UNUSED(o);
	return order_of(p, target_of(p, a), target_of(p, b), function_order_dsos);
}

static void dso_to_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_end(b, t->x->profile, target_of(t->x->profile, row), function_put_dso);
}

static void dso_to_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_dso_member(j, t->x->profile, target_of(t->x->profile, row), "to_dso");
}

static int srcline_to_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			    const struct hist_entry *b)
{
	UNUSED(o);
	return strcmp(srcline_of(p, target_of(p, a)), srcline_of(p, target_of(p, b)));
}

static void srcline_to_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *srcline = srcline_of(t->x->profile, target_of(t->x->profile, row));

	buf_text(b, srcline, strlen(srcline));
}

static void srcline_to_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "to_line", srcline_of(t->x->profile, target_of(t->x->profile, row)));
}

static uint64_t offset_of_target(const struct sonde_profile *p, const struct hist_entry *row)
{
	return detail_of(p, cell_of(p, row))->symbol_offset;
}

static int addr_to_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	int r = symbol_to_first(o, p, a, b);

	return r ? r : ORDER(offset_of_target(p, a), offset_of_target(p, b));
}

static void addr_to_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_address(b, t->x->profile, target_of(t->x->profile, row), offset_of_target(t->x->profile, row));
}

static void addr_to_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	symbol_to_json(j, t, row);
	json_member_u64(j, "to_offset", offset_of_target(t->x->profile, row));
}

static uint64_t addr_from_of(const struct hists_opts *o, const struct sonde_profile *p,
			     const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return hash_two(detail_of(p, c)->source, detail_of(p, c)->source_offset);
}

static uint64_t addr_to_of(const struct hists_opts *o, const struct sonde_profile *p,
			   const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return detail_of(p, c)->symbol_offset;
}

/* A key that is a part of the flags, and its text. */
#define FLAG(name, value, text) \
	NUMBER_OF_SAMPLE(name, uint64_t, value(detail_of(p, c)->branch_flags)) \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		buf_str(b, text(name##_of_row(t->x->profile, row))); \
	}

static uint64_t prediction(uint64_t flags)
{
	return flags & BRANCH_PREDICTED ? BRANCH_PREDICTED : flags & BRANCH_MISPREDICTED;
}

static const char *prediction_text(uint64_t value)
{
	return value == BRANCH_PREDICTED ? "N" : value == BRANCH_MISPREDICTED ? "Y" : "N/A";
}

static uint64_t in_transaction(uint64_t flags)
{
	return flags & BRANCH_IN_TRANSACTION;
}

static const char *in_transaction_text(uint64_t value)
{
	return value ? "T" : ".";
}

static uint64_t aborted(uint64_t flags)
{
	return flags & BRANCH_ABORTED;
}

static const char *aborted_text(uint64_t value)
{
	return value ? "A" : ".";
}

FLAG(mispredict, prediction, prediction_text)
FLAG(in_tx, in_transaction, in_transaction_text)
FLAG(abort, aborted, aborted_text)

static void mispredict_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	uint64_t value = mispredict_of_row(t->x->profile, row);

	json_key(j, "mispredicted");
	if (value)
		json_bool(j, value == BRANCH_MISPREDICTED);
	else
		json_null(j);
}

static void in_tx_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "in_transaction"), json_bool(j, in_tx_of_row(t->x->profile, row) != 0);
}

static void abort_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "aborted"), json_bool(j, abort_of_row(t->x->profile, row) != 0);
}

NUMBER_OF_SAMPLE(cycles, uint64_t, branch_cycles(detail_of(p, c)->branch_flags))

static void cycles_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "cycles", cycles_of_row(t->x->profile, row));
}

static void cycles_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	uint64_t cycles = cycles_of_row(t->x->profile, row);

	if (cycles)
		buf_u64(b, cycles);
	else
		buf_char(b, '-');
}

/*
 * perf adds one of these columns after each list of keys with the word "symbol": of branches the IPC of the function
 * where they end, of others an empty one. They tell no rows apart.
 */
static uint64_t ipc_of(const struct hists_opts *o, const struct sonde_profile *p,
		       const struct sonde_profile_cell *c)
{
	UNUSED(o), UNUSED(p), UNUSED(c);
	return 0;
}

static int ipc_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
		     const struct hist_entry *b)
{
	UNUSED(o), UNUSED(p), UNUSED(a), UNUSED(b);
	return 0;
}

static void ipc_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct frame *f = &t->x->profile->frames.list.at[row->frame];
	struct function_ipc ipc = function_ipc_of(t->x->profile, f);

	if (frame_symbol(f))
		buf_printf(b, "%-5.2f [%5.1f%%]", ipc.ipc, ipc.coverage);
	else
		buf_char(b, '-');
}

static void ipc_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	struct function_ipc ipc = function_ipc_of(t->x->profile, &t->x->profile->frames.list.at[row->frame]);

	json_key(j, "ipc"), json_double(j, ipc.ipc);
	json_key(j, "ipc_coverage"), json_double(j, ipc.coverage);
}

/* The branches in the stacks of a row; NULL: none. */
static const struct branch_sums *branches_of(const struct report_table *t, const struct hist_entry *row)
{
	return row->branches && t->hists.row_branches.at[row->branches - 1].ends ?
		&t->hists.row_branches.at[row->branches - 1] : NULL;
}

static void history_predicted_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	buf_printf(b, "%.1f%%", s ? 100.0 * (double)s->predicted / (double)s->ends : 0.0);
}

static void history_abort_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	buf_u64(b, s ? s->aborted : 0);
}

static void history_cycles_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	buf_u64(b, s ? s->cycles / s->ends : 0);
}

static void history_predicted_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	json_key(j, "callchain_branch_predicted");
	json_double(j, s ? 100.0 * (double)s->predicted / (double)s->ends : 0.0);
}

static void history_abort_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	json_member_u64(j, "callchain_branch_abort", s ? s->aborted : 0);
}

static void history_cycles_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct branch_sums *s = branches_of(t, row);

	json_member_u64(j, "callchain_branch_cycles", s ? s->cycles / s->ends : 0);
}

static void ipc_null_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t), UNUSED(row);
	buf_str(b, "-      -");
}

#define LINE (SONDE_BY_BRANCH | SONDE_BY_SRCLINE)
#define ADDRESS (SONDE_BY_BRANCH | SONDE_BY_SYMBOL_OFFSET)
#define BLOCKS (SONDE_BY_BRANCH | SONDE_BY_BLOCKS)

static const struct column_type columns[] = {
	{ WORDS("the binary where the branch begins", "dso_from", NULL, SONDE_BY_BRANCH),
	  .title = "Source Shared Object", .key = { .of_frame = function_dso_of, .other_frame = source_of_detail },
	  .order = dso_from_first, .put = dso_from_put, .put_json = dso_from_json },
	{ WORDS("the binary where it ends", "dso_to", NULL, SONDE_BY_BRANCH),
	  .title = "Target Shared Object", .key.of_frame = function_dso_of,
	  .order = dso_to_first, .put = dso_to_put, .put_json = dso_to_json },
	{ WORDS("the function where the branch begins", "symbol_from", NULL, SONDE_BY_BRANCH),
	  .title = "Source Symbol", .key = { .of_frame = function_symbol_of, .other_frame = source_of_detail },
	  .order = symbol_from_first, .put = symbol_from_put, .put_json = symbol_from_json },
	{ WORDS("the function where it ends", "symbol_to", NULL, SONDE_BY_BRANCH),
	  .title = "Target Symbol", .key.of_frame = function_symbol_of,
	  .order = symbol_to_first, .put = symbol_to_put, .put_json = symbol_to_json },
	{ WORDS("the address where the branch begins", "addr_from", NULL, ADDRESS),
	  .title = "Source Address",
	  .key.of_cell = addr_from_of, .order = addr_from_first, .put = addr_from_put, .put_json = addr_from_json },
	{ WORDS("the address where it ends", "addr_to", NULL, ADDRESS),
	  .title = "Target Address", .key = { addr_to_of, function_symbol_of },
	  .order = addr_to_first, .put = addr_to_put, .put_json = addr_to_json },
	{ WORDS("the source line where the branch begins", "srcline_from", NULL, LINE),
	  .title = "From Source:Line", .key = { .of_frame = function_srcline_of, .other_frame = source_of_detail },
	  .order = srcline_from_first, .put = srcline_from_put, .put_json = srcline_from_json },
	{ WORDS("the source line where it ends", "srcline_to", NULL, LINE), .title = "To Source:Line",
	  .key.of_frame = function_srcline_of,
	  .order = srcline_to_first, .put = srcline_to_put, .put_json = srcline_to_json },
	{ WORDS("whether the branch was mispredicted: Y, N or N/A", "mispredict", NULL, SONDE_BY_BRANCH),
	  .title = "Branch Mispredicted",
	  .key.of_cell = mispredict_of, .order = mispredict_first, .put = mispredict_put, .put_json = mispredict_json },
	{ WORDS("whether the branch aborted a transaction: A", "abort", NULL, SONDE_BY_BRANCH),
	  .title = "Transaction abort",
	  .key.of_cell = abort_of, .order = abort_first, .put = abort_put, .put_json = abort_json },
	{ WORDS("whether the branch was in a transaction: T", "in_tx", NULL, SONDE_BY_BRANCH),
	  .title = "Branch in transaction",
	  .key.of_cell = in_tx_of, .order = in_tx_first, .put = in_tx_put, .put_json = in_tx_json },
	{ WORDS("the cycles since the branch before", "cycles", NULL, SONDE_BY_BRANCH),
	  .title = "Basic Block Cycles",
	  .key.of_cell = cycles_of, .order = cycles_first, .put = cycles_put, .put_json = cycles_json },
	{ WORDS("instructions per cycle of the function where the branch ends", "ipc_lbr", NULL, BLOCKS),
	  .title = "IPC   [IPC Coverage]", .key.of_cell = ipc_of,
	  .order = ipc_first, .put = ipc_put, .put_json = ipc_json },
	{ WORDS("ipc_lbr in a report without branches; empty", "ipc_null"),
	  .title = "IPC   [IPC Coverage]", .key.of_cell = ipc_of, .order = ipc_first,
	  .put = ipc_null_put },
	/* of --branch-history: as ipc, these tell no rows apart */
	{ WORDS("the share of predicted branches in the stacks; each end of a branch counts, so 50% is the most",
		"callchain_branch_predicted"), .title = "Predicted", .key.of_cell = ipc_of, .order = ipc_first,
	  .put = history_predicted_put, .put_json = history_predicted_json },
	{ WORDS("branches in the stacks that aborted a transaction", "callchain_branch_abort"),
	  .title = "Abort", .key.of_cell = ipc_of, .order = ipc_first,
	  .put = history_abort_put, .put_json = history_abort_json },
	{ WORDS("the cycles of an end of a branch in the stacks; a branch has two ends", "callchain_branch_cycles"),
	  .title = "Cycles", .key.of_cell = ipc_of, .order = ipc_first,
	  .put = history_cycles_put, .put_json = history_cycles_json },
};

const struct column_type *branch_column_at(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}
