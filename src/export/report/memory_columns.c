/* SPDX-License-Identifier: MIT */
#include "export/report/memory_columns.h"

#include <string.h>

#include "base/bytes.h"
#include "export/report/column_rows.h"
#include "export/report/functions.h"
#include "export/sample_text.h"

enum { CACHE_LINE = 64 };            /* of x86-64 */

static uint64_t data_of_detail(const struct sonde_profile_detail *d)
{
	return d->data;
}

/* The variable that a row's samples touch, and 1; 0: none was looked up. */
static uint32_t data_of(const struct sonde_profile *p, const struct hist_entry *row)
{
	return (uint32_t)detail_of(p, cell_of(p, row))->data;
}

static bool is_variable(const struct sonde_profile *p, const struct hist_entry *row)
{
	uint32_t data = data_of(p, row);

	return data && frame_symbol(&p->frames.list.at[data - 1]);
}

static void put_level_and_address(struct buf *b, char level, uint64_t addr)
{
	buf_printf(b, "[%c] ", level);
	if (addr)
		buf_str(b, "0x");
	buf_hex_zero(b, addr, 16);
}

static char level_of_data(const struct sonde_profile *p, const struct hist_entry *row)
{
	uint32_t data = data_of(p, row);

	return data ? frame_level(&p->frames.list.at[data - 1]) : '?';
}

/* ---- the data ---- */

/* perf compares addresses as signed numbers: the kernel's are negative. */
NUMBER_OF_SAMPLE(symbol_daddr, int64_t, detail_of(p, c)->data_addr)

static void symbol_daddr_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile *p = t->x->profile;

	if (is_variable(p, row)) {
		function_put_symbol(b, p, data_of(p, row) - 1);
		buf_printf(b, "+0x%llx", (unsigned long long)detail_of(p, cell_of(p, row))->data_offset);
	} else {
		put_level_and_address(b, level_of_data(p, row), (uint64_t)symbol_daddr_of_row(p, row));
	}
}

static void symbol_daddr_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile *p = t->x->profile;
	bool named = is_variable(p, row);

	json_key(j, "data_addr");
	json_hex(j, (uint64_t)symbol_daddr_of_row(p, row));
	json_member_text(j, "data_symbol", named ? frame_symbol(&p->frames.list.at[data_of(p, row) - 1]) : NULL);
	if (named)
		json_member_u64(j, "data_offset", detail_of(p, cell_of(p, row))->data_offset);
}

static int dso_daddr_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	uint32_t x = data_of(p, a), y = data_of(p, b);

	UNUSED(o);
	return x && y ? function_order_dsos(p, x - 1, y - 1) : ORDER(!x, !y);
}

static void dso_daddr_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	uint32_t data = data_of(t->x->profile, row);

	if (data)
		function_put_dso(b, t->x->profile, data - 1);
}

static void dso_daddr_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	struct sonde_profile_frame f = { 0 };
	uint32_t data = data_of(t->x->profile, row);

	if (data)
		profile_frame(t->x->profile, data - 1, &f);
	json_member_text(j, "data_dso", f.dso);
}

/* The line of the cache: of a variable by its place there, as the whole variable may have moved. */
NUMBER_OF_SAMPLE(dcacheline, int64_t, detail_of(p, c)->data_addr & ~(uint64_t)(CACHE_LINE - 1))

static void dcacheline_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile *p = t->x->profile;
	const struct sonde_profile_detail *d = detail_of(p, cell_of(p, row));
	uint32_t data = data_of(p, row);
	bool mapped = data && p->frames.list.at[data - 1].binary;
	uint64_t in_line = d->data_addr % CACHE_LINE;

	if (is_variable(p, row)) {
		function_put_symbol(b, p, data - 1);
		buf_printf(b, "%s0x%llx", d->data_offset < in_line ? "-" : "+",
			   (unsigned long long)(d->data_offset < in_line ? in_line - d->data_offset :
									   d->data_offset - in_line));
		return;
	}
	put_level_and_address(b, mapped ? level_of_data(p, row) : 'X', d->data_addr - in_line);
}

static void dcacheline_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "data_line");
	json_hex(j, (uint64_t)dcacheline_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(phys_daddr, uint64_t, detail_of(p, c)->phys_addr)

static void phys_daddr_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "phys_addr"), json_hex(j, phys_daddr_of_row(t->x->profile, row));
}

static void phys_daddr_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_level_and_address(b, frame_level(&t->x->profile->frames.list.at[row->frame]),
			      phys_daddr_of_row(t->x->profile, row));
}

/* ---- the instruction ---- */

NUMBER_OF_SAMPLE(symbol_iaddr, int64_t, detail_of(p, c)->addr)

static void symbol_iaddr_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "ip"), json_hex(j, (uint64_t)symbol_iaddr_of_row(t->x->profile, row));
}

static void symbol_iaddr_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct frame *f = &t->x->profile->frames.list.at[row->frame];

	if (frame_symbol(f))
		function_put_symbol(b, t->x->profile, row->frame);
	else
		put_level_and_address(b, frame_level(f), (uint64_t)symbol_iaddr_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(data_page_size, uint64_t, detail_of(p, c)->data_page_size)

static void data_page_size_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_page_size(b, data_page_size_of_row(t->x->profile, row));
}

static void data_page_size_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "data_page_size", data_page_size_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(code_page_size, uint64_t, detail_of(p, c)->code_page_size)

static void code_page_size_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_page_size(b, code_page_size_of_row(t->x->profile, row));
}

static void code_page_size_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "code_page_size", code_page_size_of_row(t->x->profile, row));
}

/* ---- where the data came from: parts of data_src ---- */

/* The bits of a part. */
#define BITS(at, n) (((UINT64_C(1) << (n)) - 1) << (at))

static void put_part(struct json *j, const char *member, uint64_t part, void (*text)(struct buf *out, uint64_t v))
{
	struct buf word = BUF_MEMORY;

	text(&word, part);
	json_key(j, member);
	json_text_n(j, word.n ? word.p : "", word.n);
	buf_free(&word);
}

NUMBER_OF_SAMPLE(mem, uint64_t, detail_of(p, c)->data_src & (BITS(5, 14) | BITS(33, 5) | BITS(43, 3)))

static void mem_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_memory_level(b, mem_of_row(t->x->profile, row));
}

static void mem_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_part(j, "memory", mem_of_row(t->x->profile, row), text_memory_level);
}

NUMBER_OF_SAMPLE(snoop, uint64_t, detail_of(p, c)->data_src & (BITS(19, 5) | BITS(38, 2)))

static void snoop_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_snoop(b, snoop_of_row(t->x->profile, row));
}

static void snoop_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_part(j, "snoop", snoop_of_row(t->x->profile, row), text_snoop);
}

NUMBER_OF_SAMPLE(tlb, uint64_t, detail_of(p, c)->data_src & (BITS(26, 7)))

static void tlb_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_tlb(b, tlb_of_row(t->x->profile, row));
}

static void tlb_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_part(j, "tlb", tlb_of_row(t->x->profile, row), text_tlb);
}

NUMBER_OF_SAMPLE(locked, uint64_t, detail_of(p, c)->data_src & (BITS(24, 2)))

static void locked_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_lock(b, locked_of_row(t->x->profile, row));
}

static void locked_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_part(j, "locked", locked_of_row(t->x->profile, row), text_lock);
}

NUMBER_OF_SAMPLE(blocked, uint64_t, detail_of(p, c)->data_src & (BITS(40, 3)))

static void blocked_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	text_block(b, blocked_of_row(t->x->profile, row));
}

static void blocked_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	put_part(j, "blocked", blocked_of_row(t->x->profile, row), text_block);
}

/* ---- costs: of one sample, and of all samples of a row ---- */

NUMBER_OF_SAMPLE(latency, uint64_t, detail_of(p, c)->weight)

static void latency_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, latency_of_row(t->x->profile, row));
}

static void latency_sum_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, latency_of_row(t->x->profile, row) * row->samples);
}

static void latency_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "weight", latency_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(ins_lat, uint64_t, detail_of(p, c)->weight2)

static void ins_lat_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, ins_lat_of_row(t->x->profile, row));
}

static void ins_lat_sum_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, ins_lat_of_row(t->x->profile, row) * row->samples);
}

static void ins_lat_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "weight2", ins_lat_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(retire_lat, uint64_t, detail_of(p, c)->weight3)

static void retire_lat_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, retire_lat_of_row(t->x->profile, row));
}

static void retire_lat_sum_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, retire_lat_of_row(t->x->profile, row) * row->samples);
}

static void retire_lat_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "weight3", retire_lat_of_row(t->x->profile, row));
}

/* The mean of a weight over the samples of a row. */
static double mean_of(const struct hist_entry *row, size_t weight)
{
	return row->samples ? (double)row->weights[weight] / (double)row->samples : 0;
}

static void put_mean(struct json *j, const char *member, double mean)
{
	json_key(j, member);
	json_double(j, mean);
}

static int weight1_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	UNUSED(o), UNUSED(p);
	return ORDER(mean_of(b, 0), mean_of(a, 0));
}

static void weight1_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	buf_printf(b, "%.1f", mean_of(row, 0));
}

static void weight1_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	put_mean(j, "weight1", mean_of(row, 0));
}

static int weight2_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	UNUSED(o), UNUSED(p);
	return ORDER(mean_of(b, 1), mean_of(a, 1));
}

static void weight2_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	buf_printf(b, "%.1f", mean_of(row, 1));
}

static void weight2_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	put_mean(j, "weight2", mean_of(row, 1));
}

static int weight3_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	UNUSED(o), UNUSED(p);
	return ORDER(mean_of(b, 2), mean_of(a, 2));
}

static void weight3_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	buf_printf(b, "%.1f", mean_of(row, 2));
}

static void weight3_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(t);
	put_mean(j, "weight3", mean_of(row, 2));
}

/* ---- transactions ---- */

NUMBER_OF_SAMPLE(transaction, uint64_t, detail_of(p, c)->transaction)

static void transaction_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "transaction"), json_hex(j, transaction_of_row(t->x->profile, row));
}

static void transaction_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	static const char *const words[] = { "EL ", "TX ", "SYNC ", "ASYNC ", "RETRY ", "CON ", "CAP-WRITE ",
					     "CAP-READ " };
	enum { SYNC_OR_ASYNC = 4 | 8, CODE_SHIFT = 32 };
	uint64_t value = transaction_of_row(t->x->profile, row);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (value >> i & 1)
			buf_str(b, words[i]);
	if (value && !(value & SYNC_OR_ASYNC))
		buf_str(b, "NEITHER ");
	if (value >> CODE_SHIFT)
		buf_printf(b, ":%llx", (unsigned long long)(value >> CODE_SHIFT));
}

static const struct column_type columns[] = {
	{ WORDS("the mean of the first weight: the latency of the access", "weight1", NULL, SONDE_BY_WEIGHT),
	  .title = "Weight1", FIGURE(weight1, 8), .put_json = weight1_json },
	{ WORDS("the mean of the second weight: the latency of the instruction", "weight2", NULL, SONDE_BY_WEIGHT),
	  .title = "Weight2", FIGURE(weight2, 8), .put_json = weight2_json },
	{ WORDS("the mean of the third weight: the cycles until the instruction retires", "weight3", NULL,
		SONDE_BY_WEIGHT),
	  .title = "Weight3", FIGURE(weight3, 8), .put_json = weight3_json },
	{ WORDS("the latency of the access", "local_weight", NULL, SONDE_BY_WEIGHT),
	  .title = "Local Weight", .key.of_cell = latency_of, .order = latency_first,
	  .put = latency_put, .put_json = latency_json, .width = 12 },
	{ WORDS("local_weight, summed over the samples", "weight", NULL, SONDE_BY_WEIGHT),
	  .title = "Weight", .key.of_cell = latency_of, .order = latency_first,
	  .put = latency_sum_put, .put_json = latency_json, .width = 12 },
	{ WORDS("the latency of the instruction", "local_ins_lat", NULL, SONDE_BY_WEIGHT),
	  .title = "Local INSTR Latency", .key.of_cell = ins_lat_of, .order = ins_lat_first,
	  .put = ins_lat_put, .put_json = ins_lat_json },
	{ WORDS("local_ins_lat, summed over the samples", "ins_lat", NULL, SONDE_BY_WEIGHT),
	  .title = "INSTR Latency", .key.of_cell = ins_lat_of, .order = ins_lat_first,
	  .put = ins_lat_sum_put, .put_json = ins_lat_json },
	{ WORDS("the cycles until the instruction retires", "local_p_stage_cyc", "local_retire_lat", SONDE_BY_WEIGHT),
	  .title = "Local Retire Latency", .key.of_cell = retire_lat_of, .order = retire_lat_first,
	  .put = retire_lat_put, .put_json = retire_lat_json },
	{ WORDS("local_p_stage_cyc, summed over the samples", "p_stage_cyc", "retire_lat", SONDE_BY_WEIGHT),
	  .title = "Retire Latency", .key.of_cell = retire_lat_of, .order = retire_lat_first,
	  .put = retire_lat_sum_put, .put_json = retire_lat_json },
	{ WORDS("the level of memory that was accessed, and whether it had the data", "mem", NULL, SONDE_BY_DATA_SRC),
	  .title = "Memory access", .key.of_cell = mem_of, .order = mem_first,
	  .put = mem_put, .put_json = mem_json },
	{ WORDS("the answer of other caches", "snoop", NULL, SONDE_BY_DATA_SRC),
	  .title = "Snoop", .key.of_cell = snoop_of, .order = snoop_first,
	  .put = snoop_put, .put_json = snoop_json },
	{ WORDS("the level of the TLB that was accessed, and whether it had the page", "tlb", NULL, SONDE_BY_DATA_SRC),
	  .title = "TLB access", .key.of_cell = tlb_of, .order = tlb_first,
	  .put = tlb_put, .put_json = tlb_json },
	{ WORDS("whether the access was locked", "locked", NULL, SONDE_BY_DATA_SRC),
	  .title = "Locked", .key.of_cell = locked_of, .order = locked_first,
	  .put = locked_put, .put_json = locked_json },
	{ WORDS("why the access was blocked", "blocked", NULL, SONDE_BY_DATA_SRC),
	  .title = "Blocked", .key.of_cell = blocked_of, .order = blocked_first,
	  .put = blocked_put, .put_json = blocked_json },
	{ WORDS("the variable that the instruction touches", "symbol_daddr", NULL, SONDE_BY_DATA_ADDR),
	  .title = "Data Symbol", .key.of_cell = symbol_daddr_of, .order = symbol_daddr_first,
	  .put = symbol_daddr_put, .put_json = symbol_daddr_json },
	{ WORDS("the binary or mapping of the data", "dso_daddr", NULL, SONDE_BY_DATA_ADDR), .title = "Data Object",
	  .key = { .of_frame = function_dso_of, .other_frame = data_of_detail }, .order = dso_daddr_first,
	  .put = dso_daddr_put, .put_json = dso_daddr_json },
	{ WORDS("the cache line of the data", "dcacheline", NULL, SONDE_BY_DATA_ADDR),
	  .title = "Data Cacheline", .key.of_cell = dcacheline_of, .order = dcacheline_first,
	  .put = dcacheline_put, .put_json = dcacheline_json },
	{ WORDS("the function of the instruction", "symbol_iaddr", NULL, SONDE_BY_ADDR),
	  .title = "Code Symbol", .key.of_cell = symbol_iaddr_of, .order = symbol_iaddr_first,
	  .put = symbol_iaddr_put, .put_json = symbol_iaddr_json },
	{ WORDS("the physical address of the data", "phys_daddr", NULL, SONDE_BY_PHYS_ADDR),
	  .title = "Data Physical Address", .key.of_cell = phys_daddr_of, .order = phys_daddr_first,
	  .put = phys_daddr_put, .put_json = phys_daddr_json },
	{ WORDS("the size of the page of the data", "data_page_size", NULL, SONDE_BY_DATA_PAGE_SIZE),
	  .title = "Data Page Size", .key.of_cell = data_page_size_of, .order = data_page_size_first,
	  .put = data_page_size_put, .put_json = data_page_size_json },
	{ WORDS("the size of the page of the instruction", "code_page_size", NULL, SONDE_BY_CODE_PAGE_SIZE),
	  .title = "Code Page Size", .key.of_cell = code_page_size_of, .order = code_page_size_first,
	  .put = code_page_size_put, .put_json = code_page_size_json },
	{ WORDS("the flags and code of the transaction that was aborted", "transaction", NULL, SONDE_BY_TRANSACTION),
	  .title = "Transaction", .key.of_cell = transaction_of, .order = transaction_first,
	  .put = transaction_put, .put_json = transaction_json },
};

const struct column_type *memory_column_at(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}
