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

#define PAGE_SIZE_COLUMN(name, member) \
	NUMBER_OF_SAMPLE(name, uint64_t, detail_of(p, c)->member) \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		text_page_size(b, name##_of_row(t->x->profile, row)); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		json_member_u64(j, #member, name##_of_row(t->x->profile, row)); \
	}
PAGE_SIZE_COLUMN(data_page_size, data_page_size)
PAGE_SIZE_COLUMN(code_page_size, code_page_size)

/* ---- where the data came from: parts of data_src ---- */

/* The bits of a part; members of JSON have its text. */
#define PART_COLUMN(name, bits, member, text) \
	NUMBER_OF_SAMPLE(name, uint64_t, detail_of(p, c)->data_src & (bits)) \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		text(b, name##_of_row(t->x->profile, row)); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_part(j, member, name##_of_row(t->x->profile, row), text); \
	}
#define BITS(at, n) (((UINT64_C(1) << (n)) - 1) << (at))

static void put_part(struct json *j, const char *member, uint64_t part, void (*text)(struct buf *out, uint64_t v))
{
	struct buf word = BUF_MEMORY;

	text(&word, part);
	json_key(j, member);
	json_text_n(j, word.n ? word.p : "", word.n);
	buf_free(&word);
}

PART_COLUMN(mem, BITS(5, 14) | BITS(33, 5) | BITS(43, 3), "memory", text_memory_level)
PART_COLUMN(snoop, BITS(19, 5) | BITS(38, 2), "snoop", text_snoop)
PART_COLUMN(tlb, BITS(26, 7), "tlb", text_tlb)
PART_COLUMN(locked, BITS(24, 2), "locked", text_lock)
PART_COLUMN(blocked, BITS(40, 3), "blocked", text_block)

/* ---- costs: of one sample, and of all samples of a row ---- */

#define WEIGHT_COLUMN(name, member) \
	NUMBER_OF_SAMPLE(name, uint64_t, detail_of(p, c)->member) \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		buf_u64(b, name##_of_row(t->x->profile, row)); \
	} \
	static void name##_sum_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		buf_u64(b, name##_of_row(t->x->profile, row) * row->samples); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		json_member_u64(j, #member, name##_of_row(t->x->profile, row)); \
	}
WEIGHT_COLUMN(latency, weight)
WEIGHT_COLUMN(ins_lat, weight2)
WEIGHT_COLUMN(retire_lat, weight3)

/* The mean of the samples of a row. */
#define MEAN_COLUMN(name, i) \
	static double name##_mean(const struct hist_entry *row) \
	{ \
		return row->samples ? (double)row->weights[i] / (double)row->samples : 0; \
	} \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b) \
	{ \
		UNUSED(o), UNUSED(p); \
		return ORDER(name##_mean(b), name##_mean(a)); \
	} \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		UNUSED(t); \
		buf_printf(b, "%.1f", name##_mean(row)); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		UNUSED(t); \
		json_key(j, #name), json_double(j, name##_mean(row)); \
	}
MEAN_COLUMN(weight1, 0)
MEAN_COLUMN(weight2, 1)
MEAN_COLUMN(weight3, 2)

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

#define TEXTS(name) .order = name##_first, .put = name##_put, .put_json = name##_json
#define KEY(word, help, by, heading, name) \
	{ WORDS(help, word, NULL, by), .title = heading, \
	  .key.of_cell = name##_of, .order = name##_first, .put = name##_put, .put_json = name##_json }
#define WEIGHT(word, also, help, heading, name, chars, text) \
	{ WORDS(help, word, also, SONDE_BY_WEIGHT), .title = heading, .key.of_cell = name##_of, .order = name##_first, \
	  .put = text##_put, .put_json = name##_json, .width = chars }

#define MEAN(name, help, heading) \
	{ WORDS(help, #name, NULL, SONDE_BY_WEIGHT), .title = heading, FIGURE(name, 8), .put_json = name##_json }

static const struct column_type columns[] = {
	MEAN(weight1, "the mean of the first weight: the latency of the access", "Weight1"),
	MEAN(weight2, "the mean of the second weight: the latency of the instruction", "Weight2"),
	MEAN(weight3, "the mean of the third weight: the cycles until the instruction retires", "Weight3"),
	WEIGHT("local_weight", NULL, "the latency of the access", "Local Weight", latency, 12, latency),
	WEIGHT("weight", NULL, "local_weight, summed over the samples", "Weight", latency, 12, latency_sum),
	WEIGHT("local_ins_lat", NULL, "the latency of the instruction", "Local INSTR Latency", ins_lat, 0, ins_lat),
	WEIGHT("ins_lat", NULL, "local_ins_lat, summed over the samples", "INSTR Latency", ins_lat, 0, ins_lat_sum),
	WEIGHT("local_p_stage_cyc", "local_retire_lat",
	       "the cycles until the instruction retires", "Local Retire Latency", retire_lat, 0, retire_lat),
	WEIGHT("p_stage_cyc", "retire_lat",
	       "local_p_stage_cyc, summed over the samples", "Retire Latency", retire_lat, 0, retire_lat_sum),
	KEY("mem", "the level of memory that was accessed, and whether it had the data",
	    SONDE_BY_DATA_SRC, "Memory access", mem),
	KEY("snoop", "the answer of other caches", SONDE_BY_DATA_SRC, "Snoop", snoop),
	KEY("tlb", "the level of the TLB that was accessed, and whether it had the page",
	    SONDE_BY_DATA_SRC, "TLB access", tlb),
	KEY("locked", "whether the access was locked", SONDE_BY_DATA_SRC, "Locked", locked),
	KEY("blocked", "why the access was blocked", SONDE_BY_DATA_SRC, "Blocked", blocked),
	KEY("symbol_daddr", "the variable that the instruction touches",
	    SONDE_BY_DATA_ADDR, "Data Symbol", symbol_daddr),
	{ WORDS("the binary or mapping of the data", "dso_daddr", NULL, SONDE_BY_DATA_ADDR), .title = "Data Object",
	  .key = { .of_frame = function_dso_of, .other_frame = data_of_detail }, TEXTS(dso_daddr) },
	KEY("dcacheline", "the cache line of the data", SONDE_BY_DATA_ADDR, "Data Cacheline", dcacheline),
	KEY("symbol_iaddr", "the function of the instruction", SONDE_BY_ADDR, "Code Symbol", symbol_iaddr),
	KEY("phys_daddr", "the physical address of the data", SONDE_BY_PHYS_ADDR, "Data Physical Address", phys_daddr),
	KEY("data_page_size", "the size of the page of the data",
	    SONDE_BY_DATA_PAGE_SIZE, "Data Page Size", data_page_size),
	KEY("code_page_size", "the size of the page of the instruction",
	    SONDE_BY_CODE_PAGE_SIZE, "Code Page Size", code_page_size),
	KEY("transaction", "the flags and code of the transaction that was aborted",
	    SONDE_BY_TRANSACTION, "Transaction", transaction),
};

const struct column_type *memory_column_at(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}
